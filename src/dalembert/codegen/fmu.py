"""Export as a Functional Mock-up Unit (FMI 2.0 or 3.0, model exchange and co-simulation), sources and binary inside.

Coordinates and speeds are states, parameters are tunable, an effort on each speed is an input, and so are the
parameters that are named (controls of actuators); energies, what the model declares as outputs, and what a motion
tells by the names that are asked for are outputs.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from dalembert import expr as ex
from dalembert.codegen._fmu_description import Variables, build_description, model_description
from dalembert.codegen.function import Function
from dalembert.codegen.languages import source
from dalembert.codegen.languages.c import c_number
from dalembert.codegen.mechanism import CompiledMechanism
from dalembert.dynamics.numbers import resolve
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.files import make_folder, written_whole
from dalembert.mechanism import Layout, Mechanism, did_you_mean
from dalembert.mechanism.contact import refuse_contacts

VERSIONS = ("2.0", "3.0")
#: Of a step inside a co-simulation: the end of a second is then right to eight digits.
_TOLERANCE = 1e-11
#: Model exchange: a state is brought back to closed loops, which is an event for the other side, when it has drifted
#: by this share of its size; common tolerances of integrators are larger.
_DRIFT = 1e-8


def export_fmu(
    mechanism: Mechanism,
    path: str | Path,
    version: str = "2.0",
    *,
    binary: bool = True,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    cut: Collection[str] = (),
) -> Path:
    """Write `path` (an .fmu file); `start` and `given` over what the mechanism says.

    `inputs` are parameters that may change all the time, such as the controls of motors; `outputs` what a motion tells,
    by its name there ("hand.X").

    Without `binary` the importing tool compiles the sources itself. Loops are closed at the start, also where it is
    changed from outside, and after every step.
    """
    if version not in VERSIONS:
        raise ModelError(f"FMI {version} is not known: there are {' and '.join(VERSIONS)}.")
    refuse_contacts(mechanism.contacts, "this unit", "Simulate it here, or leave the contacts out.")
    compiled = CompiledMechanism(mechanism, Layout.of(mechanism, cut), start, given)
    identifier = re.sub(r"\W", "_", mechanism.name, flags=re.ASCII) or "model"
    identifier = identifier if identifier[0].isalpha() else f"m_{identifier}"
    told = _asked(compiled, inputs, outputs)
    functions = _functions(compiled, told)
    variables = _variables(compiled, functions, start, given, inputs, told)
    files = _sources(compiled, functions, variables, version)
    token = hashlib.sha256("\0".join([identifier, version, *files.values()]).encode()).hexdigest()[:32]
    files["fmu_model.h"] = files["fmu_model.h"].replace("@GUID@", token)
    entries: dict[str, bytes] = {f"sources/{name}": text.encode() for name, text in files.items()}
    names = [name for name in files if name.endswith(".c")]
    entries["modelDescription.xml"] = model_description(mechanism.name, identifier, token, version, variables, names)
    if version == "3.0":
        entries["sources/buildDescription.xml"] = build_description(identifier, names)
    if binary:
        folder, suffix = _platform(version)
        entries[f"binaries/{folder}/{identifier}{suffix}"] = _build(files, names, suffix)
    return _pack(Path(path), entries)


def _asked(compiled: CompiledMechanism, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[str, ...]:
    """Names of the outputs beside energies, once each; what cannot be is told."""
    about = compiled.dynamics
    for name in inputs:
        if name not in compiled.parameters:
            hint = did_you_mean(name, compiled.parameters)
            raise ModelError(f"an input of a unit is a parameter, and '{about.model.name}' has none '{name}'.{hint}")
    states = {*compiled.coordinates, *compiled.speeds}
    for name in outputs:
        if name not in about.outputs and name not in states:
            hint = did_you_mean(name, about.outputs)
            raise ModelError(f"'{about.model.name}' has no output '{name}'.{hint}")
    return tuple(dict.fromkeys([*about.model.outputs, *(x for x in outputs if x not in states)]))


def _functions(compiled: CompiledMechanism, names: Sequence[str]) -> dict[str, list[Expr]]:
    """The expressions of a unit."""
    about, held = compiled.dynamics, compiled.with_held
    told = [about.outputs[name] for name in names]
    asked = not ex.free_symbols(told).isdisjoint(about.accelerations_given)
    moving = dict(zip(about.accelerations_given, about.accelerations(about.efforts), strict=True)) if asked else {}
    found = {
        "fmu_rhs": held([*about.rates, *about.accelerations(about.efforts)]),
        "fmu_outputs": held([*about.energy, *ex.substitute(told, moving)]),
    }
    return found | {"fmu_corrected": held([*about.corrected, about.counted])} if about.closed else found


def _variables(
    compiled: CompiledMechanism,
    functions: Mapping[str, Sequence[Expr]],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Variables:
    """What the unit shows; a parameter without a number that moves nothing is none of it."""
    model = compiled.dynamics.model
    values = resolve({**model.given, **(given or {})}, "given")
    used = {x.name for x in ex.free_symbols([e for outputs in functions.values() for e in outputs])}
    parameters = [name for name in compiled.parameters if name in values or name in used]
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ModelError(
            f"'{model.name}' needs a value for {', '.join(map(repr, missing))}: "
            "every parameter of an FMU has a start. "
            f"Write given {missing[0]} = ... in the mechanism."
        )
    return Variables(
        states=tuple(compiled.start(start, given).say(model.name).values.items()),
        parameters=tuple((name, values[name]) for name in parameters if name not in inputs),
        inputs=(*((x, values.get(x, 0.0)) for x in inputs), *((x.name, 0.0) for x in compiled.dynamics.efforts)),
        outputs=("energy.kinetic", "energy.potential", *outputs),
    )


def _sources(
    compiled: CompiledMechanism, expressions: Mapping[str, Sequence[Expr]], variables: Variables, version: str
) -> dict[str, str]:
    about = compiled.dynamics
    state = [*about.coordinates, *about.speeds]
    given = [ex.symbol(name) for name, _ in (*variables.parameters, *variables.inputs)]
    inputs = [[ex.TIME], state, given]
    functions = [Function(name, inputs, outputs) for name, outputs in expressions.items()]
    said = {
        "fmu_rhs": "y' of the state y = (coordinates, speeds)",
        "fmu_outputs": "kinetic and potential energy, declared outputs",
    }
    said["fmu_corrected"] = (
        "the state y one Newton step nearer to closed loops, then how many of their conditions count"
    )
    model = source(functions, "c", groups=["t", "y", "given"], title="Equations of motion", about=said)

    def listed(name: str, values: list[float]) -> str:
        return f"static const double {name}[] = {{{', '.join(map(c_number, [*values, 0.0]))}}};"

    header = [
        "#ifndef FMU_MODEL_H",
        "#define FMU_MODEL_H",
        '#define GUID "@GUID@"',
        f"#define TOLERANCE {_TOLERANCE!r}",
        f"#define DRIFT {_DRIFT!r}",
        f"#define CLOSED {int(len(functions) > 2)}",
        f"#define DRIVEN {int(compiled.dynamics.closure.driven)}",
        f"enum {{ STATES = {len(state)}, COORDINATES = {len(compiled.coordinates)}, "
        f"PARAMETERS = {len(variables.parameters)}, INPUTS = {len(variables.inputs)}, "
        f"OUTPUTS = {len(variables.outputs)} }};",
        listed("start_states", [value for _, value in variables.states]),
        listed("unit_states", compiled.units(dict(variables.states), dict(variables.parameters))),
        listed("start_parameters", [value for _, value in variables.parameters]),
        listed("start_inputs", [value for _, value in variables.inputs]),
        *[f"void {f}(const double t[], const double y[], const double given[], double out[]);" for f in said],
        "#endif",
    ]
    root = resources.files("dalembert.codegen").joinpath("templates")
    own = f"fmi{version[0]}.c"
    return {
        own: root.joinpath("fmi", own).read_text("utf-8"),
        "model.c": model,
        "integrator.c": root.joinpath("c", "integrator.c").read_text("utf-8"),
        "integrator.h": root.joinpath("c", "integrator.h").read_text("utf-8"),
        "instance.h": root.joinpath("fmi", "instance.h").read_text("utf-8"),
        "shared.h": root.joinpath("fmi", "shared.h").read_text("utf-8"),
        "fmu_model.h": "\n".join(header) + "\n",
    }


def _platform(version: str) -> tuple[str, str]:
    """Folder of the binary and suffix of its name."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
    suffix = {"darwin": ".dylib", "windows": ".dll"}.get(system, ".so")
    if version == "2.0":
        bits = "64" if sys.maxsize > 2**32 else "32"
        return {"windows": "win"}.get(system, system) + bits, suffix
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{machine}-{system}", suffix


def _build(files: dict[str, str], names: list[str], suffix: str) -> bytes:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        raise ModelError(
            "no C compiler (gcc, cc, clang) to build the binary. Install one, or export with binary=False."
        )
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        flags = ["-O2", "-std=c99", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
        command = [compiler, *flags, *names, "-o", f"model{suffix}", "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise ModelError(f"the C compiler refused the sources of the FMU:\n{done.stderr[:2000]}")
        return Path(folder, f"model{suffix}").read_bytes()


def _pack(path: Path, entries: dict[str, bytes]) -> Path:
    make_folder(path.parent)
    with written_whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path
