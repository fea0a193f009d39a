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


@pytest.mark.slow
def test_stated_regions_hold_the_truth_in_95_of_100_runs():
    """Of a spatial arm of three joints: the ellipsoid of all parameters together, in each of 100 measurements."""
    from scipy.stats import f as fisher

    m = da.Mechanism("arm")
    below = da.earth
    for k, axis in enumerate("zyy"):
        body = m.body(f"l{k}", mass=1 + k, centre=[0.3, 0.05, 0.1], inertia=[0.2 + 0.1 * k, 0.3, 0.35])
        m.join(below if k == 0 else below.at([0.5, 0, 0.1]), body, da.revolute(axis), name=f"j{k}")
        below = body
    m.gravity = [0, 0, -9.81]
    base = m.base_parameters()
    limits = {f"j{k}.th": (-1.5, 1.5) for k in range(3)}
    way = base.excitation(limits, period=6.0, rates=dict.fromkeys(limits, 3.0), tries=1)
    true = base.values(base.regressor.theta())
    efforts = np.asarray(m.compile().inverse_dynamics(way.q, way.u, way.udot))
    A = base.columns(base.regressor(way.q, way.u, way.udot)).reshape(-1, len(base))
    rng, inside = np.random.default_rng(7), 0
    free = len(A) - len(base)
    for _ in range(100):
        found = base.identify(
            way.q, way.u, way.udot, efforts + 0.1 * rng.standard_normal(efforts.shape), physical=False
        )
        off = A @ (found.values - true)
        variance = found.residual**2 * len(A) / free
        inside += off @ off / len(base) / variance < fisher.ppf(0.95, len(base), free)
    assert 90 <= inside <= 99
