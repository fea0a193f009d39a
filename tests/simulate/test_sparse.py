"""The sparse solve in machine code is the solve by orthogonal factors: same rows, same motion, same correction."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics.lifted import Carried
from dalembert.kinematics import EARTH_NODE
from dalembert.mechanism.constraint import Constraint, Holonomic
from dalembert.simulate import simulate
from dalembert.simulate.loop.native import text_in
from dalembert.simulate.sparse import native
from dalembert.simulate.sparse.fronts import Fronts
from dalembert.simulate.sparse.structure import Elimination
from dalembert.simulate.system import large
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.large import LargeMachine
from linkages import four_bar
from random_mechanisms import random_couplings


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    monkeypatch.setattr(large, "_EXPANDED", 0)


def ladder(draw: np.random.Generator, cells: int, heaviest: float = 10.0) -> da.Mechanism:
    """Closed cells of hinges and balls on each other's back, with random feet, centres and masses."""
    m = da.Mechanism("ladder")
    carrier = da.earth
    for i in range(cells):
        weights = heaviest ** draw.uniform(-1, 1, 3)
        a, b, c = (
            m.body(
                f"{x}{i}", mass=w, centre=draw.uniform(-0.3, 0.3, 3).tolist(), inertia=(0.1 * w * np.ones(3)).tolist()
            )
            for x, w in zip("abc", weights, strict=True)
        )
        m.join(carrier, a, da.revolute("z"), name=f"A{i}")
        m.join(a.at([0.4, 0, 0]), b, da.spherical("quaternion"), name=f"B{i}")
        m.join(carrier.at([0.3, 0.5, 0.2 + 0.05 * draw.uniform(-1, 1)]), c, da.revolute([0.1, 1, 0.2]), name=f"D{i}")
        m.join(b.at([0.7, 0, 0]), c.at([0.4, 0, 0]), da.spherical("quaternion"), name=f"C{i}")
        carrier = (a, c)[i % 2]
    m.gravity = [0, 0, -9.81]
    return m


def states(system, draw: np.random.Generator, count: int) -> list[np.ndarray]:
    """Anywhere: equations hold at open states too."""
    found = []
    for _ in range(count):
        y = draw.uniform(-1, 1, len(system.states))
        for group in system.quaternions:
            place = [system.states.index(x) for x in group]
            y[place] /= np.linalg.norm(y[place])
        found.append(y)
    return found


def both(m: da.Mechanism) -> tuple[LargeMachine, np.ndarray]:
    system = system_of(m)
    return system.machine, np.array([float(system.given[x]) for x in system.known_parameters])


@pytest.mark.parametrize("seed", range(3))
def test_sparse_and_orthogonal_factors_agree_at_random_states(seed, monkeypatch):
    monkeypatch.setattr(LargeMachine, "_rates", lambda *_: None)  # nobody takes over
    draw = np.random.default_rng(seed)
    m = ladder(draw, 1 + seed)
    machine, p = both(m)
    for y in states(system_of(m), draw, 5):
        assert machine.count(0.0, y, p) == len(machine.solver(machine.tables(0.0, y, p)).kept)
        dense, sparse = machine.rates(0.0, y, p), machine.called(machine.entries[0].rates, len(y), 0.0, y, p)
        assert sparse == pytest.approx(dense, rel=1e-9, abs=1e-9 * np.abs(dense).max())


@pytest.mark.parametrize("angle", [0.5, 1e-2, 1e-4, 1e-6, 0.0])
def test_rows_are_lost_and_found_at_the_same_angles(angle):
    """A parallelogram beside its flat posture: what the sparse solve leaves out is what the rule leaves out."""
    machine, p = both(four_bar((1.0, 2.0, 1.0), 2.0))
    y = np.array([angle, -angle, angle, angle, 0.1, -0.1, 0.1])
    assert machine.count(0.0, y, p) == len(machine.solver(machine.tables(0.0, y, p)).kept)
    dense, sparse = machine.rates(0.0, y, p), machine.called(machine.entries[0].rates, len(y), 0.0, y, p)
    assert sparse == pytest.approx(dense, abs=1e-13 / max(angle, 1e-5) * np.abs(dense).max())


def test_a_state_is_brought_back_to_the_same_place():
    """Two ways to the least move; further off they part by the square of it, as Newton's steps do."""
    draw = np.random.default_rng(5)
    m = ladder(draw, 2)
    machine, p = both(m)
    start = m.simulate((0, 0), start={"A0.th": 0.3, "A0.th'": 1.0}).y[:, 0]
    off = start + 1e-8 * draw.normal(size=len(start))
    dense, sparse = off.copy(), off.copy()
    machine.project(0.0, dense, p)
    time = np.zeros(1)
    machine.called_in_place(time, sparse, p)
    assert sparse == pytest.approx(dense, abs=1e-13)
    assert np.abs(sparse - off).max() > 1e-9


def test_where_masses_are_far_apart_orthogonal_factors_take_over():
    """Masses over twenty-four decades: the sparse factors see that they are not good enough, or are."""
    draw = np.random.default_rng(9)
    m = ladder(draw, 3, heaviest=1e12)
    machine, p = both(m)
    for y in states(system_of(m), draw, 3):
        found = machine.tables(0.0, y, p)
        rates = machine.called(machine.entries[0].rates, len(y), 0.0, y, p)[machine.coordinates :]
        kept = machine.solver(found).kept
        size = np.abs(found["matrix"][kept]) @ np.abs(rates) + np.abs(found["gamma"][kept])
        assert np.abs(found["matrix"][kept] @ rates - found["gamma"][kept]) == pytest.approx(
            0 * size, abs=1e-6 * size.max()
        )


@pytest.mark.parametrize("seed", range(1, 6))
def test_speeds_that_move_several_nodes_go_where_all_of_them_have_met(seed, monkeypatch):
    """Random trees with ropes, gears and cams under conditions: M of the nodes is M, and both solves agree."""
    monkeypatch.setattr(LargeMachine, "_rates", lambda *_: None)  # nobody takes over
    model, draw = random_couplings(seed), np.random.default_rng(seed)
    names = [x for link in model.links.values() for x in link.coordinates]
    asked = [ex.sin(ex.symbol(x)) - ex.symbol(y) * 0.7 for x, y in pairwise(names[:3])]
    kept = tuple(Constraint(f"c{k}", Holonomic((one,))) for k, one in enumerate(asked))
    system = system_of(replace(model, constraints=kept))
    p = draw.uniform(0.5, 1.5, len(system.known_parameters))
    for y in states(system, draw, 2):
        found = system.machine.tables(0.3, y, p)
        numbers = dict(zip(map(ex.symbol, (*system.states, *system.known_parameters)), (*y, *p), strict=True))
        mass = np.array(ex.evaluate(system.mass.entries, numbers | {ex.TIME: 0.3}), dtype=float)
        assert found["mass"].ravel() == pytest.approx(mass, abs=1e-13 * np.abs(mass).max())
        dense = system.machine.rates(0.3, y, p)
        sparse = system.machine.called(system.machine.entries[0].rates, len(y), 0.3, y, p)
        assert sparse == pytest.approx(dense, abs=1e-9 * np.abs(dense).max())


@pytest.mark.parametrize("make", ["scissor_lift", "n_four_bar"])
def test_the_work_of_a_tower_and_of_a_row_grows_with_their_length(families, make):
    """Loops along a chain, and loops side by side on earth: no front is as large as the machine."""
    small, large = (both(getattr(families, make)(n))[0].structure.whole for n in (8, 16))
    assert large.operations < 2.2 * small.operations
    assert max(one.width for one in large.fronts) == max(one.width for one in small.fronts)


def test_rows_between_branches_wait_for_all_that_have_a_part_in_them():
    """Four cranks on earth, held in two pairs and then crosswise: each speed and each row goes once."""
    nodes = [Carried(EARTH_NODE, (k,), (), ((ex.ONE,),), ((ex.ONE,),)) for k in range(4)]
    whole = Fronts.of(nodes, 4, [(2, 3), (0, 1), (0, 3)])
    assert sorted(place for front in whole.fronts for place in front.open_there[: front.gone]) == list(range(7))


def test_nothing_is_filled_that_the_structure_does_not_know():
    """Of random patterns, the dense factor has no entry elsewhere, and the structure none that is never filled."""
    draw = np.random.default_rng(2)
    for _ in range(20):
        n = int(draw.integers(2, 12))
        pattern = np.tril(draw.random((n, n)) < 0.25, -1)
        found = Elimination.of(n, list(zip(*np.nonzero(pattern), strict=True)))
        matrix = np.where(pattern, draw.normal(size=(n, n)), 0.0)
        factor = np.linalg.cholesky(matrix + matrix.T + 10 * n * np.eye(n))
        filled = np.zeros((n, n), dtype=bool)
        filled[found.row, np.repeat(np.arange(n), np.diff(found.start))] = True
        assert (filled == (np.tril(factor, -1) != 0)).all()
        assert found.operations == sum(int(k) * (int(k) + 3) // 2 for k in filled.sum(axis=0))


def test_the_text_in_the_package_is_that_of_its_sources():
    """After a change: `python -m dalembert.simulate.sparse.translate`."""
    assert text_in(native.SHIPPED, native.stamp()) is not None


@pytest.mark.parametrize(
    ("stages", "bar"), [(3, 2.0), (9, 2e-3), (9, 2e3), (20, 2.0), pytest.param(40, 2.0, marks=pytest.mark.slow)]
)
def test_every_row_of_a_tower_of_loops_counts(families, stages, bar):
    """What is unsure in a loop is not taken anew by each loop above it: one freedom is left, whatever the height."""
    m = families.scissor_lift(stages, bar=bar)
    machine, p = both(m)
    y = np.zeros(len(system_of(m).states))
    assert machine.count(0.0, y, p) == 2 * stages == len(system_of(m).speeds) - 1
    assert len(machine.solver(machine.tables(0.0, y, p)).kept) == 2 * stages


@pytest.mark.parametrize("bar", [2e-3, 2.0, 2e3])
def test_a_tall_scissor_lift_moves(families, bar):
    motion = simulate(families.scissor_lift(12, bar=bar), (0, 0.1 * np.sqrt(bar)), rtol=1e-8, atol=1e-10)
    assert motion.quality.closure < 1e-12
    assert motion.quality.energy < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("bar", [2e-3, 2e3])
def test_a_tower_of_sixty_stages_moves(families, bar):
    """Its loops close stage by stage; closed through the foot, one row of it was left out."""
    motion = simulate(families.scissor_lift(60, bar=bar), (0, 0.3 * np.sqrt(bar)), rtol=1e-8, atol=1e-10)
    machine = motion.system.machine
    p = np.array([motion.parameters[x] for x in motion.system.known_parameters])
    assert machine.count(0.0, motion.y[:, -1].copy(), p) == len(motion.system.speeds) - 1 == 120
    assert motion.quality.closure < 1e-12
    assert motion.quality.energy < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("cells", [6, 12])
def test_sparse_and_dense_rows_agree_on_long_ladders(cells):
    draw = np.random.default_rng(cells)
    m = ladder(draw, cells)
    machine, p = both(m)
    for y in states(system_of(m), draw, 3):
        assert machine.count(0.0, y, p) == len(machine.solver(machine.tables(0.0, y, p)).kept)
