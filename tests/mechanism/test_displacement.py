"""Displacements of space: composition, inverse, charts."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.mechanism import Displacement, spherical, turn
from random_mechanisms import SEQUENCES, random_displacement


def numbers(displacement):
    r = np.array([ex.evaluate(list(row), {}) for row in displacement.matrix])
    return r, np.array(ex.evaluate(list(displacement.translation), {}))


@pytest.mark.parametrize("seed", range(10))
def test_a_displacement_and_its_inverse_undo_each_other(seed):
    d = random_displacement(random.Random(seed))
    for both in (d @ d.inverse(), d.inverse() @ d):
        r, t = numbers(both)
        assert np.allclose(r, np.eye(3), atol=1e-14)
        assert np.allclose(t, 0, atol=1e-14)


def test_composition_uses_moving_axes():
    """Papegay 3992, 3998: translation then turn, and turn then translation, differ."""
    quarter = turn("pi/2", "x")
    first = Displacement.of([0, 2, 0]) @ Displacement.of([0, 0, 0], quarter)
    second = Displacement.of([0, 0, 0], quarter) @ Displacement.of([0, 2, 0])
    assert first.translation == (ex.ZERO, ex.const(2), ex.ZERO)
    assert second.translation == (ex.ZERO, ex.ZERO, ex.const(2))


def test_axes_are_normalised_and_rounded_unit_axes_are_kept():
    assert turn(1, [0, 0, 5]).axis == (ex.ZERO, ex.ZERO, ex.ONE)
    nearly = [float(np.cos(0.3)), float(np.sin(0.3)), 0.0]
    assert [float(x.value) for x in turn(1, nearly).axis] == nearly


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_every_chart_is_a_product_of_elementary_turns(sequence):
    angles = dict(zip(("al", "be", "ga"), (0.3, -0.8, 1.1), strict=True))
    joint = spherical(sequence, coordinates=list(angles))
    total = Displacement()
    for step in joint.steps:
        total = total @ step.displacement.substitute({ex.symbol(k): v for k, v in angles.items()})
    expected = np.eye(3)
    for axis, angle in zip(sequence, angles.values(), strict=True):
        k = "xyz".index(axis)
        i, j = (k + 1) % 3, (k + 2) % 3
        m = np.eye(3)
        m[i, i] = m[j, j] = np.cos(angle)
        m[j, i], m[i, j] = np.sin(angle), -np.sin(angle)
        expected = expected @ m
    assert np.allclose(numbers(total)[0], expected, atol=1e-15)
