"""Small systems written out by hand, so that the tests of simulation depend on no formalism."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.simulate import Condition, Picture, System


def pendulum() -> System:
    """A point mass on a rod, angle from the vertical."""
    th, w, m, g, l = ex.symbols("joint.th joint.th' m g l")
    return System(
        coordinates=("joint.th",),
        speeds=("joint.th'",),
        rates=(w, -g / l * ex.sin(th)),
        given={"m": 1.0, "g": 9.81, "l": 1.0},
        start={"joint.th": 1.0},
        kinetic=m * l * l * w * w / 2,
        potential=-m * g * l * ex.cos(th),
        pictures=(
            Picture(
                "bob",
                ((ex.ZERO, ex.ZERO, ex.ZERO), (l * ex.sin(th), ex.ZERO, -l * ex.cos(th))),
                (l * ex.sin(th), ex.ZERO, -l * ex.cos(th)),
            ),
        ),
        name="pendulum",
    )


def double_pendulum() -> System:
    """Two equal rods' point masses, absolute angles; unit masses and lengths."""
    a, b, u, v, g = ex.symbols("a b a' b' g")
    d = a - b
    # [2, cos d; cos d, 1] (a'', b'') = (-b'^2 sin d - 2 g sin a, a'^2 sin d - g sin b)
    f1 = -v * v * ex.sin(d) - 2 * g * ex.sin(a)
    f2 = u * u * ex.sin(d) - g * ex.sin(b)
    det = 2 - ex.cos(d) ** 2
    zero = ex.ZERO
    elbow = (ex.sin(a), zero, -ex.cos(a))
    hand = (ex.sin(a) + ex.sin(b), zero, -ex.cos(a) - ex.cos(b))
    return System(
        coordinates=("a", "b"),
        speeds=("a'", "b'"),
        rates=(u, v, (f1 - ex.cos(d) * f2) / det, (2 * f2 - ex.cos(d) * f1) / det),
        given={"g": 9.81},
        start={"a": 2.0, "b": 2.5},
        kinetic=u * u + v * v / 2 + u * v * ex.cos(d),
        potential=-g * (2 * ex.cos(a) + ex.cos(b)),
        pictures=(
            Picture("upper", ((zero, zero, zero), elbow), elbow),
            Picture("lower", (elbow, hand), hand),
        ),
        name="double pendulum",
    )


def free_body() -> System:
    """An asymmetric body turning freely: a quaternion (scalar first) and body-fixed angular velocity (Euler)."""
    e0, e1, e2, e3 = e = ex.symbols("e0 e1 e2 e3")
    wx, wy, wz = w = ex.symbols("wx wy wz")
    i, j, k = ex.symbols("A B C")
    half = ex.HALF
    turning = (
        -half * (e1 * wx + e2 * wy + e3 * wz),
        half * (e0 * wx + e2 * wz - e3 * wy),
        half * (e0 * wy + e3 * wx - e1 * wz),
        half * (e0 * wz + e1 * wy - e2 * wx),
    )
    euler = ((j - k) / i * wy * wz, (k - i) / j * wz * wx, (i - j) / k * wx * wy)
    rotation = (
        (1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)),
        (2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)),
        (2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)),
    )
    spin = (i * wx, j * wy, k * wz)
    momentum = {
        f"momentum.{axis}": sum((r * s for r, s in zip(row, spin, strict=True)), ex.ZERO)
        for axis, row in zip("xyz", rotation, strict=True)
    }
    return System(
        coordinates=tuple(x.name for x in e),
        speeds=tuple(x.name for x in w),
        rates=(*turning, *euler),
        given={"A": 1.0, "B": 2.0, "C": 3.0},
        start={"wx": 0.1, "wy": 6.0, "wz": 0.2},
        kinetic=(i * wx * wx + j * wy * wy + k * wz * wz) / 2,
        potential=ex.ZERO,
        quaternions=(("e0", "e1", "e2", "e3"),),
        outputs=momentum,
        name="free body",
    )


def spherical_pendulum() -> System:
    """Spherical angles: the azimuth has no inertia at the lowest point, where the chart is singular."""
    th, u, v, g = ex.symbols("th th' ph' g")
    sine = ex.sin(th)
    return System(
        coordinates=("th", "ph"),
        speeds=("th'", "ph'"),
        rates=(u, v, v * v * sine * ex.cos(th) - g * sine, -2 * u * v * ex.cos(th) / sine),
        given={"g": 9.81},
        start={"th": 1.0, "ph'": 1.0},
        kinetic=(u * u + v * v * sine**2) / 2,
        potential=-g * ex.cos(th),
        conditions=(
            Condition(sine, "the spherical angles of 'bob' are singular", "describe its rotation by a quaternion"),
        ),
        name="spherical pendulum",
    )
