"""Time derivatives without components: rotations turn, attached vectors are carried, Leibniz does the rest."""

import numpy as np

from dalembert import algebra as al
from dalembert import expr as ex

w = al.vector("w")
R = al.matrix("R", rotation=True, turning=w)
r = al.vector("r", constant=True)
u = al.vector("u", unit=True, constant=True)


def test_a_rotation_turns():
    assert al.dt(R) is ~w * R
    assert al.dt(R.T) is -(R.T * ~w)
    assert al.simplify(al.dt(R.T * R)) == 0
    assert al.simplify(al.dt(R * R.T)) == 0


def test_velocity_and_acceleration_of_an_attached_point():
    position = R * r
    assert al.dt(position) is al.cross(w, R * r)
    assert al.dt(al.dt(position)) is al.cross(al.dt(w), R * r) + al.cross(w, al.cross(w, R * r))


def test_euler_equation_of_a_rigid_body():
    J = al.matrix("J", symmetric=True, constant=True)
    inertia = R * J * R.T
    rate = al.dt(inertia * w)
    assert al.is_zero(rate - inertia * al.dt(w) - al.cross(w, inertia * w))


def test_a_carried_tensor_and_a_carried_vector():
    tensor = al.matrix("I", symmetric=True, turning=w)
    carried = al.vector("d", turning=w)
    assert al.dt(tensor) is ~w * tensor - tensor * ~w
    assert al.dt(carried) is al.cross(w, carried)
    assert al.is_zero(al.dt(al.norm(carried)))


def test_angular_velocities_add_up():
    S = al.matrix("S", rotation=True)
    assert al.angular_velocity(R * S) is w + R * al.vector("omega_S")
    assert al.angular_velocity(R.T) is -(R.T * w)
    assert al.is_zero(~al.angular_velocity(R * S) - al.dt(R * S) * (R * S).T)


def test_rotation_about_a_fixed_axis():
    th = ex.symbol("th")
    turn = al.rotation(u, th)
    assert al.angular_velocity(turn) is al.scalar("th'") * u
    free = al.vector("e", unit=True)
    spin = al.angular_velocity(al.rotation(free, th))
    assert al.dt(al.rotation(free, th)) is ~spin * al.rotation(free, th)
    assert al.is_zero(al.dt(al.rotation(free, th) * free) - al.dt(free))


def test_quaternion_of_a_turning_body():
    q = al.quaternion("q", unit=True, turning=w)
    assert al.is_zero(al.dt(q) - al.pair(0, w) * q / 2)
    assert al.is_zero(al.angular_velocity(q) - w)
    assert al.is_zero(al.dt(al.matrix_of(q)) - ~w * al.matrix_of(q))
    assert al.is_zero(al.dt(al.squared_norm(al.pair(al.scalar_part(q), al.vector_part(q)))))


def test_derivative_agrees_with_differentiated_components():
    """By components: every symbol a cubic of time, the derivative of the value is the value of the derivative."""
    a, b = al.vectors("a b")
    A = al.matrix("A")
    m = al.scalar("m")
    term = m**2 * al.dot(a, A * b) + al.norm(al.cross(a, b)) + al.det(A) / m + al.trace(A**-1 * A.T)
    rate = al.dt(term)
    t0, h = 0.3, 1e-6
    rng = np.random.default_rng(5)
    names = sorted({str(s) for s in ex.free_symbols([al.components(term)])})
    polynomials = {n: rng.uniform(0.5, 1.5, 3) for n in names}

    def values(t):
        found = {}
        for n, p in polynomials.items():
            found[ex.symbol(n)] = np.polyval(p, t)
            found[ex.symbol(n + "'")] = np.polyval(np.polyder(p), t)
        return found

    def value(part, t):
        return ex.evaluate([al.components(part)], values(t))[0]

    numeric = (value(term, t0 + h) - value(term, t0 - h)) / (2 * h)
    assert abs(numeric - value(rate, t0)) < 1e-6 * abs(numeric)


def test_constants_and_scalars():
    m = al.scalar("m", constant=True)
    k = al.scalar("k")
    v = al.vector("v")
    assert al.dt(m * v) is m * al.dt(v)
    assert al.dt(k * v) is al.scalar("k'") * v + k * al.dt(v)
    assert al.dt(k * v, constants=[k]) is k * al.dt(v)
    assert str(al.dt(al.dt(v))) == "v''"
    assert al.dt(al.scalar(ex.sin(ex.symbol("th")))) is al.scalar("th'") * al.scalar(ex.cos(ex.symbol("th")))
    assert al.dot(al.vector("e", unit=True), al.dt(al.vector("e", unit=True))) == 0
