"""Typing of `+ - * / ^` and of the prefix sign (table of spec 1.6)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from dalembert.expr import Expr
from dalembert.expr.space import (
    IDENTITY3,
    ZERO3,
    Matrix3,
    Vector3,
    add3,
    apply3,
    neg3,
    product3,
    scale3,
    scale_matrix3,
    sub3,
    sum3,
)
from dalembert.lsd import syntax as s
from dalembert.lsd.checking import BAD, Checked, Context, Thunk
from dalembert.lsd.scope import CONSTANTS, EARTH_NAME, Scope
from dalembert.lsd.source import Span
from dalembert.lsd.types import Type
from dalembert.mechanism.displacement import Displacement

S, V, M, R, D = Type.SCALAR, Type.VECTOR, Type.MATRIX, Type.ROT, Type.DISPL
MAX_EXPONENT = 64
MAX_BITS = 4000


def _sized(value: Expr) -> Expr:
    """Refuse constants that grow without end."""
    if value.op == "const":
        number = value.data
        if isinstance(number, float):
            if number - number != 0:
                raise OverflowError("this number is too large")
        elif number.numerator.bit_length() + number.denominator.bit_length() > MAX_BITS:
            raise OverflowError("this number is too large")
    return value


def _times(a: Expr, b: Expr) -> Expr:
    return _sized(a * b)


def _power(a: Expr, b: Expr) -> Expr:
    if a.is_number and b.is_number:
        bits = 1 if isinstance(a.value, float) else a.value.numerator.bit_length() + a.value.denominator.bit_length()
        if abs(float(b.value)) * bits > MAX_BITS:
            raise OverflowError("this number is too large")
    return _sized(a**b)


def _sub_matrix(a: Matrix3, b: Matrix3) -> Matrix3:
    return sub3(a[0], b[0]), sub3(a[1], b[1]), sub3(a[2], b[2])


def _matrix_power(a: Matrix3, exponent: Expr) -> Matrix3:
    if not (exponent.is_number and isinstance(exponent.value, int) and 0 <= exponent.value <= MAX_EXPONENT):
        raise ValueError(f"the power of a matrix is an integer from 0 to {MAX_EXPONENT}")
    result = IDENTITY3
    for _ in range(exponent.value):
        result = product3(result, a)
    return result


def _rotate(r: Any, v: Vector3) -> Vector3:
    return apply3(Displacement(ZERO3, r).matrix, v)


def _divide_vector(a: Vector3, k: Expr) -> Vector3:
    return Vector3((a[0] / k, a[1] / k, a[2] / k))


def _divide_matrix(a: Matrix3, k: Expr) -> Matrix3:
    return _divide_vector(a[0], k), _divide_vector(a[1], k), _divide_vector(a[2], k)


# (operator, left, right) -> (result, computation)
_TABLE: dict[tuple[str, Type, Type], tuple[Type, Callable[..., Any]]] = {
    ("+", S, S): (S, lambda a, b: _sized(a + b)),
    ("+", V, V): (V, add3),
    ("+", M, M): (M, sum3),
    ("-", S, S): (S, lambda a, b: _sized(a - b)),
    ("-", V, V): (V, sub3),
    ("-", M, M): (M, _sub_matrix),
    ("*", S, S): (S, _times),
    ("*", S, V): (V, scale3),
    ("*", V, S): (V, lambda v, k: scale3(k, v)),
    ("*", S, M): (M, scale_matrix3),
    ("*", M, S): (M, lambda m, k: scale_matrix3(k, m)),
    ("*", M, V): (V, apply3),
    ("*", M, M): (M, product3),
    ("*", R, R): (R, operator.add),
    ("*", R, V): (V, _rotate),
    ("*", D, D): (D, operator.matmul),
    ("/", S, S): (S, lambda a, b: _sized(a / b)),
    ("/", V, S): (V, _divide_vector),
    ("/", M, S): (M, _divide_matrix),
    ("^", S, S): (S, _power),
    ("^", M, S): (M, _matrix_power),
}
_SIGN: dict[Type, Callable[..., Any]] = {S: operator.neg, V: neg3, M: lambda m: (neg3(m[0]), neg3(m[1]), neg3(m[2]))}


def _is_open(ctx: Context, node: s.Expression, scope: Scope) -> bool:
    """Whether the type of an operand is still open: a literal 0 or 1, or a free name not used before."""
    while isinstance(node, s.Negative):
        node = node.operand
    if isinstance(node, s.Number):
        return node.text in ("0", "1")
    if isinstance(node, s.Name) and not node.package:
        name = node.word.text
        known = name in CONSTANTS or name == EARTH_NAME
        return scope.find(name) is None and name not in ctx.free and not known
    return False


def infer_binary(ctx: Context, node: s.Binary, scope: Scope, want: Type | None) -> Checked:
    """The left spine is walked, not recursed: sums of ten thousand terms are fine."""
    spine: list[s.Binary] = []
    first: s.Expression = node
    while isinstance(first, s.Binary):
        spine.append(first)
        first = first.left
    spine.reverse()
    guide = _guide(ctx, first, spine, scope, want)
    got, run = _operand(ctx, first, spine[0], guide, scope)
    later: list[tuple[Callable[..., Any], Thunk, Span]] = []
    failed = got is Type.ERROR
    for part in spine:
        if part.operator in ("+", "-"):
            hint = got if got in (S, V, M) else guide
        elif part.operator == "*" and got is S and guide in (V, M) and _is_open(ctx, part.right, scope):
            hint = guide if not isinstance(part.right, s.Number) else S
        else:
            hint = S
        right, right_run = _infer(ctx, part.right, scope, hint)
        if failed or right is Type.ERROR:
            failed = True
            continue
        entry = _TABLE.get((part.operator, got, right)) or _lifted(part.operator, got, right)
        if entry is None:
            ctx.error(
                part.span,
                f"no operation {got} {part.operator} {right}",
                _hint(part.operator, got, right),
            )
            failed = True
            continue
        got, compute = entry
        later.append((compute, right_run, part.span))
    if failed:
        return BAD
    if len(later) == 1:
        return Checked(got, ctx.guarded(later[0][2], later[0][0], run, later[0][1]))
    return Checked(got, _folded(ctx, run, later))


def _folded(ctx: Context, first: Thunk, later: list[tuple[Callable[..., Any], Thunk, Span]]) -> Thunk:
    def run(state: Any) -> Any:
        value = first(state)
        for compute, right, span in later:
            operand, left = right(state), value
            step = ctx.guarded(span, compute, lambda _s, x=left: x, lambda _s, x=operand: x)  # type: ignore[misc]
            value = step(state)
        return value

    return run


def _lifted(operator_: str, got: Type, right: Type) -> tuple[Type, Callable[..., Any]] | None:
    """Products of displacements where one side is a bare translation or rotation."""
    if operator_ != "*" or D not in (got, right) or not {got, right} <= {V, R, D}:
        return None

    def lift(value: Any, kind: Type) -> Displacement:
        if kind is V:
            return Displacement(value)
        return Displacement(ZERO3, value) if kind is R else value

    return D, lambda a, b: lift(a, got) @ lift(b, right)


def _guide(ctx: Context, first: s.Expression, spine: list[s.Binary], scope: Scope, want: Type | None) -> Type | None:
    """Type that open operands of a sum take: the wanted one, else that of the first operand which has its own."""
    if want in (V, M):
        return want
    if want is S or not _is_open(ctx, first, scope):
        return S
    for part in spine:
        if part.operator not in ("+", "-"):
            return S
        if not _is_open(ctx, part.right, scope):
            return _peek(part.right, scope)
    return S


def _peek(node: s.Expression, scope: Scope) -> Type | None:
    """The type of an operand as far as it shows without checking it."""
    if isinstance(node, s.Vector):
        return M if any(isinstance(e, s.Vector) for e in node.entries) else V
    if isinstance(node, s.Name):
        found = scope.find(node.word.text)
        return found.type if found is not None and found.type in (S, V, M) else S
    if isinstance(node, s.Binary) and node.operator in ("*", "/"):
        left = _peek(node.left, scope)
        return left if left is not S else _peek(node.right, scope)
    return S


def _operand(ctx: Context, first: s.Expression, part: s.Binary, guide: Type | None, scope: Scope) -> Checked:
    if part.operator in ("+", "-"):
        return _infer(ctx, first, scope, guide)
    if part.operator == "/" and _is_open(ctx, first, scope) and not isinstance(first, s.Number):
        return _infer(ctx, first, scope, guide)
    return _infer(ctx, first, scope, S)


def _hint(operator_: str, left: Type, right: Type) -> str | None:
    if operator_ == "^" and right is V:
        return "`^` is a power; LSD has no cross product sign"
    if operator_ == "*" and left is V and right is V:
        return "the product of two vectors is written dot(a, b) or cross(a, b)"
    if operator_ in ("+", "-") and {left, right} == {S, V}:
        return "a vector is written [x, y, z]"
    if Type.BODY in (left, right) or Type.FRAME in (left, right):
        return "only mathematical objects are added and multiplied"
    return None


def infer_negative(ctx: Context, node: s.Negative, scope: Scope, want: Type | None) -> Checked:
    inner: s.Expression = node
    count = 0
    while isinstance(inner, s.Negative):
        inner = inner.operand
        count += 1
    got, run = _infer(ctx, inner, scope, want if want in (V, M) else S)
    if got is Type.ERROR:
        return BAD
    if got not in _SIGN:
        return ctx.wrong(node.span, f"a {got} has no opposite")
    return Checked(got, run if count % 2 == 0 else ctx.guarded(node.span, _SIGN[got], run))


def _infer(ctx: Context, node: s.Expression, scope: Scope, want: Type | None) -> Checked:
    from dalembert.lsd.check_expressions import infer

    return infer(ctx, node, scope, want)
