"""What a motion tells of its contacts: `floor.gap`, `.rate`, `.slip`, `.force`, `.friction`, `.power` and `.work`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.contact.rows import ContactRow
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.outputs import formula_of
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.simulate.contact.energy import TOTAL, contact_powers, power_on, work_of
from dalembert.simulate.contact.log import Strike

if TYPE_CHECKING:
    from dalembert.simulate.motion.motion import Motion

Array = NDArray[np.float64]
COMPONENTS = frozenset(("Fx", "Fy", "Fz", "Mx", "My", "Mz"))
FORCES = ("force", "friction", "friction2", "rolling", "rolling2", "drilling")
ENERGIES = ("power", "work")


class WithContacts(Mapping[str, Expr]):
    """The outputs of a machine, and gaps, rates and slips of its contacts."""

    def __init__(self, outputs: Mapping[str, Expr], contacts: tuple[ContactRow, ...]) -> None:
        self.outputs, self.own = outputs, dict[str, Expr]()
        for one in contacts:
            if one.press is None:
                self.own |= {f"{one.name}.gap": one.gap, f"{one.name}.rate": one.rate}
            for (speed, _), slip in zip(one.labels, one.slips, strict=True):
                self.own[f"{one.name}.{speed}"] = slip.value

    @property
    def tree(self) -> Any:
        """Of the machine that the outputs are of."""
        return getattr(self.outputs, "tree", None)

    def __getitem__(self, name: str) -> Expr:
        return self.own[name] if name in self.own else self.outputs[name]

    def formula(self, name: str) -> Expr:
        """The same without a warning, as `Outputs.formula`."""
        return self.own[name] if name in self.own else formula_of(self.outputs, name)

    def keeping(self, name: str, kept: Collection[str]) -> Expr:
        """A declared output in which some names stay, as `Outputs.keeping`."""
        found: Expr = self.outputs.keeping(name, kept)  # type: ignore[attr-defined]
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self.outputs

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self.outputs

    def __len__(self) -> int:
        return len(self.own) + len(self.outputs)


def pushes_of(contacts: Iterable[ContactRow]) -> set[str]:
    """Names of the forces, powers and works of contacts that a motion tells."""
    return {f"{one.name}.{x}" for one in contacts for x in ("force", *(f for _, f in one.labels), *ENERGIES)}


def asks_push(motion: Motion, name: str) -> bool:
    """Is it something that contact forces are in, so that a motion tells it, and no formula of its state?"""
    return asks_force(motion, name) or asks_multiplier(motion, name) or (name == TOTAL and touched(motion))


def with_pushes(motion: Motion, exprs: Sequence[Expr]) -> tuple[list[Expr], dict[Expr, Array]]:
    """Expressions, declared outputs opened, in which what contacts push is a symbol of its own, with its values."""
    layout = motion.system.layout
    names = [x.name for x in ex.free_symbols(exprs)]
    parts = names if layout is None else layout.model.parts_of_outputs(names)
    pushed = [name for name in parts if asks_push(motion, name)]
    refuse_disturbed(motion, set(parts) - set(pushed))
    if not pushed:
        return list(exprs), {}
    opened: dict[Expr, Expr] = {}
    if layout is not None:
        outputs: Any = motion.system.outputs
        opened = {ex.symbol(x): outputs.keeping(x, pushed) for x in names if x in layout.model.outputs}
    own = {name: ex.symbol(f"{name} in the motion") for name in pushed}
    found = ex.substitute(ex.substitute(list(exprs), opened), {ex.symbol(name): x for name, x in own.items()})
    return found, {x: push_along(motion, name) for name, x in own.items()}


def push_along(motion: Motion, name: str) -> Array:
    """What contact forces are in, at each time of a motion."""
    if asks_force(motion, name):
        return force_along(motion, name)
    return total_power(motion) if name == TOTAL else multiplier_along(motion, name)


def asks_force(motion: Motion, name: str) -> bool:
    """Is it the force of a contact, its power or its work?"""
    contact, _, what = name.rpartition(".")
    return what in (*FORCES, *ENERGIES) and any(one.name == contact for one in motion.system.contacts)


def force_along(motion: Motion, name: str) -> Array:
    """A contact force at each time of a motion; of time stepping, the impulse of the step over its length."""
    contact, _, what = name.rpartition(".")
    names = [one.name for one in motion.system.contacts]
    if what in ENERGIES:
        return _energy_along(motion, contact, names.index(contact), what)
    i = names.index(contact)
    own = ["force", *(force for _, force in motion.system.contacts[i].labels)]
    if what not in own:
        raise SimulationError(f"contact '{contact}' has no '{what}': it has {', '.join(own)}.")
    part, place = own.index(what), sum(len(one.slips) for one in motion.system.contacts[:i])
    if stepped(motion):
        return _of_steps(motion, contact, lambda strike: (strike.normal, *strike.tangential)[part])
    return np.concatenate([_on(arc, i, part, place) for arc in motion.arcs])


def _of_steps(motion: Motion, contact: str, value: Callable[[Strike], float]) -> Array:
    """Impulses of time stepping over the length of their step; at a time within a step, those of the step."""
    log = motion.contacts
    assert log is not None
    begin, step = motion.arcs[0].span[0], next(s.step for s in log.strikes if s.step)
    found = {round((s.t - begin) / step): value(s) / s.step for s in log.impulses(contact)}
    return np.array([found.get(int(np.ceil((t - begin) / step - 1e-6)), 0.0) for t in motion.t])


def _energy_along(motion: Motion, contact: str, i: int, what: str) -> Array:
    if what == "work":
        if any(arc.contacts is not None and arc.sol is None for arc in motion.arcs):
            raise SimulationError("the work of a contact needs the dense output: simulate with dense_output=True.")
        return work_of(motion, contact)
    if stepped(motion):
        return _of_steps(motion, contact, lambda strike: strike.work)
    pieces = [
        np.zeros(len(arc.t))
        if arc.contacts is None or not len(arc.t)
        else contact_powers(arc.contacts, arc.t, arc.y)[i]
        for arc in motion.arcs
    ]
    return np.concatenate(pieces)


def total_power(motion: Motion) -> Array:
    """`total.power` with contact forces, and with the reactions to them, in it."""
    if stepped(motion):
        refuse_disturbed(motion, [TOTAL])
    return np.concatenate([power_on(motion, arc, arc.t, arc.y) for arc in motion.arcs])


def asks_multiplier(motion: Motion, name: str) -> bool:
    """Is it a multiplier of a constraint, or its power, in a motion in which contacts push?"""
    return touched(motion) and name in _reactions(motion)


def touched(motion: Motion) -> bool:
    """Has a contact pushed for a while, as far as is known?"""
    return any(arc.contacts is not None for arc in motion.arcs) or stepped(motion)


def stepped(motion: Motion) -> bool:
    """Was it made by time stepping, with impulses of contacts in the steps?"""
    log = motion.contacts
    return log is not None and (log.crowd or any(strike.step for strike in log.strikes))


def _reactions(motion: Motion) -> dict[str, tuple[list[int], bool]]:
    """Rows of constraints by the names of their multipliers, powers (which are marked) and frictions."""
    held, found = motion.system.constrained, dict[str, tuple[list[int], bool]]()
    if held is None or motion.system.layout is None:
        return found
    plain = dynamics_of(motion.system.layout).rows
    for owner in dict.fromkeys(held.rows.owners):
        if not (places := plain.of(owner)):  # what holds a contact that sticks has no name of its own
            continue
        found[f"{owner}.power"] = places, True
        found |= {f"{owner}.friction": (places, False) for k in places if k in plain.sliding}
        for k, place in enumerate(places):
            found[f"{owner}.lambda" if len(places) == 1 else f"{owner}.lambda{k + 1}"] = [place], False
    return {name: rows for name, rows in found.items() if name in motion.system.outputs}


def multiplier_along(motion: Motion, name: str) -> Array:
    """A multiplier, or the power of a constraint, with the contact forces in the balance."""
    if stepped(motion):
        refuse_disturbed(motion, [name])
    rows, power = _reactions(motion)[name]
    pieces = []
    for arc in motion.arcs:
        if arc.contacts is None:
            (found,) = motion.values(
                motion.system.in_states_and_rates([ex.symbol(name)]), arc.t, arc.y, arc.parameters, None
            )
        else:
            found = _reaction_on(arc, name, rows, power)
        pieces.append(found)
    return np.concatenate(pieces)


def _reaction_on(arc: Any, name: str, rows: list[int], power: bool) -> Array:
    if name.endswith(".friction"):
        machine = arc.contacts.regime.machine
        (place,) = machine.tangents[machine.kept[machine.rough.index(rows[0])]]
        along: Array = arc.contacts.forces(arc.t, arc.y)[1][place]
        return along
    multipliers, powers = arc.contacts.multipliers(arc.t, arc.y)
    found: Array = (powers if power else multipliers)[rows].sum(axis=0)
    return found


def refuse_disturbed(motion: Motion, names: Iterable[str]) -> None:
    """Outputs that are made without the contact forces are not told where contacts push."""
    if not touched(motion):
        return
    known = _reactions(motion)
    for name in names:
        part = name.rpartition(".")[2]
        link = part in COMPONENTS and name in motion.system.outputs and stepped(motion)
        if link or name in known or name == TOTAL:
            raise SimulationError(
                f"'{name}' is not known while contacts push: contact forces are not in its balance. Known are "
                "forces of contacts (`floor.force`), motions and energies, and everything on motions without contact."
            )


def refuse_slopes(motion: Motion) -> None:
    """Time stepping has impulses, and no accelerations."""
    if stepped(motion):
        raise SimulationError(
            "time stepping knows no accelerations where contacts push: differences of speeds do. Use an adaptive "
            "method, method='DOP853'."
        )


def _on(arc: Any, i: int, part: int, place: int) -> Array:
    if arc.contacts is None or not len(arc.t):
        return np.zeros(len(arc.t))
    normal, tangential = arc.contacts.forces(arc.t, arc.y)
    found: Array = normal[i] if part == 0 else tangential[place + part - 1]
    return found
