"""JavaScript as an ES module."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text


def _routine(routine: Routine) -> str:
    lines = [f"/** {routine.comment} */"] if routine.comment else []
    arguments = ", ".join(g.name for g in routine.groups)
    lines.append(f"export function {routine.name}({arguments}, out = new Float64Array({len(routine.results)})) {{")
    lines += [f"  const {name} = {g.name}[{i}]; // {said}" for g in routine.groups for i, name, said in g.locals]
    lines += [f"  const {name} = {value};" for name, value in routine.definitions]
    lines += [f"  out[{i}] = {value};" for i, value in routine.results]
    return "\n".join([*lines, "  return out;", "}"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join(["/*", f" * {title}", *[f" * {line}".rstrip() for line in comments], " */"])
    return "\n\n".join([head, *routines]) + "\n"


JAVASCRIPT = Language(
    name="javascript",
    extension="mjs",
    number=lambda value: {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(repr(value)) or double_text(value),
    pi="Math.PI",
    call="Math.{name}({args})",
    general_power=lambda a, b: f"Math.pow({a}, {b})",
    power=lambda base, n: f"{base}**{n}",
    relations={"lt": "<", "le": "<=", "eq": "==="},
    indicator=lambda condition: f"Number({condition})",
    choose=lambda c, a, b: f"({c} ? {a} : {b})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "abstract arguments await boolean break byte case catch char class const continue debugger default delete do "
        "double else enum eval export extends false final finally float for function goto if implements import in "
        "instanceof int interface let long native new null package private protected public return short static super "
        "switch synchronized this throw throws transient true try typeof var void volatile while with yield Math "
        "Number NaN Infinity out".split()
    ),
)
