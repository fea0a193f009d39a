"""Closure equations as expressions: they vanish exactly on closed configurations, and their rates are right."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import loops
from dalembert.loops.equations import closure_equations, maximal_closure
from dalembert.loops.genericrank import generic_rank
from dalembert.mechanism import Layout

NAMES = ["triangle", "slider_crank", "saliere", "homokinetic", "bennett", "stewart", "delta", "scissor_lift", "sarrus"]


def values_of(m, at, x=None):
    known = {ex.symbol(k): v for k, v in at.items()} | {ex.symbol(k): v for k, v in m.given.items()}
    return known


@pytest.mark.parametrize("name", NAMES)
def test_equations_vanish_on_closed_configurations_with_the_rank_of_the_verdict(families, name):
    m = families.FAMILIES[name]()
    verdict = loops.mobility(m)
    layout = Layout.of(m)
    known = values_of(m, verdict.at)
    rows = []
    for one in closure_equations(layout):
        assert not one.own
        assert np.abs(ex.evaluate(list(one.equations), known)).max() < 1e-12
        rows += [ex.evaluate(list(row), known) for row in one.matrix.rows()]
    assert np.linalg.matrix_rank(np.array(rows, dtype=float), tol=1e-9) == verdict.rank_on


def test_reversed_assembly_is_no_solution(families):
    """An axis equal to its opposite would be parallel: the oriented equation tells them apart."""
    from dalembert.mechanism import Mechanism, earth, revolute, spherical

    m = Mechanism()
    a = m.body("a", mass=1)
    m.join(earth, a, spherical(), name="ball")
    m.join(earth, a, revolute("z"), name="hinge")
    (closure,) = closure_equations(Layout.of(m, cut=["hinge"]))
    upright = {"ball.al": 0.0, "ball.be": 0.0, "ball.ga": 1.0}
    flipped = {"ball.al": np.pi, "ball.be": 0.0, "ball.ga": 1.0}
    assert np.abs(ex.evaluate(list(closure.equations), values_of(m, upright))).max() < 1e-12
    assert np.abs(ex.evaluate(list(closure.equations), values_of(m, flipped))).max() > 1.9


def test_acceleration_term_is_the_rate_of_the_velocity_condition(families):
    m = families.four_bar(4, 1, 3.5, 2.5)
    (closure,) = closure_equations(Layout.of(m))
    rng = np.random.default_rng(0)
    names = list(Layout.of(m).coordinates)
    q, u = rng.normal(size=3), rng.normal(size=3)

    def rates(h):
        known = {ex.symbol(n): a + h * b for n, a, b in zip(names, q, u, strict=True)}
        matrix = np.array([ex.evaluate(list(r), known) for r in closure.matrix.rows()], dtype=float)
        return matrix @ u

    known = {ex.symbol(n): a for n, a in zip(names, q, strict=True)}
    known |= {ex.symbol(n + "'"): b for n, b in zip(names, u, strict=True)}
    expected = (rates(1e-5) - rates(-1e-5)) / 2e-5
    assert np.allclose(ex.evaluate(list(closure.gamma), known), expected, atol=1e-8)


def test_two_level_antenna_has_generic_rank_twelve_in_closure_equations(families):
    """Points and oriented axes: 12 off the closure, where the printed velocity form has 13."""
    m = families.antenna(2)
    closures = closure_equations(Layout.of(m))
    matrix = ex.Matrix([row for one in closures for row in one.matrix.rows()])
    given = {ex.symbol(k): v for k, v in m.given.items()}
    rng = np.random.default_rng(2)
    point = {ex.symbol(n): rng.uniform(-2, 2) for n in Layout.of(m).coordinates}
    numbers = np.array(ex.evaluate(list(matrix.entries), point | given), dtype=float).reshape(matrix.shape)
    assert np.linalg.matrix_rank(numbers, tol=1e-9) == 12
    assert loops.rank_off(loops.build_linkage(Layout.of(m))) == 13


def test_generic_rank_of_expressions_is_the_modular_rank_of_the_linkage(families):
    m = families.saliere()
    (closure,) = closure_equations(Layout.of(m))
    point_rows = ex.Matrix(list(closure.matrix.rows())[:3])
    assert generic_rank(point_rows) == 3


def test_maximal_coordinates_have_six_for_each_body(families):
    m = families.slider_crank()
    closures = maximal_closure(m)
    assert sorted(one.link.name for one in closures) == ["link_j01", "link_j03", "link_j12", "link_j23"]
    assert all(one.matrix.shape[1] == 18 for one in closures)
    rows = [row for one in closures for row in one.matrix.rows()]
    # at the closed posture: 18 coordinates, rank 17, one freedom
    from dalembert.kinematics import build_tree, frame_pose

    layout = Layout.of(m)
    tree = build_tree(layout)
    at = values_of(m, loops.mobility(m).at)
    place = {}
    for body in layout.bodies[1:]:
        pose = frame_pose(tree, body.frame)
        x, y, z = ex.evaluate(list(pose.position), at)
        angle = np.arctan2(*ex.evaluate([pose.rotation[1][0], pose.rotation[0][0]], at))
        place |= {
            f"{body.name}.{n}": v
            for n, v in zip(("x", "y", "z", "al", "be", "ga"), (x, y, z, 0, 0, angle), strict=True)
        }
    known = {ex.symbol(k): v for k, v in place.items()}
    for one in closures:
        assert np.abs(ex.evaluate(list(one.equations), known)).max() < 1e-12
    numbers = np.array([ex.evaluate(list(r), known) for r in rows], dtype=float)
    assert np.linalg.matrix_rank(numbers, tol=1e-9) == 17
