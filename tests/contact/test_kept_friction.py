"""Constraints with dry friction beside contacts: closed forms, the machine without contacts, and another solver."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.contact import Frictional, all_answers
from dalembert.simulate import run_many, system_of

MASS, G = 1.5, 10.0


def rail(mu: float, e: float, a: float = 0.0, x: float = 1.0, s: float = 1.0) -> da.Mechanism:
    """A block on a rough rail with a wall at x whose normal is oblique by a; all lengths times s."""
    m = da.Mechanism("block")
    m.join(da.earth, m.body("b", mass=MASS, inertia=[1, 1, 1]), da.planar(), name="p")
    m.constrain("p.th = 0", name="upright")
    m.constrain("p.y = 0", by=da.coulomb(mu, "p.x'"), name="rail")
    m.gravity = [0, -G * s, 0]
    m.contact(f"{np.cos(a)}*({s * x} - p.x) - {np.sin(a)}*p.y >= 0", restitution=e, name="wall")
    m.start = {"p.x'": 2 * s}
    return m


@pytest.mark.parametrize("s", [1e-3, 1.0, 1e3])
def test_a_block_on_a_rough_rail_comes_back_from_a_wall_and_stays(s: float):
    mu, e = 0.1, 0.5
    mo = rail(mu, e, s=s).simulate((0, 2))
    hit = np.sqrt(4 - 2 * mu * G)
    first = (2 - hit) / (mu * G)
    assert mo.events["wall.impact"] == pytest.approx([first], rel=1e-12)
    assert mo.events["rail.sticks"] == pytest.approx([first + e * hit / (mu * G)], rel=1e-12)
    assert mo["p.x"][-1] == pytest.approx(s * (1 - (e * hit) ** 2 / (2 * mu * G)), rel=1e-12)
    assert (mo["p.x'"][-1], mo["rail.friction"][-1]) == (0, 0)
    assert mo["rail.lambda"] == pytest.approx(MASS * G * s, rel=1e-12)
    assert not mo.contacts.impulses("rail")
    assert (mo["rail.sticks"][0], mo["rail.sticks"][-1]) == (0, 1)
    assert mo.quality.energy < 1e-12


@pytest.mark.parametrize("a", [0.4, -0.4, 1.3])
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_an_oblique_wall_presses_the_block_on_its_rail(a: float, e: float):
    """P cos a - mu P |sin a| = m (1 + e) v: friction of the rail against the slip after the impact."""
    mu = 0.1
    mo = rail(mu, e, a, x=0.1).simulate((0, 0.08))
    v = np.sqrt(4 - 2 * mu * G * 0.1)
    (wall,), (pressed,) = mo.contacts.impulses("wall"), mo.contacts.impulses("rail")
    push = MASS * (1 + e) * v / (np.cos(a) - mu * abs(np.sin(a)))
    assert wall.normal == pytest.approx(push, rel=1e-12)
    assert pressed.normal == pytest.approx(push * np.sin(a), rel=1e-12)
    assert pressed.tangential == pytest.approx((mu * push * abs(np.sin(a)),), rel=1e-12)
    assert wall.work + pressed.work == pytest.approx(MASS / 2 * v**2 * (e**2 - 1), abs=1e-12)
    assert mo.contacts.remarks == []


def test_what_no_impulse_brings_back_is_told_with_the_motion_so_far():
    with pytest.raises(da.DalembertError, match=r"wall, rail: no impulses obey.*restitution 0") as told:
        rail(0.8, 0.5, 1.3, x=0.1).simulate((0, 1))
    assert told.value.partial.t[-1] == pytest.approx((2 - np.sqrt(4 - 1.6)) / 8, rel=1e-12)
    stays = rail(0.8, 0.0, 1.3, x=0.1).simulate((0, 1))
    assert abs(stays["p.x"][-1] - 0.1) < 1e-12


@pytest.mark.parametrize("s", [1e-3, 1.0, 1e3])
def test_a_bead_on_a_rough_ring_meets_a_stop(s: float):
    """v falls with exp(-mu angle), whichever way: th(t) = ln(1 + mu w t) / mu up to the stop at 1, then back."""
    mu, e, w = 0.3, 0.6, 2.0
    m = da.Mechanism("ring")
    m.join(da.earth, m.body("b", mass=0.7, inertia=[1, 1, 1]), da.planar(), name="p")
    m.constrain("p.th = 0", name="upright")
    m.constrain(
        f"{s} - sqrt(p.x^2 + p.y^2) = 0", by=da.coulomb(mu, "(p.x*p.y' - p.y*p.x')/sqrt(p.x^2 + p.y^2)"), name="ring"
    )
    m.contact(f"{s * np.sin(1.0)} - p.y >= 0", restitution=e, name="stop")
    m.start = {"p.x": s, "p.y'": w * s}
    mo = m.simulate((0, 2), rtol=1e-11, atol=1e-13)
    hit = (np.exp(mu) - 1) / (mu * w)
    assert mo.events["stop.impact"] == pytest.approx([hit], rel=1e-9)
    angle = np.arctan2(mo["p.y"], mo["p.x"])
    there = mo.t < hit
    assert angle[there] == pytest.approx(np.log(1 + mu * w * mo.t[there]) / mu, abs=1e-9)
    # the stop is oblique to the ring: its impulse presses on it, and the slip after it is -e times that before
    back = e * w * np.exp(-mu)
    wanted = 1 - np.log(1 + mu * back * (mo.t[~there] - hit)) / mu
    assert angle[~there] == pytest.approx(wanted, abs=1e-8)
    assert (mo["ring.lambda"] > 0).all()
    struck = sum(one.work for one in mo.contacts.strikes)
    energy = mo.kinetic_energy()
    assert energy[-1] - energy[0] == pytest.approx(mo.work()[-1] + struck, abs=1e-9 * energy[0])


def crank(stop: float | None, s: float = 1.0, mu: float = 0.2) -> da.Mechanism:
    """A crank and a rod whose end slides on a rough guide, pushed from either side, up to a stop."""
    m = da.Mechanism("crank")
    a = m.body("a", mass=1, centre=[0.15 * s, 0, 0], inertia=[0.01 * s * s] * 3)
    b = m.body("b", mass=0.5, centre=[0.4 * s, 0, 0], inertia=[0.02 * s * s] * 3)
    m.join(da.earth, a, da.revolute("z"), name="crank")
    m.join(a.at([0.3 * s, 0, 0]), b, da.revolute("z"), name="pin")
    m.frame("end", b.at([0.8 * s, 0, 0]))
    m.constrain("end.Y = 0", by=da.coulomb(mu, "end.X'"), name="guide")
    m.gravity = [0, -9.81 * s, 0]
    if stop is not None:
        m.contact(f"{stop * s} - end.X >= 0", restitution=0.3, name="stop")
    m.start = {"crank.th": 1.2, "crank.th'": 3.0}
    return m


def test_a_contact_that_is_far_away_changes_nothing():
    """The motion is that of the machine without contacts, whose friction is decided elsewhere (`rubbing`)."""
    t, start = np.linspace(0, 0.8, 25), {"crank.th": 1.2, "crank.th'": 14.0}
    alone, beside = (crank(x).simulate((0, 0.8), start=start, t_eval=t, rtol=1e-9) for x in (None, 9.0))
    assert alone["guide.lambda"].min() < 0 < alone["guide.lambda"].max()
    for name in ("crank.th", "pin.th'", "guide.lambda", "guide.friction", "guide.power", "total.power", "pin.Fx"):
        assert beside[name] == pytest.approx(alone[name], abs=1e-6 * np.abs(alone[name]).max()), name
    assert beside["2*guide.friction + pin.th"] == pytest.approx(2 * beside["guide.friction"] + beside["pin.th"])


@pytest.mark.parametrize("s", [1e-3, 1.0, 1e3])
def test_a_crank_with_a_rough_guide_meets_a_stop(s: float, tmp_path):
    mo = crank(1.0, s).simulate((0, 1.0), rtol=1e-9)
    (stop,), (guide,) = mo.contacts.impulses("stop"), mo.contacts.impulses("guide")
    assert abs(guide.tangential[0]) == pytest.approx(0.2 * abs(guide.normal), rel=1e-12)
    energy = mo.kinetic_energy() + mo.potential_energy()
    balance = energy - energy[0] - mo.work() - np.where(mo.t > stop.t, stop.work + guide.work, 0.0)
    assert np.abs(balance[mo.t != stop.t]).max() < 1e-7 * s**2
    assert stop.work + guide.work < 0
    assert mo.quality.energy < 1e-7
    jump = next(one for one in mo.jumps if "impact" in one.event)
    assert jump.t == stop.t == pytest.approx(0.768323, abs=1e-6)
    if s == 1:
        mo.save(tmp_path / "crank.npz")
        again = da.Motion.load(tmp_path / "crank.npz")
        assert np.array_equal(again["guide.friction"], mo["guide.friction"])


def test_many_of_them_go_as_one():
    m = rail(0.1, 0.5)
    both = run_many(system_of(m), (0, 1), start={"p.x'": np.array([2.0, 2.5])}, t_eval=[0.5, 1.0])
    one = m.simulate((0, 1), start={"p.x'": 2.5}, t_eval=[0.5, 1.0])
    assert np.array_equal(both["p.x"][1], one["p.x"])


def test_time_stepping_says_who_does_it():
    with pytest.raises(da.SimulationError, match="event-driven"):
        rail(0.1, 0.5).simulate((0, 1), method="moreau")


def swept(w: np.ndarray, b: np.ndarray, mu: float) -> np.ndarray | None:
    """Another solver: rows kept normal, its tangent, a contact. The bound of friction is that of the sweep before."""
    p, d = np.zeros(3), np.diag(w)
    for _ in range(20000):
        old = p.copy()
        bound = mu * abs(p[0])
        p[0] -= (w[0] @ p + b[0]) / d[0]
        p[1] = np.clip(p[1] - (w[1] @ p + b[1]) / d[1], -bound, bound)
        p[2] = max(p[2] - (w[2] @ p + b[2]) / d[2], 0.0)
        if np.abs(p - old).max() <= 1e-13 * (1 + np.abs(p).max()):
            return p
    return None


def test_answers_of_both_sides_are_those_of_another_solver():
    """Random problems of a kept contact with friction beside one that opens; pushed and pulled, stick and slip."""
    r, seen = np.random.default_rng(5), set()
    for number in range(300):
        root = r.normal(size=(3, 5))
        w, b, mu = root @ root.T * 10.0 ** r.uniform(-3, 3), r.normal(size=3), r.uniform(0.05, 0.4)
        wanted = swept(w, b, mu)
        turn = np.diag([-1.0, 1.0, 1.0])
        found = [
            side @ one.impulses
            for side in (np.eye(3), turn)
            for one in all_answers(Frictional(side @ w @ side, side @ b, np.array([mu, 0.0]), (1, 0), kept=(0,)))
        ]
        if wanted is None:  # the sweeps need not end
            continue
        size = np.abs(wanted).max()
        assert any(np.abs(one - wanted).max() <= 1e-7 * size for one in found), number
        for one in found:
            u = w @ one + b
            assert abs(u[0]) <= 1e-8
            assert abs(one[1]) <= mu * abs(one[0]) * (1 + 1e-9)
            assert u[1] * one[1] <= 1e-9
            assert min(one[2], u[2]) >= -1e-9
        seen.add((wanted[0] > 0, abs(wanted[1]) < 0.999 * mu * abs(wanted[0]), wanted[2] > 0))
    assert len(seen) == 8
