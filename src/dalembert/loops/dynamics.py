"""Dynamics of closed loops in the speeds of the spanning tree: M u' = S + F + G^T lambda, G u + g_t = 0.

Each cut link keeps its own coordinates x as further states. With the relative twist xi of its second frame and the
motion subspace S(x) of its joint, the link asks that xi lie in the span of S:

    c = Pi xi = 0,   Pi = 1 - S (S^T S)^-1 S^T,        x' from sigma = (S^T S)^-1 S^T xi

This holds for every joint, subgroup or not. Rows that depend on others (all planar loops in space have some) are left
out by value when the multipliers are solved for: the motion does not depend on which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.factor import KineticBasis, OrthogonalRows, solve_symmetric
from dalembert.dynamics.recursive import Recursion, mass_matrix, right_side
from dalembert.expr import HALF, ZERO, Expr, Matrix
from dalembert.expr.space import Matrix3, Vector3, product3, sub3, transpose3
from dalembert.kinematics import (
    StepMotion,
    Tree,
    Twist,
    build_tree,
    define_functions,
    frame_pose,
    frame_twist,
    joint_columns,
    link_efforts,
)
from dalembert.mechanism import CutLink, Layout


@dataclass(frozen=True, slots=True)
class Closure:
    """One cut link: its own speeds and rates, its condition on the velocities, and how far it is from closed.

    `misfit` is the small displacement (rotation, then translation) that still separates the two frames.
    """

    link: CutLink
    coordinates: tuple[Expr, ...]
    columns: tuple[tuple[Expr, Twist], ...]
    twist: tuple[Expr, ...]
    sigma: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    condition: tuple[Expr, ...]
    misfit: tuple[Expr, ...]

    def projected(self, six: Sequence[Expr]) -> list[Expr]:
        """Pi six."""
        return _outside([twist for _, twist in self.columns], six)


@dataclass(frozen=True, slots=True)
class LoopEquations:
    """Accelerations, multipliers and one step of projection, all as expressions of the state (q, x, u)."""

    tree: Tree
    closures: tuple[Closure, ...]
    mass: Matrix
    constraint: Matrix  # G u' = constraint_right
    constraint_right: tuple[Expr, ...]
    cut_efforts: tuple[Expr, ...]  # known efforts in cut links, on the speeds of the tree
    accelerations: tuple[Expr, ...]
    multipliers: tuple[Expr, ...]
    corrected: tuple[Expr, ...]  # q, x, u after one Newton step towards the closure

    @property
    def cut_coordinates(self) -> tuple[Expr, ...]:
        return tuple(x for one in self.closures for x in one.coordinates)

    @property
    def cut_rates(self) -> tuple[Expr, ...]:
        return tuple(x for one in self.closures for x in one.rates)

    @property
    def misfit(self) -> tuple[Expr, ...]:
        return tuple(x for one in self.closures for x in one.misfit)

    def reactions(self) -> dict[str, tuple[Expr, ...]]:
        """Wrench (moment, force) of each cut link on its second body, at and in the base of its second frame."""
        found, place = {}, 0
        for one in self.closures:
            found[one.link.link.name] = tuple(one.projected(self.multipliers[place : place + 6]))
            place += 6
        return found


def derive_loops(layout: Layout) -> LoopEquations:
    """The equations of a mechanism with loops, ready for compilation."""
    model = Recursion.of(build_tree(layout))
    tree = model.tree
    closures = tuple(_closure(tree, cut) for cut in layout.cuts)
    mass = mass_matrix(model)
    basis = KineticBasis.of(mass, layout.speeds)
    cut_efforts = _cut_efforts(tree, closures)
    right = [r + f for r, f in zip(right_side(model), cut_efforts, strict=True)]
    condition = [x for one in closures for x in one.condition]
    constraint = Matrix(ex.jacobian(condition, tree.speeds), (len(condition), len(tree.speeds)))
    moving = {ex.TIME: ex.ONE, **tree.rates}
    moving |= {x: rate for one in closures for x, rate in zip(one.coordinates, one.rates, strict=True)}
    drift = ex.tangent(condition, moving)
    rows = [basis.covector(row) for row in constraint.rows()]
    normal = OrthogonalRows.of(rows)
    free = basis.covector(right)
    weights = normal.weights([-(d + ex.dot_product(row, free)) for d, row in zip(drift, rows, strict=True)])
    found = [a + b for a, b in zip(free, normal.combination(weights), strict=True)]
    return LoopEquations(
        tree,
        closures,
        mass,
        constraint,
        tuple(-d for d in drift),
        tuple(cut_efforts),
        tuple(basis.speeds(found)),
        tuple(normal.multipliers(weights)),
        tuple(_corrected(tree, closures, basis, normal, condition)),
    )


def _corrected(
    tree: Tree, closures: tuple[Closure, ...], basis: KineticBasis, normal: OrthogonalRows, condition: list[Expr]
) -> list[Expr]:
    """The nearest state, in the kinetic metric, that satisfies the linearised closure and velocity conditions."""
    gap = [-x for one in closures for x in one.projected(one.misfit)]
    shift = basis.speeds(normal.combination(normal.weights(gap)))
    change = basis.speeds(normal.combination(normal.weights([-c for c in condition])))
    slowed = [u + d for u, d in zip(tree.speeds, change, strict=True)]
    along = dict(zip(tree.speeds, shift, strict=True))
    resting = dict.fromkeys(tree.speeds, ZERO)
    rates = list(tree.rates.values())
    moved = ex.substitute(rates, along)
    drifts = ex.substitute(rates, resting)
    steps = {x: a - b for x, a, b in zip(tree.rates, moved, drifts, strict=True)}
    positions = [x + steps[x] for x in tree.coordinates]
    own: list[Expr] = []
    for one in closures:
        jacobian = ex.jacobian(one.twist, tree.speeds)
        total = [m + ex.dot_product(row, shift) for m, row in zip(one.misfit, jacobian, strict=True)]
        sigma = _inside([twist for _, twist in one.columns], total)
        symbols = {speed: s for (speed, _), s in zip(one.columns, sigma, strict=True)}
        own += [x + d for x, d in zip(one.coordinates, ex.substitute(_own_rates(tree, one.link), symbols), strict=True)]
    return [*positions, *own, *slowed]


def _closure(tree: Tree, cut: CutLink) -> Closure:
    motions = tree.motions[cut.link.name]
    coordinates = tuple(ex.symbol(x) for x in cut.link.coordinates)
    columns, drift = joint_columns(motions, cut.link)
    twist = [a - b for a, b in zip(_relative_twist(tree, cut), drift.scalars, strict=True)]
    sigma = _inside([one for _, one in columns], twist)
    known = {speed: s for (speed, _), s in zip(columns, sigma, strict=True)}
    rates = tuple(ex.substitute(_own_rates(tree, cut), known))
    misfit = tuple(_misfit(tree, cut, motions))
    condition = tuple(_outside([one for _, one in columns], twist))
    return Closure(cut, coordinates, tuple(columns), tuple(twist), tuple(sigma), rates, condition, misfit)


def _own_rates(tree: Tree, cut: CutLink) -> list[Expr]:
    """Rates of a cut link's coordinates in its own speeds."""
    known = {x: rate for motion in tree.motions[cut.link.name] for x, rate in motion.rates.items()}
    return [known[x] for x in cut.link.coordinates]


def _outside(columns: list[Twist], six: Sequence[Expr]) -> list[Expr]:
    """Pi six: what the joint does not allow."""
    left = list(six)
    for weight, twist in zip(_inside(columns, six), columns, strict=True):
        left = [a - weight * s for a, s in zip(left, twist.scalars, strict=True)]
    return left


def _inside(columns: list[Twist], six: Sequence[Expr]) -> list[Expr]:
    """(S^T S)^-1 S^T six."""
    if not columns:
        return []
    gram = Matrix([[ex.dot_product(a.scalars, b.scalars) for b in columns] for a in columns])
    return solve_symmetric(gram, [ex.dot_product(a.scalars, six) for a in columns])


def _relative_twist(tree: Tree, cut: CutLink) -> list[Expr]:
    """Twist of the second frame relative to the first body, in the base and at the origin of the second frame."""
    between = frame_pose(tree, cut.link.first).inverse() @ frame_pose(tree, cut.link.second)
    return list((frame_twist(tree, cut.link.second) - frame_twist(tree, cut.link.first).at(between)).scalars)


def _misfit(tree: Tree, cut: CutLink, motions: tuple[StepMotion, ...]) -> list[Expr]:
    near, far = frame_pose(tree, cut.link.first), frame_pose(tree, cut.link.second)
    for motion in motions:
        near = near @ motion.pose
    left = product3(transpose3(near.rotation), far.rotation)
    return [*_axial(left), *far.vector_back(sub3(far.position, near.position))]


def _axial(m: Matrix3) -> Vector3:
    """The small rotation that a matrix near the identity is."""
    return HALF * Vector3((m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]))


def _cut_efforts(tree: Tree, closures: tuple[Closure, ...]) -> list[Expr]:
    """Known efforts in cut links, felt by the speeds of the tree."""
    total = [ZERO] * len(tree.speeds)
    functions = tree.layout.model.functions
    for one in closures:
        sigma = dict(zip([speed for speed, _ in one.columns], one.sigma, strict=True))
        rates = {ex.prime(x): rate for x, rate in zip(one.coordinates, one.rates, strict=True)}
        for speed, effort in link_efforts(one.link.link, tree.motions[one.link.link.name]):
            (value,) = define_functions(ex.substitute([effort], rates), functions)
            slopes = ex.gradient(sigma.get(speed, speed), tree.speeds)
            total = [a + value * slope for a, slope in zip(total, slopes, strict=True)]
    return total
