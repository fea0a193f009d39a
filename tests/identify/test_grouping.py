"""Grouping in formulas: published for the Puma 560, true on random trees, and exact in its rank."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.identify import base_parameters, regressor
from dalembert.identify.states import random_states
from dalembert.mechanism import Layout
from random_mechanisms import random_tree


def puma():
    """The Puma 560 in letters (modified Denavit and Hartenberg; Khalil and Dombre 2002, table 9.4)."""
    turns, a, d = (0, -1, 0, 1, -1, 1), (0, 0, "a2", "a3", 0, 0), (0, "d2", "d3", "d4", 0, 0)
    m = da.Mechanism("puma")
    below = da.earth
    for k in range(6):
        body = m.body(f"l{k + 1}", mass=f"m{k}", inertia=[f"I{k}"] * 3)
        turned = [da.turn(f"{turns[k]}*pi/2", "x")] if turns[k] else []
        place = da.Displacement.of([0, 0, 0], *turned) @ da.Displacement.of([a[k], 0, d[k]])
        m.join(da.Frame(below.name, place), body, da.revolute("z"), name=f"j{k + 1}")
        below = body
    m.gravity = [0, 0, "-g"]
    return m


def test_the_puma_560_is_grouped_in_letters_as_published():
    base = puma().base_parameters()
    assert len(base) == base.exact == 36
    words = dict(zip(base.names, base.combinations, strict=True))
    assert words["l2.hx"] == "l2.hx + a2 l3.m + a2 l4.m + a2 l5.m + a2 l6.m"
    assert words["l3.hy"] == "l3.hy - d4 l4.m - l4.hz - d4 l5.m - d4 l6.m"
    assert words["l3.Ixx"].startswith("l3.Ixx - l3.Iyy + (d4**2 - a3**2) l4.m + 2*d4 l4.hz + l4.Iyy")
    assert words["l4.Izz"] == "l4.Izz + l5.Iyy"
    assert words["l6.Ixx"] == "l6.Ixx - l6.Iyy"
    assert base.drawn == ("a2", "a3", "d2", "d3", "d4", "g")
    with pytest.raises(da.DalembertError, match="have no number"):
        base.values(np.zeros(60))


def test_letters_and_numbers_group_alike():
    m = puma()
    lengths = {"a2": 0.4318, "a3": 0.0203, "d2": 0.2435, "d3": -0.0934, "d4": 0.4331, "g": 9.81}
    base = m.base_parameters(lengths)
    states = random_states(m.layout(), 60, seed=4, given=lengths)
    W = states.stacked(base.regressor(states.q, states.u, states.udot, given=lengths))
    change = np.random.default_rng(0).standard_normal(60)
    change[list(base.chosen)] = -base.grouping @ change[list(base.others)]
    assert np.abs(W @ change).max() < 1e-12 * np.abs(W).max()
    assert np.linalg.matrix_rank(W, tol=1e-9 * np.abs(W).max()) == 36


@pytest.mark.parametrize("seed", range(5))
def test_every_combination_is_all_that_motions_of_a_random_tree_feel(seed):
    tree = random_tree(seed, 3, moving_time=False)
    given = {"c": 0.3, "f": 0.2, "k": 0.5, "omega": 1.1, "g": 9.81}
    layout = Layout.of(tree)
    base = base_parameters(regressor(layout), given)
    states = random_states(layout, 60, seed=seed + 50, given=given)
    W = states.stacked(base.regressor(states.q, states.u, states.udot, given=given))
    change = np.random.default_rng(seed).standard_normal(W.shape[1])
    change[list(base.chosen)] = -base.grouping @ change[list(base.others)]
    assert np.abs(W @ change).max() < 1e-8 * np.abs(W).max()
    sizes = np.linalg.norm(W, axis=0)
    single = np.linalg.svd(W / np.where(sizes > 0, sizes, 1), compute_uv=False)
    assert (single > 1e-9 * single[0]).sum() == len(base)


def test_a_floating_base_shows_all_ten_of_its_own_and_seven_of_what_turns_on_it():
    m = da.Mechanism("free")
    a, b = m.body("a", mass=1, inertia=[1, 1, 1]), m.body("b", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, a, da.free("quaternion"), name="p")
    m.join(a.at(["l", 0, 0]), b, da.revolute("z"), name="q")
    m.gravity = [0, 0, "-g"]
    base = m.base_parameters()
    assert len(base) == base.exact == 17
    words = dict(zip(base.names, base.combinations, strict=True))
    assert words["a.m"] == "a.m + b.m"
    assert words["a.Iyy"] == "a.Iyy + l**2 b.m + b.Iyy"
    assert words["a.Ixz"] == "a.Ixz - l b.hz"


def test_a_four_bar_is_grouped_in_letters_by_the_masses_that_its_pins_pass_on():
    """Four numbers a plane bar; the mass at each of four pins belongs to either side: 3 x 4 - 4 = 8 (inertia transfer).

    A mass at pin C is m, m l, m l^2 of coupler and rocker alike, so that coupler.Izz goes to the others by l1/l2^2 ...
    """
    m = da.Mechanism("four-bar")
    bars = {name: m.body(name, mass=1, inertia=[1, 1, 1]) for name in ("crank", "coupler", "rocker")}
    m.join(da.earth, bars["crank"], da.revolute("z"), name="A")
    m.join(bars["crank"].at(["l1", 0, 0]), bars["coupler"], da.revolute("z"), name="B")
    m.join(da.earth.at(["l0", 0, 0]), bars["rocker"], da.revolute("z"), name="D")
    m.join(bars["coupler"].at(["l2", 0, 0]), bars["rocker"].at(["l3", 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, "-g", 0]
    m.start.update({"A.th": np.pi / 2, "B.th": -1.2334888453651298, "D.th": 1.6554235530825847})
    base = m.base_parameters({"l0": 3, "l1": 1, "l2": 3, "l3": 2, "g": 9.81})
    assert len(base) == base.bound == 8
    words = dict(zip(base.names, base.combinations, strict=True))
    assert words["crank.hx"] == "crank.hx + l1 coupler.m - l1/l2**2 coupler.Izz"
    assert words["rocker.Izz"] == "rocker.Izz + l3**2/l2**2 coupler.Izz"
    assert "no motion can tell more" in str(base)


def test_data_of_joints_that_stood_still_say_that_they_say_nothing():
    m = da.Mechanism("two bars")
    a = m.body("a", mass=1, centre=[0.3, 0, 0], inertia=[0.1, 0.1, 0.1])
    b = m.body("b", mass=2, centre=[0.2, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, a, da.revolute("z"), name="p")
    m.join(a.at([0.5, 0, 0]), b, da.revolute("z"), name="q")
    m.gravity = [0, -9.81, 0]
    base = m.base_parameters()
    t = np.linspace(0, 5, 200)
    q = np.column_stack([0 * t, np.sin(t)])
    u = np.column_stack([0 * t, np.cos(t)])
    udot = np.column_stack([0 * t, -np.sin(t)])
    noise = 1e-3 * np.random.default_rng(0).standard_normal(q.shape)
    found = base.identify(q, u, udot, np.asarray(m.compile().inverse_dynamics(q, u, udot)) + noise, physical=False)
    hidden = dict(zip(base.names, np.isinf(found.deviations), strict=True))
    assert {name for name, hides in hidden.items() if hides} == {"a.Izz", "a.hy"}  # the first bar hung still
    assert "these data do not tell it" in str(found)
    assert set(found.untold) >= {c for c, h in zip(base.combinations, hidden.values(), strict=True) if h}


def spatial_arm():
    m = da.Mechanism("arm")
    below = da.earth
    for k, axis in enumerate("zyy"):
        body = m.body(f"l{k}", mass=1 + k, centre=[0.3, 0.05, 0.1], inertia=[0.2 + 0.1 * k, 0.3, 0.35])
        m.join(below if k == 0 else below.at([0.5, 0, 0.1]), body, da.revolute(axis), name=f"j{k}")
        below = body
    m.gravity = [0, 0, -9.81]
    return m


@pytest.mark.parametrize("noise", [(0.1, 0.1, 0.1), (0.02, 0.1, 2.0)])
def test_stated_regions_hold_the_truth_as_often_as_they_say(noise):
    """400 measurements: hits of regions of 95 and of 50 per cent are binomial; beyond four deviations is no chance.

    The region of all together follows Fisher's law, each interval Student's; joints may be of unlike noise.
    """
    m = spatial_arm()
    base, runs = m.base_parameters(), 400
    t = np.linspace(0, 6, 80)[:, None]
    w = np.array([1.0, 1.7, 2.3])
    q, u = np.sin(w * t) + 0.5 * np.sin(2.9 * t), w * np.cos(w * t) + 1.45 * np.cos(2.9 * t)
    udot = -(w**2) * np.sin(w * t) - 0.5 * 2.9**2 * np.sin(2.9 * t)
    true = base.values(base.regressor.theta())
    efforts = np.asarray(m.compile().inverse_dynamics(q, u, udot))
    rng, together, each = np.random.default_rng(7), np.zeros(2), np.zeros(len(base))
    for _ in range(runs):
        measured = efforts + rng.standard_normal(efforts.shape) * noise
        found = base.identify(q, u, udot, measured, physical=False)
        together += [found.holds(true), found.holds(true, 0.5)]
        low, high = found.intervals().T
        each += (low <= true) & (true <= high)
    for hits, share in zip(together, (0.95, 0.5), strict=True):
        assert abs(hits - share * runs) < 4 * np.sqrt(runs * share * (1 - share))
    assert np.abs(each - 0.95 * runs).max() < 4.5 * np.sqrt(runs * 0.95 * 0.05)
    np.testing.assert_allclose(found.noise, noise, rtol=0.35)
    with pytest.raises(da.DalembertError, match="share"):
        found.holds(true, 95)


def test_shares_that_cancel_leave_no_rounding_in_words(tmp_path):
    """A tip on a finger that another mimics printed "+ 8.67e-18 tip.m"."""
    solid = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    names = ("turret", "arm", "left", "right", "tip")
    links = '<link name="base"/>' + "".join(f'<link name="{name}">{solid}</link>' for name in names)
    joints = (
        ("yaw", "continuous", "base", "turret", "0 0 0.3", "0 0 1", ""),
        ("lift", "continuous", "turret", "arm", '0.1 0 0.2" rpy="0.1 0 0', "0 -1 0.2", ""),
        ("open", "prismatic", "arm", "left", "0.6 0 0", "0 1 0", ""),
        ("follow", "prismatic", "arm", "right", "0.6 0 0", "0 -1 0", '<mimic joint="open"/>'),
        ("held", "fixed", "left", "tip", "0.1 0 0", "1 0 0", ""),
    )
    text = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{above}"/><child link="{below}"/><origin xyz="{at}"/>'
        f'<axis xyz="{axis}"/>{more}</joint>'
        for name, kind, above, below, at, axis, more in joints
    )
    path = tmp_path / "gripper.urdf"
    path.write_text(f'<robot name="gripper">{links}{text}</robot>')
    grouping = np.abs(da.read_urdf(path, limits=False).base_parameters().grouping)
    assert grouping[grouping > 0].min() > 1e-9 * grouping.max()
