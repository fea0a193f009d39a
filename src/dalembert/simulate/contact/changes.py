"""What a change of contacts writes into the log of a motion: impulses, events by name, states from there on."""

from __future__ import annotations

from dalembert.contact.rows import DRILLING, ROLLING
from dalembert.simulate.contact.decide import Happening
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.mode import Mode

_TURNS = {ROLLING: "roll", DRILLING: "drill"}
_BECOMES = {"open": "opens", "closed": "closes", "stick": "sticks", "slip": "slips"}


def tell_changes(machine: ContactMachine, t: float, happened: Happening, old: Mode | None) -> None:
    """At t the mode `old` has become that of what happened; without an old one the motion begins."""
    log, names, mode = machine.log, machine.names, happened.mode
    for struck in happened.strikes:
        log.impulse(t, struck.contacts, struck.pulses, struck.works)
    for i, what in happened.events:
        log.event(t, names[i], what)
    states = {i: mode.state(i, machine) for i in range(len(names))}
    if old is not None:
        for i, state in states.items():
            was = old.state(i, machine)
            if was != state and (was != "open" or i not in machine.kept):
                log.event(t, names[i], _BECOMES[state])
        for k, rub in enumerate(machine.rubs):
            if rub.kind in _TURNS and (k in old.slip) != (k in mode.slip) and rub.contact in mode.closed:
                log.event(t, names[rub.contact], _TURNS[rub.kind] + ("s" if k in mode.slip else "ing_ends"))
    log.state(t, states)
    for remark in happened.remarks:
        log.remark(remark)
