"""Small errors that nobody had seen in contact: the machine may be of any size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert import expr as ex
from dalembert.contact.pairs import ball_cylinder
from dalembert.contact.rims import _above
from dalembert.expr.space import vector3
from dalembert.kinematics import Pose


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_a_tilted_circle_pierces_a_cylinder_of_any_size(size, seed):
    """The point of the circle, by Newton's method, is on the cylinder and where the circle of another size has it."""
    rng = np.random.default_rng(seed)
    base = (Rotation.from_rotvec([0.3, 0.2, 0]) * Rotation.from_rotvec([0, 0, rng.uniform(0, 6)])).as_matrix()
    centre, r, s = size * np.array([1.1, 0.3, 0.2]), 0.5 * size, 0.9 * size
    (x, y), met = _above(
        vector3(centre), vector3(base[:, 0]), vector3(base[:, 1]), ex.const(r), ex.const(s), ex.ONE, ex.ONE
    )
    a, b, pierced = (float(v) for v in ex.evaluate([x, y, met], {}))
    assert pierced == 1
    assert np.hypot(*(centre + r * base[:, :2] @ [a, b])[:2]) == pytest.approx(s, rel=1e-9)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_a_ball_beside_a_cylinder_of_any_size_is_as_far_as_its_side(size):
    centre = vector3(size * np.array([3.0, 4.0, 0.5]))
    meeting = ball_cylinder(centre, ex.const(size), Pose(), ex.const(2 * size), ex.const(size))
    gap, *normal = (float(v) for v in ex.evaluate([meeting.gap, *meeting.normal], {}))
    assert gap / size == pytest.approx(5 - 1 - 2)
    np.testing.assert_allclose(np.abs(normal), [0.6, 0.8, 0], atol=1e-12)
