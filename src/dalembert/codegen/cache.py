"""Object code kept on disk, found again by the content it was made from.

An entry is a digest of its name and bytes followed by the bytes, so a damaged file is noticed and made again. The
digest is keyed by a secret of the folder, and the folder must be the user's own and closed to others' writing: what is
loaded as machine code was written by this user. Entries are written aside and moved into place in one step: processes
that compile the same thing at once do each other no harm.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dalembert.errors import DalembertError
from dalembert.files import written_whole

_DIGEST = 32
#: Bytes of object code kept; the entries unused for longest leave first.
LARGEST = 512 * 2**20


def directory() -> Path | None:
    """Where entries live: $DALEMBERT_CACHE, or the user's cache directory; None when the variable is set empty."""
    chosen = os.environ.get("DALEMBERT_CACHE")
    if chosen is not None:
        return Path(chosen).expanduser() if chosen.strip() else None
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "dalembert"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dalembert"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "dalembert" / "Cache"
    return Path.home() / ".cache" / "dalembert"


def remember(key: str, make: Callable[[], bytes]) -> bytes:
    """The bytes made from `key`, from disk when they are there and whole; a cache that fails is only slower."""
    folder = directory()
    secret = None if folder is None else _secret(folder)
    if folder is None or secret is None:
        return make()
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.o"
    known = _read(path, secret)
    if known is not None:
        return known
    code = make()
    with suppress(OSError, DalembertError):
        with written_whole(path) as file:
            file.write(_digest(path, secret, code) + code)
        if path.name.startswith("0"):  # a walk through thousands of entries is for one in sixteen of them
            _trim(folder)
    return code


def forget(key: str) -> None:
    """Drop what was made from `key`."""
    if (folder := directory()) is not None:
        with suppress(OSError):
            (folder / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.o").unlink()


def _secret(folder: Path) -> bytes | None:
    """The key of a folder's digests; None where the folder cannot be trusted, or not be written."""
    path = folder / "key"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _ours(folder):
            return None
        if not path.exists():
            with written_whole(path) as file:
                file.write(secrets.token_bytes(_DIGEST))
            path.chmod(0o600)
        found = path.read_bytes()
        return found if _ours(path) and len(found) == _DIGEST else None
    except (OSError, DalembertError):
        return None


def _ours(path: Path) -> bool:
    """Whether this user owns it and nobody else may write it, where the system tells."""
    status = path.stat()
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _digest(path: Path, secret: bytes, code: bytes) -> bytes:
    return hmac.digest(secret, path.name.encode() + code, "sha256")


def _read(path: Path, secret: bytes) -> bytes | None:
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    digest, code = stored[:_DIGEST], stored[_DIGEST:]
    if not hmac.compare_digest(_digest(path, secret, code), digest):
        return None
    with suppress(OSError):
        os.utime(path)
    return code


def _trim(folder: Path) -> None:
    """Drop the entries unused for longest when the whole grows too large."""
    entries = []
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith(".o"):
                with suppress(OSError):
                    status = entry.stat()
                    entries.append((status.st_mtime, status.st_size, Path(entry.path)))
    excess = sum(size for _, size, _ in entries) - LARGEST
    for _, size, path in sorted(entries):
        if excess <= 0:
            return
        with suppress(OSError):
            path.unlink()
            excess -= size


def clear() -> int:
    """Delete every entry; returns how many there were."""
    folder = directory()
    count = 0
    for path in folder.glob("*.o") if folder is not None and folder.is_dir() else ():
        with suppress(OSError):
            path.unlink()
            count += 1
    return count
