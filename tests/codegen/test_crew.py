"""Batches on several processors: the same digits as alone, whoever calls, forks or interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, _crew, compile_functions
from dalembert.codegen.native import NativeFunction

X, Y, Z = ex.symbols("x y z")
pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no POSIX threads")


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three threads for every batch, in parts of one vector: what small batches on any machine would never see."""
    monkeypatch.setattr(_crew, "_WORTHWHILE", 1)
    monkeypatch.setattr(_crew, "_PART", 1)
    monkeypatch.setattr(_crew, "_processors", lambda: 3)
    _crew._crew.cache_clear()
    yield
    crew = _crew._crew(os.getpid())
    if crew is not None:
        crew.dismiss()
    _crew._crew.cache_clear()


def _function(name: str = "f") -> NativeFunction:
    return compile_functions([Function(name, [[X, Y], [Z]], [ex.sin(X) * Y + Z, X / Y, X - Z])])[name]


def _rows(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 0.9, (count, 3))


def test_parts_of_a_batch_make_the_whole(eager: None) -> None:
    f = _function()
    for count in (1, 2, 7, 8, 9, 64, 1001):
        x = _rows(count, count)
        x.flags.writeable = count % 2 == 0
        expected = np.array([f(row[:2], row[2:]) for row in x])
        for _ in range(20):
            np.testing.assert_array_equal(f(x[:, :2], x[:, 2:]), expected)


def test_callers_on_many_threads_get_their_own_results(eager: None) -> None:
    functions = [_function(f"f{k}") for k in range(4)]
    wrong: list[int] = []

    def call(k: int) -> None:
        x = _rows(300 + k, k)
        expected = np.stack([np.sin(x[:, 0]) * x[:, 1] + x[:, 2], x[:, 0] / x[:, 1], x[:, 0] - x[:, 2]], axis=1)
        for _ in range(100):
            if np.abs(functions[k](x[:, :2], x[:, 2:]) - expected).max() > 1e-14:
                wrong.append(k)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_its_own_crew(eager: None) -> None:
    f = _function()
    x = _rows(200, 5)
    expected = f(x[:, :2], x[:, 2:])
    child = os.fork()
    if child == 0:
        same = all(np.array_equal(f(x[:, :2], x[:, 2:]), expected) for _ in range(20))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(f(x[:, :2], x[:, 2:]), expected)


_INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from dalembert import expr as ex
from dalembert.codegen import Function, _crew, compile_functions
_crew._processors = lambda: 3
x = ex.symbol("x")
y = x
for k in range(200):
    y = ex.sin(y) + k
f = compile_functions([Function("f", [[x]], [y])])["f"]
rows = np.random.default_rng(0).normal(size=(50_000, 1))
expected = f(rows)
main = threading.main_thread().ident
handled = []

def handle(*_):
    handled.append(threading.get_ident() == main)
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

signal.signal(signal.SIGUSR1, handle)
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may not hear it
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
try:
    while True:
        f(rows)
except KeyboardInterrupt:
    pass
assert handled == [True], handled
assert np.array_equal(f(rows), expected)
threading.Thread(target=lambda: [f(rows) for _ in range(10**9)], daemon=True).start()
time.sleep(0.05)
print("left while working")
"""


def test_signals_reach_the_main_thread_and_the_interpreter_leaves_while_the_crew_works() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED], check=False, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "left while working\n"), done.stderr
