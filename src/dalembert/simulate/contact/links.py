"""Efforts in links while contacts push: the balance of all bodies with contact forces and the reactions to them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.analysis.reactions import Balance, Series, balance_of
from dalembert.constraints.actions import Actions, constraint_actions
from dalembert.constraints.friction import press_name, stick_name
from dalembert.contact.actions import contact_actions
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.mode import Forces
from dalembert.simulate.contact.sides import sticking

Array = NDArray[Any]


@lru_cache(maxsize=8)
def _balance(layout: Layout) -> tuple[Balance, list[ex.Expr], list[list[ex.Expr]]]:
    """The balance of a machine with symbols for its multipliers, and for the forces of each contact."""
    about = dynamics_of(layout)
    weights = [ex.symbol(f"multiplier {k}") for k in range(len(about.rows) if about.closed else 0)]
    forces = [
        [ex.symbol(f"contact force {i} {k}") for k in range(1 + len(row.slips))]
        for i, row in enumerate(contact_rows(about))
    ]
    acting = constraint_actions(about.tree, about.rows, weights) if layout.further else Actions()
    return Balance(about, contact_actions(about, forces, acting)), weights, forces


def efforts_in_links(
    layout: Layout, t: Array, y: Array, parameters: Mapping[str, float], contacts: Forces | None
) -> Series:
    """Efforts in all links at states of an arc, and of the contacts that push in it."""
    if contacts is None or not len(t):
        return balance_of(layout).at(t, y, parameters)
    balance, weights, forces = _balance(layout)
    names = [ex.symbol(x) for x in layout.state.names]
    known: dict[ex.Expr, Any] = dict(zip(map(ex.prime, names), contacts.accelerations(t, y), strict=True))
    normal, tangential = contacts.forces(t, y)
    place = 0
    for i, (first, *rubbing) in enumerate(forces):
        known[first] = normal[i]
        for k, symbol in enumerate(rubbing):
            known[symbol] = tangential[place + k]
        place += len(rubbing)
    if weights:
        told = contacts.multipliers(t, y)[0]
        known |= dict(zip(weights, _spread(contacts.regime.machine, layout, told, tangential), strict=True))
        parameters = {**parameters, **dict.fromkeys(sticking(contacts.regime.machine, ()), 1.0)}
    return balance.at(t, y, parameters, known)


def _spread(machine: ContactMachine, layout: Layout, told: Array, tangential: Array) -> Array:
    """Multipliers by the rows of a layout in which what rubs has rows that hold it: its forces are theirs."""
    rows, plain = dynamics_of(layout).rows, machine.rows
    found = np.zeros((len(rows), told.shape[1]))
    for owner in dict.fromkeys(plain.owners):
        found[rows.of(owner)] = told[plain.of(owner)]
    for k, i in zip(machine.rough, machine.kept, strict=True):
        name = machine.names[i]
        found[rows.of(name)] = 0.0
        found[rows.of(press_name(name))] = told[k]
        found[rows.of(stick_name(name))] = tangential[machine.tangents[i]]
    return found
