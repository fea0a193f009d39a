"""Every example in every language: accelerations by each against machine code, programs built and run.

    python benchmarks/languages.py [--machines satellite four_bar ...]

A cell is the largest difference of an acceleration from machine code at seven states, in parts of the largest
acceleration (`-`: no tool is installed). Programs (C, Fortran) are built and run over a tenth of a second as they are
written: `ran`. `rhs`: the written Python in SciPy's solve_ivp against machine code there. `asks` counts the parameters
that a program asks for although nothing depends on them.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import compile_mechanism, write_model, write_program
from dalembert.errors import DalembertError
from dalembert.verify.backends import backends

EXAMPLES = Path(__file__).parents[1] / "examples"
LANGUAGES = ("c", "fortran", "rust", "javascript", "matlab", "python")


def in_languages(m: Any) -> list[str]:
    """The largest difference of each, as `verify` finds it, or why there is none."""
    found = {one.name: one for one in backends(m.layout(), 0, LANGUAGES)}
    missing = found.get("back ends")
    checks = [found.get(f"generated {language}") or missing for language in LANGUAGES]
    return ["-" if x is None else x.told if x.difference is None else f"{x.difference:.0e}" for x in checks]


def program(m: Any, language: str) -> str:
    files = write_program(m, language, {"t_end": 0.1, "t_step": 0.05})
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        for command in (["make"], ["make", "run"]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode:
                return f"{command[-1]}: {' '.join((done.stderr or done.stdout).split())[-60:]}"
    return "ran"


def in_scipy(m: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written.py"
        text = write_model(m, "python")
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("written", path)
        assert spec is not None
        assert spec.loader is not None
        written = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(written)
    f = compile_mechanism(m)
    y, p = f.start().y, f.parameter_vector()
    told = re.search(r"^p  parameters: (.*?)^\S", text, re.DOTALL | re.MULTILINE)
    assert told is not None
    names = [x for x in re.split(r"[,\s]+", told[1]) if x and x != "none"]
    used = p[[f.parameters.index(x) for x in names]]  # by name: the file has no others than have a say
    ours = solve_ivp(written.rhs, (0, 0.05), y, args=(used,), rtol=1e-9, atol=1e-9).y[:, -1]
    known = solve_ivp(lambda t, y: f.rhs(t, y, p), (0, 0.05), y, rtol=1e-9, atol=1e-9).y[:, -1]
    return f"{np.abs(ours - known).max() / (1 + np.abs(known).max()):.0e}"


def needless(m: Any) -> str:
    """Parameters without a value that a program asks for, although no acceleration, rate or energy depends on them."""
    eq = m.equations("recursive")
    used = {*eq.parameters, *(x.name for x in ex.free_symbols([m.lagrangian().potential]))}
    asked = re.findall(r"^# (\S+) =   <- give a value", write_program(m, "c")["input.txt"], re.MULTILINE)
    return str(len(set(asked) - used))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", nargs="*")
    chosen = parser.parse_args()
    paths = sorted(EXAMPLES.glob("**/*.lsd"))
    if chosen.machines:
        paths = [p for p in paths if p.stem in chosen.machines]
    heads = [*LANGUAGES, "C program", "Fortran program", "solve_ivp", "asks"]
    print(f"{'machine':34}" + "".join(f"{x:>16}" for x in heads))
    warnings.simplefilter("ignore")
    for path in paths:
        cells = []
        try:
            cells += in_languages(da.load(str(path)))
        except DalembertError as error:
            cells += [f"refused: {str(error)[:60]}"] + [""] * (len(LANGUAGES) - 1)
        for work in (lambda m: program(m, "c"), lambda m: program(m, "fortran"), in_scipy, needless):
            try:
                cells.append(work(da.load(str(path))))
            except DalembertError as error:
                cells.append(f"refused: {str(error)[:60]}")
            except subprocess.TimeoutExpired as error:
                cells.append(f"over {error.timeout:.0f} s")
        print(f"{path.relative_to(EXAMPLES)!s:34}" + "".join(f"{x:>16}" for x in cells), flush=True)


if __name__ == "__main__":
    main()
