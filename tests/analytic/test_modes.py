"""Small oscillations with gyroscopic terms, against the eigenvalues of the first-order system."""

import random

import numpy as np
import pytest
import sympy as sp

from dalembert import analytic as an
from dalembert.errors import ModelError

MAGNET = "(x_d**2+y_d**2)/2 + B*(x*y_d-y*x_d)/2"


def test_a_magnetic_field_splits_the_frequencies_of_an_oscillator():
    s = an.System("x y", L=MAGNET + " - (x**2+y**2)/2")
    assert an.numeric_modes(s, {"B": 3}) == pytest.approx([(np.sqrt(13) - 3) / 2, (np.sqrt(13) + 3) / 2])
    modes = an.normal_modes(an.System("x y", L=(MAGNET + " - (x**2+y**2)/2").replace("B", "3")))
    assert [float(w) for w in modes.frequencies] == pytest.approx([0.30277563773, 3.30277563773])
    assert modes.stable
    assert "Lagrange-Dirichlet" in modes.reason
    for w, shape in zip(modes.frequencies, modes.shapes):
        residual = (modes.stiffness + sp.I * w * modes.gyroscopic - w**2 * modes.mass_matrix) * shape
        assert all(abs(complex(e.evalf())) < 1e-12 for e in residual)


def test_a_hill_is_stabilised_by_a_strong_field_only():
    hill = an.System("x y", L=MAGNET.replace("B", "3") + " + (x**2+y**2)/2")
    modes = an.normal_modes(hill)
    assert modes.stable
    assert "gyroscopic" in modes.reason
    weak = an.System("x y", L=MAGNET.replace("B", "1") + " + (x**2+y**2)/2")
    assert an.normal_modes(weak).stable is False
    assert all(np.isnan(w) for w in an.numeric_modes(weak, {}))
    # B = 2 is the border: double frequencies, a mode is missing, the motion grows as t exp(i w t)
    border = an.normal_modes(an.System("x y", L=MAGNET.replace("B", "2") + " + (x**2+y**2)/2"))
    assert not border.complete
    assert border.stable is False


@pytest.mark.parametrize("seed", range(12))
def test_random_gyroscopic_systems_have_the_modes_of_their_first_order_system(seed):
    draw = random.Random(seed)
    size = draw.choice([2, 3])
    root = np.array([[draw.randint(-2, 2) for _ in range(size)] for _ in range(size)]) + 3 * np.eye(size)
    M = root @ root.T
    K = np.array([[draw.randint(-3, 3) for _ in range(size)] for _ in range(size)])
    K = K + K.T + (draw.choice([0, 14])) * np.eye(size)
    K[0, 0] += abs(np.linalg.det(K)) < 0.5  # no mode without frequency: its two halves are known to 1e-8 only
    C = np.array([[draw.randint(-9, 9) for _ in range(size)] for _ in range(size)])
    q = [f"q{i}" for i in range(size)]
    pairs = [(i, j) for i in range(size) for j in range(size)]
    text = " + ".join(
        f"({int(M[i, j])}*{q[i]}_d*{q[j]}_d/2 + {int(C[i, j])}*{q[i]}_d*{q[j]} - {int(K[i, j])}*{q[i]}*{q[j]}/2)"
        for i, j in pairs
    )
    found = an.numeric_modes(an.System(q, L=text), {})
    inverse = np.linalg.inv(M)
    first = np.block([[np.zeros((size, size)), np.eye(size)], [-inverse @ K, -inverse @ (C - C.T)]])
    rates = np.linalg.eigvals(first)
    steady = sorted(r.imag for r in rates if abs(r.real) < 1e-6 and r.imag > 0)
    assert [w for w in found if not np.isnan(w)] == pytest.approx(steady, rel=1e-7)
    assert len(found) == size
    if size == 2:
        exact = an.normal_modes(an.System(q, L=text))
        assert exact.stable is (len(steady) == size)


def test_modes_are_refused_where_nothing_rests_or_energy_is_lost():
    with pytest.raises(ModelError, match="not an equilibrium"):
        an.numeric_modes(an.System("x", L="x_d**2/2 - x**2/2 - x"), {})
    with pytest.raises(ModelError, match="damping"):
        an.normal_modes(an.System("x", L="x_d**2/2 - x**2/2", D="c*x_d**2/2"))
    with pytest.raises(ModelError, match="depend on time"):
        an.normal_modes(an.System("x", L="x_d**2/2 - (1 + t**2)*x**2/2"))
    with pytest.raises(ModelError, match="no coordinate"):
        an.normal_modes(an.System("x", L="x_d**2/2 - x**2/2"), {"y": 0})


def test_forces_with_a_potential_take_part_in_the_modes():
    plain = an.normal_modes(an.System("x", L="m*x_d**2/2 - k*x**2/2")).squares
    by_force = an.normal_modes(an.System("x", particles=[an.Particle("m", ["x"], ["-k*x"])])).squares
    assert str(plain) == str(by_force)
