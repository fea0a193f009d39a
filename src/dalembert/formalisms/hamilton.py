"""Hamilton's equations: Legendre transform of T, H(q, p, t), canonical equations.

Papegay 1.3.3.v-vii and 2.5. The momenta are p = dT/du = M u + b. They are never solved for by expanding an inverse:
M = L^T D L keeps the transform factored,

    L^T y = p - b,     H = sum_k y_k^2 / (2 D_k) - T_0 + V,     q' = P dH/dp,     p' = -P^T dH/dq + Q + (turning speeds)

Nor is H derived through these factors: H is the value of p . u - T + V where it is stationary in u, so that with p held

    -dH/dq = dT/dq - dV/dq      at      u = dH/dp

When the speeds are the rates, P = 1, the last term vanishes and the equations are canonical. With other speeds the
momenta are those of a moving frame of directions (Poincare, Hamel): p_q = W^T p is held while deriving, and the last
term is (dP/dt)^T p_q - P^T d(u . P^T p_q)/dq. This covers quaternions, whose four coordinates have three speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric
from dalembert.constraints.rows import Rows
from dalembert.dynamics.potential import Potential, find_potential
from dalembert.expr import HALF, ONE, TIME, ZERO, Expr, Matrix, dot_product
from dalembert.formalisms.canonical import canonical_equations, matrix_level, own_quantities, vector_level
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.hamiltonian import Hamiltonian, InSpeeds
from dalembert.formalisms.lagrange import kinetic_energy
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import pull_back
from dalembert.kinematics.bodies import BodyMotion, body_motions, in_time


def momentum_name(speed: Expr) -> str:
    """`elbow.th'` has the momentum `elbow.p_th`; `body.wx` has `body.p_wx`."""
    link, dot, own = speed.name.rpartition(".")
    return f"{link}{dot}p_{own.rstrip(chr(39))}"


def derive(tree: Tree, potential: str = "automatic") -> Equations:
    """H, then p' = -dH/dq + Q, and M u' from p = M u + b."""
    motions = body_motions(tree)
    kinetic = kinetic_energy(motions)
    momentum = ex.gradient(kinetic, tree.speeds)
    n = len(tree.speeds)
    slopes = [x for row in ex.jacobian(momentum, tree.speeds) for x in row] if n else []
    # A pivot costs dearly: H is made of reduced entries. The equations are reduced whole, with their rows, at the end.
    *entries, least_kinetic = ex.reduce([*slopes, *momentum, kinetic])
    mass, least_mass = _symmetric(slopes, n), _symmetric(entries, n)
    symbols = [ex.symbol(momentum_name(u)) for u in tree.speeds]
    energy = legendre_transform(tree, least_mass, least_kinetic, entries[n * n :], symbols)
    speeds = ex.gradient(energy, symbols)
    turned = turning_term(tree, symbols)
    pulled = _along_speeds(tree, ex.gradient(kinetic, tree.coordinates))
    inertia = [t + d for t, d in zip(turned, pulled, strict=True)]  # in (q, u, p)
    found = find_potential(tree, potential)
    efforts = _efforts(tree, motions, found)
    slopes_v = _along_speeds(tree, ex.gradient(found.value, tree.coordinates))
    forces = [q - v for q, v in zip(efforts, slopes_v, strict=True)]
    rates = tuple(tree.rates[q] for q in tree.coordinates)
    risen = tuple(a + b for a, b in zip(inertia, forces, strict=True))
    said = InSpeeds(tuple(tree.speeds), rates, risen, tuple(efforts))
    canonical = rates == tuple(tree.speeds)
    detail = Hamiltonian(
        energy, found.value, tuple(symbols), tuple(entries[n * n :]), tuple(speeds), least_kinetic, said, canonical
    )
    moved = ex.tangent(momentum, in_time(tree))
    in_state = ex.substitute(inertia, dict(zip(symbols, momentum, strict=True)))
    bias = [a - b for a, b in zip(in_state, moved, strict=True)]
    return Equations("hamilton", tree, mass, tuple(bias), tuple(forces), detail=detail)


def close(eq: Equations, rows: Rows) -> Equations:
    """The rows of cut links in speeds for the equations, in momenta for the Hamiltonian."""
    found: Hamiltonian = eq.detail
    own, said = {ex.prime(one.coordinate): one.rate for one in rows.own}, found.in_speeds
    n, known = len(rows.efforts), [*rows.efforts, *said.efforts, *said.momentum_rates, *rows.conditions]
    felt = ex.substitute(known, own)
    closed_rates = replace(
        said,
        efforts=tuple(a + b for a, b in zip(felt[n : 2 * n], felt[:n], strict=True)),
        momentum_rates=tuple(a + b for a, b in zip(felt[2 * n : 3 * n], felt[:n], strict=True)),
        conditions=tuple(felt[3 * n :]),
    )
    detail = replace(
        found,
        in_speeds=closed_rates,
        multipliers=rows.names,
        constraint=rows.matrix,
        reaction=rows.reaction,
        gap=rows.gap,
    )
    return replace(eq.closed(rows), detail=detail)


def legendre_transform(
    tree: Tree, mass: Matrix, kinetic: Expr, momentum: Sequence[Expr], symbols: Sequence[Expr]
) -> Expr:
    """Kinetic part of H: (p - b)^T M^-1 (p - b) / 2 - T_0, in the factors of M."""
    n = len(symbols)
    *drift, rest = ex.substitute([*momentum, kinetic], dict.fromkeys(tree.speeds, 0))
    lower, diagonal = factor_symmetric(mass)
    y = [p - b for p, b in zip(symbols, drift, strict=True)]
    for k in range(n - 1, -1, -1):
        for i in range(k):
            if lower[k][i] is not ZERO:
                y[i] = y[i] - lower[k][i] * y[k]
    total = ZERO
    for value, pivot in zip(y, diagonal, strict=True):
        total += HALF * (value * value) / pivot
    return total - rest


def turning_term(tree: Tree, symbols: Sequence[Expr]) -> list[Expr]:
    """(dP/dt)^T p_q - P^T d(u . P^T p_q)/dq with p_q = W^T p held, in (q, u, p): zero where the speeds are rates."""
    n = len(tree.speeds)
    own = [tree.rates[q] for q in tree.coordinates]
    if own == list(tree.speeds):
        return [ZERO] * n
    rates = [ex.prime(q) for q in tree.coordinates]
    inverse = speeds_from_rates(tree)
    canonical = pull_back(inverse, symbols, rates)  # p_q = W^T p
    held = [ex.symbol(f"held {k}") for k in range(len(own))]
    power = dot_product(held, own)  # p_q . P u
    along = ex.gradient(power, tree.speeds)
    replace_rates = {TIME: ONE, **tree.rates}
    first = ex.tangent(along, replace_rates)
    second = _along_speeds(tree, ex.gradient(power, tree.coordinates))
    found = [a - b for a, b in zip(first, second, strict=True)]
    return ex.substitute(found, dict(zip(held, canonical, strict=True)))


def _symmetric(entries: Sequence[Expr], n: int) -> Matrix:
    """A matrix by its upper half, of n rows of entries one after another."""
    return Matrix([[entries[min(i, j) * n + max(i, j)] for j in range(n)] for i in range(n)], (n, n))


def _along_speeds(tree: Tree, slopes: Sequence[Expr]) -> list[Expr]:
    """P^T times a covector of the coordinates."""
    own = [tree.rates[q] for q in tree.coordinates]
    if own == list(tree.speeds):
        return list(slopes)
    return pull_back(own, slopes, tree.speeds)


def _efforts(tree: Tree, motions: Sequence[BodyMotion], found: Potential) -> list[Expr]:
    fields: list[Expr] = []
    efforts: list[Expr] = []
    actions, known = found.outside(tree)
    for action in actions:
        one = motions[action.body]
        fields += [*one.point(action.point), *one.spin]
        efforts += [*action.force, *action.torque]
    for effort in known:
        fields.append(tree.rates[effort.coordinate])
        efforts.append(effort.effort)
    return pull_back(fields, efforts, tree.speeds)


FORMALISM = Formalism(
    name="hamilton",
    title="Hamilton",
    derive=derive,
    close=close,
    vector=vector_level,
    matrix=matrix_level,
    scalar=canonical_equations,
    quantities=own_quantities,
    has_potential=True,
)
