"""Closed forms: the joints of loops, one after the other, as formulas of the independent ones.

Cut a loop at the joints that are not known yet, but for one: what those leave unchanged, seen along both ways around,
is an equation in the one that is left. Of two hinges that is the distance of their axes, their angle, their offset; of
a hinge and a slide the distance of an axis from a plane; and so on. Dyads of hinges and slides, spherical and spatial
four-bars, yokes and universal joints all fall to it. An equation is solved if it is linear or quadratic in a slide, or
A cos x + B sin x + C = 0 in a turn; of two solutions the one at the posture is the branch.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import IDENTITY3, ZERO3, Vector3, is_zero3
from dalembert.loops.cycles import independent_loops
from dalembert.loops.linkage import Atom, Fixed, Linkage, Piece
from dalembert.loops.solved import SEEN, linear, quadratic, turns
from dalembert.loops.ways import Way, across, merged

Array = Any

#: A formula must give the posture to this share of a radian or of its lengths: it is closed to 1e-10, not exactly.
_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class Formulas:
    """q = q(P), each in the independent coordinates and the ones before it.

    `domain` are expressions that are not negative where the formulas hold, by coordinate; at zero two branches meet.
    """

    definitions: tuple[tuple[str, Expr], ...]
    domain: tuple[tuple[str, Expr], ...] = ()

    @property
    def nested(self) -> dict[str, Expr]:
        """The same in the independent coordinates alone."""
        found: dict[Expr, Expr] = {}
        for name, formula in self.definitions:
            found[ex.symbol(name)] = ex.substitute([formula], found)[0]
        return {x.name: formula for x, formula in found.items()}

    def of(self, names: Collection[str]) -> Formulas:
        """What some coordinates need, and no more."""
        kept, used = list[tuple[str, Expr]](), {ex.symbol(name) for name in names}
        for name, formula in reversed(self.definitions):
            if ex.symbol(name) in used:
                kept.append((name, formula))
                used |= ex.free_symbols(formula)
        left = {name for name, _ in kept}
        return Formulas(tuple(reversed(kept)), tuple(one for one in self.domain if one[0] in left))


def solve_loops(
    linkage: Linkage, x: Array, independent: Collection[str], needed: Collection[str] | None = None
) -> Formulas | None:
    """Formulas of the joints that are needed (of all in loops), on the branch of the posture x; None without some."""
    solver = _Solver(linkage, x, independent)
    wanted = {p.variable for loop in solver.loops for p in loop if isinstance(p, Atom)}
    if needed is not None:
        if not set(needed) <= set(linkage.variables):
            return None
        wanted = {linkage.variables.index(name) for name in needed}
    return Formulas(tuple(solver.definitions), tuple(solver.domain)) if solver.run(wanted) else None


@dataclass(frozen=True, slots=True)
class _Left:
    """What is cut: joints of a run, and what they leave unchanged: an axis, a point, a direction or everything."""

    kind: Literal["turn", "point", "slide", "nothing"]
    axis: Vector3 = ZERO3


class _Solver:
    def __init__(self, linkage: Linkage, x: Array, independent: Collection[str]) -> None:
        self.linkage = linkage
        self.symbols = [ex.symbol(name) for name in linkage.variables]
        self.values: dict[int, Expr] = dict(enumerate(self.symbols))
        self.numbers: dict[Expr, Any] = {ex.symbol(k): float(v) for k, v in linkage.given.items()}
        self.numbers |= {s: float(v) for s, v in zip(self.symbols, x, strict=True)}
        self.known = {i for i, name in enumerate(linkage.variables) if name in independent}
        self.loops: list[list[Piece]] = [
            [piece for link, forward in loop.cycle for piece in linkage.chains[link].walk(forward)]
            for loop in independent_loops(linkage)
        ]
        self.definitions: list[tuple[str, Expr]] = []
        self.domain: list[tuple[str, Expr]] = []

    def run(self, needed: set[int]) -> bool:
        """Simple solutions first, those with two branches when nothing else is left."""
        while not needed <= self.known:
            self._couplings()
            wanted = self._wanted()
            if not any(self._simple(k, i) for k, i in wanted) and not any(self._branched(k, i) for k, i in wanted):
                return False
        return True

    def _wanted(self) -> list[tuple[int, int]]:
        """Unknown joints: loop, place; joints of the shortest unknown runs first."""
        found = []
        for k, pieces in enumerate(self.loops):
            places = [i for i, p in enumerate(pieces) if isinstance(p, Atom) and p.variable not in self.known]
            found += [(len(places), k, i) for i in places]
        return [(k, i) for _, k, i in sorted(found)]

    def _couplings(self) -> None:
        """Variables that only rename a formula of known coordinates."""
        for i, equation in zip(self.linkage.auxiliary, self.linkage.equations, strict=False):
            meant = self.symbols[i] - equation
            used = {self.symbols.index(s) for s in ex.free_symbols(meant) if s in self.symbols}
            if i not in self.known and used <= self.known:
                self.values[i] = ex.substitute([meant], {self.symbols[j]: self.values[j] for j in used})[0]
                self.known.add(i)

    def _define(self, variable: int, formula: Expr, positive: Sequence[Expr]) -> bool:
        """Keep a formula if it gives the posture, turns but for whole ones."""
        symbol = self.symbols[variable]
        value = self._number(formula)
        away = self.numbers[symbol] - value
        if any(isinstance(p, Atom) and p.turn and p.variable == variable for loop in self.loops for p in loop):
            turns = round(away / (2 * np.pi)) if np.isfinite(away) else 0
            away, formula = away - 2 * np.pi * turns, formula + 2 * turns * ex.PI
        if not abs(away) < _SAME * (1 + abs(value)):
            return False
        self.known.add(variable)
        self.definitions.append((symbol.name, formula))
        self.domain += [(symbol.name, one) for one in positive]
        return True

    def _number(self, e: Expr) -> float:
        with np.errstate(all="ignore"):
            return float(np.real(ex.evaluate([e], self.numbers)[0]))

    # --- one unknown, no choice ------------------------------------------------------------------------------------

    def _simple(self, k: int, place: int) -> bool:
        pieces, x = self._from(k, place)
        groups = self._groups(pieces[1:], 1)
        if x is None or len(groups) > 1:
            return False
        if x.turn and self._angle_sum(pieces, x):
            return True
        if not groups:
            left, before, after = _Left("nothing"), pieces[1:], list[Piece]()
        else:
            begin, end, left = groups[0]
            before, after = pieces[1:begin], pieces[end:]
        there = Way.along(before, self.values)
        back = Way.along([p.reversed() for p in reversed(after)], self.values)
        return self._aimed(x, left, there, back) if x.turn else self._shifted(pieces, x)

    def _angle_sum(self, pieces: Sequence[Piece], x: Atom) -> bool:
        """All turns about parallel axes: they add up to nothing."""
        others = [p for p in pieces[1:] if isinstance(p, Atom) and p.turn]
        if any(p.variable not in self.known for p in others):
            return False
        rest = merged([(x.axis, ZERO), *Way.along(pieces[1:], self.values).factors])
        if len(rest) > 1 or (rest and len(rest[0]) != 2):
            return False
        total = rest[0][1] if rest and len(rest[0]) == 2 else ZERO
        return self._define(x.variable, -total / ex.const(x.factor), ())

    def _aimed(self, x: Atom, left: _Left, there: Way, back: Way) -> bool:
        """x turns what is seen along one way into what is seen along the other: v into w."""
        seen = list[tuple[Vector3, Vector3]]()
        directions = {"turn": (left.axis,), "point": (), "slide": IDENTITY3, "nothing": IDENTITY3}[left.kind]
        seen += [(there.turned(d), back.turned(d)) for d in directions]
        if left.kind != "slide":
            seen.append((there.end, back.end))
        choices = []
        for v, w in seen:
            sine = x.axis.dot(v.cross(w))
            cosine = v.dot(w) - x.axis.dot(v) * x.axis.dot(w)
            lever, size = np.hypot(self._number(sine), self._number(cosine)), self._number(v.dot(v) * w.dot(w)) ** 0.5
            if size > 0 and lever > SEEN * size:
                choices.append(ex.atan2(sine, cosine) / ex.const(x.factor))
        choices.sort(key=lambda e: ex.count_operations([e]))
        return any(self._define(x.variable, one, ()) for one in choices)

    def _shifted(self, pieces: list[Piece], x: Atom) -> bool:
        return any(self._solve(x, e, branched=False) for e in self._equations(pieces, x))

    # --- one unknown with two solutions ----------------------------------------------------------------------------

    def _branched(self, k: int, place: int) -> bool:
        pieces, x = self._from(k, place)
        if x is None:
            return False
        return any(self._solve(x, e, branched=True) for e in self._equations(pieces, x))

    def _from(self, k: int, place: int) -> tuple[list[Piece], Atom | None]:
        """The loop from one joint on; None for a joint that moves in several places."""
        loop = self.loops[k]
        pieces = [*loop[place:], *loop[:place]]
        x = pieces[0]
        assert isinstance(x, Atom)
        again = any(isinstance(p, Atom) and p.variable == x.variable for p in pieces[1:])
        return pieces, None if again or x.variable in self.known else x

    def _groups(self, pieces: Sequence[Piece], begin: int) -> list[tuple[int, int, _Left]]:
        """Runs of unknown joints that one kind of cut removes: begin, end, what is left."""
        unknown = [(i, p) for i, p in enumerate(pieces, begin) if isinstance(p, Atom) and p.variable not in self.known]
        found: list[tuple[int, int, _Left]] = []
        for i, p in unknown:
            if found and p.turn and found[-1][2].kind in ("turn", "point"):
                between = pieces[found[-1][1] - begin : i - begin]
                if all(isinstance(b, Fixed) and is_zero3(b.pose.position) for b in between):
                    found[-1] = (found[-1][0], i + 1, _Left("point"))
                    continue
            found.append((i, i + 1, _Left("turn" if p.turn else "slide", p.axis)))
        return found

    def _equations(self, pieces: list[Piece], x: Atom) -> Iterator[Expr]:
        """Equations in x alone, shortest first: what two cuts (or one, or none) leave, seen along both ways."""
        groups = self._groups(pieces[1:], 1)
        if len(groups) > 2:
            return
        nothing = (len(pieces), len(pieces), _Left("nothing"))
        pairs = [groups] if len(groups) == 2 else [[*groups, nothing]] if groups else [[nothing, nothing]]
        found = []
        for (start, end, first), (begin, stop, second) in pairs:
            # from the second cut on through x to the first one, and back the other way
            inner = [*pieces[stop:], *pieces[:start]]
            outer = [p.reversed() for p in reversed(pieces[end:begin])]
            found += list(self._left_alone(second, first, inner, outer))
        yield from sorted(found, key=lambda e: ex.count_operations([e]))

    def _left_alone(self, first: _Left, second: _Left, inner: Sequence[Piece], outer: Sequence[Piece]) -> list[Expr]:
        ways = [Way.along(inner, self.values), Way.along(outer, self.values)]
        backs = [Way.along([p.reversed() for p in reversed(w)], self.values) for w in (inner, outer)]
        one, other = (_invariants(first, second, w, b) for w, b in zip(ways, backs, strict=True))
        return [a - b for a, b in zip(one, other, strict=True) if a is not b]

    def _solve(self, x: Atom, equation: Expr, branched: bool) -> bool:
        symbol = self.symbols[x.variable]
        if symbol not in ex.free_symbols(equation):
            return False
        if x.turn and not branched:
            return False
        solutions = (turns if x.turn else quadratic if branched else linear)(equation, symbol, self.numbers)
        return any(self._define(x.variable, formula, positive) for formula, positive in solutions)


def _invariants(first: _Left, second: _Left, way: Way, back: Way) -> list[Expr]:
    """What the cuts at both ends of a way leave unchanged: distances, offsets, angles."""
    rank = ("turn", "point", "nothing", "slide")
    if rank.index(first.kind) > rank.index(second.kind):
        first, second, way, back = second, first, back, way
    found = list[Expr]()
    if first.kind == "slide":  # so is the second
        return [*_directions(way), first.axis.cross(way.turned(second.axis)).dot(way.end)]
    ends = {"turn": [second.axis], "point": [], "slide": across(second.axis), "nothing": list(IDENTITY3)}[second.kind]
    found += [n.dot(back.end) for n in ends]  # the first cut's place, seen from the second
    if second.kind in ("turn", "point"):
        found.append(way.square)
    if first.kind == "turn":
        seen = back.turned(first.axis)
        directions = ends if second.kind in ("turn", "nothing") else IDENTITY3 if second.kind == "slide" else ()
        found += [n.dot(seen) for n in directions]
        if second.kind in ("turn", "point"):
            found.append(first.axis.dot(way.end))
    elif first.kind == "nothing":
        found += _directions(way)
    return found


def _directions(way: Way) -> list[Expr]:
    return [u.dot(way.turned(v)) for u, v in itertools.product(IDENTITY3, IDENTITY3)]
