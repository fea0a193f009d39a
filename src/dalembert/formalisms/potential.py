"""The potential of the efforts that derive from one, found effort by effort with the integrability test.

Weights and forces of constant direction have V = -F . OP at once. Another effort is tried through its generalised
components Q_i(q): it must not depend on speeds, must satisfy dQ_i/dq_j = dQ_j/dq_i, and then V is built by successive
integration, V <- V - integral of (Q_i + dV/dq_i) dq_i. (Papegay 2.5; his V has the opposite sign, Q = +dV/dq, and is
then used as if Q = -dV/dq.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, add3, apply3, dot3
from dalembert.formalisms.actions import Action, coordinate_efforts, known_actions, pull_back
from dalembert.formalisms.bodies import body_motions, body_poses
from dalembert.formalisms.elimination import vanish
from dalembert.formalisms.integration import antiderivative
from dalembert.kinematics import Pose, Tree, in_speeds
from dalembert.mechanism import EARTH, Force


@dataclass(frozen=True, slots=True)
class Potential:
    """V(q, t), the names of the efforts that it accounts for, and why the others have none."""

    value: Expr
    conservative: frozenset[str]
    refused: dict[str, str] = field(default_factory=dict)


def find_potential(tree: Tree, which: str = "automatic") -> Potential:
    """V of every effort that derives from a potential ("automatic"), of gravity alone, or of nothing ("none").

    >>> from dalembert.kinematics import build_tree
    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> rail = prismatic("x").with_efforts(x="-k*x")
    >>> link = m.join(earth, m.body("cart", mass="m"), rail, name="rail")
    >>> find_potential(build_tree(Layout.of(m))).value
    1/2*k*rail.x**2
    """
    if which == "none":
        return Potential(ZERO, frozenset())
    poses = body_poses(tree)
    total, names = _weights(tree, poses)
    if which == "gravity":
        return Potential(total, frozenset(names))
    dead = _dead_forces(tree, poses)
    refused: dict[str, str] = {}
    for name, own in dead.items():
        total, names = total + own, [*names, name]
    for name, efforts in _others(tree, {*names}):
        value, reason = integrate(efforts, tree.coordinates, tree)
        if value is None:
            refused[name] = reason
        else:
            total, names = total + value, [*names, name]
    return Potential(total, frozenset(names), refused)


def _weights(tree: Tree, poses: Sequence[Pose]) -> tuple[Expr, list[str]]:
    """V = - sum mu g . OG."""
    total, names = ZERO, []
    for body, pose in zip(tree.layout.bodies[1:], poses[1:], strict=True):
        total -= body.mass * dot3(tree.layout.mechanism.gravity, _point(pose, body.centre))
        names.append(f"weight of {body.name}")
    return total, names


def _point(pose: Pose, arm: Vector3) -> Vector3:
    return add3(pose.position, apply3(pose.rotation, arm))


def _dead_forces(tree: Tree, poses: Sequence[Pose]) -> dict[str, Expr]:
    """Forces whose components in the base of earth do not depend on the state: V = -F(t) . OP."""
    found = {}
    moving = {*tree.coordinates, *tree.speeds}
    names = _applied_names(tree)
    for effort, name in zip(tree.layout.mechanism.efforts, names, strict=True):
        if not isinstance(effort, Force) or effort.base != EARTH:
            continue
        value = in_speeds(tree, list(effort.value))
        if not moving & ex.free_symbols(value) and not ex.unknown_functions(value):
            pose = poses[tree.layout.number(effort.at.body)]
            place = _point(pose, effort.at.displacement.translation)
            found[name] = -dot3((value[0], value[1], value[2]), place)
    return found


def _applied_names(tree: Tree) -> list[str]:
    """Names of applied efforts as their actions carry them."""
    found = []
    for k, effort in enumerate(tree.layout.mechanism.efforts, 1):
        kind = "force" if isinstance(effort, Force) else "torque"
        found.append(effort.name or f"{kind} {k}")
    return found


def _others(tree: Tree, done: set[str]) -> Iterator[tuple[str, list[Expr]]]:
    """Generalised components of each remaining effort, where the speeds are the coordinates' own rates."""
    rates = [ex.prime(q) for q in tree.coordinates]
    plain = list(tree.speeds) == rates
    actions: dict[str, list[Action]] = {}
    for action in known_actions(tree):
        if action.name not in done:
            actions.setdefault(action.name, []).append(action)
    motions = body_motions(tree) if actions and plain else []
    for name, group in actions.items():
        if not plain:
            continue
        fields, efforts = [], []
        for action in group:
            one = motions[action.body]
            fields += [*one.point(action.point), *one.spin]
            efforts += [*action.force, *action.torque]
        yield name, pull_back(fields, efforts, rates)
    for effort in coordinate_efforts(tree):
        components = [effort.effort if q is effort.coordinate else ZERO for q in tree.coordinates]
        yield f"effort on {effort.coordinate.name}", components


def integrate(efforts: Sequence[Expr], coordinates: Sequence[Expr], tree: Tree) -> tuple[Expr | None, str]:
    """V with Q = -dV/dq, or None and the reason."""
    if ex.free_symbols(list(efforts)) & {*tree.speeds, *(ex.prime(q) for q in coordinates)}:
        return None, "it depends on speeds"
    if ex.unknown_functions(list(efforts)):
        return None, "it holds an unknown function"
    slopes = ex.jacobian(list(efforts), coordinates)
    n = len(coordinates)
    gaps = [slopes[i][j] - slopes[j][i] for i in range(n) for j in range(i) if slopes[i][j] is not slopes[j][i]]
    if gaps and not vanish(gaps, [x for row in slopes for x in row]):
        return None, "the integrability conditions dQ_i/dq_j = dQ_j/dq_i fail"
    total = ZERO
    for q, effort in zip(coordinates, efforts, strict=True):
        rest = effort + ex.derivative(total, q)
        if rest is ZERO or vanish([rest], list(efforts)):
            continue
        primitive = antiderivative(rest, q)
        if primitive is None:
            return None, f"no primitive in {q.name} is known for {ex.text(rest)[:60]}"
        total = total - primitive
    left = [a + ex.derivative(total, q) for q, a in zip(coordinates, efforts, strict=True)]
    if not vanish(left, list(efforts)):
        return None, "the successive integration does not close"
    return total, ""
