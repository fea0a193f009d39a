"""Branches through a posture, pieces of the configuration space, special postures on the curve."""

import numpy as np
import pytest

from dalembert import loops
from dalembert.errors import DalembertError
from dalembert.mechanism import Mechanism, earth, prismatic, revolute


def four_bar(base, crank, coupler, rocker):
    m = Mechanism("four-bar")
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth, a, revolute("z"), name="A")
    m.join(a.at([crank, 0, 0]), b, revolute("z"), name="B")
    m.join(earth.at([base, 0, 0]), c, revolute("z"), name="D")
    m.join(b.at([coupler, 0, 0]), c.at([rocker, 0, 0]), revolute("z"), name="C")
    return m


def rates(branch):
    return {n: round(v, 4) + 0.0 for n, v in branch.directions[0].items()}


@pytest.mark.parametrize("posture", [(0, 0, 0), (np.pi, 0, np.pi), (0, np.pi, np.pi)])
def test_two_of_the_three_branches_of_a_rhombus_meet_in_each_flat_posture(posture):
    """e^iA + e^iB - e^iC - 1 = 0: A = C, B = 0; A = 0, B = C; C = pi, B = A + pi, by absolute angles A, B, C."""
    a, b, c = posture
    found = loops.branches_through(four_bar(1, 1, 1, 1), {"A.th": a, "B.th": b - a, "D.th": c, "C.th": c - b})
    exact = {
        "A = C": ((1, 0, 1), a == c and b == 0),
        "B = C": ((0, 1, 1), a == 0 and b == c),
        "B = A + pi": ((1, 1, 0), c == np.pi and b == (a + np.pi) % (2 * np.pi)),
    }
    expected = [np.array(v) for v, through in exact.values() if through]
    assert len(found) == len(expected) == 2
    assert found.complete
    assert all((f.dof, f.proved, f.rank) == (1, True, 2) for f in found)
    for direction in expected:
        seen = [np.array([r["A.th"], r["A.th"] + r["B.th"], r["D.th"]]) for r in map(rates, found)]
        assert any(np.allclose(np.abs(np.cross(direction, s)), 0, atol=1e-3) for s in seen)


def test_the_rhombus_has_three_pieces_and_the_flat_posture_lies_on_two():
    m = four_bar(1, 1, 1, 1)
    pieces = loops.configuration_components(m)
    assert [(p.dof, p.proved, p.rank) for p in pieces] == [(1, True, 2)] * 3
    assert {p.words[0] for p in pieces} == {"A.th + B.th = 0", "A.th = 0", "D.th = pi"}
    assert len(loops.components_at(m, {})) == 2


def test_pieces_of_the_half_salieres(families):
    pieces = loops.configuration_components(families.half_salieres())
    assert [(p.dof, p.rank) for p in pieces] == [(2, 3), (2, 3), (1, 4), (1, 4), (1, 4), (1, 4)]
    assert all(p.proved for p in pieces)
    crossing = loops.branches_through(families.half_salieres(), {})
    assert [(b.dof, b.rank) for b in crossing] == [(2, 3), (1, 4)]


def test_a_regular_posture_lies_on_one_branch(families):
    (branch,) = loops.branches_through(families.antenna(1))
    assert (branch.dof, branch.proved, len(branch.directions)) == (3, True, 3)


def test_a_piece_without_real_postures_is_said():
    """Sides 1, 1, 1 and a base of 5 close nowhere."""
    pieces = loops.configuration_components(four_bar(5, 1, 1, 1), starts=20)
    assert all(p.dof is None for p in pieces)
    assert "no real posture" in str(pieces[0])


def test_dead_centres_of_the_slider_crank(families):
    """Crank 1, rod 3: the slider turns back at 3 + 1 and 3 - 1, hinges in line; the rod leans at most asin(1/3)."""
    found = loops.special_postures(families.slider_crank())
    slider = [p for p in found if p.coordinate == "j03.x"]
    assert sorted(round(p.value, 9) for p in slider) == [2.0, 4.0]
    assert all("j01, j12, j23 in line" in p.words for p in slider)
    lean = sorted(p.value for p in found if p.coordinate == "j23.th")
    assert np.allclose(lean, [-np.arcsin(1 / 3), np.arcsin(1 / 3)], atol=1e-8)
    assert len(found) == 4


def test_limits_of_a_crank_rocker_by_the_law_of_cosines():
    m = four_bar(4, 1, 3.5, 2.5)
    m.start.update({"A.th": 1, "B.th": -0.5, "D.th": 1.5, "C.th": 1})
    rocker = sorted(p.value for p in loops.special_postures(m) if p.coordinate == "D.th")
    # crank and coupler in line: a triangle with the sides 4, 2.5 and 3.5 -+ 1
    angles = [np.pi - np.arccos((16 + 6.25 - s * s) / 20) for s in (2.5, 4.5)]
    assert np.allclose(rocker, sorted(angles), atol=1e-8)


def test_crossings_of_the_parallelogram(families):
    found = loops.special_postures(families.FAMILIES["parallelogram"]())
    assert [p.kind for p in found] == ["crossing", "crossing"]
    assert all(len(p.branches) == 2 for p in found)
    assert all(p.words.startswith("2 branches meet") for p in found)


def test_curves_need_one_freedom(families):
    with pytest.raises(DalembertError, match="one freedom"):
        loops.special_postures(families.antenna(1))
    with pytest.raises(DalembertError, match="branches meet"):
        loops.special_postures(families.saliere(), {})


def test_machines_without_loops_and_large_ones_get_a_sentence(families):
    m = Mechanism("pendulum")
    m.join(earth, m.body("rod"), revolute("z"), name="a")
    for ask in (loops.special_postures, loops.configuration_components):
        with pytest.raises(DalembertError, match="no loop"):
            ask(m)
    with pytest.raises(DalembertError, match="too many letters"):
        loops.configuration_components(families.FAMILIES["stewart"]())


@pytest.mark.parametrize(
    ("curve", "count"),
    [
        ("Y.x*(Y.x - X.x)", 2),
        ("Y.x^2 - X.x^3", 1),  # a cusp
        ("Y.x^3 - X.x^5", 1),
        ("(Y.x - X.x^2)^2 - X.x^5", 1),  # both halves leave on one side of the same parabola
        ("Y.x^2 - X.x^4", 2),  # they touch
        ("(Y.x - X.x^2)*(Y.x + X.x^2)*(Y.x - X.x)", 3),
        ("(Y.x^2 - X.x^3)*(X.x^2 - Y.x^3)", 2),
        ("X.x*Y.x*(X.x - Y.x)*(X.x + Y.x)", 4),
        ("X.x^3 + X.x*Y.x^2", 1),  # two of three lines are not real
        ("X.x^4 + Y.x^4", 0),
    ],
)
def test_branches_of_a_point_on_a_curve_are_counted(curve, count):
    m = Mechanism("table")
    x, y = m.body("x"), m.body("y")
    m.join(earth, x, prismatic("x"), name="X")
    m.join(x, y, prismatic("y"), name="Y")
    m.constrain(curve, name="curve")
    found = loops.branches_through(m, {})
    assert len(found) == count
    assert found.complete
    assert "there are no others" in str(found)


@pytest.mark.parametrize("unit", [1e-9, 1e-4, 1e6])
def test_units_do_not_change_the_count(unit):
    found = loops.branches_through(four_bar(unit, unit, unit, unit), {})
    assert (len(found), found.complete) == (2, True)


def test_a_surface_among_the_branches_is_not_said_to_be_counted(families):
    found = loops.branches_through(families.half_salieres(), {})
    assert not found.complete
    assert "not proved that there are no others" in str(found)
