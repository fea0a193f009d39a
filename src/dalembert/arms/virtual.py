"""Joints that are not there: an arm of fewer than six, made one of six so that what finds all postures of six serves.

Where the target leaves the turn about the tip's z axis open, a virtual turn about that axis takes any amount: place and
direction of five joints are the pose of six. Where fewer joints than conditions are left, virtual turns about arbitrary
axes fill up: a posture of the arm is one of the six in which their amounts vanish.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.arms.chain import Arm, ArmJoint
from dalembert.arms.screws import Screws
from dalembert.expr.space import Vector3

Array = NDArray[Any]

#: The name of the turn that is not asked, in the formulas of a closed form.
ROLL = "roll"


@dataclass(frozen=True, eq=False)
class Filled:
    """An arm of more joints than are there: `idle` of them, the last, must not move."""

    screws: Screws
    idle: int

    def still(self, amounts: Array, most: float) -> bool:
        """Does no filling joint move by more?"""
        turned = (amounts[len(amounts) - self.idle :] + np.pi) % (2 * np.pi) - np.pi
        return bool(np.abs(turned).max(initial=0.0) < most)


def rolling(arm: Arm, screws: Screws) -> tuple[Arm, Screws]:
    """The arm with a turn about the z axis of its tip behind its joints."""
    pose = arm.tip_pose
    name = ROLL if ROLL not in arm.coordinates else f"{ROLL} of the tip"
    joint = ArmJoint(name, True, Vector3(row[2] for row in pose.rotation), pose.position, ex.ONE, ex.ZERO)
    return replace(arm, joints=(*arm.joints, joint)), _with(screws, screws.tip[None, :3, 2], screws.tip[None, :3, 3])


def filled(screws: Screws, count: int = 6, seed: int = 0) -> Filled:
    """Turns about arbitrary axes near the tip behind the joints, up to `count`: no axis is special beside another."""
    rng, idle = np.random.default_rng(seed), count - len(screws)
    axes = rng.normal(size=(idle, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    return Filled(_with(screws, axes, screws.tip[:3, 3] + rng.uniform(-1, 1, (idle, 3))), idle)


def _with(screws: Screws, axes: Array, points: Array) -> Screws:
    more = len(axes)
    return replace(
        screws,
        turns=(*screws.turns, *[True] * more),
        axes=np.concatenate([screws.axes, axes]),
        points=np.concatenate([screws.points, points]),
        factors=np.r_[screws.factors, np.ones(more)],
        offsets=np.r_[screws.offsets, np.zeros(more)],
    )
