"""Inverse dynamics: which efforts of which devices make a motion that is asked for.

Laws of coordinates become conditions, devices what pushes for them; what no law names follows its own equations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.mechanism import Constraint, Mechanism, Model, did_you_mean
from dalembert.mechanism.constraint import Along, Kinematic, condition_of, equation, reaction_of
from dalembert.mechanism.names import free_name
from dalembert.presentation.told import Told
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.simulate import simulate

Array = NDArray[np.float64]


@dataclass(frozen=True)
class InverseDynamics(Told):
    """The motion, and what each device gives along it: `efforts`, `powers` and `work`, arrays by the device's name."""

    motion: Motion
    devices: Mapping[str, str]  # device -> its constraint in the motion

    @property
    def t(self) -> Array:
        return self.motion.t

    @cached_property
    def efforts(self) -> dict[str, Array]:
        return {device: self.motion[f"{law}.lambda"] for device, law in self.devices.items()}

    @cached_property
    def powers(self) -> dict[str, Array]:
        """Effort times the speed that it pushes: what the device gives the machine."""
        return {device: self.motion[f"{law}.power"] for device, law in self.devices.items()}

    def as_dict(self) -> dict[str, Any]:
        told = {"efforts": self.efforts, "powers": self.powers}
        return {"t": self.t.tolist(), **{k: {x: a.tolist() for x, a in some.items()} for k, some in told.items()}}

    def __repr__(self) -> str:
        most = ", ".join(f"{x}: |effort| <= {np.abs(e).max(initial=0.0):.4g}" for x, e in self.efforts.items())
        return f"<InverseDynamics of '{self.motion.system.name}', t = {self.t[0]:g} ... {self.t[-1]:g}; {most}>"


def inverse_dynamics(
    mechanism: Mechanism | Model,
    laws: Mapping[str, Scalar | str],
    t_span: tuple[float, float],
    *,
    by: Sequence[Scalar | str] | str | None = None,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t_eval: ArrayLike | None = None,
    rtol: float = 1e-10,
    cut: Collection[str] = (),
    kind: type[Motion] = Motion,
) -> InverseDynamics:
    """The efforts that make coordinates (or rates, `wheel.th'`) follow laws of time.

    `by` names what pushes, one for each law: coordinates, or forms such as `d(pos(tip, x))`; without it each law is
    kept by an effort on its own coordinate. What a machine with more freedoms does beside the laws begins at `start`.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("arm")
    >>> link = m.join(earth, m.body("rod", mass=2, centre=[1, 0, 0]), revolute("z"), name="pivot")
    >>> found = inverse_dynamics(m, {"pivot.th": "t^2"}, (0, 1))
    >>> [round(float(x[-1]), 6) for x in (found.efforts["pivot.th"], found.powers["pivot.th"])]
    [4.0, 8.0]
    """
    model = mechanism if isinstance(mechanism, Model) else mechanism.freeze()
    moving = [x for link in model.links.values() for x in (*link.coordinates, *link.speeds)]
    if not laws:
        raise ModelError("inverse dynamics needs a law of the motion, {'elbow.th': '0.3*sin(2*t)'} for instance.")
    for name in laws:
        if name not in moving and name.removesuffix("'") not in moving:
            raise ModelError(f"'{name}' is no coordinate of '{model.name}'.{did_you_mean(name, moving)}")
    pushes = [x.removesuffix("'") for x in laws] if by is None else [by] if isinstance(by, str) else list(by)
    if len(pushes) != len(laws):
        raise ModelError(
            f"{len(laws)} laws and {len(pushes)} devices (hypothesis H0): name as many devices as laws in `by`."
        )
    speeds = {x for link in model.links.values() for x in link.speeds}
    taken = {one.name for one in (*model.constraints, *model.efforts, *model.contacts)} | {*model.links}
    added, devices, first = list[Constraint](), dict[str, str](), dict[str, Any]()
    for (name, law), push in zip(laws.items(), pushes, strict=True):
        called = free_name("law", taken)
        taken.add(called)
        told = equation(law)
        condition = condition_of([ex.symbol(name) - told], speeds)
        reaction = reaction_of(push, 1, called, speeds)
        assert isinstance(reaction, Along)
        added.append(Constraint(called, condition, reaction))
        devices[push if isinstance(push, str) else ex.text(ex.as_expr(push))] = called
        known = _first(name, told, float(t_span[0]), isinstance(condition, Kinematic))
        first |= {x: value for x, value in known.items() if x in moving}
    if len(devices) != len(laws):
        raise ModelError("a device is named twice in `by`: each law needs one of its own.")
    driven = replace(model, constraints=(*model.constraints, *added))
    motion = simulate(
        driven,
        t_span,
        start={**first, **(start or {})},
        given=given,
        t_eval=t_eval,
        rtol=rtol,
        cut=cut,
        kind=kind,
    )
    return InverseDynamics(motion, devices)


def _first(name: str, law: Expr, t: float, kinematic: bool) -> dict[str, Any]:
    """Where a law of time alone begins, so that what the model says of its start gives way."""
    if any("." in x.name for x in ex.free_symbols([law])):
        return {}
    values = ex.substitute([law, ex.derivative(law, ex.TIME)], {ex.TIME: ex.const(t)})
    places = [name] if kinematic else [name, f"{name}'"]
    return {x: ex.text(v) for x, v in zip(places, values, strict=False)}
