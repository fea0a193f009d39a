"""What can be simulated: named states with their rates, and what else is worth knowing about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.analysis.reactions import check_determined, marked_outputs
from dalembert.constraints import Resolved, Rows
from dalembert.contact.rows import ContactRow
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.lifted import Carried, lifted, masses_moved
from dalembert.dynamics.outputs import formula_of
from dalembert.dynamics.scales import Scales
from dalembert.errors import SimulationError
from dalembert.expr import Expr, Matrix, Scalar
from dalembert.mechanism import Layout
from dalembert.simulate.system.on_demand import OnDemand, Rates

if TYPE_CHECKING:
    from dalembert.simulate.system.corners import Corners
    from dalembert.simulate.system.large import LargeMachine

Point = tuple[Expr, Expr, Expr]
Value = Scalar | str
T = TypeVar("T")
_LOOKED_AT = 100
"""Machines of an ensemble whose sizes are looked at, the smallest ones: 3 ms."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression that must not vanish or change sign, what it means when it does, and what to do then.

    A pivot of the mass matrix, the sine of a nutation: `Condition(sin(th), "the Euler angles of 'top' are singular",
    "describe its rotation by a quaternion")`.
    """

    value: Expr
    meaning: str
    remedy: str = ""
    coupling: bool = False  # of reactions that lose their hold


@dataclass(frozen=True, slots=True)
class Picture:
    """How a body is drawn: segments between the origins of its joint frames, a marker at its centre of mass.

    `axes` are the three directions of the body's base, drawn where segments alone would not show how it turns;
    a `fixed` picture is the ground's, a `coil` that of a spring between two points.
    """

    name: str
    points: tuple[Point, ...]
    centre: Point | None = None
    axes: tuple[Point, Point, Point] | None = None
    fixed: bool = False
    coil: bool = False

    @property
    def vectors(self) -> tuple[Point, ...]:
        """All its triples of expressions: points, centre, axes."""
        return (*self.points, *(() if self.centre is None else (self.centre,)), *(self.axes or ()))


@dataclass(frozen=True, slots=True)
class Constrained:
    """M u' = right + G^T lambda with G u + drift = 0: what a method needs that solves for the multipliers itself.

    `resolved` is None for a machine so large that it is solved in numbers: its accelerations have no expressions, and
    stand in `System.rates` as the symbols of u'. Nor is its mass matrix made: `System.mass` makes it for who asks.
    """

    mass: Matrix | None
    right: tuple[Expr, ...]
    rows: Rows
    resolved: Resolved | None

    @property
    def works(self) -> bool:
        """May its reactions have power: driven by time, pushing elsewhere than along their condition?"""
        rows = self.rows
        return bool(rows.imperfect or rows.bent or any(x is not ex.ZERO for x in rows.drift))


@dataclass(frozen=True)
class System:
    """First-order equations y' = rates(t, y, parameters), y the coordinates (of cut links too), then the speeds.

    States and parameters are symbols of the same name. `outputs` are further named expressions that a motion can tell,
    in states and their rates (they may be made only when asked for: then `constants` are all their parameters);
    `corrected` is the state one Newton step nearer to its constraints (`still_open`: 1 where that is worth a step),
    `constrained` the equations before they are solved for the multipliers, both empty for a tree; `contacts` are rows
    of what cannot be crossed; `scales` are sizes of
    the states; `up` is where pictures have their top; `layout` is that of the mechanism whose motion this is: it knows
    where to start.

    >>> from dalembert import expr as ex
    >>> x, v, k = ex.symbols("x x' k")
    >>> System(("x",), ("x'",), (v, -k * x), given={"k": 4.0}, start={"x": 1.0}).parameters
    ('k',)
    """

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    rates: Sequence[Expr] = field(repr=False)
    given: Mapping[str, Value] = field(default_factory=dict)
    start: Mapping[str, Value] = field(default_factory=dict)
    kinetic: Expr | None = field(default=None, repr=False)
    potential: Expr | None = field(default=None, repr=False)
    quaternions: tuple[tuple[str, str, str, str], ...] = ()
    conditions: tuple[Condition, ...] = field(default=(), repr=False)
    pictures: tuple[Picture, ...] = field(default=(), repr=False)
    outputs: Mapping[str, Expr] = field(default_factory=dict, repr=False)
    constants: tuple[str, ...] | None = None
    corrected: tuple[Expr, ...] = field(default=(), repr=False)
    still_open: Expr = field(default=ex.ZERO, repr=False)
    constrained: Constrained | None = field(default=None, repr=False)
    contacts: tuple[ContactRow, ...] = field(default=(), repr=False)
    scales: Scales | None = field(default=None, repr=False)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    name: str = "system"
    layout: Layout | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.rates) != len(self.states):
            raise SimulationError(f"'{self.name}' has {len(self.states)} states but {len(self.rates)} rates.")
        if len(set(self.states)) != len(self.states):
            raise SimulationError(f"'{self.name}' has two states of the same name.")

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of; what was made of it, such as machine code, stays here."""
        plain = {"given": dict(self.given), "start": dict(self.start)}  # what only reads is not pickled
        return {one.name: getattr(self, one.name) for one in fields(self)} | plain

    @cached_property
    def _made(self) -> dict[str, Any]:
        return {}

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What depends on the system alone, made when first asked for."""
        if name not in self._made:
            self._made[name] = make()
        found: T = self._made[name]
        return found

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The names of y, in order."""
        return (*self.coordinates, *self.speeds)

    @cached_property
    def quaternion_rows(self) -> list[list[int]]:
        """Where the quaternions are in y."""
        place = {name: i for i, name in enumerate(self.states)}
        return [[place[name] for name in group] for group in self.quaternions]

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """The symbols of y."""
        return tuple(ex.symbol(name) for name in self.states)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names that need a value for the equations to run, in alphabetical order."""
        rates = self.rates
        if isinstance(rates, OnDemand):
            rates = [*rates.kinematic, *rates.tree.used]
        elif self.large and self.constrained is not None:
            held = self.constrained
            masses = (x for node in self.nodes for block in node.blocks for row in block for x in row)
            rates = [*rates[: len(self.coordinates)], *masses, *held.right, *held.rows.matrix.entries]
            rates = [*rates, *held.rows.gamma, *held.rows.conditions]
        touching = [x for one in self.contacts for x in one.expressions]
        return self.names_in([*rates, *(condition.value for condition in self.conditions), *touching])

    @property
    def large(self) -> bool:
        """Is it solved in numbers, not by expanded code?"""
        return self.constrained is not None and self.constrained.resolved is None

    @property
    def solved_by(self) -> str:
        """How accelerations are found: the road of fewer operations, code and compiling counted."""
        if self.large:
            return "a sparse solve in numbers"
        return "loops over joints of a few kinds" if isinstance(self.rates, OnDemand) else "formulas of each"

    @cached_property
    def nodes(self) -> tuple[Carried, ...]:
        """Of a machine: how each node of its tree is carried, and what it opposes."""
        assert self.layout is not None
        return lifted(dynamics_of(self.layout))

    @cached_property
    def masses_moved(self) -> list[Expr]:
        """The diagonal of M of a machine."""
        assert self.layout is not None
        return masses_moved(dynamics_of(self.layout))

    @cached_property
    def mass(self) -> Matrix:
        """M of a machine with constraints."""
        assert self.constrained is not None
        if self.constrained.mass is not None:
            return self.constrained.mass
        assert self.layout is not None
        return dynamics_of(self.layout).mass_matrix

    @cached_property
    def machine(self) -> LargeMachine:
        """Of a large one: its equations in numbers."""
        from dalembert.simulate.system.large import LargeMachine

        return LargeMachine(self)

    @cached_property
    def corners(self) -> Corners | None:
        """Instants at which its equations have a corner, by parameters and a span."""
        from dalembert.simulate.system.corners import corners_of

        return corners_of(self)

    @cached_property
    def known_parameters(self) -> tuple[str, ...]:
        """Every name that may be given a value: also what only energies, outputs and pictures use."""
        if self.constants is not None:
            return tuple(sorted({*self.parameters, *self.constants, *self.given}))
        energies = [e for e in (self.kinetic, self.potential) if e is not None]
        points = [x for picture in self.pictures for vector in picture.vectors for x in vector]
        everything = self.names_in([*energies, *points, *self.with_outputs(self.outputs.values())])
        return tuple(sorted({*self.parameters, *everything, *self.given}))

    @cached_property
    def slopes(self) -> Mapping[Expr, Expr]:
        """The rate of each state by its symbol `prime(state)`, where that is not a state itself."""
        known = set(self.symbols)
        places = {ex.prime(x): i for i, x in enumerate(self.symbols)}
        return Rates(self.rates, {x: i for x, i in places.items() if x not in known})

    @cached_property
    def energies(self) -> Mapping[str, Expr]:
        """`T`, `V` and `power` in states and their rates, as far as they are told."""
        kinds = [kind for kind in ("T", "V", "power") if f"total.{kind}" in self.outputs]
        return dict(zip(kinds, self.in_states_and_rates([ex.symbol(f"total.{kind}") for kind in kinds]), strict=True))

    @cached_property
    def energy_symbols(self) -> Mapping[str, frozenset[Expr]]:
        """What they depend on."""
        return {kind: frozenset(ex.free_symbols(value)) for kind, value in self.energies.items()}

    @property
    def balanced(self) -> Layout | None:
        """The layout that outputs are of: where a contact may stick, `layout` and what holds its slip."""
        tree = getattr(self.outputs, "tree", None)
        return self.layout if self.layout is None or tree is None else tree.layout

    @cached_property
    def marked(self) -> frozenset[str]:
        """Outputs that a motion tells only where mechanics determines them."""
        return frozenset() if self.layout is None else marked_outputs(self.layout) & self.outputs.keys()

    def in_states_and_rates(self, exprs: Iterable[Expr]) -> list[Expr]:
        """Expressions in which the names of outputs stand for what they are; rates of states may be left in them."""
        return self._opened(exprs, partial(formula_of, self.outputs))

    def _opened(self, exprs: Iterable[Expr], formula: Callable[[str], Expr]) -> list[Expr]:
        found = list(exprs)
        while True:
            names = ex.free_symbols(found) - set(self.symbols)
            used = {x: formula(x.name) for x in names if x.name in self.outputs and x.name not in self.marked}
            if not used:
                return found
            found = ex.substitute(found, used)

    def scale_of(self, parameters: Mapping[str, float], y: ArrayLike, t: float) -> NDArray[np.float64]:
        """The size of each state: a radian, the length of the machine, either in a second; 1 where nothing is known."""
        if self.scales is None:
            return np.ones(len(self.states))
        places = {name: i for i, name in enumerate(self.states)}
        names, found = self.kept("scales", self._scales)
        told = np.asarray(y, dtype=float).tolist()
        known = [told[places[x]] if x in places else t if x == "t" else parameters.get(x) for x in names]
        scales: NDArray[np.float64] = found(tuple(known)).copy()
        return scales

    def least_scale_of(self, values: Mapping[str, ArrayLike], t: float) -> NDArray[np.float64]:
        """The least size of each state among machines side by side, whose parameters and starts are arrays."""
        if self.scales is None:
            return np.ones(len(self.states))
        names, found = self.kept("scales", self._scales)
        known = {x: np.ravel(t if x == "t" else values[x]) for x in names if x == "t" or x in values}
        rows = np.unique(np.stack(np.broadcast_arrays(*known.values()), axis=1), axis=0) if known else np.zeros((1, 0))
        parts = (np.abs(rows) / np.maximum(np.abs(rows).max(axis=0), np.finfo(float).tiny)).sum(axis=1)
        rows = rows[np.argsort(parts)[:_LOOKED_AT]]  # whose numbers are small all together
        told = (dict(zip(known, row, strict=True)) for row in rows.tolist())
        least: NDArray[np.float64] = np.min([found(tuple(row.get(x) for x in names)) for row in told], axis=0)
        return least

    def _scales(self) -> tuple[list[str], Callable[[tuple[float | None, ...]], NDArray[np.float64]]]:
        """The names that sizes depend on, most often a few lengths, and the sizes by their numbers."""
        assert self.scales is not None
        scales, names = self.scales, sorted(x.name for x in self.scales.symbols)
        symbols = [ex.symbol(name) for name in names]

        @lru_cache(maxsize=64)
        def found(numbers: tuple[float | None, ...]) -> NDArray[np.float64]:
            return scales.at({x: number for x, number in zip(symbols, numbers, strict=True) if number is not None})

        return names, found

    def with_outputs(self, exprs: Iterable[Expr]) -> list[Expr]:
        """Expressions in states and parameters alone: outputs and rates of states stand for what they are."""
        found = self._opened(exprs, self.outputs.__getitem__)
        hidden = {x: self.outputs[x.name] for x in ex.free_symbols(found) if x.name in self.marked}
        if hidden and self.layout is not None:
            check_determined(self.layout, [x.name for x in hidden])
            found = self._opened(ex.substitute(found, hidden), self.outputs.__getitem__)
        used = ex.free_symbols(found)
        return ex.substitute(found, {x: self.slopes[x] for x in used & self.slopes.keys()})

    def names_in(self, exprs: Iterable[Expr]) -> tuple[str, ...]:
        """The symbols of some expressions that are neither states nor time."""
        found = ex.free_symbols(exprs) - set(self.symbols) - {ex.TIME}
        return tuple(sorted(x.name for x in found))
