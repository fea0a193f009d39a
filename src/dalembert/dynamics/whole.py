"""The machine as a whole, and its parts in motion: momenta about the centre of mass, weight, rates of functions."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.dynamics.dynamics import Dynamics
from dalembert.dynamics.recursive import inertia_to_parent, inverse_dynamics, moved_to_parent
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Wrench
from dalembert.kinematics.tree import EARTH_NODE


def weight(about: Dynamics) -> list[Expr]:
    """Efforts of gravity alone on the speeds."""
    return about.kept("weight", _weight)


def centroidal_momentum(about: Dynamics) -> list[Expr]:
    """Angular momentum about the centre of mass, then momentum, in the base of earth (Orin and Goswami 2008)."""
    return about.kept("centroidal_momentum", _momentum)


def centroidal_matrix(about: Dynamics) -> list[Expr]:
    """Its derivative with respect to the speeds, six rows."""
    return about.kept("centroidal_matrix", _rows)


def in_motion(about: Dynamics, exprs: Sequence[Expr]) -> list[Expr]:
    """Rates of functions of posture and time: derivatives along the motion."""
    return ex.tangent(list(exprs), {ex.TIME: ex.ONE, **dict(zip(about.coordinates, about.rates, strict=True))})


def _weight(about: Dynamics) -> list[Expr]:
    still = dict.fromkeys(about.speeds, ZERO) | {ex.TIME: ex.TIME}
    gravity = inverse_dynamics(about.recursion)
    return [-(a + b) for a, b in zip(ex.substitute(gravity, still), ex.substitute(about.bias, still), strict=True)]


def _momentum(about: Dynamics) -> list[Expr]:
    push, spin = about.outputs.momenta
    return [*(spin - about.outputs.centre.cross(push)), *push]


def _rows(about: Dynamics) -> list[Expr]:
    """Momenta of what each speed carries, as composite bodies have them, seen from earth, then about the centre."""
    tree, composite = about.tree, list(about.recursion.grouped)
    found = [Wrench()] * len(tree.speeds)
    for k in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[k]
        for index, column in node.columns:
            momentum, below = Wrench(*composite[k].momentum(column)), k
            while below != EARTH_NODE:
                momentum, below = moved_to_parent(tree.nodes[below], momentum), tree.nodes[below].parent
            found[index] = found[index] + momentum
        if node.parent != EARTH_NODE:
            composite[node.parent] = composite[node.parent] + inertia_to_parent(node, composite[k])
    centre = about.outputs.centre
    columns = [(*(one.moment - centre.cross(one.force)), *one.force) for one in found]
    return [column[i] for i in range(6) for column in columns]
