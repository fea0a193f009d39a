"""C99."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text
from dalembert.codegen.languages.parts import Part, parts


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
    found, room = parts(routine)
    comment = f"/* {routine.comment} */\n" if routine.comment else ""
    if len(found) == 1:
        return f"{comment}{prototype(routine)}\n{_body(found[0])}"
    arrays = [g.name for g in routine.groups]
    formal = ", ".join([f"const double {name}[]" for name in arrays] + ["double scratch[]", "double out[]"])
    heads = [f"static void {routine.name}_part{k + 1}({formal})" for k in range(len(found))]
    pieces = [f"{head}\n{_body(part, 'scratch', 'out')}" for head, part in zip(heads, found, strict=True)]
    actual = ", ".join([*arrays, "scratch", "out"])
    calls = "".join(f"    {routine.name}_part{k + 1}({actual});\n" for k in range(len(found)))
    pieces.append(f"{comment}{prototype(routine)}\n{{\n    double scratch[{room}];\n{calls}}}")
    return "\n\n".join(pieces)


def _body(part: Part, *unused: str) -> str:
    lines = ["{"]
    lines += [
        f"    const double {name} = {g.name}[{i}]; /* {said} */" for g in part.groups for i, name, said in g.locals
    ]
    lines += [f"    const double {name} = scratch[{i}];" for i, name in part.reads]
    idle = [g.name for g in part.groups if not g.locals]
    idle += [x for x in unused if not (part.results if x == "out" else part.reads or part.leaves)]
    lines += [f"    (void){name};" for name in idle]
    lines += [f"    const double {name} = {value};" for name, value in part.definitions]
    lines += [f"    scratch[{i}] = {name};" for i, name in part.leaves]
    lines += [f"    out[{i}] = {value};" for i, value in part.results]
    return "\n".join([*lines, "}"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join(["/*", f" * {title}", *[f" * {line}".rstrip() for line in comments], " */"])
    return "\n\n".join([f"{head}\n#include <math.h>", *routines]) + "\n"


C = Language(
    name="c",
    extension="c",
    number=c_number,
    pi="3.141592653589793",
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
        "NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL MATH_ERRNO "
        "MATH_ERREXCEPT math_errhandling div abs time signal remove rename index out scratch "
        "typeof asm bool true false nullptr constexpr alignas alignof static_assert thread_local typeof_unqual".split()
    ),
)
