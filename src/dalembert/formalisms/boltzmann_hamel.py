"""Boltzmann and Hamel's equations: Lagrange's, in speeds that need not be rates.

Papegay 1.3.3.viii-x. With u = alpha q' + a and q' = beta u + b, the kinetic energy is written in u:

    epsilon_i = dT/du_i            delta_i = sum_j beta_ji dT/dq_j
    gamma_ijk = sum_rs beta_ri beta_sk (d alpha_jr / dq_s - d alpha_js / dq_r)

    d epsilon_i / dt + sum_jk gamma_ijk u_k epsilon_j + sum_j gamma_ij0 epsilon_j - delta_i = sum_j beta_ji Q_j

where gamma_ij0 is what time and drifts add. Speeds that are rates have no gamma, and the equations are Lagrange's.
(The print numbers alpha the other way: its alpha_rj is our alpha_jr.)
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.expr import TIME, ZERO, Expr, Matrix
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.gibbs_appell import generalised_efforts
from dalembert.formalisms.lagrange import kinetic_energy
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.kinematics import Tree
from dalembert.kinematics.bodies import body_motions, in_time
from dalembert.presentation import theorems
from dalembert.presentation.closing import reaction_terms
from dalembert.presentation.jacobians import balance, forces, jacobians, mass_matrix, reactions_on_speeds
from dalembert.presentation.lines import definition, plain
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class QuasiCoordinates:
    """alpha and beta between speeds and rates, and the coefficients gamma that do not vanish.

    `gamma[i, j, k]` is gamma_ijk, numbers from 1 on; `gamma[i, j, 0]` is what time and drifts add.
    """

    alpha: Matrix
    beta: Matrix
    gamma: dict[tuple[int, int, int], Expr]


def quasi_coordinates(tree: Tree) -> QuasiCoordinates:
    """The coefficients of the change from rates to speeds.

    >>> from dalembert.kinematics import build_tree
    >>> from dalembert.mechanism import Layout, Mechanism, earth, spherical
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("top", mass=1), spherical("zxz", "body"), name="pivot")
    >>> found = quasi_coordinates(build_tree(Layout.of(m))).gamma
    >>> {key: str(value) for key, value in found.items()}
    {(2, 1, 3): '1', (3, 1, 2): '-1', (1, 2, 3): '-1', (3, 2, 1): '1', (1, 3, 2): '1', (2, 3, 1): '-1'}
    """
    q, u = list(tree.coordinates), list(tree.speeds)
    n, count = len(q), len(u)
    speeds, rates = speeds_from_rates(tree), [tree.rates[x] for x in q]
    primes = [ex.prime(x) for x in q]
    alpha = ex.jacobian(speeds, primes) if count else []
    beta = ex.jacobian(rates, u) if count else [[] for _ in q]
    drift = ex.substitute(rates, dict.fromkeys(u, 0))
    offset = ex.substitute(speeds, dict.fromkeys(primes, 0))
    found: dict[tuple[int, int, int], Expr] = {}
    for j, row in enumerate(alpha):
        if not any(x.args for x in (*row, offset[j])):
            continue  # constant coefficients: a rate is a rate
        slopes, moved = ex.jacobian(row, q), ex.gradient(offset[j], q)
        late = [ex.derivative(x, TIME) for x in row]
        curl = [[slopes[r][s] - slopes[s][r] for s in range(n)] for r in range(n)]
        rest = [late[r] - moved[r] + ex.dot_product(curl[r], drift) for r in range(n)]
        for k in range(count + 1):
            column = rest if k == 0 else [ex.dot_product(curl[r], [b[k - 1] for b in beta]) for r in range(n)]
            for i in range(count):
                value = ex.dot_product([b[i] for b in beta], column)
                if value is not ZERO:
                    found[i + 1, j + 1, k] = value
    values = dict(zip(found, ex.reduce(list(found.values())), strict=True))
    kept = {key: ex.tidy(x) for key, x in values.items() if x is not ZERO}
    order = sorted(kept, key=lambda key: (key[1], key[0], key[2]))
    return QuasiCoordinates(Matrix(alpha, (count, n)), Matrix(beta, (n, count)), {key: kept[key] for key in order})


def derive(tree: Tree) -> Equations:
    """epsilon derived by time, the coefficients gamma, delta, and the efforts on the speeds."""
    u = list(tree.speeds)
    motions = body_motions(tree)
    kinetic = kinetic_energy(motions)
    epsilon = ex.gradient(kinetic, u)
    quasi = quasi_coordinates(tree)
    slopes = Matrix.column(ex.gradient(kinetic, tree.coordinates)) if tree.coordinates else None
    delta = (quasi.beta.T @ slopes).entries if slopes is not None else ()
    moved = ex.tangent(epsilon, in_time(tree))
    bias = [d - m for d, m in zip(delta, moved, strict=True)]
    for (i, j, k), value in quasi.gamma.items():
        bias[i - 1] = bias[i - 1] - value * epsilon[j - 1] * (u[k - 1] if k else ex.ONE)
    n = len(u)
    upper = ex.upper_jacobian(epsilon, u) if n else []
    mass = Matrix([[upper[min(i, j)][abs(i - j)] for j in range(n)] for i in range(n)], (n, n))
    known = tuple(generalised_efforts(tree, motions))
    return Equations("boltzmann-hamel", tree, mass, tuple(bias), known, detail=quasi)


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    energy, power = theorems.kinetic_energy(words), theorems.power_of_efforts(words)
    text, latex = reaction_terms(words, "u_i", "u_i")
    lines = [
        plain(
            f"i = 1..{len(words.tree.speeds)}: {', '.join(u.name for u in words.tree.speeds)}",
            "d/dt epsilon_i + sum_jk gamma_ijk*u_k*epsilon_j - delta_i = dP/du_i" + text,
            "\\frac{d\\epsilon_i}{dt} + \\sum_{j,k} \\gamma_{ijk} u_k \\epsilon_j - \\delta_i = "
            "\\frac{\\partial P}{\\partial u_i}" + latex,
        )
    ]
    heads = [
        definition(al.scalar("T"), energy, label="kinetic energy, written in u"),
        definition(al.scalar("P"), power, label="power of the known efforts, held while deriving"),
        plain(
            "q' = beta*u + b, u = alpha*q' + a",
            "epsilon_i = dT/du_i,  delta_i = sum_j beta_ji*dT/dq_j",
            "\\epsilon_i = \\frac{\\partial T}{\\partial u_i},\\quad "
            "\\delta_i = \\sum_j \\beta_{ji} \\frac{\\partial T}{\\partial q_j}",
        ),
        plain(
            "zero where speeds are rates",
            "gamma_ijk = sum_rs beta_ri*beta_sk*(dalpha_jr/dq_s - dalpha_js/dq_r)",
            "\\gamma_{ijk} = \\sum_{r,s} \\beta_{ri} \\beta_{sk} "
            "\\left(\\frac{\\partial \\alpha_{jr}}{\\partial q_s} - "
            "\\frac{\\partial \\alpha_{js}}{\\partial q_r}\\right)",
        ),
    ]
    return Statements(lines, heads, [energy, power])


def matrix_level(words: Vocabulary) -> Statements:
    jacobians(words)
    parts = [("M", mass_matrix(words), "mass matrix"), ("F", forces(words), "known efforts")]
    found = balance(words, parts)
    text, latex = reactions_on_speeds(words)
    line = plain(
        "T = u^T M u/2 (and the terms of drifts), C_ij = sum_k gamma_ijk*u_k",
        "M*u' = -M'*u - C*M*u + beta^T*d(u^T M u/2)/dq + F" + text,
        "M \\dot{u} = -\\dot{M} u - C M u + \\beta^T \\frac{\\partial}{\\partial q}"
        "\\left(\\tfrac{1}{2} u^T M u\\right) + F" + latex,
    )
    return Statements([line, *found.lines[1:]], found.heads, found.terms)


FORMALISM = Formalism(
    name="boltzmann-hamel", title="Boltzmann-Hamel", derive=derive, vector=vector_level, matrix=matrix_level
)
