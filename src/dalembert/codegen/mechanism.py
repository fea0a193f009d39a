"""A mechanism in machine code: the object behind `m.compile()`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.reactions import check_determined, marked_outputs
from dalembert.codegen import _target
from dalembert.codegen.function import Function
from dalembert.codegen.native import NativeFunction, compile_functions
from dalembert.codegen.quantities import built, inputs
from dalembert.codegen.robot import RobotQuantities
from dalembert.codegen.varied import Slopes, are_many, is_varied, shape_of
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import resolve
from dalembert.dynamics.scales import scales_of
from dalembert.dynamics.start import Start, closed_start
from dalembert.errors import ModelError, SimulationError
from dalembert.expr import Expr, uncollected
from dalembert.loops.branch import on_branch
from dalembert.mechanism import Layout, Mechanism, check_numbers, did_you_mean, open_fields
from dalembert.mechanism.contact import say_open

Array = Any
Given = Mapping[str, Any] | None


class Energy(NamedTuple):
    """Kinetic energy, and potential energy of gravity, springs and every other effort that derives from one."""

    kinetic: np.ndarray
    potential: np.ndarray


class Derivatives(NamedTuple):
    """Derivatives of a vector over the speeds with respect to coordinates, speeds and efforts (or accelerations)."""

    coordinates: np.ndarray
    speeds: np.ndarray
    efforts: np.ndarray


#: Quantities that controllers and optimisers ask for again and again: optimised from the first.
_OFTEN = frozenset({"acceleration_slopes", "inverse_slopes", "variations"})


class CompiledMechanism(RobotQuantities):
    """Numbers from a mechanism. Arrays may have a leading batch axis; parameters are keyword arguments.

    A parameter named like an argument (`t`, `efforts`...) is given with `given={"efforts": 2.0}`.

    `q` and `u` are in the order of `coordinates` and `speeds`. A parameter keeps the value that the mechanism gives it
    unless a call says otherwise. Machine code of each quantity is made at its first use and kept on disk.

    Where the closure is singular along the whole motion from `start` (else the mechanism's own), relations that its
    loops force are constraints too, and `branch` says so. They hold for the numbers of the loops as they are given:
    these are no parameters then.
    """

    _floats = False

    def __init__(
        self, mechanism: Mechanism, layout: Layout | None = None, start: Given = None, given: Given = None, t: float = 0
    ) -> None:
        known = resolve({**mechanism.given, **(given or {})}, "given")
        layout, self.branch = _on_branch(layout or Layout.of(mechanism), known, start, given, t)
        self.dynamics = dynamics_of(layout)
        self.coordinates = self.dynamics.state.coordinates
        self.speeds = self.dynamics.state.speeds
        held = self.dynamics.closure.parameters if self.branch else ()
        self.held: dict[str, float] = {name: known[name] for name in held}
        self.parameters = tuple(x.name for x in self.dynamics.parameters if x.name not in self.held)
        given = resolve(mechanism.given, "given")
        self.given: dict[str, float] = {name: given[name] for name in self.parameters if name in given}
        model = self.dynamics.model
        bodies = [x for body in model.bodies.values() for x in (body.mass, *body.inertia.entries)]
        self._weighed = frozenset(x.name for x in ex.free_symbols(bodies))
        check_numbers(model, self.given)
        self._made: dict[tuple[str, ...], tuple[NativeFunction, tuple[str, ...]]] = {}
        self._usual: dict[tuple[str, ...], tuple[dict[str, float], np.ndarray]] = {}

    def __repr__(self) -> str:
        name, q, u = self.dynamics.model.name, len(self.coordinates), len(self.speeds)
        return f"<compiled {name!r}: {q} coordinates, {u} speeds, {len(self.parameters)} parameters>"

    @cached_property
    def single(self) -> CompiledMechanism:
        """The same functions in single precision: results are arrays of float32, with six or seven digits.

        Batches take twice as many states at a time and half the memory. Derivatives of trees of more than sixteen
        joints, and machine code for integrators, stay in doubles.
        """
        if self.dynamics.closed:
            raise ModelError(
                f"'{self.dynamics.model.name}' has loops or constraints: which of their rows count is told from the "
                "rounding of doubles. Single precision is for trees."
            )
        (found := copy(self))._floats = True
        return found

    # --- numbers ---------------------------------------------------------------------------------------------------

    def acceleration(
        self, q: Array, u: Array, /, t: Array = 0.0, efforts: Array = None, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """u' of the free motion; `efforts` on the speeds add to those of the description."""
        if efforts is None:
            return self._run(("acceleration",), (t, q, u), parameters, given)
        return self._run(("forced_acceleration",), (t, q, u, efforts), parameters, given)

    def inverse_dynamics(
        self, q: Array, u: Array, udot: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Efforts on the speeds, beyond those of the description, that produce the accelerations `udot`."""
        return self._run(("inverse_dynamics",), (t, q, u, udot), parameters, given)

    def mass_matrix(self, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        return self._run(("mass_matrix",), (t, q), parameters, given)

    def inverse_mass(self, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """The inverse of the mass matrix: derivative of u' with respect to efforts."""
        return self._run(("inverse_mass",), (t, q), parameters, given)

    def bias(self, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """S of M u' = S + F."""
        return self._run(("bias",), (t, q, u), parameters, given)

    def forces(self, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """F of M u' = S + F."""
        return self._run(("forces",), (t, q, u), parameters, given)

    def rates(self, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """q' from the speeds."""
        return self._run(("rates",), (t, q, u), parameters, given)

    def energy(self, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> Energy:
        found = self._run(("energy",), (t, q, u), parameters, given)
        return Energy(found[..., 0][()], found[..., 1][()])

    def position(
        self, name: str, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Origin of a named frame or body, in the frame of earth."""
        return self._run(("position", name), (t, q), parameters, given)

    def rotation(
        self, name: str, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Matrix whose columns are the axes of a named frame or body, in the base of earth."""
        return self._run(("rotation", name), (t, q), parameters, given)

    def velocity(
        self, name: str, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Angular velocity, then velocity of the origin, in the base of earth."""
        return self._run(("velocity", name), (t, q, u), parameters, given)

    def frame_acceleration(
        self, name: str, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Rates of `velocity` in the free motion: angular acceleration, then acceleration of the origin."""
        return self._run(("frame_acceleration", name), (t, q, u), parameters, given)

    def output(
        self, name: str, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Anything that a motion tells, by its name there: `f.output("tip.X''", q, u)`, `"total.LZ"`..."""
        if name not in self.dynamics.outputs:
            hint = did_you_mean(name, self.dynamics.outputs)
            raise ModelError(f"'{self.dynamics.model.name}' has no output '{name}'.{hint}")
        if ("output", name) not in self._made and name in marked_outputs(self.dynamics.layout):
            check_determined(self.dynamics.layout, [name])
        return self._run(("output", name), (t, q, u), parameters, given)[..., 0][()]

    def jacobian(
        self, name: str, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Six rows: derivative of `velocity` with respect to the speeds."""
        return self._run(("jacobian", name), (t, q), parameters, given)

    # --- derivatives -----------------------------------------------------------------------------------------------

    def acceleration_derivatives(
        self, q: Array, u: Array, /, t: Array = 0.0, efforts: Array = None, *, given: Given = None, **parameters: Array
    ) -> Derivatives:
        """Derivatives of u' with respect to coordinates, speeds and efforts; `derived_by` says on which road."""
        efforts = np.zeros(len(self.speeds)) if efforts is None else efforts
        if self._slopes is not None and not are_many(len(self.speeds), q, u):
            key = ("variations",)
            values = self._parameters(key, self._made[key][1], {**(given or {}), **parameters})
            return self._split(self._slopes(t, q, u, efforts, values))
        return self._split(self._run(("acceleration_slopes",), (t, q, u, efforts), parameters, given))

    @property
    def derived_by(self) -> str:
        """How derivatives of the accelerations are found: the road of fewer operations."""
        return "formulas of each" if self._slopes is None else "a recursion over the joints, directions side by side"

    @cached_property
    def _slopes(self) -> Slopes | None:
        if not is_varied(self.dynamics):
            return None
        return Slopes(shape_of(self.dynamics), self._native(("variations",))[0])

    def inverse_dynamics_derivatives(
        self, q: Array, u: Array, udot: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> Derivatives:
        """Derivatives of the inverse dynamics with respect to coordinates, speeds and accelerations (that is M)."""
        return self._split(self._run(("inverse_slopes",), (t, q, u, udot), parameters, given))

    def acceleration_sensitivity(
        self,
        names: Sequence[str],
        q: Array,
        u: Array,
        /,
        t: Array = 0.0,
        efforts: Array = None,
        *,
        given: Given = None,
        **parameters: Array,
    ) -> np.ndarray:
        """Derivatives of u' with respect to the named parameters, one column each."""
        for name in names:
            self._check_parameter(name)
        efforts = np.zeros(len(self.speeds)) if efforts is None else efforts
        return self._run(("sensitivity", *names), (t, q, u, efforts), parameters, given)

    def _split(self, found: np.ndarray) -> Derivatives:
        n, m = len(self.coordinates), len(self.coordinates) + len(self.speeds)
        return Derivatives(found[..., :n], found[..., n:m], found[..., m:])

    # --- where a motion starts -------------------------------------------------------------------------------------

    def start(self, start: Given = None, given: Given = None, t: float = 0.0) -> Start:
        """The closed state in which a motion starts: `f.start({"crank.th": 0.7}).y` is y = (q, u)."""
        for name, value in resolve({**self.dynamics.model.given, **(given or {})}, "given").items():
            if value != self.held.get(name):
                self._check_held(name)
        if not self.branch:
            _, branch = on_branch(self.dynamics.layout, start, given, t)
            if branch:
                raise SimulationError(
                    f"'{self.dynamics.model.name}' starts where its code does not hold: {branch}, and the code was "
                    "made without them, for another start. Give this start and these numbers to the mechanism, then "
                    "make the code."
                )
        found = closed_start(self.dynamics.layout, start, {**self.held, **(given or {})}, t)
        if not found.singular or self.branch:
            return found
        lingering = (
            "the start is a singular posture, where the loops do not tell branches apart: a motion that lingers there "
            "keeps its energy to a few digits only. Start beside it"
        )
        return replace(found, choices=(*found.choices, lingering))

    def units(self, state: Mapping[str, float], given: Mapping[str, float]) -> list[float]:
        """The scale of each state, of which absolute tolerances are parts: a radian, the size of the machine."""
        known = {ex.symbol(name): float(value) for name, value in {**given, **state}.items()} | {ex.TIME: 0.0}
        found: list[float] = scales_of(self.dynamics.layout).at(known).tolist()
        return found

    # --- for integrators -------------------------------------------------------------------------------------------

    @property
    def rhs(self) -> NativeFunction:
        """y' of y = (q, u): `rhs(t, y, p)`, with `p` from `parameter_vector`."""
        return self._native(("rhs",))[0]

    def parameter_vector(self, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """Values of `parameters` in order; those that no motion depends on may lack, and are no number then."""
        told = {**(given or {}), **parameters}
        known = {**self.given, **told}
        if all(name in known for name in self.parameters):
            return self._values(self.parameters, told)
        found = self._values(self._native(("rhs",))[1], told)
        found[..., [name not in known for name in self.parameters]] = np.nan
        return found

    def corrected(self, y: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """A state y = (q, u) one Newton step nearer to closed loops; of a tree, the state itself."""
        return self._run(("corrected",), (t, y), parameters, given)[..., : len(self.dynamics.state)]

    # --- machinery -------------------------------------------------------------------------------------------------

    def _run(
        self, key: tuple[str, ...], states: tuple[Array, ...], parameters: Mapping[str, Array], given: Given = None
    ) -> np.ndarray:
        if given is not None:
            parameters = {**given, **parameters}
        native, needed = self._made.get(key) or self._native(key)
        run = native.single if self._floats else native
        return run(*states, self._parameters(key, needed, parameters))

    def _parameters(self, key: tuple[str, ...], needed: tuple[str, ...], parameters: Mapping[str, Array]) -> np.ndarray:
        if parameters:
            return self._values(needed, parameters)
        known = self._usual.get(key)
        if known is None or known[0] != self.given:  # `given` may be changed between calls
            known = self._usual[key] = (dict(self.given), self._values(needed, parameters))
        return known[1]

    def _check_held(self, name: str) -> None:
        if name in self.held:
            raise ModelError(
                f"'{name}' of '{self.dynamics.model.name}' cannot change in this code: {self.branch}, and they hold "
                f"for {name} = {self.held[name]:.6g}. Give the other value to the mechanism, then make the code."
            )

    def _check_parameter(self, name: str) -> None:
        self._check_held(name)
        if name not in self.parameters:
            hint = did_you_mean(name, self.parameters)
            raise ModelError(f"'{self.dynamics.model.name}' has no parameter '{name}'.{hint}")

    def _values(self, needed: tuple[str, ...], parameters: Mapping[str, Array]) -> np.ndarray:
        for name in parameters:
            self._check_parameter(name)
        told: Mapping[str, Array] = {**self.given, **parameters}
        if not all(isinstance(value, float | int | np.ndarray) for value in told.values()):  # formulas, fractions
            told = resolve(told, "given")
        missing = [name for name in needed if name not in told]
        if missing:
            model, first = self.dynamics.model, missing[0]
            raise ModelError(
                f"'{model.name}' needs a value for {', '.join(repr(x) for x in missing)}. Give it in the mechanism "
                f"(given {first} = ...) or in the call ({first}=...).{open_fields(model, missing)}"
            )
        values = [told.get(name, 0.0) for name in self.parameters]
        if not parameters or not self._weighed.isdisjoint(parameters):
            check_numbers(self.dynamics.model, told)
        if all(np.ndim(v) == 0 for v in values):
            return np.array(values, dtype=float)
        return np.stack(np.broadcast_arrays(*[np.asarray(v, dtype=float) for v in values]), axis=-1)

    def _native(self, key: tuple[str, ...]) -> tuple[NativeFunction, tuple[str, ...]]:
        with _target.compiling:
            if key not in self._made:
                with uncollected():
                    function = self.function(*key)
                used = ex.free_symbols(function.outputs)
                needed = tuple(name for name in self.parameters if ex.symbol(name) in used)
                quickly = False if key[0] in _OFTEN else None
                self._made[key] = (compile_functions([function], quickly=quickly)[function.name], needed)
            return self._made[key]

    def with_held(self, outputs: Sequence[Expr]) -> list[Expr]:
        """Expressions in which numbers that cannot change stand for their names."""
        if not self.held:
            return list(outputs)
        return ex.substitute(outputs, {ex.symbol(name): value for name, value in self.held.items()})

    def function(self, kind: str, *names: str) -> Function:
        """The expressions behind a quantity, with its inputs: time, coordinates, speeds..., parameters last."""
        about = self.dynamics
        t, q, u, p = [ex.TIME], about.coordinates, about.speeds, [ex.symbol(name) for name in self.parameters]
        if kind == "corrected":
            step = self.with_held([*about.corrected, about.counted])
            return Function("corrected", [t, [*q, *u], p], step, constants=[2])
        if kind == "rhs":
            rates = self.with_held([*about.rates, *about.accelerations()])
            return Function("rhs", [t, [*q, *u], p], rates, constants=[2])
        groups = inputs(about, names[1] if kind == "slope" else kind)
        outputs, shape = built(about, kind, names)
        return Function(kind, [*groups, p], self.with_held(outputs), constants=[len(groups)], shape=shape)


def _on_branch(layout: Layout, known: Mapping[str, Any], start: Given, given: Given, t: float) -> tuple[Layout, str]:
    """Relations of the branch where it starts; none while that is open (numbers are missing, loops do not close)."""
    if not layout.cuts or any(name not in known for name in dynamics_of(layout).closure.parameters):
        return layout, ""
    try:
        return on_branch(layout, start, given, t)
    except SimulationError:
        return layout, ""


def compile_mechanism(mechanism: Mechanism, layout: Layout | None = None) -> CompiledMechanism:
    """The numbers of a mechanism, from machine code.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    >>> pivot = m.join(earth, rod, revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, "-g"]
    >>> m.given = {"m": 2.0, "l": 0.5}
    >>> f = compile_mechanism(m)
    >>> f.mass_matrix([0.3]), f.energy([0.0], [2.0], g=9.81).kinetic
    (array([[0.5]]), np.float64(1.0))
    """
    layout = layout or Layout.of(mechanism)
    say_open(layout.model.contacts, "these functions")
    return CompiledMechanism(mechanism, layout)
