"""The quantities of a mechanism as expressions, each derived when first asked for."""

from __future__ import annotations

from functools import cached_property

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric, solve_symmetric
from dalembert.dynamics import articulated
from dalembert.dynamics.energies import Energies
from dalembert.dynamics.outputs import Outputs
from dalembert.dynamics.recursive import Recursion, generalised_forces, inverse_dynamics, mass_matrix, right_side
from dalembert.errors import ModelError
from dalembert.expr import Expr, Matrix
from dalembert.kinematics import Pose, Tree, build_tree
from dalembert.mechanism import Frame, Layout, Mechanism, Model, did_you_mean

#: Degrees of freedom up to which the factorised mass matrix may need fewer operations than articulated bodies.
_FEW = 12


class Quantities:
    """Expressions of the state (q, u), time and parameters; efforts and accelerations have symbols of their own."""

    def __init__(self, mechanism: Mechanism | Model, layout: Layout | None = None) -> None:
        self.layout = layout or Layout.of(mechanism)
        self.mechanism = self.layout.model

    @cached_property
    def tree(self) -> Tree:
        return build_tree(self.layout)

    @cached_property
    def model(self) -> Recursion:
        return Recursion.of(self.tree)

    @property
    def coordinates(self) -> list[Expr]:
        return [ex.symbol(x) for x in self.layout.coordinates]

    @property
    def speeds(self) -> list[Expr]:
        return [ex.symbol(x) for x in self.layout.speeds]

    @property
    def efforts(self) -> list[Expr]:
        """Symbols of further efforts on the speeds."""
        return [ex.symbol(f"effort.{x}") for x in self.layout.speeds]

    @property
    def accelerations_given(self) -> list[Expr]:
        """Symbols of accelerations that the caller gives."""
        return [ex.symbol(f"{x}'") for x in self.layout.speeds]

    @cached_property
    def parameters(self) -> list[Expr]:
        return [ex.symbol(x) for x in self.mechanism.parameters()]

    @cached_property
    def rates(self) -> list[Expr]:
        return [self.tree.rates[x] for x in self.tree.coordinates]

    @cached_property
    def mass_matrix(self) -> Matrix:
        return mass_matrix(self.model)

    @cached_property
    def bias(self) -> list[Expr]:
        return [-x for x in inverse_dynamics(self.model, gravity=(ex.ZERO, ex.ZERO, ex.ZERO))]

    @cached_property
    def forces(self) -> list[Expr]:
        return generalised_forces(self.model)

    def accelerations(self, efforts: list[Expr] | None = None) -> list[Expr]:
        """u' by the algorithm that needs fewer operations: articulated bodies or the factorised mass matrix."""
        extra = efforts or [ex.ZERO] * len(self.speeds)
        right = [own + e for own, e in zip(right_side(self.model), extra, strict=True)]
        if self.tree.shares_speeds():
            return solve_symmetric(self.mass_matrix, right, self.layout.speeds)
        known = [own + more for own, more in zip(self.model.efforts, extra, strict=True)]
        recursive = articulated.accelerations(self.model, known)
        if len(self.speeds) > _FEW:
            return recursive
        direct = solve_symmetric(self.mass_matrix, right, self.layout.speeds)
        moving = {*self.coordinates, *self.speeds, ex.TIME}
        return min(recursive, direct, key=lambda found: ex.count_operations(found, depending_on=moving))

    @cached_property
    def inverse_dynamics(self) -> list[Expr]:
        """Efforts, beyond those of the description, that produce the given accelerations."""
        needed = inverse_dynamics(self.model, self.accelerations_given, external=True)
        return [a - b for a, b in zip(needed, self.model.efforts, strict=True)]

    @cached_property
    def corrected(self) -> list[Expr]:
        """The state (q, u) brought nearer to what its loops allow: a tree has nothing to correct."""
        return [*self.coordinates, *self.speeds]

    @cached_property
    def energies(self) -> Energies:
        return Energies(self.tree)

    @property
    def energy(self) -> list[Expr]:
        """Kinetic energy, and potential energy of gravity, springs and every effort that derives from one."""
        return [self.energies.kinetic, self.energies.potential]

    def frame(self, name: str) -> Frame:
        """The named frame, or the reference frame of the named body."""
        if name in self.mechanism.frames:
            return self.mechanism.frames[name]
        if name in self.mechanism.bodies:
            return self.mechanism.bodies[name].frame
        known = [*self.mechanism.frames, *self.mechanism.bodies]
        raise ModelError(f"'{self.mechanism.name}' has no frame or body '{name}'.{did_you_mean(name, known)}")

    @cached_property
    def outputs(self) -> Outputs:
        """Everything that a motion can tell, by name."""
        return Outputs(self.tree, self.energies)

    def pose(self, name: str) -> Pose:
        return self.outputs.pose(self.frame(name))

    def velocity(self, name: str) -> list[Expr]:
        """Angular velocity, then velocity of the origin, both in the base of earth."""
        return list(self.outputs.velocity(self.frame(name)).scalars)

    def frame_acceleration(self, name: str) -> list[Expr]:
        """Angular acceleration, then acceleration of the origin, in the free motion."""
        return self.solved(list(self.outputs.acceleration(self.frame(name)).scalars))

    def solved(self, exprs: list[Expr]) -> list[Expr]:
        """Expressions in which the symbols of u' stand for the accelerations of the free motion."""
        held = self.accelerations_given
        if ex.free_symbols(exprs).isdisjoint(held):
            return exprs
        return ex.substitute(exprs, dict(zip(held, self.accelerations(), strict=True)))

    def jacobian(self, name: str) -> list[Expr]:
        """Derivative of `velocity` with respect to the speeds, six rows."""
        return [x for row in ex.jacobian(self.velocity(name), self.speeds) for x in row]

    def acceleration_slopes(self, variables: list[Expr], efforts: list[Expr]) -> list[Expr]:
        """Derivatives of u' with respect to coordinates, speeds or parameters, rows by speed.

        From M u' = tau + ...: d(u') = -M^-1 d(inverse dynamics) with u' held, which is far shorter than the derivative
        of the solution.
        """
        held = dict(zip(self.accelerations_given, self.accelerations(efforts), strict=True))
        slopes = ex.jacobian(self.inverse_dynamics, variables)
        flat = ex.substitute([-x for row in slopes for x in row], held)
        n, m = len(self.speeds), len(variables)
        columns = [self._solve([flat[i * m + j] for i in range(n)]) for j in range(m)]
        return [columns[j][i] for i in range(n) for j in range(m)]

    def inverse_slopes(self, variables: list[Expr]) -> list[Expr]:
        return [x for row in ex.jacobian(self.inverse_dynamics, variables) for x in row]

    @cached_property
    def inverse_mass(self) -> list[Expr]:
        """M^-1, rows: the derivative of u' with respect to efforts."""
        n = len(self.speeds)
        columns = [self._solve([ex.ONE if i == j else ex.ZERO for i in range(n)]) for j in range(n)]
        return [columns[max(i, j)][min(i, j)] for i in range(n) for j in range(n)]

    def _solve(self, right: list[Expr]) -> list[Expr]:
        """M^-1 b, with the pivots inverted once for all right sides."""
        lower, inverses = self._factors
        n, x = len(right), list(right)
        for k in range(n - 1, -1, -1):
            for i in range(k):
                x[i] = x[i] - lower[k][i] * x[k]
        x = [value * inverse for value, inverse in zip(x, inverses, strict=True)]
        for k in range(n):
            for i in range(k):
                x[k] = x[k] - lower[k][i] * x[i]
        return x

    @cached_property
    def _factors(self) -> tuple[list[list[Expr]], list[Expr]]:
        lower, diagonal = factor_symmetric(self.mass_matrix, self.layout.speeds)
        return lower, [1 / pivot for pivot in diagonal]
