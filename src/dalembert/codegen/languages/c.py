"""C99."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text, plain_calls, positional


def c_number(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return double_text(value)


def c_power(base: str, exponent: int) -> str:
    return "*".join([base] * exponent) if exponent <= 4 else f"pow({base}, {exponent})"


def prototype(routine: Routine) -> str:
    arguments = [f"const double {g.name}[]" for g in routine.groups]
    return f"void {routine.name}({', '.join([*arguments, 'double out[]'])})"


def _routine(routine: Routine) -> str:
    lines = [f"/* {routine.comment} */"] if routine.comment else []
    lines += [prototype(routine), "{"]
    lines += [
        f"    const double {name} = {g.name}[{i}]; /* {said} */" for g in routine.groups for i, name, said in g.locals
    ]
    lines += [f"    (void){g.name};" for g in routine.groups if not g.locals]
    lines += [f"    const double {name} = {value};" for name, value in routine.definitions]
    lines += [f"    out[{i}] = {value};" for i, value in routine.results]
    return "\n".join([*lines, "}"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join(["/*", f" * {title}", *[f" * {line}".rstrip() for line in comments], " */"])
    return "\n\n".join([f"{head}\n#include <math.h>", *routines]) + "\n"


C = Language(
    name="c",
    extension="c",
    number=c_number,
    pi="3.141592653589793",
    calls=plain_calls(
        abs=positional("fabs"),
        min=positional("fmin"),
        max=positional("fmax"),
        sign=lambda x: f"(double)(({x} > 0) - ({x} < 0))",
    ),
    power=c_power,
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"(double)({condition})",
    choose=lambda c, a, b: f"({c} ? {a} : {b})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "auto break case char const continue default do double else enum extern float for goto if inline int long "
        "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
        "main sin cos tan asin acos atan atan2 exp log sqrt pow fabs fmin fmax gamma tgamma lgamma y0 y1 yn j0 j1 jn "
        "NAN INFINITY div abs time signal remove rename index out".split()
    ),
)
