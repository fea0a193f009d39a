"""Contacts as data of a model: gaps, stops, shapes; what cannot be is refused with the name."""

import contextlib
import inspect
import math

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from dalembert.mechanism.contact import ContactWarning


def flyer():
    m = da.Mechanism("flyer")
    body = m.body("body", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, body, da.free("xyz"), name="f")
    return m, body


def rows_at(m, values):
    about = dynamics_of(Layout.of(m))
    known = {ex.symbol(name): value for name, value in values.items()}
    return [
        (
            row.name,
            *ex.evaluate([row.gap, row.rate], known),
            ex.evaluate([s.value for s in row.slips], known),
            ex.evaluate(list(row.row), known),
        )
        for row in contact_rows(about)
    ], about


def state(about, rng):
    return {name: rng.uniform(-1, 1) for name in about.state.names}


def pose_of(about, values, frame="body"):
    known = {ex.symbol(name): value for name, value in values.items()}
    pose, velocity = about.pose(frame), about.velocity(frame)
    place = np.array(ex.evaluate(list(pose.position), known), dtype=float)
    turned = np.array(ex.evaluate([x for row in pose.rotation for x in row], known), dtype=float).reshape(3, 3)
    twist = np.array(ex.evaluate(velocity, known), dtype=float)
    return place, turned, twist[:3], twist[3:]


@pytest.mark.parametrize("seed", range(3))
def test_box_corners_capsule_ends_and_rims_against_a_tilted_plane(seed):
    m, body = flyer()
    tilt = da.turn(0.3, "x")
    floor = da.Plane(da.earth.at([0, 0, -2], tilt))
    m.contact(da.Box(body, [1, 2, 3]), floor, friction=0.5, name="box")
    m.contact(da.Capsule(body, 0.2, 1.5), floor, friction=0.5, name="cap")
    m.contact(da.Cylinder(body, 0.7, 0.4), floor, friction=0.5, name="can")
    m.contact(da.Sphere(body, 0.9), floor, friction=0.5, name="ball")
    about = dynamics_of(Layout.of(m))
    values = state(about, np.random.default_rng(seed))
    found, _ = rows_at(m, values)
    place, turned, spin, velocity = pose_of(about, values)
    normal = np.array([0, -math.sin(0.3), math.cos(0.3)])
    sides = np.array([[1, 0, 0], [0, math.cos(0.3), math.sin(0.3)]])
    points = [(np.array([x, y, z]), 0.0) for z in (-1.5, 1.5) for y in (-1, 1) for x in (-0.5, 0.5)]
    points += [(np.array([0, 0, z]), 0.2) for z in (-0.75, 0.75)]
    rim = np.linspace(0, 2 * math.pi, 200001)
    circle = np.array([0.7 * np.cos(rim), 0.7 * np.sin(rim), 0 * rim])
    up = np.array([[0], [0], [0.2]])
    ends = np.concatenate([circle + up, circle - up], axis=1)
    low = ends[:, np.argmin(normal @ (turned @ ends))]
    points += [(low, 0.0), (np.zeros(3), 0.9)]
    found = [one for one in found if one[0][:4] != "can_" or one[0] == "can_1"]  # the others hold a can that stands
    assert [one[0] for one in found] == [*(f"box_{i}" for i in range(1, 9)), "cap_1", "cap_2", "can_1", "ball"]
    for (name, gap, rate, slip, _), (local, radius) in zip(found, points, strict=True):
        arm = turned @ local - radius * normal
        loose = 1e-8 if name == "can_1" else 1e-12
        assert gap == pytest.approx(normal @ (place + arm - [0, 0, -2]), abs=loose)
        moving = velocity + np.cross(spin, arm)
        assert rate == pytest.approx(normal @ moving, abs=1e-4 if name == "can_1" else 1e-12)
        assert slip == pytest.approx(sides @ moving, abs=1e-4 if name == "can_1" else 1e-12)


def test_spheres_boxes_and_capsules_among_each_other():
    m, body = flyer()
    other = m.body("other", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, other, da.free("xyz"), name="g")
    m.contact(da.Sphere(body, 0.1), da.Sphere(other, 0.2), friction=0.1, name="balls")
    m.contact(da.Sphere(body, 0.1), da.Capsule(other, 0.2, 1), name="capsule")
    m.contact(da.Box(other, [1, 1, 1]), da.Sphere(body, 0.1), name="box")
    about = dynamics_of(Layout.of(m))
    values = state(about, np.random.default_rng(4)) | {"f.x": 3.0}
    found, _ = rows_at(m, values)
    (a, _, w, v), (b, turned, w2, v2) = pose_of(about, values), pose_of(about, values, "other")
    gaps = {one[0]: one[1] for one in found}
    assert gaps["balls"] == pytest.approx(np.linalg.norm(a - b) - 0.3)
    local = turned.T @ (a - b)
    assert gaps["capsule"] == pytest.approx(np.linalg.norm(local - [0, 0, np.clip(local[2], -0.5, 0.5)]) - 0.3)
    assert gaps["box"] == pytest.approx(np.linalg.norm(local - np.clip(local, -0.5, 0.5)) - 0.1)
    n = (a - b) / np.linalg.norm(a - b)
    moving = v + np.cross(w, -0.1 * n) - v2 - np.cross(w2, 0.2 * n)
    slip = found[0][3]
    assert found[0][2] == pytest.approx(n @ (v - v2))
    assert np.linalg.norm(slip) == pytest.approx(np.linalg.norm(moving - (n @ moving) * n))


def test_stops_of_a_joint():
    m = da.Mechanism("arm")
    m.join(da.earth, m.body("arm", mass=1, centre=[1, 0, 0]), da.revolute("z"), name="elbow")
    low, high = m.limit("elbow.th", -1, "pi/2", restitution=0.5)
    assert (low.name, high.name) == ("elbow_th_low", "elbow_th_high")
    rows = contact_rows(dynamics_of(Layout.of(m)))
    gaps = ex.evaluate([row.gap for row in rows], {ex.symbol("elbow.th"): 0.25})
    assert gaps == pytest.approx([1.25, math.pi / 2 - 0.25])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m, b: m.contact("f.z", restitution=1.3), "restitution 1.3 would create energy"),
        (lambda m, b: m.contact("f.z", restitution=-0.1), "restitution -0.1 is no coefficient"),
        (lambda m, b: m.contact("f.z", friction=-1, slip="f.x'"), "friction -1 is no coefficient"),
        (lambda m, b: m.contact("f.z", friction=0.5), "rubs, but nothing says how it slides"),
        (lambda m, b: m.contact(da.Sphere(b, 1)), "one shape"),
        (lambda m, b: m.contact(da.Sphere(b, 1), da.Sphere(b, 2)), "and itself"),
        (lambda m, b: m.contact(da.Plane(b), da.Plane(da.earth)), "plane against plane"),
        (lambda m, b: m.contact(da.Sphere(b, -1), da.Plane(da.earth)), "cannot be negative"),
        (lambda m, b: m.limit("f.x"), "no end"),
        (lambda m, b: m.limit("f.x", 2, 1), "leave no room"),
        (lambda m, b: [m.contact("f.z", name="floor"), m.contact("f.x", name="floor")], "'floor' is used twice"),
        (lambda m, b: m.contact("0 <= f.x <= 1"), "several signs"),
    ],
)
def test_what_cannot_be_a_contact_is_refused(build, message):
    m, body = flyer()
    with pytest.raises(da.ModelError, match=message):
        build(m, body)


@pytest.mark.parametrize(
    ("gap", "message"),
    [("1 - h", "no coordinate moves it"), ("f.z + f.x'", "depends on 'f.x''"), ("f.zz", "'f.zz'")],
)
def test_a_gap_that_cannot_close_is_refused(gap, message):
    m, _ = flyer()
    m.contact(gap, name="lid")
    with pytest.raises(da.ModelError, match=message):
        Layout.of(m)


def test_welded_bodies_do_not_touch():
    m = da.Mechanism("welded")
    body = m.body("body", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, body, da.weld(), name="w")
    m.join(body, m.body("arm", mass=1, inertia=[1, 1, 1]), da.revolute("z"), name="j")
    m.contact(da.Sphere(body, 1), da.Plane(da.earth), name="lid")
    with pytest.raises(da.ModelError, match=r"'lid'.*welded"):
        contact_rows(dynamics_of(Layout.of(m)))


def hopper():
    m = da.Mechanism("hopper")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("z"), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact("p.x >= 0", name="floor")
    m.start = {"p.x": 1.0}
    return m


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.equations(),
        lambda m: m.lagrangian(),
        lambda m: m.hamiltonian(),
        lambda m: m.compile(),
        lambda m: m.mobility(),
        lambda m: m.linearize(),
        lambda m: m.compare(["kane", "lagrange"]),
        lambda m: m.geometry(),
    ],
)
def test_verbs_say_that_contacts_are_open(ask):
    with pytest.warns(ContactWarning, match="'floor' are open in"):
        ask(hopper())


def with_a_drive():
    m = hopper()
    m.join(da.earth, m.body("c", mass=1), da.prismatic("x"), name="c")
    m.drive("c.x", "sin(t)", name="motor")
    return m


@pytest.mark.parametrize("gap", [1.0, 1e-3, 0.0, -0.1])
@pytest.mark.parametrize(
    "ask",
    [
        lambda gap: hopper().linearize({"p.x": gap}),
        lambda gap: hopper().reactions({"p.x": gap}),
        lambda gap: with_a_drive().coupling({"p.x": gap}),
        lambda gap: with_a_drive().constraint_efforts({"p.x": gap}),
        lambda gap: with_a_drive().linearize({"p.x": gap, "t": 0.0}),
    ],
)
def test_answers_for_a_posture_hold_where_no_contact_touches(ask, gap, recwarn):
    """Where all are open there is nothing to say; where one touches, another machine would answer."""
    if gap > 0:
        ask(gap)
        assert not [one for one in recwarn if one.category is ContactWarning]
    else:
        with pytest.raises(da.ModelError, match=r"'floor' of 'hopper' (touches|is crossed by 0.1) in this posture"):
            ask(gap)


def asked_without_arguments():
    """Verbs that answer by themselves: all that the class has but descriptions."""
    told = {
        "as_dict",
        "freeze",
        "layout",
        "parameters",
        "to_lsd",
        "to_json",
        "to_urdf",
        "to_mjcf",
        "draw",
        "draw_flat",
        "draw_structure",
        "equilibria",
        "plane",
    }  # data (as stops, or a warning tells what is lost), pictures; treats contacts; of the joints alone
    for name in dir(da.Mechanism):
        verb = getattr(da.Mechanism, name)
        if name.startswith("_") or name in told or not callable(verb):
            continue
        needed = [
            x for x in list(inspect.signature(verb).parameters.values())[1:] if x.default is inspect.Parameter.empty
        ]
        if all(x.kind in (x.VAR_POSITIONAL, x.VAR_KEYWORD) for x in needed) and name != "constrain":
            yield name


def with_a_rub():
    m = da.Mechanism("rubbed")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x"), name="p")
    m.rub("p.x", 0.5, name="grip")
    m.join(da.earth, m.body("c", mass=1), da.prismatic("x"), name="c")
    m.drive("c.x", "sin(t)", name="motor")
    return m


@pytest.mark.parametrize("machine", [with_a_drive, with_a_rub])
@pytest.mark.parametrize("name", sorted(asked_without_arguments()))
def test_every_verb_says_that_contacts_are_left_out(name, machine, recwarn):
    """At a start that touches, an answer is refused or carries a warning: silence would be about another machine."""
    m = machine()
    m.start = {"p.x": 0.0}
    with contextlib.suppress(da.DalembertError):  # a refusal is no silence
        getattr(m, name)()
        told = [one for one in recwarn if one.category is ContactWarning]
        assert told or (machine, name) == (with_a_rub, "mobility"), name  # friction takes no freedom away


def test_exits_that_would_pass_through_refuse(tmp_path):
    from dalembert.codegen.fmu import export_fmu
    from dalembert.codegen.program import write_program

    for ask in (lambda m: export_fmu(m, tmp_path / "a.fmu"), lambda m: write_program(m, "c")):
        with pytest.raises(da.ModelError, match="through contact 'floor'"):
            ask(hopper())


def test_a_model_tells_its_contacts():
    m, body = flyer()
    m.contact(da.Sphere(body, "R"), da.Plane(da.earth), friction="mu", static=0.9, name="floor")
    told = m.as_dict()["contacts"][0]
    assert told["first"]["kind"] == "sphere"
    assert (told["first"]["radius"], told["friction"], told["static"]) == ("R", "mu", "0.9")
    assert {"R", "mu"} <= set(m.parameters())
    assert m == m
    other, _ = flyer()
    assert m != other
