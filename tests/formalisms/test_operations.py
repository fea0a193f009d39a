"""Operations of the reference chains and of the examples do not grow; `operations.json` is the record."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.constraints.factor import solve_symmetric
from dalembert.dynamics import articulated, recursive
from dalembert.formalisms.registry import derive
from dalembert.kinematics import build_tree
from dalembert.mechanism import Layout

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks"))
from derive import planar_chain, spatial_chain  # noqa: E402

RECORD = json.loads((HERE / "operations.json").read_text())
CASES = [(kind, n) for kind in ("spatial", "planar") for n in (2, 6, 7, 20)]
EXAMPLES = HERE.parents[1] / "examples"
MACHINES = sorted(path.stem for path in EXAMPLES.glob("*.lsd"))


def counts(kind: str, n: int) -> dict[str, int]:
    layout = Layout.of((spatial_chain if kind == "spatial" else planar_chain)(n))
    model = recursive.Recursion.of(build_tree(layout))
    matrix, right = recursive.mass_matrix(model), recursive.right_side(model)
    results = {
        "mass matrix and right side": [*matrix.entries, *right],
        "accelerations, factored": solve_symmetric(matrix, right),
        "accelerations, articulated": articulated.accelerations(model),
    }
    moving = {*model.tree.coordinates, *model.tree.speeds}
    return {what: ex.count_operations(found, depending_on=moving) for what, found in results.items()}


def counts_of_example(name: str) -> dict[str, int]:
    """Operations of M, S, F and of the rows of constraints, parameters included."""
    machine = da.load(str(EXAMPLES / f"{name}.lsd"))
    return {x: derive(machine.layout(), x).operations for x in ("kane", "lagrange", "recursive")}


def everything() -> dict[str, dict[str, int]]:
    return {f"{k} {n}": counts(k, n) for k, n in CASES} | {name: counts_of_example(name) for name in MACHINES}


@pytest.fixture(scope="module")
def counted():
    """Counted in a process of its own: sums are ordered by the age of terms, so that earlier tests would count."""
    script = f"import sys; sys.path.insert(0, {str(HERE)!r}); import json, test_operations as t; "
    script += "print(json.dumps(t.everything()))"
    return json.loads(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(("kind", "n"), CASES)
def test_operation_counts_do_not_grow(counted, kind, n):
    for what, count in counted[f"{kind} {n}"].items():
        assert count <= RECORD[f"{kind} {n}"][what], what


@pytest.mark.parametrize("name", MACHINES)
def test_operation_counts_of_examples_do_not_grow(counted, name):
    for formalism, count in counted[name].items():
        assert count <= RECORD[name][formalism], formalism


if __name__ == "__main__":  # a better count is recorded by running this file
    (HERE / "operations.json").write_text(json.dumps(everything(), indent=1) + "\n")
