"""The satellite program against the oracle of chapter 2 (spec mechanics-and-satellite, 2.2), by way of LSD."""

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from lsd.satellite import SATELLITE

# The program of 3.2.1 leaves out the torque of chapter 2; the laws are the oracle's constants.
PROGRAM = (
    SATELLITE
    + """
apply torque body = satellite end on satellite ;
given satellite.mass = 10, satellite.inertia = [3, 4, 5], reflecteur.mass = 2, v1T_1_12_z = 1, v4T_4_45_z = 1/2 ;
given vFE_15_x = 1, vFE_15_y = 2, vFE_15_z = 3, v1FE_45_x = -1, v1FE_45_y = 0.5, v1FE_45_z = 0.25 ;
given vCE_1_x = 0.1, vCE_1_y = 0.2, vCE_1_z = 0.3 ;
given vCL_21_x(x, v) = 0.7, vFL_32_y(x, v) = -0.6, vCL_43_y(x, v) = 0.45 ;
"""
)
V, W = np.array([0.5, -0.4, 0.3]), np.array([0.2, -0.1, 0.15])
JOINTS, RATES = [0.3, 2, 0.4], [0.1, -0.2, 0.3]


def rx(a):
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def rz(a):
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])


def body_rates(angles):
    """Body angular velocity is this matrix times (ps', th', ph')."""
    _, th, ph = angles
    return np.array(
        [[np.sin(th) * np.sin(ph), np.cos(ph), 0], [np.sin(th) * np.cos(ph), -np.sin(ph), 0], [np.cos(th), 0, 1]]
    )


def body_rates_slope(angles, rates):
    """Time derivative of that matrix, by central differences along the motion."""
    step = 1e-6
    ahead, behind = (body_rates(np.add(angles, s * step * np.asarray(rates))) for s in (1, -1))
    return (ahead - behind) / (2 * step)


def compiled(m, q, u):
    return np.asarray(m.compile().acceleration(q, u))


def derived(formalism):
    """Accelerations from the expressions M, S, F of a formalism."""

    def accelerate(m, q, u):
        eq = m.equations(formalism)
        at = {ex.symbol(k): v for k, v in {**m.given, **dict(zip((*eq.coordinates, *eq.speeds), (*q, *u)))}.items()}
        n = len(eq.speeds)
        found = ex.evaluate([*eq.mass_matrix.entries, *eq.bias, *eq.forces], at)
        matrix = np.array(found[: n * n], dtype=float).reshape(n, n)
        return np.linalg.solve(matrix, np.array(found[n * n : n * n + n]) + np.array(found[n * n + n :]))

    return accelerate


WAYS = {"compiled": compiled, "kane": derived("kane"), "mixed": derived("mixed")}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("angles", [(0.3, 1.1, -0.4), (2.0, 0.5, 1.0)])
def test_accelerations_are_those_of_chapter_2_at_any_attitude(angles, way):
    m = da.loads(PROGRAM)
    attitude = rz(angles[0]) @ rx(angles[1]) @ rz(angles[2])
    matrix = body_rates(angles)
    euler = np.linalg.solve(matrix, W)
    q = np.array([0.7, -0.2, 0.1, *angles, *JOINTS])
    u = np.array([*(attitude @ V), *euler, *RATES])
    a = WAYS[way](m, q, u)
    spin = matrix @ a[3:6] + body_rates_slope(angles, euler) @ euler
    np.testing.assert_allclose(spin, [-0.406935048504173, -0.475396678278790, 0.467347252352955], atol=1e-8)
    drift = attitude.T @ a[:3] - np.cross(W, V)
    np.testing.assert_allclose(drift, [-0.0366698860756974, 0.248580514551252, 0.327493282924503], atol=1e-9)
    np.testing.assert_allclose(a[6:], [0.903634886410394, -0.446128534727678, 3.82764287359839], atol=1e-9)


def test_nine_degrees_of_freedom():
    assert len(da.loads(SATELLITE).equations().speeds) == 9
