"""Mutated robot files: each gives a model or a sentence, never a crash, a hang or a file from outside its folder.

    python benchmarks/audit_robots.py [COUNT] [SEED] [--seconds 20] [--workers 2] [--journal FILE]

Seeds are random machines in URDF, MJCF and SDF, the small files of installed robot packages, and JSON of machines; each
is changed in one to four places: bytes, numbers, names, elements moved, doubled, nested and taken from other files,
paths that lead outside. Python's audit hook sees every file that is opened.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "io")]

NUMBERS = (
    "1e400",
    "-1",
    "nan",
    "inf",
    "1e-320",
    "0",
    "9" * 400,
    "--1",
    "1_0",
    "1e308",
    "-0.0",
    "0x10",
    "",
    "1 2 3 4 5 6 7",
    *("0", "1", "-2.5", "1e-9", "1e-4", "90", "1e6", "true", "false", "auto"),
)
PLACES = (
    "../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "package://../../etc/passwd",
    "model://..",
    "http://example.org/x.xml",
    "\x00",
    "link.xml",
    "r.xml",
)
TAGS = (
    "body link joint geom inertial origin include default model mesh equality connect tendon frame pose axis "
    "site spatial fixed general position key weld replicate compiler option transmission mimic gazebo loop_joint "
    "limit dynamics"
).split()
MOST_BYTES = 20_000
MOST_MEMORY = 6_000_000_000
CHUNK = 250
"""Files of one process."""


class Late(BaseException):
    """A file took too long; no handler of the reader can take it for its own."""


def seeds() -> list[tuple[str, str]]:
    """Suffix and text of good files."""
    from test_export import ROBOT
    from test_mjcf_laws import MACHINE
    from test_robots import READERS, random_robot
    from test_sdf import random_model
    from test_strange_files import COPIES, MOVED
    from test_urdf_loops import CLOSED, bars

    import dalembert as da

    found = [(suffix, written(random_robot(k, 3))) for suffix, (written, _) in READERS.items() for k in range(4)]
    found += [("xml", text) for text in (MACHINE.format(flags=""), ROBOT, MOVED, COPIES)]
    found += [("urdf", bars(closing)) for closing in CLOSED.values()]
    models = (random_model(np.random.default_rng(k), "m", 3) for k in range(4))
    found += [("sdf", f'<sdf version="1.9"><world name="w">{one}</world></sdf>') for one in models]
    found += [("urdf", (ROOT / "examples/robots/arm.urdf").read_text())]
    found += [("json", da.load(path).to_json()) for path in sorted(ROOT.glob("examples/*.lsd"))[:12]]
    for package in ("pybullet_data", "dm_control", "gymnasium"):
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            for path in sorted(Path(place).rglob("*")):
                if path.suffix in (".urdf", ".sdf", ".xml") and "random_urdfs" not in str(path):
                    text = path.read_text(errors="replace")
                    if len(text) < MOST_BYTES:
                        found.append((path.suffix[1:], text))
    return found


def mutated(text: str, others: list[str], rng: random.Random) -> str:
    for _ in range(rng.randint(1, 4)):
        if len(text) < 20:
            return text
        (change,) = rng.choices([*_MUTATIONS], [*_MUTATIONS.values()])
        text = change(text, others, rng)
    return text


def _byte(text: str, others: list[str], rng: random.Random) -> str:
    i = rng.randrange(len(text))
    return text[:i] + rng.choice('<>"/= 0-e.&nxyz\x00é{}[],:\\') + text[i + 1 :]


def _cut(text: str, others: list[str], rng: random.Random) -> str:
    i = rng.randrange(len(text))
    return text[:i] + text[i + rng.randint(1, 80) :]


def _double(text: str, others: list[str], rng: random.Random) -> str:
    i, j = rng.randrange(len(text)), rng.randrange(len(text))
    return text[:j] + text[i : i + rng.randint(1, 200)] * rng.choice((1, 1, 1, 30)) + text[j:]


def _number(text: str, others: list[str], rng: random.Random) -> str:
    places = [m.span() for m in re.finditer(r"-?\d+\.?\d*(?:e-?\d+)?", text)]
    if not places:
        return text
    i, j = rng.choice(places)
    return text[:i] + rng.choice(NUMBERS) + text[j:]


def _name(text: str, others: list[str], rng: random.Random) -> str:
    words = re.findall(r'"([A-Za-z_]\w*)"', text)
    return (
        text
        if not words
        else text.replace(
            rng.choice(words), rng.choice([*words, "", "world", "earth", "a.b", "é"]), rng.choice((1, 2, -1))
        )
    )


def _path(text: str, others: list[str], rng: random.Random) -> str:
    place = rng.choice(PLACES)
    if (rng.random() < 0.5 and ".xml" in text) or "file=" in text or "uri" in text:
        return re.sub(r'(file|filename|uri)="[^"]*"', lambda m: f'{m[1]}="{place}"', text, count=1)
    inside = f'<include file="{place}"/><include><uri>{place}</uri></include><mesh name="m" file="{place}"/>'
    i = text.find(">", rng.randrange(len(text)))
    return text[: i + 1] + inside + text[i + 1 :]


def _element(text: str, others: list[str], rng: random.Random) -> str:
    """A piece of another file, or of this one, in another place."""
    source = rng.choice([text, rng.choice(others)])
    tag = rng.choice(TAGS)
    piece = re.search(rf"<{tag}\b.*?(/>|</{tag}>)", source[rng.randrange(len(source)) :], flags=re.S)
    i = text.find(">", rng.randrange(len(text)))
    return text if piece is None else text[: i + 1] + piece[0][:2000] + text[i + 1 :]


def _tag(text: str, others: list[str], rng: random.Random) -> str:
    return text.replace(f"<{rng.choice(TAGS)}", f"<{rng.choice(TAGS)}", 1)


def _entity(text: str, others: list[str], rng: random.Random) -> str:
    doctype = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
    return doctype + text.replace(">", ">&b;&c;", 1)


def _deep(text: str, others: list[str], rng: random.Random) -> str:
    i, depth = text.find(">", rng.randrange(len(text))), rng.choice((50, 300, 3000))
    tag = rng.choice(TAGS)
    return text[: i + 1] + f"<{tag}>" * depth + f"</{tag}>" * depth + text[i + 1 :]


_MUTATIONS = {
    _byte: 4,
    _cut: 2,
    _double: 2,
    _number: 12,
    _name: 8,
    _path: 2,
    _element: 10,
    _tag: 4,
    _entity: 1,
    _deep: 1,
}
"""How often each is made: those that spoil the text alone seldom, so that many files get past the parser."""


class Watch:
    """Files that are opened outside the folder while a robot is read, but for Python's own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.active, self.seen = str(folder.resolve()), False, list[str]()
        own = {sys.prefix, sys.base_prefix, str(ROOT / "src"), "/usr/lib", "/usr/local/lib", "/proc", "/sys"}
        self.own = tuple(own)
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.active or event not in ("open", "socket.connect", "os.system", "subprocess.Popen"):
            return
        name = str(args[0]) if args else event
        if event != "open" or not name.startswith((self.folder, *self.own)):
            self.seen.append(f"{event} {name}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("count", nargs="?", type=int, default=2000)
    asked.add_argument("seed", nargs="?", type=int, default=0)
    asked.add_argument("--seconds", type=int, default=20, help="of processor time for one file")
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--journal", type=Path, help="what is done is written here, and not done again")
    told = asked.parse_args()
    sys.exit(1 if audit(told.count, told.seed, told.seconds, told.workers, told.journal) else 0)


def audit(count: int, seed: int, seconds: int, workers: int = 1, journal: Path | None = None) -> int:
    """How many files were met with anything but a model or a sentence.

    Files are read by forks of a process that has imported everything, `CHUNK` by each: what ends one ends no other.
    """
    warnings.simplefilter("ignore")
    good = seeds()
    kind = f"{seed} {len(good)} {sum(len(text) for _, text in good)}"  # other seeds are another run
    done = _done(journal, kind)
    waiting = [first for first in range(0, count, CHUNK) if first not in done]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as at:
        top, running = Path(at), dict[int, int]()
        _imported(good, top)
        while waiting or running:
            while waiting and len(running) < workers:
                first = waiting.pop(0)
                pid = os.fork()
                if not pid:
                    _chunk(good, range(first, min(first + CHUNK, count)), seed, seconds, top / str(first))
                running[pid] = first
            pid, status = os.wait()
            first = running.pop(pid)
            result = _told(top / str(first), status)
            done[first] = result
            if journal is not None:
                with journal.open("a") as file:
                    file.write(json.dumps({"run": kind, "first": first, "result": result}) + "\n")
            shutil.rmtree(top / str(first), ignore_errors=True)
    total = sum((Counter(one) for first, one in done.items() if first < count), Counter[str]())
    faults = sum(v for k, v in total.items() if k.isupper())
    print(f"{total.total()} mutated files: " + ", ".join(f"{v} {k}" for k, v in sorted(total.items())))
    return faults


def _done(journal: Path | None, kind: str) -> dict[int, dict[str, int]]:
    """Results of chunks that an earlier run of the same kind has finished, by their first file."""
    if journal is None or not journal.is_file():
        return {}
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return {one["first"]: one["result"] for one in lines if one["run"] == kind}


def _imported(good: list[tuple[str, str]], top: Path) -> None:
    """What is imported at first use is imported now."""
    folder = _folder(top / "first")
    for suffix, text in good:
        _opened(folder / f"r.{suffix}", text, random.Random(0))


def _folder(place: Path) -> Path:
    """A folder with a way out of it, and a mesh."""
    place.mkdir()
    (place / "link.xml").symlink_to("/etc/passwd")
    (place / "tetrahedron.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    return place


def _chunk(good: list[tuple[str, str]], numbers: range, seed: int, seconds: int, place: Path) -> NoReturn:
    """Some files, in a process of its own; what comes of each is appended to a file."""
    folder, texts = _folder(place), [text for _, text in good]
    watch = Watch(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))

    def late(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGALRM, late)
    with (place / "told").open("w", buffering=1) as told:
        for k in numbers:
            rng = random.Random(f"{seed} {k}")
            suffix, text = good[rng.randrange(len(good))]
            changed = mutated(text, texts, rng)
            watch.active, watch.seen = True, []
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.alarm(30 * seconds)  # what waits uses no processor
            try:
                outcome = _opened(folder / f"r.{suffix}", changed, rng)
            except Late:
                outcome = "HANG"
            except BaseException:
                watch.active, outcome = False, "CRASH"  # the picture of a traceback reads files
                traceback.print_exc(limit=-4)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.alarm(0)
                watch.active = False
            if watch.seen:
                outcome = "OUTSIDE"
                print(watch.seen[:3])
            told.write(f"{outcome}\n")
            if outcome.isupper():
                kept = Path(tempfile.gettempdir()) / f"fault_{seed}_{k}.{suffix}"
                kept.write_bytes(changed.encode("utf-8", errors="replace"))
                print(f"{outcome}: {kept}", flush=True)
    os._exit(0)


def _told(place: Path, status: int) -> dict[str, int]:
    """What came of the files of a chunk; one that ended its process is a fault."""
    found = Counter((place / "told").read_text().split() if (place / "told").is_file() else [])
    if status:
        found["DEATH"] += 1
        print(f"DEATH with status {status} after {found.total() - 1} files of {place.name}", flush=True)
    return dict(found)


def _opened(path: Path, text: str, rng: random.Random) -> str:
    """Reads a file, as one of the doors does; one model in ten goes out as a program and must come back equal."""
    import dalembert as da
    from dalembert.io import kind_of

    path.write_bytes(text.encode("utf-8", errors="replace"))
    ways = {"limits": rng.random() < 0.5, "fuse": rng.random() < 0.3, "meshes": rng.random() < 0.5}
    try:
        if path.suffix == ".json" or rng.random() < 0.3:
            m = da.load(path)
        elif (kind := kind_of(path)) == "robot":
            m = da.read_urdf(path, floating=rng.random() < 0.5, **ways)
        elif kind == "mujoco":
            m = da.read_mjcf(path, keyframe=rng.choice((None, None, 0)), **ways)
        else:
            m = da.read_sdf(path, **ways)
        m.layout()
        text = m.to_lsd() if rng.random() < 0.1 else ""
    except da.DalembertError as error:
        return "sentence" if str(error).strip() else "SILENT"
    try:
        return "model" if not text or da.loads(text, m.name) == m else "OTHER"
    except da.DalembertError:  # only JSON lets bodies through that LSD refuses for their inertia
        return "model" if path.suffix == ".json" else "OTHER"


if __name__ == "__main__":
    main()
