"""The numbers of the thesis' fourth chapter, corrected (Papegay 1992; every value recomputed independently)."""

import math

import pytest

from dalembert import loops

# example: dof, tree, rank off, rank on
THESIS = {
    "triangle": (3, 5, 2, 2),
    "slider_crank": (1, 3, 2, 2),
    "saliere": (1, 3, 3, 2),
    "homokinetic": (1, 5, 4, 4),
    "antenna_1": (3, 8, 5, 4),
    "antenna_2": (3, 14, 13, 10),
}


def build(families, name):
    return families.antenna(int(name[-1])) if name.startswith("antenna") else families.FAMILIES[name]()


@pytest.mark.parametrize("name", THESIS)
def test_six_examples_of_the_thesis(families, name):
    verdict = loops.mobility(build(families, name))
    assert verdict.proved
    assert (verdict.dof, verdict.tree_dof, verdict.rank_off, verdict.rank_on) == THESIS[name]


@pytest.mark.parametrize(("levels", "count"), [(1, 3), (2, -6)])
def test_antenna_cells_are_shaky_in_every_bent_posture(families, levels, count):
    """Rank 4 and 10 on the closure, not 5 and 11: one instantaneous motion more than the mechanism has."""
    verdict = loops.mobility(families.antenna(levels))
    assert verdict.gruebler == count
    assert verdict.instantaneous == verdict.dof + 1 == 4
    other = loops.mobility(families.antenna(levels), families.antenna_posture(levels, 0.8, (-0.3, 0.2)))
    assert (other.dof, other.proved, other.instantaneous) == (3, True, 4)


@pytest.mark.parametrize(("levels", "rank", "left"), [(1, 2, 6), (2, 6, 8)])
def test_deployed_antenna_has_all_arms_straight(families, levels, rank, left):
    from dalembert.loops.relations import tangent_at
    from dalembert.mechanism import Layout

    linkage = loops.build_linkage(Layout.of(families.antenna(levels)))
    tangent = tangent_at(loops.Closing(linkage), [0.0] * linkage.size)
    assert tangent.mobility == left
    assert tangent.rank - linkage.cut_dof == rank


@pytest.mark.parametrize(("levels", "rank"), [(1, 5), (2, 11)])
def test_reduced_antenna_has_the_rank_the_thesis_expected(families, levels, rank):
    """With "the rods stay parallel" added, the rank in the tree's speeds is 5 and 11."""
    from dalembert.loops.local import local_dimension
    from dalembert.mechanism import Layout

    linkage = loops.build_linkage(Layout.of(families.antenna(levels)))
    closing = loops.Closing(linkage)
    independent = loops.independent_loops(linkage)
    local = local_dimension(closing, loops.assemble(linkage), independent)
    assert local.reduced.rank - linkage.cut_dof == rank


def test_saliere_has_rank_one_at_its_nodes(families):
    verdict = loops.mobility(families.saliere(), {})
    assert verdict.singular
    assert (verdict.rank_on, verdict.rank_branch) == (1, 2)
    assert (verdict.dof, verdict.instantaneous, verdict.proved) == (1, 2, True)


def test_half_salieres_have_two_dimensions(families):
    """A verdict belongs to a configuration: straight 2, folded 1, both meet at the crossing (thesis, figure 4.1)."""
    m = families.half_salieres(3)
    folded = loops.mobility(m)
    straight = loops.mobility(m, {"phi2.th": 0.4, "phi3.th": -0.9})
    crossing = loops.mobility(m, {})
    assert (folded.dof, folded.rank_on, folded.proved) == (1, 4, True)
    assert (straight.dof, straight.rank_on, straight.proved) == (2, 3, True)
    assert (crossing.dof, crossing.rank_on, crossing.instantaneous, crossing.proved) == (2, 2, 3, True)
    assert {b.dof for b in crossing.branches} == {1, 2}


def test_parallelogram_branches_cross_where_it_lies_flat(families):
    flat = math.atan2(0.8, 0.6)
    at = {"earth_a.th": -flat, "a_b.th": flat, "earth_c.th": -flat, "b_c.th": -flat}
    verdict = loops.mobility(families.parallelogram(), at)
    assert (verdict.dof, verdict.instantaneous, verdict.rank_on, verdict.singular) == (1, 2, 1, True)
    assert verdict.proved


def test_equal_crank_and_rod_cross_when_the_slider_is_at_the_centre(families):
    """Thesis example 2 with equal lengths: the extra branch meets the other where the crank is square to the rail."""
    m = families.slider_crank(1, 1)
    at = {"j01.th": math.pi / 2, "j12.th": math.pi, "j03.x": 0.0, "j23.th": -3 * math.pi / 2}
    verdict = loops.mobility(m, at)
    assert (verdict.rank_on, verdict.instantaneous, verdict.dof) == (1, 2, 1)


@pytest.mark.parametrize(
    ("beta", "gamma", "rank"),
    [(math.pi / 2, 0.3, 2), (0.4, math.pi / 2, 3), (0.0, 0.0, 4)],
)
def test_homokinetic_joint_is_singular_when_a_cross_locks(families, beta, gamma, rank):
    length = 2.0
    x = length * math.sin(beta) * math.cos(gamma)
    m = families.homokinetic(length, x, length * math.sin(gamma))
    import numpy as np

    from dalembert import expr as ex
    from dalembert.mechanism import Layout

    (closure,) = loops.closure_equations(Layout.of(m))
    at = {"j01.th": 0.0, "j34.th": 0.0, "j12.al": beta, "j12.be": gamma}
    at["j04.z"] = length * math.cos(beta) * math.cos(gamma)
    known = {ex.symbol(name): value for name, value in at.items()}
    assert np.abs(ex.evaluate(list(closure.equations), known)).max() < 1e-12
    matrix = np.array([ex.evaluate(list(row), known) for row in closure.matrix.rows()], dtype=float)
    assert matrix.shape == (4, 5)
    assert np.linalg.matrix_rank(matrix, tol=1e-9) == rank


@pytest.mark.parametrize(("levels", "rank"), [(1, 4), (2, 10)])
def test_antenna_rank_on_exact_points_of_a_prime_field(families, levels, rank):
    """Random bent arms over GF(p): 25 exact points of the closure, all of the same rank."""
    import random

    from dalembert.loops.arithmetic import NoRoot, square_root_mod
    from dalembert.loops.genericrank import exact_rank
    from dalembert.mechanism import Layout

    p = 1073741783  # 3 is a square there
    rng = random.Random(4)
    linkage = loops.build_linkage(Layout.of(families.antenna(levels)))

    def arm(width, height):
        """(cos, sin) of the turns of a two-rod arm of unit rods from (0, 0) to (-height, width) in the plane x, y."""
        square = (width * width + height * height) % p
        t = square_root_mod((pow(square, -1, p) - pow(4, -1, p)) % p, p) * rng.choice([1, -1])
        half = pow(2, -1, p)
        # rods along y: direction (cos a, sin a) means the vector (-sin a, cos a) = elbow
        ex, ey = (height * half - t * width) % p, (width * half + t * height) % p
        first = (ey, -ex % p)
        fx, fy = (height - ex) % p, (width - ey) % p
        second = (fy, -fx % p)
        relative = (
            (first[0] * second[0] + first[1] * second[1]) % p,
            (first[0] * second[1] - first[1] * second[0]) % p,
        )
        return first, relative, (second[0], -second[1] % p)

    def back(point):
        return point[0], -point[1] % p

    found = 0
    while found < 25:
        width, h3, h6 = (rng.randrange(1, p) for _ in range(3))
        try:
            arms = [[arm(width, h3), arm(width, h6 - h3), arm(width, -h6)] for _ in range(levels)]
        except NoRoot:
            continue
        a, c, d = arms[0]
        angles = dict(zip(("j10.th", "j21.th", "j32.th"), a, strict=True))
        angles |= {"j43.th": c[0], "j54.th": c[1], "j65.th": back(c[2])}
        angles |= {"j76.th": back(d[0]), "j87.th": back(d[1]), "j80.th": back(d[2])}
        if levels == 2:
            a, c, d = arms[1]
            angles |= {"j90.th": a[0], "j109.th": a[1], "j103.th": back(a[2])}
            angles |= {"j113.th": c[0], "j1211.th": c[1], "j126.th": back(c[2])}
            angles |= {"j136.th": back(d[0]), "j1413.th": back(d[1]), "j140.th": back(d[2])}
        assert exact_rank(linkage, p, angles) == rank
        found += 1
