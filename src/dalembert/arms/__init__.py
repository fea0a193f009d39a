"""Arms: direct kinematics as formulas, and every posture that reaches a target."""

from dalembert.arms.closed import ClosedStep
from dalembert.arms.direct import DirectKinematics
from dalembert.arms.postures import ArmPosture, InverseKinematics
from dalembert.arms.verbs import direct_kinematics, inverse_kinematics

__all__ = [
    "ArmPosture",
    "ClosedStep",
    "DirectKinematics",
    "InverseKinematics",
    "direct_kinematics",
    "inverse_kinematics",
]
