"""Doors through which text and bytes of others come in, seeds for each, and damage to them.

A door takes bytes and says what they got: "answered", or the kind of refusal. Whatever else happens is a fault.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import dalembert as da
from dalembert import expr as ex
from dalembert import limits, lsd

EXAMPLES = Path(__file__).parents[1] / "examples"
Door = Callable[[bytes], str]
SECONDS = 20.0


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _said(ask: Callable[[], object]) -> str:
    """The outcome in a word; faults pass through."""
    try:
        with warnings.catch_warnings(), limits.budget(seconds=SECONDS):
            warnings.simplefilter("ignore")
            ask()
    except da.DalembertError as error:
        return type(error).__name__ if str(error).strip() else "FAULT: a refusal without a word"
    return "answered"


def program(data: bytes) -> str:
    return _said(lambda: lsd.loads(_text(data)))


def expression(data: bytes) -> str:
    return _said(lambda: ex.text(ex.parse(_text(data))))


def _file(data: bytes, suffix: str, read: Callable[[Path], object]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"given{suffix}"
        path.write_bytes(data)
        return _said(lambda: read(path))


def urdf(data: bytes) -> str:
    return _file(data, ".urdf", da.read_urdf)


def mjcf(data: bytes) -> str:
    return _file(data, ".xml", da.read_mjcf)


def sdf(data: bytes) -> str:
    return _file(data, ".sdf", da.read_sdf)


def archive(data: bytes) -> str:
    return _file(data, ".npz", da.Motion.load)


def message(data: bytes) -> str:
    """A question of a page to the worker of the studio."""
    from dalembert.studio.jobs import answer

    try:
        asked = json.loads(_text(data))
    except (ValueError, RecursionError):
        return "no JSON"
    if not isinstance(asked, dict) or not isinstance(asked.get("arguments"), dict):
        return "no question"
    with warnings.catch_warnings(), limits.budget(seconds=SECONDS):
        warnings.simplefilter("ignore")
        found = answer(str(asked.get("job")), {**asked["arguments"], "folder": None})
    assert "fault of dalembert" not in str(found.get("error")), found["error"]
    return "a sentence" if "error" in found else "answered"


def command(data: bytes) -> str:
    """Words on the command line; they name a file that is there, and write none."""
    from typer.testing import CliRunner

    from dalembert.cli import app

    words = [w.replace("FILE", str(EXAMPLES / "pendulum.lsd")) for w in _text(data).replace("\0", "").split("\n")]
    words = [w for w in words if "/dev" not in w and not w.startswith(("--out", "-o", "--plot"))]
    if not words or words[0] in ("studio", "lsp"):
        return "not asked"
    with contextlib.redirect_stderr(io.StringIO()):
        found = CliRunner().invoke(app, [*words[:12], "--seconds", "5"] if len(words) > 1 else words)
    if isinstance(found.exception, da.DalembertError):
        return "exit 1"  # `main` turns it into its sentence
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return f"exit {found.exit_code}"


DOORS: dict[str, Door] = {
    "LSD programs": program,
    "expressions": expression,
    "URDF files": urdf,
    "MJCF files": mjcf,
    "SDF files": sdf,
    "archives": archive,
    "server messages": message,
    "command lines": command,
}


@lru_cache(maxsize=1)
def _saved() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.npz"
        da.load(EXAMPLES / "pendulum.lsd").simulate((0, 0.1)).save(path)
        return path.read_bytes()


_MJCF = b"""<mujoco model="arm"><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody><body name="upper"
pos="0 0 1"><joint name="s" type="hinge" axis="0 1 0" range="-1 1"/><geom type="capsule" size="0.05 0.2" mass="1"/><body
name="fore" pos="0 0 -0.4"><joint name="e" type="hinge" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.2" mass="0.5"/>
</body></body></worldbody></mujoco>"""
_SDF = b"""<sdf version="1.7"><model name="arm"><link name="base"/><link name="rod"><pose>0 0 1 0 0 0</pose>
<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="j" type="revolute">
<parent>base</parent><child>rod</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower></limit></axis></joint>
</model></sdf>"""


@lru_cache(maxsize=1)
def seeds() -> dict[str, list[bytes]]:
    """Inputs that are right, to be damaged."""
    programs = [path.read_bytes() for path in sorted(EXAMPLES.glob("*.lsd"))[:8]]
    text = programs[0].decode()
    ask = [
        {"job": "check", "arguments": {"text": text, "name": "a.lsd"}},
        {"job": "complete", "arguments": {"text": text, "name": "a.lsd", "at": 12}},
        {"job": "explain", "arguments": {"text": text, "name": "a.lsd", "at": 30}},
        {"job": "equations", "arguments": {"text": text, "name": "a.lsd", "formalism": "kane", "level": "scalar"}},
    ]
    lines = ["check\nFILE", "names\nFILE\n--format\njson", "equations\nFILE\n--formalism\nkane", "mobility\nFILE",
             "simulate\nFILE\n--until\n0.1\n--set\nl=2", "linearize\nFILE", "--help", "verify\n--help"]  # fmt: skip
    formulas = [
        "sin(x)^2 + a*b/(c - 1.5e3)",
        "where(x < 1, max(a, b), atan2(y, x'))",
        "`odd name`*pi - 2^-3",
        "f(x, y)",
    ]
    return {
        "LSD programs": programs,
        "expressions": [f.encode() for f in formulas],
        "URDF files": [(EXAMPLES / "robots" / "arm.urdf").read_bytes()],
        "MJCF files": [_MJCF],
        "SDF files": [_SDF],
        "archives": [_saved()],
        "server messages": [json.dumps(one).encode() for one in ask],
        "command lines": [line.encode() for line in lines],
    }


_PIECES = [b"", b"\0", b"-1", b"1e999", b"nan", b"'", b'"', b"<", b"/>", b"(", b")", b"^", b"[]", b"{}", b"\xff\xfe",
           b"../", b"999999999999999999999", b"\n", b"*", b"null", "é".encode(), b"%s", b"--", b"0"]  # fmt: skip


def damaged(rng: random.Random, kind: str) -> bytes:
    """A seed with one to six wounds: bytes dropped, doubled, changed, pieces put in, or two seeds spliced."""
    known = seeds()[kind]
    data = bytearray(rng.choice(known))
    for _ in range(rng.randint(1, 6)):
        at, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 5, 20, 200))
        wound = rng.randrange(5)
        if wound == 0:
            del data[at : at + size]
        elif wound == 1:
            data[at:at] = data[at : at + size]
        elif wound == 2 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif wound == 3:
            data[at:at] = rng.choice(_PIECES)
        else:
            other = rng.choice(known)
            cut = rng.randrange(len(other) + 1)
            data = data[:at] + other[cut:]
    return bytes(data[:20_000])
