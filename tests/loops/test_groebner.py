"""Groebner route: dimensions with and without saturation (thesis, section 4.3), components, exact square roots."""

import pytest
from flint import fmpz_mpoly_ctx

from dalembert import loops
from dalembert.loops.groebner import homogenised, monomial_dimension, program
from dalembert.mechanism import Layout


def ideal(names, *formulas):
    ctx = fmpz_mpoly_ctx.get(tuple(names.split()), "degrevlex")
    gens = dict(zip(names.split(), ctx.gens(), strict=True))
    return [f(**gens) for f in formulas]


def circle(i):
    return lambda i=i, **v: v[f"s{i}"] ** 2 + v[f"c{i}"] ** 2 - 1


def codimension(generators):
    return len(generators[0].context().names()) - loops.ideal_dimension(generators)


SLIDER = ideal(
    "x s1 c1 l1 s2 c2 l2",
    lambda x, s1, c1, l1, s2, c2, l2: l1 * c1 + l2 * (c1 * c2 - s1 * s2) - x,
    lambda x, s1, c1, l1, s2, c2, l2: l1 * s1 + l2 * (s1 * c2 + c1 * s2),
    circle(1),
    circle(2),
)
HOMOKINETIC = ideal(  # x = 1/2, y = 1/3, l = 1
    "s1 c1 s2 c2 s3 c3 s4 c4 z",
    lambda s1, c1, s2, s3, c3, **_: 2 * (c1 * s2 * c3 - s1 * s3) - 1,
    lambda s1, c1, s2, s3, c3, **_: 3 * (s1 * s2 * c3 + c1 * s3) - 1,
    lambda c2, c3, z, **_: c2 * c3 - z,
    lambda s1, c1, s4, c4, c2, **_: (s1 * c4 - c1 * s4) * c2,
    circle(1), circle(2), circle(3), circle(4),
)  # fmt: skip


def test_triangle_has_codimension_two():
    two = ideal(
        "l1 s1 c1 l2 s2 c2 l3 s3 c3",
        lambda l1, c1, l2, c2, l3, c3, **_: l1 * c1 + l2 * c2 + l3 * c3,
        lambda l1, s1, l2, s2, l3, s3, **_: l1 * s1 + l2 * s2 + l3 * s3,
    )
    assert codimension(two) == 2
    circles = ideal("l1 s1 c1 l2 s2 c2 l3 s3 c3", circle(1), circle(2), circle(3))
    assert codimension([*two, *circles]) == 5


def test_saliere_has_codimension_five():
    generators = ideal(
        "s1 c1 s2 c2 s3 c3",
        lambda c2, c3, **_: c2 - c3,
        lambda s1, s2, **_: s1 * s2,
        lambda c1, s2, s3, **_: c1 * s2 - s3,
        circle(1), circle(2), circle(3),
    )  # fmt: skip
    assert codimension(generators) == 5
    assert codimension(homogenised(generators, saturate=False)) == 5


@pytest.mark.parametrize(("generators", "wrong", "right"), [(SLIDER, 3, 4), (HOMOKINETIC, 6, 8)])
def test_homogenising_without_saturation_adds_components_at_infinity(generators, wrong, right):
    """The thesis' dimensions 2 and 3 for the slider-crank and the homokinetic joint come from there."""
    assert codimension(generators) == right
    assert codimension(homogenised(generators, saturate=False)) == wrong
    assert codimension(homogenised(generators)) == right


def closure(families, name, *numbers):
    m = families.FAMILIES[name](*numbers)
    return loops.polynomial_closure(loops.build_linkage(Layout.of(m)))


@pytest.mark.parametrize(
    ("name", "dimension"),
    [("triangle", 3), ("slider_crank", 1), ("saliere", 1), ("homokinetic", 1), ("bennett", 1), ("half_salieres", 2)],
)
def test_dimension_of_the_closure_ideal(families, name, dimension):
    """Complex dimension over the rationals with exact square roots; the triangle's ideal includes x and y."""
    assert loops.ideal_dimension(closure(families, name).generators) == dimension


def test_antenna_cell_is_tractable_once_rotation_is_split_off(families):
    """Where Macaulay gave up: three sums of angles are forced to zero, then dimension 3 over Q(sqrt 3)."""
    found = closure(families, "antenna", 1)
    assert any(name == "root3" for name in found.names)
    ((_, basis),) = loops.components([*found.rotation, *found.relations])
    plain = [str(p) for p in basis]
    assert {"s_j32_th", "s_j76_th", "c_j32_th - 1", "c_j76_th - 1"} <= set(plain)
    assert loops.split_dimension(found) == 3


@pytest.mark.parametrize(
    ("name", "numbers", "dimensions"),
    [
        ("saliere", (), [1, 1, 1, 1]),
        ("parallelogram", (), [1, 1]),
        ("slider_crank", (), [1]),
        ("slider_crank", (1, 1), [1, 1]),
        ("half_salieres", (), [2, 2, 1, 1, 1, 1]),
    ],
)
def test_components_of_the_configuration_space(families, name, numbers, dimensions):
    assert [d for d, _ in loops.components(closure(families, name, *numbers).generators)] == dimensions


@pytest.mark.parametrize("engine", ["msolve", "singular"])
def test_optional_engines_agree(families, engine):
    if program("msolve" if engine == "msolve" else "Singular") is None:
        pytest.skip(f"{engine} is not installed")
    assert loops.ideal_dimension(closure(families, "homokinetic").generators, engine) == 1


def test_standard_basis_of_the_thesis():
    """(X^5, X^3 Y - Y^2) has the basis X^5, X^3 Y - Y^2, X^2 Y^2, Y^3 (section 4.2.2; lexicographic, X > Y)."""
    ctx = fmpz_mpoly_ctx.get(("X", "Y"), "lex")
    x, y = ctx.gens()
    assert {str(p) for p in loops.groebner_basis([x**5, x**3 * y - y**2])} == {"X^5", "X^3*Y - Y^2", "X^2*Y^2", "Y^3"}


def test_dimension_of_monomials():
    assert monomial_dimension([(1, 1, 0), (0, 1, 1)], 3) == 2
    assert monomial_dimension([(1, 0, 0), (0, 2, 0), (0, 0, 3)], 3) == 0
    assert monomial_dimension([(0, 0, 0)], 3) == -1
