"""Audit of mobility: `python benchmarks/audit_mobility.py [COUNT] [FIRST SEED] [PROCESSES]`.

Random and adversarial questions with known answers (tests/known_mobilities.py): lengths from 1e-9 to 1e9, perturbations
from 1e-3 to 1e-15, slots of order 2 to 8, isolated points beside curves, overconstrained families and their neighbours.
Prints every wrong proof, then for each family how many verdicts are proved, left open, or refused.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from dalembert import loops
from dalembert.errors import DalembertError
from known_mobilities import MAKERS, case

SECONDS = 60  # for one question


class TooLong(Exception):
    """The question took more than its time."""


def _stop(*_: Any) -> None:
    raise TooLong


def judge(seed: int) -> tuple[int, str, str, str, float]:
    """Seed, family, outcome, what was said, CPU seconds."""
    question = case(seed)
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    begin = time.process_time()
    try:
        verdict = loops.mobility(question.mechanism, question.at, equations=question.equations)
        said = f"{verdict.dof} in [{verdict.lower}, {verdict.upper}], truth {question.truth}: {question.words}"
        outcome = "open" if not verdict.proved else "proved" if verdict.dof == question.truth else "WRONG"
        if verdict.lower > verdict.upper:
            outcome = "WRONG"
    except TooLong:
        outcome, said = "late", question.words
    except DalembertError as error:
        outcome, said = "refused", str(error)
    finally:
        signal.alarm(0)
    if question.truth is None and outcome != "WRONG":
        outcome += ", cannot close"
    return seed, MAKERS[seed % len(MAKERS)].__name__, outcome, said, time.process_time() - begin


def main() -> int:
    count, first, processes = [*(int(a) for a in sys.argv[1:]), *(200, 0, 2)[len(sys.argv) - 1 :]]
    table: dict[str, Counter[str]] = {}
    spent: Counter[str] = Counter()
    with ProcessPoolExecutor(processes) as pool:
        for seed, family, outcome, said, seconds in pool.map(judge, range(first, first + count), chunksize=8):
            table.setdefault(family, Counter())[outcome] += 1
            spent[family] += seconds
            if outcome in ("WRONG", "late"):
                print(f"{outcome}: seed {seed}, {family}: {said}")
    for family, row in sorted(table.items()):
        print(
            f"{family:24s} {spent[family] / row.total():6.2f} s  " + ", ".join(f"{k} {v}" for k, v in row.most_common())
        )
    total = sum(table.values(), Counter())
    possible = total.total() - sum(v for k, v in total.items() if "cannot close" in k)
    print(
        f"{total.total()} questions, {total['WRONG']} wrong proofs, {total['proved']} of {possible} that close proved"
    )
    return 1 if total["WRONG"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
