"""What no contact can be is told in one sentence, from both doors, by `check` where it is known; all else travels."""

import random

import numpy as np
import pytest
from contact_machines import upright
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app

PROGRAM = """let ball = body mass = 1, iframe = 0, inertia = [0.1, 0.1, 0.1] end ;
let other = body mass = 1, iframe = 0, inertia = [0.1, 0.1, 0.1] end ;
join earth and ball.frame with link(x, z, th) dof1 = [x, 0, z], dof2 = th || [0, 1, 0] end as p ;
join ball.frame and other.frame with link end as q ;
{}
start p.z = 1 ;
"""
PAIR = "contact sphere(ball, 0.1) and plane(earth)"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("contact p.z >= 0 restitution -0.1 as f ;", "restitution -0.1 is no coefficient; use 0..1"),
        ("contact p.z >= 0 restitution 1.3 as f ;", "restitution 1.3 would create energy; use 0..1"),
        ("contact p.z >= 0 restitution e as f ; given e = 1.5 ;", "restitution e = 1.5 would create energy; use 0..1"),
        (f"{PAIR} friction -1 as f ;", "friction -1 is no coefficient; use 0 or more"),
        (f"{PAIR} friction mu as f ; given mu = -1 ;", "friction mu = -1 is no coefficient; use 0 or more"),
        (f"{PAIR} friction 0.5 static 0.1 as f ;", "static 0.1 is less than friction 0.5"),
        ("contact p.x - p.x + 1 >= 0 as f ;", "no coordinate moves it"),
        ("contact sphere(other, 0.1) and sphere([1, 0, 0] @ ball, 0.1) as f ;", "welded together"),
        ("contact sphere(ball, 0.1) and sphere([1, 0, 0] @ ball, 0.1) as f ;", "between 'ball' and itself"),
        ("contact p.z >= 2 as f ;", "starts 1 beyond what it allows"),
        ("contact box(ball, [4, 4, 4]) and plane(earth) as f ;", "starts 1 beyond what it allows"),
        ("limit p.th in [1, 2] ;", "starts 1 beyond what it allows"),
        ("contact p.z >= 0 friction 0.3 as f ;", "nothing says how it slides"),
        ("contact p.z >= 0 friction 0.3 slip p.x'^2 as f ;", "not linear in the speeds"),
        ("contact p.z >= 0 rolling 0.01 as f ;", "only shapes tell how it would roll or drill"),
    ],
)
def test_check_tells_it_with_its_place(line, told, tmp_path):
    path = tmp_path / "bad.lsd"
    path.write_text(PROGRAM.format(line))
    done = CliRunner().invoke(app, ["check", str(path)])
    assert done.exit_code == 1
    assert told in " ".join(done.output.split())
    assert "bad.lsd:5:" in done.output


def machine():
    m = da.Mechanism("m")
    ball, other = (m.body(name, mass=1, inertia=[0.1] * 3) for name in ("ball", "other"))
    m.join(da.earth, ball, upright(), name="p")
    m.join(ball, other, da.weld(), name="q")
    m.start = {"p.z": 1}
    return m, ball, other


def test_python_refuses_the_same():
    m, ball, other = machine()
    floor = da.Plane(da.earth)
    for words, told in (
        ({"restitution": 1.3}, r"restitution 1.3 would create energy"),
        ({"friction": -1}, r"friction -1 is no coefficient"),
        ({"friction": 0.5, "static": 0.1}, r"static 0.1 is less than friction 0.5"),
        ({"friction": 0.5, "rolling": -1}, r"rolling -1 is no length"),
    ):
        with pytest.raises(da.ModelError, match=told):
            m.contact(da.Sphere(ball, 0.1), floor, **words)
    m.contact(da.Sphere(ball, 0.1), floor, friction="mu", restitution="e", name="f")
    for given, told in (({"mu": -1, "e": 0}, "friction mu = -1"), ({"mu": 0, "e": 1.5}, "restitution e = 1.5")):
        with pytest.raises(da.ModelError, match=told):
            m.simulate((0, 1), given=given)
    m.contact(da.Sphere(other, 0.1), da.Sphere(ball.at([1, 0, 0]), 0.1), name="g")
    with pytest.raises(da.ModelError, match=r"'g' is between 'other' and 'ball', which are welded together"):
        m.simulate((0, 1), given={"mu": 0, "e": 0})


def test_a_frame_without_a_name_is_told_how_to_get_one():
    m, ball, _ = machine()
    ball.at([0, 0, -1], name="foot")
    m.contact("foot.Z >= 0", name="f")
    with pytest.raises(da.ModelError, match=r"'foot.Z' is neither.*m.frame\('foot', body.at"):
        m.simulate((0, 1))


@pytest.mark.slow
def test_a_gripper_holds_by_friction():
    """Fingers that squeeze with 10 N hold a box: what they carry is its weight, however they share it."""
    m = da.Mechanism("gripper")
    m.gravity = [0, 0, -9.81]
    box = m.body("box", mass=0.5, inertia=[0.001] * 3)
    m.join(da.earth, box, upright(), name="b")
    for s, side in ((-1, "left"), (1, "right")):
        finger = m.body(side, mass=0.2)
        m.join(da.earth, finger, da.prismatic("x").with_efforts(x=f"{-s}*10"), name=side)
        m.start[f"{side}.x"] = s * 0.06
        face = da.Plane(finger.at([0, 0, 0], da.turn(f"{-s}*pi/2", "y")))
        for z, end in ((-0.05, "lo"), (0.05, "hi")):
            m.contact(da.Sphere(box.at([s * 0.05, 0, z])), face, friction=0.5, name=f"{side}_{end}")
    mo = m.simulate((0, 0.2))
    fall = 9.81 * 0.02**2 / 2  # fingers of 0.2 kg need 0.02 s for their 10 mm
    assert mo["b.z"][-1] == pytest.approx(-fall, abs=1e-9)
    names = [one.name for one in m.contacts]
    assert sum(abs(mo[f"{name}.friction"][-1]) for name in names) == pytest.approx(0.5 * 9.81, abs=1e-9)
    assert sum(mo[f"{name}.force"][-1] for name in names if "left" in name) == pytest.approx(10, abs=1e-9)


def test_impacts_that_no_rest_ends_are_told_and_the_motion_so_far_is_kept(monkeypatch):
    """A ball between a wall and one that comes towards it: it flies ever faster, and no sum has an end."""
    from dalembert.simulate.contact import impasse

    monkeypatch.setattr(impasse, "_MANY", 100)
    m = da.Mechanism("squeezed")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("x"), name="q")
    m.contact("q.x >= 0", restitution=1, name="left")
    m.contact("q.x <= 1 - t", restitution=1, name="right")
    m.start = {"q.x": 0.3, "q.x'": 1}
    with pytest.raises(da.SimulationError, match="infinitely many impacts without rest at contact left, right") as told:
        m.simulate((0, 10))
    partial = told.value.partial
    assert 0.9 < partial.t[-1] < 1
    assert partial.contacts.impulses("right")[1].normal > partial.contacts.impulses("right")[0].normal


def test_many_friction_coefficients_are_all_looked_at():
    from dalembert.simulate import run_many, system_of

    m, ball, _ = machine()
    m.contact(da.Sphere(ball, 0.1), da.Plane(da.earth), friction="mu", name="f")
    with pytest.raises(da.DalembertError, match=r"friction mu = -0.5"):
        run_many(system_of(m), (0, 1), given={"mu": np.array([0.1, -0.5])})


def test_welded_shapes_of_a_crowd_do_not_touch_each_other():
    """Two balls that are one body fall as one: between them there is no contact."""
    m, ball, other = machine()
    m.gravity = [0, 0, -9.81]
    some = [da.Sphere(ball, 0.1), da.Sphere(other.at([0.15, 0, 0]), 0.1), da.Plane(da.earth)]
    m.contact(some, name="all")
    mo = m.simulate((0, 0.4))
    assert {one.name for one in mo.system.contacts} == {"all_1_3", "all_2_3"}
    assert mo["p.z"][-1] == pytest.approx(1 - 9.81 * 0.4**2 / 2, abs=1e-9)


def test_a_ball_bounces_on_any_surface_with_no_motion_left_out():
    """On a straight slope written as a surface it slides as on a plane."""
    text = PROGRAM.format("contact sphere(ball, 0.1) and surface(earth, z - a*x) as f ;\ngravity [0, 0, -10] ;")
    m = da.loads(text.replace("p.z = 1", "p.z = 0.1*sqrt(1 + a^2)") + "given a = 0.75 ;")
    mo = m.simulate((0, 1))
    assert mo["p.x"][-1] == pytest.approx(-10 * 0.6 * 0.8 / 2, abs=1e-7)  # g sin(slope) along a slope of 3 to 4


def shape(rng, m, body):
    at = body.at([round(rng.uniform(-1, 1), 3) for _ in range(3)], da.turn(round(rng.uniform(-1, 1), 3), "y"))
    size = rng.choice(["r", 0.25, "2*r + 0.1"])
    cloud = [[round(rng.uniform(-1, 1), 2) for _ in range(3)] for _ in range(6)]
    return rng.choice([
        lambda: da.Sphere(at, size), lambda: da.Sphere(at), lambda: da.Box(at, [size, 0.2, 0.3]),
        lambda: da.Capsule(at, size, 0.5), lambda: da.Cylinder(at, size, 0.5), lambda: da.Polytope(at, cloud),
        lambda: da.Ellipsoid(at, [size, 0.2, 0.3]),
    ])()  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_contacts_of_every_kind_read_back_from_lsd(seed):
    rng = random.Random(seed)
    m, ball, other = machine()
    m.given["r"] = 0.2
    laws = {"restitution": rng.choice([0, 0.5, "e"]), "friction": rng.choice([0, 0.3, "mu"])}
    turning = {"rolling": rng.choice([0, 0.01]), "drilling": rng.choice([0, "d"])}
    static = {"static": 0.9} if laws["friction"] == 0.3 else {}
    m.contact(da.Sphere(ball, "r"), da.Surface(da.earth, "z - r*sin(2*x)*cos(y)"), **laws, **static, name="hill")
    m.contact(shape(rng, m, ball), da.Plane(da.earth.at([0, 0, -9], da.turn(0.1, "x"))), **laws, **turning, name="a")
    m.contact(da.Sphere(other, "r"), shape(rng, m, da.earth), **laws, name="b")
    m.contact([da.Sphere(ball, "r"), da.Box(other, [1, 1, "r"]), da.Plane(da.earth)], **turning, name="crowd")
    m.contact("p.z - 0.1*sin(3*t) >= -5", friction="mu", slip=["p.x' - 0.1", "p.th'"], name="formula")
    m.limit("p.th", -3, "pi", restitution=rng.choice([0, "e"]))
    again = da.loads(m.to_lsd(), "m")
    assert again == m
    assert again.to_lsd() == m.to_lsd()
