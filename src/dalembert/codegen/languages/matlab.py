"""MATLAB and GNU Octave: one file, functions after a script guard so that both can source it."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text

_CHOOSE = """function out = dalembert_choose(condition, a, b)
  if condition
    out = a;
  else
    out = b;
  end
end"""


def _routine(routine: Routine) -> str:
    lines = [f"function out = {routine.name}({', '.join(g.name for g in routine.groups)})"]
    if routine.comment:
        lines.append(f"  % {routine.comment}")
    lines += [f"  {name} = {g.name}({i + 1}); % {said}" for g in routine.groups for i, name, said in g.locals]
    lines += [f"  {name} = {value};" for name, value in routine.definitions]
    lines.append(f"  out = zeros({len(routine.results)}, 1);")
    lines += [f"  out({i + 1}) = {value};" for i, value in routine.results]
    return "\n".join([*lines, "end"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    names = [r.split("= ", 1)[1].split("(", 1)[0] for r in routines]
    head = ["function model = dalembert_model()", f"% {title}", *[f"% {line}".rstrip() for line in comments]]
    head.append("% Each field of the result is a function.")
    fields = [f"  model.{name} = @{name};" for name in names]
    return "\n\n".join(["\n".join([*head, *fields, "end"]), *routines, _CHOOSE]) + "\n"


MATLAB = Language(
    name="matlab",
    extension="m",
    number=lambda value: {"inf": "Inf", "-inf": "-Inf", "nan": "NaN"}.get(repr(value)) or double_text(value),
    pi="pi",
    general_power=lambda a, b: f"(({a})^({b}))",
    power=lambda base, n: f"{base}^{n}",
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"double({condition})",
    choose=lambda c, a, b: f"dalembert_choose({c}, {a}, {b})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "break case catch classdef continue else elseif end for function global if otherwise parfor persistent return "
        "spmd switch try while pi e i j Inf NaN eps ans out model sin cos tan asin acos atan atan2 exp log sqrt abs "
        "min max sign double zeros "
        # words of GNU Octave, which reads these files, too
        "__FILE__ __LINE__ do until unwind_protect unwind_protect_cleanup end_try_catch end_unwind_protect "
        "endarguments endclassdef endenumeration endevents endfor endfunction endif endmethods endparfor endproperties "
        "endspmd endswitch endwhile".split()
    ),
    nonzero=lambda x: f"{x} ~= 0",
)
