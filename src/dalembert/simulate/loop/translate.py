"""The loop's Python turned into LLVM text by numba, under one plain name. Loads numba.

Run `python -m dalembert.simulate.loop.translate` after a change of the loop: it writes the texts that travel with the
package, that of the lanes too.
"""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import config

from dalembert.files import written_whole
from dalembert.simulate.loop.loop import cross, loop, steps_again
from dalembert.simulate.loop.many import complete, enter, loop_many, met
from dalembert.simulate.loop.native import SHIPPED, fingerprint
from dalembert.simulate.loop.step import integers

NAME = "dalembert_integrate"


def llvm_text() -> str:
    """Optimised LLVM text of `int dalembert_integrate(int64 *result, void *, int64 task, int64 block, first, last)`.

    Nothing in it depends on the processor or the process; the names of numba's functions are made short.
    """
    config.SLP_VECTORIZE = 1  # sums of four states at a time become vectors
    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}

    @njit("int64(int64, int64, int64, int64)", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    def run(task: int, m: int, first: int, last: int) -> int:
        if task == 0:
            return loop(integers(m), last)
        if task == 1:
            return steps_again(integers(m), first, last)
        if task == 2:
            return loop_many(integers(m), first, last)
        if task == 3:
            return complete(integers(m), first)
        if task == 4:
            return enter(integers(m), first)
        if task == 5:
            return met(integers(m))
        return math.floor(cross(integers(m)))

    return plain_text(run, NAME)


def plain_text(run: Any, name: str) -> str:
    """LLVM text of a function that numba has compiled for one signature, called `name`, for any processor."""
    made = run.overloads[run.signatures[0]]
    text: str = made.library.get_llvm_str()
    text = re.sub(r"(?m)^(target (triple|datalayout) = .*|source_filename.*|; ModuleID.*)\n", "", text)
    text = re.sub(r"(?m)^@\"?_ZN08NumbaEnv.*\n", "", text)
    names = [made.fndesc.llvm_func_name, *sorted(set(re.findall(r'@"?(_ZN[\w.$]+)"?', text)))]
    short = {one: f"f{k}" for k, one in enumerate(names)} | {names[0]: name}
    return _portable(re.sub(r'@"?(_ZN[\w.$]+)"?', lambda found: f"@{short[found.group(1)]}", text))


def _portable(text: str) -> str:
    """The same text in words that older LLVM know: hints to the optimiser, which has done its work, are left out."""
    text = re.sub(r" captures\(none\)| range\(i32 [^)]*\)| initializes\(\(.*?\)\)| nneg| samesign| disjoint", "", text)
    text = re.sub(r"(?m)^.*@llvm\.(lifetime\.(start|end)|experimental\.noalias\.scope\.decl).*\n", "", text)
    text = re.sub(r"(?m)^(attributes #\d+ = ).*$", r"\1{ nounwind }", text)
    return re.sub(r"<(\d+) x (\w+)> splat \((.*?)\)", _spelled, text)


def _spelled(found: re.Match[str]) -> str:
    count, kind, value = found.groups()
    return f"<{count} x {kind}> <{', '.join([value] * int(count))}>"


def write_shipped(path: Path, stamp: str, text: str) -> None:
    """Put a text into the package."""
    with written_whole(path) as file:
        file.write(gzip.compress(f"; {stamp}\n{text}".encode("ascii"), mtime=0))
    print(f"wrote {path.name}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    from dalembert.simulate.lanes.translate import write

    write_shipped(SHIPPED, fingerprint(), llvm_text())
    write()
