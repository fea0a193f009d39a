"""How good a motion is: what should stay closed, balanced, constant or of length one, and by how much it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.coupling import WEAK
from dalembert.errors import SimulationError, warn
from dalembert.expr import Expr
from dalembert.presentation.told import Told
from dalembert.simulate.contact.energy import driven, jump_fault
from dalembert.simulate.contact.outputs import stepped
from dalembert.simulate.motion.arcs import Arc
from dalembert.simulate.motion.hold import WeakestHold, weakest_hold
from dalembert.simulate.motion.imbalance import laws_that_strike, springs_beyond, why_unbalanced

if TYPE_CHECKING:
    from dalembert.simulate.motion.motion import Motion
    from dalembert.simulate.system.system import Constrained, System

Array = NDArray[np.float64]
M = TypeVar("M", bound="Motion")

OPEN = 1e-6
"""A gap larger than this share of the machine is an open loop: a millionth can be seen in no drawing of it."""
UNBALANCED = 1e-4
"""Energy that appears or vanishes, in parts of the largest exchanged: visible as a line that is not level."""
ROUGH = 1e-2
"""The same of time stepping, where impacts fall anywhere in a step: order one, a hundredth with usual steps."""
CLOSED, BALANCED = 1e-10, 1e-8
"""What a motion keeps with small tolerances: a gap as a share of the machine, energy in parts of that exchanged."""
SHORT = 1e-3
"""Of the longest step: a motion that loses something at a singular posture steps through it by shorter ones."""
_MOST = 64
"""Instants of an arc at which it is judged."""
_LEVEL = 1e-9
"""Of the potential energy's own size: where less than this is exchanged, rounding is all that could be seen."""
_QUICK = 2000
"""Steps up to which a motion is judged at once; a longer one when its `quality` is asked for."""
_QUICK_TOUCHING = 100
"""The same of steps while contacts push: their forces are solved for once more, instant by instant."""

_FINER = "take smaller tolerances or steps"


@dataclass(frozen=True, slots=True)
class Quality(Told):
    """Largest faults along a motion, all dimensionless; None where there is nothing to judge.

    `closure`: gap of the loops in parts of the motions that must cancel; `energy`: E(t) - E(0) - work in parts of the
    largest energy exchanged; `norm`: quaternions; `integrals`: drift of momenta that are known to be constant.
    `inside` is the deepest that a contact is crossed, in parts of the machine. `singular` are instants at which the
    motion stepped through a posture where its loops do not tell motions apart; it is `undecided` if it starts there
    at rest: any of the branches could be taken. With contacts `energy` counts the work
    of their forces and impulses; that of time stepping shrinks with the step.
    `hold` is the smallest coupling number of its devices (`m.coupling`) on the way, and where. `wrapped` are torsion
    springs that turn beyond half a turn, `struck` laws in time whose speed jumps, looked for where the energy is not
    balanced.
    """

    closure: float | None = None
    energy: float | None = None
    norm: float | None = None
    integrals: Mapping[str, float] = field(default_factory=dict)
    singular: tuple[float, ...] = ()
    undecided: bool = False
    inside: float | None = None
    rough: bool = False
    hold: WeakestHold | None = None
    wrapped: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is not small, in words."""
        found = []
        if self.closure is not None and not self.closure < OPEN:
            found.append(f"a loop is open by {self.closure:.2g} of its size")
        if self.energy is not None and not self.energy < (ROUGH if self.rough else UNBALANCED):
            found.append(
                f"the energy balance is off by {self.energy:.2g} of the largest energy exchanged: "
                + (why_unbalanced(self.wrapped, self.struck) or _FINER)
            )
        if self.norm is not None and not self.norm < OPEN:
            found.append(f"a quaternion is off the unit sphere by {self.norm:.2g}")
        if self.undecided:
            found.append(
                "it starts at rest in a singular posture, where branches meet, and no speed says which it takes: "
                "this is one of its motions. Start beside that posture, or with a speed"
            )
        if self.singular and ((self.closure or 0.0) > CLOSED or (self.energy or 0.0) > BALANCED):
            found.append(
                f"it goes slowly through a singular posture at t = {self.singular[0]:.6g}, where its loops do not tell "
                f"branches apart: from there on the loops are closed to {self.closure or 0.0:.1g}, the energy is "
                f"balanced to {self.energy or 0.0:.1g}. Start beside that posture, or pass it faster"
            )
        if self.hold is not None and self.hold.kappa < WEAK:
            found.append(str(self.hold))
        for name, drift in self.integrals.items():
            if not drift < UNBALANCED:
                found.append(f"{name} should be constant and drifts by {drift:.2g} of its size")
        return tuple(found)

    def __str__(self) -> str:
        told = {"closure": self.closure, "energy balance": self.energy, "unit quaternions": self.norm, **self.integrals}
        told["deepest crossing of a contact"] = self.inside
        told["coupling"] = None if self.hold is None else self.hold.kappa
        lines = [f"{name}: {value:.2g}" for name, value in told.items() if value is not None]
        return "; ".join(lines) or "nothing to judge"

    def as_dict(self) -> dict[str, Any]:
        return {
            "closure": self.closure,
            "energy": self.energy,
            "norm": self.norm,
            "integrals": dict(self.integrals),
            "singular": list(self.singular),
            "undecided": self.undecided,
            "inside": self.inside,
            "coupling": None if self.hold is None else self.hold.kappa,
            "remarks": list(self.remarks),
        }


@ex.uncollected()
def quality_of(motion: Motion) -> Quality:
    """Judge a motion at up to 64 instants of each arc."""
    if motion.contacts is not None and motion.contacts.crowd:
        return Quality(None, None, _norm(motion))
    seen = _seen(motion)
    told = (closure_of(motion), _energy(motion, seen), _norm(motion))
    hold, loose = weakest_hold(motion), told[1] is not None and told[1] >= UNBALANCED
    wrapped, struck = (springs_beyond(motion, seen), laws_that_strike(motion)) if loose else ((), ())
    if motion.system.contacts:  # what contacts push is no first integral
        return Quality(
            *told, inside=_inside(motion, seen), rough=stepped(motion), hold=hold, wrapped=wrapped, struck=struck
        )
    integrals, singular = _integrals(motion, seen), passages(motion)
    return Quality(*told, integrals, singular, _undecided(motion, singular), hold=hold, wrapped=wrapped, struck=struck)


def _undecided(motion: Motion, singular: tuple[float, ...]) -> bool:
    """Does it start singular and at rest, and move?"""
    first, system = motion.arcs[0], motion.system
    if not singular or first.sol is None or singular[0] != first.sol.t[0] or _stands(motion):
        return False
    scales = system.scale_of(first.parameters, first.sol.y[0], float(first.sol.t[0]))
    return bool((np.abs(first.sol.y[0]) <= _LEVEL * scales)[len(system.coordinates) :].all())


class QualityWarning(UserWarning):
    """A motion that does not keep what should be kept."""


def checked(motion: M) -> M:
    """The same motion, if its loops are closed; what else is not small is said in a warning."""
    closure = closure_of(motion)
    if closure is not None and not closure < OPEN:
        sentence = f"a loop of '{motion.system.name}' is open by {closure:.2g} of its size"
        raise SimulationError(
            f"{sentence}: the constraints could not be kept.\n"
            "  What to do: start at a posture that is not singular, take smaller tolerances, or method='DAE' with "
            "small steps. The motion is in the error's `partial`.",
            partial=replace(motion, status=-1, message=sentence),
        )
    if motion.accepted <= _QUICK and _touching(motion) <= _QUICK_TOUCHING:
        for remark in motion.quality.remarks:
            warn(f"'{motion.system.name}': {remark}.", QualityWarning)
    return motion


def closure_of(motion: Motion) -> float | None:
    """The largest gap of a loop along a motion, in parts of what it is made of anywhere: an arc may rest at nothing."""
    worst = None
    for parameters, arcs in groupby(motion.arcs, key=lambda arc: dict(arc.parameters)):
        states = [_judged(arc) for arc in arcs]
        t, y = np.concatenate([a for a, _ in states]), np.concatenate([b for _, b in states], axis=1)
        found = gaps(motion.system, t, y, parameters) if len(t) else None
        if found is not None:
            worst = max(worst or 0.0, float(np.max(np.nan_to_num(found, nan=np.inf))))
    return worst


def gaps(system: System, t: Array, y: Array, parameters: Mapping[str, Any], *, apart: bool = False) -> Array | None:
    """How far the loops are from closed at states in the columns of `y`; nothing where there are none.

    Each gap in parts of what its row is made of, for displacements of the machine's scale: the most along the motion,
    or, where the columns are motions `apart` from each other, of its own: a large machine says nothing of a small one.
    """
    held = system.constrained.rows if system.constrained is not None else None
    if held is None or not any(gap is not None for gap in held.gap):
        return None
    rows = [i for i, gap in enumerate(held.gap) if gap is not None]
    lines = held.made_of.rows()
    parts = [(k, j, x) for k, i in enumerate(rows) for j, x in enumerate(lines[i]) if x is not ex.ZERO]
    values: dict[Expr, Any] = dict(zip(system.symbols, y, strict=True)) | {ex.TIME: t}
    values |= {ex.symbol(name): number for name, number in parameters.items()}
    asked = [*(gap for gap in held.gap if gap is not None), *(held.reach[i] for i in rows), *(x for _, _, x in parts)]
    found = np.empty((len(asked), len(t)))
    for k, value in enumerate(ex.evaluate(asked, values)):
        found[k] = np.abs(np.asarray(value, dtype=float))
    one = {name: float(np.ravel(number)[0]) for name, number in parameters.items()}
    scales = system.scale_of(one, y[:, 0], float(t[0]))[len(system.coordinates) :]
    gap, reach, made = found[: len(rows)], found[len(rows) : 2 * len(rows)], np.zeros((len(rows), len(t)))
    for (k, j, _), size in zip(parts, found[2 * len(rows) :], strict=True):
        made[k] += scales[j] * size
    whole = np.maximum(made, reach)
    if not apart:
        whole = whole.max(axis=1, keepdims=True)  # nothing that slides turns: `made` may be nothing
    share: Array = gap / np.maximum(whole, 1e-300)
    return np.max(share, axis=0)


def passages(motion: Motion) -> tuple[float, ...]:
    """Instants, one for each passage, at which fewer rows count than elsewhere: the posture is singular there."""
    held, found = motion.system.constrained, list[float]()
    if held is None:
        return ()
    for arc in motion.arcs:
        if arc.sol is None or len(arc.sol.t) < 2:
            continue
        t, y = arc.sol.t, arc.sol.y.T
        steps = np.abs(np.diff(t))
        short = np.flatnonzero(steps < SHORT * steps.max())
        some = np.unique([0, len(t) // 2, len(t) - 1, *short])
        counts = _counted(motion.system, held, t[some], y[:, some], arc.parameters)
        fewer = counts < counts.max()
        begins = fewer & ~np.concatenate([[False], fewer[:-1]])
        found += t[some][begins].tolist()
    return tuple(found)


def _counted(system: System, held: Constrained, t: Array, y: Array, parameters: Mapping[str, Any]) -> Array:
    """How many rows count at states in the columns of y."""
    if held.resolved is None:
        p = np.array([parameters.get(name, np.nan) for name in system.known_parameters])
        pairs = zip(t.tolist(), y.T, strict=True)
        return np.array([system.machine.count(a, b, p) for a, b in pairs], dtype=float)
    values: dict[Expr, Any] = dict(zip(system.symbols, y, strict=True)) | {ex.TIME: t}
    values |= {ex.symbol(name): number for name, number in parameters.items()}
    told: Array = sum(np.broadcast_to(x, t.shape) for x in ex.evaluate(held.resolved.kept, values)) + np.zeros(t.shape)
    return told


def _judged(arc: Arc) -> tuple[Array, Array]:
    """Some of the steps of an arc, its end among them."""
    t, y = (arc.t, arc.y) if arc.sol is None else (arc.sol.t, arc.sol.y.T)
    some = np.unique(np.linspace(0, len(t) - 1, _MOST).round().astype(int)) if len(t) else np.zeros(0, dtype=int)
    return t[some], y[:, some]


def _seen(motion: Motion) -> Motion:
    arcs = []
    for arc in motion.arcs:
        t, y = _judged(arc)
        arcs.append(replace(arc, t=t, y=y))
    return replace(motion, arcs=tuple(arcs))


def _energy(motion: Motion, seen: Motion) -> float | None:
    """E(t) - E(0) - work on each arc."""
    if motion.sol is None or "total.power" not in motion.system.outputs or not _known(motion, ("T", "V", "power")):
        return None
    if motion.contacts is not None and stepped(motion) and driven(motion):
        return None
    kinetic, potential, work = seen.kinetic_energy(), seen.potential_energy(), seen.work()
    if not len(kinetic) or _stands(seen):
        return None
    energy, rounding = kinetic + potential, _LEVEL * float(np.max(np.abs(potential)))
    scale = max(float(np.max(kinetic)), float(np.ptp(potential)), float(np.ptp(work)), rounding)
    return (_spread(seen, energy - work) + _at_jumps(motion)) / scale if scale > 0 else None


def _at_jumps(motion: Motion) -> float:
    """Energy that impacts have changed by more or less than the work of their impulses, at the most."""
    if motion.contacts is None:
        return 0.0
    faults = [0.0]
    for jump in motion.jumps:
        if jump.event not in (*motion.event_names, "joined"):  # what users change has no cause here
            k = next((k for k, arc in enumerate(motion.arcs) if arc.span[0] >= jump.t), -1)
            faults.append(jump_fault(motion, jump, motion.arcs[k].parameters))
    return max(faults)


def _inside(motion: Motion, seen: Motion) -> float:
    """The deepest crossing of a contact, in parts of the largest coordinate scale."""
    gaps = [ex.symbol(f"{one.name}.gap") for one in motion.system.contacts if one.press is None]
    deepest = min((float(np.min(gap, initial=0.0)) for gap in seen.evaluate(gaps)), default=0.0) if gaps else 0.0
    first = motion.arcs[0]
    scales = motion.system.scale_of(first.parameters, first.y[:, 0], float(first.t[0])) if len(first.t) else np.ones(1)
    return abs(deepest) / float(np.max(scales[: max(len(motion.system.coordinates), 1)]))


def _touching(motion: Motion) -> int:
    """Steps of arcs on which contacts push, and jumps."""
    steps = sum(len(arc.t if arc.sol is None else arc.sol.t) for arc in motion.arcs if arc.contacts is not None)
    return steps + (len(motion.jumps) if motion.contacts is not None else 0)


def _stands(seen: Motion) -> bool:
    """Does nothing move but by rounding? Then no energy is exchanged that could be balanced."""
    system = seen.system
    if system.scales is None:
        return False
    size = system.scales.at({ex.symbol(name): number for name, number in seen.parameters.items()})
    return all((np.ptp(arc.y, axis=1) <= _LEVEL * size)[: len(system.coordinates)].all() for arc in seen.arcs)


def _known(motion: Motion, kinds: tuple[str, ...]) -> bool:
    """Have all parameters of these outputs a value?"""
    system = motion.system
    used = frozenset[Expr]().union(*(system.energy_symbols[kind] for kind in kinds))
    lacking = {x.name for x in used - set(system.symbols) - {ex.TIME}} - {*motion.parameters}
    return lacking <= {x.name for x in system.slopes}


def _norm(motion: Motion) -> float | None:
    system = motion.system
    if not system.quaternions:
        return None
    worst = [
        float(np.max(np.abs(np.linalg.norm(y[row], axis=0) - 1), initial=0.0))
        for y in (_judged(arc)[1] for arc in motion.arcs)
        for row in system.quaternion_rows
    ]
    return max(worst, default=0.0)


def _integrals(motion: Motion, seen: Motion) -> dict[str, float]:
    """Momenta of coordinates that neither energy contains, where nothing else acts (cyclic coordinates)."""
    system = motion.system
    if system.constrained is not None or not _known_conservative(motion):
        return {}
    kept = system.kept("cyclic momenta", lambda: _cyclic(system))
    return {f"the momentum of '{coordinate}'": _drift(seen, momentum, speed) for coordinate, speed, momentum in kept}


def _cyclic(system: System) -> list[tuple[str, str, Expr]]:
    """Coordinates that neither energy contains, whose rates are speeds, with these and their momenta."""
    kinetic, used = system.energies["T"], system.energy_symbols["T"] | system.energy_symbols["V"]
    found, speeds = [], frozenset(system.speeds)
    for coordinate, rate in zip(system.coordinates, system.rates, strict=False):
        speed = rate.name if rate.op == "symbol" else ""
        if speed in speeds and ex.symbol(coordinate) not in used:
            found.append((coordinate, speed, ex.derivative(kinetic, ex.symbol(speed))))
    return found


def _known_conservative(motion: Motion) -> bool:
    outputs = motion.system.outputs
    return "total.V" in outputs and outputs.get("total.power") is ex.ZERO and _known(motion, ("T", "V"))


def _drift(seen: Motion, momentum: Expr, speed: str) -> float:
    """How much a momentum changes on an arc, in parts of the largest that the kinetic energy allows: sqrt(2 T M).

    M is the momentum of a unit speed: momenta are linear in the speeds.
    """
    unit = np.array([[float(name == speed)] for name in seen.system.states])
    moves = (np.arange(len(unit)) < len(seen.system.coordinates)).astype(float)[:, None]
    values, inertias = list[Array](), list[Array]()
    for arc in seen.arcs:
        three = np.concatenate([arc.y, arc.y * moves, arc.y * moves + unit], axis=1)
        found = seen.values([momentum], np.tile(arc.t, 3), three, arc.parameters)[0].reshape(3, -1)
        values.append(found[0])
        inertias.append(found[2] - found[1])
    most = float(np.max(np.abs(2 * seen.kinetic_energy() * np.concatenate(inertias)), initial=0.0))
    return _spread(seen, np.concatenate(values)) / max(most**0.5, 1e-300)


def _spread(seen: Motion, values: Array) -> float:
    """The largest difference of values within one arc; a jump between arcs is no fault."""
    edges = np.cumsum([0, *(len(arc.t) for arc in seen.arcs)])
    return max((float(np.ptp(values[a:b])) for a, b in pairwise(edges) if b > a), default=0.0)
