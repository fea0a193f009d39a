"""All rests of a system, none invented: closed forms against dense searches by numbers."""

import math
import random

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import fsolve

from dalembert import analytic as an
from dalembert.errors import ModelError


def kinds(found):
    return [e.nature.kind for e in found]


def test_a_pendulum_has_two_rests_and_a_double_one_four():
    single = an.equilibria(an.System("th", V="-m*g*l*cos(th)", positive="m g l"))
    assert [str(e.at["th"]) for e in single] == ["0", "pi"]
    assert kinds(single) == ["stable", "unstable"]
    double = an.equilibria(an.System("a b", V="-m*g*l*(2*cos(a) + cos(b))", positive="m g l"))
    assert double.complete
    assert sorted(kinds(double)) == ["saddle", "saddle", "stable", "unstable"]


def test_two_coupled_pendulums_have_six_rests():
    s = an.System("a b", V="-m*g*l*(cos(a)+cos(b)) + k*l**2*(sin(a)-sin(b))**2/2", positive="m g l k")
    found = an.equilibria(s)
    assert found.complete
    assert len(found) == 6
    leaning = [e for e in found if e.where]
    assert len(leaning) == 2
    assert {str(w) for e in leaning for w in e.where} == {"-g*m + 2*k*l"}


def test_a_hamiltonian_a_field_and_a_rotation_take_part():
    assert an.equilibria(an.System("x", H="p**2/2 + (x - 1)**2/2"))[0].at == {"x": 1}
    field = an.ElectromagneticField("q", "a*(x**2 + y**2 - 2*x)", ["0", "0"])
    charge = an.System("x y", T="m*(x_d**2+y_d**2)/2", field=field, positive="m q a")
    (rest,) = an.equilibria(charge)
    assert rest.at == {"x": 1, "y": 0}
    assert rest.nature.kind == "stable"


def test_a_bead_on_a_rotating_hoop_rests_alike_in_both_descriptions():
    ring = ["R*sin(th)*cos(ph)", "R*sin(th)*sin(ph)", "-R*cos(th)"]
    turned = an.System(
        "th", given={"ph": "W*t"}, particles=[an.Particle("m", ring)], gravity=["0", "0", "-g"], positive="R g W"
    )
    written = an.System("th", L="m*R**2*(th_d**2+W**2*sin(th)**2)/2+m*g*R*cos(th)", positive="m R g W")
    first, second = (an.equilibria(s) for s in (turned, written))
    assert [e.at for e in first] == [e.at for e in second]
    assert len(first) == 4
    assert {str(w) for e in first for w in e.where} == {"R*W**2 - g"}


def test_a_charge_on_a_hill_in_a_strong_field_is_not_called_unstable():
    L = "(x_d**2+y_d**2)/2 + {}*(x*y_d-y*x_d)/2 + (x**2+y**2)/2"
    assert kinds(an.equilibria(an.System("x y", L=L.format(3)))) == ["gyroscopic"]
    assert kinds(an.equilibria(an.System("x y", L=L.format(1)))) == ["unstable"]


def test_a_minimum_without_closed_form_is_found_by_numbers_and_says_so():
    found = an.equilibria(an.System("x", V="exp(x) + x**2"))
    assert not found.complete
    assert kinds(found) == ["stable"]
    assert float(found[0].at["x"]) == pytest.approx(-0.35173371124919584)
    with pytest.raises(ModelError, match="search_equilibria"):
        an.equilibria(an.System("x", V="a*exp(x) + b*x**2"))


def test_rests_that_exist_for_some_parameters_only_are_kept_with_their_condition():
    spring = an.System("x y", V="k*(sqrt(x**2+y**2) - l)**2/2 + m*g*y", positive="k l m g")
    found = an.equilibria(spring)
    assert {str(e.at["y"]) for e in found} == {"(-g*m + k*l)/k", "(-g*m - k*l)/k"}
    upper = next(e for e in found if e.where)
    assert str(upper.where[0]) == "-g*m + k*l"
    assert upper.nature.kind == "saddle"


def test_a_bead_on_a_wire_rests_by_multipliers_where_it_rests_by_elimination():
    bound = an.System("x y", T="m*(x_d**2+y_d**2)/2", V="m*g*y", constraints=["x**2 + y**2 - l**2"], positive="m g l")
    found = an.equilibria(bound)
    assert {str(e.at["y"]): e.nature.kind for e in found} == {"-l": "stable", "l": "unstable"}


def test_a_pivot_that_shakes_leaves_the_upright_rests():
    shaken = an.System(
        "th", given="h", particles=[an.Particle("m", ["l*sin(th)", "h - l*cos(th)"])], gravity=["0", "-g"]
    )
    found = an.equilibria(shaken)
    assert [str(e.at["th"]) for e in found] == ["0", "pi"]
    assert all(e.nature is None for e in found)


@pytest.mark.parametrize("seed", range(8))
def test_random_potentials_have_the_rests_of_a_dense_search(seed):
    draw = random.Random(seed)
    angle = seed % 2 == 0
    if angle:
        terms = ["cos(a)", "sin(a)", "cos(b)", "sin(b)", "cos(a - b)"] if seed % 4 else ["cos(a)", "sin(a)", "cos(2*a)"]
    else:
        terms = ["a", "a**2", "a**3", "a**4", "b**2", "b", "a*b"]
    V = " + ".join(f"({draw.randint(1, 4) * draw.choice([1, -1])})*{t}" for t in terms)
    labels = ["a", "b"] if "b" in V else ["a"]
    s = an.System(labels, V=V)
    found = an.equilibria(s)
    ours = [np.array([complex(e.at[c].evalf(20)).real for c in labels]) for e in found]
    symbols = [s.names.symbol(c) for c in labels]
    slope = sp.lambdify([symbols], [sp.diff(s.V, x) for x in symbols])
    seen = []
    for _ in range(250):
        start = [draw.uniform(-math.pi, math.pi) if angle else draw.gauss(0, 3) for _ in labels]
        x, _, flag, _ = fsolve(slope, start, full_output=True, xtol=1e-12)
        if flag == 1 and np.abs(slope(x)).max() < 1e-9:
            x = (x + math.pi) % (2 * math.pi) - math.pi if angle else x
            if not any(np.abs(x - y).max() < 1e-5 for y in seen):
                seen.append(x)
    distance = lambda x, y: np.abs(np.exp(1j * x) - np.exp(1j * y)).max() if angle else np.abs(x - y).max()
    assert all(min(distance(x, y) for y in ours) < 1e-5 for x in seen), (V, seen, ours)
    assert all(np.abs(slope(y)).max() < 1e-9 for y in ours)
    assert len(ours) == len(seen) if found.complete and angle else len(ours) >= len(seen)


def test_rests_that_fill_a_line_are_neutral_along_it_and_judged_across():
    """Two springs in a row, free to go anywhere: a linear molecule (Landau and Lifshitz, paragraph 24)."""
    L = "m*(x1_d**2 + x3_d**2)/2 + M*x2_d**2/2 - k*((x2 - x1 - b)**2 + (x3 - x2 - b)**2)/2"
    molecule = an.System("x1 x2 x3", L=L, positive="m M k b")
    (rest,) = an.equilibria(molecule)
    assert rest.nature.kind == "neutral"
    assert "across them stable" in str(rest)
    assert "any x3" in str(rest)
    at = {"x1": -1, "x3": 1}
    assert an.numeric_modes(molecule, {"m": 16, "M": 12, "k": 1, "b": 1}, at) == pytest.approx([0, 0.25, 0.478713554])
    with pytest.raises(ModelError, match="equilibria\\(system\\) finds the rests"):
        an.normal_modes(molecule)


def test_the_rests_beside_the_upright_one_of_kapitza_are_unstable_wherever_they_exist():
    average = an.System("th", V="A**2*m*w**2*sin(th)**2/4 - g*l*m*cos(th)", positive="A m w g l")
    beside = [e for e in an.equilibria(average) if e.where]
    assert len(beside) == 2
    assert all(e.nature.kind == "unstable" for e in beside)


@pytest.mark.slow
def test_where_solving_takes_too_long_the_plain_places_are_put_to_the_proof():
    bobs = [an.Particle("m", ["l*sin(a)", "-l*cos(a)"]), an.Particle("m", ["d + l*sin(b)", "-l*cos(b)"])]
    V = "k*(sqrt((d + l*sin(b) - l*sin(a))**2 + (l*cos(b) - l*cos(a))**2) - d)**2/2"
    coupled = an.System("a b", particles=bobs, gravity=["0", "-g"], V=V, positive="m l g k d")
    found = an.equilibria(coupled)
    assert not found.complete
    assert "may be others" in found.remark
    hanging = next(e for e in found if set(map(str, e.at.values())) == {"0"})
    assert hanging.nature.kind == "stable"
