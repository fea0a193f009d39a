"""The unit of length changes no answer: machines from a nanometre to a gigametre, and coordinates of any steepness."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert import loops
from dalembert.loops.reduced import choose_reduced
from dalembert.mechanism import Displacement, Layout, composite, earth, prismatic, revolute, screw

HINGE = revolute("z")
SIZES = [Fraction(10) ** k for k in (-9, 0, 9)]


def slider_crank(size, rod=2, start=None):
    m = da.Mechanism("slider-crank")
    a, b, c = (m.body(n, mass=1, inertia=[1, 1, 1]) for n in "abc")
    m.join(earth, a, HINGE, name="A")
    m.join(a.at([size, 0, 0]), b, HINGE, name="B")
    m.join(earth, c, prismatic("x"), name="P")
    m.join(b.at([rod * size, 0, 0]), c, HINGE, name="C")
    m.start = start or {"A.th": 0.7}
    return m


def folded(size):
    return slider_crank(size, 1, {"A.th": 0.0, "B.th": math.pi, "P.x": 0.0, "C.th": -math.pi})


def at_dead_centre(size):
    return slider_crank(size, 2, {"A.th": 0.0, "P.x": float(3 * size)})


def four_bar(size):
    m = da.Mechanism("four-bar")
    a, b, c = (m.body(n, mass=1, inertia=[1, 1, 1]) for n in "abc")
    m.join(earth, a, HINGE, name="A")
    m.join(a.at([size * Fraction(11, 10), 0, 0]), b, HINGE, name="B")
    m.join(earth.at([size * Fraction(32, 10), 0, 0]), c, HINGE, name="D")
    m.join(b.at([3 * size, 0, 0]), c.at([size * Fraction(5, 2), 0, 0]), HINGE, name="C")
    m.start = {"A.th": 1}
    return m


def toggle(size):
    """Bars in line to a pin in a slot that touches their circle to third order from outside."""
    x = ex.symbol("x")
    u = x / ex.const(size)
    m = da.Mechanism("toggle")
    pin, low, high = (m.body(n) for n in ("pin", "low", "high"))
    height = ex.const(size) * (2 + u**4 - 50 * u**6)
    m.join(earth, pin, composite(["x"], Displacement.of([x, height, 0])), name="slot")
    m.join(earth, low, HINGE, name="foot")
    m.join(low.at([0, size, 0]), high.at([0, size, 0]), HINGE, name="knee")
    m.join(high.at([0, 2 * size, 0]), pin, HINGE, name="top")
    return m


def screw_jack(size):
    m = da.Mechanism("jack")
    a, b = m.body("a"), m.body("b")
    m.join(earth, a, screw("x", size / 10), name="H")
    m.join(a, b, revolute("x"), name="T")
    m.join(b.at([size, 0, 0]), earth.at([size, 0, 0]), prismatic("x"), name="P")
    return m


MACHINES = [slider_crank, folded, at_dead_centre, four_bar, toggle, screw_jack]


def told(m):
    """What is said of a machine, without lengths."""
    verdict = loops.mobility(m)
    branches = loops.branches_through(m)
    ranks = verdict.rank_off, verdict.rank_on, verdict.redundancy
    return [verdict.dof, verdict.proved, verdict.instantaneous, ranks, [b.dof for b in branches], branches.complete]


@pytest.mark.parametrize("machine", MACHINES)
def test_mobility_branches_and_check_are_those_of_any_size(machine):
    answers = [told(machine(size)) for size in SIZES]
    assert all(one == answers[0] for one in answers), answers


@pytest.mark.slow
@pytest.mark.parametrize("machine", [slider_crank, folded, at_dead_centre])
def test_special_postures_are_those_of_any_size(machine):
    """A slider-crank turns back at both dead centres, and its connecting rod twice; lengths come in metres."""
    for size in SIZES[::2]:
        found = loops.special_postures(machine(size))
        if machine is folded:
            assert [p.kind for p in found] == ["crossing", "crossing"]
            continue
        ends = sorted(p.value / float(size) for p in found if p.coordinate == "P.x")
        assert [p.kind for p in found] == ["limit"] * 4
        assert np.allclose(ends, [1, 3])


@pytest.mark.parametrize("size", [Fraction(10) ** -9, Fraction(1), Fraction(10) ** 9])
def test_pieces_of_any_size(size):
    assert [p.dof for p in loops.components_at(slider_crank(size), {"A.th": 0.7})] == [1]
    assert [p.dof for p in loops.components_at(folded(size), folded(size).start)] == [1]


@pytest.mark.parametrize("size", [Fraction(10) ** -9, Fraction(10) ** 9])
def test_parameters_of_any_size(size):
    linkage = loops.build_linkage(Layout.of(slider_crank(size)))
    found = loops.parametrise(linkage, loops.assemble(linkage), wanted=["A.th"])
    x = found.solve({"A.th": 0.9})
    along = math.cos(0.9) + math.sqrt(4 - math.sin(0.9) ** 2)
    assert abs(abs(x[linkage.variables.index("P.x")]) / float(size)) == pytest.approx(along, rel=1e-9)


@pytest.mark.parametrize("steep", [1e-10, 1e-5, 1e5, 1e10, 1e15, 1e20])
def test_a_steep_coordinate_leaves_a_square_system(steep):
    m = da.Mechanism("steep")
    x = ex.symbol("x")
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, composite(["x"], Displacement.of([ex.const(Fraction(steep)) * x, 0, 0])), name="S")
    m.join(earth, b, prismatic("x"), name="B")
    m.join(a, b, prismatic("x"), name="C")
    linkage = loops.build_linkage(Layout.of(m))
    closing = loops.Closing(linkage)
    relation = np.zeros((1, closing.size))
    relation[0, linkage.variables.index("C.x")] = 1.0
    for linear in (None, relation):
        reduced = choose_reduced(closing, np.zeros(closing.size), 1e-9, linear, [0.0] * (linear is not None))
        assert len(reduced.dependent) == reduced.rank
    assert loops.mobility(m).dof == 2
    assert m.compare().disagreement < 1e-9


def test_what_speaks_of_loops_only_refuses_a_machine_with_other_conditions():
    m = four_bar(Fraction(1))
    m.constrain("2*A.th - D.th - 1", name="tie")
    verbs = (
        loops.closure_ideal,
        loops.configuration_components,
        loops.regularity,
        loops.rank_growth,
        loops.recover_parameters,
        loops.releasable,
        loops.proposals,
    )
    for verb in verbs:
        with pytest.raises(da.ModelError, match="tie"):
            verb(m)
