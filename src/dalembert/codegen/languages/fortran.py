"""Fortran 2008, free form."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text
from dalembert.codegen.languages.parts import Part, parts

_LINE = 118
#: Where a line may end: not inside ** or /=.
_BREAK = re.compile(r"[ (]|/(?!=)|\*(?!\*)")


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
        place = max(found.start() for found in _BREAK.finditer(line) if found.start() < max(1, _LINE - 2))
        if place <= len(pad):
            break
        lines.append(f"{line[: place + 1].rstrip()} &")
        line = pad + line[place + 1 :].lstrip()
    return "\n".join([*lines, line])


def _routine(routine: Routine) -> str:
    found, room = parts(routine)
    arrays = [g.name for g in routine.groups]
    if len(found) == 1:
        return _subroutine(routine.name, routine.comment, routine, found[0], [])
    names = [f"{routine.name}_part{k + 1}" for k in range(len(found))]
    pieces = [_subroutine(name, "", routine, part, ["scratch"]) for name, part in zip(names, found, strict=True)]
    lines = _opening(routine.name, routine.comment, routine, [])
    lines.append(f"  real(dp) :: scratch({room})")
    lines += [broken(f"  call {name}({', '.join([*arrays, 'scratch', 'out'])})") for name in names]
    return "\n\n".join([*pieces, "\n".join([*lines, f"end subroutine {routine.name}"])])


def _opening(name: str, comment: str, routine: Routine, more: list[str]) -> list[str]:
    arguments = [*[g.name for g in routine.groups], *more, "out"]
    lines = [f"! {comment}"] if comment else []
    lines.append(broken(f"pure subroutine {name}({', '.join(arguments)})"))
    lines += [f"  real(dp), intent(in) :: {g.name}(*)  ! {g.size} numbers" for g in routine.groups]
    lines += [f"  real(dp), intent(inout) :: {array}(*)" for array in more]
    intent = "inout" if more else "out"
    return [*lines, f"  real(dp), intent({intent}) :: out(*)  ! {len(routine.results)} numbers"]


def _subroutine(name: str, comment: str, routine: Routine, part: Part, more: list[str]) -> str:
    lines = _opening(name, comment, routine, more)
    names = [x for g in part.groups for _, x, _ in g.locals] + [x for _, x in part.reads]
    names += [x for x, _ in part.definitions]
    lines += [broken(f"  real(dp) :: {', '.join(names[k : k + 8])}") for k in range(0, len(names), 8)]
    lines += [f"  {x} = {g.name}({i + 1})  ! {said}" for g in part.groups for i, x, said in g.locals]
    lines += [f"  {x} = scratch({i + 1})" for i, x in part.reads]
    lines += [broken(f"  {x} = {value}") for x, value in part.definitions]
    lines += [f"  scratch({i + 1}) = {x}" for i, x in part.leaves]
    lines += [broken(f"  out({i + 1}) = {value}") for i, value in part.results]
    return "\n".join([*lines, f"end subroutine {name}"])


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
    general_power=lambda a, b: f"({a})**({b})",
    power=lambda base, n: f"{base}**{n}",
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"merge(1.0d0, 0.0d0, {condition})",
    choose=lambda c, a, b: f"merge({a}, {b}, {c})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "sin cos tan asin acos atan atan2 exp log sqrt abs min max sign merge real integer dp out scratch end do if "
        "else then call use module contains pure subroutine function kind model ieee_value ieee_quiet_nan "
        "ieee_positive_inf ieee_negative_inf ieee_arithmetic".split()
    ),
    nonzero=lambda x: f"{x} /= 0.0d0",
    case_matters=False,
)
