"""The lanes' Python turned into LLVM text, for each width. Loads numba.

Run `python -m dalembert.simulate.lanes.translate` after a change of the lanes or of the loop: it writes the texts that
travel with the package.
"""

from __future__ import annotations

from numba import njit

from dalembert.simulate.lanes.control import lanes_of
from dalembert.simulate.lanes.native import NAME, WIDTHS, shipped, stamp
from dalembert.simulate.loop.step import integers
from dalembert.simulate.loop.translate import plain_text, write_shipped


def llvm_text(width: int) -> str:
    """Optimised LLVM text of `int dalembert_lanes(int64 *result, void *, int64 block)`, for any processor."""
    loop = lanes_of(width)
    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}

    @njit("int64(int64)", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    def run(v: int) -> int:
        return loop(integers(v))  # type: ignore[no-any-return]

    return plain_text(run, NAME)


def write() -> None:
    """The texts of all widths, into the package."""
    for width in WIDTHS:
        write_shipped(shipped(width), stamp(), llvm_text(width))


if __name__ == "__main__":
    write()
