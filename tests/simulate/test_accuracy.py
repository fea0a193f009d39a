"""What motions say about their error: a second run, and enclosures that the exact motion cannot leave."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from dalembert.simulate import System, enclose, simulate
from linkages import four_bar
from random_mechanisms import random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def spring(k: float = 4.0) -> System:
    x, v = ex.symbols("x x'")
    return System(("x",), ("x'",), (v, -ex.symbol("k") * x), given={"k": k}, start={"x": 1.0})


def test_the_error_of_a_motion_is_the_distance_from_the_exact_one() -> None:
    """A small pendulum swings by elliptic functions; here the reference is an enclosure."""
    m = da.load(EXAMPLES / "pendulum.lsd")
    rough = m.simulate((0, 0.6), rtol=1e-6, errors=True)
    sure = m.enclose((0, 0.6))
    low, high = sure["hinge.th"]
    right = abs(rough.sol(0.6)[0] - (low[-1] + high[-1]) / 2)
    assert rough.error is not None
    assert right / 3 < rough.error.states["hinge.th"] < max(30 * right, 1e-9)
    assert "of its scale" in str(rough.error)
    assert m.simulate((0, 0.6)).error is None


def test_a_tighter_motion_has_a_smaller_error_and_events_tell_theirs() -> None:
    m = da.load(EXAMPLES / "double_pendulum.lsd")
    ends = [m.simulate((0, 2), rtol=r, errors=True, events="elbow.th").error for r in (1e-4, 1e-6, 1e-9)]
    worst = [e.worst for e in ends]
    assert worst[0] > 3 * worst[1] > 9 * worst[2]
    assert 0 < ends[1].events["elbow.th"] < 1e-2
    closed = four_bar((2.0, 3.0, 3.0), 4.0).simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 1.0}, errors=True)
    assert closed.error is not None
    assert closed.error.worst < 1e-6


def test_methods_without_a_tolerance_say_so() -> None:
    with pytest.raises(da.SimulationError, match="no tolerance to tighten"):
        da.load(EXAMPLES / "pendulum.lsd").simulate((0, 1), method="symplectic4", max_step=0.01, errors=True)


@pytest.mark.parametrize("k", [4.0, 0.25])
def test_an_enclosure_contains_the_cosine_and_little_else(k: float) -> None:
    flint = pytest.importorskip("flint")
    found = enclose(spring(k), (0, 2), digits=50)
    kept, flint.ctx.dps = flint.ctx.prec, 60
    exact = (flint.arb(k).sqrt() * 2).cos()
    end = flint.arb(found.exact[0])
    flint.ctx.prec = kept
    assert end.overlaps(exact)
    assert float(end.rad()) < 1e-15
    low, high = found["x"]
    assert (low <= np.cos(math.sqrt(k) * found.t) + 1e-15).all()
    assert (high >= np.cos(math.sqrt(k) * found.t) - 1e-15).all()
    assert (high - low).max() < 1e-14


@pytest.mark.parametrize("seed", [2, 5])
def test_motions_of_random_trees_lie_in_their_enclosures(seed: int) -> None:
    m = random_tree(seed, 1)
    rng = random.Random(seed)
    given = {x.name: rng.uniform(0.8, 1.6) for x in dynamics_of(Layout.of(m)).parameters}
    sure = enclose(m, (0, 0.05), given=given)
    motion = simulate(m, (0, 0.05), given=given, rtol=1e-12, atol=1e-13)
    assert sure.error(motion) < 1e-9


def test_backwards_in_time_it_comes_back() -> None:
    there = enclose(spring(), (0, 0.5), digits=60)
    back = enclose(spring(), (0.5, 0.0), start={"x": float(there["x"][0][-1]), "x'": float(there["x'"][0][-1])})
    assert back["x"][0][-1] == pytest.approx(1.0, abs=1e-14)


def test_what_cannot_be_enclosed_is_refused_with_the_reason() -> None:
    closed = four_bar((2.0, 3.0, 3.0), 4.0)
    x, v = ex.symbols("x x'")
    rough = System(("x",), ("x'",), (v, -ex.absolute(x)), start={"x": 1.0})
    steep = System(("x",), ("x'",), (v, x * x * x), start={"x": 1.0, "x'": 2.0})
    for subject, end, why in (
        (closed, 1, "closed to rounding"),
        (rough, 1, "no power series"),
        (steep, 5, "until t = "),
    ):
        with pytest.raises(da.SimulationError, match=why):
            enclose(subject, (0, end))
