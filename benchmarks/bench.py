"""All benchmarks with their peers in one run, on one page with tables and pictures: `make bench`.

    python benchmarks/bench.py [--out out/bench] [--only TITLE ...] [--quick]

Each chapter is a script that tells rows (`rows.tell`); the page is written again after each, so that an interruption
keeps what was measured. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from page import write_page
from rows import read, tell

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Chapter:
    """A script with its arguments, and shorter ones for a quick look."""

    title: str
    script: str
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    minutes: int = 15


CHAPTERS = (
    Chapter("antenna", "closed.py", ("antenna",), ("antenna", "2", "3")),
    Chapter("scissor lift", "closed.py", ("scissors",), ("scissors", "5", "10")),
    Chapter("row of four-bars", "closed.py", ("row",), ("row", "10", "20")),
    Chapter("closed chain", "closed.py", ("ring",), ("ring", "10", "20")),
    Chapter("closed machines at equal error", "closed.py", ("equal",), ("equal", "row", "10")),
    Chapter("derivatives", "native/derivatives.py", (), ("2", "7", "12")),
    Chapter("batches", "native/forward.py", ("--sizes", "7", "100"), ("--sizes", "7", "--batch", "1000", "10000")),
    Chapter("compile times, chain end to end", "native/compile_time.py", (), ("10000",)),
    Chapter("ensemble", "ensemble.py", (), ("--count", "1000")),
    Chapter("work and precision", "work_precision.py", (), ("Kepler", "top")),
)


def machine() -> dict[str, object]:
    """The processor and what runs on it; no name of a host."""
    model = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        named = [
            line.partition(":")[2].strip() for line in cpu.read_text().splitlines() if line.startswith("model name")
        ]
        model = named[0] if named else model
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": model,
        "cores": cores,
        "system": platform.system(),
        "Python": platform.python_version(),
        "load at the start": round(load, 1),
        "date": time.strftime("%Y-%m-%d"),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out/bench"))
    parser.add_argument("--only", nargs="*", default=[], help="titles of chapters")
    parser.add_argument("--quick", action="store_true", help="small sizes, a few minutes in all")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows = chosen.out / "rows.jsonl"
    rows.unlink(missing_ok=True)
    os.environ["DALEMBERT_ROWS"] = str(rows.resolve())
    tell("machine", **machine())
    page, failed = chosen.out / "index.html", 0
    try:
        for chapter in CHAPTERS:
            if chosen.only and chapter.title not in chosen.only:
                continue
            failed += not measured(chapter, chosen.quick)
            write_page(page, read(rows))
    finally:
        write_page(page, read(rows))
        print(f"the page: {page}", file=sys.stderr)
    return min(failed, 1)


def measured(chapter: Chapter, quick: bool) -> bool:
    """Run a chapter in a process of its own; what it told until a failure stays."""
    command = [sys.executable, str(HERE / chapter.script), *(chapter.quick if quick else chapter.arguments)]
    print(f"--- {chapter.title}", flush=True)
    try:
        done = subprocess.run(command, timeout=60 * chapter.minutes, check=False).returncode
    except subprocess.TimeoutExpired:
        tell("not finished", chapter=chapter.title, reason=f"more than {chapter.minutes} minutes")
        return False
    if done:
        tell("not finished", chapter=chapter.title, reason=f"ended with {done}")
    return done == 0


if __name__ == "__main__":
    sys.exit(main())
