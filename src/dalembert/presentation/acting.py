"""What multipliers of conditions do to bodies and joints.

A unit of the multiplier j pushes body i by the force h_i_j and turns it by the moment k_i_j at G_i:

    H_i = sum_j lambda_j h_i_j        L_i = sum_j lambda_j k_i_j        beside the known efforts F_i, C_i

and in joints it is part of the efforts Q.
"""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.constraints.actions import Actions, constraint_actions
from dalembert.constraints.rows import Rows
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, cross, sub3
from dalembert.kinematics import Tree


class Acting:
    """What multipliers do to bodies, each as a force and a moment at the centre, and to the speeds of joints."""

    def __init__(self, tree: Tree, rows: Rows) -> None:
        self.tree, self.rows = tree, rows
        symbols = [ZERO if k in rows.implied else ex.symbol(name) for k, name in enumerate(rows.names)]
        self.found: Actions = constraint_actions(tree, rows, symbols)
        bars = [ex.symbol(f"|{rows.names[k]}|") for k in rows.sliding]
        self._bars = {ex.absolute(symbols[k]): bar for k, bar in zip(rows.sliding, bars, strict=True)}
        self.weights = [*(x for x in symbols if x is not ZERO), *bars]
        own = [x.name for x in self.found.joints if x.name in tree.layout.state.own_coordinates]
        if own:
            raise ModelError(
                f"a constraint of '{tree.layout.model.name}' pushes '{own[0]}', whose link closes a loop: that is "
                "shown at the matrix level and at the scalar level, or here when another link of its loop is cut."
            )

    def units(self, body: int) -> list[tuple[Expr, Vector3, Vector3]]:
        """Each multiplier with its unit force and its unit moment at the centre of a body, in the body's base."""
        total = [ZERO] * 6
        for number, wrench in self.found.bodies:
            if number == body:
                centre = self.tree.layout.bodies[body].centre
                moment = sub3(wrench.moment, cross(centre, wrench.force))
                total = [a + b for a, b in zip(total, (*wrench.force, *moment), strict=True)]
        slopes = ex.jacobian(ex.substitute(total, self._bars), self.weights)
        columns = zip(self.weights, zip(*slopes, strict=True), strict=True)
        return [(x, Vector3(c[:3]), Vector3(c[3:])) for x, c in columns if any(e is not ZERO for e in c)]

    def joint_powers(self) -> list[tuple[str, int, Expr]]:
        """Link, speed, and the power of the multipliers in joints for a unit of that speed."""
        found = []
        for x, effort in self.found.joints.items():
            links = self.tree.layout.model.links.values()
            link = next(one for one in links if x.name in (*one.coordinates, *one.speeds))
            rate = self.tree.rates.get(x, x)
            for r, slope in enumerate(ex.gradient(rate, self.tree.speeds)):
                if slope is not ZERO:
                    found.append((link.name, r, effort * slope))
        return found
