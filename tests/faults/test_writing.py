"""Writers that are killed in the middle, and disks that are full, at every door that writes: nothing is half there.

The kernel makes the faults: beyond a limit on the size of files a write fails (a full disk), or ends the process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of POSIX")

PENDULUM = Path(__file__).parents[2] / "examples" / "pendulum.lsd"
DOORS = {
    "motion.csv": ["simulate", "{program}", "--until", "2", "--out", "{out}"],
    "motion.npz": ["simulate", "{program}", "--until", "2", "--out", "{out}"],
    "machine.json": ["export", "{program}", "--out", "{out}"],
    "equations.tex": ["equations", "{program}", "--level", "scalar", "--out", "{out}"],
    "posture.svg": ["draw", "{program}", "--out", "{out}"],
}
LIMIT = 100  # bytes: less than any of these files


def in_child(work: Callable[[], int], limit: int, blow: bool) -> int:
    """The exit code of work in a forked process that may write so many bytes to a file, or minus the signal."""
    child = os.fork()
    if not child:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if blow else signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            os._exit(work())
        except BaseException:
            os._exit(77)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def asked(name: str, place: Path) -> list[str]:
    return [word.format(program=PENDULUM, out=place / name) for word in DOORS[name]]


@pytest.mark.parametrize("name", DOORS)
def test_a_full_disk_is_a_sentence_and_leaves_the_old_file(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", "")
    (tmp_path / name).write_text("old")

    def work() -> int:
        found = CliRunner().invoke(app, asked(name, tmp_path))
        told = isinstance(found.exception, da.DalembertError) and "cannot write" in str(found.exception)
        return 0 if told else 3

    assert in_child(work, LIMIT, blow=False) == 0
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(name, "old")]


@pytest.mark.parametrize("name", ["motion.csv", "posture.svg"])
def test_a_process_killed_while_it_writes_leaves_the_old_file(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", "")
    (tmp_path / name).write_text("old")

    def work() -> int:
        return CliRunner().invoke(app, asked(name, tmp_path)).exit_code

    assert in_child(work, LIMIT, blow=True) == -signal.SIGXFSZ
    assert (tmp_path / name).read_text() == "old"
    assert in_child(work, 2**30, blow=True) == 0
    assert (tmp_path / name).stat().st_size > LIMIT


@pytest.mark.parametrize("blow", [False, True])
def test_a_cache_that_is_full_or_whose_writer_dies_costs_time_only(blow: bool, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", "")
    wanted = float(da.load(PENDULUM).compile().acceleration([1.0], [0.0])[0])
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))

    def work() -> int:
        found = da.load(PENDULUM).compile().acceleration([1.0], [0.0])[0]
        return 0 if found == wanted else 4

    first = in_child(work, LIMIT, blow)
    assert first == (-signal.SIGXFSZ if blow else 0)
    assert not list((tmp_path / "cache").glob("*.o"))
    assert in_child(work, 2**30, blow=True) == 0
    assert list((tmp_path / "cache").glob("*.o"))
    for entry in (tmp_path / "cache").glob("*.o"):  # half of an entry, as a disk may lose it
        entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])
    assert in_child(work, 2**30, blow=True) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_finds_no_room_is_a_sentence(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "dalembert", "names", str(PENDULUM)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert found.returncode == 1
    assert found.stderr.startswith("cannot write the output: No space left on device")
    assert "Traceback" not in found.stderr


def test_a_foreign_place_does_not_matter(tmp_path: Path) -> None:
    """Letters of another script in every path, ASCII terminals, another time zone, no home and no cache."""
    place = tmp_path / "Ünï 字 'q"
    place.mkdir()
    program = place / "péndulo.lsd"
    program.write_bytes(PENDULUM.read_bytes())
    odd = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TZ": "Asia/Kathmandu", "HOME": "/proc/1/nowhere"}
    env = {k: v for k, v in os.environ.items() if k not in ("DALEMBERT_CACHE", "XDG_CACHE_HOME", "PYTHONUTF8")} | odd
    motion = place / "móvil.csv"
    words = ["simulate", str(program), "--until", "1", "--out", str(motion)]
    found = subprocess.run([sys.executable, "-m", "dalembert", *words], env=env, capture_output=True, check=False)
    assert found.returncode == 0, found.stderr
    plain = tmp_path / "plain.csv"
    CliRunner().invoke(app, ["simulate", str(PENDULUM), "--until", "1", "--out", str(plain)])
    assert motion.read_bytes() == plain.read_bytes()
