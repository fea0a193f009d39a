"""Steps turned into LLVM text by numba, under one plain name. Loads numba.

Run `python -m dalembert.simulate.contact.step.translate` after a change of `contact/few` or of this room: it writes the
text that travels with the package.
"""

from __future__ import annotations

from numba import njit

from dalembert.contact.few.rubbing import Rubs, Swept
from dalembert.simulate.contact.block import HEAD
from dalembert.simulate.contact.read_block import OPTIONS, i1, i2, r1, r2, reader, text_of
from dalembert.simulate.contact.step.code import NAME, SHIPPED, fingerprint
from dalembert.simulate.contact.step.data import Plan, Room, Tables
from dalembert.simulate.contact.step.step import advance
from dalembert.simulate.loop.step import doubles, integers
from dalembert.simulate.loop.translate import write_shipped

_PLAN = HEAD
_NOW = _PLAN + 4 * len(Plan._fields)
_THERE = _NOW + 4 * len(Tables._fields)
_RUBS = _THERE + 4 * len(Tables._fields)
_SWEPT = _RUBS + 4 * len(Rubs._fields)
_ROOM = _SWEPT + 4 * len(Swept._fields)
_TOLD = _ROOM + 4 * len(Room._fields)


@reader
def _plan(m, k):  # type: ignore[no-untyped-def]
    return Plan(
        i1(m, k), i1(m, k + 4), r1(m, k + 8), i2(m, k + 12), r1(m, k + 16), i1(m, k + 20), i1(m, k + 24),
        i1(m, k + 28), i1(m, k + 32), i1(m, k + 36), r1(m, k + 40),
    )  # fmt: skip


@reader
def _tables(m, k):  # type: ignore[no-untyped-def]
    return Tables(
        r1(m, k), r2(m, k + 4), r1(m, k + 8), r2(m, k + 12), r2(m, k + 16), r2(m, k + 20), r2(m, k + 24),
        r1(m, k + 28), r1(m, k + 32), r1(m, k + 36), r1(m, k + 40), r1(m, k + 44), r1(m, k + 48), r1(m, k + 52),
        r1(m, k + 56), r2(m, k + 60), r1(m, k + 64), r1(m, k + 68), r2(m, k + 72), r1(m, k + 76), r1(m, k + 80),
        r1(m, k + 84),
    )  # fmt: skip


@reader
def _rubs(m, k):  # type: ignore[no-untyped-def]
    return Rubs(i1(m, k), i1(m, k + 4), i1(m, k + 8), i1(m, k + 12), i1(m, k + 16), i1(m, k + 20), r1(m, k + 24))


@reader
def _swept(m, k):  # type: ignore[no-untyped-def]
    return Swept(
        r2(m, k), r1(m, k + 4), r1(m, k + 8), r1(m, k + 12), r1(m, k + 16), r1(m, k + 20), r1(m, k + 24),
        r1(m, k + 28), r1(m, k + 32), r2(m, k + 36), r1(m, k + 40), r1(m, k + 44), i1(m, k + 48), r1(m, k + 52),
        i1(m, k + 56), i1(m, k + 60), r2(m, k + 64), r1(m, k + 68), r1(m, k + 72),
    )  # fmt: skip


@reader
def _room(m, k):  # type: ignore[no-untyped-def]
    return Room(
        r1(m, k), r1(m, k + 4), r1(m, k + 8), r1(m, k + 12), r1(m, k + 16), r1(m, k + 20), r1(m, k + 24),
        r1(m, k + 28), r1(m, k + 32), r1(m, k + 36), r1(m, k + 40), r2(m, k + 44), i1(m, k + 48), r2(m, k + 52),
        r2(m, k + 56), i1(m, k + 60), i1(m, k + 64), r2(m, k + 68), r1(m, k + 72), r2(m, k + 76), i1(m, k + 80),
        i1(m, k + 84), r2(m, k + 88), r1(m, k + 92), r2(m, k + 96), r1(m, k + 100), r1(m, k + 104), i1(m, k + 108),
        r1(m, k + 112), i1(m, k + 116), r2(m, k + 120), i1(m, k + 124), r2(m, k + 128), r2(m, k + 132),
        r1(m, k + 136), r1(m, k + 140), i1(m, k + 144), r1(m, k + 148), i1(m, k + 152),
    )  # fmt: skip


def llvm_text() -> str:
    """Optimised LLVM text of `int dalembert_steps(int64 *result, void *, int64 task, int64 block, int64 reals)`."""

    @njit("int64(int64, int64, int64)", nogil=True, **OPTIONS)
    def run(task: int, block: int, reals: int) -> int:
        m, x = integers(block), doubles(reals)
        why, step = advance(
            m[0], m[1], m[2], x, m[3], _plan(m, _PLAN), _tables(m, _NOW), _tables(m, _THERE), _rubs(m, _RUBS),
            _swept(m, _SWEPT), _room(m, _ROOM), r2(m, _TOLD), r2(m, _TOLD + 4), r2(m, _TOLD + 8),
        )  # fmt: skip
        m[0] = step
        return why

    return text_of(run, NAME)


if __name__ == "__main__":
    write_shipped(SHIPPED, fingerprint(), llvm_text())
