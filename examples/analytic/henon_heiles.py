"""Henon and Heiles 1964: sections at E = 1/12 lie on curves of Gustavson's integral, at E = 1/8 they scatter."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from dalembert import analytic as an

H = "(px**2+py**2)/2 + (x**2+y**2)/2 + x**2*y {} y**3/3"
star = an.System("x y", H=H.format("-"), momenta="px py")
print(star.hamilton_jacobi().certificate)  # it does not separate
sister = an.System("x y", H=H.format("+"), momenta="px py")
turned = an.change_coordinates(sister.lagrangian, {"x": "(u-v)/sqrt(2)", "y": "(u+v)/sqrt(2)"}, "u v")
assert an.System("u v", L=turned.L, momenta="pu pv").hamilton_jacobi().separable  # with the other sign it does

third = an.birkhoff(star, 8).integral
n = star.names
kept = sp.lambdify(n.read_all(["x", "y", "px", "py"]), third)
figure, axes = plt.subplots(1, 2, figsize=(9, 4.5))
spread = []
for ax, E in zip(axes, (1 / 12, 1 / 8)):
    worst = 0.0
    for y, py in ((0.05, 0.0), (0.2, 0.05), (-0.15, 0.1), (0.0, 0.3), (-0.1, 0.0), (0.3, 0.0)):
        rest = 2 * E - py**2 - y**2 + 2 * y**3 / 3
        start = {"x": 0.0, "y": y, "px": math.sqrt(rest), "py": py}
        points = an.poincare_section(star, {}, start, through="x", time=500)
        s = {k: np.array(v) for k, v in points.states.items()}
        ax.plot(s["y"], s["py"], ".", markersize=2)
        values = kept(s["x"], s["y"], s["px"], s["py"])
        worst = max(worst, float(np.ptp(values) / values.mean()))
    ax.set_title(f"E = {E:.4f}: third integral to {worst:.1%}")
    spread.append(worst)
assert spread[0] < 0.02
assert spread[1] > 2 * spread[0]
figure.savefig("henon_heiles.png", dpi=110)
