"""Lagrange's top: nutation between the roots of a cubic, and the spin below which a sleeping top wakes."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from dalembert import analytic as an

L = "A*(th_d**2 + sin(th)**2*ph_d**2)/2 + C*(ps_d + ph_d*cos(th))**2/2 - P*cos(th)"
top = an.System("th ph ps", L=L, momenta="pth pph pps", positive="A C P")
reduced = an.routhian(top, momenta={"ph": "a", "ps": "b"})
print("amended potential:", reduced.effective_potential)

numbers = {"A": 1.0, "C": 0.5, "P": 1.0, "a": 1.9, "b": 2.0}
values = top.names.numbers(numbers)
E = float(reduced.effective_potential.subs(values).subs(top.names.symbol("th"), 0.6))  # the axis starts at rest there
low, high = an.well(reduced.reduced, numbers, (0.01, 3.13)).turning_points(E)
u = sp.Symbol("u")  # u = cos th:  2A (E - b^2/2C - P u)(1 - u^2) = (a - b u)^2
cubic = sp.Poly(2 * (E - 4 - u) * (1 - u**2) - (1.9 - 2 * u) ** 2, u)
roots = sorted(float(r) for r in cubic.nroots() if abs(r) <= 1)
print("nutation:", low, high, "by the cubic:", [math.acos(r) for r in reversed(roots)])
assert np.allclose([low, high], [math.acos(r) for r in reversed(roots)], atol=1e-9)

sleeping = an.heavy_top().energy_casimir({"mz": "L", "nz": 1}, integrals=["mz"])
print("sleeping top:", sleeping)  # stable where L^2 > 4 A P, L = C w (Routh, Arnold)
assert "4*A*P - L**2" in str(sp.factor(sleeping.second.det()))

start = {"th": low, "ph": 0.0, "ps": 0.0, "pth": 0.0, "pph": 1.9, "pps": 2.0}
run = an.integrate(top, start, (0, 40), {k: numbers[k] for k in "ACP"}, points=3000)
plt.figure(figsize=(6, 4))
plt.plot(run.q[1], run.q[0], linewidth=0.8)
plt.axhline(low, color="0.7")
plt.axhline(high, color="0.7")
plt.gca().invert_yaxis()
plt.xlabel("precession")
plt.ylabel("nutation")
plt.title("the axis of a top between its two cones")
plt.savefig("lagrange_top.png", dpi=110)
assert low - 1e-6 < run.q[0].min()
assert run.q[0].max() < high + 1e-6
