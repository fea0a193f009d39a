"""`dalembert simulate`: what the verb can do, the command can do."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app

ROOT = Path(__file__).parents[2]
PENDULUM, FOUR_BAR = (str(ROOT / f"examples/{name}.lsd") for name in ("pendulum", "four_bar"))


def call(*args: str) -> Any:
    return CliRunner().invoke(app, ["simulate", *args])


def told(*args: str) -> dict[str, Any]:
    done = call(*args, "--format", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_suffix_decides_the_format(tmp_path):
    for suffix in ("csv", "json", "npz", "html"):
        done = call(PENDULUM, "--until", "1", "--points", "11", "--out", f"{tmp_path}/m.{suffix}")
        assert done.exit_code == 0, done.output
    rows = list(csv.reader((tmp_path / "m.csv").open(newline="")))
    assert rows[0] == ["t", "hinge.th", "hinge.th'"]
    assert json.loads((tmp_path / "m.json").read_text())["success"] is True
    assert da.Motion.load(tmp_path / "m.npz").sol is not None
    assert (tmp_path / "m.html").read_text(encoding="utf-8").lstrip().startswith("<!")
    refused = call(PENDULUM, "--out", f"{tmp_path}/m.xlsx")
    assert refused.exit_code == 2
    assert ".csv, .json, .npz or .html" in refused.output


def test_command_and_verb_have_the_same_tolerances():
    t = np.linspace(0, 5, 201)
    verb = da.load(PENDULUM).simulate((0, 5), t_eval=t)
    assert told(PENDULUM, "--until", "5")["columns"]["hinge.th"] == verb["hinge.th"].tolist()


def test_the_differential_algebraic_method_runs_from_the_command_line():
    found = told(FOUR_BAR, "--method", "DAE", "--until", "0.2", "--max-step", "0.002")
    reference = told(FOUR_BAR, "--until", "0.2")
    assert found["method"] == "DAE"
    for name, column in reference["columns"].items():
        assert found["columns"][name] == pytest.approx(column, abs=1e-3)
    assert found["quality"]["closure"] < 1e-12


def test_start_events_cut_and_animation(tmp_path):
    found = told(PENDULUM, "--until", "2", "--start", "hinge.th=pi/4", "--events", "hinge.th")
    assert found["columns"]["hinge.th"][0] == pytest.approx(np.pi / 4)
    assert len(found["events"]["hinge.th"]) > 0
    shown = call(PENDULUM, "--until", "2", "--events", "hinge.th")
    assert "event 'hinge.th': " in shown.stdout
    done = call(PENDULUM, "--until", "1", "--animate", f"{tmp_path}/m.html")
    assert done.exit_code == 0
    assert (tmp_path / "m.html").exists()
    assert call(PENDULUM, "--animate", f"{tmp_path}/m.gif").exit_code == 2
    links = [cut.link.name for cut in da.load(FOUR_BAR).layout().cuts]
    tree = next(name for name in da.load(FOUR_BAR).links if name not in links)
    assert told(FOUR_BAR, "--until", "0.1", "--cut", tree)["success"] is True
    assert call(FOUR_BAR, "--start", "nonsense").exit_code == 2


_INTERRUPTED = """
import os, signal, threading, time
from dalembert.cli import main

def interrupt():
    while time.process_time() < 4:  # of work, however crowded the machine: the motion has begun by then
        time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may not hear it
threading.Thread(target=interrupt, daemon=True).start()
main()
"""


@pytest.mark.slow
def test_ctrl_c_says_so_and_leaves_a_file_that_is_marked_as_a_part(tmp_path):
    command = [sys.executable, "-c", _INTERRUPTED, "simulate", PENDULUM]
    command += ["--until", "1e8", "--points", "100000", "--out", str(tmp_path / "m.csv")]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, timeout=300)
    errors = done.stderr
    assert done.returncode == 130, errors
    assert "stopped by Ctrl-C" in errors
    assert [p.name for p in tmp_path.iterdir()] == ["m.partial.csv"]
    rows = (tmp_path / "m.partial.csv").read_text().splitlines()
    assert 1 < len(rows) < 100000


def test_a_fault_is_exit_code_one_with_the_part_before_it(tmp_path):
    path = tmp_path / "bead.lsd"
    path.write_text(
        "let b = body mass = 1, iframe = 0, inertia = 0 end ;"
        "join earth and b.frame with link(a) dof = [0, sqrt(1 - a^2), a] end as wire ;"
        "gravity [0, 0, -9.81] ; start wire.a = 0.3 ;"
    )
    command = [sys.executable, "-c", "from dalembert.cli import main; main()", "simulate", str(path)]
    done = subprocess.run([*command, "--out", f"{tmp_path}/m.csv"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "the chart of 'wire' ends" in done.stderr
    assert (tmp_path / "m.partial.csv").exists()


def test_columns_may_be_those_of_a_spring(tmp_path):
    path = tmp_path / "strut.lsd"
    path.write_text(
        "let rod = body mass = 1, iframe = [0,0,-1], inertia = 0 end ;"
        "join earth and rod.frame with link(th) dof = th || [1,0,0] end ;"
        "spring [0,3,0] @ earth and rod.iframe with stiffness = 10, length = 1 as strut ;"
    )
    result = CliRunner().invoke(app, ["simulate", str(path), "--until", "0.1", "--columns", "strut.l, strut.force"])
    assert result.exit_code == 0, result.output
    first = result.stdout.splitlines()[1].split()
    assert [float(x) for x in first] == pytest.approx([0, 10**0.5, -10 * (10**0.5 - 1)], rel=1e-4)


def test_columns_of_the_table_never_touch(tmp_path):
    file = tmp_path / "rod.lsd"
    file.write_text("""let rod = body mass = 1, iframe = 0, inertia = [1, 1, 1] end ;
join earth and rod.frame with link(a, b) dof1 = a || [1, 0, 0], dof2 = b || [0, 1, 0] end as h ;
start h.a = 0-1.23456e-10, h.b = 0-1.23456e-100 ;""")
    for line in call(str(file), "--until", "1").stdout.splitlines():
        assert len(line.split()) == 5, line
