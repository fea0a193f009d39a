"""What only another process can show: the disk keeps the compiled loop, and Ctrl-C keeps the motion."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dalembert.simulate import Problem, integrate
from dalembert.simulate.loop import native

START = """
import sys, json
from dalembert.simulate import Problem, integrate
motion = integrate(Problem(lambda t, y: -y, (0.0, 1.0), [1.0]))
print(json.dumps({"numba": "numba" in sys.modules, "end": motion.y[0, -1]}))
"""

ENDLESS = """
import sys, json
from dalembert import expr as ex
from dalembert.simulate import System, run
x, v = ex.symbols("x x'")
system = System(("x",), ("x'",), (v, -x), start={"x": 1.0})
run(system, (0, 1))  # everything is compiled from here on
print("ready", flush=True)
motion = run(system, (0, 1e9), rtol=1e-6, atol=1e-8)
print(json.dumps({"status": motion.status, "message": motion.message, "t": motion.t[-1], "points": len(motion.t),
                  "success": motion.success, "last": motion.state(motion.t[-1])["x"]}))
"""


def told_by(program: str, **variables: str) -> dict[str, Any]:
    """What another process prints as JSON."""
    command, environment = [sys.executable, "-c", program], {**os.environ, **variables}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600, env=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_another_process_starts_without_compiling() -> None:
    integrate(Problem(lambda t, y: -y, (0.0, 1.0), [1.0]))  # the code is on disk from here on
    told = told_by(START)
    assert told["numba"] is False
    assert told["end"] == pytest.approx(0.36787944117144233)


def test_shipped_code_is_that_of_the_sources() -> None:
    """After a change of the loop: `python -m dalembert.simulate.loop.translate`."""
    assert native.shipped_text() is not None


def test_any_source_of_the_loop_is_part_of_its_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.read_bytes
    before = native.fingerprint()
    for name in ("layout.py", "step.py", "stiff.py", "crossing.py", "loop.py", "many.py"):
        monkeypatch.setattr(Path, "read_bytes", lambda self, name=name: real(self) + b"#" * (self.name == name))
        assert native.fingerprint() != before
        assert native.shipped_text() is None


def test_a_fresh_machine_needs_no_numba(tmp_path: Path) -> None:
    fresh = {**os.environ, "DALEMBERT_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, check=True, timeout=120, env=fresh
    )
    assert json.loads(done.stdout)["numba"] is False


@pytest.mark.slow
def test_numba_translates_the_loop_where_no_text_fits(tmp_path: Path) -> None:
    fresh = {**os.environ, "DALEMBERT_CACHE": str(tmp_path)}
    start = "from dalembert.simulate.loop import native; native.shipped_text = lambda: None" + START
    done = subprocess.run(
        [sys.executable, "-c", start], capture_output=True, text=True, check=True, timeout=600, env=fresh
    )
    told = json.loads(done.stdout)
    assert told["numba"] is True
    assert told["end"] == pytest.approx(0.36787944117144233)


@pytest.mark.skipif(os.name == "nt", reason="signals to a child differ")
def test_interrupt_keeps_what_was_computed() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        told = json.loads(child.communicate(timeout=60)[0])
    assert told["status"] == 2
    assert told["success"] is False
    assert "Ctrl-C" in told["message"]
    assert 0 < told["t"] < 1e9
    assert told["points"] > 100
