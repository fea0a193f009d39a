"""Constraints in LSD: every form is read, printed and read again; faults have their place and a hint."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd.format import format_text
from dalembert.mechanism import Along, Coulomb, Holonomic, Kinematic

TWO = """
let arm = body mass = 1, iframe = [0.5, 0, 0], inertia = 0 end ;
let cart = body mass = 2, iframe = 0, inertia = 0 end ;
let tip = [1, 0, 0] @ arm ;
join earth and arm.frame with link(th) dof = th || [0, 0, 1] end as hinge ;
join earth and cart.frame with link(x) dof = [x, 0, 0] end as rail ;
"""
PROGRAM = (
    TWO
    + """
constrain hinge.th = 2*rail.x + 0.1*sin(t) by rail.x as servo ;
drive rail.x' = w by torque on arm about [0, 0, 1] as motor ;
drive hinge.th = 0.3*sin(2*t) as shoulder ;
constrain pos(tip, x) = rail.x, pos(tip, y, cart) = 1 by d(hinge.th), d(pos(tip, x)) + 2*d(rail.x) as both ;
constrain vel(tip, x, arm)^2 + omega(arm, z)^2 = 1 as bent ;
constrain rate(dist(tip, cart)) = axis(arm, x, y) - 1 by force on tip along [0, 1, 0] as odd ;
constrain dist(tip, [0, 1, 0] @ cart) = 2 by coulomb(0.3, rail.x') ;
roll arm on earth with radius = 0.3 as wheel ;
roll cart on tip with radii = [1, 2, 3] ;
gear hinge.th and rail.x with ratio = 3 ;
rope tip, earth, cart with length = 3 as line ;
given w = 2 ;
"""
)


def test_every_constraint_is_read_as_it_is_written():
    m = lsd.loads(PROGRAM)
    found = {one.name: one for one in m.constraints}
    assert found["servo"].reaction == Along(found["servo"].reaction.forms)
    assert isinstance(found["servo"].condition, Holonomic)
    assert isinstance(found["motor"].condition, Kinematic)
    assert [str(x) for x in found["motor"].reaction.forms] == ["d(omega(arm, z, arm))"]
    assert [str(x) for x in found["shoulder"].reaction.forms] == ["d(hinge.th)"]
    assert len(found["both"].expressions) == len(found["both"].reaction.forms) == 2
    assert isinstance(found["constraint_1"].reaction, Coulomb)
    assert {"wheel", "wheel_contact", "roll_1", "roll_1_contact", "gear_1", "line"} <= found.keys()
    assert m.parameters() == ("w",)


def test_printed_constraints_read_back_equal_and_the_format_keeps_them():
    m = lsd.loads(PROGRAM)
    text = lsd.to_lsd(m)
    assert lsd.loads(text) == m
    assert lsd.to_lsd(lsd.loads(text)) == text
    assert "drive hinge.th = " in text
    shaped = format_text(PROGRAM)
    assert lsd.loads(shaped) == m
    assert format_text(shaped) == shaped


def test_the_builder_says_the_same_as_the_language():
    m = lsd.loads(TWO + "constrain vel(tip, x, arm) = 2*rail.x' by d(rail.x) as a ; drive hinge.th = t as b ;")
    other = lsd.loads(TWO)
    other.constrain("vel(tip, x, arm) = 2*rail.x'", by="d(rail.x)", name="a")
    other.drive("hinge.th", "t", name="b")
    assert m == other


def test_words_of_constraints_are_still_names_elsewhere():
    m = lsd.loads(TWO + "given by = 1, drive = 2 ; apply force value = [by, drive*roll, along] end on tip ;")
    assert set(m.parameters()) == {"by", "drive", "roll", "along"}


FAULTS = [
    ("constrain hinge.th = rale.x ;", "1:22", "'rale.x' is neither a coordinate"),
    ("constrain vel(tup, x) = 0 ;", "1:15", "unbound variable tup"),
    ("constrain vel(tip, q) = 0 ;", "1:20", "asks here for an axis"),
    ("constrain vel(tip) = 0 ;", "1:11", "expected a scalar, this is a vector"),
    ("constrain hinge.th = 0 by d(hinge.th), rail.x ;", "1:1", "1 condition and 2 reactions"),
    ("constrain hinge.th = hinge.th ;", "1:1", "holds always"),
    ("constrain 2 = k ;", "1:1", "asks nothing of the motion"),
    ("constrain hinge.th = 1 by torque on arm about 3 ;", "1:47", "expected a vector"),
    ("constrain hinge.th = 1 by torque on wing about [0,0,1] ;", "1:37", "unbound variable wing"),
    ("constrain hinge.th = 1 by hinge.th^2 ;", "1:1", "is no sum of virtual changes"),
    ("roll arm on earth ;", "1:1", "needs its radius or radii"),
    ("gear hinge.th and rail.x with ration = 2 ;", "1:31", "a gear has no field ration"),
    ("constrain hinge.th = 0 as rail ;", "1:1", "'rail' is a link"),
    ("drive hinge.ph = 0 ;", "1:13", "the link hinge has no coordinate or speed ph"),
    ("constrain d(hinge.th) = 0 ;", "1:1", "only reactions have"),
]


@pytest.mark.parametrize(("text", "place", "message"), FAULTS)
def test_faults_of_constraints_have_their_place(text, place, message):
    with pytest.raises(LsdError) as caught:
        lsd.loads(text + TWO)
    found = [f"{d.line}:{d.column} {d.message}" for d in caught.value.diagnostics if d.severity == "error"]
    assert any(one.startswith(place) and message in one for one in found), found


def test_a_program_with_a_blade_moves():
    m = da.loads("""
    let sled = body mass = 2, iframe = [0.25, 0, 0], inertia = [0.3, 0.3, 0.3] end ;
    join earth and sled.frame with link(x, y, th) dof1 = [x, y, 0], dof2 = th || [0, 0, 1] end as p ;
    constrain vel(sled, y, sled) = 0 as blade ;
    start p.th = 0.4, p.th' = 1.5, p.x' = -0.9210609940028851 ;
    """)
    mo = m.simulate((0, 5), t_eval=[0, 1, 5], rtol=1e-10, atol=1e-12)
    assert mo["p.th"][1:] == pytest.approx([2.66529828, 5.068031453], rel=1e-7)
