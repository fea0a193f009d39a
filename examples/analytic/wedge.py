"""A mass on a free wedge by five mechanics, with the contact force by Newton and a printed error found."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from dalembert import analytic as an

wedge = an.System(
    "q1 q2",
    particles=[an.Particle("M", ["q1", "0"]), an.Particle("m", ["q1 + q2*cos(alpha)", "-q2*sin(alpha)"])],
    gravity=["0", "-g"],
)
print(wedge.compare())
print("contact force:", wedge.newton().reaction(2, ("sin(alpha)", "cos(alpha)")))
print(wedge.lagrange().check("q2_dd == g*sin(alpha)"))

start = {"q1": 0, "q2": 0, "p1": 0, "p2": 0}
motion = an.integrate(wedge, start, (0, 1), {"m": 1.0, "M": 2.0, "alpha": 0.6, "g": 9.81})
plt.plot(motion.t, motion.q[0], label="wedge")
plt.plot(motion.t, motion.q[1], label="mass along the slope")
plt.legend()
plt.savefig("wedge.png")
