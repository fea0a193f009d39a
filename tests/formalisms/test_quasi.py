"""Equations in quasi-velocities: Maggi, Kane, Gibbs-Appell, Boltzmann and Hamel against those with multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex


def sleigh() -> da.Mechanism:
    m = da.Mechanism("sleigh")
    m.join(da.earth, m.body("b", mass="m", centre=["a", 0, 0], inertia=["J", "J", "J"]), da.planar(), name="p")
    m.constrain("-p.x'*sin(p.th) + p.y'*cos(p.th) = 0", name="blade")
    m.given = {"m": 2.0, "a": 0.25, "J": 0.3}
    m.start = {"p.th": 0.4}
    return m


def disc() -> da.Mechanism:
    m = da.Mechanism("disc")
    fork, arm = m.body("fork"), m.body("arm")
    wheel = m.body("wheel", mass=1, inertia=[0.0625, 0.125, 0.0625])
    place = da.composite(
        ["x", "y", "z", "ps"], da.Displacement.of(["x", "y", "z"]), da.Displacement.of([0, 0, 0], da.turn("ps", "z"))
    )
    m.join(da.earth, fork, place, name="c")
    m.join(fork, arm, da.revolute("x"), name="lean")
    m.join(arm, wheel, da.revolute("y"), name="spin")
    m.gravity = [0, 0, -9.81]
    m.roll(wheel, da.earth, radius=0.5, name="road")
    m.start = {"lean.th": 0.2, "c.ps": 0.3}
    return m


def checked(eq, m: da.Mechanism, speeds: dict[str, float]) -> None:
    """v' of the reduced equations is that of the equations with multipliers, on the conditions."""
    f = m.compile()
    y = dict(zip((*f.coordinates, *f.speeds), f.start({**m.start, **speeds}).y, strict=True))
    values = {ex.symbol(x): v for x, v in {**y, **m.given}.items()}
    wanted = f.acceleration([y[x] for x in f.coordinates], [y[x] for x in f.speeds])
    wanted = np.array([wanted[f.speeds.index(x)] for x in eq.speeds])
    found = np.array(ex.evaluate(list(eq.accelerations), values), dtype=float)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    mass, bias = eq.boltzmann_hamel
    right = [s + q for s, q in zip(bias, eq.forces, strict=True)]
    n = len(eq.speeds)
    flat = np.array(ex.evaluate([*mass.entries, *right], values), dtype=float)
    hamel = np.linalg.solve(flat[: n * n].reshape(n, n), flat[n * n :])
    np.testing.assert_allclose(hamel, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("formalism", ["kane", "lagrange", "gibbs-appell", "newton-euler", "recursive"])
def test_the_sleigh_in_two_quasi_velocities(formalism):
    m = sleigh()
    eq = m.equations(formalism, independent=["p.x", "p.th"])
    assert eq.speeds == ("p.x'", "p.th'")
    assert eq.coordinates == ("p.x", "p.y", "p.th")
    checked(eq, m, {"p.x'": -0.9, "p.th'": 1.5})


def test_a_rolling_disc_in_three_quasi_velocities():
    m = disc()
    eq = m.equations("kane", independent=["c.ps'", "lean.th'", "spin.th'"])
    checked(eq, m, {"c.ps'": 0.7, "lean.th'": 0.1, "spin.th'": 4})


def test_the_three_index_symbols_of_the_sleigh():
    """w1 = x', w2 = th', w3 = -x' sin th + y' cos th: only the third is no differential of a coordinate."""
    symbols = sleigh().equations("lagrange", independent=["p.x", "p.th"]).three_index_symbols
    assert {k for k, _, _ in symbols} == {3}
    value = {ex.symbol("p.th"): 0.4}
    assert {key: float(ex.evaluate([e], value)[0]) for key, e in symbols.items()} == pytest.approx(
        {(3, 1, 2): -np.cos(0.4) - np.sin(0.4) * np.tan(0.4), (3, 2, 1): np.cos(0.4) + np.sin(0.4) * np.tan(0.4)}
    )


def test_the_equations_are_shown_by_their_name():
    text = str(sleigh().equations("lagrange", independent=["p.x", "p.th"]).show("scalar"))
    assert text.startswith("Maggi in p.x', p.th' alone")
    assert "p.y' :=" in text
    data = sleigh().equations("kane", independent=["p.x", "p.th"]).as_dict()
    assert list(data["definitions"]) == ["p.y'"]
    assert len(data["rates"]) == 3


def test_imperfect_and_bent_constraints_are_never_used_to_reduce():
    m = sleigh()
    m.constrain("p.th' = 2", by="d(p.x)", name="servo")
    with pytest.raises(da.ModelError, match=r"'servo'.*has power"):
        m.equations("kane", independent="automatic")
    m = sleigh()
    m.constrain("p.x'**2 + p.th'**2 = 1", name="bent")
    with pytest.raises(da.ModelError, match="'bent' of 'sleigh' is not linear"):
        m.equations("kane", independent="automatic", at={"p.x'": 0.6})


@pytest.mark.parametrize("formalism", ["lagrange", "kane", "gibbs-appell"])
def test_vector_and_matrix_levels_say_the_formalism_and_its_projection(formalism):
    eq = sleigh().equations(formalism, independent=["p.x", "p.th"])
    matrix, vector = str(eq.show("matrix")), str(eq.show("vector"))
    assert "Psi^T*M*Psi*v' = Psi^T*(S - M*b) + Psi^T*F" in matrix
    assert "u = Psi*v + c,  G*Psi = 0" in matrix
    assert "v := (p.x', p.th')" in matrix
    assert "sum_r Psi_rk*(equation of u_r) = 0" in vector
    assert "\\dot{v}" in eq.show("matrix")._repr_latex_()
    with pytest.raises(da.ModelError, match="choose vector, matrix or scalar"):
        eq.show("tensor")
