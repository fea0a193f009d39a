"""What a worker answers: plain data in, plain data out. A fault is a sentence in the answer, never a dead worker."""

from __future__ import annotations

import signal
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert import lsd
from dalembert.editor.analysis import Analysis, analyse, completions, hover
from dalembert.errors import DalembertError, LsdError, ModelError, SimulationError
from dalembert.mechanism import EARTH, Layout, Turn
from dalembert.model import Mechanism
from dalembert.studio import artefacts
from dalembert.studio.questions import understood
from dalembert.view.motion import Motion
from dalembert.view.report import Study
from dalembert.view.report.described import joint_words
from dalembert.view.report.html import block_html, line_html
from dalembert.view.report.study import ask_section
from dalembert.view.scene import scene_of

Told = Callable[[str], None]
"""Says how far a job is."""

MOST_LINES = 30
"""Definitions that are set at once; a reader who wants more asks for more."""
MOST_OPERATIONS = 6000
"""Operations up to which formulas of an edit are set by themselves."""
MOST_BODIES = 300
"""Bodies up to which an edit is followed by itself; larger machines wait to be asked."""
POINTS = 600
"""Points of a curve: as many as a screen shows."""


@dataclass
class Bench:
    """One program on the bench: read once, moved many times."""

    text: str
    name: str
    folder: Path | None

    @cached_property
    def analysis(self) -> Analysis:
        return analyse(self.text, self.name, self.folder)

    @cached_property
    def mechanism(self) -> Mechanism:
        found = Mechanism(Path(self.name).stem)
        lsd.loads(lsd.Source(self.text, self.name, self.folder), found)
        if not found.links:
            raise ModelError("this program declares no machine yet: it joins nothing.")
        return found

    @cached_property
    def made(self) -> dict[Any, Any]:
        """Equations and formulas of this structure, also of programs before that differ in their numbers only."""
        structure = self.mechanism.freeze().structure
        found = _made.setdefault(structure, {})
        _made.move_to_end(structure)
        while len(_made) > _MOST_MADE:
            _made.popitem(last=False)
        return found

    def equations(self, formalism: str) -> Any:
        if formalism not in self.made:
            self.made[formalism] = self.mechanism.equations(formalism)
        return self.made[formalism]


_made: OrderedDict[tuple[Any, ...], dict[Any, Any]] = OrderedDict()
_MOST_MADE = 4
"""Structures whose formulas are remembered: a few steps of undo."""


_bench = Bench("", "", None)


def bench_of(text: str, name: str, folder: str | None) -> Bench:
    """The bench with this program; the one before is cleared."""
    global _bench
    place = None if folder is None else Path(folder)
    if (_bench.text, _bench.name, _bench.folder) != (text, name, place):
        _bench = Bench(text, name, place)
    return _bench


# --- while typing ----------------------------------------------------------------------------------------------


def check(bench: Bench, told: Told) -> dict[str, Any]:
    """Faults with their places, and what the machine is made of."""
    found = bench.analysis
    units = _Units(bench.text)
    faults = [
        {
            "from": units(one.span[0]),
            "to": units(max(one.span[1], one.span[0] + 1)),
            "line": one.line,
            "severity": one.severity,
            "message": one.message,
            "hint": one.hint or "",
        }
        for one in found.diagnostics[:200]
    ]
    answer: dict[str, Any] = {"faults": faults, "right": not found.checked.report.failed}
    if not answer["right"]:
        return answer
    try:
        return answer | _machine(bench)
    except LsdError:  # a library: right, but no machine
        return answer | {"machine": None}
    except DalembertError as error:
        return answer | {"machine": None, "why": str(error)}


def _machine(bench: Bench) -> dict[str, Any]:
    """Numbers with their names, and the tree of bodies."""
    m = bench.mechanism
    layout = Layout.of(m)
    children: dict[int, list[Any]] = {}
    for one in layout.tree:
        children.setdefault(one.parent, []).append(one)
    tree: list[dict[str, Any]] = [{"body": EARTH, "depth": 0, "link": "", "joint": "", "coordinates": []}]
    waiting = [(one, 1) for one in reversed(children.get(0, []))]
    while waiting:  # rows with a depth, not records in records: a chain may have ten thousand bodies
        one, depth = waiting.pop()
        link = one.link
        tree.append(
            {
                "body": layout.bodies[one.child].name,
                "depth": depth,
                "link": link.name,
                "joint": joint_words(link.joint),
                "coordinates": list(link.coordinates),
            }
        )
        waiting += [(x, depth + 1) for x in reversed(children.get(one.child, []))]
    state, turning = layout.state, _turning(m)
    return {
        "machine": {
            "name": m.name,
            "bodies": len(layout.bodies) - 1,
            "live": len(layout.bodies) - 1 <= MOST_BODIES,
            "tree": tree,
            "closing": [{"link": c.link.name, "joint": joint_words(c.link.joint)} for c in layout.cuts],
            "parameters": [{"name": x, "value": _number(m.given.get(x))} for x in m.parameters()],
            "start": [
                {"name": x, "value": _number(m.start.get(x, 0.0)), "angle": _is_angle(x, turning)}
                for x in (*state.coordinates, *state.speeds)
            ],
            "contacts": [one.name for one in layout.model.contacts],
            "constraints": [one.name for one in layout.further],
        }
    }


def _turning(mechanism: Mechanism) -> dict[str, bool]:
    """Whether each coordinate of a link turns something."""
    found: dict[str, bool] = {}
    for link in mechanism.links.values():
        turns = [t for step in link.joint.steps for t in step.displacement.turns]
        used = ex.free_symbols([t.angle for t in turns if isinstance(t, Turn)])
        found |= {x: ex.symbol(own) in used for x, own in zip(link.coordinates, link.joint.parameters, strict=True)}
    return found


def _is_angle(name: str, turning: Mapping[str, bool]) -> bool:
    return turning.get(name, name.rpartition(".")[2].rstrip("'") in ("th", "ps", "ph", "al", "be"))


def _number(value: Any) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(ex.evaluate([ex.as_expr(value)], {})[0]) if value is not None else None
    except (DalembertError, TypeError, ValueError):
        return None


def complete(bench: Bench, told: Told, at: int) -> dict[str, Any]:
    """Names that make sense at a place, which is counted as browsers do."""
    offset = _Units(bench.text).back(at)
    return {
        "items": [{"label": c.label, "kind": c.kind, "detail": c.detail} for c in completions(bench.analysis, offset)]
    }


def explain(bench: Bench, told: Told, at: int) -> dict[str, Any]:
    """Type and meaning of what is under the pointer."""
    return {"text": hover(bench.analysis, _Units(bench.text).back(at)) or ""}


class _Units:
    """Browsers count letters of two units as two."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.wide = any(c > "\uffff" for c in text)

    def __call__(self, offset: int) -> int:
        return len(self.text[:offset].encode("utf-16-le")) // 2 if self.wide else offset

    def back(self, units: int) -> int:
        if not self.wide:
            return units
        return len(self.text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))


# --- the moving picture ----------------------------------------------------------------------------------------------


def motion(
    bench: Bench,
    told: Told,
    until: float = 10.0,
    given: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    curves: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The scene of the motion, and curves of formulas; a machine that cannot move is shown as it stands."""
    m = bench.mechanism
    given, start = dict(given or {}), dict(start or {})
    told("simulating")
    try:
        mo, why = moved(bench, until, given, start), ""
    except DalembertError as error:
        return {"scene": _posture(m, given, start), "still": True, "why": str(error), "curves": {}, "t": []}
    if not mo.success:
        why = mo.message
    told("drawing")
    times = np.linspace(mo.t[0], mo.t[-1], POINTS) if mo.sol is not None else mo.t
    seen = mo.at(times) if mo.sol is not None else mo
    lines, faults = {}, {}
    for name in curves[:12]:
        try:
            lines[name] = [None if np.isnan(x) else float(f"{x:.6g}") for x in seen[name]]
        except DalembertError as error:
            faults[name] = str(error)
    return {
        "scene": scene_of(motion=mo, columns=()).as_dict(),
        "still": False,
        "why": why,
        "t": [float(f"{t:.7g}") for t in seen.t],
        "curves": lines,
        "faults": faults,
        "said": f"{mo.method}, {mo.accepted} steps" + (f", {len(mo.jumps)} jumps" if mo.jumps else ""),
    }


def moved(bench: Bench, until: float, given: dict[str, float], start: dict[str, float]) -> Motion:
    """The motion; what was computed before a fault counts."""
    if not 0 < until <= 1e9:
        raise SimulationError(f"a motion until t = {until:g} cannot be shown: give a positive time.")
    try:
        return bench.mechanism.simulate((0.0, until), given=given, start=start, dense_output=True, progress=False)
    except SimulationError as error:
        if isinstance(error.partial, Motion) and len(error.partial.t) > 1:
            return error.partial
        raise


def _posture(m: Mechanism, given: Mapping[str, float], start: Mapping[str, float]) -> Any:
    try:
        return scene_of(m, at=start, given=given).as_dict()
    except DalembertError:
        return None


# --- formulas and answers ------------------------------------------------------------------------------------------


def equations(
    bench: Bench,
    told: Told,
    formalism: str = "kane",
    level: str = "scalar",
    lines: int = MOST_LINES,
    asked: bool = False,
) -> dict[str, Any]:
    """The equations as MathML, the first definitions with them; those of large machines in vectors until asked."""
    eq = bench.equations(formalism)
    why = ""
    if eq.operations > MOST_OPERATIONS and level != "vector" and not asked:
        why = f"{eq.operations} operations: too many for the {level} level after each edit. This is the vector level."
        level = "vector"
    key = (formalism, level)
    if key not in bench.made:
        told("setting formulas")
        bench.made[key] = eq.show(level)
    shown = bench.made[key]
    parts = ["".join(line_html(one) for one in shown.lines[: max(lines, 20)])]
    rest = shown.formulas[:lines]
    if rest:
        parts.append('<p class="where">where</p>' + "".join(line_html(one) for one in rest))
    hidden = len(shown.lines) + len(shown.formulas) - len(shown.lines[: max(lines, 20)]) - len(rest)
    return {"html": "".join(parts), "title": shown.title, "hidden": hidden, "operations": eq.operations, "why": why}


def section(
    bench: Bench,
    told: Told,
    key: str,
    until: float = 10.0,
    given: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """A section of the report, by itself."""
    told("asking")
    study = Study(bench.mechanism, bench.text, until=until, start=dict(start or {}), given=dict(given or {}))
    found = ask_section(study, key, seconds=600.0)
    return {"html": "".join(block_html(one) for one in found.blocks), "gist": found.gist, "title": found.title}


def export(
    bench: Bench,
    told: Told,
    kind: str,
    until: float = 10.0,
    given: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    formalism: str = "kane",
    level: str = "scalar",
) -> dict[str, Any]:
    """A file to take away."""
    asked = artefacts.Asked(bench.mechanism, bench.text, until, dict(given or {}), dict(start or {}), formalism, level)
    name, data = artefacts.make(kind, asked, told)
    return {"name": name, "data": data}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "check": check,
    "complete": complete,
    "explain": explain,
    "motion": motion,
    "equations": equations,
    "section": section,
    "export": export,
}


def work(pipe: Connection) -> None:
    """The life of a worker: jobs from the pipe, answers into it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers
    warnings.simplefilter("ignore")
    while True:
        try:
            job, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(("done", answer(job, arguments, lambda text: pipe.send(("told", text)))))


def answer(job: str, arguments: dict[str, Any], told: Told = lambda text: None) -> dict[str, Any]:
    """One answer; every fault is a sentence."""
    try:
        words = dict(arguments)
        program = [words.pop(name, kept) for name, kept in (("text", ""), ("name", "machine.lsd"), ("folder", None))]
        if job not in JOBS or not understood(JOBS[job], program, words):
            return {"error": "there is no such question."}
        return JOBS[job](bench_of(*program), told, **words)
    except DalembertError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "this needs more memory than there is: make the machine smaller."}
    except RecursionError:
        return {"error": "this is nested too deeply to be read."}
    except Exception as error:  # a fault of ours must not take the page down
        return {"error": f"{type(error).__name__}: {error}. This is a fault of dalembert; your text is safe."}
