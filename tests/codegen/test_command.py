"""`dalembert codegen` writes files that stand alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli import app

LSD = Path(__file__).parents[2] / "examples" / "pendulum.lsd"


@pytest.mark.parametrize("lang", ["c", "fortran", "python", "matlab", "rust", "julia", "javascript"])
def test_functions_go_to_standard_output(lang: str) -> None:
    done = CliRunner().invoke(app, ["codegen", str(LSD), "--lang", lang])
    assert done.exit_code == 0, done.output
    assert "Equations of motion of pendulum" in done.output
    assert "inverse_dynamics" in done.output


def test_a_program_fills_a_folder(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["codegen", str(LSD), "--program", "--out", str(tmp_path / "new")])
    assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "new").iterdir()} >= {"model.c", "main.c", "input.txt", "Makefile"}


def test_c_has_a_header_that_its_file_obeys(tmp_path: Path) -> None:
    """A compiler takes both together: a prototype that differs is an error."""
    import shutil
    import subprocess

    done = CliRunner().invoke(app, ["codegen", str(LSD), "--lang", "c", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    header = (tmp_path / "model.h").read_text()
    assert "#define MODEL_SPEEDS 1" in header
    assert "void inverse_dynamics(const double t[], const double q[], const double u[]" in header
    compiler = shutil.which("cc")
    if compiler:
        both = ["-include", "model.h", "-Wall", "-Werror", "-fsyntax-only", "model.c"]
        subprocess.run([compiler, *both], cwd=tmp_path, check=True, timeout=60)


def test_an_unknown_language_is_wrong_usage() -> None:
    assert CliRunner().invoke(app, ["codegen", str(LSD), "--lang", "cobol"]).exit_code == 2
