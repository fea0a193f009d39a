"""Python with NumPy: inputs may be numbers or arrays of the same shape."""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence

from dalembert.codegen.languages.language import Group, Language, Routine, double_text, wrapped


def _number(value: float) -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return double_text(value)


def _routine(routine: Routine) -> str:
    lines = [f"def {routine.name}({', '.join(g.name for g in routine.groups)}):"]
    if routine.comment:
        lines.append(f'    """{routine.comment}"""')
    for g in routine.groups:
        lines += _counted(g)
        for i, name, said in g.locals:
            alone = f" if np.ndim({g.name}) else {g.name}" if g.size == 1 else ""  # solve_ivp gives time as a number
            lines.append(f"    {name} = {g.name}[{i}]{alone}  # {said}")
    lines += [f"    {name} = {value}" for name, value in routine.definitions]
    listed = wrapped([value for _, value in routine.results], "        ")
    lines += ["    return [", f"        {listed},", "    ]"] if routine.results else ["    return []"]
    return "\n".join(lines)


def _counted(group: Group) -> list[str]:
    """Numbers of another machine, or of parameters without influence, would be read as others, by their places."""
    if not group.size:
        return []
    several = f"np.ndim({group.name}) and " if group.size == 1 else ""
    said = f"{group.name} holds {group.size} number{'s' * (group.size > 1)}, as the head of this file tells"
    return [f"    if {several}len({group.name}) != {group.size}:", f'        raise ValueError("{said}")']


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join([f'"""{title}', "", *comments, '"""'])
    return "\n\n\n".join([f"{head}\n\nimport numpy as np", *routines]) + "\n"


PYTHON = Language(
    name="python",
    extension="py",
    number=_number,
    pi="np.pi",
    call="np.{name}({args})",
    general_power=lambda a, b: f"np.power({a}, {b}, dtype=float)",
    power=lambda base, n: f"{base}**{n}",
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"({condition})*1.0",
    choose=lambda c, a, b: f"np.where({c}, {a}, {b})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset({*keyword.kwlist, *keyword.softkwlist, "np", "print", "type"}),
)
