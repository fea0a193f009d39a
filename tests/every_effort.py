"""A machine on which every kind of effort acts."""

import dalembert as da
from dalembert.expr.space import vector3
from dalembert.mechanism.displacement import Displacement, turn
from dalembert.mechanism.joint import Joint, Step


def pushed(size=1.0):
    """Two bodies, one on a ball, with an effort of every kind; lengths in parts of `size`."""
    m = da.Mechanism("pushed")
    a = m.body(
        "a", mass=1.5, centre=[0.1 * size, 0, -0.3 * size], inertia=[0.05 * size**2, 0.04 * size**2, 0.03 * size**2]
    )
    b = m.body("b", mass=0.7, centre=[0, 0.2 * size, 0], inertia=[0.02 * size**2, 0.03 * size**2, 0.025 * size**2])
    m.join(da.earth, a, da.spherical(), name="hip")
    loaded_step = Step(
        Displacement.of([0, 0, 0], turn("th", [1, 2, 2])),
        force=vector3([0.3, -0.2, 0.5]),
        torque=vector3([0.1 * size, 0.2 * size, 0]),
    )
    slide = Step(Displacement.of(["x", 0, 0]))
    joint = Joint(("th", "x"), (loaded_step, slide)).with_efforts(x=f"-3*x - 0.4*x' + {size}", th=f"-{size}*sin(th)")
    m.join(b.at([0, 0.1 * size, 0]), a.at([0, 0, -0.6 * size]), joint, name="knee")  # from child to parent
    m.force(a.at([0.2 * size, 0, 0]), [1, 2, 3], base=b, name="jet")
    m.torque(b, [0.3 * size, 0.1 * size, 0], base=a, name="wheel")
    m.spring(
        da.earth.at([size, 0, 0]), b.at([0, 0, 0.1 * size]), stiffness=4, damping=0.3, length=0.5 * size, name="rope"
    )
    m.torsion_spring(da.earth, b, "y", stiffness=0.8 * size**2, damping=0.1 * size**2, angle=0.2, name="coil")
    m.bushing(
        a.at([0, 0.1 * size, 0]),
        b,
        stiffness=[3, 2, 1],
        damping=0.2,
        turning=[0.4 * size**2, 0.5 * size**2, 0.6 * size**2],
        turning_damping=0.1 * size**2,
        name="rubber",
    )
    m.gravity = [0, 0.5, -9.81]
    return m
