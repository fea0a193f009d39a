"""Freedoms of a file as one joint of the mechanism: names of its coordinates, steps between their anchors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.io.parts import Freedom, Joined
from dalembert.io.poses import Pose, about, at
from dalembert.mechanism import (
    Displacement,
    Joint,
    Step,
    composite,
    free,
    prismatic,
    revolute,
    screw,
    spherical,
    turn,
    weld,
)

Fit = Callable[[str, str], str]  #: a name that a mechanism can have, for something of a kind


def local_name(one: Joined, x: Freedom, fit: Fit) -> str:
    """The name of the coordinate in its link: that of the kind, or that of the joint where a link has several."""
    if len(one.freedoms) > 1:
        return fit(x.name, f"coordinate of {one.child}")
    return "x" if x.kind == "slide" else "th"


def joint_of(one: Joined, fit: Fit) -> Joint:
    if not one.freedoms:
        return weld()
    if len(one.freedoms) == 1:
        x = one.freedoms[0]
        axis = [float(v) for v in x.axis]
        simple: dict[str, Any] = {
            "hinge": lambda: revolute(axis),
            "slide": lambda: prismatic(axis),
            "screw": lambda: screw(axis, x.lead),
            "ball": lambda: spherical("quaternion"),
            "free": lambda: free("quaternion"),
        }
        return simple[x.kind]()  # type: ignore[no-any-return]
    parameters: list[str] = []
    steps: list[Step] = []
    before = np.asarray(one.freedoms[0].anchor, dtype=float)
    for x in one.freedoms:
        gap = np.asarray(x.anchor, dtype=float) - before
        if gap.any():
            steps.append(Step(at(gap).displacement))
        before = np.asarray(x.anchor, dtype=float)
        own = local_name(one, x, fit)
        if x.kind == "ball":
            ball = spherical("quaternion", coordinates=[f"{own}_e{i}" for i in range(4)])
            parameters += ball.parameters
            steps += ball.steps
            continue
        parameters.append(own)
        q = ex.symbol(own) - x.zero if x.zero else ex.symbol(own)
        axis = [float(v) for v in x.axis]
        if x.kind == "slide":
            steps.append(Step(Displacement.of([q * v for v in axis])))
        else:
            steps.append(Step(Displacement.of((0, 0, 0), turn(q, axis))))
    return composite(parameters, *steps)


def moved(x: Freedom, q: float) -> Pose:
    if x.kind == "slide":
        return at([q * v for v in x.axis])
    return Pose(at([x.lead * q * v for v in x.axis]).p, about(x.axis, q))
