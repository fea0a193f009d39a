"""Names of a machine as identifiers of a language: each allowed there, and used once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

#: Longest identifier: Fortran allows 63 signs, and counters come to it.
_LONGEST = 48


class Identifiers:
    """`elbow.th'` becomes `elbow_th_dot`; names that are taken or foreign to the language get a mark.

    >>> names = Identifiers(["if"])
    >>> [names.make(x) for x in ("elbow.th'", "elbow_th'", "if", "3d")]
    ['elbow_th_dot', 'elbow_th_dot_2', 'if_2', 'x3d']
    """

    def __init__(
        self,
        taken: Iterable[str] = (),
        *,
        fold: Callable[[str], str] = str,
        foreign: Callable[[str], object] = lambda name: None,
        joint: str = "_",
    ) -> None:
        self.fold, self.foreign, self.joint = fold, foreign, joint
        self.taken = {fold(x) for x in taken}

    def make(self, wish: str) -> str:
        bare = wish.rstrip("'")
        dots = len(wish) - len(bare)
        text = re.sub(r"[\W_]+" if self.joint != "_" else r"\W+", "_", bare, flags=re.ASCII).strip("_") or "x"
        text += f"_{'d' * min(dots, 2)}ot" if dots else ""
        text = text.replace("_", self.joint)
        if text[0].isdigit() or self.foreign(text):
            text = f"x{text}"
        text = text[:_LONGEST]
        name, count = text, 1
        while self.fold(name) in self.taken:
            count += 1
            name = f"{text}{self.joint}{count}"
        self.taken.add(self.fold(name))
        return name
