"""The steps of crowds turned into LLVM text by numba, under one plain name. Loads numba.

Run `python -m dalembert.simulate.contact.crowd_translate` after a change of `contact/crowd`: it writes the text that
travels with the package.
"""

from __future__ import annotations

from numba import njit

from dalembert.contact.crowd.data import Bodies, Laws, Rows, Shapes, Work
from dalembert.contact.crowd.pairs import find_pairs
from dalembert.contact.crowd.step import advance, look
from dalembert.simulate.contact.block import HEAD
from dalembert.simulate.contact.crowd_code import ADVANCE, LOOK, NAME, SHIPPED, fingerprint
from dalembert.simulate.contact.read_block import OPTIONS, b1, i1, i2, r1, r2, r3, reader, text_of
from dalembert.simulate.loop.step import doubles, integers
from dalembert.simulate.loop.translate import write_shipped

# where the arrays begin that `crowd_code` puts into the block
_BODIES = HEAD + 4 * len(Shapes._fields)
_KEYS = _BODIES + 4 * len(Bodies._fields)
_ROWS = _KEYS + 4
_OUT = _ROWS + 4 * len(Rows._fields)
_LAWS = _OUT + 8
_GRAVITY = _LAWS + 4 * len(Laws._fields)
_OLD = _GRAVITY + 4
_TOLD = _OLD + 4 * len(Rows._fields)
_WORK = _TOLD + 4


@reader
def _shapes(m, k):  # type: ignore[no-untyped-def]
    return Shapes(
        i1(m, k), i1(m, k + 4), i1(m, k + 8), b1(m, k + 12), r2(m, k + 16), r1(m, k + 20), r2(m, k + 24),
        r3(m, k + 28), r2(m, k + 32), r3(m, k + 36), r2(m, k + 40),
    )  # fmt: skip


@reader
def _bodies(m, k):  # type: ignore[no-untyped-def]
    return Bodies(
        r2(m, k), r2(m, k + 4), r2(m, k + 8), r1(m, k + 12), r2(m, k + 16), r2(m, k + 20), b1(m, k + 24),
        r3(m, k + 28), r3(m, k + 32), r2(m, k + 36), r2(m, k + 40), r2(m, k + 44), b1(m, k + 48), i1(m, k + 52),
        i1(m, k + 56), i1(m, k + 60), i1(m, k + 64), i1(m, k + 68), i1(m, k + 72), i1(m, k + 76),
    )  # fmt: skip


@reader
def _rows(m, k):  # type: ignore[no-untyped-def]
    return Rows(
        r2(m, k), i1(m, k + 4), i1(m, k + 8), i1(m, k + 12), r3(m, k + 16), r3(m, k + 20), r3(m, k + 24),
        r3(m, k + 28), r3(m, k + 32), r3(m, k + 36), r2(m, k + 40), r2(m, k + 44), r2(m, k + 48), r1(m, k + 52),
        i1(m, k + 56), i1(m, k + 60), i1(m, k + 64), r2(m, k + 68), r2(m, k + 72),
    )  # fmt: skip


@reader
def _work(m, k):  # type: ignore[no-untyped-def]
    return Work(
        r2(m, k), r2(m, k + 4), r1(m, k + 8), r1(m, k + 12), r2(m, k + 16), r2(m, k + 20), r2(m, k + 24),
        r2(m, k + 28), r2(m, k + 32), r1(m, k + 36), r1(m, k + 40), r2(m, k + 44), r1(m, k + 48), r1(m, k + 52),
    )  # fmt: skip


def llvm_text() -> str:
    """Optimised LLVM text of `int dalembert_crowd(int64 *result, void *, int64 task, int64 block, int64 reals)`."""

    @njit("int64(int64, int64, int64)", nogil=True, **OPTIONS)
    def run(task: int, block: int, reals: int) -> int:
        m, x = integers(block), doubles(reals)
        s, keys = _shapes(m, HEAD), i1(m, _KEYS)
        if task == LOOK:
            return look(s, _bodies(m, _BODIES), keys, m[0], x[0], _rows(m, _ROWS), r2(m, _OUT), r2(m, _OUT + 4))
        if task == ADVANCE:
            laws = Laws(r1(m, _LAWS), r1(m, _LAWS + 4), r1(m, _LAWS + 8), r1(m, _LAWS + 12))
            why, step, count, reach = advance(
                m[1], m[2], x[1], r1(m, _GRAVITY), s, _bodies(m, _BODIES), laws, keys, m[0], x[2], _rows(m, _ROWS),
                m[3], _rows(m, _OLD), x[3], m[4], r2(m, _TOLD), r2(m, _OUT), r2(m, _OUT + 4), x[4], _work(m, _WORK),
            )  # fmt: skip
            m[1], m[3], x[0] = step, count, reach
            return why
        return find_pairs(
            s.kinds, s.body, s.group, s.moves, s.radius, x[0], s.place, s.axes, x[1], i2(m, _ROWS), i1(m, _ROWS + 4),
            i1(m, _ROWS + 8), keys,
        )  # fmt: skip

    return text_of(run, NAME)


if __name__ == "__main__":
    write_shipped(SHIPPED, fingerprint(), llvm_text())
