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


def test_linearize_gives_matrices_and_eigenvalues():
    code, out = run(
        "linearize",
        EXAMPLES / "cart_pole.lsd",
        "--about",
        "pivot.th=0",
        "--about",
        "rail.x=0",
        "--numbers",
        "--format",
        "json",
    )
    data = json.loads(out)
    assert code == 0
    assert len(data["state_matrix"]) == 4
    assert max(z[0] for z in data["eigenvalues"]) > 1  # the pole falls


def test_linearize_leaves_symbols_where_nothing_is_said():
    code, out = run("linearize", EXAMPLES / "pendulum.lsd")
    assert code == 0
    assert "not a motion by itself" in out


def test_equilibria_of_the_double_pendulum():
    code, out = run("equilibria", EXAMPLES / "double_pendulum.lsd", "--format", "json")
    found = json.loads(out)["equilibria"]
    assert code == 0
    assert [e["stability"] for e in found] == ["stable", "unstable", "unstable", "unstable"]


@pytest.mark.parametrize("command", ["compare", "linearize", "equilibria"])
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
