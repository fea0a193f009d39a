"""Code that nobody holds any more leaves memory."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dalembert.codegen import _target

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory as Linux tells it")

OWN = """
import gc

def own():
    gc.collect()
    lines = open("/proc/self/smaps_rollup").read().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))
"""
LINKED = """
from dalembert.codegen._target import Loaded, assemble
code = assemble("define double @f(double %x) {\\n ret double %x\\n}")

def work(k):
    Loaded(code, ["f"])
"""
COMPILED = """
import dalembert as da

def work(k):
    m = da.Mechanism("m")
    m.join(da.earth, m.body("b", mass=1 + k), da.prismatic("x").with_efforts(x=f"-{k + 1}*x^{2 + k % 3}"), name="r")
    m.compile().acceleration([0.1], [0.0])
"""


@pytest.mark.parametrize(
    ("work", "count", "most"),
    [
        (LINKED, 320, 1.0),  # kB each: a linker keeps 9 of a library; whole linkers come and go in 320
        # 10 were lost of each; tables of the DAG that double are 1 kB each of 150, and pages may be half full
        pytest.param(COMPILED, 150, 5.0, marks=pytest.mark.slow),
    ],
    ids=["linked", "compiled"],
)
def test_code_that_is_dropped_leaves_memory(work: str, count: int, most: float) -> None:
    """In a process of its own, without a cache, after as many to warm up."""
    told = (
        f"for k in range({count}):\n    work(k)\nbefore = own()\nfor k in range({count}, {2 * count}):\n    work(k)\n"
    )
    program = f"{OWN}{work}{told}print((own() - before) / {count})"
    env = {**os.environ, "DALEMBERT_CACHE": ""}  # else the first that is made, not found, takes LLVM's own memory
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=300, check=True
    )
    assert float(done.stdout) < most


def test_code_stays_while_it_is_held_whatever_else_of_its_linker_goes() -> None:
    """Libraries of three linkers, dropped in any order: the others still answer."""
    code = _target.assemble("define double @f(double %x) {\n %y = fadd double %x, 1.0\n ret double %y\n}")
    held = [_target.Loaded(code, ["f"]) for _ in range(2 * _target._OF_A_LINKER + 1)]
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    for k in np.random.default_rng(1).permutation(len(held)):
        held[k] = None
        assert all(call(one.addresses["f"])(1.0) == 2.0 for one in held if one is not None)
