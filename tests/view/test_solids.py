"""The box around a solid is that of its points, for every kind."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.view.solids import Solid

BOXES = {
    "box": ((2.0, 4.0, 6.0), (0, 0, 0), (1, 2, 3)),
    "ellipsoid": ((1.0, 2.0, 3.0), (0, 0, 0), (1, 2, 3)),
    "sphere": ((1.5,), (0, 0, 0), (1.5, 1.5, 1.5)),
    "cylinder": ((0.5, 4.0), (0, 0, 0), (0.5, 0.5, 2)),
    "capsule": ((0.5, 4.0), (0, 0, 0), (0.5, 0.5, 2.5)),
    "tube": ((0.2, 0.5, 3.0), (0, 0, 0), (0.5, 0.5, 1.5)),
    "cone": ((0.5, 4.0), (0, 0, 1), (0.5, 0.5, 2)),
}


@pytest.mark.parametrize("kind", BOXES)
def test_the_box_around_a_solid(kind: str) -> None:
    size, middle, half = BOXES[kind]
    one = Solid(kind=kind, size=size)
    found = one.half
    np.testing.assert_allclose(found[0], middle)
    np.testing.assert_allclose(found[1], half)
    corners = one.corners()
    np.testing.assert_allclose(corners.max(axis=0) - corners.min(axis=0), 2 * np.array(half))
    assert one.holds(np.array(middle, dtype=float) + np.array(half) * 0.99, 0.0)
    assert not one.holds(np.array(middle, dtype=float) + np.array(half) * [1.01, 0, 0], 0.0)
