"""Formalisms agree where a formula could lose something without a word: tiny machines, and frames that time moves."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex


def accelerations(m: da.Mechanism, formalism: str, state: dict[str, float]) -> np.ndarray:
    eq = m.equations(formalism)
    return np.array(ex.evaluate(list(eq.accelerations), {ex.symbol(x): v for x, v in state.items()}))


@pytest.mark.parametrize("length", [1e-9, 1e-6, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_hamilton_and_kane_agree_on_machines_of_any_length(seed: int, length: float) -> None:
    """Decimals that were calculated, slides and turns together: terms of length^2 stand beside rounding of length^0."""
    rng = random.Random(seed)

    def place() -> list[float]:
        return [length * round(rng.uniform(-1, 1), 2) for _ in range(3)]

    m = da.Mechanism("tiny")
    inertia = [length**2 * x for x in (1.1, 1.2, 1.3)]
    a, b = (m.body(x, mass=rng.uniform(0.5, 2), centre=place(), inertia=inertia) for x in "ab")
    m.join(da.earth, a, da.planar(), name="p")
    m.join(a.at(place(), da.turn(0.53, "z")), b.at(place(), da.turn(-0.63, "y")), da.universal(("x", "y")), name="u")
    kane = m.equations("kane")
    units = {x: length if x.rstrip("'") in ("p.x", "p.y") else 1.0 for x in (*kane.coordinates, *kane.speeds)}
    state = {x: unit * rng.uniform(-1, 1) for x, unit in units.items()}
    found, wanted = (accelerations(m, name, state) / [units[x] for x in kane.speeds] for name in ("hamilton", "kane"))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


LAWS = (
    ("sin(t)", "cos(t)"),
    ("l*l' - l^2 + 3*(l' + 1)*l", "th*th' - th^2 + 3*(th' + 1)*th"),
    ("3 - sign(l')", "sin(th) - sign(th')"),
)


@pytest.mark.parametrize(("push", "turn"), LAWS)
def test_dampers_on_frames_that_time_moves_have_their_force_at_rest(push: str, turn: str) -> None:
    """At zero speeds such a damper still moves, and Lagrange's equations must not take its force for a potential."""
    m = da.Mechanism("moved by time")
    a, b = m.body("a", mass=1, centre=[1, 0, 0]), m.body("b", mass=1, centre=[0.3, 1, 0], inertia=[1, 1, 1])
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b, da.composite(["th"], da.turn("0.3*t", "x"), da.turn("th", "y")), name="B")
    far = da.earth.at([-1, -1, 0.2])
    m.spring(b.at([0, 1.1, 0]), far, stiffness=2, damping=1, length=0.7, force=push, name="strut")
    m.torsion_spring(da.earth, b, "z", stiffness=1, damping=0.4, torque=turn, name="coil")
    state = {"A.th": 0.4, "A.th'": 0.7, "B.th": -0.3, "B.th'": -1.1}
    wanted = accelerations(m, "kane", {**state, "t": 0.5})
    for name in ("lagrange", "hamilton", "recursive"):
        np.testing.assert_allclose(accelerations(m, name, {**state, "t": 0.5}), wanted, rtol=1e-10)
    mo = m.simulate((0.5, 1), start=state, rtol=1e-10, atol=1e-12)
    energy = mo.energy()
    assert np.abs(energy - energy[0] - mo.work()).max() < 1e-7 * np.abs(energy).max()
