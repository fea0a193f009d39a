"""Object code is found again, damaged entries are made again, and a cache that cannot be written does no harm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, _target, cache, compile_functions

PROGRAM = """
from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
x = ex.symbol("x")
f = compile_functions([Function("f", [[x]], [ex.sin(x) + ex.exp(x * k) for k in range(200)])])["f"]
print(f([0.5])[3])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _compile() -> float:
    x = ex.symbol("x")
    return float(compile_functions([Function("f", [[x]], [x * 3])])["f"]([2.0])[0])


def test_the_second_compilation_comes_from_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _compile() == 6.0
    assert len(list(folder.glob("*.o"))) == 1
    monkeypatch.setattr(_target, "assemble", lambda text: pytest.fail("compiled again"))
    assert _compile() == 6.0


@pytest.mark.parametrize("damage", [b"", b"x" * 10, b"\0" * 5000])
def test_damaged_entries_are_made_again(folder: Path, damage: bytes) -> None:
    _compile()
    (entry,) = folder.glob("*.o")
    whole = entry.read_bytes()
    entry.write_bytes(damage)
    assert _compile() == 6.0
    assert entry.read_bytes() == whole


def test_an_unwritable_place_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("DALEMBERT_CACHE", str(blocked))
    assert _compile() == 6.0


def test_an_empty_variable_turns_the_cache_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", "")
    assert cache.directory() is None
    assert _compile() == 6.0


def test_the_least_recently_used_entries_leave_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LARGEST", 250)
    for k in range(4):
        cache.remember(str(k), lambda: b"z" * 60)
        for entry in folder.glob("*.o"):
            assert entry.stat().st_size == 92
    cache._trim(folder)
    assert len(list(folder.glob("*.o"))) == 2


def test_the_cache_stays_bounded_though_not_every_entry_looks_at_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LARGEST", 250)
    for k in range(200):
        cache.remember(str(k), lambda: b"z" * 60)
    assert len(list(folder.glob("*.o"))) < 100


def test_processes_that_compile_the_same_thing_at_once_agree(folder: Path) -> None:
    runs = [subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    results = {run.communicate(timeout=60)[0] for run in runs}
    assert len(results) == 1
    assert next(iter(results)).strip()
    assert len(list(folder.glob("*.o"))) == 1
    assert not list(folder.glob("*.tmp"))
