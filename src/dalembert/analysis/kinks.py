"""Where equations have no linear part: a jump or a corner of an effort, right at the state that is looked at.

|x|, sign(x), min, max, roots and branches are smooth but where what stands in them vanishes. There the difference
quotient decides: x'|x'| has the slope 0 at x' = 0, sign(x') and |x'| have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr

#: An argument that is this share of its own change by a thousandth of the state counts as zero.
_VANISHES = 1e-6
#: Share of the state by which it is moved to look for a slope: rounding is 1e-9 of such a change, a bend 1e-7.
_STEP = 1e-7
#: A slope misses the difference by a share of order `_STEP` where there is one, by a share of order 1 at a kink.
_MISSED = 1e-3


@dataclass(frozen=True, slots=True)
class Kink:
    """A function in the equations whose argument vanishes at the state, and the variables in it."""

    function: Expr
    variables: frozenset[str]

    def __str__(self) -> str:
        return ex.text(self.function)


def kinks(exprs: Sequence[Expr], variables: Sequence[Expr], point: Mapping[Expr, float]) -> list[Kink]:
    """Functions with a corner at a point where the expressions have no linear part in the variables there.

    >>> x = ex.symbol("x")
    >>> [str(k) for k in kinks([x - ex.sign(x)], [x], {x: 0.0})], kinks([x * ex.absolute(x)], [x], {x: 0.0})
    (['sign(x)'], [])
    """
    found = at_corner(exprs, variables, point)
    return found if found and not _differentiable(exprs, variables, point) else []


def somewhere(exprs: Sequence[Expr], point: Mapping[Expr, Expr], given: Mapping[str, float]) -> dict[Expr, float]:
    """The point in numbers; what has none (a symbolic parameter, a coordinate left open) gets some generic one."""
    rng = np.random.default_rng(4)
    known = {x: given.get(x.name, float(rng.uniform(0.3, 1.7))) for x in sorted(ex.free_symbols(exprs), key=str)}
    values = ex.evaluate(list(point.values()), known)
    return {**known, **{x: float(v) for x, v in zip(point, values, strict=True)}}


def refuse_kinks(exprs: Sequence[Expr], variables: Sequence[Expr], point: Mapping[Expr, float]) -> None:
    """Refuse to linearise where there is no linear part."""
    found = kinks(exprs, variables, point)
    if found:
        raise ModelError(
            f"there are no linear equations here: {found[0]} jumps or has a corner at this state. Linearise at another "
            "one (while it slides, for instance), or give the effort a smooth law, as tanh(x'/v) for sign(x')."
        )


def at_corner(exprs: Sequence[Expr], variables: Sequence[Expr], point: Mapping[Expr, float]) -> list[Kink]:
    """Functions in the expressions whose corner is at the point, whether or not they have a slope there."""
    pairs = [(node, corner) for node in ex.topological(list(exprs)) if (corner := _corner(node)) is not None]
    moving = set(variables)
    pairs = [(node, corner) for node, corner in pairs if ex.free_symbols(corner) & moving]
    if not pairs:
        return []
    rng = np.random.default_rng(5)
    near = {x: point[x] + 1e-3 * (abs(point[x]) + 1.0) * rng.uniform(0.5, 1.0) for x in variables}
    with np.errstate(all="ignore"):
        here = ex.evaluate([c for _, c in pairs], dict(point))
        there = ex.evaluate([c for _, c in pairs], {**point, **near})
    return [
        Kink(node, frozenset(x.name for x in ex.free_symbols(corner) & moving))
        for (node, corner), a, b in zip(pairs, here, there, strict=True)
        if abs(float(a)) <= _VANISHES * abs(float(b) - float(a))
    ]


def _corner(node: Expr) -> Expr | None:
    """What must not vanish for a function to be smooth."""
    if node.op in ("abs", "sign", "sqrt"):
        return node.args[0]
    if node.op in ("min", "max", "lt", "le", "eq"):
        return node.args[0] - node.args[1]
    if node.op == "pow" and not (node.args[1].op == "const" and type(node.args[1].data) is int):
        return node.args[0]
    return None


def _differentiable(exprs: Sequence[Expr], variables: Sequence[Expr], point: Mapping[Expr, float]) -> bool:
    """Whether differences to either side, in several directions, follow the derivative."""
    rng = np.random.default_rng(6)
    with np.errstate(all="ignore"):
        slopes = [
            [float(v) for v in ex.evaluate(row, dict(point))] for row in ex.jacobian(list(exprs), list(variables))
        ]
        jacobian = np.array(slopes).reshape(len(exprs), len(variables))
        if not np.isfinite(jacobian).all():
            return False
        start = _values(exprs, point)
        for _ in range(4):
            way = rng.uniform(0.3, 1.0, len(variables)) * rng.choice([-1, 1], len(variables))
            way = way * np.array([abs(point[x]) + 1.0 for x in variables])
            for side in (1.0, -1.0):
                moved = {x: point[x] + side * _STEP * w for x, w in zip(variables, way, strict=True)}
                change = (_values(exprs, {**point, **moved}) - start) / _STEP
                missed = np.abs(change - side * jacobian @ way)
                size = np.abs(jacobian) @ np.abs(way) + np.abs(change) + 1e-300
                rounding = 1e-14 * (np.abs(start) + 1.0) / _STEP
                if not np.isfinite(change).all() or bool((missed > _MISSED * size + rounding).any()):
                    return False
    return True


def _values(exprs: Sequence[Expr], point: Mapping[Expr, Any]) -> Any:
    return np.array([float(v) for v in ex.evaluate(list(exprs), dict(point))])
