"""Quantities of robotics against their definitions: sums over bodies, differences along motions, other roads."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.codegen import write_header, write_model


@pytest.fixture(scope="module")
def arm():
    """A tree with slides, hinges and a free base, its functions, and a batch of states."""
    m = da.Mechanism("tree")
    m.gravity = [0.3, -1, -9.81]
    rng = np.random.default_rng(3)
    below, joints = da.earth, ["free", "z", "slide", "x", "y"]
    for k, joint in enumerate(joints):
        points, weights = rng.standard_normal((5, 3)), rng.uniform(0.5, 1, 5)
        centre = weights @ points / weights.sum()
        second = (weights[:, None] * (points - centre)).T @ (points - centre)
        tensor = np.trace(second) * np.eye(3) - second
        body = m.body(
            f"b{k}", mass=float(weights.sum()), centre=centre.tolist(), inertia=((tensor + tensor.T) / 2).tolist()
        )
        kinds = {"free": da.free("quaternion"), "slide": da.prismatic("y")}
        m.join(below.at([0.1 * k, 0.2, 0.3]), body, kinds.get(joint) or da.revolute(joint), name=f"j{k}")
        below = body if k != 2 else m.bodies["b0"]
    f = m.compile()
    q, u = rng.standard_normal((4, len(f.coordinates))), rng.standard_normal((4, len(f.speeds)))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return m, f, q, u


def rate_of(function, f, q, u, h=1e-6):
    step = h * np.asarray(f.rates(q, u))
    return (np.asarray(function(q + step)) - np.asarray(function(q - step))) / (2 * h)


def test_weight_is_what_rest_needs(arm):
    _, f, q, u = arm
    np.testing.assert_allclose(f.gravity_compensation(q), f.inverse_dynamics(q, 0 * u, 0 * u), atol=1e-12)


def test_rates_of_jacobians_follow_the_motion(arm):
    _, f, q, u = arm
    np.testing.assert_allclose(f.jacobian_rate("b4", q, u), rate_of(lambda x: f.jacobian("b4", x), f, q, u), atol=1e-7)
    np.testing.assert_allclose(f.centroidal_rate(q, u), rate_of(f.centroidal_matrix, f, q, u), atol=1e-7)
    a = np.asarray(f.acceleration(q, u))
    moved = np.einsum("bij,bj->bi", f.jacobian("b4", q), a) + np.einsum("bij,bj->bi", f.jacobian_rate("b4", q, u), u)
    np.testing.assert_allclose(f.frame_acceleration("b4", q, u), moved, atol=1e-10)


def test_centroidal_momentum_is_the_sum_over_bodies(arm):
    m, f, q, u = arm
    mass = {name: float(b.mass.value) for name, b in m.bodies.items() if name != "earth"}
    local = {name: np.array([float(x.value) for x in m.bodies[name].centre]) for name in mass}
    for k in range(len(q)):
        centre = {n: f.position(n, q[k]) + f.rotation(n, q[k]) @ local[n] for n in mass}
        whole = sum(mass[n] * centre[n] for n in mass) / sum(mass.values())
        spin, push = np.zeros(3), np.zeros(3)
        for n, weight in mass.items():
            w, v = np.split(np.asarray(f.velocity(n, q[k], u[k])), 2)
            R = f.rotation(n, q[k])
            I = np.array([[float(x.value) for x in row] for row in m.bodies[n].inertia.matrix])
            p = weight * (v + np.cross(w, R @ local[n]))
            spin, push = spin + R @ I @ R.T @ w + np.cross(centre[n] - whole, p), push + p
        np.testing.assert_allclose(f.centroidal_momentum(q[k], u[k]), [*spin, *push], atol=1e-10)
        np.testing.assert_allclose(f.centroidal_matrix(q[k]) @ u[k], [*spin, *push], atol=1e-10)


def test_momentum_of_a_machine_in_space_changes_by_its_weight_alone(arm):
    m, f, q, u = arm
    a = np.asarray(f.acceleration(q, u))
    change = np.einsum("bij,bj->bi", f.centroidal_matrix(q), a) + np.einsum("bij,bj->bi", f.centroidal_rate(q, u), u)
    mass = sum(float(b.mass.value) for b in m.bodies.values())
    expected = np.tile([0, 0, 0, 0.3 * mass, -mass, -9.81 * mass], (len(q), 1))
    np.testing.assert_allclose(change, expected, atol=1e-9)


def test_operational_inertia_inverts_what_a_force_accelerates(arm):
    _, f, q, _ = arm
    M, J = f.mass_matrix(q), np.asarray(f.jacobian("b4", q))
    np.testing.assert_allclose(
        f.operational_mobility("b4", q), J @ np.linalg.solve(M, np.swapaxes(J, -1, -2)), atol=1e-12
    )
    for directions, part in (("all", slice(0, 6)), ("linear", slice(3, 6))):
        inertia = f.operational_inertia("b4", q, directions=directions)
        product = inertia @ np.asarray(f.operational_mobility("b4", q))[:, part, part]
        np.testing.assert_allclose(product, np.broadcast_to(np.eye(product.shape[-1]), product.shape), atol=1e-9)


def test_a_frame_that_cannot_move_everywhere_is_refused_in_any_unit():
    for unit in (1e-6, 1.0, 1e6):
        m = da.Mechanism("arm")
        rod = m.body("rod", mass=1, centre=[unit, 0, 0], inertia=[0, unit**2, unit**2])
        m.join(da.earth, rod, da.revolute("z"), name="p")
        with pytest.raises(da.SingularError, match="operational_mobility"):
            m.compile().operational_inertia("rod", [0.3])


@pytest.mark.parametrize(
    "quantity",
    ["gravity_compensation", "centroidal_matrix", "mass_matrix", "operational_mobility", "operational_inertia"],
)
def test_derivatives_are_slopes(arm, quantity):
    _, f, q, u = arm
    named = quantity.startswith("operational")
    called = getattr(f, quantity)
    slope = np.asarray(f.derivative(quantity, q, of="b4" if named else None))
    found = np.einsum("b...k,bk->b...", slope, f.rates(q, u))
    expected = rate_of((lambda x: called("b4", x)) if named else called, f, q, u)
    np.testing.assert_allclose(found, expected, atol=3e-7 * max(1, np.abs(expected).max()))


def test_derivatives_say_what_they_do_not_know(arm):
    _, f, q, _ = arm
    with pytest.raises(da.DalembertError, match="no quantity 'jacobean'"):
        f.derivative("jacobean", q)
    with pytest.raises(da.DalembertError, match="of="):
        f.derivative("jacobian", q)
    with pytest.raises(da.DalembertError, match="no parameter 'x'"):
        f.derivative("mass_matrix", q, by="x")


def test_loops_let_a_frame_move_as_they_allow():
    """A closed chain: the mobility of a frame is that of accelerations with a further force."""
    from linkages import four_bar

    m = four_bar([1.0, 3.0, 2.0], 3.0)
    f = m.compile()
    start = f.start()
    n = len(f.coordinates)
    q, u = start.y[:n], np.zeros(len(f.speeds))
    body = list(m.bodies)[2]
    J = np.asarray(f.jacobian(body, q))
    force = np.array([0, 0, 0, 0.3, 0.7, 0.0])
    change = np.asarray(f.acceleration(q, u, efforts=J.T @ force)) - np.asarray(f.acceleration(q, u))
    np.testing.assert_allclose(f.operational_mobility(body, q) @ force, J @ change, atol=1e-10)


#: Words for the source code, and the same numbers from machine code.
ASKED = {
    "gravity_compensation": lambda f, q, u: f.gravity_compensation(q),
    "centroidal_momentum": lambda f, q, u: f.centroidal_momentum(q, u),
    "centroidal_matrix": lambda f, q, u: f.centroidal_matrix(q),
    "centroidal_rate": lambda f, q, u: f.centroidal_rate(q, u),
    "jacobian:b1": lambda f, q, u: f.jacobian("b1", q),
    "jacobian_rate:b1": lambda f, q, u: f.jacobian_rate("b1", q, u),
    "operational_mobility:b1": lambda f, q, u: f.operational_mobility("b1", q),
    "jacobian:b1/coordinates": lambda f, q, u: f.derivative("jacobian", q, of="b1"),
    "bias/speeds": lambda f, q, u: f.derivative("bias", q, u, by="speeds"),
    "centroidal_momentum/l": lambda f, q, u: f.derivative("centroidal_momentum", q, u, by="l"),
    "inverse_dynamics": lambda f, q, u: f.inverse_dynamics(q, u, q),
    "inverse_dynamics/coordinates": lambda f, q, u: f.derivative("inverse_dynamics", q, u, q),
}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_compiled_c_gives_the_same_numbers_as_machine_code(tmp_path):
    m = da.Mechanism("arm")
    a = m.body("b0", mass=1, centre=[0.2, 0.1, 0], inertia=[0.1, 0.2, 0.3])
    b = m.body("b1", mass=2, centre=[0.3, 0, 0.1], inertia=[0.2, 0.2, 0.1])
    m.join(da.earth, a, da.revolute("z"), name="p")
    m.join(a.at(["l", 0, 0]), b, da.revolute("y"), name="q")
    m.gravity, m.given["l"] = [0, 0, -9.81], 0.7
    (tmp_path / "model.c").write_text(write_model(m, "c", also=[*ASKED]))
    header = write_header(m, also=[*ASKED])
    (tmp_path / "model.h").write_text(header)
    (tmp_path / "both.c").write_text('#include "model.h"\n#include "model.c"\n')  # prototypes and definitions agree
    command = ["gcc", "-std=c99", "-Wall", "-Werror", "-O0", "-shared", "-fPIC", "both.c", "-o", "model.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    library, f = ctypes.CDLL(str(tmp_path / "model.so")), m.compile()
    q, u = np.array([0.4, -0.8]), np.array([1.1, 0.6])
    arrays = {"t": np.zeros(1), "q": q, "u": u, "udot": q, "p": np.array([0.7])}
    for words, same in ASKED.items():
        name = words.replace(":", "_").replace("/", "_by_")
        line = next(x for x in header.splitlines() if f" {name}(" in x)
        takes = [x for x in arrays if f"*{x}," in line or f" {x}[" in line]
        told = np.asarray(same(f, q, u))
        out = np.full(told.size, np.nan)
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (*(arrays[k] for k in takes), out)]
        getattr(library, name)(*pointers)
        np.testing.assert_allclose(out, told.reshape(-1), rtol=1e-13, atol=1e-13)
    for wrong in ("jacobian", "bias:b1", "bias/nobody", "nothing"):
        with pytest.raises(da.DalembertError):
            write_model(m, "c", also=[wrong])
