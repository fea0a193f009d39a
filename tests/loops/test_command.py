"""`dalembert mobility`: text for people, JSON for machines, pictures."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dalembert
from dalembert.cli import app

FOLDER = Path(__file__).parents[2] / "examples" / "loops"
FILES = sorted(FOLDER.glob("*.lsd"))
EXPECTED = {
    "antenna_1": 3, "antenna_2": 3, "antenna_grid": 6, "bennett": 1, "bricard": 1, "delta": 3, "goldberg": 1,
    "half_salieres": 1, "homokinetic": 1, "homokinetic_planar": 3,
    "kite": 1, "n_four_bar": 1, "parallelogram": 1, "saliere": 1, "sarrus": 1,
    "scissor_lift": 1, "slider_crank": 1, "stephenson": 1, "stewart": 6, "triangle": 3, "watt": 1,
}  # fmt: skip


def run(*arguments):
    return CliRunner().invoke(app, ["mobility", *map(str, arguments)])


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.stem)
def test_examples_have_their_freedoms(file):
    result = run(file, "--format", "json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    keys = "dof proved tree_dof gruebler rank_off rank_on instantaneous redundant method".split()
    assert all(key in data for key in keys)
    assert (data["dof"], data["proved"]) == (EXPECTED[file.stem], True)


def test_text_says_what_is_redundant():
    text = run(FOLDER / "kite.lsd").stdout
    assert "1 degree of freedom (proved)" in text
    assert "3 closure equations are redundant (always)" in text


def test_a_verdict_is_proved_again_on_the_command_line():
    text = run(FOLDER / "bennett.lsd", "--check").stdout
    assert "confirmed: the posture closes" in text
    assert "not checked" not in text


def test_pictures_are_written(tmp_path):
    curve, picture = tmp_path / "curve.png", tmp_path / "picture.png"
    result = run(FOLDER / "slider_crank.lsd", "--curve", curve, "--picture", picture)
    assert result.exit_code == 0, result.output
    assert curve.stat().st_size > 1000
    assert picture.stat().st_size > 1000


def test_values_can_be_set():
    result = run(FOLDER / "half_salieres.lsd", "--set", "psi1.th=0", "--set", "psi2.th=0", "--set", "psi3.th=0",
                 "--set", "phi2.th=0.4", "--set", "phi3.th=-0.9", "--format", "json")  # fmt: skip
    assert json.loads(result.stdout)["dof"] == 2


def test_designers_questions_are_answered_on_the_command_line():
    text = run(FOLDER / "slider_crank.lsd", "--postures", "--release", "--branches", "--ranks").stdout
    assert "judged at j01.th = 0.7" in text
    assert "j03.x turns back at 4 (its largest value near by): j01, j12, j23 in line" in text
    assert "replace j12 by a ball joint that slides along the axis: the same motion" in text
    assert "off the closure, classical: 2" in text
    assert "regular (1 set" in text


def test_the_same_as_json():
    data = json.loads(run(FOLDER / "saliere.lsd", "--components", "--branches", "--format", "json").stdout)
    assert [c["dof"] for c in data["components"]] == [1, 1, 1, 1]
    assert len(data["branches"]) == 1
    assert data["branches_complete"] is True
    assert "implicit function theorem" in data["branches_why"]


def test_letters_give_cases():
    text = run(FOLDER / "antenna_1.lsd", "--letter", "L").stdout
    assert text.strip() == "3 degrees of freedom for almost all lengths with which it closes"


def test_the_verdict_is_of_the_posture_that_the_start_says(tmp_path):
    """One coordinate is said, the others follow as in a motion: it was the nearest posture to zeros, elsewhere."""
    file = tmp_path / "bars.lsd"
    file.write_text("""
use "joints.lsd" ;
let crank = body mass = 1 end ; let coupler = body mass = 1 end ; let rocker = body mass = 1 end ;
join earth and crank.frame with revolute(axis = [0, 0, 1]) as A ;
join [0.1, 0, 0] @ crank and coupler.frame with revolute(axis = [0, 0, 1]) as B ;
join [0.4, 0, 0] @ earth and rocker.frame with revolute(axis = [0, 0, 1]) as D ;
join [0.35, 0, 0] @ coupler and [0.25, 0, 0] @ rocker with revolute(axis = [0, 0, 1]) as C ;
start A.th = 1, A.th' = 5 ;
""")
    at = json.loads(run(file, "--format", "json").stdout)["at"]
    assert at["A.th"] == pytest.approx(1, abs=1e-12)
    motion = dalembert.load(file).compile().start().values
    assert {name: motion[name] for name in at} == pytest.approx(at, abs=1e-9)
