"""Efforts in LSD: springs between frames, formulas of any coordinate and of the places of frames, unique names."""

from __future__ import annotations

import pytest

from dalembert import expr as ex
from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd.format import format_text
from dalembert.mechanism import Bushing, Layout, Spring, TorsionSpring
from random_mechanisms import random_tree

TWO = """
let arm = body mass = 1, iframe = [0.5, 0, 0], inertia = 0 end ;
let cart = body mass = 2, iframe = 0, inertia = 0 end ;
let tip = [1, 0, 0] @ arm ;
join earth and arm.frame with link(th) dof = th || [0, 0, 1] end as hinge ;
join earth and cart.frame with link(x) dof = [x, 0, 0] end as rail ;
"""


def faults(text: str) -> list[str]:
    with pytest.raises(LsdError) as caught:
        lsd.loads(text)
    return [f"{d.line}:{d.column} {d.message}" for d in caught.value.diagnostics if d.severity == "error"]


def same(m):
    text = lsd.to_lsd(m)
    assert lsd.loads(text) == m, text


def test_springs_of_every_kind_are_read_and_printed():
    m = lsd.loads(
        TWO
        + """
    spring tip and cart.frame with stiffness = k, damping = 0.1, length = l0, force = F - mu*l'*l as strut ;
    torsion arm.frame and cart.frame with axis = [0, 0, 2], stiffness = 3, angle = pi/4, torque = -c*th' ;
    bushing earth and tip with stiffness = 100, turning = [1, 2, 3] as mount ;
    given k = 5, l0 = 1 ;
    """
    )
    strut, _, mount = m.efforts
    assert [type(e) for e in m.efforts] == [Spring, TorsionSpring, Bushing]
    assert [e.name for e in m.efforts] == ["strut", "torsion_1", "mount"]
    assert strut.first == m.frames["tip"]
    assert m.parameters() == ("F", "c", "k", "l0", "mu")
    assert [x.value for x in mount.stiffness] == [100, 100, 100]
    same(m)


def test_words_of_the_new_declarations_are_still_names():
    m = lsd.loads(
        "let spring = 2 ; let b = body mass = spring*torsion, iframe = 0, inertia = 0 end ;"
        "join earth and b.frame with link(bushing) dof = [bushing, 0, 0] end ; given torsion = 1 ;"
    )
    assert m.parameters() == ("torsion",)
    assert m.links["b"].coordinates == ("b.bushing",)


def test_an_effort_may_use_coordinates_rates_and_places_without_quotes():
    m = lsd.loads(
        TWO + "apply force value = [-k*(cart.X - tip.X) - c*(rail.x' - tip.X'), hinge.th*t, 0], body = earth end"
        " on cart.frame ;"
    )
    names = {"cart.X", "tip.X", "rail.x'", "tip.X'", "hinge.th", "t"}
    assert names <= m.freeze().symbols
    assert m.parameters() == ("c", "k")
    same(m)
    assert "`" not in lsd.to_lsd(m)


def test_a_joint_may_push_by_the_coordinate_of_another():
    m = lsd.loads(
        "let a = body mass = 1, iframe = 0, inertia = 0 end ; let b = body mass = 1, iframe = 0, inertia = 0 end ;"
        "join earth and a.frame with link(x) dof = [x, 0, 0], effort = -k*(x - b.x) - c*(x' - b.x') end ;"
        "join earth and b.frame with link(x) dof = [x, 0, 0] end ;"
    )
    asked = ex.parse("c*(b.x' - a.x') + k*(b.x - a.x)")
    values = {x: 0.3 + 0.1 * i for i, x in enumerate(sorted(ex.free_symbols([asked]), key=str))}
    found, wanted = ex.evaluate([m.links["a"].placed_efforts()["a.x"], asked], values)
    assert abs(found - wanted) < 1e-14
    same(m)


def test_a_quantity_that_nothing_has_is_told_where_it_stands():
    assert faults(TWO + "apply force value = [hinge.x, 0, 0] end on tip ;")[0].startswith("7:22 'hinge.x' is neither")
    assert faults(TWO + "apply force value = [arm.colour, 0, 0] end on tip ;") == [
        "7:26 not a field: a body has no colour to read"
    ]
    assert faults(TWO + "apply force value = [hinge.th'', 0, 0] end on tip ;")[0].startswith("7:22 a formula may use")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("let arm = body mass = 1 end ;", "7:5 the body name arm is used twice"),
        ("let tip = [0, 0, 1] @ cart ;", "7:5 the frame name tip is used twice"),
        ("let cart = [0, 0, 1] @ cart ;", "7:5 cart is a body already"),
        ("join earth and arm.frame with link end as rail ;", "7:1 the link name 'rail' is used twice"),
        ("apply torque value = [0,0,1] end on arm as rail ;", "7:1 'rail' is a link of"),
        ("apply torque value = [0,0,1] end on arm as total ;", "7:1 'total' cannot name a torque"),
        ("spring tip and arm.frame with stiffness = 1 ;", "7:1 spring 'spring_1' acts between 'arm' and itself"),
        ("spring tip and cart.frame with mass = 1 ;", "7:32 wrong component: a spring has no field mass"),
        ("let late = [t, 0, 0] @ arm ;", "7:5 frame 'late' depends on 't', which moves"),
        ("let late = [hinge.th, 0, 0] @ arm ;", "7:5 frame 'late' depends on 'hinge.th'"),
        ("apply force value = [`t`, 0, 0] end on tip ;", "7:22 t is the time"),
    ],
)
def test_names_and_frames_that_cannot_be_are_told_where_they_stand(text, told):
    assert faults(TWO + text)[0].startswith(told)


def test_a_displacement_by_a_rate_is_refused():
    text = "let b = body mass = 1 end ;\njoin earth and b.frame with link(x) dof = [x, 0, x'] end ;"
    assert faults(text)[0].startswith("2:1 link 'b' is displaced by 'b.x''")


@pytest.mark.parametrize(
    "word", ["given m = 1 ;", "start b.x = 1 ;", "gravity [0,0,-1] ;", "spring earth and b.frame with stiffness = 1 ;"]
)
def test_a_semicolon_forgotten_before_a_soft_word_is_told(word):
    text = "let b = body mass = m, iframe = 0, inertia = 0 end ;\njoin earth and b.frame with link(x) dof = [x,0,0] end"
    assert faults(f"{text}\n{word}")[0].endswith("missing `;` after this declaration")
    assert faults(f"{text} ;\ngiven k = 1\n{word}")[0] == "3:11 missing `;` after this declaration"


def test_the_layout_of_springs():
    assert format_text("spring a and b with  stiffness=k,force= -l' as s;") == (
        "spring a and b with stiffness = k, force = -l' as s ;\n"
    )


@pytest.mark.parametrize("seed", range(10))
def test_random_mechanisms_with_springs_survive_printing(seed):
    m = random_tree(seed, bodies=3)
    a, b, c = [m.bodies[f"b{k}"] for k in (1, 2, 3)]
    m.frame("tip", a.at([1, 0, 0]))
    m.spring(m.frames["tip"], b.at([0, 1, 0]), stiffness="k", length=0.3, force="q*l**2 - l'")
    m.torsion_spring(b, c, [1, 2, 3], stiffness=2, torque="sin(th) - tip.X*th'")
    m.bushing(a, c.at([0, 0, 1]), stiffness=[1, "k", 3], turning_damping=0.1)
    Layout.of(m)
    same(m)
