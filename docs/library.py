"""The reference of the library, made from the code when the manual is built: every public name with its signature, a
sentence and an example where its docstring has one."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

ROOMS = {
    "dalembert": "The front door: `import dalembert as da`.",
    "dalembert.analytic": "Analytical mechanics by hand-sized formulas: `from dalembert import analytic`.",
    "dalembert.view": "Scenes, pages and pictures.",
    "dalembert.simulate": "Motions of systems that are written by hand.",
}
RESULTS = (
    "dalembert.formalisms.equations.Equations",
    "dalembert.codegen.mechanism.CompiledMechanism",
    "dalembert.loops.verdict.Mobility",
    "dalembert.analysis.linearization.Linearization",
    "dalembert.analysis.equilibrium.Equilibrium",
)
"""What verbs of a mechanism give back."""


def names_of(room: str) -> list[str]:
    """Its public names: `__all__`, or what it imports from its own rooms."""
    module = import_module(room)
    listed = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith(room + ".")
    ]
    return [str(name) for name in listed]


def page() -> str:
    """The whole page."""
    parts = []
    for room, about in ROOMS.items():
        parts.append(f"\n## {room}\n\n{about}\n")
        module = import_module(room)
        kinds: dict[bool, list[str]] = {True: [], False: []}
        for name in names_of(room):
            kinds[isinstance(getattr(module, name), type)].append(name)
        for classes in (False, True):
            parts += [entry(name, getattr(module, name)) for name in sorted(kinds[classes], key=str.lower)]
    parts.append("\n## Results\n\nWhat verbs of a mechanism give back.\n")
    for path in RESULTS:
        module_name, _, name = path.rpartition(".")
        parts.append(entry(name, getattr(import_module(module_name), name)))
    return "\n".join(parts)


def entry(name: str, value: Any) -> str:
    """One name: signature, sentence, example, and for a class its members."""
    told = inspect.getdoc(value) or "" if callable(value) else ""
    parts = [f"\n### {name}\n"]
    if callable(value) and not _is_error(value):
        parts.append(f"```python\n{name}{signature(value)}\n```\n")
    parts.append(f"{sentence(told) or _plain(value)}\n")
    if example := doctest(told):
        parts.append(f"```pycon\n{example}\n```\n")
    if isinstance(value, type) and not _is_error(value):
        rows = [f"| `{shown}` | {said} |".replace("|  |", "| |") for shown, said in members(value)]
        if rows:
            parts.append("\n".join(["| member | |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def members(kind: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties with their sentences; fields are told by the signature."""
    for name, value in inspect.getmembers_static(kind):
        if name.startswith("_") or isinstance(value, type):
            continue
        if not hasattr(value, "__name__") and not isinstance(
            value, property | cached_property | staticmethod | classmethod
        ):
            value = getattr(kind, name, None)  # a verb of another room, brought when it is asked for
        inside = {property: "fget", cached_property: "func", staticmethod: "__func__", classmethod: "__func__"}
        function = getattr(value, inside[type(value)]) if type(value) in inside else value
        if not inspect.isfunction(function):
            continue
        shown = name if isinstance(value, property | cached_property) else name + signature(function, bound=True)
        yield shown.replace("|", r"\|"), sentence(inspect.getdoc(function) or "").replace("|", r"\|")


def signature(value: Any, *, bound: bool = False) -> str:
    """Names and defaults of the arguments, without types: those stand in the code."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    listed = [one for one in found.parameters.values() if not (bound and one.name in ("self", "cls"))]
    listed = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in listed
        if not one.name.startswith("_") and "factory" not in repr(one.default)
    ]
    try:
        return str(inspect.Signature(listed))
    except ValueError:  # a default was left out before one that has none
        return "(" + ", ".join(one.name for one in listed) + ")"


def sentence(told: str) -> str:
    """The first paragraph, on one line."""
    first = told.partition("\n\n")[0]
    return "" if first.lstrip().startswith(">>>") else " ".join(first.split())


def doctest(told: str) -> str:
    """The first example of a docstring."""
    found = re.search(r"^>>> .*?(?=\n\n|\Z)", told, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def _is_error(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def _plain(value: Any) -> str:
    """What is no function and no class: a value, told by its name."""
    return (
        f"The {type(value).__name__.lower()} `{value.name}`, which is always there." if hasattr(value, "name") else ""
    )
