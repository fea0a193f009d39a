"""The potential of the efforts that derive from one, found effort by effort with the integrability test.

Weights and forces of constant direction have V = -F . OP at once. Another effort is tried through its generalised
components Q_i(q), taken at zero speeds (what depends on speeds, a damper, is left outside): they must satisfy
dQ_i/dq_j = dQ_j/dq_i, and then V is built by successive integration, V <- V - integral of (Q_i + dV/dq_i) dq_i.
(Papegay 2.5; his V has the opposite sign, Q = +dV/dq, and is then used as if Q = -dV/dq.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.elimination import vanish
from dalembert.expr.space import Vector3, add3, apply3, dot3
from dalembert.formalisms.actions import Action, CoordinateEffort, coordinate_efforts, known_actions, pull_back
from dalembert.formalisms.bodies import body_motions, body_poses
from dalembert.formalisms.integration import antiderivative
from dalembert.kinematics import Pose, Tree, in_speeds
from dalembert.mechanism import EARTH, Force


@dataclass(frozen=True, slots=True)
class Potential:
    """V(q, t), the names of the efforts that it accounts for, and why the others have none."""

    value: Expr
    conservative: frozenset[str]
    refused: dict[str, str] = field(default_factory=dict)

    def outside(self, tree: Tree) -> tuple[list[Action], list[CoordinateEffort]]:
        """The efforts that the potential does not account for; of a spring with a damper, the damper."""
        still = dict.fromkeys(tree.speeds, 0)

        def left(name: str, exprs: Sequence[Expr]) -> list[Expr]:
            if name not in self.conservative:
                return list(exprs)
            return [a - b for a, b in zip(exprs, ex.substitute(list(exprs), still), strict=True)]

        actions = []
        for action in known_actions(tree):
            f = left(action.name, [*action.force, *action.torque])
            if any(x is not ZERO for x in f):
                actions.append(replace(action, force=(f[0], f[1], f[2]), torque=(f[3], f[4], f[5])))
        efforts = [replace(e, effort=left(effort_name(e), [e.effort])[0]) for e in coordinate_efforts(tree)]
        return actions, [e for e in efforts if e.effort is not ZERO]


def effort_name(effort: CoordinateEffort) -> str:
    return f"effort on {effort.coordinate.name}"


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
        value, reason = integrate(efforts, tree.coordinates)
        if value is None:
            refused[name] = reason
        else:
            total, names = total + value, [*names, name]
    return Potential(total, frozenset(names), refused)


def _weights(tree: Tree, poses: Sequence[Pose]) -> tuple[Expr, list[str]]:
    """V = - sum mu g . OG."""
    total, names = ZERO, []
    for body, pose in zip(tree.layout.bodies[1:], poses[1:], strict=True):
        total -= body.mass * dot3(tree.layout.model.gravity, _point(pose, body.centre))
        names.append(f"weight of {body.name}")
    return total, names


def _point(pose: Pose, arm: Vector3) -> Vector3:
    return add3(pose.position, apply3(pose.rotation, arm))


def _dead_forces(tree: Tree, poses: Sequence[Pose]) -> dict[str, Expr]:
    """Forces whose components in the base of earth do not depend on the state: V = -F(t) . OP."""
    found = {}
    moving = {*tree.coordinates, *tree.speeds}
    names = _applied_names(tree)
    for effort, name in zip(tree.layout.model.efforts, names, strict=True):
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
    for k, effort in enumerate(tree.layout.model.efforts, 1):
        kind = "force" if isinstance(effort, Force) else "torque"
        found.append(effort.name or f"{kind} {k}")
    return found


def _others(tree: Tree, done: set[str]) -> Iterator[tuple[str, list[Expr]]]:
    """Generalised components of each remaining effort, where the speeds are the coordinates' own rates."""
    rates, still = [ex.prime(q) for q in tree.coordinates], dict.fromkeys(tree.speeds, 0)
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
        yield name, pull_back(fields, ex.substitute(efforts, still), rates)
    for effort in coordinate_efforts(tree):
        held = ex.substitute([effort.effort], still)[0]
        if held is not ZERO:
            yield effort_name(effort), [held if q is effort.coordinate else ZERO for q in tree.coordinates]


def integrate(efforts: Sequence[Expr], coordinates: Sequence[Expr]) -> tuple[Expr | None, str]:
    """V with Q = -dV/dq, or None and the reason."""
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
