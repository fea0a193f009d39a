"""Positions, velocities, mass properties and known efforts of a spanning tree, as expressions."""

from dalembert.kinematics.energy import gravity_energy, kinetic_energy
from dalembert.kinematics.inertia import RigidInertia, body_inertia, node_inertias
from dalembert.kinematics.motion import (
    carried,
    frame_pose,
    in_earth_base,
    point_velocity,
    poses,
    rates,
    relative_twist,
    time_derivative,
    twists,
)
from dalembert.kinematics.step import StepMotion, Twist, step_motion
from dalembert.kinematics.tree import EARTH_NODE, Node, Pose, Tree, build_tree, link_motions
from dalembert.kinematics.wrench import (
    Wrench,
    define_functions,
    external_wrenches,
    in_speeds,
    joint_efforts,
    link_efforts,
)
