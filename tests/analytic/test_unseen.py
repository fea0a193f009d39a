"""Problems of Goldstein, Landau, Arnold, Jose and Saletan that the course does not hold: their known answers."""

from __future__ import annotations

import math
import random

import pytest
import sympy as sp

from dalembert import analytic as an
from dalembert.errors import DalembertError, ModelError

WELLS = {  # H, numbers of the parameters, energy; all have closed actions in the literature
    "Morse": ("p**2/(2*m) + D*(exp(-2*a*x) - 2*exp(-a*x))", {"m": 1.3, "D": 2.0, "a": 0.7}, -1.0),
    "Poschl-Teller": ("p**2/(2*m) + D*tan(a*x)**2", {"m": 1.3, "D": 2.0, "a": 0.7}, 1.5),
    "soliton": ("p**2/(2*m) - D/cosh(a*x)**2", {"m": 1.3, "D": 2.0, "a": 0.7}, -1.5),
    "Rosen-Morse": ("p**2/(2*m) - D/cosh(a*x)**2 + b*tanh(a*x)", {"m": 1.3, "D": 2.0, "a": 0.7, "b": 0.3}, -1.5),
    "wedge": ("p**2/(2*m) + F*abs(x)", {"m": 1.3, "F": 2.0}, 1.5),
    "quartic": ("p**2/(2*m) + F*x**4", {"m": 1.3, "F": 2.0}, 1.5),
    "pendulum": ("p**2/(2*m*l**2) - m*g*l*cos(x)", {"m": 1.3, "g": 2.0, "l": 0.7}, 0.5),
    "centrifugal": ("p**2/(2*m) + k*x**2/2 + h/x**2", {"m": 1.3, "k": 2.0, "h": 0.7}, 5.5),
}


@pytest.mark.parametrize("well", WELLS)
@pytest.mark.parametrize("scale", [1, 1e-3])
def test_closed_actions_agree_with_the_quadrature_between_turning_points(well: str, scale: float) -> None:
    H, numbers, E = WELLS[well]
    at_scale = numbers | {"m": numbers["m"] * scale}
    if well == "pendulum":
        E = E * scale
    view = an.System("x", H=H, positive=[*numbers]).hamilton_jacobi()
    made = an.action_angle(view)
    values = {s: at_scale.get(s.name, E) for s in made.actions["x"].free_symbols}
    number = an.numeric_action(view, "x", {**at_scale, "E": E})
    assert float(made.actions["x"].subs(values)) == pytest.approx(number, rel=1e-7)
    if made.energy is not None:  # the branch is the one of the motion
        back = made.energy.subs({s: number if s.name == "J_x" else at_scale[s.name] for s in made.energy.free_symbols})
        assert float(back) == pytest.approx(E, rel=1e-6)


def test_actions_in_space_are_degenerate_as_they_must_be() -> None:
    central = "(pr**2 + pth**2/r**2 + pph**2/(r**2*sin(th)**2))/(2*m)"
    words = {"momenta": "pr pth pph", "positive": "m w r k"}
    ball = an.System("r th ph", H=f"{central} + m*w**2*r**2/2", **words).hamilton_jacobi()
    assert str(an.action_angle(ball, angles="ph").energy) == "w*(J_ph + 2*J_r + J_th)"
    kepler = an.action_angle(an.System("r th ph", H=f"{central} - k/r", **words).hamilton_jacobi(), angles="ph")
    assert str(kepler.energy) == "-k**2*m/(2*(J_ph + J_r + J_th)**2)"
    assert "alpha_ph" in {str(e) for e in kepler.where}  # a negative momentum would enter by its size


def test_sommerfelds_levels_come_from_the_relativistic_hamiltonian() -> None:
    view = an.System(
        "r ph", H="sqrt(m**2*c**4 + c**2*(pr**2 + pph**2/r**2)) - k/r", momenta="pr pph", positive="m k r c"
    ).hamilton_jacobi()
    energy = an.action_angle(view, angles="ph").energy
    numbers = {"m": 1.0, "c": 3.0, "k": 1.0, "J_r": 2.0, "J_ph": 1.0}
    fine = 1 / sp.sqrt(1 + (1 / 3.0) ** 2 / (2.0 + sp.sqrt(1 - 1 / 9.0)) ** 2)
    assert float(energy.subs({s: numbers[s.name] for s in energy.free_symbols})) == pytest.approx(float(9 * fine))


def test_a_motion_with_one_turning_point_has_no_action() -> None:
    with pytest.raises(ModelError, match="one turning point"):
        an.action_angle(an.System("z", H="p**2/(2*m) + m*g*z", positive="m g").hamilton_jacobi())


RELATIVISTIC = {
    "x": ("-m*c**2*sqrt(1 - x_d**2/c**2) - k*x**2/2", "c*sqrt(m**2*c**2 + p**2) + k*x**2/2"),
    "r ph": (
        "-m*c**2*sqrt(1 - (r_d**2 + r**2*ph_d**2)/c**2) + k/r",
        "c*sqrt(m**2*c**2 + pr**2 + pph**2/r**2) - k/r",
    ),
    "x y": (
        "-m*c**2*sqrt(1 - (x_d**2 + y_d**2)/c**2) + q*B*x*y_d",
        "c*sqrt(m**2*c**2 + px**2 + (py - q*B*x)**2)",
    ),
}


@pytest.mark.parametrize("coordinates", RELATIVISTIC)
def test_relativistic_hamiltonians_hold_for_momenta_of_both_signs(coordinates: str) -> None:
    L, H = RELATIVISTIC[coordinates]
    view = an.System(coordinates, L=L, positive="m c k r").hamilton()
    assert view.check(f"H == {H}")
    assert not view.H.has(sp.Abs)


def test_a_legendre_transform_with_several_branches_is_refused() -> None:
    with pytest.raises(DalembertError, match="both signs"):
        an.System("x", L="x_d**3/3 - x**2").hamilton()


def test_declared_positive_coordinates_have_no_negative_rests() -> None:
    (pair,) = an.equilibria(an.System("r", L="m*r_d**2/2 - 4*e*((s/r)**12 - (s/r)**6)", positive="m r e s"))
    assert str(pair.at["r"]) == "2**(1/6)*s"
    (circle,) = an.relative_equilibria(
        an.System("r ph", L="m*(r_d**2 + r**2*ph_d**2)/2 - k*r**4", positive="m r k"), momenta={"ph": "J"}
    )
    assert circle.nature.kind == "stable"  # J enters by its square: its sign is not asked


def test_conical_pendulum_and_steady_top() -> None:
    ball = an.System("th ph", L="m*l**2*(th_d**2 + sin(th)**2*ph_d**2)/2 + m*g*l*cos(th)", positive="m l g")
    for turning in an.relative_equilibria(ball):
        assert an.equal(turning.speeds["ph"] ** 2, ball.names.read("g/(l*cos(th))"))
        assert turning.nature.kind == "stable"
        assert [str(e) for e in turning.where] == ["cos(th)"]
    top = an.System(
        "th ph ps",
        L="A*(th_d**2 + ph_d**2*sin(th)**2)/2 + C*(ps_d + ph_d*cos(th))**2/2 - P*cos(th)",
        positive="A C P",
    )
    steady = an.relative_equilibria(top, momenta={"ph": "a", "ps": "b"})
    numbers = {"A": 1.2, "C": 0.7, "P": 0.9, "b": 3.0, "th": 0.8}
    found = sorted(
        float(one.speeds["ph"].subs({s: numbers[s.name] for s in one.speeds["ph"].free_symbols})) for one in steady
    )
    flat = 2 * 1.2 * math.cos(0.8)
    root = math.sqrt(3.0**2 - 4 * 1.2 * 0.9 * math.cos(0.8))
    assert found == pytest.approx([(3.0 - root) / flat, (3.0 + root) / flat])  # slow and fast precession


def test_dirac_knows_constraints_that_are_curved() -> None:
    circle = an.dirac_bergmann(an.System("x y u", L="(x_d**2 + y_d**2)/2 - u*(x**2 + y**2 - 1)"))
    assert (circle.first_class, circle.second_class, circle.degrees_of_freedom) == (0, 4, 1)
    assert an.equal(circle.bracket("px", "py"), circle.names.read("px*y - py*x"))
    assert an.dirac_bergmann(an.System("x y z", L="x_d*z_d + y*z**2/2")).first_class == 3  # Cawley
    with pytest.raises(ModelError, match="branches"):
        an.dirac_bergmann(an.System("x y u", L="(x_d**2 + y_d**2)/2 - u*x*y"))


def test_damping_given_by_name_is_damping() -> None:
    swing = an.System("th", L="th_d**2/2 + cos(th)", Q={"th": "-c*th_d"})
    assert [str(e.at["th"]) for e in an.equilibria(swing)] == ["0", "pi"]
    with pytest.raises(ModelError, match="no coordinate"):
        an.System("th", L="th_d**2/2", Q={"phi": "1"})


LISTS = {
    "constraints": lambda wrong: an.System("x y", L="x_d**2 + y_d**2", constraints=wrong),
    "rolling": lambda wrong: an.System("x y", L="x_d**2 + y_d**2", rolling=wrong),
    "Q": lambda wrong: an.System("x", L="x_d**2", Q=wrong),
    "gravity": lambda wrong: an.System("x", particles=[an.Particle("m", ["x"])], gravity=wrong),
    "position": lambda wrong: an.Particle("m", wrong),
    "force": lambda wrong: an.Particle("m", ["x"], wrong),
    "A": lambda wrong: an.ElectromagneticField("q", A=wrong),
    "rotation": an.fictitious_forces,
    "equations": lambda wrong: an.lagrangian_for(wrong, "x"),
    "conditions": lambda wrong: an.isoperimetric("y", wrong, "y"),
    "B": an.uniform_potential,
}


@pytest.mark.parametrize("label", LISTS)
def test_text_and_sets_are_no_lists(label: str) -> None:
    for wrong in ("x", "abc", {"x", "y"}):
        with pytest.raises(ModelError, match=f"`{label}` is to be a list"):
            LISTS[label](wrong)
    if label != "Q":
        with pytest.raises(ModelError, match="is to be a list"):
            LISTS[label]({"x": "y"})


def test_legendre_keeps_to_the_declared_domain() -> None:
    assert str(an.legendre("1/x", positive="x").x_of_a) == "sqrt(-1/a)"
    assert an.equal(an.legendre("x**3", positive="x").transform, an.Names().read("-2*sqrt(3)*a**(3/2)/9"))
    with pytest.raises(DalembertError, match="not one function"):
        an.legendre("x**3")


def test_random_quadratic_plus_root_lagrangians_come_back_from_their_hamiltonians() -> None:
    seed = random.Random(4)
    for _ in range(2):
        a, b, c = (seed.randint(1, 5) for _ in range(3))
        L = f"-{a}*sqrt({b} - x_d**2 - {c}*y_d**2) + {a}*x*y_d - x*y"
        H = an.System("x y", L=L).hamilton().H
        back = an.System("x y", H=H, momenta="px py").lagrange()
        assert back.check(f"L == {L}")
