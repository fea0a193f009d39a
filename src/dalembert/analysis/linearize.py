"""Equations linearised about an equilibrium, a steady motion or a trajectory: exact, in symbols.

With h = S + F, the motion q_0(t), u_0(t) and its accelerations u_0', small deviations satisfy

    dq' = (dq'/dq) dq + P du                     M du' = (dh/dq - d(M u_0')/dq) dq + (dh/du) du + (dh/dw) dw

for inputs w. M may depend on q and everything may depend on t: nothing is inverted before it is derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric, solve_factored
from dalembert.errors import ModelError
from dalembert.expr import ONE, TIME, ZERO, Expr, Matrix, Scalar
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.mechanism import did_you_mean


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

    @property
    def states(self) -> tuple[str, ...]:
        return (*self.coordinates, *self.speeds)

    @property
    def parameters(self) -> tuple[str, ...]:
        found = [*self.mass.entries, *self.damping.entries, *self.stiffness.entries, *self.rate_speeds.entries]
        return tuple(sorted(x.name for x in ex.free_symbols([*found, *self.rate_coordinates.entries])))

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
        import numpy as np

        given = {ex.symbol(k): float(v) for k, v in (values or {}).items()}
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

    def eigenvalues(self, values: Mapping[str, float] | None = None) -> Any:
        """Eigenvalues of A, largest real part first."""
        import numpy as np

        found = np.linalg.eigvals(self.numbers(values)[0])
        return found[np.lexsort((found.imag, -found.real))]

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
    eq: Equations,
    about: Mapping[str, Scalar | str] | None = None,
    *,
    inputs: Sequence[str] = (),
) -> Linearization:
    """Linearise equations about a motion.

    `about` gives coordinates and speeds as numbers or formulas of t and parameters. A coordinate left out stays a
    symbol (a family of motions); a speed left out is that of the given coordinates: zero when they are constant.
    `inputs` are parameters that vary: each gives a column of B.

    >>> from dalembert.formalisms import derive
    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> link = m.join(earth, m.body("bob", mass="m", centre=[0, 0, "-l"]), revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, "-g"]
    >>> linearize(derive(Layout.of(m), "kane"), {"pivot.th": 0}).stiffness
    Matrix([[g*m*l]])
    """
    eq.require_tree("linear equations")
    tree = eq.tree
    point, rates = _motion(eq, about or {})
    q, u = list(tree.coordinates), list(tree.speeds)
    k = len(u)
    for name in inputs:
        if name not in eq.parameters:
            raise ModelError(f"'{name}' is no parameter of the equations.{did_you_mean(name, eq.parameters)}")
    h = list(eq.right_side)
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


def _motion(eq: Equations, about: Mapping[str, Scalar | str]) -> tuple[dict[Expr, Expr], list[Expr]]:
    """The point of linearisation, and the accelerations of that motion."""
    tree = eq.tree
    names = [*eq.coordinates, *eq.speeds]
    for name in about:
        if name not in names:
            raise ModelError(f"'{name}' is neither a coordinate nor a speed.{did_you_mean(name, names)}")
    point = {ex.symbol(x): ex.as_expr(v) for x, v in about.items()}  # type: ignore[arg-type]
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
