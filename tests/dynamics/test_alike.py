"""Trees by kinds of joints: loops over their nodes give the accelerations of the formulas of every node."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.codegen.alike import AlikeCode
from dalembert.dynamics import alike, dynamics_of
from dalembert.dynamics.dynamics import Dynamics
from dalembert.mechanism import Joint, Layout, Mechanism, earth
from random_mechanisms import random_joint


def _tree(seed: int, count: int, length: float = 1.0, mass: float = 1.0) -> Mechanism:
    """Three kinds of joints, loaded or not, again and again on random bodies, in other units of length and mass."""
    rng = random.Random(seed)
    m, bodies = Mechanism(f"tree {seed}"), [earth]
    drawn = (random_joint(rng) for _ in range(99))
    joints = list(itertools.islice((x for x in drawn if _stands_alone(x)), 3))
    for k in range(count):
        centre = [length * rng.uniform(-0.3, 0.3) for _ in range(3)]
        inertia = [mass * length**2 * rng.uniform(0.5, 0.6) for _ in range(3)]
        weight = "m" if rng.random() < 0.2 else mass * rng.uniform(1, 2)
        body = m.body(f"b{k}", weight, centre, inertia)
        offset = [length * rng.uniform(-0.5, 0.5) for _ in range(3)]
        m.join(rng.choice(bodies[-3:]).at(offset), body, joints[k % 3], name=f"j{k}")
        bodies.append(body)
    m.gravity = [0.3 * length, "g", -9.81 * length]
    return m


def _stands_alone(joint: Joint) -> bool:
    """Every speed moves one of its steps, and no step pushes on bodies; free bodies on each other lose all digits."""
    if any(step.is_loaded for step in joint.steps) or len(joint.parameters) > 4:
        return False
    m = Mechanism("one")
    m.join(earth, m.body("b", 1, [0, 0, 0], [1, 1, 1]), joint, name="j")
    return not dynamics_of(Layout.of(m)).tree.shares_speeds()


def _code(about: Dynamics, found: alike.Alike) -> tuple[AlikeCode, object, list[str]]:
    symbols = [*about.state.coordinates, *about.state.speeds]
    names = sorted(x.name for x in about.parameters)
    states = tuple(map(ex.symbol, symbols))
    inputs = [[ex.TIME], states, [ex.symbol(x) for x in names]]
    library = compile_functions(
        [Function("kinematics", inputs, about.rates), Function("rates", inputs, [*about.rates, *about.accelerations()])]
    )
    return AlikeCode(found, states, names, library["kinematics"]), library["rates"], names


@pytest.mark.parametrize("seed", range(6))
def test_kinds_of_joints_move_as_formulas_of_every_node_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "_ALIKE", 0)
    length, mass = random.Random(seed).choice([(1.0, 1.0), (1e-3, 1e-6), (1e3, 1e2)])
    about = dynamics_of(Layout.of(_tree(seed, 6, length, mass)))
    found = alike.alike(about.recursion)
    assert found is not None
    code, rates, names = _code(about, found)
    rng = np.random.default_rng(seed)
    y, p = rng.normal(size=(4, len(about.state))), rng.uniform(0.5, 1.5, len(names))
    for group in about.state.quaternions:
        place = [about.state.coordinates.index(x) for x in group]
        y[:, place] /= np.linalg.norm(y[:, place], axis=1)[:, None]
    ours, theirs = code([0.3], y, p), rates([0.3], y, p)  # type: ignore[operator]
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9 * float(np.abs(theirs).max()))
    np.testing.assert_array_equal(code([0.3], y[1], p), ours[1])


def test_nodes_that_differ_in_numbers_alone_are_of_one_kind() -> None:
    about = dynamics_of(Layout.of(_chain(40)))
    found = alike.alike(about.recursion)
    assert found is not None
    assert len(found.kinds) <= 4  # on earth, between (products that stood before elsewhere are turned), at the end
    assert found.operations == sum(found.kinds[k].operations for k in found.of)


def test_an_exponent_that_is_also_a_mass_stays_an_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two and of three, as the masses of their own bodies are."""
    monkeypatch.setattr(alike, "_ALIKE", 0)
    m, last = Mechanism("powers"), earth
    for k in range(4):
        body = m.body(f"b{k}", 2 + k % 2, [0.1, 0.2, 0.3], [1, 1, 1])
        joint = da.prismatic("x").with_efforts(x=f"-x**{2 + k % 2}")
        m.join(last.at([0.1, 0, 0]), body, joint, name=f"j{k}")
        last = body
    about = dynamics_of(Layout.of(m))
    found = alike.alike(about.recursion)
    assert found is not None
    code, rates, _ = _code(about, found)
    y = -np.arange(1, 9.0)
    np.testing.assert_allclose(code([0.0], y, []), rates([0.0], y, []), rtol=1e-12)  # type: ignore[operator]


def test_a_force_on_a_body_is_left_to_formulas() -> None:
    m = _chain(20)
    m.force(m.bodies["b19"].frame, [1, 0, 0])
    assert alike.alike(dynamics_of(Layout.of(m)).recursion) is None


def _chain(n: int) -> Mechanism:
    rng, last = np.random.default_rng(n), earth
    m = Mechanism(f"chain of {n}")
    for k in range(n):
        body = m.body(f"b{k}", rng.uniform(1, 2), rng.normal(size=3).tolist(), rng.uniform(0.5, 0.6, 3).tolist())
        joint = da.revolute("z").with_efforts(th=f"-{rng.uniform(1, 2)}*th - c*th'")
        m.join(last.at([0.5, rng.uniform(), 0]), body, joint, name=f"j{k}")
        last = body
    m.gravity, m.given = [0, -9.81, 0], {"c": 0.3}
    return m
