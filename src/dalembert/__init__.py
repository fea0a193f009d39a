"""dalembert: from the description of a mechanical system to its equations, analysis, code and motion.

>>> import dalembert as da
>>> m = da.Mechanism("pendulum")
>>> rod = m.body("rod", mass=1, centre=[0, 0, -0.5])
>>> pivot = m.join(da.earth, rod, da.revolute("x"), name="pivot")
>>> m.equations().coordinates
('pivot.th',)
"""

from typing import TYPE_CHECKING, Any

from dalembert import mechanism

# errors
from dalembert.errors import (
    ArgumentError,
    ContactError,
    CouplingError,
    DalembertError,
    ExpressionError,
    LimitError,
    LsdError,
    ModelError,
    SimulationError,
    SingularError,
)

# description
from dalembert.mechanism import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Displacement,
    Ellipsoid,
    Force,
    Frame,
    Joint,
    Layout,
    Patch,
    Plane,
    Polytope,
    Sphere,
    Step,
    Surface,
    Torque,
    composite,
    coulomb,
    cylindrical,
    earth,
    force_on,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    torque_on,
    turn,
    universal,
    weld,
)

# the mechanism and its verbs
from dalembert.model import Mechanism, json_schema, load, loads, read_mjcf, read_sdf, read_urdf
from dalembert.presentation.records import readable as _readable

if TYPE_CHECKING:
    # motions; they bring NumPy, so they are imported when they are first named
    from dalembert.control import Trajectory, trajectory
    from dalembert.simulate import Event
    from dalembert.sweep import Sweep
    from dalembert.view import Motion

__version__ = "0.1.0"

__all__ = [
    # errors
    "ArgumentError",
    "ContactError",
    "CouplingError",
    "DalembertError",
    "ExpressionError",
    "LimitError",
    "LsdError",
    "ModelError",
    "SimulationError",
    "SingularError",
    # description
    "Body",
    "Box",
    "Capsule",
    "Cylinder",
    "Displacement",
    "Force",
    "Frame",
    "Joint",
    "Layout",
    "Mesh",
    "Patch",
    "Plane",
    "Sphere",
    "Ellipsoid",
    "Polytope",
    "Surface",
    "Step",
    "Torque",
    "composite",
    "coulomb",
    "cylindrical",
    "earth",
    "force_on",
    "free",
    "planar",
    "prismatic",
    "revolute",
    "screw",
    "spherical",
    "torque_on",
    "turn",
    "universal",
    "weld",
    # the mechanism and its verbs
    "Mechanism",
    "json_schema",
    "load",
    "loads",
    "read_mjcf",
    "read_sdf",
    "read_urdf",
    # motions
    "Event",
    "Motion",
    "Sweep",
    "Trajectory",
    "trajectory",
]
# records of a description print as a person reads them, in notebooks too
_readable(*vars(mechanism).values())

_LATER = {
    "Motion": "dalembert.view",
    "Event": "dalembert.simulate",
    "Mesh": "dalembert.mechanism.meshes",
    "Sweep": "dalembert.sweep",
    "Trajectory": "dalembert.control",
    "trajectory": "dalembert.control",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LATER:
        raise AttributeError(f"module 'dalembert' has no attribute '{name}'")
    return getattr(import_module(_LATER[name]), name)
