"""The fast derivation as a formalism among the others: composite bodies for M, Newton-Euler recursions for the rest.

Accelerations are composed outwards, from earth to the leaves; actions are summed inwards, from the leaves to earth, so
that link j carries everything beyond it:

    R_j = mu_j gamma(G_j) - F_j + sum R_c                                                    over its outer links c
    K_j = I alpha + w x I w - C_j + rho_j x (mu_j gamma(G_j) - F_j) + sum (K_c + r_c x R_c)  at O_j
    tau . R_j + theta . K_j = Q                                                    along each motion of link j
"""

from __future__ import annotations

from dalembert import algebra as al
from dalembert.dynamics.recursive import Recursion, generalised_forces, inverse_dynamics, mass_matrix
from dalembert.expr import ZERO
from dalembert.expr.space import ZERO3
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.kinematics import Tree
from dalembert.kinematics.links import coupled_speeds
from dalembert.presentation.closing import actions_on, with_rows
from dalembert.presentation.jacobians import opened_centres
from dalembert.presentation.lines import Line, equation
from dalembert.presentation.statements import Statements, dynamic_moment, inertia_force
from dalembert.presentation.vocabulary import Vocabulary


def derive(tree: Tree) -> Equations:
    """M by composite bodies, S and F by Newton-Euler recursions: cost linear in n but for the entries of M."""
    model = Recursion.of(tree)
    bias = [-x for x in inverse_dynamics(model, gravity=ZERO3)]
    forces = generalised_forces(model)
    return Equations("recursive", model.tree, mass_matrix(model), tuple(bias), tuple(forces))


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    """Actions through every link from the leaves inwards, then their components along the links' motions."""
    lines: list[Line] = []
    for j in reversed(words.bodies()):
        free = inertia_force(words, j) - words.vector(f"F{j}")
        force, moment = free, dynamic_moment(words, j) - words.vector(f"C{j}") + al.cross(words.vector(f"rho{j}"), free)
        for c in words.children(j):
            force = force + al.vector(f"R{c}")
            moment = moment + al.vector(f"K{c}") + al.cross(words.vector(f"r{c}"), al.vector(f"R{c}"))
        for _, place, push, turn in actions_on(words, [j]):
            force, moment = force - push, moment - turn - al.cross(place, push)
        name = words.tree.layout.bodies[j].name
        lines.append(equation(f"force carried to {name} and beyond", al.vector(f"R{j}"), force))
        lines.append(equation(f"moment at O{j} carried to {name} and beyond", al.vector(f"K{j}"), moment))
    lines += _along_motions(words)
    return Statements(lines, [], [side for line in lines if line.sides is not None for side in line.sides])


def _along_motions(words: Vocabulary) -> list[Line]:
    """One equation for each motion of each link (of all links that a coupled speed moves): the motors give it."""
    lines = []
    coupled = {r: (al.number(0), al.number(0)) for r in sorted(coupled_speeds(words.tree))}
    for one in words.links:
        j, link = one.link.child, one.link.link.name
        for k, (r, twist) in enumerate(one.columns, 1):
            mark = f"{j}" if len(one.columns) == 1 else f"_{j}_{k}"
            slide, turn = words.column(f"tau{mark}", j, twist.linear), words.column(f"theta{mark}", j, twist.angular)
            needed = al.dot(slide, al.vector(f"R{j}")) + al.dot(turn, al.vector(f"K{j}"))
            words.values[al.scalar(f"Q{mark}")] = words.motors[link][r]
            given = al.number(0) if words.motors[link][r] is ZERO else al.scalar(f"Q{mark}")
            if r in coupled:
                coupled[r] = (coupled[r][0] + needed, coupled[r][1] + given)
            else:
                lines.append(equation(f"along {words.tree.speeds[r].name}", needed, given))
    return lines + [equation(f"along {words.tree.speeds[r].name}", *sides) for r, sides in coupled.items()]


def matrix_level(words: Vocabulary) -> Statements:
    """The same recursion with every product a matrix product, columns in the base of earth."""
    return opened_centres(words, with_rows(words, vector_level(words)))


FORMALISM = Formalism(
    name="recursive",
    title="recursive: accelerations outwards, actions inwards",
    derive=derive,
    vector=vector_level,
    matrix=matrix_level,
    chosen_speeds=False,
    per_body=True,
)
