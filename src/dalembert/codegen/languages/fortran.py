"""Fortran 2008, free form."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text, plain_calls, positional

_LINE = 118


def _number(value: float) -> str:
    if math.isnan(value):
        return "ieee_value(1.0d0, ieee_quiet_nan)"
    if math.isinf(value):
        return "ieee_value(1.0d0, ieee_positive_inf)" if value > 0 else "ieee_value(1.0d0, ieee_negative_inf)"
    written = double_text(value)
    return written.replace("e", "d") if "e" in written else f"{written}d0"


def broken(line: str) -> str:
    """A statement over several lines: a line ends after an operator or comma, with `&`."""
    indent = re.match(r" *", line)
    pad = (indent[0] if indent else "") + "    "
    lines = []
    while len(line) > _LINE:
        place = max(line.rfind(mark, 40, _LINE - 2) for mark in (" ", "*", "/", "("))
        if place <= len(pad):
            break
        lines.append(f"{line[: place + 1].rstrip()} &")
        line = pad + line[place + 1 :].lstrip()
    return "\n".join([*lines, line])


def _routine(routine: Routine) -> str:
    arguments = [*[g.name for g in routine.groups], "out"]
    lines = [f"! {routine.comment}"] if routine.comment else []
    lines.append(broken(f"pure subroutine {routine.name}({', '.join(arguments)})"))
    lines += [f"  real(dp), intent(in) :: {g.name}(*)  ! {g.size} numbers" for g in routine.groups]
    lines.append(f"  real(dp), intent(out) :: out(*)  ! {len(routine.results)} numbers")
    names = [name for g in routine.groups for _, name, _ in g.locals] + [name for name, _ in routine.definitions]
    lines += [f"  real(dp) :: {', '.join(names[k : k + 8])}" for k in range(0, len(names), 8)]
    lines += [f"  {name} = {g.name}({i + 1})  ! {said}" for g in routine.groups for i, name, said in g.locals]
    lines += [broken(f"  {name} = {value}") for name, value in routine.definitions]
    lines += [broken(f"  out({i + 1}) = {value}") for i, value in routine.results]
    return "\n".join([*lines, f"end subroutine {routine.name}"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join([f"! {title}", *[f"! {line}".rstrip() for line in comments]])
    opening = "module model\n  use, intrinsic :: ieee_arithmetic\n  implicit none\n"
    opening += "  integer, parameter :: dp = kind(1.0d0)\ncontains"
    return "\n\n".join([f"{head}\n{opening}", *routines, "end module model"]) + "\n"


FORTRAN = Language(
    name="fortran",
    extension="f90",
    number=_number,
    pi="3.141592653589793d0",
    calls=plain_calls(
        sign=lambda x: f"merge(0.0d0, sign(1.0d0, {x}), {x} == 0.0d0)",
        pow=lambda a, b: f"({a})**({b})",
        abs=positional("abs"),
    ),
    power=lambda base, n: f"{base}**{n}",
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"merge(1.0d0, 0.0d0, {condition})",
    choose=lambda c, a, b: f"merge({a}, {b}, {c})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "sin cos tan asin acos atan atan2 exp log sqrt abs min max sign merge real integer dp out end do if else then "
        "call use module contains pure subroutine function kind model ieee_value ieee_quiet_nan ieee_positive_inf "
        "ieee_negative_inf ieee_arithmetic".split()
    ),
    nonzero=lambda x: f"{x} /= 0.0d0",
    case_matters=False,
)
