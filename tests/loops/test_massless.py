"""Bodies without mass inside loops: the tree is chosen so that they carry mass, and a cut that forbids it is named."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Layout

LENGTHS = (0.2, 0.4, 0.35)


def four_bar(coupler: float) -> da.Mechanism:
    m = da.Mechanism("light coupler")
    masses = (1.0, coupler, 1.0)
    a, b, c = (
        m.body(n, mass=k, centre=[l / 2, 0, 0], inertia=[0, k * l * l / 12, k * l * l / 12])
        for n, l, k in zip("abc", LENGTHS, masses, strict=True)
    )
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([LENGTHS[0], 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([0.5, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([LENGTHS[1], 0, 0]), c.at([LENGTHS[2], 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start = {"A.th": 1.0, "A.th'": 3.0}
    return m


def test_a_coupler_without_mass_moves_as_the_limit_of_light_ones():
    ends = [four_bar(mass).simulate((0, 1), rtol=1e-11, atol=1e-12)["A.th"][-1] for mass in (0.0, 1e-7, 1e-6)]
    assert ends[0] == pytest.approx(ends[1] - (ends[2] - ends[1]) / 9, abs=1e-9)


@pytest.mark.parametrize("cut", ["B", "C"])
def test_a_cut_that_leaves_it_at_the_end_is_refused_with_one_that_does_not(cut):
    m = four_bar(0.0)
    with pytest.raises(da.SingularError, match=rf"body 'b' has no mass and carries none.*'{cut}' leave.*cut=\['A'\]"):
        m.simulate((0, 1), cut=[cut])
    with pytest.raises(da.SingularError, match=r"body 'b'.*cut=\['A'\]"):
        m.compile(cut=[cut]).acceleration([0.0] * 4, [0.0] * 3)


def test_machines_with_mass_and_machines_without_any_keep_their_tree():
    assert [one.link.name for one in Layout.of(four_bar(1.0)).cuts] == ["C"]
    bare = four_bar(0.0)
    for name in "ac":
        bare.bodies[name] = da.Body(name)
    assert [one.link.name for one in Layout.of(bare).cuts] == ["C"]


def test_random_ladders_of_light_rungs_move():
    """Rungs without mass between heavy rods: each loop is cut beside a rod."""
    rng = np.random.default_rng(3)
    for n in (1, 2, 3):
        m = da.Mechanism("ladder")
        rods = []
        for i in range(n + 1):
            rod = m.body(f"r{i}", mass=rng.uniform(1, 2), centre=[0, 0.5, 0], inertia=[0.1, 0, 0.1])
            m.join(da.earth.at([float(i), 0, 0]), rod, da.revolute("z"), name=f"a{i}")
            rods.append(rod)
        for i in range(n):
            rung = m.body(f"h{i}")
            m.join(rods[i].at([0, 1, 0]), rung, da.revolute("z"), name=f"b{i}")
            m.join(rung.at([1, 0, 0]), rods[i + 1].at([0, 1, 0]), da.revolute("z"), name=f"c{i}")
        m.gravity = [0, -9.81, 0]
        layout = Layout.of(m)
        assert not layout.idle
        mo = m.simulate((0, 0.5), start={"a0.th": 0.4}, rtol=1e-10, atol=1e-11)
        assert mo.quality.closure < 1e-10
        assert mo.quality.energy < 1e-8
