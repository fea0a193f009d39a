"""The questions of a report, asked one by one: each has its time, and a fault in one is a sentence in its section."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

from dalembert import limits
from dalembert.errors import DalembertError, LimitError, ModelError, SimulationError
from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.presentation.lines import LEVELS
from dalembert.view.motion import Motion
from dalembert.view.report.blocks import Block, Note, Report, Section

Answer = tuple[list[Block], str]
"""The blocks of a section, and the answer in one sentence."""


@dataclass(frozen=True)
class Study:
    """A machine under study, and how closely it is looked at."""

    mechanism: Mechanism
    source: str | None = None  # the program that describes it, if there is one
    formalisms: Sequence[str] = ("kane",)
    levels: Sequence[str] = ("vector", "scalar")
    until: float = 10.0
    start: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    cut: Collection[str] = ()

    def __post_init__(self) -> None:
        wrong = [one for one in self.levels if one not in LEVELS]
        if wrong:
            raise ModelError(f"there is no level '{wrong[0]}': the levels are {', '.join(LEVELS)}.")
        if not 0 < self.until < float("inf"):
            raise ModelError(f"a report cannot simulate until t = {self.until:g}: give a positive, finite time.")

    @cached_property
    def model(self) -> Model:
        return self.mechanism.freeze()

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.mechanism, self.cut)

    @cached_property
    def motion(self) -> Motion | DalembertError:
        """The motion, or why there is none; what was computed before a fault counts."""
        import numpy as np

        from dalembert.simulate import simulate

        try:
            return simulate(
                self.mechanism,
                (0.0, self.until),
                start=self.start,
                given=self.given,
                cut=self.cut,
                t_eval=np.linspace(0.0, self.until, 301),
                dense_output=True,
                progress=False,
                kind=Motion,
            )
        except SimulationError as error:
            partial = error.partial
            return partial if isinstance(partial, Motion) and len(partial.t) > 1 else error
        except DalembertError as error:
            return error


def questions() -> dict[str, tuple[str, Callable[[Study], Answer]]]:
    """Key -> title, and what is asked; the order of the document."""
    from dalembert.view.report import described, moved, solved

    return {
        "description": ("Description", described.description),
        "structure": ("Structure", described.structure),
        "names": ("Names and numbers", described.names),
        "mobility": ("Freedoms", solved.mobility),
        "constraints": ("Loops and constraints", described.constraints),
        "equations": ("Equations of motion", solved.equations),
        "equilibria": ("Equilibria and small motions", solved.equilibria),
        "motion": ("Motion", moved.motion),
        "contacts": ("Contacts", moved.contacts),
        "reactions": ("Reactions", moved.reactions),
        "quality": ("Quality of the numbers", moved.quality),
        "code": ("Size of the code", solved.code),
    }


def make_report(study: Study, *, seconds: float = 60.0, progress: bool = False) -> Report:
    """Ask every question; each may take `seconds`."""
    sections = []
    for key, (title, _) in questions().items():
        if progress:
            print(f"\r{title.lower()} ...{' ' * 30}", end="", file=sys.stderr, flush=True)
        sections.append(ask_section(study, key, seconds=seconds))
    if progress:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
    return Report(study.model.name, f"dalembert {version('dalembert')}", tuple(sections))


def ask_section(study: Study, key: str, *, seconds: float = 60.0) -> Section:
    """One section; whatever goes wrong in it is said in it."""
    if key not in questions():
        raise ModelError(f"a report has no section '{key}': it has {', '.join(questions())}.")
    title, question = questions()[key]
    with _heard() as said:
        try:
            with limits.working(title.lower(), seconds=seconds):
                blocks, gist = question(study)
        except LimitError:
            blocks = [
                Note(f"This part would take longer than {seconds:g} s, or too much memory; `seconds` allows more.")
            ]
            gist = ""
        except DalembertError as error:
            blocks, gist = [Note(_sentence(error))], ""
        except Exception as error:  # a reader of a report cannot do anything with a traceback
            blocks = [Note(f"This part failed with {type(error).__name__}: {error}. That is a fault of dalembert.")]
            gist = ""
    notes = [Note(text) for text in dict.fromkeys(said)]
    return Section(key, title, (*blocks, *notes), gist)


def _sentence(error: DalembertError) -> str:
    text = " ".join(str(error).split())
    return text[:1].upper() + text[1:]


@contextmanager
def _heard() -> Iterator[list[str]]:
    """Warnings as sentences."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            yield said
        finally:
            said += [str(one.message) for one in seen if issubclass(one.category, UserWarning)]
