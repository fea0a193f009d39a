"""Equations linearised about an equilibrium, a steady motion or a trajectory: exact, in symbols.

With h = S + F, the motion q_0(t), u_0(t) and its accelerations u_0', small deviations satisfy

    dq' = (dq'/dq) dq + P du                     M du' = (dh/dq - d(M u_0')/dq) dq + (dh/du) du + (dh/dw) dw

for inputs w. M may depend on q and everything may depend on t: nothing is inverted before it is derived.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.kinks import refuse_kinks, somewhere
from dalembert.analysis.linearization import Linearization
from dalembert.analysis.on_set import needs_set, small_on_set
from dalembert.analysis.point import check_laws, check_slips, numbers_of, time_of, with_parameters
from dalembert.analysis.reduced import Reduction
from dalembert.constraints.rows import Rows
from dalembert.contact.posture import check_open
from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.dynamics.numbers import check_names, resolve, single
from dalembert.dynamics.slopes import go_joint_by_joint, inverse_slopes
from dalembert.dynamics.start import closed_start
from dalembert.errors import ModelError, SimulationError, SingularError
from dalembert.expr import ONE, TIME, ZERO, Expr, Matrix, Scalar
from dalembert.formalisms import derive
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.minimal import MinimalEquations
from dalembert.formalisms.quasi import QuasiEquations
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.loops.branch import on_branch
from dalembert.mechanism import Layout, Mechanism, Model, check_numbers, did_you_mean
from dalembert.mechanism.contact import ContactWarning


def linearize(
    source: Mechanism | Model | Equations | MinimalEquations | QuasiEquations,
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

    Minimal equations of a closed machine whose coordinates are formulas stay in symbols: `at` is about the independent
    coordinates.

    `inputs` are parameters that vary: each gives a column of B.

    >>> from dalembert.mechanism import Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x - c*x'"), name="s")
    >>> linearize(m, {"s.x": 0}).state_matrix
    Matrix([[0, 1], [-k/m, -c/m]])
    """
    if isinstance(source, QuasiEquations):
        raise ModelError(
            f"'{source.layout.model.name}' has conditions on its speeds: no coordinates are as few as its speeds, "
            "and its small motions are told in numbers. Linearise the machine itself, without `symbols`."
        )
    eq = source if isinstance(source, Equations | MinimalEquations) else None
    layout = source.layout if isinstance(source, Equations | MinimalEquations) else Layout.of(source, cut)
    given = with_parameters(layout.model, at, given)
    about = dict(at or {})
    told = about.pop("t", None)  # `at` may be `mo.state(t)`
    time = t if t is not None or told is None else single(resolve({"t": told}, "at"))["t"]
    if layout.constraints and not isinstance(eq, MinimalEquations):
        return _closed(_Asked(layout, about, given, tuple(inputs), tuple(independent), time))
    if layout.model.contacts:
        known = {**_plain({**layout.model.given, **(given or {})}), **about, "t": float(time or 0.0)}
        point = {ex.symbol(name): value for name, value in known.items()}
        check_open(dynamics_of(layout), point, "these linear equations")
    numbers = _plain({**layout.model.given, **(given or {})})
    check_numbers(layout.model, numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # said, or checked, above
        motion = _Motion.of(eq or derive(layout, "kane"))
    dynamics = dynamics_of(layout)
    if eq is None and go_joint_by_joint(dynamics):
        motion = replace(motion, joints=dynamics)
    found = _open(motion, about, inputs, numbers)
    if time is None and "t" in found.varying:  # nobody has said when
        return replace(found, given=numbers)
    return replace(found, given={**numbers, "t": float(time or 0)})


def _plain(values: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that are known; formulas of parameters that are not stay open."""
    try:
        return single(resolve(values, "given"))
    except SimulationError:
        return {k: float(v) for k, v in values.items() if isinstance(v, int | float)}


@dataclass(frozen=True, slots=True)
class _Asked:
    """Small motions of a machine with constraints: about what, by which inputs, in which coordinates, when."""

    layout: Layout
    at: Mapping[str, Any]
    given: Mapping[str, Any]
    inputs: tuple[str, ...]
    independent: tuple[str, ...]
    t: float | None

    @property
    def known(self) -> dict[str, Any]:
        """Numbers of parameters; inputs without one are zero."""
        return {**{x: 0.0 for x in self.inputs if x not in self.layout.model.given}, **self.given}

    @property
    def wanted(self) -> list[str]:
        """Speeds that should be independent."""
        rates = {x: f"{x}'" for x in self.layout.coordinates}
        wanted = [rates.get(x, x) for x in self.independent]
        check_names(wanted, self.layout.speeds, "coordinate or speed of the tree", self.layout.model.name)
        return wanted + [x for x in self.at if x in self.layout.speeds]


def _closed(asked: _Asked) -> Linearization:
    """On the constraints of closed loops, in independent coordinates."""
    layout, at, inputs = asked.layout, asked.at, asked.inputs
    dynamics = dynamics_of(layout)
    if needs_set(dynamics):
        return _on_set(asked)
    reduction = Reduction(dynamics, inputs)
    check_laws(dynamics, "before linearising")
    _check_inputs(layout.model, inputs, reduction.rows)
    time = time_of(reduction, asked.t, "small motions")
    numbers = numbers_of(dynamics, asked.known, time)
    layout, branch = on_branch(layout, at, asked.known, time)
    found = closed_start(layout, at, asked.known, time)
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
    check_open(dynamics, exact, "these linear equations")
    refuse_kinks([*reduction.right, *reduction.rows.conditions], [*reduction.coordinates, *reduction.speeds], exact)
    wanted = asked.wanted
    if not reduction.kinematic:
        wanted += [x for x in layout.speeds if start[x]]
    (small,) = reduction.at(numbers, q, {x: start[x] for x in layout.speeds}, wanted)
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


def _on_set(asked: _Asked) -> Linearization:
    """With friction that slides, conditions that are not affine in the speeds, hidden conditions."""
    layout, at, inputs, t = asked.layout, asked.at, asked.inputs, asked.t
    dynamics = dynamics_of(layout)
    rows, model = dynamics.rows, layout.model
    check_laws(dynamics, "before linearising")
    _check_inputs(model, inputs, rows)
    used = [*dynamics.right_side, *dynamics.mass_matrix.entries, *rows.conditions, *rows.gamma]
    if t is None and ex.TIME in ex.free_symbols(used):
        raise ModelError(
            f"'{model.name}' changes with time: small motions are those of the machine held at one instant. Say which, "
            "t=0.0 for instance, on the command line --t 0."
        )
    numbers = numbers_of(dynamics, asked.known, float(t or 0.0))
    start = closed_start(layout, at, asked.known, float(t or 0.0)).values
    values = {**numbers, **{ex.symbol(x): float(v) for x, v in start.items()}}
    check_open(dynamics, values, "these linear equations")
    check_slips(dynamics, values)
    slips = [one.speed for one in rows.sliding.values()]
    moving = [*dynamics.coordinates, *dynamics.speeds]
    refuse_kinks([*dynamics.right_side, *rows.conditions, *slips], moving, values)
    return small_on_set(dynamics, values, inputs, asked.wanted)


def _check_inputs(model: Model, inputs: Sequence[str], rows: Rows | None = None) -> None:
    for name in inputs:
        if name not in model.parameters():
            raise ModelError(f"'{name}' is no parameter of the equations.{did_you_mean(name, model.parameters())}")
        if rows is not None and ex.symbol(name) in ex.free_symbols(rows.conditions):
            raise ModelError(f"'{name}' changes how the loops of '{model.name}' close: it cannot be an input.")


def _constant(array: Any) -> Matrix:
    return Matrix([[ex.const(float(x)) for x in row] for row in array], array.shape)


@dataclass(frozen=True, slots=True)
class _Motion:
    """Equations without constraints, M u' = h and q' = rates, in their own coordinates and speeds."""

    model: Model
    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    rates: list[Expr]
    speeds_in_rates: list[Expr]
    mass_matrix: Matrix
    right_side: list[Expr]
    joints: Dynamics | None = None  # a long tree, whose efforts vary joint by joint in few formulas

    @staticmethod
    def of(eq: Equations | MinimalEquations) -> _Motion:
        model = eq.layout.model
        if isinstance(eq, Equations):
            tree, rates = eq.tree, list(eq.rates)
            own = speeds_from_rates(tree)
            return _Motion(model, tree.coordinates, tree.speeds, rates, own, eq.mass_matrix, list(eq.right_side))
        n = len(eq.coordinates)
        q, u = (tuple(ex.symbol(x) for x in names) for names in (eq.coordinates, eq.speeds))
        flat = eq.nested([*eq.mass_matrix.entries, *eq.right_side])
        return _Motion(model, q, u, list(u), [ex.prime(x) for x in q], _shaped(flat[: n * n], (n, n)), flat[n * n :])


def _open(
    eq: _Motion, at: Mapping[str, Scalar | str], inputs: Sequence[str], given: Mapping[str, float]
) -> Linearization:
    """Equations of a tree, or minimal ones of a closed machine, in symbols."""
    point, rates = _motion(eq, at)
    q, u = list(eq.coordinates), list(eq.speeds)
    k = len(u)
    _check_inputs(eq.model, inputs)
    h = eq.right_side
    refuse_kinks(h, [*q, *u], somewhere([*h, *point.values()], point, given))
    accelerations = [ex.symbol(f"held {i}") for i in range(k)] if eq.joints is None else eq.joints.accelerations_given
    moved = (eq.mass_matrix @ Matrix.column(accelerations)).entries if k else ()
    balance = [a - b for a, b in zip(moved, h, strict=True)]
    own = list(eq.rates)
    if eq.joints is None:
        stiffness, damping = _jacobian(balance, q), _jacobian([-x for x in h], u)
    else:
        rows = _shaped(inverse_slopes(eq.joints, [*q, *u]), (k, 2 * k)).rows()
        stiffness, damping = (Matrix([row[part] for row in rows]) for part in (slice(k), slice(k, None)))
    blocks = {
        "stiffness": stiffness,
        "damping": damping,
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
        tuple(x.name for x in q),
        tuple(x.name for x in u),
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


def _motion(eq: _Motion, at: Mapping[str, Scalar | str]) -> tuple[dict[Expr, Expr], list[Expr]]:
    """The point of linearisation, and the accelerations of that motion."""
    names = [x.name for x in (*eq.coordinates, *eq.speeds)]
    for name in at:
        if name not in names:
            raise ModelError(f"'{name}' is neither a coordinate nor a speed.{did_you_mean(name, names)}")
    point = {ex.symbol(x): ex.as_expr(v) for x, v in at.items()}  # type: ignore[arg-type]
    moving = {*eq.coordinates, *eq.speeds}
    mixed = next((x.name for x, v in point.items() if ex.free_symbols(v) & moving), None)
    if mixed:
        raise ModelError(f"the motion to linearise about gives '{mixed}' in other coordinates. Use t and parameters.")
    known = {q: point[q] for q in eq.coordinates if q in point}
    velocities = {ex.prime(q): ex.derivative(v, TIME) for q, v in known.items()}
    velocities |= {ex.prime(q): ZERO for q in eq.coordinates if q not in known}
    default = ex.substitute(ex.substitute(eq.speeds_in_rates, velocities), known)
    for u, value in zip(eq.speeds, default, strict=True):
        point.setdefault(u, value)
    drift = {q: ZERO for q in eq.coordinates if q not in known}
    rates = ex.tangent([point[u] for u in eq.speeds], {TIME: ONE, **drift})
    return point, rates


def _jacobian(exprs: Sequence[Expr], variables: Sequence[Expr]) -> Matrix:
    rows = ex.jacobian(list(exprs), variables) if exprs and variables else [[] for _ in exprs]
    return Matrix(rows, (len(exprs), len(variables)))


def _shaped(flat: Sequence[Expr], shape: tuple[int, int]) -> Matrix:
    n = shape[1]
    return Matrix([flat[i * n : (i + 1) * n] for i in range(shape[0])], shape)
