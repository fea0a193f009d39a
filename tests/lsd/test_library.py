"""The standard library: every file checks, solids have the inertias that integration gives, joints those of Python."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import lsd
from dalembert import mechanism as me
from dalembert.lsd import library, parse
from dalembert.lsd import syntax as s

RNG = np.random.default_rng(7)
N = 60_000


@pytest.mark.parametrize("name", sorted(library.files()))
def test_files_hold_definitions_only_and_check(name):
    text = library.files()[name]
    assert all(isinstance(d, s.Definition) for d in parse(text).declarations)
    checked = lsd.check(text, name)
    assert checked.diagnostics == ()
    assert checked.context.free == {}


def solid(call):
    m = lsd.loads(f'use "solids.lsd" ; let b = {call} ; join earth and b.frame with link end ;')
    return m.bodies["b"]


def ball(n=N):
    v = RNG.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def polar(n=N):
    angle = RNG.uniform(0, 2 * np.pi, n)
    return np.cos(angle), np.sin(angle)


def cylinder_points(ri, ro, h):
    c, s_ = polar()
    r = np.sqrt(RNG.uniform(ri**2, ro**2, N))
    return np.stack([r * c, r * s_, RNG.uniform(-h / 2, h / 2, N)], 1)


def cone_points(r, h):
    c, s_ = polar()
    z = h * RNG.uniform(0, 1, N) ** (1 / 3)
    rr = r * z / h * np.sqrt(RNG.uniform(0, 1, N))
    points = np.stack([rr * c, rr * s_, z], 1)
    return points - [0, 0, 0.75 * h]


SHAPES = {
    "box(m=2, a=1, b=2, c=3)": lambda: RNG.uniform(-0.5, 0.5, (N, 3)) * [1, 2, 3],
    "cylinder(m=2, r=0.5, h=2)": lambda: cylinder_points(0, 0.5, 2),
    "tube(m=2, ri=0.4, ro=0.5, h=2)": lambda: cylinder_points(0.4, 0.5, 2),
    "disc(m=2, r=0.5)": lambda: cylinder_points(0, 0.5, 0),
    "ring(m=2, r=0.5)": lambda: cylinder_points(0.5, 0.5, 0),
    "plate(m=2, a=1, b=2)": lambda: RNG.uniform(-0.5, 0.5, (N, 3)) * [1, 2, 0],
    "sphere(m=2, r=0.5)": lambda: ball() * 0.5 * RNG.uniform(0, 1, (N, 1)) ** (1 / 3),
    "shell(m=2, r=0.5)": lambda: ball() * 0.5,
    "ellipsoid(m=2, a=1, b=2, c=3)": lambda: ball() * RNG.uniform(0, 1, (N, 1)) ** (1 / 3) * [1, 2, 3],
    "cone(m=2, r=0.5, h=2)": lambda: cone_points(0.5, 2),
    "rod(m=2, l=3)": lambda: RNG.uniform(-0.5, 0.5, (N, 3)) * [0, 0, 3],
    "hanging_rod(m=2, l=3)": lambda: RNG.uniform(-0.5, 0.5, (N, 3)) * [0, 0, 3],
    "reaching_rod(m=2, l=3)": lambda: RNG.uniform(-0.5, 0.5, (N, 3)) * [3, 0, 0],
}


@pytest.mark.parametrize("call", SHAPES)
def test_inertia_is_the_integral_over_the_solid(call):
    points = SHAPES[call]()
    x, y, z = (points**2).mean(0)
    expected = 2 * np.array([y + z, z + x, x + y])
    found = [float(v) for v in solid(call).inertia.entries[:3]]
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.02)
    np.testing.assert_allclose(points.mean(0), 0, atol=0.02)


def test_placed_solids_move_their_centre():
    body = solid("placed(b = sphere(m=1, r=1), at = [1,2,3] ++ 1)")
    assert [float(c) for c in body.centre] == [1, 2, 3]


def joint(call):
    m = lsd.loads(f'use "joints.lsd" ; let b = body mass = 1 end ; join earth and b.frame with {call} as j ;')
    return m.links["j"].joint


@pytest.mark.parametrize(
    ("call", "twin"),
    [
        ("weld()", me.weld()),
        ("revolute(axis=[0,0,1])", me.revolute("z")),
        ("revolute(axis=[1,1,0])", me.revolute([1, 1, 0])),
        ("prismatic(axis=[1,0,0])", me.prismatic("x")),
        ("screw(axis=[0,0,1], lead=0.5)", me.screw("z", 0.5)),
        ("cylindrical(axis=[0,0,1])", me.cylindrical("z")),
        ("universal(first=[1,0,0], second=[0,1,0])", me.universal()),
        ("spherical()", me.spherical("bryant", "rates")),
        ("spherical_euler()", me.spherical("euler", "rates")),
        ("spherical_quaternion()", me.spherical("quaternion")),
        ("free()", me.free("bryant", "rates")),
        ("free_euler()", me.free("euler", "rates")),
        ("free_quaternion()", me.free("quaternion", "body")),
    ],
)
def test_joints_are_those_of_the_python_library(call, twin):
    assert joint(call) == twin


def test_the_planar_joint_moves_in_its_plane():
    found = joint("planar()")
    assert found.parameters == ("x", "y", "th")
    assert found.dof == 3


@pytest.mark.parametrize(
    ("call", "effort"),
    [
        ("revolute_spring(axis=[0,0,2], k=k, c=c, rest=r)", "-k*(q - r) - c*q'"),
        ("motor(axis=[0,0,1], tau=f)", "f"),
        ("servo(axis=[0,0,1], target=w, kp=k, kd=c)", "k*(w - q) - c*q'"),
        ("dc_motor(axis=[0,0,1], u=u, r=r, kt=k, c=c)", "k*(u - k*q')/r - c*q'"),
        ("brake(axis=[0,0,1], tau=f, vs=v)", "-f*q'/sqrt(q'^2 + v^2)"),
        ("revolute_damper(axis=[0,0,1], c=c)", "-c*q'"),
    ],
)
def test_efforts_of_driven_joints_in_numbers(call, effort):
    m = lsd.loads(
        f'use "springs.lsd" ; use "motors.lsd" ; let b = body mass = 1 end ; join earth and b.frame with {call} as j ;'
    )
    (step,) = m.links["j"].joint.steps
    assert step.torque[:2] == (ex.ZERO, ex.ZERO)
    values = {"q": 0.3, "k": 2.0, "c": 0.5, "r": 0.7, "f": 1.5, "w": 0.9, "u": 3.0, "v": 0.1}
    python = effort.replace("^", "**").replace("q'", "qp")
    expected = float(ex.evaluate([ex.parse(python)], {ex.symbol(a): b for a, b in {**values, "qp": -0.8}.items()})[0])
    at = {ex.symbol(a): b for a, b in values.items()} | {ex.symbol("th"): 0.3, ex.symbol("th'"): -0.8}
    assert float(ex.evaluate([step.torque[2]], at)[0]) == pytest.approx(expected)
