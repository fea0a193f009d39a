"""Positions, velocities, mass properties and known efforts of a spanning tree, as expressions."""

from dalembert.kinematics.effort import (
    BodyAction,
    effort_actions,
    effort_energy,
    effort_measure,
    effort_singularities,
    effort_told,
    in_base,
)
from dalembert.kinematics.energy import gravity_energy, kinetic_energy
from dalembert.kinematics.frames import FrameMotions
from dalembert.kinematics.inertia import RigidInertia, body_inertia, node_inertias
from dalembert.kinematics.links import LinkMotion, joint_columns, link_motions_of, link_twist
from dalembert.kinematics.motion import (
    carried,
    frame_pose,
    poses,
    rates,
    relative_twist,
    time_derivative,
    twists,
)
from dalembert.kinematics.plane import Plane, plane_of, resting_links, resting_poses
from dalembert.kinematics.quantities import form_row, in_state
from dalembert.kinematics.spatial import COMPONENTS, Pose, Twist, Wrench
from dalembert.kinematics.step import StepMotion, step_motion
from dalembert.kinematics.tree import EARTH_NODE, Node, Tree, build_tree, chart_conditions, link_motions
from dalembert.kinematics.wrench import (
    define_functions,
    external_wrenches,
    in_speeds,
    joint_efforts,
    link_efforts,
)
