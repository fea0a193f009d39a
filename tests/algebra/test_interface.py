"""What the formalisms rely on: definitions opened by levels, printing, components, clear errors."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.errors import ExpressionError

u, v, w = al.vectors("u v w")
A, B = al.matrices("A B")
R = al.matrix("R", rotation=True)
m = ex.symbol("m")


def satellite_table():
    """A chain of frames as the compiler names them: M0R_0_2 := M0R_0_1 M1R_1_2 and so on."""
    table = al.Definitions()
    first, second = al.matrix("M0R_0_1", rotation=True), al.matrix("M1R_1_2", rotation=True)
    tip = al.vector("V2T_2_23", constant=True)
    turn = table.define("M0R_0_2", first * second)
    arm = table.define("V0T_2_23", turn * tip)
    table.define("M0Io_2", al.matrix("M0Ig_2", symmetric=True) - al.scalar("mu_2") * ~arm * ~arm)
    return table


def test_definitions_open_one_level_at_a_time():
    table = satellite_table()
    levels = table.levels(table["M0Io_2"])
    texts = [al.text(t) for t in levels]
    assert texts[0] == "M0Ig_2 - mu_2 ~V0T_2_23^2"
    assert texts[1] == "M0Ig_2 - mu_2 (~(M0R_0_2 V2T_2_23))^2"
    assert texts[2] == "M0Ig_2 - mu_2 (~(M0R_0_1 M1R_1_2 V2T_2_23))^2"
    assert levels[-1] is table.expand_all(table["M0Io_2"])
    assert [str(s) for s in table.used_by(table["M0Io_2"])] == ["M0R_0_2", "V0T_2_23"]
    assert al.expand_once(levels[0], table) is levels[1]


def test_a_defined_symbol_inherits_what_is_known_of_its_value():
    table = satellite_table()
    turn = table.symbol("M0R_0_2")
    assert turn.T * turn is al.identity(3)
    inertia = table.symbol("M0Io_2")
    assert inertia.T is inertia


def test_definitions_refuse_circles_and_double_names():
    table = al.Definitions()
    x = table.define("x", u + v)
    with pytest.raises(al.AlgebraError, match="already defined"):
        table.define("x", w)
    with pytest.raises(al.AlgebraError, match="circle"):
        table.define(u, 2 * x)
    with pytest.raises(al.AlgebraError, match="cannot stand for"):
        table.define(A, u)
    with pytest.raises(al.AlgebraError, match="no definition for 'y'"):
        table["y"]


def test_vector_and_matrix_styles():
    term = al.cross(u, A * v)
    assert al.text(term) == "u x (A v)"
    assert al.text(term, style="matrix") == "~u A v"
    assert al.text(al.dot(u, v), style="matrix") == "u^T v"
    assert al.text((A * u).T * B) == "u^T A^T B"
    assert al.text(m * u - v / 2) == "m u - 1/2 v"
    assert al.text(R**-1 * A**-1) == "R^T A^-1"
    assert al.text(al.norm(u) ** -1 * u) == "1/|u| u"
    assert al.text(al.matrix("J", 1, 6)) == "J"
    assert al.text(-(u + v)) == "-u - v"
    assert al.text(al.scalar("a") * (u + v)) == "a (u + v)"


def test_latex_as_in_a_paper():
    assert al.latex(~al.vector("omega_1") * A.T) == r"\tilde{\boldsymbol{\omega}_{1}} \, {\boldsymbol{A}}^{T}"
    assert al.latex(al.vector("gamma(G1)")).startswith(r"\boldsymbol{\gamma}(")
    assert r"\ddot{\boldsymbol{u}}" in al.latex(al.dt(al.dt(u)))
    assert al.latex(al.cross(u, v)) == r"\boldsymbol{u} \times \boldsymbol{v}"
    assert al.latex(al.norm(u)) == r"\left\|\boldsymbol{u}\right\|"
    assert r"\begin{aligned}" in satellite_table().latex()
    assert A._repr_latex_().startswith("$")


def test_mathml_is_well_formed():
    terms = [
        al.cross(u, A * v),
        al.dot(u, v) * ~w * A.T,
        al.array([[A, 0], [0, B]]),
        al.norm(u) ** -2 * u,
        -R.T,
        al.quaternion("q") * al.conjugate(al.quaternion("p")),
        al.dyad(u, v),
        al.triple(u, v, w) * A**2,
    ]
    for term in terms:
        for style in ("vector", "matrix"):
            root = ET.fromstring(al.mathml(term, style=style))
            assert root.tag.endswith("math")


def test_scalar_expressions_mix_on_both_sides():
    assert m * u is u * m
    assert m + al.dot(u, v) is al.dot(u, v) + m
    assert (m * u) / m is u
    assert ex.sin(m) * A is A * ex.sin(m)


def test_components_agree_with_numpy():
    rng = np.random.default_rng(0)
    x, y, a = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))
    given = {u: x, v: y, A: a}

    def value(term):
        found = al.components(term, given)
        entries = found.entries if isinstance(found, ex.Matrix) else [found]
        return np.array(ex.evaluate(list(entries), {})).reshape(found.shape if isinstance(found, ex.Matrix) else ())

    assert np.allclose(value(al.cross(u, v)).ravel(), np.cross(x, y))
    assert np.allclose(value(A**-1 * A.T), np.linalg.inv(a) @ a.T)
    assert np.isclose(value(al.det(A)), np.linalg.det(a))
    assert np.allclose(value(al.dyad(u, A * v)), np.outer(x, a @ y))
    assert np.isclose(value(al.norm(u)), np.linalg.norm(x))
    assert np.allclose(value(al.array([[A, ~u], [0, A.T]])), np.block([[a, value(~u)], [np.zeros((3, 3)), a.T]]))


def test_components_in_sympy():
    sympy = pytest.importorskip("sympy")
    square = al.to_sympy(~u * ~u)
    column = al.to_sympy(u)
    reference = column * column.T - (column.T * column)[0] * sympy.eye(3)
    assert sympy.expand(square - reference) == sympy.zeros(3)
    assert al.to_sympy(al.matrix("S", symmetric=True)).is_symmetric()


def test_block_matrices():
    block = al.array([[A, 0], [~u, B]])
    assert block.shape == (6, 6)
    assert block * al.array([[v], [w]]) is al.array([[A * v], [al.cross(u, v) + B * w]])
    assert block.T is al.array([[A.T, -~u], [0, B.T]])
    assert block - block == 0
    assert 2 * block is block + block


def test_rectangular_matrices():
    J = al.matrix("J", 3, 7)
    q = al.vector("qd", 7)
    assert (J * q).shape == (3, 1)
    assert (J.T * A * J).shape == (7, 7)
    assert (J.T * al.matrix("S", symmetric=True) * J).T is J.T * al.matrix("S", symmetric=True) * J
    assert al.trace(J * J.T) is al.trace(J.T * J)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: u * v, "dot\\(u, v\\), cross"),
        (lambda: u + A, "cannot add 'u', a vector of 3, and 'A', a matrix 3x3"),
        (lambda: A * al.vector("q", 6), "columns of the left factor"),
        (lambda: al.matrix("J", 3, 6) * u, "Did you mean the transpose"),
        (lambda: al.cross(al.vector("a", 2), al.vector("b", 2)), "dimension 3 only"),
        (lambda: al.dot(u, al.vector("q", 6)), "sizes differ"),
        (lambda: al.matrix("J", 3, 6) ** -1, "only square matrices"),
        (lambda: (~u) ** -1, "no inverse"),
        (lambda: A / B, "on which side"),
        (lambda: al.trace(al.matrix("J", 3, 6)), "needs a square matrix"),
        (lambda: al.tilde(A), "needs vectors"),
        (lambda: al.quaternion("q") * u, "pair\\(0, v\\)"),
        (lambda: al.matrix("M", symmetric=True, antisymmetric=True), "both symmetric and antisymmetric"),
        (lambda: al.matrix("M", 2, 3, symmetric=True), "needs a square matrix"),
        (lambda: al.rotation(u, m), "must be a unit vector"),
        (lambda: al.components(u, {u: [1, 2]}), "given components are 2x1"),
        (lambda: list(u), "has no components"),
        (lambda: al.transpose(al.quaternion("q")), "conjugate"),
        (lambda: al.as_term("u"), "is not a term"),
        (lambda: al.array([[A, u], [1]]), "one length"),
    ],
)
def test_errors_say_what_and_what_to_do(build, message):
    from dalembert.errors import DalembertError

    with pytest.raises(DalembertError, match=message):
        build()


def test_algebra_errors_are_expression_errors():
    assert issubclass(al.AlgebraError, ExpressionError)


def test_collect_and_linear_part():
    I = al.matrix("I", symmetric=True)
    omega = al.vector("omega")
    momentum = I * omega + al.scalar("m") * al.cross(u, al.cross(omega, u))
    matrix, rest = al.linear_part(momentum, omega)
    assert rest == 0
    assert al.is_zero(matrix - (I - al.scalar("m") * ~u * ~u))
    collected = al.collect(A * u + al.cross(v, u) + w, u)
    assert collected is (A + ~v) * u + w
    k = al.scalar("k")
    assert al.collect(k * u + k * v + w, k) is k * (u + v) + w
    row, rest = al.linear_part(al.dot(v, A * u) + k, u)
    assert row is v.T * A
    assert rest is k


def test_factor_is_the_way_back():
    a, b = al.scalar("a"), al.scalar("b")
    assert al.factor(B * A + B * B) is B * (A + B)
    assert al.factor(al.expand((A + B) ** 2)) is (A + B) ** 2
    assert al.factor(a**2 - b**2) is (a + b) * (a - b)
    assert al.factor(a * al.cross(u, v) + a * al.cross(u, w)) is a * al.cross(u, v + w)
    assert al.factor(al.expand((a + b) ** 3)) is (a + b) ** 3
    for term in (A * B * u + A * v, ~u + ~v, al.dyad(u, v) + al.dyad(u, w)):
        assert al.is_zero(al.factor(term) - term)
        assert al.cost(al.factor(term)) <= al.cost(term)


def test_terms_survive_pickling():
    import pickle

    term = al.cross(u, R * v) * m + w
    assert pickle.loads(pickle.dumps(term)) is term


def test_a_symbol_replaced_by_zero_leaves_the_sum():
    k = al.scalar("k")
    assert al.substitute(k * A + B, {A: 0}) is B
    assert al.substitute(k * (u + v), {u: -v}) == 0


def test_explicit_matrices_are_computed_at_once():
    k = al.scalar("k")
    M = al.array([[1, 2, 0], [0, k, 1], [1, 0, 1]])
    assert al.det(M) is k + 2
    assert al.is_zero(M**-1 * M - al.identity(3))
    assert M**2 is M * M
    with pytest.raises(Exception, match="determinant is 0"):
        _ = al.array([[1, 2], [2, 4]]) ** -1
    assert al.components(M**-1 * u, {u: [1, 0, 0]}).shape == (3, 1)
    assert al.text(2 / k * u) == "2/k u"
    assert al.text(al.matrix("J", 1, 6) * al.vector("p", 6)) == "J p"
    assert u * np.int64(3) is 3 * u
