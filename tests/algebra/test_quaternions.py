"""QUATERMAN: every rule Q, V, D, the three levels, conversions with their branches, interpolation."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import quaterman as qm
from dalembert.algebra import rotations as ro

a, b, k = al.scalar("a"), al.scalar("b"), al.scalar("k")
p, q, r = al.quaternion("p"), al.quaternion("q"), al.quaternion("r")
u, v, w = al.vectors("u v w")
one, zero_q, zero_v = al.quaternion_one(), al.zero(al.QUATERNION), al.zero(al.VECTOR)

Q_RULES = {
    "Q.i": [(q + zero_q, q), (zero_q + q, q)],
    "Q.ii": [((p + q) + r, p + (q + r))],
    "Q.iii": [(q + p, p + q)],
    "Q.iv": [(a * q + b * q, (a + b) * q), (a * q + q, (a + 1) * q), (q + a * q, (1 + a) * q), (q + q, 2 * q)],
    "Q.v": [(0 * q, zero_q)],
    "Q.vi": [(1 * q, q)],
    "Q.vii": [(k * zero_q, zero_q)],
    "Q.viii": [(a * (b * q), (a * b) * q)],
    "Q.ix": [(one * q, q), (q * one, q)],
    "Q.x": [(zero_q * q, zero_q), (q * zero_q, zero_q)],
    "Q.xi": [((p * q) * r, p * (q * r))],
    "Q.xii": [((a * p) * (b * q), (a * b) * (p * q)), (p * (b * q), b * (p * q))],
    "Q.xiii": [((q**-1) ** -1, q)],
    "Q.xiv": [(q**-1 * q, one), (q * q**-1, one)],
    "Q.xv": [((a * q) ** -1, a**-1 * q**-1)],
    "Q.xvi": [(al.conjugate(al.conjugate(q)), q)],
    "Q.xvii": [(al.conjugate(a * q), a * al.conjugate(q))],
    "Q.xviii corrected": [
        (al.squared_norm(al.conjugate(q)), al.squared_norm(q)),
        (al.squared_norm(q**-1), 1 / al.squared_norm(q)),
    ],
    "Q.xix": [(al.squared_norm(a * q), a**2 * al.squared_norm(q))],
    "extra": [
        (al.conjugate(p * q), al.conjugate(q) * al.conjugate(p)),
        (al.conjugate(p + q), al.conjugate(p) + al.conjugate(q)),
        (al.squared_norm(p * q), al.squared_norm(p) * al.squared_norm(q)),
        (q * al.conjugate(q), al.squared_norm(q) * one),
    ],
}
V_RULES = {
    "V.i": [(v + zero_v, v)],
    "V.ii": [((u + v) + w, u + (v + w))],
    "V.iii": [(v + u, u + v)],
    "V.iv": [(a * v + b * v, (a + b) * v), (v + a * v, (1 + a) * v)],
    "V.v": [(0 * v, zero_v)],
    "V.vi": [(1 * v, v)],
    "V.vii": [(k * zero_v, zero_v)],
    "V.viii": [(a * (b * v), (a * b) * v)],
    "V.ix": [(al.cross(v, zero_v), zero_v), (al.cross(zero_v, v), zero_v)],
    "V.x": [(al.cross(v, v), zero_v)],
    "V.xi": [(al.cross(v, u), -1 * al.cross(u, v))],
    "V.xii": [(al.cross(a * u, v), a * al.cross(u, v)), (al.cross(u, a * v), a * al.cross(u, v))],
    "V.xiii": [(al.dot(v, zero_v), al.number(0)), (al.dot(zero_v, v), al.number(0))],
    "V.xiv": [(al.dot(v, u), al.dot(u, v))],
    "V.xv": [(al.dot(a * u, v), a * al.dot(u, v)), (al.dot(u, a * v), a * al.dot(u, v))],
    "V.xvi": [(al.dot(al.cross(u, v), u), al.number(0)), (al.dot(v, al.cross(u, v)), al.number(0))],
}
D_RULES = {
    "D.i": [(a * (p + q), a * p + a * q)],
    "D.ii": [((p + q) * r, p * r + q * r), (r * (p + q), r * p + r * q)],
    "D.iii": [((p * q) ** -1, q**-1 * p**-1)],
    "D.iv": [(a * (u + v), a * u + a * v)],
    "D.v": [
        (al.cross(u + v, w), al.cross(u, w) + al.cross(v, w)),
        (al.cross(w, u + v), al.cross(w, u) + al.cross(w, v)),
    ],
    "D.vi": [(al.dot(u + v, w), al.dot(u, w) + al.dot(v, w)), (al.dot(w, u + v), al.dot(w, u) + al.dot(w, v))],
}


@pytest.mark.parametrize("rule", [*Q_RULES, *V_RULES])
def test_automatic_rule(rule):
    for left, right in (Q_RULES | V_RULES)[rule]:
        assert left is right


@pytest.mark.parametrize("rule", D_RULES)
def test_rule_on_request(rule):
    for left, right in D_RULES[rule]:
        assert al.expand(left) is right


def test_printed_rule_on_the_norm_of_an_inverse_is_false():
    """Line 5079 prints N(q^-1) -> N(q): refuted by q = 2."""
    two = qm.qmake(2, 0, 0, 0)
    assert qm.qnorm(qm.qinv(two)) == Fraction(1, 4)
    assert qm.qnorm(two) == 4
    assert not al.is_zero(al.squared_norm(q**-1) - al.squared_norm(q))


def test_printed_last_component_of_the_product_is_false():
    """Line 4955 prints x2 z1 for x2 y1: with i j = k the printed formula still holds, with j i = -k it does not."""
    i, j = (0, 1, 0, 0), (0, 0, 1, 0)

    def printed(first, second):
        s1, x1, _, z1 = first
        s2, x2, y2, z2 = second
        return s1 * z2 + s2 * z1 + x1 * y2 - x2 * z1

    assert printed(j, i) == 0
    assert qm.qmult(qm.qmake(*j), qm.qmake(*i)) is -qm.qmake(0, 0, 0, 1)


def test_printed_matrix_is_not_the_rotation_of_its_quaternion():
    """Line 5213 prints the transpose, with entry (3, 2) wrong; 846 agrees with r(v) = q v q^-1."""
    s, x, y, z = (al.scalar(n) for n in "sxyz")
    quaternion = qm.qmake(s, x, y, z)
    column = al.column(*(al.scalar(n) for n in "abc"))
    turned = al.vector_part(quaternion * al.pair(0, column) * quaternion**-1)
    assert al.is_zero(turned - al.matrix_of(quaternion) * column)
    printed_32 = 2 * (y * z + x * z)
    assert not al.is_zero(printed_32 - 2 * (y * z + s * x))
    assert not al.is_zero(printed_32 - 2 * (y * z - s * x))


def test_three_levels():
    pair = qm.qmake(a, u) * qm.qmake(b, v)
    assert qm.level(p * q) == 1
    assert qm.level(qm.qmake(a, u)) == 2
    assert qm.level(qm.qmake(1, 2, 3, 4)) == 3
    assert qm.level(pair) == 1  # a product waits until it is asked for
    assert qm.qeval(pair) is qm.qmake(a * b - al.dot(u, v), a * v + b * u + al.cross(u, v))
    assert qm.qeval(qm.qmake(a, u) + qm.qmake(b, v)) is qm.qmake(a + b, u + v)
    components = {u: al.column(1, 2, 3), v: al.column(4, 5, 6)}
    assert qm.level(al.substitute(qm.qeval(pair), components)) == 3
    assert qm.qmake(1, 2, 3, 4) + qm.qmake(5, 6, 7, 8) is qm.qmake(6, 8, 10, 12)
    assert qm.qmake(0, 2, 0, 0) ** -1 is qm.qmake(0, Fraction(-1, 2), 0, 0)


def test_quadratic_equation_of_a_quaternion():
    assert al.is_zero(q * q - 2 * al.scalar_part(q) * q + al.squared_norm(q) * one)
    assert al.is_zero(q + al.conjugate(q) - 2 * al.scalar_part(q) * one)


def test_both_quaternions_of_a_rotation():
    unit = al.quaternion("l", unit=True)
    assert al.matrix_of(unit) is al.matrix_of(-unit)
    assert al.matrix_of(unit * unit**-1) is al.identity(3)
    assert al.is_zero(al.matrix_of(unit) * al.cross(u, v) - al.cross(al.matrix_of(unit) * u, al.matrix_of(unit) * v))


def test_axis_and_angle_give_the_rotation_of_rodrigues():
    e = al.vector("e", unit=True)
    th = ex.symbol("th")
    assert al.is_zero(al.matrix_of(ro.quaternion_of_axis_angle(th, e)) - al.rotation(e, th))


ROTATIONS = [
    [[row[i] * s for i, s in zip(order, signs)] for row in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1, -1), repeat=3)
]


def determinant(m):
    (a1, a2, a3), (b1, b2, b3), (c1, c2, c3) = m
    return a1 * (b2 * c3 - b3 * c2) - a2 * (b1 * c3 - b3 * c1) + a3 * (b1 * c2 - b2 * c1)


@pytest.mark.parametrize("matrix", [m for m in ROTATIONS if determinant(m) == 1])
def test_matrix_to_quaternion_and_back_for_the_24_rotations_of_the_cube(matrix):
    """Half-turns included, where the usual formula divides by 0; everything stays exact."""
    found = qm.mat2quat(matrix)
    assert qm.qnorm(found) == 1
    assert al.is_zero(qm.quat2mat(found) - al.array(matrix))


def test_every_branch_is_right_where_its_pivot_is_positive():
    rng = random.Random(4)
    for _ in range(5):
        s, x, y, z = (Fraction(rng.randrange(-9, 10)) for _ in range(4))
        if s == x == y == z == 0:
            continue
        matrix = al.components(al.matrix_of(qm.qmake(s, x, y, z)))
        for branch in ro.quaternion_branches(matrix):
            if branch.pivot.value > 0:
                assert al.is_zero(qm.quat2mat(branch.quaternion) - al.array(matrix.rows()))
    th = ex.symbol("th")
    symbolic = [[ex.cos(th), -ex.sin(th), 0], [ex.sin(th), ex.cos(th), 0], [0, 0, 1]]
    with pytest.raises(al.AlgebraError, match="quaternion_branches"):
        qm.mat2quat(symbolic)


def test_quaternion_to_axis_and_angle():
    found = qm.quat2rot(qm.rot2quat(Fraction(5, 2), [0, 3, 4]))
    assert math.isclose(ex.evaluate([found.angle], {})[0], 2.5)
    axis = [ex.evaluate([al.to_expr(x)], {})[0] for x in found.axis.args]
    assert axis == pytest.approx([0, 0.6, 0.8])
    still = qm.quat2rot(qm.qmake(1, 0, 0, 0))
    assert ex.evaluate([still.angle, still.sine], {}) == [0, 0]


def test_interpolation_has_constant_angular_velocity():
    """From 1 to a turn of 2 W about z, at time t the turn is 2 t W."""
    W, t = ex.symbol("W"), ex.symbol("t")
    end = qm.qmake(al.scalar(ex.cos(W)), 0, 0, al.scalar(ex.sin(W)))
    path = al.interpolate(qm.qmake(1, 0, 0, 0) * one, end, t, angle=W)
    expected = qm.qmake(al.scalar(ex.cos(t * W)), 0, 0, al.scalar(ex.sin(t * W)))
    found = ex.evaluate(list(al.components(path)), {W: 0.7, t: 0.3})
    assert found == pytest.approx(ex.evaluate(list(al.components(expected)), {W: 0.7, t: 0.3}))
    assert ex.evaluate(list(al.components(path)), {W: 0.7, t: 1.0}) == pytest.approx(
        ex.evaluate(list(al.components(end)), {W: 0.7})
    )


def test_angular_velocity_at_every_level():
    """w = 2 q' q^-1 from components, from a pair and from a symbol agrees with R' = ~w R."""
    th, ph = ex.symbol("th"), ex.symbol("ph")
    about_z = qm.rot2quat(th, [0, 0, 1])
    assert al.is_zero(al.angular_velocity(about_z) - al.column(0, 0, al.scalar("th'")))
    both = qm.rot2quat(ph, [1, 0, 0]) * about_z
    matrix = qm.quat2mat(both)
    assert al.is_zero(al.dt(matrix) * matrix.T - ~al.angular_velocity(both))
    axis = al.vector("e", unit=True)
    spin = al.angular_velocity(qm.rot2quat(th, axis))
    assert al.is_zero(spin - al.angular_velocity(al.rotation(axis, th)))


def test_derivative_commutes_with_expansion_on_random_terms():
    from algebra import random_terms as rt

    for seed in range(40):
        term = rt.term(random.Random(seed), 2)
        assert al.is_zero(al.dt(term) - al.dt(al.expand(term))), term


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (4, 3), (3, 4)])
def test_a_rotation_matrix_has_three_rows_of_three(shape):
    with pytest.raises(al.AlgebraError, match="3 rows of 3"):
        ro.quaternion_branches([[0] * shape[1] for _ in range(shape[0])])
