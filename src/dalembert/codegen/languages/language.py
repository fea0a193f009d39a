"""What differs between languages: how each writes a number, a call, a choice, a function. One small file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dalembert.expr import FUNCTIONS


@dataclass(frozen=True, slots=True)
class Group:
    """An array argument: its name, its length, and the readable local name of each entry that is used."""

    name: str
    size: int
    locals: Sequence[tuple[int, str, str]]  # index, name in the code, name in the mechanism


@dataclass(frozen=True, slots=True)
class Routine:
    """A function ready to be written: local definitions in order, then results by index."""

    name: str
    comment: str
    groups: Sequence[Group]
    definitions: Sequence[tuple[str, str]]
    results: Sequence[tuple[int, str]]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """The syntax of one language.

    `call` is how a function is called, as "{name}({args})", where the table of functions has no text of its own for
    this language; `general_power` writes a^b, `power` an integer power of a name, `number` a double. `relations` write
    comparisons as conditions, `indicator` turns a condition into 0 or 1, `choose` selects by a condition and `nonzero`
    makes a condition of a number. `routine` writes a whole function, `unit` a file of them.
    """

    name: str
    extension: str
    number: Callable[[float], str]
    pi: str
    power: Callable[[str, int], str]
    relations: Mapping[str, str]
    indicator: Callable[[str], str]
    choose: Callable[[str, str, str], str]
    routine: Callable[[Routine], str]
    unit: Callable[[str, Sequence[str], Sequence[str]], str]  # title, comment lines, routines
    reserved: frozenset[str] = field(default=frozenset())
    nonzero: Callable[[str], str] = lambda x: f"{x} != 0"
    longest: int = 100
    case_matters: bool = True
    call: str = "{name}({args})"
    general_power: Callable[[str, str], str] = lambda a, b: f"pow({a}, {b})"

    def function(self, op: str, args: list[str]) -> str:
        """The text of a function of the table."""
        return FUNCTIONS[op].in_language(self.name, self.call, args)


def double_text(value: float) -> str:
    """The shortest decimal that reads back as the same double, always with a point or an exponent."""
    written = repr(value)
    return written if any(c in written for c in ".en") else f"{written}.0"


def wrapped(items: Sequence[str], indent: str, width: int = 100, joint: str = ", ", more: str = "") -> str:
    """Items over several lines; `more` ends a line that continues."""
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + len(joint) > width:
            lines.append(line + joint.rstrip() + more)
            line = ""
        line = f"{line}{joint}{item}" if line else item
    lines.append(line)
    return f"\n{indent}".join(lines)
