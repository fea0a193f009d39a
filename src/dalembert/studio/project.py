"""The folder of a project: programs to read and save, drafts that survive a crash. Nothing leads out of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from dalembert.errors import DalembertError
from dalembert.files import write_text

SUFFIX = ".lsd"
MOST_FILES = 500
"""Programs that are listed: a menu of more cannot be read."""
MOST_DRAFTS = 200
"""Drafts that are kept; the oldest make room."""


class ProjectError(DalembertError):
    """A file that is not of the project, or cannot be read or written."""


class ConflictError(ProjectError):
    """The file has changed since it was opened; `text` and `version` are what is there now."""

    def __init__(self, name: str, text: str, version: str) -> None:
        super().__init__(f"'{name}' was saved by someone else since you opened it: compare before you save.")
        self.text, self.version = text, version


@dataclass(frozen=True, slots=True)
class Project:
    """A folder, and the file in it that is opened first."""

    root: Path
    first: str | None = None

    @staticmethod
    def of(path: Path | None) -> Project:
        """The project of a file, of a folder, or of the folder where we are."""
        place = (path or Path()).resolve()
        if place.is_dir():
            return Project(place)
        if place.suffix != SUFFIX or not place.parent.is_dir():
            raise ProjectError(f"{path} is neither a folder nor an {SUFFIX} file: say one, or nothing for this folder.")
        return Project(place.parent, place.name)

    def names(self) -> list[str]:
        """The programs of the folder and of the folders in it, hidden ones left out."""
        found: list[str] = []
        for path in sorted(self.root.rglob(f"*{SUFFIX}")):
            inside = path.relative_to(self.root)
            if not any(part.startswith(".") for part in inside.parts) and path.is_file():
                found.append(inside.as_posix())
            if len(found) >= MOST_FILES:
                break
        return found

    def place(self, name: str) -> Path:
        """Where a program is; a name that leads out of the folder is refused, also one that does so by a link."""
        wrong = not name or "\\" in name or "\0" in name or name.startswith("/") or len(name) > 240
        parts = name.split("/")
        if wrong or any(not part or part.startswith(".") or ":" in part for part in parts):
            raise ProjectError(f"{name[:80]!r} cannot name a file of the project.")
        if not name.endswith(SUFFIX):
            raise ProjectError(f"{name[:80]!r} does not end in {SUFFIX}: the studio reads and writes programs only.")
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root.resolve()):
            raise ProjectError(f"{name[:80]!r} leads out of the project.")
        return path

    def read(self, name: str) -> tuple[str, str]:
        """Text and version; a file that is not there is empty, and its version too."""
        path = self.place(name)
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise ProjectError(f"'{name}' cannot be read: {error}.") from error
        return text, version_of(text) if path.exists() else ""

    def save(self, name: str, text: str, version: str) -> str:
        """Write a program, unless it changed since the `version` that the writer knows."""
        path = self.place(name)
        there, now = self.read(name)
        if now != version and there != text:
            raise ConflictError(name, there, now)
        if not path.parent.is_dir():
            raise ProjectError(f"'{name}' is in a folder that is not there.")
        write_text(path, text)
        return version_of(text)

    # --- drafts ----------------------------------------------------------------------------------------------------

    @property
    def _drafts(self) -> Path:
        return self.root / ".dalembert" / "drafts"

    def _draft(self, name: str, tab: str) -> Path:
        return self._drafts / f"{hashlib.sha256(f'{name}/{tab}'.encode()).hexdigest()[:24]}.json"

    def keep_draft(self, name: str, tab: str, text: str, settings: dict[str, Any]) -> None:
        """What a page shows and has not saved."""
        self.place(name)
        self._drafts.mkdir(parents=True, exist_ok=True)
        held = {"name": name, "tab": tab, "text": text, "settings": settings, "time": time.time()}
        write_text(self._draft(name, tab), json.dumps(held))
        old = sorted(self._drafts.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-MOST_DRAFTS]
        for path in old:
            path.unlink(missing_ok=True)

    def drop_draft(self, name: str, tab: str) -> None:
        self._draft(name, tab).unlink(missing_ok=True)

    def drafts(self, name: str) -> list[dict[str, Any]]:
        """Drafts of a program by all pages, the newest first."""
        found = []
        for path in self._drafts.glob("*.json") if self._drafts.is_dir() else ():
            try:
                held = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue  # a draft that another program has damaged
            if isinstance(held, dict) and held.get("name") == name and isinstance(held.get("text"), str):
                found.append(held)
        return sorted(found, key=lambda held: -float(held.get("time", 0.0)))


def version_of(text: str) -> str:
    """What a text is recognised by."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def gallery() -> dict[str, Path]:
    """The examples by name: of the wheel, or of the folder that the package is developed in."""
    packed = Path(str(files("dalembert"))) / "examples"
    root = packed if packed.is_dir() else Path(__file__).parents[3] / "examples"
    return dict(_examples(root)) if root.is_dir() else {}


def _examples(root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob(f"*{SUFFIX}"), key=lambda p: (len(p.relative_to(root).parts), str(p))):
        yield path.relative_to(root).as_posix(), path


def story(text: str) -> str:
    """The comment above a program."""
    head = text.lstrip()
    return " ".join(head[2 : head.index("*)")].split()) if head.startswith("(*") and "*)" in head else ""
