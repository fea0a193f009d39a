"""Names that people give: written in every language they mean the same, or they are refused with a sentence."""

from __future__ import annotations

import json
import keyword
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree as xml

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import export_fmu, write_model, write_program

REFUSED = ["a\nb", 'a"b', "a b", "a\\b", "a=b", "a,b", "a;b", "a`b", "#a", "a\x00b", "a\u2028b", "a\u202eb", "x" * 101]
KEYWORDS = """
auto break case char const double else enum for if inline int long register restrict return signed sizeof static struct
void while main sin log gamma y0 j1 NAN INFINITY M_PI FP_NAN linux unix time index signal HUGE OVERFLOW NULL EOF
program end subroutine module real integer do then call use contains pure merge kind model dp stop implicit none
fn let mut pub ref self Self impl trait match loop crate f64 std type where async await dyn move
function begin local global using export struct quote macro baremodule nothing Inf NaN im pi e eps ans i j
arguments eval undefined var this class yield super Math Number null typeof delete new with
rhs energy mass_matrix bias forces corrected inverse_dynamics rhs_part1 rhs_part2 z1 z2 Z1 q u p y out scratch udot np
until unwind_protect endfor endif endfunction end_try_catch __FILE__ __LINE__ otherwise parfor spmd persistent
t_start t_end t_step rtol atol names values known work input output settings states STATES total kinetic potential
""".split()
ODD = """
a*/b a??/ a?? a/*b //a a--b a!b a$b ${a} a%sb a{b} <a>&b @NAMES@ @TITLE@ é größe 日本 Ω Θ θ ß SS 1a _ __ a_b a-b a+b A_B
A-B Ab aB ab AB a#1 der(a) a'
""".split()
NAMES = list(dict.fromkeys([*KEYWORDS, *keyword.kwlist, *ODD, "x" * 100, "x" * 99 + "y"]))


def weighted(names: list[str]) -> da.Mechanism:
    """A pendulum under a torque that sees every parameter with a weight of its own."""
    m = da.Mechanism('mean */ "name"\n??/ @TITLE@')
    bob = m.body("b", mass=1, centre=[0, 0, -1], inertia=[1, 1, 1])
    th = ex.symbol("th")
    # squares, so that each is used twice and long routines come in parts
    torque = sum((ex.const(k + 1) * ex.symbol(name) * ex.symbol(name) for k, name in enumerate(names)), ex.ZERO)
    m.join(da.earth, bob, da.revolute("x").with_efforts(th=-torque * th), name="j")
    m.given = {name: 1 / (k + 2) for k, name in enumerate(names)}
    m.start = {"j.th": 0.1}
    return m


def chain(names: list[str]) -> da.Mechanism:
    """Links and coordinates of odd names."""
    m = da.Mechanism("chain")
    last = da.earth
    for name in names:
        body = m.body(name, mass=1, centre=[0, 0, -1], inertia=[1, 1, 1])
        m.join(last, body, da.revolute("x", coordinate=name), name=name)
        last = body.at([0, 0, -1])
    m.gravity = [0, 0, -9.81]
    m.start = {f"{name}.{name}": 0.1 for name in names}
    return m


def run(*command: str, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return done.stdout


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def told(m: da.Mechanism, to: str, y: list[float], p: list[float], folder: Path) -> list[float]:
    """The right side, by the compiler of the language."""
    text, n = write_model(m, to), len(y)
    numbers = [", ".join(map(repr, x or [0.0])) for x in (y, p)]
    if to == "c":
        main = (
            f"#include <stdio.h>\nint main(void) {{ double t[1] = {{0}}, y[] = {{{numbers[0]}}}, p[] = {{{numbers[1]}}}"
        )
        main += f', o[{n}]; rhs(t, y, p, o); for (int i = 0; i < {n}; i++) printf("%.17g\\n", o[i]); return 0; }}'
        (folder / "f.c").write_text(text + main)
        for standard in ("c99", "gnu17"):
            run(tool("gcc"), f"-std={standard}", "-Wall", "-Wextra", "-Werror", "f.c", "-lm", "-o", "f", folder=folder)
        found = run("./f", folder=folder)
    elif to == "fortran":
        main = f"program check\n use model\n real(dp) :: y({n}), p({max(1, len(p))}), o({n})\n"
        main += "".join(f" y({i + 1}) = {x!r}_dp\n" for i, x in enumerate(y))
        main += "".join(f" p({i + 1}) = {x!r}_dp\n" for i, x in enumerate(p))
        (folder / "f.f90").write_text(
            text + main + " call rhs([0.0_dp], y, p, o)\n write(*, '(es26.17e3)') o\nend program\n"
        )
        run(tool("gfortran"), "-std=f2008", "f.f90", "-o", "f", folder=folder)
        found = run("./f", folder=folder)
    elif to == "rust":
        call = f"let mut o = [0.0; {n}]; rhs(&[0.0], &{y}, &{p}, &mut o);"
        (folder / "f.rs").write_text(text + f'fn main() {{ {call} for v in o {{ println!("{{:e}}", v); }} }}')
        run(tool("rustc"), "f.rs", "-o", "f", folder=folder)
        found = run("./f", folder=folder)
    elif to == "javascript":
        call = f"\nfor (const v of rhs([0], {json.dumps(y)}, {json.dumps(p)})) console.log(v);\n"
        (folder / "f.mjs").write_text(text + call)
        found = run(tool("node"), "f.mjs", folder=folder)
    elif to == "julia":
        call = f"\nforeach(println, rhs!(zeros({n}), [0.0], [{numbers[0]}], [{numbers[1]}]))\n"
        (folder / "f.jl").write_text(text + call)
        found = run(tool("julia"), "f.jl", folder=folder)
    elif to == "matlab":
        (folder / "dalembert_model.m").write_text(text)
        call = f"m = dalembert_model(); printf('%.17g\\n', m.rhs(0.0, [{numbers[0]}], [{numbers[1]}]))"
        found = run(tool("octave-cli"), "--no-gui", "--quiet", "--eval", call, folder=folder)
    else:
        (folder / "f.py").write_text(text + f"\nfor v in rhs([0.0], {y}, {p}):\n    print(repr(float(v)))\n")
        found = run(sys.executable, "f.py", folder=folder)
    return [float(x) for x in found.split()]


LANGUAGES = ["c", "fortran", "python", "rust", "javascript", "julia", "matlab"]


@pytest.mark.parametrize("to", LANGUAGES)
def test_every_name_means_the_same_in_every_language(to: str, tmp_path: Path) -> None:
    m = weighted(NAMES)
    f = m.compile()
    y, p = [0.3, 0.7], f.parameter_vector().tolist()
    assert told(m, to, y, p, tmp_path) == pytest.approx(f.rhs([0.0], y, p).tolist(), rel=1e-13)


@pytest.mark.parametrize("to", LANGUAGES)
def test_links_and_coordinates_may_be_called_anything(to: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(len(to))
    short = [name for name in NAMES if len(name) < 40 and "'" not in name and name != "total"]
    names = [short[k] for k in rng.permutation(len(short))[:7]]
    m = chain(names)
    f = m.compile()
    y = rng.uniform(-1, 1, len(f.coordinates) + len(f.speeds)).tolist()
    assert told(m, to, y, [], tmp_path) == pytest.approx(f.rhs([0.0], y, []).tolist(), rel=1e-11)


@pytest.mark.parametrize(("to", "compiler"), [("c", "gcc"), ("fortran", "gfortran")])
def test_programs_read_and_write_every_name(to: str, compiler: str, tmp_path: Path) -> None:
    tool(compiler)
    m = weighted(NAMES)
    other = m.body("rtol", mass=1, centre=[0, 0, -1], inertia=[1, 1, 1])
    m.join(da.earth, other, da.revolute("x", coordinate="rtol"), name="given")  # given.rtol, and a parameter rtol
    m.start["given.rtol"] = 0.2
    for name, text in write_program(m, to, {"t_end": 0.2, "t_step": 0.2, "rtol": 1e-11, "atol": 1e-12}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run("make", "motion", folder=tmp_path)
    run("./motion", folder=tmp_path)
    head, *rows = (tmp_path / "output.csv").read_text(encoding="utf-8").splitlines()
    mo = m.simulate((0, 0.2), rtol=1e-11, atol=1e-12)
    last = dict(zip(head.split(","), map(float, rows[-1].split(",")), strict=True))
    for name in mo.names:
        assert last[name] == pytest.approx(mo[name][-1], abs=1e-9)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_unit_has_every_name_once(version: str, tmp_path: Path) -> None:
    path = export_fmu(weighted(NAMES), tmp_path / "names.fmu", version, binary=False)
    root = xml.fromstring(zipfile.ZipFile(path).read("modelDescription.xml"))
    names = [one.get("name") for one in root.find("ModelVariables") or ()]
    assert len(set(names)) == len(names)
    assert set(NAMES) <= set(names)


def test_every_name_comes_back_from_lsd() -> None:
    m = weighted([name for name in NAMES if "'" not in name])
    m.name = "names"
    again = da.loads(m.to_lsd())
    assert dict(again.given) == dict(m.given)
    y = [0.3, 0.7]
    p = m.compile().parameter_vector()
    assert again.compile().rhs([0.0], y, p) == pytest.approx(m.compile().rhs([0.0], y, p), rel=1e-14)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_refused_where_it_is_said(name: str) -> None:
    with pytest.raises(da.ModelError, match="cannot name a parameter: it"):
        weighted([name]).compile()
    for odd in (lambda m: m.body(name), lambda m: m.join(da.earth, m.body("b"), da.revolute("x"), name=name)):
        with pytest.raises(da.ModelError, match="cannot name a"):
            odd(da.Mechanism("m"))
    m = da.Mechanism("m")
    m.join(da.earth, m.body("b", mass=1), da.revolute("x", coordinate=name), name="j")
    if not name.startswith("#"):  # j.#a
        with pytest.raises(da.ModelError, match="cannot name a coordinate: it"):
            m.layout()
