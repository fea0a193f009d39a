"""Compiled steps of Moreau and Jean against the same steps in Python, which solve with other code (LAPACK, Lemke)."""

from __future__ import annotations

import numpy as np
import pytest
from test_random_constraints import Case

import dalembert as da
from dalembert.simulate import MoreauJean
from dalembert.simulate.contact.moreau_jean import _Step
from dalembert.simulate.contact.step.code import SHIPPED, fingerprint
from dalembert.simulate.contact.step.run import CompiledSteps, Stretch
from dalembert.simulate.loop.native import text_in


def four_bar() -> da.Mechanism:
    """A closed loop whose rocker strikes a stop."""
    m = da.Mechanism("four bar")
    m.gravity = [0, 0, -9.81]
    crank, rod, rocker = (m.body(f"b{i}", mass=1, centre=[0.2, 0, 0], inertia=[0.01] * 3) for i in range(3))
    m.join(da.earth, crank, da.revolute("y"), name="a")
    m.join(crank.at([0.4, 0, 0]), rod, da.revolute("y"), name="b")
    m.join(da.earth.at([0.9, 0, 0]), rocker, da.revolute("y"), name="c")
    m.join(rod.at([0.7, 0, 0]), rocker.at([0.6, 0, 0]), da.revolute("y"), name="d")
    m.limit("a.th", -1.9, 0.4, restitution=0.5)
    m.start = {"a.th": -0.8}
    return m


def tumbling(friction: float = 0.4, start: dict[str, float] | None = None) -> da.Mechanism:
    """A box that falls on its corners, in space, with friction."""
    m = da.Mechanism("box")
    m.gravity = [0, 0, -9.81]
    box = m.body("box", mass=2, inertia=[0.02, 0.03, 0.04])
    m.join(da.earth, box, da.free("quaternion"), name="f")
    m.contact(da.Box(box, [0.4, 0.3, 0.2]), da.Plane(da.earth), friction=friction, restitution=0.2, name="floor")
    m.start = start or {"f.z": 0.25, "f.wx": 1.0, "f.wy": 0.5, "f.x'": 0.6}
    return m


def rolling() -> da.Mechanism:
    """A ball that slides, rolls and drills."""
    m = da.Mechanism("ball")
    m.gravity = [0, 0, -9.81]
    ball = m.body("ball", mass=1, inertia=[0.004] * 3)
    m.join(da.earth, ball, da.free("quaternion"), name="f")
    m.contact(da.Sphere(ball, 0.1), da.Plane(da.earth), friction=0.3, rolling=0.004, drilling=0.003, name="floor")
    m.start = {"f.z": 0.11, "f.x'": 0.7, "f.wz": 4.0}
    return m


def in_python(self: CompiledSteps, y: np.ndarray, first: int, last: int) -> Stretch:
    """Compiled steps that decide nothing."""
    return Stretch(np.zeros((0, len(y))), np.zeros((0, 0)), np.zeros((0, 0)), True)


MACHINES = {
    "four bar": (four_bar, {}),
    "tumbling": (tumbling, {"theta": 0.7}),
    "rolling": (rolling, {}),
    "put back": (tumbling, {"projection": "all"}),
    **{f"constraints {seed}": (lambda seed=seed: Case(seed).m, {}) for seed in (1, 2, 3, 5)},
}


@pytest.mark.filterwarnings("ignore::dalembert.simulate.motion.quality.QualityWarning")
@pytest.mark.parametrize("name", MACHINES)
def test_compiled_steps_are_those_of_python(name, monkeypatch):
    make, options = MACHINES[name]
    # where several contacts rub, both end their passes at 1e-8 of the speeds; else at rounding
    close = 1e-8 if make is tumbling else 1e-11
    machine, method, asked = make(), MoreauJean(**options), []
    before = _Step.advance
    monkeypatch.setattr(_Step, "advance", lambda self, *t: (asked.append(t), before(self, *t))[1])
    mine = machine.simulate((0, 0.4), method=method, max_step=4e-3)
    assert len(asked) <= 10  # of a hundred: what sweeps leave open
    asked.clear()
    monkeypatch.setattr(CompiledSteps, "go", in_python)
    other = machine.simulate((0, 0.4), method=method, max_step=4e-3)
    assert len(asked) == 100
    assert np.abs(mine.y - other.y).max() < close
    assert mine.contacts.phases == other.contacts.phases
    assert len(mine.contacts.strikes) == len(other.contacts.strikes) > 0
    if make is tumbling:  # its corners share their impulses in one of many ways: sums are told
        sums = [{t: sum(s.normal for s in mo.contacts.strikes if s.t == t) for t in mo.t} for mo in (mine, other)]
        assert max(abs(sums[0][t] - sums[1][t]) for t in mine.t) < close
        return
    for one, two in zip(mine.contacts.strikes, other.contacts.strikes, strict=True):
        assert (one.t, one.contact, one.step) == (two.t, two.contact, two.step)
        assert np.allclose([one.normal, *one.tangential, one.work], [two.normal, *two.tangential, two.work], atol=close)


def test_a_terminal_event_ends_the_log_where_it_ends_the_motion():
    motion = rolling().simulate((0, 1), method="moreau", max_step=1e-3, events=[da.Event("f.x - 0.1", terminal=True)])
    assert abs(motion["f.x"][-1] - 0.1) < 1e-9
    assert motion.t[-1] < 0.5
    assert motion.contacts.strikes[-1].t <= motion.t[-1] + 1e-3
    assert motion.contacts.phases[-1].end <= motion.t[-1] + 1e-3


def test_the_text_that_travels_is_that_of_the_sources():
    assert text_in(SHIPPED, fingerprint()) is not None


def test_corners_without_friction_share_a_load_whose_parts_are_one_of_many():
    m = tumbling(friction=0.0, start={"f.z": 0.101, "f.x'": 0.6})
    motion = m.simulate((0, 0.2), method="moreau", max_step=2e-3)
    ends = [strike for strike in motion.contacts.strikes if abs(strike.t - 0.2) < 1e-9]
    assert abs(sum(strike.normal for strike in ends) - 2 * 9.81 * 2e-3) < 1e-12
    assert abs(motion["f.x'"][-1] - 0.6) < 1e-12
    assert np.abs([motion[f"f.w{x}"][-1] for x in "xyz"]).max() < 1e-9
