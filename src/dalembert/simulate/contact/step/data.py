"""The arrays of compiled steps: tables of a state, the plan of the machine, room for one step, what is told of all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.few.rubbing import Rubs, Swept
from dalembert.contact.rows import SLIDING
from dalembert.simulate.contact.machine import ContactMachine

Array = NDArray[Any]

DONE, ASK = 0, 1
"""Why steps end: all are made; the next one is for Python to decide, or to refuse."""
PROJECTIONS = ("none", "direct", "all", "combined")
NONE, DIRECT, ALL, COMBINED = range(4)


class Tables(NamedTuple):
    """The numbers of `ContactMachine` at one state; all but the first are parts of it."""

    whole: Array
    mass: Array
    right: Array
    matrix: Array
    pushes: Array
    made_of: Array
    seen: Array
    scales: Array
    conditions: Array
    closure: Array
    offset: Array
    gap: Array
    held: Array
    past: Array
    rate: Array
    normal: Array
    drift: Array
    slip: Array
    tangent: Array
    restitution: Array
    friction: Array
    static: Array


class Plan(NamedTuple):
    """What does not change: addresses of numbers, kinematics and slopes; where numbers go; rubs of contacts; units."""

    code: Array
    places: Array
    parameters: Array
    quaternions: Array
    rounding: Array
    imperfect: Array
    first: Array
    begin: Array
    end: Array
    slides: Array
    sizes: Array


class Room(NamedTuple):
    """Memory of a step: nothing is asked of the system's."""

    time: Array
    flat: Array
    y: Array
    trial: Array
    rates: Array
    rest: Array
    v: Array
    new: Array
    free: Array
    left: Array
    slopes: Array
    matrix: Array
    order: Array
    columns: Array
    small: Array
    small_order: Array
    kept: Array
    basis: Array
    noises: Array
    made: Array
    active: Array
    asked: Array
    rows: Array
    pulses: Array
    w: Array
    right: Array
    last: Array
    was: Array
    scale: Array
    on: Array
    table: Array
    base: Array
    tall: Array
    wide: Array
    gaps: Array
    shift: Array
    ordered: Array
    tau: Array
    counts: Array


def tables_of(machine: ContactMachine) -> Tables:
    """Zeros, with each table a part of the whole."""
    sizes = [int(np.prod(machine.parts[name].shape)) for name in Tables._fields[1:]]
    whole, places = np.zeros(sum(sizes)), np.concatenate([[0], np.cumsum(sizes)])
    parts = [
        whole[places[k] : places[k + 1]].reshape(machine.parts[name].shape) for k, name in enumerate(Tables._fields[1:])
    ]
    return Tables(whole, *parts)


def places_of(machine: ContactMachine) -> Array:
    """Where each number of the compiled function stands in the whole of a table, or -1."""
    total = sum(len(part.places) for part in machine.parts.values())
    found, begin = np.full(total, -1, dtype=np.int64), 0
    for name in Tables._fields[1:]:
        part = machine.parts[name]
        found[part.begin : part.begin + len(part.places)] = begin + part.places
        begin += int(np.prod(part.shape))
    return found


def plan_of(machine: ContactMachine, slopes: Any, parameters: Array, sizes: Array) -> Plan:
    """The plan of a machine with contacts."""
    numbers, kinematics = machine.functions
    first = np.concatenate([[0], np.cumsum([len(some) for some in machine.rubs_of])])
    ends = [(rub.places[0], rub.places[-1] + 1, rub.kind == SLIDING) for rub in machine.rubs]
    rubs = np.array(ends, dtype=np.int64).reshape(-1, 3)
    return Plan(
        np.array([numbers.address, kinematics.address, 0 if slopes is None else slopes.address], dtype=np.int64),
        places_of(machine),
        np.ascontiguousarray(parameters, dtype=np.float64),
        np.array(machine.quaternions, dtype=np.int64).reshape(-1, 4),
        machine.rounding,
        np.array(machine.imperfect, dtype=np.int64),
        first.astype(np.int64),
        *(np.ascontiguousarray(rubs[:, k]) for k in range(3)),  # type: ignore[call-arg]
        np.ascontiguousarray(sizes, dtype=np.float64),
    )


def room_of(plan: Plan, tables: Tables, coordinates: int) -> Room:
    """Room for one step of a machine."""
    n, k, c, s = len(tables.right), len(tables.closure), len(tables.gap), len(tables.slip)
    size, rows, most = coordinates + n, c + s, k + c
    shapes: dict[str, tuple[int, ...]] = {
        "time": (1,), "flat": (len(plan.places),), "y": (size,), "trial": (size,), "rates": (coordinates,),
        "rest": (coordinates,), "v": (n,), "new": (n,), "free": (n,), "left": (n,), "slopes": (2 * n * n,),
        "matrix": (n, n), "columns": (n, 2 + k + rows), "small": (k, k), "basis": (k, n), "noises": (k,),
        "made": (k, k), "rows": (rows, n), "pulses": (rows,), "w": (rows, rows), "right": (rows,), "last": (rows,),
        "scale": (rows,), "table": (max(c, 1), 2 * c + 2), "tall": (most, most), "wide": (max(k, most), 1 + rows),
        "gaps": (most,), "shift": (most,), "tau": (most,),
    }  # fmt: skip
    whole: dict[str, int] = {
        "order": n, "small_order": k, "kept": k, "active": c, "asked": c, "was": c, "on": c, "base": rows,
        "ordered": max(most, rows), "counts": 4,
    }  # fmt: skip
    made = {name: np.zeros(shape) for name, shape in shapes.items()}
    made |= {name: np.zeros(length, dtype=np.int64) for name, length in whole.items()}
    return Room(**made)


def rubs_of(contacts: int, slips: int) -> tuple[Rubs, Swept]:
    """Room for the friction of all contacts at once."""
    m = contacts + slips
    rubs = Rubs(*(np.zeros(size, dtype=np.int64) for size in (1, contacts + 1, contacts, contacts + 1, slips, slips)),  # type: ignore[call-arg]
                np.zeros(slips))  # fmt: skip
    square, line = (lambda: np.zeros((m, m))), (lambda: np.zeros(m))
    whole = [np.zeros(m, dtype=np.int64) for _ in range(3)]
    made = Swept(  # type: ignore[call-arg]
        square(), *(line() for _ in range(8)), square(), line(), line(), whole[0], line(), whole[1], whole[2],
        np.zeros((3, 3)), np.zeros(3), np.zeros(3),
    )  # fmt: skip
    return rubs, made
