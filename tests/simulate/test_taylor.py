"""Taylor's method: closed forms to 14 and to 28 digits, other methods, dense output, events, what it refuses."""

import mpmath
import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate import Problem, System, integrate
from dalembert.simulate.methods.taylor import order_for
from dalembert.simulate.runs.run import run
from dalembert.simulate.runs.run_many import run_many

X, Y, U, V = ex.symbols("x y x' y'")
CUBE = ex.sqrt(X * X + Y * Y) ** 3
START = {"x": 1 - 0.9, "y": 0.0, "x'": 0.0, "y'": (1.9 / 0.1) ** 0.5}
KEPLER = System(("x", "y"), ("x'", "y'"), (U, V, -X / CUBE, -Y / CUBE), start=START, name="planet")
SWING = System(("x",), ("x'",), (U, -ex.sin(X)), start={"x": 2.5}, name="swing")


def _kepler_at(t):
    """Kepler's equation for the doubles of START."""
    near, speed = mpmath.mpf(START["x"]), mpmath.mpf(START["y'"])
    a = 1 / (2 / near - speed**2)
    e = 1 - near / a
    mean = mpmath.mpf(t) / a ** mpmath.mpf(1.5)
    angle = mpmath.findroot(lambda E: E - e * mpmath.sin(E) - mean, mean)
    return a * (mpmath.cos(angle) - e), a * mpmath.sqrt(1 - e * e) * mpmath.sin(angle)


def _whole(motion, row, column=-1):
    return mpmath.mpf(float(motion.y[row, column])) + mpmath.mpf(float(motion.low[row, column]))


@pytest.mark.parametrize(("method", "rtol", "most"), [("taylor", 1e-15, 1e-12), ("taylor-dd", 1e-30, 1e-28)])
def test_planet_of_eccentricity_nine_tenths_is_where_kepler_says(method, rtol, most):
    motion = run(KEPLER, (0, 20.0), method=method, rtol=rtol)
    with mpmath.workdps(45):
        for row, expected in enumerate(_kepler_at(20.0)):
            assert abs(_whole(motion, row) - expected) < most


@pytest.mark.parametrize(("method", "rtol", "most"), [("taylor", 1e-15, 1e-13), ("taylor-dd", 1e-30, 1e-28)])
def test_pendulum_is_jacobis_elliptic_sine(method, rtol, most):
    times = np.array([0.7, 3.0, 9.25])
    motion = run(SWING, (0, 10.0), method=method, rtol=rtol, t_eval=times)
    with mpmath.workdps(45):
        k = mpmath.sin(mpmath.mpf(2.5) / 2)
        for column, t in enumerate(times):
            sine = mpmath.ellipfun("sn", mpmath.ellipk(k**2) - mpmath.mpf(t), m=k**2)
            assert abs(_whole(motion, 0, column) - 2 * mpmath.asin(k * sine)) < most


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_error_follows_the_tolerance(tolerance):
    motion = run(SWING, (0, 10.0), method="taylor", rtol=tolerance)
    exact = run(SWING, (0, 10.0), method="taylor", rtol=1e-15)
    assert np.abs(motion.y[:, -1] - exact.y[:, -1]).max() < 100 * tolerance
    assert motion.rejected == 0
    assert motion.nfev == motion.accepted + 2


@pytest.mark.parametrize(("method", "rtol"), [("taylor", 1e-12), ("taylor-dd", 1e-24)])
def test_terms_that_vanish_tell_no_length_of_a_step(method, rtol):
    """Flat at the start beyond the order of the series, or flat without being constant: not one step over the span."""
    rng = np.random.default_rng(5)
    cases = [(f"t^{n}", lambda t, n=n: t**n) for n in rng.integers(20, 60, 3).tolist()]
    cases += [(f"sin(t)^{n}", lambda t, n=n: mpmath.sin(t) ** n) for n in (40, 58)]
    if method == "taylor":  # pairs of doubles are told more digits than its steps can be short
        cases += [("exp(-1/(t - 1)^2)", lambda t: mpmath.exp(-1 / (t - 1) ** 2) if t != 1 else mpmath.mpf(0))]
    for formula, rate in cases:
        motion = run(System(("x",), (), (ex.parse(formula),), name="flat"), (0, 1.75), method=method, rtol=rtol)
        with mpmath.workdps(40):
            exact = mpmath.quad(rate, [0, 0.5, 1, 1.4, 1.75])
            low = 0.0 if motion.low is None else float(motion.low[0, -1])
            assert abs(float(motion.y[0, -1]) + mpmath.mpf(low) - exact) < 1e3 * rtol * abs(exact), formula


@pytest.mark.parametrize("method", ["taylor", "taylor-dd"])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_pulses_that_are_nothing_where_a_step_begins_are_seen(method, unit):
    """exp(-((t - c)/w)^2) is no double far from c, nor are its coefficients; forwards and backwards in time."""
    rng = np.random.default_rng(7)
    for centre, width in zip(rng.uniform(2, 8, 5), rng.uniform(0.1, 0.3, 5), strict=True):
        pulse = System(("x",), (), (ex.exp(-(((ex.TIME / unit - centre) / width) ** 2)) / unit,), name="pulse")
        for span in ((0, 10 * unit), (10 * unit, 0)):
            motion = run(pulse, span, method=method, rtol=1e-12)
            assert abs(motion.y[0, -1]) == pytest.approx(width * np.sqrt(np.pi), rel=1e-9)


def thrown_arm(seed, unit=1.0):
    """Five hinges with full inertias, thrown: accelerations pass through zero while others are large."""
    chance = np.random.default_rng(seed)
    m, before = da.Mechanism("arm"), da.earth
    for i in range(5):
        inertia = [unit**2 * x for x in (0.03, 0.04, 0.02, 0.001, 0.002, 0.0015)]
        centre, end = ([unit * x for x in (0.02, 0.01, z)] for z in (0.25, 0.5))
        body = m.body(f"link{i}", mass=1 + 0.1 * i, centre=centre, inertia=inertia)
        m.join(before, body, da.revolute(str(chance.choice(list("xyz")))), name=f"j{i}")
        before = body.at([0, 0, end[2]])
    m.gravity = [0, 0, -9.81 * unit]
    m.start = {f"j{i}.th": float(chance.uniform(-1, 1)) for i in range(5)}
    m.start |= {f"j{i}.th'": float(chance.uniform(-5, 5)) for i in range(5)}
    return m


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "unit"), [(0, 1.0), (1, 1e-3), (2, 1e3)])
def test_slopes_that_large_terms_leave_do_not_stop_a_step(seed, unit):
    """They are rounded by what cancels in them, not by their own size: steps had shrunk to 1e-7 s there."""
    m = thrown_arm(seed, unit)
    fine = m.simulate((0, 1), method="taylor-dd", rtol=1e-24, atol=1e-24)
    finer = m.simulate((0, 1), method="taylor-dd", rtol=1e-28, atol=1e-28)
    assert max(fine.rejected, finer.rejected) <= 3
    apart = (fine.y[:, -1] - finer.y[:, -1]) + (fine.low[:, -1] - finer.low[:, -1])
    assert abs(apart).max() < 1e-19


def test_pulses_on_a_quiet_mass_are_seen_beside_a_violent_one():
    """What rounds the slope of one does not excuse another that shares no term with it."""
    x = ex.symbol("x")
    pulse = ex.exp(-((20 * (ex.TIME - 5)) ** 2))
    slow = System(("x", "y"), (), (ex.cos(ex.TIME) - 0.1 * x, 1e-9 * pulse), start={"x": 1e12, "y": 0.0})
    moved = run(slow, (0, 10), method="taylor-dd", rtol=1e-24, atol=1e-30)
    assert moved.y[1, -1] == pytest.approx(1e-9 * float(mpmath.sqrt(mpmath.pi)) / 20, rel=1e-12)


def test_orders_are_those_of_jorba_and_zou():
    assert [order_for(tolerance) for tolerance in (1e-15, 1e-30, 1e-3)] == [19, 36, 5]


@pytest.mark.parametrize("example", ["gyroscope", "double_pendulum", "tennis_racket"])
def test_machines_move_as_by_verner(example):
    machine = da.load(f"examples/{example}.lsd")
    ours, theirs = (machine.simulate((0, 2), method=m, rtol=1e-12, atol=1e-13) for m in ("taylor", "VERNER98"))
    times = np.linspace(0, 2, 41)
    assert np.abs(ours.sol(times) - theirs.sol(times)).max() < 1e-9 * (1 + np.abs(ours.y).max())
    assert ours.accepted < theirs.accepted


def test_events_are_found_on_its_own_polynomials():
    events = ["x - 2.4999", "x'", da.Event("t - 9", terminal=True)]
    ours, pairs = (run(SWING, (0, 10), method=m, rtol=1e-14, events=events) for m in ("taylor", "taylor-dd"))
    exact = run(SWING, (0, 10), method="VERNER98", rtol=1e-13, atol=1e-14, events=events)
    for motion in (ours, pairs):
        assert motion.status == 1
        for found, expected in zip(motion.t_events, exact.t_events, strict=True):
            assert len(found) == len(expected)
            assert np.abs(found - expected).max() < 1e-10


def test_motions_run_backwards_and_many_at_once():
    there = run(SWING, (0, 5), method="taylor", rtol=1e-14)
    back = run(SWING, (5, 0), method="taylor", rtol=1e-14, start=dict(zip(SWING.states, there.y[:, -1], strict=True)))
    assert abs(back.y[0, -1] - 2.5) < 1e-12
    many = run_many(SWING, (0, 5), start={"x": np.array([0.1, 2.5])}, method="taylor", rtol=1e-14)
    assert np.abs(many.y[1, :, -1] - there.y[:, -1]).max() < 1e-12


def test_what_has_no_series_is_refused_in_a_sentence():
    kinked = System(("x",), ("x'",), (U, -ex.absolute(X)), name="kink")
    with pytest.raises(SimulationError, match=r"'taylor' does not suit 'kink'.*'abs' has no Taylor series"):
        run(kinked, (0, 1), method="taylor")
    with pytest.raises(SimulationError, match="needs formulas"):
        integrate(Problem(lambda t, y: -y, (0.0, 1.0), [1.0], method="taylor"))
    with pytest.raises(SimulationError, match="finds its first step itself"):
        run(SWING, (0, 1), method="taylor", first_step=0.1)
    with pytest.raises(SimulationError, match="pivots that are chosen by size"):
        da.load("examples/four_bar.lsd").simulate((0, 1), method="taylor")
    with pytest.raises(SimulationError, match="sixteen digits only"):
        da.load("examples/four_bar.lsd").simulate((0, 1), method="taylor-dd")
