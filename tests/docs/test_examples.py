"""Every example that a reader can see runs: the Python blocks of the manual, and the doctests of the code."""

from __future__ import annotations

import doctest
import importlib
import re
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")) if p.exists() and "_build" not in p.parts)
SOURCES = sorted(p for p in ROOT.glob("src/dalembert/**/*.py") if ">>>" in p.read_text(encoding="utf-8"))

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[^`\n]*)$")


def blocks(page: Path, language: str) -> Iterator[tuple[int, str]]:
    """First line and text of each fenced block in a language."""
    opened: re.Match[str] | None = None
    start, lines = 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if opened is None:
            opened = _FENCE.match(line)
            start, lines = number + 1, []
        elif line.strip() == opened["fence"]:
            if opened["language"].strip() == language:
                yield start, "\n".join(lines)
            opened = None
        else:
            lines.append(line.removeprefix(opened["indent"]))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder with the examples in it, as a reader has who follows a page; figures close afterwards."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_blocks_of_a_page_run_in_order(page: Path, reader: Path, monkeypatch: pytest.MonkeyPatch):
    module = types.ModuleType("__page__")
    monkeypatch.setitem(sys.modules, "__page__", module)
    for line, code in blocks(page, "python"):
        try:
            # Blank lines in front give every traceback the line number of the page.
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), module.__dict__)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            place = max((f.lineno or line for f in frames if f.filename == str(page)), default=line)
            raise AssertionError(f"{name(page)}:{place}: {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_console_blocks_of_a_page_show_what_happens(page: Path, reader: Path):
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    namespace: dict[str, object] = {}
    for line, code in blocks(page, "pycon"):
        report: list[str] = []
        test = parser.get_doctest(code, namespace, name(page), str(page), line - 1)
        runner.run(test, out=report.append, clear_globs=False)
        namespace = test.globs
        assert not runner.summarize(verbose=False).failed, "".join(report)


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_doctests_of_a_module_pass(source: Path, reader: Path):
    dotted = ".".join(source.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    try:
        module = importlib.import_module(dotted)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "dalembert":
            raise
        pytest.skip(f"needs the optional package {error.name}")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    # A private module's examples may use what its package offers, since that is where readers find them.
    offered: dict[str, object] = {}
    package = module.__package__ or dotted
    while package.count("."):  # a room of a package: what the package itself offers, too
        offered = {**vars(importlib.import_module(package)), **offered}
        package = package.rpartition(".")[0]
    for test in doctest.DocTestFinder().find(module, dotted, globs={**offered, **vars(module)}):
        runner.run(test, out=report.append)
    assert not report, "".join(report)
