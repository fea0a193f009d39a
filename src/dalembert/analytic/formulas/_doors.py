"""What a public call says when an argument is not of the kind that it asks for.

The kinds are read from the annotations, and only after a call has failed: a right call pays nothing, and a fault of our
own keeps its traceback. One kind is asked for before: text, a table or a set where a list belongs would be read letter
by letter, key by key or in any order, and answer for another system.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

_BARE = (
    AttributeError,
    TypeError,
    IndexError,
    KeyError,
    ValueError,
    SyntaxError,
    NotImplementedError,
    ZeroDivisionError,
    sp.PolynomialError,
    sp.SympifyError,
)


def explain_arguments(package: ModuleType) -> None:
    """Give every public function, method and constructor of a package a sentence for arguments of a wrong kind."""
    kinds = {name: thing for name in package.__all__ if isinstance(thing := getattr(package, name), type)}
    for name in package.__all__:
        thing = getattr(package, name)
        if isinstance(thing, FunctionType):
            setattr(package, name, _explained(name, thing, kinds))
        elif isinstance(thing, type):
            for label, method in list(vars(thing).items()):
                if isinstance(method, FunctionType) and (label == "__init__" or not label.startswith("_")):
                    called = name if label == "__init__" else f"{name}.{label}"
                    setattr(thing, label, _explained(called, method, kinds))


def _explained(name: str, function: Callable[..., Any], kinds: Mapping[str, type]) -> Callable[..., Any]:
    lists = _lists(function)

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        for place, (label, table) in lists.items():
            value = kwargs.get(label, args[place] if place < len(args) else None)
            if isinstance(value, str | set | frozenset) or (isinstance(value, Mapping) and not table):
                raise ModelError(f"{name}(): {_no_list(label, value)}")
        try:
            return function(*args, **kwargs)
        except _BARE as error:
            complaint = misfit(function, args, kwargs, kinds)
            if complaint:
                raise ModelError(f"{name}(): {complaint}") from error
            raise

    return run


def _lists(function: Callable[..., Any]) -> dict[int, tuple[str, bool]]:
    """The parameters, by their place, that take lists and no text; whether a table is right too."""
    found = {}
    for place, (label, parameter) in enumerate(inspect.signature(function).parameters.items()):
        asked = parameter.annotation
        options = {o.partition("[")[0] for o in _options(asked) if o != "None"} if isinstance(asked, str) else set()
        if options & _ORDERED and options <= {*_ORDERED, "Mapping"}:
            found[place] = label, "Mapping" in options
    return found


_ORDERED = {"Sequence", "list", "tuple"}


def _no_list(label: str, value: Any) -> str:
    shown = repr(value) if len(repr(value)) < 60 else repr(value)[:57] + "..."
    remedy = f"write [{value!r}]" if isinstance(value, str) and len(value) < 40 else "write [..., ...] in order"
    return f"`{label}` is to be a list, not {shown} ({type(value).__name__}): {remedy}"


def misfit(function: Callable[..., Any], args: Any, kwargs: Any, kinds: Mapping[str, type]) -> str:
    """The first argument that is not what its annotation asks for, in words; empty when all are."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    for label, value in bound.arguments.items():
        parameter = inspect.signature(function).parameters[label]
        asked = parameter.annotation
        if not isinstance(asked, str) or label == "self":
            continue
        for one in value if parameter.kind is parameter.VAR_POSITIONAL else [value]:
            if isinstance(one, str) and asked.startswith("Formula") and re.search(r"[<>=]", one):
                return f"`{label}` is to be a formula, not the relation {one!r}"
            if not any(_fits(one, option, kinds) for option in _options(asked)):
                shown = repr(one)
                shown = shown if len(shown) < 60 else shown[:57] + "..."
                return f"`{label}` is to be {_words(asked)}, not {shown} ({type(one).__name__})"
    return ""


def _options(annotation: str) -> list[str]:
    """The alternatives of `A | B[C | D]`, split outside brackets."""
    depth, parts, start = 0, [], 0
    for i, c in enumerate(annotation):
        depth += (c == "[") - (c == "]")
        if c == "|" and not depth:
            parts.append(annotation[start:i])
            start = i + 1
    return [p.strip() for p in (*parts, annotation[start:])]


def _fits(value: Any, asked: str, kinds: Mapping[str, type]) -> bool:
    outer, _, inner = asked.partition("[")
    inner = inner.rstrip("]") if inner.count("]") == inner.count("[") + 1 else inner
    plain: dict[str, Callable[[Any], bool]] = {
        "None": lambda v: v is None,
        "str": lambda v: isinstance(v, str),
        "bool": lambda v: isinstance(v, bool),
        "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
        "float": lambda v: isinstance(v, int | float | sp.Number) and not isinstance(v, bool),
        "Formula": lambda v: isinstance(v, str | int | float | sp.Expr) and not isinstance(v, bool),
        "sp.Expr": lambda v: isinstance(v, sp.Expr),
        "sp.Symbol": lambda v: isinstance(v, sp.Symbol),
        "sp.Matrix": lambda v: isinstance(v, sp.MatrixBase),
    }
    if asked in plain:
        return plain[asked](value)
    if outer in ("Mapping", "dict"):
        return isinstance(value, Mapping)
    if outer in ("Sequence", "Iterable", "list", "tuple", "Collection"):
        if isinstance(value, str | Mapping) or not hasattr(value, "__iter__"):
            return False
        first = re.split(r",\s*(?=\.\.\.$)", inner)[0]
        if outer == "tuple" and not inner.endswith("..."):
            return True
        return all(any(_fits(v, option, kinds) for option in _options(first)) for v in value)
    if asked in kinds:
        return isinstance(value, kinds[asked])
    return True


def _words(annotation: str) -> str:
    """An annotation as a person would say it."""
    named = {"Formula": "a formula (text, number or expression)", "str": "text", "int": "a whole number"}
    named |= {"float": "a number", "bool": "True or False", "sp.Symbol": "a symbol", "sp.Expr": "an expression"}
    parts = [p for p in _options(annotation) if p != "None"]
    said = []
    for p in parts:
        outer, _, inner = p.partition("[")
        if outer in ("Sequence", "Iterable", "list", "tuple"):
            first = re.split(r",", inner.rstrip("]"))[0]
            said.append(f"a list of {named.get(first, first).removeprefix('a ').removeprefix('an ')}")
        elif outer in ("Mapping", "dict"):
            said.append("a table {name: value}")
        else:
            said.append(named.get(p, f"a {p}" if p[:1].isupper() else p))
    return " or ".join(said)
