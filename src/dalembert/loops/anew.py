"""The closure written anew from the description, in balls or power series, for a checker: no code of the ladder.

Poses of bodies are matrices along the tree; all twelve entries of both ends of each cut link are compared; formulas of
curved links stand as they are. Derivatives come from power series in one direction, not from screws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.mechanism import Displacement, Layout, Link, QuaternionTurn

Array = Any


class Closure:
    """Rows of a machine in the coordinates of all its links; lengths in parts of `size`.

    `relations` are further rows: sum of coefficient times coordinate, less a constant (decimal text).
    """

    def __init__(
        self,
        layout: Layout,
        given: Mapping[str, Expr],
        equations: Sequence[Expr],
        size: Fraction,
        lengths: Sequence[str],
        relations: Sequence[tuple[Mapping[str, float], str]],
    ) -> None:
        self.layout = layout
        self.given = given
        self.equations = equations
        self.size = arb_of(size.numerator) / size.denominator
        self.relations = relations
        self.names = [x for link in layout.model.links.values() for x in link.coordinates]
        self.units = [self.size if n in lengths else arb_of(1) for n in self.names]
        self.quaternions = [
            [c.name for c in one.components]
            for link in layout.model.links.values()
            for step in link.placed_steps()
            for one in step.displacement.turns
            if isinstance(one, QuaternionTurn) and all(c.op == "symbol" for c in one.components)
        ]

    def rows(self, x: Sequence[Any]) -> list[Any]:
        """Both ends of each cut link, entry by entry, then norms of quaternions, and the further equations."""
        known = self._known(x)
        poses: dict[int, tuple[Array, Array]] = {0: _identity()}
        for one in self.layout.tree:
            through = self._link(one.link, known)
            poses[one.child] = _product(poses[one.parent], _inverse(through) if one.reversed else through)
        found: list[Any] = []
        for cut in self.layout.cuts:
            r, p = _product(poses[cut.first], self._link(cut.link, known))
            s, q = poses[cut.second]
            found += [*(r - s).ravel(), *((p - q) / self.size)]
        found += [sum(known[n] * known[n] for n in q) - 1 for q in self.quaternions]
        return found + [self._value(e, known) for e in self.equations]

    def _known(self, x: Sequence[Any]) -> dict[str, Any]:
        return {n: v * u for n, v, u in zip(self.names, x, self.units, strict=True)}

    def related(self, x: Sequence[Any]) -> list[Any]:
        from flint import arb

        known = dict(zip(self.names, x, strict=True))
        found = []
        for terms, constant in self.relations:
            found.append(sum((known[n] * arb_of(c) for n, c in terms.items()), -arb(constant)))
        return found

    def _link(self, link: Link, known: Mapping[str, Any]) -> tuple[Array, Array]:
        pose = self._displaced(link.first.displacement, known)
        for step in link.placed_steps():
            pose = _product(pose, self._displaced(step.displacement, known))
        return _product(pose, _inverse(self._displaced(link.second.displacement, known)))

    def _displaced(self, displacement: Displacement, known: Mapping[str, Any]) -> tuple[Array, Array]:
        rotation, _ = _identity()
        shift = objects([self._value(c, known) for c in displacement.translation])
        for one in displacement.turns:
            if isinstance(one, QuaternionTurn):
                rotation = rotation @ _of_quaternion([self._value(c, known) for c in one.components])
                continue
            a = [self._value(c, known) for c in one.axis]
            length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
            a = [c / length for c in a]
            angle = self._value(one.angle, known)
            c, s = angle.cos(), angle.sin()
            matrix = np.empty((3, 3), dtype=object)
            for i in range(3):
                for j in range(3):
                    matrix[i, j] = (1 - c) * a[i] * a[j] + (c if i == j else 0)
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                matrix[i, j] = matrix[i, j] - s * a[k]
                matrix[j, i] = matrix[j, i] + s * a[k]
            rotation = rotation @ matrix
        return rotation, shift

    def _value(self, formula: Expr, known: Mapping[str, Any]) -> Any:
        return _evaluate(formula, known, self.given, {})

    def series(self, x: Sequence[Any], direction: Sequence[Any], order: int) -> Array:
        """Coefficients (rows, 0..order) of the rows along x + t direction."""
        return self.curve(x, [[d] for d in direction], order)

    def curve(self, x: Sequence[Any], terms: Sequence[Sequence[Any]], order: int) -> Array:
        """Coefficients (rows, 0..order) of the rows along x + t terms_1 + t^2 terms_2 + ..."""
        import flint

        old = flint.ctx.cap
        flint.ctx.cap = order + 1
        try:
            moved = [flint.arb_series([a, *more]) for a, more in zip(x, terms, strict=True)]
            found = [*self.rows(moved), *self.related(moved)]
            lists = [r.coeffs() if isinstance(r, flint.arb_series) else [flint.arb(r)] for r in found]
        finally:
            flint.ctx.cap = old
        return objects([[*c, *[flint.arb(0)] * (order + 1 - len(c))][: order + 1] for c in lists])

    def jacobian(self, x: Sequence[Any], related: bool = False) -> Array:
        n = len(self.names)
        columns = [self.series(x, [int(i == j) for i in range(n)], 1)[:, 1] for j in range(n)]
        found = np.stack(columns, axis=1)
        return found if related or not self.relations else found[: -len(self.relations)]


def arb_of(value: float) -> Any:
    from flint import arb

    return arb(value)


def objects(values: Sequence[Any]) -> Array:
    """An array of objects: NumPy takes power series apart when it may."""
    if values and isinstance(values[0], list):
        square = np.empty((len(values), len(values[0])), dtype=object)
        for i, row in enumerate(values):
            for j, v in enumerate(row):
                square[i, j] = v
        return square
    found = np.empty(len(values), dtype=object)
    for i, v in enumerate(values):
        found[i] = v
    return found


def _identity() -> tuple[Array, Array]:
    one, none = arb_of(1), arb_of(0)
    return objects([[one if i == j else none for j in range(3)] for i in range(3)]), objects([none] * 3)


def _product(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def _inverse(a: tuple[Array, Array]) -> tuple[Array, Array]:
    return a[0].T, -(a[0].T @ a[1])


def _of_quaternion(q: Sequence[Any]) -> Array:
    """The rotation v -> q v q* / |q|^2, as (s^2 - |u|^2) 1 + 2 u u^T + 2 s (u x), all over the square of the norm."""
    s, *u = q
    inside = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    norm = s * s + inside
    matrix = np.empty((3, 3), dtype=object)
    for i in range(3):
        for j in range(3):
            matrix[i, j] = (2 * u[i] * u[j] + (s * s - inside if i == j else 0)) / norm
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        matrix[i, j] = matrix[i, j] - 2 * s * u[k] / norm
        matrix[j, i] = matrix[j, i] + 2 * s * u[k] / norm
    return matrix


def matrix_of(array: Array) -> Any:
    from flint import arb_mat

    return arb_mat(array.shape[0], array.shape[1], list(array.ravel()))


def array_of(matrix: Any) -> Array:
    return objects(matrix.entries()).reshape(matrix.nrows(), matrix.ncols())


def floats_of(array: Array) -> Array:
    return np.array([float(v.mid()) for v in array.ravel()]).reshape(array.shape)


def _evaluate(e: Expr, known: Mapping[str, Any], given: Mapping[str, Expr], done: dict[Expr, Any]) -> Any:
    """The value of a formula in balls or power series; decimals are the rationals that they spell."""
    from flint import arb

    if e in done:
        return done[e]
    if e is ex.TIME:
        found: Any = arb(0)
    elif e.op == "const":
        exact = Fraction(repr(e.data)) if isinstance(e.data, float) else Fraction(e.data)
        found = arb(exact.numerator) / exact.denominator
    elif e.op == "symbol":
        if e.name in known:
            return known[e.name]
        if e.name not in given:
            raise ExpressionError(f"no value for '{e.name}'")
        found = _evaluate(given[e.name], {}, given, {})
    elif e.op == "pi":
        found = arb.pi()
    else:
        a = [_evaluate(x, known, given, done) for x in e.args]
        if e.op == "pow":
            exponent = Fraction(e.args[1].data) if e.args[1].op == "const" else None
            if exponent is None or exponent.denominator != 1:  # real powers, of what is positive
                found = (a[0].log() * a[1]).exp()
            else:
                found = arb(1)
                for _ in range(abs(int(exponent))):
                    found = found * a[0]
                found = found if exponent >= 0 else 1 / found
        elif e.op == "atan2":
            found = arb.atan2(a[0], a[1])
        elif e.op in _FUNCTIONS:
            found = _FUNCTIONS[e.op](*a)
        else:
            raise ExpressionError(f"{e.op} is not checked")
    done[e] = found
    return found


_FUNCTIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    **{
        name: (lambda a, n=name: getattr(a, n)())
        for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "asin", "acos", "atan")
    },
}
