"""Python functions behind a C address, for those who bring their own: slower than compiled ones, same road."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_POINTER = ctypes.POINTER(ctypes.c_double)
_SIGNATURE = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _POINTER, _POINTER)
_FOUR, _THREE, _TWO = (ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (4, 3, 2))


class Callback:
    """`f(t, y)` as `void f(const double *t, const double *y, const double *p, double *out)`.

    An exception cannot cross native code: it is kept in `error`, the result becomes NaN, and the driver raises it.
    """

    def __init__(self, function: Callable[[float, Any], Any], size: int, outputs: int) -> None:
        self.error: BaseException | None = None

        def call(t: Any, y: Any, p: Any, out: Any) -> None:
            result = np.ctypeslib.as_array(out, (outputs,))
            if self.error is not None:
                result[:] = np.nan
                return
            try:
                result[:] = function(float(t[0]), np.ctypeslib.as_array(y, (size,)).copy())
            except BaseException as error:
                self.error = error
                result[:] = np.nan

        self._function = _SIGNATURE(call)
        self.address = int(ctypes.cast(self._function, ctypes.c_void_p).value or 0)


def joined(functions: Sequence[Callable[[float, Any], float]]) -> Callable[[float, Any], list[float]]:
    """Several scalar functions as one vector function."""
    return lambda t, y: [float(function(t, y)) for function in functions]


def call_address(address: int, t: float, y: Any, p: Any, outputs: int) -> Any:
    """One call of a native function from Python."""
    out = np.zeros(outputs)
    time, state, parameters = np.array([t]), np.ascontiguousarray(y, float), np.ascontiguousarray(p, float)
    _FOUR(address)(time.ctypes.data, state.ctypes.data, parameters.ctypes.data, out.ctypes.data)
    return out


def call_projections(address: int, times: Any, states: Any, p: Any) -> None:
    """Call a native projection for each row of states, in place."""
    clock, parameters, rows = np.ascontiguousarray(times, float), np.ascontiguousarray(p, float), states
    if states.strides[1] != states.itemsize:  # the numbers of a state must stand beside each other
        rows = np.ascontiguousarray(states)
    project, numbers = _THREE(address), parameters.ctypes.data
    moments, begin, step = clock.ctypes.data, rows.ctypes.data, rows.strides[0]
    for k in range(len(clock)):
        project(moments + clock.itemsize * k, begin + step * k, numbers)
    if rows is not states:
        states[:] = rows


def call_setup(address: int, parameters: Any, kept: Any) -> None:
    """Let a native function digest its parameters."""
    _TWO(address)(parameters.ctypes.data, kept.ctypes.data)
