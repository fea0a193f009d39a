"""The tree of errors: every message says what, where, why and what to do."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

#: Our own files, and the one through which decorators of ours call.
_HOME = (str(Path(__file__).parent), contextlib.__file__)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something at the line outside of this package that asked for it: its user's own."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOME):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class DalembertError(Exception):
    """Root of every error that dalembert raises on purpose; `about` names what is at fault, where it is known."""

    about: tuple[str, ...] = ()

    def of(self, names: Iterable[str]) -> Self:
        """The same error, that knows whose it is."""
        self.about = tuple(names)
        return self


class ArgumentError(DalembertError, TypeError):
    """A verb does not take an argument of this name or kind; the message says what it takes."""


class ModelError(DalembertError):
    """The description of a mechanism is wrong; the message names the body, link or effort."""


class ExpressionError(DalembertError):
    """A formula is ill-formed, or an operation on expressions has no meaning."""


class LimitError(DalembertError):
    """A computation was stopped because it took too long or grew too large; the message names it and the remedy."""


class SingularError(DalembertError):
    """A matrix or a chart is singular; the message names the coordinates and the configuration."""


class CouplingError(DalembertError):
    """A servo constraint acts where it has no hold on what it should control; of a motion, `partial` is what was."""

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class SimulationError(DalembertError):
    """An integration stopped early: time, state and remedy; what was computed is in `partial`.

    `vanished`: the expression whose zero has stopped it, where that is known.
    """

    def __init__(self, message: str, *, partial: Any = None, vanished: Any = None) -> None:
        super().__init__(message)
        self.partial, self.vanished = partial, vanished


class ContactError(SimulationError):
    """Contacts ask for what no motion has, or a law of impact does not hold; the message names the contacts."""


class LsdError(DalembertError):
    """A fault in an LSD program, with its place, a caret picture and a hint.

    `diagnostics` lists every fault found in one run; the text of the error shows them all.
    """

    def __init__(self, message: str, *, diagnostics: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
