"""The cases of the thesis: MAPLE operators (A), ULYSSE (U), QUATERMAN (Q). Papegay 1992, 3.4-3.5 and annex B."""

from fractions import Fraction

import pytest

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import quaterman as qm

A, B, C = al.matrices("A B C")
a, c, v = al.vectors("a c v")
x = al.scalar("x")
Id = al.identity(3)


# -- A: operators -----------------------------------------------------------------------------------------------------


def test_a1_multiples_of_a_matrix():
    assert 0 * A == 0
    assert 1 * A is A
    assert 2 * (3 * A) is 6 * A


def test_a2_tilde_takes_scalars_out():
    assert ~(0 * a) == 0
    assert ~(x * a) is x * ~a


def test_a3_products_are_flat_and_drop_the_identity():
    assert A * (B * C) is (A * B) * C
    assert Id * A is A
    assert A * Id is A


def test_a4_zero_absorbs_and_repeated_factors_are_powers():
    assert A * (0 * B) == 0
    assert (0 * B) * A == 0
    assert A * A * A is A**3


def test_a5_scalars_go_in_front_and_a_vector_is_in_the_kernel_of_its_tilde():
    assert A * (x * B) is x * (A * B)
    assert ~a * a == 0


def test_a6_involutions_and_alternation():
    assert al.inverse(al.inverse(A)) is A
    assert al.transpose(~a) is -1 * ~a
    assert al.cross(a, a) == 0


def test_a7_transpose_and_inverse_reverse_products():
    assert al.expand(al.transpose(A * B)) is al.transpose(B) * al.transpose(A)
    assert al.expand(al.inverse(A * B)) is al.inverse(B) * al.inverse(A)


def test_a8_power_of_a_product():
    assert al.expand((A * B) ** 3) is A * B * A * B * A * B
    assert (A * B) ** 3 is not A * B * A * B * A * B


def test_a9_tilde_of_a_cross_product():
    assert al.expand(~(~a * c)) is ~a * ~c + -1 * (~c * ~a)


def test_a10_the_example_where_evalm_fails():
    assert A * B * (2 * B) + -1 * (B * A**0) is 2 * (A * B**2) - B


def test_a11_inverses_cancel_one_after_the_other():
    assert al.product(A, B, al.inverse(B), al.inverse(A)) is Id


def test_a12_power_of_a_multiple():
    assert (2 * A) ** 3 is 8 * A**3


def test_a13_tilde_by_components():
    v1, v2, v3 = ex.symbols("v_1 v_2 v_3")
    assert al.components(~v).entries == ex.Matrix([[0, -v3, v2], [v3, 0, -v1], [-v2, v1, 0]]).entries


def test_defects_of_the_printed_code_are_avoided():
    assert (2 * A) * (2 * A) is 4 * A**2  # printed: (2 &s A) &^ 2
    assert a.T * ~a == 0  # the useful rule; v &* &~v has no meaning
    with pytest.raises(al.AlgebraError, match="cannot multiply"):
        _ = a * ~a
    assert Id**5 is Id  # printed: 1 &^ n gives n
    assert al.expand((A * B) ** -2) is B**-1 * A**-1 * B**-1 * A**-1
    assert al.matrix("M", 2, 5).T.shape == (5, 2)
    with pytest.raises(Exception, match="no inverse"):
        _ = al.zero(al.Sort(3, 3)) ** -1
    n = al.scalar("n")
    assert A**n * A**-n is Id
    assert A**n * A is A ** (n + 1)


def test_a_scalar_multiple_of_a_sum_is_distributed_on_request():
    assert al.expand(x * (A + B)) is x * A + x * B
    assert x * (A + B) is not x * A + x * B


# -- U: simplification modulo properties ------------------------------------------------------------------------------

R1, r10, y10 = al.vectors("R1 r10 y10")
In10 = al.matrix("In10")
THp1, Thp1, m10 = al.scalar("THp1"), al.scalar("Thp1"), al.scalar("m10")


def gemmes(other):
    """The expression of GEMMES (5454); `other` is THp1, or the misprinted Thp1 of the listing."""
    return -(
        THp1**2 * (R1.T * ~R1 * In10 * R1)
        - m10 * THp1 * other * (R1.T * ~r10 * ~R1 * ~R1 * y10)
        - THp1 * ((m10 * (R1.T * ~r10) - m10 * (R1.T * ~y10)) * (THp1 * (~R1 * ~r10) - THp1 * (~r10 * ~R1)) * R1)
    )


def test_u1_the_expression_of_gemmes_is_zero():
    assert al.simplify(gemmes(THp1)) == 0
    verdict = al.is_zero(gemmes(THp1))
    assert verdict
    assert verdict.method == "canonical form"
    assert verdict.error_probability == 0


def test_u2_the_misprinted_expression_is_not_zero_and_leaves_the_residue():
    residue = m10 * THp1 * (THp1 - Thp1) * (R1.T * R1) * (R1.T * ~r10 * y10)
    verdict = al.is_zero(gemmes(Thp1))
    assert not verdict
    assert verdict.error_probability == 0
    assert al.canonical(gemmes(Thp1)) is al.canonical(residue)
    assert al.simplify(gemmes(Thp1) - residue) == 0
    assert al.factor(gemmes(Thp1)) in (residue, al.factor(residue))


def test_u3_a_vector_around_a_tilde():
    assert R1.T * ~r10 * R1 == 0


def test_u4_the_double_cross_products():
    assert al.simplify(~a * ~c * ~c * a + ~c * ~a * ~a * c) == 0


def test_u5_the_dot_product_commutes():
    assert a.T * c - c.T * a == 0


def test_u6_typed_matrices():
    O, S, W = al.matrix("O", orthogonal=True), al.matrix("S", symmetric=True), al.matrix("W", antisymmetric=True)
    assert al.inverse(O) is al.transpose(O)
    assert al.transpose(S) is S
    assert al.transpose(W) is -W
    assert a.T * W * a == 0
    assert al.transpose(~a * W * ~a) is -(~a * W * ~a)  # the inference rule of rs3


def test_u7_expansion_only_where_it_pays():
    assert al.simplify((A + B) * (A + B) - A * B - A * A) is B * A + B * B
    assert al.simplify((A + B) * (A + B)) is (A + B) * (A + B)
    mixed = (A + B) * (A + B) - A * B - A * A + C * (A + C) * (B + C)
    assert al.simplify(mixed) is B * A + B * B + C * (A + C) * (B + C)


def test_rotations_of_the_annex():
    X0, Y0, Z0 = al.orthonormal_basis("X0 Y0 Z0")
    th = ex.symbol("th")
    turn = al.rotation(Z0, th)
    assert al.cross(X0, Z0) is -Y0
    assert al.cross(Z0, Y0) is -X0
    assert turn * Z0 is Z0
    assert turn.T * turn is Id
    assert al.canonical(turn * X0) is al.scalar(ex.sin(th)) * Y0 + al.scalar(ex.cos(th)) * X0
    assert al.canonical(turn * Y0) is al.scalar(ex.cos(th)) * Y0 - al.scalar(ex.sin(th)) * X0
    assert al.is_zero(~(turn * a) - turn * ~a * turn.T)


# -- Q: quaternions ---------------------------------------------------------------------------------------------------

p, q, r = al.quaternion("p"), al.quaternion("q"), al.quaternion("r")
one_q = al.quaternion_one()


def test_q1_basis():
    i, j, k = qm.qmake(0, 1, 0, 0), qm.qmake(0, 0, 1, 0), qm.qmake(0, 0, 0, 1)
    assert qm.qmult(i, j) is k
    assert qm.qmult(j, i) is -k
    assert qm.qmult(i, i) is qm.qmult(j, j) is qm.qmult(k, k) is -one_q


def test_q2_product_by_components():
    assert qm.qmult(qm.qmake(1, 2, 3, 4), qm.qmake(5, 6, 7, 8)) is qm.qmake(-60, 12, 30, 24)


def test_q3_opposites_and_inverses():
    assert qm.qadd(q, qm.qsmult(-1, q)) == 0
    assert qm.qmult(qm.qinv(q), q) is one_q
    assert qm.qmult(q, qm.qinv(q)) is one_q


def test_q4_homogeneity():
    assert qm.qnorm(qm.qsmult(x, q)) is x**2 * qm.qnorm(q)
    assert qm.qinv(qm.qsmult(x, q)) is x**-1 * qm.qinv(q)


def test_q5_vectors():
    u, w = al.vectors("u w")
    assert qm.vscal(qm.vprod(u, w), u) == 0
    assert qm.vprod(w, w) == 0


def test_q6_axis_and_angle():
    th = ex.symbol("th")
    made = qm.rot2quat(th, [0, 0, 1])
    half = th * Fraction(1, 2)
    assert made is qm.qmake(al.scalar(ex.cos(half)), 0, 0, al.scalar(ex.sin(half)))
    turn = al.array([[ex.cos(th), -ex.sin(th), 0], [ex.sin(th), ex.cos(th), 0], [0, 0, 1]])
    assert al.is_zero(qm.quat2mat(made) - turn)


def test_q7_quaternion_of_a_quarter_turn():
    root = al.scalar(ex.sqrt(2) / 2)
    assert qm.mat2quat([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) is qm.qmake(root, 0, 0, root)


def test_q8_expansion():
    assert al.expand(qm.qmult(qm.qadd(p, q), r)) is qm.qadd(qm.qmult(p, r), qm.qmult(q, r))
    assert al.expand(qm.qmult(r, qm.qadd(p, q))) is qm.qadd(qm.qmult(r, p), qm.qmult(r, q))
    assert al.expand(qm.qinv(qm.qmult(p, q))) is qm.qmult(qm.qinv(q), qm.qinv(p))
