"""`dalembert compare`, `linearize` and `equilibria` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    return result.exit_code, result.stdout


def test_compare_writes_one_row_a_formalism():
    code, out = run("compare", EXAMPLES / "satellite.lsd", "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert len(data["formalisms"]) >= 7
    assert max(row["disagreement"] for row in data["formalisms"]) < 1e-9
    assert all({"name", "seconds", "operations", "equations"} <= set(row) for row in data["formalisms"])


def test_compare_stands_beside_the_figures_of_the_thesis():
    code, out = run("compare", EXAMPLES / "satellite.lsd", "--formalism", "kane", "--formalism", "hamilton")
    assert code == 0
    assert "144.60" in out
    assert "given up" in out


def test_linearize_gives_matrices_and_modes_in_numbers():
    at = ("--at", "pivot.th=0", "--at", "rail.x=0", "--numbers")
    code, out = run("linearize", EXAMPLES / "cart_pole.lsd", *at, "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert all(isinstance(x, float) for row in data["state_matrix"] for x in row)
    assert max(z[0] for z in data["eigenvalues"]) > 1  # the pole falls
    assert max(mode["damping_ratio"] for mode in data["modes"]) == 1
    _, text = run("linearize", EXAMPLES / "cart_pole.lsd", *at)
    matrices = text[text.index("mass:") : text.index("modes:")]
    assert not set("abcdfghijklmnopqrtuvw") & set(matrices.replace("mass:", "").replace("damping:", "").replace(
        "stiffness:", "").replace("state matrix:", "").replace("input matrix:", ""))  # fmt: skip


def test_closed_machines_are_linearised_and_rest_on_the_command_line():
    four_bar = EXAMPLES / "four_bar.lsd"
    code, out = run("linearize", four_bar, "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert len(data["coordinates"]) == 1
    code, out = run("equilibria", four_bar, "--format", "json", "--starts", "30")
    found = json.loads(out)["equilibria"]
    assert code == 0
    assert {e["stability"] for e in found} >= {"stable", "unstable"}
    assert all(len(e["modes"]) in (1, 2) for e in found)


def test_reactions_on_the_command_line_mark_what_is_open():
    code, out = run("reactions", EXAMPLES / "four_bar.lsd")
    assert code == 0
    assert "(undetermined)" in out
    code, out = run("reactions", EXAMPLES / "pendulum.lsd", "--format", "json")
    (link,) = json.loads(out)["links"].values()
    assert all(one["determined"] for one in link.values())


def test_linearize_leaves_symbols_where_nothing_is_said():
    code, out = run("linearize", EXAMPLES / "pendulum.lsd")
    assert code == 0
    assert "not a motion by itself" in out


def test_equilibria_of_the_double_pendulum():
    code, out = run("equilibria", EXAMPLES / "double_pendulum.lsd", "--format", "json")
    found = json.loads(out)["equilibria"]
    assert code == 0
    assert [e["stability"] for e in found] == ["stable", "unstable", "unstable", "unstable"]


@pytest.mark.parametrize("command", ["compare", "linearize", "equilibria", "reactions"])
def test_help_has_an_example(command):
    code, out = run(command, "--help")
    assert code == 0
    assert f"dalembert {command} examples/" in out


def test_compare_counts_the_freedoms_that_a_closed_machine_has():
    code, out = run("compare", EXAMPLES / "four_bar.lsd", "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert (data["dof"], data["dof_counted"], data["speeds"]) == (1, "by mobility", 3)
    assert data["disagreement"] < 1e-9
    assert all(row["equations"] == 3 + 5 for row in data["formalisms"])
    assert "1 degree of freedom (by mobility) in 3 speeds" in run("compare", EXAMPLES / "four_bar.lsd")[1]


def test_simulate_writes_the_columns_that_are_asked_for(tmp_path):
    code, _ = run(
        "simulate", EXAMPLES / "four_bar.lsd", "--until", 0.1, "--points", 3,
        "--columns", "total.T, max(total.V, 0)", "--out", tmp_path / "m.csv",
    )  # fmt: skip
    assert code == 0
    assert (tmp_path / "m.csv").read_text().splitlines()[0] == 't,total.T,"max(total.V, 0)"'
