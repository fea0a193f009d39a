"""Maxima: columns are matrices of one column."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.systems.system import System, bracketed, calls, decimal, infix, slope_name


def _unknown(name: str, orders: tuple[int, ...], args: Sequence[str]) -> str:
    return f"{slope_name(name, orders)}({', '.join(args)})"


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    return f"matrix({', '.join(bracketed(row) for row in rows)})"


def _block(rows: Sequence[Sequence[str]]) -> str:
    return f"addrow({', '.join('addcol(' + ', '.join(row) + ')' for row in rows)})"


MAXIMA = System(
    name="maxima",
    extension="mac",
    number=decimal,
    pi="%pi",
    call=calls({"sign": "signum"}),
    power=lambda a, b: f"{a}^{b}",
    relations={"lt": "{0} < {1}", "le": "{0} <= {1}", "eq": "equal({0}, {1})", "ne": "notequal({0}, {1})"},
    indicator=lambda condition: f"(if {condition} then 1 else 0)",
    choose=lambda c, a, b: f"(if {c} then {a} else {b})",
    unknown=_unknown,
    comment=lambda text: f"/* {text} */",
    assign=lambda name, value: f"{name} : {value}$",
    listed=bracketed,
    column=lambda items: _matrix([[x] for x in items]),
    matrix=_matrix,
    identity=lambda n: f"ident({n})",
    product=infix("."),
    turned=lambda a: f"transpose({a})",
    tilde=lambda a: f"tilde({a})",
    block=_block,
    helper="tilde(v) := matrix([0, -v[3][1], v[2][1]], [v[3][1], 0, -v[1][1]], [-v[2][1], v[1][1], 0])$",
    reserved=frozenset(
        "if then elseif else for from step next thru while unless do in and or not true false inf minf und ind "
        "infinity block return go lambda local matrix ident transpose tilde diff integrate sum product limit at "
        "values functions arrays labels infolists rules simp numer float keepfloat ratprint linel dot dotident "
        "domain modulus gamma beta psi zeta erf signum equal notequal unknown context facts all".split()
    ),
)
