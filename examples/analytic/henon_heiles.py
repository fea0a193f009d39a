"""Henon and Heiles: no separation, no second integral; the sister with the other sign separates after a rotation."""

import matplotlib

matplotlib.use("Agg")
import sympy as sp

from dalembert import analytic as an

H = "(px**2+py**2)/2 + (x**2+y**2)/2 + x**2*y {} y**3/3"
chaotic = an.System("x y", H=H.format("-"), momenta="px py")
print(chaotic.hamilton_jacobi().certificate)
print("integrals up to degree 2:", an.search_first_integrals(chaotic, 2, coordinate_degree=3))

sister = an.System("x y", H=H.format("+"), momenta="px py")
turned = an.change_coordinates(sister.lagrangian, {"x": "(u-v)/sqrt(2)", "y": "(u+v)/sqrt(2)"}, "u v")
print(an.System("u v", L=turned.L, momenta="pu pv").hamilton_jacobi().slopes)

x, y = sp.symbols("x y", real=True)
axes = an.potential_landscape((x**2 + y**2) / 2 + x**2 * y - y**3 / 3, [x, y], [(-1, 1), (-0.8, 1.2)])
axes.set_title("the potential of Henon and Heiles")
axes.figure.savefig("henon_heiles.png")
