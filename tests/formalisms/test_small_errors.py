"""Small errors that nobody had seen in statements: labels, action and reaction, levels, axes."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert import algebra as al
from dalembert.presentation import Vocabulary
from dalembert.presentation.axes import FEWER, FURTHEST, bases_of
from dalembert.presentation.closing import actions_on, close
from linkages import four_bar

KINDS = {
    "revolute": (da.revolute("z"), "moments at J1"),
    "prismatic": (da.prismatic("z"), "forces along J1"),
    "screw": (da.screw("z", lead=0.1), "motion of J1"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_balance_is_called_after_what_the_joint_lets_go(kind):
    joint, label = KINDS[kind]
    m = da.Mechanism("one")
    m.join(da.earth, m.body("b", mass=1, inertia=[1, 1, 1]), joint, name="j")
    assert label in str(m.equations("newton-euler").show("vector"))


def test_what_a_cut_link_does_to_one_body_is_the_opposite_of_what_it_does_to_the_other():
    eq = four_bar((1, 3, 2.5), 3).equations("newton-euler")
    words = Vocabulary.of(eq.tree)
    close(words, eq.rows)
    (cut,) = words.cuts
    ((_, _, force, moment),) = actions_on(words, [cut.first])
    ((_, _, other, turned),) = actions_on(words, [cut.second])
    assert al.is_zero(force + other)
    assert al.is_zero(moment + turned)
    assert not al.is_zero(force)
    assert actions_on(words, [cut.first, cut.second]) == []


@pytest.mark.parametrize("bodies", [2, 5, 9])
def test_vectors_are_looked_for_in_the_axes_of_the_bodies_below_and_of_no_more(bodies):
    m, below = da.Mechanism("chain"), da.earth
    for k in range(bodies):
        body = m.body(f"b{k}", mass=1)
        m.join(below, body, da.revolute("xyz"[k % 3]), name=f"j{k}")
        below = body
    told = [base.told for base in bases_of(m.equations("recursive").tree, bodies)]
    named = [f"the axes of b{k}" for k in range(bodies) if f"the axes of b{k}" in told]
    furthest = min(FURTHEST, FEWER // bodies)
    assert named == [f"the axes of b{k}" for k in range(max(0, bodies - 1 - furthest), bodies - 1)]


def test_minimal_equations_have_one_line_a_freedom_at_the_scalar_level_and_multipliers_at_the_others():
    m = four_bar((1, 3, 2.5), 3)
    m.start = {"A.th": 1.0}
    eq = m.equations("lagrange", independent=["A.th"])
    scalar, matrix = eq.show("scalar"), eq.show("matrix")
    assert "in A.th alone" in scalar.title
    assert "multiplier" not in str(scalar)
    assert len(scalar.lines) == 1
    assert len(matrix.lines) > 1
