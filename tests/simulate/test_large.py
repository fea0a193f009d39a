"""Large closed machines: the solve in numbers is the solve of the expanded code."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.constraints import numeric
from dalembert.constraints.numeric import RowNumbers
from dalembert.dynamics.dynamics import dynamics_of
from dalembert.simulate import simulate
from dalembert.simulate.system import large
from linkages import four_bar


def chain(n: int) -> da.Mechanism:
    """n parallelograms in a row with a damped spring in each coupler; redundant rows, own coordinates of cut links."""
    m = da.Mechanism("row")
    spring = da.revolute("z").with_efforts(th="-3*th - 0.1*th'")
    rods = []
    for i in range(n + 1):
        rod = m.body(f"v{i}", mass=1, centre=[0, 0.5, 0], inertia=[1 / 12, 0, 1 / 12])
        m.join(da.earth.at([i, 0, 0]), rod, da.revolute("z"), name=f"a{i}")
        rods.append(rod)
    for i in range(n):
        bar = m.body(f"h{i}", mass=1, centre=[0.5, 0, 0], inertia=[0, 1 / 12, 1 / 12])
        m.join(rods[i].at([0, 1, 0]), bar, spring, name=f"b{i}")
        m.join(bar.at([1, 0, 0]), rods[i + 1].at([0, 1, 0]), da.revolute("z"), name=f"c{i}")
    m.gravity = [0, -9.81, 0]
    return m


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(large, "_EXPANDED", 0)


def ball_loop() -> da.Mechanism:
    """A rod on two balls between two cranks: quaternions in the tree and in the cut link."""
    m = da.Mechanism("balls")
    a, b, c = (m.body(n, mass=1, centre=[0.2, 0, 0], inertia=[0.01, 0.02, 0.02]) for n in "abc")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([0.4, 0, 0]), b, da.spherical("quaternion"), name="B")
    m.join(da.earth.at([0.3, 0.5, 0.2]), c, da.revolute([0.1, 1, 0.2]), name="D")
    m.join(b.at([0.7, 0, 0]), c.at([0.4, 0, 0]), da.spherical("quaternion"), name="C")
    m.gravity = [0, 0, -9.81]
    return m


def described(which: str) -> tuple[da.Mechanism, dict[str, float]]:
    if which == "row":
        return chain(2), {"a0.th": 0.3, "a0.th'": -1.0}
    if which == "four-bar":
        return four_bar((0.2, 0.4, 0.35), 0.5), {"A.th": 1.0, "A.th'": 8.0}
    return ball_loop(), {"A.th": 0.3, "A.th'": 2.0}


@pytest.mark.parametrize("which", ["row", "four-bar", "balls"])
def test_numbers_and_expanded_code_give_the_same_motion(which, monkeypatch):
    motions = []
    for limit in (0, np.inf):
        monkeypatch.setattr(large, "_EXPANDED", limit)
        m, start = described(which)
        mo = m.simulate((0, 0.5), start=start, rtol=1e-11, atol=1e-12, t_eval=np.linspace(0, 0.5, 6))
        assert mo.system.large == (limit == 0)
        motions.append((mo, m))
    (one, m), (two, _) = motions
    assert np.abs(one.y - two.y).max() < 1e-9
    speed = m.layout().speeds[0]
    assert one[f"{speed}'"] == pytest.approx(two[f"{speed}'"], abs=1e-7)
    assert one.quality.closure < 1e-13
    assert one.quality.energy == pytest.approx(0, abs=1e-8)


def test_the_same_rows_count_near_a_singular_posture():
    """Numbers and expressions lose and find a row of the flat parallelogram at the same angle."""
    m = four_bar((1.0, 2.0, 1.0), 2.0)
    about = dynamics_of(m.layout())
    rows, kept = about.rows, about.resolved.kept
    tables = [*rows.matrix.entries, *rows.made_of.entries, *rows.seen.entries, *rows.scales]
    count, n = rows.matrix.shape
    before = np.array([0, 1], dtype=np.int64)
    for angle in np.geomspace(1e-7, 1e-3, 41):
        at = {"A.th": angle, "B.th": -angle, "D.th": angle, "C.th": angle}
        numbers = ex.evaluate([*tables, *kept], {ex.symbol(name): value for name, value in at.items()})
        flat = np.array(numbers, dtype=float)
        matrix, made_of, seen = flat[: 3 * count * n].reshape(3, count, n)
        scales, expected = flat[3 * count * n :][:n], flat[3 * count * n + n :]
        told = RowNumbers(matrix, made_of, seen, scales, np.array(rows.rounding))
        found = told.independent()
        assert found.tolist() == np.flatnonzero(expected).tolist()
        assert told.independent(guess=before).tolist() == found.tolist()
        before = found


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_counted_before_count_again_only_where_the_rule_keeps_them(seed):
    """A guess changes no answer: the right one is seen to be right, any other is not taken."""
    draw = np.random.default_rng(seed)
    n, rank = int(draw.integers(3, 9)), int(draw.integers(1, 6))
    matrix = draw.normal(size=(int(draw.integers(rank, 10)), rank)) @ draw.normal(size=(rank, n))
    matrix *= 10.0 ** draw.integers(-6, 7, size=(len(matrix), 1))
    matrix[draw.integers(len(matrix))] = 0.0
    told = RowNumbers(
        matrix, np.abs(matrix), matrix**2, 10.0 ** draw.integers(-3, 4, size=n), np.full(len(matrix), 4e-16)
    )
    found = told.independent()
    assert numeric._counts(matrix / told.scales, told._noise(), found, ())
    for k in range(len(matrix)):
        other = np.array(sorted({*found.tolist()} ^ {k}), dtype=np.int64)  # one more, or one less
        assert not numeric._counts(matrix / told.scales, told._noise(), other, ())
        assert told.independent(guess=other).tolist() == found.tolist()


def test_events_and_dense_output_do_not_know_which_it_is(everything_is_large, tmp_path):
    m, start = described("four-bar")
    mo = m.simulate((0, 2), start=start, events=da.Event("A.th - 2", terminal=True), rtol=1e-10, atol=1e-11)
    assert mo.status == 1
    assert mo["A.th"][-1] == pytest.approx(2.0, abs=1e-9)
    mo.save(tmp_path / "motion.npz")
    again = da.Motion.load(tmp_path / "motion.npz")
    middle = mo.t[-1] / 2
    assert again.sol(middle) == pytest.approx(mo.sol(middle), abs=1e-12)


def test_methods_that_need_expressions_refuse(everything_is_large):
    m, start = described("four-bar")
    with pytest.raises(da.SimulationError, match="solved in numbers"):
        m.simulate((0, 0.1), start=start, method="DAE")
    mo = m.simulate((0, 0.1), start=start, method="RODAS4")
    assert mo.success


def test_a_long_closed_chain_is_solved_in_numbers():
    """One loop has few rows; it is the mass matrix of its two arms that makes its code long."""
    for count, expected in ((10, False), (70, True)):
        m = da.Mechanism("ring")
        bodies = [da.earth, *(m.body(f"r{k}", mass=1) for k in range(1, count))]
        for k, (a, b) in enumerate(zip(bodies, [*bodies[1:], da.earth], strict=True)):
            m.join(a.at([k, k % 2, 0]), b.at([k, k % 2, 0]), da.revolute("z"), name=f"j{k}")
        assert large.is_large(dynamics_of(m.layout())) == expected


@pytest.mark.slow
def test_an_antenna_of_nine_cells_moves(families):
    """105 states, 64 rows, singular all along."""
    m = families.antenna_grid(3, 1.2, "-2*(th + 2)")
    mo = simulate(m, (0, 0.5), rtol=1e-9, atol=1e-11)
    assert mo.system.large
    energy = mo.energy()
    assert np.ptp(energy) < 1e-8 * np.abs(energy).max()
    assert mo.quality.closure < 1e-13
