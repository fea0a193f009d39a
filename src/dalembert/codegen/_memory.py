"""Where values live between pieces of code that has loops, and how a loop finds its operands turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dalembert.codegen._lower import Cell
from dalembert.codegen._repeats import Loop, Piece

_MARGIN = 2  # turns of room before and after the values of a loop, for their straight neighbours


@dataclass(frozen=True, slots=True)
class Operand:
    """An outer operand of a loop: the element `start + stride*turn` of an array, or one looked up in a table."""

    array: str
    start: int = 0
    stride: int = 0
    table: tuple[int, ...] | tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """A loop with its operands: `outer[j, k]` is operand k of node j when that is not a node of the same turn."""

    loop: Loop
    outer: Mapping[tuple[int, int], Operand]
    stored: tuple[int, ...]  # nodes whose values others read
    base: int  # slot of the first stored value of turn 0; a turn takes len(stored) slots


def plan_memory(
    pieces: Sequence[Piece], results: Iterable[Cell], kept: Mapping[Cell, int]
) -> tuple[list[tuple[Cell, ...] | LoopPlan], dict[Cell, int], int]:
    """Slots of all values that cross pieces, and loops with their addressing."""
    home = _homes(pieces)
    wanted = _crossing(pieces, home) | {e for e in results if e in home}
    slots: dict[Cell, int] = {}
    bases: dict[int, tuple[int, tuple[int, ...]]] = {}
    room: set[int] = set()
    top = 0
    for k, piece in enumerate(pieces):
        if isinstance(piece, Loop):
            stored = tuple(sorted({j for turn in piece.turns for j, e in enumerate(turn) if e in wanted}))
            width = len(stored)
            room.update(range(top, top + _MARGIN * width))
            base = top + _MARGIN * width
            for t, turn in enumerate(piece.turns):
                for n, j in enumerate(stored):
                    slots[turn[j]] = base + t * width + n
            top = base + len(piece.turns) * width
            room.update(range(top, top + _MARGIN * width))
            top += _MARGIN * width
            bases[k] = (base, stored)
        else:
            for e in piece:
                if e in wanted:
                    slots[e] = top
                    top += 1
    loose = {e for piece in pieces if not isinstance(piece, Loop) for e in piece if e in wanted}
    addresses = _Addresses(slots, kept, loose, room)
    planned: list[tuple[Cell, ...] | LoopPlan] = []
    for k, piece in enumerate(pieces):
        if isinstance(piece, Loop):
            base, stored = bases[k]
            planned.append(LoopPlan(piece, addresses.outer(piece), stored, base))
        else:
            planned.append(piece)
    return planned, slots, top


def _homes(pieces: Sequence[Piece]) -> dict[Cell, tuple[int, int]]:
    """Piece and turn of each node."""
    home: dict[Cell, tuple[int, int]] = {}
    for k, piece in enumerate(pieces):
        turns = piece.turns if isinstance(piece, Loop) else (piece,)
        for t, turn in enumerate(turns):
            for e in turn:
                home[e] = (k, t)
    return home


def _crossing(pieces: Sequence[Piece], home: Mapping[Cell, tuple[int, int]]) -> set[Cell]:
    """Nodes read outside their own piece or turn."""
    return {a for e, place in home.items() for a in e.args if home.get(a, place) != place}


class _Addresses:
    """Finds a rule for the place of each outer operand; straight values may move into the margins of loops for it."""

    def __init__(self, slots: dict[Cell, int], kept: Mapping[Cell, int], loose: set[Cell], room: set[int]) -> None:
        self.slots, self.kept, self.loose, self.room = slots, kept, loose, room

    def outer(self, loop: Loop) -> dict[tuple[int, int], Operand]:
        first = {e: j for j, e in enumerate(loop.turns[0])}
        found: dict[tuple[int, int], Operand] = {}
        for j, e in enumerate(loop.turns[0]):
            for k, a in enumerate(e.args):
                if a not in first:
                    found[j, k] = self._operand([turn[j].args[k] for turn in loop.turns])
        return found

    def _operand(self, sources: list[Cell]) -> Operand:
        if sources[0].op == "const":
            return Operand("const", table=tuple([e.data for e in sources]))
        if sources[0].op == "input":
            return self._rule(f"%in{sources[0].data[0]}", [e.data[1] for e in sources])
        if sources[0] in self.kept:
            return self._rule("%kept", [self.kept[e] for e in sources])
        straightened = self._settle(sources)
        return self._rule("%scratch", straightened)

    @staticmethod
    def _rule(array: str, offsets: list[int]) -> Operand:
        stride = offsets[1] - offsets[0]
        if all(b - a == stride for a, b in pairwise(offsets)):
            return Operand(array, offsets[0], stride)
        return Operand(array, table=tuple(offsets))

    def _settle(self, sources: list[Cell]) -> list[int]:
        """Slots of the sources, after moving straight values to where the loop would look for them."""
        offsets = [self.slots[e] for e in sources]
        fixed = [t for t, e in enumerate(sources) if e not in self.loose]
        pairs = [(a, b) for a, b in pairwise(fixed) if b == a + 1]
        if len(pairs) >= 1 and len(fixed) < len(sources):
            a, b = pairs[0]
            stride = offsets[b] - offsets[a]
            expected = [offsets[a] + stride * (t - a) for t in range(len(sources))]
            moves = [(e, x) for e, x, y in zip(sources, expected, offsets, strict=True) if x != y]
            free = all(e in self.loose and x in self.room for e, x in moves)
            if free and len({x for _, x in moves}) == len({e for e, _ in moves}) == len(moves):
                for e, x in moves:
                    self.slots[e] = x
                    self.room.discard(x)
                offsets = expected
        self.loose.difference_update(sources)  # others rely on these places from now on
        return offsets
