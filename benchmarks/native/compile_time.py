"""Seconds from a mechanism to machine code, and how they grow with the number of operations. The cache is off.

python benchmarks/native/compile_time.py [largest count of operations, 1000000 by default]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

os.environ["DALEMBERT_CACHE"] = ""

from chains import make_chain, mechanism
from rows import tell

from dalembert import expr as ex
from dalembert import loads
from dalembert.codegen import Function, compile_functions, compile_mechanism
from dalembert.lsd import to_lsd


def straight(operations: int) -> Function:
    """Operations without any repetition: what splitting into blocks must cope with."""
    x = [ex.symbol(f"x{i}") for i in range(20)]
    values, state = list(x), 12345
    while len(values) < operations:
        state = (state * 1103515245 + 12345) % 2**31
        a, b = values[-1 - state % 50 % len(values)], values[-1 - state // 64 % 400 % len(values)]
        made = (a + b, a * b, a - 3 * b)[state // 7 % 3]
        values.append(made)
    return Function("straight", [x], values[-20:])


if __name__ == "__main__":
    compile_functions([straight(50)])
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for count in (one for one in (1_000, 10_000, 100_000, 1_000_000) if one <= most):
        function = straight(count)
        start = time.process_time()
        compile_functions([function])
        spent = time.process_time() - start
        told = {"operations": count, "program": "dalembert, nothing repeated"}
        tell("compile times", **told, **{"CPU s": spent, "us an operation": spent / count * 1e6})
    loads(to_lsd(mechanism(make_chain(3)))).simulate((0.0, 1e-3))  # the integration loop, once for all
    for size in (7, 100, 1000):
        text = to_lsd(mechanism(make_chain(size)))
        start = time.process_time()
        loads(text).simulate((0.0, 1e-3))
        told = {"bodies": size, "program": "dalembert, LSD text to motion"}
        tell("chains end to end", **told, **{"CPU s": time.process_time() - start})
        start = time.process_time()
        f = compile_mechanism(mechanism(make_chain(size)))
        f.acceleration([0.1] * size, [0.1] * size)
        told = {"bodies": size, "program": "dalembert, `compile` to first result"}
        tell("chains end to end", **told, **{"CPU s": time.process_time() - start})
