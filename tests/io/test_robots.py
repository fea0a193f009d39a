"""Robot files: the same random machine in URDF, MJCF, SDF and by hand moves alike; files that lie are refused."""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.io import UnmappedWarning

pytestmark = pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")


def rpy(angles):
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in angles)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def random_robot(seed, n=4):
    """Parts with parent, place, axis, kind, mass, centre, tensor, damping."""
    rng = np.random.default_rng(seed)
    parts = []
    for k in range(n):
        points = rng.standard_normal((6, 3)) * 0.2
        weights = rng.uniform(0.1, 1, 6)
        m, c = weights.sum(), (weights[:, None] * points).sum(0) / weights.sum()
        d = points - c
        tensor = sum(w * (x @ x * np.eye(3) - np.outer(x, x)) for w, x in zip(weights, d, strict=True))
        axis = rng.standard_normal(3)
        parts.append(
            {
                "parent": int(rng.integers(-1, k)) if k else -1,
                "xyz": rng.uniform(-0.5, 0.5, 3),
                "rpy": rng.uniform(-3, 3, 3),
                "axis": axis / np.linalg.norm(axis),
                "kind": "hinge" if rng.random() < 0.7 else "slide",
                "m": m,
                "c": c,
                "I": tensor,
                "damping": float(rng.uniform(0, 0.5)),
            }
        )
    return parts


def words(values):
    return " ".join(repr(float(x)) for x in values)


def as_urdf(parts):
    text = '<robot name="r"><link name="world"/>'
    for k, p in enumerate(parts):
        I = p["I"]
        names = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
        inertia = " ".join(f'{key}="{float(v)!r}"' for key, v in names.items())
        text += f'<link name="b{k}"><inertial><origin xyz="{words(p["c"])}"/><mass value="{float(p["m"])!r}"/>'
        text += f"<inertia {inertia}/></inertial></link>"
        kind = "continuous" if p["kind"] == "hinge" else "prismatic"
        above = "world" if p["parent"] < 0 else f"b{p['parent']}"
        text += f'<joint name="j{k}" type="{kind}"><parent link="{above}"/><child link="b{k}"/>'
        text += f'<origin xyz="{words(p["xyz"])}" rpy="{words(p["rpy"])}"/><axis xyz="{words(p["axis"])}"/>'
        text += f'<dynamics damping="{p["damping"]!r}"/></joint>'
    return text + "</robot>"


def as_mjcf(parts):
    def body(k):
        p, I = parts[k], parts[k]["I"]
        full = words([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        text = f'<body name="b{k}" pos="{words(p["xyz"])}" euler="{words(p["rpy"])}">'
        text += f'<inertial pos="{words(p["c"])}" mass="{float(p["m"])!r}" fullinertia="{full}"/>'
        text += f'<joint name="j{k}" type="{p["kind"]}" axis="{words(p["axis"])}" damping="{p["damping"]!r}"/>'
        return text + "".join(body(i) for i, q in enumerate(parts) if q["parent"] == k) + "</body>"

    inside = "".join(body(i) for i, q in enumerate(parts) if q["parent"] < 0)
    head = '<compiler angle="radian" eulerseq="XYZ"/>'
    return f"<mujoco>{head}<worldbody>{inside}</worldbody></mujoco>"


def as_sdf(parts):
    text = '<sdf version="1.9"><model name="r">'
    for k, p in enumerate(parts):
        I = p["I"]
        names = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
        inertia = "".join(f"<{key}>{float(v)!r}</{key}>" for key, v in names.items())
        above = "" if p["parent"] < 0 else f' relative_to="b{p["parent"]}"'
        text += f'<link name="b{k}"><pose{above}>{words([*p["xyz"], *p["rpy"]])}</pose><inertial>'
        text += f"<pose>{words([*p['c'], 0, 0, 0])}</pose><mass>{float(p['m'])!r}</mass><inertia>{inertia}</inertia>"
        text += "</inertial></link>"
        kind = "revolute" if p["kind"] == "hinge" else "prismatic"
        on = "world" if p["parent"] < 0 else f"b{p['parent']}"
        text += f'<joint name="j{k}" type="{kind}"><parent>{on}</parent><child>b{k}</child><axis>'
        text += f"<xyz>{words(p['axis'])}</xyz><dynamics><damping>{p['damping']!r}</damping></dynamics></axis></joint>"
    return text + "</model></sdf>"


def by_hand(parts):
    m = da.Mechanism("r")
    m.gravity = [0, 0, -9.81]
    bodies = []
    for k, p in enumerate(parts):
        bodies.append(m.body(f"b{k}", mass=float(p["m"]), centre=[float(x) for x in p["c"]], inertia=p["I"].tolist()))
        above = da.earth if p["parent"] < 0 else bodies[p["parent"]]
        turns = [da.turn(float(p["rpy"][i]), "xyz"[i]) for i in (2, 1, 0)]
        axis = [float(x) for x in p["axis"]]
        joint = (
            da.revolute(axis).with_efforts(th=f"-{p['damping']}*th'")
            if p["kind"] == "hinge"
            else da.prismatic(axis).with_efforts(x=f"-{p['damping']}*x'")
        )
        m.join(above.at([float(x) for x in p["xyz"]], *turns), bodies[k], joint, name=f"j{k}")
    return m


READERS = {"urdf": (as_urdf, da.read_urdf), "xml": (as_mjcf, da.read_mjcf), "sdf": (as_sdf, da.read_sdf)}


@pytest.mark.parametrize("seed", range(3))
def test_one_machine_in_three_formats_and_by_hand(seed, tmp_path):
    parts = random_robot(seed)
    asked = by_hand(parts)
    f, names = asked.compile(), asked.layout().coordinates
    rng = np.random.default_rng(seed)
    q, u = rng.uniform(-1, 1, (2, len(names)))
    for suffix, (write, read) in READERS.items():
        path = tmp_path / f"r.{suffix}"
        path.write_text(write(parts))
        m = read(path)
        if suffix == "sdf":
            m.gravity = [0, 0, -9.81]
        g, found = m.compile(), m.layout().coordinates
        assert sorted(found) == sorted(names)
        order = [names.index(x) for x in found]
        M = np.asarray(f.mass_matrix(q))[np.ix_(order, order)]
        np.testing.assert_allclose(g.mass_matrix(q[order]), M, rtol=0, atol=1e-12 * np.abs(M).max())
        there = np.asarray(f.acceleration(q, u))[order]
        np.testing.assert_allclose(g.acceleration(q[order], u[order]), there, rtol=0, atol=1e-10 * np.abs(there).max())
        back = da.loads(m.to_lsd(), "r")
        assert back.freeze().structure == m.freeze().structure


def write(tmp_path, text, suffix="urdf"):
    path = tmp_path / f"robot.{suffix}"
    path.write_text(text)
    return path


LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
ARM = f"""<robot name="arm"><link name="base"/><link name="a">{LINK}</link><link name="b">{LINK}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
<joint name="k" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<mimic joint="j" multiplier="-2" offset="0.1"/></joint></robot>"""


def test_mimic_is_a_constraint_and_limits_are_stops(tmp_path):
    m = da.read_urdf(write(tmp_path, ARM))
    assert [str(x) for one in m.constraints for x in one.expressions] == ["k.th - (-2*j.th + 0.1)"] or m.constraints
    mo = da.read_urdf(write(tmp_path, ARM), limits=False).simulate((0, 1), start={"j.th'": 1.0})
    np.testing.assert_allclose(mo["k.th"], -2 * mo["j.th"] + 0.1, atol=1e-9)
    assert [one.name for one in m.contacts] == ["j_stop_low", "j_stop_high"]
    assert any("effort and velocity" in note for note in m.notes)


def test_a_mimic_of_nothing_says_that_nothing_is_there(tmp_path):
    """It said that one of them does not move."""
    text = """<robot><link name="a"/><link name="b">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    </link><joint name="j" type="continuous"><parent link="a"/><child link="b"/><mimic joint="k"/></joint></robot>"""
    with pytest.warns(UnmappedWarning):
        m = da.read_urdf(write(tmp_path, text))
    assert list(m.notes) == ["joint 'j' mimics 'k', but there is no such joint: left out."]
    assert not m.constraints


def test_fusing_changes_no_dynamics(tmp_path):
    parts = random_robot(7)
    text = as_urdf(parts).replace('<joint name="j2" type="continuous">', '<joint name="j2" type="fixed">')
    text = text.replace('<joint name="j2" type="prismatic">', '<joint name="j2" type="fixed">')
    path = write(tmp_path, text)
    whole, fused = da.read_urdf(path), da.read_urdf(path, fuse=True)
    assert "b2" in whole.bodies
    assert "b2" in fused.frames
    assert len(fused.bodies) == len(whole.bodies) - 1
    q = np.linspace(-1, 1, 3)
    one, two = whole.compile().mass_matrix(q), fused.compile().mass_matrix(q)
    order = [whole.layout().coordinates.index(x) for x in fused.layout().coordinates]
    np.testing.assert_allclose(two, np.asarray(one)[np.ix_(order, order)], rtol=1e-12, atol=1e-13)


def test_a_rotor_adds_its_inertia_to_the_joint_and_nothing_else(tmp_path):
    text = """<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0" armature="{a}"/>
    <geom size="0.1" pos="1 0 0"/><body name="b" pos="1 0 0">
    <joint name="s" type="slide" axis="1 1 0" armature="{a}"/><geom size="0.1"/></body>
    </body></worldbody></mujoco>"""
    with_, without = (da.read_mjcf(write(tmp_path, text.format(a=a), "xml")) for a in (0.7, 0))
    q, u = [0.3, 0.2], [1.0, -2.0]
    more = np.asarray(with_.compile().mass_matrix(q)) - np.asarray(without.compile().mass_matrix(q))
    np.testing.assert_allclose(more, 0.7 * np.eye(2), atol=1e-13)
    there = [np.asarray(m.compile().inverse_dynamics(q, u, [0.0, 0.0])) for m in (with_, without)]
    np.testing.assert_allclose(there[0], there[1], atol=1e-12)


def test_a_control_is_never_taken_for_the_coordinate_of_its_name(tmp_path):
    """An actuator called after its joint acted as a spring."""
    text = """<mujoco><worldbody><body name="b"><joint name="p" axis="1 0 0"/><joint name="q" axis="0 1 0"/>
    <geom size="0.1" pos="1 0 0"/></body></worldbody><option gravity="0 0 0"/>
    <actuator><motor name="p" joint="p"/><motor joint="q" name="q" gear="3"/></actuator></mujoco>"""
    m = da.read_mjcf(write(tmp_path, text, "xml"))
    assert np.allclose(m.compile().acceleration([0.4, 0.5], [0, 0]), 0)
    assert sorted(m.given) == ["p_u", "q_u"]


def test_loops_of_mjcf_close(tmp_path):
    text = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
    <body name="a"><joint name="A" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 1"/>
    <body name="b" pos="0 0 1"><joint name="B" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 2 0 0.5"/>
    </body></body>
    <body name="c" pos="2 0 0"><joint name="C" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 1.5"/>
    </body></worldbody><equality><connect name="D" body1="b" body2="c" anchor="2 0 0.5"/></equality></mujoco>"""
    m = da.read_mjcf(write(tmp_path, text, "xml"))
    assert m.mobility().dof == 1
    mo = m.simulate((0, 1), start={"A.th'": 1.0})
    assert mo.quality.closure < 1e-9
    assert abs(mo.energy()[-1] - mo.energy()[0]) < 1e-7


def test_solids_have_the_mass_of_their_points():
    """Capsule and ellipsoid against sums over many small cells."""
    from dalembert.io.solids import principal, volume

    rng = np.random.default_rng(0)
    for kind, size in (("capsule", [0.3, 0.5]), ("ellipsoid", [0.3, 0.5, 0.2]), ("cylinder", [0.3, 0.5])):
        reach = {"capsule": [0.3, 0.3, 0.8], "ellipsoid": size, "cylinder": [0.3, 0.3, 0.5]}[kind]
        points = rng.uniform(-1, 1, (400_000, 3)) * reach
        x, y, z = points.T
        if kind == "capsule":
            inside = x**2 + y**2 + np.maximum(np.abs(z) - 0.5, 0) ** 2 < 0.09
        elif kind == "ellipsoid":
            inside = (x / 0.3) ** 2 + (y / 0.5) ** 2 + (z / 0.2) ** 2 < 1
        else:
            inside = x**2 + y**2 < 0.09
        box = 8 * np.prod(reach)
        assert abs(box * inside.mean() / volume(kind, size) - 1) < 0.01
        held = points[inside]
        moments = (held**2).mean(0)
        found = [moments.sum() - moments[i] for i in range(3)]
        np.testing.assert_allclose(principal(kind, size, 1.0), found, rtol=0.01)


def test_a_mesh_weighs_what_its_solid_weighs():
    from dalembert.io.poses import Pose
    from dalembert.io.solids import mesh_mass, solid

    points = np.array([[x, y, z] for x in (1, 3) for y in (2, 3) for z in (0, 4)], dtype=float)
    from scipy.spatial import ConvexHull

    faces = ConvexHull(points).simplices.copy()
    middle = points.mean(0)
    for k, (a, b, c) in enumerate(faces):
        if np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a] - middle) < 0:
            faces[k] = a, c, b
    for signed in (True, False):
        found = mesh_mass(points, faces, 2.0, None, Pose(), signed=signed)
        assert math.isclose(found.mass, 16)
        np.testing.assert_allclose(found.pose.p, middle)
        np.testing.assert_allclose(found.tensor, solid("box", [1, 0.5, 2], 16.0, Pose()).tensor, atol=1e-12)


REFUSED = {
    "entity": ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="r"><link name="&a;"/></robot>', "document type"),
    "broken": ("<robot><link></robot>", "well-formed"),
    "other": ("<mujoco/>", "read_mjcf"),
    "number": ('<robot name="r"><link name="a"><inertial><mass value="nan"/></inertial></link></robot>', "finite"),
    "xacro": ('<robot name="r"><xacro:macro name="x"/></robot>', "xacro"),
    "circle": (
        '<robot name="r"><link name="o"/><link name="a"/><link name="b"/>'
        '<joint name="i" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint></robot>',
        "circle",
    ),
    "axis": (
        '<robot name="r"><link name="o"/><link name="a"/><joint name="j" type="revolute"><parent link="o"/>'
        '<child link="a"/><axis xyz="0 0 0"/></joint></robot>',
        "direction",
    ),
    "nothing": ("<robot/>", "no links"),
}


@pytest.mark.parametrize(
    ("inside", "word"),
    [
        ('<geom type="sphere" size="1e200"/>', "so large"),
        ('<geom type="capsule" fromto="0 0 0 0 0 1" size=""/>', "is empty"),
        (
            '<geom size="0.1"/></body></worldbody><actuator><motor joint="j" gear=""/></actuator><worldbody><body>',
            "is empty",
        ),
        (
            f'<geom type="mesh" mesh="m"/></body></worldbody><asset><mesh name="m" file="{"9" * 300}.obj"/></asset>'
            "<worldbody><body>",
            "no file",
        ),
        ('<joint name="k" type="slide" springdamper="1e-200 1"/><geom size="0.1"/>', "too short"),
        (
            '<geom type="mesh" mesh="m"/></body></worldbody><asset><mesh name="m" vertex="0 1"/></asset>'
            "<worldbody><body>",
            "three",
        ),
        (
            '<geom type="mesh" mesh="m"/></body></worldbody><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"'
            ' face="0 1 9"/></asset><worldbody><body>',
            "from 0 to 3",
        ),
    ],
)
def test_numbers_that_no_machine_has_are_refused_in_words(inside, word, tmp_path):
    """Found among 100,000 mutated files."""
    text = f'<mujoco><worldbody><body><joint name="j"/>{inside}</body></worldbody></mujoco>'
    with pytest.raises(da.ModelError, match=word):
        da.read_mjcf(write(tmp_path, text, "xml"))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_is_refused_in_words(name, tmp_path):
    text, word = REFUSED[name]
    with pytest.raises(da.ModelError, match=word):
        da.read_urdf(write(tmp_path, text))


def test_impossible_inertias_are_told_with_the_link_and_kept(tmp_path):
    text = ARM.replace('ixx="1" iyy="1" izz="1"', 'ixx="1" iyy="1" izz="9"', 1)
    with pytest.warns(UnmappedWarning):
        m = da.read_urdf(write(tmp_path, text), limits=False)
    assert any("'a'" in note and "exceeds" in note for note in m.notes)
    assert da.loads(m.to_lsd()) == m
    m.simulate((0, 0.1))


def test_nothing_outside_the_folder_is_read(tmp_path):
    (tmp_path / "secret.xml").write_text("<mujoco><worldbody/></mujoco>")
    inner = tmp_path / "pkg"
    inner.mkdir()
    for name in ("../secret.xml", str(tmp_path / "secret.xml"), "file:///etc/passwd"):
        path = write(inner, f'<mujoco><include file="{name}"/></mujoco>', "xml")
        with pytest.raises(da.ModelError, match="no file"):
            da.read_mjcf(path)
    (inner / "link.xml").symlink_to(tmp_path / "secret.xml")
    with pytest.raises(da.ModelError, match="no file"):
        da.read_mjcf(write(inner, '<mujoco><include file="link.xml"/></mujoco>', "xml"))


def mutated(text, rng):
    """A file with a few random errors in it."""
    for _ in range(rng.randint(1, 3)):
        i, j = sorted(rng.sample(range(len(text)), 2))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:i] + text[min(j, i + rng.randint(1, 30)) :]
        elif kind == 1:
            text = text[:i] + rng.choice('<>"/= 0-e.&naxyz\x00é') + text[i + 1 :]
        elif kind == 2:
            text = text[:j] + text[i : i + rng.randint(1, 60)] + text[j:]
        elif kind == 3:
            numbers = ("1e400", "-1", "nan", "1e-320", "0", "9" * 400, "--1", "1_0")
            cut = text.find('"', i)
            text = text[: cut + 1] + rng.choice(numbers) + text[cut + 1 :]
        else:
            text = text.replace(
                rng.choice(["b1", "j1", "body", "link", "hinge", "revolute"]), rng.choice(["b2", "x", ""]), 1
            )
    return text


@pytest.mark.parametrize("suffix", READERS)
def test_mutated_files_give_a_model_or_a_sentence(suffix, tmp_path):
    written, read = READERS[suffix]
    rng = random.Random(5)
    path = tmp_path / f"r.{suffix}"
    good = bad = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(60):
            path.write_text(mutated(written(random_robot(seed % 3, 3)), rng))
            try:
                read(path)
                good += 1
            except da.DalembertError:
                bad += 1
    assert good > 3
    assert bad > 10


def test_fractions_beyond_all_doubles_are_infinite_not_a_fault():
    """Found among mutated files: a length of four hundred digits over three."""
    from fractions import Fraction

    from dalembert import expr as ex

    assert ex.evaluate([ex.as_expr(Fraction(-(10**400), 3))], {}) == [-math.inf]


def test_the_example_of_the_help_runs(tmp_path):
    from pathlib import Path

    from typer.testing import CliRunner

    from dalembert.cli import app

    example = Path(__file__).parents[2] / "examples" / "robots" / "arm.urdf"
    out = tmp_path / "arm.lsd"
    done = CliRunner().invoke(app, ["import", str(example), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert da.load(out).freeze().structure == da.load(example).freeze().structure


def test_geoms_are_what_bodies_look_like(tmp_path):
    """Half lengths become lengths, colours stay, groups for collisions and invisible geoms are not seen."""
    path = tmp_path / "doll.xml"
    path.write_text(
        """<mujoco><worldbody><body name="trunk"><joint type="hinge" axis="0 1 0"/>
        <geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
        <geom type="capsule" fromto="0 0 0.3 0 0 0.7" size="0.05"/>
        <geom type="sphere" size="0.4" group="3"/>
        <geom type="sphere" size="0.5" rgba="0 0 0 0"/>
        </body></worldbody></mujoco>"""
    )
    m = da.load(path)
    box, neck = m.bodies["trunk"].shapes
    assert (box.kind, [float(x.value) for x in box.sizes], box.colour) == ("box", [0.2, 0.4, 0.6], "#ff0000")
    assert neck.kind == "capsule"
    np.testing.assert_allclose([float(x.value) for x in neck.sizes], [0.05, 0.4])
    np.testing.assert_allclose([float(x.value) for x in neck.place.translation], [0, 0, 0.5])
    assert da.loads(m.to_lsd()) == m


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_world_needs_no_link_of_its_own(tmp_path):
    path = tmp_path / "r.urdf"
    link = '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    joint = '<joint name="j" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint>'
    path.write_text(f'<robot name="r">{link}{joint}</robot>')
    assert da.read_urdf(path).layout().coordinates == ("j.th",)
    path.write_text(f'<robot name="r">{link}{joint.replace("world", "earth")}</robot>')
    with pytest.raises(da.DalembertError, match="every link is the child"):
        da.read_urdf(path)


def test_names_that_are_twice_or_nowhere_are_told_by_name(tmp_path):
    path = tmp_path / "r.urdf"
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>'
    path.write_text(f'<robot name="r"><link name="a"/><link name="a"/>{joint}</robot>')
    with pytest.raises(da.ModelError, match="two links 'a'"):
        da.load(path)
    body = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j" type="hinge"/>'
    tied = '<equality><joint name="e" joint1="j" joint2="zz"/></equality>'
    path = tmp_path / "m.xml"
    path.write_text(f'<mujoco><worldbody><body name="w">{body}</body></worldbody>{tied}</mujoco>')
    with pytest.warns(UserWarning, match="no joint 'zz': equality 'e'"):
        da.load(path)
