"""Hinges of one axis that numbers give but for their last digit: rigid as written, and told that motions move them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def door(axis, at, share) -> da.Mechanism:
    m = da.Mechanism("door")
    leaf = m.body("leaf", mass=1, centre=[0.3, 0.1, 0.2], inertia=[1, 1, 1])
    for k in range(2):
        p = [a + k * share * b for a, b in zip(at, axis, strict=True)]
        m.join(da.earth.at(p), leaf.at(p), da.revolute(list(axis)), name=f"h{k}")
    m.gravity = [0, -9.81, 0]
    return m


@pytest.mark.parametrize("seed", range(4))
def test_a_door_on_hinges_in_line_but_for_rounding_is_told_to_move(seed):
    draw = np.random.default_rng(seed)
    m = door(draw.normal(size=3).tolist(), draw.normal(size=3).tolist(), 1.3)
    found = m.mobility()
    assert abs(m.simulate((0, 1))["h0.th"][-1]) > 1e-3  # it moves
    assert found.dof == 1 or any("there it has 1 freedom." in note for note in found.notes)


def test_exact_hinges_need_no_such_note_and_real_offsets_get_none():
    assert door([1, 2, 2], [1, 0, 3], 2).mobility().notes == ()
    crooked = door([1, 2, 2], [1, 0, 3], 2)
    crooked.join(da.earth.at([0, 0, 1e-6]), crooked.bodies["leaf"].at([0, 0, 1e-6]), da.revolute([1, 2, 2]), name="h2")
    found = crooked.mobility()
    assert (found.dof, found.notes) == (0, ())
