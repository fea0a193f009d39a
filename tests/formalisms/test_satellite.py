"""The satellite of chapter 2: every formalism gives the verified accelerations and reactions."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.formalisms import derive
from dalembert.formalisms.reactions import reactions
from dalembert.mechanism import Layout
from formalisms.satellite import ACCELERATIONS, FORMALISMS, PARAMETERS, STATE, satellite


def numbers(exprs, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): float(v) for k, v in state.items()}))


@pytest.mark.parametrize("name", FORMALISMS)
def test_accelerations_of_the_verified_state(name):
    eq = derive(Layout.of(satellite()), name)
    assert np.abs(numbers(eq.accelerations, STATE) - ACCELERATIONS).max() < 1e-12


@pytest.mark.parametrize("name", ["newton-euler", "lagrange", "kane"])
def test_reactions_of_the_verified_state(name):
    eq = derive(Layout.of(satellite()), name)
    arm = reactions(eq, ["s2"], base="S1")["s2"]  # action of S1 on S2; the thesis has that of S2 on S1
    r21, c21 = -numbers(arm.force, STATE), -numbers(arm.moment, STATE)
    assert np.abs(r21 - [-1.06669886075697, 0.635805145512518, -0.0250671707549698]).max() < 1e-12
    assert np.abs(c21 - [-0.7, -1.09488785235819, 2.01673626176478]).max() < 1e-12
    dish = reactions(eq, ["s4"], base="second")["s4"]
    assert np.abs(numbers(dish.force, STATE) - [0.9, -0.6, 0.610510446798479]).max() < 1e-12
    assert np.abs(numbers(dish.moment, STATE) - [0.3, 0.45, 0.0]).max() < 1e-12


def test_each_arm_joint_leaves_five_components_of_its_action_unknown():
    found = reactions(derive(Layout.of(satellite()), "newton-euler"), solved=False)
    assert {name: len(one.unknown) for name, one in found.items()} == {"s1": 0, "s2": 5, "s3": 5, "s4": 5}
    assert found["s2"].unknown == ("My", "Mz", "Fx", "Fy", "Fz")
    assert found["s3"].unknown == ("Mx", "My", "Mz", "Fx", "Fz")


def test_a_free_joint_transmits_nothing():
    found = reactions(derive(Layout.of(satellite()), "kane"), ["s1"])["s1"]
    assert np.abs(numbers([*found.force, *found.moment], STATE)).max() < 1e-12


def test_determinant_of_the_mass_matrix_in_rates():
    """I1x I1y I1z mu1^3 mu4^3 cos^2 q2 q8^2 cos^2 q9 z34^2 (L3215 prints mu1^2 mu4^2)."""
    eq = derive(Layout.of(satellite("rates")), "lagrange")
    state = PARAMETERS | {x: STATE[x] for x in eq.coordinates}
    found = np.linalg.det(numbers(eq.mass_matrix.entries, state).reshape(9, 9))
    q2, q8, q9 = state["s1.q2"], state["s3.q8"], state["s4.q9"]
    expected = 3 * 4 * 5 * 10**3 * 2**3 * np.cos(q2) ** 2 * q8**2 * np.cos(q9) ** 2 * 0.5**2
    assert found == pytest.approx(expected, rel=1e-10)


def test_hamilton_keeps_the_nine_momenta_factored():
    eq = derive(Layout.of(satellite("rates")), "hamilton")
    assert eq.detail.canonical
    assert len(eq.detail.momenta) == 9
    assert ex.count_operations([eq.detail.value, *eq.detail.rates, *eq.detail.momentum_rates]) < 10_000


KANE_SPEEDS = {
    "u7": "s3.q8*s2.q7' - sin(s4.q9)*z34*s4.q9'",
    "u8": "-cos(s4.q9)*z34*s2.q7' + s3.q8'",
    "u9": "z34*s4.q9'",
}


def test_kane_speeds_of_the_thesis_give_its_partial_velocities():
    """v7(G4) = k2, v8(G4) = j2, v9(G4) = cos q9 i1 (Papegay 2.6), here in the base of S4."""
    from dalembert.formalisms.kane import partial_velocities
    from dalembert.kinematics.bodies import body_motions

    eq = derive(Layout.of(satellite()), "kane", speeds=KANE_SPEEDS)
    tree = eq.tree
    assert tree.layout.speeds[:3] == ("u7", "u8", "u9")
    own = partial_velocities(tree, body_motions(tree))[4]
    c9, s9 = np.cos(STATE["s4.q9"]), np.sin(STATE["s4.q9"])
    r34 = np.array([[c9, 0, s9], [0, 1, 0], [-s9, 0, c9]])
    arm = tree.layout.bodies[4].centre
    for r, expected in enumerate([[0, 0, 1], [0, 1, 0], [c9, 0, 0]]):
        assert np.abs(r34 @ numbers(own[r].velocity(arm), STATE) - expected).max() < 1e-12


@pytest.mark.parametrize("name", ["newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell"])
def test_chosen_speeds_keep_the_motion(name):
    eq = derive(Layout.of(satellite()), name, speeds=KANE_SPEEDS)
    old = derive(Layout.of(satellite()), "kane")
    q = {ex.symbol(x): ex.symbol(x + "'") for x in ("s2.q7", "s3.q8", "s4.q9")}
    formulas = [ex.as_expr(f) for f in KANE_SPEEDS.values()]
    state = STATE | dict(zip(KANE_SPEEDS, numbers(formulas, STATE), strict=True))
    udot = dict(zip(old.speeds, numbers(old.accelerations, STATE), strict=True))
    moved = ex.tangent(formulas, q | {x: ex.symbol(x.name + "'") for x in q.values()})
    expected = numbers(moved, STATE | {x + "'": v for x, v in udot.items()})
    found = numbers(eq.accelerations, state)
    assert np.abs(found[:3] - expected).max() < 1e-10
    assert np.abs(found[3:] - list(udot.values())[:6]).max() < 1e-10


def monomials(e):
    """Additive terms after expansion, with sin^2 = 1 - cos^2."""
    import sympy

    whole = sympy.expand(ex.to_sympy(e))
    squares = {f**2: 1 - sympy.cos(f.args[0]) ** 2 for f in whole.atoms(sympy.sin)}
    return len(sympy.Add.make_args(sympy.expand(whole.subs(squares))))


def test_sizes_of_the_printed_equations():
    """N.8 has 28, 32 and 32 monomials; A.2 has 86 (as printed), 105 and 80."""
    from formalisms import printed

    assert [
        monomials(left + right) for left, right in zip(printed.N8, printed.add3(printed.F1, printed.F4), strict=True)
    ] == [28, 32, 32]
    assert [monomials(e) for e in printed.A2] == [86, 105, 80]
