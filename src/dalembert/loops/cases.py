"""Mobility with indeterminate lengths, by cases: the freedoms for almost all lengths, and equalities that give more.

    1 degree of freedom if l1 = l2 = l3 and a = c; else 0 degrees of freedom for almost all lengths with which it closes

Almost all: exact rational lengths are drawn at random, the machine is closed and judged; what holds there holds outside
an algebraic set of lengths (with probability one). Equalities are found from the special to the general: all lengths
with the same usual value equal first, then blocks are split as long as more freedoms stay. Every case carries a witness
(lengths and a posture) with its verdict. Conditions that are no equalities of lengths, as sin(al)/a = sin(be)/b of
Bennett, are not looked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.loops.assembly import Closing, project
from dalembert.loops.linkage import Linkage, build_linkage, geometry_of
from dalembert.loops.local import tangent_at
from dalembert.loops.mobility import mobility
from dalembert.loops.verdict import Mobility
from dalembert.mechanism import Layout, Mechanism

Array = Any
Blocks = tuple[tuple[str, ...], ...]

#: Lengths drawn for a case are multiples of 1/_PARTS of the usual length, at most half as long again or as short.
_PARTS = 997
#: Descents from all equalities to a most general condition, in random order: each finds one.
_DESCENTS = 3
#: Postures of a draw that get a verdict: those with most speeds.
_JUDGED = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A condition on lengths (empty: almost all), the freedoms under it (at least, when not proved), a witness."""

    condition: tuple[str, ...]
    dof: int
    proved: bool
    lengths: dict[str, Fraction]
    verdict: Mobility = field(repr=False)

    def __str__(self) -> str:
        many = f"{self.dof} degree{'s' if self.dof != 1 else ''} of freedom" + ("" if self.proved else " (not proved)")
        return many + (f" if {' and '.join(self.condition)}" if self.condition else "")


@dataclass(frozen=True, slots=True)
class Cases:
    """The generic case and special ones, most freedoms first."""

    generic: Case | None
    special: tuple[Case, ...]

    def __str__(self) -> str:
        rest = "no posture closes for random lengths"
        if self.generic is not None:  # other special lengths than these may give more: they are not looked for
            rest = f"{self.generic} for almost all lengths with which it closes"
        return "; ".join([*map(str, self.special), f"else {rest}" if self.special else rest])


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
        self.start = dict(mechanism.start if at is None else at)
        known = {**mechanism.given, **(given or {})}
        linkage = build_linkage(self.layout, given)
        from dalembert import expr as ex

        used = {s.name for s in ex.free_symbols(geometry_of(linkage))}
        for name in lengths:
            if name not in used:
                raise ModelError(f"'{name}' is no length of this machine: its geometry uses {', '.join(sorted(used))}.")
        self.names = tuple(sorted((used - set(known)) | set(lengths)))
        if not self.names:
            raise ModelError("every length has a value: name those that shall be indeterminate, or use `mobility`.")
        self.known = {k: v for k, v in known.items() if k not in self.names}
        self.usual = {n: Fraction(str(known[n])) if n in known else Fraction(1) for n in self.names}
        self.rng = np.random.default_rng(seed)
        self.seen: dict[Blocks, int] = {}

    def cases(self) -> Cases:
        separate: Blocks = tuple((n,) for n in self.names)
        generic = self.judged(separate)
        least = generic.dof if generic is not None else -1
        special: list[Case] = []
        for blocks in self._most_general(least):
            case = self.judged(blocks)
            if case is not None and case.dof > least:
                special.append(case)
        special.sort(key=lambda c: (-c.dof, len(c.condition)))
        return Cases(generic, tuple(special))

    def _most_general(self, least: int) -> Iterator[Blocks]:
        """Partitions with more freedoms than almost all lengths that no split leaves so, by several descents."""
        usual = sorted(set(self.usual.values()))
        # lengths whose usual values differ are not set equal
        one = _sorted([[n for n in self.names if self.usual[n] == v] for v in usual])
        if len(one) == len(self.names) or self.speeds(one) <= least:
            return
        found: set[Blocks] = set()
        for _ in range(_DESCENTS):
            blocks, going = one, True
            while going:
                splits = list(_splits(blocks))
                going = False
                for k in self.rng.permutation(len(splits)):
                    if self.speeds(splits[k]) > least:
                        blocks, going = splits[k], True
                        break
            if blocks not in found:
                found.add(blocks)
                yield blocks

    def speeds(self, blocks: Blocks) -> int:
        """Most speeds that closed postures leave, in a few random draws: a quick bound before the verdict."""
        if blocks not in self.seen:
            found = [free for free, _, _, _ in self._closed(blocks, 1)]
            self.seen[blocks] = max(found, default=-1)
        return self.seen[blocks]

    def judged(self, blocks: Blocks) -> Case | None:
        best: Case | None = None
        postures = sorted(self._closed(blocks, 2), key=lambda one: -one[0])
        regular = 0
        for _, closing, x, lengths in postures:
            verdict = mobility(self.layout, closing.linkage.coordinates(x), given={**self.known, **lengths})
            if verdict.singular:
                continue
            if (regular := regular + 1) > _JUDGED:
                break
            if best is None or (verdict.lower, verdict.proved) > (best.dof, best.proved):
                best = Case(_condition(blocks), verdict.lower, verdict.proved, lengths, verdict)
        return best

    def _closed(self, blocks: Blocks, draws: int) -> Iterator[tuple[int, Closing, Array, dict[str, Fraction]]]:
        """Closed postures for random lengths under the equalities, with the speeds that they leave."""
        met = 0
        for _ in range(3 * draws):
            lengths: dict[str, Fraction] = {}
            for block in blocks:
                size = self.usual[block[0]]
                value = size * int(self.rng.integers(_PARTS // 2, 3 * _PARTS // 2)) / _PARTS
                lengths |= dict.fromkeys(block, value)
            linkage = build_linkage(self.layout, {**self.known, **lengths}, self.start)
            closing = Closing(linkage)
            some = False
            for attempt in range(self.starts):
                x = project(closing, self._guess(linkage, closing, attempt), iterations=25)
                if closing.gap(x) < 1e-10:
                    some = True
                    yield tangent_at(closing, x, 1e-7).mobility, closing, x, lengths
            met += some
            if met == draws:
                return

    def _guess(self, linkage: Linkage, closing: Closing, attempt: int) -> Array:
        x = np.array(linkage.start(self.start))
        if attempt == 0:
            return x
        return x + self.rng.normal(0, 0.3 if attempt % 2 else 2.0, closing.size)


def _condition(blocks: Blocks) -> tuple[str, ...]:
    return tuple(" = ".join(block) for block in blocks if len(block) > 1)


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
