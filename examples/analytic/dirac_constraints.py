"""Degenerate Lagrangians by Dirac and Bergmann: a gauge freedom, and the drift of charges whose mass is forgotten."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert import analytic as an

print(an.dirac_bergmann(an.System("x y", L="(x_d - y)**2/2")))  # y is arbitrary: first class constraints

# strong field, no inertia: L = B x y' - V; the Dirac bracket of x and y is 1/B (Dunne, Jackiw, Trugenberger 1990)
found = an.dirac_bergmann(an.System("x y", L="B*x*y_d - (x**2 + 2*y**2)/2", positive="B", momenta="px py"))
print(found)

V = "(x**2 + 2*y**2)/2 + x**3/6"
field = an.ElectromagneticField("1", A=["0", "B*x"])
charge = an.System("x y", particles=[an.Particle("m", ["x", "y"])], field=field, V=V, positive="m B", momenta="px py")
figure, axes = plt.subplots(figsize=(5, 5))
x, y = np.meshgrid(np.linspace(-2.1, 1.5, 100), np.linspace(-1.2, 1.2, 100))
axes.contour(x, y, (x**2 + 2 * y**2) / 2 + x**3 / 6, levels=12, linewidths=0.5, colors="0.6")
drifts = []
for m in (0.2, 0.002):
    start = {"x": 1.0, "y": 0.0, "px": 0.0, "py": 1.0}  # at rest: py = B x
    run = an.integrate(charge, start, (0, 3.0), {"m": m, "B": 1.0}, points=3000)
    axes.plot(*run.q, linewidth=0.8, label=f"m = {m}")
    along = (run.q[0] ** 2 + 2 * run.q[1] ** 2) / 2 + run.q[0] ** 3 / 6
    drifts.append(float(np.ptp(along)))
print("how far from a line of equal potential:", drifts)
assert drifts[1] < drifts[0] / 20  # the smaller the mass, the closer to x' = dV/dy, y' = -dV/dx
axes.set_aspect("equal")
axes.legend()
axes.set_title("charges drift along equipotentials as m -> 0")
figure.savefig("dirac_constraints.png", dpi=110)
