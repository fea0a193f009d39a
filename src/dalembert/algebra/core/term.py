"""The typed term: immutable, hash-consed, ordered by structure, never by the moment of its creation."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from dalembert.algebra.core.operator import SUM, SYMBOL, TIMES, Operator
from dalembert.algebra.core.sorts import SCALAR, AlgebraError, Sort

if TYPE_CHECKING:
    from dalembert.expr import Expr

Weight: TypeAlias = "Fraction | int | Term"
TermLike: TypeAlias = "Term | Expr | int | Fraction | float"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is declared about a symbol. `turning` is the angular velocity of the frame that carries it."""

    name: str
    properties: frozenset[str] = frozenset()
    orthogonal_to: tuple[Term, ...] = ()
    turning: Term | None = None
    basis: tuple[str, str, str] | None = None  # names of the right-handed orthonormal basis it belongs to
    order: int = 0  # how often it has been differentiated
    origin: Term | None = None  # the symbol that was differentiated
    nilpotent: int = 0  # the power of a matrix that is 0
    commutes_with: tuple[Term, ...] = ()
    collinear_to: Term | None = None
    norm: Term | None = None  # the length of a vector

    def __str__(self) -> str:
        return self.name + "'" * self.order


class Term:
    """A scalar, vector, matrix or quaternion expression; equal structure means the same object.

    `args` are the operands; `weights` are aligned with them: coefficients in a sum (fractions for scalars, scalar
    terms for tensors), exponents in a product. `payload` holds what a leaf stands for.
    """

    __slots__ = ("__weakref__", "args", "key", "op", "payload", "size", "sort", "weights")

    op: Operator
    args: tuple[Term, ...]
    weights: tuple[Weight, ...]
    payload: Any
    sort: Sort
    key: tuple[str, bytes]
    size: int

    # -- arithmetic: every operation checks sorts and applies the automatic rules
    def __add__(self, other: TermLike) -> Term:
        from dalembert.algebra.core.engine import add, zero_or_term

        return add(self, zero_or_term(other, self.sort))

    def __radd__(self, other: TermLike) -> Term:
        return self + other

    def __neg__(self) -> Term:
        from dalembert.algebra.core.engine import MINUS_ONE, scale

        return scale(MINUS_ONE, self)

    def __pos__(self) -> Term:
        return self

    def __sub__(self, other: TermLike) -> Term:
        from dalembert.algebra.core.engine import add, zero_or_term

        return add(self, -zero_or_term(other, self.sort))

    def __rsub__(self, other: TermLike) -> Term:
        return -self + other

    def __mul__(self, other: TermLike) -> Term:
        from dalembert.algebra.operators.words import product

        return product(self, other)

    def __rmul__(self, other: TermLike) -> Term:
        from dalembert.algebra.operators.words import product

        return product(other, self)

    __matmul__ = __mul__
    __rmatmul__ = __rmul__

    def __truediv__(self, other: TermLike) -> Term:
        from dalembert.algebra.core.engine import as_term
        from dalembert.algebra.operators.words import power, product

        divisor = as_term(other)
        if not (divisor.sort.is_scalar or divisor.sort.is_quaternion):
            raise AlgebraError(
                f"division by '{divisor}', a {divisor.sort}: write A * B**-1 or B**-1 * A to say on which side."
            )
        return product(self, power(divisor, -1))

    def __rtruediv__(self, other: TermLike) -> Term:
        from dalembert.algebra.core.engine import as_term

        return as_term(other) / self

    def __pow__(self, exponent: TermLike) -> Term:
        from dalembert.algebra.operators.words import power

        return power(self, exponent)

    def __invert__(self) -> Term:
        from dalembert.algebra.operators.vectors import tilde

        return tilde(self)

    @property
    def T(self) -> Term:
        """The transpose."""
        from dalembert.algebra.operators.words import transpose

        return transpose(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; scalar expressions see it and leave the arithmetic to the term."""
        return self.sort.rows, self.sort.columns

    # -- identity and order
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | Fraction) and not isinstance(other, bool):
            from dalembert.algebra.core.engine import zero_or_term

            return self is zero_or_term(other, self.sort) if other == 0 or self.sort.is_scalar else False
        return self is other

    def __bool__(self) -> bool:
        """False for the zero term of any sort, so that `if residue:` reads naturally."""
        return not (self.op is SUM and not self.args)

    def __iter__(self) -> Iterator[Term]:
        raise AlgebraError(f"'{self}' has no components. Use components(term, {{symbol: values}}) to get some.")

    def __repr__(self) -> str:
        from dalembert.algebra.notation.writer import text

        return text(self)

    def _repr_latex_(self) -> str:
        from dalembert.algebra.notation.writer import latex

        return f"$\\displaystyle {latex(self)}$"

    def __reduce__(self) -> tuple[Any, ...]:
        return make, (self.op.name, self.args, self.weights, self.payload, self.sort)


_table: WeakValueDictionary[tuple[Any, ...], Term] = WeakValueDictionary()
declared_operators: dict[str, Operator] = {}  # what users declare lives as long as the program
_LABEL = 48


def make(op: Operator | str, args: tuple[Term, ...], weights: tuple[Weight, ...], payload: Any, sort: Sort) -> Term:
    """The one term of this structure, without any rule: rules are applied by the functions that call this one."""
    if isinstance(op, str):
        op = operator_named(op)
    key = (op, args, weights, payload, sort)
    known = _table.get(key)
    if known is not None:
        return known
    term = Term.__new__(Term)
    term.op, term.args, term.weights, term.payload, term.sort = key
    size = 1
    for a in args:
        size += a.size
    for w in weights:
        if isinstance(w, Term):
            size += w.size
    term.size = size
    term.key = _order_key(term)
    _table[key] = term
    return term


def operator_named(name: str) -> Operator:
    """The operator of this name: built in, or declared in this program."""
    found = declared_operators.get(name) or builtin_operators().get(name)
    if found is None:
        raise AlgebraError(f"the operator '{name}' is not declared here: declare it before its terms are read.")
    return found


@cache
def builtin_operators() -> dict[str, Operator]:
    from dalembert.algebra.core import operator as _operator

    return {o.name: o for o in vars(_operator).values() if isinstance(o, Operator)}


def _order_key(term: Term) -> tuple[str, bytes]:
    """A readable label first, so that printed sums look natural; a digest of the structure to break ties."""
    weights = [w.key[1].hex() if isinstance(w, Term) else str(w) for w in term.weights]
    payload = term.payload
    if isinstance(payload, Facts):
        related: list[Term | None] = [payload.origin, payload.turning, payload.collinear_to, payload.norm]
        links = [[t.key[1].hex() for t in ts] for ts in (payload.orthogonal_to, payload.commutes_with)]
        links += [[t.key[1].hex() if t is not None else "" for t in related]]
        numbers = payload.order, payload.nilpotent
        leaf = f"{payload.name}|{numbers}|{sorted(payload.properties)}|{links}|{payload.basis}"
        label = _natural(str(payload))
    else:
        leaf = "" if payload is None else _payload_text(payload)
        label = _natural(leaf) if not term.args else _label(term)
    text = f"{term.op.name}|{term.sort.token}|{leaf}|{weights}"
    digest = hashlib.blake2b(text.encode(), digest_size=12)
    for a in term.args:
        digest.update(a.key[1])
    return label[:_LABEL], digest.digest()


def _label(term: Term) -> str:
    if term.op is SUM or not term.weights:
        return " ".join(a.key[0] for a in term.args)
    raised = [a.key[0] if e == 1 else f"{a.key[0]}^{_natural(str(e)) if not isinstance(e, Term) else e.key[0]}"
              for a, e in zip(term.args, term.weights)]  # fmt: skip
    return " ".join(raised)


def _natural(name: str) -> str:
    """Numbers inside names compare as numbers: r9 before r10."""
    return re.sub(r"\d+", lambda found: found.group().zfill(6), name)


def _payload_text(payload: Any) -> str:
    from dalembert.expr import Expr

    return expr_digest(payload) if isinstance(payload, Expr) else str(payload)


_digests: dict[Any, str] = {}


def expr_digest(e: Expr) -> str:
    """A name for a scalar expression that depends on its structure only; symbols are named by themselves."""
    from dalembert.expr import topological

    if e.op == "symbol":
        return e.name
    found: dict[Any, str] = {}
    for node in topological([e], stop=set(_digests)):
        if node in _digests:
            found[node] = _digests[node]
        elif node.op == "symbol":
            found[node] = node.name
        else:
            parts = [found[a] for a in node.args]
            # Sums and products of `Expr` order their operands by creation; here order must not depend on it.
            parts = sorted(parts) if node.op in ("add", "mul", "min", "max") else parts
            inner = f"{node.op}{node.data if node.data is not None else ''}({','.join(parts)})"
            found[node] = (
                inner if len(inner) < 40 else node.op + hashlib.blake2b(inner.encode(), digest_size=12).hexdigest()
            )
    _digests[e] = found[e]
    return found[e]


def is_zero_term(term: Term) -> bool:
    """Whether this is the term 0 itself (no proof is attempted)."""
    return term.op is SUM and not term.args


def postorder(roots: Iterable[Term]) -> list[Term]:
    """Every subterm once, operands (and scalar weights) before what uses them; no recursion."""
    seen: set[Term] = set()
    order: list[Term] = []
    stack: list[tuple[Term, bool]] = [(root, False) for root in roots]
    while stack:
        term, done = stack.pop()
        if done:
            order.append(term)
        elif term not in seen:
            seen.add(term)
            stack.append((term, True))
            stack.extend((child, False) for child in children(term) if child not in seen)
    return order


def children(term: Term) -> tuple[Term, ...]:
    """The operands, and the weights that are terms themselves."""
    inner = tuple(w for w in term.weights if isinstance(w, Term))
    return term.args + inner if inner else term.args


def symbols_of(*roots: Term) -> list[Term]:
    """The symbols (vectors, matrices, quaternions) that occur, in canonical order."""
    found = [t for t in postorder(roots) if t.op is SYMBOL]
    return sorted(found, key=lambda t: t.key)


ONE = make(TIMES, (), (), None, SCALAR)
