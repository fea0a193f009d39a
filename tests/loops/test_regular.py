"""Regular mechanisms (definition 4.1), rank loop by loop, and mobility by cases of the lengths."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import loops
from dalembert.errors import DalembertError
from dalembert.loops.assembly import Closing
from dalembert.loops.local import tangent_at
from dalembert.mechanism import Layout, Mechanism, earth, prismatic, revolute


def test_rank_of_the_antenna_grows_loop_by_loop(families):
    """4 + 2 + 2 + 2 on the closure, 5 + 2 + 4 + 2 = 13 off it; the thesis expected 11."""
    found = loops.rank_growth(families.antenna(2))
    assert [g.adds_on for g in found] == [4, 2, 2, 2]
    assert [g.link for g in found] == ["j54", "j103", "j1211", "j136"]
    assert sum(g.adds_off for g in found) == found[-1].off == 13


def test_the_antenna_is_regular_but_not_clean(families):
    found = loops.regularity(families.antenna(1))
    assert (found.regular, found.clean, found.sets) == (True, False, 1)


def test_a_saliere_is_regular_but_at_its_nodes(families):
    assert loops.regularity(families.saliere()).regular is True
    node = loops.regularity(families.saliere(), {})
    assert node.regular is False
    assert "2 branches meet here" in str(node)


def test_every_set_of_loops_is_looked_at(families):
    """Two loops with a body in common besides earth: both, their sum, and their union."""
    found = loops.regularity(families.FAMILIES["watt"]())
    assert (found.regular, found.clean, found.sets) == (True, True, 4)


def test_planar_pair_lets_the_second_shaft_move_aside(families):
    """Thesis, example 4: with a planar pair the second shaft moves besides turning; speeds stay equal."""
    m = families.homokinetic_planar()
    verdict = loops.mobility(m)
    assert (verdict.dof, verdict.proved, verdict.redundancy) == (3, True, 0)
    linkage = loops.build_linkage(Layout.of(m), at=verdict.at)
    kernel = tangent_at(Closing(linkage), np.array(linkage.start(verdict.at))).kernel
    rate = dict(zip(linkage.variables, kernel, strict=True))
    assert np.allclose(rate["j01.th"], rate["j34.th"] + rate["j04.th"], atol=1e-9)


def three_cranks(lengths=("l1", "l2", "l3"), base=(1, 2), coupler=(1, 2)):
    m = Mechanism("three cranks")
    cranks, bar = [m.body(f"c{i}") for i in (1, 2, 3)], m.body("bar")
    feet = [earth, earth.at([base[0], 0, 0]), earth.at([base[1], 0, 0])]
    heads = [bar, bar.at([coupler[0], 0, 0]), bar.at([coupler[1], 0, 0])]
    for k in range(3):
        m.join(feet[k], cranks[k], revolute("z"), name=f"A{k + 1}")
    for k in range(3):
        m.join(cranks[k].at([lengths[k], 0, 0]), heads[k], revolute("z"), name=f"B{k + 1}")
    m.start.update({f"A{k}.th": 1 for k in (1, 2, 3)} | {f"B{k}.th": -1 for k in (1, 2, 3)})
    return m


@pytest.mark.slow
def test_a_general_four_bar_has_one_freedom_and_three_change_points():
    m = Mechanism("four-bar")
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth, a, revolute("z"), name="A")
    m.join(a.at(["l1", 0, 0]), b, revolute("z"), name="B")
    m.join(earth.at(["l4", 0, 0]), c, revolute("z"), name="D")
    m.join(b.at(["l2", 0, 0]), c.at(["l3", 0, 0]), revolute("z"), name="C")
    m.start.update({"A.th": 1, "D.th": 1, "B.th": -1, "C.th": 1})
    found = loops.mobility_cases(m)
    rest = "1 degree of freedom for almost all lengths with which it closes"
    flat = "l1 + l2 = l3 + l4, or l1 + l3 = l2 + l4, or l1 + l4 = l2 + l3"  # Grashof's change points, all of them
    assert str(found) == f"{rest}; it can lie flat, in a singular posture, if {flat}"
    assert found.generic.proved
    for case in found.meeting:
        assert case.verdict.singular
        assert case.verdict.at["A.th"] in (0, pytest.approx(np.pi))
        l1, l2, l3, l4 = (case.lengths[n] for n in ("l1", "l2", "l3", "l4"))
        assert 0 in (l1 + l2 - l3 - l4, l1 + l3 - l2 - l4, l1 + l4 - l2 - l3)


@pytest.mark.slow
def test_a_slider_crank_jams_where_rod_and_crank_stand_square_to_the_slide():
    m = Mechanism("slider-crank")
    s1, s2, s3 = (m.body(n) for n in ("s1", "s2", "s3"))
    m.join(earth, s1, revolute("z"), name="a")
    m.join(s1.at(["r", 0, 0]), s2, revolute("z"), name="b")
    m.join(earth.at([0, "e", 0]), s3, prismatic("x"), name="d")
    m.join(s2.at(["l", 0, 0]), s3, revolute("z"), name="c")
    found = loops.mobility_cases(m)
    assert {c.condition for c in found.meeting} == {("e + l = r",), ("e + r = l",)}


@pytest.mark.slow
def test_bennett_and_his_limits_are_found(families):
    """Four bars of two lengths and two twists: in proportion to the sines (spherical is a limit), plane; else rigid."""
    bars = [("a", "al"), ("b", "be")] * 2
    found = loops.mobility_cases(families.denavit_hartenberg("4R", bars, [0.7, 2.6, 0.7, 2.6]))
    conditions = {c.condition for c in found.special}
    assert {("a/sin(al) = b/sin(be)",), ("al = 0", "be = 0")} == conditions
    assert all(c.dof == 1 and c.proved for c in found.special)
    assert found.generic is None or found.generic.dof == 0
    assert "lengths in proportion to sines of angles" in found.looked_for


@pytest.mark.slow
def test_three_cranks_move_only_as_a_parallelogram():
    """Overconstrained in the plane: rigid for almost all lengths, one freedom when the cranks are equal."""
    found = loops.mobility_cases(three_cranks())
    rest = "0 degrees of freedom for almost all lengths with which it closes"
    assert str(found) == f"1 degree of freedom if l1 = l2 = l3; else {rest}"
    assert all(c.proved for c in (found.generic, *found.special))
    values = found.special[0].lengths
    assert values["l1"] == values["l2"] == values["l3"]


@pytest.mark.parametrize(
    ("one", "two", "condition"),
    [
        (["c", "a", 0], ["a", "b", 0], "a^2 = b*c"),
        (["a", "b", 0], ["c", "d", 0], "a*d = b*c"),
        ([1, "a", 0], [1, ex.symbol("b") + ex.symbol("c"), 0], "a = b + c"),
    ],
)
def test_two_slides_move_where_a_minor_of_their_directions_vanishes(one, two, condition):
    m = Mechanism("wedge")
    body = m.body("wedge")
    m.join(earth, body, prismatic(one), name="P")
    m.join(earth, body, prismatic(two), name="Q")
    found = loops.mobility_cases(m)
    assert [(c.condition, c.dof, c.proved) for c in found.special] == [((condition,), 1, True)]
    assert (found.generic.dof, found.generic.proved) == (0, True)


def test_cases_need_a_letter():
    m = three_cranks((1, 1, 1))
    with pytest.raises(DalembertError, match="every length has a value"):
        loops.mobility_cases(m)
    with pytest.raises(DalembertError, match="is no length"):
        loops.mobility_cases(three_cranks(), ["q"])
