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


def test_the_chapter_tells_every_public_name():
    """The index is what `docs/analytic_names.py` writes from the code; each name has its sentence."""
    import runpy

    from dalembert import analytic as an

    made = runpy.run_path(str(ROOT / "docs" / "analytic_names.py"))
    chapter = (ROOT / "docs" / "analytic.md").read_text(encoding="utf-8")
    missing = [name for name in an.__all__ if f"| `{name}` | " not in chapter]
    assert not missing
    silent = [name for name in an.__all__ if f"| `{name}` |  |" in chapter]
    assert not silent
    assert made["written"]() == chapter, "run docs/analytic_names.py"


def test_every_result_of_the_chapter_is_set_in_latex_and_mathml():
    """Whatever the chapter prints is a formula or a record; both printers take it, and the MathML is well formed."""
    import builtins
    from xml.dom.minidom import parseString

    from dalembert import analytic as an

    met: list = []
    told = lambda *values, **_: met.extend(values)
    namespace: dict = {"print": told, "__builtins__": builtins}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "analytic.md").read_text(), re.DOTALL):
        exec(compile(block, "docs/analytic.md", "exec"), namespace)
    met += [v for k, v in namespace.items() if type(v).__module__.startswith("dalembert.analytic")]
    assert len(met) > 60
    for value in met:
        text, page = an.latex(value), an.mathml(value)
        assert " object at 0x" not in text + page, type(value)
        assert text.count("{") == text.count("}"), (type(value), text)
        parseString(page if page.startswith("<math") else f"<math>{page}</math>")


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
