"""What a mechanism in motion can tell, by name: frames, centre of mass, momenta, energies, efforts in links.

Nothing is derived before it is asked for. Expressions are in the state, time and parameters; where accelerations enter,
they are in the symbols `prime(speed)`, which whoever holds the equations of motion replaces by values or formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property

from dalembert import expr as ex
from dalembert.constraints.friction import press_name, stick_name
from dalembert.constraints.soundness import undetermined, undetermined_words
from dalembert.dynamics.energies import Energies
from dalembert.errors import ModelError, warn
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import ZERO3, Vector3, add3, cross, scale3
from dalembert.kinematics import (
    COMPONENTS,
    FrameMotions,
    Tree,
    Twist,
    Wrench,
    effort_told,
    in_speeds,
    in_state,
    node_inertias,
)
from dalembert.mechanism import EARTH, Coulomb, Frame, Spring, TorsionSpring, plain_symbols

#: Prefix of what belongs to the machine as a whole: `total.X` is its centre of mass.
WHOLE = "total"
_PLACES = tuple("XYZ")
_FRAME = (
    *_PLACES,
    *(f"{axis}'" for axis in _PLACES),
    *(f"{axis}''" for axis in _PLACES),
    *(f"R{i}{j}" for i in "123" for j in "123"),
    "WX",
    "WY",
    "WZ",
)
_ENERGIES = ("T", "V", "power")
_TOTAL = (*_PLACES, "PX", "PY", "PZ", "LX", "LY", "LZ", *_ENERGIES)
_SPRINGS: dict[type, tuple[str, str, str]] = {Spring: ("l", "l'", "force"), TorsionSpring: ("th", "th'", "torque")}

Transmitted = Callable[[str], Wrench]


class Outputs(Mapping[str, Expr]):
    """Named expressions of a motion, each made at its first use.

    Of a body or frame F: `F.X`, `F.X'`, `F.X''` (place, velocity, acceleration in the base of earth), `F.R11`...,
    `F.WX` (angular velocity, base of earth). Of a link L: `L.Mx`...`L.Fz`, its action on the second body, at and in the
    base of the second frame. Of a spring S: `S.l`, `S.l'`, `S.force`, positive when it pushes; of a torsion spring
    `S.th`, `S.th'`, `S.torque`. Of a constraint C: `C.lambda` (`C.lambda1`, `C.lambda2`... of several conditions), the
    effort of its reaction, and `C.power`; with dry friction `C.friction` (`C.friction2`), its force along the slip. Of
    the whole: `total.X` (centre of mass), `total.PX` (momentum), `total.LX`
    (angular momentum about earth's origin), `total.T`, `total.V`, `total.power` (of what V does not hold). A state that
    has one of these names keeps it.

    >>> from dalembert.dynamics import dynamics_of
    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> rail = m.join(earth, m.body("cart", mass="m"), prismatic("x"), name="rail")
    >>> m.gravity = [0, 0, "-g"]
    >>> told = dynamics_of(Layout.of(m)).outputs
    >>> told["cart.X'"], told["cart.X''"], told["total.PX"], told["rail.Fz"]
    (rail.x', rail.x'', m*rail.x', g*m)
    """

    def __init__(self, tree: Tree, energies: Energies | None = None, transmitted: Transmitted | None = None) -> None:
        self.tree, self.moving = tree, FrameMotions(tree)
        self._energies, self._transmitted = energies, transmitted
        self._made: dict[str, Expr] = {}

    @cached_property
    def frames(self) -> dict[str, Frame]:
        """What has a place: bodies (their reference frames) and named frames."""
        model = self.tree.layout.model
        return {name: body.frame for name, body in model.bodies.items() if name != EARTH} | dict(model.frames)

    @cached_property
    def springs(self) -> dict[str, Spring | TorsionSpring]:
        """Efforts that have a length or an angle."""
        return {e.name: e for e in self.tree.layout.model.efforts if isinstance(e, Spring | TorsionSpring)}

    @cached_property
    def constraints(self) -> dict[str, tuple[str, ...]]:
        """Constraints that are formulas, with what their multipliers are called."""
        return {
            one.name: ("lambda",)
            if len(one.expressions) == 1
            else tuple(f"lambda{i + 1}" for i in range(len(one.expressions)))
            for one in self.tree.layout.model.constraints
        }

    @cached_property
    def frictions(self) -> dict[str, tuple[str, ...]]:
        """Contacts with dry friction, with what the components of its force along their slips are called."""
        return {
            one.name: tuple(f"friction{k + 1 if k else ''}" for k in range(len(one.reaction.slip)))
            for one in self.tree.layout.model.constraints
            if isinstance(one.reaction, Coulomb)
        }

    @cached_property
    def _names(self) -> dict[str, None]:
        layout = self.tree.layout
        found = [f"{name}.{part}" for name in self.frames for part in _FRAME]
        if self._transmitted is not None:
            found += [f"{name}.{part}" for name in layout.model.links for part in COMPONENTS]
        found += [f"{name}.{part}" for name, one in self.springs.items() for part in _SPRINGS[type(one)]]
        if self._energies is not None:
            found += [f"{name}.{part}" for name, parts in self.constraints.items() for part in (*parts, "power")]
            found += [f"{name}.{part}" for name, parts in self.frictions.items() for part in parts]
        if WHOLE not in self.frames:
            found += [f"{WHOLE}.{part}" for part in _TOTAL if self._energies is not None or part not in _ENERGIES]
        found += layout.model.outputs
        states = {*layout.state.names}
        return dict.fromkeys(name for name in found if name not in states)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> Expr:
        """The formula, with a warning where it is an effort that conditions leave open at random states."""
        found = self.formula(name)
        if self._energies is not None:
            parts = self.tree.layout.model.parts_of_outputs([name])
            for effort in [x for x in parts if x.rpartition(".")[0] in self.constraints]:
                if not self._loose.isdisjoint(self._energies.machine.rows.told_by(effort)):
                    warn(undetermined_words(effort))
        return found

    @cached_property
    def _loose(self) -> frozenset[str]:
        assert self._energies is not None
        return undetermined(self._energies.machine.rows)

    def formula(self, name: str) -> Expr:
        """The same without a warning: for those who know postures, and ask them."""
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            declared = self.tree.layout.model.outputs.get(name)
            self._made |= self._of(*name.rsplit(".", 1)) if declared is None else {name: self._declared(declared)}
        return self._made[name]

    def _declared(self, formula: Expr, kept: Collection[str] = ()) -> Expr:
        """A formula that the model asks for; it may use any other output. Those that are `kept` stay names in it."""
        own = {} if self._energies is None else self._energies.own_rates
        declared, found = self.tree.layout.model.outputs, formula
        while names := [x for x in plain_symbols([found]) if x.name in self and x.name not in kept]:
            told = {x: declared[x.name] if x.name in declared else self.formula(x.name) for x in names}
            (found,) = ex.substitute([found], told)
        return in_state(self.tree, [found], own)[0]

    def keeping(self, name: str, kept: Collection[str]) -> Expr:
        """The formula of a declared output in which other outputs stay names: for those who know their values."""
        return self._declared(self.tree.layout.model.outputs[name], kept)

    def _of(self, owner: str, part: str) -> dict[str, Expr]:
        """The output and those that are made with it."""
        if part in COMPONENTS and self._transmitted is not None and owner in self.tree.layout.model.links:
            return self._named(owner, COMPONENTS, self._transmitted(owner).scalars)
        if owner == WHOLE and WHOLE not in self.frames:
            return self._of_whole(part)
        if owner in self.springs and part in _SPRINGS[type(self.springs[owner])]:
            return self._of_spring(self.springs[owner])
        if owner in self.constraints and part in (
            "power",
            *self.constraints[owner],
            *self.frictions.get(owner, ()),
        ):
            return self._of_constraint(owner)
        frame = self.frames[owner]
        if part in _PLACES:
            return self._named(owner, _PLACES, self.moving.pose(frame).position)
        if part[0] == "R":
            return self._named(owner, _FRAME[9:18], [x for row in self.moving.pose(frame).rotation for x in row])
        if part[0] == "W":
            return self._named(owner, ("WX", "WY", "WZ"), self.moving.twist(frame).angular)
        if part.endswith("''"):
            return self._named(owner, _FRAME[6:9], self.acceleration(frame).linear)
        return self._named(owner, _FRAME[3:6], self.moving.twist(frame).linear)

    def _of_spring(self, spring: Spring | TorsionSpring) -> dict[str, Expr]:
        told = in_speeds(self.tree, effort_told(self.tree, spring))
        if self._energies is not None:
            told = ex.substitute(told, {ex.prime(x): rate for x, rate in self._energies.own_rates.items()})
        return self._named(spring.name, _SPRINGS[type(spring)], told)

    def _of_constraint(self, name: str) -> dict[str, Expr]:
        assert self._energies is not None
        rows, multipliers = self._energies.machine.rows, self._energies.machine.multipliers
        places = rows.of(name)
        loose = not self._loose.isdisjoint(rows.names[k] for k in places)
        if loose or rows.guided or self.tree.layout.cuts:  # which follow from others, postures tell: `Motion.evaluate`
            multipliers = self._energies.machine.resolved.least_norm()
        powers = rows.powers(multipliers, self.tree.speeds)
        total = sum((powers[k] for k in places), ZERO)
        presses = rows.of(press_name(name))  # in the place of its own row while a contact sticks
        total = total + sum((powers[k] for k in presses), ZERO)
        pushes = [sum((multipliers[i] for i in presses), multipliers[k]) for k in places]
        told = self._named(name, self.constraints[name], pushes)
        if name in self.frictions:
            (k,), held = places, rows.of(stick_name(name))
            drags = [-ex.absolute(multipliers[k]) * x for x in rows.sliding[k].along]
            holds = [multipliers[i] for i in held] or [ZERO] * len(drags)
            total = total + sum((powers[i] for i in held), ZERO)
            told |= self._named(name, self.frictions[name], [a + b for a, b in zip(drags, holds, strict=True)])
        return {**told, f"{name}.power": total}

    def _of_whole(self, part: str) -> dict[str, Expr]:
        if part in _ENERGIES and self._energies is not None:
            kinds = {"T": "kinetic", "V": "potential", "power": "power"}
            return {f"{WHOLE}.{part}": getattr(self._energies, kinds[part])}
        momentum, spin = self.momenta
        if part[0] == "P":
            return self._named(WHOLE, ("PX", "PY", "PZ"), momentum)
        if part[0] == "L":
            return self._named(WHOLE, ("LX", "LY", "LZ"), spin)
        return self._named(WHOLE, _PLACES, self.centre)

    def _named(self, owner: str, parts: Sequence[str], values: Sequence[Expr]) -> dict[str, Expr]:
        return {f"{owner}.{part}": value for part, value in zip(parts, values, strict=True)}

    @cached_property
    def centre(self) -> Vector3:
        """The centre of mass of all, in the frame of earth."""
        mass, first = ZERO, ZERO3
        for inertia, pose in zip(node_inertias(self.tree), self.moving.nodes, strict=True):
            mass = mass + inertia.mass
            first = add3(first, add3(scale3(inertia.mass, pose.position), pose.vector(inertia.moment)))
        if mass is ZERO:
            raise ModelError(f"nothing that moves in '{self.tree.layout.model.name}' has a mass: it has no centre.")
        return Vector3(tuple(x / mass for x in first))

    @cached_property
    def momenta(self) -> tuple[Vector3, Vector3]:
        """Momentum, and angular momentum about the origin of earth, in the base of earth."""
        linear, angular = ZERO3, ZERO3
        for inertia, twist, pose in zip(node_inertias(self.tree), self.moving.twists, self.moving.nodes, strict=True):
            spin, push = (pose.vector(v) for v in inertia.momentum(twist))
            linear = add3(linear, push)
            angular = add3(angular, add3(spin, cross(pose.position, push)))
        return linear, angular

    # --- frames ----------------------------------------------------------------------------------------------------

    def acceleration(self, frame: Frame) -> Twist:
        """Their time derivatives, in the symbols of u'."""
        moving = {ex.TIME: ex.ONE, **self.tree.rates, **{u: ex.prime(u) for u in self.tree.speeds}}
        return Twist.of(ex.tangent(list(self.moving.twist(frame).scalars), moving))


def formula_of(outputs: Mapping[str, Expr], name: str) -> Expr:
    """An output without what is said where no posture is known."""
    found: Expr = getattr(outputs, "formula", outputs.__getitem__)(name)
    return found
