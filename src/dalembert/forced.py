"""Verbs that ask for efforts: in links, of constraints and drives, and those that make a motion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.described import Described
from dalembert.expr import Scalar
from dalembert.verbs import verb

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.analysis import ConstraintEffort, Hold, Reaction, ZeroDynamics
    from dalembert.simulate import InverseDynamics


class Forced(Described):
    """A machine that tells what keeps it going, and what keeps it together."""

    @verb
    def reactions(
        self,
        at: Mapping[str, Any] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        t: float | None = None,
        cut: Collection[str] = (),
    ) -> dict[str, Reaction]:
        """Efforts in all links at a state (`mo.state(t)` with its time, or the start), and which are determined."""
        from dalembert.analysis import reactions

        return reactions(self, at, given=given, t=t, cut=cut)

    @verb
    def constraint_efforts(
        self,
        at: Mapping[str, Any] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        t: float | None = None,
        cut: Collection[str] = (),
    ) -> dict[str, ConstraintEffort]:
        """Efforts and powers of all constraints and drives at a state, and which are determined."""
        from dalembert.analysis import constraint_efforts

        return constraint_efforts(self, at, given=given, t=t, cut=cut)

    @verb
    def coupling(
        self,
        at: Mapping[str, Any] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        t: float | None = None,
        cut: Collection[str] = (),
    ) -> Hold:
        """How well devices hold their laws at a state: kappa, 1 for perfect reactions, 0 without any hold."""
        from dalembert.analysis import coupling

        return coupling(self, at, given=given, t=t, cut=cut)

    @verb
    def zero_dynamics(
        self,
        at: Mapping[str, Any] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        t: float | None = None,
        cut: Collection[str] = (),
    ) -> ZeroDynamics:
        """What constraints and laws leave free near a state: how many initial values, and whether they stay small."""
        from dalembert.analysis import zero_dynamics

        return zero_dynamics(self, at, given=given, t=t, cut=cut)

    @verb
    def inverse_dynamics(
        self,
        laws: Mapping[str, Scalar | str],
        t_span: tuple[float, float],
        *,
        by: Sequence[Scalar | str] | str | None = None,
        start: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        t_eval: ArrayLike | None = None,
        cut: Collection[str] = (),
    ) -> InverseDynamics:
        """The efforts and powers that make coordinates follow `laws` of time: `{"elbow.th": "sin(t)"}`.

        `by` names the devices that push, one for each law; without it each law has an effort on its own coordinate.
        """
        from dalembert.simulate import inverse_dynamics
        from dalembert.view import Motion

        told = (self, laws, t_span)
        return inverse_dynamics(*told, by=by, start=start, given=given, t_eval=t_eval, cut=cut, kind=Motion)
