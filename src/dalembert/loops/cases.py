"""Mobility with indeterminate lengths, by cases: the freedoms for almost all lengths, and conditions that give more.

    1 degree of freedom if l1 = l2 = l3 and a = c; else 0 degrees of freedom for almost all lengths with which it closes

Almost all: exact rational lengths are drawn at random, the machine is closed and judged; what holds there holds outside
an algebraic set of lengths (with probability one). Conditions are looked for in classes (`Cases.looked_for`): from the
special to the general, all of a class first, then one after the other is given up as long as more freedoms stay. Sums
of lengths with which the machine lies flat do not give more freedoms, but branches that meet there (change points).
Every case carries a witness (lengths and a posture) with its verdict. There may be others: no class is all of algebra.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ExpressionError, ModelError
from dalembert.loops.assembly import REACHED, Closing, project
from dalembert.loops.conditions import (
    Condition,
    angles_of,
    as_posture,
    atoms,
    flat_conditions,
    pairs,
    relations,
    together,
    usual_floats,
)
from dalembert.loops.linkage import Linkage, build_linkage, geometry_of, only_loops
from dalembert.loops.mobility import mobility
from dalembert.loops.polynomials import polynomial_closure
from dalembert.loops.relations import RANK_NEARBY, tangent_at
from dalembert.loops.units import in_own_units
from dalembert.loops.verdict import Mobility
from dalembert.mechanism import Layout, Mechanism

Array = Any
Blocks = tuple[tuple[str, ...], ...]

#: Descents from all equalities to a most general condition, in random order: each finds one.
_DESCENTS = 3
#: Conditions on pairs that are tried: more would take minutes.
_MOST_PAIRS = 200
#: Postures of a draw that get a verdict: those with most speeds.
_JUDGED = 3
#: Steps of Newton after which a start that will close has come nearer than this (radians, parts of the machine): even
#: to a double root each step halves the way. The others, of machines that cannot close, take most of the time.
_FEW, _HOPELESS = 8, 0.02


@dataclass(frozen=True, slots=True)
class Case:
    """A condition on lengths (empty: almost all), the freedoms under it (at least, when not proved), a witness."""

    condition: tuple[str, ...]
    dof: int
    proved: bool
    lengths: dict[str, Any]
    verdict: Mobility = field(repr=False)

    def __str__(self) -> str:
        many = f"{self.dof} degree{'s' if self.dof != 1 else ''} of freedom" + ("" if self.proved else " (not proved)")
        return many + (f" if {' and '.join(self.condition)}" if self.condition else "")


@dataclass(frozen=True, slots=True)
class Cases:
    """The generic case, special ones with more freedoms, and those with which the machine lies flat, singular."""

    generic: Case | None
    special: tuple[Case, ...]
    meeting: tuple[Case, ...] = ()
    looked_for: tuple[str, ...] = ()

    def __str__(self) -> str:
        rest = "no posture closes for random lengths"
        if self.generic is not None:
            rest = f"{self.generic} for almost all lengths with which it closes"
        told = "; ".join([*map(str, self.special), f"else {rest}" if self.special else rest])
        if self.meeting:
            conditions = ", or ".join(" and ".join(c.condition) for c in self.meeting)
            told += f"; it can lie flat, in a singular posture, if {conditions}"
        return told


def mobility_cases(
    mechanism: Mechanism,
    lengths: Collection[str] = (),
    *,
    at: Mapping[str, float] | None = None,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    starts: int = 6,
    seed: int = 0,
) -> Cases:
    """Freedoms as a function of indeterminate lengths: those named, and those without a value."""
    return _Search(mechanism, lengths, at, given, cut, starts, seed).cases()


class _Search:
    """Draws lengths under equalities, closes the machine, and looks how far it moves."""

    def __init__(
        self,
        mechanism: Mechanism,
        lengths: Collection[str],
        at: Mapping[str, float] | None,
        given: Mapping[str, Any] | None,
        cut: Collection[str],
        starts: int,
        seed: int,
    ) -> None:
        self.mechanism, self.cut, self.starts = mechanism, cut, starts
        self.layout = Layout.of(mechanism, cut)
        only_loops(self.layout, "mobility_cases")
        self.start = dict(mechanism.start if at is None else at)
        known = {**mechanism.given, **(given or {})}
        linkage = build_linkage(self.layout, given)
        used = {s.name for s in ex.free_symbols(geometry_of(linkage))}
        for name in lengths:
            if name not in used:
                raise ModelError(f"'{name}' is no length of this machine: its geometry uses {', '.join(sorted(used))}.")
        self.names = tuple(sorted((used - set(known)) | set(lengths)))
        if not self.names:
            raise ModelError("every length has a value: name those that shall be indeterminate, or use `mobility`.")
        self.known = {k: v for k, v in known.items() if k not in self.names}
        self.usual = {n: Fraction(str(known[n])) if n in known else Fraction(1) for n in self.names}
        turned = angles_of(geometry_of(linkage))
        self.angles = tuple(n for n in self.names if n in turned)
        self.lengths = tuple(n for n in self.names if n not in turned)
        self.open = linkage
        self.rng = np.random.default_rng(seed)
        self.seen: dict[tuple[str, ...], int] = {}

    def cases(self) -> Cases:
        generic = self.judged(Condition())
        least = generic.dof if generic is not None else -1
        special: list[Case] = []
        looked = ["equal lengths"] if len(self.names) > 1 else []
        tries = [_equal(blocks) for blocks in self._most_general(least)]
        for words, some in atoms(self.lengths, self.angles):
            if some:
                looked.append(words)
                tries += self._fewest(some, least)
        for words, some in pairs(self.lengths, self.angles):
            if some:
                looked.append(words)
                tries += [one for one in some[:_MOST_PAIRS] if self.speeds(one) > least]
        for words, some in relations(self.lengths):
            if some:
                whole = len(some) <= _MOST_PAIRS
                looked.append(words if whole else f"{words} ({_MOST_PAIRS} of {len(some)})")
                tries += [one for one in some[:_MOST_PAIRS] if self.speeds(one) > least]
        known: list[tuple[Condition, int]] = []
        for condition in sorted(tries, key=lambda c: len(c.values)):  # the most general first
            case = self.judged(condition)
            if case is None or case.dof <= least:
                continue
            if not any(dof >= case.dof and one.holds(case.lengths) for one, dof in known):
                special.append(case)
                known.append((condition, case.dof))
        special.sort(key=lambda c: (-c.dof, len(c.condition)))
        meeting = self._meeting()
        if meeting is not None:
            looked.append("sums of lengths with which it lies flat")
        return Cases(generic, tuple(special), tuple(meeting or ()), tuple(looked))

    def _fewest(self, some: Sequence[Condition], least: int) -> list[Condition]:
        """Smallest sets of conditions of a class that leave more freedoms than almost all lengths, by descents."""
        found: dict[tuple[str, ...], Condition] = {}
        for _ in range(_DESCENTS):
            kept = list(some)
            if len(kept) == len(self.names) or self.speeds(together(kept)) <= least:  # with no letter left, no case
                return list(found.values())
            for k in self.rng.permutation(len(some)):
                fewer = [c for c in kept if c is not some[k]]
                if fewer and self.speeds(together(fewer)) > least:
                    kept = fewer
            made = together(kept)
            found[made.words] = made
        return list(found.values())

    def _meeting(self) -> list[Case] | None:
        """Flat postures under sums of lengths, judged: singular ones."""
        if len(self.lengths) < 3:
            return None
        try:
            closure = polynomial_closure(self.open, indeterminate=self.names)
        except ExpressionError:
            return None
        found = []
        for condition in flat_conditions(closure, self.lengths):
            lengths = condition.draw(self.usual, frozenset(self.lengths), self.rng)
            if lengths is None:
                continue
            verdict = mobility(self.layout, as_posture(condition.at, lengths), given={**self.known, **lengths})
            if verdict.singular:
                found.append(Case(condition.words, verdict.lower, verdict.proved, lengths, verdict))
        return found

    def _most_general(self, least: int) -> Iterator[Blocks]:
        """Partitions with more freedoms than almost all lengths that no split leaves so, by several descents."""
        usual = sorted(set(self.usual.values()))
        # lengths whose usual values differ are not set equal
        one = _sorted([[n for n in self.names if self.usual[n] == v] for v in usual])
        if len(one) == len(self.names) or self.speeds(_equal(one)) <= least:
            return
        found: set[Blocks] = set()
        for _ in range(_DESCENTS):
            blocks, going = one, True
            while going:
                splits = list(_splits(blocks))
                going = False
                for k in self.rng.permutation(len(splits)):
                    if self.speeds(_equal(splits[k])) > least:
                        blocks, going = splits[k], True
                        break
            if blocks not in found:
                found.add(blocks)
                yield blocks

    def speeds(self, condition: Condition) -> int:
        """Most speeds that closed postures leave, in a few random draws: a quick bound before the verdict."""
        if condition.words not in self.seen:
            found = [free for free, _, _, _ in self._closed(condition, 1)]
            self.seen[condition.words] = max(found, default=-1)
        return self.seen[condition.words]

    def judged(self, condition: Condition) -> Case | None:
        best: Case | None = None
        postures = sorted(self._closed(condition, 2), key=lambda one: -one[0])
        regular = 0
        for _, closing, x, lengths in postures:
            verdict = mobility(self.layout, closing.linkage.coordinates(x), given={**self.known, **lengths})
            if verdict.singular:
                continue
            if (regular := regular + 1) > _JUDGED:
                break
            if best is None or (verdict.lower, verdict.proved) > (best.dof, best.proved):
                best = Case(condition.words, verdict.lower, verdict.proved, lengths, verdict)
        return best

    def _closed(self, condition: Condition, draws: int) -> Iterator[tuple[int, Closing, Array, dict[str, Any]]]:
        """Closed postures for random lengths under a condition, with the speeds that they leave."""
        met = 0
        for _ in range(3 * draws):
            lengths = condition.draw(self.usual, frozenset(self.lengths), self.rng)
            if lengths is None:
                return
            linkage = build_linkage(self.layout, {**self.known, **usual_floats(lengths)}, self.start)
            linkage = in_own_units(linkage, self.start)
            closing = Closing(linkage)
            some = False
            for attempt in range(self.starts):
                x = project(closing, self._guess(linkage, closing, attempt), iterations=_FEW)
                if closing.gap(x) > _HOPELESS:
                    continue
                x = project(closing, x, iterations=25)
                if closing.gap(x) < REACHED / 10:
                    some = True
                    yield tangent_at(closing, x, RANK_NEARBY).mobility, closing, x, lengths
            met += some
            if met == draws:
                return

    def _guess(self, linkage: Linkage, closing: Closing, attempt: int) -> Array:
        x = np.array(linkage.start(self.start))
        if attempt == 0:
            return x
        return x + self.rng.normal(0, 0.3 if attempt % 2 else 2.0, closing.size)


def _equal(blocks: Blocks) -> Condition:
    """The letters of each block equal."""
    values = {n: ex.symbol(block[0]) for block in blocks for n in block[1:]}
    return Condition(tuple(" = ".join(block) for block in blocks if len(block) > 1), values)


def _splits(blocks: Blocks) -> Iterator[Blocks]:
    """One block taken in two, in every way."""
    for k, block in enumerate(blocks):
        first, rest = block[0], block[1:]
        for count in range(len(rest)):
            for stay in combinations(rest, count):
                kept = (first, *stay)
                gone = tuple(n for n in rest if n not in stay)
                yield _sorted((*blocks[:k], kept, gone, *blocks[k + 1 :]))


def _sorted(blocks: Sequence[Sequence[str]]) -> Blocks:
    return tuple(sorted(tuple(sorted(b)) for b in blocks))
