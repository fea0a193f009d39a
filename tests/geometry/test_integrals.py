"""First integrals: found, proved, and none that is not conserved is claimed."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.geometry import Geometry, Kept, constrained, integrals, kept_bracket, phase_bracket, symmetries


def are(found, *expected):
    """Whether these formulas, and no others, were found; no order of terms has a say."""
    wanted = [ex.parse(x) for x in expected]
    return len(found) == len(wanted) and all(any(ex.tidy(one.value - x) is ex.ZERO for one in found) for x in wanted)


def skater():
    return Geometry(
        constrained(
            "x y th s",
            "30*(x'^2+y'^2) + 0.75*th'^2 + 1.25*(th'+s')^2",
            driven={"s": "0.8 + 0.3*sin(s)"},
            kept={"blade": "x'*sin(th) - y'*cos(th)"},
        )
    )


def test_integrals_of_the_first_skater():
    """Degree two: p_th, its square, and the square of the momentum along the blade; all proved."""
    found = integrals(skater(), 2, energy=False)
    assert are(found, "p_th", "p_th**2", "p_x**2 + p_y**2")
    assert all(one.proved for one in found)
    assert [ex.text(one.value) for one in symmetries(skater())] == ["p_th"]


def test_an_active_constraint_without_power_keeps_the_energy():
    g = Geometry(
        constrained(
            "x y th",
            "30*(x'^2+y'^2) + 0.9*th'^2",
            kept={
                "blade": "x'*sin(th) - y'*cos(th)",
                "turn": Kept("th'/(x'*cos(th) + y'*sin(th))", rate="0.2*cos(2*t)"),
            },
        )
    )
    found = integrals(g, 2)
    assert all(one.proved for one in found)
    assert are(found, "100/3*p_th**2 + p_x**2 + p_y**2")


def test_moving_energy_of_a_skate_on_a_turning_table():
    """Rows affine, G (u - X_0) = 0 with X_0 = W (-y, x, 1): E - W (x p_y - y p_x + p_th) is kept, E is not."""
    g = Geometry(
        constrained(
            "x y th",
            "(x'^2 + y'^2 + th'^2/2)",
            kept={"blade": "sin(th)*(x' + 0.5*y) - cos(th)*(y' - 0.5*x)"},
        )
    )
    found = integrals(g, 2, factors=["x", "y"])
    along = dict(zip((*g.setting.coordinates, *g.setting.momenta), g.field, strict=True))
    assert are(found, "p_x*y - p_y*x + 1/2*p_x**2 + 1/2*p_y**2", "p_th", "p_th**2")
    assert all(one.proved for one in found)
    rng, (energy,) = np.random.default_rng(1), ex.tangent([g.energy], along)
    x, y, th, v, w = rng.normal(size=5)
    along_blade = {"p_x": 2 * (v * np.cos(th) - 0.5 * y), "p_y": 2 * (v * np.sin(th) + 0.5 * x), "p_th": w}
    state = {"x": x, "y": y, "th": th, **along_blade}
    assert abs(g.at(state, [energy])[0]) > 1e-3
    moving = g.energy - 0.5 * ex.parse("x*p_y - y*p_x + p_th")
    assert abs(g.at(state, ex.tangent([moving], along))[0]) < 1e-12
    for one in found:
        assert abs(g.at(state, ex.tangent([one.value], along))[0]) < 1e-9


def test_nothing_is_claimed_of_a_swing_that_is_pumped():
    g = Geometry(constrained("th l", "15*(l'^2 + l^2*th'^2) + 294.3*l*cos(th)", driven={"l": "0.3*cos(t)"}))
    assert integrals(g, 3, factors=["cos(th)", "l"]) == []


def test_jacobi_holds_on_the_phase_space_and_fails_on_a_skate():
    """The blade cannot be integrated: the bracket of its set is no Poisson bracket, and it still gives the motion."""
    g = Geometry(constrained("x y th", "x'^2 + y'^2 + th'^2/2 - x", kept={"blade": "x'*sin(th) - y'*cos(th)"}))
    assert phase_bracket(g).poisson
    found = kept_bracket(g)
    assert found.failures()
    assert all("th" in triple or "pi_2" in triple for triple in found.failures())
    x, y, th, a, b = (ex.symbol(s) for s in ("x", "y", "th", "pi_1", "pi_2"))
    basis = found.matrix.T.rows()[3:]
    rng = np.random.default_rng(0)
    values = {s: float(v) for s, v in zip((x, y, th, a, b), rng.normal(size=5))}
    vectors = np.array([[float(v) for v in ex.evaluate(list(row[:3]), values)] for row in basis])
    mass = np.diag([2, 2, 1.0])
    speeds = np.linalg.solve(vectors @ -mass @ -vectors.T, [values[a], values[b]]) @ vectors
    moved = np.array([float(v) for v in ex.evaluate(list(found.field), values)])
    state = {"x": values[x], "y": values[y], "th": values[th], **dict(zip(("p_x", "p_y", "p_th"), mass @ speeds))}
    direct = np.array(g.at(state, g.field))
    assert np.abs(moved[:3] - direct[:3]).max() < 1e-12
    # pi_a' = p' . E_a + p . E_a'
    turned = [ex.tangent(list(row[:3]), dict(zip((x, y, th), map(float, moved[:3])))) for row in basis]
    changed = np.array([[float(v) for v in ex.evaluate(row, values)] for row in turned])
    assert np.abs(moved[3:] - (vectors @ direct[3:] + changed @ (mass @ speeds))).max() < 1e-12


def test_jacobi_holds_where_the_conditions_can_be_integrated():
    g = Geometry(constrained("x y", "x'^2 + y'^2 - x", kept={"rail": "x*x' + y*y'"}))
    assert kept_bracket(g).poisson


def test_no_bracket_where_the_reaction_is_not_perfect():
    servo = constrained("a b", "a'^2 + b'^2", kept={"servo": Kept("a' - b'", "d(b)")})
    with pytest.raises(ModelError, match="not perfect"):
        kept_bracket(Geometry(servo))
