"""A number that knows the formula it was written as, so that sqrt(3) stays exact where exactness is asked for."""

from __future__ import annotations

from typing import Any

from dalembert.expr import Expr


class Spelled(float):
    """A float for everybody; `formula` for those who prove: `given a = sqrt(3)` is 1.7320508... and sqrt(3).

    >>> from dalembert import expr as ex
    >>> a = Spelled(3**0.5, ex.parse("sqrt(3)"))
    >>> a * 2, a.formula
    (3.4641016151377544, sqrt(3))
    """

    __slots__ = ("formula",)
    formula: Expr

    def __new__(cls, value: float, formula: Expr) -> Spelled:
        made = super().__new__(cls, value)
        made.formula = formula
        return made

    def __reduce__(self) -> Any:
        return Spelled, (float(self), self.formula)
