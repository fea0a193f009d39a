"""Small errors that nobody had seen in the algebra of frames: what is refused as no rotation."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.algebra.rotations import quaternion_branches
from dalembert.errors import DalembertError


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (4, 3), (3, 4), (2, 2)])
def test_a_matrix_of_another_shape_is_no_rotation(shape):
    with pytest.raises(DalembertError, match="3 rows of 3"):
        quaternion_branches(np.eye(*shape).tolist())
