"""Generated source through the compilers and interpreters that are installed here, each in a folder of its own."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.codegen import Function
from dalembert.codegen.languages import LANGUAGES, source
from dalembert.verify.verdict import DISAGREES, Check

Array = NDArray[np.float64]
Runner = Callable[[str, str, Function, Sequence[Array], Path], Array]

GROUPS = ("t", "q", "u", "p")
_LONGEST = 100_000
"""Operations above which compilers take minutes."""
_PATIENCE = 300.0
"""Seconds that a compiler gets."""


class _Refused(Exception):
    """A tool that does not take what was written for it."""


@dataclass(frozen=True, slots=True)
class _Tool:
    """How a language is run here: its programs, the first that is installed, and what is done with it."""

    programs: tuple[str, ...]
    run: Runner


def in_languages(
    function: Function, inputs: Sequence[Array], known: Array, apart: Callable[[Array, Array], float], most: float,
    asked: Collection[str] | None,
) -> list[Check]:  # fmt: skip
    """The same function in every language that runs here, against the values known; `asked` None means all of them."""
    found = []
    for name in LANGUAGES if asked is None else asked:
        title, tool = f"generated {name}", _TOOLS.get(name)
        program = next((p for p in map(shutil.which, tool.programs) if p), None) if tool else None
        if tool is None or program is None:
            found.append(Check.left_out(title, "nothing that runs it is installed or known"))
        elif ex.count_operations(function.outputs) > _LONGEST:
            found.append(Check.left_out(title, f"more than {_LONGEST} operations"))
        else:
            found.append(_checked(title, name, tool, program, function, inputs, known, apart, most))
    return found


def _checked(
    title: str, name: str, tool: _Tool, program: str, function: Function, inputs: Sequence[Array], known: Array,
    apart: Callable[[Array, Array], float], most: float,
) -> Check:  # fmt: skip
    text = source([function], name, groups=GROUPS)
    with tempfile.TemporaryDirectory(prefix="dalembert-verify-") as folder:
        try:
            values = tool.run(program, text, function, inputs, Path(folder))
        except subprocess.TimeoutExpired:
            return Check.left_out(title, f"{Path(program).name} took more than {_PATIENCE:g} s")
        except _Refused as error:
            return Check(title, DISAGREES, f"{Path(program).name} refuses it: {error}")
    return Check.within(title, apart(values, known), most, f"by {Path(program).name}, the same states")


def _ran(command: Sequence[str]) -> str:
    done = subprocess.run(list(command), capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode:
        raise _Refused(" ".join(done.stderr.split())[:300])
    return done.stdout


def _library(command: Callable[[Path, Path], Sequence[str]], ending: str, symbol: str, more: str = "") -> Runner:
    """A language that becomes a shared library."""

    def run(program: str, text: str, function: Function, inputs: Sequence[Array], folder: Path) -> Array:
        written, library = folder / f"model.{ending}", folder / "model.so"
        sizes = dict(zip(("T", "Q", "U", "P"), map(len, function.inputs), strict=True))
        wrapper = more
        for letter, size in {**sizes, "O": len(function.outputs)}.items():
            wrapper = wrapper.replace(f"<{letter}>", str(size))
        written.write_text(text + wrapper, encoding="utf-8")
        _ran([program, *command(written, library)])
        call: Any = getattr(ctypes.CDLL(str(library)), symbol)
        call.restype = None
        found = np.zeros((len(inputs[0]), len(function.outputs)))
        for k, row in enumerate(found):
            arguments = [*(np.ascontiguousarray(group[k]) for group in inputs), row]
            call(*(one.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for one in arguments))
        return found

    return run


def _script(ending: str, driver: str, options: Sequence[str] = ()) -> Runner:
    """A language that is interpreted: the driver reads states.json and prints a list of results."""

    def run(program: str, text: str, function: Function, inputs: Sequence[Array], folder: Path) -> Array:
        (folder / f"model.{ending}").write_text(text, encoding="utf-8")
        (folder / f"driver.{ending}").write_text(driver, encoding="utf-8")
        rows = [[group[k].tolist() for group in inputs] for k in range(len(inputs[0]))]
        states = folder / "states.json"
        states.write_text(json.dumps(rows), encoding="utf-8")
        told = _ran([program, *options, str(folder / f"driver.{ending}"), str(states)])
        return np.array(json.loads(told), dtype=float).reshape(len(rows), -1)

    return run


_RUST = """
#[no_mangle]
pub unsafe extern "C" fn dalembert_call(t: *const f64, q: *const f64, u: *const f64, p: *const f64, out: *mut f64) {
    accelerations(&*(t as *const [f64; <T>]), &*(q as *const [f64; <Q>]), &*(u as *const [f64; <U>]),
                  &*(p as *const [f64; <P>]), &mut *(out as *mut [f64; <O>]));
}
"""
_JAVASCRIPT = """
import { readFileSync } from "node:fs";
import { accelerations } from "./model.mjs";
const rows = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(JSON.stringify(rows.map((row) => Array.from(accelerations(...row)))));
"""
_PYTHON = """
import importlib.util, json, os, sys
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.py")
spec = importlib.util.spec_from_file_location("generated_model", place)
model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(model)
rows = json.load(open(sys.argv[1]))
print(json.dumps([[float(x) for x in model.accelerations(*row)] for row in rows]))
"""


_OCTAVE = """
rows = dlmread("states.txt", " ");
ends = cumsum(dlmread("sizes.txt", " "));
begins = [1, ends(1:end-1) + 1];
model = dalembert_model();
for k = 1:size(rows, 1)
  row = rows(k, :);
  part = @(g) row(begins(g):ends(g));
  printf("%.17g ", model.accelerations(part(1), part(2), part(3), part(4)));
  printf("\\n");
end
"""


def _octave(program: str, text: str, function: Function, inputs: Sequence[Array], folder: Path) -> Array:
    """GNU Octave: the functions of a file are found by the name of the file, numbers come as plain tables."""
    (folder / "dalembert_model.m").write_text(text, encoding="utf-8")
    (folder / "driver.m").write_text(_OCTAVE, encoding="utf-8")
    np.savetxt(folder / "states.txt", np.hstack([*inputs, np.zeros((len(inputs[0]), 1))]), fmt="%.17g")
    np.savetxt(folder / "sizes.txt", [[len(group) for group in function.inputs]], fmt="%d")
    told = _ran([program, "--no-gui", "--quiet", "--eval", f"cd('{folder}'); driver"])
    return np.array([[float(x) for x in line.split()] for line in told.splitlines()], dtype=float)


def _shared(*options: str) -> Callable[[Path, Path], Sequence[str]]:
    return lambda written, library: [*options, "-o", str(library), str(written)]


_TOOLS: dict[str, _Tool] = {
    "c": _Tool(
        ("cc", "gcc", "clang"),
        _library(lambda w, o: ["-O1", "-shared", "-fPIC", "-o", str(o), str(w), "-lm"], "c", "accelerations"),
    ),
    "fortran": _Tool(
        ("gfortran",),
        _library(
            lambda w, o: ["-O1", "-shared", "-fPIC", "-J", str(o.parent), "-o", str(o), str(w)],
            "f90",
            "__model_MOD_accelerations",
        ),
    ),
    "rust": _Tool(("rustc",), _library(_shared("-O", "--crate-type", "cdylib"), "rs", "dalembert_call", _RUST)),
    "javascript": _Tool(("node",), _script("mjs", _JAVASCRIPT)),
    "matlab": _Tool(("octave-cli", "octave"), _octave),
    "python": _Tool((sys.executable,), _script("py", _PYTHON, ["-I"])),
}
