"""The compiled mechanism obeys mechanics: its quantities agree with each other, by routes that share little."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert.codegen import CompiledMechanism, compile_mechanism
from dalembert.errors import ModelError
from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Mechanism, earth, free, prismatic, revolute, spherical
from parallelograms import parallelogram


def _crane() -> Mechanism:
    """A trolley with a spring, a hook on a rope, and a load that turns freely in three dimensions."""
    m = Mechanism("crane")
    trolley = m.body("trolley", mass="M", inertia=[0.1, 0.1, 0.1])
    hook = m.body("hook", mass=1.5, centre=[0, 0.02, "-l/2"], inertia=[0.2, 0.25, 0.1, 0.01, 0.02, -0.01])
    load = m.body("load", mass="mass", centre=[0.1, 0, -0.2], inertia=[1.0, 1.2, 0.9, 0.05, 0.0, 0.1])
    m.join(earth, trolley, prismatic("x").with_efforts(x="-k*x - c*x'"), name="rail")
    m.join(trolley, hook, revolute("y"), name="rope")
    end = m.frame("end", hook, Displacement(vector3([0, 0, "-l"])))
    m.join(end, load, spherical("bryant"), name="swivel")
    m.force(load, ["5*sin(w*t)", 0, 0])
    m.gravity = [0, 0, "-g"]
    m.given = {"M": 10.0, "l": 2.0, "mass": 4.0, "k": 30.0, "c": 1.0, "w": 2.0}
    return m


@pytest.fixture(scope="module")
def crane() -> CompiledMechanism:
    return compile_mechanism(_crane())


@pytest.fixture(scope="module")
def state() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.uniform(-1, 1, 5), rng.uniform(-1, 1, 5)


G = {"g": 9.81}


def test_accelerations_satisfy_the_equations_of_motion(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    a = crane.acceleration(q, u, 0.3, **G)
    residue = crane.mass_matrix(q, **G) @ a - crane.bias(q, u, **G) - crane.forces(q, u, 0.3, **G)
    assert np.abs(residue).max() < 1e-12


def test_inverse_dynamics_undoes_forward_dynamics(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    efforts = np.array([3.0, -1.0, 0.5, 0.2, -0.7])
    a = crane.acceleration(q, u, 0.3, efforts=efforts, **G)
    np.testing.assert_allclose(crane.inverse_dynamics(q, u, a, 0.3, **G), efforts, atol=1e-12)


def test_power_of_all_efforts_is_the_rate_of_energy(crane: CompiledMechanism, state: tuple) -> None:
    """Differences of the energy along the motion against the power of what is neither inertia nor gravity."""
    q, u = state
    values = {**G, "k": 0.0, "c": 3.0, "w": 0.0}
    a = crane.acceleration(q, u, **values)
    h = 1e-5

    def total(s: float) -> float:
        there = q + s * crane.rates(q, u) + s * s / 2 * a
        return float(sum(crane.energy(there, u + s * a, **values)))

    assert (total(h) - total(-h)) / (2 * h) == pytest.approx(-3.0 * u[0] ** 2, abs=1e-6)


def test_kinetic_energy_is_half_the_mass_matrix_in_the_speeds(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    assert crane.energy(q, u, **G).kinetic == pytest.approx(u @ crane.mass_matrix(q) @ u / 2, rel=1e-13)


def test_velocities_are_rates_of_positions(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    h = 1e-6
    ahead, behind = (crane.position("load", q + s * crane.rates(q, u)) for s in (h, -h))
    velocity = crane.velocity("load", q, u)
    np.testing.assert_allclose((ahead - behind) / (2 * h), velocity[3:], atol=1e-8)
    np.testing.assert_allclose(crane.jacobian("load", q) @ u, velocity, atol=1e-13)
    turn = crane.rotation("load", q)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)


def test_derivatives_of_accelerations_agree_with_differences(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    efforts = np.array([3.0, -1.0, 0.5, 0.2, -0.7])
    found = crane.acceleration_derivatives(q, u, 0.3, efforts=efforts, **G)
    h = 1e-6
    for k, slopes in enumerate(found):
        for j in range(5):
            sides = []
            for s in (h, -h):
                x = [q.copy(), u.copy(), efforts.copy()]
                x[k][j] += s
                sides.append(crane.acceleration(x[0], x[1], 0.3, efforts=x[2], **G))
            np.testing.assert_allclose((sides[0] - sides[1]) / (2 * h), slopes[:, j], atol=2e-7)


def test_derivatives_with_respect_to_parameters(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    found = crane.acceleration_sensitivity(["mass", "l"], q, u, 0.3, **G)
    h = 1e-6
    for j, (name, value) in enumerate([("mass", 4.0), ("l", 2.0)]):
        ahead, behind = (crane.acceleration(q, u, 0.3, **{**G, name: value + s}) for s in (h, -h))
        np.testing.assert_allclose((ahead - behind) / (2 * h), found[:, j], atol=1e-7)


def test_derivatives_of_inverse_dynamics_hold_the_mass_matrix(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    found = crane.inverse_dynamics_derivatives(q, u, np.ones(5), **G)
    np.testing.assert_allclose(found.efforts, crane.mass_matrix(q, **G), rtol=1e-13)
    forward = crane.acceleration_derivatives(q, u, efforts=crane.inverse_dynamics(q, u, np.ones(5), **G), **G)
    np.testing.assert_allclose(found.efforts @ forward.speeds, -found.speeds, atol=1e-11)


def test_batches_agree_with_single_states(crane: CompiledMechanism) -> None:
    rng = np.random.default_rng(9)
    q, u = rng.uniform(-1, 1, (2, 37, 5))
    times, masses = rng.uniform(0, 5, 37), rng.uniform(1, 5, 37)
    together = crane.acceleration(q, u, times, mass=masses, **G)
    alone = [crane.acceleration(*x, mass=m, **G) for *x, m in zip(q, u, times, masses, strict=True)]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-12)
    assert crane.mass_matrix(q).shape == (37, 5, 5)
    assert crane.energy(q, u, **G).potential.shape == (37,)
    assert crane.position("load", q).shape == (37, 3)


def test_the_right_side_joins_rates_and_accelerations(crane: CompiledMechanism, state: tuple) -> None:
    q, u = state
    found = crane.rhs(0.3, np.concatenate([q, u]), crane.parameter_vector(**G))
    np.testing.assert_allclose(found[:5], crane.rates(q, u), rtol=1e-15)
    np.testing.assert_allclose(found[5:], crane.acceleration(q, u, 0.3, **G), rtol=1e-12)


def test_quaternions_have_more_coordinates_than_speeds() -> None:
    m = Mechanism("top")
    top = m.body("top", mass=1, inertia=[1, 2, 3])
    m.join(earth, top, free("quaternion", speeds="body"), name="fly")
    f = compile_mechanism(m)
    assert (len(f.coordinates), len(f.speeds)) == (7, 6)
    at = dict.fromkeys(f.coordinates, 0.0)
    q = np.array([1.0 if name.endswith("0") else 0.0 for name in at])
    u = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    # Euler's equations: I w' = Iw x w
    np.testing.assert_allclose(
        f.acceleration(q, u)[3:], [(2 - 3) * 6 / 1, (3 - 1) * 3 / 2, (1 - 2) * 2 / 3], rtol=1e-14
    )
    d = f.acceleration_derivatives(q, u)
    assert d.coordinates.shape == (6, 7)
    assert d.speeds.shape == (6, 6)


def test_a_missing_parameter_is_named(crane: CompiledMechanism, state: tuple) -> None:
    with pytest.raises(ModelError, match=r"'crane' needs a value for 'g'.*g="):
        crane.acceleration(*state)
    assert math.isfinite(crane.mass_matrix(state[0])[0, 0])  # needs no gravity


def test_values_given_later_are_used(state: tuple) -> None:
    f = compile_mechanism(_crane())
    f.given["g"] = 1.0
    slow = f.acceleration(*state)
    f.given["g"] = 9.81
    assert not np.allclose(slow, f.acceleration(*state))


def test_an_unknown_parameter_gets_a_hint(crane: CompiledMechanism, state: tuple) -> None:
    with pytest.raises(ModelError, match=r"no parameter 'mas'. Did you mean 'mass'\?"):
        crane.acceleration(*state, mas=2.0, **G)


def test_an_unknown_frame_gets_a_hint(crane: CompiledMechanism, state: tuple) -> None:
    with pytest.raises(ModelError, match=r"no frame or body 'lod'. Did you mean 'load'\?"):
        crane.position("lod", state[0])


def test_a_parallelogram_accelerates_as_one_rotation() -> None:
    """Crank and rocker turn alike and the coupler only translates: one equation by hand, from the energy."""
    f = compile_mechanism(parallelogram())
    th, w = 0.7, 1.3
    values = {"a.th": th, "b.th": -th, "d.th": th, "c.th": th, "a.th'": w, "b.th'": -w, "d.th'": w}
    q, u = ([values[x] for x in names] for names in (f.coordinates, f.speeds))
    found = dict(zip(f.speeds, f.acceleration(q, u), strict=True))
    inertia = 2 * (0.1 + 0.25) + 2 * 1.0  # about the pivots; the coupler moves on a circle of radius 1
    exact = -9.81 * math.cos(th) * (2 * 0.5 + 2 * 1.0) / inertia
    assert found["a.th'"] == pytest.approx(exact, rel=1e-10)
    assert found["b.th'"] == pytest.approx(-exact, rel=1e-10)
    y = np.concatenate([q, u])
    np.testing.assert_allclose(f.corrected(y), y, atol=1e-12)
    # An effort on any angle turns the whole: power is the same.
    driven = f.acceleration(q, u, efforts=[1.0 if x == "d.th'" else 0.0 for x in f.speeds])
    assert dict(zip(f.speeds, driven, strict=True))["a.th'"] == pytest.approx(exact + 1 / inertia, rel=1e-10)
    slopes = f.acceleration_derivatives(q, u).efforts
    assert np.linalg.matrix_rank(slopes, tol=1e-9) == 1


def test_a_closed_loop_refuses_what_needs_a_tree() -> None:
    with pytest.raises(ModelError, match=r"closed loops \(links '[abcd]'\): many efforts"):
        compile_mechanism(parallelogram()).inverse_dynamics([0.0] * 4, [0.0] * 3, [0.0] * 3)
