"""Sorts: what kind of thing a term stands for, and the errors of mixing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dalembert.errors import ExpressionError


class AlgebraError(ExpressionError):
    """An operation between terms has no meaning: the message names the terms, their sorts and a remedy."""


@dataclass(frozen=True, slots=True)
class Sort:
    """Scalar, column vector, row, matrix (all by their size) or quaternion.

    >>> str(Sort(3, 1)), str(Sort(2, 6)), str(Sort(1, 1))
    ('vector of 3', 'matrix 2x6', 'scalar')
    """

    rows: int
    columns: int
    is_quaternion: bool = False

    @property
    def is_scalar(self) -> bool:
        return self.rows == 1 and self.columns == 1 and not self.is_quaternion

    @property
    def is_vector(self) -> bool:
        return self.columns == 1 and self.rows > 1

    @property
    def is_row(self) -> bool:
        return self.rows == 1 and self.columns > 1

    @property
    def is_matrix(self) -> bool:
        return self.rows > 1 and self.columns > 1

    @property
    def is_square(self) -> bool:
        return self.rows == self.columns and not self.is_quaternion

    @property
    def transposed(self) -> Sort:
        return Sort(self.columns, self.rows)

    @property
    def token(self) -> str:
        """A short name for keys."""
        return "q" if self.is_quaternion else f"{self.rows}x{self.columns}"

    def __str__(self) -> str:
        if self.is_quaternion:
            return "quaternion"
        if self.is_scalar:
            return "scalar"
        if self.is_vector:
            return f"vector of {self.rows}"
        if self.is_row:
            return f"row of {self.columns}"
        return f"matrix {self.rows}x{self.columns}"


SCALAR: Final = Sort(1, 1)
VECTOR: Final = Sort(3, 1)
QUATERNION: Final = Sort(1, 1, True)
