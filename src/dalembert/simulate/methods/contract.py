"""What a method owes: the contract that every entry of the table METHODS obeys."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.errors import SimulationError

if TYPE_CHECKING:
    from dalembert.simulate.methods.problem import Ensemble, Problem, Solution
    from dalembert.simulate.system.system import System


class Method(ABC):
    """One way to integrate.

    A method *gets* a Problem. From the start (projected on its manifold) it steps to the end of the span.

    It *gives* a Solution, whatever happens on the way:
    - `t`, `y`: the asked times `t_eval`, else its own steps, the start included;
    - `sol`: dense output, unless `dense_output` is False; between steps it stays on the manifold;
    - `t_events`, `y_events`: each event in order of time, located on the dense output; a terminal one ends the motion
      there; an event on which the motion starts has not occurred, and is left with the sign that `leaving` says;
    - guards are looked at after each step; one that vanishes ends the motion (`reason` SINGULAR, `culprit`);
    - no step is longer than `max_step`; a bar shows after a second; Ctrl-C keeps what was computed (status 2);
    - a step that cannot be made ends the motion with status -1, never with an exception.

    It *refuses* before the first step, with a SimulationError that says what to do: equations that it would integrate
    wrongly (`obstacle`), options that it would ignore, many trajectories if it has no way for them.
    """

    name: str
    order: int
    kind: str
    """explicit, implicit, series, symplectic, variational, DAE or time stepping"""
    equal_steps: bool = False
    """Steps of one length, which the user sets: there is no tolerance."""

    @abstractmethod
    def integrate(self, problem: Problem) -> Solution: ...

    def integrate_many(self, problem: Problem, threads: int | None) -> Ensemble:
        """Every row of `y0` by itself; a failing trajectory does not stop the others."""
        raise SimulationError(f"the method '{self.name}' takes one motion at a time: use DOP853 for many.")

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        """Why the equations do not suit this method, in words; nothing if they do."""
        return ""

    def wants(self, system: System) -> dict[str, Any]:
        """Fields of the Problem that only this method needs."""
        return {}

    def check(self, system: System, parameters: Mapping[str, float]) -> None:
        """Refuse a system that this method would integrate wrongly."""
        why = self.obstacle(system, parameters)
        if system.contacts and self.kind not in ("time stepping", "explicit", "implicit"):
            names = ", ".join(repr(one.name) for one in system.contacts[:4])
            raise SimulationError(
                f"the method '{self.name}' would pass through the contacts ({names}) of '{system.name}'. "
                "Use DOP853, which stops at every impact, or 'moreau', which steps through them by max_step."
            )
        if why:
            other = " 'variational' takes any masses." if self.name.startswith("symplectic") else ""
            raise SimulationError(
                f"the method '{self.name}' does not suit '{system.name}': {why}. "
                f"Use method='DOP853', which takes any equations.{other}"
            )
