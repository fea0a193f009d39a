"""Linear motions in closed form, their principal functions, and Staeckel's matrices."""

from __future__ import annotations

import math

import pytest

from dalembert import analytic as an
from dalembert.errors import ModelError


def _at(e, numbers):  # type: ignore[no-untyped-def]
    return float(e.subs({s: numbers[s.name] for s in e.free_symbols}))


def test_a_driven_oscillator_beats_and_grows_at_resonance() -> None:
    driven = an.System("x", L="x_d**2/2 - w**2*x**2/2 + F*cos(W*t)*x", positive="w W")
    x = an.closed_motion(driven.lagrange())["x"]
    numbers = {"w": 1.3, "W": 0.7, "F": 0.4, "t": 2.1, "x0": 0.2, "xd0": -0.3}
    own = 0.2 * math.cos(1.3 * 2.1) - 0.3 * math.sin(1.3 * 2.1) / 1.3
    assert _at(x, numbers) == pytest.approx(own + 0.4 * (math.cos(0.7 * 2.1) - math.cos(1.3 * 2.1)) / (1.3**2 - 0.7**2))
    resonant = an.System("x", L="x_d**2/2 - w**2*x**2/2 + F*cos(w*t)*x", positive="w")
    grown = an.closed_motion(resonant.lagrange())["x"]
    assert _at(grown, numbers | {"x0": 0.0, "xd0": 0.0}) == pytest.approx(0.4 * 2.1 * math.sin(1.3 * 2.1) / 2.6)


def test_crossed_fields_drift_with_E_over_B() -> None:
    crossed = an.System("x y", L="m*(x_d**2 + y_d**2)/2 + q*B*(x*y_d - y*x_d)/2 + q*F*x", positive="m q B")
    y = an.closed_motion(crossed.lagrange())["y"]
    numbers = {"m": 1.1, "q": 0.7, "B": 2.0, "F": 0.6, "x0": 0.3, "y0": 0.0, "xd0": 0.5, "yd0": 0.1}
    turn = 2 * math.pi * 1.1 / (0.7 * 2.0)
    assert _at(y, numbers | {"t": turn}) == pytest.approx(-0.6 / 2.0 * turn)


@pytest.mark.parametrize(
    ("coordinates", "L"),
    [
        ("x", "m*x_d**2/2 + m*A*t*x"),
        ("x", "exp(2*c*t)*m*x_d**2/2"),
        ("x y", "m*(x_d**2 + y_d**2)/2 + m*w*(x*y_d - y*x_d)/2"),
    ],
)
def test_principal_functions_of_driven_damped_and_magnetic_motions(coordinates: str, L: str) -> None:
    system = an.System(coordinates, L=L, positive="m c w")
    made = an.principal_function(system)
    assert made.solves
    view = system.hamilton_jacobi()
    assert view.verify(made.S, tuple(f"{c}0" for c in coordinates.split()))  # a complete integral, with q0 as constants


def test_nonlinear_motions_are_refused() -> None:
    with pytest.raises(ModelError, match="not linear with constant coefficients"):
        an.closed_motion(an.System("x y", L="(x_d**2 + y_d**2)/2 - x**2*y").lagrange())


STAECKEL = {
    "r ph": ("(pr**2 + pph**2/r**2)/(2*m) - k/r", "pr pph"),
    "r th ph": ("(pr**2 + pth**2/r**2 + pph**2/(r**2*sin(th)**2))/(2*m) - k/r + cos(th)/r**2", "pr pth pph"),
    "u v": ("((pu**2 + pv**2)/2 - 2*k + F*(u**4 - v**4)/2)/(u**2 + v**2)", "pu pv"),
}


@pytest.mark.parametrize("coordinates", STAECKEL)
def test_staeckels_matrix_has_rows_of_one_coordinate_and_gives_H_back(coordinates: str) -> None:
    H, momenta = STAECKEL[coordinates]
    made = an.staeckel(an.System(coordinates, H=H, momenta=momenta, positive="m r").hamilton_jacobi())
    assert made.gives_H
    others = set(coordinates.split())
    for c, row in zip(coordinates.split(), made.matrix.tolist(), strict=True):
        assert not {s.name for e in row for s in e.free_symbols} & (others - {c})


def test_staeckels_form_is_asked_for() -> None:
    with pytest.raises(ModelError, match="Staeckel's form"):
        an.staeckel(an.System("x y", H="(px**2 + (py - B*x)**2)/2", momenta="px py").hamilton_jacobi())
    with pytest.raises(ModelError, match="Levi-Civita"):
        an.staeckel(an.System("x y", H="(px**2 + py**2)/2 + x**2*y", momenta="px py").hamilton_jacobi())


@pytest.mark.slow
def test_fronts_and_rays_of_a_throw_move(tmp_path) -> None:  # type: ignore[no-untyped-def]
    # S0 of a fall with E, alpha: rays are parabolas, x = alpha t/m (Castera 7.C.1)
    S0 = "a*x - (2*m*E - a**2 - 2*m**2*g*y)**(3/2)/(3*m**2*g)"
    numbers = {"a": 1.0, "m": 1.0, "E": 20.0, "g": 9.81}
    made = an.moving_fronts(S0, "x y", [(0.0, 0.0), (0.5, 0.2)], numbers, energy=20.0, time=0.3, frames=6)
    assert made.rays[0][0, -1] == pytest.approx(0.3)
    up = math.sqrt(39.0)
    assert made.rays[0][1, -1] == pytest.approx(up * 0.3 - 9.81 * 0.3**2 / 2)
    assert made.across < 2e-2
    made.animate(tmp_path / "fronts.gif", [(0, 1.2), (0, 1.8)])
    assert (tmp_path / "fronts.gif").read_bytes()[:3] == b"GIF"


def test_a_damped_oscillator_answers_its_drive_with_a_phase() -> None:
    system = an.System("x", L="x_d**2/2 - k*x**2/2 + F*cos(W*t)*x", D="c*x_d**2/2", positive="k F W c")
    x = an.closed_motion(system.lagrange())["x"]
    late = {"k": 4.0, "F": 0.7, "W": 1.5, "c": 0.8, "t": 80.0, "x0": 1.0, "xd0": 0.0}
    amplitude = 0.7 / math.hypot(4.0 - 1.5**2, 0.8 * 1.5)
    lag = math.atan2(0.8 * 1.5, 4.0 - 1.5**2)
    value = complex(x.subs({s: late[s.name] for s in x.free_symbols}).evalf())
    assert value.real == pytest.approx(amplitude * math.cos(1.5 * 80 - lag))
    assert abs(value.imag) < 1e-12


def test_a_prescribed_function_without_formula_is_no_constant() -> None:
    with pytest.raises(ModelError, match="without a formula"):
        an.closed_motion(an.System("x", L="x_d**2/2 + h*x", given="h").lagrange())


def test_a_reduced_system_keeps_the_forces_of_what_remains() -> None:
    damped = an.System("r ph", L="m*(r_d**2 + r**2*ph_d**2)/2 + k/r", positive="m r k", Q={"r": "-c*r_d"})
    reduced = an.routhian(damped, momenta={"ph": "J"}).reduced
    assert reduced.lagrange().check("r_dd == J**2/(m**2*r**3) - k/(m*r**2) - c*r_d/m")
