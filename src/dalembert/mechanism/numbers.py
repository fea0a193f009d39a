"""Numbers of a model: what no body can have is refused, what is missing is told with what it belongs to."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism.body import EARTH, Body
from dalembert.mechanism.contact import COEFFICIENTS, coefficient_fault
from dalembert.mechanism.link import Link
from dalembert.mechanism.model import Model

#: Share of the largest principal inertia that counts as zero: people and files write nine digits.
_WRITTEN = 1e-9
#: Symbols that LSD makes for a field that a body leaves open: mass, place and axes of the inertia frame, inertia.
_OPEN = re.compile(r"mu_\d+|[vm]\w+[TR]_\w+|mIg_\w+")


def check_body(body: Body) -> None:
    """Refuse what no body can be: negative mass, inertias that break the triangle inequality."""
    for message in _impossible(body, {}):
        raise ModelError(message)


def check_numbers(model: Model, values: Mapping[str, Any]) -> None:
    """Refuse values (numbers, or arrays of one for each trajectory) with which a body or contact cannot be.

    What has numbers that are not all known is not judged.
    """
    for _, message in (*impossible_bodies(model, values), *impossible_contacts(model, values)):
        raise ModelError(message)


def impossible_contacts(model: Model, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Contacts whose coefficients are none with these values, and why."""
    known = {ex.symbol(name): value for name, value in values.items() if not isinstance(value, str | Expr)}
    for contact in model.contacts:
        told = {what: x for what in COEFFICIENTS if (x := getattr(contact, what)) is not None and not x.is_number}
        for what, x in told.items():
            if ex.free_symbols(x) <= known.keys():
                value = ex.evaluate([x], known)[0]
                for wrong in (_least(value), -_least(-value)):
                    if fault := coefficient_fault(wrong, what):
                        yield contact.name, f"contact '{contact.name}': {what} {ex.text(x)} = {wrong:g} {fault}."
                        break
        if contact.static is not None and ex.free_symbols([contact.static, contact.friction]) <= known.keys():
            rest, slide = ex.evaluate([contact.static, contact.friction], known)
            if (short := -_least(rest - slide)) > 0:
                less = f"static {ex.text(contact.static)} is less than friction {ex.text(contact.friction)}"
                why = f"by {short:g}: what rests holds at least as well as what slides."
                yield contact.name, f"contact '{contact.name}': with the values given {less}, {why}"


def impossible_bodies(model: Model, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Bodies that cannot be, and why."""
    known = {ex.symbol(name): value for name, value in values.items() if not isinstance(value, str | Expr)}
    for body in model.bodies.values():
        written = None if body.doubtful else _impossible_as_written(body)
        for message in _impossible(body, known) if written is None else written:
            yield body.name, message


@lru_cache(maxsize=1 << 15)  # bodies: of a machine with more of them each is judged again by every motion
def _impossible_as_written(body: Body) -> tuple[str, ...] | None:
    """Of a body that is all numbers, once for all motions; None for one that has parameters."""
    return None if ex.free_symbols([body.mass, *body.inertia.entries]) else tuple(_impossible(body, {}))


def _impossible(body: Body, known: Mapping[Expr, Any]) -> Iterator[str]:
    if body.doubtful:
        return
    here = " with the values given" if known and ex.free_symbols([body.mass, *body.inertia.entries]) else ""
    if ex.free_symbols(body.mass) <= known.keys():
        lightest = _least(ex.evaluate([body.mass], known)[0])
        if not math.isfinite(lightest):
            yield f"body '{body.name}' has the mass {body.mass} = {lightest:g}{here}, which is not finite."
        elif lightest < 0:
            which = f"{body.mass} = {lightest:.6g}" if not body.mass.is_number else f"{body.mass}"
            yield f"body '{body.name}' has the negative mass {which}{here}. A mass is zero or positive."
    entries = body.inertia.entries
    if all(x is ex.ZERO for x in entries) or not ex.free_symbols(entries) <= known.keys():
        return
    import numpy as np

    flat = np.broadcast_arrays(*[np.asarray(x, dtype=float) for x in ex.evaluate(list(entries), known)])
    xx, yy, zz, xy, xz, yz = flat
    matrix = np.stack([np.stack(row, -1) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))], -2)
    if not np.isfinite(matrix).all():
        yield f"body '{body.name}' has an inertia that is not finite{here}."
        return
    principal = np.linalg.eigvalsh(matrix).reshape(-1, 3)
    slack = _WRITTEN * np.abs(principal).max(axis=1)
    if (principal[:, 0] < -slack).any():
        worst = principal[:, 0].min()
        yield (
            f"body '{body.name}' has the negative principal inertia {worst:.6g}{here}. "
            "Check the signs of its inertia tensor."
        )
    excess = principal[:, 2] - principal[:, 0] - principal[:, 1] - 2 * slack
    if (excess > 0).any():
        listed = ", ".join(f"{x:.6g}" for x in principal[excess.argmax()])
        yield (
            f"body '{body.name}' has principal inertias {listed}{here}: the largest exceeds the sum of the others, "
            "which no distribution of mass can give (a flat body has [a, b, a + b])."
        )


def _least(value: Any) -> float:
    return float(value.min()) if getattr(value, "ndim", 0) else float(value)


def remarks(model: Model) -> Iterator[str]:
    """What a model still needs before it can move in numbers."""
    missing = [name for name in model.parameters() if name not in model.given]
    plain = [name for name in missing if not _OPEN.fullmatch(name)]
    if plain:
        first = plain[0]
        yield (
            f"no number yet for {', '.join(plain)}. Motions need one: write `given {first} = 1 ;`, "
            f"or say --set {first}=1."
        )
    for body, absent in _open(model, set(missing)):
        yield f"body '{body}' has no {' and no '.join(absent)}: motions in which it takes part need numbers."
    for link in model.links.values():
        yield from _massless(model, link)


def _massless(model: Model, link: Link) -> Iterator[str]:
    """A link that moves one body, which nothing else is joined to and which has neither mass nor inertia."""
    for name in {link.first.body, link.second.body} - {EARTH} if link.coordinates else ():
        joined = sum(name in (one.first.body, one.second.body) for one in model.links.values())
        body = model.bodies[name]
        if joined == 1 and all(x is ex.ZERO for x in (body.mass, *body.inertia.entries)):
            yield f"link '{link.name}' moves body '{name}', which has neither mass nor inertia: no force can move it."


def open_fields(model: Model, missing: Iterable[str]) -> str:
    """A sentence for the fields of bodies that a program left open and that have no numbers yet; empty if none."""
    found = [f"body '{body}' has no {' and no '.join(absent)}" for body, absent in _open(model, set(missing))]
    return f" In words: {'; '.join(found)}. Write it in the body, or give these numbers." if found else ""


def _open(model: Model, lacking: set[str]) -> Iterator[tuple[str, list[str]]]:
    """Bodies, and which of their fields have symbols that nobody wrote and no numbers."""
    for body in model.bodies.values():
        fields = {
            "mass": [body.mass],
            "iframe": list(body.iframe.scalars),
            "inertia": list(body.inertia.entries),
        }
        absent = [
            field
            for field, scalars in fields.items()
            if any(x.op == "symbol" and x.name in lacking and _OPEN.fullmatch(x.name) for x in scalars)
        ]
        if absent:
            yield body.name, absent
