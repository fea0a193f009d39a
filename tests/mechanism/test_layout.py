"""Numbering and names (Papegay 3.2.4)."""

from __future__ import annotations

import pytest

from dalembert.errors import ModelError
from dalembert.mechanism import Displacement, Layout, Mechanism, composite, earth, free, revolute, spherical, weld


def test_bodies_are_numbered_breadth_first_in_order_of_declaration():
    m = Mechanism()
    a, b, c = (m.body(x, mass=1) for x in "abc")
    m.join(earth, a, revolute())
    m.join(earth, b, revolute())
    m.join(a, c, revolute())
    m.join(b, c, revolute(), name="closing")
    layout = Layout.of(m)
    assert [x.name for x in layout.bodies] == ["earth", "a", "b", "c"]
    assert [(one.number, one.parent, one.child) for one in layout.tree] == [(1, 0, 1), (2, 0, 2), (3, 1, 3)]
    assert [(one.number, one.link.name, one.first, one.second) for one in layout.cuts] == [(4, "closing", 2, 3)]


def test_a_link_declared_child_first_is_reversed():
    m = Mechanism()
    a = m.body("a", mass=1)
    m.join(a, earth, revolute())
    (one,) = Layout.of(m).tree
    assert one.reversed
    assert one.link.name == "a"


def test_the_user_chooses_which_link_is_cut():
    m = Mechanism()
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, revolute(), name="p")
    m.join(earth, b, revolute(), name="q")
    m.join(a, b, revolute(), name="r")
    assert [one.link.name for one in Layout.of(m).cuts] == ["r"]
    assert [one.link.name for one in Layout.of(m, cut=["q"]).cuts] == ["q"]


def test_coordinates_and_speeds_carry_the_name_of_their_link():
    m = Mechanism()
    a, b, c = (m.body(x, mass=1) for x in "abc")
    m.join(earth, a, revolute("x", "angle"), name="hip")
    m.join(a, b, spherical("quaternion"), name="knee")
    m.join(b, c, weld())
    layout = Layout.of(m)
    assert layout.coordinates == ("hip.angle", "knee.e0", "knee.e1", "knee.e2", "knee.e3")
    assert layout.speeds == ("hip.angle'", "knee.wx", "knee.wy", "knee.wz")
    assert layout.dof == 4


def test_links_without_a_name_are_called_after_their_second_body():
    m = Mechanism()
    a = m.body("a", mass=1)
    m.join(earth, a, revolute())
    m.join(earth, a, revolute())
    assert list(m.links) == ["a", "a_2"]


def test_a_shared_coordinate_counts_once():
    m = Mechanism()
    gear = composite(["x"], Displacement.of(["x", 0, 0]), Displacement.of([0, "2*x", 0]))
    m.join(earth, m.body("a", mass=1), gear)
    assert Layout.of(m).speeds == ("a.x'",)


def test_body_speeds_of_a_free_joint():
    m = Mechanism()
    m.join(earth, m.body("ship", mass=1), free("bryant", "body"), name="s")
    assert Layout.of(m).speeds == ("s.vx", "s.vy", "s.vz", "s.wx", "s.wy", "s.wz")


def test_a_cut_that_leaves_a_body_without_a_carrier_is_named():
    m = Mechanism("pendulum")
    m.join(earth, m.body("rod", mass=1), revolute("x"), name="pivot")
    with pytest.raises(ModelError, match="without the links pivot nothing carries body 'rod'"):
        Layout.of(m, cut=["pivot"])
