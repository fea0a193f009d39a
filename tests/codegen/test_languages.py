"""Source code in every language computes the same numbers as the machine code."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.codegen.languages import LANGUAGES, language, parts, source
from dalembert.errors import ExpressionError

X, Y, Z = ex.symbols("arm.th arm.th' end")  # awkward names on purpose: a dot, a prime, a keyword
INPUTS = [[X, Y], [Z]]
POINT = ([0.37, -0.81], [0.55])


def _outputs() -> list[ex.Expr]:
    shared = ex.sin(X * Y + Z) * X
    deep = shared
    for k in range(1, 9):
        deep = deep * ex.cos(deep) + shared / (k + Z) - X**k
    return [
        X + Y - Z,
        X - (Y - Z),
        -(X + Y) * Z / (X - Y),
        X / (Y * Z) - 2 * X / Y,
        (X + Y) ** 2 - X**3 + (X * Z) ** 7,
        X**-2 + Z ** Fraction(3, 2) + Z**X,
        ex.sqrt(X) + ex.asin(Y) + ex.acos(Y) + ex.atan(Y) + ex.atan2(Y, -X),
        ex.exp(Y) * ex.log(Z) + abs(Y) + ex.sign(Y) + ex.minimum(X, Y) + ex.maximum(X, Y) + ex.PI,
        ex.where(X < Y, X, Y) + ex.where(X <= Z, 2 * X, Y) + ex.where(X, 1, 2),
        (X < Z) + 2 * ex.equal(X, Y) + (X < Z) * (Y <= Z),
        -2 * X - (-3) * Y + Fraction(1, 3) * X - 1e-30 * Z,
        deep,
        Z,
        ex.const(2),
    ]


FUNCTION = Function("values", INPUTS, _outputs())


def _expected() -> np.ndarray:
    return compile_functions([FUNCTION])["values"](*POINT)


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _run(*command: str, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _text(name: str, function: Function = FUNCTION) -> str:
    return source([function], name, groups=["y", "p"], title="Check", comments=["line"], about={"values": "All of it."})


def _c(folder: Path) -> str:
    gcc = _tool("gcc")
    main = "#include <stdio.h>\nint main(void){double y[]={%r,%r},p[]={%r},o[%d];values(y,p,o);"
    main += 'for(int i=0;i<%d;i++)printf("%%.17g\\n",o[i]);}'
    n = len(FUNCTION.outputs)
    (folder / "f.c").write_text(_text("c") + main % (*POINT[0], *POINT[1], n, n))
    _run(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "f.c", "-lm", "-o", "f", folder=folder)
    return _run("./f", folder=folder)


def _fortran(folder: Path) -> str:
    gfortran = _tool("gfortran")
    n = len(FUNCTION.outputs)
    main = (
        f"program check\n use model\n real(dp) :: y(2) = [{POINT[0][0]}d0, {POINT[0][1]}d0], p(1) = [{POINT[1][0]}d0]\n"
        f" real(dp) :: o({n})\n call values(y, p, o)\n write(*, '(es26.17e3)') o\nend program\n"
    )
    (folder / "f.f90").write_text(_text("fortran") + main)
    _run(gfortran, "-std=f2008", "-Wall", "-O1", "f.f90", "-o", "f", folder=folder)
    return _run("./f", folder=folder)


def _python(folder: Path) -> str:
    space: dict[str, Callable] = {}
    exec(compile(_text("python"), "f.py", "exec"), space)  # our own text
    return "\n".join(repr(float(v)) for v in space["values"](*POINT))


def _matlab(folder: Path) -> str:
    octave = _tool("octave-cli")
    (folder / "dalembert_model.m").write_text(_text("matlab"))
    run = f"m = dalembert_model(); printf('%.17g\\n', m.values([{POINT[0][0]}, {POINT[0][1]}], {POINT[1][0]}))"
    return _run(octave, "--no-init-file", "--eval", run, folder=folder)


def _rust(folder: Path) -> str:
    rustc = _tool("rustc")
    n = len(FUNCTION.outputs)
    call = f"let mut o = [0.0; {n}]; values(&{POINT[0]}, &{POINT[1]}, &mut o);"
    main = f'fn main() {{ {call} for v in o {{ println!("{{:e}}", v); }} }}'
    (folder / "f.rs").write_text(_text("rust") + main)
    _run(rustc, "-O", "f.rs", "-o", "f", folder=folder)
    return _run("./f", folder=folder)


def _julia(folder: Path) -> str:
    julia = _tool("julia")
    n = len(FUNCTION.outputs)
    run = f"\nforeach(println, values!(zeros({n}), {POINT[0]}, {POINT[1]}))\n"
    (folder / "f.jl").write_text(_text("julia") + run)
    return _run(julia, "f.jl", folder=folder)


def _javascript(folder: Path) -> str:
    node = _tool("node")
    run = f"\nfor (const v of values({json.dumps(POINT[0])}, {json.dumps(POINT[1])})) console.log(v);\n"
    (folder / "f.mjs").write_text(_text("javascript") + run)
    return _run(node, "f.mjs", folder=folder)


RUNNERS = {"c": _c, "fortran": _fortran, "python": _python, "matlab": _matlab, "rust": _rust, "julia": _julia}
RUNNERS["javascript"] = _javascript


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_source_agrees_with_machine_code(name: str, tmp_path: Path) -> None:
    found = [float(line) for line in RUNNERS[name](tmp_path).split()]
    np.testing.assert_allclose(found, _expected(), rtol=1e-12)


@pytest.mark.parametrize("name", ["c", "fortran", "rust"])
def test_long_routines_are_cut_into_parts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts.parts, "__defaults__", (5,))
    found = [float(line) for line in RUNNERS[name](tmp_path).split()]
    assert "values_part3" in _text(name)
    np.testing.assert_allclose(found, _expected(), rtol=1e-12)


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_names_stay_readable_and_legal(name: str) -> None:
    text = _text(name)
    assert "arm_th" in text
    assert "arm_th_dot" in text
    assert "arm.th'" in text  # the comment says what it is in the mechanism
    assert "dalembert." not in text.replace("dalembert_", "")


def test_python_source_takes_arrays() -> None:
    space: dict[str, Callable] = {}
    exec(compile(_text("python"), "f.py", "exec"), space)  # our own text
    states = np.random.default_rng(0).uniform(0.1, 0.9, (3, 8))
    found = np.array([np.broadcast_to(v, 8) for v in space["values"](states[:2], states[2:])]).T
    np.testing.assert_allclose(found, compile_functions([FUNCTION])["values"](states[:2].T, states[2:].T), rtol=1e-12)


def test_an_unknown_language_lists_the_known_ones() -> None:
    with pytest.raises(ExpressionError, match=r"no emitter for the language 'cobol'\. There are: c, fortran"):
        language("cobol")


def test_lines_of_fortran_are_broken_between_operators():
    from dalembert.codegen.languages.fortran import broken

    for operator in ("/=", "**", "/", "*"):
        for width in range(95, 125):
            line = f"  out = {'a' * width}{operator}b + c{operator}d"
            pieces = [piece.removesuffix(" &") for piece in broken(line).split("\n")]
            assert "".join(pieces).replace(" ", "") == line.replace(" ", "")
            assert not any(rest.lstrip().startswith(("=", "*")) for rest in pieces[1:])


def test_the_lines_of_julia_say_the_same_where_it_is_not_installed() -> None:
    """Julia's operators bind as Python's do, with `^` for `**`; elements count from 1."""
    lines = _text("julia").splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith("function values!(out, y, p)"))
    assert lines[-2:] == ["    return out", "end"]
    out: dict[int, float] = {}
    space: dict[str, object] = {name: getattr(math, name) for name in "sin cos tan asin acos exp log sqrt pi".split()}
    space |= {"atan": lambda y, x=1.0: math.atan2(y, x), "sign": lambda x: math.copysign(1.0, x), "Float64": float}
    space |= {"ifelse": lambda asked, a, b: a if asked else b, "out": out, "min": min, "max": max, "abs": abs}
    space |= {group: dict(enumerate(values, 1)) for group, values in zip("yp", POINT, strict=True)}
    for line in lines[begin + 1 : -2]:
        exec(line.strip().replace("^", "**"), {"__builtins__": {}}, space)  # our own text
    np.testing.assert_allclose([out[k + 1] for k in range(len(FUNCTION.outputs))], _expected(), rtol=1e-12)
