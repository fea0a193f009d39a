"""The TextMate grammar of the editor extension colours every example as the compiler reads it."""

import json
import re
from pathlib import Path

import pytest

from dalembert.lsd import library
from dalembert.lsd._tables import tables
from dalembert.lsd.lexer import SOFT, tokens
from dalembert.lsd.source import Report, Source

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "editors/vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes/lsd.tmLanguage.json").read_text())
TEXTS = {str(p.relative_to(ROOT)): p.read_text() for p in sorted((ROOT / "examples").rglob("*.lsd"))} | library.files()
HARD = {word for word in tables().words if word.isalpha()} - SOFT


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


def rules(node):
    """The rules of a list in order, includes and groups opened."""
    for one in node:
        if "include" in one:
            yield from rules([GRAMMAR["repository"][one["include"].removeprefix("#")]])
        elif "patterns" in one and "begin" not in one and "match" not in one:
            yield from rules(one["patterns"])
        else:
            yield one


RULES = [(one, re.compile(one.get("match") or one["begin"])) for one in rules(GRAMMAR["patterns"])]


def coloured(text):
    """Scope of every character as an editor finds it: line by line, the rule that matches first, ties in order."""
    scopes, inside, start = [""] * len(text), None, 0
    for line in text.splitlines(keepends=True):
        at = 0
        while at <= len(line):
            if inside is not None:
                found = re.compile(inside["end"]).search(line, at)
                end = found.end() if found else len(line)
                scopes[start + at : start + end] = [inside["name"]] * (end - at)
                inside, at = (None, end) if found else (inside, len(line) + 1)
                continue
            hits = [(m.start(), k, m) for k, (_, regex) in enumerate(RULES) if (m := regex.search(line, at))]
            if not hits:
                break
            _, k, match = min(hits, key=lambda hit: hit[:2])
            rule = RULES[k][0]
            scopes[start + match.start() : start + match.end()] = [rule.get("name", "")] * len(match[0])
            for number, capture in rule.get("captures", {}).items():
                a, b = match.span(int(number))
                scopes[start + a : start + b] = [capture["name"]] * (b - a)
            inside = rule if "begin" in rule else None
            at = max(match.end(), at + (match.end() == match.start()))
        start += len(line)
    return scopes


@pytest.mark.parametrize("name", TEXTS)
def test_words_numbers_strings_and_comments_of_every_program_have_their_colours(name):
    text = TEXTS[name]
    scopes = coloured(text)
    read = tokens(Source(text, name), Report())
    assert read
    for token in read:
        own = set(scopes[token.start : token.end])
        said = (token, own)
        if token.type in ("ID", "PRIMED"):
            assert not any(x.startswith(("keyword.control", "comment", "string", "storage")) for x in own), said
        elif token.text in HARD:
            assert all(x.startswith(("keyword", "storage", "variable.other.property")) for x in own), said
        elif token.text in SOFT and token.type == token.text.upper():
            assert all(x.startswith("keyword") for x in own), said
        elif token.type in ("INT", "FLOAT"):
            assert own == {"constant.numeric.lsd"}, said
        elif token.type == "STRING":
            assert own == {"string.quoted.double.lsd"}, said
    covered = {k for token in read for k in range(token.start, token.end)}
    for found in re.finditer(r"\(\*(?s:.*?)\*\)", text):
        if found.start() not in covered:
            assert set(scopes[found.start() : found.end()]) == {"comment.block.lsd"}


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
