"""Published mobilities of classic linkages."""

import numpy as np
import pytest

from dalembert import loops

MOBILITIES = {
    "bennett": 1,
    "goldberg": 1,
    "bricard": 1,
    "sarrus": 1,
    "parallelogram": 1,
    "kite": 1,
    "watt": 1,
    "stephenson": 1,
    "stewart": 6,
    "delta": 3,
    "scissor_lift": 1,
}


@pytest.mark.parametrize("name", MOBILITIES)
def test_published_mobility(families, name):
    verdict = loops.mobility(families.FAMILIES[name]())
    assert (verdict.dof, verdict.proved) == (MOBILITIES[name], True)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_row_of_four_bars_lying_flat_moves_with_one_freedom(families, count):
    """IFToMM's N-four-bar: at the horizontal posture the tangent space has N + 1 dimensions, the motion one."""
    verdict = loops.mobility(families.n_four_bar(count))
    assert (verdict.instantaneous, verdict.dof, verdict.proved, verdict.singular) == (count + 1, 1, True, True)


def test_bennett_with_a_wrong_length_is_rigid(families):
    m = families.denavit_hartenberg(
        "stiff", [("sqrt(3)", "pi/3"), ("1", "pi/6"), ("sqrt(3)", "pi/3"), ("1", "pi/6")], [0.7, 2.6, 0.7, 2.6]
    )
    at = loops.mobility(m).at
    stiff = families.denavit_hartenberg(
        "stiff",
        [("sqrt(3)", "pi/3"), ("1", "pi/6"), ("17/10", "pi/3"), ("1", "pi/6")],
        [at[f"j{i}.th"] for i in range(1, 5)],
    )
    with pytest.raises(loops.ModelError, match="cannot be assembled"):
        loops.mobility(stiff)


def test_tree_has_all_its_freedoms(families):
    from dalembert.mechanism import Mechanism, earth, revolute, spherical

    m = Mechanism("tree")
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, spherical("quaternion"), name="ball")
    m.join(a, b, revolute("x"), name="hinge")
    verdict = loops.mobility(m)
    assert (verdict.dof, verdict.proved, verdict.rank_on) == (4, True, 0)


def test_plane_four_bar_names_what_is_redundant(families):
    verdict = loops.mobility(families.four_bar(4, 1, 3.5, 2.5))
    assert verdict.redundancy == verdict.permanent_redundancy == 3
    assert {r.link for r in verdict.redundant} == {"earth_crank", "crank_coupler", "earth_rocker", "coupler_rocker"}
    assert all((r.count, r.of) == (3, 5) for r in verdict.redundant)
    assert all(r.words == "axial force, bending moment" for r in verdict.redundant)
    assert "planar" in str(verdict)


def test_quaternion_balls_are_the_same_as_bryant_balls(families):
    from dalembert.mechanism import Mechanism, earth, revolute, spherical

    verdicts = []
    for chart in ("bryant", "quaternion"):
        m = Mechanism(chart)
        a, b, c = (m.body(n, mass=1) for n in "abc")
        m.join(earth, a, revolute("z"), name="A")
        m.join(a.at([1, 0, 0]), b.at([1, 0, 0]), spherical(chart), name="B")
        m.join(earth.at([3, 0, 1]), c.at([3, 0, 1]), revolute([0, 1, 1]), name="D")
        m.join(b.at([2, 2, 1]), c.at([2, 2, 1]), spherical(chart), name="C")
        verdicts.append(loops.mobility(m))
    assert [v.dof for v in verdicts] == [2, 2]  # the coupler also spins about its own line
    assert verdicts[0].rank_on == verdicts[1].rank_on


def test_link_given_by_an_equation_takes_a_freedom(families):
    """A gear between two cranks on one frame: not a subgroup, an equation between coordinates."""
    from dalembert.mechanism import Mechanism, earth, revolute

    m = Mechanism("gears")
    for name in "ab":
        m.join(earth, m.body(name, mass=1), revolute("z"), name=name.upper())
    verdict = loops.mobility(m, equations=[_gear()])
    assert (verdict.dof, verdict.proved, verdict.gruebler) == (1, True, 1)


def _gear():
    from dalembert import expr as ex

    return ex.symbol("A.th") + 2 * ex.symbol("B.th")


def test_missing_length_is_named(families):
    m = families.antenna(1)
    m.given.clear()
    with pytest.raises(loops.ModelError, match="needs a value for L"):
        loops.mobility(m)


def test_guide_along_a_parabola_is_no_subgroup_and_is_judged(families):
    """A link given by a formula, translation (x, x^2); a rod to a fixed hinge leaves it no freedom."""
    from dalembert import expr as ex
    from dalembert.mechanism import Displacement, Mechanism, composite, earth, revolute

    x = ex.symbol("x")
    m = Mechanism("parabola")
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, composite(["x"], Displacement.of([x, x * x, 0])), name="guide")
    m.join(a, b, revolute("z"), name="pin")
    m.join(earth.at([3, 0, 0]), b.at(["5/2", 0, 0]), revolute("z"), name="pivot")
    verdict = loops.mobility(m, {"guide.x": 1.5, "pin.th": -0.9, "pivot.th": 0.9})
    assert (verdict.dof, verdict.proved, verdict.tree_dof) == (0, True, 2)
    assert verdict.rank_on == verdict.rank_off == 2


def test_screw_jack_turns_rotation_into_lift(families):
    from dalembert.mechanism import Mechanism, earth, prismatic, revolute, screw

    m = Mechanism("jack")
    nut, spindle = m.body("nut", mass=1), m.body("spindle", mass=1)
    m.join(earth, nut, revolute("z"), name="bearing")
    m.join(nut, spindle, screw("z", lead="1/10"), name="thread")
    m.join(earth, spindle, prismatic("z"), name="guide")
    verdict = loops.mobility(m)
    assert (verdict.dof, verdict.proved, verdict.loops[0][2]) == (1, True, "cylindrical")


def test_rounded_data_are_not_called_proved(families):
    """Sixteen digits of sqrt(3) are not sqrt(3): mobile as far as can be seen, but no proof."""
    bars = [("1.7320508075688772", "pi/3"), ("1", "pi/6")] * 2
    at = loops.mobility(families.bennett()).at
    rounded = families.denavit_hartenberg("rounded", bars, [at[f"j{i}.th"] for i in range(1, 5)])
    verdict = loops.mobility(rounded)
    assert (verdict.dof, verdict.proved) == (1, False)
    assert "not proved" in str(verdict)


@pytest.mark.parametrize("rod", [1, 2])
def test_stretched_chain_is_rigid_though_it_shakes(families, rod):
    """Bars that just reach: an instantaneous motion, no finite one (the complex closure does move)."""
    pins = [("earth", "a", (0, 0)), ("a", "b", (1, 0)), ("earth", "c", (2 + rod, 0)), ("b", "c", (1 + rod, 0))]
    verdict = loops.mobility(families.planar_linkage("stretched", pins))
    assert (verdict.instantaneous, verdict.dof, verdict.proved) == (2, 0, True)


def test_flat_triangle_shakes_and_stays_rigid(families):
    """The thesis' definition of regular admits it, and m - rank is 4 (section 4.1)."""
    verdict = loops.mobility(families.triangle(3, 4, 7))
    assert (verdict.instantaneous, verdict.dof, verdict.proved) == (4, 3, True)


def test_large_closures_are_solved_by_floats_to_all_digits(families):
    """Nine cells have more unknowns than balls invert quickly. Free are one span of all arms, and the height of each
    principal rod above the fixed one; a tilt is shaky."""
    m = families.antenna_grid(3, 1.2)
    rods = sum(name.startswith("v") for name in m.bodies)
    verdict = loops.mobility(m)
    assert (verdict.dof, verdict.proved, verdict.instantaneous) == (1 + rods, True, 2 + rods)


def test_an_inverse_in_floats_is_taken_only_where_it_is_one():
    from flint import arb_mat

    from dalembert.loops.certify import float_inverse

    hilbert = arb_mat([[1 / (i + j + 1) for j in range(14)] for i in range(14)])
    assert float_inverse(hilbert) is None
    assert float_inverse(arb_mat([[0, 0], [0, 1]])) is None
    assert float_inverse(arb_mat([[2, 0], [0, 4]])).tolist() == [[0.5, 0], [0, 0.25]]


def test_bounds_in_floats_hold_what_balls_enclose():
    from flint import arb, arb_mat

    from dalembert.loops.balls import precision
    from dalembert.loops.certify import far_from_one

    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 9))
        centre = np.eye(n) + 10.0 ** rng.uniform(-17, 0) * rng.normal(size=(n, n))
        inverse, radius = np.linalg.inv(centre), 10.0 ** rng.uniform(-30, -3) * rng.random((n, n))
        balls = np.array([arb(c, r) for c, r in zip(centre.ravel(), radius.ravel(), strict=True)]).reshape(n, n)
        eye = arb_mat(n, n, np.eye(n).ravel().tolist())
        with precision(40):
            exact = eye - arb_mat(n, n, inverse.ravel().tolist()) * arb_mat(n, n, balls.ravel().tolist())
            sums = np.array([float(sum((abs(exact[i, j]).upper() for j in range(n)), arb(0))) for i in range(n)])
        bounds = far_from_one(inverse, balls)
        assert (sums <= bounds * (1 + 1e-7)).all()  # radii of balls have nine digits, rounded up one by one
        condition = np.linalg.cond(centre)
        assert (bounds <= 1e-14 * n * n * condition + 1.001 * sums).all()  # and no more than rounding beyond
    assert np.isinf(far_from_one(np.eye(1), np.array([[arb("nan")]]))[0])
