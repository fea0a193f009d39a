"""LSD beside Modelica, MJCF and Autolev: the table of the manual counts the programs; those that can be run agree."""

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

ROOT = Path(__file__).parents[2]
LSD = {"cart_pole": "cart_pole", "four_bar": "four_bar", "rolling_disc": "constraints/rolling_disc"}
TITLES = {"cart_pole": "cart and pole", "four_bar": "four-bar", "rolling_disc": "rolling disc"}


def counted(path):
    """Lines and signs of a program without comments and blank lines."""
    text = re.sub(r"\(\*(?s:.*?)\*\)", "", path.read_text()) if path.suffix == ".lsd" else path.read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("%")]
    return len(lines), sum(len(re.sub(r"\s", "", line)) for line in lines)


@pytest.mark.parametrize("name", LSD)
def test_the_table_of_the_manual_counts_the_programs(name):
    page = (ROOT / "docs/languages.md").read_text()
    files = [ROOT / f"examples/{LSD[name]}.lsd", *(ROOT / f"docs/languages/{name}.{x}" for x in ("mo", "xml", "al"))]
    cells = " | ".join(f"{lines}, {signs}" for lines, signs in map(counted, files))
    assert f"| {TITLES[name]} | {cells} |" in page


@pytest.mark.parametrize(
    ("name", "states"), [("cart_pole", ["rail.x", "pivot.th"]), ("four_bar", ["ground.th", "a.th", "pivot.th"])]
)
def test_the_programs_for_mujoco_are_the_same_machines(name, states):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(ROOT / f"docs/languages/{name}.xml"))
    model.opt.timestep = 1e-4
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(5000):
        mujoco.mj_step(model, data)
    motion = da.load(ROOT / f"examples/{LSD[name]}.lsd").simulate((0, 0.5))
    assert (
        np.abs(data.qpos - [motion[x][-1] for x in states]).max() < 1e-3
    )  # its closed loop is soft, its steps first order
