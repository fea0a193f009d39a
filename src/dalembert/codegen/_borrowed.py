"""Text of a function that works in memory made once: who comes while it is in use takes some of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: What the text below calls.
LIBRARY = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"


def workspace(size: int) -> NDArray[np.float64]:
    """Memory of so many bytes, kept: the system gives the pages of a new large piece one by one, and slowly."""
    return np.zeros(size // 8 + 1)


def slot(name: str, memory: NDArray[np.float64]) -> str:
    """Where the memory lies while nobody works in it."""
    return f"@{name}.slot = internal global i64 {memory.ctypes.data}\n"


def taken(name: str, memory: NDArray[np.float64]) -> str:
    """The beginning of a function: %work is its memory."""
    return f"""  %slot = atomicrmw xchg ptr @{name}.slot, i64 0 acquire
  %away = icmp eq i64 %slot, 0
  br i1 %away, label %take, label %borrow
take:
  %own = call ptr @malloc(i64 {memory.nbytes})
  br label %begin
borrow:
  %lent = inttoptr i64 %slot to ptr
  br label %begin
begin:
  %work = phi ptr [ %own, %take ], [ %lent, %borrow ]
"""


def given_back(name: str, memory: NDArray[np.float64]) -> str:
    """After the work, on the way to label %over, which is the caller's to write."""
    return f"""  br i1 %away, label %drop, label %return
drop:
  call void @free(ptr %work)
  br label %over
return:
  store atomic i64 {memory.ctypes.data}, ptr @{name}.slot release, align 8
  br label %over
over:
"""
