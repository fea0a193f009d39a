"""The identities of space: one canonical form, reached from every spelling."""

import itertools
import random

import pytest

from algebra import random_terms as rt
from dalembert import algebra as al

a, b, c, d, e, f = al.vectors("a b c d e f")
A, B = al.matrices("A B")
R, S = al.matrix("R", rotation=True), al.matrix("S", rotation=True)
x = al.cross

IDENTITIES = {
    "double cross product": x(a, x(b, c)) - al.dot(a, c) * b + al.dot(a, b) * c,
    "Jacobi": x(a, x(b, c)) + x(b, x(c, a)) + x(c, x(a, b)),
    "Lagrange": al.dot(x(a, b), x(c, d)) - al.dot(a, c) * al.dot(b, d) + al.dot(a, d) * al.dot(b, c),
    "cyclic mixed product": al.dot(a, x(b, c)) - al.dot(b, x(c, a)),
    "product of crosses": x(x(a, b), x(c, d)) - al.triple(a, b, d) * c + al.triple(a, b, c) * d,
    "Gram": al.triple(a, b, c) ** 2 - al.simplify(al.canonical(al.triple(a, b, c) ** 2)),
    "tilde of a cross": ~x(a, b) - ~a * ~b + ~b * ~a,
    "two tildes": ~a * ~b - al.dyad(b, a) + al.dot(a, b) * al.identity(3),
    "cube of a tilde": (~a) ** 3 + al.dot(a, a) * ~a,
    "tilde of a rotated vector": ~(R * a) - R * ~a * R.T,
    "cross of rotated vectors": x(R * a, R * b) - R * x(a, b),
    "mixed product of rotated vectors": al.triple(R * a, R * b, S * c) - al.triple(S.T * R * a, S.T * R * b, c),
    "dyad of crosses": al.dyad(x(a, b), x(c, d)) * e - al.triple(c, d, e) * x(a, b),
    "Huygens": -~(a + b) * ~(a + b) + ~a * ~a + ~a * ~b + ~b * ~a + ~b * ~b,
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identity_of_space_is_decided_by_canonical_form(name):
    verdict = al.is_zero(IDENTITIES[name])
    assert verdict.method == "canonical form", al.canonical(IDENTITIES[name])
    assert al.simplify(IDENTITIES[name]) == 0


def bracketings(factors):
    """Every way to put brackets into a chain of cross products."""
    if len(factors) == 1:
        return [factors[0]]
    found = []
    for i in range(1, len(factors)):
        found += [x(left, right) for left in bracketings(factors[:i]) for right in bracketings(factors[i:])]
    return found


def test_reduction_inside_out_and_outside_in_meet():
    """Confluence on overlaps: expand a part first or the whole at once, the canonical form is the same."""
    for chain in bracketings([a, b, c, d]):
        whole = al.canonical(chain)
        for part in [chain.args[0], chain.args[1]] if chain.args and chain.op.name == "cross" else []:
            stepwise = al.substitute(chain, {part: al.canonical(part)})
            assert al.canonical(stepwise) is whole


def test_canonical_form_is_a_fixed_point_and_confluent_on_random_terms():
    """Two ways to the normal form meet, but for dependences of vectors behind matrices, left to evaluation."""
    apart = 0
    for seed in range(250):
        term = rt.term(random.Random(seed), 3)
        whole = al.canonical(term)
        other = al.canonical(al.expand(term))
        if not whole.sort.is_quaternion:
            assert al.canonical(whole) is whole, term
        if other is not whole:
            apart += 1
            assert al.is_zero(other - whole), term
    assert apart <= 10


def test_products_of_three_mixed_products_do_not_depend_on_their_order():
    t1, t2, t3 = al.triple(a, b, c), al.triple(a, b, d), al.triple(a, c, d)
    forms = {al.canonical(p * q * r) for p, q, r in itertools.permutations([t1, t2, t3])}
    assert len(forms) == 1


def test_inertia_of_a_point_mass_about_two_centres():
    """Huygens: the inertia about O of a mass at G + r exceeds that about G by the mass at G, if r is balanced."""
    m = al.scalar("m")
    shift = -m * ~(a + b) * ~(a + b) + m * ~b * ~b + m * ~a * ~a
    assert al.is_zero(shift + m * (~a * ~b + ~b * ~a))
    assert not al.is_zero(shift)


def test_double_cross_rules_are_confluent_and_a_broken_set_is_caught():
    u, v, w = al.any_vector("u"), al.any_vector("v"), al.any_vector("w")
    double = al.Rule(x(u, x(v, w)), al.dot(u, w) * v - al.dot(u, v) * w)
    pairs = al.critical_pairs([double])
    assert pairs
    assert all(pair.sound for pair in pairs)
    wrong = al.Rule(x(u, x(v, w)), al.dot(u, w) * v + al.dot(u, v) * w)
    assert not all(pair.sound for pair in al.critical_pairs([double, wrong]))


def test_word_rules_overlap_like_strings():
    open_set = [al.Rule(A * B * A, B), al.Rule(A * B, A)]
    assert not al.is_confluent(open_set)
    commuting = [al.Rule(B * A, A * B)]
    assert al.is_confluent(commuting)
    braid = al.Rule(A * B * A, B)
    overlap = [p.term for p in al.critical_pairs([braid])]
    assert A * B * A * B * A in overlap


def test_dependence_of_four_vectors_has_a_canonical_form():
    four = al.triple(b, c, d) * a - al.triple(a, c, d) * b + al.triple(a, b, d) * c - al.triple(a, b, c) * d
    assert al.canonical(four) == 0
    assert al.simplify(four) == 0
    assert al.canonical(al.dot(four, e)) == 0
    assert al.canonical(al.dyad(four, e)) == 0
    frame = al.dyad(x(b, c), a) + al.dyad(x(c, a), b) + al.dyad(x(a, b), c)
    assert al.canonical(frame - al.triple(a, b, c) * al.identity(3)) == 0
    swapped = al.triple(a, b, c) * x(d, e) - al.triple(a, d, e) * x(b, c)
    assert al.canonical(swapped + al.triple(b, d, e) * x(a, c) - al.triple(c, d, e) * x(a, b)) == 0


def test_gram_determinant_of_four_vectors_vanishes():
    rows, columns = (a, b, c, d), (c, d, e, f)
    total = al.number(0)
    for order in itertools.permutations(range(4)):
        sign = (-1) ** sum(i > j for i, j in itertools.combinations(order, 2))
        total = total + sign * al.product(*[al.dot(rows[i], columns[j]) for i, j in enumerate(order)])
    assert len(total.args) == 24
    assert al.canonical(total) == 0


def free_term(rng, depth):
    """A random vector built from six free vectors by sums, crosses and multiples by dots and mixed products."""
    if depth == 0:
        return rng.choice((a, b, c, d, e, f))
    pick = rng.randrange(5)
    if pick == 0:
        return free_term(rng, depth - 1) - free_term(rng, depth - 1)
    if pick in (1, 2):
        return x(free_term(rng, depth - 1), free_term(rng, depth - 1))
    if pick == 3:
        return al.dot(free_term(rng, depth - 1), free_term(rng, depth - 1)) * free_term(rng, depth - 1)
    return al.triple(*(free_term(rng, depth - 1) for _ in range(3))) * free_term(rng, depth - 1)


def test_normal_forms_of_free_vectors_are_unique():
    """For vectors without matrices the form is complete: equal by evaluation means the same term."""
    for seed in range(80):
        rng = random.Random(seed)
        term = free_term(rng, 2)
        s, y, z = (free_term(rng, 1) for _ in range(3))
        if al.cost(term) > 8:
            continue
        whole = al.canonical(term)
        assert al.canonical(whole) is whole
        assert al.canonical(al.expand(term)) is whole
        assert al.canonical(x(term, x(y, z)) + x(y, x(z, term)) + x(z, x(term, y))) == 0
        y, z, t = rng.sample((a, b, c, d, e, f), 3)
        spread = al.triple(y, z, t) * s - al.triple(s, z, t) * y - al.triple(y, s, t) * z
        assert al.canonical(spread - al.triple(y, z, s) * t) == 0
