"""Pin what development needs, with the hashes of the files: `python benchmarks/lock.py` (`make lock`).

pip resolves the project with its `dev` extra as if nothing were installed, and tells in a report what it would take.
`pip install --require-hashes -r requirements-dev.lock` then installs these files and no others. `--check` resolves
nothing: it compares what is installed with the lock, and every installed file with the hash that its wheel recorded.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"


def resolve() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        ask = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*ask, "--report", str(report), f"{ROOT}[dev]"], check=True)
        told = json.loads(report.read_text(encoding="utf-8"))["install"]
    lines = [
        "# Everything that `pip install -e .[dev]` brings, file by file. Made by `make lock`; for CPython 3.11, Linux."
    ]
    for one in sorted(told, key=lambda one: one["metadata"]["name"].lower()):
        hashes = one["download_info"].get("archive_info", {}).get("hashes", {})
        if "sha256" in hashes:
            pin = f"{plain(one['metadata']['name'])}=={one['metadata']['version']}"
            lines.append(f"{pin} --hash=sha256:{hashes['sha256']}")
    LOCK.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{LOCK.name}: {len(lines) - 1} packages")


def plain(name: str) -> str:
    """The name of a package as indices write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Version by package, as locked."""
    rows = re.findall(
        r"^([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$", LOCK.read_text(encoding="utf-8"), re.MULTILINE
    )
    return dict(rows)


def damaged(one: Distribution) -> list[str]:
    """Installed files that are not what their wheel recorded."""
    wrong = []
    for file in one.files or ():
        if file.hash is None or file.suffix == ".pyc" or not file.locate().exists():
            continue
        digest = hashlib.new(file.hash.mode, Path(str(file.locate())).read_bytes()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            wrong.append(str(file))
    return wrong


def check() -> int:
    locked, wrong, other = pins(), 0, 0
    for one in distributions():
        name = plain(one.metadata["Name"])
        if name in locked and locked[name] != one.version:
            other += 1
            print(f"{name} {one.version} is installed, {locked[name]} is locked")
        for file in damaged(one) if name in locked else ():
            wrong += 1
            print(f"{name}: {file} is not what was installed")
    print(f"{len(locked)} packages locked, {other} installed in another version, {wrong} files changed since")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv else resolve())
