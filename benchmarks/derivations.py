"""Times and operations of deriving every example by every formalism, of one tree of the sources beside another.

    git worktree add ../old 34ac39f                       # before equations were reduced at their source
    PYTHONPATH=../old/src python benchmarks/derivations.py ../old/examples --json old.json
    PYTHONPATH=src python benchmarks/derivations.py ../old/examples --beside old.json

Both trees read the same programs. Times are CPU seconds, the least of five derivations of a machine that was read anew.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from pathlib import Path

import dalembert as da
from dalembert import expr as ex
from dalembert import formalisms
from dalembert.errors import DalembertError

FORMALISMS = ("newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "mixed", "recursive")
Found = dict[str, tuple[float, int]]


def derived(path: Path, formalism: str) -> tuple[float, int]:
    """Seconds, and operations of M, S, F, D and gamma."""
    times = []
    for _ in range(5):
        layout = da.load(path).layout()
        gc.collect()
        begin = time.process_time()
        eq = formalisms.derive(layout, formalism)
        times.append(time.process_time() - begin)
    rows = [] if eq.rows is None else [*eq.rows.matrix.entries, *eq.rows.gamma]
    return min(times), ex.count_operations([*eq.mass_matrix.entries, *eq.bias, *eq.forces, *rows])


def all_of(folder: Path) -> Found:
    paths = sorted(folder.glob("*.lsd"))
    for formalism in FORMALISMS:  # what is imported once is no part of a derivation
        derived(folder / "pendulum.lsd", formalism)
    found: Found = {}
    for path in paths:
        for formalism in FORMALISMS:
            try:
                found[f"{path.stem} {formalism}"] = derived(path, formalism)
            except DalembertError as error:
                print(f"{path.stem} {formalism}: {str(error)[:80]}")
    return found


def compare(before: Found, now: Found) -> None:
    both = [key for key in before if key in now]
    ratio = {key: now[key][0] / before[key][0] for key in both}
    for formalism in FORMALISMS:
        own = [ratio[key] for key in both if key.endswith(f" {formalism}")]
        print(f"{formalism:14} median {statistics.median(own):5.2f}   largest {max(own):5.2f}")
    times, counts = ([sum(tree[key][i] for key in both) for tree in (before, now)] for i in (0, 1))
    print(f"{len(both)} derivations: median ratio of times {statistics.median(ratio.values()):.2f}")
    print(f"seconds {times[0]:.2f} -> {times[1]:.2f}, operations {counts[0]} -> {counts[1]}")
    print("more operations:", [key for key in both if now[key][1] > before[key][1]] or "none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path, help="a folder of programs that both trees read")
    parser.add_argument("--json", type=Path, help="write what was found")
    parser.add_argument("--beside", type=Path, help="what another tree has found")
    chosen = parser.parse_args()
    found = all_of(chosen.examples)
    if chosen.json:
        chosen.json.write_text(json.dumps(found))
    if chosen.beside:
        compare(json.loads(chosen.beside.read_text()), found)


if __name__ == "__main__":
    main()
