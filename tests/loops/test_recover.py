"""Parameters of closed configurations from a kernel of the constraint matrix (thesis 4.1.5)."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import loops
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism, earth, prismatic, revolute


def table():
    m = Mechanism("table")
    x, y, top = m.body("x"), m.body("y"), m.body("top")
    m.join(earth, x, prismatic("x"), name="a")
    m.join(earth, y, prismatic("y"), name="b")
    m.join(x, top, prismatic("y"), name="c")
    m.join(y, top, prismatic("x"), name="d")
    return m


def slider_crank(crank="r", rod="l"):
    m = Mechanism("slider-crank")
    s1, s2, s3 = (m.body(n) for n in ("s1", "s2", "s3"))
    m.join(earth, s1, revolute("z"), name="a")
    m.join(s1.at([crank, 0, 0]), s2, revolute("z"), name="b")
    m.join(earth, s3, prismatic("x"), name="d")
    m.join(s2.at([rod, 0, 0]), s3, revolute("z"), name="c")
    return m


def slopes_are_psi(found, psi, draw, seed=0):
    """Central differences of P along the columns of Psi give the unit matrix, in numbers that share no code."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        x = draw(rng)
        for i, p in enumerate(found.parameters):
            for j, column in enumerate(psi.values()):
                rate = {n: ex.evaluate([ex.as_expr(ex.parse(str(v)))], _at(x))[0] for n, v in column.items()}
                ahead, behind = ({n: v + s * rate.get(n, 0) for n, v in x.items()} for s in (1e-6, -1e-6))
                values = [ex.evaluate([p.formula], _at(y))[0] for y in (ahead, behind)]
                assert (values[0] - values[1]) / 2e-6 == pytest.approx(float(i == j), abs=1e-7)


def _at(x):
    return {ex.symbol(n): v for n, v in x.items()}


def on_table(rng):
    u, v = rng.uniform(0.5, 1.5, 2)
    return {"a.x": u, "d.x": u, "b.x": v, "c.x": v}


@pytest.mark.parametrize(
    "psi",
    [
        {"P": {"a.x": 1, "d.x": 1}, "Q": {"b.x": 1, "c.x": 1}},
        # P = x, Q = x y
        {"P": {"a.x": 1, "d.x": 1, "b.x": "-b.x/a.x", "c.x": "-b.x/a.x"}, "Q": {"b.x": "1/a.x", "c.x": "1/a.x"}},
        # P = x^2 + y, Q = x - y
        {
            "P": dict.fromkeys(("a.x", "d.x", "b.x", "c.x"), "1/(2*a.x + 1)"),
            "Q": {"a.x": "1/(2*a.x + 1)", "d.x": "1/(2*a.x + 1)", "b.x": "-2*a.x/(2*a.x+1)", "c.x": "-2*a.x/(2*a.x+1)"},
        },
    ],
)
def test_parameters_of_a_table_are_recovered(psi):
    found = loops.recover_parameters(table(), psi)
    assert found.complete
    slopes_are_psi(found, psi, on_table)


def test_each_rate_of_a_column_may_have_a_denominator_of_its_own():
    """On the table a = d: a rate (d + 1)/(a + 1) is 1 there, and a denominator that no other rate has."""
    psi = {"P": {"a.x": "(d.x + 1)/(a.x + 1)", "d.x": 1}, "Q": {"b.x": 1, "c.x": 1}}
    slopes_are_psi(loops.recover_parameters(table(), psi), psi, on_table)
    with pytest.raises(ModelError, match="is no motion of the loops"):
        loops.recover_parameters(table(), {"P": {"a.x": "(d.x + 1)/(a.x + 2)", "d.x": 1}})


def test_columns_that_do_not_commute_have_no_parameters():
    """[d/dx, x d/dy] = d/dy: the second rate y'/x is the rate of no function, the first is."""
    psi = {"P": {"a.x": 1, "d.x": 1}, "Q": {"b.x": "a.x", "c.x": "a.x"}}
    first, second = loops.recover_parameters(table(), psi).parameters
    assert (first.found, second.found) == ("integrated", "no differential")
    assert second.formula is None
    assert "the rate of no function" in str(second)


def test_the_other_columns_have_coordinates_as_parameters():
    psi = {"P": {"a.x": 1, "d.x": 1}, "Q": {"a.x": "b.x", "d.x": "b.x", "b.x": "a.x", "c.x": "a.x"}}
    found = loops.recover_parameters(table(), psi)
    assert not found.complete
    assert "Psi times" in str(found)
    x = {"a.x": 0.7, "b.x": 1.3}
    block = np.array([[float(ex.evaluate([ex.parse(str(c.get(n, 0)))], _at(x))[0]) for c in psi.values()] for n in
                      found.independent])  # fmt: skip
    change = np.array([[float(ex.evaluate([v], _at(x))[0]) for v in row] for row in found.change])
    assert block @ change == pytest.approx(np.eye(2))


@pytest.mark.parametrize(("factor", "expected"), [("1", "a.th"), ("cos(a.th)", None), ("1/(2 + cos(a.th))", None)])
def test_a_column_of_the_crank_with_any_factor(factor, expected):
    """Rates of the whole slider-crank by the crank's, times a factor: P = integral of da / factor."""
    rates = {"a.th": "1", "b.th": "-1 - r*cos(a.th)/(l*cos(a.th + b.th))", "c.th": "r*cos(a.th)/(l*cos(a.th + b.th))",
             "d.x": "-r*sin(a.th) + r*cos(a.th)*sin(a.th + b.th)/cos(a.th + b.th)"}  # fmt: skip
    found = loops.recover_parameters(slider_crank(), {"P": {n: f"({v})*({factor})" for n, v in rates.items()}})
    (p,) = found.parameters
    assert p.found == "integrated"
    assert expected is None or ex.text(p.formula) == expected
    slope = ex.derivative(p.formula, ex.symbol("a.th"))
    for a in (0.2, 0.5, -0.9):
        numbers = {ex.symbol("a.th"): a}
        assert ex.evaluate([slope * ex.parse(factor)], numbers)[0] == pytest.approx(1)


def test_cramers_column_is_integrated_on_the_branch():
    """Equal bars: a + b = -a on the branch, so that da/cos(a + b) has a formula; of others it is elliptic."""
    equal = loops.recover_parameters(
        slider_crank(1, 1), at={"a.th": 0.4, "b.th": -0.8, "c.th": 0.4, "d.x": 1.842}, piece=0
    )
    assert {p.found for p in equal.parameters} <= {"integrated", "integrated on the branch"}
    for p in equal.parameters:  # along the branch: c = a, b = -2 a, d = 2 cos a
        rates = {"a.th": 1.0, "b.th": -2.0, "c.th": 1.0, "d.x": -2 * np.sin(0.4)}
        at = _at({"a.th": 0.4, "b.th": -0.8, "c.th": 0.4, "d.x": 2 * np.cos(0.4)})
        slope = sum(ex.evaluate([ex.derivative(p.formula, ex.symbol(n))], at)[0] * v for n, v in rates.items())
        form = sum(ex.evaluate([v], at)[0] * rates[n] for n, v in p.rate.items())
        assert slope == pytest.approx(form, rel=1e-9)
    other = loops.recover_parameters(slider_crank())
    assert [p.found for p in other.parameters] == ["no formula found"]
    assert len(other.independent) == 1


def test_what_has_no_integral_on_the_branch_either_is_told_without_a_formula(monkeypatch):
    from dalembert.loops import recover

    monkeypatch.setattr(recover, "integral", lambda form: None)
    at = {"a.th": 0.4, "b.th": -0.8, "c.th": 0.4, "d.x": 1.842}
    (p,) = loops.recover_parameters(slider_crank(1, 1), at=at, piece=0).parameters
    assert (p.formula, p.found) == (None, "no formula found")


def test_wrong_columns_are_refused():
    with pytest.raises(ModelError, match="is no motion of the loops"):
        loops.recover_parameters(table(), {"P": {"a.x": 1}})
    with pytest.raises(ModelError, match="depend on each other"):
        loops.recover_parameters(table(), {"P": {"a.x": 1, "d.x": 1}, "Q": {"a.x": 2, "d.x": 2}})
    with pytest.raises(ModelError, match="'z' is no coordinate"):
        loops.recover_parameters(table(), {"P": {"z": 1}})
