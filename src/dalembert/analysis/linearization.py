"""Linear equations of small motions: matrices in symbols or numbers, eigenvalues and modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.modes import Mode, modes_of, ordered
from dalembert.constraints.factor import factor_symmetric, solve_factored
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Matrix


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

    def response(self, omega: Any, input: str, values: Mapping[str, float] | None = None) -> Any:
        """(i omega - A)^-1 b: amplitudes of the states, a row for each angular frequency, of a unit input."""
        if input not in self.inputs:
            known = ", ".join(self.inputs) or "none"
            raise ModelError(
                f"'{input}' is no input of these linear equations (inputs: {known}). Name it: inputs=[...]."
            )
        a, b = self.numbers(values)
        shifted = 1j * np.asarray(omega, dtype=float)[:, None, None] * np.eye(len(a)) - a
        try:
            return np.linalg.solve(shifted, np.broadcast_to(b[:, [self.inputs.index(input)]], (*shifted.shape[:2], 1)))[
                ..., 0
            ]
        except np.linalg.LinAlgError:
            raise ModelError(
                "the response is infinite at one of these frequencies: it is that of an undamped mode. Leave it out."
            ) from None

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

    def __str__(self) -> str:
        return linear_text(self.as_dict())

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle A = {ex.latex_matrix(self.state_matrix)}$"


def linear_text(data: Mapping[str, Any]) -> str:
    """The matrices for people, from the JSON form in formulas or numbers; a state that is no motion says so."""
    lines = ["states: " + ", ".join([*data["coordinates"], *data["speeds"]])]
    lines.append("at: " + ", ".join(f"{x} = {_entry(v)}" for x, v in data["point"].items()))
    for name in ("mass", "damping", "stiffness", "state_matrix", "input_matrix"):
        if data[name] and data[name][0]:
            rows = ("  [" + ", ".join(map(_entry, row)) + "]" for row in data[name])
            lines += [f"{name.replace('_', ' ')}:", *rows]
    if any(x not in ("0", 0.0) for x in data["residual"]):
        lines.append("not a motion by itself; forces to add: " + ", ".join(map(_entry, data["residual"])))
    return "\n".join(lines)


def _entry(value: Any) -> str:
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # no -0


def _rows(m: Matrix) -> list[list[Expr]]:
    return [list(row) for row in m.rows()]


def _columns(m: Matrix) -> list[list[Expr]]:
    return [[m[i, j] for i in range(m.shape[0])] for j in range(m.shape[1])]


def _number(value: Expr, known: Mapping[Expr, float]) -> float | str:
    """The value in numbers, where all of it is known."""
    return float(ex.evaluate([value], known)[0]) if ex.free_symbols(value) <= known.keys() else ex.text(value)
