"""dalembert: from the description of a mechanical system to its equations, analysis, code and motion.

>>> import dalembert as da
>>> m = da.Mechanism("pendulum")
>>> rod = m.body("rod", mass=1, centre=[0, 0, -0.5])
>>> pivot = m.join(da.earth, rod, da.revolute("x"), name="pivot")
>>> m.equations().coordinates
('pivot.th',)
"""

# errors
from dalembert.errors import (
    CouplingError,
    DalembertError,
    ExpressionError,
    LsdError,
    ModelError,
    SimulationError,
    SingularError,
)

# description
from dalembert.mechanism import (
    Body,
    Displacement,
    Force,
    Frame,
    Joint,
    Layout,
    Step,
    Torque,
    composite,
    cylindrical,
    earth,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    turn,
    universal,
    weld,
)

# the mechanism and its verbs
from dalembert.model import Mechanism, load, loads

__version__ = "0.1.0"
