"""Work and precision: CPU seconds of an integration against its error at the end, of seven machines, peers in the run.

    python benchmarks/work_precision.py [arm suspension four-bar Bricard top Kepler row] [--picture FILE]

Times are processor seconds of the call that integrates, the shortest of a few, all programs on one core in turns; what
is made once for a machine (derivation, compilation, assembly) does not count. Errors are the largest of a coordinate at
the end, from a reference at the tightest tolerance; `doubt` is what two methods part by there. Peers that are not
installed are left out.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
sys.path.insert(0, str(Path(__file__).with_name("precision")))

from equations import diffrax, heyoka, ours, scipy
from exudyn_peer import exudyn
from machines import mujoco, pinocchio
from pictures import work_precision
from problems import CASES
from rows import tell

INTEGRATORS = (ours, scipy, heyoka, diffrax, mujoco, exudyn, pinocchio)


def measured(name: str) -> list[dict[str, Any]]:
    case, rows = CASES[name](), list[dict[str, Any]]()
    tell("references of work-precision", machine=case.name, span=case.seconds, doubt=case.doubt)
    for integrator in INTEGRATORS:
        try:
            for point in integrator(case):
                row = {"machine": case.name, "integrator": point.curve, "accuracy": point.accuracy}
                rows.append({**row, "seconds": point.seconds, "error": point.error})
                tell("work-precision", **rows[-1])
        except Exception as error:  # a peer that fails is a result
            tell("work-precision, failed", machine=case.name, peer=integrator.__name__, reason=str(error)[:200])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("machines", nargs="*", choices=[*CASES, []])
    parser.add_argument("--picture", type=Path)
    chosen = parser.parse_args()
    rows = [row for name in chosen.machines or CASES for row in measured(name)]
    if chosen.picture:
        work_precision(rows).savefig(chosen.picture, dpi=110)


if __name__ == "__main__":
    main()
