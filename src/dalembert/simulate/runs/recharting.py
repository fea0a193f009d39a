"""Motions through the end of a chart: where three angles of a free rotation are singular, a quaternion goes on.

The motion is the same, its coordinates are not: it is computed again in unit quaternions, which have no singular
posture, from the same start, and the angles that were asked for are outputs of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError, SimulationError
from dalembert.expr import Expr
from dalembert.expr.space import quaternion_matrix
from dalembert.formalisms import recharted
from dalembert.formalisms.charts import rotation_steps
from dalembert.kinematics import chart_conditions, link_motions
from dalembert.mechanism import Layout, Link, Model, Turn
from dalembert.mechanism.angles import angles_of


def without_charts(layout: Layout, stopped: SimulationError) -> tuple[Model, dict[str, float], str] | None:
    """The model in quaternions where a motion has come to the end of a chart, its start, and what is to be said of it.

    None where no chart has ended there, or where something else is told by its angles, which would be lost.
    """
    model, partial = layout.model, stopped.partial
    links = [one.link for one in layout.tree if _ended(one.link, stopped.vanished)]
    if not links:
        return None
    try:
        made = recharted(model, "quaternion", links=[link.name for link in links])
    except ModelError:  # an effort acts on one of the angles
        return None
    turns = {link.name: _turns(link) for link in links}
    lost = {x for link in links for turn in turns[link.name] for x in (turn.angle.name, f"{turn.angle.name}'")}
    lost |= {x for link in links for x in link.speeds if x not in made.links[link.name].speeds}
    shown = dict[str, Expr]()
    for link in links:
        names = made.links[link.name].coordinates[-4:]
        e0, e1, e2, e3 = (ex.symbol(x) for x in names)
        found = angles_of(quaternion_matrix((e0, e1, e2, e3)), turns[link.name])
        if found is not None:
            shown |= {turn.angle.name: e for turn, e in zip(turns[link.name], found, strict=True)}
    if lost & set(replace(made, outputs={}).parameters()):
        return None  # an effort, a constraint or another link is a formula of the angles
    made = replace(made, outputs={**shown, **model.outputs})
    begun = dict(zip(partial.names, map(float, partial.y[:, 0]), strict=True))
    start = {x: v for x, v in begun.items() if x not in lost}
    for link in links:
        known = {**partial.parameters, **begun, "t": float(partial.t[0])}
        start |= _start(link, made.links[link.name], turns[link.name], known)
    kept = {x for one in made.links.values() for x in (*one.coordinates, *one.speeds)}
    angles = ", ".join(turn.angle.name for link in links for turn in turns[link.name])
    said = f"the chart of {angles} ends on the way: the motion is told in quaternions, and these angles are outputs"
    return replace(made, start={}), {x: v for x, v in start.items() if x in kept}, said


def _turns(link: Link) -> list[Turn]:
    place = rotation_steps(link.joint)
    assert place is not None
    steps = link.placed_steps()[place[0] : place[1]]
    return [one for step in steps for one in step.displacement.turns if isinstance(one, Turn)]


def _ended(link: Link, vanished: Expr | None) -> bool:
    """Is it the chart of this link that has ended? By what vanished: the triple product of the axes of its turns."""
    if rotation_steps(link.joint) is None or len(_turns(link)) != 3:
        return False
    return any(e is vanished for _, e in chart_conditions(link, link_motions(link)))


def _start(old: Link, new: Link, turns: list[Turn], begun: Mapping[str, Any]) -> dict[str, float]:
    """Quaternion and angular velocity of a link whose turns and rates are known."""
    from scipy.spatial.transform import Rotation

    values = {ex.symbol(x): float(v) for x, v in begun.items() if np.ndim(v) == 0}
    matrices = [np.array(ex.evaluate([x for row in one.matrix for x in row], values)).reshape(3, 3) for one in turns]
    whole = np.linalg.multi_dot(matrices)
    x, y, z, w = Rotation.from_matrix(whole).as_quat()
    found = dict(zip(new.coordinates[-4:], map(float, (w, x, y, z)), strict=True))
    own = [name for name in old.speeds if name in new.speeds]
    if len(own) == len(new.speeds):  # they are those of the body already
        return found
    spin, after = np.zeros(3), np.eye(3)
    for one, matrix in zip(reversed(turns), reversed(matrices), strict=True):
        axis = np.array([float(x) for x in ex.evaluate(list(one.axis), values)])
        spin = spin + after.T @ axis * values[ex.symbol(f"{one.angle.name}'")]
        after = matrix @ after
    return found | dict(zip(new.speeds[-3:], map(float, spin), strict=True))
