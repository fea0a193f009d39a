"""Verbs that ask for efforts: in links, of constraints and drives, and those that make a motion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.expr import Scalar
from dalembert.model.placed import Placed
from dalembert.verbs import Later, verb

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.analysis.constraint_efforts import constraint_efforts as _constraint_efforts
    from dalembert.analysis.coupling import coupling as _coupling
    from dalembert.analysis.coupling import zero_dynamics as _zero_dynamics
    from dalembert.analysis.reactions import reactions as _reactions
    from dalembert.control import Needed, StateSpace
    from dalembert.simulate import InverseDynamics
else:
    _names = ("constraint_efforts", "coupling", "reactions", "zero_dynamics")
    _constraint_efforts, _coupling, _reactions, _zero_dynamics = (Later("dalembert.analysis", x) for x in _names)


class Forced(Placed):
    """A machine that tells what keeps it going, and what keeps it together."""

    reactions = _reactions
    constraint_efforts = _constraint_efforts
    coupling = _coupling
    zero_dynamics = _zero_dynamics

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

    @verb
    def needed_efforts(
        self,
        q: ArrayLike,
        u: ArrayLike,
        udot: ArrayLike,
        *,
        by: Sequence[str] | None = None,
        contacts: Sequence[str] = (),
        strengths: Mapping[str, float] | None = None,
        t: float = 0.0,
        given: Mapping[str, Any] | None = None,
        cut: Collection[str] = (),
    ) -> Needed:
        """Efforts on the coordinates `by` that give accelerations `udot`, constraints and closed `contacts` helping.

        Of all that do, the least sum of squares, each by its strength; contacts push, friction stays in its cone, and
        what slides is rubbed against its sliding. Rows of states give arrays, one number for each.
        """
        from dalembert.control import needed_efforts

        told = {"by": by, "contacts": contacts, "strengths": strengths, "t": t, "given": given, "cut": cut}
        return needed_efforts(self, q, u, udot, **told)  # type: ignore[arg-type]

    @verb
    def state_space(
        self,
        inputs: Sequence[str],
        outputs: Sequence[str] = (),
        *,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        cut: Collection[str] = (),
    ) -> StateSpace:
        """A, B, C, D about the rest at the posture `at`: `m.state_space(["cart.x"], ["tip.X"]).lqr(Q=1, R=0.1)`.

        `inputs` are parameters, or coordinates that an effort pushes; they are chosen so that the machine rests.
        Closed loops and quaternions are counted in as many states as there are freedoms.
        """
        from dalembert.control import state_space

        return state_space(self, inputs, outputs, at=at, given=given, cut=cut)
