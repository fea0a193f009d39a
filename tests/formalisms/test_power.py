"""Energy: its rate is the power of the efforts, in every tree that time does not drive."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.formalisms import derive
from dalembert.kinematics import build_tree, external_wrenches, gravity_energy, joint_efforts, kinetic_energy, twists
from dalembert.mechanism import Layout
from random_mechanisms import random_state, random_tree


@pytest.mark.parametrize("seed", range(100, 110))
def test_rate_of_energy_is_the_power_of_efforts(seed):
    m = random_tree(seed, moving_time=False)
    layout = Layout.of(m)
    tree = build_tree(layout)
    state = {ex.symbol(k): v for k, v in random_state(m, layout.coordinates, layout.speeds, seed).items()}
    accelerations = ex.evaluate(derive(layout, "recursive").accelerations, state)
    energy = kinetic_energy(tree) + gravity_energy(tree)
    direction = dict(tree.rates) | dict(zip(tree.speeds, accelerations, strict=True))
    (rate,) = ex.evaluate(ex.tangent([energy], direction), state)
    power = sum((w.power(v) for w, v in zip(external_wrenches(tree), twists(tree), strict=True)), ex.ZERO)
    power = power + ex.dot_product(joint_efforts(tree), tree.speeds)
    (expected,) = ex.evaluate([power], state)
    scale = 1 + np.abs(accelerations).max(initial=0) ** 2
    assert abs(rate - expected) < 1e-9 * scale
