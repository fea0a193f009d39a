"""A pendulum pulled up slowly: E grows as l^(-1/2), the swing as l^(-3/4), the action stays (Ehrenfest 1911)."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from dalembert import analytic as an

pendulum = an.System("th", H="p**2/(2*m*l**2) + m*g*l*(1 - cos(th))", positive="m l g")
run = an.adiabatic(pendulum, {"l": "1 - 0.005*t"}, {"m": 1, "g": 9.81}, {"th": 0.2, "p": 0.0}, 100.0, (-3, 3))
print(f"energy {run.energy_change + 1:.4f} times as large, action kept to {run.drift:.1e}")
assert abs(run.energy_change + 1 - math.sqrt(2)) < 0.01  # half the length
assert run.drift < 0.01

figure, axes = plt.subplots(figsize=(6, 4))
axes.plot(run.t, run.energy / run.energy[0], label="energy")
axes.plot(run.t, run.action / run.action[0], label="action")
axes.plot(run.t, (1 - 0.005 * run.t) ** -0.5, "k:", label="l^(-1/2)")
axes.set_xlabel("t")
axes.legend()
figure.savefig("adiabatic_pendulum.png", dpi=110)
