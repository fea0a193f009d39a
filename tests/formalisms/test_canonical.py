"""Hamilton's equations: derived without the factors of H, they are those of H; and they read without strangers."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.expr import ZERO

EXAMPLES = Path(__file__).parents[2] / "examples"


def _at_random(exprs, seed=7):
    rng = random.Random(seed)
    names = sorted(ex.free_symbols(exprs), key=lambda x: x.name)
    return ex.evaluate(exprs, {x: rng.uniform(0.3, 1.3) for x in names})


@pytest.mark.parametrize("name", ["double_pendulum", "gyroscope", "unbalanced_rotor"])
def test_momenta_change_by_the_slopes_of_the_hamiltonian_itself(name):
    found = da.load(EXAMPLES / f"{name}.lsd").equations("hamilton")
    slopes = ex.gradient(found.detail.value, found.tree.coordinates)
    told, sought = found.detail.momentum_rates, [q - x for q, x in zip(found.detail.efforts, slopes, strict=True)]
    n = len(told)
    values = _at_random([*told, *sought])
    assert values[:n] == pytest.approx(values[n:], rel=1e-9, abs=1e-9)


def test_a_cyclic_coordinate_is_seen_in_the_printed_equations():
    shown = da.load(EXAMPLES / "gyroscope.lsd").equations("hamilton").show("scalar")
    assert {line.text for line in shown.lines} >= {"precession.p_th' = 0", "spin.p_th' = 0"}


@pytest.mark.parametrize(("formalism", "strangers"), [("hamilton", 1), ("dalembert", 2)])
def test_the_satellite_reads_in_quantities_of_mechanics(formalism, strangers):
    shown = da.load(EXAMPLES / "satellite.lsd").equations(formalism).show("scalar")
    assert sum(re.match(r"z\d+ :=", line.text) is not None for line in shown.formulas) <= strangers
    known = {line.text.split(" := ")[0] for line in shown.formulas if " := " in line.text}
    assert "M_4_4" in known


def test_astatic_moments_have_the_moment_as_their_turning_part():
    """A force f at x: A = f x^T, and x cross f about z is A_yx - A_xy where the axes are those of earth."""
    from dalembert.expr.space import Vector3
    from dalembert.presentation.astatic import Load, _dyad

    f, x = Vector3(ex.symbols("f1 f2 f3")), Vector3(ex.symbols("x1 x2 x3"))
    load = Load(f, _dyad(f, x))
    moment = x.cross(f)
    assert ex.reduce([load.astatic[1][0] - load.astatic[0][1] - moment[2]]) == [ZERO]


def test_every_canonical_equation_says_whose_it_is():
    shown = da.load(EXAMPLES / "double_pendulum.lsd").equations("hamilton").show("scalar")
    assert [line.label for line in shown.lines] == [
        "Hamiltonian",
        "shoulder.th': dH/dp",
        "elbow.th': dH/dp",
        "shoulder.p_th': -dH/dq + Q",
        "elbow.p_th': -dH/dq + Q",
    ]
