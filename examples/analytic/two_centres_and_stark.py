"""Two fixed centres separate in elliptic coordinates, an atom in a field in parabolic ones; neither in Cartesian."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert import analytic as an

# x = c cosh(u) cos(v), y = c sinh(u) sin(v): the distances to the centres are c (cosh u -+ cos v)
T = "m*c**2*(cosh(u)**2 - cos(v)**2)*(u_d**2 + v_d**2)/2"
V = "-k1/(c*(cosh(u) - cos(v))) - k2/(c*(cosh(u) + cos(v)))"
centres = an.System("u v", T=T, V=V, momenta="pu pv", positive="m c k1 k2").hamilton_jacobi()
print("two centres:", centres.slopes)
assert centres.separable

# x = u v, y = (u^2 - v^2)/2, r = (u^2 + v^2)/2; the field F along y
stark = an.System(
    "u v",
    T="m*(u**2 + v**2)*(u_d**2 + v_d**2)/2",
    V="-2*k/(u**2 + v**2) + F*(u**2 - v**2)/2",
    momenta="pu pv",
    positive="m k",
).hamilton_jacobi()
print("Stark:", stark.slopes)
assert stark.separable
plane = an.System("x y", H="(px**2 + py**2)/2 - 1/sqrt(x**2 + y**2) + F*y", momenta="px py")
assert not plane.hamilton_jacobi().separable

F = 0.04  # the saddle through which the atom is ionised: r = 1/sqrt(F), E = -2 sqrt(F)
rest = an.numeric_equilibrium(
    an.System("x y", L="(x_d**2 + y_d**2)/2 + 1/sqrt(x**2 + y**2) - F*y"), {"F": F}, {"x": 0.1, "y": -4.0}
)
print("saddle:", rest)
assert abs(rest["y"] + 1 / np.sqrt(F)) < 1e-9
x, y = np.meshgrid(np.linspace(-8, 8, 200), np.linspace(-10, 6, 200))
height = -1 / np.hypot(x, y) + F * y
plt.figure(figsize=(5, 5))
plt.contour(x, y, height, levels=np.linspace(-0.9, -0.05, 25))
plt.contour(x, y, height, levels=[-2 * np.sqrt(F)], colors="k", linestyles="-")
plt.plot([0], [-1 / np.sqrt(F)], "ro")
plt.title("an atom in a field: the saddle at E = -2 sqrt(F)")
plt.savefig("two_centres_and_stark.png", dpi=110)
