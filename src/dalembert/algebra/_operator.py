"""Operators as data: the elementary properties from which simplification is derived (Papegay 3.5.2, ULYSSE).

An operator never carries code for "simplify me": it declares which of the twelve elementary properties it has, and
the one engine (`_engine.py`, `_expand.py`) reads them. The table of the built-in operators is at the end of this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

EVERY: Final = -1  # a slot number that means "each argument"


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """The name of an operation and its elementary properties; a flag that is absent is a property it lacks.

    | property | field | schema |
    |---|---|---|
    | associative | `associative` | f(X, f(Y, Z)) = f(f(X, Y), Z) |
    | commutative, anticommutative | `symmetry` +1, -1 | f(X, Y) = +-f(Y, X) |
    | external operator | `external` | f(X, f(Y, Z)) -> f(X Y, Z) |
    | homogeneous | `homogeneous` {slot: degree} | f(.., a X, ..) -> a^degree f(.., X, ..) |
    | morphism | `morphism` slots | f(.., X + Y, ..) -> f(.., X, ..) + f(.., Y, ..); `eager`: always, else on `expand` |
    | morphism of products | `product` +1, -1 | f(X Y) -> f(X) f(Y), or f(Y) f(X) |
    | projector, involution | `projector`, `involution` | f(f(X)) -> f(X); f(f(X)) -> X |
    | nilpotent | `nilpotent` n | f(f(..f(X)..)) (n times) -> 0 |
    | idempotent | `idempotent` | f(X, X) -> X |
    | neutral element | `neutral` side | f(e, X) -> X |
    | symmetric element | `symmetric` side | f(h(X), X) -> e |
    | absorbing element | `absorbing` side | f(a, X) -> a |

    Sides are "left", "right", "both" or "". With `symmetric`, an associative operator keeps exponents: X h(X) has
    exponent 0.
    """

    name: str
    arity: int | None = None
    associative: bool = False
    symmetry: int = 0
    external: bool = False
    homogeneous: Mapping[int, int] = field(default_factory=dict)
    morphism: tuple[int, ...] = ()
    eager: bool = False
    product: int = 0
    projector: bool = False
    involution: bool = False
    nilpotent: int = 0
    idempotent: bool = False
    neutral: str = ""
    symmetric: str = ""
    absorbing: str = ""
    payload: Any = None  # for operators that users declare: sorts and elements

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the properties that this operator has, in the order of ULYSSE."""
        held = {
            "associative": self.associative,
            "commutative": self.symmetry == 1,
            "anticommutative": self.symmetry == -1,
            "external": self.external,
            "homogeneous": bool(self.homogeneous),
            "morphism": bool(self.morphism or self.product),
            "projector": self.projector,
            "involution": self.involution,
            "nilpotent": bool(self.nilpotent),
            "idempotent": self.idempotent,
            "neutral": bool(self.neutral),
            "symmetric": bool(self.symmetric),
            "absorbing": bool(self.absorbing),
        }
        return tuple(name for name, has in held.items() if has)

    def __repr__(self) -> str:
        return f"Operator({self.name}: {', '.join(self.properties) or 'free'})"


# Leaves.
SYMBOL: Final = Operator("symbol", 0)
EXPR: Final = Operator("expr", 0)
VARIABLE: Final = Operator("variable", 0)  # a pattern variable of a rule
# The three associative operators: sums and scalar products keep multiplicities, words keep exponents.
SUM: Final = Operator("sum", associative=True, symmetry=1, neutral="both", symmetric="both")
TIMES: Final = Operator("times", associative=True, symmetry=1, neutral="both", symmetric="both", absorbing="both",
                        homogeneous={EVERY: 1}, morphism=(EVERY,))  # fmt: skip
PRODUCT: Final = Operator("product", associative=True, neutral="both", symmetric="both", absorbing="both",
                          homogeneous={EVERY: 1}, morphism=(EVERY,))  # fmt: skip
QPRODUCT: Final = Operator("qproduct", associative=True, neutral="both", symmetric="both", absorbing="both",
                           homogeneous={EVERY: 1}, morphism=(EVERY,))  # fmt: skip
# A scalar times a tensor lives in the weights of a sum: an external operator over `times`.
SCALE: Final = Operator(
    "scale", 2, external=True, homogeneous={EVERY: 1}, morphism=(0, 1), neutral="left", absorbing="both"
)
# Operators of vectors and matrices.
TRANSPOSE: Final = Operator("transpose", 1, homogeneous={0: 1}, morphism=(0,), eager=True, product=-1, involution=True)
INVERSE: Final = Operator("inverse", 1, homogeneous={0: -1}, product=-1, involution=True)
TILDE: Final = Operator("tilde", 1, homogeneous={0: 1}, morphism=(0,))
DOT: Final = Operator("dot", 2, symmetry=1, homogeneous={0: 1, 1: 1}, morphism=(0, 1), absorbing="both")
CROSS: Final = Operator("cross", 2, symmetry=-1, homogeneous={0: 1, 1: 1}, morphism=(0, 1), absorbing="both")
TRIPLE: Final = Operator("triple", 3, symmetry=-1, homogeneous={0: 1, 1: 1, 2: 1}, morphism=(0, 1, 2), absorbing="both")
DYAD: Final = Operator("dyad", 2, homogeneous={0: 1, 1: 1}, morphism=(0, 1), absorbing="both")
TRACE: Final = Operator("trace", 1, homogeneous={0: 1}, morphism=(0,))
DET: Final = Operator("det", 1, product=1)  # homogeneous of the degree of its size
ABS: Final = Operator("abs", 1, projector=True, product=1)
ROTATION: Final = Operator("rotation", 2)  # rotation(axis, angle)
ARRAY: Final = Operator("array")  # entries or blocks; payload: (block rows, block columns)
# Quaternions.
PAIR: Final = Operator("pair", 2)  # (scalar part, vector part)
CONJUGATE: Final = Operator("conjugate", 1, homogeneous={0: 1}, morphism=(0,), eager=True, product=-1, involution=True)
SCALAR_PART: Final = Operator("scalar_part", 1, homogeneous={0: 1}, morphism=(0,))
VECTOR_PART: Final = Operator("vector_part", 1, homogeneous={0: 1}, morphism=(0,))
SQUARED_NORM: Final = Operator("squared_norm", 1, homogeneous={0: 2}, product=1)
MATRIX_OF: Final = Operator("matrix_of", 1, product=1)  # rotation matrix of a unit quaternion

BUILTIN: Final = (SUM, TIMES, SCALE, PRODUCT, QPRODUCT, TRANSPOSE, INVERSE, TILDE, DOT, CROSS, TRIPLE, DYAD, TRACE,
DET, ABS, CONJUGATE, SCALAR_PART, VECTOR_PART, SQUARED_NORM, MATRIX_OF)  # fmt: skip
