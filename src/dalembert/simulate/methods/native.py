"""Methods whose whole loop is machine code: explicit pairs, an implicit one, symplectic compositions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import Ensemble, Problem, Solution
from dalembert.simulate.methods.schemes import Scheme
from dalembert.simulate.methods.separable import obstacle

if TYPE_CHECKING:
    from dalembert.simulate.system.system import System


MOST_STATES = 3000
"""Of an implicit method: a step of as many takes half a minute, grows with their cube, and does not hear Ctrl-C."""


@dataclass(frozen=True, eq=False)
class NativeMethod(Method):
    """A scheme, run by the compiled loop."""

    scheme: Scheme

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.scheme.name

    @property
    def order(self) -> int:  # type: ignore[override]
        return self.scheme.order

    @property
    def kind(self) -> str:  # type: ignore[override]
        return "symplectic" if self.scheme.symplectic else "implicit" if self.scheme.implicit else "explicit"

    @property
    def equal_steps(self) -> bool:  # type: ignore[override]
        return self.scheme.symplectic

    def integrate(self, problem: Problem) -> Solution:
        from dalembert.simulate.methods.driver import solve

        return solve(self.scheme, problem)

    def integrate_many(self, problem: Problem, threads: int | None) -> Ensemble:
        from dalembert.simulate.methods.driver_many import solve_many

        return solve_many(self.scheme, problem, threads)

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        if self.scheme.implicit and len(system.states) > MOST_STATES:
            return (
                f"each of its steps would factor dense matrices of {len(system.states)} states for a minute or more, "
                f"and more than {MOST_STATES} are refused"
            )
        why = obstacle(system, parameters) if self.scheme.symplectic else ""
        return f"it needs separable Hamiltonian equations, but {why}" if why else ""

    def wants(self, system: System) -> dict[str, Any]:
        from dalembert.simulate.system.compiled import native_jacobian

        return {"jacobian": native_jacobian(system)} if self.scheme.implicit else {}
