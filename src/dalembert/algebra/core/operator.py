"""Operators as data: the elementary properties from which simplification is derived (Papegay 3.5.2, ULYSSE).

An operator declares which of the twelve elementary properties it has, and one engine (`apply.py`) reads them, for the
operators of this table and for those that users declare. What is peculiar to one operator (units, bases, components) is
a rule beside its constructor. Take a property away, and the simplifications that it stands for are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from dalembert.algebra.core.sorts import Sort

EVERY: Final = -1  # a slot number that means "each argument"
SIZE: Final = "size"  # a degree that is the size of the matrix


@dataclass(slots=True)
class Meaning:
    """What an operator does beside its properties, filled in by the file of its family.

    `build` is its constructor, `value` its value from the values of its arguments, `notation` how a writer sets it (or
    a name for a plain call).
    """

    build: Callable[..., Any] | None = None
    value: Callable[..., Any] | None = None
    notation: Callable[..., Any] | str = ""

    def define(self, build: Any, value: Any = None, notation: Any = "") -> None:
        self.build, self.value, self.notation = build, value, notation


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """The name of an operation and its elementary properties; a flag that is absent is a property it lacks.

    | property | field | schema |
    |---|---|---|
    | associative | `associative` | f(X, f(Y, Z)) = f(f(X, Y), Z) |
    | commutative, anticommutative | `symmetry` +1, -1 | f(X, Y) = +-f(Y, X) |
    | external operator | `external` | f(X, f(Y, Z)) -> f(X Y, Z) |
    | homogeneous | `homogeneous` {slot: degree} | f(.., a X, ..) -> a^degree f(.., X, ..); `SIZE`: of matrices |
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
    homogeneous: Mapping[int, Any] = field(default_factory=dict)
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
    meaning: Meaning = field(default_factory=Meaning)

    def degree(self, slot: int, sort: Sort) -> int | None:
        """The degree in an argument of this sort, if the operator is homogeneous there."""
        degree = self.homogeneous.get(slot)
        if degree is None:
            degree = self.homogeneous.get(EVERY)
        return sort.rows if degree == SIZE else degree

    def is_additive(self, slot: int) -> bool:
        return slot in self.morphism or EVERY in self.morphism

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
                        morphism=(EVERY,))  # fmt: skip
PRODUCT: Final = Operator("product", associative=True, neutral="both", symmetric="both", absorbing="both",
                          homogeneous={EVERY: 1}, morphism=(EVERY,))  # fmt: skip
QPRODUCT: Final = Operator("qproduct", associative=True, neutral="both", symmetric="both", absorbing="both",
                           homogeneous={EVERY: 1}, morphism=(EVERY,))  # fmt: skip
# Operators of vectors and matrices.
TRANSPOSE: Final = Operator("transpose", 1, homogeneous={0: 1}, morphism=(0,), eager=True, product=-1, involution=True)
TILDE: Final = Operator("tilde", 1, homogeneous={0: 1}, morphism=(0,))
DOT: Final = Operator("dot", 2, symmetry=1, homogeneous={EVERY: 1}, morphism=(0, 1))
CROSS: Final = Operator("cross", 2, symmetry=-1, homogeneous={EVERY: 1}, morphism=(0, 1))
TRIPLE: Final = Operator("triple", 3, symmetry=-1, homogeneous={EVERY: 1}, morphism=(0, 1, 2))
DYAD: Final = Operator("dyad", 2, homogeneous={EVERY: 1}, morphism=(0, 1))
TRACE: Final = Operator("trace", 1, homogeneous={0: 1}, morphism=(0,))
DET: Final = Operator("det", 1, homogeneous={0: SIZE}, product=1)
ABS: Final = Operator("abs", 1, projector=True, product=1)
ROTATION: Final = Operator("rotation", 2)  # rotation(axis, angle)
ARRAY: Final = Operator("array")  # entries or blocks; payload: (block rows, block columns)
# Quaternions.
PAIR: Final = Operator("pair", 2)  # (scalar part, vector part)
CONJUGATE: Final = Operator("conjugate", 1, homogeneous={0: 1}, morphism=(0,), eager=True, product=-1, involution=True)
SCALAR_PART: Final = Operator("scalar_part", 1, homogeneous={0: 1}, morphism=(0,), eager=True)
VECTOR_PART: Final = Operator("vector_part", 1, homogeneous={0: 1}, morphism=(0,), eager=True)
SQUARED_NORM: Final = Operator("squared_norm", 1, homogeneous={0: 2}, product=1)
MATRIX_OF: Final = Operator("matrix_of", 1, homogeneous={0: 0}, product=1)  # of v -> q v q^-1

BUILTIN: Final = (SUM, TIMES, PRODUCT, QPRODUCT, TRANSPOSE, TILDE, DOT, CROSS, TRIPLE, DYAD, TRACE, DET, ABS, CONJUGATE,
SCALAR_PART, VECTOR_PART, SQUARED_NORM, MATRIX_OF)  # fmt: skip
