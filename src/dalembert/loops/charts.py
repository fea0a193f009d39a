"""Postures in which three angles are singular: two of their axes agree, so that the angles move where nothing moves.

Counting coordinates there would count a freedom that no body has: the rotation is described by a quaternion instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms.charts import recharted, rotation_steps, with_joints
from dalembert.kinematics import Pose, chart_conditions, link_motions
from dalembert.loops.linkage import Linkage
from dalembert.loops.verdict import Mobility
from dalembert.mechanism import Layout

Array = Any

#: The sine of an angle (radian) that is nothing: a posture where rows depend on each other is known to the square root
#: of rounding.
_SINGULAR = 1e-8


def singular_charts(layout: Layout, at: Mapping[str, float], given: Mapping[str, Any]) -> dict[str, str]:
    """Links whose three angles are singular at a posture, with the names of these angles."""
    numbers = {ex.symbol(k): float(v) for k, v in {**given, **at}.items()} | {ex.TIME: 0.0}
    found: dict[str, str] = {}
    for link in layout.model.links.values():
        for chart, volume in chart_conditions(link, link_motions(link)):
            if ex.free_symbols([volume]) <= numbers.keys() and abs(ex.evaluate([volume], numbers)[0]) < _SINGULAR:
                found[link.name] = chart
    return found


def refuse_singular_charts(layout: Layout, at: Mapping[str, float], given: Mapping[str, Any]) -> None:
    """For questions that are asked in the coordinates of the machine."""
    if links := singular_charts(layout, at, given):
        raise _singular(links)


def judged_at(linkage: Linkage, verdict: Mobility) -> Array:
    """Variables of the posture that a verdict is about, in the coordinates of the machine."""
    for link in linkage.layout.model.links.values():
        if not set(link.coordinates) <= verdict.at.keys():  # it was judged with a quaternion
            raise _singular({link.name: f"chart of {', '.join(link.coordinates[-3:])}"})
    return np.array(linkage.start(verdict.at))


def _singular(links: Mapping[str, str]) -> ModelError:
    return ModelError(
        f"the {next(iter(links.values()))} is singular at this posture: its angles can change where nothing moves. "
        "Ask beside it, or describe this rotation with another sequence of angles or a quaternion."
    ).of(list(links))


def with_regular_charts(
    layout: Layout, at: Mapping[str, float], given: Mapping[str, Any], links: Mapping[str, str]
) -> tuple[Layout, dict[str, float]]:
    """The same machine with quaternions in these links, and the same posture in its coordinates."""
    from scipy.spatial.transform import Rotation

    model, numbers = layout.model, {ex.symbol(k): float(v) for k, v in {**given, **at}.items()} | {ex.TIME: 0.0}
    bare = {name: replace(model.links[name].joint, efforts=()) for name in links}
    try:
        made = recharted(with_joints(model, bare), "quaternion", links=list(links))
        other = Layout.of(made, [one.link.name for one in layout.cuts])
    except ModelError as error:
        raise _singular(links) from error
    posture = {x: v for x, v in at.items() if x in other.state.coordinates}
    for name in links:
        place = rotation_steps(model.links[name].joint)
        assert place is not None
        pose = Pose()
        for motion in link_motions(model.links[name])[place[0] : place[1]]:
            pose = pose @ motion.pose
        matrix = np.array([ex.evaluate(list(row), numbers) for row in pose.rotation])
        turned = Rotation.from_matrix(matrix).as_quat(canonical=True)[[3, 0, 1, 2]]
        posture |= dict(zip(other.model.links[name].coordinates[-4:], map(float, turned), strict=True))
    return other, posture
