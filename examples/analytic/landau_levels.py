"""A charge in a magnetic field: one action, E = (q B/m) J, so that levels are hbar q B/m apart (Landau 1930)."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import sympy as sp

from dalembert import analytic as an

field = an.ElectromagneticField("q", A=["0", "B*x"])
charge = an.System("x y", particles=[an.Particle("m", ["x", "y"])], field=field, positive="q B m", momenta="px py")
H = charge.hamilton().H
print("H =", H)
n = charge.names
across = an.System("x", H=H.subs(n.symbol("py"), n.symbol("P")).subs(n.symbol("px"), n.symbol("p")), positive="q B m")
levels = an.action_angle(across.hamilton_jacobi())
print("by the action:", levels.energy)
(J,) = [s for s in levels.energy.free_symbols if s.name.startswith("J")]
assert sp.simplify(sp.diff(levels.energy, J) - across.names.read("q*B/m")) == 0

motion = charge.hamilton()
centre = {"X": "x + (py - q*B*x)/(q*B)", "Y": "y - px/(q*B)"}  # the guiding centre
for name, formula in centre.items():
    print(name, "is kept:", bool(motion.is_first_integral(formula)))
    assert motion.is_first_integral(formula)
bracket = an.poisson_bracket(centre["X"], centre["Y"], "x y", "px py")
print("[X, Y] =", sp.simplify(bracket))  # -1/(q B) up to orientation: the area of a level is h/(q B)

axes = plt.subplots(figsize=(5, 5))[1]
for k in range(4):
    run = an.integrate(charge, {"x": (2 * k + 1) ** 0.5, "y": 0, "px": 0, "py": 0}, (0, 6.3), {"q": 1, "B": 1, "m": 1})
    axes.plot(run.q[0], run.q[1], label=f"J = {k} + 1/2")
axes.set_aspect("equal")
axes.legend()
axes.set_title("orbits of the first Landau levels")
axes.figure.savefig("landau_levels.png", dpi=110)
