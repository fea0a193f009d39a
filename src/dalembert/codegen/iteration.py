"""A map in machine code, done many times over: each row of states is the image of the row before it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from dalembert.codegen.function import Function
from dalembert.codegen.native import NativeFunction, compile_functions, load_text
from dalembert.errors import ExpressionError

_DRIVER = """
define void @iterate(ptr %map, ptr %states, i64 %width, i64 %steps) {
entry:
  %any = icmp sgt i64 %steps, 0
  br i1 %any, label %loop, label %done
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %k, 1
  %from = mul i64 %k, %width
  %to = mul i64 %next, %width
  %row = getelementptr double, ptr %states, i64 %from
  %image = getelementptr double, ptr %states, i64 %to
  call void %map(ptr %row, ptr %image)
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


class NativeIteration:
    """A function of one group of inputs, as many outputs, repeated without coming back to Python.

    >>> from dalembert import expr as ex
    >>> x, y = ex.symbols("x y")
    >>> NativeIteration(Function("turn", [[x, y]], [-y, x])).run([1.0, 0.0], 3)[-1] + 0.0
    array([ 0., -1.])
    """

    def __init__(self, function: Function) -> None:
        if len(function.inputs) != 1 or function.sizes[0] != len(function.outputs):
            raise ExpressionError(f"'{function.name}' is repeated only with one group of inputs and as many outputs.")
        self.native: NativeFunction = compile_functions([function])[function.name]
        self._driver = load_text(_DRIVER, ("iterate",))
        p, n = ctypes.c_void_p, ctypes.c_int64
        self._call: Any = ctypes.CFUNCTYPE(None, p, p, n, n)(self._driver.addresses["iterate"])

    def run(self, start: Any, steps: int) -> np.ndarray:
        """The start and its images, one row each."""
        width = len(self.native.function.outputs)
        states = np.empty((steps + 1, width))
        states[0] = start
        self._call(self.native.address, states.ctypes.data, width, steps)
        return states
