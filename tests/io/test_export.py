"""Machines out and in again: URDF, MJCF and JSON hold the same machine, and tell what they cannot hold."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import pytest

import dalembert as da
from dalembert.io import UnmappedWarning
from dalembert.io.write_xml import finished
from dalembert.mechanism import BodyShape

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")


def chain(seed, kinds):
    """A tree of joints of all kinds between turned frames, some joined from child to parent, with laws on them."""
    rng = np.random.default_rng(seed)
    m = da.Mechanism("chain")
    m.gravity = [0, 0, -9.81]
    bodies = [da.earth]

    def place(body):
        turns = [da.turn(float(rng.uniform(-3, 3)), a) for a in "zx"]
        return body.at([float(x) for x in rng.uniform(-1, 1, 3)], *turns)

    for k, kind in enumerate(kinds):
        principal = rng.uniform(1, 1.5, 3)
        turned = da.Displacement.of([float(x) for x in rng.uniform(-1, 1, 3)], da.turn(0.3, "y"))
        body = m.body(f"b{k}", mass=float(rng.uniform(1, 2)), iframe=turned, inertia=[float(x) for x in principal])
        above = bodies[int(rng.integers(0, len(bodies)))]
        axis = [float(x) for x in rng.standard_normal(3)]
        made = {
            "hinge": da.revolute(axis).with_efforts(th="-0.3*th'"),
            "spring": da.revolute(axis).with_efforts(th="-0.3*th' - 2*(th - 0.4)"),
            "slide": da.prismatic(axis),
            "universal": da.universal(),
            "planar": da.planar("y"),
            "ball": da.spherical("quaternion"),
            "free": da.free("quaternion"),
        }[kind]
        first, second = place(above), place(body)
        if kind == "ball":
            second = body.frame
        if kind == "free":
            first, second = da.earth.frame, body.frame
        if kind == "slide":
            m.join(second, first, made, name=f"j{k}")
        else:
            m.join(first, second, made, name=f"j{k}")
        bodies.append(body)
    return m


def same(m, found, seed=0):
    """Efforts that one motion needs in two machines; coordinates by their order in the first."""
    f, g = m.compile(), found.compile()
    rng = np.random.default_rng(seed)
    q, (u, a) = rng.uniform(-1, 1, len(f.coordinates)), rng.standard_normal((2, len(f.speeds)))
    for group in f.dynamics.state.quaternions:
        index = [f.coordinates.index(x) for x in group]
        q[index] /= np.linalg.norm(q[index])
    theirs = [_called(x, g.coordinates) for x in f.coordinates]
    speeds = [_called(x, g.speeds) for x in f.speeds]
    p, v, b = np.zeros(len(q)), np.zeros(len(u)), np.zeros(len(u))
    p[theirs], v[speeds], b[speeds] = q, u, a
    mine = np.asarray(f.inverse_dynamics(q, u, a))
    np.testing.assert_allclose(np.asarray(g.inverse_dynamics(p, v, b))[speeds], mine, atol=1e-12 * np.abs(mine).max())


def _called(name, names):
    """The place of a coordinate or speed: in its link, in one that is called as it is, or as link and coordinate."""
    link, _, own = name.partition(".")
    own, prime = own.rstrip("'"), "'" * (len(own) - len(own.rstrip("'")))
    wanted = [f"{link}.{own}{prime}", f"b{link[1:]}.{own}{prime}", f"b{link[1:]}.{link}_{own}{prime}"]
    wanted += [f"{stem}.{end}{prime}" for stem in (own, f"{link}_{own}") for end in ("th", "x")]
    return next(names.index(x) for x in wanted if x in names)


@pytest.mark.parametrize("seed", range(2))
def test_trees_come_back_from_urdf_and_mjcf(seed, tmp_path):
    m = chain(seed, ["hinge", "slide", "universal", "planar"])
    for suffix, text, read in (("urdf", m.to_urdf(), da.read_urdf), ("xml", m.to_mjcf(), da.read_mjcf)):
        path = tmp_path / f"m.{suffix}"
        path.write_text(text)
        same(m, read(path), seed)


def test_balls_springs_and_free_bases_come_back_from_mjcf(tmp_path):
    m = chain(5, ["free", "ball", "spring"])
    path = tmp_path / "m.xml"
    path.write_text(m.to_mjcf())
    same(m, da.read_mjcf(path))
    with pytest.raises(da.ModelError, match="no ball joints"):
        m.to_urdf()


def test_a_free_base_comes_back_from_urdf(tmp_path):
    m = chain(6, ["free", "hinge", "slide"])
    path = tmp_path / "m.urdf"
    path.write_text(m.to_urdf())
    same(m, da.read_urdf(path))


ROBOT = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><joint name="p" axis="0 1 0" armature="0.3" damping="0.2" range="-1 2"/>
<geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
<body name="b" pos="0 0 1"><joint name="q" type="slide" axis="0 0 1" stiffness="3" springref="0.1" frictionloss="0.4"/>
<geom type="sphere" size="0.2"/></body></body></worldbody>
<actuator><motor name="pull" joint="p" gear="7"/></actuator>
<equality><joint name="tie" joint1="q" joint2="p" polycoef="0.5 2 0 0 0"/></equality></mujoco>"""


def test_everything_that_mjcf_says_is_said_again(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(ROBOT)
    m = da.read_mjcf(path)
    path.write_text(m.to_mjcf())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UnmappedWarning)
        again = da.read_mjcf(path)
    assert not [w for w in told if "left out" in str(w.message) and "contacts" not in str(w.message)]
    assert again.freeze().given == {"pull": 0.0}
    assert {x.name for x in again.contacts} == {x.name for x in m.contacts}
    assert [x.name for x in again.constraints] == ["tie"]
    assert [s.kind for b in again.bodies.values() for s in b.shapes] == ["box", "sphere"]
    q, u = [0.3, 0.2], [0.5, -0.7]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f, g = m.compile(), again.compile()
        np.testing.assert_allclose(g.mass_matrix(q), f.mass_matrix(q), atol=1e-12)
        np.testing.assert_allclose(g.forces(q, u, pull=2.0), f.forces(q, u, pull=2.0), atol=1e-12)


def test_what_urdf_cannot_say_is_told_and_written_at_its_head(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(ROBOT)
    m = da.read_mjcf(path)
    with pytest.warns(UnmappedWarning, match="of which URDF knows nothing"):
        text = m.to_urdf()
    assert "<!-- 'p.th' has a rotor, of which" in text
    assert 'mimic joint="p"' in text
    path = tmp_path / "r.urdf"
    path.write_text(text)
    again = da.read_urdf(path)
    assert again.freeze().given == {"pull": 0.0}
    (effort,) = (e for link in again.links.values() for e in link.placed_efforts().values() if "pull" in str(e))
    assert "7*pull" in str(effort)


def test_what_no_robot_file_can_say_is_refused():
    m = da.Mechanism("gear")
    a, b = m.body("a", mass=1, inertia=[1, 1, 1]), m.body("b", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, a, da.revolute("z"), name="p")
    m.join(da.earth, b, da.composite([], da.turn("2*p.th", "z")), name="q")
    with pytest.raises(da.ModelError, match="no robot file"):
        m.to_mjcf()
    c = da.Mechanism("rod")
    c.join(da.earth, c.body("rod", mass="m"), da.revolute("z"), name="p")
    with pytest.raises(da.ModelError, match="holds m"):
        c.to_urdf()
    assert 'value="2.0"' in c.to_urdf({"m": 2})


def test_a_loop_is_written_as_points_that_stay_together(tmp_path):
    from linkages import four_bar

    m = four_bar([1.0, 3.0, 2.0], 3.0)
    path = tmp_path / "m.xml"
    path.write_text(m.to_mjcf())
    again = da.read_mjcf(path)
    assert len(again.layout().cuts) == 2  # two points of the axis
    assert again.mobility().dof == 1


# --- JSON ----------------------------------------------------------------------------------------------------------

FILES = sorted(EXAMPLES.rglob("*.lsd"))[::4]


@pytest.mark.parametrize("path", FILES, ids=lambda x: x.stem)
def test_json_holds_all_of_a_machine_and_obeys_its_schema(path, tmp_path):
    import jsonschema

    try:
        m = da.load(path)
    except da.DalembertError:
        pytest.skip("an example of an error")
    text = m.to_json()
    jsonschema.Draft202012Validator(da.json_schema()).validate(json.loads(text))
    file = tmp_path / "m.json"
    file.write_text(text)
    again = da.load(file)
    assert again.to_json() == da.load(file).to_json()
    assert again.name == m.name
    if path.stem != "woodpecker":  # -(a + b - c) reads as c - (a + b)
        assert again == m


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda d: d.pop("format"), "format"),
        (lambda d: d["bodies"]["rod"].update(mass=3), "bodies/rod/mass"),
        (lambda d: d["bodies"]["rod"].update(weight="3"), "no 'weight'"),
        (lambda d: d["bodies"]["rod"].update(mass="__import__('os')"), "bodies/rod/mass"),
        (lambda d: d["links"]["p"]["joint"].update(steps=[{"displacement": {"turns": [{"is": "Spin"}]}}]), "Spin"),
        (lambda d: d.update(gravity=["0"]), "gravity"),
        (
            lambda d: d["links"]["p"]["joint"].update(steps=[{"displacement": {"turns": [{"is": ["Turn"]}]}}]),
            "'is' is one",
        ),
        (lambda d: d["links"]["p"].pop("joint"), "needs 'joint'"),
    ],
)
def test_faults_of_json_are_told_with_their_place(change, word, tmp_path):
    m = da.Mechanism("rod")
    m.join(da.earth, m.body("rod", mass=1, inertia=[1, 1, 1]), da.revolute("z"), name="p")
    data = json.loads(m.to_json())
    change(data)
    file = tmp_path / "m.json"
    file.write_text(json.dumps(data))
    with pytest.raises(da.ModelError, match=word):
        da.load(file)


def test_the_command_writes_every_format(tmp_path):
    from typer.testing import CliRunner

    from dalembert.cli import app

    source = EXAMPLES / "robots" / "arm.urdf"
    for name in ("arm.urdf", "arm.xml", "arm.json", "arm.lsd"):
        done = CliRunner().invoke(app, ["export", str(source), "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert len(da.load(tmp_path / name).bodies) == len(da.load(source).bodies)
    done = CliRunner().invoke(app, ["export", "--schema"])
    assert json.loads(done.output)["$defs"]["Link"]["required"] == ["name", "first", "second", "joint"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_body_called_world_is_not_taken_for_the_earth(tmp_path):
    m = da.Mechanism("m")
    body = m.body("world", mass=1, inertia=[1, 2, 2.5])
    m.join(da.earth, body, da.revolute("z"), name="turn")
    for suffix, text in (("urdf", m.to_urdf()), ("xml", m.to_mjcf())):
        path = tmp_path / f"m.{suffix}"
        path.write_text(text)
        assert da.load(path).compile().mass_matrix([0.2]) == pytest.approx(2.5)
    assert m.to_urdf().count('link name="world"') == 1
    assert 'body name="world"' not in m.to_mjcf()


@pytest.mark.parametrize(
    ("said", "changed", "word"),
    [
        ('"1"', '"9/10"', "not of length 1"),
        ('"1"', '"k"', "not of length 1"),
        ('"0.1"', '"-0.1"', "cannot be negative"),
        ("#ff0000", "#ff00000", "colour"),
        ('"0.1"', '"1' + "0" * 400 + '"', "infinite"),
        ('"start": {\n  "a.th"', '"start": {\n  "b.th"', "no link"),
        ('"k": 2', '"k": false', "a number or a formula"),
    ],
)
def test_json_passes_the_checks_of_the_builder(said, changed, word, tmp_path):
    """An axis that is not of length one stretched the body that it turned, without a word."""
    m = da.Mechanism("m")
    a = m.body("a", mass=1, inertia=[1, 1, 1], shapes=[BodyShape.of("box", 0.1, 1, 1, colour="#ff0000")])
    m.join(da.earth, a, da.revolute("x"))
    m.start, m.given = {"a.th": 0.5}, {"k": 2}
    text = m.to_json()
    before, axis = text[: (k := text.index('"axis"'))], text[k:]
    path = tmp_path / "m.json"
    path.write_text(text)
    assert da.load(path) == m
    path.write_text(before + axis.replace(said, changed, 1) if said in axis else before.replace(said, changed) + axis)
    with pytest.raises(da.ModelError, match=word):
        da.load(path)


def test_inertias_that_mujoco_refuses_are_told_when_they_are_written(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="o"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="o"/><child link="a"/></joint></robot>'
    )
    m = da.read_urdf(path)
    with pytest.warns(UnmappedWarning, match="'a' has an inertia that no body can have"):
        assert "MuJoCo does not read it" in m.to_mjcf()


def test_damping_of_balls_goes_out_and_what_only_one_coordinate_has_is_told(tmp_path):
    """It went out four times as large; stops and motors of a free joint went nowhere, or ended with a KeyError."""
    m = da.Mechanism("loose")
    m.gravity = [0, 0, -9.81]
    body = m.body("a", mass=1, inertia=[0.1, 0.2, 0.15])
    ball = da.spherical("quaternion").with_efforts(**{f"e{k}": f"-1.2*e{k}'" for k in range(4)})
    m.join(da.earth, body, ball, name="ja")
    (tmp_path / "m.xml").write_text(m.to_mjcf())
    same(m, da.read_mjcf(tmp_path / "m.xml"))
    free = da.Mechanism("loose")
    body = free.body("a", mass=1, inertia=[0.1, 0.2, 0.15])
    free.join(da.earth, body, da.free("quaternion").with_efforts(x="F", y="-2*y'"), name="ja")
    free.limit("ja.x", -1, 1)
    free.given["F"] = 0.0
    for text in (free.to_mjcf(), free.to_urdf()):
        assert "single coordinates of 'ja'" in text


def test_bodies_nested_deeper_than_the_stack_are_refused_in_words():
    """As those of a chain of a thousand bodies in MJCF; URDF lists them."""
    root = inner = Element("mujoco")
    for _ in range(1500):
        inner = SubElement(inner, "body")
    with pytest.raises(da.LimitError, match=r"MJCF of 'long' nests each body.*to_urdf"):
        finished(root, (), "MJCF of 'long'")
