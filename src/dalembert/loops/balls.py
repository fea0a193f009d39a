"""The closure in balls of many digits: residual, true derivative, and what counts as zero.

A ball is a number with a bound of its error. "Nonzero" is proved by a ball that leaves zero out. "Zero" is read when a
value vanishes to two thirds of the working digits, and the working digits grow with those that the description spells:
a value that is not zero, formed from numbers of h digits, does not hide below 10^-(40 + 8 h) by accident.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ExpressionError, ModelError
from dalembert.expr import Expr
from dalembert.loops.arithmetic import Balls, ball_functions, evaluate_in, exact
from dalembert.loops.assembly import Closing
from dalembert.loops.linkage import Linkage, geometry_of
from dalembert.loops.positions import Positions, cross

Array = Any

#: Working digits are never more: numbers of 490 digits, or as small as that, are refused.
MOST_DIGITS = 4000


@contextmanager
def precision(digits: int) -> Iterator[None]:
    """Arb's working precision for a while."""
    import flint

    old = flint.ctx.dps
    flint.ctx.dps = digits
    try:
        yield
    finally:
        flint.ctx.dps = old


def working_digits(linkage: Linkage, least: int = 50) -> int:
    """Digits to work with: 40 and eight for each digit of the longest number that the description spells or hides."""
    exprs = [*linkage.equations, *geometry_of(linkage)]
    longest = 1
    for e in ex.topological(exprs):
        if e.op == "const":
            longest = max(longest, spelled_digits(exact(e.data) * linkage.unit), spelled_digits(exact(e.data)))
    needed = 40 + 8 * max(longest, _hidden_digits(linkage, exprs))
    if needed > MOST_DIGITS:
        raise ModelError(
            f"numbers of '{linkage.layout.model.name}' are as small as 10^-{needed // 8 - 5}, or as long: what is zero "
            f"is not told from what is not. Leave out what is smaller than 10^-{MOST_DIGITS // 8 - 5} of the machine."
        )
    return max(least, needed)


#: Functions whose values run away from their arguments: exp(-120) is spelled with three digits and has 52 noughts.
_STEEP = frozenset({"exp", "log", "sinh", "cosh", "tanh", "pow"})


def _hidden_digits(linkage: Linkage, exprs: Sequence[Expr]) -> int:
    """Noughts of what steep functions make of the numbers in the description, at three postures."""
    steep: set[Expr] = set()
    for e in ex.topological(list(exprs)):
        whole = e.op == "pow" and e.args[1].op == "const" and exact(e.args[1].data).denominator == 1
        if (e.op in _STEEP and not whole) or any(a in steep for a in e.args):
            steep.add(e)
    if not steep:
        return 0
    nodes = [e for e in ex.topological(list(exprs)) if e in steep]
    rng = np.random.default_rng(2)
    size = len(linkage.variables)
    most = 0
    for x in (np.zeros(size), rng.uniform(-1, 1, size), rng.uniform(0.1, 1, size)):
        known = {**linkage.given, **dict(zip(linkage.variables, x.tolist(), strict=True))}
        for digits in (400, MOST_DIGITS):
            with precision(digits):
                values = [_value(e, known) for e in nodes]
                values = [v for v in values if v is not None and v.is_finite()]
                most = max([most, *(_noughts(v) for v in values if not v.contains(0))])
            if not any(v.contains(0) for v in values):
                break
    return most


def _value(e: Expr, known: Mapping[str, Any]) -> Any:
    try:
        return evaluate_in([e], known, ball, ball_functions())[0]
    except (ExpressionError, ZeroDivisionError, ValueError):
        return None


def _noughts(value: Any) -> int:
    """Decimal places between a number and one."""
    return int(float(abs(abs(value.mid()).log() / ball(10.0).log()))) + 1


def spelled_digits(value: Fraction) -> int:
    """Decimal digits of numerator and denominator; powers of two in the denominator are units, not digits."""
    below = value.denominator
    while below % 2 == 0 and below % 10:
        below //= 2
    return max(len(str(abs(value.numerator))), len(str(below)))


def ball(value: Any) -> Any:
    """A ball from a float, a rational or a ball; a float is taken as it stands in the machine."""
    from flint import arb

    if isinstance(value, Fraction):
        return arb(value.numerator) / value.denominator
    return value if isinstance(value, arb) else arb(float(value))


class BallClosing:
    """`Closing` in balls: rows are the axial vectors of the rotation gaps, the gaps over the scale, the equations."""

    def __init__(self, closing: Closing, digits: int) -> None:
        from flint import arb

        self.closing = closing
        self.linkage = closing.linkage
        self.digits = digits
        with precision(digits):
            self.positions = Positions(closing.linkage, Balls(digits))
            self.scale = arb(closing.scale)
            self.small = arb(10) ** (-2 * digits // 3)
            self._nothing = arb(0)
        self._symbols = [ex.symbol(n) for n in self.linkage.variables]

    def is_zero(self, value: Any) -> bool:
        """Zero to two thirds of the digits."""
        return bool(abs(value) < self.small)

    def is_nonzero(self, value: Any) -> bool:
        """A ball well away from zero: its centre is not zero to two thirds of the digits, nor is zero inside."""
        return not self.is_zero(value) and not value.contains(0)

    def residual(self, x: Sequence[Any], numbers: Any = None) -> list[Any]:
        """Rows of the closure; `x` are balls, or power series with balls."""
        frames = self.positions.frames(self.positions.motion(x))
        turn, gap = self.positions.gaps(frames)
        rows: list[Any] = []
        for r, g in zip(turn, gap, strict=True):
            rows += [(r[2, 1] - r[1, 2]) / 2, (r[0, 2] - r[2, 0]) / 2, (r[1, 0] - r[0, 1]) / 2]
            rows += [v / self.scale for v in g]
        return rows + self._values(self.linkage.equations, x)

    def _values(self, exprs: Sequence[Expr], x: Sequence[Any]) -> list[Any]:
        if not exprs:
            return []
        known = {**self.linkage.given, **dict(zip(self.linkage.variables, x, strict=True))}
        return evaluate_in(exprs, known, ball, ball_functions())

    @cached_property
    def _gradients(self) -> list[Expr]:
        return [d for e in self.linkage.equations for d in ex.gradient(e, self._symbols)]

    @cached_property
    def _hessians(self) -> list[Expr]:
        return [d for g in self._gradients for d in ex.gradient(g, self._symbols)]

    def jacobian(self, x: Sequence[Any]) -> Array:
        """The derivative of `residual`, closed or not: for axial(T) it is (tr T - T) w_A / 2 - (tr T - T^T) w_B / 2."""
        positions = self.positions
        frames = positions.frames(positions.motion(x))
        spin, moment = positions.screws(frames)
        turn, _ = positions.gaps(frames)
        _, pa, _, pb = positions.ends_of(frames)
        blocks = np.full((len(positions.ends), 6, positions.count), self._nothing, dtype=object)
        for loop in range(len(positions.ends)):
            t = turn[loop]
            trace = t[0, 0] + t[1, 1] + t[2, 2]
            eye = np.full((3, 3), self._nothing, dtype=object)
            eye[0, 0] = eye[1, 1] = eye[2, 2] = trace
            for path, p, matrix, sign in (
                (positions.path_a[loop], pa[loop], (eye - t) / 2, 1),
                (positions.path_b[loop], pb[loop], (eye - t.T) / 2, -1),
            ):
                nodes = np.flatnonzero(path)
                nodes = nodes[nodes > 0]
                if not len(nodes):
                    continue
                angular = spin[nodes] @ matrix.T
                linear = (moment[nodes] + cross(spin[nodes], np.broadcast_to(p, (len(nodes), 3)))) / self.scale
                both = np.concatenate([angular, linear], axis=1).T
                blocks[loop][:, nodes] = blocks[loop][:, nodes] + sign * both
        rows = positions._collect(blocks)
        if not self.linkage.equations:
            return rows
        slopes = np.empty((len(self.linkage.equations), self.linkage.size), dtype=object)
        slopes.ravel()[:] = self._nothing
        for i, value in enumerate(self._values(self._gradients, x)):  # one by one: power series are sequences
            slopes[divmod(i, self.linkage.size)] = value
        return np.concatenate([rows, slopes])

    def equation_hessians(self, x: Sequence[Any]) -> Array:
        """Second derivatives of the equations: (equations, variables, variables)."""
        n = self.linkage.size
        return np.array(self._values(self._hessians, x), dtype=object).reshape(-1, n, n)


def all_finite(array: Array) -> bool:
    """Whether every ball is a number: what is not one counts neither as zero nor as anything else."""
    return all(v.is_finite() for v in np.asarray(array, dtype=object).ravel())


def as_matrix(array: Array) -> Any:
    """An arb matrix from an array of balls."""
    from flint import arb_mat

    return arb_mat(array.shape[0], array.shape[1], list(array.ravel()))


def as_array(matrix: Any) -> Array:
    """An array of balls from an arb matrix."""
    found = np.empty((matrix.nrows(), matrix.ncols()), dtype=object)
    found.ravel()[:] = matrix.entries()
    return found


def floats(array: Array) -> Array:
    """Centres of balls."""
    return np.array([float(v.mid()) for v in np.asarray(array, dtype=object).ravel()]).reshape(np.shape(array))
