"""Linear equations about a rest, as control engineers write them: x' = A x + B w, y = C x + D w, and feedback.

Deviations are counted in the speeds: ds' = du, dq = P ds with q' = P u. So a quaternion has three, and a closed machine
as many as it has freedoms: du = N dv, where N spans what its constraints allow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_continuous_are, solve_discrete_are
from scipy.signal import cont2discrete

from dalembert import expr as ex
from dalembert.codegen import CompiledMechanism, Function, compile_functions
from dalembert.contact.posture import check_open
from dalembert.errors import ArgumentError, ModelError, SingularError
from dalembert.mechanism import Layout, Mechanism, did_you_mean
from dalembert.presentation.told import Told

#: Share of what pushes the machine that may be left of it at rest: postures are found by iterations, and written in
#: seven digits.
_AT_REST = 1e-6
_RANK = 1e-9


@dataclass(frozen=True, eq=False)
class Feedback(Told):
    """w = rest - gain x, the least of the integral of x' Q x + w' R w; `closed` are the eigenvalues with it."""

    gain: Any
    cost: Any
    closed: Any
    inputs: tuple[str, ...]
    states: tuple[str, ...]

    def __str__(self) -> str:
        rows = [
            f"  {w}: " + ", ".join(f"{k:.5g} {x}" for k, x in zip(row, self.states, strict=True))
            for w, row in zip(self.inputs, self.gain, strict=True)
        ]
        return "\n".join(["feedback, to be taken from the inputs at rest:", *rows])

    def as_dict(self) -> dict[str, Any]:
        return {
            "inputs": list(self.inputs),
            "states": list(self.states),
            "gain": self.gain.tolist(),
            "closed": [[z.real, z.imag] for z in self.closed.tolist()],
        }


@dataclass(frozen=True, eq=False)
class StateSpace(Told):
    """A, B, C, D with names; `rest` are the inputs that hold the machine, `posture` where it is held."""

    A: Any
    B: Any
    C: Any
    D: Any
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rest: Mapping[str, float]
    posture: Mapping[str, float]

    def lqr(self, Q: Any, R: Any, *, step: float | None = None) -> Feedback:
        """Optimal feedback; Q and R are matrices, or weights by name ({"pole.th": 10}); `step` holds inputs so long."""
        weights, effort = _weights(Q, self.states, "Q"), _weights(R, self.inputs, "R")
        A, B = (self.A, self.B) if step is None else self.discrete(step)
        try:
            cost = (solve_continuous_are if step is None else solve_discrete_are)(A, B, weights, effort)
        except (np.linalg.LinAlgError, ValueError) as error:
            raise SingularError(
                f"no feedback of {', '.join(self.inputs)} is optimal ({error}): the inputs do not reach a motion that "
                "does not die by itself, Q does not see one, or R is not positive. Give more inputs or weights."
            ) from None
        if step is None:
            gain = np.linalg.solve(effort, B.T @ cost)
        else:
            gain = np.linalg.solve(effort + B.T @ cost @ B, B.T @ cost @ A)
        return Feedback(gain, cost, np.linalg.eigvals(A - B @ gain), self.inputs, self.states)

    def discrete(self, step: float) -> tuple[Any, Any]:
        """A and B from one instant to the next, inputs held between them."""
        made = cont2discrete((self.A, self.B, self.C, self.D), step)
        return made[0], made[1]

    def eigenvalues(self) -> Any:
        return np.linalg.eigvals(self.A)

    def __str__(self) -> str:
        lines = [f"states: {', '.join(self.states)}", f"inputs: {', '.join(self.inputs) or 'none'}"]
        for name, matrix in (("A", self.A), ("B", self.B), ("C", self.C), ("D", self.D)):
            if matrix.size:
                lines += [f"{name}:", *("  [" + ", ".join(f"{x + 0.0:.6g}" for x in row) + "]" for row in matrix)]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        matrices = {name: getattr(self, name).tolist() for name in "ABCD"}
        names = {name: list(getattr(self, name)) for name in ("states", "inputs", "outputs")}
        return {**names, **matrices, "rest": dict(self.rest), "posture": dict(self.posture)}


def state_space(
    mechanism: Mechanism,
    inputs: Sequence[str],
    outputs: Sequence[str] = (),
    *,
    at: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> StateSpace:
    """About the rest at the posture `at`, inputs chosen so that it is one; see `Mechanism.state_space`."""
    f = CompiledMechanism(mechanism, Layout.of(mechanism, cut), at, given)
    about, numbers = f.dynamics, dict(given or {})
    symbols = [_input(f, name) for name in inputs]
    n = len(f.coordinates)
    start = f.start(at, given)
    q, u = np.array(start.y[:n]), np.array(start.y[n:])
    if np.any(u):
        raise ModelError("A, B, C, D are told about a rest: give no speeds. About a motion, ask `m.linearize`.")
    known_numbers = f.parameter_vector(given={**numbers, **{x: 0.0 for x in inputs if x in f.parameters}})
    point = dict(zip([ex.symbol(x) for x in (*f.coordinates, *f.parameters)], [*q, *known_numbers], strict=True))
    check_open(about, {**point, ex.TIME: 0.0}, "these linear equations")
    told = [about.outputs[x] if x in about.outputs else ex.symbol(x) for x in outputs]
    known = {*about.outputs, *f.coordinates, *f.speeds}
    wrong = [x for x in outputs if x not in known]
    if wrong:
        raise ModelError(f"nothing is called '{wrong[0]}' to be an output.{did_you_mean(wrong[0], known)}")
    pushed = [x if x in about.efforts else ex.ZERO for x in about.efforts]
    accelerations = about.accelerations(about.efforts)
    solved = ex.substitute(told, dict(zip(about.accelerations_given, accelerations, strict=True)))
    numeric = _Numeric(f, numbers, [*accelerations, *solved, *about.rates], symbols, pushed)
    rest = _rest(f, numeric, q, u, inputs, numbers)
    slopes = numeric.slopes(q, u, rest)
    k, o = len(f.speeds), len(outputs)
    by_q, by_u, by_w = np.split(slopes, [n, n + k], axis=1)
    P = by_u[k + o :]  # of the rates
    N, free = _allowed(f, q, numbers)
    back = np.linalg.pinv(N)
    A = np.block([[np.zeros((len(free),) * 2), np.eye(len(free))], [back @ by_q[:k] @ P @ N, back @ by_u[:k] @ N]])
    B = np.vstack([np.zeros((len(free), len(inputs))), back @ by_w[:k]])
    C = np.hstack([by_q[k : k + o] @ P @ N, by_u[k : k + o] @ N])
    speeds = [f.speeds[i] for i in free]
    states = (*(_place(x) for x in speeds), *speeds)
    posture = dict(zip(f.coordinates, q.tolist(), strict=True))
    return StateSpace(
        A,
        B,
        C,
        by_w[k : k + o],
        states,
        tuple(inputs),
        tuple(outputs),
        dict(zip(inputs, rest.tolist(), strict=True)),
        posture,
    )


def _place(speed: str) -> str:
    """What the deviation is called whose rate is a speed: the coordinate, or the integral of a body speed."""
    return speed[:-1] if speed.endswith("'") else f"integral of {speed}"


def _input(f: CompiledMechanism, name: str) -> ex.Expr:
    """The symbol of an input: a parameter, or the effort on a coordinate."""
    if name in f.parameters:
        return ex.symbol(name)
    for speed in (name, f"{name}'"):
        if speed in f.speeds:
            return ex.symbol(f"effort.{speed}")
    known = [*f.parameters, *(x.removesuffix("'") for x in f.speeds)]
    raise ModelError(
        f"an input is a parameter or a coordinate that an effort pushes, not '{name}'.{did_you_mean(name, known)}"
    )


class _Numeric:
    """Expressions and their derivatives by q, u and the inputs, at numbers."""

    def __init__(
        self,
        f: CompiledMechanism,
        given: Mapping[str, Any],
        exprs: list[ex.Expr],
        inputs: list[ex.Expr],
        efforts: list[ex.Expr],
    ) -> None:
        q, u = f.dynamics.coordinates, f.dynamics.speeds
        fixed = {x: ex.ZERO for x in efforts if x not in inputs}
        exprs = f.with_held(ex.substitute(exprs, fixed))
        names = [x for x in f.parameters if ex.symbol(x) not in inputs]
        self.numbers = f.parameter_vector(given={**given, **{x.name: 0.0 for x in inputs if x.name in f.parameters}})
        self.numbers = np.array(
            [v for x, v in zip(f.parameters, self.numbers, strict=True) if ex.symbol(x) not in inputs]
        )
        groups = [[ex.TIME], q, u, inputs, [ex.symbol(x) for x in names]]
        jacobian = [x for row in ex.jacobian(exprs, [*q, *u, *inputs]) for x in row]
        width = len(q) + len(u) + len(inputs)
        made = [
            Function("values", groups, exprs, constants=[4]),
            Function("slopes", groups, jacobian, constants=[4], shape=(len(exprs), width)),
        ]
        self._native = compile_functions(made)

    def values(self, q: Any, u: Any, w: Any) -> Any:
        return np.asarray(self._native["values"]([0.0], q, u, w, self.numbers))

    def slopes(self, q: Any, u: Any, w: Any) -> Any:
        return np.asarray(self._native["slopes"]([0.0], q, u, w, self.numbers))


def _rest(f: CompiledMechanism, numeric: _Numeric, q: Any, u: Any, inputs: Sequence[str], given: Any) -> Any:
    """Inputs at which nothing accelerates; efforts enter linearly, so that one step finds them, and others soon.

    Accelerations are told in the kinetic metric, beside those that inputs and coordinates make: each angle by a radian,
    as upright pendulums have no other, each length by what it is.
    """
    w, n, k, name = np.zeros(len(inputs)), len(q), len(f.speeds), f.dynamics.model.name
    angles = f.dynamics.closure.turning.copy()
    angles[[i for i, x in enumerate(f.coordinates) if any(x in group for group in f.dynamics.state.quaternions)]] = True
    reach = np.where(angles, 1.0, np.abs(q))
    mass = np.asarray(f.mass_matrix(q, **given))

    def size(accelerations: Any) -> float:
        return float(np.sqrt(np.abs(np.einsum("ik,ij,jk->k", accelerations, mass, accelerations)).max(initial=0.0)))

    first = size(numeric.values(q, u, w)[:k, None])
    for _ in range(20):
        found = numeric.values(q, u, w)[:k]
        slopes = numeric.slopes(q, u, w)[:k]
        pushes = slopes[:, n + k :]
        if size(found[:, None]) <= _AT_REST * max(first, size(pushes * w), size(slopes[:, :n] * reach)):
            return w
        w = w - np.linalg.lstsq(pushes, found, rcond=None)[0]
    raise ModelError(
        f"'{name}' does not rest at this posture, whatever {', '.join(inputs) or 'no input'} do: an acceleration "
        f"{np.abs(found).max():.3g} is left. Give an equilibrium (`m.equilibria()`, or `dalembert equilibria`) in "
        "seven digits, or more inputs."
    )


def _allowed(f: CompiledMechanism, q: Any, given: Mapping[str, Any]) -> tuple[Any, list[int]]:
    """Speeds that the constraints allow, each column a unit of one independent speed, and which these are."""
    about, n = f.dynamics, len(f.speeds)
    if not about.closed:
        return np.eye(n), list(range(n))
    entries = f.with_held([x for row in about.rows.matrix.rows() for x in row])
    groups = [[ex.TIME], about.coordinates, about.speeds, [ex.symbol(x) for x in f.parameters]]
    native = compile_functions([Function("rows", groups, entries, constants=[3], shape=(len(about.rows), n))])["rows"]
    G = np.asarray(native([0.0], q, np.zeros(n), f.parameter_vector(given=given)))
    _, sizes, right = np.linalg.svd(G)
    rank = int((sizes > _RANK * sizes[:1].max(initial=0.0)).sum())
    basis = right[rank:].T
    _, _, order = qr(basis.T, pivoting=True)
    free = sorted(int(x) for x in order[: n - rank])
    return basis @ np.linalg.inv(basis[free]), free


def _weights(given: Any, names: Sequence[str], what: str) -> Any:
    if isinstance(given, Mapping):
        wrong = [x for x in given if x not in names]
        if wrong:
            raise ArgumentError(f"{what} weighs {', '.join(names)}, not '{wrong[0]}'.")
        return np.diag([float(given.get(x, 0.0)) for x in names])
    found = np.atleast_2d(np.asarray(given, dtype=float))
    if found.shape == (1, 1) and len(names) > 1:
        found = found[0, 0] * np.eye(len(names))
    if found.shape != (len(names), len(names)):
        raise ArgumentError(f"{what} is a matrix of {len(names)} rows, or weights of {', '.join(names)} by name.")
    return found
