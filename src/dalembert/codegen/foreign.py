"""Functions of a mechanism in the arrays of other libraries: NumPy, JAX (traced, derived, compiled there) and CasADi.

No text is run: the operations of the graph are those of the other library, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from dalembert import expr as ex
from dalembert.codegen.function import Function
from dalembert.errors import ArgumentError
from dalembert.expr import FUNCTIONS

LIBRARIES = {"numpy": "numpy", "jax": "jax.numpy", "casadi": "casadi"}
#: Functions of CasADi that have other names there.
_CASADI = {"abs": "fabs", "min": "fmin", "max": "fmax"}


def foreign(function: Function, names: Sequence[str], to: str) -> Callable[..., Any]:
    """The function in another library; groups of inputs are named for those that show names.

    NumPy and JAX take arrays whose last axis is that of a group, with any axes before it; CasADi gives its `Function`.
    """
    if to not in LIBRARIES:
        raise ArgumentError(f"functions are written for {', '.join(LIBRARIES)}, not for {to!r}.")
    try:
        library = import_module(LIBRARIES[to])
    except ImportError:
        package = LIBRARIES[to].partition(".")[0]
        raise ArgumentError(
            f"{package} is not installed: `pip install {package}`, or choose another library."
        ) from None
    if to == "casadi":
        return _in_casadi(function, names, library)
    return _in_arrays(function, names, library)


def _in_arrays(function: Function, names: Sequence[str], np: Any) -> Callable[..., Any]:
    operations: Mapping[str, Callable[..., Any]] = {
        "add": np.add,
        "sub": np.subtract,
        "neg": np.negative,
        "mul": np.multiply,
        "div": np.divide,
        "pow": np.power,
        "lt": lambda a, b: np.less(a, b) * 1.0,
        "le": lambda a, b: np.less_equal(a, b) * 1.0,
        "eq": lambda a, b: np.equal(a, b) * 1.0,
        **{name: getattr(np, f.numpy or name) for name, f in FUNCTIONS.items() if name != "where"},
        "where": lambda c, a, b: np.where(c != 0, a, b),
    }

    def call(*groups: Any) -> Any:
        if len(groups) != len(names):
            raise ArgumentError(f"'{function.name}' takes {', '.join(names)}, not {len(groups)} arrays.")
        arrays = [np.asarray(x, dtype=float) for x in groups]
        for name, array, group in zip(names, arrays, function.inputs, strict=True):
            if array.shape[-1:] != (len(group),):
                raise ArgumentError(f"the last axis of '{name}' has {len(group)} entries, not shape {array.shape}.")
        values = {e: a[..., k] for a, group in zip(arrays, function.inputs, strict=True) for k, e in enumerate(group)}
        found = ex.evaluate_with(function.outputs, values, operations)
        batch = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        flat = np.stack([np.broadcast_to(np.asarray(x, dtype=float), batch) for x in found], axis=-1)
        return flat.reshape(*batch, *function.shape)

    call.__name__ = function.name
    call.__doc__ = f"{function.name}({', '.join(names)}): an array of shape {function.shape}."
    return call


def _in_casadi(function: Function, names: Sequence[str], ca: Any) -> Any:
    operations: Mapping[str, Callable[..., Any]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "neg": lambda a: -a,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "pow": ca.power,
        "lt": ca.lt,
        "le": ca.le,
        "eq": ca.eq,
        **{name: getattr(ca, _CASADI.get(name, name)) for name in FUNCTIONS if name != "where"},
        "where": ca.if_else,
    }
    inputs = [ca.SX.sym(name, len(group)) for name, group in zip(names, function.inputs, strict=True)]
    values = {e: x[k] for x, group in zip(inputs, function.inputs, strict=True) for k, e in enumerate(group)}
    found = [ca.SX(x) for x in ex.evaluate_with(function.outputs, values, operations)]
    rows = function.shape[0] if len(function.shape) > 1 else len(found)
    out = ca.vertcat(*found) if len(function.shape) < 2 else ca.reshape(ca.vertcat(*found), -1, rows).T
    return ca.Function(function.name, inputs, [out], list(names), ["out"])
