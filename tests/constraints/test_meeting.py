"""Loops that have no length while their slides stand at zero, and loops in which nothing turns."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da


def cross_slide(*turns: da.Turn) -> da.Mechanism:
    """Two slides and a hinge that locks them; frames of both bodies are turned alike. A pendulum hangs on it."""
    m = da.Mechanism("cross slide")
    a, b = m.body("a", mass=1, inertia=[1, 1, 1]), m.body("b", mass=1, centre=[0.3, 0.2, 0.1], inertia=[1, 1, 1])
    rod = m.body("rod", mass=1, centre=[0.5, 0, 0], inertia=[0, 1, 1])
    m.join(da.earth, a.at([0, 0, 0], *turns), da.prismatic("x"), name="x")
    m.join(a.at([0, 0, 0], *turns), b.at([0, 0, 0], *turns), da.prismatic("y"), name="y")
    m.join(b.at([0, 0, 0], *turns), da.earth, da.revolute("z"), name="hinge")
    m.join(da.earth, rod, da.revolute("z"), name="rod")
    m.gravity = [1, -9, 0]
    return m


@pytest.mark.parametrize("cut", ["x", "y", "hinge"])
def test_slides_at_zero_that_meet_in_a_hinge_are_locked(cut: str) -> None:
    f = cross_slide().compile(cut=[cut])
    u = np.zeros(len(f.speeds))
    found = dict(zip(f.speeds, f.acceleration(np.zeros(len(f.coordinates)), u), strict=True))
    assert found.pop("rod.th'") == pytest.approx(-3.6)
    assert max(map(abs, found.values())) < 1e-14


def telescope() -> da.Mechanism:
    """A shaft with a universal joint and a telescope, all axes through one point."""
    m = da.Mechanism("telescope")
    a = m.body("a", mass=1, centre=[0.1, 0.2, 0.3], inertia=[1, 1, 1])
    b = m.body("b", mass=1, centre=[0.3, 0.2, 0.1], inertia=[1, 1.2, 1.1])
    c = m.body("c", mass=0.5, centre=[0, 0.3, 0], inertia=[0.3, 0.2, 0.4])
    m.join(da.earth, a, da.revolute("x"), name="a")
    m.join(a, b, da.universal(("y", "z")), name="u")
    m.join(b, c, da.prismatic("x"), name="s")
    m.join(c, da.earth.at([0, 0, 0], da.turn(0.5, "z")), da.cylindrical("x"), name="c")
    m.gravity = [1, -9, 2]
    m.frame("tip", c.at([0.4, 0.1, 0.2]))
    return m


def test_a_telescope_that_begins_at_zero_moves_alike_whatever_is_cut() -> None:
    ends = []
    for cut in ("a", "u", "s", "c"):
        mo = telescope().simulate((0, 0.25), cut=[cut], rtol=1e-10)
        ends.append([mo[f"tip.{x}"][-1] for x in "XYZ"])
    np.testing.assert_allclose(ends, ends[:1] * 4, rtol=0, atol=1e-8)


def test_rounding_of_turned_frames_opens_no_loop_in_which_nothing_turns() -> None:
    rng = random.Random(2)
    for _ in range(6):
        turn = da.turn(rng.uniform(-2, 2), [rng.uniform(-1, 1) for _ in range(3)])
        mo = cross_slide(turn).simulate((0, 0.2), cut=["hinge"])
        assert mo.quality.closure < 1e-14
