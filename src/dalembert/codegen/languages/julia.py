"""Julia, standard library only."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text


def _routine(routine: Routine) -> str:
    lines = [f'"{routine.comment}"'.replace("$", "\\$")] if routine.comment else []
    lines.append(f"function {routine.name}!(out, {', '.join(g.name for g in routine.groups)})")
    lines += [f"    {name} = {g.name}[{i + 1}]  # {said}" for g in routine.groups for i, name, said in g.locals]
    lines += [f"    {name} = {value}" for name, value in routine.definitions]
    lines += [f"    out[{i + 1}] = {value}" for i, value in routine.results]
    return "\n".join([*lines, "    return out", "end"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join([f"# {title}", *[f"# {line}".rstrip() for line in comments]])
    return "\n\n".join([head, *routines]) + "\n"


JULIA = Language(
    name="julia",
    extension="jl",
    number=lambda value: {"inf": "Inf", "-inf": "-Inf", "nan": "NaN"}.get(repr(value)) or double_text(value),
    pi="Float64(pi)",
    general_power=lambda a, b: f"(({a})^({b}))",
    power=lambda base, n: f"{base}^{n}",
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"Float64({condition})",
    choose=lambda c, a, b: f"ifelse({c}, {a}, {b})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "baremodule begin break catch const continue do else elseif end export false finally for function global if "
        "import in isa let local macro module public quote return struct true try using where while pi im Inf NaN sin "
        "cos tan asin acos atan exp log sqrt abs min max sign ifelse out Float64".split()
    ),
)
