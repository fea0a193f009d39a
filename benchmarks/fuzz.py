"""Bad input by kind and count, with what each gets: `python benchmarks/fuzz.py [SECONDS] [KIND]`.

Every kind runs in a process of its own for so many seconds. Where atheris is installed it guides the damage by the
branches that are reached; else damage is random. The table tells how many inputs got what; a fault is printed with the
input that made it.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))


def one(kind: str, seconds: float, place: Path) -> None:
    """In the process of one kind: it writes what it has counted, again and again."""
    try:
        import atheris
    except ImportError:
        atheris = None
    if atheris is not None:
        with atheris.instrument_imports(include=["dalembert"]):
            import bad_inputs
    else:
        import bad_inputs
    told: Counter[str] = Counter()
    began, last = time.monotonic(), 0.0

    def ask(data: bytes) -> None:
        nonlocal last
        try:
            told[bad_inputs.DOORS[kind](bytes(data))] += 1
        except Exception as error:
            told[f"FAULT {type(error).__name__}"] += 1
            print(f"{kind}: {type(error).__name__}: {error}\n  {bytes(data)!r}", flush=True)
        now = time.monotonic()
        if now - last > 1:
            last = now
            place.write_text(json.dumps(told), encoding="utf-8")
        if now - began > seconds:
            place.write_text(json.dumps(told), encoding="utf-8")
            sys.stdout.flush()
            os._exit(0)

    rng = random.Random(0)
    if atheris is None:
        while True:
            ask(bad_inputs.damaged(rng, kind))

    def wound(data: bytes, most: int, seed: int) -> bytes:
        """Half of the inputs are damaged as people damage them, half as the fuzzer likes."""
        own = random.Random(seed)
        return bad_inputs.damaged(own, kind)[:most] if own.random() < 0.5 else atheris.Mutate(data, most)

    with tempfile.TemporaryDirectory() as corpus:
        for k, seed in enumerate(bad_inputs.seeds()[kind]):
            (Path(corpus) / f"{k}").write_bytes(seed)
        options = [sys.argv[0], corpus, "-max_len=20000", "-timeout=120", "-rss_limit_mb=4000", "-verbosity=0"]
        atheris.Setup(options, ask, custom_mutator=wound)
        atheris.Fuzz()


def main() -> None:
    if "--one" in sys.argv:
        kind, seconds, place = sys.argv[2:5]
        one(kind, float(seconds), Path(place))
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    import bad_inputs

    for kind in sys.argv[2:] or bad_inputs.DOORS:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "told.json"
            ask = [sys.executable, __file__, "--one", kind, str(seconds), str(place)]
            done = subprocess.run(ask, capture_output=True, text=True, timeout=seconds + 300, check=False)
            told = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
        print(done.stdout, end="")
        if done.returncode:
            print(f"{kind}: the process ended with {done.returncode}: {done.stderr[-500:]}")
        rows = ", ".join(f"{count} {word}" for word, count in sorted(told.items(), key=lambda x: -x[1]))
        print(f"{kind}: {sum(told.values())} inputs: {rows}", flush=True)


if __name__ == "__main__":
    main()
