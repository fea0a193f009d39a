"""`verify` on every program of the gallery and on random machines: `python benchmarks/audit_verify.py [RANDOM] [SEED]`.

Each model is judged in a process of its own that may take PATIENCE seconds of processor time; disagreements are printed
with their verdict, and counted at the end with what could not be checked.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))

import dalembert as da
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from dalembert.verify import Verdict, verify
from random_loops import loaded
from random_mechanisms import random_couplings, random_tree

ROOT = Path(__file__).parents[1]
PATIENCE = 240
SPAN = (0.0, 0.3)


def gallery() -> Iterator[tuple[str, Callable[[], Any]]]:
    for path in sorted((ROOT / "examples").rglob("*.lsd")):
        yield str(path.relative_to(ROOT)), lambda path=path: da.load(path)
    for path in sorted((ROOT / "examples").rglob("*.urdf")):
        yield str(path.relative_to(ROOT)), lambda path=path: da.read_urdf(path)


def random_machines(count: int, seed: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Trees of every joint, trees with ropes and cams, loops with springs, loops shaken by time: in turns."""
    for k in range(seed, seed + count):
        makers: list[tuple[str, Callable[[int], Any]]] = [
            ("tree", lambda k: random_tree(k, 1 + k % 5)),
            ("coupled tree", lambda k: random_couplings(k, 1 + k % 3)),
            ("loop", loaded),
            ("driven loop", lambda k: loaded(k, driven=True)),
        ]
        kind, make = makers[k % 4]
        yield f"{kind} {k}", lambda make=make, k=k: make(k)


def judged(make: Callable[[], Any], tell: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 5))
    try:
        model = make()
        numbers = {x.name: 1.3 for x in dynamics_of(Layout.of(model)).parameters if x.name not in model.given}
        tell.send(verify(model, span=SPAN, given=numbers, languages=["c", "python"]))
    except BaseException as error:  # whatever it is, it is an answer of this model
        tell.send(f"{type(error).__name__}: {error}")


def ask(make: Callable[[], Any]) -> Verdict | str:
    here, there = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.get_context("fork").Process(target=judged, args=(make, there))
    worker.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        worker.join()
        late = worker.exitcode == -signal.SIGXCPU
        return f"no verdict in {PATIENCE} s of processor" if late else "the process ended without a verdict"
    finally:
        worker.kill()
        worker.join()


def main() -> None:
    numbers = [int(x) for x in sys.argv[1:]]
    count, seed = (numbers + [200, 0][len(numbers) :])[:2]
    told, unchecked, made = Counter[str](), Counter[str](), Counter[str]()
    for name, make in [*gallery(), *random_machines(count, seed)]:
        verdict = ask(make)
        if isinstance(verdict, str):
            told["no verdict"] += 1
            print(f"{name}: {verdict}", flush=True)
            continue
        told["agrees" if verdict.agrees else "disagrees" if verdict.disagreements else "nothing checked"] += 1
        unchecked.update(check.name for check in verdict.unchecked)
        made.update(check.name for check in verdict.checks if check.found == "agrees")
        if not verdict.agrees:
            print(f"{name}: {verdict}", flush=True)
    print(f"{sum(told.values())} models: {dict(told)}")
    print(f"checks that agree: {dict(made.most_common())}")
    print(f"not checked: {dict(unchecked.most_common())}")


if __name__ == "__main__":
    main()
