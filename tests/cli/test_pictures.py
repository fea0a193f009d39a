"""Pictures from the command line: what they write, and what they refuse in words."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli import app

ROOT = Path(__file__).parents[2]
PENDULUM = str(ROOT / "examples/pendulum.lsd")
FOUR_BAR = str(ROOT / "examples/four_bar.lsd")


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *args: CliRunner().invoke(app, list(args))


def test_a_posture_is_drawn_in_the_kind_that_the_name_says(call):
    told = call("draw", FOUR_BAR, "-o", "bar.svg", "--set", "ground.th=0.8", "--towards", "0", "-1", "0.2", "--dark")
    assert told.exit_code == 0, told.output
    assert "<svg" in Path("bar.svg").read_text()
    assert call("draw", PENDULUM).stdout == "pendulum.png\n"
    assert Path("pendulum.png").read_bytes().startswith(b"\x89PNG")


def test_a_robot_moves_in_the_meshes_of_its_links(call):
    """Nobody who animates a robot wants the sticks between its joints."""
    Path("wedge.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    Path("wedge.urdf").write_text(
        """<robot name="wedge"><link name="base"/><link name="part"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <visual><geometry><mesh filename="wedge.obj"/></geometry></visual></link>
        <joint name="hinge" type="continuous"><parent link="base"/><child link="part"/><axis xyz="0 0 1"/></joint>
        </robot>"""
    )
    told = call("simulate", "wedge.urdf", "--until", "0.2", "--animate", "wedge.html")
    assert told.exit_code == 0, told.output
    assert '"kind":"mesh"' in Path("wedge.html").read_text()
    assert "left out" not in call("draw", "wedge.urdf").output


def test_a_motion_is_painted(call):
    told = call("video", PENDULUM, "--until", "0.5", "--fps", "6", "--size", "160", "90", "--set", "m=2")
    assert told.exit_code == 0, told.output
    assert Path("pendulum.gif").read_bytes().startswith(b"GIF8")


@pytest.mark.parametrize(
    "words",
    [
        ["--kind", "phase", "--until", "2", "-o", "p.svg"],
        ["--kind", "reactions", "--name", "hinge", "--until", "1"],
        ["--kind", "locus", "--vary", "l=0.5:2:9", "--at", "hinge.th=0"],
        ["--kind", "mode", "-o", "mode.html"],
    ],
)
def test_plots_of_motions_and_of_small_ones(call, words):
    told = call("plot", PENDULUM, *words)
    assert told.exit_code == 0, told.output
    assert Path(told.stdout.strip()).stat().st_size > 2000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plot", PENDULUM, "--kind", "section"], "say where the section is"),
        (["plot", PENDULUM, "--kind", "response"], "say which parameter is the input"),
        (["plot", PENDULUM, "--kind", "locus", "--vary", "l"], "write --vary k=0:40"),
        (["plot", PENDULUM, "--kind", "mode", "--mode", "9"], "there is no mode 9"),
        (["draw", PENDULUM, "-o", "x.bmp"], "a picture is a PNG, SVG or PDF"),
        (["draw", PENDULUM, "--towards", "0", "0", "0"], "is no direction"),
        (["draw", PENDULUM, "--set", "x=1"], "no parameter or coordinate 'x'"),
        (["video", PENDULUM, "-o", "x.avi"], "a video is a GIF, MP4 or WEBM"),
        (["video", PENDULUM, "--until", "-1"], "must be positive"),
        (["video", PENDULUM, "--size", "1", "1"], "16 to 4096 pixels"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, words, said):
    told = call(*words)
    assert told.exit_code != 0
    assert said in told.output + str(told.exception)
    assert list(Path().iterdir()) == []
