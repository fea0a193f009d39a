"""Formulas on pages say what those on paper say: MathML is set from the LaTeX of each line."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.presentation import plain
from dalembert.presentation.mathml import mathml_of

ROOT = Path(__file__).parents[2]
MACHINES = ["four_bar", "constraints/sleigh", "double_pendulum"]


def words(markup: str) -> str:
    """What a reader sees, without layout."""
    return "".join(ET.fromstring(f"<math>{markup}</math>").itertext())


@pytest.mark.parametrize("machine", MACHINES)
def test_every_line_of_every_formalism_is_set_whole(machine):
    m = da.load(ROOT / f"examples/{machine}.lsd")
    for formalism in ("newton-euler", "lagrange", "kane", "hamilton"):
        found = m.equations(formalism)
        for level in ("vector", "matrix", "scalar"):
            shown = found.show(level)
            for line in (*shown.lines, *shown.formulas):
                assert "\\" not in words(line.mathml)
                assert words("".join(line.mathml_parts)) == words(line.mathml)
                names = re.findall(r"\\mathrm\{([^{}]*)\}", line.latex)
                assert [n for n in names if n.replace("\\", "") not in words(line.mathml)] == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("sin(elbow.th)^2*m1", "m1sin(θelbow)2"),
        ("sqrt(a^2 + b)", "a2+b"),
        ("-(x + y)/2", "−12(x+y)"),
        ("elbow.th''", "θ¨elbow"),
        ("2.5*cos(t)", "2.5cos(t)"),
    ],
)
def test_formulas_are_read_as_they_are_written(text, seen):
    assert sorted(words(mathml_of(ex.latex(ex.parse(text))))) == sorted(seen)


def test_fractions_indices_accents_and_tables_nest():
    assert "<mfrac>" in mathml_of(r"\frac{a}{b}")
    assert "<msubsup><mi>x</mi><mi>k</mi><mn>2</mn></msubsup>" in mathml_of("x_k^2")
    assert mathml_of(r"\begin{bmatrix}a & b \\ c & d\end{bmatrix}").count("<mtd>") == 4
    assert "𝝎" in mathml_of(r"\boldsymbol{\omega}_{1}")


def test_lines_break_before_signs_and_in_brackets_only_where_they_are_long():
    short = plain("", "", r"a + \left(b + c\right) - f(x + y) = d")
    assert len(short.mathml_parts) == 4
    long = plain("", "", "a = \\left(" + " + ".join(f"\\boldsymbol{{F}}_{{{k}}}" for k in range(30)) + "\\right)")
    assert len(long.mathml_parts) > 3
    assert "".join(long.mathml_parts).count("𝑭") == 30


def test_exponents_stand_above_indices_and_signs_keep_their_spaces():
    eq = da.load(ROOT / "examples/four_bar.lsd").equations("lagrange")
    text = "".join(part for line in eq.show("scalar").lines for part in line.mathml_parts)
    assert "<msubsup>" in text
    assert "<msup><mrow><msub>" not in text
    assert '<mo form="infix">=</mo>' in text


def test_pieces_of_a_page_part_products_only_if_they_must():
    """`3 cos(pivot.th)` within a bracket was parted, although signs stood beside it."""
    eq = da.load(ROOT / "examples/four_bar.lsd").equations("lagrange")
    parts = [part for line in eq.show("scalar").lines for part in line.mathml_parts]
    assert not [part for part in parts if part.startswith("<mspace")]


@pytest.mark.parametrize(
    "latex",
    ["", "}", "{", "^", "_", r"\frac", r"\left(", r"\right)", r"\begin{bmatrix}", r"\end{x}", "&", "<b>", "a}b"],
)
def test_whatever_comes_is_well_formed(latex):
    ET.fromstring(f"<math>{mathml_of(latex)}</math>")
    pieces = "".join(plain("", "", latex).mathml_parts)
    ET.fromstring(f"<math>{pieces}</math>")
