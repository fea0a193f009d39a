"""The mechanism: bodies, links, efforts, gravity, and the numbers that go with them. Data and checks, no equations."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.expr.space import ZERO3, Vector3, vector3
from dalembert.mechanism.body import EARTH, Body, Frame, Inertia, check_body, earth
from dalembert.mechanism.displacement import Displacement
from dalembert.mechanism.joint import Joint
from dalembert.mechanism.link import Effort, Force, Link, Torque
from dalembert.mechanism.model import Model


class Mechanism:
    """A builder that reads like the mechanism.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> rod = m.body("rod", mass="m", centre=[0, 0, "-l/2"], inertia=["m*l**2/12", "m*l**2/12", 0])
    >>> pivot = m.join(earth, rod, revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, "-g"]
    >>> m.parameters()
    ('g', 'l', 'm')
    """

    def __init__(self, name: str = "mechanism") -> None:
        self.name = name
        self._bodies: dict[str, Body] = {EARTH: earth}
        self._links: dict[str, Link] = {}
        self._efforts: list[Effort] = []
        self._frames: dict[str, Frame] = {}
        self._functions: dict[str, tuple[tuple[str, ...], Expr]] = {}
        self._gravity: Vector3 = ZERO3
        self.given: dict[str, float] = {}
        self.start: dict[str, float] = {}

    # --- description -----------------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: Scalar = 0,
        centre: Sequence[Scalar] | None = None,
        inertia: Any = 0,
        iframe: Displacement | None = None,
    ) -> Body:
        """Add a body: mass, centre of mass in its reference frame, inertia about that centre.

        `inertia` is three principal values, six entries (xx yy zz xy xz yz) or a 3x3 array; `iframe` gives centre and
        axes of the inertia frame at once.
        """
        if centre is not None and iframe is not None:
            raise ModelError(f"body '{name}': give the centre or the inertia frame, not both.")
        try:
            place = iframe or Displacement(vector3((0, 0, 0) if centre is None else centre))
            made = Body(name, ex.as_expr(mass), place, Inertia.of(inertia))
        except ModelError as error:
            raise ModelError(f"body '{name}': {error}") from None
        return self.add_body(made)

    def add_body(self, body: Body) -> Body:
        self._check_name(body.name, "body", self._bodies)
        check_body(body)
        self._bodies[body.name] = body
        return body

    def join(self, first: Body | Frame, second: Body | Frame, joint: Joint, name: str | None = None) -> Link:
        """Join two frames (a body stands for its reference frame) with a joint."""
        start, end = self._frame(first), self._frame(second)
        if name is None:
            name = self._default_link_name(start, end)
        self._check_name(name, "link", self._links)
        if start.body == end.body:
            raise ModelError(f"link '{name}' joins '{start.body}' to itself. A link needs two different bodies.")
        link = Link(name, start, end, joint)
        self._links[name] = link
        return link

    def force(self, at: Body | Frame, value: Sequence[Scalar], base: Body | str | None = None) -> Force:
        """Apply a force at a frame; components in the base of `base` (earth when not said)."""
        frame = self._frame(at)
        return self.apply(Force(frame, vector3(value), self._base(base)))  # type: ignore[return-value]

    def torque(self, on: Body | str, value: Sequence[Scalar], base: Body | str | None = None) -> Torque:
        """Apply a torque on a body; components in the base of `base` (earth when not said)."""
        name = on.name if isinstance(on, Body) else on
        return self.apply(Torque(name, vector3(value), self._base(base)))  # type: ignore[return-value]

    def apply(self, effort: Effort) -> Effort:
        for name in (effort.at.body if isinstance(effort, Force) else effort.on, effort.base):
            self._check_body(name, "an effort")
        self._efforts.append(effort)
        return effort

    def frame(self, name: str, on: Body | Frame, displacement: Displacement | None = None) -> Frame:
        """Name a frame, to ask for its position later."""
        self._check_name(name, "frame", self._frames)
        held = self._frame(on)
        self._frames[name] = Frame(held.body, held.displacement @ (displacement or Displacement()), name)
        return self._frames[name]

    def define(self, function: str, arguments: Sequence[str], formula: Scalar) -> None:
        """Give a formula for an unknown function: `m.define("fs", ["x", "v"], "-k*x - c*v")`."""
        self._functions[function] = (tuple(arguments), ex.as_expr(formula))

    @property
    def gravity(self) -> Vector3:
        """Uniform acceleration of gravity, in the base of earth."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[Scalar]) -> None:
        self._gravity = vector3(value)

    # --- what is described -----------------------------------------------------------------------------------------

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name, earth first."""
        return self._bodies

    @property
    def links(self) -> Mapping[str, Link]:
        return self._links

    @property
    def efforts(self) -> tuple[Effort, ...]:
        return tuple(self._efforts)

    @property
    def frames(self) -> Mapping[str, Frame]:
        return self._frames

    @property
    def functions(self) -> Mapping[str, tuple[tuple[str, ...], Expr]]:
        return self._functions

    def freeze(self) -> Model:
        """The description as it is now, in a form that no later change touches."""
        return Model(
            self.name,
            self._bodies,
            self._links,
            tuple(self._efforts),
            self._frames,
            self._functions,
            self._gravity,
            self.given,
            self.start,
        )

    def parameters(self) -> tuple[str, ...]:
        """Names of the constants that need a value before anything is computed in numbers."""
        return self.freeze().parameters()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mechanism) and self.freeze() == other.freeze()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Mechanism {self.name!r}: {len(self._bodies) - 1} bodies, {len(self._links)} links>"

    # --- checks ----------------------------------------------------------------------------------------------------

    def _default_link_name(self, first: Frame, second: Frame) -> str:
        """A link without a name is called after its second body, or the first when the second is earth."""
        stem = second.body if second.body != EARTH else first.body
        name, count = stem, 1
        while name in self._links:
            count += 1
            name = f"{stem}_{count}"
        return name

    def _frame(self, value: Body | Frame) -> Frame:
        frame = value.frame if isinstance(value, Body) else value
        if not isinstance(frame, Frame):
            raise ModelError(f"{value!r} is neither a body nor a frame.")
        self._check_body(frame.body, "a frame")
        return frame

    def _base(self, value: Body | str | None) -> str:
        if value is None:
            return EARTH
        return value.name if isinstance(value, Body) else value

    def _check_body(self, name: str, user: str) -> None:
        if name not in self._bodies:
            raise ModelError(
                f"{user} names the body '{name}', which is not in '{self.name}'.{did_you_mean(name, self._bodies)}"
            )

    def _check_name(self, name: str, kind: str, taken: Mapping[str, Any]) -> None:
        if not isinstance(name, str) or not name or any(c.isspace() or c in ".'" for c in name):
            raise ModelError(f"{name!r} cannot name a {kind}: use letters, digits and '_'.")
        if name in taken:
            raise ModelError(f"the {kind} name '{name}' is used twice in '{self.name}'. Give one of them another name.")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or nothing."""
    names = list(known)
    alike = [other for other in names if other.lower() == name.lower()]
    close = alike or difflib.get_close_matches(name, names, n=1)
    return f" Did you mean '{close[0]}'?" if close else ""
