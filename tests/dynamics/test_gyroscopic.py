"""Potentials that depend on speeds, recovered from efforts."""

from __future__ import annotations

import random

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics.gyroscopic import velocity_potential

Q = [ex.symbol(f"q{i}") for i in range(3)]
RATES = [ex.prime(q) for q in Q]


def lagrange_effort(u: ex.Expr) -> list[ex.Expr]:
    """d/dt dU/dq' - dU/dq at zero accelerations: U is affine in the rates, so that there are none."""
    along = {ex.TIME: ex.ONE, **dict(zip(Q, RATES, strict=True))}
    moved = ex.tangent(ex.gradient(u, RATES), along)
    return [a - b for a, b in zip(moved, ex.gradient(u, Q), strict=True)]


def drawn(rng: random.Random) -> ex.Expr:
    terms = [ex.sin(Q[0]) * Q[1], Q[2] ** 2 * Q[0], ex.cos(Q[1]) * Q[2], Q[1] ** 3, Q[0] * Q[1] * Q[2], ex.TIME * Q[0]]
    return sum((rng.randint(-3, 3) * x for x in terms), ex.ZERO)


@pytest.mark.parametrize("seed", range(8))
def test_the_potential_of_random_gyroscopic_efforts_gives_them_back(seed: int) -> None:
    rng = random.Random(seed)
    hidden = -sum((drawn(rng) * v for v in RATES), ex.ZERO)
    damper = [-rng.randint(1, 3) * v for v in RATES]
    efforts = [a + b for a, b in zip(lagrange_effort(hidden), damper, strict=True)]
    found = velocity_potential(efforts, Q, RATES)
    assert not found.reason
    again = [a + b for a, b in zip(lagrange_effort(found.value), found.rest, strict=True)]
    assert ex.fingerprints(again) == ex.fingerprints(efforts)
    if not any(ex.TIME in ex.free_symbols([x]) for x in lagrange_effort(hidden)):
        assert ex.fingerprints(found.rest) == ex.fingerprints(damper)


@pytest.mark.parametrize("seed", range(6))
def test_forms_that_are_not_closed_are_refused(seed: int) -> None:
    """A magnetic field with a source has no potential: dB is not zero."""
    rng = random.Random(seed)
    x, y, z = Q
    hidden = -sum((drawn(rng) * v for v in RATES), ex.ZERO)
    source = [z * RATES[1], -z * RATES[0], ex.ZERO]  # B_xy = z
    found = velocity_potential([a + b for a, b in zip(lagrange_effort(hidden), source, strict=True)], Q, RATES)
    assert found.value is ex.ZERO
    assert "dB is not zero" in found.reason
    assert x is not y


def test_a_charge_in_a_field_keeps_its_damper_and_the_equations() -> None:
    m = da.Mechanism("charge")
    rail, point = m.body("rail", mass=0), m.body("point", mass="m")
    m.join(da.earth, rail, da.prismatic("x"), name="a")
    m.join(rail, point, da.prismatic("y"), name="b")
    m.force(point, ["b*b.x' - c*a.x'", "-b*a.x'", 0])
    lagrangian = m.lagrangian()
    found = lagrangian.velocity_potential()
    x, y = lagrangian.coordinates
    b, c = ex.symbols("b c")
    assert ex.fingerprints([found.value]) == ex.fingerprints([-b * x * ex.prime(y)])
    assert ex.fingerprints(found.rest) == ex.fingerprints([-c * ex.prime(x), ex.ZERO])
    assert velocity_potential([-c * ex.prime(x), ex.ZERO], [x, y], lagrangian.rates).reason.startswith("no effort")
