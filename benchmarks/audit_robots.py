"""Mutated robot files: each gives a model or a sentence, never a crash, a hang or a file from outside its folder.

    python benchmarks/audit_robots.py [COUNT] [SEED] [--seconds 20]

Seeds are random machines in URDF, MJCF and SDF, the small files of installed robot packages, and JSON of machines; each
is changed in one to four places: bytes, numbers, names, elements moved, doubled, nested and taken from other files,
paths that lead outside. Python's audit hook sees every file that is opened.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

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
TAGS = "body link joint geom inertial origin include default model mesh equality connect tendon frame pose axis".split()
MOST_BYTES = 20_000


class Late(BaseException):
    """A file took too long; no handler of the reader can take it for its own."""


def seeds() -> list[tuple[str, str]]:
    """Suffix and text of good files."""
    from test_robots import READERS, random_robot

    import dalembert as da

    found = [(suffix, written(random_robot(k, 3))) for suffix, (written, _) in READERS.items() for k in range(4)]
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
        text = _MUTATIONS[rng.randrange(len(_MUTATIONS))](text, others, rng)
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


_MUTATIONS = (
    _byte,
    _byte,
    _cut,
    _double,
    _number,
    _number,
    _number,
    _name,
    _name,
    _path,
    _element,
    _element,
    _tag,
    _entity,
    _deep,
)


class Watch:
    """Files that are opened outside the folder while a robot is read, but for Python's own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.active, self.seen = str(folder.resolve()), False, list[str]()
        own = {sys.prefix, sys.base_prefix, str(ROOT / "src"), "/usr/lib", "/usr/local/lib", "/dev", "/proc", "/sys"}
        self.own = tuple(own)
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.active or event not in (
            "open",
            "socket.connect",
            "os.system",
            "subprocess.Popen",
            "exec",
            "compile",
        ):
            return
        if event in ("exec", "compile"):
            return  # imports do this
        name = str(args[0]) if args else event
        if event != "open" or not name.startswith((self.folder, *self.own)):
            self.seen.append(f"{event} {name}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("count", nargs="?", type=int, default=2000)
    asked.add_argument("seed", nargs="?", type=int, default=0)
    asked.add_argument("--seconds", type=int, default=20, help="for one file")
    told = asked.parse_args()
    sys.exit(1 if audit(told.count, told.seed, told.seconds) else 0)


def audit(count: int, seed: int, seconds: int) -> int:
    """How many files were met with anything but a model or a sentence."""
    import dalembert as da

    warnings.simplefilter("ignore")
    good = seeds()
    texts = [text for _, text in good]
    folder = Path(tempfile.mkdtemp())
    (folder / "link.xml").symlink_to("/etc/passwd")
    watch, rng, result, faults = Watch(folder), random.Random(seed), Counter[str](), 0

    def late(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    for suffix, text in good:  # what is imported at first use is imported now
        _opened(folder / f"r.{suffix}", text, da)
    for k in range(count):
        suffix, text = good[rng.randrange(len(good))]
        changed = mutated(text, texts, rng)
        watch.active, watch.seen = True, []
        signal.alarm(seconds)
        try:
            outcome = _opened(folder / f"r.{suffix}", changed, da)
        except Late:
            outcome = "HANG"
        except BaseException:
            outcome = "CRASH"
            traceback.print_exc(limit=-4)
        finally:
            signal.alarm(0)
            watch.active = False
        if watch.seen:
            outcome = "OUTSIDE"
            print(watch.seen[:3])
        result[outcome] += 1
        if outcome.isupper():
            faults += 1
            kept = Path(tempfile.gettempdir()) / f"fault_{seed}_{k}.{suffix}"
            kept.write_text(changed, errors="surrogateescape")
            print(f"{outcome}: {kept}", flush=True)
    print(f"{count} mutated files: " + ", ".join(f"{v} {k}" for k, v in sorted(result.items())))
    return faults


def _opened(path: Path, text: str, da: Any) -> str:
    path.write_bytes(text.encode("utf-8", errors="replace"))
    try:
        da.load(path).layout()
    except da.DalembertError as error:
        return "sentence" if str(error).strip() else "SILENT"
    return "model"


if __name__ == "__main__":
    main()
