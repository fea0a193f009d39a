"""What is done once, against another tree of the sources: derivations, first and second simulations, starts.

    python benchmarks/against.py OTHER_SRC [--runs 5] [--only kane]

The two trees run in turns, each case in a process of its own that has imported and compiled everything once on another
machine; medians of CPU time and their ratio. With `git worktree add ../old 882641a`, OTHER_SRC is `../old/src`: the
tree before the hall between a description and a motion was rebuilt.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
EXAMPLES = HERE.parents[1] / "examples"


def chain(n: int, tag: str = "") -> Any:
    """n links with full inertias, all symbols; axes x, y, z in turn."""
    import dalembert as da

    m = da.Mechanism(f"chain of {n}")
    previous = da.earth
    for i in range(1, n + 1):
        entries = [f"{name}{i}{tag}" for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]
        centre = [f"{name}{i}{tag}" for name in ("cx", "cy", "cz")]
        body = m.body(f"b{i}{tag}", mass=f"m{i}{tag}", centre=centre, inertia=entries)
        start = previous if i == 1 else previous.at([0, 0, f"l{i - 1}{tag}"])
        m.join(start, body, da.revolute("xyz"[(i - 1) % 3]), name=f"j{i}{tag}")
        previous = body
    m.gravity = [0, 0, "-g"]
    return m


def arm(n: int, scale: float = 1.0) -> Any:
    """n links with numbers."""
    import dalembert as da

    m = da.Mechanism("arm")
    previous = da.earth
    for i in range(1, n + 1):
        length = scale * (0.3 + 0.05 * i)
        inertia = [0.02 * i, 0.03 * i, 0.01 * i]
        body = m.body(f"b{i}", mass=3.0 / i, centre=[0.01, 0.02, length / 2], inertia=inertia)
        m.join(previous if i == 1 else previous.at([0, 0, length]), body, da.revolute("xyz"[i % 3]), name=f"j{i}")
        previous = body
    m.gravity = [0, 0, -9.81]
    return m


def four_bar(lengths: tuple[float, float, float] = (0.2, 0.4, 0.35)) -> Any:
    import dalembert as da

    m = da.Mechanism("four-bar")
    names = zip("abc", lengths, strict=True)
    a, b, c = (m.body(n, mass=1, centre=[x / 2, 0, 0], inertia=[0, x * x / 12, x * x / 12]) for n, x in names)
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([lengths[0], 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([0.5, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([lengths[1], 0, 0]), c.at([lengths[2], 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start = {"A.th": 1.0, "B.th": -0.5332916387567533, "D.th": 1.6701536095624145}
    return m


def bricard() -> Any:
    import importlib.util

    import dalembert as da

    spec = importlib.util.spec_from_file_location("families", EXAMPLES / "loops" / "families.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Mechanism = da.Mechanism  # the one with verbs
    m = module.bricard()
    m.gravity = [0, 0, -9.81]
    return m


def example(name: str) -> Any:
    import dalembert as da

    return da.load(Path(da.__file__).parents[2] / "examples" / name)  # as each tree writes it


def _derive(make: Callable[[], Any], formalism: str) -> Callable[[], float]:
    def work() -> float:
        chain(3, "w").equations(formalism)
        m = make()
        return timed(lambda: m.equations(formalism))

    return work


def _first(make: Callable[[], Any], until: float) -> Callable[[], float]:
    def work() -> float:
        warm = four_bar((0.21, 0.41, 0.34))
        warm.start = {"A.th": 1.0}
        warm.simulate((0, 0.1))
        arm(2, 1.1).simulate((0, 0.1))
        m = make()
        return timed(lambda: m.simulate((0, until)))

    return work


def _again(make: Callable[[], Any], until: float) -> Callable[[], float]:
    def work() -> float:
        make().simulate((0, until))
        m = make()
        m.simulate((0, until))
        return statistics.median(timed(lambda: m.simulate((0, until))) for _ in range(5))

    return work


def _command(*words: str) -> Callable[[], float]:
    def work() -> float:
        import dalembert as da

        examples = Path(da.__file__).parents[2] / "examples"
        before = os.times()
        start = "import sys; from dalembert.cli import main; sys.argv[0] = 'dalembert'; main()"
        subprocess.run([sys.executable, "-c", start, *words], capture_output=True, check=True, cwd=examples)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return work


def timed(work: Callable[[], object]) -> float:
    clock = time.process_time()
    work()
    return time.process_time() - clock


CASES: dict[str, Callable[[], float]] = {
    **{
        f"{formalism} chain {n}": _derive(lambda n=n: chain(n), formalism)
        for formalism, sizes in (
            ("kane", (7, 20)),
            ("recursive", (7, 20, 50)),
            ("mixed", (7,)),
            ("newton-euler", (7,)),
            ("dalembert", (7,)),
            ("gibbs-appell", (7,)),
            ("lagrange", (5,)),
            ("hamilton", (5,)),
        )
        for n in sizes
    },
    **{
        f"{formalism} {name}": _derive(lambda name=name: example(f"{name}.lsd"), formalism)
        for formalism in ("kane", "recursive", "lagrange")
        for name in ("satellite", "arm_6r")
    },
    "first simulate arm 7": _first(lambda: arm(7), 1.0),
    "first simulate four-bar": _first(four_bar, 5.0),
    "simulate again arm 7": _again(lambda: arm(7), 1.0),
    "simulate again four-bar": _again(four_bar, 5.0),
    "simulate again Bricard": _again(bricard, 1.0),
    "command --help": _command("--help"),
    "command check": _command("check", "satellite.lsd"),
    "command equations": _command("equations", "satellite.lsd"),
}


def run(case: str, tree: Path, cache: str) -> float:
    """CPU seconds of a case with the sources of a tree, in a fresh process."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1", "XDG_CACHE_HOME": cache}
    words = [sys.executable, str(HERE), "--case", case]
    done = subprocess.run(words, check=False, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", nargs="?", type=Path, help="the folder 'src' of the other tree")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case in each tree")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.case:
        print(CASES[chosen.case]())
        return
    if chosen.other is None:
        parser.error("name the folder 'src' of the other tree")
    print(f"{'case':28} {'other s':>9} {'this s':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as cache:
        for case in (name for name in CASES if chosen.only in name):
            trees, times = (chosen.other.resolve(), HERE.parents[1] / "src"), ([], [])  # type: tuple[Any, Any]
            for _ in range(chosen.runs):
                for tree, found in zip(trees, times, strict=True):
                    found.append(run(case, tree, cache))
            before, now = (statistics.median(found) for found in times)
            print(f"{case:28} {before:9.4f} {now:9.4f} {now / before:6.2f}", flush=True)


if __name__ == "__main__":
    main()
