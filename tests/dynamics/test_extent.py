"""Formulas that are longer than memory are refused before any is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.dynamics import dynamics_of, recursive
from dalembert.dynamics.extent import carried_pairs, foresee
from dalembert.expr import ZERO
from dalembert.formalisms import formalism_names
from dalembert.limits import budget
from random_mechanisms import random_tree

ASKED: dict[str, Callable[[da.Mechanism], Any]] = {
    "mass matrix": lambda m: m.compile().mass_matrix(np.zeros(6)),
    "inverse": lambda m: m.compile().inverse_mass(np.zeros(6)),
    "linearize": lambda m: m.linearize(),
    "equilibria": lambda m: m.equilibria(),
    "hamiltonian": lambda m: m.hamiltonian(),
    "geometry": lambda m: m.geometry(),
    "regressor": lambda m: m.regressor(),
    "stiff inverse dynamics": lambda m: m.compile().inverse_dynamics_derivatives(*np.zeros((3, 6))),
    **{name: lambda m, name=name: m.equations(name) for name in formalism_names()},
}


def _chain(n: int) -> da.Mechanism:
    m, last = da.Mechanism(f"chain of {n}"), da.earth
    for k in range(n):
        body = m.body(f"b{k}", mass=1 + k / 10, centre=[0.2, 0, 0.1], inertia=[0.1, 0.2, 0.2])
        m.join(last.at([0.4, 0, 0]), body, da.revolute("yz"[k % 2]), name=f"j{k}")
        last = body
    m.gravity = [0, 0, -9.81]
    return m


@pytest.mark.parametrize("seed", range(12))
def test_pairs_that_are_counted_are_entries_of_the_mass_matrix(seed: int) -> None:
    m = random_tree(seed)
    about = dynamics_of(da.Layout.of(m))
    if about.tree.shares_speeds():
        return
    matrix, n = about.mass_matrix, len(about.speeds)
    some = sum(matrix[i, j] is not ZERO for i in range(n) for j in range(i + 1))
    assert some <= carried_pairs(about.layout)[0] <= n * (n + 1) // 2


def test_pairs_and_threes_of_a_chain_and_a_star() -> None:
    assert carried_pairs(da.Layout.of(_chain(7))) == (28, 84)  # 7 8/2 and 7 8 9/6
    star = da.Mechanism("star")
    hub = star.body("hub", mass=1, inertia=[1, 1, 1])
    star.join(da.earth, hub, da.revolute("z"), name="hub")
    for k in range(5):
        star.join(hub, star.body(f"b{k}", mass=1, inertia=[1, 1, 1]), da.revolute("x"), name=f"j{k}")
    assert carried_pairs(da.Layout.of(star)) == (1 + 5 * 2, 1 + 5 * 3)


@pytest.mark.parametrize("asked", ASKED)
def test_what_needs_more_than_its_budget_is_not_begun(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = _chain(6)
    monkeypatch.setattr(recursive, "inertia_to_parent", None)  # of the loop that makes the mass matrix
    with budget(megabytes=0.02), pytest.raises(da.LimitError, match=r"21 pairs.* was not begun.*budget\(megabytes="):
        ASKED[asked](m)


def test_a_budget_allows_more() -> None:
    with budget(megabytes=None):
        foresee("the mass matrix", 1e9, "")
    foresee("the mass matrix", 3999.0, "")
    with pytest.raises(da.LimitError, match="about 4300 MB, more than the 4000 MB"):
        foresee("the mass matrix", 4230.0, "")
