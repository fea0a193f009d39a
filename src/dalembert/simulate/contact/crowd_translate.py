"""The steps of crowds turned into LLVM text by numba, under one plain name. Loads numba.

Run `python -m dalembert.simulate.contact.crowd_translate` after a change of `contact/crowd`: it writes the text that
travels with the package.
"""

from __future__ import annotations

import re
from typing import Any

from numba import carray, njit, types
from numba.extending import intrinsic

from dalembert.contact.crowd.data import Bodies, Laws, Rows, Shapes, Work
from dalembert.contact.crowd.pairs import find_pairs
from dalembert.contact.crowd.step import advance, look
from dalembert.simulate.contact.crowd_code import ADVANCE, LOOK, SHIPPED, fingerprint
from dalembert.simulate.loop.step import doubles, integers
from dalembert.simulate.loop.translate import plain_text, write_shipped

NAME = "dalembert_crowd"
_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_inner = njit(**_OPTIONS)


@intrinsic
def _octets(typing_context: Any, address: Any) -> Any:
    """The bytes at an address."""

    def cast(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.uint8)(address), cast


# An array is four integers in the block: its address and its lengths.


@_inner
def _i1(m, k):  # type: ignore[no-untyped-def]
    return carray(integers(m[k]), (m[k + 1],))


@_inner
def _i2(m, k):  # type: ignore[no-untyped-def]
    return carray(integers(m[k]), (m[k + 1], m[k + 2]))


@_inner
def _b1(m, k):  # type: ignore[no-untyped-def]
    return carray(_octets(m[k]), (m[k + 1],))


@_inner
def _r1(m, k):  # type: ignore[no-untyped-def]
    return carray(doubles(m[k]), (m[k + 1],))


@_inner
def _r2(m, k):  # type: ignore[no-untyped-def]
    return carray(doubles(m[k]), (m[k + 1], m[k + 2]))


@_inner
def _r3(m, k):  # type: ignore[no-untyped-def]
    return carray(doubles(m[k]), (m[k + 1], m[k + 2], m[k + 3]))


@_inner
def _shapes(m, k):  # type: ignore[no-untyped-def]
    return Shapes(
        _i1(m, k), _i1(m, k + 4), _i1(m, k + 8), _b1(m, k + 12), _r2(m, k + 16), _r1(m, k + 20), _r2(m, k + 24),
        _r3(m, k + 28), _r2(m, k + 32), _r3(m, k + 36), _r2(m, k + 40),
    )  # fmt: skip


@_inner
def _bodies(m, k):  # type: ignore[no-untyped-def]
    return Bodies(
        _r2(m, k), _r2(m, k + 4), _r2(m, k + 8), _r1(m, k + 12), _r2(m, k + 16), _r2(m, k + 20), _b1(m, k + 24),
        _r3(m, k + 28), _r3(m, k + 32), _r2(m, k + 36), _r2(m, k + 40), _r2(m, k + 44), _b1(m, k + 48), _i1(m, k + 52),
        _i1(m, k + 56), _i1(m, k + 60), _i1(m, k + 64), _i1(m, k + 68), _i1(m, k + 72), _i1(m, k + 76),
    )  # fmt: skip


@_inner
def _rows(m, k):  # type: ignore[no-untyped-def]
    return Rows(
        _r2(m, k), _i1(m, k + 4), _i1(m, k + 8), _i1(m, k + 12), _r3(m, k + 16), _r3(m, k + 20), _r3(m, k + 24),
        _r3(m, k + 28), _r3(m, k + 32), _r3(m, k + 36), _r2(m, k + 40), _r2(m, k + 44), _r2(m, k + 48), _r1(m, k + 52),
        _i1(m, k + 56), _i1(m, k + 60), _i1(m, k + 64), _r2(m, k + 68),
    )  # fmt: skip


@_inner
def _work(m, k):  # type: ignore[no-untyped-def]
    return Work(
        _r2(m, k), _r2(m, k + 4), _r1(m, k + 8), _r1(m, k + 12), _r2(m, k + 16), _r2(m, k + 20), _r2(m, k + 24),
        _r2(m, k + 28), _r2(m, k + 32), _r1(m, k + 36), _r1(m, k + 40), _r2(m, k + 44), _r1(m, k + 48), _r1(m, k + 52),
    )  # fmt: skip


def llvm_text() -> str:
    """Optimised LLVM text of `int dalembert_crowd(int64 *result, void *, int64 task, int64 block, int64 reals)`."""

    @njit("int64(int64, int64, int64)", nogil=True, **_OPTIONS)
    def run(task: int, block: int, reals: int) -> int:
        m, x = integers(block), doubles(reals)
        if task == LOOK:
            return look(_shapes(m, 8), _bodies(m, 52), _i1(m, 132), m[0], x[0], _rows(m, 136), _r2(m, 208), _r2(m, 212))
        if task == ADVANCE:
            laws = Laws(_r1(m, 216), _r1(m, 220), _r1(m, 224), _r1(m, 228))
            why, step, count, reach = advance(
                m[1], m[2], x[1], _r1(m, 232), _shapes(m, 8), _bodies(m, 52), laws, _i1(m, 132), m[0], x[2],
                _rows(m, 136), m[3], _rows(m, 236), x[3], m[4], _r2(m, 308), _r2(m, 208), _r2(m, 212), x[4],
                _work(m, 312),
            )  # fmt: skip
            m[1], m[3], x[0] = step, count, reach
            return why
        s = _shapes(m, 8)
        return find_pairs(
            s.kinds, s.body, s.group, s.moves, s.radius, x[0], s.place, s.axes, x[1], _i2(m, 136), _i1(m, 140),
            _i1(m, 144), _i1(m, 132),
        )  # fmt: skip

    text = plain_text(run, NAME)
    text = re.sub(r"(?m)^ .*call void @NRT_(in|de)cref\(.*\n", "", text)  # the arrays are those of the caller
    text = re.sub(r"(?ms)^define[^\n]*@NRT_\w+\([^\n]*\{$.*?^\}$", "", text)
    return re.sub(r"(?m)^declare.*@(NRT_|llvm\.x86\.).*$", "", text)


if __name__ == "__main__":
    write_shipped(SHIPPED, fingerprint(), llvm_text())
