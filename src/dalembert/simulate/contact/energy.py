"""Energy that contacts exchange: power of their forces on arcs, work of their impulses, the balance of a motion.

    E(t) - E(0) = work of efforts, drives and contact forces on the arcs + work of impulses at the jumps

The power of a contact force is that of its generalised force, lambda . G u + tau . T u: friction takes energy, and a
gap that moves by itself (G u = -f_t) may give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate.motion.work import work_along

if TYPE_CHECKING:
    from dalembert.simulate.contact.machine import ContactMachine
    from dalembert.simulate.motion.arcs import Arc, Jump
    from dalembert.simulate.motion.motion import Motion

Array = NDArray[np.float64]
TOTAL = "total.power"


def machine_of(motion: Motion) -> ContactMachine:
    """The numbers of its machine: those that moved it where they are at hand."""
    from dalembert.simulate.contact.moreau_jean import contact_machine

    known = (arc.contacts.regime.machine for arc in motion.arcs if arc.contacts is not None)
    return next(known, None) or contact_machine(motion.system)


def power_on(motion: Motion, arc: Arc, t: Array, y: Array) -> Array:
    """Power of all that has no potential at states of an arc, contact forces and the reactions to them included."""
    told = motion.system.in_states_and_rates([ex.symbol(TOTAL)])
    (found,) = motion.values(told, t, y, arc.parameters, arc.contacts)
    if arc.contacts is None or not len(t):
        return found
    found = found + contact_powers(arc.contacts, t, y).sum(axis=0)
    held = motion.system.constrained
    if held is not None and held.works:
        # what total.power has of reactions is without the contacts
        names = [f"{owner}.power" for owner in dict.fromkeys(held.rows.owners)]
        names = [name for name in names if name in motion.system.outputs]
        alone = motion.values(motion.system.in_states_and_rates(map(ex.symbol, names)), t, y, arc.parameters, None)
        found = found + arc.contacts.multipliers(t, y)[1].sum(axis=0) - np.sum(alone, axis=0)
    return found


def driven(motion: Motion) -> bool:
    """Does its power have reactions or accelerations in it, which time stepping does not tell?"""
    told, held = motion.system.in_states_and_rates([ex.symbol(TOTAL)]), motion.system.constrained
    return not ex.free_symbols(told).isdisjoint(motion.system.slopes) or (held is not None and held.works)


def stepped_work(motion: Motion) -> Array:
    """The work of time stepping up to each time: impulses of the steps, and efforts by the trapezoidal rule."""
    if driven(motion):
        raise SimulationError(
            f"the work along this motion of '{motion.system.name}' is not known: time stepping does not tell what its "
            "drives do. Use an adaptive method, method='DOP853'."
        )
    told, pieces, done = motion.system.in_states_and_rates([ex.symbol(TOTAL)]), [], 0.0
    assert motion.contacts is not None
    struck = sorted((strike.t, strike.work) for strike in motion.contacts.strikes)
    times, works = np.array([t for t, _ in struck]), np.cumsum([0.0, *(work for _, work in struck)])
    for arc in motion.arcs:
        t, y = (arc.t, arc.y) if arc.sol is None else (arc.sol.t, arc.sol.y.T)
        (power,) = motion.values(told, t, y, arc.parameters)
        steps = np.diff(t)
        work = done + np.concatenate([[0.0], np.cumsum(steps * (power[1:] + power[:-1]) / 2)])
        half = 0.5 * float(steps.min(initial=np.inf)) if len(steps) else 0.0
        place = np.searchsorted(times, arc.t + half)  # an impulse is of the step that ends at its time
        pieces.append(np.interp(arc.t, t, work) + works[place])
        done = work[-1] if len(work) else done
    return np.concatenate(pieces)


def contact_powers(contacts: Any, t: Array, y: Array) -> Array:
    """Power of each contact's force at states in the columns of y: a row for each contact that opens.

    Those that are kept are constraints, whose powers `multipliers` tell.
    """
    regime, found = contacts.regime, []
    count = len(regime.machine.system.contacts)
    for a, b in zip(t, y.T, strict=True):
        now = regime.machine.at(float(a), b, regime.p)
        done = regime.solve(now)
        power = (done.normal * (now.normal @ now.speeds))[:count]
        rubbed = done.tangential * (now.tangent @ now.speeds)
        for i, places in enumerate(regime.machine.tangents[:count]):
            power[i] += rubbed[places].sum()
        found.append(power)
    return np.array(found).T


def work_of(motion: Motion, contact: str) -> Array:
    """Work of one contact up to each time: of its force on the arcs, and of its impulses."""
    log, i = motion.contacts, [one.name for one in motion.system.contacts].index(contact)
    assert log is not None
    done, parts = 0.0, []
    for arc in motion.arcs:
        found = np.zeros(len(arc.t) + 1)
        if arc.contacts is not None and arc.sol is not None:
            end = np.append(arc.t, arc.sol.t[-1])
            found = work_along(arc.sol, end, lambda t, y, c=arc.contacts: contact_powers(c, t, y)[i])  # type: ignore[misc]
        parts.append(done + found[:-1])
        done += found[-1]
    times = np.array([strike.t for strike in log.impulses(contact)])
    works = np.cumsum([0.0, *(strike.work for strike in log.impulses(contact))])
    if not len(times):
        return np.concatenate(parts)
    struck, number = list[Array](), 0
    for arc in motion.arcs:  # an impact at the time of a jump is in the arc after it
        if len(arc.t):
            begin = arc.span[0]
            number = int(np.searchsorted(times, begin, side="right"))
        later = np.searchsorted(times, arc.t, side="right") if any(s.step for s in log.strikes) else number
        struck.append(works[later] + np.zeros(len(arc.t)))
    return np.concatenate(parts) + np.concatenate(struck)


def jump_fault(motion: Motion, jump: Jump, parameters: Any) -> float:
    """Energy that a jump has changed beside the work of its impulses and of the reactions to them.

    T+ - T- is the work of M (u+ - u-) in the mean speeds: what of it is neither impulse of a contact nor a push of a
    constraint has no cause.
    """
    log, machine = motion.contacts, machine_of(motion)
    assert log is not None
    states = motion.system.states
    before, after = (np.array([side[name] for name in states]) for side in (jump.before, jump.after))
    p = np.array([parameters.get(name, np.nan) for name in motion.system.known_parameters])
    now, n = machine.at(jump.t, after, p), machine.coordinates
    change, mean = after[n:] - before[n:], (after[n:] + before[n:]) / 2
    left = now.mass @ change
    names = list(machine.names)
    for strike in log.strikes:
        if strike.t == jump.t:
            i = names.index(strike.contact)
            left = (
                left - strike.normal * now.normal[i] - now.tangent[machine.tangents[i]].T @ np.array(strike.tangential)
            )
    pushes = now.pushes[now.kept]
    if len(pushes):
        left = left - pushes.T @ np.linalg.lstsq(pushes.T, left, rcond=1e-12)[0]
    return abs(float(left @ mean))
