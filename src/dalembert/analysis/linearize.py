"""Equations linearised about an equilibrium, a steady motion or a trajectory: exact, in symbols.

With h = S + F, the motion q_0(t), u_0(t) and its accelerations u_0', small deviations satisfy

    dq' = (dq'/dq) dq + P du                     M du' = (dh/dq - d(M u_0')/dq) dq + (dh/du) du + (dh/dw) dw

for inputs w. M may depend on q and everything may depend on t: nothing is inverted before it is derived.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.kinks import refuse_kinks, somewhere
from dalembert.analysis.modes import Mode, modes_of, ordered
from dalembert.analysis.point import check_laws, numbers_of, time_of, with_parameters
from dalembert.analysis.reduced import Reduction
from dalembert.constraints.factor import factor_symmetric, solve_factored
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import check_names, resolve, single
from dalembert.dynamics.start import closed_start
from dalembert.errors import ModelError, SimulationError, SingularError
from dalembert.expr import ONE, TIME, ZERO, Expr, Matrix, Scalar
from dalembert.formalisms import derive
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.loops.branch import on_branch
from dalembert.mechanism import Layout, Mechanism, Model, did_you_mean
from dalembert.mechanism.contact import say_open


@dataclass(frozen=True)
class Linearization:
    """E x' = H x + B w for deviations x = (dq, du) of coordinates and speeds, and the state matrix A = E^-1 H.

    `mass`, `damping` and `stiffness` are M, C, K of M du' + C du + K dq = B_u w. `residual` is what must be added to
    the forces for the chosen motion to be one: it vanishes on a true equilibrium, steady motion or trajectory.
    """

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    inputs: tuple[str, ...]
    point: Mapping[Expr, Expr]
    mass: Matrix
    damping: Matrix
    stiffness: Matrix
    rate_coordinates: Matrix  # dq'/dq
    rate_speeds: Matrix  # dq'/du = P
    input_matrix: Matrix
    residual: tuple[Expr, ...]
    given: Mapping[str, float] = field(default_factory=dict)  # numbers of parameters, where others are not told

    @property
    def states(self) -> tuple[str, ...]:
        return (*self.coordinates, *self.speeds)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of every symbol in the matrices and the residual."""
        return tuple(sorted(self.varying | {x.name for x in ex.free_symbols(self.residual)}))

    @property
    def varying(self) -> set[str]:
        """Names of every symbol in the matrices."""
        matrices = (self.mass, self.damping, self.stiffness, self.rate_speeds, self.rate_coordinates, self.input_matrix)
        return {x.name for x in ex.free_symbols([x for m in matrices for x in m.entries])}

    @property
    def state_matrix(self) -> Matrix:
        """A of x' = A x + B w, by the symbolic factors of M."""
        n, k = len(self.coordinates), len(self.speeds)
        lower = [[*a, *b] for a, b in zip(_rows(self.rate_coordinates), _rows(self.rate_speeds), strict=True)]
        solved = self._solved([*_columns(self.stiffness), *_columns(self.damping)])
        rows = [[-solved[j][i] for j in range(n + k)] for i in range(k)]
        return Matrix([*lower, *rows], (n + k, n + k))

    @property
    def input_state_matrix(self) -> Matrix:
        """B of x' = A x + B w."""
        n, k, w = len(self.coordinates), len(self.speeds), len(self.inputs)
        solved = self._solved(_columns(self.input_matrix))
        rows = [[ZERO] * w for _ in range(n)] + [[solved[j][i] for j in range(w)] for i in range(k)]
        return Matrix(rows, (n + k, w))

    def _solved(self, columns: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        lower, diagonal = factor_symmetric(self.mass)
        return [solve_factored(lower, diagonal, column) for column in columns]

    def numbers(self, values: Mapping[str, float] | None = None) -> tuple[Any, Any]:
        """A and B as arrays, for given parameters (and t)."""
        given = self._known(values)
        n, k, w = len(self.coordinates), len(self.speeds), len(self.inputs)

        def array(m: Matrix) -> Any:
            return np.array(ex.evaluate(m.entries, given), dtype=float).reshape(m.shape)

        mass = array(self.mass)
        lower = (
            np.linalg.solve(mass, np.hstack([array(self.stiffness), array(self.damping)])) if k else np.zeros((0, n))
        )
        a = np.vstack([np.hstack([array(self.rate_coordinates), array(self.rate_speeds)]), -lower])
        b = np.zeros((n + k, w))
        if k and w:
            b[n:] = np.linalg.solve(mass, array(self.input_matrix))
        return a, b

    def _known(self, values: Mapping[str, float] | None) -> dict[Expr, float]:
        """Numbers of all parameters: inputs rest at zero unless they are given."""
        known = {**dict.fromkeys(self.inputs, 0.0), **self.given, **(values or {})}
        missing = [x for x in self.parameters if x not in known]
        if "t" in missing:
            raise ModelError(
                "the matrices change with time: numbers are those of one instant. Say which, t=0.0 for instance, on "
                "the command line --t 0."
            )
        if missing:
            name = missing[0]
            if name in self.states:
                remedy = f"Say where the machine is: at={{'{name}': 0}}, on the command line --at {name}=0."
            else:
                remedy = f"Give it to the machine: given {name} = 1, on the command line --set {name}=1."
            raise ModelError(f"'{name}' has no value: matrices in numbers need one for each symbol. {remedy}")
        return {ex.symbol(k): float(v) for k, v in known.items()}

    def eigenvalues(self, values: Mapping[str, float] | None = None) -> Any:
        """Eigenvalues of A, largest real part first."""
        return ordered(np.linalg.eigvals(self.numbers(values)[0]))

    def modes(self, values: Mapping[str, float] | None = None) -> tuple[Mode, ...]:
        """Natural frequencies, damping ratios and shapes of the small motions, slow ones first."""
        return modes_of(self.numbers(values)[0], self.coordinates)

    def in_numbers(self, values: Mapping[str, float] | None = None) -> dict[str, Any]:
        """The JSON form in numbers: matrices as rows, eigenvalues as pairs."""
        known = self._known(values)
        a, b = self.numbers(values)

        def rows(m: Matrix) -> list[list[float]]:
            return [[float(x) for x in ex.evaluate(list(row), known)] for row in m.rows()]

        return {
            "coordinates": list(self.coordinates),
            "speeds": list(self.speeds),
            "inputs": list(self.inputs),
            "point": {x.name: _number(v, known) for x, v in self.point.items()},
            "mass": rows(self.mass),
            "damping": rows(self.damping),
            "stiffness": rows(self.stiffness),
            "state_matrix": a.tolist(),
            "input_matrix": b.tolist(),
            "residual": [float(x) for x in ex.evaluate(list(self.residual), known)],
            "eigenvalues": [[z.real, z.imag] for z in self.eigenvalues(values)],
        }

    def as_dict(self) -> dict[str, Any]:
        """The JSON form: matrices as rows of formulas."""

        def rows(m: Matrix) -> list[list[str]]:
            return [[ex.text(x) for x in row] for row in m.rows()]

        return {
            "coordinates": list(self.coordinates),
            "speeds": list(self.speeds),
            "inputs": list(self.inputs),
            "point": {x.name: ex.text(v) for x, v in self.point.items()},
            "mass": rows(self.mass),
            "damping": rows(self.damping),
            "stiffness": rows(self.stiffness),
            "state_matrix": rows(self.state_matrix),
            "input_matrix": rows(self.input_state_matrix),
            "residual": [ex.text(x) for x in self.residual],
        }

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle A = {ex.latex_matrix(self.state_matrix)}$"


def linearize(
    source: Mechanism | Model | Equations,
    at: Mapping[str, Scalar | str] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    inputs: Sequence[str] = (),
    independent: Sequence[str] = (),
    t: float | None = None,
    cut: Collection[str] = (),
) -> Linearization:
    """Linearise a machine (or equations of one) about a motion.

    A tree stays in symbols: `at` gives coordinates and speeds as numbers or formulas of t and parameters. A coordinate
    left out stays a symbol (a family of motions); a speed left out is that of the given coordinates: zero when they are
    constant. `given` are numbers for its parameters, used when numbers are asked for.

    A machine with closed loops or other constraints is linearised in numbers, on them: `at` says as much of the posture
    as at the start of a simulation, the rest follows. The result is in as many coordinates as there are freedoms; those
    named in `independent` are among them if they can be. Speeds in `at` are constant speeds of a steady motion.

    `inputs` are parameters that vary: each gives a column of B.

    >>> from dalembert.mechanism import Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x - c*x'"), name="s")
    >>> linearize(m, {"s.x": 0}).state_matrix
    Matrix([[0, 1], [-k/m, -c/m]])
    """
    eq = source if isinstance(source, Equations) else None
    layout = Layout.of(source, cut) if not isinstance(source, Equations) else source.tree.layout
    say_open(layout.model.contacts, "these linear equations")
    given = with_parameters(layout.model, at, given)
    about = dict(at or {})
    told = about.pop("t", None)  # `at` may be `mo.state(t)`
    time = t if t is not None or told is None else single(resolve({"t": told}, "at"))["t"]
    if layout.constraints:
        return _closed(layout, about, given, inputs, independent, time)
    numbers = _plain({**layout.model.given, **(given or {})})
    found = _open(eq or derive(layout, "kane"), about, inputs, numbers)
    if time is None and "t" in found.varying:  # nobody has said when
        return replace(found, given=numbers)
    return replace(found, given={**numbers, "t": float(time or 0)})


def _plain(values: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that are known; formulas of parameters that are not stay open."""
    try:
        return single(resolve(values, "given"))
    except SimulationError:
        return {k: float(v) for k, v in values.items() if isinstance(v, int | float)}


def _closed(
    layout: Layout,
    at: Mapping[str, Any],
    given: Mapping[str, Any] | None,
    inputs: Sequence[str],
    independent: Sequence[str],
    t: float | None,
) -> Linearization:
    """On the constraints of closed loops, in independent coordinates."""
    dynamics = dynamics_of(layout)
    reduction = Reduction(dynamics, inputs)
    check_laws(dynamics, "before linearising")
    _check_inputs(layout.model, inputs, reduction)
    time = time_of(reduction, t, "small motions")
    zeros = {x: 0.0 for x in inputs if x not in layout.model.given}
    numbers = numbers_of(dynamics, {**zeros, **(given or {})}, time)
    layout, branch = on_branch(layout, at, {**zeros, **(given or {})}, time)
    found = closed_start(layout, at, {**zeros, **(given or {})}, time)
    if branch:
        reduction = Reduction(dynamics_of(layout), inputs)
    elif found.singular:
        raise SingularError(
            f"'{layout.model.name}' has no small motions of one kind in this posture: it is singular, branches meet or "
            "it is shaky, and its loops leave more speeds than motions. Linearise in a posture beside it."
        )
    start = found.values
    q = np.array([[start[x]] for x in layout.state.coordinates])
    exact = {**numbers, **{ex.symbol(x): float(v) for x, v in start.items()}}
    refuse_kinks([*reduction.right, *reduction.rows.conditions], [*reduction.coordinates, *reduction.speeds], exact)
    rates = {x: f"{x}'" for x in layout.coordinates}
    wanted = [rates.get(x, x) for x in independent]
    check_names(wanted, layout.speeds, "coordinate or speed of the tree", layout.model.name)
    named = [*(x for x in at if x in layout.speeds), *(x for x in layout.speeds if start[x] and x not in at)]
    speeds = {x: start[x] for x in named}
    (small,) = reduction.at(numbers, q, speeds, wanted)
    moving = tuple(layout.speeds[i] for i in small.independent)
    point = {ex.symbol(x): ex.const(float(v)) for x, v in start.items()}
    return Linearization(
        reduction.coordinate_names(small),
        moving,
        tuple(inputs),
        point,
        _constant(small.mass),
        _constant(small.damping),
        _constant(small.stiffness),
        _constant(small.turning),
        _constant(small.following),
        _constant(small.inputs),
        tuple(ex.const(float(x)) for x in small.residual),
    )


def _check_inputs(model: Model, inputs: Sequence[str], reduction: Reduction | None = None) -> None:
    for name in inputs:
        if name not in model.parameters():
            raise ModelError(f"'{name}' is no parameter of the equations.{did_you_mean(name, model.parameters())}")
        if reduction is not None and ex.symbol(name) in ex.free_symbols(reduction.rows.conditions):
            raise ModelError(f"'{name}' changes how the loops of '{model.name}' close: it cannot be an input.")


def _number(value: Expr, known: Mapping[Expr, float]) -> float | str:
    """The value in numbers, where all of it is known."""
    return float(ex.evaluate([value], known)[0]) if ex.free_symbols(value) <= known.keys() else ex.text(value)


def _constant(array: Any) -> Matrix:
    return Matrix([[ex.const(float(x)) for x in row] for row in array], array.shape)


def _open(
    eq: Equations, at: Mapping[str, Scalar | str], inputs: Sequence[str], given: Mapping[str, float]
) -> Linearization:
    """Equations of a tree, in symbols."""
    tree = eq.tree
    point, rates = _motion(eq, at)
    q, u = list(tree.coordinates), list(tree.speeds)
    k = len(u)
    _check_inputs(tree.layout.model, inputs)
    h = list(eq.right_side)
    refuse_kinks(h, [*q, *u], somewhere([*h, *point.values()], point, given))
    accelerations = [ex.symbol(f"held {i}") for i in range(k)]
    moved = (eq.mass_matrix @ Matrix.column(accelerations)).entries if k else ()
    balance = [a - b for a, b in zip(moved, h, strict=True)]
    own = list(eq.rates)
    blocks = {
        "stiffness": _jacobian(balance, q),
        "damping": _jacobian([-x for x in h], u),
        "input": _jacobian([-x for x in balance], [ex.symbol(x) for x in inputs]),
        "rates_q": _jacobian(own, q),
        "rates_u": _jacobian(own, u),
        "mass": eq.mass_matrix,
        "residual": Matrix.column(balance),
    }
    held = dict(zip(accelerations, rates, strict=True))
    flat = ex.substitute([x for m in blocks.values() for x in m.entries], held)
    flat = ex.substitute(flat, point)
    found, place = {}, 0
    for name, m in blocks.items():
        size = m.shape[0] * m.shape[1]
        found[name] = _shaped(flat[place : place + size], m.shape)
        place += size
    return Linearization(
        eq.coordinates,
        eq.speeds,
        tuple(inputs),
        point,
        found["mass"],
        found["damping"],
        found["stiffness"],
        found["rates_q"],
        found["rates_u"],
        found["input"],
        found["residual"].entries,
    )


def _motion(eq: Equations, at: Mapping[str, Scalar | str]) -> tuple[dict[Expr, Expr], list[Expr]]:
    """The point of linearisation, and the accelerations of that motion."""
    tree = eq.tree
    names = [*eq.coordinates, *eq.speeds]
    for name in at:
        if name not in names:
            raise ModelError(f"'{name}' is neither a coordinate nor a speed.{did_you_mean(name, names)}")
    point = {ex.symbol(x): ex.as_expr(v) for x, v in at.items()}  # type: ignore[arg-type]
    moving = {*tree.coordinates, *tree.speeds}
    mixed = next((x.name for x, v in point.items() if ex.free_symbols(v) & moving), None)
    if mixed:
        raise ModelError(f"the motion to linearise about gives '{mixed}' in other coordinates. Use t and parameters.")
    known = {q: point[q] for q in tree.coordinates if q in point}
    velocities = {ex.prime(q): ex.derivative(v, TIME) for q, v in known.items()}
    velocities |= {ex.prime(q): ZERO for q in tree.coordinates if q not in known}
    default = ex.substitute(ex.substitute(speeds_from_rates(tree), velocities), known)
    for u, value in zip(tree.speeds, default, strict=True):
        point.setdefault(u, value)
    drift = {q: ZERO for q in tree.coordinates if q not in known}
    rates = ex.tangent([point[u] for u in tree.speeds], {TIME: ONE, **drift})
    return point, rates


def _jacobian(exprs: Sequence[Expr], variables: Sequence[Expr]) -> Matrix:
    rows = ex.jacobian(list(exprs), variables) if exprs and variables else [[] for _ in exprs]
    return Matrix(rows, (len(exprs), len(variables)))


def _shaped(flat: Sequence[Expr], shape: tuple[int, int]) -> Matrix:
    n = shape[1]
    return Matrix([flat[i * n : (i + 1) * n] for i in range(shape[0])], shape)


def _rows(m: Matrix) -> list[list[Expr]]:
    return [list(row) for row in m.rows()]


def _columns(m: Matrix) -> list[list[Expr]]:
    return [[m[i, j] for i in range(m.shape[0])] for j in range(m.shape[1])]
