"""A mechanism as something that moves: its first-order equations with energies, pictures and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.dynamics.scales import scales_of
from dalembert.errors import ExpressionError
from dalembert.expr import Expr, Matrix
from dalembert.expr.space import is_zero3
from dalembert.kinematics import Pose, Tree, effort_singularities, frame_pose, poses
from dalembert.mechanism import EARTH, Frame, Layout, Link, Mechanism, Model, Spring
from dalembert.simulate.contact.outputs import WithContacts
from dalembert.simulate.system.chart_ends import chart_ends, has_edges
from dalembert.simulate.system.constrained import coupling_conditions, kept_closed
from dalembert.simulate.system.large import is_large, with_numbers
from dalembert.simulate.system.on_demand import rates_of
from dalembert.simulate.system.system import Condition, Picture, System

#: Degrees of freedom up to which the pivots of the mass matrix are watched while a motion is computed.
_WATCHED = 12


def system_of(mechanism: Mechanism | Model, layout: Layout | None = None) -> System:
    """The motion of a machine: q' = P u, u' from the equations, with what its user wants to see of it.

    It is made once for a layout and kept with it.
    """
    model = mechanism.freeze()
    layout = layout or Layout.of(model)
    known, system = layout.made.get("system", (None, None))
    if known is not model or system is None:
        system = _made(model, layout)
        layout.made["system"] = model, system
    return system


@ex.uncollected()
def _made(mechanism: Model, layout: Layout) -> System:
    about = dynamics_of(layout.loosened())
    absolute, large = poses(about.tree), is_large(about)
    rows = contact_rows(about)
    quaternions = about.state.quaternions
    upright = {group[0]: 1.0 for group in quaternions}
    system = System(
        about.state.coordinates,
        about.state.speeds,
        _rates(about, large, bool(rows)),
        given=mechanism.given,  # read only: the system is kept with the machine
        start=MappingProxyType({**upright, **mechanism.start}),
        kinetic=about.energies.kinetic,
        quaternions=quaternions,
        conditions=(
            *_charts(about.tree),
            *_springs(about.tree),
            *chart_ends(about.layout),
            *_pivots(about),
            *coupling_conditions(about),
        ),
        pictures=(
            *pictures_of(about.tree, absolute),
            *_coils(about.tree, absolute),
        ),
        outputs=WithContacts(about.outputs, rows) if rows else about.outputs,
        constants=about.model.parameters(),
        contacts=rows,
        scales=scales_of(about.layout),
        up=up_of(mechanism),
        name=mechanism.name,
        layout=about.layout,
    )
    if large:
        return with_numbers(system, about)
    return kept_closed(system, about) if about.closed else system


def _rates(about: Dynamics, large: bool, touching: bool) -> Sequence[Expr]:
    if large:
        return (*about.rates, *about.accelerations_given)
    return (*about.rates, *about.accelerations()) if about.closed or touching else rates_of(about)


def _charts(tree: Tree) -> list[Condition]:
    remedy = "Describe this rotation with another sequence of angles, or with a quaternion."
    return [Condition(value, f"the {name} is singular", remedy) for name, value in tree.conditions]


def _springs(tree: Tree) -> list[Condition]:
    remedy = "Keep its ends apart, or let it be a bare spring of length zero, which needs no direction."
    return [
        Condition(length, f"the ends of spring '{name}' meet, and its force has no direction there", remedy)
        for name, length in effort_singularities(tree)
    ]


def _pivots(about: Dynamics) -> list[Condition]:
    """Pivots of the mass matrix that depend on the configuration: one vanishes where the matrix is singular."""
    if not 0 < len(about.speeds) <= _WATCHED:
        return []
    return list(_watch(about.mass_matrix, about.state.speeds, frozenset(about.coordinates)))


@lru_cache(maxsize=64)
def _watch(mass: Matrix, speeds: tuple[str, ...], moving: frozenset[Expr]) -> tuple[Condition, ...]:
    _, diagonal = factor_symmetric(mass, speeds)
    singular = "the mass matrix is singular: the speed '{}' moves no mass there"
    remedy = "Give mass or inertia to what it moves, or choose other coordinates."
    pivots = [(name, pivot) for name, pivot in zip(speeds, diagonal, strict=True) if ex.free_symbols([pivot]) & moving]
    found = [Condition(pivot, singular.format(name), remedy) for name, pivot in pivots]
    if has_edges(mass.entries, set(moving)):
        infinite = "the chart ends: the mass that the speed '{}' moves is infinite there"
        found += [
            Condition(ex.ONE / pivot, infinite.format(name), "Choose other coordinates.") for name, pivot in pivots
        ]
    return tuple(found)


def pictures_of(tree: Tree, absolute: list[Pose]) -> list[Picture]:
    """Every body as segments between the origins of the frames that its links use; a slide shows its rail."""
    model = tree.layout.model
    frames: dict[str, list[Frame]] = {name: [] for name in model.bodies}
    for link in model.links.values():
        for frame in (link.first, link.second):
            frames[frame.body].append(frame)
    for link in model.links.values():
        if _is_slide(link):
            frames[link.second.body].append(link.first)
    return [_picture(tree, name, used, absolute) for name, used in frames.items()]


def _picture(tree: Tree, body: str, frames: Sequence[Frame], absolute: list[Pose]) -> Picture:
    points = [frame_pose(tree, frame, absolute).position for frame in frames]
    held = tree.layout.model.bodies[body]
    if body == EARTH:
        return Picture(body, tuple(dict.fromkeys(points)), fixed=True)
    centre = frame_pose(tree, held.centre_frame, absolute).position
    x, y, z = zip(*frame_pose(tree, held.frame, absolute).rotation, strict=True)
    massive = held.mass is not ex.ZERO
    if massive and len(set(points)) == 1 and centre not in points:
        points.append(centre)
    return Picture(body, tuple(dict.fromkeys(points)), centre if massive else None, (x, y, z))


def _coils(tree: Tree, absolute: list[Pose]) -> list[Picture]:
    """Springs between two points."""
    springs = [effort for effort in tree.layout.model.efforts if isinstance(effort, Spring)]
    ends = [tuple(frame_pose(tree, frame, absolute).position for frame in spring.frames) for spring in springs]
    return [Picture(spring.name, points, coil=True) for spring, points in zip(springs, ends, strict=True)]


def _is_slide(link: Link) -> bool:
    sliding = any(not is_zero3(step.displacement.translation) for step in link.joint.steps)
    return sliding and link.joint.dof <= 2


def up_of(mechanism: Mechanism | Model) -> tuple[float, float, float]:
    """Against gravity where it is known, else along z."""
    values = {ex.symbol(name): value for name, value in mechanism.given.items() if isinstance(value, int | float)}
    try:
        x, y, z = ex.evaluate([ex.as_expr(g) for g in mechanism.gravity], values)
    except ExpressionError:
        signs = [-1.0 if g.op == "neg" else 1.0 for g in mechanism.gravity]
        x, y, z = (0.0 if g is ex.ZERO else sign for g, sign in zip(mechanism.gravity, signs, strict=True))
    size = (x * x + y * y + z * z) ** 0.5
    return (-x / size, -y / size, -z / size) if size > 0 else (0.0, 0.0, 1.0)
