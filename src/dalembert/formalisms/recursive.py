"""The fast derivation as a formalism among the others: composite bodies for M, Newton-Euler recursions for the rest."""

from __future__ import annotations

from dalembert.dynamics.recursive import Recursion, generalised_forces, inverse_dynamics, mass_matrix
from dalembert.expr.space import ZERO3
from dalembert.formalisms.equations import Equations
from dalembert.kinematics import build_tree
from dalembert.mechanism import Layout


def derive(layout: Layout) -> Equations:
    """M by composite bodies, S and F by Newton-Euler recursions: cost linear in n but for the entries of M."""
    model = Recursion.of(build_tree(layout))
    bias = [-x for x in inverse_dynamics(model, gravity=ZERO3)]
    forces = generalised_forces(model)
    return Equations("recursive", model.tree, mass_matrix(model), tuple(bias), tuple(forces))
