"""The rules of the house: light import, small modules, no user text in eval, examples that run."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(ROOT.glob("src/dalembert/**/*.py"))
TEXTS = sorted(
    p
    for folder in ("src", "tests", "docs", "examples", "benchmarks")
    for p in (ROOT / folder).rglob("*")
    if p.suffix in {".py", ".md", ".toml", ".lsd", ".lark", ".c", ".f90", ".html"} and "_build" not in p.parts
)
EXAMPLES = sorted(ROOT.glob("examples/**/*.py"))

HEAVY = ("sympy", "scipy", "numba", "llvmlite", "matplotlib", "plotly", "pandas", "flint", "nicegui", "dask")
LONGEST = 400


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_import_brings_no_heavy_package():
    script = f"import sys, dalembert; print(*[p for p in {HEAVY!r} if p in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == []


def test_modules_hold_one_concept():
    too_long = {name(p): n for p in SOURCES if (n := len(p.read_text(encoding="utf-8").splitlines())) > LONGEST}
    assert too_long == {}


def test_no_module_is_a_drawer_for_everything():
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "stuff"}
    assert [name(p) for p in SOURCES if vague & {part.strip("_") for part in p.with_suffix("").parts}] == []


def test_no_text_is_run_as_code():
    found = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\b(?:eval|exec|sympify|parse_expr|S|lambdify)\(", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            function = node.func
            called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            owner = getattr(getattr(function, "value", None), "id", "")
            # With strict=True sympify refuses text; S(...) is a short name for sympify.
            strict = any(k.arg == "strict" and getattr(k.value, "value", None) is True for k in node.keywords)
            harmless = strict or (called == "S" and owner not in ("sp", "sympy"))
            # lambdify writes source from names: only behind the door that looks at them first.
            harmless |= called == "lambdify" and path.name == "_exact.py"
            if called in ("eval", "exec", "sympify", "parse_expr", "S", "lambdify") and not harmless:
                found.append(f"{name(path)}:{node.lineno}: {called}")
    assert found == []


def test_no_file_knows_a_machine():
    machine = re.compile(r"(?<![\w.])/(?:home|work|root|Users|tmp|mnt)/\w")
    found = []
    for path in TEXTS:
        if path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if machine.search(line):
                found.append(f"{name(path)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_the_commands_of_the_readme_are_targets_of_make():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    commands = set(re.findall(r"\bmake (\w+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert {"run", "test"} <= commands <= targets


def test_every_dependency_has_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in listed}
    reasons = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    assert {package for package in names if f"`{package}" not in reasons} == set()


def test_generated_pages_are_those_of_the_code(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import references

    stale = [page for page, write in references.PAGES.items() if (ROOT / "docs" / page).read_text("utf-8") != write()]
    assert stale == [], "run `python docs/references.py`: the code tells something else now"


def test_every_erratum_has_its_proof():
    claimed = set(re.findall(r"`(test_\w+)`", (ROOT / "docs/errata.md").read_text(encoding="utf-8")))
    tests = "\n".join(p.read_text(encoding="utf-8") for p in ROOT.glob("tests/**/test_*.py"))
    assert claimed
    assert {proof for proof in claimed if f"def {proof}(" not in tests} == set()


def test_ci_runs_the_test_command():
    assert "make test" in (ROOT / ".ci/run").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_example_runs(example, tmp_path):
    """In an empty folder that has the examples beside it, as a reader would run it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_the_design_page_shows_the_packages_that_exist_in_the_order_of_their_arrows():
    page = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    drawn = re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)
    there = {p.name for p in (ROOT / "src/dalembert").iterdir() if (p / "__init__.py").exists()}
    there |= {p.stem for p in (ROOT / "src/dalembert").glob("*.py")} - {"__init__", "__main__"}
    assert set(drawn) == there
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    level = {one.strip().removeprefix("dalembert."): i for i, row in enumerate(layers) for one in row.split(":")}
    assert [level[x] for x in drawn] == sorted((level[x] for x in drawn), reverse=True)


def test_every_extra_is_used():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    used = {"groebner", "sweep", "cluster", "studio", "editor", "tables", "robots", "bench", "docs", "dev"}
    assert set(project["project"]["optional-dependencies"]) == used
