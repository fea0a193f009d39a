"""Reduction at the source: equations of every example by every formalism, against themselves unreduced."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import DalembertError
from dalembert.formalisms.registry import derive, formalism_names
from dalembert.mechanism import Layout
from formalisms.satellite import satellite

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK = ("arm_6r", "double_pendulum", "four_bar", "gyroscope", "satellite", "unbalanced_rotor")
EVERY = sorted(EXAMPLES.glob("**/*.lsd"))
#: Beside the largest number that a formula passes through, what is smaller than this is rounding of doubles.
ROUNDING = 1e-12


def entries(eq):
    rows = [] if eq.rows is None else [*eq.rows.matrix.entries, *eq.rows.gamma, *eq.rows.drift]
    return [*eq.mass_matrix.entries, *eq.bias, *eq.forces, *rows]


def values_at(exprs, seed):
    """Values at a random state, and the largest number that each passes through."""
    rng = random.Random(seed)
    names = sorted(ex.free_symbols(exprs), key=lambda e: e.name)
    unknown = [e for e in ex.topological(exprs) if e.op == "apply"]
    point = {x: rng.uniform(0.3, 1.3) for x in names}
    point |= {e: 0.3 + hash(str(e)) % 1000 / 1000 for e in unknown}
    nodes = ex.topological(exprs, stop=set(unknown))
    return point, dict(zip(nodes, ex.evaluate(nodes, point), strict=True))


def agree(path, monkeypatch):
    machine = da.load(str(path))
    large = len(machine.layout().speeds) > 12
    for name in ("kane", "lagrange", "recursive") if large else formalism_names():
        try:
            with monkeypatch.context() as patch:
                patch.setattr(ex, "reduce", list)
                raw = derive(machine.layout(), name)
            found = derive(machine.layout(), name)
        except DalembertError:
            continue
        before, after = entries(raw), entries(found)
        assert ex.count_operations(after) <= ex.count_operations(before), name
        for seed in (1,) if large else (1, 2):
            _, numbers = values_at([*before, *after], seed)
            size = max([1.0, *(abs(numbers[e]) for e in before if np.isfinite(numbers[e]))])
            for a, b in zip(before, after, strict=True):
                if np.isfinite(numbers[a]):
                    assert abs(numbers[a] - numbers[b]) <= 1e-9 * size, (path.name, name, a, b)


@pytest.mark.parametrize("name", QUICK)
def test_reduced_equations_are_the_same_functions(name, monkeypatch):
    agree(EXAMPLES / f"{name}.lsd", monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:contact")
@pytest.mark.parametrize("path", [p for p in EVERY if p.stem not in QUICK], ids=lambda p: p.stem)
def test_reduced_equations_of_every_example_are_the_same_functions(path, monkeypatch):
    agree(path, monkeypatch)


def hidden_zeros(exprs):
    """Entries that vanish at three random states beside what they are made of, and are not written 0."""
    left = [e for e in dict.fromkeys(exprs) if e is not ex.ZERO]
    for seed in range(3):
        if left:
            _, numbers = values_at(left, seed)
            sizes = {e: max(abs(numbers[x]) for x in ex.topological([e]) if x in numbers) for e in left}
            left = [e for e in left if abs(numbers[e]) <= ROUNDING * sizes[e]]
    return left


@pytest.mark.parametrize("name", QUICK)
def test_no_entry_is_zero_without_saying_so(name):
    machine = da.load(str(EXAMPLES / f"{name}.lsd"))
    for formalism in formalism_names():
        assert not hidden_zeros(entries(derive(machine.layout(), formalism))), formalism


@pytest.mark.parametrize(("name", "formalism"), [("bennett", "dalembert"), ("delta", "mixed")])
def test_no_entry_of_a_machine_with_sixty_degrees_is_zero_without_saying_so(name, formalism):
    """Roots of numbers obeyed no identity: sqrt(3)^2 was not 3."""
    machine = da.load(str(EXAMPLES / "loops" / f"{name}.lsd"))
    assert not hidden_zeros(entries(derive(machine.layout(), formalism)))


def test_good_speeds_pay():
    """Papegay 2.6 (L3456): with u7, u8, u9 Kane's equations of the satellite are shorter than with rates."""
    chosen = {
        "u7": "s3.q8*s2.q7' - sin(s4.q9)*z34*s4.q9'",
        "u8": "s3.q8' - cos(s4.q9)*z34*s2.q7'",
        "u9": "z34*s4.q9'",
    }
    rates, good = (derive(Layout.of(satellite()), "kane", speeds=x) for x in (None, chosen))
    assert good.operations < 0.8 * rates.operations
    assert ex.count_operations(good.accelerations) < ex.count_operations(rates.accelerations)
