"""Hamilton's equations: Legendre transform of T, H(q, p, t), canonical equations.

Papegay 1.3.3.v-vii and 2.5. The momenta are p = dT/du = M u + b. They are never solved for by expanding an inverse:
M = L^T D L keeps the transform factored,

    L^T y = p - b,     H = sum_k y_k^2 / (2 D_k) - T_0 + V,     q' = P dH/dp,     p' = -P^T dH/dq + Q + (turning speeds)

When the speeds are the rates, P = 1, the last term vanishes and the equations are canonical. With other speeds the
momenta are those of a moving frame of directions (Poincare, Hamel): p_q = W^T p is held while deriving, and the last
term is (dP/dt)^T p_q - P^T d(u . P^T p_q)/dq. This covers quaternions, whose four coordinates have three speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric
from dalembert.constraints.rows import Rows
from dalembert.dynamics.potential import Potential, find_potential
from dalembert.expr import HALF, ONE, TIME, ZERO, Expr, Matrix, dot_product
from dalembert.formalisms import lagrange
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism, closed, reaction_efforts
from dalembert.formalisms.lagrange import kinetic_energy
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import pull_back
from dalembert.kinematics.bodies import BodyMotion, body_motions, in_time
from dalembert.presentation.axes import Quantity
from dalembert.presentation.closing import reaction_terms
from dalembert.presentation.jacobians import reactions_on_speeds
from dalembert.presentation.lines import plain
from dalembert.presentation.scalars import Scalars, Side
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, repr=False)
class Hamiltonian:
    """H(q, p, t) with its canonical equations in (q, p).

    `definition` gives each momentum in (q, u); `rates` q' and `momentum_rates` p' are in (q, p).
    """

    kinetic: Expr
    potential: Expr
    momenta: tuple[Expr, ...]
    definition: tuple[Expr, ...]
    speeds: tuple[Expr, ...]  # dH/dp, the speeds in (q, p)
    rates: tuple[Expr, ...]
    momentum_rates: tuple[Expr, ...]
    efforts: tuple[Expr, ...]  # Q_r that derive from no potential
    canonical: bool
    multipliers: tuple[str, ...] = ()  # one for each row of closed loops: `crank.Fx`
    conditions: tuple[Expr, ...] = ()  # D dH/dp + drift = 0, in (q, p)
    constraint: Matrix | None = None  # D: coefficients of the speeds in the conditions
    reaction: Matrix | None = None  # W: the multipliers add W^T lambda to p' (and friction against the slip)
    gap: tuple[Expr | None, ...] = ()  # how far from closed each is

    @property
    def value(self) -> Expr:
        return self.kinetic + self.potential

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.momenta)
        closed = f", conditions {', '.join(self.multipliers)}" if self.multipliers else ""
        return f"<H in the momenta {names}: {ex.count_operations(self.value)} operations{closed}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle H = {ex.latex(ex.tidy(self.value))}$"


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
    slopes = ex.jacobian(momentum, tree.speeds) if n else []
    *entries, kinetic = ex.reduce([*(x for row in slopes for x in row), *momentum, kinetic])  # a pivot costs dearly
    momentum = entries[n * n :]
    mass = Matrix([[entries[min(i, j) * n + max(i, j)] for j in range(n)] for i in range(n)], (n, n))
    symbols = [ex.symbol(momentum_name(u)) for u in tree.speeds]
    energy = legendre_transform(tree, mass, kinetic, momentum, symbols)
    speeds = ex.gradient(energy, symbols)
    turned = turning_term(tree, symbols, speeds)
    pulled = _along_speeds(tree, ex.gradient(energy, tree.coordinates))
    inertia = [t - d for t, d in zip(turned, pulled, strict=True)]
    found = find_potential(tree, potential)
    efforts = _efforts(tree, motions, found)
    slopes_v = _along_speeds(tree, ex.gradient(found.value, tree.coordinates))
    forces = [q - v for q, v in zip(efforts, slopes_v, strict=True)]
    detail = _detail(tree, energy, found, symbols, momentum, speeds, inertia, efforts, forces)
    moved = ex.tangent(momentum, in_time(tree))
    in_state = ex.substitute(inertia, dict(zip(symbols, momentum, strict=True)))
    bias = [a - b for a, b in zip(in_state, moved, strict=True)]
    return Equations("hamilton", tree, mass, tuple(bias), tuple(forces), detail=detail)


def close(eq: Equations, rows: Rows) -> Equations:
    """The rows of cut links in speeds for the equations, in momenta for the Hamiltonian."""
    found: Hamiltonian = eq.detail
    in_momenta = dict(zip(eq.tree.speeds, found.speeds, strict=True))
    own = {ex.prime(one.coordinate): one.rate for one in rows.own}

    def in_state(exprs: Sequence[Expr]) -> list[Expr]:
        return ex.substitute(ex.substitute(list(exprs), own), in_momenta)

    felt = in_state(rows.efforts)
    detail = replace(
        found,
        efforts=tuple(a + b for a, b in zip(in_state(found.efforts), felt, strict=True)),
        momentum_rates=tuple(a + b for a, b in zip(in_state(found.momentum_rates), felt, strict=True)),
        multipliers=rows.names,
        conditions=tuple(in_state(rows.conditions)),
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


def turning_term(tree: Tree, symbols: Sequence[Expr], speeds: Sequence[Expr]) -> list[Expr]:
    """(dP/dt)^T p_q - P^T d(u . P^T p_q)/dq with p_q = W^T p held: zero where the speeds are rates."""
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
    found = ex.substitute(found, dict(zip(held, canonical, strict=True)))
    return ex.substitute(found, dict(zip(tree.speeds, speeds, strict=True)))


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


def _detail(
    tree: Tree,
    energy: Expr,
    found: Potential,
    symbols: Sequence[Expr],
    momentum: Sequence[Expr],
    speeds: Sequence[Expr],
    inertia: Sequence[Expr],
    efforts: Sequence[Expr],
    forces: Sequence[Expr],
) -> Hamiltonian:
    """Everything in (q, p): the speeds in efforts and rates are replaced by dH/dp."""
    in_momenta = dict(zip(tree.speeds, speeds, strict=True))
    own = [tree.rates[q] for q in tree.coordinates]
    n = len(symbols)
    flat = ex.substitute([*own, *forces, *efforts], in_momenta)
    rates, pushed, left = flat[: len(own)], flat[len(own) : len(own) + n], flat[len(own) + n :]
    return Hamiltonian(
        energy,
        found.value,
        tuple(symbols),
        tuple(momentum),
        tuple(speeds),
        tuple(rates),
        tuple(a + b for a, b in zip(inertia, pushed, strict=True)),
        tuple(left),
        own == list(tree.speeds),
    )


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    found = lagrange.vector_level(words)
    weight = len(found.heads) == 3
    text, latex = reaction_terms(words, "u_i", "u_i")
    lines = [
        plain("momenta", "p_r = dT/du_r", "p_r = \\frac{\\partial T}{\\partial u_r}"),
        plain(
            "Hamiltonian",
            "H = sum_r p_r*u_r - T" + (" + V" if weight else ""),
            "H = \\sum_r p_r u_r - T" + (" + V" if weight else ""),
        ),
        plain("", "q'_i = dH/dp_i", "\\dot{q}_i = \\frac{\\partial H}{\\partial p_i}"),
        plain(
            "",
            "p'_i = -dH/dq_i + dP/du_i" + text,
            "\\dot{p}_i = -\\frac{\\partial H}{\\partial q_i} + \\frac{\\partial P}{\\partial u_i}" + latex,
        ),
    ]
    if list(words.tree.speeds) != [ex.prime(q) for q in words.tree.coordinates]:
        text, latex = reaction_terms(words, "u", "u")
        lines[2:] = [
            plain("speeds that are not rates, q' = P(q) u", "q' = P dH/dp", "\\dot{q} = P\\,\\partial H/\\partial p"),
            plain(
                "p_q = W^T p held while deriving",
                "p' = -P^T dH/dq + (dP/dt)^T p_q - P^T d(u . P^T p_q)/dq + dP/du" + text,
                "\\dot{p} = -P^T\\frac{\\partial H}{\\partial q} + \\dot{P}^T p_q - "
                "P^T\\frac{\\partial (u\\cdot P^T p_q)}{\\partial q} + \\frac{\\partial P}{\\partial u}" + latex,
            ),
        ]
    return Statements(lines, found.heads, found.terms)


def matrix_level(words: Vocabulary) -> Statements:
    found = lagrange.matrix_level(words)
    reaction = reactions_on_speeds(words)
    lines = [
        plain("momenta", "p = M*u + b", "p = M u + b"),
        plain(
            "M = L^T Delta L, L^T y = p - b",
            "H = (p - b)^T M^-1 (p - b)/2 - T_0 + V = sum_k y_k^2/(2 Delta_k) - T_0 + V",
            "H = \\tfrac{1}{2}(p-b)^T M^{-1}(p-b) - T_0 + V = \\sum_k \\frac{y_k^2}{2 \\Delta_k} - T_0 + V",
        ),
        plain(
            "and the term of turning speeds, where speeds are not rates",
            "q' = P dH/dp,  p' = -P^T dH/dq + F" + reaction[0],
            "\\dot{q} = P \\frac{\\partial H}{\\partial p},\\quad "
            "\\dot{p} = -P^T\\frac{\\partial H}{\\partial q} + F" + reaction[1],
        ),
        *found.lines[1:],
    ]
    return Statements(lines, found.heads, found.terms)


def canonical_equations(eq: Equations) -> Scalars:
    """H, q' = dH/dp, p' = -dH/dq + Q, and what each momentum is."""
    detail: Hamiltonian = eq.detail
    equations: list[Side] = [("Hamiltonian", ex.symbol("H"), detail.value)]
    for q, rate in zip(eq.tree.coordinates, detail.rates, strict=True):
        equations.append(("dH/dp", ex.prime(q), rate))
    pushed = zip(detail.momenta, detail.momentum_rates, reaction_efforts(eq), strict=True)
    for p, rate, effort in pushed:
        label = "-dH/dq + Q" if effort is ZERO else "-dH/dq + Q + D^T Lambda"
        equations.append((label, ex.prime(p), rate + effort))
    momenta = zip(eq.tree.speeds, detail.momenta, detail.definition, strict=True)
    meant = tuple((f"momentum of {u.name}", p, d) for u, p, d in momenta)
    return closed(eq, Scalars(tuple(equations), meant))


def own_quantities(eq: Equations) -> list[Quantity]:
    """The factors of M = L^T D L, the momenta in them, and the speeds in the momenta."""
    detail: Hamiltonian = eq.detail
    lower, diagonal = factor_symmetric(eq.mass_matrix)
    found = [Quantity(f"D_{k}", x, "D", "pivots of M = L^T D L") for k, x in enumerate(diagonal, 1) if x.args]
    for k, row in enumerate(lower, 1):
        listed = enumerate(row[: k - 1], 1)
        found += [Quantity(f"L_{k}_{i}", x, "L", "factor of M = L^T D L") for i, x in listed if x.args]
    *drift, _ = ex.substitute([*detail.definition, ZERO], dict.fromkeys(eq.tree.speeds, 0))
    y = [p - b for p, b in zip(detail.momenta, drift, strict=True)]
    for k in range(len(y) - 1, -1, -1):
        for i in range(k):
            y[i] = y[i] - lower[k][i] * y[k]
    found += [Quantity(f"y_{k}", x, "y", "momenta in the factors, L^T y = p - b") for k, x in enumerate(y, 1) if x.args]
    speeds = enumerate(zip(eq.speeds, detail.speeds, strict=True), 1)
    return found + [Quantity(f"u_{k}", x, f"u_{k}", f"the speed {u}, by momenta") for k, (u, x) in speeds if x.args]


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
