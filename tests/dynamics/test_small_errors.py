"""Rules of mechanics that a small error in one line would break unseen: each against another way to say the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import Function
from dalembert.codegen.languages import source


def test_a_function_of_two_arguments_keeps_its_mixed_derivatives() -> None:
    from dalembert.kinematics.wrench import define_functions

    x, y = ex.symbols("x y")
    f = ex.apply("f", (x, y))
    asked = [ex.derivative(ex.derivative(f, a), b) for a in (x, y) for b in (x, y)]
    formula = ex.parse("x^3*y^2 + sin(x*y)")
    found = define_functions(asked, {"f": (("x", "y"), formula)})
    known = [ex.derivative(ex.derivative(formula, a), b) for a in (x, y) for b in (x, y)]
    here = {x: 0.7, y: 1.2}
    assert ex.evaluate(found, here) == pytest.approx(ex.evaluate(known, here))


@pytest.mark.parametrize("at", ["first", "second"])
def test_a_link_declared_from_child_to_parent_transmits_the_opposite_at_its_own_frames(at: str) -> None:
    """The same sliding hinge said both ways: the second body of one is the first of the other."""

    def machine(turned: bool) -> da.Mechanism:
        m = da.Mechanism("arm")
        arm = m.body("arm", mass=2, centre=[0.3, 0.1, -0.4], inertia=[0.2, 0.3, 0.25])
        tip = m.body("tip", mass=1, centre=[0.1, 0.2, -0.3], inertia=[0.1, 0.1, 0.05])
        m.join(da.earth, arm, da.revolute("x"), name="pivot")
        here, there = arm.at([0.2, 0.1, -0.8]), tip.at([0.1, 0, 0.3])
        m.join(*((there, here) if turned else (here, there)), da.cylindrical("y"), name="elbow")
        m.gravity = [0, 0, -9.81]
        return m

    state = {"pivot.th": 0.4, "elbow.x": 0.25, "elbow.th": 0.7, "pivot.th'": 1.3, "elbow.x'": 0.5, "elbow.th'": -0.6}
    back = {name: -value if name.startswith("elbow") else value for name, value in state.items()}
    found = []
    for turned, point, here in ((False, at, state), (True, {"first": "second", "second": "first"}[at], back)):
        m = machine(turned)
        numbers = {ex.symbol(name): value for name, value in here.items()}
        one = m.equations("newton-euler").reactions(["elbow"], at=point, base="earth")["elbow"]
        found.append(np.array(ex.evaluate([*one.moment, *one.force], numbers), dtype=float))
        own = m.equations("newton-euler").reactions(["elbow"])["elbow"]
        seen = np.array(ex.evaluate([*own.moment, *own.force], numbers), dtype=float)
        np.testing.assert_allclose(m.reactions(here)["elbow"].wrench, seen, rtol=1e-9, atol=1e-9)
        motion = m.simulate((0, 0.01), start=here)
        told = [motion[f"elbow.{x}"][0] for x in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        np.testing.assert_allclose(told, seen, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found[0], -found[1], rtol=1e-9, atol=1e-9)


def test_the_column_of_an_input_that_is_a_mass_holds_the_acceleration() -> None:
    """p x'' = F along x = t^2: d(p x'')/dp = 2, and p = 3 gives x'' the slope -2/3."""
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("cart", mass="p"), da.prismatic("x").with_efforts(x="2*p0 + F"), name="rail")
    m.given = {"p": 3.0, "p0": 3.0, "F": 0.0}
    found = m.linearize(at={"rail.x": "t^2", "rail.x'": "2*t"}, inputs=["p", "F"])
    column = [float(ex.evaluate([v], {ex.symbol("p"): 3.0})[0]) for v in found.input_matrix.entries]
    assert column == pytest.approx([-2.0, 1.0])


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_no_body_has_a_principal_inertia_above_the_sum_of_the_others(size: float) -> None:
    def turned(excess: float) -> float:
        m = da.Mechanism()
        m.join(da.earth, m.body("b", mass=size, inertia=[size, 2 * size, (3 + excess) * size]), da.revolute("z"))
        return float(m.compile().acceleration([0.0], [0.0])[0])

    assert turned(0.0) == 0.0
    with pytest.raises(da.DalembertError, match="exceeds the sum of the others"):
        turned(1e-3)


def test_results_in_matlab_are_counted_from_one_without_a_gap() -> None:
    """Read in the text: Octave is not everywhere."""
    x, y = ex.symbols("x y")
    text = source([Function("f", [[x], [y]], [x + y, x * y, x - y])], "matlab", groups=("q", "u"))
    assert re.findall(r"out\((\d+)\) =", text) == ["1", "2", "3"]
    assert "out = zeros(3, 1)" in text
    assert re.findall(r"= (q|u)\((\d+)\)", text) == [("q", "1"), ("u", "1")]


@pytest.mark.parametrize(
    "wrong", ['"', "`", "\\", "=", ",", ";", "\x00", "\x1b", "\u200b", "\u202e", "\u2028", "\u00a0"]
)
def test_no_name_holds_a_character_that_ends_a_line_or_a_string(wrong: str) -> None:
    with pytest.raises(da.ModelError, match="cannot name a body"):
        da.Mechanism().body(f"a{wrong}b", mass=1)
