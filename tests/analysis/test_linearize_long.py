"""Linear equations of long trees, derived joint by joint, are those of their equations of motion."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.analysis import linearize
from dalembert.formalisms import derive
from dalembert.mechanism import Layout, Mechanism, earth, prismatic, revolute


def _tree(seed: int, count: int) -> Mechanism:
    rng = random.Random(seed)
    m, bodies = Mechanism(f"tree {seed}"), [earth]
    for k in range(count):
        body = m.body(f"b{k}", "m" if k == 3 else rng.uniform(1, 2), [0.1, 0.2, 0.3], [0.5, 0.6, 0.55])
        kind, axis = rng.choice([revolute, revolute, prismatic]), rng.choice("xyz")
        x = "th" if kind is revolute else "x"
        joint = kind(axis).with_efforts(**{x: f"-c*{x} - 2*{x}' + w*cos({x})"})
        m.join(rng.choice(bodies[-2:]).at([0.2, 0.1, 0.3]), body, joint, name=f"j{k}")
        bodies.append(body)
    m.gravity, m.given = [0, 0, -9.81], {"m": 1.5, "c": 30.0, "w": 0.2}
    return m


@pytest.mark.parametrize("seed", range(3))
def test_joint_by_joint_and_from_the_equations_of_kane(seed: int) -> None:
    m, rng = _tree(seed, 8), random.Random(seed)
    layout = Layout.of(m)
    at = {name: rng.uniform(-1, 1) for name in layout.coordinates} | {layout.speeds[2]: 0.7}
    one = linearize(m, at, inputs=["w"])
    two = linearize(derive(layout, "kane"), at, inputs=["w"])
    values = {ex.symbol(name): value for name, value in m.given.items()}
    for name in ("stiffness", "damping", "mass", "input_matrix", "residual", "state_matrix"):
        first, second = getattr(one, name), getattr(two, name)
        pair = (list(getattr(x, "entries", x)) for x in (first, second))
        told, expected = (np.array(ex.evaluate(x, values), dtype=float) for x in pair)
        np.testing.assert_allclose(told, expected, rtol=1e-9, atol=1e-10 * np.abs(expected).max(), err_msg=name)
