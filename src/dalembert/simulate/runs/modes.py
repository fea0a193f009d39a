"""Which contacts stick and which slip: Coulomb's law for several contacts at rest, decided at one state.

Every combination of sticking and slipping is asked, the one with most sticking contacts first, until one obeys the law.
Where sticking contacts hold more than is needed, their forces are known up to f = f0 + Z c (Z: what does nothing), and
they stick if some c puts all of them inside their cones: a linear programme, with cuts where a cone is round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
#: Of each contact: None while it sticks, else the direction of its slip.
Mode = list["Array | None"]

_MARGIN = 1e-12
"""Share of the normal force by which friction may be over its cone: rounding of the solve."""
_MOVED = 1e-6
"""Share of the acceleration without friction that is left to a slip which does not count as a condition of its own."""
_AWAY = 1e-12
"""Share of the acceleration that all loads together could give a slip, below which it does not begin: rounding."""
_DIRECTIONS = 72
"""Directions that are looked through for the ones in which a slip in two components can begin."""
_HALVINGS = 60
_ROUNDS = 400
"""Of the search for directions in which several slips begin together, each half of the way."""
_STEADY = 1e-12
"""Change of a direction, in radians, at which that search has ended: rounding."""
_CUTS = 40
_TOUCHED = 1e-10
"""Share of a load by which a round cone may be left by its cuts: what the linear programme is solved to."""
_NOTHING = 1e-9
"""Share of the largest entry below which a force does not take part in what does nothing: rounding of a solve."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Of a contact at a state: normal reaction, coefficient, what holds it, slip, its rate, which rows of it count.

    `reach`: the rate that the loads of the whole machine could give it, |row| |load| in the kinetic metric.
    """

    normal: float
    friction: float
    hold: Array
    slip: Array
    rate: Array
    kept: Array
    rows: Array
    reach: float

    @property
    def excess(self) -> float:
        """How far the force that holds it is outside the cone."""
        return float(np.linalg.norm(self.hold)) - self.friction * abs(self.normal)

    @property
    def holds(self) -> bool:
        return self.excess <= _MARGIN * abs(self.normal) * self.friction


class Machine(Protocol):
    """What is asked of the equations."""

    def at(self, t: float, state: Array, mode: Mode) -> list[Seen]: ...

    def shared(self, t: float, state: Array, mode: Mode, seen: Sequence[Seen]) -> Shared | None: ...


def consistent_mode(machine: Machine, t: float, state: Array, mode: Mode, resting: Sequence[int]) -> Mode | None:
    """How the contacts go on which do not slip; the others keep the direction that `mode` gives. None: no way."""
    begun = machine.at(t, state, mode)
    without: Mode = [0 * begun[k].slip if k in resting else way for k, way in enumerate(mode)]
    freely = [float(np.linalg.norm(one.rate)) for one in machine.at(t, state, without)]
    likely = {k: _against(begun[k]) for k in resting}
    for slipping in _subsets(resting):
        for tried in _directed(machine, t, state, mode, slipping, likely):
            seen = machine.at(t, state, tried)
            if not all(float(seen[k].rate @ _way(tried[k])) > _AWAY * seen[k].reach for k in slipping):
                continue
            stuck = [k for k in resting if k not in slipping]
            if _stick(machine, t, state, tried, seen, stuck, freely):
                return tried
    return None


def _stick(
    machine: Machine,
    t: float,
    state: Array,
    mode: Mode,
    seen: Sequence[Seen],
    stuck: Sequence[int],
    freely: list[float],
) -> bool:
    """Whether friction holds what sticks in a mode."""
    for k in stuck:  # at a dead centre the other constraints move it, and no friction holds it
        one = seen[k]
        if not one.kept.all() and float(np.linalg.norm(one.rate)) > _MOVED * freely[k] + _AWAY * one.reach:
            return False
    if all(seen[k].holds for k in stuck):
        return True
    machine.at(t, state, mode)
    load = machine.shared(t, state, mode, seen)
    if load is None:
        return False
    return load.divided()[0] >= -_MARGIN


def _subsets(resting: Sequence[int]) -> Iterator[list[int]]:
    """Those that slip: fewest first."""
    for chosen in sorted(product((0, 1), repeat=len(resting)), key=sum):
        yield [k for k, slips in zip(resting, chosen, strict=True) if slips]


def _against(seen: Seen) -> Array:
    size = float(np.linalg.norm(seen.hold))
    if size > 0:
        found: Array = -seen.hold / size
        return found
    return np.eye(len(seen.hold))[0]


def _way(way: Array | None) -> Array:
    assert way is not None
    return way


def _directed(
    machine: Machine, t: float, state: Array, mode: Mode, slipping: Sequence[int], likely: dict[int, Array]
) -> Iterator[Mode]:
    """Modes in which these contacts slip from rest, the likely directions first."""
    tried = list(mode)
    lines = [k for k in slipping if len(likely[k]) == 1]
    round_ = [k for k in slipping if len(likely[k]) == 2]
    for signs in product((1.0, -1.0), repeat=len(lines)):
        for k, sign in zip(lines, signs, strict=True):
            tried[k] = sign * likely[k]
        if not round_:
            yield list(tried)
        elif len(round_) == 1:
            (k,) = round_
            found = _angles(machine, t, state, tried, k)
            for way in sorted(found, key=lambda w: -float(w @ likely[k])):
                yield [*tried[:k], way, *tried[k + 1 :]]
        else:
            together = _together(machine, t, state, tried, round_, likely)
            if together is not None:
                yield together


def _angles(machine: Machine, t: float, state: Array, mode: Mode, k: int) -> list[Array]:
    """Directions d of one contact with slip' along d: changes of sign of the cross product, halved."""

    def seen(angle: float) -> tuple[Array, float, float]:
        way = np.array([np.cos(angle), np.sin(angle)])
        a = machine.at(t, state, [*mode[:k], way, *mode[k + 1 :]])[k].rate
        return way, float(way[0] * a[1] - way[1] * a[0]), float(way @ a)

    angles = np.linspace(0.1, 0.1 + 2 * np.pi, _DIRECTIONS + 1)
    turns, found = [seen(x)[1] for x in angles], list[Array]()
    for a, b, left, right in zip(angles[:-1], angles[1:], turns[:-1], turns[1:], strict=True):
        if left * right > 0:
            continue
        for _ in range(_HALVINGS):
            middle = (a + b) / 2
            a, b = (middle, b) if seen(middle)[1] * left > 0 else (a, middle)
        way, _, along = seen((a + b) / 2)
        found += [way] if along > 0 else []
    return found


def _together(
    machine: Machine, t: float, state: Array, mode: Mode, slipping: Sequence[int], likely: dict[int, Array]
) -> Mode | None:
    """Directions of several contacts, each along its own acceleration."""
    tried = list(mode)
    for k in slipping:
        tried[k] = likely[k]
    for _ in range(_ROUNDS):
        seen, turned = machine.at(t, state, tried), 0.0
        for k in slipping:
            pace = float(np.linalg.norm(seen[k].rate))
            if pace == 0:
                return None
            new = _way(tried[k]) + seen[k].rate / pace
            size = float(np.linalg.norm(new))
            if size == 0:
                return None
            turned = max(turned, float(np.linalg.norm(new / size - _way(tried[k]))))
            tried[k] = new / size
        if turned < _STEADY:
            return tried
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Forces of contacts that stick, known up to what does nothing: each with its cone.

    Of each contact: normal force, force that holds it, coefficient; and their changes, a column for each freedom.
    """

    normals: Array
    holds: list[Array]
    frictions: Array
    normal_changes: Array
    hold_changes: list[Array]

    @property
    def moves(self) -> list[bool]:
        """Whose forces mechanics leaves open."""
        both = zip(self.normal_changes, self.hold_changes, strict=True)
        return [bool(a.any() or b.any()) for a, b in both]

    def divided(self) -> tuple[float, list[float], list[Array]]:
        """The best division: the least slack of all cones in parts of the load, each slack, and the holding forces."""
        load = max(float(np.abs(self.normals).max()), *(float(np.linalg.norm(h)) for h in self.holds))
        if load == 0:
            return 1.0, [1.0] * len(self.holds), self.holds
        signs = np.where(self.normals < 0, -1.0, 1.0)
        open_ = [k for k, change in enumerate(self.normal_changes) if change.any()]
        best: tuple[float, list[float], list[Array]] | None = None
        for flips in product((1.0, -1.0), repeat=len(open_)):
            side = signs.copy()
            side[open_] *= flips
            found = self._with(side, load)
            if found is not None and (best is None or found[0] > best[0]):
                best = found
        assert best is not None
        return best

    def _with(self, side: Array, load: float) -> tuple[float, list[float], list[Array]] | None:
        """With normal forces of given signs."""
        from scipy.optimize import linprog

        freedoms = self.normal_changes.shape[1]
        cuts: list[tuple[int, Array]] = [
            (k, sign * row) for k, h in enumerate(self.holds) for row in np.eye(len(h)) for sign in (1.0, -1.0)
        ]
        for _ in range(_CUTS):
            # way . (h + H c) - mu side (n + N c) + load s <= 0, and the side is kept
            rows = [
                [*(way @ self.hold_changes[k] - self.frictions[k] * side[k] * self.normal_changes[k]), load]
                for k, way in cuts
            ]
            right = [self.frictions[k] * side[k] * self.normals[k] - float(way @ self.holds[k]) for k, way in cuts]
            rows += [[*(-side[k] * change), 0.0] for k, change in enumerate(self.normal_changes)]
            right += list(side * self.normals)
            scale = load if load else 1.0
            found = linprog(
                [*[0.0] * freedoms, -1.0],
                A_ub=np.array(rows) / scale,
                b_ub=np.array(right) / scale,
                bounds=[(None, None)] * (freedoms + 1),
                method="highs",
                options={"primal_feasibility_tolerance": _TOUCHED, "dual_feasibility_tolerance": _TOUCHED},
            )
            if found.status != 0:
                return None
            c = found.x[:freedoms]
            holds = [h + change @ c for h, change in zip(self.holds, self.hold_changes, strict=True)]
            normals = np.abs(self.normals + self.normal_changes @ c)
            sizes = [float(np.linalg.norm(h)) for h in holds]
            slacks = [float(mu * n - h) / load for mu, n, h in zip(self.frictions, normals, sizes, strict=True)]
            wrong = [k for k, h in enumerate(holds) if len(h) > 1 and slacks[k] < found.x[-1] - _TOUCHED]
            if not wrong:
                break
            cuts += [(k, holds[k] / sizes[k]) for k in wrong]
        return min(slacks), slacks, holds


def shared_load(kept: Array, matrix: Array, stuck: Sequence[tuple[tuple[int, list[int]], Seen]]) -> Shared | None:
    """Of perfect rows (those `kept` count), the combinations that do nothing and touch contacts which stick."""
    left_out = [k for k in range(len(kept)) if not kept[k] and matrix[k].any()]
    if not stuck or not left_out:
        return None
    count = np.flatnonzero(kept)
    sizes = np.linalg.norm(matrix, axis=1)
    changes = np.zeros((len(kept), len(left_out)))
    for j, k in enumerate(left_out):
        parts = np.linalg.lstsq((matrix[count] / sizes[count, None]).T, matrix[k] / sizes[k], rcond=None)[0]
        changes[k, j] = 1 / sizes[k]
        changes[count, j] = -parts / sizes[count]
    changes[np.abs(changes) * sizes[:, None] < _NOTHING] = 0.0
    normals, holds = [n for (n, _), _ in stuck], [rows for (_, rows), _ in stuck]
    own = changes[[*normals, *(k for rows in holds for k in rows)]]
    changes = changes[:, own.any(axis=0)]
    if not changes.shape[1]:
        return None
    return Shared(
        np.array([seen.normal for _, seen in stuck]),
        [seen.hold for _, seen in stuck],
        np.array([seen.friction for _, seen in stuck]),
        changes[normals],
        [changes[rows] for rows in holds],
    )
