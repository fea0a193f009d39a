"""An independent oracle: rigid-body dynamics in numbers only, by Taylor series in time along the motion.

Nothing of `dalembert.kinematics` or `dalembert.formalisms` is used: positions of every body are composed as series
c0 + c1 t + c2 t^2 in floating point, velocities and accelerations are read off their coefficients, and Newton-Euler
is projected on the velocities that unit speeds give (d'Alembert).
"""

from __future__ import annotations

import math

import numpy as np

from dalembert import expr as ex
from dalembert.mechanism import Displacement, Force, Layout, Mechanism, QuaternionTurn, Turn

ORDER = 3


class Series:
    """A truncated power series c[0] + c[1] t + c[2] t^2."""

    __slots__ = ("c",)

    def __init__(self, a, b=0.0, c=0.0):
        self.c = (a, b, c)

    @staticmethod
    def of(x):
        return x if isinstance(x, Series) else Series(float(x))

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        (a, b, c), (x, y, z) = self.c, Series.of(other).c
        return Series(a + x, b + y, c + z)

    __radd__ = __add__

    def __neg__(self):
        a, b, c = self.c
        return Series(-a, -b, -c)

    def __sub__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        (a, b, c), (x, y, z) = self.c, Series.of(other).c
        return Series(a - x, b - y, c - z)

    def __rsub__(self, other):
        return Series.of(other) - self

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        (a, b, c), (x, y, z) = self.c, Series.of(other).c
        return Series(a * x, a * y + b * x, a * z + b * y + c * x)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        (a, b, c), (x, y, z) = self.c, Series.of(other).c
        p = a / x
        q = (b - p * y) / x
        return Series(p, q, (c - p * z - q * y) / x)

    def __rtruediv__(self, other):
        return Series.of(other) / self

    def compose(self, f, df, ddf):
        a, b, c = self.c
        return Series(f(a), df(a) * b, df(a) * c + ddf(a) * b * b / 2)


def sin(x):
    return x.compose(math.sin, math.cos, lambda a: -math.sin(a))


def cos(x):
    return x.compose(math.cos, lambda a: -math.sin(a), lambda a: -math.cos(a))


def evaluate(e, values):
    """A description's expression on series, by a walk of its own."""
    found = {}
    for node in ex.topological([e]):
        args = [found[a] for a in node.args]
        if node.op == "const":
            value = Series(float(node.value))
        elif node.op == "pi":
            value = Series(np.pi)
        elif node.op == "symbol":
            value = values[node.name]
        elif node.op in ("sin", "cos"):
            value = (sin if node.op == "sin" else cos)(args[0])
        elif node.op == "pow":
            value = Series(1.0)
            for _ in range(int(node.args[1].value)):
                value = value * args[0]
        elif node.op == "sqrt":
            value = args[0].compose(math.sqrt, lambda a: 0.5 / math.sqrt(a), lambda a: -0.25 * a**-1.5)
        else:
            operate = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}
            operate |= {"div": lambda a, b: a / b, "neg": lambda a: -a}
            value = operate[node.op](*args)
        found[node] = value
    return found[e]


def skew(v):
    return np.array([[0 * v[0], -v[2], v[1]], [v[2], 0 * v[0], -v[0]], [-v[1], v[0], 0 * v[0]]])


def turn_matrix(one, values):
    if isinstance(one, Turn):
        angle, n = evaluate(one.angle, values), np.array([evaluate(x, values) for x in one.axis])
        k = skew(n)
        return np.eye(3) + sin(angle) * k + (1 - cos(angle)) * (k @ k)
    a, *v = (evaluate(x, values) for x in one.components)
    k = skew(np.array(v))
    return np.eye(3) + 2 * (a * k) + 2 * (k @ k)


def pose(displacement: Displacement, values):
    r = np.array([[Series(float(i == j)) for j in range(3)] for i in range(3)])
    for one in displacement.turns:
        r = r @ turn_matrix(one, values)
    return r, np.array([evaluate(x, values) for x in displacement.translation])


def then(a, b):
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def back(a):
    return a[0].T, -(a[0].T @ a[1])


def coefficient(a, k):
    return np.vectorize(lambda s: Series.of(s).c[k], otypes=[float])(a)


class Oracle:
    """Numbers of one mechanism at one state."""

    def __init__(self, mechanism: Mechanism, state: dict[str, float]) -> None:
        self.m, self.layout, self.state = mechanism, Layout.of(mechanism), state
        self.n = len(self.layout.speeds)
        zero = np.zeros(self.n)
        self.still = self.frames(self.path(zero, zero))
        self.units = [self.frames(self.path(row, zero)) for row in np.eye(self.n)]

    def path(self, u, udot):
        """Series of every coordinate for the given speeds and accelerations at the state."""
        speed = {s: Series(u[i], udot[i]) for i, s in enumerate(self.layout.speeds)}
        values = {name: Series(v) for name, v in self.state.items()}
        values["t"] = Series(self.state["t"], 1.0)
        for _ in range(ORDER):
            rates = self.rates(values, speed)
            for name, rate in rates.items():
                values[name] = Series(self.state[name], rate.c[0], rate.c[1] / 2)
        return values

    def rates(self, values, speed):
        found = {}
        for link in self.m.links.values():
            for step, placed, names in zip(
                link.joint.steps, link.placed_steps(), link.joint.speed_names_by_step(), strict=True
            ):
                us = [speed[f"{link.name}.{x}"] for x in names]
                if step.speeds == "rates":
                    found |= {f"{link.name}.{x[:-1]}": s for x, s in zip(names, us, strict=True)}
                    continue
                omega = np.array(us[-3:])
                found |= self.rotation_rates(placed.displacement.turns, omega, values)
                if len(us) == 6:
                    r, _ = pose(placed.displacement, values)
                    found |= {
                        x.name: v for x, v in zip(placed.displacement.translation, r @ np.array(us[:3]), strict=True)
                    }
        return found

    def rotation_rates(self, turns, omega, values):
        """e' = e (0, w) / 2 for a quaternion; angles by Cramer on the axes in the last frame."""
        if isinstance(turns[0], QuaternionTurn):
            a, *v = (values[x.name] for x in turns[0].components)
            v = np.array(v)
            scalar = -0.5 * (v @ omega)
            vector = 0.5 * (a * omega + skew(v) @ omega)
            return {x.name: s for x, s in zip(turns[0].components, [scalar, *vector], strict=True)}
        after, axes = np.array([[Series(float(i == j)) for j in range(3)] for i in range(3)]), []
        for one in reversed(turns):
            axes.append(after.T @ np.array([evaluate(x, values) for x in one.axis]))
            after = turn_matrix(one, values) @ after
        columns = np.array(axes[::-1]).T

        def det(m):
            return m[:, 0] @ (skew(m[:, 1]) @ m[:, 2])

        found = {}
        for k, one in enumerate(turns):
            m = columns.copy()
            m[:, k] = omega
            found[one.angle.name] = det(m) / det(columns)
        return found

    def frames(self, values):
        """Pose series of every body's reference frame."""
        poses = {
            "earth": (
                np.array([[Series(float(i == j)) for j in range(3)] for i in range(3)]),
                np.array([Series(0.0)] * 3),
            )
        }
        waiting = list(self.layout.tree)
        for one in waiting:
            link = one.link
            d = pose(link.first.displacement, values)
            for step in link.placed_steps():
                d = then(d, pose(step.displacement, values))
            d = then(d, back(pose(link.second.displacement, values)))
            if one.reversed:
                poses[link.first.body] = then(poses[link.second.body], back(d))
            else:
                poses[link.second.body] = then(poses[link.first.body], d)
        return poses

    def field(self, r, p, arm):
        """Velocity at a point fixed in the body (arm in its base) and angular velocity."""
        point = p + r @ arm
        w = coefficient(r, 1) @ coefficient(r, 0).T
        return coefficient(point, 1), np.array([w[2, 1], w[0, 2], w[1, 0]])

    def jacobians(self, body, arm):
        """Velocity at a point of a body for a unit of each speed, time held."""
        v0, w0 = self.field(*self.still[body], arm)
        v, w = np.zeros((self.n, 3)), np.zeros((self.n, 3))
        for k in range(self.n):
            vk, wk = self.field(*self.units[k][body], arm)
            v[k], w[k] = vk - v0, wk - w0
        return v, w

    def inverse_dynamics(self, u, udot):
        """Generalised effort that the motion needs, gravity and efforts apart."""
        values = self.path(u, udot)
        poses = self.frames(values)
        total = np.zeros(self.n)
        for body in self.layout.bodies[1:]:
            r, p = poses[body.name]
            ri, ci = pose(body.iframe, values)
            g = p + r @ ci
            mass = evaluate(body.mass, values).c[0]
            base = coefficient(r @ ri, 0)
            tensor = np.array([[evaluate(x, values).c[0] for x in row] for row in body.inertia.matrix])
            inertia = base @ tensor @ base.T
            r0, r1, r2 = (coefficient(r, k) for k in range(3))
            w, a = r1 @ r0.T, 2 * r2 @ r0.T + r1 @ r1.T
            omega, alpha = (np.array([x[2, 1], x[0, 2], x[1, 0]]) for x in (w, a))
            v, wj = self.jacobians(body.name, ci)
            total += v @ (mass * 2 * coefficient(g, 2))
            total += wj @ (inertia @ alpha + np.cross(omega, inertia @ omega))
        return total

    def mass_matrix(self):
        zero = np.zeros(self.n)
        at_rest = self.inverse_dynamics(zero, zero)
        return np.array([self.inverse_dynamics(zero, row) - at_rest for row in np.eye(self.n)]).T

    def bias(self):
        u = np.array([self.state[x] for x in self.layout.speeds])
        return -self.inverse_dynamics(u, np.zeros(self.n))

    def forces(self):
        u = np.array([self.state[x] for x in self.layout.speeds])
        values = self.path(u, np.zeros(self.n))
        speed = {s: Series(x) for s, x in zip(self.layout.speeds, u, strict=True)}
        values |= {f"{name}'": rate for name, rate in self.rates(values, speed).items()} | speed
        poses = self.frames(values)
        total = np.zeros(self.n)
        gravity = np.array([evaluate(x, values).c[0] for x in self.m.gravity])
        for body in self.layout.bodies[1:]:
            v, _ = self.jacobians(body.name, pose(body.iframe, values)[1])
            total += v @ (evaluate(body.mass, values).c[0] * gravity)
        for effort in self.m.efforts:
            value = coefficient(poses[effort.base][0], 0) @ np.array([evaluate(x, values).c[0] for x in effort.value])
            if isinstance(effort, Force):
                arm = np.array([evaluate(x, values) for x in effort.at.displacement.translation])
                total += self.jacobians(effort.at.body, arm)[0] @ value
            else:
                total += self.jacobians(effort.on, np.array([Series(0.0)] * 3))[1] @ value
        return total + self.joint_forces(values, poses)

    def joint_forces(self, values, poses):
        total = np.zeros(self.n)
        for link in self.m.links.values():
            frame = then(poses[link.first.body], pose(link.first.displacement, values))
            for step in link.placed_steps():
                base = coefficient(frame[0], 0)
                frame = then(frame, pose(step.displacement, values))
                if step.is_loaded:
                    force = base @ np.array([evaluate(x, values).c[0] for x in step.force])
                    torque = base @ np.array([evaluate(x, values).c[0] for x in step.torque])
                    total += self.power(link.second.body, frame[1], poses, force, torque)
                    total -= self.power(link.first.body, frame[1], poses, force, torque)
            for name, effort in link.placed_efforts().items():
                value = evaluate(effort, values).c[0]
                for k in range(self.n):
                    unit = {s: Series(float(i == k)) for i, s in enumerate(self.layout.speeds)}
                    total[k] += value * self.rates(values, unit)[name].c[0]
        return total

    def power(self, body, point, poses, force, torque):
        if body == "earth":
            return np.zeros(self.n)
        r, p = poses[body]
        arm = coefficient(r, 0).T @ (coefficient(point, 0) - coefficient(p, 0))
        v, w = self.jacobians(body, np.array([Series(x) for x in arm]))
        return v @ force + w @ torque
