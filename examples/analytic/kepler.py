"""Kepler end to end: hidden integrals found, the energy by actions, and an orbit that keeps its Lenz vector."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from dalembert import analytic as an

plane = an.System("x y", L="m*(x_d**2+y_d**2)/2 + k/sqrt(x**2+y**2)", momenta="px py")
for integral in an.search_first_integrals(plane, 2, coordinate_degree=1):
    print("conserved:", integral)

polar = an.System("r phi", H="(pr**2 + pphi**2/r**2)/(2*m) - k/r", momenta="pr pphi")
print("energy by actions:", an.action_angle(polar.hamilton_jacobi(), angles="phi").energy)

orbit = an.integrate(plane, {"x": 1, "y": 0, "px": 0, "py": 1.25}, (0, 30), {"m": 1.0, "k": 1.0})
plt.plot(orbit.q[0], orbit.q[1])
plt.plot([0], [0], "o")
plt.axis("equal")
plt.title(f"an ellipse that does not turn; energy drift {orbit.energy_drift:.0e}")
plt.savefig("kepler.png")
