"""Random closed machines, started from consistent, partial, rounded and contradicting values."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics.closing import Loops
from dalembert.dynamics.dynamics import dynamics_of
from dalembert.dynamics.start import closed_start
from dalembert.mechanism import Layout
from random_loops import random_linkage

#: One of each family is quick; more of them are slow.
SEEDS = [
    pytest.param(seed, marks=[pytest.mark.slow] if seed in (2, 6, 7, 8) or seed > 12 else []) for seed in range(26)
]


def posture(m: da.Mechanism, rng: np.random.Generator) -> dict[str, float]:
    """A closed posture away from the one in which the machine is drawn, where it can leave it."""
    for size in (0.4, 0.2, 0.1, 0.02):
        for name in rng.permutation(list(Layout.of(m).state.coordinates)):
            try:
                return closed_start(Layout.of(m), {name: m.start.get(name, 0.0) + size}).values
            except da.SimulationError:
                continue
    return closed_start(Layout.of(m)).values


def loops_at(m: da.Mechanism, values: dict[str, float]) -> tuple[Loops, np.ndarray]:
    closure = dynamics_of(Layout.of(m)).closure
    x = np.array([[values[name] for name in closure.coordinates]])
    return Loops(closure, 0.0, m.given, closure.scales(x, 0.0, m.given)), x


def freedoms(m: da.Mechanism, values: dict[str, float]) -> np.ndarray:
    """Speeds (of tree and cut links) that the loops allow, as columns."""
    loops, x = loops_at(m, values)
    slopes, _ = loops.speed_slopes(x)
    _, s, vt = np.linalg.svd(slopes[0])
    return (vt[int((s > 1e-6).sum()) :] * loops.scales.speeds).T


@pytest.fixture(scope="module", params=SEEDS)
def closed_machine(request: pytest.FixtureRequest) -> tuple[da.Mechanism, dict[str, float], int]:
    """A machine without a start of its own, a closed posture of it, and the seed of both; its tests run together."""
    m = random_linkage(request.param)
    closed = posture(m, np.random.default_rng(request.param))
    m.start.clear()
    return m, closed, request.param


def test_starts_of_random_machines(closed_machine: tuple[da.Mechanism, dict[str, float], int]) -> None:
    m, closed, seed = closed_machine
    rng, layout = np.random.default_rng(seed), Layout.of(m)
    loops, x = loops_at(m, closed)
    assert loops.at(x).size[0] < 1e-11
    positions = {name: closed[name] for name in layout.state.coordinates}

    # all given: nothing moves
    again = closed_start(layout, positions)
    assert not again.moved
    assert all(abs(again.values[name] - value) < 1e-9 for name, value in positions.items())

    # some given: kept to the last digit
    some = {name: value for name, value in positions.items() if rng.random() < 0.5}
    again = closed_start(layout, some)
    assert all(again.values[name] == pytest.approx(value, abs=1e-9) for name, value in some.items())
    assert loops.at(np.array([[again.values[name] for name in layout.state.coordinates]])).size[0] < 1e-11

    # rounded: closes near by, and says what moved
    rounded = {name: round(value, 4) for name, value in positions.items()}
    again = closed_start(layout, rounded)
    assert loops.at(np.array([[again.values[name] for name in layout.state.coordinates]])).size[0] < 1e-11
    for one in again.moved:
        assert one.old == rounded[one.name]
        assert one.new == again.values[one.name]
    silent = {*rounded} - {one.name for one in again.moved}
    assert all(abs(again.values[name] - rounded[name]) < 1e-7 for name in silent)

    # speeds that the loops allow are kept, others are refused by name
    speeds = loops.closure.speeds
    allowed = freedoms(m, closed)
    w = allowed @ rng.normal(size=allowed.shape[1]) if allowed.size else np.zeros(len(speeds))
    again = closed_start(layout, {**positions, **dict(zip(speeds, w, strict=True))})
    assert not again.moved
    size = np.abs(w / loops.scales.speeds[0]).max(initial=0.0) or 1.0
    for j, _name in enumerate(speeds):
        other = w.copy()
        other[j] += size * loops.scales.speeds[0, j]
        direction = (other - w) / loops.scales.speeds[0]
        left = np.abs(loops.speed_slopes(x)[0][0] @ direction).max(initial=0.0)
        if left > 0.3 * size:
            with pytest.raises(da.SimulationError, match="contradicts itself"):
                closed_start(layout, {**positions, **dict(zip(speeds, other, strict=True))})


def test_a_closed_start_satisfies_the_rows_of_the_constraints(
    closed_machine: tuple[da.Mechanism, dict[str, float], int],
) -> None:
    """The start multiplies displacements in numbers; the rows are derived as expressions: two roads, one closure."""
    m, closed, seed = closed_machine
    rng, layout = np.random.default_rng(seed), Layout.of(m)
    speeds = dynamics_of(layout).closure.speeds
    allowed = freedoms(m, closed)
    w = allowed @ rng.normal(size=allowed.shape[1]) if allowed.size else np.zeros(len(speeds))
    start = closed_start(layout, {**closed, **dict(zip(speeds, w, strict=True))})
    rows = dynamics_of(layout).rows
    values = {ex.symbol(name): value for name, value in {**start.values, **m.given}.items()} | {ex.TIME: 0.0}
    left = ex.evaluate([*(gap for gap in rows.gap if gap is not None), *rows.conditions], values)
    assert np.abs(left).max(initial=0.0) < 1e-9 * max(1.0, np.abs(w).max(initial=0.0))


def test_postures_that_contradict_themselves_are_refused(
    closed_machine: tuple[da.Mechanism, dict[str, float], int],
) -> None:
    """All but one coordinate as closed; the other further off than anyone rounds."""
    m, closed, _ = closed_machine
    layout = Layout.of(m)
    loops, x = loops_at(m, closed)
    positions = {name: closed[name] for name in layout.state.coordinates}
    slopes = loops.slopes(x)[0]
    j = int(np.linalg.norm(slopes, axis=0).argmax())
    if np.linalg.norm(slopes[:, j]) < 0.3:
        pytest.skip("no coordinate of this machine is bound")
    name = layout.state.coordinates[j]
    wrong = {**positions, name: positions[name] + 0.3 * loops.scales.coordinates[0, j]}
    with pytest.raises(da.SimulationError, match="contradicts itself"):
        closed_start(layout, wrong)
