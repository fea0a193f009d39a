"""Efforts in the links of a tree: each gives its body what this and all bodies beyond need, summed from the tips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.mechanism import Layout, Link

Array = Any


def carried_wrenches(layout: Layout, links: Sequence[Link], needed: Array, frames: Array) -> Array:
    """The wrench (moment, force) of each link on its second body, at and in the base of its second frame.

    `needed` has a row for each body but earth: moment about its origin and force in the base of earth, then that
    origin; `frames` one for each link: the rotation of its second frame by rows, then its place.
    """
    total, origin = needed[:, :6].copy(), np.vstack([np.zeros(3), needed[:, 6:]])
    number = {link.name: i for i, link in enumerate(links)}
    found = np.zeros((len(links), 6))
    for one in reversed(layout.tree):
        moment, force = total[one.child - 1, :3], total[one.child - 1, 3:]
        if one.parent:
            total[one.parent - 1, :3] += moment + np.cross(origin[one.child] - origin[one.parent], force)
            total[one.parent - 1, 3:] += force
        i = number[one.link.name]
        base, there = frames[i, :9].reshape(3, 3), frames[i, 9:]
        wrench = np.concatenate([(moment + np.cross(origin[one.child] - there, force)) @ base, force @ base])
        found[i] = -wrench if one.reversed else wrench
    return found
