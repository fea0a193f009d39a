"""Arrays read from a block by compiled functions, and LLVM text that asks for no memory. Loads numba."""

from __future__ import annotations

import re
from typing import Any

from numba import carray, njit, types
from numba.extending import intrinsic

from dalembert.simulate.loop.step import doubles, integers
from dalembert.simulate.loop.translate import plain_text

OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
reader = njit(**OPTIONS)


@intrinsic
def _octets(typing_context: Any, address: Any) -> Any:
    """The bytes at an address."""

    def cast(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.uint8)(address), cast


@reader
def i1(m, k):  # type: ignore[no-untyped-def]
    return carray(integers(m[k]), (m[k + 1],))


@reader
def i2(m, k):  # type: ignore[no-untyped-def]
    return carray(integers(m[k]), (m[k + 1], m[k + 2]))


@reader
def b1(m, k):  # type: ignore[no-untyped-def]
    return carray(_octets(m[k]), (m[k + 1],))


@reader
def r1(m, k):  # type: ignore[no-untyped-def]
    return carray(doubles(m[k]), (m[k + 1],))


@reader
def r2(m, k):  # type: ignore[no-untyped-def]
    return carray(doubles(m[k]), (m[k + 1], m[k + 2]))


@reader
def r3(m, k):  # type: ignore[no-untyped-def]
    return carray(doubles(m[k]), (m[k + 1], m[k + 2], m[k + 3]))


def text_of(run: Any, name: str) -> str:
    """Its LLVM text under a plain name; the arrays are those of the caller, so that nothing counts who holds them."""
    text = plain_text(run, name)
    text = re.sub(r"(?m)^ .*call void @NRT_(in|de)cref\(.*\n", "", text)
    text = re.sub(r"(?ms)^define[^\n]*@NRT_\w+\([^\n]*\{$.*?^\}$", "", text)
    return re.sub(r"(?m)^declare.*@(NRT_|llvm\.x86\.).*$", "", text)
