"""Mathematica (Wolfram language)."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.systems.system import System, calls, decimal, infix


def _unknown(name: str, orders: tuple[int, ...], args: Sequence[str]) -> str:
    head = f"Derivative[{', '.join(map(str, orders))}][{name}]" if any(orders) else name
    return f"{head}[{', '.join(args)}]"


def _braces(items: Sequence[str]) -> str:
    return f"{{{', '.join(items)}}}"


MATHEMATICA = System(
    name="mathematica",
    extension="wl",
    number=lambda value: decimal(value, "*^"),
    pi="Pi",
    call=calls(
        {
            "asin": "ArcSin",
            "acos": "ArcCos",
            "atan": "ArcTan",
            "atan2": "ArcTan[{1}, {0}]",
            **{x: x.capitalize() for x in "sqrt sin cos tan exp log sinh cosh tanh abs sign min max".split()},
        },
        ("[", "]"),
    ),
    power=lambda a, b: f"{a}^{b}",
    relations={"lt": "{0} < {1}", "le": "{0} <= {1}", "eq": "{0} == {1}", "ne": "{0} != {1}"},
    indicator=lambda condition: f"Boole[{condition}]",
    choose=lambda c, a, b: f"Piecewise[{{{{{a}, {c}}}}}, {b}]",
    unknown=_unknown,
    comment=lambda text: f"(* {text} *)",
    assign=lambda name, value: f"{name} = {value};",
    listed=_braces,
    column=_braces,
    matrix=lambda rows: _braces([_braces(row) for row in rows]),
    identity=lambda n: f"IdentityMatrix[{n}]",
    product=infix("."),
    turned=lambda a: f"Transpose[{a}]",
    tilde=lambda a: f"tilde[{a}]",
    block=lambda rows: f"ArrayFlatten[{_braces([_braces(row) for row in rows])}]",
    helper="tilde[v_] := {{0, -v[[3]], v[[2]]}, {v[[3]], 0, -v[[1]]}, {-v[[2]], v[[1]], 0}};",
    reserved=frozenset({"tilde"}),
    foreign=lambda name: name[0].isupper() and name.isalpha(),  # words of the system begin with a capital letter
    joint="$",
)
