"""Source code of a mechanism: its functions in any language, or a complete program in C or Fortran.

What is written depends on nothing of this package. A program has its integrator, an input file with the numbers, an
output file for the motion, and a Makefile (Papegay's thesis asks for no less).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from importlib import resources
from typing import Any

from dalembert import expr as ex
from dalembert.codegen.asked import asked_function
from dalembert.codegen.function import Function
from dalembert.codegen.languages import language
from dalembert.codegen.languages.c import prototype
from dalembert.codegen.languages.language import wrapped
from dalembert.codegen.languages.routine import plain, write_routine
from dalembert.codegen.mechanism import CompiledMechanism
from dalembert.dynamics.numbers import resolve
from dalembert.dynamics.scales import ATOL, RTOL
from dalembert.dynamics.start import open_start
from dalembert.errors import ModelError
from dalembert.mechanism import Layout, Mechanism
from dalembert.mechanism.contact import Pressed, refuse_contacts, say_open

#: Quantities that the file of a mechanism holds, with what is said of each.
QUANTITIES = {
    "rhs": "y' of the state y = (coordinates, speeds)",
    "mass_matrix": "M of M u' = S + F, by rows",
    "bias": "S of M u' = S + F: inertia terms at zero acceleration",
    "forces": "F of M u' = S + F: gravity and known efforts",
    "inverse_dynamics": "efforts on the speeds that produce the accelerations udot",
    "energy": "kinetic energy, potential energy",
}
_ABOUT = {
    **QUANTITIES,
    "corrected": "the state y one Newton step nearer to closed loops, then how many of their conditions count",
}
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
_SETTINGS = {"t_start": 0.0, "t_end": 10.0, "t_step": 0.01, "rtol": RTOL, "atol": ATOL}


def _functions(compiled: CompiledMechanism, also: Sequence[str] = ()) -> list[Function]:
    closed = compiled.dynamics.closed
    kinds = [kind for kind in QUANTITIES if not (closed and kind == "inverse_dynamics")]
    found = [compiled.function(kind) for kind in [*kinds, *(["corrected"] if closed else [])]]
    for one in (asked_function(compiled, quantity) for quantity in dict.fromkeys(also)):
        if one.name in QUANTITIES:
            continue  # it is there
        if any(one.name == other.name for other in found):
            raise ModelError(f"two of the quantities would be called '{one.name}': write them into files of their own.")
        found.append(one)
    used = ex.free_symbols([x for f in found for x in f.outputs])
    return [
        Function(f.name, [*f.inputs[:-1], [x for x in f.inputs[-1] if x in used]], f.outputs, shape=f.shape)
        for f in found
    ]


def _groups(one: Function) -> list[str]:
    """Names of the arrays that a function takes."""
    return _GROUPS.get(one.name) or [*["t", "q", "u", "udot"][: len(one.inputs) - 1], "p"]


def _about(one: Function) -> str:
    shape = "" if not one.shape or len(one.shape) < 2 else f", {' x '.join(map(str, one.shape))} by rows"
    return _ABOUT.get(one.name) or f"{one.name.replace('_', ' ')}{shape}"


def _parameters(functions: Sequence[Function]) -> list[str]:
    """Parameters that have a say in some function: no others are asked for."""
    return [x.name for x in functions[0].inputs[-1]]


def _comments(compiled: CompiledMechanism, parameters: Sequence[str]) -> list[str]:
    """What the arrays hold, in the names of the mechanism."""
    operations = ex.count_operations(compiled.function("rhs").outputs)
    lines = [f"The right side takes {operations} operations.", ""]
    rows = (("q", "coordinates", compiled.coordinates), ("u", "speeds", compiled.speeds))
    for array, what, names in (*rows, ("p", "parameters", parameters)):
        listed = wrapped(list(names), "    ", 90) if names else "none"
        lines += [plain(row) for row in f"{array}  {what}: {listed}".split("\n")]
    if compiled.branch:
        numbers = ", ".join(f"{name} = {value!r}" for name, value in compiled.held.items())
        told = f"{compiled.branch}{f'; they hold for {numbers}' if numbers else ''}"
        lines += [plain(row) for row in textwrap.wrap(told, 90)]
    contacts = compiled.dynamics.model.contacts
    rubbing = [x.name for x in contacts if isinstance(x.place, Pressed)]
    opening = [x.name for x in contacts if x.name not in rubbing]
    told = "Contacts are open here, these functions hold while none touches"
    dry = "Dry friction is against its slip here, these functions hold while it slips"
    for what, names in ((told, opening), (dry, rubbing)):
        if names:
            lines += [plain(row) for row in textwrap.wrap(f"{what}: {', '.join(names)}", 90)]
    return [*lines, "t  time (an array of one number); y  coordinates, then speeds"]


def write_model(mechanism: Mechanism, to: str, *, also: Sequence[str] = (), cut: Collection[str] = ()) -> str:
    """One file of functions: right side, mass matrix, bias, forces, inverse dynamics, energy, and what is asked `also`.

    "centroidal_momentum", "jacobian:hand", and derivatives by coordinates, speeds or a parameter: "bias/speeds".
    """
    layout = Layout.of(mechanism, cut)
    say_open(layout.model.contacts, "these functions")
    compiled = CompiledMechanism(mechanism, layout)
    return _model(compiled, _functions(compiled, also), to)


def write_header(mechanism: Mechanism, *, also: Sequence[str] = (), cut: Collection[str] = ()) -> str:
    """The C header of what `write_model` writes: what the arrays hold, their lengths, and the prototypes; C++ too."""
    say_open(mechanism.contacts, "these functions")
    compiled = CompiledMechanism(mechanism, Layout.of(mechanism, cut))
    functions = _functions(compiled, also)
    sizes = {"COORDINATES": len(compiled.coordinates), "SPEEDS": len(compiled.speeds)}
    sizes["PARAMETERS"] = len(_parameters(functions))
    lines = [f" * {line}".rstrip() for line in _comments(compiled, _parameters(functions))]
    heads = []
    for one in functions:
        heads.append(f"/* {_about(one)}: {len(one.outputs)} numbers */")
        heads.append(f"{prototype(write_routine(one, language('c'), _groups(one), ''))};")
    guard = "DALEMBERT_MODEL_H"
    return "\n".join(
        [
            f"/* Equations of motion of {plain(mechanism.name)}",
            " *",
            *lines,
            " */",
            f"#ifndef {guard}",
            f"#define {guard}",
            *(f"#define MODEL_{name} {size}" for name, size in sizes.items()),
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            *heads,
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "#endif",
            "",
        ]
    )


def _model(compiled: CompiledMechanism, functions: Sequence[Function], to: str) -> str:
    how = language(to)
    routines = [how.routine(write_routine(f, how, _groups(f), _about(f))) for f in functions]
    comments = _comments(compiled, _parameters(functions))
    return how.unit(f"Equations of motion of {plain(compiled.dynamics.model.name)}", comments, routines)


def write_program(
    mechanism: Mechanism,
    to: str,
    settings: Mapping[str, float] | None = None,
    *,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> dict[str, str]:
    """All files of a program that computes the motion, by name; `start` and `given` over what the mechanism says.

    The input file holds the closed start. A program whose input is changed keeps the start values that are others now,
    closes its loops by the rest, and says what it moved. It says so when it passes a singular posture.
    """
    if to not in PROGRAMS:
        raise ModelError(
            f"complete programs are written in {' and '.join(PROGRAMS)}, not in '{to}'. Ask for functions."
        )
    refuse_contacts(mechanism.contacts, "this program", "Simulate it here, or ask for functions (contacts open).")
    told = {**_SETTINGS, **(settings or {})}
    compiled = CompiledMechanism(mechanism, Layout.of(mechanism, cut), start, given, told["t_start"])
    functions = _functions(compiled)
    parameters = _parameters(functions)
    names = [*compiled.dynamics.state.names, *_input_names(compiled, parameters)]
    quoted = [_quoted(name, to) for name in names]
    closed = compiled.dynamics.closed
    fills = {
        "TITLE": f"Motion of {plain(mechanism.name)}",
        "STATES": str(len(compiled.dynamics.state)),
        "COORDINATES": str(len(compiled.coordinates)),
        "PARAMETERS": str(len(parameters)),
        "LONGEST": str(max([8, *(len(name.encode()) for name in names)])),
        "CORRECTED": "corrected" if closed else "NULL" if to == "c" else "rhs",
        "CLOSED": ".true." if closed else ".false.",
    }
    text, units, first = _input(compiled, parameters, told, start, given)
    fills |= {"UNITS": _numbers(units, to), "WRITTEN": _numbers(first, to)}
    fills["BEGUN"] = language(to).number(float(told["t_start"]))
    values = {**mechanism.given, **(given or {})}
    driven = compiled.dynamics.closure.driven and all(name in values for name in compiled.dynamics.closure.parameters)
    fills["DRIVEN"] = str(int(driven))
    if to == "c":
        fills["NAMES"] = "    " + wrapped(quoted, "    ") + ","
    else:
        fills["NAMES"] = (", &\n    " + wrapped(quoted, "    ", more=" &")) if quoted else ""
    files = {f"model.{language(to).extension}": _model(compiled, functions, to)}
    if to == "c":
        files["model.h"] = _header(compiled, functions)
    for name in _FILES[to]:
        template = resources.files("dalembert.codegen").joinpath("templates", to, name).read_text("utf-8")
        files[name] = re.sub("@([A-Z]+)@", lambda found: fills[found[1]], template)
    files["input.txt"] = text
    return files


def _numbers(values: Sequence[float], to: str) -> str:
    """A list of numbers in a program, over several lines."""
    written = [language(to).number(value) for value in values]
    return f"    {wrapped(written or ['1.0'], '    ')}" if to == "c" else wrapped(written, "    ", 80, more=" &")


def _input_names(compiled: CompiledMechanism, parameters: Sequence[str]) -> list[str]:
    """Parameters in the input file: `given.rtol` where a setting has its name."""
    prefix = "given."
    while any(f"{prefix}{name}" in compiled.dynamics.state.names for name in _SETTINGS):
        prefix = f"given.{prefix}"
    return [f"{prefix}{name}" if name in _SETTINGS else name for name in parameters]


def _quoted(name: str, to: str) -> str:
    """A string of the language; names hold neither quotes nor backslashes, and two ? begin a trigraph in C."""
    return f'"{name.replace("?", chr(92) + "?") if to == "c" else name}"'


def _header(compiled: CompiledMechanism, functions: Sequence[Function]) -> str:
    how = language("c")
    lines = [
        f"/* Equations of motion of {plain(compiled.dynamics.model.name)}; model.c says what the arrays hold. */",
        "#ifndef MODEL_H",
    ]
    lines += ["#define MODEL_H", ""]
    for f in functions:
        empty = Function(f.name, f.inputs, [])
        lines.append(prototype(write_routine(empty, how, _groups(f))) + ";")
    return "\n".join([*lines, "", "#endif", ""])


def _input(
    compiled: CompiledMechanism,
    parameters: Sequence[str],
    settings: Mapping[str, float],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
) -> tuple[str, list[float], list[float]]:
    """Every number that the program reads, what has no value yet left to be filled in; units and start of the state.

    A start that is not closed is no start: of values that were given, others are told, so that the program keeps them.
    """

    def line(name: str, value: float | None) -> str:
        return f"{name} = {float(value)!r}" if value is not None else f"# {name} =   <- give a value"

    model, asked = compiled.dynamics.model, set[str]()
    values = resolve({**model.given, **(given or {})}, "given")
    lines = [
        f"# Numbers for the motion of {plain(model.name)}: name = value",
        "",
        "# times: no step is longer than t_step, which is to be shorter than what pushes for a while",
        "# tolerances: of each state, and of its unit (a radian, the machine)",
    ]
    lines += [line(name, value) for name, value in settings.items()]
    lines += ["", "# start: coordinates, then speeds"]
    if all(name in values for name in compiled.dynamics.closure.parameters):
        found = compiled.start(start, given, settings["t_start"]).say(model.name)
        lines += [f"# {found.message}"] if found.message else []
        first = found.values
    else:
        lines += ["# not closed: its loops depend on numbers that are not known yet. The program closes them."]
        first = open_start(compiled.dynamics.layout, start, given)
        asked = {*model.start, *(start or {})}
    lines += [line(name, value) for name, value in first.items()]
    lines += ["", "# parameters"]
    pairs = zip(_input_names(compiled, parameters), parameters, strict=True)
    lines += [line(written, values.get(name)) for written, name in pairs]
    known = [value + 1.0 if name in asked else value for name, value in first.items()]
    return "\n".join(lines) + "\n", compiled.units(first, values), known
