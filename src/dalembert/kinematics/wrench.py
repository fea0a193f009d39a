"""Known efforts as wrenches on nodes and as efforts on speeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import apply_transposed3
from dalembert.kinematics.effort import effort_actions
from dalembert.kinematics.motion import frame_pose, poses, time_derivative
from dalembert.kinematics.spatial import Wrench
from dalembert.kinematics.step import StepMotion
from dalembert.kinematics.tree import EARTH_NODE, Tree
from dalembert.mechanism import Link


def external_wrenches(tree: Tree) -> list[Wrench]:
    """Applied forces and torques, on each node in its own base about its own origin (gravity and joints apart)."""
    found = [Wrench() for _ in tree.nodes]
    if not tree.layout.model.efforts:
        return found
    for effort in tree.layout.model.efforts:
        for action in effort_actions(tree, effort):
            node, pose = tree.place[action.body]
            if node != EARTH_NODE:
                own = Wrench.at_point(action.point, action.force, action.torque)
                found[node] = found[node] + own.seen_from(pose)
    flat = in_speeds(tree, [x for one in found for x in one.scalars])
    return [Wrench.of(flat[i : i + 6]) for i in range(0, len(flat), 6)]


def joint_efforts(tree: Tree) -> list[Expr]:
    """Generalised effort of every known joint effort: action and reaction leave only the joint's own speeds."""
    total = [ZERO] * len(tree.speeds)
    index = {x: i for i, x in enumerate(tree.speeds)}
    for one in tree.layout.tree:
        for speed, effort in link_efforts(one.link, tree.motions[one.link.name]):
            total[index[speed]] += effort
    return in_speeds(tree, total)


def link_efforts(link: Link, motions: Sequence[StepMotion]) -> list[tuple[Expr, Expr]]:
    """Known efforts of a link on the speeds of its own joint: wrenches on its steps, efforts on its coordinates."""
    found = _wrench_powers(link, motions)
    if not link.joint.efforts:
        return found
    speeds = [ex.symbol(x) for x in link.speeds]
    rates = {x: rate for motion in motions for x, rate in motion.rates.items()}
    for coordinate, effort in link.placed_efforts().items():
        slopes = ex.gradient(rates[coordinate], speeds)
        found += [(speed, effort * slope) for speed, slope in zip(speeds, slopes, strict=True) if slope is not ZERO]
    return found


def _wrench_powers(link: Link, motions: Sequence[StepMotion]) -> list[tuple[Expr, Expr]]:
    """Power, for a unit of each speed, of the wrenches that a joint's steps carry (on the second body at the step)."""
    found: list[tuple[Expr, Expr]] = []
    if not any(step.is_loaded for step in link.joint.steps):
        return found
    for k, step in enumerate(link.placed_steps()):
        if not step.is_loaded:
            continue
        rotation = motions[k].rotation
        own = Wrench(apply_transposed3(rotation, step.torque), apply_transposed3(rotation, step.force))
        for motion, wrench in _along(motions, k, own):
            found += [(ex.symbol(name), wrench.power(twist)) for name, twist in motion.columns]
    return found


def _along(motions: Sequence[StepMotion], k: int, own: Wrench) -> list[tuple[StepMotion, Wrench]]:
    """One wrench, known after step k, written after every step of the joint."""
    seen = [(motions[k], own)]
    wrench = own
    for l in range(k, 0, -1):
        wrench = wrench.seen_from(motions[l].pose)
        seen.append((motions[l - 1], wrench))
    wrench = own
    for motion in motions[k + 1 :]:
        wrench = wrench.seen_from(motion.pose.inverse())
        seen.append((motion, wrench))
    return seen


def in_speeds(tree: Tree, exprs: Sequence[Expr]) -> list[Expr]:
    """Formulas of the description in the state: rates such as `th'` in the chosen speeds, given functions defined."""
    written = _with_places(tree, define_functions(list(exprs), tree.layout.model.functions))
    replace = {x: rate for x in ex.free_symbols(written) if (rate := _rate(tree, x)) is not None and rate is not x}
    return ex.substitute(written, replace) if replace else written


def _rate(tree: Tree, x: Expr) -> Expr | None:
    """What the symbol `q'` stands for; None for one that is no rate of a coordinate."""
    return tree.rates.get(ex.symbol(x.name[:-1])) if x.name.endswith("'") and len(x.name) > 1 else None


def _with_places(tree: Tree, exprs: list[Expr]) -> list[Expr]:
    """Quantities of frames, `tip.X` and `tip.X'`, as functions of the state."""
    model = tree.layout.model
    asked = {x: found for x in ex.free_symbols(exprs) if "." in x.name and (found := model.frame_quantity(x.name))}
    if not asked:
        return exprs
    absolute = poses(tree)
    replace: dict[Expr, Expr] = {}
    for x, (frame, axis, order) in asked.items():
        place = frame_pose(tree, frame, absolute).position[axis]
        replace[x] = time_derivative(tree, [place])[0] if order else place
    return ex.substitute(exprs, replace)


def define_functions(exprs: list[Expr], functions: Mapping[str, tuple[tuple[str, ...], Expr]]) -> list[Expr]:
    """Unknown functions replaced by the formulas that the mechanism gives them."""
    if not functions:
        return exprs
    replace: dict[Expr, Expr] = {}
    for e in ex.topological(exprs):
        if e.op == "apply" and e.name in functions:
            names, formula = functions[e.name]
            slots = [ex.symbol(x) for x in names]
            for slot, order in zip(slots, e.orders, strict=True):
                for _ in range(order):
                    formula = ex.derivative(formula, slot)
            arguments = ex.substitute(e.args, replace)
            replace[e] = ex.substitute([formula], dict(zip(slots, arguments, strict=True)))[0]
    return ex.substitute(exprs, replace)
