"""The potential of the efforts that derive from one, found effort by effort with the integrability test.

Weights and forces of constant direction have V = -F . OP at once. Another effort is tried through its generalised
components Q_i(q), taken at zero speeds (what depends on speeds, a damper, is left outside): they must satisfy
dQ_i/dq_j = dQ_j/dq_i, and then V is built by successive integration, V <- V - integral of (Q_i + dV/dq_i) dq_i.
(Papegay 2.5; his V has the opposite sign, Q = +dV/dq, and is then used as if Q = -dV/dq.)
A V that jumps while nothing moves, by a step of time, is none: no power dV/dt tells of what it gains there. Such an
effort has work, F . v, whatever it does with time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from dalembert import expr as ex
from dalembert.dynamics.integration import antiderivative
from dalembert.expr import ZERO, Expr
from dalembert.expr.elimination import vanish
from dalembert.expr.space import Vector3
from dalembert.kinematics import Tree, define_functions, effort_energy, effort_measure, in_speeds
from dalembert.kinematics.actions import Action, CoordinateEffort, coordinate_efforts, known_actions, pull_back
from dalembert.kinematics.bodies import body_motions, body_poses
from dalembert.mechanism import ANGLE, EARTH, LENGTH, Body, Bushing, Effort, Force, Link, Spring, TorsionSpring

#: What acts: the Body whose weight it is, the Link that carries it, the applied Effort, or the coordinate it acts on.
Source: TypeAlias = Body | Link | Effort | Expr

#: Speeds up to which efforts on bodies are tested for a potential: their components on n speeds have n^2 slopes.
_MANY = 40
#: What jumps where its argument passes zero; min, max and abs only bend.
_STEPS = frozenset({"sign", "lt", "le", "eq"})
_STEP = "its potential would jump while nothing in it moves: it has work"


@dataclass(frozen=True, slots=True)
class Potential:
    """V(q, t), the efforts that it accounts for, and why the others (by the names they have for people) have none."""

    value: Expr
    conservative: frozenset[Source]
    refused: dict[str, str] = field(default_factory=dict)

    def outside(self, tree: Tree) -> tuple[list[Action], list[CoordinateEffort]]:
        """The efforts that the potential does not account for; of a spring with a damper, the damper."""
        known, efforts = known_actions(tree), coordinate_efforts(tree)
        flat = [x for action in known for x in (*action.force, *action.torque)] + [e.effort for e in efforts]
        sources: list[Source] = [action.effort for action in known for _ in range(6)] + [e.coordinate for e in efforts]
        still = ex.substitute(flat, dict.fromkeys(tree.speeds, 0))  # all at once: what bodies share is walked once
        left = [a - b if s in self.conservative else a for s, a, b in zip(sources, flat, still, strict=True)]
        actions = []
        for k, action in enumerate(known):
            f = left[6 * k : 6 * k + 6]
            if any(x is not ZERO for x in f):
                actions.append(replace(action, force=Vector3(f[:3]), torque=Vector3(f[3:6])))
        acting = [replace(e, effort=x) for e, x in zip(efforts, left[6 * len(known) :], strict=True)]
        return actions, [e for e in acting if e.effort is not ZERO]


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
    total, found = ZERO, set[Source]()
    refused: dict[str, str] = {}
    moving, own = moving_symbols(tree), {*tree.coordinates, *tree.speeds}
    dead = [x for x in _dead_forces(tree) if which == "automatic" or isinstance(x[0], Body)]
    springs = list(_springs(tree)) if which == "automatic" else []
    energies = [*(value for _, value in dead), *(energy for _, _, energy in springs if energy is not None)]
    jumping = bool(_steps(energies, moving))  # all at once: the bodies of a chain are walked once
    for source, value in dead:
        if not (jumping and _steps([value], moving)):
            total = total + value
            found.add(source)
    for name, source, energy in springs:
        if energy is None:
            refused[name] = "its law is not a known slope in its length or angle alone"
        elif jumping and any(own.isdisjoint(ex.free_symbols(step)) for step in _steps([energy], moving)):
            refused[name] = _STEP
        else:
            total = total + energy
            found.add(source)
    for name, source, efforts in _others(tree, frozenset(found)):
        if which == "automatic" or isinstance(source, Body):
            primitive, reason = integrate(efforts, tree.coordinates, moving)
            if primitive is None:
                refused[name] = reason
            else:
                total = total + primitive
                found.add(source)
    return Potential(total, frozenset(found), refused)


def _dead_forces(tree: Tree) -> Iterator[tuple[Source, Expr]]:
    """Weights and forces whose point in the body and components in earth's base the state leaves alone: -F(t) . OP."""
    poses, layout = body_poses(tree), tree.layout
    moving = {*tree.coordinates, *tree.speeds}
    acting: list[tuple[Source, int, Vector3, Sequence[Expr]]] = [
        (body, i, body.centre, body.mass * layout.model.gravity) for i, body in enumerate(layout.bodies) if i
    ]
    for effort in layout.model.efforts:
        if isinstance(effort, Force) and effort.base == EARTH:
            arm = effort.at.displacement.translation
            acting.append((effort, layout.number(effort.at.body), arm, effort.value))
    for source, body, arm, force in acting:
        x, y, z, *place = in_speeds(tree, [*force, *arm])
        if not moving & ex.free_symbols([x, y, z, *place]) and not ex.unknown_functions([x, y, z]):
            yield source, -Vector3((x, y, z)).dot(poses[body].point(Vector3(place[:3])))


def _springs(tree: Tree) -> Iterator[tuple[str, Source, Expr | None]]:
    """Parts of the efforts between two frames: the elastic one says its energy, a law without rate is integrated."""
    for effort in tree.layout.model.efforts:
        elastic, *others = effort.split()
        if elastic is not None:
            yield effort.name, elastic, effort_energy(tree, elastic)
        for rest in others:
            if not isinstance(rest, Spring | TorsionSpring) or rest.has_rate:
                continue
            measure = LENGTH if isinstance(rest, Spring) else ANGLE
            (law,) = define_functions([rest.law(measure, ZERO)], tree.layout.model.functions)
            alone = not {x.name for x in ex.free_symbols(law) - {measure}} & (tree.layout.model.moving - {ex.TIME.name})
            known = antiderivative(law, measure) if alone and not ex.unknown_functions([law]) else None
            place = effort_measure(tree, rest)
            yield effort.name, rest, None if known is None else -ex.substitute([known], {measure: place})[0]


def _others(tree: Tree, done: Collection[Source]) -> Iterator[tuple[str, Source, list[Expr]]]:
    """Generalised components of each remaining effort, where the speeds are the coordinates' own rates."""
    rates, still = [ex.prime(q) for q in tree.coordinates], dict.fromkeys(tree.speeds, 0)
    groups: dict[Source, list[Action]] = {}
    if list(tree.speeds) == rates and len(rates) <= _MANY:
        for action in known_actions(tree):
            if action.effort not in done and not isinstance(action.effort, Spring | TorsionSpring | Bushing):
                groups.setdefault(action.effort, []).append(action)
    motions = body_motions(tree) if groups else []
    for source, group in groups.items():
        fields, efforts = [], []
        for action in group:
            one = motions[action.body]
            fields += [*one.point(action.point), *one.spin]
            efforts += [*action.force, *action.torque]
        yield group[0].name, source, pull_back(fields, ex.substitute(efforts, still), rates)
    for effort in coordinate_efforts(tree):
        held = ex.substitute([effort.effort], still)[0]
        if held is not ZERO:
            components = [held if q is effort.coordinate else ZERO for q in tree.coordinates]
            yield f"effort on {effort.coordinate.name}", effort.coordinate, components


def moving_symbols(tree: Tree) -> frozenset[Expr]:
    """Whatever changes while the machine moves, time among it."""
    return frozenset(ex.symbol(name) for name in {*tree.layout.model.moving, *tree.layout.state.names})


def _steps(values: Sequence[Expr], moving: Collection[Expr]) -> list[Expr]:
    """Parts of formulas that jump while the machine moves."""
    found = (node for node in ex.topological(values) if node.op in _STEPS)
    return [node for node in found if not ex.free_symbols(node).isdisjoint(moving)]


def integrate(
    efforts: Sequence[Expr], coordinates: Sequence[Expr], moving: Collection[Expr]
) -> tuple[Expr | None, str]:
    """V with Q = -dV/dq, or None and the reason; `moving` is all that changes, time and coordinates of others too."""
    if ex.unknown_functions(list(efforts)):
        return None, "it holds an unknown function"
    known = ex.free_symbols(efforts)
    pairs = [(q, effort) for q, effort in zip(coordinates, efforts, strict=True) if effort is not ZERO or q in known]
    coordinates, efforts = [q for q, _ in pairs], [effort for _, effort in pairs]
    slopes = ex.jacobian(efforts, coordinates)
    n = len(coordinates)
    pairs_of = [(i, j) for i in range(n) for j in range(i) if slopes[i][j] is not slopes[j][i]]
    gaps = [slopes[i][j] - slopes[j][i] for i, j in pairs_of]
    if not vanish(gaps, [ex.sqrt(ex.absolute(slopes[i][i] * slopes[j][j])) for i, j in pairs_of]):
        return None, "the integrability conditions dQ_i/dq_j = dQ_j/dq_i fail"
    total = ZERO
    for q, effort in zip(coordinates, efforts, strict=True):
        rest = effort + ex.derivative(total, q)
        if rest is ZERO or vanish([rest], [effort]):
            continue
        primitive = antiderivative(rest, q)
        if primitive is None:
            return None, f"no primitive in {q.name} is known for {ex.text(rest)[:60]}"
        total = total - primitive
    left = [a + ex.derivative(total, q) for q, a in zip(coordinates, efforts, strict=True)]
    if not vanish(left, efforts):
        return None, "the successive integration does not close"
    if _steps([total], moving):  # of time or of what another coordinate does: primitives are known between them only
        return None, _STEP
    return total, ""
