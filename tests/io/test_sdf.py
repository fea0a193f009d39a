"""SDF: frames, nested models, loops, gearboxes; by hand, and at random beside Drake's parser where it is installed."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def link(name, pose="", on=""):
    said = f"<pose{f' relative_to={on!r}' if on else ''}>{pose}</pose>" if pose else ""
    return f"<link name='{name}'>{said}{INERTIAL}</link>"


def joint(name, parent, child, kind="revolute", inside="<axis><xyz>0 0 1</xyz></axis>"):
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inside}</joint>"


def opened(tmp_path, inside, version="1.9"):
    path = tmp_path / "robot.sdf"
    path.write_text(f"<sdf version='{version}'>{inside}</sdf>")
    return da.read_sdf(path)


def place(m, body, **at):
    found = m.direct_kinematics(body)
    return found.at({**dict.fromkeys(m.layout().coordinates, 0.0), **m.start, **at})


def test_a_frame_moves_with_what_it_is_attached_to_wherever_it_is_placed(tmp_path):
    frame = "<frame name='f' attached_to='a'><pose relative_to='b'>0 0 1 0 0 0</pose></frame>"
    m = opened(
        tmp_path,
        f"<model name='m'>{link('a')}{link('b', '1 0 0 0 0 0')}{link('c', '0 0 0 0 0 0', 'f')}{frame}"
        f"{joint('w', 'world', 'a')}{joint('ab', 'a', 'b')}{joint('fc', 'f', 'c')}</model>",
    )
    assert {m.links["fc"].first.body, m.links["fc"].second.body} == {"a", "c"}
    np.testing.assert_allclose(place(m, "c")[:3, 3], [1, 0, 1], atol=1e-15)


def test_a_nested_model_hangs_by_the_joint_of_the_outer_one(tmp_path):
    """The frame 'tip' of the inner model stands at (0, 2, 0) of 'a'; its link 'l' one behind it."""
    inner = f"<model name='n' placement_frame='tip'><pose relative_to='a'>0 2 0 0 0 0</pose>{link('l')}{link('k')}"
    inner += f"<frame name='tip' attached_to='l'><pose>1 0 0 0 0 0</pose></frame>{joint('lk', 'l', 'k')}</model>"
    m = opened(
        tmp_path,
        f"<model name='m'><pose>0 0 5 0 0 0</pose>{link('a', '0 0 1 0 0 0')}{inner}"
        f"{joint('w', 'world', 'a', 'fixed', '')}{joint('j', 'a', 'n::tip')}</model>",
    )
    assert m.layout().coordinates == ("j.th", "n__lk.th")
    np.testing.assert_allclose(place(m, "n__l")[:3, 3], [-1, 2, 6], atol=1e-15)
    turned = place(m, "n__l", **{"j.th": np.pi / 2})[:3, 3]  # the joint stands in its child frame: the tip
    np.testing.assert_allclose(turned, [0, 1, 6], atol=1e-15)


def test_axes_of_old_files_are_written_in_the_model(tmp_path):
    body = f"<model name='m'>{link('a', '0 0 0 1.5707963267948966 0 0')}{joint('j', 'world', 'a')}</model>"
    for version, axis in (("1.4", [0, 0, 1]), ("1.5", [0, -1, 0])):
        R = place(opened(tmp_path, body, version), "a", **{"j.th": 0.3})[:3, :3]
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
        still = R @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # R over what it is at zero
        np.testing.assert_allclose(still @ axis, axis, atol=1e-14)


def test_a_joint_towards_what_hangs_already_is_taken_from_the_other_side(tmp_path):
    m = opened(
        tmp_path,
        f"<model name='m'>{link('a')}{link('b')}{link('c', '1 0 0 0 0 0')}"
        f"{joint('w', 'world', 'a')}{joint('ab', 'a', 'b')}{joint('cb', 'c', 'b')}</model>",
    )
    assert m.layout().coordinates == ("w.th", "ab.th", "cb.th")
    assert not m.layout().constraints
    there = place(m, "c", **{"cb.th": 0.3})  # b turns by 0.3 in c, so that c turns by -0.3 about b
    np.testing.assert_allclose(there[:2, 3], [np.cos(0.3), -np.sin(0.3)], atol=1e-15)


def test_a_ring_in_space_is_closed_by_one_joint(tmp_path):
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    links = "".join(link(f"l{k}", f"{x} {y} 0 0 0 0") for k, (x, y) in enumerate(corners))
    joints = "".join(joint(f"j{k}", f"l{k}", f"l{(k + 1) % 4}") for k in range(4))
    m = opened(tmp_path, f"<model name='m'>{links}{joints}</model>")
    assert len(m.layout().speeds) == 6 + 3
    assert len(m.layout().cuts) == 1


def test_static_models_stand_with_all_their_links(tmp_path):
    still = f"<model name='s'><static>true</static>{link('a')}{link('b')}{joint('j', 'a', 'b')}</model>"
    m = opened(tmp_path, f"<world name='w'>{still}<model name='m'>{link('c')}</model></world>")
    assert len(m.layout().speeds) == 6


@pytest.mark.parametrize("ratio", [0.25, -3.0])
def test_a_gearbox_ties_the_angles_from_its_reference_body(ratio, tmp_path):
    """theta_2 = -ratio theta_1, as the description of the format has it."""
    gear = f"<gearbox_reference_body>base</gearbox_reference_body><gearbox_ratio>{ratio}</gearbox_ratio>"
    gear += "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2>"
    m = opened(
        tmp_path,
        f"<model name='m'>{link('base')}{link('a')}{link('b', '1 0 0 0 0 0')}{joint('w', 'world', 'base', 'fixed', '')}"
        f"{joint('one', 'base', 'a')}{joint('two', 'base', 'b')}{joint('g', 'a', 'b', 'gearbox', gear)}</model>",
    )
    assert not m.notes
    mo = m.simulate((0, 1), start={"one.th'": 1.0})
    assert abs(mo["two.th"][-1] - ratio * mo["one.th"][-1]) < 1e-9  # about -z: the sign turns


@pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")
@pytest.mark.parametrize(
    ("inside", "told"),
    [
        (link("a").replace("<mass>", "<pose relative_to='b'>0 0 1 0 0 0</pose><mass>"), "'relative_to' of <pose>"),
        (link("a", "0 0 1 0 0 0", "x").replace("relative_to", "relativ_to"), "'relativ_to' of <pose>"),
        (link("a") + link("b") + joint("j", "a", "b", inside="<axis><xyz>0 0 1</xyz><mimic joint='w'><multipler>2"
         "</multipler></mimic></axis>"), "<multipler> of <mimic>"),
    ],
)  # fmt: skip
def test_places_and_ties_that_nobody_reads_are_told(inside, told, tmp_path):
    m = opened(tmp_path, f"<model name='m'>{inside}{joint('w', 'world', 'a')}</model>")
    assert any(told in note for note in m.notes)


@pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")
def test_states_and_winds_of_a_world_are_told_and_infinite_limits_are_none(tmp_path):
    limit = "<axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>1</upper></limit></axis>"
    body = f"<model name='m'>{link('a')}{joint('j', 'world', 'a', inside=limit)}</model>"
    m = opened(tmp_path, f"<world name='w'><wind/><state world_name='w'/>{body}</world>")
    assert [x.name for x in m.contacts] == ["j_stop_high"]
    assert {x for note in m.notes for x in ("<wind>", "<state>") if x in note} == {"<wind>", "<state>"}


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def random_pose(rng, on=None):
    at, p, kind = "" if on is None else f" relative_to='{on}'", rng.uniform(-1, 1, 3), rng.integers(4)
    if kind == 0:
        four = rng.standard_normal(4)
        return f"<pose{at} rotation_format='quat_xyzw'>{numbers([*p, *four / np.linalg.norm(four)])}</pose>"
    if kind == 1:
        return f"<pose{at} degrees='true'>{numbers([*p, *rng.uniform(-180, 180, 3)])}</pose>"
    return "" if kind == 2 and on is None else f"<pose{at}>{numbers([*p, *rng.uniform(-3, 3, 3)])}</pose>"


def random_inertial(rng):
    halves, axes = rng.uniform(0.1, 1, 3), np.linalg.qr(rng.standard_normal((3, 3)))[0]
    I = axes @ np.diag(halves.sum() - halves) @ axes.T
    entries = {f"i{'xyz'[i]}{'xyz'[j]}": I[i, j] for i in range(3) for j in range(i, 3)}
    inside = "".join(f"<{name}>{float(x)!r}</{name}>" for name, x in entries.items())
    return f"<inertial>{random_pose(rng)}<mass>{rng.uniform(0.5, 2)}</mass><inertia>{inside}</inertia></inertial>"


def random_model(rng, name, count, inner=True):
    """Links, frames and joints that stand in and are attached to each other, and a model inside."""
    frames, links = ["__model__"], [f"l{k}" for k in range(count)]

    def any_frame(chance):
        return rng.choice(frames) if rng.random() < chance else None

    def frame(called, on):
        frames.append(called)
        return f"<frame name='{called}' attached_to='{on}'>{random_pose(rng, rng.choice(frames[:-1]))}</frame>"

    text = ""
    for one in links:
        text += f"<link name='{one}'>{random_pose(rng, any_frame(0.5))}{random_inertial(rng)}</link>"
        frames.append(one)
    text += frame("f", rng.choice(frames))
    if inner:
        held = random_model(rng, "inner", 2, False)
        text += joint("base", "world", "l0")
        placed = f"<model name='inner' placement_frame='l1'>{random_pose(rng, any_frame(0.5))}"
        text += held.replace("<model name='inner'>", placed)
        links.append("inner::l0")
    kinds = ["revolute", "continuous", "prismatic", "ball", "universal", "fixed", "screw"]
    for k, one in enumerate(links[1:], 1):
        kind, parent, child = rng.choice(kinds), links[rng.integers(0, min(k, count))], one
        if rng.random() < 0.3:
            text, child = text + frame(f"g{k}", one), f"g{k}"
        if inner and kind in ("revolute", "prismatic", "fixed") and rng.random() < 0.3:
            parent, child = child, parent
        a = rng.standard_normal(3)
        said = f" expressed_in='{x}'" if kind != "universal" and (x := any_frame(0.5)) else ""
        inside = "" if kind in ("ball", "fixed") else f"<axis><xyz{said}>{numbers(a)}</xyz></axis>"
        if kind == "universal":
            inside += f"<axis2><xyz>{numbers(np.cross(a, rng.standard_normal(3)))}</xyz></axis2>"
        elif kind == "screw":
            inside += f"<screw_thread_pitch>{rng.uniform(-1, 1)}</screw_thread_pitch>"
        text += joint(f"j{k}", parent, child, kind, random_pose(rng, any_frame(0.4)) + inside)
    return f"<model name='{name}'>{text}</model>"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_drake_reads_the_same_machine(seed, tmp_path, monkeypatch):
    pytest.importorskip("pydrake", reason="Drake is not installed")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    robots = importlib.import_module("robots")
    rng = np.random.default_rng(seed)
    models = "".join(random_model(rng, name, 3) for name in ("m", "n"))
    path = tmp_path / "robot.sdf"
    path.write_text(f"<sdf version='1.9'><world name='w'>{models}</world></sdf>")
    m = da.read_sdf(path, limits=False)
    row = robots.Row("", "sdf")
    robots.compare(row, path, m, m.compile(), 3)
    sys.modules.pop("robots", None)
    assert not row.said
    assert row.worst["Drake"] < 1e-10
