"""Constraints with dry friction beside contacts: contacts that never open, and are pushed from one side or the other.

The reaction lambda n - mu |lambda| s / |s| t of a condition that is kept is, with the normal turned to the side from
which it is pushed (lambda >= 0), the force of a contact with friction. So each of them is a contact of the machine
that stays closed; where its force falls to nothing it is pushed from the other side from there on. Which sides, and
what sticks or slips, is decided together with all contacts, in impacts as in motion.
"""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.contact.rows import ContactRow, slip_of
from dalembert.dynamics import Dynamics
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO
from dalembert.kinematics import in_state
from dalembert.mechanism import Coulomb
from dalembert.mechanism.contact import Contact, Gap


def kept_rows(about: Dynamics, beside: tuple[ContactRow, ...]) -> tuple[ContactRow, ...]:
    """The rows of constraints that rub, as those of contacts."""
    rows, tree = about.rows, about.tree
    if not about.closed or not rows.sliding:
        return ()
    own = {one.coordinate: one.rate for one in rows.own}
    moving = {ex.TIME: ONE, **tree.rates, **own}
    reactions = {one.name: one.reaction for one in tree.layout.further}
    matrix, found = rows.matrix.rows(), []
    for k in rows.sliding:
        name = rows.owners[k]
        reaction = reactions[name]
        assert isinstance(reaction, Coulomb)
        friction, *slips = in_state(tree, [reaction.friction, *reaction.slip], own)
        contact = Contact(name, Gap(ZERO, tuple(slips)), friction=friction)
        sliding = tuple(slip_of(contact, x, tree.speeds, moving) for x in slips)
        _refuse_planes(contact, sliding, beside)
        gap = rows.gap[k]
        found.append(
            ContactRow(
                contact,
                gap=ZERO,
                held=ZERO if gap is None else gap,
                past=None,
                feature=ZERO,
                falling=ZERO,
                rate=rows.conditions[k],
                row=tuple(matrix[k]),
                drift=rows.drift[k],
                least=rows.gamma[k],
                slips=sliding,
            )
        )
    return tuple(found)


def _refuse_planes(contact: Contact, slips: tuple[object, ...], beside: tuple[ContactRow, ...]) -> None:
    """All ways to stick and slip are tried, on either side: directions in a plane are too many."""
    wide = [one.name for one in beside if any(len(rub.slips) > 1 for rub in one.rubs)]
    if len(slips) > 1 or wide:
        who = f"constraint '{contact.name}'" if len(slips) > 1 else f"contact '{wide[0]}'"
        raise ModelError(
            f"{who} slides in two directions, and dry friction of '{contact.name}' beside contacts is known along "
            "one: give each slip one component, or write the constraint as contacts with friction from both sides."
        )
