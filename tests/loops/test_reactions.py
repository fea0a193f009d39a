"""Efforts in all links: balance of every body, agreement with multipliers, and what is not determined."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.kinematics import joint_efforts
from dalembert.loops import ReactionEquations
from dalembert.mechanism import Layout
from linkages import four_bar, slider_crank
from random_mechanisms import random_state, random_tree


def test_planar_four_bar_leaves_only_out_of_plane_reactions_open():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 8.0}, rtol=1e-11, atol=1e-12)
    state = {name: mo[name][-1] for name in mo.names}
    with pytest.warns(UserWarning, match="does not determine all reactions in A, B, D, C"):
        found = m.reactions(state)
    for one in found.values():
        assert list(one.determined) == [False, False, True, True, True, False]
        assert np.abs([*one.moment, one.force[2]]).max() < 1e-9
    assert found["C"].force[0] == pytest.approx(mo["C.Fx"][-1], abs=1e-8)
    assert found["C"].force[1] == pytest.approx(mo["C.Fy"][-1], abs=1e-8)


def test_slider_feels_mass_times_acceleration_and_its_weight():
    m = slider_crank()
    mo = m.simulate((0, 0.3), rtol=1e-12, atol=1e-13)
    state = {name: mo[name][-1] for name in mo.names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = m.reactions(state)
    h = 1e-5
    i = list(mo.names).index("rail.x'")
    acceleration = (mo.sol(0.3 - h)[i] - mo.sol(0.3 - 3 * h)[i]) / (2 * h)
    earlier = {name: mo.sol(0.3 - 2 * h)[k] for k, name in enumerate(mo.names)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = m.reactions(earlier)
    assert before["wrist"].force[0] == pytest.approx(2 * acceleration, rel=1e-5)
    total = found["wrist"].force[1] + found["rail"].force[1]
    assert total == pytest.approx(2 * 9.81, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_in_a_tree_every_reaction_is_determined_and_does_no_work(seed):
    """The wrench of a link works on its own speeds exactly like the known efforts: the rest is the reaction."""
    m = random_tree(seed, bodies=4)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    equations = ReactionEquations(m)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {one.link: one for one in equations.at(state)}
    tree = equations.tree
    numbers = {ex.symbol(k): v for k, v in state.items()}
    efforts = dict(zip(layout.speeds, ex.evaluate(joint_efforts(tree), numbers), strict=True))
    for link, (_, columns, _) in zip(equations.links, equations.geometry, strict=True):
        one = found[link.name]
        assert one.determined.all()
        subspace = np.array(ex.evaluate(columns, numbers)).reshape(-1, 6)
        power = subspace @ np.array([*one.moment, *one.force])
        wanted = [efforts[name] for name in link.speeds]
        assert np.allclose(power, wanted, atol=1e-8 * (1 + np.abs(one.force).max() + np.abs(one.moment).max()))
