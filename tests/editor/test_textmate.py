"""The TextMate grammar of the editor extension names every word of the language and holds valid patterns."""

import json
import re
from pathlib import Path

import pytest

from dalembert.lsd._tables import tables

FOLDER = Path(__file__).parents[2] / "editors/vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes/lsd.tmLanguage.json").read_text())


def patterns(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("match", "begin", "end"):
                yield value
            else:
                yield from patterns(value)
    elif isinstance(node, list):
        for item in node:
            yield from patterns(item)


@pytest.mark.parametrize("pattern", list(patterns(GRAMMAR["repository"])))
def test_patterns_are_regular_expressions(pattern):
    # Oniguruma allows look-behinds that Python does not; the ones used here are plain.
    re.compile(pattern)


def test_every_word_of_the_language_is_coloured():
    text = json.dumps(GRAMMAR["repository"])
    for word in tables().words:
        if word.isalpha():
            assert re.search(rf"[(|]{word}[)|]", text), word


def test_the_extension_points_to_files_that_exist():
    package = json.loads((FOLDER / "package.json").read_text())
    parts = package["contributes"]
    for path in (package["main"], parts["languages"][0]["configuration"], parts["grammars"][0]["path"]):
        assert (FOLDER / path).is_file()
    json.loads((FOLDER / "language-configuration.json").read_text())
