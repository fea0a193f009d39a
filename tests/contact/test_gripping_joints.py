"""Dry friction behind a gear, in a ball and on what is driven: closed forms, in units from 1e-3 to 1e3."""

import numpy as np
import pytest

import dalembert as da

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def units(rng):
    return 10.0 ** rng.integers(-3, 4, 2)


def test_behind_a_gear_friction_brings_to_rest_and_holds():
    """(Ia + n^2 Ib) w' = T - |n| mu sign(w) until rest, which |T| < |n| mu leaves alone."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        inertia, time = units(rng)
        first, second = rng.uniform(0.5, 2, 2) * inertia
        ratio, grip = rng.choice([-3, -0.5, 0.4, 2.5]), rng.uniform(0.5, 2) * inertia / time**2
        speed, push = rng.choice([-1, 1]) * rng.uniform(0.5, 2) / time, rng.uniform(-0.8, 0.8) * abs(ratio) * grip
        m = da.Mechanism("gear")
        for name, size, law in (("a", first, {"th": float(push)}), ("b", second, {})):
            body = m.body(name, mass=inertia, inertia=[size] * 3)
            m.join(da.earth, body, da.revolute("z").with_efforts(**law) if law else da.revolute("z"), name=name)
        m.constrain(f"b.th - ({float(ratio)!r})*a.th", name="gear")
        m.rub("b.th", float(grip))
        lasts = (first + ratio**2 * second) * speed / (abs(ratio) * grip * np.sign(speed) - push)
        mo = m.simulate((0, 2 * lasts), start={"a.th'": speed})
        assert mo["a.th"][-1] == pytest.approx(speed * lasts / 2, rel=1e-10)
        assert abs(mo["a.th'"][-1]) * time < 1e-12


def test_a_round_body_in_a_ball_comes_to_rest_about_one_axis_after_the_other():
    """I w' = -mu sign(w) about each axis: nothing couples them where all moments of inertia are one."""
    rng = np.random.default_rng(6)
    for _ in range(4):
        inertia, time = units(rng)
        size, w = rng.uniform(0.5, 2) * inertia, rng.uniform(0.5, 2, 3) * rng.choice([-1, 1], 3) / time
        grip = rng.uniform(0.5, 2, 3) * inertia / time**2
        m = da.Mechanism("ball")
        m.join(da.earth, m.body("a", mass=inertia, inertia=[size] * 3), da.spherical("quaternion"), name="s")
        for c, bound in zip("xyz", grip, strict=True):
            m.rub(f"s.w{c}", float(bound))
        t = np.linspace(0, 1.3 * (size * abs(w) / grip).max(), 23)
        begin = {f"s.w{c}": float(x) for c, x in zip("xyz", w, strict=True)}
        mo = m.simulate((0, t[-1]), start=begin, t_eval=t)
        for c, x, bound in zip("xyz", w, grip, strict=True):
            left = np.sign(x) * np.maximum(abs(x) - bound / size * t, 0)
            np.testing.assert_allclose(mo[f"s.w{c}"] * time, left * time, atol=1e-11)


def test_what_is_driven_takes_along_what_its_friction_can():
    """On a shaft with the acceleration a: I a <= mu is carried, beyond it the disc turns with mu/I."""
    rng = np.random.default_rng(7)
    for share in (0.5, 0.95, 1.05, 2.0):
        inertia, time = units(rng)
        size, grip = rng.uniform(0.5, 2) * inertia, rng.uniform(0.5, 2) * inertia / time**2
        rise = share * grip / size
        m = da.Mechanism("shaft")
        shaft, disc = (m.body(x, mass=inertia, inertia=[size] * 3) for x in ("shaft", "disc"))
        m.join(da.earth, shaft, da.revolute("z"), name="a")
        m.join(shaft, disc, da.revolute("z"), name="b")
        m.drive("a.th", f"{float(rise)!r}*t^2/2")
        m.rub("b.th", float(grip))
        mo = m.simulate((0, 2 * time))
        lost = max(rise - grip / size, 0) * (2 * time) ** 2 / 2
        assert mo["b.th"][-1] == pytest.approx(-lost, rel=1e-9, abs=1e-9)
