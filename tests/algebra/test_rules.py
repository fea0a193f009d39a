"""User rules with typed variables, modulo associativity and commutativity; operators declared by their properties."""

import pytest

from dalembert import algebra as al

u, v, w = al.vectors("u v w")
A, B, C = al.matrices("A B C")
k, m = al.scalar("k"), al.scalar("m")
x, y, z = al.any_vector("x"), al.any_vector("y"), al.any_vector("z")
X = al.any_matrix("X")


def test_a_rule_matches_neighbouring_factors_anywhere_in_a_product():
    assert al.rewrite(C * A * B * C * A * B, [al.Rule(A * B, B)]) is C * B * C * B
    assert al.rewrite(C * A * B * u, [al.Rule(B * u, v)]) is C * A * v


def test_a_variable_matches_several_neighbouring_factors():
    conjugation = al.Rule(X * al.any_matrix("Y", properties="symmetric") * X.T, al.identity(3))
    S = al.matrix("S", symmetric=True)
    assert al.rewrite(A * B * S * B.T * A.T * C, [conjugation]) is C


def test_a_rule_matches_some_summands_up_to_a_common_factor():
    rule = al.Rule(A + B, al.identity(3))
    assert al.rewrite(3 * k * A + C + 3 * k * B, [rule]) is C + 3 * k * al.identity(3)
    assert al.rewrite(3 * k * A + C + 2 * k * B, [rule]) is 3 * k * A + C + 2 * k * B


def test_scalar_rules_work_inside_products():
    s, c = al.scalar("s"), al.scalar("c")
    assert al.expand(al.rewrite(k * s**3 * u, [al.Rule(s**2, 1 - c**2)])) is al.expand(k * s * (1 - c**2) * u)


def test_typed_variables_only_match_their_type():
    anti = al.any_matrix("W", properties="antisymmetric")
    rule = al.Rule(anti * anti, al.identity(3))
    W = al.matrix("W", antisymmetric=True)
    assert al.rewrite(W * W, [rule]) is al.identity(3)
    assert al.rewrite(A * A, [rule]) is A * A
    assert al.rewrite(~u * ~u, [rule]) is al.identity(3)  # tilde is antisymmetric by derivation


def test_conditions_see_the_values_by_name():
    rule = al.Rule(al.dot(x, y), 0, when=lambda x, y: {str(x), str(y)} == {"u", "v"})
    assert al.rewrite(al.dot(u, v) + al.dot(u, w), [rule]) is al.dot(u, w)


def test_declarations_of_quaterman_are_rules():
    """vprod(v1, v2) := 0 (collinear), vscal(v1, v2) := 0 (perpendicular)."""
    collinear, perpendicular = al.Rule(al.cross(u, v), 0), al.Rule(al.dot(u, w), 0)
    assert al.simplify(al.cross(u + w, v) - al.cross(w, v), [collinear]) == 0
    assert al.simplify(al.dot(u, v + w), [perpendicular]) is al.dot(u, v)


def test_rules_that_do_not_stop_are_named():
    with pytest.raises(al.AlgebraError, match=r"does not stop.*A -> A B"):
        al.rewrite(A, [al.Rule(A, A * B)])


def test_senseless_rules_are_refused():
    with pytest.raises(al.AlgebraError, match="turns a matrix 3x3 into a vector of 3"):
        al.Rule(A, u)
    with pytest.raises(al.AlgebraError, match="unknown on the left"):
        al.Rule(al.cross(x, y), z)
    with pytest.raises(al.AlgebraError, match="more than a variable"):
        al.Rule(x, u)


def test_every_elementary_property_gives_its_simplification():
    projector = al.operator("Pr", 1, projector=True, homogeneous={0: 1}, morphism=(0,))
    flip = al.operator("flip", 1, involution=True)
    nil = al.operator("D", 1, nilpotent=3)
    meet = al.operator("meet", associative=True, symmetry=1, idempotent=True)
    wedge = al.operator("wedge", 2, symmetry=-1, homogeneous={0: 1, 1: 1}, morphism=(0, 1))
    opposite = al.operator("opp", 1, involution=True)
    e, o = al.vector("e"), al.vector("o")
    star = al.operator("star", associative=True, neutral=e, absorbing=o, symmetric=opposite)
    power_of = al.operator("act", 2, external=True, sort=al.VECTOR)
    assert projector(2 * projector(u)) is 2 * projector(u)
    assert al.expand(projector(u + v)) is projector(u) + projector(v)
    assert projector(u + v) is not projector(u) + projector(v)
    assert flip(flip(u)) is u
    assert nil(nil(u)) != 0
    assert nil(nil(nil(u))) == 0
    assert meet(v, meet(u, v)) is meet(u, v)
    assert wedge(v, 2 * u) is -2 * wedge(u, v)
    assert wedge(u, u) == 0
    assert star(u, star(e, v)) is star(u, v)
    assert star(u, v, opposite(v), opposite(u)) is e
    assert star(u, o, v) is o
    assert power_of(k, power_of(m, u)) is power_of(k * m, u)
    assert star(u, v) is not star(v, u)


def test_one_sided_elements_stay_on_their_side():
    e = al.vector("e")
    left = al.operator("lef", 2, neutral=e, side="left")
    assert left(e, u) is u
    assert left(u, e) is not u


def test_contradictory_properties_are_refused():
    with pytest.raises(al.AlgebraError, match="two of projector, involution"):
        al.operator("bad", 1, projector=True, involution=True)
    with pytest.raises(al.AlgebraError, match="needs a neutral element"):
        al.operator("bad", 2, symmetric=lambda t: -t)
