"""Lagrange's equations, from the kinetic energy T(q, q', t) and the potential V(q, t).

Papegay 1.3.3.i-iv and 2.4:   d/dt dT/dq'_i - dT/dq_i = - dV/dq_i + Q_i + sum_j lambda_j df_j/dq_i

Q_i is the coefficient of q'_i in the power of the efforts that derive from no potential. Coordinates bound by
conditions f_j (the unit norm of a quaternion) bring multipliers; the admissible rates q' = P(q) u annihilate them, and
the equations are then written in the speeds u: M = P^T M_q P, S = P^T (S_q - M_q P' u), F = P^T Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.constraints.rows import Rows
from dalembert.dynamics.gyroscopic import VelocityPotential, velocity_potential
from dalembert.dynamics.potential import Potential, find_potential
from dalembert.expr import HALF, ONE, TIME, ZERO, Expr, Matrix
from dalembert.expr.elimination import vanish
from dalembert.expr.space import apply3, dot3
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import pull_back
from dalembert.kinematics.bodies import BodyMotion, body_motions
from dalembert.presentation import theorems
from dalembert.presentation.closing import reaction_terms
from dalembert.presentation.jacobians import balance, forces, jacobians, mass_matrix, reactions_on_speeds
from dalembert.presentation.lines import definition, plain
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import Vocabulary

_PAGE = 2000


@dataclass(frozen=True, slots=True, repr=False)
class Lagrangian:
    """T and V in coordinates, rates and time; `efforts` are the Q_i of what derives from no potential.

    Of a machine with constraints, d/dt dL/dq' - dL/dq = Q + W^T lambda, with W = `reaction`, and conditions whose rates
    have the coefficients D = `constraint`; W is D where all reactions are perfect.
    """

    kinetic: Expr
    potential: Expr
    efforts: tuple[Expr, ...]
    coordinates: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    multipliers: tuple[str, ...] = ()  # one for each condition of closed loops: `crank.Fx`
    conditions: tuple[Expr, ...] = ()  # f_j(q, q', t) = 0, affine in the rates
    pushed: Matrix | None = None  # W, where it is not D
    gap: tuple[Expr | None, ...] = ()  # how far from closed each is

    @property
    def value(self) -> Expr:
        """L = T - V."""
        return self.kinetic - self.potential

    def __repr__(self) -> str:
        asked = zip(self.multipliers, self.conditions, strict=True)
        rows = [f"\n{_brief(f)} = 0    [{name}]" for name, f in asked if f is not ZERO]
        return f"T = {_brief(self.kinetic)}\nV = {_brief(self.potential)}{''.join(rows)}"

    def _repr_latex_(self) -> str:
        rows = [f" \\\\ 0 &= {ex.latex(ex.tidy(f))}" for f in self.conditions if f is not ZERO]
        value = f"L &= {ex.latex(ex.tidy(self.value))}{''.join(rows)}"
        return (
            f"$$\\begin{{aligned}}{value}\\end{{aligned}}$$" if rows else f"$\\displaystyle {value.replace('&', '')}$"
        )

    @property
    def constraint(self) -> Matrix:
        """D: the coefficients of the rates in the conditions."""
        rows = ex.jacobian(self.conditions, self.rates) if self.conditions else []
        return Matrix(rows, (len(self.conditions), len(self.rates)))

    @property
    def reaction(self) -> Matrix:
        """W: what the multipliers push."""
        return self.constraint if self.pushed is None else self.pushed

    @property
    def momenta(self) -> list[Expr]:
        return ex.gradient(self.kinetic, self.rates)

    def velocity_potential(self) -> VelocityPotential:
        """U(q, q', t) of the efforts Q that turn with the speeds, and what is left: L - U has the efforts `rest`."""
        return velocity_potential(self.efforts, self.coordinates, self.rates)

    @property
    def cyclic(self) -> tuple[str, ...]:
        """Coordinates on which L does not depend, without effort or reaction: their momenta are constant."""
        slopes = ex.gradient(self.value, self.coordinates)
        columns = self.reaction.T.rows()
        return tuple(
            q.name
            for q, slope, effort, column in zip(self.coordinates, slopes, self.efforts, columns, strict=True)
            if effort is ZERO and (slope is ZERO or vanish([slope])) and all(x is ZERO for x in column)
        )


def _brief(e: Expr) -> str:
    """The formula in order, or its size where it would fill a page."""
    shown = ex.text(ex.tidy(e))
    return shown if len(shown) <= _PAGE else f"<{ex.count_operations(e)} operations>"


def derive(tree: Tree, potential: str = "automatic") -> Equations:
    """The Lagrangian derivative of T, the potential and the generalised efforts."""
    lagrangian = lagrangian_of(tree, potential)
    mass, bias = lagrangian_derivative(lagrangian)
    slopes = ex.gradient(lagrangian.potential, lagrangian.coordinates)
    efforts = [q - v for q, v in zip(lagrangian.efforts, slopes, strict=True)]
    return _in_speeds(tree, lagrangian, mass, bias, efforts)


def close(eq: Equations, rows: Rows) -> Equations:
    """The rows of cut links in speeds for the equations, in rates for the Lagrangian."""
    return replace(eq.closed(rows), detail=closed_lagrangian(eq.tree, eq.detail, rows))


def closed_lagrangian(tree: Tree, found: Lagrangian, rows: Rows) -> Lagrangian:
    """The same L with the conditions of cut links, and with the known efforts in them."""
    inverse = speeds_from_rates(tree)
    in_rates = dict(zip(tree.speeds, inverse, strict=True))
    own = {ex.prime(one.coordinate): one.rate for one in rows.own}
    felt = pull_back(inverse, ex.substitute(list(rows.efforts), in_rates), found.rates)
    known = ex.substitute(ex.substitute(list(found.efforts), own), in_rates)
    return replace(
        found,
        efforts=tuple(a + b for a, b in zip(known, felt, strict=True)),
        multipliers=rows.names,
        conditions=tuple(ex.substitute(list(rows.conditions), in_rates)),
        gap=rows.gap,
        pushed=_pushed(rows, inverse, in_rates, found.rates),
    )


def _pushed(rows: Rows, inverse: Sequence[Expr], in_rates: dict[Expr, Expr], rates: Sequence[Expr]) -> Matrix | None:
    """W on the rates, where it is not along the conditions."""
    if not rows.imperfect:
        return None
    drags = [one.drag for one in rows.sliding.values()]  # friction is no row of its own: it holds back all it moves
    flat = [x for row in (*rows.reaction.rows(), *drags) for x in row]
    flat, n = ex.substitute(flat, in_rates), rows.matrix.shape[1]
    found = [pull_back(inverse, flat[i : i + n], rates) for i in range(0, len(flat), n)]
    for k, drag in zip(rows.sliding, found[len(rows) :], strict=True):
        found[k] = [a - ex.sign(ex.symbol(rows.names[k])) * b for a, b in zip(found[k], drag, strict=True)]
    return Matrix(found[: len(rows)], (len(rows), len(rates)))


def lagrangian_of(tree: Tree, potential: str = "automatic") -> Lagrangian:
    """T(q, q') by composing velocities with u = W(q) q', V by the integrability test, Q by the power.

    `potential` is "automatic" (every effort that derives from one), "gravity" or "none".
    """
    motions = body_motions(tree)
    rates = [ex.prime(q) for q in tree.coordinates]
    found = find_potential(tree, potential)
    in_rates = dict(zip(tree.speeds, speeds_from_rates(tree), strict=True))
    efforts = _generalised_efforts(tree, motions, found, in_rates, rates)
    kinetic = ex.substitute([kinetic_energy(motions)], in_rates)[0]
    return Lagrangian(kinetic, found.value, tuple(efforts), tree.coordinates, tuple(rates))


def kinetic_energy(motions: Sequence[BodyMotion]) -> Expr:
    """T = sum mu v(G)^2 / 2 + w . I w / 2."""
    total = ZERO
    for one in motions:
        if one.has_mass:
            v = one.centre_velocity
            total += HALF * one.body.mass * dot3(v, v) + HALF * dot3(one.spin, apply3(one.inertia, one.spin))
    return total


def lagrangian_derivative(lagrangian: Lagrangian) -> tuple[Matrix, list[Expr]]:
    """d/dt dT/dq' - dT/dq = M_q q'' - S_q, with S_q quadratic in the rates."""
    n = len(lagrangian.coordinates)
    momenta = lagrangian.momenta
    slopes = ex.jacobian(momenta, lagrangian.rates) if n else []
    along = {TIME: ONE, **dict(zip(lagrangian.coordinates, lagrangian.rates, strict=True))}
    moved = ex.tangent(momenta, along)
    direct = ex.gradient(lagrangian.kinetic, lagrangian.coordinates)
    rows = [[slopes[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    return Matrix(rows, (n, n)), [d - m for d, m in zip(direct, moved, strict=True)]


def _generalised_efforts(
    tree: Tree,
    motions: Sequence[BodyMotion],
    found: Potential,
    in_rates: dict[Expr, Expr],
    rates: Sequence[Expr],
) -> list[Expr]:
    """Coefficients of the rates in the power of the efforts that are not in the potential."""
    fields: list[Expr] = []
    efforts: list[Expr] = []
    actions, known = found.outside(tree)
    for action in actions:
        one = motions[action.body]
        fields += [*one.point(action.point), *one.spin]
        efforts += [*action.force, *action.torque]
    fields = ex.substitute(fields, in_rates)
    for effort in known:
        fields.append(ex.prime(effort.coordinate))
        efforts.append(effort.effort)
    return pull_back(fields, efforts, rates)


def _in_speeds(
    tree: Tree, lagrangian: Lagrangian, mass: Matrix, bias: Sequence[Expr], efforts: Sequence[Expr]
) -> Equations:
    """From rates to speeds; nothing to do where the speeds are the rates."""
    own = [tree.rates[q] for q in tree.coordinates]
    if list(own) == list(lagrangian.rates) and list(own) == list(tree.speeds):
        return Equations("lagrange", tree, mass, tuple(bias), tuple(efforts), detail=lagrangian)
    replacement = {r: p for r, p in zip(lagrangian.rates, own, strict=True) if r is not p}
    n, entries = len(own), [*mass.entries, *bias, *efforts]
    flat = ex.substitute(entries, replacement)
    held = Matrix([flat[i * n : (i + 1) * n] for i in range(n)], (n, n))
    s, f = Matrix.column(flat[n * n : n * n + n]), Matrix.column(flat[n * n + n :])
    directions = Matrix(ex.jacobian(own, tree.speeds), (n, len(tree.speeds)))
    turning = Matrix.column(ex.tangent(own, {TIME: ONE, **tree.rates}))
    upper = (directions.T @ held).symmetric_product(directions)
    right = directions.T @ (s - held @ turning)
    forces = (directions.T @ f).entries
    return Equations("lagrange", tree, upper, right.entries, forces, detail=lagrangian)


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    energy, potential = theorems.kinetic_energy(words), theorems.gravity_potential(words)
    power = theorems.power_of_efforts(words, gravity=False)
    weight = potential != al.number(0)
    reactions = reaction_terms(words, "q'_i", "\\dot{q}_i")
    lines = [
        plain(
            f"i = 1..{len(words.tree.coordinates)}: {', '.join(q.name for q in words.tree.coordinates)}",
            "d/dt dT/dq'_i - dT/dq_i = dP/dq'_i" + (" - dV/dq_i" if weight else "") + reactions[0],
            "\\frac{d}{dt}\\frac{\\partial T}{\\partial \\dot{q}_i} - \\frac{\\partial T}{\\partial q_i} = "
            "\\frac{\\partial P}{\\partial \\dot{q}_i}"
            + (" - \\frac{\\partial V}{\\partial q_i}" if weight else "")
            + reactions[1],
        )
    ]
    heads = [definition(al.scalar("T"), energy, label="kinetic energy")]
    if weight:
        heads.append(definition(al.scalar("V"), potential, label="potential of gravity"))
    heads.append(definition(al.scalar("P"), power, label="power of the other known efforts, held while deriving"))
    return Statements(lines, heads, [energy, power, potential])


def matrix_level(words: Vocabulary) -> Statements:
    jacobians(words)
    weight = theorems.gravity_potential(words)
    parts = [
        ("M", mass_matrix(words), "mass matrix"),
        ("F", forces(words, gravity=False), "the other known efforts"),
        ("V", None if weight == al.number(0) else weight, "potential of gravity"),
    ]
    found = balance(words, parts)
    closed = reactions_on_speeds(words)
    line = plain(
        "T = u^T M u/2 (and the terms of drifts)",
        "M*u' = -M'*u + d(u^T M u/2)/dq - dV/dq + F" + closed[0],
        "M \\dot{u} = -\\dot{M} u + \\frac{\\partial}{\\partial q}\\left(\\tfrac{1}{2} u^T M u\\right) - "
        "\\frac{\\partial V}{\\partial q} + F" + closed[1],
    )
    return Statements([line, *found.lines[1:]], found.heads, found.terms)


FORMALISM = Formalism(
    name="lagrange",
    title="Lagrange",
    derive=derive,
    close=close,
    vector=vector_level,
    matrix=matrix_level,
    has_potential=True,
)
