"""A disc between two walls: friction from the tangent of their angle on holds any preload, below it none."""

from __future__ import annotations

from math import cos, radians, sin, tan

import numpy as np
import pytest

import dalembert as da
from dalembert.contact import Frictional
from dalembert.contact.wedging import wedge

BETA = radians(15)


def rows(turn: float = 0.0) -> np.ndarray:
    """Normal and tangent of both walls, in x, y and the turning of a disc of radius 1."""
    found = []
    for angle in (BETA, np.pi - BETA):
        n = np.array([cos(angle + turn), sin(angle + turn)])
        found += [[*n, 0.0], [-n[1], n[0], -1.0]]
    return np.array(found)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(
    ("share", "wedged"), [(0.25 / tan(BETA), False), (1 - 1e-6, False), (1 + 1e-6, True), (1.12, True)]
)
def test_the_threshold_is_the_tangent_of_the_angle(share: float, wedged: bool, unit: float):
    for turn in (0.0, 0.7):
        g = rows(turn) * [1, 1, unit]  # the disc has the radius `unit`
        w = g @ np.diag([1, 1, 2 / unit**2]) @ g.T * unit
        mu = share * tan(BETA)
        ray = wedge(Frictional(w, np.zeros(4), np.array([mu, mu]), (1, 1)), (0, 1), w)
        assert (ray is not None) == wedged
        if ray is not None:
            assert np.abs(g.T @ ray).max() < 1e-9 * np.abs(ray).max()
            assert ray[0] > 0
            assert ray[2] > 0
            assert (np.abs(ray[[1, 3]]) <= mu * (1 + 1e-9) * ray[[0, 2]]).all()


def test_spatial_cones_and_stops_without_friction():
    g = np.array([[*r[:2], 0, r[2]] for r in rows()])
    g = np.insert(g, [2, 4], [[0, 0, 1.0, 0]], axis=0)  # a second tangent, along the walls
    w = g @ g.T
    for mu, wedged in ((0.25, False), (0.3, True)):
        ray = wedge(Frictional(w, np.zeros(6), np.array([mu, mu]), (2, 2)), (0, 1), w)
        assert (ray is not None) == wedged
    stops = np.array([[1.0], [-1.0]])  # a ray of normals: friction has no part in it
    assert wedge(Frictional(stops @ stops.T, np.zeros(2), np.zeros(2), (0, 0)), (0, 1), stops @ stops.T) is None


@pytest.mark.parametrize(("mu", "wedged"), [(0.25, False), (0.3, True)])
def test_a_motion_says_that_it_is_wedged(mu: float, wedged: bool):
    m = da.Mechanism("groove")
    disc = m.body("disc", mass=1.0, inertia=[0.5] * 3)
    m.join(da.earth, disc, da.planar(), name="way")
    m.gravity = [0, -9.81, 0]
    for name, side in (("left", 1), ("right", -1)):
        x, y = side * cos(BETA), sin(BETA)
        slip = f"{-y}*way.x' + {x}*way.y' - way.th'"
        m.contact(f"{x}*way.x + {y}*way.y >= 0", friction=mu, slip=slip, name=name)
    mo = m.simulate((0, 10.0))
    assert np.abs(mo.y).max() == 0
    assert ("contacts left, right: wedged: friction can hold any preload" in mo.message) == wedged
