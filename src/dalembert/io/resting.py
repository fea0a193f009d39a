"""The mass matrix of what a reader has gathered, where every joint is at its zero: for laws that a file gives by it."""

from __future__ import annotations

import numpy as np

from dalembert.io.assembly import Assembly
from dalembert.io.parts import WORLD, Freedom
from dalembert.io.poses import Array, Pose


def resting_mass(a: Assembly) -> tuple[Array, dict[str, int]]:
    """M over hinges, slides, three turns of a ball, six speeds of a free body; and the first place of each freedom."""
    stand, place, count = a.posture(), dict[str, int](), 0
    for one in a.joined.values():
        for x in one.freedoms:
            place[x.name] = count
            count += {"ball": 3, "free": 6}.get(x.kind, 1)
    M = np.zeros((count, count))
    for part, masses in a.masses.items():
        for mass in masses:
            there = stand[part] @ mass.pose
            used, columns, above = list[int](), list[Array](), part
            while above != WORLD:
                for x in a.joined[above].freedoms:
                    own = _columns(x, stand[above], there.p)
                    used += range(place[x.name], place[x.name] + len(own))
                    columns += own
                above = a.joined[above].parent
            if not columns:
                continue
            J = np.array(columns).T
            spin = there.R @ mass.tensor @ there.R.T
            M[np.ix_(used, used)] += J[:3].T @ spin @ J[:3] + mass.mass * J[3:].T @ J[3:]
    for one in a.joined.values():
        for x in one.freedoms:
            for k in range({"ball": 3, "free": 6}.get(x.kind, 1)):
                M[place[x.name] + k, place[x.name] + k] += x.armature
    return M, place


def _columns(x: Freedom, pose: Pose, point: Array) -> list[Array]:
    """Spin and velocity of a point for a unit of each speed of a freedom."""
    anchor, axis = (pose @ Pose(np.asarray(x.anchor, dtype=float))).p, pose.R @ np.asarray(x.axis, dtype=float)
    none = np.zeros(3)
    if x.kind == "slide":
        return [np.concatenate([none, axis])]
    turns = [axis] if x.kind in ("hinge", "screw") else list(pose.R.T)
    if x.kind == "free":
        anchor = pose.p
    found = [np.concatenate([w, np.cross(w, point - anchor)]) for w in turns]
    if x.kind == "screw":
        found[0][3:] += x.lead * axis
    if x.kind == "free":
        return [*(np.concatenate([none, e]) for e in np.eye(3)), *found]
    return found
