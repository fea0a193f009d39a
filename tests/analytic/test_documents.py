"""The chapter, the notebooks and the examples run as they stand."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_the_chapter_runs(capsys):
    namespace: dict = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "analytic.md").read_text(), re.DOTALL):
        exec(compile(block, "docs/analytic.md", "exec"), namespace)
    assert "different" in capsys.readouterr().out


def test_there_is_a_notebook_for_each_chapter():
    assert [int(p.name[:2]) for p in NOTEBOOKS] == list(range(1, 12))


def test_the_five_lessons_run(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    lessons = sorted((ROOT / "docs" / "lessons").glob("*.ipynb"))
    assert [int(p.name[0]) for p in lessons] == [1, 2, 3, 4, 5]
    for path in lessons:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        namespace: dict = {}
        for cell in cells:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), path.name, "exec"), namespace)
        assert sum(cell["cell_type"] == "markdown" for cell in cells) >= 4  # a lesson has words


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs(path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=180, kernel_name="python3").execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    assert any("image/png" in o.get("data", {}) for o in outputs)


PACKAGE = ROOT / "src" / "dalembert"
WITH_EXAMPLES = [p for p in sorted((PACKAGE / "analytic").rglob("*.py")) if ">>> " in p.read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda p: p.stem)
def test_docstring_examples_run(path):
    import doctest
    import importlib

    module = importlib.import_module(".".join(("dalembert", *path.relative_to(PACKAGE).with_suffix("").parts)))
    assert doctest.testmod(module).failed == 0
