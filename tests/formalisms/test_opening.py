"""One level opened into the next at one place."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.formalisms import derive
from dalembert.mechanism import Layout
from formalisms.satellite import satellite
from formalisms.test_parts import of_matrices, read_back, some_state

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_one_velocity_is_opened_where_it_is_used():
    eq = derive(Layout.of(satellite()), "newton-euler")
    shown = eq.show("vector")
    before = str(shown)
    after = str(shown.open("gamma(G4)"))
    assert re.search(r"mu4\*gamma\(G4\)", before)
    assert "gamma(G4)" not in after
    assert "gamma(O4)" in after
    assert str(shown) == before
    assert str(shown.open("Gamma_4")) == after  # as it is spelled beside the thesis' names
    with pytest.raises(da.DalembertError, match="defines no 'gamma_44'"):
        shown.open("gamma_44")


def test_all_definitions_of_a_level_are_opened():
    eq = derive(Layout.of(satellite()), "newton-euler")
    done = eq.show("vector").open()
    assert not any(" := " in line.text for line in done.formulas)
    assert "gamma(" not in "".join(line.text for line in done.lines)


def test_a_name_of_the_next_level_brings_its_line():
    eq = derive(Layout.of(satellite()), "kane")
    assert "M_0_4 :=" not in str(eq.show("vector"))
    assert "M_0_4 := M_0_3*M_3_4" in str(eq.open("M_0_4", level="vector"))
    with pytest.raises(da.DalembertError, match="defines no 'omega44'"):
        eq.open("omega44", level="vector")


@pytest.mark.parametrize("count", [3, 40, None])
def test_opened_scalar_equations_are_the_same_equations(count):
    eq = da.load(str(EXAMPLES / "satellite.lsd")).equations("kane")
    shown = eq.show("scalar")
    names = [line.text.split(" := ")[0] for line in shown.formulas]
    chosen = random.Random(1).sample(names, count) if count else names[-60:]
    done = shown.open(*chosen)
    assert len(done.formulas) == len(names) - len(chosen)
    state = some_state(eq, 2)
    expected = of_matrices(eq, state)
    assert np.abs(read_back(eq, done, state) - expected).max() < 1e-8 * (1 + np.abs(expected).max())
    used = {x.name for line in done.lines for x in ex.free_symbols([ex.parse(t) for t in line.text.split(" = ")])}
    assert not used & set(chosen)


def test_a_list_of_names_is_told_to_be_one():
    shown = da.load(str(EXAMPLES / "four_bar.lsd")).equations("kane").show("vector")
    with pytest.raises(da.DalembertError, match=r"'Lambda' is a list of names.*\(b.Fx, b.Fy\)"):
        shown.open("Lambda")
