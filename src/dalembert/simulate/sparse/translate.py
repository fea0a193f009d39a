"""The sparse solve turned into LLVM text by numba. Loads numba.

Run `python -m dalembert.simulate.sparse.translate` after a change of it: it writes the text that travels with the
package.
"""

from __future__ import annotations

from numba import njit

from dalembert.simulate.loop.step import copy, doubles, integers, past
from dalembert.simulate.loop.translate import plain_text, write_shipped
from dalembert.simulate.sparse.kernel import count_rows, project, rates
from dalembert.simulate.sparse.layout import COORDINATES, COUNT, RATES, SPEEDS, W_RESULT
from dalembert.simulate.sparse.native import NAME, SHIPPED, stamp


def llvm_text() -> str:
    """Text of `int dalembert_sparse(int64 *result, void *, task, block, work, t, y, p, out)`; a result of 0 failed."""
    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    words = ", ".join(["int64"] * 7)

    @njit(f"int64({words})", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    def run(task: int, block: int, work: int, t: int, y: int, p: int, out: int) -> int:
        m, w = integers(block), doubles(work)
        if task == RATES:
            return 1 if rates(m, w, doubles(t), doubles(y), doubles(p), doubles(out)) else 0
        if task == COUNT:
            count_rows(m, w, doubles(t), doubles(y), doubles(p), doubles(out))
            return 1
        size, state = m[COORDINATES] + m[SPEEDS], past(w, m[W_RESULT])
        copy(size, doubles(y), state)
        if not project(m, w, doubles(t), state, doubles(p)):
            return 0
        copy(size, state, doubles(y))
        return 1

    return plain_text(run, NAME)


if __name__ == "__main__":
    write_shipped(SHIPPED, stamp(), llvm_text())
