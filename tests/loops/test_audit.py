"""Mobility against known answers: a sample of the audit that `benchmarks/audit_mobility.py` runs by the thousand."""

import random
from fractions import Fraction

import pytest

from dalembert import expr as ex
from dalembert import loops
from dalembert.mechanism import Layout
from known_mobilities import MAKERS, case


def judged(seed):
    """Whether the verdict is proved; a wrong proof fails."""
    question = case(seed)
    try:
        verdict = loops.mobility(question.mechanism, question.at, equations=question.equations)
    except loops.ModelError:
        assert question.truth is None
        return False
    assert verdict.lower <= verdict.upper
    assert verdict.upper <= verdict.instantaneous or not verdict.proved  # rounded data close only nearby
    if verdict.proved:
        assert verdict.dof == question.truth, f"{question.words}\n{verdict}"
    return verdict.proved


@pytest.mark.parametrize("seed", range(len(MAKERS)))
def test_no_wrong_proof_in_a_sample(seed):
    judged(seed)


@pytest.mark.slow
def test_no_wrong_proof_in_a_larger_sample():
    seeds = range(20_000, 20_102)
    proved = sum(judged(seed) for seed in seeds)
    possible = sum(case(seed).truth is not None for seed in seeds)
    assert proved >= 0.9 * possible


@pytest.mark.parametrize("name", ["bennett", "saliere", "sarrus", "antenna", "slider_crank"])
def test_an_independent_checker_confirms_the_verdict(families, name):
    found = loops.mobility(families.FAMILIES[name]()).certificate.check()
    assert found.ok, str(found)


def test_the_checker_denies_a_posture_that_does_not_close(families):
    from dataclasses import replace

    verdict = loops.mobility(families.bennett())
    evidence = replace(verdict.evidence, posture={**verdict.evidence.posture, "j1.th": "0.2245"})
    assert replace(verdict, evidence=evidence).certificate.check().denied == ("the posture does not close",)


@pytest.mark.parametrize("lie", [{"lower": 2, "upper": 2, "instantaneous": 2}, {"upper": 0, "lower": 0}])
def test_the_checker_does_not_confirm_another_mobility(families, lie):
    from dataclasses import replace

    verdict = loops.mobility(families.saliere(), {} if "instantaneous" not in lie else None)
    assert not replace(verdict, evidence=replace(verdict.evidence, **lie)).certificate.check().ok


def test_what_is_not_proved_is_not_confirmed():
    question = next(c for c in map(case, range(9, 400, len(MAKERS))) if c.truth is None)
    verdict = loops.mobility(question.mechanism, question.at)
    assert not verdict.proved
    assert not verdict.certificate.check()


@pytest.mark.parametrize("seed", range(6))
def test_second_order_is_right_for_curved_links(seed):
    """Forms from brackets and Hessians are the second derivatives of the closure along its kernel, by power series."""
    from dalembert.loops.balls import BallClosing, precision
    from dalembert.loops.linearised import linearised
    from dalembert.loops.obstructions import obstructions
    from dalembert.loops.series import along
    from dalembert.loops.units import in_own_units

    rng = random.Random(seed)
    m = _two_slots(rng)
    own = in_own_units(loops.build_linkage(Layout.of(m), None, {}, exactly=True), {})
    with precision(60):
        balls = BallClosing(loops.Closing(own), 60)
        x = [balls.scale * 0] * own.size
        for i, equation in zip(own.auxiliary, own.equations, strict=False):
            value = ex.evaluate([equation], {ex.symbol(n): 0.0 for n in own.variables})[0]
            x[i] = x[i] - value
        linear = linearised(balls, balls.jacobian(x))
        k = len(linear.independent)
        assert k >= 1
        for _ in range(3):
            d = [rng.randint(-4, 4) for _ in range(k)]
            series = along(balls, x, linear, d, 2)[:, 2]
            forms = obstructions(balls, x, linear)
            for form, coefficient in zip(forms, series, strict=True):
                value = sum(form[i, j] * d[i] * d[j] for i in range(k) for j in range(k))
                assert abs(float(value - 2 * coefficient)) < 1e-30


def _two_slots(rng):
    """Pins in two curved slots, joined by bars in line."""
    from dalembert.mechanism import Displacement, Mechanism, composite, earth, revolute

    x = ex.symbol("x")
    m = Mechanism("slots")
    pins = [m.body("p"), m.body("q")]
    for body, y0, name in zip(pins, (0, 4), "pq", strict=True):
        curve = y0 + ex.const(rng.randint(-4, 4)) / 4 * x**2 + ex.const(rng.randint(-4, 4)) * x**3
        m.join(earth, body, composite(["x"], Displacement.of([x, curve, 0])), name=f"slot_{name}")
    low, high = m.body("low"), m.body("high")
    m.join(pins[0], low, revolute("z"), name="a")
    m.join(low.at([0, 1, 0]), high.at([0, 1, 0]), revolute("z"), name="b")
    m.join(high.at([0, 4, 0]), pins[1], revolute("z"), name="c")
    return m


def _toggle(series):
    """Bars of length one in line, from the origin to a pin in the slot y = 2 + sum c_k x^k."""
    from dalembert.mechanism import Displacement, Mechanism, composite, earth, revolute

    x = ex.symbol("x")
    m = Mechanism("toggle")
    pin, low, high = m.body("pin"), m.body("low"), m.body("high")
    height = sum((ex.const(c) * x**k for k, c in series.items()), ex.const(2))
    m.join(earth, pin, composite(["x"], Displacement.of([x, height, 0])), name="slot")
    m.join(earth, low, revolute("z"), name="foot")
    m.join(low.at([0, 1, 0]), high.at([0, 1, 0]), revolute("z"), name="knee")
    m.join(high.at([0, 2, 0]), pin, revolute("z"), name="top")
    return m


@pytest.mark.parametrize(
    ("series", "dof"),
    [
        ({5: -1000}, 0),
        ({2: Fraction(-1, 4), 5: Fraction(1, 10**6)}, 0),
        ({2: Fraction(-1, 4), 4: Fraction(-1, 64), 7: 10**6}, 0),
        ({2: -1}, 1),
    ],
)
def test_the_checker_confirms_orders_above_two(series, dof):
    """x^2 + y^2 - 4 along the slot has the first power 2, 4, 6 (isolated) or changes sign (mobile)."""
    verdict = loops.mobility(_toggle(series))
    assert verdict.dof == dof
    found = verdict.certificate.check()
    assert found.ok, str(found)


@pytest.mark.parametrize(
    ("curve", "branches"),
    [
        ("Y^2 + X^4 - 10*X^5", 0),
        ("Y^2 - X^4 - 10*X^5", 2),
        ("Y^2 - X^3", 1),
        ("(Y - X^2)^2 + X^6", 0),
        ("(Y - X^2)^2 - X^7", 1),
        ("X*Y", 2),
        ("(X^2 + Y^2)^2", 0),
        ("Y^3 + X^4", 1),
        ("(X - Y)^2 + Y^6", 0),
        ("(X - Y)*(X^2 + 3*Y^4)", 1),
        ("(X^2 - 2*Y^2)^2 + X^5*Y^2", 2),
        ("(X^2 - 2*Y^2)^2 + X^6", 0),
        ("(X^2 - Y^2)^2", None),  # lines that count twice are never simple
        ("(Y - X^2 + 3*X^3)^2", None),
    ],
)
def test_branches_by_blowing_up(curve, branches):
    import flint
    import sympy as sp
    from flint import arb

    from dalembert.loops.germs import ways

    powers = sp.Poly(sp.sympify(curve.replace("^", "**")), *sp.symbols("X Y")).terms()
    terms = {p: arb(int(c)) for p, c in powers}
    with flint.ctx.workdps(50):
        found, complete = ways(terms, 13, lambda v: bool(abs(v) < arb(10) ** -33) and v.contains(0))
    assert (len(found) if complete else None) == branches


@pytest.mark.slow
def test_the_checker_confirms_what_is_proved_and_no_other_number():
    """One question of each family: the verdict is confirmed, one freedom more or less is not."""
    from dataclasses import replace

    asked = 0
    for seed in range(61_003, 61_003 + len(MAKERS)):
        question = case(seed)
        try:
            verdict = loops.mobility(question.mechanism, question.at, equations=question.equations)
        except loops.ModelError:
            continue
        if not verdict.proved:
            continue
        asked += 1
        found = verdict.certificate.check()
        assert found.ok, f"{question.words}\n{found}"
        for dof in (verdict.dof - 1, verdict.dof + 1):
            if 0 <= dof <= verdict.instantaneous:
                lie = replace(verdict.evidence, lower=dof, upper=dof)
                told = replace(verdict, evidence=lie, lower=dof, upper=dof, dof=dof).certificate.check()
                assert not told.ok, f"{question.words}\n{told}"
    assert asked >= 10


def test_a_witness_beside_an_isolated_posture_is_no_lower_bound():
    """Y^2 + X^4 - 10 X^5 = 0: the curve beside the origin does not reach it."""
    from dataclasses import replace

    from dalembert.mechanism import Mechanism, earth, prismatic

    m = Mechanism("slides")
    for name in "XY":
        m.join(earth, m.body(f"b{name}"), prismatic("x"), name=name)
    x, y = ex.symbol("X.x"), ex.symbol("Y.x")
    verdict = loops.mobility(m, {}, equations=[y**2 + x**4 - 10 * x**5])
    assert verdict.dof == 0
    lie = replace(verdict.evidence, lower=1, upper=1, witness={"X.x": 0.2, "Y.x": 0.04})
    found = replace(verdict, evidence=lie).certificate.check()
    assert any("at least 1" in line for line in found.open)


def slides(count, *equations):
    """Slides along x with conditions between their coordinates X.x, Y.x, ..., at rest in the origin."""
    from dalembert.mechanism import Mechanism, earth, prismatic

    m = Mechanism("slides")
    for name in "XYZ"[:count]:
        m.join(earth, m.body(f"b{name}"), prismatic("x"), name=name)
    letters = {ex.symbol(n): ex.symbol(f"{n}.x") for n in "XYZ"}
    return loops.mobility(m, {}, equations=[ex.substitute([ex.parse(e)], letters)[0] for e in equations])


@pytest.mark.parametrize("scale", ["1", "1e-7", "1e6"])
@pytest.mark.parametrize(
    ("equation", "dof"),
    [
        ("X*Y + Z^2", 2),  # a cone
        ("X^3 + Y^3 - Z^3", 2),
        ("(X - Y^2)*Z", 2),  # crossing surfaces
        ("(Y - X^2)^2 - X^7", 1),  # a cusp, after two substitutions of Puiseux
        ("(Y - X^2)^2 + X^8", 0),
    ],
)
def test_the_checker_follows_germs_in_any_unit(equation, dof, scale):
    equation = (
        equation
        if scale == "1"
        else ex.text(
            ex.substitute([ex.parse(equation)], {ex.symbol(n): ex.symbol(n) / ex.parse(scale) for n in "XYZ"})[0]
        )
    )
    verdict = slides(3 if "Z" in equation else 2, equation)
    assert (verdict.dof, verdict.proved) == (dof, True)
    found = verdict.certificate.check()
    assert found.ok, str(found)


def test_a_line_is_no_surface_to_the_checker():
    """X Z = Y Z = 0 is a plane and a line; with (X^2 + Y^2) Z = 0, too; X Y = X Z = Y Z = 0 are three lines."""
    from dataclasses import replace

    plane = slides(3, "X*Z", "Y*Z")
    assert plane.dof == 2
    assert plane.certificate.check().ok
    lines = slides(3, "X*Y", "X*Z", "Y*Z")
    assert lines.dof == 1
    told = replace(lines.evidence, lower=2, upper=2)
    assert not replace(lines, evidence=told, lower=2, upper=2, dof=2).certificate.check().ok


def test_the_checker_knows_ball_joints():
    """A quaternion is four coordinates and a row for its norm to the checker, three turns to the ladder."""
    from dataclasses import replace

    from dalembert.mechanism import Mechanism, earth, revolute, spherical

    m = Mechanism("two hinges and two balls")  # the bar between the balls spins about itself
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth, a, revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b.at([1, 0, 0]), spherical("quaternion"), name="B")
    m.join(b.at([1, 3, 1]), c.at([1, 3, 1]), spherical(), name="C")
    m.join(earth.at([0, 3, 0]), c.at([0, 3, 0]), revolute("y"), name="D")
    verdict = loops.mobility(m)
    assert (verdict.dof, verdict.proved) == (2, True)
    found = verdict.certificate.check()
    assert found.ok, str(found)
    posture = verdict.evidence.posture
    names = [n for n in posture if n.startswith("B.")]
    assert len(names) == 4
    turned = replace(verdict.evidence, posture={**posture, names[1]: "0.1"})
    assert "the posture does not close" in replace(verdict, evidence=turned).certificate.check().denied
