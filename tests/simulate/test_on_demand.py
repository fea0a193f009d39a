"""Long trees: the motion by kinds of joints is that of the formulas, which are there for those who ask."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import alike, dynamics
from dalembert.mechanism import earth
from dalembert.mechanism.state import State
from dalembert.simulate.system.corners import corners_of
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.on_demand import OnDemand


def _chain(n: int) -> da.Mechanism:
    rng, last = np.random.default_rng(n), earth
    m = da.Mechanism(f"chain of {n}")
    for k in range(n):
        body = m.body(f"b{k}", 1 + rng.uniform(), rng.normal(size=3).tolist(), rng.uniform(0.5, 0.6, 3).tolist())
        joint = da.revolute("xyz"[k % 2]).with_efforts(th="-k*th - c*th'")
        m.join(last.at([0.5, 0, 0.1]), body, joint, name=f"j{k}")
        last = body
    m.gravity, m.given, m.start = [0, 0, -9.81], {"c": 0.3, "k": 2.0}, {"j0.th": 0.4, "j3.th'": 1.0}
    return m


@pytest.fixture
def every_tree_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "LONG", 0)
    monkeypatch.setattr(alike, "_ALIKE", 0)


def test_the_motion_is_that_of_the_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "_ALIKE", 0)
    motions = []
    for limit in (0, 10**9):
        monkeypatch.setattr(alike, "LONG", limit)
        m = _chain(12)
        mo = m.simulate((0, 0.5), rtol=1e-11, t_eval=np.linspace(0, 0.5, 5), events=da.Event("j0.th", terminal=False))
        assert isinstance(mo.system.rates, OnDemand) == (limit == 0)
        motions.append(mo)
    one, two = motions
    np.testing.assert_allclose(one.y, two.y, atol=1e-9)
    for asked in ("j7.th''", "total.T", "b11.X''"):
        np.testing.assert_allclose(one[asked], two[asked], rtol=1e-7, atol=1e-8 * np.abs(two[asked]).max())
    assert one.system.parameters == two.system.parameters == ("c", "k")
    assert one.events["j0.th"] == pytest.approx(two.events["j0.th"], abs=1e-9)
    assert one.quality.energy == pytest.approx(0, abs=1e-9)


@pytest.mark.usefixtures("every_tree_is_long")
def test_a_motion_asks_for_no_formulas_of_accelerations(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("formulas of u' were made")

    monkeypatch.setattr(dynamics.Dynamics, "_free", refuse)
    mo = _chain(13).simulate((0, 0.1), events=da.Event("j0.th"))
    assert mo.success
    assert mo.quality.energy is not None
    assert len(mo["j7.th''"]) == len(mo.t)


@pytest.mark.usefixtures("every_tree_is_long")
def test_formulas_are_there_for_those_who_ask() -> None:
    system = system_of(_chain(16))
    about = dynamics.dynamics_of(system.layout)
    assert isinstance(system.rates, OnDemand)
    assert len(system.rates) == 32
    assert system.rates[:16] == tuple(about.rates)
    assert tuple(system.rates) == (*about.rates, *about.accelerations())
    assert system.rates[-1] is about.accelerations()[-1]
    assert tuple(pickle.loads(pickle.dumps(system.rates))) == tuple(system.rates)
    assert system.solved_by.startswith("loops")
    stiff = _chain(6).simulate((0, 0.1), method="RADAU5", rtol=1e-9)
    free = _chain(6).simulate((0, 0.1), rtol=1e-11)
    np.testing.assert_allclose(stiff.y[:, -1], free.y[:, -1], atol=1e-6)


@pytest.mark.usefixtures("every_tree_is_long")
def test_a_motion_is_kept_and_read_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("formulas of u' were made")

    monkeypatch.setattr(dynamics.Dynamics, "_free", refuse)
    mo = _chain(14).simulate((0, 0.1))
    mo.save(tmp_path / "long.npz")
    read = da.Motion.load(tmp_path / "long.npz")
    assert isinstance(read.system.rates, OnDemand)
    assert isinstance(pickle.loads(pickle.dumps(mo.system)).rates, OnDemand)
    np.testing.assert_array_equal(read.y, mo.y)
    np.testing.assert_allclose(read.sol(0.05), mo.sol(0.05), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(read["b13.X''"], mo["b13.X''"], rtol=1e-9)


@pytest.mark.usefixtures("every_tree_is_long")
def test_a_motion_of_a_tree_makes_no_square_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10,000 bodies one of 100,000,000 entries: Jacobians, and what moves by which speed."""

    whole = ex.jacobian

    def small(exprs: Sequence[ex.Expr], variables: Sequence[ex.Expr]) -> list[list[ex.Expr]]:
        assert len(exprs) * len(variables) < 15 * 15, f"a table of {len(exprs)} by {len(variables)} was made"
        return whole(exprs, variables)

    monkeypatch.setattr(ex, "jacobian", small)
    mo = _chain(15).simulate((0, 0.1))
    assert mo.success
    assert len(mo.y) == 30


@pytest.mark.usefixtures("every_tree_is_long")
@pytest.mark.parametrize("bodies", [17, 62])
def test_a_start_lists_all_names_a_few_times_whatever_the_length(bodies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for each state is the square of the length."""
    listed = 0

    def names(state: State) -> tuple[str, ...]:
        nonlocal listed
        listed += 1
        return (*state.coordinates, *state.speeds)

    monkeypatch.setattr(State, "names", property(names))
    assert _chain(bodies).simulate((0, 0.01)).success
    assert 0 < listed < 12


def test_quaternions_are_found_in_a_state_where_their_names_stand() -> None:
    m = da.Mechanism("balls")
    last: da.Body = earth
    for i in range(3):
        body = m.body(f"b{i}", mass=1, inertia=[1, 2, 2.5])
        m.join(last, body, da.spherical("quaternion"), name=f"j{i}")
        last = body
    system = m.simulate((0, 0.01)).system
    told = [tuple(system.states[k] for k in rows) for rows in system.quaternion_rows]
    assert len(told) == 3
    assert told == list(system.quaternions)


@pytest.mark.usefixtures("every_tree_is_long")
def test_a_parameter_that_is_missing_is_asked_for() -> None:
    m = _chain(16)
    m.given = {"c": 0.3}
    with pytest.raises(da.SimulationError, match="'k'"):
        m.simulate((0, 0.1))


@pytest.mark.usefixtures("every_tree_is_long")
def test_corners_of_time_are_found_in_what_the_nodes_are_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pulse on a chain at rest, from 2 s to 2.1 s; its instants are those of the formulas."""
    motions = []
    for limit in (0, 10**9):
        monkeypatch.setattr(alike, "LONG", limit)
        m = _chain(9)
        m.gravity, m.start = [0, 0, 0], {}
        pulse = "max(t - a, 0) - 2*max(t - a - w/2, 0) + max(t - a - w, 0)"
        tip = m.body("tip", mass=1, centre=[0.2, 0, 0], inertia=[0.1, 0.1, 0.1])
        m.join(m.bodies["b8"].at([0.5, 0, 0]), tip, da.revolute("z").with_efforts(th=pulse), name="tip")
        m.given |= {"a": 2.0, "w": 0.1}
        system = system_of(m)
        assert isinstance(system.rates, OnDemand) == (limit == 0)
        numbers = [float(m.given[x]) for x in system.known_parameters]
        assert corners_of(system)(numbers, (0.0, 10.0)) == pytest.approx((2.0, 2.05, 2.1), abs=1e-14)
        motions.append(m.simulate((0, 10), rtol=1e-9, atol=1e-13))
    one, two = (mo.y[:, -1] for mo in motions)
    assert np.abs(two).max() > 1e-6
    np.testing.assert_allclose(one, two, atol=1e-8 * np.abs(two).max())
