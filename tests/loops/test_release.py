"""Redundant constraints in the joints' own axes, sets that may go together, and other joints that are verified."""

from itertools import combinations

import numpy as np
import pytest

from dalembert import loops
from dalembert.errors import DalembertError
from dalembert.mechanism import Mechanism, earth, revolute, screw, turn


def four_bar(axis="z", turned=None):
    m = Mechanism("four-bar")
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth, a, revolute(axis), name="A")
    m.join(a.at([1, 0, 0]), b, revolute(axis), name="B")
    m.join(earth.at([4, 0, 0]), c, revolute(axis), name="D")
    m.join(b.at([3.5, 0, 0]), c.at([2.5, 0, 0]), revolute(axis), name="C")
    m.start.update({"A.th": 1, "B.th": -0.5, "D.th": 1.5, "C.th": 1})
    return m


def words(verdict):
    return {r.link: r.words for r in verdict.redundant}


@pytest.mark.parametrize("lead", [1e-200, 0.1, 1e9])
def test_a_screw_carries_five_efforts_whatever_its_lead(lead):
    m = Mechanism("twice")
    nut = m.body("nut")
    for name in ("one", "other"):
        m.join(earth, nut, screw("z", lead), name=name)
    verdict = loops.mobility(m)
    assert verdict.dof == 1
    assert [(r.count, r.of) for r in verdict.redundant] == [(5, 5), (5, 5)]


def test_plane_machines_are_redundant_across_their_plane(families):
    assert set(words(loops.mobility(four_bar())).values()) == {"axial force, bending moment"}
    slider = words(loops.mobility(families.slider_crank()))
    assert slider["j12"] == "axial force, bending moment"
    # a rail along x in the plane z = 0: the force that leaves the plane, and the two moments that tilt it
    assert slider["j03"] == (
        "lateral force along z of earth, twisting moment about the rail, bending moment about y of earth"
    )


def test_the_own_axes_do_not_depend_on_the_frame_of_the_bodies():
    m = Mechanism("four-bar")
    tilt = turn(0.7, [1, 2, 2])
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth.at([0, 0, 0], tilt), a, revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b, revolute("z"), name="B")
    corner = np.array(loops_rotation()) @ [4.0, 0.0, 0.0]
    m.join(earth.at([float(v) for v in corner], tilt), c, revolute("z"), name="D")
    m.join(b.at([3.5, 0, 0]), c.at([2.5, 0, 0]), revolute("z"), name="C")
    m.start.update({"A.th": 1, "B.th": -0.5, "D.th": 1.5, "C.th": 1})
    assert set(words(loops.mobility(m)).values()) == {"axial force, bending moment"}


def loops_rotation():
    n, angle = np.array([1.0, 2.0, 2.0]) / 3, 0.7
    k = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def test_spherical_machines_carry_forces_through_their_centre(families):
    found = words(loops.mobility(families.saliere()))
    assert found["j01"] == found["j12"] == "axial force, radial force"
    assert found["j23"] == "axial force, 2 forces through [0, 1, 0] of s2 from the joint"


def test_sarrus_is_redundant_in_one_moment_about_its_line(families):
    found = words(loops.mobility(families.FAMILIES["sarrus"]()))
    assert {w.split(" of ")[0] for w in found.values()} == {"bending moment about z"}


def test_bricard_carries_one_force_along_a_line(families):
    """A single self-stress: in each hinge a force along the same line of space, without a moment about it."""
    found = words(loops.mobility(families.FAMILIES["bricard"]()))
    assert all(w.startswith("force along") and "as moment" not in w for w in found.values())


@pytest.mark.parametrize("name", ["slider_crank", "kite", "sarrus", "bennett", "bricard", "saliere", "watt"])
def test_proposals_are_verified(families, name):
    m = families.FAMILIES[name]()
    before = loops.mobility(m)
    for p in loops.proposals(m, limit=2):
        assert p.verified
        again = loops.mobility(p.mechanism)
        assert (again.dof, again.proved, again.redundancy) == (before.dof, True, 0)
        assert again.gruebler == before.dof  # now the plain count is right
        assert sum(len(c.releases) for c in p.changes) == before.redundancy


def test_a_shaky_constraint_is_not_released(families):
    """The antenna's one self-stress holds back its shaky tilt: without it there are four freedoms."""
    found = loops.proposals(families.antenna(1))
    assert found
    assert not any(p.verified for p in found)
    assert all(p.verdict.dof == 4 for p in found)


def hinge_rows(at):
    """Constraint rows of the four hinges in the velocities of three free bodies, in plain NumPy: name -> row of 18."""
    a = at["A.th"]
    b, c = a + at["B.th"], at["D.th"]
    ends = {"A": (None, 0, [0, 0], 0.0), "B": (0, 1, [np.cos(a), np.sin(a)], a), "D": (None, 2, [4, 0], 0.0),
            "C": (1, 2, [np.cos(a) + 3.5 * np.cos(b), np.sin(a) + 3.5 * np.sin(b)], b)}  # fmt: skip
    assert np.allclose(ends["C"][2], [4 + 2.5 * np.cos(c), 2.5 * np.sin(c)])
    rows = {}
    for name, (first, second, (x, y), angle) in ends.items():
        e1, e2 = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        arm = np.array([[0, -0.0, y], [0, 0, -x], [-y, x, 0]])  # w -> w x (x, y, 0)
        for label, direction, turning in (
            ("axial force", np.array([0, 0, 1]), False), ("radial force 1", e1, False), ("radial force 2", e2, False),
            ("bending moment 1", e1, True), ("bending moment 2", e2, True),
        ):  # fmt: skip
            part = np.concatenate([direction, np.zeros(3)] if turning else [direction @ arm, direction])
            row = np.zeros(18)
            row[6 * second : 6 * second + 6] = part
            if first is not None:
                row[6 * first : 6 * first + 6] = -part
            rows[name, label] = row
    return rows


def test_sets_that_may_go_together_leave_the_rank():
    """Independent check: a set may go when the other constraints of all joints keep their rank."""
    m = four_bar()
    found = loops.releasable(m)
    assert found.redundancy == 3
    rows = hinge_rows(loops.mobility(m).at)
    assert np.linalg.matrix_rank(np.array(list(rows.values())), tol=1e-9) == 17
    count = 0
    for chosen in combinations(found.efforts, 3):
        gone = {(e.link, e.name) for e in chosen}
        left = np.array([row for key, row in rows.items() if key not in gone])
        assert found.together(chosen) == (np.linalg.matrix_rank(left, tol=1e-5) == 17)
        count += found.together(chosen)
    assert count == len(list(found.sets(500)))
    assert not found.together([("A", "axial force"), ("B", "axial force")])
    with pytest.raises(DalembertError, match="takes no part"):
        found.together([("A", "radial force 1")])


def test_a_machine_without_redundancy_needs_no_other_joint(families):
    assert loops.proposals(families.homokinetic()) == []
