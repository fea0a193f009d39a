"""Contacts in LSD: every form is read, printed and read again; faults have their place and a hint."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd.format import format_text
from dalembert.mechanism import Gap

PROGRAM = """
let ball = body mass = 1, iframe = 0, inertia = [0.1, 0.1, 0.1] end ;
let tip = [0, 0, 1] @ ball ;
let ramp = [0, 0, -2] ++ 0.3 || [1, 0, 0] @ earth ;
join earth and ball.frame with link(x, z, th) dof1 = [x, 0, z], dof2 = th || [0, 1, 0] end as p ;
contact p.z - 0.1*sin(w*t) >= h restitution 0.5 as floor ;
contact tip.X >= -3 friction 0.2 static 0.4 slip tip.Z', p.th' as wall ;
contact pos(tip, z) >= 0 as point ;
contact sphere(ball, r) and plane(ramp) restitution e friction 0.3 as ramp_contact ;
contact box(ball, [1, 2, 3]) and plane(earth) as box ;
contact capsule(tip, 0.1, 2) and plane([0, 0, 1] @ earth) ;
contact cylinder(ball, 0.5) and plane(earth) as can ;
limit p.th in [-1, pi/2] restitution 0.2 ;
limit p.x in [-l, l] as stop ;
given w = 2, h = 0, r = 0.3, e = 0.9, l = 5 ;
"""


def test_every_contact_is_read_as_it_is_written():
    m = lsd.loads(PROGRAM)
    found = {one.name: one for one in m.contacts}
    assert len([name for name in found if name.startswith("box_")]) == 8
    assert {
        "floor",
        "wall",
        "point",
        "ramp_contact",
        "can_1",
        "p_th_low",
        "p_th_high",
        "stop_low",
        "stop_high",
    } <= found.keys()
    assert {"contact_1_1", "contact_1_2"} <= found.keys()
    assert isinstance(found["wall"].place, Gap)
    assert len(found["wall"].place.slip) == 2
    assert str(found["wall"].static) == "0.4"
    assert found["ramp_contact"].place.first.frame.body == "ball"
    assert m.parameters() == ("e", "h", "l", "r", "w")


def test_printed_contacts_read_back_equal_and_the_format_keeps_them():
    m = lsd.loads(PROGRAM)
    text = lsd.to_lsd(m)
    assert lsd.loads(text) == m
    assert lsd.to_lsd(lsd.loads(text)) == text
    assert lsd.loads(format_text(PROGRAM)) == m
    assert format_text(format_text(PROGRAM)) == format_text(PROGRAM)


BALL = "let b = body mass = 1 end ; join earth and b.frame with link(x) dof = [0,0,x] end as q ; "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("contact q.x >= 0 restitution 1.5 as lid ;", "would create energy"),
        ("contact q.x >= 0 restitution 0.5 restitution 0.5 ;", "said twice"),
        ("contact q.x >= 0 friction 0.3 ;", "nothing says how it slides"),
        ("contact q.x and plane(earth) ;", "expected a shape"),
        ("contact sphere(b, 1) and plane(earth) slip q.x' ;", "follows from them"),
        ("contact sphere(b, [1, 2, 3]) and plane(earth) ;", "radius of a sphere"),
        ("contact sphere(1, 2) and plane(earth) ;", "expected a body or a frame"),
        ("contact plane(b) and plane(earth) ;", "plane against plane"),
        ("limit q.x in [0, 1] friction 0.3 ;", "has no friction"),
        ("limit q.x in [1, 0] ;", "leave no room"),
        ("contact q.y >= 0 ;", "q.y"),
        ("contact h - 1 >= 0 as lid ; given h = 2 ;", "no coordinate moves it"),
        ("contact q.x' >= 0 as lid ;", "a gap depends on positions"),
    ],
)
def test_faults_have_a_place_and_a_sentence(text, message):
    with pytest.raises(LsdError, match=message) as caught:
        lsd.loads(BALL + text)
    assert caught.value.diagnostics


def test_words_of_contacts_are_names_elsewhere():
    m = lsd.loads(
        "let slip = 2 ; let limit = body mass = slip end ; join earth and limit.frame with link end as contact ;"
    )
    assert list(m.links) == ["contact"]


def test_a_program_bounces():
    text = BALL + "contact q.x >= 0 restitution 0.5 as floor ; gravity [0, 0, -9.81] ; start q.x = 1 ;"
    mo = da.loads(text).simulate((0, 2))
    assert mo.contacts.times()["floor.accumulation"][0] == pytest.approx(3 * (2 / 9.81) ** 0.5)
