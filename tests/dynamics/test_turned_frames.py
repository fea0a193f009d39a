"""Frames that are turned there and back: what is left of the turn is rounding, and changes nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.expr.space import turned_symmetric, vector_rows


def double_pendulum(rng: random.Random, turn: da.Turn) -> da.Mechanism:
    """The first body is held and holds by frames turned alike."""

    def v() -> list[float]:
        return [rng.uniform(-1, 1) for _ in range(3)]

    m = da.Mechanism("pendulum")
    upper = m.body("upper", mass=1.1, centre=v(), inertia=[0.4, 0.3, 0.35])
    lower = m.body("lower", mass=1.4, centre=v(), inertia=[0.3, 0.4, 0.5])
    m.join(da.earth.at(v()), upper.at(v(), turn), da.revolute(v()), name="a")
    m.join(upper.at(v(), turn), lower.at(v()), da.revolute(v()), name="b")
    return m


def test_the_fast_masses_are_those_of_kane_when_a_turn_cancels_but_for_rounding() -> None:
    rng = random.Random(1)
    for _ in range(40):
        turn = da.turn(rng.uniform(-0.5, 0.5), [rng.uniform(-1, 1) for _ in range(3)])
        m = double_pendulum(rng, turn)
        values = {ex.symbol("a.th"): 0.3, ex.symbol("b.th"): 0.4}
        wanted, found = (ex.evaluate(list(m.equations(x).mass_matrix.entries), values) for x in ("kane", "recursive"))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("one", [1.0, 1 - 2**-53, 1 + 2**-52, -1.0, -1 + 2**-53])
@pytest.mark.parametrize("rest", [0.0, 2**-55, 1e-9])
@pytest.mark.parametrize("axis", range(3))
def test_a_rotation_that_is_nearly_none_or_half_a_turn(one: float, rest: float, axis: int) -> None:
    near = np.eye(3) + rest * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    i, j = (axis + 1) % 3, (axis + 2) % 3
    near[i, i] = near[j, j] = one
    m = np.array([[3.0, 0.5, 0.7], [0.5, 4.0, 0.9], [0.7, 0.9, 5.0]])
    rows = [vector_rows([[ex.as_expr(float(x)) for x in row] for row in a]) for a in (near, m)]
    found = np.array([ex.evaluate(list(row), {}) for row in turned_symmetric(*rows)])
    np.testing.assert_allclose(found, near @ m @ near.T, rtol=0, atol=1e-12)
