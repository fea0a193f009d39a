"""Repetition in straight-line code: stretches of nodes that do the same thing again, body after body.

A long chain repeats the same operations for each of its bodies. Finding them again in the sequence of nodes needs no
knowledge of mechanics, and turns code that grows with the number of bodies into loops that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.codegen._lower import Cell

#: Sequences shorter than this stay straight: there is little to save.
LONG = 4000
_GRAM = 32  # nodes compared at once when looking for a repetition
_SHORTEST_PERIOD = 8
_FEWEST_NODES = 256
_FEWEST_TURNS = 3


@dataclass(frozen=True, slots=True)
class Loop:
    """Stretches of equal structure, one after the other; node j of each plays the same part."""

    turns: tuple[tuple[Cell, ...], ...]


Piece = tuple[Cell, ...] | Loop


def find_loops(sequence: Sequence[Cell]) -> list[Piece]:
    """Cut a sequence into loops and the straight pieces between them."""
    position = {e: i for i, e in enumerate(sequence)}
    marks = _marks(sequence, position)
    pieces: list[Piece] = []
    straight: list[Cell] = []
    end = 0
    for start, stop, period in _repetitions(marks):
        begin = start + _seam(sequence, position, start, stop, period)
        straight += sequence[end:begin]
        turns = [tuple(sequence[k : k + period]) for k in range(begin, stop - period + 1, period)]
        for group in _alike(turns, position):
            if len(group) >= _FEWEST_TURNS and len(group) * period >= _FEWEST_NODES:
                pieces += [tuple(straight)] if straight else []
                straight = []
                pieces.append(Loop(tuple(group)))
            else:
                straight += [e for turn in group for e in turn]
        end = begin + len(turns) * period
    straight += sequence[end:]
    pieces.append(tuple(straight))  # results leave from a straight piece, even an empty one
    return pieces


def _kind(a: Cell, position: Mapping[Cell, int]) -> Any:
    """Where an operand comes from: the sequence, a constant, a group of inputs, or what was kept before."""
    return "node" if a in position else "const" if a.op == "const" else a.data[0] if a.op == "input" else "kept"


def _head(e: Cell) -> Any:
    """The operation of a node; the exponent of a power belongs to it."""
    return e.op if e.data is None else (e.op, e.data)


def _marks(sequence: Sequence[Cell], position: Mapping[Cell, int]) -> np.ndarray:
    """A number for each node that says what it does, not to whom."""
    numbers: dict[Any, int] = {}
    found = np.empty(len(sequence), dtype=np.int64)
    for i, e in enumerate(sequence):
        key = (_head(e), *[_kind(a, position) for a in e.args])
        found[i] = numbers.setdefault(key, len(numbers))
    return found


def _repetitions(marks: np.ndarray) -> list[tuple[int, int, int]]:
    """Stretches (start, stop, period) of the sequence that repeat, left to right."""
    mask, base = 2**64 - 1, 0x9E3779B97F4A7C15
    top = pow(base, _GRAM, 2**64)
    listed = marks.tolist()
    hashes, value = [0], 0
    for mark in listed:
        value = (value * base + mark + 1) & mask
        hashes.append(value)
    found: list[tuple[int, int, int]] = []
    last: dict[int, int] = {}
    hopeless: dict[int, int] = {}  # period -> place up to which it is known not to repeat for long
    i = 0
    while i + _GRAM <= len(listed):
        gram = (hashes[i + _GRAM] - hashes[i] * top) & mask
        before = last.get(gram)
        last[gram] = i
        if before is not None:
            period = i - before
            if period >= _SHORTEST_PERIOD and hopeless.get(period, -1) < i:
                length = _match(marks, before, i)
                if length >= (_FEWEST_TURNS - 1) * period and length + period >= _FEWEST_NODES:
                    found.append((before, i + length, period))
                    i += length
                    last.clear()
                    continue
                hopeless[period] = i + length
        i += 1
    return found


def _match(marks: np.ndarray, a: int, b: int) -> int:
    """How many marks from place a equal those from place b."""
    length, size = 0, 1024
    while b + length < len(marks):
        x, y = marks[a + length : a + length + size], marks[b + length : b + length + size]
        differs = np.flatnonzero(x[: len(y)] != y)
        if len(differs):
            return length + int(differs[0])
        length += len(y)
        size *= 2
    return length


def _seam(sequence: Sequence[Cell], position: Mapping[Cell, int], start: int, stop: int, period: int) -> int:
    """Where in the period to cut, so that few short-lived values cross from one turn to the next."""
    lives = np.zeros(stop - start + 2)
    last: dict[int, int] = {}
    for i in range(start, stop):
        for a in sequence[i].args:
            p = position.get(a, -1)
            if p >= start:
                last[p] = i
    for p, q in last.items():
        if q - p < period:
            lives[p + 1 - start] += 1
            lives[q + 1 - start] -= 1
    crossing = np.cumsum(lives)
    middle = min(period, max(0, stop - start - period))
    return int(np.argmin(crossing[middle : middle + period]) + middle) % period


def _alike(turns: list[tuple[Cell, ...]], position: Mapping[Cell, int]) -> list[list[tuple[Cell, ...]]]:
    """Consecutive turns grouped by exact structure: operations, inner operands, kinds of outer operands."""
    groups: list[list[tuple[Cell, ...]]] = []
    known: Any = None
    for turn in turns:
        start = position[turn[0]]
        key = [
            (
                _head(e),
                *[p - start if (p := position.get(a, -1)) >= start else _kind(a, position) for a in e.args],
            )
            for e in turn
        ]
        if groups and key == known:
            groups[-1].append(turn)
        else:
            groups.append([turn])
            known = key
    return groups
