"""`dalembert lqr` and `dalembert trajectory` tell what Python tells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
CART, ARM = str(EXAMPLES / "cart_pole.lsd"), str(EXAMPLES / "double_pendulum.lsd")


def call(*args):
    return CliRunner().invoke(app, list(args))


def test_the_feedback_of_a_cart_with_a_pole():
    told = call("lqr", CART, "--input", "rail.x", "--output", "pivot.th", "--at", "pivot.th=0", "-Q", "pivot.th=10",
                "-R", "0.1", "--format", "json")  # fmt: skip
    assert told.exit_code == 0, told.output
    data = json.loads(told.stdout)
    space = da.load(CART).state_space(["rail.x"], ["pivot.th"], at={"pivot.th": 0})
    held = space.lqr({"pivot.th": 10}, 0.1)
    assert data["space"] == json.loads(json.dumps(space.as_dict()))
    assert data["feedback"] == json.loads(json.dumps(held.as_dict()))
    assert "feedback" in call("lqr", CART, "--input", "rail.x", "--at", "pivot.th=0", "--step", "0.01").stdout


def test_a_motion_through_points_and_its_efforts(tmp_path):
    points = ("--point", "shoulder.th=0,0.8,0.4", "--point", "elbow.th=0,-0.5,pi/8")
    told = call("trajectory", ARM, *points, "--speed", "2", "--acceleration", "elbow.th=6", "--efforts",
                "--points", "9", "-o", str(tmp_path / "way.csv"), "--format", "json")  # fmt: skip
    assert told.exit_code == 0, told.output
    table = json.loads(told.stdout)["table"]
    way = da.trajectory(
        {"shoulder.th": [0, 0.8, 0.4], "elbow.th": [0, -0.5, np.pi / 8]}, speed=2.0, acceleration={"elbow.th": 6}
    )
    t = np.array(table["t"])
    assert t[-1] == pytest.approx(way.duration)
    f = da.load(ARM).compile()
    needed = np.asarray(f.inverse_dynamics(way.q(t), way.u(t), way.udot(t)))
    found = np.column_stack([table["effort.shoulder.th"], table["effort.elbow.th"]])
    np.testing.assert_allclose(found, needed, atol=1e-6 * np.abs(needed).max())
    written = np.loadtxt(tmp_path / "way.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(written[:, 1], way.q(t)[:, 0], atol=1e-12)


def test_a_motion_that_leaves_the_range_of_its_points_says_so():
    told = call("trajectory", ARM, "--point", "shoulder.th=0,1,1.2", "--point", "elbow.th=0,1,0", "--speed", "1")
    assert "shoulder.th swings beyond its points, from 0 to 1.23" in told.stderr
    assert "elbow.th" not in told.stderr


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("trajectory", ARM, "--point", "elbow.tj=0,1", "--speed", "1"), 2, "elbow.tj"),
        (("trajectory", ARM, "--point", "elbow.th=0,one", "--speed", "1"), 2, "not a number"),
        (("trajectory", ARM, "--point", "elbow.th=0,1"), 1, "how fast"),
        (("lqr", CART, "--input", "rail.y"), 1, "rail.y"),
        (("lqr", CART, "--input", "rail.x", "-Q", "heavy"), 2, "not a number"),
    ],
)
def test_faults_are_told(args, code, words):
    told = call(*args)
    shown = told.output + (str(told.exception) if told.exception else "")
    assert words in shown.replace("\n", " ")
    assert told.exit_code == code
