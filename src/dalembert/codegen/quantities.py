"""What a compiled mechanism can be asked for: the expressions behind each quantity, with the groups of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert import expr as ex
from dalembert.codegen.varied import joint_numbers
from dalembert.dynamics import Dynamics
from dalembert.dynamics.slopes import acceleration_slopes, inverse_mass, inverse_slopes
from dalembert.dynamics.whole import centroidal_matrix, centroidal_momentum, in_motion, weight
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean

#: Quantities of the posture alone.
_STATIC = frozenset(
    {
        "mass_matrix",
        "inverse_mass",
        "position",
        "rotation",
        "jacobian",
        "weight",
        "centroidal_matrix",
        "operational_mobility",
    }
)
Built = tuple[Sequence[Expr], tuple[int, ...] | None]


def _slopes(about: Dynamics, n: int) -> Built:
    variables = [*about.coordinates, *about.speeds]
    rows = acceleration_slopes(about, variables, about.efforts)
    return _beside(rows, len(variables), inverse_mass(about), n), (n, len(variables) + n)


def _inverse_slopes(about: Dynamics, n: int) -> Built:
    variables = [*about.coordinates, *about.speeds]
    rows = inverse_slopes(about, variables)
    return _beside(rows, len(variables), list(about.mass_matrix.entries), n), (n, len(variables) + n)


def _mobility(about: Dynamics, n: int, name: str) -> Built:
    """J M^-1 J^T: accelerations of a frame for a unit of each force and moment on it."""
    J, inverse = about.jacobian(name), inverse_mass(about)
    half = [
        ex.dot_product(J[i * n : i * n + n], [inverse[k * n + j] for k in range(n)]) for i in range(6) for j in range(n)
    ]
    found = {
        (i, j): ex.dot_product(half[i * n : i * n + n], J[j * n : j * n + n]) for i in range(6) for j in range(i + 1)
    }
    return [found[max(i, j), min(i, j)] for i in range(6) for j in range(6)], (6, 6)


def _beside(left: Sequence[Expr], width: int, right: Sequence[Expr], n: int) -> list[Expr]:
    """Two matrices of n rows next to each other."""
    return [x for i in range(n) for x in (*left[i * width : (i + 1) * width], *right[i * n : (i + 1) * n])]


BUILD: dict[str, Callable[..., Built]] = {
    "acceleration": lambda about, n: (about.accelerations(), None),
    "forced_acceleration": lambda about, n: (about.accelerations(about.efforts), None),
    "inverse_dynamics": lambda about, n: (about.inverse_dynamics, None),
    "mass_matrix": lambda about, n: (about.mass_matrix.entries, (n, n)),
    "inverse_mass": lambda about, n: (inverse_mass(about), (n, n)),
    "bias": lambda about, n: (about.bias, None),
    "forces": lambda about, n: (about.forces, None),
    "rates": lambda about, n: (about.rates, None),
    "energy": lambda about, n: (about.energy, None),
    "position": lambda about, n, name: (about.pose(name).position, None),
    "rotation": lambda about, n, name: ([x for row in about.pose(name).rotation for x in row], (3, 3)),
    "velocity": lambda about, n, name: (about.velocity(name), None),
    "frame_acceleration": lambda about, n, name: (about.frame_acceleration(name), None),
    "output": lambda about, n, name: (about.solved([about.outputs[name]]), None),
    "jacobian": lambda about, n, name: (about.jacobian(name), (6, n)),
    "jacobian_rate": lambda about, n, name: (in_motion(about, about.jacobian(name)), (6, n)),
    "operational_mobility": _mobility,
    "weight": lambda about, n: (weight(about), None),
    "centroidal_matrix": lambda about, n: (centroidal_matrix(about), (6, n)),
    "centroidal_rate": lambda about, n: (in_motion(about, centroidal_matrix(about)), (6, n)),
    "centroidal_momentum": lambda about, n: (centroidal_momentum(about), None),
    "acceleration_slopes": _slopes,
    "variations": lambda about, n: (joint_numbers(about), None),
    "inverse_slopes": _inverse_slopes,
    "sensitivity": lambda about, n, *names: (
        acceleration_slopes(about, [ex.symbol(x) for x in names], about.efforts),
        (n, len(names)),
    ),
}


def inputs(about: Dynamics, kind: str) -> list[Sequence[Expr]]:
    """Groups of inputs of a quantity, parameters apart: time, coordinates, speeds, efforts or accelerations."""
    state: list[Sequence[Expr]] = [[ex.TIME], about.coordinates]
    if kind in _STATIC:
        return state
    extra = {
        "forced_acceleration": about.efforts,
        "acceleration_slopes": about.efforts,
        "variations": about.efforts,
        "sensitivity": about.efforts,
        "inverse_dynamics": about.accelerations_given,
        "inverse_slopes": about.accelerations_given,
    }
    return [*state, about.speeds, *([extra[kind]] if kind in extra else [])]


def built(about: Dynamics, kind: str, names: Sequence[str]) -> Built:
    """Expressions and shape of a quantity, or with `slope` before its name of its derivatives."""
    if kind != "slope":
        return BUILD[kind](about, len(about.speeds), *names)
    by, inner, *rest = names
    outputs, shape = built(about, inner, rest)
    variables = {"coordinates": about.coordinates, "speeds": about.speeds, "efforts": about.efforts}
    over = variables.get(by) or [ex.symbol(by)]
    if inner == "acceleration" and by != "efforts":
        return acceleration_slopes(about, over, []), (len(outputs), len(over))
    rows = [x for row in ex.jacobian(list(outputs), over) for x in row]
    return rows, (*(shape or (len(outputs),)), len(over))


def check_kind(kind: str) -> None:
    if kind not in DERIVED:
        raise ModelError(f"there is no quantity '{kind}' to derive.{did_you_mean(kind, DERIVED)}")


#: Quantities whose derivatives can be asked for, each with the number of names that it needs.
DERIVED = {
    "acceleration": 0,
    "mass_matrix": 0,
    "inverse_mass": 0,
    "bias": 0,
    "forces": 0,
    "weight": 0,
    "position": 1,
    "rotation": 1,
    "velocity": 1,
    "frame_acceleration": 1,
    "jacobian": 1,
    "jacobian_rate": 1,
    "operational_mobility": 1,
    "centroidal_matrix": 0,
    "centroidal_rate": 0,
    "centroidal_momentum": 0,
    "inverse_dynamics": 0,
}
