"""What a checker needs to prove a verdict again: the machine, and numbers in its own coordinates.

Angles that the ladder makes up for a quaternion are no coordinates: the checker gets the four components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.loops.balls import ball, precision
from dalembert.loops.check import Evidence
from dalembert.loops.linkage import Linkage
from dalembert.loops.local import LocalDimension


def evidence_of(
    own: Linkage, local: LocalDimension, upper: int, given: Mapping[Expr, Expr], equations: Sequence[Expr | str]
) -> Evidence:
    """Posture to all digits, a witness of the lower bound, relations that hold there, as text by coordinate."""
    digits = local.posture.digits
    names = own.variables
    made_up = {*own.auxiliary, *(names.index(v) for angles, _ in own.turns.values() for v in angles)}
    shown = [i for i in range(own.size) if i not in made_up]
    best = next((b for b in local.branches if b.dimension == local.lower), None)
    near = local.x if best is None else best.x
    relations: list[tuple[Mapping[str, float], str]] = []
    for row, constant in zip(local.reduced.linear, local.reduced.constant, strict=True):
        if any(row[i] for i in made_up):  # relations between what the checker does not have
            relations.clear()
            break
        text = constant.str(digits, radius=False) if hasattr(constant, "mid") else repr(constant)
        relations.append(({names[i]: float(row[i]) for i in shown if row[i]}, text))
    with precision(digits + 10):
        posture = {names[i]: local.posture.x[i] for i in shown} | _quaternions(own, local.posture.x)
        witness = {names[i]: near[i] for i in shown} | _quaternions(own, near)
        return Evidence(
            own.layout,
            {x.name: e for x, e in given.items()},
            tuple(ex.parse(e) if isinstance(e, str) else e for e in equations),
            digits,
            {n: v.str(digits + 5, radius=False) for n, v in posture.items()},
            local.tangent.mobility,
            local.lower,
            upper,
            {n: float(v) for n, v in witness.items()},
            tuple(relations),
            own.unit,
            tuple(names[i] for i in shown if i in own.lengths),
        )


def _quaternions(own: Linkage, x: Sequence[Any]) -> dict[str, Any]:
    """Unit quaternions of the links that have one, by name: the start, then turns about x, y, z."""
    found: dict[str, Any] = {}
    for link, (names, start) in own.turns.items():
        q = [ball(v) for v in start]
        for axis, name in enumerate(names, 1):
            half = ball(x[own.variables.index(name)]) / 2
            step = [half.cos(), ball(0), ball(0), ball(0)]
            step[axis] = half.sin()
            q = _product(q, step)
        norm = sum((v * v for v in q), ball(0)).sqrt()
        found |= {f"{link}.{n}": v / norm for n, v in zip(own.layout_names(link), q, strict=True)}
    return found


def _product(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    ]
