"""The scalar level as a book prints it."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.formalisms.registry import derive, formalism_names
from dalembert.mechanism import Layout
from dalembert.presentation import COLUMN, Notation
from dalembert.presentation.breaking import latex_rows
from dalembert.presentation.formula import Writer, number_token, text_of
from dalembert.presentation.tokens import sides_of
from formalisms.satellite import satellite

EXAMPLES = Path(__file__).parents[2] / "examples"
HANDS = ("double_pendulum", "four_bar", "gyroscope", "cart_pole", "furuta")


def test_the_rounding_of_a_product_is_not_printed_and_a_long_number_is():
    assert [number_token(x).text for x in (0.4 * 9.81, 3.141592653589793, 1 / 3)] == [
        "3.924", "3.141592653589793", "0.3333333333333333",
    ]  # fmt: skip


def test_the_resultant_on_the_satellite_is_the_equation_of_the_thesis():
    """Papegay N.8.a, misprints removed: F1x + F4x = M (v'x + wy vz - wz vy) + mu4 (...)."""
    line = derive(Layout.of(satellite()), "kane").show("scalar").lines[0]
    left, right = (ex.parse(x) for x in line.text.split(" = "))
    thesis = ex.parse(
        "(mu1 + mu4)*(s1.vx' + s1.wy*s1.vz - s1.wz*s1.vy)"
        " + mu4*(Z*s1.wy' - Y*s1.wz' + Z*s1.wz*s1.wx + Y*s1.wx*s1.wy - (s1.wy^2 + s1.wz^2)*X"
        " + 2*(s1.wy*dz - s1.wz*dy) + z34*(cos(s4.q9)*s4.q9'' - sin(s4.q9)*s4.q9'^2)) - F1x - F4x"
    )
    named = {
        "X": "z34*sin(s4.q9)",
        "Y": "s3.q8*cos(s2.q7) - z34*sin(s2.q7)*cos(s4.q9)",
        "Z": "z12 + s3.q8*sin(s2.q7) + z34*cos(s2.q7)*cos(s4.q9)",
        "dy": "-(s3.q8*sin(s2.q7) + z34*cos(s2.q7)*cos(s4.q9))*s2.q7' + cos(s2.q7)*s3.q8'"
        " + z34*sin(s2.q7)*sin(s4.q9)*s4.q9'",
        "dz": "(s3.q8*cos(s2.q7) - z34*sin(s2.q7)*cos(s4.q9))*s2.q7' + sin(s2.q7)*s3.q8'"
        " - z34*cos(s2.q7)*sin(s4.q9)*s4.q9'",
    }
    thesis = ex.substitute([thesis], {ex.symbol(k): ex.parse(v) for k, v in named.items()})[0]
    assert len(set(ex.fingerprints([left - right, thesis]))) == 1
    assert not re.search(r"\bz\d+\b", re.sub(r"\bz(12|34)\b", "", line.text))  # no intermediate


@pytest.mark.parametrize("name", HANDS)
def test_machines_of_hand_size_have_whole_formulas_equal_to_their_matrices(name):
    eq = da.load(str(EXAMPLES / f"{name}.lsd")).equations("lagrange")
    shown = eq.show("scalar")
    assert not any(re.match(r"z\d+ :=", line.text) for line in shown.formulas)
    primes = [ex.prime(u) for u in eq.tree.speeds]
    multipliers = [ex.symbol(x) for x in eq.multiplier_names]
    pushed = eq.rows.efforts_of(multipliers) if eq.rows is not None else [ex.ZERO] * len(primes)
    motion = zip(eq.mass_matrix.rows(), eq.right_side, pushed, shown.lines, strict=False)
    for row, right, effort, line in motion:
        written = [ex.parse(x) for x in line.text.split(" = ")]
        values = {x: random.Random(x.name).uniform(0.3, 1.3) for x in ex.free_symbols([*row, right, effort, *written])}
        values |= {x: random.Random(x.name).uniform(0.3, 1.3) for x in primes}
        a, b, c, d, e = ex.evaluate([*written, ex.dot_product(list(row), primes), right, effort], values)
        assert a - b == pytest.approx(c - d - e, rel=1e-9, abs=1e-9)


def test_signs_are_not_nested_and_factors_stand_in_their_order():
    writer = Writer(moving=("u", "v"))
    row = writer.formula(ex.parse("a - (b - (c + d)) - sin(x)*u*v*m*2 + u'*(k*l - m)"))
    assert "2*m*u*v*sin(x)" in text_of(row)
    assert text_of(row).endswith("- b + c + d")


@pytest.mark.parametrize("seed", range(30))
def test_written_formulas_read_back(seed):
    from random_mechanisms import random_tree

    eq = derive(Layout.of(random_tree(seed, 1 + seed % 2)), "kane")
    names = ex.free_symbols([*eq.mass_matrix.entries, *eq.bias, *eq.forces])
    point = {x: random.Random(x.name).uniform(0.3, 1.3) for x in names}
    for e in (*eq.mass_matrix.entries[:3], *eq.forces[:2]):
        tidy = ex.tidy(e, for_reading=True)
        back = ex.parse(text_of(Writer(moving=eq.speeds).formula(tidy)))
        first, second = ex.evaluate([e, back], point)
        assert first == pytest.approx(second, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "x*(long*sin(b)*cos(c) + width*cos(c)*sin(b) + long)",  # begins and ends with one name: the middle was lost
        "(3/7)^b*long",
        "(1/1000000000)^b*0.5^c",
        "long/((-2 - b) + (-5/3 - c))",  # a divisor that is the opposite of a sum stood without its brackets
    ],
)
def test_brackets_hold_what_is_in_them(text):
    e = ex.parse(text)
    values = {s: random.Random(s.name).uniform(0.3, 1.3) for s in ex.free_symbols([e])}
    first, second = ex.evaluate([e, ex.parse(text_of(Writer().formula(e)))], values)
    assert first == pytest.approx(second, rel=1e-12)


def test_written_random_formulas_read_back():
    for seed in range(150):
        rng = random.Random(seed)
        e = _random_formula(rng, rng.randint(3, 6))
        values = {x: random.Random(x.name).uniform(0.3, 1.3) for x in ex.free_symbols([e])}
        first, second = ex.evaluate([e, ex.parse(text_of(Writer(moving=("u",)).formula(e)))], values)
        assert first == pytest.approx(second, rel=1e-7, abs=1e-7), ex.text(e)


def _random_formula(rng, depth):
    """Sums, products, quotients by what is not zero, powers of what is positive."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*ex.symbols("L b long_name u u' q"), *map(ex.const, (2, -3, 0.5, 1.7)), ex.const(3) / 7])
    a, b = _random_formula(rng, depth - 1), _random_formula(rng, depth - 1)
    positive = ex.sin(a) + ex.const(3) / 2
    exponents = [2, -1, -2, ex.HALF, ex.symbol("b") + 1]
    sums = [a + b, a - b, b - a, a + b]
    return rng.choice([*sums, a * b, -a, ex.cos(a), a / (-positive - 1), positive ** rng.choice(exponents),
                       (ex.const(3) / 7) ** ex.symbol("q")])  # fmt: skip


def test_rates_of_quantities_have_dots_in_print():
    assert Notation().latex("ddM_0_4_xy") == "\\ddot{M}_{\\mathrm{0,4,xy}}"
    assert Notation().latex("droot_1") == "\\dot{\\mathrm{root}}_{1}"
    assert Notation().latex("d_1") == "d_{1}"
    assert Notation().latex("elbow.p_th'") == "\\dot{p}_{\\theta,\\mathrm{elbow}}"
    assert (
        Notation().mathml("elbow.p_th")
        == "<msub><mi>p</mi><mrow><mi>θ</mi><mo>,</mo><mtext>elbow</mtext></mrow></msub>"
    )
    assert Notation(rates="primes").latex("dM_0_4_xy") == "M_{\\mathrm{0,4,xy}}'"


def test_notation_is_a_choice():
    eq = da.load(str(EXAMPLES / "double_pendulum.lsd")).equations("kane")
    shown = eq.show("scalar", Notation(rates="primes", coordinates="numbers", definitions="first"))
    assert "q1''" in str(shown)
    assert "shoulder.th''" not in str(shown)
    assert "q_{1}''" in shown.latex()
    assert "\\ddot" not in shown.latex()
    assert "\\ddot{\\theta}_{\\mathrm{shoulder}}" in eq.show("scalar").latex()
    with pytest.raises(da.DalembertError, match="'dots' or 'primes'"):
        Notation(rates="bars")


def test_equations_print_themselves():
    eq = da.load(str(EXAMPLES / "cart_pole.lsd")).equations("kane")
    assert "rail.x''" in str(eq)
    assert "<math" in eq._repr_html_()
    assert "\\ddot" in eq._repr_latex_()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize(
    "name", ["four_bar", "satellite", "arm_6r", "double_pendulum", "gyroscope", "bicycle", "excavator"]
)
def test_columns_of_latex_compile_and_fit(name, tmp_path):
    text = da.load(str(EXAMPLES / f"{name}.lsd")).equations("kane").show("scalar").latex(COLUMN)
    assert_fits(text, tmp_path)


@pytest.mark.parametrize("form", ["sqrt({})", "x/sqrt({})", "2*sqrt({})^3"])
def test_a_long_root_is_a_power_in_whose_brackets_a_line_breaks(form):
    e = ex.parse(form.format(" + ".join(f"a{k}*sin(b{k})" for k in range(9))))
    row = Writer().formula(e)
    assert len(row) > 8
    values = {s: random.Random(s.name).uniform(0.3, 1.3) for s in ex.free_symbols([e])}
    first, second = ex.evaluate([e, ex.parse(text_of(row))], values)
    assert first == pytest.approx(second, rel=1e-12)
    assert text_of(Writer().formula(ex.parse("sqrt(a^2 + b^2)"))) == "sqrt(a^2 + b^2)"


def test_a_list_is_broken_behind_its_commas():
    """The list of the multipliers of a bicycle ran out of a column by half of it."""
    names = [f"\\lambda_{{\\mathrm{{{k},front\\_roll}}}}" for k in range(9)]
    rows = latex_rows(*sides_of(f"\\lambda := ({','.join(names)}, -\\lambda_{{9}}, f(a, b))"), COLUMN, 2.0)
    assert len(rows) > 1
    assert all(row.rstrip().endswith((",", ")")) for row in rows)
    assert "".join(rows).count("lambda_") == 10


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_divisors_of_hamiltonians_fit_a_column_too(tmp_path):
    """A long divisor stood under its line in one piece, and ran out of the column by a sixth of it."""
    names = ("gyroscope", "double_pendulum", "furuta", "cart_pole")
    equations = [da.load(str(EXAMPLES / f"{name}.lsd")).equations("hamilton") for name in names]
    assert_fits("\n\n".join(eq.show("scalar").latex(COLUMN) for eq in equations), tmp_path)


@pytest.mark.parametrize("power", ["", "^2"])
def test_a_long_divisor_is_a_factor_in_which_a_line_breaks(power):
    long = " + ".join(f"a{k}*sin(b{k})" for k in range(6))
    e = ex.parse(f"x/(2*y*({long}){power})")
    row = Writer().formula(e)
    assert len(row) > 8
    assert text_of(row).endswith(f"^(-{power[1:] or 1})")
    values = {s: random.Random(s.name).uniform(0.3, 1.3) for s in ex.free_symbols([e])}
    first, second = ex.evaluate([e, ex.parse(text_of(row))], values)
    assert first == pytest.approx(second, rel=1e-12)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_columns_of_vectors_and_matrices_fit_too(tmp_path):
    """Rows of theorems ran out of the column by five times its width: only the scalar level was broken."""
    texts = [
        da.load(str(EXAMPLES / f"{name}.lsd")).equations(formalism).show(level).latex(COLUMN)
        for name in ("satellite", "four_bar")
        for formalism in ("newton-euler", "kane", "lagrange", "mixed", "recursive")
        for level in ("vector", "matrix")
    ]
    assert_fits("\n\n".join(texts), tmp_path)


def assert_fits(text, tmp_path):
    page = (
        "\\documentclass[10pt]{article}\\usepackage{amsmath}\\usepackage[paperwidth=10cm,paperheight=24cm,margin=5mm]"
    )
    page += "{geometry}\\allowdisplaybreaks\\begin{document}\n" + text + "\n\\end{document}"
    (tmp_path / "x.tex").write_text(page)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    worst = [float(x) for x in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(worst, default=0.0) < 1, worst


def test_rows_of_theorems_are_no_wider_than_a_column_and_keep_their_brackets():
    shown = da.load(str(EXAMPLES / "arm_6r.lsd")).equations("newton-euler").show("vector")
    for line in shown.lines:
        rows = line.latex_rows(COLUMN, 5.0)
        whole = "".join(rows)
        assert whole.count("(") == whole.count(")") == line.latex.count("(")
        assert len(rows) > 1 or len(line.latex) < 400
        assert not any(row.count("\\left") != row.count("\\right") for row in rows)
    (numbers,) = [line for line in shown.formulas if line.in_words]
    assert "6 tool" in numbers.text
    assert f"<td>{numbers.text}</td>" in shown.html()  # a page cut off words in a formula that took two rows
    assert f"numbers of bodies: {numbers.text}".replace("_", "\\_") in shown.latex(COLUMN)


def test_rows_begin_with_a_sign_of_their_own_and_a_factor_with_its_dot():
    bars = da.load(str(EXAMPLES / "four_bar.lsd")).equations("kane").show("scalar").latex(COLUMN)
    assert "& {-}3" in bars
    assert "quad {}- " in bars
    assert "F_{\\mathrm{b,x}}" in bars
    gyro = da.load(str(EXAMPLES / "gyroscope.lsd")).equations("kane").show("scalar").latex(COLUMN)
    assert "{}\\cdot \\sin" in gyro


def test_definitions_see_sums_of_angles():
    shown = str(da.load(str(EXAMPLES / "arm_6r.lsd")).equations("kane").show("scalar"))
    assert "M_0_3_zx := -sin(j2.th + j3.th)" in shown


def test_the_equation_of_the_slide_on_the_satellite_is_that_of_the_thesis():
    """Papegay 2.4, the eighth equation, misprints removed; Kane's own for the speed q8' is the same."""
    lines = derive(Layout.of(satellite()), "kane").show("scalar").lines
    line = next(x for x in lines if x.label == "s3.q8'")
    left, right = (ex.parse(x) for x in line.text.split(" = "))
    thesis = ex.parse(
        "mu4*(c7*vy' + s7*vz' + c7*vx*wz - s7*vx*wy + (s7*vy - c7*vz)*wx - (q8 + z12*s7)*wx^2"
        " - (z12*s7 + q8 - c7^2*q8 + s7*c7*c9*z34)*wy^2 + (s7*c7*c9*z34 - c7^2*q8)*wz^2"
        " + s7*s9*z34*wx*wz + c7*s9*z34*wx*wy + (2*c7^2*c9*z34 - c9*z34 + z12*c7 + 2*s7*c7*q8)*wy*wz - 2*q8*wx*q7'"
        " - (c9*z34 + z12*c7)*wx' - s7*s9*z34*wy' + c7*s9*z34*wz' + 2*(s9*wx - s7*c9*wy + c7*c9*wz)*z34*q9'"
        " + 2*s9*z34*q7'*q9' - q8*q7'^2 - c9*z34*q7'' + q8'') - F23 - c7*F4y - s7*F4z"
    )
    named = {f"{v}{mark}": f"s1.{v}{mark}" for v in ("vx", "vy", "vz", "wx", "wy", "wz") for mark in ("", "'")}
    named |= {f"q{k}{mark}": f"s{b}.q{k}{mark}" for k, b in ((7, 2), (8, 3), (9, 4)) for mark in ("", "'", "''")}
    named |= {"c7": "cos(s2.q7)", "s7": "sin(s2.q7)", "c9": "cos(s4.q9)", "s9": "sin(s4.q9)"}
    thesis = ex.substitute([thesis], {ex.symbol(k): ex.parse(v) for k, v in named.items()})[0]
    assert len(set(ex.fingerprints([left - right, thesis]))) == 1


def test_the_table_of_partial_velocities_is_that_of_the_thesis():
    """Papegay L3327 in joint rates: those of the reflector for q7, q8, q9, in its own axes."""
    eq = derive(Layout.of(satellite()), "kane")
    shown = eq.partial_velocities()
    found = {x.text.split(" = ")[0]: ex.parse(x.text.split(" = ")[1]) for x in shown.lines}
    place = {u: k for k, u in enumerate(eq.speeds, 1)}
    q7, q8, q9 = (place[u] for u in ("s2.q7'", "s3.q8'", "s4.q9'"))
    assert found[f"V4_y_{q8}"] is ex.ONE
    assert f"V4_x_{q8}" not in found
    assert found[f"V4_x_{q9}"] is ex.symbol("z34")
    expected = ex.parse("-z34*cos(s4.q9)"), ex.parse("-s3.q8*sin(s4.q9)"), ex.parse("s3.q8*cos(s4.q9)")
    for axis, value in zip("yxz", expected, strict=True):
        assert len(set(ex.fingerprints([found[f"V4_{axis}_{q7}"], value]))) == 1
    assert "partial velocity of the centre of S4 for s2.q7'" in str(shown)


def test_a_name_of_several_letters_stands_apart_from_the_factor_after_it():
    """Set in one line, ap times e must not read as ape."""
    m = da.Mechanism("bob")
    m.join(da.earth, m.body("bob", mass="mp", centre=["ap", "e", 0]), da.revolute("z"), name="pin")
    m.gravity = ["g*ap*e", 0, 0]
    latex = m.equations("kane").show("scalar").latex()
    assert "\\mathrm{ap}" in latex
    assert not re.search(r"\\mathrm\{\w+\}(\^\{\d\})? ?[a-z(]", latex)


@pytest.mark.parametrize(("seed", "name"), [*enumerate(x for x in formalism_names() if x != "hamilton")])
def test_the_printed_scalar_level_is_the_equations_themselves(seed, name):
    """Read back as text, definitions and all, of a random machine at a random state: each line is M u' - S - F."""
    from random_mechanisms import random_tree

    eq = derive(Layout.of(random_tree(seed, 2)), name)
    primes = [ex.prime(u) for u in eq.tree.speeds]
    residuals = [ex.dot_product(list(row), primes) - r for row, r in zip(eq.mass_matrix, eq.right_side, strict=True)]
    shown = eq.show("scalar")
    defined = dict(line.text.split(" := ", 1) for line in shown.formulas if " := " in line.text)
    moving = [*eq.tree.coordinates, *eq.tree.speeds, ex.TIME]
    named = ex.free_symbols([*residuals, *eq.rates]) | {*moving, *primes}
    point = {x: random.Random(x.name).uniform(0.3, 1.3) for x in named}
    for q, rate in zip(eq.tree.coordinates, ex.evaluate(list(eq.rates), point), strict=True):
        point.setdefault(ex.prime(q), rate)

    def value(text):
        e = ex.parse(text)
        for x in ex.free_symbols([e]):
            if x not in point:
                point[x] = value(defined[x.name])  # a name without a definition is an error
        return ex.evaluate([e], {x: point[x] for x in ex.free_symbols([e])})[0]

    expected = ex.evaluate(residuals, point)
    lines = [line.text.split(" = ") for line in shown.lines if " = " in line.text]
    assert len(lines) >= len(expected)  # and those of the rates of coordinates
    for known, (left, right) in zip(expected, lines, strict=False):
        a, b = value(left), value(right)
        assert abs(a - b - known) <= 1e-9 * (1 + abs(a) + abs(b))
