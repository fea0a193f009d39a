"""Names of a model: what may be one, which are taken, and how they are asked for.

Bodies and frames share their names (`tip.X`), so do links, efforts and constraints (`elbow.th`); a link may
be called after a body. What belongs to a part of the machine is called after it, `left.knee`, and one of many by its
number, `rod[3]`: what stands after the last point of `left.knee.th` is asked of what stands before it.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Container, Iterable, Mapping

from dalembert.errors import ModelError

#: Outputs of the whole machine begin with this name.
TOTAL = "total"
#: Asked of a body or frame: position and velocity in the base of earth, rotation, angular velocity.
POSITION = ("X", "Y", "Z")
FRAME_OUTPUTS = frozenset((*POSITION, "WX", "WY", "WZ", *(f"R{i}{j}" for i in "123" for j in "123")))
#: Asked of a link: the reaction on its second body.
LINK_OUTPUTS = frozenset(("Mx", "My", "Mz", "Fx", "Fy", "Fz"))


#: Characters of tables, files of numbers and strings of other languages: no name can hold them.
_FORBIDDEN = '"`\\=,;'
#: Lines of Fortran end after 132 characters, and a name must stand in one.
_LONGEST = 100


def flaw_of(name: str) -> str:
    """Why a name could not be written into code, tables and files of numbers, in words; nothing if it can."""
    wrong = next((c for c in name if c in _FORBIDDEN or unicodedata.category(c)[0] in "CZ"), None)
    if wrong is not None:
        return f"it holds the character {wrong!r}: use letters, digits and '_'"
    if name.startswith("#"):
        return "it would begin a comment in a file of numbers"
    return f"it is longer than {_LONGEST} characters" if len(name) > _LONGEST else ""


def check_name(name: str, kind: str, taken: Mapping[str, str], where: str) -> None:
    """Refuse what cannot be the name of a `kind`, and what is one already (`taken` tells of what)."""
    if not isinstance(name, str) or not all(name.split(".")) or any(c.isspace() or c == "'" for c in name):
        raise ModelError(f"{name!r} cannot name a {kind}: use letters, digits and '_'.")
    if flaw_of(name):
        raise ModelError(f"{name[:_LONGEST]!r} cannot name a {kind}: {flaw_of(name)}.")
    if name == TOTAL:
        raise ModelError(f"'{TOTAL}' cannot name a {kind}: it stands for the whole machine, as in '{TOTAL}.T'.")
    if name in taken:
        if taken[name] == kind:
            raise ModelError(f"the {kind} name '{name}' is used twice in '{where}'. Give one of them another name.")
        raise ModelError(
            f"'{name}' is a {taken[name]} of '{where}' already, so that no {kind} can have this name: "
            f"what does '{name}.{_EXAMPLE.get(kind, 'x')}' mean? Give one of them another name."
        )


_EXAMPLE = {"body": "X", "frame": "X", "link": "Fx", "constraint": "power"}


def free_name(stem: str, taken: Container[str], first: str | None = None) -> str:
    """`stem_1`, or the first number after it that nobody has; `first` is tried before them."""
    name, count = first or f"{stem}_1", 1
    while name in taken or name == TOTAL:
        count += 1
        name = f"{stem}_{count}"
    return name


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or nothing."""
    near = nearest(name, known)
    return "" if near is None else f" Did you mean '{near}'?"


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that was perhaps meant: in other letters, the same speed spelled otherwise, or much alike.

    Who asks for the rate `f.x'` does not mean the coordinate `f.x`, but perhaps `f.vx`.
    """
    coordinate, rate = name.rstrip("'"), _rate(name)
    names = [other for other in known if other == name or other != coordinate]
    same = [x for x in names if x.lower() == name.lower()] or [x for x in names if rate and _rate(x) == rate]
    return next(iter(same or difflib.get_close_matches(name, names, n=1, cutoff=cutoff)), None)


def _rate(name: str) -> tuple[str, str] | None:
    """Whose speed a name is, and along what: that of `f.x'` and `f.vx` is x."""
    owner, _, own = name.rpartition(".")
    bare = own.removesuffix("'") if own.endswith("'") else own.removeprefix("v")
    return (owner, bare) if bare not in ("", own) else None
