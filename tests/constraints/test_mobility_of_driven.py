"""Mobility of driven machines: what drives use up is counted as free, and said."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.loops import branches_through, special_postures

HERE = {"A.th": 1.0, "D.th": 1.0, "B.th": -1.0, "C.th": 1.0}


def four_bar():
    m = da.Mechanism("parallelogram")
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([2, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([2, 0, 0]), c.at([1, 0, 0]), da.revolute("z"), name="C")
    return m


@pytest.mark.parametrize(
    ("asked", "by", "why"),
    [
        ("A.th = 1 + t", "A.th", "a device keeps it"),
        ("A.th = 1", "D.th", "a device keeps it"),
        ("A.th = 1 + t", None, "changes with time"),
        ("A.th' = 2*D.th'", None, "on speeds"),
    ],
)
def test_what_takes_no_posture_away_is_left_out_with_a_word(asked, by, why):
    m = four_bar()
    alone = m.mobility(HERE)
    m.constrain(asked, by=by, name="law")
    found = m.mobility(HERE)
    assert (found.dof, found.lower, found.upper) == (alone.dof, alone.lower, alone.upper) == (1, 1, 1)
    (note,) = [one for one in found.notes if one not in alone.notes]
    assert "'law' is left out" in note
    assert why in note
    for verb in (branches_through, special_postures):  # nowhere to say it
        with pytest.raises(da.ModelError, match="'law' is left out"):
            verb(m, HERE)


def test_a_passive_condition_on_places_is_counted():
    m = four_bar()
    m.constrain("A.th = 1", name="pin")
    found = m.mobility(HERE)
    assert found.dof == 0
    assert not any("left out" in one for one in found.notes)


def test_surfaces_that_touch_are_refused_by_their_name():
    m = da.Mechanism("ball in a bowl")
    ball = m.body("ball", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, ball, da.free("quaternion", "space"), name="f")
    m.roll(da.Sphere(ball, 0.1), da.Surface(da.earth, "0.25 - x^2 - y^2 - z^2"), name="r")
    with pytest.raises(da.ModelError, match="the surfaces of 'r_contact' touch"):
        m.mobility({"f.x": 0.24, "f.z": -0.32})
