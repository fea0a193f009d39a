"""Print how the corpus of worked examples stands: `PYTHONPATH=tests python -m analytic.corpus_report`."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

from analytic.case_runner import Outcome, load, run_entry, run_item
from analytic.facts_01_04 import FACTS, PRINTED
from analytic.recipes_05_07 import RECIPES as FIRST
from analytic.recipes_08_11 import RECIPES as SECOND


def run_all() -> list[tuple[Outcome, float]]:
    """Every entry of both files with the seconds it took."""
    done = []
    for item in load("castera-01-04.toml")["item"]:
        start = time.process_time()
        done.append((run_item(item, FACTS, PRINTED), time.process_time() - start))
    for entry in load("castera-05-11.toml")["ex"]:
        start = time.process_time()
        done.append((run_entry(entry, {**FIRST, **SECOND}), time.process_time() - start))
    return done


SOURCES = ("facts_01_04.py", "recipes_05_07.py", "recipes_08_11.py", "generic_recipe.py", "case_runner.py")
GLUE = re.compile(
    r"\bsp\.|\bsympy\b|\.(subs|diff|has|det|atoms|expand|simplify|doit|tolist|free_symbols|xreplace|evalf|applyfunc)\b"
)


def glue() -> list[str]:
    """Lines of the corpus that handle a formula by SymPy instead of by a public verb."""
    here = Path(__file__).parent
    return [
        f"{name}: {line.strip()}"
        for name in SOURCES
        for line in (here / name).read_text().splitlines()
        if GLUE.search(line)
    ]


def main() -> None:
    print(f"lines of glue: {len(glue())}")
    done = run_all()
    kinds = Counter(outcome.kind for outcome, _ in done)
    print(f"entries run: {len(done)}")
    for kind in ("symbolic proof", "numeric proof", "fact only"):
        print(f"  {kind}: {kinds[kind]}")
    print(f"formulas confirmed: {sum(len(o.proofs) for o, _ in done)}")
    print(f"  of these numeric: {sum(o.proofs.count('numeric') for o, _ in done)}")
    print(f"facts computed: {sum(o.facts for o, _ in done)}")
    print(f"printed errors rejected: {sum(o.rejected for o, _ in done)}")
    print(f"seconds: {sum(s for _, s in done):.1f}, slowest {max(s for _, s in done):.1f}")


if __name__ == "__main__":
    main()
