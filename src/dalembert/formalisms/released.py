"""Absolute coordinates: every body free, every link a condition with its multipliers (Papegay 1.3.3.iii-iv, 3.3)."""

from __future__ import annotations

from dataclasses import replace

from dalembert.mechanism import EARTH, Frame, Layout, Link, Model, free


def released(model: Model) -> Layout:
    """The layout of the same machine with its bodies released: six coordinates a body, all links cut.

    The free joint of a body is named after it, `rod_abs`; the joints' own coordinates follow the bodies.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("rod", mass=1), revolute("x"), name="pivot")
    >>> released(m.freeze()).coordinates
    ('rod_abs.x', 'rod_abs.y', 'rod_abs.z', 'rod_abs.al', 'rod_abs.be', 'rod_abs.ga')
    """
    loose = {
        f"{name}_abs": Link(f"{name}_abs", Frame(EARTH), Frame(name), free("bryant", "rates"))
        for name in model.bodies
        if name != EARTH
    }
    freed = replace(model, name=f"{model.name}, bodies released", links={**loose, **model.links})
    return Layout.of(freed, cut=tuple(model.links))
