"""How readable the scalar level is: lines, intermediates, characters, operations, entries that are identically zero.

    python benchmarks/reading.py [--machines satellite four_bar ...] [--formalisms kane ...] [--json FILE]

One row for each example and formalism. An entry of M, S, F, D or gamma is identically zero when it is no `0` and yet
vanishes, beside the terms it is made of, at three random states. Times are CPU seconds, the median of three.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert import expr as ex
from dalembert import formalisms
from dalembert.errors import DalembertError
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.registry import formalism_names

EXAMPLES = Path(__file__).parents[1] / "examples"
#: Beside the largest intermediate of a formula, what is smaller than this is rounding of doubles.
ROUNDING = 1e-12
#: An intermediate that is no quantity of mechanics: z1, z2...
STRANGER = re.compile(r"z\d+ :=")


def entries_of(eq: Equations) -> list[ex.Expr]:
    """Every entry of M, S, F, D, gamma."""
    asked = [] if eq.rows is None else [*eq.rows.matrix.entries, *eq.rows.gamma]
    return [*eq.mass_matrix.entries, *eq.bias, *eq.forces, *asked]


def hidden_zeros(exprs: list[ex.Expr]) -> int:
    """How many distinct entries vanish identically without being `0`."""
    left = [e for e in dict.fromkeys(exprs) if e is not ex.ZERO]
    names = sorted(ex.free_symbols(left), key=lambda e: e.name)
    unknown = [e for e in ex.topological(left) if e.op == "apply"]
    for seed in range(3):
        rng = random.Random(seed)
        values = {x: rng.uniform(0.3, 1.3) for x in (*names, *unknown)}
        nodes = ex.topological(left, stop=set(unknown))
        found = dict(zip(nodes, ex.evaluate(nodes, values), strict=True))
        left = [e for e in left if abs(found[e]) <= ROUNDING * _size(e, found, set(unknown))]
    return len(left)


def _size(e: ex.Expr, found: dict[ex.Expr, Any], stop: set[ex.Expr]) -> float:
    """The largest value that a formula passes through."""
    return float(np.max(np.abs([found[x] for x in ex.topological([e], stop=stop)])))


def measured(path: Path, formalism: str) -> dict[str, Any]:
    """One row of the table."""
    machine = da.load(str(path))
    times = []
    for _ in range(3):
        layout = machine.layout()
        begin = time.process_time()
        eq = formalisms.derive(layout, formalism)
        times.append(time.process_time() - begin)
    begin = time.process_time()
    shown = eq.show("scalar")
    text = str(shown)
    return {
        "machine": path.stem,
        "formalism": formalism,
        "equations": len(shown.lines),
        "lines": len(text.splitlines()),
        "intermediates": sum(STRANGER.match(line.text) is not None for line in shown.formulas),
        "characters": len(text),
        "operations": eq.operations,
        "hidden zeros": hidden_zeros(entries_of(eq)),
        "derive": statistics.median(times),
        "show": time.process_time() - begin,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", nargs="*", default=[p.stem for p in sorted(EXAMPLES.glob("*.lsd"))])
    parser.add_argument("--formalisms", nargs="*", default=list(formalism_names()))
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    rows = []
    heads = ("equations", "lines", "intermediates", "characters", "operations", "hidden zeros", "derive", "show")
    print(f"{'machine':18} {'formalism':13}" + "".join(f"{x:>14}" for x in heads))
    for name in chosen.machines:
        path = next(EXAMPLES.glob(f"**/{name}.lsd"))
        for formalism in chosen.formalisms:
            try:
                row = measured(path, formalism)
            except DalembertError as error:
                print(f"{name:18} {formalism:13} {str(error)[:90]}")
                continue
            rows.append(row)
            cells = [f"{row[x]:14.4f}" if isinstance(row[x], float) else f"{row[x]:14d}" for x in heads]
            print(f"{name:18} {formalism:13}" + "".join(cells), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
