"""The dynamics of a machine, derived once and asked by everyone: each quantity is made when first asked for, and kept.

    q' = rates(q, u, t),    M u' = S + F + W^T lambda,    G u' = gamma

Trees and closed machines are one class: a tree has no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from dalembert import expr as ex
from dalembert import limits
from dalembert.constraints.actions import Actions, constraint_actions
from dalembert.constraints.factor import solve_symmetric
from dalembert.constraints.resolve import Resolved, resolve
from dalembert.constraints.rows import EPSILON, Collected, Rows, collect
from dalembert.constraints.soundness import always_true
from dalembert.dynamics import articulated
from dalembert.dynamics.bending import Bending
from dalembert.dynamics.closure import Closure
from dalembert.dynamics.energies import Energies
from dalembert.dynamics.massless import without_mass
from dalembert.dynamics.nearer import nearer
from dalembert.dynamics.outputs import Outputs
from dalembert.dynamics.recursive import Recursion, generalised_forces, inverse_dynamics, mass_matrix, right_side
from dalembert.dynamics.servo import Servo, with_hidden_conditions
from dalembert.dynamics.transmitted import Transmitted, known_wrench
from dalembert.errors import ModelError, SingularError, warn
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import ZERO3
from dalembert.kinematics import Pose, Tree, Wrench, build_tree
from dalembert.mechanism import Frame, Layout, Model, State, did_you_mean

T = TypeVar("T")
#: Degrees of freedom up to which the factorised mass matrix may need fewer operations than articulated bodies.
_FEW = 12
#: Seconds that a quantity may take to be derived; machines of some hundred bodies take tens.
_SECONDS = 600.0
#: Machines whose dynamics are remembered.
_REMEMBERED = 32


def derived(make: Callable[[Any], T]) -> T:
    """A quantity that is made when first asked for, and shared by all models of one structure."""

    def get(self: Dynamics) -> T:
        return self.kept(make.__name__, make)

    return property(get, doc=make.__doc__)  # type: ignore[return-value]


class Dynamics:
    """Expressions of the state (q, u), time and parameters; efforts and accelerations have symbols of their own.

    `layout` is the machine with its numbers; what is derived depends on its structure alone, and has none. What does
    not depend on constraints beyond cut links is that of the machine without them, `before`.
    """

    def __init__(
        self,
        layout: Layout,
        structure: Dynamics | None = None,
        servo: Servo | None = None,
        before: Dynamics | None = None,
    ) -> None:
        self.layout = layout
        self._before = before
        self.servo = servo
        self._structure = structure or self
        self._made: dict[str, Any] = {}

    def kept(self, name: str, make: Callable[[Dynamics], T]) -> T:
        """What other packages derive from the structure alone: made once, for all models of one structure."""
        owner = self._structure
        if name not in owner._made:
            what = f"deriving {name.lstrip('_').replace('_', ' ')} of '{self.model.name}'"
            with limits.working(what, "Give numbers for parameters that stay.", seconds=_SECONDS), ex.uncollected():
                owner._made[name] = make(owner)
        found: T = owner._made[name]
        return found

    @property
    def model(self) -> Model:
        return self.layout.model

    @property
    def state(self) -> State:
        return self.layout.state

    @property
    def closed(self) -> bool:
        """Whether there are constraints."""
        return bool(self.layout.constraints)

    @property
    def index(self) -> dict[str, int]:
        """Of laws that are kept through hidden conditions: how often everything had to be derived."""
        return {} if self.servo is None else self.servo.index

    # --- symbols ---------------------------------------------------------------------------------------------------

    @property
    def coordinates(self) -> list[Expr]:
        """Coordinates of the tree, then those of cut links."""
        return [ex.symbol(x) for x in self.state.coordinates]

    @property
    def speeds(self) -> list[Expr]:
        return [ex.symbol(x) for x in self.state.speeds]

    @property
    def efforts(self) -> list[Expr]:
        """Symbols of further efforts on the speeds."""
        return [ex.symbol(f"effort.{x}") for x in self.state.speeds]

    @property
    def accelerations_given(self) -> list[Expr]:
        """Symbols of accelerations that the caller gives."""
        return [ex.symbol(f"{x}'") for x in self.state.speeds]

    @property
    def parameters(self) -> list[Expr]:
        return [ex.symbol(x) for x in self.model.parameters()]

    # --- the tree --------------------------------------------------------------------------------------------------

    @derived
    def tree(self) -> Tree:
        return build_tree(self.layout) if self._before is None else replace(self._before.tree, layout=self.layout)

    @derived
    def recursion(self) -> Recursion:
        return Recursion.of(self.tree) if self._before is None else replace(self._before.recursion, tree=self.tree)

    @derived
    def rates(self) -> list[Expr]:
        """q' of all coordinates, those of cut links too."""
        return [*(self.tree.rates[x] for x in self.tree.coordinates), *(one.rate for one in self.rows.own)]

    @derived
    def mass_matrix(self) -> Matrix:
        return mass_matrix(self.recursion) if self._before is None else self._before.mass_matrix

    @derived
    def bias(self) -> list[Expr]:
        """S."""
        return [-x for x in inverse_dynamics(self.recursion, gravity=ZERO3)]

    @derived
    def forces(self) -> list[Expr]:
        """F: gravity, applied efforts, known efforts in all links."""
        return self._with_cut_efforts(generalised_forces(self.recursion))

    @derived
    def right_side(self) -> list[Expr]:
        """S + F, in one pass."""
        return self._with_cut_efforts(self.tree_right_side)

    @derived
    def tree_right_side(self) -> list[Expr]:
        """The same, without the efforts in cut links."""
        return right_side(self.recursion) if self._before is None else self._before.tree_right_side

    def _with_cut_efforts(self, found: list[Expr]) -> list[Expr]:
        """Efforts in cut links added, and rates of their coordinates written in the state."""
        if not self.closed:
            return found
        total = [a + b for a, b in zip(found, self.rows.efforts, strict=True)]
        return ex.substitute(total, {ex.prime(one.coordinate): one.rate for one in self.rows.own})

    # --- constraints -----------------------------------------------------------------------------------------------

    @derived
    def rows(self) -> Rows:
        """What the constraints ask of the speeds; of a tree, nothing."""
        return self.collected_rows.rows()

    @derived
    def collected_rows(self) -> Collected:
        if self._before is None:
            return collect(self.tree, self.layout.constraints)
        return collect(self.tree, self.layout.further, self._before.collected_rows)

    @derived
    def resolved(self) -> Resolved:
        for _, sentence in always_true(self.rows):
            warn(f"'{self.model.name}': {sentence}")
        try:
            return resolve(self.mass_matrix, self.right_side, self.rows, self.state.speeds)
        except SingularError as error:
            raise without_mass(self.layout, error) from None

    @property
    def multipliers(self) -> tuple[Expr, ...]:
        """lambda, zero on rows that are nothing or depend on others."""
        return self.resolved.multipliers

    @derived
    def reactions(self) -> dict[str, Wrench]:
        """What each cut link does to its second body, at and in the base of its second frame."""
        if not self.layout.cuts:
            return {}
        perfect = self.rows.reactions(self.multipliers)
        rates = {ex.prime(one.coordinate): one.rate for one in self.rows.own}
        found = {}
        for one in self.layout.cuts:
            known = Wrench.of(ex.substitute(known_wrench(one.link, self.tree).scalars, rates))
            found[one.link.name] = perfect.get(one.link.name, Wrench()) + known
        return found

    @derived
    def corrected(self) -> list[Expr]:
        """The state (q, u) one Newton step nearer to its constraints, by the least move in the kinetic metric."""
        return nearer(self) if self.closed else [*self.coordinates, *self.speeds]

    @derived
    def counted(self) -> Expr:
        """How many rows of the constraints count: fewer at a singular posture."""
        return sum(self.resolved.kept, ZERO) if self.closed else ZERO

    @derived
    def closure(self) -> Closure:
        """The closed postures in numbers."""
        return Closure(self.tree)

    @derived
    def still_open(self) -> Expr:
        """1 where a gap, or a speed that opens one, is more than rounding of what it is made of; else 0."""
        rows, excess = self.rows, ZERO
        coordinates = {u: ex.absolute(x) for x, u in self.tree.rates.items()}
        places = [coordinates.get(u, ZERO) for u in self.tree.speeds]
        speeds = [ex.absolute(u) for u in self.tree.speeds]
        for k, sizes in enumerate(rows.made_of.rows()):
            gap, condition, rounding = rows.gap[k], rows.conditions[k], rows.rounding[k]
            if gap is not None and gap is not ZERO:
                written = EPSILON * ex.dot_product(sizes, places)  # coordinates are no more exact than this
                excess = ex.maximum(excess, ex.absolute(gap) - rounding * rows.reach[k] - written)
            if condition is not ZERO:
                made = ex.dot_product(sizes, speeds) + ex.absolute(rows.drift[k])
                excess = ex.maximum(excess, ex.absolute(condition) - rounding * made)
        return ex.less(0, excess)

    @derived
    def bending(self) -> Bending:
        """How these postures bend, at second order."""
        return Bending(self.closure)

    # --- accelerations ---------------------------------------------------------------------------------------------

    def accelerations(self, efforts: Sequence[Expr] | None = None) -> list[Expr]:
        """u', with further efforts on the speeds."""
        if self.closed:
            if not efforts:
                return list(self.resolved.accelerations)
            right = [a + b for a, b in zip(self.right_side, efforts, strict=True)]
            return self.resolved.solve(right, self.rows.gamma)[0]
        return self._free(efforts) if efforts else list(self.free_accelerations)

    @derived
    def free_accelerations(self) -> list[Expr]:
        """u' of the tree, its constraints left out."""
        return self._free([ZERO] * len(self.speeds))

    def _free(self, extra: Sequence[Expr]) -> list[Expr]:
        """By the algorithm that needs fewer operations: articulated bodies or the factorised mass matrix."""
        if self.tree.shares_speeds() or self.closed:
            return self._factorised(extra)
        known = [own + more for own, more in zip(self.recursion.efforts, extra, strict=True)]
        recursive = articulated.accelerations(self.recursion, known)
        if len(self.speeds) > _FEW:
            return recursive
        direct = self._factorised(extra)
        moving = {*self.coordinates, *self.speeds, ex.TIME}
        return min(recursive, direct, key=lambda found: ex.count_operations(found, depending_on=moving))

    def _factorised(self, extra: Sequence[Expr]) -> list[Expr]:
        right = [own + e for own, e in zip(self.right_side, extra, strict=True)]
        return solve_symmetric(self.mass_matrix, right, self.state.speeds)

    @derived
    def inverse_dynamics(self) -> list[Expr]:
        """Efforts, beyond those of the description, that produce the given accelerations."""
        if self.closed:
            names = ", ".join(repr(one.name) for one in self.layout.constraints)
            kind = "constraints (" if self.layout.further else "closed loops (links "
            raise ModelError(
                f"'{self.model.name}' has {kind}{names}): many efforts give it the same motion, so that its inverse "
                "dynamics has no one answer. Say which coordinates carry it: `m.needed_efforts(q, u, udot, by=[...])`; "
                "or drive them, and each drive tells its effort as `drive.lambda`."
            )
        return self.efforts_beyond(self.accelerations_given)

    def efforts_beyond(self, accelerations: Sequence[Expr]) -> list[Expr]:
        """M u' - S - F: efforts, those of constraints among them, that these accelerations need."""
        needed, own = inverse_dynamics(self.recursion, accelerations, external=True), self.recursion.efforts
        return [a - b for a, b in zip(needed, self._with_cut_efforts(own), strict=True)]

    def solved(self, exprs: list[Expr]) -> list[Expr]:
        """Expressions in which the symbols of u' stand for the accelerations of the motion."""
        held = self.accelerations_given
        if ex.free_symbols(exprs).isdisjoint(held):
            return exprs
        return ex.substitute(exprs, dict(zip(held, self.accelerations(), strict=True)))

    # --- energies and outputs --------------------------------------------------------------------------------------

    @derived
    def energies(self) -> Energies:
        return Energies(self)

    @property
    def energy(self) -> list[Expr]:
        """Kinetic energy, and potential energy of gravity, springs and every effort that derives from one."""
        return [self.energies.kinetic, self.energies.potential]

    @derived
    def outputs(self) -> Outputs:
        """Everything that a motion can tell, by name."""
        return Outputs(self.tree, self.energies, self._transmitted)

    def _transmitted(self, link: str) -> Wrench:
        return self.transmitted.wrench(link)

    @derived
    def transmitted(self) -> Transmitted:
        """Efforts in all links."""
        acting = self.actions
        wrong = [x.name for x in acting.joints if x.name in self.state.own_coordinates]
        if wrong:
            raise ModelError(
                f"a constraint of '{self.model.name}' pushes '{wrong[0]}', whose link closes a loop: efforts in links "
                f"are told when another link of that loop is cut, not '{wrong[0].partition('.')[0]}'."
            )
        return Transmitted(self.tree, self.reactions, acting.bodies)

    @derived
    def actions(self) -> Actions:
        """What constraints that are formulas do to bodies and joints."""
        return constraint_actions(self.tree, self.rows, self.multipliers) if self.layout.further else Actions()

    def frame(self, name: str) -> Frame:
        """The named frame, or the reference frame of the named body."""
        if name in self.model.frames:
            return self.model.frames[name]
        if name in self.model.bodies:
            return self.model.bodies[name].frame
        known = [*self.model.frames, *self.model.bodies]
        raise ModelError(f"'{self.model.name}' has no frame or body '{name}'.{did_you_mean(name, known)}")

    def pose(self, name: str) -> Pose:
        return self.outputs.moving.pose(self.frame(name))

    def velocity(self, name: str) -> list[Expr]:
        """Angular velocity, then velocity of the origin, both in the base of earth."""
        return list(self.outputs.moving.twist(self.frame(name)).scalars)

    def frame_acceleration(self, name: str) -> list[Expr]:
        """Angular acceleration, then acceleration of the origin, in the motion."""
        return self.solved(list(self.outputs.acceleration(self.frame(name)).scalars))

    def jacobian(self, name: str) -> list[Expr]:
        """Derivative of `velocity` with respect to the speeds, six rows."""
        return [x for row in ex.jacobian(self.velocity(name), self.speeds) for x in row]


@limits.bounded("dynamics_of()", seconds=_SECONDS)
def dynamics_of(layout: Layout) -> Dynamics:
    """The dynamics of a machine; machines of one structure share what is derived, whatever their numbers.

    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> pivot = m.join(earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), revolute("x"), name="pivot")
    >>> m.given = {"m": 2.0}
    >>> about = dynamics_of(Layout.of(m))
    >>> about.mass_matrix
    Matrix([[l*m*l]])
    >>> dynamics_of(Layout.of(m)).mass_matrix is about.mass_matrix
    True
    """
    servo = with_hidden_conditions(layout)
    bare = replace(servo.layout, model=replace(layout.model, given={}, start={}))
    return Dynamics(servo.layout, _remembered(layout.model.name, bare), servo)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(name: str, layout: Layout) -> Dynamics:
    before = _remembered(name, replace(layout, further=())) if layout.further else None
    return Dynamics(layout, before=before)
