"""The closure as polynomials with exact coefficients.

Variables: cosine and sine of each cumulative angle (angles about parallel axes add up along the tree), lengths of
slides, and one root for each prime whose square root occurs (with its relation r^2 = p). Rotation closure is kept
apart from translation closure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.arithmetic import evaluate_in
from dalembert.loops.linkage import Linkage
from dalembert.loops.positions import Positions
from dalembert.loops.surds import Surd


@dataclass(frozen=True, slots=True)
class PolynomialClosure:
    """An ideal: names of the variables, rotation and translation closure, and the relations of circles and roots."""

    names: tuple[str, ...]
    rotation: tuple[Any, ...]
    translation: tuple[Any, ...]
    relations: tuple[Any, ...]
    context: Any
    angles: tuple[str, ...]

    @property
    def generators(self) -> tuple[Any, ...]:
        return (*self.rotation, *self.translation, *self.relations)


class _Exact:
    """Constants of the description as surds."""

    dtype: Any = object

    def constants(self, exprs: Sequence[Expr], given: Any) -> list[Any]:
        def root(a: Surd) -> Surd:
            value = a.rational
            if value is None:
                raise ExpressionError("a root of a root is not supported in polynomials: give its value as a number.")
            return Surd.root(value)

        return evaluate_in(exprs, given, Surd.of, {"sqrt": root})

    def normal(self, array: Any) -> Any:
        return array


def polynomial_closure(linkage: Linkage, order: str = "degrevlex") -> PolynomialClosure:
    """Closure equations of all loops over the rationals, square roots exact."""
    from flint import fmpq, fmpq_mpoly_ctx

    if linkage.equations:
        raise ExpressionError("links given by equations have no polynomial closure.")
    positions = Positions(linkage, _Exact())
    runs = _parallel_runs(positions)
    primes = sorted({p for array in _arrays(positions) for s in array.ravel() for key in s.terms for p in key})
    turning = [i for i in range(1, positions.count) if positions.is_turn[i]]
    sliding = [i for i in range(1, positions.count) if not positions.is_turn[i]]
    plain = [name.replace(".", "_").replace("~", "_") for name in linkage.variables]
    labels = {i: plain[positions.variable[i]] for i in (*turning, *sliding)}
    screws = {positions.variable[i] for i in turning} & {positions.variable[i] for i in sliding}
    if screws:
        raise ExpressionError("a screw joins an angle to a length: its closure is not polynomial.")
    names = [f"{f}_{labels[i]}" for i in turning for f in ("c", "s")]
    names += [labels[i] for i in sliding] + [f"root{p}" for p in primes]
    ctx = fmpq_mpoly_ctx.get(tuple(names), order)
    gens = dict(zip(names, ctx.gens(), strict=True))

    def lift(s: Surd) -> Any:
        total = ctx.constant(fmpq(0))
        for key, value in s.terms.items():
            term = ctx.constant(fmpq(value.numerator, value.denominator))
            for p in key:
                term = term * gens[f"root{p}"]
            total = total + term
        return total

    def vector(values: Any) -> list[Any]:
        return [lift(v) for v in values]

    def matrix(values: Any) -> list[list[Any]]:
        return [[lift(v) for v in row] for row in values]

    one, zero = ctx.constant(fmpq(1)), ctx.constant(fmpq(0))
    identity = [[one if i == j else zero for j in range(3)] for i in range(3)]
    rotations, points, starts = [identity], [[zero] * 3], [identity]
    for i in range(1, positions.count):
        above = int(positions.parent[i])
        before = _product(rotations[above], matrix(positions.fixed_rotation[i]))
        at = _sum(points[above], _apply(rotations[above], vector(positions.fixed_position[i])))
        axis = vector(positions.axis[i])
        if positions.is_turn[i]:
            c, s = gens[f"c_{labels[i]}"], gens[f"s_{labels[i]}"]
            start = starts[above] if runs[i] else before
            starts.append(start)
            rotations.append(_product(start, _turned(axis, c, s, identity)))
            points.append(at)
        else:
            starts.append(before)
            rotations.append(before)
            points.append(_sum(at, [v * gens[labels[i]] for v in _apply(before, axis)]))
    rotation, translation = [], []
    for loop in range(len(positions.ends)):
        ends = []
        for node, (r, t) in ((positions.node_a[loop], positions.end_a), (positions.node_b[loop], positions.end_b)):
            place = _sum(points[node], _apply(rotations[node], vector(t[loop])))
            ends.append((_product(rotations[node], matrix(r[loop])), place))
        (ra, pa), (rb, pb) = ends
        rotation += [d for x, y in zip(ra, rb, strict=True) for a, b in zip(x, y, strict=True) if (d := a - b) != 0]
        translation += [d for a, b in zip(pa, pb, strict=True) if (d := a - b) != 0]
    relations = [gens[f"c_{labels[i]}"] ** 2 + gens[f"s_{labels[i]}"] ** 2 - 1 for i in turning]
    relations += [gens[f"root{p}"] ** 2 - p for p in primes]
    angles = tuple(_angle_name(positions, runs, labels, i) for i in turning)
    return PolynomialClosure(tuple(names), tuple(rotation), tuple(translation), tuple(relations), ctx, angles)


def _arrays(positions: Positions) -> list[Any]:
    return [positions.fixed_rotation, positions.fixed_position, positions.axis, *positions.end_a, *positions.end_b]


def _parallel_runs(positions: Positions) -> list[bool]:
    """Whether a node turns about the axis of the node before it: then its variable is the sum of the angles."""
    found = [False]
    for i in range(1, positions.count):
        above = int(positions.parent[i])
        same = bool(above) and bool(positions.is_turn[i]) and bool(positions.is_turn[above])
        if same:
            carried = positions.fixed_rotation[i] @ positions.axis[i]
            # only plain angles with the same sign add up to one angle
            same = all(a == b for a, b in zip(carried, positions.axis[above], strict=True))
            same = same and _commutes(positions.fixed_rotation[i])
        found.append(same)
    return found


def _commutes(rotation: Any) -> bool:
    """A constant rotation between two parallel turns is harmless when it is none."""
    one, zero = Surd.of(Fraction(1)), Surd({})
    return all(rotation[i, j] == (one if i == j else zero) for i in range(3) for j in range(3))


def _turned(axis: list[Any], c: Any, s: Any, identity: list[list[Any]]) -> list[list[Any]]:
    x, y, z = axis
    zero = x - x
    tilde = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return [[identity[i][j] * c + tilde[i][j] * s + axis[i] * axis[j] * (1 - c) for j in range(3)] for i in range(3)]


def _product(a: list[list[Any]], b: list[list[Any]]) -> list[list[Any]]:
    return [[a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] for j in range(3)] for i in range(3)]


def _apply(a: list[list[Any]], v: list[Any]) -> list[Any]:
    return [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in a]


def _sum(a: list[Any], b: list[Any]) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _angle_name(positions: Positions, runs: list[bool], labels: dict[int, str], i: int) -> str:
    names = [labels[i]]
    while runs[i]:
        i = int(positions.parent[i])
        names.append(labels[i])
    return " + ".join(reversed(names))
