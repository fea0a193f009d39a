"""Chaplygin's sleigh by d'Alembert and by the vakonomic principle: the knife goes straight in the one only."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert import analytic as an

# the knife at (x, y), the centre of mass a ahead of it
T = "m*((x_d - a*th_d*sin(th))**2 + (y_d + a*th_d*cos(th))**2)/2 + J*th_d**2/2"
sleigh = an.System("x y th", T=T, rolling=["x_d*sin(th) - y_d*cos(th)"], positive="m J a")
both = an.vakonomic(sleigh)
start = {"x": 0, "y": 0, "th": 0, "x_d": 0.3, "y_d": 0, "th_d": 2.0}
t, newton, free = both.motions({"m": 1.0, "J": 1.0, "a": 1.0}, start, 12.0)

# reduced equations (Chaplygin 1911): v' = a w^2, w' = -m a v w/(J + m a^2); v^2 + (J/m + a^2) w^2 is kept
v = newton["x'"] * np.cos(newton["th"]) + newton["y'"] * np.sin(newton["th"])
w = newton["th'"]
assert np.ptp(v**2 + 2 * w**2) < 1e-7
assert abs(w[-1]) < 1e-3  # it ends in a straight line
assert abs(v[-1] - np.sqrt(0.3**2 + 2 * 4)) < 1e-3
print("end speed:", v[-1], "turning left in the vakonomic motion:", free["th'"][-1])

plt.figure(figsize=(6, 4))
plt.plot(newton["x"], newton["y"], label="d'Alembert: what a sleigh does")
plt.plot(free["x"], free["y"], label="vakonomic: what is stationary")
plt.axis("equal")
plt.legend()
plt.savefig("chaplygin_sleigh.png", dpi=110)
