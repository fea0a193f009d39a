"""Files that are whole or not there: the one place where dalembert writes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dalembert.errors import DalembertError

#: The name that means standard output to commands that write text.
STANDARD_OUTPUT = "-"


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when it is complete: written beside its place, then renamed.

    A link is followed: what it names is replaced, not the link. What is no file (device, pipe, folder, a link to
    itself) is refused, and so are the names of open files (/dev/stdout): to replace what a shell has redirected loses
    what others have written to it. `-` is for commands that write text to standard output.
    """
    target = Path(os.path.realpath(path))
    if os.fspath(path) == STANDARD_OUTPUT:
        raise DalembertError("cannot write -: what is written here is no text for standard output. Give it a name.")
    if target.is_symlink() or (target.exists() and not target.is_file()) or _names_an_open_file(path):
        raise DalembertError(f"cannot write {path}: it is no regular file. Choose another place.")
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a reboot may keep the name and lose the bytes
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except OSError as error:
        raise DalembertError(f"cannot write {target}: {error.strerror or error}. Choose another place.") from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _names_an_open_file(path: str | os.PathLike[str]) -> bool:
    """Whether the name, or one on the way of its links, stands among devices or in the folders of processes."""
    name = os.fspath(path)
    for _ in range(40):  # as many links as Linux follows; circles are refused above
        parent = os.path.realpath(os.path.dirname(name) or os.curdir)
        if parent == "/dev" or f"{parent}/".startswith("/proc/"):
            return True
        if not os.path.islink(name):
            return False
        name = os.path.join(parent, os.readlink(name))
    return False


def check_suffix(path: str | os.PathLike[str], suffixes: Collection[str], what: str) -> None:
    """Refuse a name that promises another kind of file; a name without a suffix promises nothing."""
    found = Path(path).suffix.lower()
    if found and found not in suffixes:
        raise DalembertError(f"cannot write {path}: {what}, so its name ends in {' or '.join(suffixes)}.")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """A whole text file."""
    with written_whole(path) as file:
        file.write(text.encode("utf-8"))


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder with those above it, made where it is missing."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if folder.is_file() else error.strerror or str(error)
        raise DalembertError(f"cannot make the folder {folder}: {why}. Choose another place.") from error
    return folder
