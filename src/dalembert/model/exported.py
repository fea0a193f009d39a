"""Verbs that carry a machine elsewhere: files that others read, functions and environments of their libraries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from dalembert.model.pictured import Pictured
from dalembert.verbs import verb


class Exported(Pictured):
    """A mechanism that leaves the house."""

    def to_lsd(self) -> str:
        """The description as an LSD program that reads back to an equal mechanism."""
        from dalembert.lsd import to_lsd

        return to_lsd(self)

    def to_json(self) -> str:
        """Everything that the description says, as JSON (`da.json_schema()` describes it); `da.load` reads it back."""
        from dalembert.mechanism.records import to_json

        return to_json(self.freeze())

    @verb
    def to_urdf(self, given: Mapping[str, Any] | None = None) -> str:
        """A tree as URDF, in numbers; what URDF cannot say is in comments at its head, and a warning tells of it."""
        from dalembert.io.write_urdf import to_urdf

        return to_urdf(self.freeze(), given)

    @verb
    def to_mjcf(self, given: Mapping[str, Any] | None = None) -> str:
        """The machine as MJCF (MuJoCo), loops of balls, hinges and welds too; warnings as in `to_urdf`."""
        from dalembert.io.write_mjcf import to_mjcf

        return to_mjcf(self.freeze(), given)

    @verb
    def callable(
        self,
        quantity: str,
        to: str = "numpy",
        *,
        of: str | None = None,
        parameters: Sequence[str] = (),
        given: Mapping[str, Any] | None = None,
        cut: Collection[str] = (),
    ) -> Callable[..., Any]:
        """A quantity as a function of "numpy", "jax" or "casadi": `m.callable("acceleration", "casadi")`.

        It takes q, u and efforts (or udot) as far as the quantity depends on them, then t, then the `parameters` that
        stay open; the others are numbers. `of` names the frame of a Jacobian, a place or a velocity.
        """
        from dalembert.exchange import make_callable

        return make_callable(self, quantity, to, of=of, parameters=parameters, given=given, cut=cut)

    @verb
    def environment(
        self,
        actions: Mapping[str, tuple[float, float]],
        *,
        step: float,
        reward: Callable[[Mapping[str, float]], float],
        observe: Sequence[str] | None = None,
        terminated: Callable[[Mapping[str, float]], bool] | None = None,
        steps: int | None = None,
        start: Mapping[str, Any] | None = None,
        spread: Mapping[str, float] | None = None,
        given: Mapping[str, Any] | None = None,
        cut: Collection[str] = (),
    ) -> Any:
        """A `gymnasium.Env`: `actions` are parameters, or coordinates that an effort pushes, each with its bounds.

        `reward` and `terminated` get time, states, actions and what is observed, by name; `observe` are states or
        outputs ("tip.X"), all states if None. A step keeps its inputs for `step` seconds; `steps` of them are an
        episode. `reset` starts at `start`, moved at random by `spread`.
        """
        from dalembert.exchange import environment

        return environment(
            self,
            actions,
            step=step,
            reward=reward,
            observe=observe,
            terminated=terminated,
            steps=steps,
            start=start,
            spread=spread,
            given=given,
            cut=cut,
        )
