"""The same machine in other units has the same motion; a unit that is forgotten anywhere is seen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.expr.space import vector3
from dalembert.mechanism import Layout
from dalembert.verify import motion as road
from dalembert.verify.motion import moving
from dalembert.verify.units import OtherUnits
from every_effort import pushed
from random_loops import loaded
from random_mechanisms import random_couplings, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def judged(m, span=(0.0, 0.2), **asked):
    numbers = {x.name: 1.3 for x in dynamics_of(Layout.of(m)).parameters if x.name not in m.given}
    found = moving(m, span, asked.get("start"), numbers, ())
    return next(check for check in found if check.name in ("other units", "motion"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: random_tree(4, 3),
        lambda: random_couplings(1, 2),
        lambda: loaded(2),
        lambda: loaded(7, driven=True),
        pushed,
        lambda: da.load(EXAMPLES / "constraints/tippe_top.lsd"),
        lambda: da.load(EXAMPLES / "contact/impact_damper.lsd"),
        lambda: da.load(EXAMPLES / "contact/stick_slip.lsd"),
    ],
    ids=["tree", "coupled", "loop", "driven", "pushed", "tippe top", "impacts", "friction"],
)
def test_a_machine_moves_as_in_other_units(make):
    found = judged(make())
    assert found.found == "agrees", str(found)


def test_a_start_that_is_asked_for_is_told_in_other_units_too():
    m = da.load(EXAMPLES / "double_pendulum.lsd")
    assert judged(m, start={"elbow.th'": 3.0}).found == "agrees"


@pytest.mark.parametrize("unit", ["length", "mass", "time"])
@pytest.mark.parametrize("part", ["gravity", "bodies", "links", "efforts"])
def test_a_unit_that_is_forgotten_is_seen(part, unit, monkeypatch):
    """One part of a machine with every effort is told with a wrong unit of length, mass or time."""
    m = pushed()
    right = OtherUnits(m.freeze())
    wrong = replace(right, **{unit: getattr(right, unit) * Fraction(3, 2)})
    told = right.scaled()
    faulty = replace(told, **{part: getattr(wrong.scaled(), part)})
    monkeypatch.setattr(OtherUnits, "scaled", lambda self: faulty)
    assert judged(m).found == ("agrees" if faulty == told else "disagrees")
    assert (faulty == told) == ((part, unit) in {("gravity", "mass"), ("bodies", "time")})


def test_a_threshold_with_a_unit_is_seen(monkeypatch):
    """A simulator that takes accelerations below one metre a second squared for nothing."""
    made = road.simulate

    def dull(model, span, **how):
        still = [ex.ZERO if x.is_number and abs(x.value) < 1 else x for x in model.freeze().gravity]
        return made(replace(model.freeze(), gravity=vector3(still)), span, **how)

    monkeypatch.setattr(road, "simulate", dull)
    m = da.Mechanism("slow")
    m.join(da.earth, m.body("rod", mass=2, centre=[0, 0, -0.5], inertia=[1, 1, 0]), da.revolute("x"), name="pivot")
    m.gravity, m.start = [0, 0, -0.5], {"pivot.th": 1.0}
    assert judged(m).found == "disagrees"


@pytest.mark.parametrize("seed", range(3))
def test_a_bushing_in_numbers_works_what_it_stores_and_what_its_dampers_take(seed):
    """F.v + T.w = -dV/dt - c v^2 - c_r w^2 on two bodies that move at random: V by differences of places alone."""
    from scipy.spatial.transform import Rotation

    from dalembert.verify.elementary import Place
    from dalembert.verify.loads import _Acting

    rng = np.random.default_rng(seed)
    m = da.Mechanism("pair")
    for name in "ab":
        m.join(da.earth, m.body(name, mass=1, inertia=[1, 1, 1]), da.free(), name=f"{name}_free")
    k, c, kr, cr = rng.uniform(0.5, 2, (4, 3))
    m.bushing(
        m.bodies["a"], m.bodies["b"], stiffness=list(k), damping=list(c), turning=list(kr), turning_damping=list(cr)
    )
    (bushing,) = m.freeze().efforts
    turns, places, twists = rng.uniform(-0.8, 0.8, (2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(2, 6))

    def at(h):
        return [
            Place(p + h * v[:3], (Rotation.from_rotvec(h * v[3:]) * Rotation.from_rotvec(r)).as_matrix())
            for p, r, v in zip(places, turns, twists, strict=True)
        ]

    def stored(h):
        one, two = at(h)
        p, e = one.R.T @ (two.p - one.p), Rotation.from_matrix(one.R.T @ two.R).as_quat()[:3]
        return (p @ (k * p) + 4 * e @ (kr * e)) / 2

    one, two = at(0.0)
    acting = object.__new__(_Acting)
    acting.value = lambda asked: np.array([float(ex.as_expr(x).value) for x in asked])
    acting.twist = lambda body, point: (
        twists["ab".index(body)][:3] + np.cross(twists["ab".index(body)][3:], point - places["ab".index(body)]),
        twists["ab".index(body)][3:],
    )
    force, torque = acting._held(bushing, one, two)
    (v1, w1), (v2, w2) = (acting.twist(body, two.p) for body in "ab")
    v, w = one.R.T @ (v2 - v1), one.R.T @ (w2 - w1)
    power = force @ (v2 - v1) + torque @ (w2 - w1)
    lost = v @ (c * v) + w @ (cr * w)
    assert power == pytest.approx(-(stored(1e-5) - stored(-1e-5)) / 2e-5 - lost, rel=1e-8)
