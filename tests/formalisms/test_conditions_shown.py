"""Conditions that are formulas at the vector and the matrix level: what is shown acts as W^T lambda on the speeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.formalisms.levels import vocabulary
from dalembert.presentation.legend import kind_of, undefined

FOLDER = Path(__file__).parents[2] / "examples" / "constraints"
FORMALISMS = ("newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "mixed", "recursive")
SOME = (
    "atwood",
    "ball_on_turntable",
    "billiard_slides",
    "car",
    "planetary",
    "rolling_disc",
    "servo_discs",
    "tippe_top",
)


@pytest.mark.parametrize("name", SOME)
def test_forces_on_bodies_and_efforts_in_joints_have_the_power_of_the_reactions(name):
    m = da.load(FOLDER / f"{name}.lsd")
    eq = m.equations("kane")
    words, u = vocabulary(eq), list(eq.tree.speeds)
    fields, efforts = [], []
    for i in words.bodies():
        for push, motion in ((f"H{i}", f"v(G{i})"), (f"L{i}", f"omega{i}")):
            if al.vector(push) in words.vectors and words.vector(motion) != al.zero(al.vector("x").sort):
                fields += words.evaluate(words.vector(motion))
                efforts += words.evaluate(words.vector(push))
    total = list(words.motor_column())
    total = [a - b for a, b in zip(total, vocabulary(eq, bodies=False).motor_column(), strict=True)]
    for velocity, effort in zip(fields, efforts, strict=True):
        total = [a + effort * slope for a, slope in zip(total, ex.gradient(velocity, u), strict=True)]
    wanted = eq.rows.efforts_of([ex.symbol(x) for x in eq.rows.names])
    rng = np.random.default_rng(3)
    values = {x: float(rng.uniform(0.3, 1.2)) for x in ex.free_symbols([*total, *wanted])}
    values |= {x: values[ex.symbol(x.name[1:-1])] for x in values if x.name.startswith("|")}
    for group in eq.layout.state.quaternions:
        length = np.sqrt(sum(values.get(ex.symbol(x), 0.0) ** 2 for x in group))
        values |= {ex.symbol(x): values.get(ex.symbol(x), 0.0) / length for x in group}
    assert np.allclose(*(np.array(ex.evaluate(part, values)) for part in (total, wanted)), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_every_formalism_shows_conditions_and_multipliers_at_every_level(formalism):
    m = da.Mechanism("discs")
    for k in "ab":
        m.join(da.earth, m.body(k, inertia=[1, 1, 2]), da.revolute("z"), name=k)
    m.constrain("a.th = b.th", by="b.th", name="servo")
    for level in ("vector", "matrix", "scalar"):
        shown = m.equations(formalism).show(level=level)
        text = str(shown)
        assert "servo.lambda" in text
        assert "G*u' = gamma_c" in text or "a.th'' - b.th'' = 0" in text
        assert shown._repr_latex_()
        assert "<math" in shown._repr_html_()


def test_rows_are_written_out_entry_by_entry():
    m = da.Mechanism("discs")
    for k in "ab":
        m.join(da.earth, m.body(k, inertia=[1, 1, 2]), da.revolute("z"), name=k)
    m.gear("a.th", "b.th", 3, name="gear")
    text = str(m.equations("kane").show(level="matrix"))
    assert "M*u' = S + F + G^T*lambda" in text
    assert "G := [1, 3]" in text
    m.constrain("a.th' = cos(t)", by="d(b.th)", name="law")
    text = str(m.equations("kane").show(level="matrix"))
    assert "W^T*lambda" in text
    assert "G := [1, 3; 1, 0]" in text
    assert "W := [1, 3; 0, 1]" in text


def test_long_rows_are_told_whole_with_every_name_in_them():
    """An entry too long for its line was cut in print, with names in it that nothing defined."""
    path = Path(__file__).parents[2] / "examples" / "constraints" / "crane_path.lsd"
    shown = da.load(str(path)).equations("mixed").show("matrix")
    assert "see listing" not in str(shown)
    assert not [x for x in undefined([*shown.lines, *shown.formulas]) if kind_of(x)[0] == "z"]


def test_beside_closed_loops_both_kinds_of_reactions_are_shown():
    from parallelograms import parallelogram

    m = da.Mechanism("driven")
    m.__dict__.update(parallelogram().__dict__)
    m.drive("a.th", "0.7 + 0.2*t", name="motor")
    text = str(m.equations("kane").show(level="matrix"))
    assert "M*u' = S + F + D^T*Lambda + G^T*lambda" in text
    assert "D*u' = gamma " in text
    assert "G*u' = gamma_c" in text
    text = str(m.equations("lagrange").show(level="vector"))
    assert "Q(a.th) := motor.lambda" in text
    assert "R" in text
