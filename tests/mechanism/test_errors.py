"""A wrong description gets one sentence that names the object and says what to do."""

from __future__ import annotations

import pytest

from dalembert.errors import ExpressionError, ModelError
from dalembert.mechanism import (
    Displacement,
    Frame,
    Joint,
    Layout,
    Mechanism,
    QuaternionTurn,
    Step,
    composite,
    earth,
    free,
    planar,
    revolute,
    spherical,
    turn,
)


def machine():
    m = Mechanism("machine")
    return m, m.body("arm", mass=1)


def test_self_join_names_link_and_body():
    m, arm = machine()
    with pytest.raises(ModelError, match="link 'elbow' joins 'arm' to itself"):
        m.join(arm, arm.at([0, 0, 1]), revolute("z"), name="elbow")


def test_unconnected_body_is_named():
    m, _ = machine()
    with pytest.raises(ModelError, match="body 'arm' is not connected to earth: it has no link"):
        Layout.of(m)


def test_island_of_bodies_is_told_apart_from_a_loose_body():
    m, arm = machine()
    m.join(arm, m.body("hand", mass=1), revolute("z"))
    with pytest.raises(ModelError, match="linked to bodies, but not to earth"):
        Layout.of(m)


def test_negative_mass_is_refused():
    m, _ = machine()
    with pytest.raises(ModelError, match="body 'anvil' has the negative mass -2"):
        m.body("anvil", mass=-2)


@pytest.mark.parametrize("inertia", [[1, 1, 3], [[1, 0, 0], [0, 1, 0], [0, 0, 2.5]], [-1, 1, 1]])
def test_impossible_inertia_is_refused(inertia):
    m, _ = machine()
    with pytest.raises(ModelError, match="body 'wheel'"):
        m.body("wheel", mass=1, inertia=inertia)


@pytest.mark.parametrize("inertia", [[1, 2], [[1, 2, 3], [0, 1, 0], [0, 0, 1]], 3, [1, 1, 1, 0]])
def test_malformed_inertia_says_what_is_expected(inertia):
    m, _ = machine()
    with pytest.raises(ModelError, match="inertia"):
        m.body("wheel", mass=1, inertia=inertia)


def test_a_flat_body_and_a_point_mass_are_allowed():
    m, _ = machine()
    m.body("disc", mass=1, inertia=[1, 1, 2])
    m.body("point", mass=1)
    m.body("nothing")


def test_zero_axis_is_refused():
    with pytest.raises(ModelError, match="zero vector"):
        revolute([0, 0, 0])


def test_unknown_axis_and_chart_are_refused():
    with pytest.raises(ModelError, match="axis 'w' is unknown"):
        revolute("w")
    for chart in ("xxz", "abc", "xy"):
        with pytest.raises(ModelError, match="twelve sequences"):
            spherical(chart)
    with pytest.raises(ModelError, match="normal of a planar joint"):
        planar("w")


def test_names_clash():
    m, arm = machine()
    with pytest.raises(ModelError, match="body name 'arm' is used twice"):
        m.body("arm")
    m.join(earth, arm, revolute("z"), name="shoulder")
    with pytest.raises(ModelError, match="link name 'shoulder' is used twice"):
        m.join(earth, arm, revolute("z"), name="shoulder")
    with pytest.raises(ModelError, match="used twice"):
        m.body("earth")
    with pytest.raises(ModelError, match="cannot name a body"):
        m.body("two words")


def test_unknown_body_suggests_a_near_name():
    m, _ = machine()
    with pytest.raises(ModelError, match=r"'arn'.*Did you mean 'arm'"):
        m.force(Frame("arn"), [0, 0, 1])
    with pytest.raises(ModelError, match="neither a body nor a frame"):
        m.join(earth, "arm", revolute("z"))


def test_joint_rules():
    with pytest.raises(ModelError, match="'x' of the joint moves nothing"):
        composite(["x"], Displacement.of([0, 0, 1]))
    with pytest.raises(ModelError, match="'x' twice"):
        composite(["x", "x"], Displacement.of(["x", 0, 0]))
    with pytest.raises(ModelError, match="axis that moves"):
        composite(["x"], Displacement.of([0, 0, 0], turn(1, ["x", 1, 0])))
    with pytest.raises(ModelError, match="at most six"):
        composite(list("abcdefg"), Displacement.of(["a", "b", "c"]), *[Displacement.of([x, 0, 0]) for x in "defg"])
    quaternion = QuaternionTurn(tuple(free("quaternion").steps[1].displacement.turns[0].components))
    with pytest.raises(ModelError, match="speeds must be 'body'"):
        Joint(("e0", "e1", "e2", "e3"), (Step(Displacement(turns=(quaternion,))),))
    with pytest.raises(ModelError, match="cannot have body speeds"):
        Joint(("x",), (Step(Displacement.of(["x", 0, 0]), speeds="body"),))
    with pytest.raises(ModelError, match="not 'rates'"):
        spherical("quaternion", "rates")
    with pytest.raises(ModelError, match="no coordinate 'x'"):
        revolute("z").with_efforts(x=1)


def test_formulas_are_checked_where_they_are_written():
    m, _ = machine()
    with pytest.raises(ExpressionError, match="expected"):
        m.body("b", mass="2*")
    with pytest.raises(ExpressionError, match="three components"):
        m.body("c", mass=1, centre=[0, 1])


def test_cut_of_an_unknown_link():
    m, arm = machine()
    m.join(earth, arm, revolute("z"), name="shoulder")
    with pytest.raises(ModelError, match="no link of that name"):
        Layout.of(m, cut=["sholder"])


@pytest.mark.parametrize("mass", ["t", "shoulder.th", "2 + sin(shoulder.th)"])
def test_a_mass_that_moves_is_refused(mass):
    m = Mechanism("machine")
    m.join(earth, m.body("arm", mass=mass), revolute("z"), name="shoulder")
    with pytest.raises(ModelError, match=r"body 'arm' depends on '.*', which moves"):
        Layout.of(m)


def test_a_coordinate_is_not_called_like_the_time_and_may_be_called_self():
    with pytest.raises(ModelError, match="which is the time"):
        composite(["t"], turn("t", "y"))
    assert dict(composite(["self"], ["self", 0, 0]).with_efforts(self="-2*self").efforts).keys() == {"self"}
