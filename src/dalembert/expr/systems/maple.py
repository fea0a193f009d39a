"""Maple."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.systems.system import System, bracketed, calls, decimal, infix


def _unknown(name: str, orders: tuple[int, ...], args: Sequence[str]) -> str:
    marks = [str(i + 1) for i, order in enumerate(orders) for _ in range(order)]
    head = f"D[{', '.join(marks)}]({name})" if marks else name
    return f"{head}({', '.join(args)})"


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    return f"Matrix({bracketed([bracketed(row) for row in rows])})"


MAPLE = System(
    name="maple",
    extension="mpl",
    number=decimal,
    pi="Pi",
    call=calls({"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan", "sign": "signum"}),
    power=lambda a, b: f"{a}^{b}",
    relations={"lt": "{0} < {1}", "le": "{0} <= {1}", "eq": "{0} = {1}", "ne": "{0} <> {1}"},
    indicator=lambda condition: f"piecewise({condition}, 1, 0)",
    choose=lambda c, a, b: f"piecewise({c}, {a}, {b})",
    unknown=_unknown,
    comment=lambda text: f"# {text}",
    assign=lambda name, value: f"{name} := {value}:",
    listed=bracketed,
    column=lambda items: f"Vector({bracketed(items)})",
    matrix=_matrix,
    identity=lambda n: f"IdentityMatrix({n})",
    product=infix("."),
    turned=lambda a: f"Transpose({a})",
    tilde=lambda a: f"tilde({a})",
    block=_matrix,
    head=("with(LinearAlgebra):",),
    helper="tilde := v -> Matrix([[0, -v[3], v[2]], [v[3], 0, -v[1]], [-v[2], v[1], 0]]):",
    reserved=frozenset(
        "I D O Pi gamma Catalan infinity true false FAIL and or not xor implies if then elif else fi for from by to "
        "while do od in proc end local global option description return break next mod union intersect minus use "
        "module export error try catch finally save read quit done stop assuming Vector Matrix Transpose tilde "
        "piecewise arcsin arccos arctan signum Order Digits GAMMA Zeta zeta Beta order type series norm trace".split()
    ),
)
