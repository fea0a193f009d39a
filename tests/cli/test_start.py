"""The command line starts where the verbs do, and says what it had to move."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from dalembert.cli import app

BARS = Path(__file__).parents[2] / "examples" / "four_bar.lsd"


def _ran(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout, done.stderr + (str(done.exception) if done.exception else "")


def test_a_set_start_goes_before_that_of_the_file_and_the_rest_is_said_to_follow() -> None:
    code, out, err = _ran("simulate", str(BARS), "--until", "0.1", "--set", "ground.th=1.5", "--format", "json")
    assert code == 0, err
    told = json.loads(out)
    assert abs(told["columns"]["ground.th"][0] - 1.5) < 1e-14
    assert "pivot.th from 1.65542 to" in told["message"]
    assert err.startswith("warning: 'four_bar': the start moved to where the loops close")


def test_set_values_that_contradict_each_other_are_refused() -> None:
    code, _, err = _ran("simulate", str(BARS), "--until", "0.1", "--set", "ground.th=1.5", "--set", "pivot.th=0.5")
    assert code == 1
    assert "pivot.th = 0.5 cannot be with ground.th = 1.5" in err


def test_a_program_takes_set_values_and_another_cut(tmp_path: Path) -> None:
    folder = tmp_path / "bars"
    words = ("codegen", str(BARS), "--program", "--out", str(folder), "--set", "ground.th=1.5", "--cut", "a")
    code, _, err = _ran(*words)
    assert code == 0, err
    assert "warning" in err
    lines = (folder / "input.txt").read_text().splitlines()
    assert "ground.th = 1.5" in lines
    names = [line.partition(" =")[0] for line in lines if ".th" in line and not line.startswith("#")]
    assert names[:4] == ["ground.th", "pivot.th", "b.th", "a.th"]
