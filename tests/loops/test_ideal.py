"""The closure ideal of a mechanism: membership, division, Hilbert polynomial, ranks on its pieces."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
import sympy
from flint import fmpq_mpoly_ctx

from dalembert import expr as ex
from dalembert import loops
from dalembert.errors import DalembertError
from dalembert.loops.division import divide, members
from dalembert.loops.groebner import leading_exponents
from dalembert.loops.hilbert import hilbert_polynomial
from dalembert.mechanism import Layout, Mechanism, earth, prismatic, revolute, spherical


def slider_crank(crank="r", rod="l"):
    m = Mechanism("slider-crank")
    s1, s2, s3 = (m.body(n, mass=1) for n in ("s1", "s2", "s3"))
    m.join(earth, s1, revolute("z"), name="a")
    m.join(s1.at([crank, 0, 0]), s2, revolute("z"), name="b")
    m.join(earth, s3, prismatic("x"), name="d")
    m.join(s2.at([rod, 0, 0]), s3, revolute("z"), name="c")
    return m


def test_division_of_the_thesis_in_both_orders():
    ctx = fmpq_mpoly_ctx.get(("X", "Y"), "lex")
    x, y = ctx.gens()
    p, first, second = x**6 * y**3 + x**5 * y - x**2 * y**2, x**5, x**3 * y - y**2
    assert divide(p, [first, second]) == ([x * y**3 + y, x - x], -(x**2) * y**2)
    assert divide(p, [second, first]) == ([x**3 * y**2 + x**2 + y**3, x - x], y**5)


def test_quotients_multiply_out_and_agree_with_sympy():
    ctx = fmpq_mpoly_ctx.get(("x", "y", "z"), "degrevlex")
    x, y, z = ctx.gens()
    generators = [x**2 + y**2 - 1, x * z - y, z**2 - x - 2]
    p = (x * z - y) * (y**3 + 1) + (x**2 + y**2 - 1) * z**2
    quotients = members(p, generators)
    assert sum((q * g for q, g in zip(quotients, generators, strict=True)), ctx.constant(0)) == p
    assert members(p + 1, generators) is None
    sx, sy, sz = sympy.symbols("x y z")
    basis = sympy.groebner([sx**2 + sy**2 - 1, sx * sz - sy, sz**2 - sx - 2], sx, sy, sz, order="grevlex")
    rng = np.random.default_rng(4)
    for _ in range(20):
        terms = {tuple(int(v) for v in rng.integers(0, 3, 3)): int(rng.integers(-3, 4)) for _ in range(4)}
        inside = ctx.from_dict(terms) * generators[int(rng.integers(3))]
        f = inside + int(rng.integers(0, 2))
        plain = {e: int(c.p) for e, c in f.to_dict().items()}
        expected = basis.contains(sympy.Poly.from_dict(plain, sx, sy, sz).as_expr() if plain else sympy.Integer(0))
        assert (members(f, generators) is not None) == expected


@pytest.mark.parametrize("name", ["slider_crank", "saliere", "bennett", "parallelogram"])
def test_hilbert_polynomial_counts_standard_monomials(families, name):
    ideal = loops.closure_ideal(families.FAMILIES[name]())
    h = ideal.hilbert
    assert h.dimension == ideal.dimension == 1
    heads = leading_exponents(ideal.generators)
    count, outside, n = len(heads[0]), 0, 5
    heads = [m for m in heads if sum(m) > 1]  # letters that the closure gives by others do not occur outside
    letters = [k for k in range(count) if not any(m[k] == sum(m) == 1 for m in leading_exponents(ideal.generators))]
    for chosen in (c for d in range(n + 1) for c in combinations_with_replacement(letters, d)):
        e = [chosen.count(k) for k in range(count)]
        outside += not any(all(a >= b for a, b in zip(e, m, strict=True)) for m in heads)
    assert outside == h(n)


def test_hilbert_polynomials_that_are_known():
    x, y, z = fmpq_mpoly_ctx.get(("x", "y", "z"), "degrevlex").gens()
    assert str(hilbert_polynomial([x - x + y - z**2, x - y * z])) == "3*n + 1"  # the twisted cubic
    assert str(hilbert_polynomial([x**2 + y**2 + z**2 - 1])) == "n^2 + 2*n + 1"
    assert hilbert_polynomial([x, y, z - 1]).polynomial == (1,)
    assert hilbert_polynomial([x, x - 1]).dimension == -1


def test_membership_is_asked_in_the_coordinates_of_the_mechanism():
    ideal = loops.closure_ideal(slider_crank())
    assert set(ideal.closure.parameters) == {"r", "l"}
    law = "(d.x - r*cos(a.th))^2 + r^2*sin(a.th)^2 - l^2"
    assert ideal.contains(law)
    assert not ideal.contains("d.x - r - l")
    found = ideal.quotients(law)
    total = sum((q * g for q, g in zip(found.quotients, found.divisors, strict=True)), found.divisors[0] * 0)
    assert total == ideal.polynomial(law)
    assert ideal.quotients("d.x - l") is None
    assert ideal.contains("cos(a.th + b.th + c.th) - 1")  # the slider does not turn
    with pytest.raises(DalembertError, match="does not occur"):
        ideal.contains("e.x - 1")


def test_vanishing_needs_only_a_power_in_the_ideal(families):
    """The antenna's rotation closure is a double point: sin c is zero on it, and not in its ideal."""
    closure = loops.polynomial_closure(loops.build_linkage(Layout.of(families.antenna(1))))
    from dataclasses import replace

    rotation = loops.ClosureIdeal(replace(closure, translation=()))
    assert rotation.vanishes("sin(j10.th + j21.th + j32.th)")
    assert not rotation.contains("sin(j10.th + j21.th + j32.th)")
    assert rotation.contains("sin(j10.th + j21.th + j32.th)^2")


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("triangle", [(3, 2), (3, 2)]),
        ("slider_crank", [(1, 2)]),
        ("saliere", [(1, 2)] * 4),
        ("homokinetic", [(1, 4), (1, 4)]),
        ("half_salieres", [(2, 3), (2, 3), (1, 4), (1, 4), (1, 4), (1, 4)]),
    ],
)
def test_ranks_on_the_pieces_are_those_of_the_spec(families, name, ranks):
    assert [(p.dimension, p.rank) for p in loops.closure_ideal(families.FAMILIES[name]()).pieces] == ranks


def test_a_pivot_that_vanishes_on_the_closure_is_told(families):
    """The classical method says rank 3 of the salière because a pivot is a multiple of a constraint (thesis, 4.2.1)."""
    ideal = loops.closure_ideal(families.saliere())
    assert loops.rank_by(ideal.closure, "classical") == 3
    assert ideal.vanishing("minors")
    assert all(p.rank == 2 for p in ideal.pieces)
    assert loops.closure_ideal(families.slider_crank()).vanishing("minors") == ()


def test_syzygies_and_resolutions_straight_from_a_mechanism(families):
    ideal = loops.closure_ideal(families.triangle())
    assert ["0", "0", "1", "0", "0", "0"] in ideal.syzygies(1)
    assert ideal.resolution(1) == (3, [3, 0])
    saliere = loops.closure_ideal(families.saliere())
    assert saliere.resolution(1, steps=3)[0] is None


def test_psi_with_letters_is_the_one_of_the_thesis():
    """Psi = (l c12, -l c12 - r c1, r l sin b) up to a factor; c1, c12 of the angles a and a + b (spec, example 2)."""
    ideal = loops.closure_ideal(slider_crank())
    psi = ideal.psi(["a.th"])["a.th"]
    expected = {"a.th": "l*cos(a.th + b.th)", "b.th": "-l*cos(a.th + b.th) - r*cos(a.th)", "d.x": "r*l*sin(b.th)"}
    rng = np.random.default_rng(2)
    a, b, r, l = rng.uniform(0.3, 2.0, 4)
    letters = {
        "c_a_th": np.cos(a),
        "s_a_th": np.sin(a),
        "c_b_th": np.cos(a + b),
        "s_b_th": np.sin(a + b),
        "r": r,
        "l": l,
    }

    def number(p):
        names = p.context().names()
        total = 0.0
        for exponents, c in p.to_dict().items():
            term = float(c.p) / float(c.q)
            for n, k in zip(names, exponents, strict=True):
                term *= letters[n] ** int(k) if k else 1.0
            total += term
        return total

    known = {ex.symbol("a.th"): a, ex.symbol("b.th"): b, ex.symbol("r"): r, ex.symbol("l"): l}
    wanted = np.array([float(ex.evaluate([ex.parse(f)], known)[0]) for f in expected.values()])
    found = np.array([number(psi[n]) for n in expected])
    assert np.allclose(found / found[0], wanted / wanted[0])


def test_psi_of_the_saliere_needs_a_piece(families):
    ideal = loops.closure_ideal(families.saliere())
    with pytest.raises(DalembertError, match="larger rank"):
        ideal.psi(["j01.th"])
    turning = [p for p in ideal.pieces if any(str(b) == "s_j12_th" for b in p.basis)]
    for piece in turning:
        psi = ideal.psi(["j01.th"], piece)["j01.th"]
        assert [n for n, p in psi.items() if p != 0] == ["j01.th", "j23.th"]


@pytest.mark.parametrize("name", ["antenna", "goldberg", "delta", "watt", "scissor_lift", "sarrus", "bricard", "kite"])
def test_closure_polynomials_vanish_at_closed_postures(families, name):
    """Angles, sums of angles, roots and reversed links: all letters have the values of a closed posture."""
    from dalembert.loops.components import _letters, _value

    linkage = loops.build_linkage(Layout.of(families.FAMILIES[name]()))
    closure = loops.polynomial_closure(linkage)
    values = _letters(loops.ClosureIdeal(closure), linkage, loops.assemble(linkage))
    known = dict(zip(closure.names, values, strict=True))
    worst = max(abs(_value(p, list(closure.names), known)) for p in closure.generators)
    assert worst < 1e-6 if name == "antenna" else worst < 1e-9  # a multiple root is found to half the digits


def test_closure_with_slanted_axes_and_angles_that_are_no_part_of_a_turn():
    """Axes [1, 1, 1], a frame turned by atan2(3, 4) and one by pi/7: roots, arcs and cosines of a seventh."""
    from dalembert.loops.components import _letters, _value
    from dalembert.mechanism import turn

    m = Mechanism("slanted")
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth.at([0, 0, 0], turn("atan2(3, 4)", "x")), a, revolute([1, 1, 1]), name="A")
    m.join(a.at([1, 0, 0], turn("pi/7", "z")), b.at([0, 1, 0]), revolute([1, 2, 2]), name="B")
    m.join(b.at([0, 0, 1]), c, revolute([1, 0, 1]), name="C")
    m.join(earth.at([1, 2, 0]), c.at([0, "sqrt(1 + sqrt(2))", 0]), spherical(), name="D")
    linkage = loops.build_linkage(Layout.of(m))
    closure = loops.polynomial_closure(linkage)
    x = np.random.default_rng(1).uniform(-1, 1, linkage.size)
    ideal = loops.ClosureIdeal(closure)
    known = dict(zip(closure.names, _letters(ideal, linkage, x), strict=True))
    found = [_value(p, list(closure.names), known) for p in closure.translation]
    gap = loops.Closing(linkage).positions.gaps(loops.Closing(linkage).frames(x))[1][0]
    assert np.allclose(sorted(found), sorted(gap), atol=1e-12)  # open: the polynomials are the gap itself
