"""Sommerfeld's ellipse: a relativistic orbit turns by 2 pi (1/sqrt(1 - (k/(c J))^2) - 1) in a period."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert import analytic as an

atom = an.System("r ph", H="c*sqrt(m**2*c**2 + pr**2 + J**2/r**2) - m*c**2 - k/r", momenta="pr J", positive="m c k r")
c, J = 5.0, 1.0
start = {"r": 1.6, "ph": 0.0, "pr": 0.0, "J": J}
run = an.integrate(atom, start, (0, 80), {"m": 1, "k": 1, "c": c}, points=8000)
r, ph, pr = run.q[0], run.q[1], run.p[0]
far = [i for i in range(1, len(pr)) if pr[i - 1] > 0 >= pr[i]]  # apocentres
angles = [ph[i - 1] + (ph[i] - ph[i - 1]) * pr[i - 1] / (pr[i - 1] - pr[i]) for i in far]
turn = float(np.mean(np.diff(angles))) - 2 * math.pi
sommerfeld = 2 * math.pi * (1 / math.sqrt(1 - (1 / (c * J)) ** 2) - 1)
print(f"advance of the apocentre: {turn:.6f}, Sommerfeld: {sommerfeld:.6f}")
assert abs(turn / sommerfeld - 1) < 1e-4

plt.figure(figsize=(5, 5))
plt.plot(r * np.cos(ph), r * np.sin(ph), linewidth=0.7)
plt.plot([0], [0], "o")
plt.axis("equal")
plt.title(f"the rosette turns by {math.degrees(turn):.2f} degrees in a period")
plt.savefig("relativistic_kepler.png", dpi=110)
