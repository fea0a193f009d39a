"""What to compile: a named list of expressions of grouped inputs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError
from dalembert.expr import Expr, topological

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, init=False)
class Function:
    """Expressions to evaluate together, from groups of inputs that arrive as arrays.

    `constants` are the numbers of the groups that change rarely (parameters); what depends on them alone is computed
    once per batch. Groups in `shared` are the same for all states of any batch: lanes read them where they are.
    `shape` is the shape of the result, by default a vector.

    >>> from dalembert import expr as ex
    >>> x, y, k = ex.symbols("x y k")
    >>> Function("spring", [[x, y], [k]], [-k * x, -k * y], constants=[1]).sizes
    (2, 1)
    """

    name: str
    inputs: tuple[tuple[Expr, ...], ...]
    outputs: tuple[Expr, ...]
    constants: frozenset[int]
    shared: frozenset[int]
    shape: tuple[int, ...]

    def __init__(
        self,
        name: str,
        inputs: Sequence[Sequence[Expr]],
        outputs: Sequence[Expr],
        *,
        constants: Sequence[int] = (),
        shared: Sequence[int] = (),
        shape: Sequence[int] | None = None,
    ) -> None:
        set_ = object.__setattr__
        set_(self, "name", name)
        set_(self, "inputs", tuple(tuple(group) for group in inputs))
        set_(self, "outputs", tuple(outputs))
        set_(self, "constants", frozenset(constants))
        set_(self, "shared", frozenset(shared))
        set_(self, "shape", (len(self.outputs),) if shape is None else tuple(shape))
        self._check()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The length of each group of inputs."""
        return tuple(len(group) for group in self.inputs)

    def _check(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ExpressionError(f"{self.name!r} cannot name a compiled function. Use letters, digits and _.")
        if math.prod(self.shape) != len(self.outputs):
            raise ExpressionError(f"{len(self.outputs)} outputs of '{self.name}' do not fill the shape {self.shape}.")
        if not all(0 <= k < len(self.inputs) for k in self.constants | self.shared):
            raise ExpressionError(
                f"'{self.name}' has {len(self.inputs)} groups of inputs; constants or shared name another."
            )
        given: set[Expr] = set()
        for e in (e for group in self.inputs for e in group):
            if e.op in ("const", "pi"):
                raise ExpressionError(f"the number {e} cannot be an input of '{self.name}'.")
            if e in given:
                raise ExpressionError(f"'{e}' is twice among the inputs of '{self.name}'.")
            given.add(e)
        below = topological(self.outputs, stop=given)
        missing = sorted({e.name for e in below if e.op == "symbol" and e not in given})
        if missing:
            raise ExpressionError(f"'{self.name}' needs {_listing(missing)}: add them to its inputs.")
        unknown = sorted({e.name for e in below if e.op == "apply" and e not in given})
        if unknown:
            raise ExpressionError(
                f"'{self.name}' uses unknown functions: {_listing(unknown)}. "
                "Define them (substitute a formula for each) before compiling."
            )


def _listing(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
