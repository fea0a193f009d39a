"""What is shipped: one version, locked tools, a wheel and a source archive that work where they are unpacked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import dalembert

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
PINS = dict(re.findall(r"^([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$", LOCK, re.MULTILINE))


def plain(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", requirement)[0]).lower()


def test_the_version_stands_in_one_place() -> None:
    """The build reads it from the package."""
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/dalembert/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+([a-z]+\d+)?", dalembert.__version__)
    others = [p for p in (ROOT / "src").rglob("*.py") if dalembert.__version__ in p.read_text(encoding="utf-8")]
    assert [p.name for p in others] == ["__init__.py"]


def test_the_lock_pins_what_the_project_asks_for() -> None:
    version = pytest.importorskip("packaging.version").Version
    requirement = pytest.importorskip("packaging.requirements").Requirement
    extras = PROJECT["project"]["optional-dependencies"]
    asked = [*PROJECT["project"]["dependencies"], *extras["dev"]]
    assert len(PINS) == len(LOCK.splitlines()) - 1
    for one in asked:
        assert plain(one) in PINS, f"{one} is not locked: make lock"
        assert version(PINS[plain(one)]) in requirement(one).specifier, one


def test_every_dependency_has_its_reason() -> None:
    page = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    extras = PROJECT["project"]["optional-dependencies"].values()
    for one in [*PROJECT["project"]["dependencies"], *(x for extra in extras for x in extra)]:
        name = re.split(r"[<>=!~;\[ ]", one)[0]
        assert f"`{name}`" in page, f"docs/dependencies.md does not say why {name} is here"


PROGRAM = """
import dalembert as da, pathlib, sys
place = pathlib.Path(da.__file__).parent
assert str(place).startswith(sys.argv[1]), place
motion = da.load(place / "examples" / "four_bar.lsd").simulate((0, 0.2))
print(da.__version__, len(motion.names))
"""


@pytest.mark.slow
def test_wheel_and_source_archive_are_built_and_work(tmp_path: Path) -> None:
    """Built from this tree and unpacked beside nothing of it; no index is asked."""
    pytest.importorskip("hatchling")
    environment = {**os.environ, "PYTHONPATH": "", "SOURCE_DATE_EPOCH": "1700000000"}

    def build(tree: Path, to: Path, kind: str) -> Path:
        ask = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(to)]
        subprocess.run(ask, cwd=tree, check=True, env=environment, capture_output=True)
        (found,) = to.iterdir()
        return found

    archive = build(ROOT, tmp_path / "source", "sdist")
    assert archive.name == f"dalembert-{dalembert.__version__}.tar.gz"
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "tree", filter="data")
    (tree,) = (tmp_path / "tree").iterdir()
    wheel = build(tree, tmp_path / "wheel", "wheel")  # from the archive, not from here: it holds all that is needed
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        assert not [name for name in names if ".." in name or name.startswith(("/", "tests"))]
        assert {"dalembert/py.typed", "dalembert/examples/pendulum.lsd"} <= set(names)
        assert any(name.endswith("loop.ll.gz") for name in names)
    place = tmp_path / "installed"
    ask = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place)]
    subprocess.run([*ask, str(wheel)], check=True, env=environment, capture_output=True)
    environment |= {"PYTHONPATH": str(place)}
    run = [sys.executable, "-c", PROGRAM, str(place)]
    told = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.split()[0] == dalembert.__version__
    script = place / "bin" / "dalembert"
    told = subprocess.run([script, "--version"], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == f"dalembert {dalembert.__version__}"
