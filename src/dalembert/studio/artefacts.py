"""Files that a page hands out: programs, code, motions, reports, and the whole machine as one page to share."""

from __future__ import annotations

import io
import json
import re
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from dalembert.errors import DalembertError
from dalembert.view.report import Study, make_report, write_report

KINDS: dict[str, tuple[str, str]] = {
    "share": (".html", "One page to share: program, report, animation; the studio opens it again"),
    "report-html": (".html", "Report"),
    "report-pdf": (".pdf", "Report, to print"),
    "report-tex": (".tex.zip", "Report in LaTeX"),
    "animation": (".html", "Animation"),
    "csv": (".csv", "Motion as a table"),
    "json": (".json", "Motion as JSON"),
    "npz": (".npz", "Motion, whole"),
    "plot": (".svg", "Curves of the motion"),
    "lsd": (".lsd", "Program"),
    "names": (".txt", "Table of names"),
    "equations-txt": (".txt", "Equations as text"),
    "equations-tex": (".tex", "Equations in LaTeX"),
    "equations-html": (".html", "Equations as a page"),
    "equations-json": (".json", "Equations as JSON"),
    "c": (".c", "Functions in C"),
    "fortran": (".f90", "Functions in Fortran"),
    "python": (".py", "Functions in Python"),
    "matlab": (".m", "Functions in MATLAB"),
    "rust": (".rs", "Functions in Rust"),
    "julia": (".jl", "Functions in Julia"),
    "javascript": (".js", "Functions in JavaScript"),
    "program-c": (".zip", "Complete program in C"),
    "program-fortran": (".zip", "Complete program in Fortran"),
    "fmi2": (".fmu", "Unit for FMI 2"),
    "fmi3": (".fmu", "Unit for FMI 3"),
}
"""Kind -> suffix, and what it is."""

_SOURCE = "dalembert-program"


@dataclass(frozen=True, slots=True)
class Asked:
    """The machine, and how it is set up on the page."""

    mechanism: Any
    text: str
    until: float
    given: dict[str, float]
    start: dict[str, float]
    formalism: str
    level: str

    def motion(self) -> Any:
        return self.mechanism.simulate(
            (0.0, self.until), given=self.given, start=self.start, dense_output=True, progress=False
        )

    def report(self) -> Any:
        study = Study(
            self.mechanism, self.text, (self.formalism,), ("vector", self.level), self.until, self.start, self.given
        )
        return make_report(study, seconds=30.0)


def make(kind: str, asked: Asked, told: Callable[[str], None]) -> tuple[str, bytes]:
    """Name and bytes of a file."""
    if kind not in KINDS:
        raise DalembertError(f"the studio makes no '{kind[:40]}'.")
    told(KINDS[kind][1].partition(":")[0].lower())
    stem = re.sub(r"[^\w-]", "_", asked.mechanism.name) or "machine"
    return f"{stem}{KINDS[kind][0]}", _bytes(kind, asked, stem)


def _bytes(kind: str, asked: Asked, stem: str) -> bytes:
    family, _, flavour = kind.partition("-")
    if kind == "lsd":
        return asked.text.encode()
    if kind == "share":
        return shared(asked.report().html(), asked.text).encode()
    if family == "report":
        return _report(asked, flavour, stem)
    if family == "equations":
        return _equations(asked, flavour)
    if kind == "names":
        from dalembert import lsd

        return f"{lsd.names(asked.mechanism)}\n".encode()
    if kind in ("animation", "csv", "json", "npz", "plot"):
        return _motion(asked, kind)
    if family == "program":
        from dalembert.codegen import write_program

        return _zipped(
            {
                k: v.encode()
                for k, v in write_program(asked.mechanism, flavour, start=asked.start, given=asked.given).items()
            }
        )
    if kind in ("fmi2", "fmi3"):
        from dalembert.codegen import export_fmu

        version = "2.0" if kind == "fmi2" else "3.0"
        with tempfile.TemporaryDirectory() as folder:
            path = export_fmu(
                asked.mechanism, Path(folder) / f"{stem}.fmu", version, start=asked.start, given=asked.given
            )
            return Path(path).read_bytes()
    from dalembert.codegen import write_model

    return write_model(asked.mechanism, kind).encode()


def _report(asked: Asked, flavour: str, stem: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        paths = write_report(asked.report(), Path(folder) / f"{stem}.{flavour}")
        if flavour == "tex":
            return _zipped({path.name: path.read_bytes() for path in paths})
        return paths[0].read_bytes()


def _equations(asked: Asked, flavour: str) -> bytes:
    found = asked.mechanism.equations(asked.formalism)
    shown = found.show(asked.level)
    if flavour == "json":
        return json.dumps(found.as_dict() | {"shown": shown.as_dict()}, ensure_ascii=False, indent=1).encode()
    if flavour == "html":
        return f'<!doctype html><html lang="en"><meta charset="utf-8"><body>{shown.html()}</body></html>'.encode()
    return (shown.latex() if flavour == "tex" else f"{shown}\n").encode()


def _motion(asked: Asked, kind: str) -> bytes:
    mo = asked.motion()
    if kind == "json":
        return json.dumps(mo.as_dict()).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / {"animation": "m.html", "csv": "m.csv", "npz": "m.npz", "plot": "m.svg"}[kind]
        if kind == "animation":
            mo.animate(path)
        elif kind == "csv":
            mo.to_csv(path)
        elif kind == "npz":
            mo.save(path)
        else:
            import matplotlib

            matplotlib.use("Agg")
            mo.plot().savefig(path)
        return path.read_bytes()


def _zipped(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def shared(page: str, text: str) -> str:
    """A report that carries its program."""
    from html import escape

    return page.replace("</main>", f'</main><template id="{_SOURCE}">{escape(text)}</template>', 1)


def program_in(page: str) -> str | None:
    """The program that a shared page carries."""
    found = re.search(rf'<template id="{_SOURCE}">(.*?)</template>', page, re.DOTALL)
    return unescape(found[1]) if found else None
