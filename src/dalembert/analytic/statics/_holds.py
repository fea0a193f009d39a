"""Loads and holds after reading: each unknown force as what it does to the parts it acts on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from .structure import GROUND, Hold, Load, Pin, Roller, Rope, Screw, Weld


@dataclass(frozen=True, slots=True)
class Acting:
    """A force at a place of a part, and a couple."""

    part: str
    at: sp.Matrix
    force: sp.Matrix
    couple: sp.Matrix
    name: str = ""
    spread: tuple[sp.Matrix, sp.Matrix] | None = None


@dataclass(frozen=True, slots=True)
class Pull:
    """One unknown force of a hold: its unit, everywhere it acts, and what is asked of it."""

    name: str
    acting: tuple[Acting, ...]
    part: str
    to: str
    one_sided: bool = False
    limit: tuple[sp.Expr, str] | None = None


def _vector(names: Names, entries: Sequence[Formula], size: int, what: str) -> sp.Matrix:
    if isinstance(entries, str) or len(entries) != size:
        raise ModelError(f"{what} has {size} components here, not {entries!r}")
    return sp.Matrix(names.read_all(entries))


def read_loads(names: Names, loads: Sequence[Load]) -> tuple[list[Acting], int]:
    """The given forces, and whether the structure lives in the plane (2) or in space (3)."""
    sizes = {len(v) for one in loads for v in (one.at, one.force) if len(v)}
    if len(sizes) != 1 or not sizes <= {2, 3}:
        raise ModelError("the places and forces of the loads have two components all, or three all")
    (size,) = sizes
    turns = 1 if size == 2 else 3
    found = []
    for index, load in enumerate(loads, 1):
        label = load.name or f"load {index}"
        entries = load.couple if isinstance(load.couple, list | tuple) else [load.couple] * 1
        couple = sp.zeros(turns, 1) if entries == [0] else _vector(names, entries, turns, f"the couple of {label}")
        force = _vector(names, load.force, size, f"the force of {label}") if len(load.force) else sp.zeros(size, 1)
        if load.spread is not None:
            ends = tuple(_vector(names, e, size, f"an end of {label}") for e in load.spread)
            length = tidy(sp.sqrt(tidy(sp.expand(sum(x**2 for x in ends[1] - ends[0])))))
            found.append(Acting(load.part, (ends[0] + ends[1]) / 2, force * length, couple, label, (ends[0], ends[1])))
            continue
        at = _vector(names, load.at, size, f"the place of {label}") if len(load.at) else sp.zeros(size, 1)
        if not len(load.at) and len(load.force):
            raise ModelError(f"{label}: a force acts at a place; give `at`")
        found.append(Acting(load.part, at, force, couple, label))
    return found, size


def _unit(vector: sp.Matrix, what: str) -> sp.Matrix:
    square = tidy(sp.expand(sum(x**2 for x in vector)))
    if is_zero(square):
        raise ModelError(f"{what} is no direction: it is zero")
    return (vector / sp.sqrt(square)).applyfunc(tidy)


def read_pulls(names: Names, holds: Sequence[Hold], size: int) -> tuple[Pull, ...]:
    """Every unknown force of every hold, named after it."""
    found: list[Pull] = []
    for index, hold in enumerate(holds, 1):
        found += _pulls(names, hold, hold.name or f"R{index}", size)
    labels = [p.name for p in found]
    twice = {label for label in labels if labels.count(label) > 1}
    if twice:
        raise ModelError(f"two holds have the name {', '.join(sorted(twice))}: give each its own")
    return tuple(found)


def _pulls(names: Names, hold: Hold, label: str, size: int) -> list[Pull]:
    none = sp.zeros(1 if size == 2 else 3, 1)
    if isinstance(hold, Rope):
        return [_rope(names, hold, label, size, none)]
    at = _vector(names, hold.at, size, f"the place of {label}")

    def pull(name: str, force: sp.Matrix, couple: sp.Matrix, **more: object) -> Pull:
        both = (Acting(hold.part, at, force, couple), Acting(hold.to, at, -force, -couple))
        return Pull(name, both, hold.part, hold.to, **more)  # type: ignore[arg-type]

    axes = [sp.Matrix([int(i == k) for i in range(size)]) for k in range(size)]
    letters = "xyz"[:size]
    if isinstance(hold, Pin | Weld):
        found = [pull(f"{label}_{a}", e, none) for a, e in zip(letters, axes)]
        if isinstance(hold, Weld) and size == 2:
            found.append(pull(f"{label}_m", sp.zeros(2, 1), sp.ones(1, 1)))
        elif isinstance(hold, Weld):
            found += [pull(f"{label}_m{a}", sp.zeros(3, 1), e) for a, e in zip(letters, axes)]
        return found
    if isinstance(hold, Screw):
        if size == 2:
            raise ModelError(f"the screw {label} needs places in space: give three components")
        axis = _unit(_vector(names, hold.axis, 3, f"the axis of {label}"), f"the axis of {label}")
        lead = names.read(hold.pitch) / (2 * sp.pi)
        across = _across(axis)
        thrust = pull(f"{label}_axial", axis, -lead * axis)
        side = [pull(f"{label}_{k}", e, none) for k, e in enumerate(across, 1)]
        return [thrust, *side, *(pull(f"{label}_m{k}", sp.zeros(3, 1), e) for k, e in enumerate(across, 1))]
    normal = _unit(_vector(names, hold.normal, size, f"the normal of {label}"), f"the normal of {label}")
    if isinstance(hold, Roller):
        return [pull(label, normal, none)]
    mu = names.read(hold.friction)
    if mu == 0:
        return [pull(label, normal, none, one_sided=True)]
    if size == 3:
        raise ModelError(f"the contact {label}: friction is treated in the plane, where it has one direction")
    tangent = sp.Matrix([normal[1], -normal[0]])
    return [
        pull(f"{label}_n", normal, none, one_sided=True),
        pull(f"{label}_t", tangent, none, limit=(mu, f"{label}_n")),
    ]


def _across(axis: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """Two directions at right angles to an axis."""
    start = next(e for e in (sp.Matrix([1, 0, 0]), sp.Matrix([0, 1, 0])) if not is_zero(axis.cross(e).norm()))
    first = _unit(axis.cross(start), "across")
    return first, axis.cross(first).applyfunc(tidy)


def _rope(names: Names, rope: Rope, label: str, size: int, none: sp.Matrix) -> Pull:
    if len(rope.path) < 2:
        raise ModelError(f"the rope {label} goes through two places at least")
    places = [_vector(names, place, size, f"a place of {label}") for _, place in rope.path]
    if rope.directions is not None and len(rope.directions) != len(places) - 1:
        raise ModelError(f"the rope {label} has {len(places) - 1} strands; give as many directions")
    strands = [
        _unit(
            b - a if rope.directions is None else _vector(names, rope.directions[k], size, f"a strand of {label}"),
            f"strand {k + 1} of {label}",
        )
        for k, (a, b) in enumerate(pairwise(places))
    ]
    acting = []
    for k, ((part, _), at) in enumerate(zip(rope.path, places)):
        force = sp.zeros(size, 1)
        if k < len(strands):
            force += strands[k]
        if k:
            force -= strands[k - 1]
        acting.append(Acting(part, at, force, none))
    parts = [part for part, _ in rope.path]
    other = next((p for p in parts if p != parts[0]), GROUND)
    return Pull(label, tuple(acting), parts[0], other, one_sided=True)
