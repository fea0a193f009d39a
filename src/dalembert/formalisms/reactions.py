"""Actions transmitted by links: whole, and split into what motors give and what the perfect link adds.

For any formalism: the accelerations that it found are put into the balance of the bodies beyond each link; links that
close loops act by their multipliers and known efforts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.constraints.complement import actuation_wrench, free_components
from dalembert.constraints.freedom import Freedom
from dalembert.dynamics.transmitted import known_wrench
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.expr.space import AXES, Matrix3, Vector3, product3, transpose3
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.newton_euler import Isolated, isolate, link_actions
from dalembert.formalisms.sides import gathered, link_of, pose_in, shorter_side
from dalembert.kinematics import Pose, Tree, Wrench, in_base
from dalembert.kinematics.actions import coordinate_efforts
from dalembert.kinematics.bodies import body_poses
from dalembert.kinematics.links import LinkMotion, joint_point
from dalembert.mechanism import CutLink, Frame, Model, did_you_mean


@dataclass(frozen=True, slots=True)
class Reaction:
    """Action of a link on its second body, moment at `at`, components in `base`.

    `moment` and `force` are the whole action; `motor_moment` and `motor_force` the known part of it. `unknown` names
    the components that the link is free to take (the others follow from the known efforts), moment before force.
    `determined` is None in closed machines: where links are redundant, rows that the solver leaves out count as zero,
    and `Mechanism.reactions` tells at a state which components are determined.
    """

    link: str
    on: str
    at: str
    base: str
    moment: Vector3
    force: Vector3
    motor_moment: Vector3
    motor_force: Vector3
    unknown: tuple[str, ...]
    determined: bool | None = True


def reactions(
    eq: Equations,
    links: Collection[str] | None = None,
    *,
    base: str = "second",
    at: str = "second",
    solved: bool = True,
    side: str = "short",
) -> dict[str, Reaction]:
    """Actions of links on their second bodies, as functions of the state (or of u' too, when not `solved`).

    `base` is "second" or "first" (the joint's own frames) or the name of a body; moments are taken `at` the origin of
    the joint's "second" or "first" frame, at the centre of mass of a named body, or at a named frame of the mechanism.
    The bodies that are isolated for it are those beyond the link ("outer"), or those on the "short" side of it.

    >>> from dalembert.formalisms import derive
    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x"), name="rail")
    >>> m.gravity = [0, 0, "-g"]
    >>> reactions(derive(Layout.of(m), "kane"))["rail"].force
    (0, 0, g*m)
    """
    if side not in ("short", "outer"):
        raise ModelError(f"reactions are found from the 'short' or the 'outer' side of a link, not {side!r}.")
    system = eq.detail if isinstance(eq.detail, Isolated) else isolate(eq.tree)
    cuts = [one.link.name for one in eq.layout.cuts]
    names = [*(one.link.link.name for one in system.links), *cuts]
    wanted = names if links is None else list(links)
    for name in wanted:
        if name not in names:
            raise ModelError(f"there is no link '{name}'.{did_you_mean(name, names)} Links: {', '.join(names)}.")
    _refuse(eq)
    closing = _closing(eq)
    closed = _with_cuts(system, {name: whole for name, (whole, _) in closing.items()})
    actions, found = link_actions(closed), {}
    if side == "short":
        actions |= {one.link.link.name: action for one in system.links if (action := short_action(system, one))}
    for one in system.links:
        if one.link.link.name in wanted:
            found[one.link.link.name] = _reaction(system, one, actions[one.link.link.name], base, at)
    for cut in eq.layout.cuts:
        if cut.link.name in wanted:
            found[cut.link.name] = _cut_reaction(eq.tree, cut, *closing[cut.link.name], base, at)
    if cuts:
        found = {name: replace(one, determined=None) for name, one in found.items()}
    return _solved(eq, found) if solved else found


def _refuse(eq: Equations) -> None:
    """Say what no links are known to carry."""
    if others := [name for name, unit in zip(eq.multiplier_names, _wrenches(eq), strict=True) if unit is None]:
        raise ModelError(
            f"'{others[0]}' of '{eq.layout.model.name}' is a condition between coordinates: which links carry its "
            "reaction is not said. Ask for reactions of the machine without it, or make it a link."
        )
    if mixed := eq.tree.shared_speeds() - set(eq.tree.layout.speeds):
        raise ModelError(
            f"'{min(mixed)}' moves several links, and other speeds were chosen in its place: the actions of coupled "
            "links are known in the joints' own speeds. Ask for reactions without chosen speeds."
        )


def _wrenches(eq: Equations) -> Sequence[Wrench | None]:
    return () if eq.rows is None else eq.rows.wrenches


def _closing(eq: Equations) -> dict[str, tuple[Wrench, Wrench]]:
    """Whole and known action of each cut link on its second body, in its second frame; multipliers as symbols."""
    if eq.rows is None:
        return {}
    perfect = eq.rows.reactions([ex.symbol(name) for name in eq.rows.names])
    rates = {ex.prime(one.coordinate): one.rate for one in eq.rows.own}
    found = {}
    for one in eq.layout.cuts:
        known = Wrench.of(ex.substitute(known_wrench(one.link, eq.tree).scalars, rates))
        found[one.link.name] = (perfect.get(one.link.name, Wrench()) + known, known)
    return found


def _with_cuts(system: Isolated, closing: Mapping[str, Wrench]) -> Isolated:
    """Bodies under the actions of the cut links too."""
    external, poses = list(system.external), body_poses(system.tree)
    for one in system.tree.layout.cuts:
        wrench = closing[one.link.name].seen_from(Pose.of(one.link.second.displacement))
        external[one.second] = external[one.second] + wrench
        between = poses[one.first].inverse() @ poses[one.second]
        external[one.first] = external[one.first] - wrench.seen_from(between)
    return replace(system, external=external)


def isolated_bodies(eq: Equations) -> Isolated:
    """Every body free, under the actions of the links that close loops, too: their multipliers are symbols."""
    system = eq.detail if isinstance(eq.detail, Isolated) else isolate(eq.tree)
    _refuse(eq)
    whole = {name: one for name, (one, _) in _closing(eq).items()}
    return replace(_with_cuts(system, whole), multipliers=tuple(ex.symbol(x) for x in eq.multiplier_names))


def short_action(system: Isolated, one: LinkMotion) -> Wrench | None:
    """The whole action of a link from the bodies behind it, where that side is the shorter one."""
    j = one.link.child
    members = shorter_side(system, one)
    if j in members:
        return None
    root = link_of(system, system.tree.layout.path(j)[0])
    held = motor_wrench(system, root).seen_from(pose_in(system, j, root.link.child))
    dynamics, external = (gathered(system, members, part, j) for part in (system.dynamics, system.external))
    return external + held - dynamics


def _cut_reaction(tree: Tree, one: CutLink, whole: Wrench, known: Wrench, base: str, at: str) -> Reaction:
    """Move a wrench on the second body (at and in its joint frame) to the point and base that are wanted."""
    poses, link, model = body_poses(tree), one.link, tree.layout.model
    frames = {"first": link.first, "second": link.second}

    def frame(held: Frame) -> Pose:
        return poses[tree.layout.number(held.body)] @ Pose.of(held.displacement)

    second = frame(link.second)
    if at in model.bodies and at not in model.frames:
        point = poses[tree.layout.number(at)].point(model.bodies[at].centre)
    else:
        point = frame(frames[at] if at in frames else _named_frame(model, at)).position
    rotation = frame(frames[base]).rotation if base in frames else poses[tree.layout.number(base)].rotation
    here = second.inverse() @ Pose(rotation, point)
    seen, motor = whole.seen_from(here.inverse()), known.seen_from(here.inverse())
    free = [twist.at(here) for twist in Freedom.of(link, tree.motions[link.name]).columns]
    parts = (seen.moment, seen.force, motor.moment, motor.force)
    return Reaction(link.name, link.second.body, at, base, *parts, free_components(free))


def _reaction(system: Isolated, one: LinkMotion, action: Wrench, base: str, at: str) -> Reaction:
    """Move a wrench on the child (at its origin, in its base) to the point and base that are wanted."""
    link = one.link.link
    place = moment_point(system, one, at)
    motor = motor_wrench(system, one)

    pose = Pose(_base(system, one, base), place)

    def seen(wrench: Wrench) -> Wrench:
        moved = wrench.seen_from(pose.inverse())
        return -moved if one.link.reversed else moved

    whole, known = seen(action), seen(motor)
    unknown = free_components([twist.at(pose) for twist in one.free])
    parts = (whole.moment, whole.force, known.moment, known.force)
    return Reaction(link.name, link.second.body, at, base, *parts, unknown)


def moment_point(system: Isolated, one: LinkMotion, at: str) -> Vector3:
    """A point from the child's origin, in the child's base."""
    if at in ("first", "second"):
        return joint_point(one, at)
    tree = system.tree
    mechanism = tree.layout.model
    poses = body_poses(tree)
    if at in mechanism.bodies and at not in mechanism.frames:
        held, arm = at, mechanism.bodies[at].centre
    else:
        frame = _named_frame(mechanism, at)
        held, arm = frame.body, frame.displacement.translation
    number, child = tree.layout.number(held), one.link.child
    if number == child:
        return arm
    return poses[child].inverse().point(poses[number].point(arm))


def _named_frame(mechanism: Model, at: str) -> Frame:
    if at not in mechanism.frames:
        known = ["first", "second", *mechanism.frames, *mechanism.bodies]
        raise ModelError(f"'{at}' is no point for a moment: take one of {', '.join(known)}.{did_you_mean(at, known)}")
    return mechanism.frames[at]


def _base(system: Isolated, one: LinkMotion, base: str) -> Matrix3:
    """The base that is wanted, in the base of the child."""
    tree, link = system.tree, one.link.link
    frame = {"first": link.first, "second": link.second}.get(base)
    if frame is None:
        number = tree.layout.number(base)
        columns = [in_base(tree, number, one.link.child, AXES[axis]) for axis in "xyz"]
        return transpose3((columns[0], columns[1], columns[2]))
    own = Pose.of(frame.displacement).rotation
    if tree.layout.number(frame.body) == one.link.child:
        return own
    return product3(transpose3(one.pose.rotation), own)


def motor_wrench(system: Isolated, one: LinkMotion) -> Wrench:
    """Known wrench of a link on its child: wrenches of its steps, and its efforts on coordinates."""
    tree = system.tree
    total = system.joint[one.link.link.name]
    efforts = [e for e in coordinate_efforts(tree) if e.link == one.link.link.name]
    if efforts:
        powers = []
        for r, _ in one.own:
            speed = tree.speeds[r]
            terms = [e.effort * ex.derivative(tree.rates[e.coordinate], speed) for e in efforts]
            powers.append(sum(terms[1:], terms[0]))
        total = total + actuation_wrench([twist for _, twist in one.own], powers)
    return total


def _solved(eq: Equations, found: dict[str, Reaction]) -> dict[str, Reaction]:
    """The accelerations u', and the multipliers, replaced by their solution."""
    names = ("moment", "force", "motor_moment", "motor_force")
    flat: list[Expr] = [x for one in found.values() for name in names for x in getattr(one, name)]
    solution = {ex.prime(u): a for u, a in zip(eq.tree.speeds, eq.accelerations, strict=True)}
    solution |= {ex.symbol(name): value for name, value in zip(eq.multiplier_names, eq.multipliers, strict=True)}
    flat = ex.substitute(flat, solution)
    result = {}
    for k, (link, one) in enumerate(found.items()):
        own = flat[12 * k : 12 * k + 12]
        parts = {name: (own[3 * i], own[3 * i + 1], own[3 * i + 2]) for i, name in enumerate(names)}
        result[link] = replace(one, **parts)  # type: ignore[arg-type]
    return result
