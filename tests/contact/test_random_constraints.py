"""Contacts beside rods, skates, drives and servo-mechanisms, at random, against the laws written out in NumPy.

Particles in a plane: M a = F + W^T lambda + contact forces, with what the motion tells; conditions, complementarity,
Coulomb's cone, and the same for impulses at jumps. Time stepping approaches the same motion.
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

G = 9.81
KINDS = ("rod", "skate", "drive", "servo", "table")


class Case:
    """Three particles with a floor each, a spring, and some of the constraints, in formulas and in NumPy."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.kinds = [k for k in KINDS if rng.random() < 0.5] or [str(rng.choice(KINDS))]
        if {"skate", "servo"} <= set(self.kinds):  # the push would take all that the second's floor gives
            self.kinds.remove("skate")
        self.mass = rng.uniform(0.5, 2, 3).round(3)
        self.e = float(rng.choice([0.0, 0.4]))
        self.mu = rng.choice([0.0, 0.3, 0.7], 3)
        if "servo" in self.kinds:  # its push would take all that friction there gives
            self.mu[1] = 0.0
        self.stiff = round(float(rng.uniform(20, 60)), 2)
        place = np.array([[-1, 0.25], [0, 0.4], [1.1, 0.3]]) + rng.uniform(-0.1, 0.1, (3, 2)).round(3)
        self.rest = 1.3
        m = da.Mechanism(f"particles {seed}")
        m.gravity = [0, 0, -G]
        for i in range(3):
            body = m.body(f"b{i}", mass=self.mass[i])
            m.join(da.earth, body, da.composite(["x", "z"], ["x", 0, "z"]), name=f"p{i}")
            m.start |= {f"p{i}.x": place[i, 0], f"p{i}.z": place[i, 1]}
            height = "0.02*sin(9*t)" if "table" in self.kinds and i == 2 else "0"
            m.contact(f"p{i}.z >= {height}", restitution=self.e, friction=self.mu[i], slip=f"p{i}.x'", name=f"f{i}")
        m.spring(m.bodies["b0"], m.bodies["b2"], stiffness=self.stiff, length=self.rest)
        speeds = rng.uniform(-1, 1, 6).round(3)
        if "rod" in self.kinds:
            long = float(np.linalg.norm(place[0] - place[1]))
            m.constrain(f"dist(b0, b1) = {long!r}", name="rod")
        if "skate" in self.kinds:  # the second particle moves along the line to the third
            m.constrain("p1.x'*(p2.z - p1.z + 1) - p1.z'*(p2.x - p1.x) = 0", name="skate")
        if "drive" in self.kinds:
            m.drive("p2.x", f"{place[2, 0]} + 0.3*sin(2*t)", name="drive")
        if "servo" in self.kinds:  # held by a push on the second alone
            held = float(place[0, 0] + place[2, 0] + 0.5 * place[1, 0])
            m.constrain(f"p0.x + p2.x + 0.5*p1.x = {held!r}", by="p1.x", name="servo")
        m.start |= dict(zip(("p0.x'", "p0.z'", "p2.z'"), map(float, speeds), strict=False))
        self.m = m

    def efforts(self, q: np.ndarray) -> np.ndarray:
        x = q.reshape(3, 2)
        force = np.zeros((3, 2))
        force[:, 1] -= self.mass * G
        away = x[2] - x[0]
        long = np.linalg.norm(away)
        push = self.stiff * (long - self.rest) * away / long
        force[0] += push
        force[2] -= push
        return force.ravel()

    def rows(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Conditions on speeds, and what pushes to keep them."""
        x, rows, pushes = q.reshape(3, 2), [], []
        for kind in KINDS:
            row = np.zeros((3, 2))
            if kind not in self.kinds or kind == "table":
                continue
            if kind == "rod":
                row[0], row[1] = x[0] - x[1], x[1] - x[0]
            if kind == "skate":
                row[1] = [x[2, 1] - x[1, 1] + 1, -(x[2, 0] - x[1, 0])]
            if kind == "drive":
                row[2, 0] = 1
            if kind == "servo":
                row[:, 0] = 1, 0.5, 1
            rows.append(row.ravel())
            pushes.append(np.array([0, 0, 1.0, 0, 0, 0]) if kind == "servo" else row.ravel())
        return np.array(rows).reshape(-1, 6), np.array(pushes).reshape(-1, 6)

    def drift(self, t: float) -> np.ndarray:
        held = [k for k in KINDS if k in self.kinds and k != "table"]
        return np.array([-0.6 * np.cos(2 * t) if k == "drive" else 0.0 for k in held])


STATES = [f"p{i}.{x}" for i in range(3) for x in "xz"]


def outside(vector: np.ndarray, pushes: np.ndarray) -> float:
    """How far it is from what the constraints can do."""
    if not len(pushes):
        return float(np.abs(vector).max())
    found = np.linalg.lstsq(pushes.T, vector, rcond=None)[0]
    return float(np.abs(vector - pushes.T @ found).max())


def check(case: Case, mo: da.Motion) -> None:
    q, v = (np.array([mo[name + prime] for name in STATES]) for prime in ("", "'"))
    a = np.array([mo[name + "''"] for name in STATES])
    normal, slide = np.array([mo[f"f{i}.force"] for i in range(3)]), np.zeros((3, len(mo.t)))
    for i in range(3):
        slide[i] = mo[f"f{i}.friction"] if case.mu[i] else 0.0
    table = 0.02 * np.sin(9 * mo.t) * ("table" in case.kinds)
    mass = np.repeat(case.mass, 2)
    size = float(case.mass.sum() * G)
    for k, t in enumerate(mo.t):
        rows, pushes = case.rows(q[:, k])
        touch = np.array([[slide[i, k], normal[i, k]] for i in range(3)]).ravel()
        assert outside(mass * a[:, k] - case.efforts(q[:, k]) - touch, pushes) < 1e-6 * size
        assert np.abs(rows @ v[:, k] + case.drift(t)).max(initial=0.0) < 1e-6
        gap = q[1::2, k] - [0, 0, table[k]]
        assert gap.min() > -1e-8
        assert (normal[:, k] > -1e-7 * size).all()
        assert (np.abs(normal[:, k] * gap) < 1e-6 * size).all()
        assert (np.abs(slide[:, k]) <= case.mu * normal[:, k] + 1e-6 * size).all()
        lost = slide[:, k] * v[::2, k] + case.mu * normal[:, k] * np.abs(v[::2, k])
        assert (np.abs(lost) < 1e-5 * size).all()  # what slides is opposed by all of its friction
    for jump in mo.jumps:
        before, after = (np.array([side[name + "'"] for name in STATES]) for side in (jump.before, jump.after))
        here = np.array([jump.after[name] for name in STATES])
        struck = np.zeros((3, 2))
        for strike in mo.contacts.strikes:
            if abs(strike.t - jump.t) < 1e-12:
                struck[int(strike.contact[1])] += [*(strike.tangential or (0.0,)), strike.normal]
        rows, pushes = case.rows(here)
        change = float(np.abs(mass * (after - before)).max()) + 1e-9
        # at the last bounce that is located, the rest of infinitely many is summed: no more than they would do
        tail = any(0 <= t - jump.t < 1e-4 for t, _, what in mo.contacts.events if what == "accumulation")
        assert outside(mass * (after - before) - struck.ravel(), pushes) < (1e-4 if tail else 1e-8) * (1 + change)
        assert np.abs(rows @ after + case.drift(jump.t)).max(initial=0.0) < 1e-7
        assert (np.abs(struck[:, 0]) <= case.mu * struck[:, 1] + 1e-9).all()


SOME = 6
"""Machines of the quick tests."""


@pytest.mark.parametrize("seed", range(SOME))
def test_events_obey_the_laws_written_out(seed):
    case = Case(seed)
    check(case, case.m.simulate((0, 0.7), t_eval=np.linspace(0, 0.7, 15)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SOME, 24))
def test_events_obey_the_laws_in_more_machines(seed):
    case = Case(seed)
    check(case, case.m.simulate((0, 0.7), t_eval=np.linspace(0, 0.7, 15)))


@pytest.mark.parametrize("seed", [8, 10])
def test_time_stepping_approaches_the_same_motion(seed):
    """Without restitution, to first order in the step, with its conditions held in every step."""
    case = Case(seed)
    exact = case.m.simulate((0, 0.5)).state(0.5)
    apart = []
    for h in (4e-3, 1e-3):
        mo = case.m.simulate((0, 0.5), method="moreau", max_step=h)
        apart.append(max(abs(mo[name][-1] - exact[name]) for name in STATES))
        for k in range(0, len(mo.t), 10):
            q, v = (np.array([mo[name + prime][k] for name in STATES]) for prime in ("", "'"))
            assert np.abs(case.rows(q)[0] @ v + case.drift(mo.t[k])).max(initial=0.0) < 1e-6
    assert apart[1] < 5e-3
    assert apart[1] < apart[0]


def test_accelerations_are_told_where_arcs_have_no_times_of_their_own():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="q")
    m.gravity, m.start = [0, 0, -G], {"q.x": 1.0}
    m.contact("q.x >= 0.02*sin(9*t)", name="floor")
    mo = m.simulate((0, 3), t_eval=[0.0, 3.0])
    assert mo["q.x''"] == pytest.approx([-G, -0.02 * 81 * np.sin(27)], abs=1e-7)
