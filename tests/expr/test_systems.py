"""Files for computer algebra systems say what our formulas say: read strictly, run where installed."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert import lsd
from dalembert.errors import ExpressionError
from dalembert.expr.systems import SYSTEMS, Sheet, system, worksheet
from system_reader import Reader

EXAMPLES = Path(__file__).parents[2] / "examples"


def number(name: str) -> float:
    """The value of a name in all tests."""
    return random.Random(name).uniform(0.3, 1.2)


class Values(dict[str, float]):
    """Numbers of identifiers: those of the names that they stand for."""

    def __init__(self, told: dict[str, str], given: dict[str, float] | None = None) -> None:
        super().__init__()
        self.told, self.given = told, given or {}

    def __missing__(self, name: str) -> float:
        told = self.told.get(name, name)
        return self.given.get(told, number(told))


def read(text: str, to: str, values: Values, unknown: dict[str, Any]) -> dict[str, Any]:
    """What a file defines; `unknown` has the identifiers of the file."""
    if to != "sympy":
        return Reader(to, values, unknown).run(text)
    import sympy as sp

    space: dict[str, Any] = {}
    exec(compile(text, "sheet", "exec"), space)
    numbers = {value: values[name] for name, value in space.items() if isinstance(value, sp.Symbol)}
    found = {}
    for name, value in space.items():
        if isinstance(value, sp.MatrixBase):
            heads = value.atoms(sp.core.function.AppliedUndef)
            put = {f: unknown[f.func.__name__](*[float(a.subs(numbers)) for a in f.args]) for f in heads}
            found[name] = np.array(value.subs(put).subs(numbers).evalf(), float)
    return found


def told_in(text: str, to: str) -> dict[str, str]:
    """What the comments of a file say of its names."""
    left, right = {"maple": ("# ", ""), "mathematica": (r"\(\* ", r" \*\)"), "maxima": (r"/\* ", r" \*/"),
                   "sympy": ("# ", "")}[to]  # fmt: skip
    return dict(re.findall(rf"^{left}([\w$]+): (\S+){right}$", text, re.MULTILINE))


NASTY = "D I gamma Pi E if then forces z1 Sin lambda_1 elbow.th elbow.th' 2nd mass_matrix x_1 x.1 t".split()


@pytest.mark.parametrize("to", SYSTEMS)
def test_every_function_and_every_nasty_name_comes_back(to: str) -> None:
    names = [ex.symbol(x) for x in NASTY]
    a, b, c, *rest = names
    f = ex.apply("law", (a, b), (0, 0))
    slope = ex.apply("law", (a, b), (1, 0))
    exprs = [
        sum(rest, a * b - c / 3) ** 2 / 7,
        ex.sqrt(a) + ex.atan2(a, -b) + ex.asin(a / 9) + ex.acos(b / 9) + ex.atan(c) + ex.log(a) * ex.exp(-b),
        ex.sinh(a) * ex.cosh(b) - ex.tanh(c) + ex.sign(a - b) * ex.absolute(-a) + 1e-7 * a + 2.5e12 * b + ex.PI,
        ex.where(ex.less(a, b), a, 2 * c) + ex.minimum(a, b) ** -2 + ex.maximum(b, c) + ex.less_equal(b, a) * c,
        ex.where(a - a * 1, b, c) + ex.where(ex.equal(a, b), 1, b) - (a - (b - c)) - -a * (b / c) / (a / b),
        f + slope * 2,
    ]
    sheet = Sheet(system(to), exprs, ["forces", "mass_matrix"])
    law, fast = (lambda x, y: x + 2 * y), (lambda x, y: x * y)
    text = worksheet(system(to), "nasty */ *) names", {"forces": exprs, "mass_matrix": ex.Matrix([exprs[:2]])}, [])
    unknown = {"law": law, "law:[1.0]": fast, "law:[1.0, 0.0]": fast, "D_1_law": fast}
    found = read(text, to, Values(told_in(text, to)), unknown)
    first, second = number("D"), number("I")
    table = {x: number(x.name) for x in names}
    wanted = ex.evaluate(exprs, {**table, f: law(first, second), slope: fast(first, second)})
    np.testing.assert_allclose(np.ravel(found[sheet.defined["forces"]]), wanted, rtol=1e-12)
    np.testing.assert_allclose(np.ravel(found[sheet.defined["mass_matrix"]]), wanted[:2], rtol=1e-12)


MACHINES = ("double_pendulum", "four_bar", "satellite", "constraints/sleigh")


@pytest.mark.parametrize("to", SYSTEMS)
@pytest.mark.parametrize("name", MACHINES)
def test_equations_come_back_from_every_system(name: str, to: str) -> None:
    eq = da.load(str(EXAMPLES / f"{name}.lsd")).equations("kane")
    parts = {"mass_matrix": eq.mass_matrix.entries, "bias": eq.bias, "forces": eq.forces, "rates": eq.rates}
    if eq.rows is not None:
        parts |= {"constraint": eq.rows.matrix.entries, "gamma": eq.rows.gamma, "drift": eq.rows.drift}
    exprs = [x for one in parts.values() for x in one]
    text = eq.export(to)
    told = told_in(text, to)
    laws = {k: (lambda *a: sum(a) + 0.5) for u in ex.unknown_functions(exprs) for k in (u, u.replace("_", "$"))}
    found = read(text, to, Values(told), laws)
    table: dict[ex.Expr, float] = {x: number(x.name) for x in ex.free_symbols(exprs)}
    for e in [e for e in ex.topological(exprs) if e.op == "apply"]:
        table[e] = sum(ex.evaluate(list(e.args), table)) + 0.5
    for part, entries in parts.items():
        ours = part if to != "mathematica" else part.replace("_", "$")
        ours = ours if ours in found else f"{ours}_2"  # gamma is a number in Maple and a function in Maxima
        np.testing.assert_allclose(np.ravel(found[ours]), ex.evaluate(list(entries), table), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("to", SYSTEMS)
@pytest.mark.parametrize("name", ["satellite", "four_bar", "arm_6r"])
def test_the_compiled_table_places_the_bodies(name: str, to: str) -> None:
    """The origins and attitudes that a system computes from the table are those of our kinematics."""
    from dalembert.kinematics import build_tree
    from dalembert.kinematics.bodies import body_poses

    m = da.load(str(EXAMPLES / f"{name}.lsd"))
    table, tree = lsd.names(m), build_tree(m.layout())
    text, mark = table.export(to), "$" if to == "mathematica" else "_"
    told, laws = told_in(text, to), dict.fromkeys(re.findall(r"\bv[\w$]+", text), lambda *a: 0.7)
    for link in table.indices.links:
        told |= {f"x{link.number}{mark}{k}": x for k, x in enumerate(link.coordinates, 1)}
    found = read(text, to, Values(told | {x.replace("_", "$"): x for x in tree.layout.model.parameters()}), laws)
    poses = body_poses(tree)
    for i, body in enumerate(table.indices.bodies[1:], 1):
        pose = poses[tree.layout.number(body.name)]
        exprs = [*pose.position, *(x for row in pose.rotation for x in row)]
        wanted = ex.evaluate(exprs, {x: number(x.name) for x in ex.free_symbols(exprs)})
        np.testing.assert_allclose(np.ravel(found[f"V0T{mark}0{mark}{i}"]), wanted[:3], rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(np.ravel(found[f"M0R{mark}0{mark}{i}"]), wanted[3:], rtol=1e-11, atol=1e-12)


def maxima(folder: Path, file: str) -> subprocess.CompletedProcess[str]:
    asked = ["maxima", "--very-quiet", "-b", file]
    return subprocess.run(asked, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.skipif(shutil.which("maxima") is None, reason="Maxima is not installed")
def test_maxima_reads_what_is_written_for_it(tmp_path: Path) -> None:
    """The satellite's mass matrix, and the sum of its entries in numbers, by Maxima itself."""
    eq = da.load(str(EXAMPLES / "satellite.lsd")).equations("kane")
    text = eq.export("maxima")
    names = sorted(ex.free_symbols(eq.mass_matrix.entries), key=lambda x: x.name)
    made = {told: ours for ours, told in told_in(text, "maxima").items()}
    put = ", ".join(f"{made.get(x.name, x.name)}={number(x.name)!r}" for x in names)
    ask = f"print(float(subst([{put}], lsum(lsum(x, x, r), r, args(mass_matrix)))))$"
    (tmp_path / "sheet.mac").write_text(f"{text}\n{ask}\n")
    (tmp_path / "table.mac").write_text(lsd.names(lsd.load(EXAMPLES / "satellite.lsd")).export("maxima") + "\n")
    done = maxima(tmp_path, "sheet.mac")
    wanted = sum(ex.evaluate(list(eq.mass_matrix.entries), {x: number(x.name) for x in names}))
    assert "incorrect syntax" not in done.stdout, done.stdout[-500:]
    printed = [float(x) for x in re.findall(r"^(-?\d+\.\d+(?:e-?\d+)?) *$", done.stdout, re.MULTILINE)]
    assert printed
    assert abs(printed[-1] - wanted) < 1e-10 * abs(wanted)
    done = maxima(tmp_path, "table.mac")
    assert "incorrect syntax" not in done.stdout, done.stdout[-500:]
    assert "error" not in done.stdout.lower(), done.stdout[-500:]


def test_minimal_and_quasi_equations_are_exported() -> None:
    bar = da.load(str(EXAMPLES / "four_bar.lsd")).equations("kane", independent="ground.th")
    for to in SYSTEMS:
        assert "dependent" in bar.export(to)
    with pytest.raises(ExpressionError, match="computer algebra system 'derive'"):
        bar.export("derive")
