"""Equations on paper: words of a mechanism, statements in them, and their text, LaTeX and MathML.

A level is closed: every name that its lines use is defined in it. What a formalism states stands beside its derivation,
in `formalisms`; here is what the statements are made of. Names are fetched when they are asked for: records of a
description print with `presentation.records` before anything is derived.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.presentation.breaking import COLUMN, PAGE
    from dalembert.presentation.lines import LEVELS, Line, Statement, definition, equation, plain
    from dalembert.presentation.notation import Notation
    from dalembert.presentation.statements import Statements
    from dalembert.presentation.vocabulary import NOTHING, Vocabulary

_ROOMS = {
    "breaking": ("COLUMN", "PAGE"),
    "lines": ("LEVELS", "Line", "Statement", "definition", "equation", "plain"),
    "notation": ("Notation",),
    "statements": ("Statements",),
    "vocabulary": ("NOTHING", "Vocabulary"),
}


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{room}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
