"""Thirty closed machines through every exit, from one start, in units from 1e-6 to 1e6: one answer.

What is compared is dimensionless: each number over the unit it is made of (lengths over the machine's, rates over the
largest of their kind), so that no large machine hides the error of a small one.
"""

from __future__ import annotations

import functools
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from closed_machines import closed_machine, reference_state, unit_of
from closed_oracle import ClosedOracle

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import export_fmu, write_program
from dalembert.formalisms import formalism_names

SEEDS = range(20)
END = 0.3
AGREE = 1e-8


@dataclass(frozen=True)
class Case:
    """A machine in its units, and what the oracle says of it at its start."""

    m: da.Mechanism
    length: float
    speeds: np.ndarray  # of the tree, at the start
    accelerations: np.ndarray  # dimensionless: over the unit of length where they are lengths

    def level(self, names, values) -> np.ndarray:
        """Values of states over their units."""
        return np.array([v / (self.length if unit_of(self.m, x) == "length" else 1.0) for x, v in zip(names, values)])


@functools.cache
def case(seed: int) -> Case:
    rng = random.Random(seed)
    length, mass = (1.0, 1.0) if seed % 3 == 0 else (10.0 ** rng.randint(-6, 6), 10.0 ** rng.randint(-6, 6))
    plain, m = closed_machine(seed), closed_machine(seed, length, mass)
    oracle = ClosedOracle(plain, {**reference_state(plain), **plain.start})
    wanted = oracle.accelerations([plain.start[x] for x in oracle.tree_speeds])
    return Case(m, length, np.array([m.start[x] for x in oracle.tree_speeds]), wanted)


def close(found, wanted, tolerance: float = AGREE) -> None:
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    np.testing.assert_allclose(np.asarray(found) / scale, np.asarray(wanted) / scale, rtol=0, atol=tolerance)


@functools.cache
def motion(seed: int):
    one = case(seed)
    return one.m.simulate((0, END), rtol=1e-11, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_formalism_gives_the_accelerations_of_the_oracle(seed: int) -> None:
    one = case(seed)
    state = {ex.symbol(x): v for x, v in {**reference_state(one.m), **one.m.start}.items()}
    for name in formalism_names():
        eq = one.m.equations(name)
        close(one.level(eq.speeds, ex.evaluate(list(eq.accelerations), state)), one.accelerations)


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_accelerations_are_those_of_the_oracle(seed: int) -> None:
    one = case(seed)
    f = one.m.compile()
    q = [reference_state(one.m)[x] for x in f.coordinates]
    close(one.level(f.speeds, f.acceleration(q, one.speeds)), one.accelerations)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_motion_stays_closed_and_balances_its_energy(seed: int) -> None:
    mo = motion(seed)
    assert mo.success
    assert mo.quality.closure < 1e-10
    energy, work = mo.energy(), mo.work()
    scale = max(np.abs(mo.kinetic_energy()).max(), np.ptp(mo.potential_energy()), np.abs(work).max())
    assert np.abs(energy - energy[0] - work).max() < AGREE * scale


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="gcc or make is not installed")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_c_program_makes_the_same_motion(seed: int, tmp_path: Path) -> None:
    one, mo = case(seed), motion(seed)
    for name, text in write_program(one.m, "c", {"t_end": END, "t_step": END, "rtol": 1e-11, "atol": 1e-13}).items():
        (tmp_path / name).write_text(text)
    subprocess.run(["make", "motion"], cwd=tmp_path, capture_output=True, check=True, timeout=120)
    subprocess.run(["./motion"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    table = np.genfromtxt(tmp_path / "output.csv", delimiter=",", names=True, deletechars="")
    assert list(table.dtype.names)[1 : 1 + len(mo.names)] == list(mo.names)
    close(one.level(mo.names, [table[x][-1] for x in mo.names]), one.level(mo.names, mo.y[:, -1]))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_exported_unit_makes_the_same_motion(seed: int, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    one, mo = case(seed), motion(seed)
    path = export_fmu(one.m, tmp_path / "machine.fmu")
    run = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=END, output_interval=END, output=list(mo.names)
    )
    close(one.level(mo.names, [run[x][0] for x in mo.names]), one.level(mo.names, mo.y[:, 0]))
    close(one.level(mo.names, [run[x][-1] for x in mo.names]), one.level(mo.names, mo.y[:, -1]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_differential_algebraic_method_makes_the_same_motion(seed: int) -> None:
    one = case(seed)
    end, step = 1e-3, 1e-5
    direct = one.m.simulate((0, end), rtol=1e-11, atol=1e-13)
    coarse, fine = (one.m.simulate((0, end), method="DAE", max_step=h).y[:, -1] for h in (step, step / 2))
    extrapolated = (4 * fine - coarse) / 3  # the method is of second order
    close(one.level(direct.names, extrapolated), one.level(direct.names, direct.y[:, -1]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed % 10 not in (2, 4)])
def test_small_motions_are_the_differences_of_compiled_accelerations(seed: int) -> None:
    """Without gravity the posture that is drawn is one of rest for all springs."""
    one, step = case(seed), 2e-4
    m = da.loads(one.m.to_lsd())
    m.gravity, m.start = [0, 0, 0], {}
    found = m.linearize()
    f = m.compile()

    plain = set(found.coordinates) <= set(f.coordinates)
    deviating = found.states if plain else found.speeds  # the integral of a body's angular velocity is no coordinate

    def acceleration(state: str, deviation: float) -> np.ndarray:
        unit = one.length if unit_of(one.m, state) == "length" else 1.0
        y = f.start({**dict.fromkeys(deviating, 0.0), state: deviation * unit}).y
        q, u = y[: len(f.coordinates)], y[len(f.coordinates) :]
        return one.level(f.speeds, f.acceleration(q, u))[[f.speeds.index(x) for x in found.speeds]]

    def slope(state: str) -> np.ndarray:
        """Central differences of order six."""
        weights = {1: 45, 2: -9, 3: 1}
        found = [w * (acceleration(state, k * step) - acceleration(state, -k * step)) for k, w in weights.items()]
        return sum(found) / (60 * step)

    columns = [slope(x) for x in deviating]
    units = np.array([one.length if unit_of(one.m, x) == "length" else 1.0 for x in found.speeds])
    exact = np.array(ex.evaluate(list(found.state_matrix.entries), {})).reshape(2 * [len(found.states)])
    wanted = exact[len(found.coordinates) :] * np.tile(units, 2) / units[:, None]
    close(np.array(columns).T, wanted if plain else wanted[:, len(found.coordinates) :])


@pytest.mark.parametrize("unit", [1e6, 1e-6])
def test_reactions_exist_in_any_unit_of_time(unit: float) -> None:
    """Sarrus's linkage has one row too many, which agrees with the others to the rounding of what moves it."""
    m = closed_machine(19)
    m.gravity, m.start = [g / unit**2 for g in (0.3, -9.0, -2.5)], {x: v / unit for x, v in m.start.items()}
    found = m.reactions(m.simulate((0, 0.1 * unit)).state(0.1 * unit))
    plain = closed_machine(19)
    wanted = plain.reactions(plain.simulate((0, 0.1)).state(0.1))
    for name, one in wanted.items():
        close(found[name].wrench[one.determined] * unit**2 / 100, one.wrench[one.determined] / 100, 1e-6)
        assert list(found[name].determined) == list(one.determined)
