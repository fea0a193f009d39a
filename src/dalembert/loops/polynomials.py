"""The closure as polynomials with exact coefficients.

Variables: cosine and sine of each cumulative angle (angles about parallel axes add up along the tree), lengths of
slides, indeterminates of the description (lengths and angles without a value), and one root for each number that is not
rational, with its equation. Rotation closure is kept apart from translation closure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.linkage import Linkage, geometry_of
from dalembert.loops.positions import Positions
from dalembert.loops.ring import Ratio, Ring, distinct, written
from dalembert.loops.scan import plain


@dataclass(frozen=True, slots=True)
class PolynomialClosure:
    """An ideal: names of the variables, rotation and translation closure, and the relations of circles and roots.

    `parameters` are the names of indeterminates; `velocity` is the constraint matrix in the velocity form (six rows a
    loop, one column for each variable of the linkage), `screws` and `earth` the derivatives of the closure seen from
    the loop's end and from earth: all three agree where the loops are closed.
    """

    names: tuple[str, ...]
    rotation: tuple[Any, ...]
    translation: tuple[Any, ...]
    relations: tuple[Any, ...]
    context: Any
    angles: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    velocity: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)
    screws: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)
    earth: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)
    tower: tuple[tuple[str, Any], ...] = field(default=(), repr=False)
    cut_columns: int = 0
    sums: Mapping[str, str] = field(default_factory=dict, repr=False)  # angle: the angle before it in a parallel run
    geometry: tuple[Expr, ...] = field(
        default=(), repr=False
    )  # scalars of the description, with the numbers in `given`
    given: Mapping[str, Any] = field(default_factory=dict, repr=False)
    letters: Mapping[str, Expr] = field(default_factory=dict, repr=False)  # of names: angles of runs are their sums

    @property
    def generators(self) -> tuple[Any, ...]:
        return (*self.rotation, *self.translation, *self.relations)

    def meaning(self, p: Any) -> Expr:
        """A polynomial as a formula; an angle in a run of parallel axes stands for the sum up to it."""
        return written(p, self.letters.__getitem__)


class _Exact:
    """Constants of the description as elements of a ring; indeterminates stay."""

    dtype: Any = object

    def __init__(self, ring: Ring) -> None:
        self.ring = ring

    def constants(self, exprs: Sequence[Expr], given: Any) -> list[Any]:
        return self.ring.values(exprs)

    def normal(self, array: Any) -> Any:
        return array


def polynomial_closure(
    linkage: Linkage, order: str = "degrevlex", indeterminate: Collection[str] = ()
) -> PolynomialClosure:
    """Closure equations of all loops over the rationals, square roots exact.

    Lengths and angles without a value, and those named in `indeterminate`, stay letters.
    """
    from flint import fmpq_mpoly_ctx

    if linkage.equations:
        raise ExpressionError("links given by equations have no polynomial closure.")
    given = {k: v for k, v in linkage.given.items() if k not in indeterminate}
    ring = Ring(geometry_of(linkage), given)
    positions = Positions(linkage, _Exact(ring))
    runs = _parallel_runs(positions)
    turning = [i for i in range(1, positions.count) if positions.is_turn[i]]
    sliding = [i for i in range(1, positions.count) if not positions.is_turn[i]]
    labels = {i: plain(linkage.variables[positions.variable[i]]) for i in (*turning, *sliding)}
    if {positions.variable[i] for i in turning} & {positions.variable[i] for i in sliding}:
        raise ExpressionError("a screw joins an angle to a length: its closure is not polynomial.")
    seen = [positions.variable[i] for i in (*turning, *sliding)]
    if len(set(seen)) != len(seen) or any(abs(positions.factors[i]) != 1 for i in turning):
        raise ExpressionError("a coordinate that turns or slides twice has no polynomial closure of its own angle.")
    known = set().union(*(_used(v) for array in _arrays(positions) for v in array.ravel()))
    inverses = {str(v.below): v.below for a in _arrays(positions) for v in a.ravel() if not v.below.is_constant()}
    names = [f"{f}_{labels[i]}" for i in turning for f in ("c", "s")] + [labels[i] for i in sliding]
    constants = [n for n in ring.generators if n in _closed_under(ring, known)]
    names += list(reversed(constants)) + [f"inverse{k}" for k in range(1, len(inverses) + 1)]
    ctx = fmpq_mpoly_ctx.get(tuple(distinct(names)), order)
    gens = dict(zip(names, ctx.gens(), strict=True))
    places = [names.index(n) if n in gens else -1 for n in ring.generators]

    def moved(p: Any) -> Any:
        terms = {}
        for exponents, c in p.to_dict().items():
            key = [0] * len(names)
            for place, e in zip(places, exponents, strict=True):
                if e:
                    key[place] = int(e)
            terms[tuple(key)] = c
        return ctx.from_dict(terms)

    which = {text: gens[f"inverse{k}"] for k, text in enumerate(inverses, 1)}

    def lift(value: Ratio) -> Any:
        found = moved(value.above)
        return found if value.below.is_constant() else found * which[str(value.below)]

    def vector(values: Any) -> list[Any]:
        return [lift(v) for v in values]

    def matrix(values: Any) -> list[list[Any]]:
        return [[lift(v) for v in row] for row in values]

    one, zero = ctx.constant(1), ctx.constant(0)
    identity = [[one if i == j else zero for j in range(3)] for i in range(3)]
    rotations, points, starts, axes = [identity], [[zero] * 3], [identity], [[zero] * 3]
    for i in range(1, positions.count):
        above = int(positions.parent[i])
        before = _product(rotations[above], matrix(positions.fixed_rotation[i]))
        at = _sum(points[above], _apply(rotations[above], vector(positions.fixed_position[i])))
        axis = vector(positions.axis[i])
        if positions.is_turn[i]:
            c, s = gens[f"c_{labels[i]}"], gens[f"s_{labels[i]}"]
            start = starts[above] if runs[i] else before
            starts.append(start)
            rotations.append(_product(start, _turned(axis, c, s * _sense(positions, runs, i), identity)))
            points.append(at)
            axes.append(_apply(start, axis))
        else:
            starts.append(before)
            rotations.append(before)
            axes.append(_apply(before, axis))
            points.append(_sum(at, [v * (gens[labels[i]] * int(positions.factors[i])) for v in axes[-1]]))
    rotation, translation, places_of = [], [], []
    for loop in range(len(positions.ends)):
        ends = []
        for node, (r, t) in ((positions.node_a[loop], positions.end_a), (positions.node_b[loop], positions.end_b)):
            place = _sum(points[node], _apply(rotations[node], vector(t[loop])))
            ends.append((_product(rotations[node], matrix(r[loop])), place))
        (ra, pa), (rb, pb) = ends
        places_of.append((pa, pb, _product(ra, [list(column) for column in zip(*rb, strict=True)])))
        rotation += [d for x, y in zip(ra, rb, strict=True) for a, b in zip(x, y, strict=True) if (d := a - b) != 0]
        translation += [d for a, b in zip(pa, pb, strict=True) if (d := a - b) != 0]
    relations = [gens[f"c_{labels[i]}"] ** 2 + gens[f"s_{labels[i]}"] ** 2 - 1 for i in turning]
    numbers = [(n, moved(r)) for n, r in ring.relations.items() if n in gens]
    relations += [r for _, r in numbers]
    relations += [moved(p) * which[text] - 1 for text, p in inverses.items()]
    tower = [*numbers, *((f"s_{labels[i]}", r) for i, r in zip(turning, relations, strict=False))]
    angles = tuple(_angle_name(positions, runs, labels, i) for i in turning)
    velocity, screws, earth = _matrices(positions, axes, points, places_of, zero)
    return PolynomialClosure(
        names=tuple(names),
        rotation=tuple(rotation),
        translation=tuple(translation),
        relations=tuple(relations),
        context=ctx,
        angles=angles,
        parameters=tuple(n for n in names if n in ring.symbols or n[2:] in ring.circles),
        columns=linkage.variables,
        velocity=velocity,
        screws=screws,
        earth=earth,
        tower=tuple(tower),
        cut_columns=linkage.cut_dof,
        sums={
            linkage.variables[positions.variable[i]]: linkage.variables[positions.variable[positions.parent[i]]]
            for i in turning
            if runs[i]
        },
        geometry=tuple(geometry_of(linkage)),
        given=given,
        letters={
            **{n: ring.meaning(n) for n in constants},
            **{f"inverse{k}": 1 / ring.written(p) for k, p in enumerate(inverses.values(), 1)},
            **{labels[i]: ex.symbol(linkage.variables[positions.variable[i]]) for i in sliding},
            **{
                f"{name}_{labels[i]}": turn(ex.symbol(linkage.variables[positions.variable[i]]))
                for i in turning
                for name, turn in (("c", ex.cos), ("s", ex.sin))
            },
        },
    )


def _used(value: Ratio) -> set[str]:
    names = list(value.ring.generators)
    powers = (e for p in (value.above, value.below) for e in p.to_dict())
    return {names[k] for e in powers for k, n in enumerate(e) if n}


def _closed_under(ring: Ring, used: set[str]) -> set[str]:
    """Generators in use, and those in their equations."""
    found = set(used)
    for name in used:
        if name in ring.relations:
            found |= _used(Ratio(ring, ring.relations[name], ring.constant(1)))
    return found if found == used else _closed_under(ring, found)


def _sense(positions: Positions, runs: list[bool], i: int) -> int:
    """The sense in which a turn counts its angle."""
    return 1 if positions.factors[i] > 0 else -1


def _matrices(
    positions: Positions, axes: list[Any], points: list[Any], ends: list[Any], zero: Any
) -> tuple[tuple[tuple[Any, ...], ...], ...]:
    """Rows of the velocity form, of T_B^-1 T_A (screws at one point) and of T_A T_B^-1 (compared on earth)."""
    columns = positions.linkage.size
    found: list[list[tuple[Any, ...]]] = [[], [], []]
    for loop, (pa, pb, turn) in enumerate(ends):
        tables = [[[zero] * columns for _ in range(6)] for _ in range(3)]
        for i in range(1, positions.count):
            factor, v = int(positions.factors[i]), int(positions.variable[i])
            for path, place, sign in ((positions.path_a, pa, factor), (positions.path_b, pb, -factor)):
                if not path[loop, i]:
                    continue
                spin, at, origin = [zero] * 3, axes[i], axes[i]
                if positions.is_turn[i]:
                    arm = [p - q for p, q in zip(place, points[i], strict=True)]
                    spin, at, origin = axes[i], _cross(axes[i], arm), _cross(points[i], axes[i])
                turned = [*spin, *at] if place is pa else [*_apply(turn, spin), *_apply(turn, at)]
                for table, parts in zip(tables, ([*spin, *at], [*spin, *origin], turned), strict=True):
                    for k in range(6):
                        table[k][v] = table[k][v] + parts[k] * sign
        for rows, table in zip(found, tables, strict=True):
            rows += [tuple(row) for row in table]
    return tuple(tuple(rows) for rows in found)


def _cross(a: list[Any], b: list[Any]) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


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
            same = same and positions.factors[i] == positions.factors[above]
        found.append(same)
    return found


def _commutes(rotation: Any) -> bool:
    """A constant rotation between two parallel turns is harmless when it is none."""
    one, zero = rotation[0, 0].ring.number(1), rotation[0, 0].ring.number(0)
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
