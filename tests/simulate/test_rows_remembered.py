"""Rows that did not count are left out of the factors until they do: nothing else changes, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate import simulate
from dalembert.simulate.sparse import machine as blocks
from dalembert.simulate.sparse.structure import Structure
from dalembert.simulate.system import large
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.large import LargeMachine


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    monkeypatch.setattr(large, "_EXPANDED", 0)
    monkeypatch.setattr(LargeMachine, "_rates", lambda *_: None)  # nobody takes over


class Both:
    """One machine twice: with a block for the rows that count, from the first state on, and without."""

    def __init__(self, m: da.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
        system = system_of(m)
        self.p = np.array([float(system.given[x]) for x in system.known_parameters])
        self.machines, self.made = list[LargeMachine](), list[int]()
        plain = Structure.of_rows
        monkeypatch.setattr(Structure, "of_rows", lambda *given: self.made.append(len(given[1])) or plain(*given))
        for patience in (1, 2**60):
            monkeypatch.setattr(blocks, "_PATIENCE", patience)
            self.machines.append(LargeMachine(system))
            assert self.machines[-1].entries

    def rates(self, y: np.ndarray) -> tuple[list[float], list[float]]:
        few, whole = (one.called(one.entries[0].rates, len(y), 0.0, y, self.p) for one in self.machines)
        return few.tolist(), whole.tolist()

    def moved_back(self, y: np.ndarray) -> tuple[list[float], list[float]]:
        states = [y.copy(), y.copy()]
        for one, state in zip(self.machines, states, strict=True):
            one.called_in_place(np.zeros(1), state, self.p)
        return states[0].tolist(), states[1].tolist()

    def count(self, y: np.ndarray) -> int:
        few, whole = (one.count(0.0, y, self.p) for one in self.machines)
        assert few == whole == len(self.machines[1].solver(self.machines[1].tables(0.0, y, self.p)).kept)
        return few


def towers_of_parallelograms(size: float) -> da.Mechanism:
    """Four parallelograms on each other's coupler; each may stand flat, where branches meet."""
    m, carrier = da.Mechanism("parallelograms"), da.earth
    for k in range(4):
        a, b, c = (m.body(f"{x}{k}", mass=1 + k, centre=[size / 2, 0, 0], inertia=(0.1 * size**2 * np.ones(3)).tolist())
                   for x in "abc")  # fmt: skip
        m.join(carrier, a, da.revolute("z"), name=f"A{k}")
        m.join(a.at([size, 0, 0]), b, da.revolute("z"), name=f"B{k}")
        m.join(carrier.at([2 * size, 0, 0]), c, da.revolute("z"), name=f"D{k}")
        m.join(b.at([2 * size, 0, 0]), c.at([size, 0, 0]), da.revolute("z"), name=f"C{k}")
        carrier = b
    m.gravity = [0, -9.81 * size, 0]
    return m


def test_an_antenna_keeps_every_digit(families, monkeypatch):
    """Nearly half of its rows say nothing new where it is closed, and most of them do where it is open."""
    m = families.antenna_grid(2, 1.2, "-2*(th + 0.6) - th'")
    start = simulate(m, (0, 0), rtol=1e-6, atol=1e-9).y[:, 0]
    both, draw, found = Both(m, monkeypatch), np.random.default_rng(3), set()
    for k in range(12):
        y = start + (draw.normal(size=len(start)) * 10.0 ** draw.uniform(-12, 0) if k % 3 else 0.0)
        found.add(both.count(y))
        for few, whole in (both.rates(y), both.moved_back(y)):
            assert np.isfinite(whole).all()
            assert few == whole
    assert len(found) > 1
    assert both.made


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_rows_come_and_go_with_the_angle_of_each_cell(size, monkeypatch):
    """Any of the cells may be flat: which rows count is found anew, whatever counted before."""
    both, draw, found = Both(towers_of_parallelograms(size), monkeypatch), np.random.default_rng(1), set()
    names = list(system_of(towers_of_parallelograms(size)).states)
    for _ in range(40):
        y = np.zeros(len(names))
        for k in range(4):
            angle = draw.choice([0.0, 1e-7, 1e-3, 0.4, 1.0]) * draw.choice([-1, 1])
            for name, sign in (("A", 1), ("B", -1), ("D", 1), ("C", 1)):
                if f"{name}{k}.th" in names:
                    y[names.index(f"{name}{k}.th")] = sign * angle
                if f"{name}{k}.th'" in names:
                    y[names.index(f"{name}{k}.th'")] = 0.3 * sign
        found.add(both.count(y))
        few, whole = both.rates(y)
        assert few == whole
    assert len(found) > 2
    assert both.made


def test_a_motion_through_a_flat_posture_is_the_same_motion(monkeypatch):
    """Cells swing through the posture where branches meet, in the middle of a run."""
    motions = []
    for patience in (1, 2**60):
        monkeypatch.setattr(blocks, "_PATIENCE", patience)
        start = {f"A{k}.th": -0.4 for k in range(4)} | {f"A{k}.th'": 4.0 for k in range(4)}
        motions.append(simulate(towers_of_parallelograms(1.0), (0, 0.6), start=start, rtol=1e-8, atol=1e-10))
    assert motions[0].y.tolist() == motions[1].y.tolist()
    assert motions[0]["A0.th"].min() < 0 < motions[0]["A0.th"].max()
