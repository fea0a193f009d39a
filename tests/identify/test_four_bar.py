"""A planar four-bar beside a derivation by hand, and beside the force balance of Berkof and Lowen 1969."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

GROUND, CRANK, COUPLER, ROCKER = 3.1, 1.0, 2.7, 2.2
LENGTHS = {"crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
PLANE = tuple(f"{bar}.{part}" for bar in LENGTHS for part in ("m", "hx", "hy", "Izz"))


def joints(angle):
    """Angles of coupler and rocker against the ground: the open branch, by two circles."""
    B = CRANK * np.exp(1j * angle)
    across = GROUND - B
    r = abs(across)
    a = (COUPLER**2 - ROCKER**2 + r * r) / (2 * r)
    C = B + across / r * (a + 1j * np.sqrt(COUPLER**2 - a * a))
    return np.angle(C - B), np.angle(C - GROUND)


@pytest.fixture(scope="module")
def base():
    m = da.Mechanism("four-bar")
    bars = {
        name: m.body(name, mass=1.5, centre=[l / 2, 0.1, 0], inertia=[0.3, 0.3, 0.4]) for name, l in LENGTHS.items()
    }
    m.join(da.earth, bars["crank"], da.revolute("z"), name="A")
    m.join(bars["crank"].at([CRANK, 0, 0]), bars["coupler"], da.revolute("z"), name="B")
    m.join(da.earth.at([GROUND, 0, 0]), bars["rocker"], da.revolute("z"), name="D")
    m.join(bars["coupler"].at([COUPLER, 0, 0]), bars["rocker"].at([ROCKER, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    second, third = joints(np.pi / 2)
    m.start.update({"A.th": np.pi / 2, "B.th": second - np.pi / 2, "D.th": third})
    return m.base_parameters()


def by_hand():
    """Changes of the inertias that no motion feels: a mass that is given to one side of a pin and taken from the other.

    Columns m, hx, hy, Izz of each bar about its first pin. Ground bears what is at A and D; B is the end of the crank
    and
    the origin of the coupler; C the end of coupler and rocker.
    """

    def mass_at(bar, x):
        row = np.zeros(12)
        k = 4 * list(LENGTHS).index(bar)
        row[k : k + 4] = 1, x, 0, x * x
        return row

    return np.array(
        [
            mass_at("crank", 0),
            mass_at("rocker", 0),
            mass_at("crank", CRANK) - mass_at("coupler", 0),
            mass_at("coupler", COUPLER) - mass_at("rocker", ROCKER),
        ]
    )


def energies(angle):
    """Rows of J and V of T = J w^2/2 with each inertia one: complex numbers, no code of the package."""
    step = 1e-5
    second, third = joints(angle)
    ahead, behind = joints(angle + step), joints(angle - step)
    rates = [1.0, *((np.array(ahead) - np.array(behind)) / (2 * step))]
    B = CRANK * np.exp(1j * angle)
    places = [(0j, 0j, angle), (B, 1j * B, second), (GROUND + 0j, 0j, third)]
    J, V = [], []
    for (origin, speed, turn), w in zip(places, rates, strict=True):
        e = np.exp(1j * turn)
        # |v + i w e (x + i y)|^2 = |v|^2 + 2 Re(conj(v) i w e (x + i y)) + w^2 |x + i y|^2
        cross = np.conj(speed) * 1j * w * e
        J += [abs(speed) ** 2, 2 * cross.real, 2 * (cross * 1j).real, w * w]
        V += [origin.imag, e.imag, (e * 1j).imag, 0.0]
    return J, V


@pytest.fixture(scope="module")
def felt():
    """What motions feel, by SVD: J and V of the twelve inertias at forty postures, less the constants of V."""
    rows = [energies(angle) for angle in np.linspace(0, 2 * np.pi, 40, endpoint=False)]
    J, V = (np.array(x) for x in zip(*rows, strict=True))
    return np.vstack([J, V - V.mean(axis=0)])


def combinations(base):
    """The rows beta = row . (the twelve inertias in the plane), and that others are not in them."""
    names = base.regressor.names
    rows = np.array([base.values(np.eye(len(names))[k]) for k in range(len(names))]).T
    inside = [names.index(x) for x in PLANE]
    assert np.abs(np.delete(rows, inside, axis=1)).max() == 0
    return rows[:, inside]


def test_eight_combinations_by_hand_by_singular_values_and_by_grouping(base, felt):
    sizes = np.linalg.norm(felt, axis=0)  # the masses of crank and rocker are at rest: nothing
    single = np.linalg.svd(felt / np.where(sizes > 0, sizes, 1), compute_uv=False)
    assert single[7] > 1e-3 * single[0]
    assert single[8] < 1e-8 * single[0]  # differences of 1e-5 are good to 1e-10
    assert np.abs(felt @ by_hand().T).max() < 1e-8
    ours = combinations(base)
    assert ours.shape == (8, 12)
    assert np.linalg.matrix_rank(ours) == 8 == 12 - np.linalg.matrix_rank(by_hand())
    np.testing.assert_allclose(ours @ by_hand().T, 0, atol=1e-12)


def test_force_balance_of_berkof_and_lowen_is_four_of_the_combinations(base, felt):
    """m1 r1 = m2 r2' a1/a2, th1 = th2'; m3 r3 = m2 r2 a3/a2, th3 = th2 + pi: then no posture needs an effort at rest.

    r2 is the centre of the coupler from B, r2' from C (Berkof and Lowen 1969, "A new method for completely force
    balancing
    simple linkages"). Their four conditions are rows over the inertias, which must be combinations of ours, and all of
    ours that weight feels.
    """
    at = {name: k for k, name in enumerate(PLANE)}
    theirs = np.zeros((4, 12))
    # crank h - a1/a2 (coupler h - a2 m), and rocker h + a3/a2 coupler h
    for k, part in enumerate(("hx", "hy")):
        theirs[k, at[f"crank.{part}"]], theirs[k, at[f"coupler.{part}"]] = 1, -CRANK / COUPLER
        theirs[2 + k, at[f"rocker.{part}"]], theirs[2 + k, at[f"coupler.{part}"]] = 1, ROCKER / COUPLER
    theirs[0, at["coupler.m"]] = CRANK
    ours = combinations(base)
    assert np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-10) == 8
    weight = felt[40:]
    assert np.linalg.matrix_rank(weight, tol=1e-10) == 4
    assert np.linalg.matrix_rank(np.vstack([weight, theirs]), tol=1e-10) == 4


def parallelogram(long, short, angle):
    m = da.Mechanism("parallelogram")
    bars = {
        name: m.body(name, mass=1.5, centre=[l / 2, l / 12, 0], inertia=[0.2 * l**2, 0.2 * l**2, 0.3 * l**2])
        for name, l in (("crank", short), ("coupler", long), ("rocker", short))
    }
    m.join(da.earth, bars["crank"], da.revolute("z"), name="A")
    m.join(bars["crank"].at([short, 0, 0]), bars["coupler"], da.revolute("z"), name="B")
    m.join(da.earth.at([long, 0, 0]), bars["rocker"], da.revolute("z"), name="D")
    m.join(bars["coupler"].at([long, 0, 0]), bars["rocker"].at([short, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start.update({"A.th": angle, "B.th": -angle, "D.th": angle})
    return m


def test_a_parallelogram_has_the_three_combinations_and_a_four_bar_is_told_by_the_nine_that_are_published(base):
    """Minimal parameter vectors of `fourbar2TE` and `fourbar1TE`: M. Schappler, HybrDyn, Universitaet Hannover 2020.

    Of the parallelogram with crank l: Izz1 + Izz3 + l^2 m2, hx1 + hx3 + l m2, hy1 + hy3. Of the four-bar those of its
    tree, which are not the least there are: l^2 m2 + Izz1, l m2 + hx1, hy1, and Izz, hx, hy of the two others.
    """
    long, short = 2.5, 1.2
    m = parallelogram(long, short, 1.0)

    def published(of_coupler, others):
        rows = np.zeros((len(of_coupler) + len(others), 12))
        at = {name: k for k, name in enumerate(PLANE)}
        for k, (parts, share) in enumerate([*of_coupler, *((one, 0.0) for one in others)]):
            rows[k, [at[x] for x in parts]] = 1
            rows[k, at["coupler.m"]] += share
        return rows

    theirs = published(
        [(("crank.Izz", "rocker.Izz"), short**2), (("crank.hx", "rocker.hx"), short), (("crank.hy", "rocker.hy"), 0.0)],
        [],
    )
    ours = combinations(m.base_parameters())
    assert ours.shape == (3, 12)
    assert np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-8) == 3
    nine = published(
        [(("crank.Izz",), CRANK**2), (("crank.hx",), CRANK)],
        [(x,) for x in ("crank.hy", *(f"{b}.{p}" for b in ("coupler", "rocker") for p in ("Izz", "hx", "hy")))],
    )
    assert np.linalg.matrix_rank(nine) == 9
    assert np.linalg.matrix_rank(np.vstack([combinations(base), nine]), tol=1e-10) == 9


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_rounding_of_postures_near_flat_ones_is_no_combination(unit):
    """A swinging parallelogram passes its flat posture, where rounding is divided by what still holds it."""
    draw = np.random.default_rng(7)
    for _ in range(3):
        base = parallelogram(*unit * draw.uniform(0.5, 3, 2), draw.uniform(0.3, 2.8)).base_parameters()
        assert len(base) == 3
        assert base.gap[0] < 1e-12 < 1e-3 < base.gap[1]
