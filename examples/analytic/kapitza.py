"""Kapitza's pendulum: a pivot shaken faster than w^2 = 2 g l/A^2 holds the rod upright."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from dalembert import analytic as an

place = ["l*sin(th)", "A*cos(w*t) - l*cos(th)"]
shaken = an.System("th", particles=[an.Particle("m", place)], gravity=["0", "-g"], positive="l A w g")
slow = an.average_fast(shaken, "w")
print("effective potential:", slow.potential)
print(an.equilibria(slow.slow))

given = {"l": 1.0, "g": 9.81, "A": 0.1, "m": 1.0}
critical = math.sqrt(2 * 9.81) / 0.1
figure, axes = plt.subplots(figsize=(6, 4))
for factor in (0.9, 1.4):
    values = given | {"w": factor * critical}
    start = {"th": math.pi - 0.1, "p": 0.0}
    run = an.integrate(shaken, start, (0, 6), values, points=1500)
    axes.plot(run.t, run.q[0], label=f"w = {factor} of the critical one")
    falls = abs(run.q[0] - math.pi).max() > 1
    assert falls == (factor < 1)
axes.axhline(math.pi, color="0.7")
axes.set_xlabel("t")
axes.set_ylabel("angle")
axes.legend()
figure.savefig("kapitza.png", dpi=110)
