"""Where `use` finds its file."""

from __future__ import annotations

import os
from pathlib import Path

from dalembert.lsd import library
from dalembert.lsd import syntax as s
from dalembert.lsd.checking import Context
from dalembert.lsd.scope import similar
from dalembert.lsd.source import LIBRARY, Source

#: Environment variable with folders, besides that of the program, whose files `use` may read.
ALLOWED = "DALEMBERT_USE"


def find_file(ctx: Context, item: s.Use, root: Path | None) -> Source | None:
    """The file beside the program, else the one of the standard library."""
    if not item.path.endswith(".lsd"):
        near = similar(f"{item.path}.lsd", list(library.files())) or 'write use "joints.lsd" ;'
        ctx.error(item.span, f'"{item.path}" is not an .lsd file', near)
        return None
    folder = ctx.source.folder
    path = None if folder is None and not Path(item.path).is_absolute() else (folder or Path()) / item.path
    if path is not None and not _inside(path, root):
        ctx.error(
            item.span,
            f'"{item.path}" leads out of the folder of this program',
            f"put the file beside the program, or name its folder in {ALLOWED}",
        )
        return None
    try:
        if path is not None and path.is_file():
            text = path.read_text(encoding="utf-8-sig")
            return Source(text, str(path), path.parent)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        ctx.error(item.span, f'cannot read "{item.path}": {error}')
        return None
    if item.path in library.files():
        return Source(library.files()[item.path], LIBRARY + item.path)
    hint = similar(item.path, list(library.files())) or f"the library has {', '.join(sorted(library.files()))}"
    ctx.error(item.span, f'there is no file "{item.path}"', hint)
    return None


def _inside(path: Path, root: Path | None) -> bool:
    """Whether a file lies in the folder of the program or in one that the user allows, links followed."""
    allowed = [Path(x) for x in os.environ.get(ALLOWED, "").split(os.pathsep) if x.strip()]
    roots = [os.path.realpath(x) for x in (*allowed, *([] if root is None else [root]))]
    return any(Path(os.path.realpath(path)).is_relative_to(x) for x in roots)


def key_of(source: Source) -> str:
    """What tells one file from another, however it was named."""
    return str(source.folder / Path(source.name).name) if source.folder else source.name
