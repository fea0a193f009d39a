"""Forces of contacts as arrows where they push, and their impulses as arrows that flash and fade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.contact.geometry import Places
from dalembert.contact.rows import SLIDING, ContactRow
from dalembert.errors import DalembertError
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.kinematics import frame_pose, in_speeds, in_state, poses
from dalembert.mechanism.contact import Gap
from dalembert.mechanism.quantities import quantities
from dalembert.simulate import Motion
from dalembert.view.arrows import Arrow
from dalembert.view.facts import Machine

Array = NDArray[np.float64]

_FADING = 0.3
"""How long the arrow of an impulse is seen, in seconds of playing: long enough to be noticed."""
_LEAST = 1e-9
"""An arrow shorter than this share of the longest of its contact is never seen."""


@dataclass(frozen=True, slots=True)
class _Push:
    """Where a contact pushes, and the force there of a unit of each of its multipliers (normal, then tangents)."""

    point: Vector3
    ways: tuple[Vector3 | None, ...]


def contact_arrows(machine: Machine, seen: Motion, speed: float) -> tuple[Arrow, ...]:
    """What contacts do: to the first of two shapes, or to the frames and slides that a formula names.

    A formula of angles has no place to push at, and no arrow. Contacts of crowds are too many to have names.
    """
    log = seen.contacts
    if log is None or log.crowd:
        return ()
    places, found = Places(machine.tree), list[Arrow]()
    for contact in seen.system.contacts:
        if contact.press is not None:  # the friction of a joint has no place to push at
            continue
        sliding = [
            force for slip, (_, force) in zip(contact.slips, contact.labels, strict=True) if slip.kind == SLIDING
        ]
        try:
            forces = [seen[f"{contact.name}.{what}"] for what in ("force", *sliding)]
        except DalembertError:
            forces = [np.zeros(len(seen.t))] * (1 + len(sliding))
        strikes = [one for one in log.impulses(contact.name) if one.step == 0]
        struck = [(one.t, (one.normal, *one.tangential[: len(sliding)])) for one in strikes]
        pulses = _flashes(seen.t, struck, len(forces), speed)
        if not np.any(forces) and not np.any(pulses):
            continue
        for push in _pushes(machine, places, contact):
            flat = [*push.point, *(x for way in push.ways for x in way or (ZERO, ZERO, ZERO))]
            values = machine.numbers(in_state(machine.tree, flat))
            at, ways = values[:3].T, values[3:].reshape(-1, 3, len(seen.t))
            for kind, told in (("contact", np.array(forces)), ("impulse", pulses)):
                vectors = np.einsum("kif,kf->fi", ways[: len(told)], told)
                if np.abs(vectors).max(initial=0.0) > _LEAST * np.abs(told).max(initial=0.0):
                    found.append(Arrow(contact.name, kind, 0, at, vectors))
    return tuple(found)


def _flashes(t: Array, strikes: Sequence[tuple[float, tuple[float, ...]]], rows: int, speed: float) -> Array:
    """Impulses over the frames: each begins whole and fades to nothing; the strongest of those that overlap."""
    found, lasts = np.zeros((rows, len(t))), _FADING * speed
    for when, pulse in strikes:
        left = np.where(t >= when - 1e-12 * abs(when), 1 - (t - when) / lasts, 0.0)
        value = np.outer([*pulse, *[0.0] * (rows - len(pulse))], np.clip(left, 0.0, 1.0))
        found = np.where(np.linalg.norm(value, axis=0) > np.linalg.norm(found, axis=0), value, found)
    return found


def _pushes(machine: Machine, places: Places, contact: ContactRow) -> Iterator[_Push]:
    place = contact.contact.place
    if not isinstance(place, Gap):
        touch = places.touch(place)  # type: ignore[arg-type]  # crowds of few are written as pairs
        slips = in_speeds(machine.tree, list(touch.slip))
        kept = [next((v for s, v in zip(slips, touch.tangents, strict=True) if s is one.value), None)
                for one in contact.slips if one.kind == SLIDING]  # fmt: skip
        yield _Push(touch.point, (touch.normal, *kept))
        return
    formulas = [place.gap, *place.slip[: len(contact.slips)]]
    for point, way, slopes in _handles(machine, formulas):
        yield _Push(point, tuple(None if x is ZERO else Vector3([x * c for c in way]) for x in slopes))


def _handles(machine: Machine, formulas: list[Expr]) -> Iterator[tuple[Vector3, Vector3, list[Expr]]]:
    """Places that formulas speak of, with a direction each, and the slopes of the formulas along it."""
    tree, model = machine.tree, machine.model
    absolute = poses(tree)
    named: dict[tuple[str, int, str], list[Expr]] = {}
    for e, told in quantities(formulas).items():
        if told.kind in ("pos", "vel"):
            named.setdefault((told.frames[0], told.axes[0], (*told.frames, "")[1]), []).append(e)
    for x in sorted(ex.free_symbols(formulas), key=lambda s: s.name):
        asked = model.frame_quantity(x.name) if "." in x.name else None
        if asked:
            named.setdefault((x.name.rpartition(".")[0], asked[1], ""), []).append(x)
    for (name, axis, base), written in named.items():
        one = frame_pose(tree, model.frame_called(name), absolute).position
        rotation = None if not base else frame_pose(tree, model.frame_called(base), absolute).rotation
        plain = [ex.ONE if k == axis else ZERO for k in range(3)]
        way = Vector3(plain if rotation is None else [row[axis] for row in rotation])
        yield one, way, _slopes(formulas, written)
    for link in model.links.values():
        for coordinate in link.coordinates:
            x = ex.symbol(coordinate)
            slopes = _slopes(formulas, [x, ex.prime(x)])
            if all(s is ZERO for s in slopes):
                continue
            pose = frame_pose(tree, link.second, absolute)
            moved = [ex.derivative(c, x) for c in pose.position]
            turned = any(ex.derivative(c, x) is not ZERO for row in pose.rotation for c in row)
            if turned or all(c is ZERO for c in moved):
                continue
            square = ex.dot_product(moved, moved)
            yield pose.position, Vector3([c / square for c in moved]), slopes


def _slopes(formulas: list[Expr], written: list[Expr]) -> list[Expr]:
    """Derivatives by whatever stands for one place or its velocity."""
    held = [ex.symbol(f" place {k}") for k in range(len(written))]
    told = ex.substitute(formulas, dict(zip(written, held, strict=True)))
    back = dict(zip(held, written, strict=True))
    return ex.substitute([sum(ex.gradient(one, held), ZERO) for one in told], back)
