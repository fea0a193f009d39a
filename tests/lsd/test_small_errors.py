"""Small errors that nobody had seen in the language: spaces, names of unknowns, frames that functions make."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.lsd.format import format_text
from dalembert.lsd.places import Unknowns


@pytest.mark.parametrize(
    "line",
    [
        "gravity [0, 0, -9.81] ;",
        "let v = a[1] + [1, 2, 3][2] ;",
        "join earth and b.frame with revolute([0, 0, 1]) as j ;",
        "let f = -x * (a + b)^2 ;",
    ],
)
def test_brackets_of_indices_stand_tight_and_those_of_vectors_do_not(line):
    assert format_text(line + "\n") == line + "\n"
    assert format_text(line.replace(" [", "[").replace("a[", "a [") + "\n") == line + "\n"


def test_an_unknown_has_the_name_of_its_place_and_several_in_one_formula_have_ranks():
    a, b, c = (ex.symbol(f"?{k}") for k in range(3))
    found = Unknowns({a: 0, b: 1, c: 2})
    found.scalar("alone", a)
    found.scalar("sum", 2 * b + c)
    assert found.names == {a: "alone", b: "sum_1", c: "sum_2"}


WHEEL = """use "joints.lsd" ;
let hub(b : body) = b.frame ;
let wheel = body mass = 1, iframe = [0, 0, 0], inertia = [1, 1, 1] end ;
join earth and wheel.frame with revolute([0, 0, 1]) as j ;
roll {hub} on earth with radius = 0.3 as rolls ;
"""


def test_a_frame_that_a_function_makes_rolls_as_the_frame_does():
    """A call is a shape only by its word."""
    one, two = (da.loads(WHEEL.format(hub=hub)) for hub in ("hub(wheel)", "wheel"))
    assert [c.name for c in one.constraints] == [c.name for c in two.constraints]


def test_rates_of_formulas_come_back_from_their_text():
    m = da.Mechanism("m")
    m.join(da.earth, m.body("b", mass=1), da.planar(), name="p")
    m.constrain("rate(sin(p.x)*p.y) - f(p.x, t)", name="c")
    text = m.to_lsd()
    assert "rate(" in text
    assert "f(p.x, t)" in text
    again = da.loads(text).to_lsd()
    assert again.splitlines()[1:] == text.splitlines()[1:]  # the first names the machine
