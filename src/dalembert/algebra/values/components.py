"""From terms to components: `Expr` matrices, and SymPy through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import as_term
from dalembert.algebra.core.sorts import AlgebraError, Sort
from dalembert.algebra.core.term import Facts, Term, TermLike
from dalembert.algebra.values.evaluate import Field, evaluate
from dalembert.algebra.values.linear_algebra import Rows, adjugate_inverse


class ExprField(Field):
    """Components in `Expr`; symbols without given values get entries named after them."""

    def __init__(self, values: Mapping[Term, Any]) -> None:
        self.values = values

    def number(self, value: Fraction) -> ex.Expr:
        return ex.const(value)

    def symbol(self, term: Term) -> Any:
        given = self.values.get(term)
        return component_symbols(term) if given is None else _shaped(term, given)

    def expr(self, term: Term) -> ex.Expr:
        return term.payload  # type: ignore[no-any-return]

    def power(self, base: ex.Expr, exponent: Any) -> ex.Expr:
        return base ** ex.as_expr(exponent)

    def angle(self, term: Term, value: ex.Expr) -> tuple[ex.Expr, ex.Expr]:
        return ex.cos(value), ex.sin(value)

    def absolute(self, value: ex.Expr) -> ex.Expr:
        return ex.absolute(value)

    def inverse(self, rows: Rows) -> Rows:
        return adjugate_inverse(rows, ex.ONE)


def component_symbols(symbol: Term) -> Any:
    """The entries that a symbol gets by default: v_1..v_3, A_11..A_33 (shared where A is symmetric), q_0..q_3."""
    facts: Facts = symbol.payload
    name, sort, marks = facts.name, symbol.sort, "'" * facts.order
    if sort.is_scalar:
        return ex.symbol(name + marks)
    if sort.is_quaternion:
        return [ex.symbol(f"{name}_{i}{marks}") for i in range(4)]
    if sort.is_vector:
        return [[ex.symbol(f"{name}_{i + 1}{marks}")] for i in range(sort.rows)]
    joint = "" if max(sort.rows, sort.columns) < 10 else "_"

    def entry(i: int, j: int) -> ex.Expr:
        if "diagonal" in facts.properties and i != j:
            return ex.ZERO
        if "symmetric" in facts.properties and i > j:
            return entry(j, i)
        if "antisymmetric" in facts.properties:
            if i == j:
                return ex.ZERO
            if i < j:
                return -entry(j, i)
        return ex.symbol(f"{name}_{i + 1}{joint}{j + 1}{marks}")

    return [[entry(i, j) for j in range(sort.columns)] for i in range(sort.rows)]


def _shaped(symbol: Term, given: Any) -> Any:
    """Check given components against the sort of the symbol they are for."""
    sort = symbol.sort
    if sort.is_scalar:
        return ex.as_expr(given)
    if isinstance(given, ex.Matrix):
        rows = [list(row) for row in given.rows()]
    elif hasattr(given, "tolist"):
        rows = given.tolist()
    else:
        rows = [list(r) if isinstance(r, Sequence) else r for r in given]
    if sort.is_quaternion:
        flat = [x[0] if isinstance(x, list) else x for x in rows]
        if len(flat) != 4:
            raise AlgebraError(f"the quaternion '{symbol}' needs 4 components, not {len(flat)}.")
        return [ex.as_expr(x) for x in flat]
    if rows and not isinstance(rows[0], list):
        rows = [[x] for x in rows]
    if len(rows) != sort.rows or any(len(r) != sort.columns for r in rows):
        size = f"{len(rows)}x{len(rows[0]) if rows else 0}"
        raise AlgebraError(f"'{symbol}' is a {sort}, but the given components are {size}.")
    return [[ex.as_expr(x) for x in r] for r in rows]


def components(term: TermLike, values: Mapping[Any, Any] | None = None) -> Any:
    """The components of a term: an `Expr` for scalars, an `expr.Matrix` for tensors, four `Expr` for quaternions.

    >>> u = vector("u")
    >>> components(~u)[0, 1]
    -u_3
    """
    root = as_term(term)
    given = {as_term(k): v for k, v in (values or {}).items()}
    known: dict[Term, Any] = {t: _given(t, v) for t, v in given.items()}
    found = evaluate(root, ExprField(given), known)
    if root.sort.is_scalar:
        return found
    if root.sort.is_quaternion:
        return tuple(found)
    return ex.Matrix(found)


def _given(term: Term, value: Any) -> Any:
    return _shaped(term, value)


def to_expr(term: TermLike) -> ex.Expr:
    """A scalar term without vectors as an `Expr`; with vectors, use `components`."""
    root = as_term(term)
    if not root.sort.is_scalar:
        raise AlgebraError(f"'{root}' is a {root.sort}, not a scalar: use components(term).")
    from dalembert.algebra.core.term import postorder

    for t in postorder([root]):
        if t.op is op.SYMBOL and not t.sort.is_scalar:
            raise AlgebraError(f"'{root}' holds '{t}', a {t.sort}: use components(term, values) to give it components.")
    return evaluate(root, ExprField({}))  # type: ignore[no-any-return]


def to_sympy(term: TermLike, values: Mapping[Any, Any] | None = None) -> Any:
    """The components as SymPy objects: an expression, a Matrix, or a Quaternion."""
    import sympy

    root = as_term(term)
    found = components(root, values)
    if root.sort.is_scalar:
        return ex.to_sympy(found)
    if root.sort.is_quaternion:
        return sympy.Quaternion(*ex.to_sympy_many(list(found)))
    return sympy.Matrix(root.sort.rows, root.sort.columns, ex.to_sympy_many(list(found.entries)))


def sort_of(term: TermLike) -> Sort:
    """The sort of a term: its kind and size."""
    return as_term(term).sort
