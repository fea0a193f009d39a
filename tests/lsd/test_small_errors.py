"""Small errors that nobody had seen in the language: spaces, names of unknowns, frames that functions make."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.lsd.elaborate import elaborate
from dalembert.lsd.format import format_text
from dalembert.lsd.places import Unknowns
from dalembert.lsd.reading import check


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


@pytest.mark.parametrize("before", ["", "let a = 2 ;", "let a = 2 ; let c = 3 ;"])
@pytest.mark.parametrize("fault", ["mass = ]", "mass = 1 2", ") mass = 1"])
def test_a_body_whose_declaration_is_broken_is_not_missed_where_it_is_used(before, fault):
    with pytest.raises(da.LsdError) as told:
        da.loads(f"{before}\nlet b = body {fault} end ;\njoin earth and b.frame with none as j ;\n")
    assert "unbound variable none" in str(told.value)
    assert "unbound variable b" not in str(told.value)


@pytest.mark.parametrize("axis", [(1, 1, 0), (0, 3, 4), (0.6, 0.8, 0), (2, -1, 2)])
def test_a_hinge_about_an_axis_of_any_length_turns_by_its_angle(axis):
    """R a = a and tr R = 1 + 2 cos th, whatever the length of a: else the body would be stretched."""
    m = da.loads(
        'use "joints.lsd" ;\nlet b = body mass = 1, iframe = [0, 0, 0], inertia = [1, 1, 1] end ;\n'
        f"join earth and b.frame with revolute({list(axis)}) as j ;\n"
    )
    motion = m.simulate((0, 1), start={"j.th": 0.3, "j.th'": 1.0}, t_eval=[0, 1])
    turned = np.array([[motion[f"b.R{i}{k}"][-1] for k in (1, 2, 3)] for i in (1, 2, 3)])
    np.testing.assert_allclose(turned @ axis, axis, atol=1e-9)
    assert np.trace(turned) == pytest.approx(1 + 2 * np.cos(1.3), abs=1e-9)


@pytest.mark.parametrize(("given", "missing"), [((1, 3), 2), ((2, 3), 1), ((1, 2, 4), 3)])
def test_the_first_dof_that_is_missing_is_named(given, missing):
    dofs = ", ".join(f"dof{k} = [{x}, 0, 0]" for k, x in zip(given, "xyz", strict=False))
    body, names = "let b = body mass = 1, iframe = 0 end ;\n", ", ".join("xyz"[: len(given)])
    with pytest.raises(da.LsdError, match=f"dof{missing} is missing"):
        da.loads(f"{body}join earth and b.frame with link({names}) {dofs} end as j ;\n")


def test_values_that_nothing_depends_on_are_told_and_parts_of_a_vector_are_not():
    checked = check(
        'use "joints.lsd" ;\nlet b = body mass = m, iframe = c, inertia = [1, 1, 1] end ;\n'
        "join earth and b.frame with revolute([0, 0, 1]) as j ;\n"
        "given m = 1, c_x = 0, c_y = 0, c_z = 0.5, m_x = 3 ;\n"
    )
    elaborate(checked, da.Mechanism())
    assert [x.message for x in checked.report.items] == ["nothing in the mechanism depends on m_x"]


def test_two_names_of_one_place_stay_themselves_and_a_place_without_a_name_takes_one():
    start = (
        'use "joints.lsd" ;\nlet b = body mass = 1, iframe = [0, 0, 0], inertia = [1, 1, 1] end ;\n'
        "join earth and b.frame with link(x, y) dof = [x, y, 0] end as j ;\n"
    )
    named = "let tip = [0, 0, 1] @ b ; let top = [0, 0, 1] @ b ;\n"
    asked = "constrain pos({}, x) = 0 as c ;\nconstrain pos({}, y) = 0 as d ;\n"
    for head, pair, told in (
        (named, ("tip", "top"), ("tip", "top")),
        (named, ("[0, 0, 1] @ b", "top"), ("tip", "top")),
        ("", ("[0, 0, 1] @ b", "[0, 0, 1] @ b"), ("b_at_1", "b_at_1")),
    ):
        made = da.loads(start + head + asked.format(*pair)).constraints
        assert [str(c.expressions[0]) for c in made] == [f"pos({told[0]}, x)", f"pos({told[1]}, y)"]
