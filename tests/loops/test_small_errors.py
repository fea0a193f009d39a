"""Small errors that nobody had seen in loops: pieces, ranks, formulas and words against counts by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, fmpq_mpoly_ctx, fmpz_mpoly_ctx
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import expr as ex
from dalembert import loops
from dalembert.constraints.eliminate import _cramer
from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError
from dalembert.loops import arcs
from dalembert.loops.anew import _of_quaternion
from dalembert.loops.arcs_anew import _root
from dalembert.loops.arithmetic import Residues
from dalembert.loops.balls import precision
from dalembert.loops.conditions import _linear
from dalembert.loops.cone import _perfect_squares
from dalembert.loops.formulas import solve_loops
from dalembert.loops.linkage import build_linkage, rotation_of
from dalembert.loops.positions import Positions, cross
from dalembert.loops.postures import _joined
from dalembert.loops.solved import turns
from dalembert.loops.subgroups import Subgroups
from dalembert.loops.syzygies import resolution_rank
from dalembert.mechanism import Layout
from linkages import closed_by_a_ball, four_bar
from parallelograms import parallelogram
from random_mechanisms import random_tree


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_product_falls_into_its_factors_and_more_pieces_than_wished_are_told(count):
    ctx = fmpz_mpoly_ctx.get(("x", "y"), "degrevlex")
    x, y = ctx.gens()
    product = ctx.constant(1)
    for k in range(count):
        product = product * (x + k * y + k * k)
    found = loops.components([product], limit=count + 1)
    assert [dimension for dimension, _ in found] == [1] * count
    if count > 1:
        with pytest.raises(ModelError, match="more than 1 piece"):
            loops.components([product], limit=1)


def test_a_resolution_of_any_length_tells_the_rank():
    """Koszul: n independent forms have n - 1 freedoms, and binomially many generators."""
    ctx = fmpz_mpoly_ctx.get(("x", "y", "z"), "degrevlex")
    x, y, z = ctx.gens()
    assert resolution_rank([[x, y]], degree=1) == (1, [1, 0])
    assert resolution_rank([[x, y, z]], degree=1) == (2, [3, 1, 0])


@pytest.mark.parametrize("size", range(1, 6))
def test_cramers_rule_is_gauss(size):
    rng = np.random.default_rng(size)
    block, right = rng.integers(-4, 5, (size, size)) + 5 * np.eye(size, dtype=int), rng.integers(-4, 5, (size, 2))
    found, below = _cramer(*([[ex.const(int(x)) for x in row] for row in one] for one in (block, right)))
    assert float(below.value) == pytest.approx(np.linalg.det(block))
    np.testing.assert_allclose([[float(x.value) for x in row] for row in found], np.linalg.solve(block, right))


@pytest.mark.parametrize("size", range(1, 5))
def test_squares_are_told_from_products(size):
    rng = np.random.default_rng(size)
    one, two = rng.standard_normal((2, size))
    forms = np.array([np.outer(one, one), np.outer(one, two) + np.outer(two, one), -np.outer(two, two)])
    found = _perfect_squares(forms[[0, 2]] if size == 1 else forms, 1e-9)
    for vector, expected in zip(found, (one, two), strict=True):
        np.testing.assert_allclose(np.abs(vector), np.abs(expected) / np.linalg.norm(expected), atol=1e-9)
    none = _perfect_squares(forms[1:2], 1e-9)
    assert none.shape == ((1, 1) if size == 1 else (0, size))


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_has_all_its_freedoms_and_no_row(seed):
    m = random_tree(seed, 4)
    found = loops.mobility(Layout.of(m))
    n = Layout.of(m).dof
    assert {found.dof, found.tree_dof, found.instantaneous, found.lower, found.upper, found.gruebler} == {n}
    ranks = found.rank_off, found.rank_off_closure, found.rank_on, found.rank_branch
    assert ranks == (0, 0, 0, 0)
    assert (found.redundancy, found.permanent_redundancy, found.redundant, found.loops) == (0, 0, (), ())
    assert found.proved
    assert not found.singular


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_a_turn_is_measured_in_radians_and_a_slide_in_lengths_of_the_machine(unit):
    m = da.Mechanism("slider-crank")
    crank, rod, slider = (m.body(x, mass=1) for x in ("crank", "rod", "slider"))
    m.join(da.earth, crank, da.revolute("z"), name="a")
    m.join(crank.at([unit, 0, 0]), rod, da.revolute([0, 0, 2]), name="b")
    m.join(da.earth, slider, da.prismatic("x"), name="d")
    m.join(rod.at([3 * unit, 0, 0]), slider, da.revolute("z"), name="c")
    closure = dynamics_of(m.layout()).closure
    x = np.array([[4 * unit * (name == "d.x") for name in closure.coordinates]])
    scales = closure.scales(x, 0.0, {})
    length = 8 * unit  # around the loop: crank, rod, and the slide back
    np.testing.assert_allclose(scales.loops, [[length]])
    expected = [length if name == "d.x" else 1.0 for name in closure.coordinates]
    np.testing.assert_allclose(scales.coordinates[0], expected)


@pytest.mark.parametrize("driver", ["A.th", "D.th"])
def test_the_last_angle_of_a_plane_loop_is_a_sum_of_the_others(driver):
    """Turns about parallel axes add up to nothing, but for whole ones: no arc tangent is needed a second time."""
    linkage = loops.build_linkage(four_bar((1, 3, 2.5), 3).layout())
    found = solve_loops(linkage, loops.assemble(linkage), [driver])
    _, last = found.definitions[-1]
    slopes = ex.gradient(last, sorted(ex.free_symbols(last), key=lambda x: x.name))
    assert len(slopes) >= 2
    assert {abs(float(x.value)) for x in slopes} == {1.0}


@pytest.mark.parametrize("seed", range(3))
def test_a_quaternion_of_any_length_turns_as_its_rotation(seed):
    q = np.random.default_rng(seed).normal(size=4)
    found = _of_quaternion([arb(float(c)) for c in q])
    expected = Rotation.from_quat(q, scalar_first=True).as_matrix()
    np.testing.assert_allclose([[float(c) for c in row] for row in found], expected, atol=1e-14)


@pytest.mark.parametrize(("a", "b", "c"), [(2, 1, -1), (-1, 3, 2), (3, 0, 1), (0, -2, 1), (2, 1e-9, 1)])
def test_both_turns_that_solve_an_equation_are_found(a, b, c):
    x = ex.symbol("x")
    e = a * ex.cos(x) + b * ex.sin(x) + c
    found = [float(ex.evaluate([one], {})[0]) for one, _ in turns(e, x, {})]
    assert len({round(one, 6) for one in found}) == 2
    assert all(abs(ex.evaluate([e], {x: one})[0]) < 1e-6 for one in found)


def test_a_turn_that_an_equation_does_not_feel_is_not_told():
    """What of it is left in the equation is rounding."""
    x = ex.symbol("x")
    assert turns(1e-12 * ex.cos(x) + 1e-12 * ex.sin(x) + 1, x, {}) == []


@pytest.mark.parametrize("slope", [(3, 1), (1, 3), (-2, 1), (1, -4)])
def test_a_zero_beside_a_point_is_met_along_the_axis_of_the_steeper_slope(slope):
    """Of a curve p s + q t + s t - 1/100 = 0, in balls."""
    p, q = slope
    left = SimpleNamespace(zero=lambda v: abs(v) < arb(10) ** -12)
    curve = {(1, 0): arb(p), (0, 1): arb(q), (1, 1): arb(1)}

    def value(place):
        s, t = place
        return place, p * s + q * t + s * t - arb("0.01")

    start = (arb("0.002"), arb("0.003"))
    (s, t), _ = _root(left, start, curve, value, np.eye(2, dtype=int))
    assert abs(float(value((s, t))[1])) < 1e-12
    assert float((t - start[1]) if abs(p) > abs(q) else (s - start[0])) == 0


def test_a_ball_joint_begins_where_it_is_told_to():
    """Turns of a quaternion count from the rotation that is held: a start there is zero, another the turn between."""
    m = closed_by_a_ball("quaternion")
    linkage = loops.build_linkage(m.layout())
    ((link, (names, held)),) = linkage.turns.items()
    parts = [f"{link}.{x}" for x in linkage.layout_names(link)]
    here, aside = rotation_of(held), Rotation.from_euler("XYZ", [0.2, -0.3, 0.4])
    for turn, expected in ((Rotation.identity(), [0, 0, 0]), (aside, [0.2, -0.3, 0.4])):
        start = linkage.start(dict(zip(parts, (here * turn).as_quat(scalar_first=True), strict=True)))
        np.testing.assert_allclose([start[linkage.variables.index(x)] for x in names], expected, atol=1e-12)


def test_two_branches_that_cross_are_told_as_such():
    """A parallelogram that lies on its base goes on as one or turns over."""
    found = loops.mobility(Layout.of(parallelogram()))
    assert len(found.branches) == 2
    assert "branches cross" in str(found)
    assert "branches near this configuration:\n  dimension 1" in str(found)
    assert "shaky" not in str(found)


@pytest.mark.parametrize("ratio", ["1/2", "2/3", "3"])
def test_random_points_over_a_field_keep_the_ratios_of_the_turns_of_one_variable(ratio):
    """cos(n a) is Chebyshev's polynomial of cos(a), over any field."""
    m, th = da.Mechanism("geared"), ex.symbol("th")
    turns = [da.Step(da.Displacement(turns=(da.turn(a, "z"),))) for a in (th, ex.parse(ratio) * th)]
    joints = [da.Joint(("th",), tuple(turns)), da.revolute("z"), da.revolute("z"), da.revolute("z")]
    rods = [da.earth, *(m.body(x, mass=1) for x in "abc")]
    for k, joint in enumerate(joints):
        m.join(rods[k].at([1, 0, 0]) if k else rods[k], rods[(k + 1) % 4], joint, name=f"j{k}")
    prime = 2**31 - 1
    places = Positions(build_linkage(Layout.of(m), None), Residues(prime))
    motion = places.random_motion()
    f = Fraction(ratio)
    (v,) = {int(v) for v, x in zip(places.variable, places.factors, strict=True) if x == f}
    of = {x: int(c) for c, w, x in zip(motion.cos, places.variable, places.factors, strict=True) if w == v}

    def chebyshev(n, c):
        before, now = 1, c
        for _ in range(n - 1):
            before, now = now, (2 * c * now - before) % prime
        return now

    assert chebyshev(f.numerator, of[Fraction(1)]) == chebyshev(f.denominator, of[f]) != 1


def test_freedoms_of_cut_links_are_those_behind_the_tree_that_are_coordinates():
    linkage = build_linkage(four_bar((1, 3, 2.5), 3).layout(), None)
    assert linkage.cut_dof == linkage.size - linkage.tree_variables > 0
    wider = replace(linkage, variables=(*linkage.variables, "~1", "~2"), auxiliary=(linkage.size, linkage.size + 1))
    assert wider.cut_dof == linkage.cut_dof


@pytest.mark.parametrize("turns", [-1, 0, 1, 2])
def test_a_closed_curve_goes_on_with_its_beginning_as_many_turns_further(turns):
    s = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    points = np.stack([turns * s + 0.3, np.sin(s), 7 * np.cos(s)], axis=1)
    again = _joined(SimpleNamespace(points=points, linkage=SimpleNamespace(lengths=frozenset([2]))))
    s = np.linspace(0, 2 * np.pi, 41)[-1] + s[:2]
    np.testing.assert_allclose(again[-2:], np.stack([turns * s + 0.3, np.sin(s), 7 * np.cos(s)], axis=1), atol=1e-12)


@pytest.mark.parametrize(("left", "taken"), [(1e-40, True), (1e-3, False)])
def test_a_configuration_that_does_not_settle_is_not_on_the_family(left, taken, monkeypatch):
    monkeypatch.setattr(arcs.ReducedSystem, "__init__", lambda *_: None)
    monkeypatch.setattr(arcs.ReducedSystem, "refine", lambda _, start: (list(start), left))
    closing = SimpleNamespace(jacobian=lambda _: np.array([[arb(1), arb(2)]], dtype=object), digits=40)
    linear = SimpleNamespace(rows=np.array([0]), dependent=np.array([0]), others=np.array([], int),
                             independent=np.array([1]), rank=1)  # fmt: skip
    found = arcs._on_family(closing, [arb(0), arb(0)], linear, 0, 1.0)
    assert (found is not None) is taken


def test_the_weights_of_a_linear_form_are_told_by_letter_and_nothing_else_is_one():
    ctx = fmpq_mpoly_ctx.get(("a", "b", "c", "s"), "degrevlex")
    a, b, c, s = ctx.gens()
    names = ["a", "b", "c", "s"]
    assert _linear(2 * a + 4 * b - 6 * c, "abc", names) == {"a": 1, "b": 2, "c": -3}
    assert _linear(5 * b + 5 * c, "abc", names) == {"b": 1, "c": 1}
    for other in (a + b * c, a + s, 2 * a + b, a + b + 1):
        assert _linear(other, "abc", names) is None


@pytest.mark.parametrize("seed", range(3))
def test_turns_about_a_point_anywhere_are_the_spherical_group(seed):
    rng = np.random.default_rng(seed)
    found = Subgroups(build_linkage(four_bar((1, 3, 2.5), 3).layout(), None))

    def exact(x):
        return np.array([[arb(float(v)) for v in row] for row in x], dtype=object)

    with precision(found.digits):
        (c,), (unit,) = exact(rng.integers(-9, 9, (1, 3)) / 4), [exact(np.eye(3))]
        basis = [np.concatenate([w, cross(c, w)]) for w in unit]
        turned = exact([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
        group = found._named(basis, turned, c - turned @ c)
        assert (group.dimension, group.name, group.miss) == (3, "spherical", 0)
        assert found._named(basis, turned, c - turned @ c + unit[0]).miss == pytest.approx(1)
