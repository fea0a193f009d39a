"""The spherical pendulum: its small ellipse turns by 3 pi a b/4 in a revolution (Airy 1851), large ones by more."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert import analytic as an

ball = an.System("th ph", L="(th_d**2 + sin(th)**2*ph_d**2)/2 + cos(th)", momenta="pth pph")
print("amended potential:", an.routhian(ball, momenta={"ph": "J"}).effective_potential)

a, b = 0.10, 0.05  # half axes of the ellipse, as parts of the length
J, E = a * b, -1 + (a**2 + b**2) / 2
orbit = an.central_orbit(ball, {}, E, J, (0.005, 1.0))
turn = 2 * orbit.angle - 2 * math.pi
print(f"precession in a revolution: {turn:.6f}, Airy: {0.75 * math.pi * a * b:.6f}")
assert abs(turn / (0.75 * math.pi * a * b) - 1) < 0.02

speed = 0.45  # start at rest in th: the energy gives the momentum about the vertical
start = {"th": 1.2, "ph": 0.0, "pth": 0.0, "pph": speed * math.sin(1.2) ** 2}
path = an.integrate(ball, start, (0, 60), {}, points=3000)
x, y = np.sin(path.q[0]) * np.cos(path.q[1]), np.sin(path.q[0]) * np.sin(path.q[1])
plt.figure(figsize=(5, 5))
plt.plot(x, y, linewidth=0.8)
plt.axis("equal")
plt.title(f"a spherical pendulum from above; energy drift {path.energy_drift:.0e}")
plt.savefig("spherical_pendulum.png", dpi=110)
