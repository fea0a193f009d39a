"""Commands that a reader can see exist with the options that are shown; the examples of every `--help` run."""

from __future__ import annotations

import inspect
import re
import shlex
import sys
import typing
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli import COMMANDS, app

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from references import _spelled  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = ("studio", "lsp", "report")  # servers, and what has tests of its own


def spellings(name: str) -> set[str]:
    command = import_module(f"dalembert.cli.{'import_' if name == 'import' else name}").command
    found = {"--help", "-h", "--seconds"}
    for one in inspect.signature(command, eval_str=True).parameters.values():
        kind, info = typing.get_args(one.annotation)
        if type(info).__name__ == "OptionInfo":
            found |= {x for word in _spelled(one.name, kind, info) for x in word.split("/")}
    return found


def shown(text: str) -> list[list[str]]:
    lines = [line.removeprefix("$ ") for line in text.splitlines()]
    return [shlex.split(x, comments=True) for x in lines if re.match(r"dalembert [a-z]+ ", x)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_of_a_page_exist(page):
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for _, name, *words in shown(block):
            assert name in COMMANDS, f"{page.name}: {name}"
            options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            assert options <= spellings(name), f"{page.name}: dalembert {name} {' '.join(words)}"


def examples():
    for name in COMMANDS:
        if name not in ELSEWHERE:
            module = import_module(f"dalembert.cli.{'import_' if name == 'import' else name}")
            text = " ".join(inspect.getdoc(module.command).split())
            for found in re.findall(r"Example: (dalembert .*?)(?= Example: |$)", text):
                yield pytest.param(found, id=found.removeprefix("dalembert "))


@pytest.mark.slow
@pytest.mark.parametrize("shown_example", list(examples()))
def test_the_examples_of_a_command_run(shown_example, tmp_path, monkeypatch):
    """In an empty folder with a copy of the examples beside it."""
    import shutil

    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("*.py"))
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, shlex.split(shown_example)[1:])
    assert told.exit_code == 0, f"{shown_example}\n{told.output}\n{told.exception}"
