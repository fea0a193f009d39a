"""Stiff methods have the derivatives of a tree from the recursion over its joints: with its time, in every thread."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen.varied_rates import VariedRates
from dalembert.mechanism import Mechanism, earth, prismatic, revolute
from dalembert.simulate import simulate
from dalembert.simulate.system.compiled import native_jacobian
from dalembert.simulate.system.from_mechanism import system_of


def _driven(seed: int, count: int = 9) -> Mechanism:
    """A random tree whose joints have springs, dampers and efforts that follow time; speeds go with parameters."""
    rng = random.Random(seed)
    m, bodies = Mechanism(f"driven tree {seed}"), [earth]
    for k in range(count):
        body = m.body(f"b{k}", rng.uniform(1, 2), [rng.uniform(-0.2, 0.2) for _ in range(3)], [0.5, 0.6, 0.55])
        kind, axis = rng.choice([revolute, revolute, prismatic]), rng.choice("xyz")
        x = "th" if kind is revolute else "x"
        joint = kind(axis).with_efforts(**{x: f"-c*{x} - d*{x}' + {rng.uniform(0, 1):.3f}*sin(3*t)*cos({x})"})
        m.join(rng.choice(bodies[-3:]).at([0.1, 0.2, 0.3]), body, joint, name=f"j{k}")
        bodies.append(body)
    m.gravity = [0, 0, "-g"]
    m.given = {"g": 9.81, "c": 40.0, "d": 2.0}
    return m


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_a_driven_tree_have_the_derivatives_of_their_formulas(seed: int) -> None:
    system = system_of(_driven(seed))
    found = native_jacobian(system)
    assert isinstance(found, VariedRates)
    rng, n = np.random.default_rng(seed), len(system.states)
    t, p = np.array([0.7]), np.array([{"g": 9.81, "c": 40.0, "d": 2.0}[x] for x in system.known_parameters])
    states = rng.normal(size=(12, n))

    def at(y: np.ndarray) -> np.ndarray:
        out = np.full(n * n + n, np.nan)
        found.function(t.ctypes.data, y.ctypes.data, p.ctypes.data, out.ctypes.data)
        return out

    with ThreadPoolExecutor(4) as crew:  # who comes while the memory is in use takes some of its own
        results = list(crew.map(at, states))
    rows = ex.jacobian(system.rates, [*system.symbols, ex.TIME])
    formulas = [*(x for row in rows for x in row[:-1]), *(row[-1] for row in rows)]
    names = [*system.symbols, ex.TIME, *map(ex.symbol, system.known_parameters)]
    for y, result in zip(states, results, strict=True):
        values = dict(zip(names, [*y, 0.7, *p], strict=True))
        expected = np.array(ex.evaluate(formulas, values), dtype=float)
        np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_a_stiff_method_follows_a_driven_tree_as_an_explicit_one_does() -> None:
    m = _driven(5)
    stiff = simulate(m, (0, 0.5), method="RADAU5", rtol=1e-9, atol=1e-10)
    other = simulate(m, (0, 0.5), method="DOP853", rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(stiff.y[:, -1], other.y[:, -1], rtol=1e-6, atol=1e-7)


def test_a_machine_with_forces_from_outside_keeps_its_formulas() -> None:
    m = _driven(1)
    m.force(m.bodies["b8"], [1.0, 0, 0])  # fixed in earth: its moments vary with every joint before it
    assert not isinstance(native_jacobian(system_of(m)), VariedRates)
