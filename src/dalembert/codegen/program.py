"""Source code of a mechanism: its functions in any language, or a complete program in C or Fortran.

What is written depends on nothing of this package. A program has its integrator, an input file with the numbers, an
output file for the motion, and a Makefile (Papegay's thesis asks for no less).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from dalembert import expr as ex
from dalembert.codegen.function import Function
from dalembert.codegen.languages import language
from dalembert.codegen.languages.c import prototype
from dalembert.codegen.languages.language import wrapped
from dalembert.codegen.languages.routine import plain, write_routine
from dalembert.codegen.mechanism import CompiledMechanism
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism

#: Quantities that the file of a mechanism holds, with what is said of each.
QUANTITIES = {
    "rhs": "y' of the state y = (coordinates, speeds)",
    "mass_matrix": "M of M u' = S + F, by rows",
    "bias": "S of M u' = S + F: inertia terms at zero acceleration",
    "forces": "F of M u' = S + F: gravity and known efforts",
    "inverse_dynamics": "efforts on the speeds that produce the accelerations udot",
    "energy": "kinetic energy, potential energy",
}
_ABOUT = {**QUANTITIES, "corrected": "the state y one Newton step nearer to closed loops"}
_GROUPS = {
    "corrected": ["t", "y", "p"],
    "rhs": ["t", "y", "p"],
    "mass_matrix": ["t", "q", "p"],
    "inverse_dynamics": ["t", "q", "u", "udot", "p"],
}
PROGRAMS = ("c", "fortran")
_FILES = {
    "c": ("integrator.c", "integrator.h", "main.c", "Makefile"),
    "fortran": ("integrator.f90", "main.f90", "Makefile"),
}
_CORRECT = {
    "c": "    double nearer[STATES + 1];\n    for (int k = 0; k < times; k++) {\n        corrected(&t, y, p, nearer);\n"
    "        for (int i = 0; i < STATES; i++) y[i] = nearer[i];\n    }",
    "fortran": "    real(dp) :: nearer(states)\n    integer :: i\n    do i = 1, times\n"
    "      call corrected([t], y, p, nearer)\n      y = nearer\n    end do",
}
_NOTHING_TO_CORRECT = {
    "c": "    (void)t, (void)y, (void)p, (void)times; /* a tree: nothing to close */",
    "fortran": "    if (times < 0) y = 0.0_dp  ! a tree: nothing to close",
}
_SETTINGS = {"t_start": 0.0, "t_end": 10.0, "t_step": 0.01, "rtol": 1e-9, "atol": 1e-9}


def _functions(mechanism: Mechanism) -> list[Function]:
    compiled = CompiledMechanism(mechanism)
    closed = compiled.dynamics.closed
    kinds = [kind for kind in QUANTITIES if not (closed and kind == "inverse_dynamics")]
    return [compiled.function(kind) for kind in [*kinds, *(["corrected"] if closed else [])]]


def _comments(mechanism: Mechanism) -> list[str]:
    """What the arrays hold, in the names of the mechanism."""
    compiled = CompiledMechanism(mechanism)
    operations = ex.count_operations(compiled.function("rhs").outputs)
    lines = [f"The right side takes {operations} operations.", ""]
    rows = (("q", "coordinates", compiled.coordinates), ("u", "speeds", compiled.speeds))
    for array, what, names in (*rows, ("p", "parameters", compiled.parameters)):
        listed = wrapped(list(names), "    ", 90) if names else "none"
        lines += [plain(row) for row in f"{array}  {what}: {listed}".split("\n")]
    return [*lines, "t  time (an array of one number); y  coordinates, then speeds"]


def write_model(mechanism: Mechanism, to: str) -> str:
    """One file of functions: right side, mass matrix, bias, forces, inverse dynamics, energy."""
    how = language(to)
    functions = _functions(mechanism)
    routines = [
        how.routine(write_routine(f, how, _GROUPS.get(f.name, ["t", "q", "u", "p"]), _ABOUT[f.name])) for f in functions
    ]
    return how.unit(f"Equations of motion of {plain(mechanism.name)}", _comments(mechanism), routines)


def write_program(mechanism: Mechanism, to: str, settings: Mapping[str, float] | None = None) -> dict[str, str]:
    """All files of a program that computes the motion, by name."""
    if to not in PROGRAMS:
        raise ModelError(
            f"complete programs are written in {' and '.join(PROGRAMS)}, not in '{to}'. Ask for functions."
        )
    compiled = CompiledMechanism(mechanism)
    states = [*compiled.coordinates, *compiled.speeds]
    names = [*states, *compiled.parameters]
    quoted = [_quoted(name, to) for name in names]
    fills = {
        "TITLE": f"Motion of {plain(mechanism.name)}",
        "STATES": str(len(states)),
        "COORDINATES": str(len(compiled.coordinates)),
        "PARAMETERS": str(len(compiled.parameters)),
        "LONGEST": str(max(8, *(len(name) for name in names)) if names else 8),
    }
    closed = compiled.dynamics.closed
    fills["CORRECT"] = _CORRECT[to] if closed else _NOTHING_TO_CORRECT[to]
    if to == "c":
        fills["NAMES"] = "    " + wrapped(quoted, "    ") + ","
    else:
        fills["NAMES"] = (", &\n    " + wrapped(quoted, "    ", more=" &")) if quoted else ""
    files = {f"model.{language(to).extension}": write_model(mechanism, to)}
    if to == "c":
        files["model.h"] = _header(mechanism)
    for name in _FILES[to]:
        text = resources.files("dalembert.codegen").joinpath("templates", to, name).read_text("utf-8")
        for key, value in fills.items():
            text = text.replace(f"@{key}@", value)
        files[name] = text
    files["input.txt"] = _input(mechanism, compiled, {**_SETTINGS, **(settings or {})})
    return files


def _quoted(name: str, to: str) -> str:
    """A string of the language."""
    safe = name.replace("\\", "\\\\").replace('"', '\\"') if to == "c" else name.replace('"', '""')
    return f'"{safe}"'


def _header(mechanism: Mechanism) -> str:
    how = language("c")
    lines = [
        f"/* Equations of motion of {plain(mechanism.name)}; model.c says what the arrays hold. */",
        "#ifndef MODEL_H",
    ]
    lines += ["#define MODEL_H", ""]
    for f in _functions(mechanism):
        empty = Function(f.name, f.inputs, [])
        lines.append(prototype(write_routine(empty, how, _GROUPS.get(f.name, ["t", "q", "u", "p"]))) + ";")
    return "\n".join([*lines, "", "#endif", ""])


def _input(mechanism: Mechanism, compiled: CompiledMechanism, settings: Mapping[str, float]) -> str:
    """Every number that the program reads; what has no value yet is left for the user to fill in."""

    def line(name: str, value: float | None) -> str:
        return f"{name} = {float(value)!r}" if value is not None else f"# {name} =   <- give a value"

    lines = [f"# Numbers for the motion of {plain(mechanism.name)}: name = value", "", "# times and tolerances"]
    lines += [line(name, value) for name, value in settings.items()]
    lines += ["", "# start: coordinates, then speeds"]
    unit = dict.fromkeys(_unit_quaternions(mechanism), 1.0)
    start = {**unit, **mechanism.start}
    lines += [line(name, start.get(name, 0.0)) for name in (*compiled.coordinates, *compiled.speeds)]
    lines += ["", "# parameters"]
    lines += [line(name, compiled.given.get(name)) for name in compiled.parameters]
    return "\n".join(lines) + "\n"


def start_values(mechanism: Mechanism, names: Sequence[str]) -> dict[str, float]:
    """Where the motion starts: as the mechanism says, else at rest in the reference position."""
    unit = dict.fromkeys(_unit_quaternions(mechanism), 1.0)
    return {name: float(mechanism.start.get(name, unit.get(name, 0.0))) for name in names}


def _unit_quaternions(mechanism: Mechanism) -> list[str]:
    """The scalar parts of quaternions: one at rest, not zero."""
    from dalembert.mechanism import QuaternionTurn

    return [
        turn.components[0].name
        for link in mechanism.links.values()
        for step in link.placed_steps()
        for turn in step.displacement.turns
        if isinstance(turn, QuaternionTurn)
    ]
