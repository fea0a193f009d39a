"""The description of a mechanical system: pure data and its checks, no equations."""

# bodies and frames
from dalembert.mechanism.body import EARTH, Body, Frame, Inertia, earth

# shapes that touch
from dalembert.mechanism.bodyshape import BodyShape

# constraints
from dalembert.mechanism.constraint import (
    PERFECT,
    Along,
    Closed,
    Condition,
    Constraint,
    Coulomb,
    Followed,
    Holonomic,
    Kinematic,
    Perfect,
    Reaction,
    coulomb,
    force_on,
    torque_on,
)

# contacts
from dalembert.mechanism.contact import Contact, Gap, Pressed, Touching

# displacements
from dalembert.mechanism.displacement import AnyTurn, AxisLike, Displacement, QuaternionTurn, Turn, turn, unit_axis

# efforts
from dalembert.mechanism.effort import (
    ANGLE,
    LENGTH,
    Bushing,
    Effort,
    Force,
    Spring,
    Torque,
    TorsionSpring,
    effort_bodies,
    effort_kind,
    effort_symbols,
)

# joints
from dalembert.mechanism.joint import Joint, Speeds, Step, renaming
from dalembert.mechanism.joints import (
    composite,
    cylindrical,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    universal,
    weld,
)

# numbering
from dalembert.mechanism.layout import CutLink, Layout, TreeLink

# links, the whole
from dalembert.mechanism.link import Link
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.model import Model
from dalembert.mechanism.names import FRAME_OUTPUTS, LINK_OUTPUTS, TOTAL, did_you_mean
from dalembert.mechanism.numbers import check_body, check_numbers, open_fields
from dalembert.mechanism.quantities import Quantity, plain_symbols, quantities, virtual_parts

# shapes that touch
from dalembert.mechanism.shapes import Box, Capsule, Cylinder, Ellipsoid, Patch, Plane, Polytope, Shape, Sphere, Surface

# the order of coordinates and speeds
from dalembert.mechanism.state import Moment, State
