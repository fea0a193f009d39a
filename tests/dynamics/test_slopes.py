"""How accelerations of closed machines change with their state, by their own factors and by the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.slopes import acceleration_slopes, inverse_mass
from dalembert.mechanism import Layout
from random_loops import closed_state, loaded


@pytest.mark.parametrize(("seed", "driven"), [(0, False), (2, False), (7, True)])
def test_the_factors_of_a_closed_machine_tell_its_derivatives(seed: int, driven: bool) -> None:
    """The derivative of the whole solution, which is longer, says the same in every direction, time among them."""
    m = loaded(seed, driven=driven)
    about = dynamics_of(Layout.of(m))
    at = closed_state(m, about, seed)
    draw = np.random.default_rng(seed)
    values = {x: float(draw.uniform(0.5, 1.5)) for x in about.efforts} | at
    variables = [*about.coordinates, *about.speeds, ex.TIME]
    short = acceleration_slopes(about, variables, about.efforts)
    whole = [x for row in ex.jacobian(about.accelerations(about.efforts), variables) for x in row]
    found, right = (np.array(ex.evaluate(x, values), dtype=float) for x in (short, whole))
    np.testing.assert_allclose(found, right, atol=1e-9 * np.abs(right).max())
    assert ex.count_operations(short) < ex.count_operations(whole)
    pushed = [x for row in ex.jacobian(about.accelerations(about.efforts), about.efforts) for x in row]
    mobility, right = (np.array(ex.evaluate(x, values), dtype=float) for x in (inverse_mass(about), pushed))
    np.testing.assert_allclose(mobility, right, atol=1e-12 * np.abs(right).max())
