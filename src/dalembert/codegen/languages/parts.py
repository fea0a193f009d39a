"""Long routines in parts: compilers need time that grows faster than the length of a function."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.codegen.languages.language import Group, Routine

#: Definitions in one part.
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a routine: what it reads from the scratch array, defines, leaves there, and its results."""

    groups: Sequence[Group]
    reads: Sequence[tuple[int, str]]
    definitions: Sequence[tuple[str, str]]
    leaves: Sequence[tuple[int, str]]
    results: Sequence[tuple[int, str]]


def parts(routine: Routine, longest: int = LONGEST) -> tuple[list[Part], int]:
    """Parts in order and the size of the scratch array; a short routine is one part that needs none."""
    count = max(1, -(-len(routine.definitions) // longest))
    size = max(1, -(-len(routine.definitions) // count))
    chunks = [routine.definitions[k : k + size] for k in range(0, max(1, len(routine.definitions)), size)]
    home = {name: k for k, chunk in enumerate(chunks) for name, _ in chunk}
    results: list[list[tuple[int, str]]] = [[] for _ in chunks]
    for i, text in routine.results:
        results[max((home[name] for name in _names(text) if name in home), default=0)].append((i, text))
    used = [_used(chunk, own) for chunk, own in zip(chunks, results, strict=True)]
    foreign = [sorted((x for x in names if home.get(x, k) != k), key=_natural) for k, names in enumerate(used)]
    slots = {name: i for i, name in enumerate(sorted({x for names in foreign for x in names}, key=_natural))}
    found = []
    for k, chunk in enumerate(chunks):
        groups = [Group(g.name, g.size, [one for one in g.locals if one[1] in used[k]]) for g in routine.groups]
        reads = [(slots[x], x) for x in foreign[k]]
        leaves = [(slots[name], name) for name, _ in chunk if name in slots]
        found.append(Part(groups, reads, chunk, leaves, results[k]))
    return found, len(slots)


def _names(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def _used(chunk: Sequence[tuple[str, str]], results: Sequence[tuple[int, str]]) -> set[str]:
    return {name for text in (*[text for _, text in chunk], *[text for _, text in results]) for name in _names(text)}


def _natural(name: str) -> tuple[int, str]:
    return len(name), name
