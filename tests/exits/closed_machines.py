"""Random closed machines with a consistent start, in any units: planar, spatial, overconstrained, driven, sprung.

Every machine is drawn closed with all coordinates zero (Bennett's apart, which knows its posture). Lengths and masses
are multiplied by units, gravity by the unit of length, springs by what their unit asks for: in any units the motion is
the same, times the unit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from closed_oracle import ClosedOracle, solutions

import dalembert as da
from dalembert import expr as ex


@dataclass
class Draft:
    """A machine in the making: the units, and what has been drawn so far."""

    rng: random.Random
    length: float
    mass: float
    m: da.Mechanism = field(default_factory=lambda: da.Mechanism("closed"))
    drawn: int = 0

    def point(self, flat: bool = False) -> list[float]:
        x, y, z = (self.rng.randint(-20, 20) / 10 for _ in range(3))
        return [self.length * c for c in (x, y, 0.0 if flat else z)]

    def body(self) -> da.Body:
        """Mass, centre and an inertia that some distribution of mass has."""
        self.drawn += 1
        a, b, c = (self.rng.uniform(0.2, 1.0) for _ in range(3))
        unit = self.mass * self.length**2
        return self.m.body(
            f"b{self.drawn}",
            mass=self.mass * self.rng.uniform(0.5, 2.0),
            centre=self.point(),
            inertia=[unit * (b + c), unit * (a + c), unit * (a + b)],
        )

    def hinge(self, axis) -> da.Joint:
        """A hinge, sometimes with spring and damper, sometimes moved further by time."""
        joint = da.revolute(axis)
        if self.rng.random() < 0.3:
            unit = self.mass * self.length**2
            joint = joint.with_efforts(th=f"{-3 * unit!r}*th + {-0.5 * unit!r}*th'")
        return joint

    def slide(self, axis) -> da.Joint:
        joint = da.prismatic(axis)
        if self.rng.random() < 0.3:
            joint = joint.with_efforts(x=f"{-3 * self.mass!r}*x + {-0.5 * self.mass!r}*x'")
        return joint

    def driven(self, axis) -> da.Joint:
        """A hinge whose angle time prescribes, zero at the start."""
        return da.composite([], da.Displacement.of([0, 0, 0], da.turn("sin(2*t)/4 + t/5", axis)))

    def join(self, a: da.Body, b: da.Body, joint: da.Joint, name: str, p) -> None:
        self.m.join(a.at(p), b.at(p), joint, name=name)

    def loop(self, joints, points) -> da.Mechanism:
        bodies = [da.earth, *(self.body() for _ in joints[1:])]
        for i, (joint, p) in enumerate(zip(joints, points, strict=True)):
            self.join(bodies[i], bodies[(i + 1) % len(bodies)], joint, f"j{i}", p)
        return self.m

    def axis(self) -> list[int]:
        while True:
            v = [self.rng.randint(-3, 3) for _ in range(3)]
            if any(v):
                return v


def spatial(draft: Draft) -> da.Mechanism:
    rng = draft.rng
    makers = [
        lambda: draft.hinge(draft.axis()),
        lambda: draft.hinge(draft.axis()),
        lambda: draft.slide(draft.axis()),
        lambda: da.screw(draft.axis(), lead=draft.length * rng.randint(1, 9) / 10),
        lambda: da.cylindrical(draft.axis()),
        lambda: da.universal(("x", "y")),
        lambda: da.spherical("xyz", rng.choice(["rates", "body"])),
        lambda: da.spherical("quaternion"),
    ]
    joints = [draft.hinge(draft.axis()), *(rng.choice(makers)() for _ in range(rng.randint(4, 6)))]
    return draft.loop(joints, [draft.point() for _ in joints])


def four_bar(draft: Draft) -> da.Mechanism:
    joints = [draft.hinge("z") for _ in range(4)]
    return draft.loop(joints, [draft.point(flat=True) for _ in range(4)])


def driven_loop(draft: Draft) -> da.Mechanism:
    """Five hinges of a plane, one of them moved by time."""
    joints = [draft.driven("z"), *(draft.hinge("z") for _ in range(4))]
    return draft.loop(joints, [draft.point(flat=True) for _ in range(5)])


def tilted_plane(draft: Draft) -> da.Mechanism:
    """A plane loop whose plane lies anywhere in space: every one of its redundant rows is rounding noise."""
    rng = draft.rng
    normal = np.array([rng.uniform(-1, 1) for _ in range(3)])
    normal /= np.linalg.norm(normal)
    u = np.cross(normal, [0.3, 0.5, 0.8])
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    places = [draft.point(flat=True) for _ in range(5)]
    joints = [draft.hinge(list(normal)) for _ in places]
    return draft.loop(joints, [list(p[0] * u + p[1] * v) for p in places])


def two_hinges(draft: Draft) -> da.Mechanism:
    """A door on two hinges of one axis, anywhere in space."""
    axis, at = [draft.rng.uniform(-1, 1) for _ in range(3)], draft.point()
    door = draft.body()
    for name, k in (("low", 0.0), ("high", 1.3)):
        p = [a + k * draft.length * b for a, b in zip(at, axis, strict=True)]
        draft.join(da.earth, door, da.revolute(axis), name, p)
    return draft.m


def cranks(draft: Draft) -> da.Mechanism:
    """A coupler on three equal parallel cranks: one more than it needs."""
    coupler, arm = draft.body(), [draft.length * c for c in (0.8, 0.9, 0.0)]
    for i in range(3):
        p = [draft.length * (2 * i + draft.rng.random()), draft.length * draft.rng.random(), 0.0]
        end = [a + b for a, b in zip(p, arm, strict=True)]
        crank = draft.body()
        draft.join(da.earth, crank, draft.hinge("z"), f"low{i}", p)
        draft.join(crank, coupler, draft.hinge("z"), f"top{i}", end)
    return draft.m


def platform(draft: Draft) -> da.Mechanism:
    """A plate on three legs with balls, universal joints and slides."""
    plate = draft.body()
    for i in range(3):
        foot, head, leg, rod = draft.point(), draft.point(), draft.body(), draft.body()
        draft.join(da.earth, leg, da.universal(("x", "y")), f"f{i}", foot)
        draft.join(leg, rod, draft.slide(draft.axis()), f"p{i}", head)
        draft.join(rod, plate, da.spherical("xyz", "rates"), f"h{i}", head)
    return draft.m


def small_beside_heavy(draft: Draft) -> da.Mechanism:
    """Two loops that share nothing, one a thousand times smaller and a million times lighter."""
    four_bar(draft)
    tiny = Draft(draft.rng, draft.length * 1e-3, draft.mass * 1e-6, draft.m, draft.drawn)
    bodies = [da.earth, *(tiny.body() for _ in range(3))]
    for i in range(4):
        tiny.join(bodies[i], bodies[(i + 1) % 4], tiny.hinge("z"), f"s{i}", tiny.point(flat=True))
    return draft.m


def sarrus(draft: Draft) -> da.Mechanism:
    """Two folding arms in crossing planes carry a plate up and down: one row too many."""
    plate = draft.body()
    for i, (d, across) in enumerate((([0, 1, 0], [1, 0, 0]), ([1, 0, 0], [0, 1, 0]))):
        low, high = draft.body(), draft.body()
        out, height = draft.rng.uniform(0.5, 2.0), draft.rng.uniform(0.5, 2.0)
        base = [2 * draft.length * c for c in across]
        knee = [draft.length * (2 + out) * c for c in across]
        knee[2] = draft.length * height
        top = [*base[:2], 2 * draft.length * height]
        draft.join(da.earth, low, draft.hinge(d), f"a{i}", base)
        draft.join(low, high, draft.hinge(d), f"b{i}", knee)
        draft.join(high, plate, draft.hinge(d), f"c{i}", top)
    return draft.m


MAKERS = [
    spatial,
    four_bar,
    driven_loop,
    tilted_plane,
    two_hinges,
    spatial,
    cranks,
    platform,
    small_beside_heavy,
    sarrus,
]


def closed_machine(seed: int, length: float = 1.0, mass: float = 1.0) -> da.Mechanism:
    """A machine that can move, with all its speeds in `start`; other units, same machine."""
    for attempt in range(20):
        draft = Draft(random.Random(1000 * seed + attempt), length, mass)
        m = MAKERS[seed % len(MAKERS)](draft)
        m.name = f"{MAKERS[seed % len(MAKERS)].__name__}_{seed}"
        m.gravity = [length * g for g in (0.3, -9.0, -2.5)]
        reference = m if length == mass == 1.0 else closed_machine_parts(seed, attempt)
        speeds = consistent_speeds(reference, draft.rng.random())
        if speeds is not None:
            sizes = {x: length if unit_of(m, x) == "length" else 1.0 for x in speeds}
            m.start = {x: float(v * sizes[x]) for x, v in speeds.items()}
            return m
    raise AssertionError(f"no machine of seed {seed} moves")


def closed_machine_parts(seed: int, attempt: int) -> da.Mechanism:
    draft = Draft(random.Random(1000 * seed + attempt), 1.0, 1.0)
    m = MAKERS[seed % len(MAKERS)](draft)
    m.gravity = [0.3, -9.0, -2.5]
    return m


def unit_of(m: da.Mechanism, state: str) -> str:
    """What a coordinate or speed is measured in: "length" or "angle" (over time for a speed)."""
    link, name = state.split(".", 1)
    steps = m.links[link].joint.steps
    turning = {x.name for step in steps for turn in step.displacement.turns for x in ex.free_symbols(turn.scalars)}
    sliding = {x.name for step in steps for x in ex.free_symbols(step.displacement.translation)}
    name = name.rstrip("'")
    return "length" if name in sliding - turning or name in ("vx", "vy", "vz") else "angle"


def consistent_speeds(m: da.Mechanism, seed: float) -> dict[str, float] | None:
    """Random speeds that the loops allow, or None for a machine that is stuck or near a singular posture."""
    oracle = ClosedOracle(m, reference_state(m))
    jacobian, wanted = oracle.velocity_closure()
    share = np.linalg.svd(jacobian, compute_uv=False)
    share /= share[0]
    if ((share < 1e-2) & (share > 1e-9)).any():  # a posture that is nearly singular tests patience, not agreement
        return None
    n = len(oracle.tree_speeds)
    particular, null = solutions(jacobian, wanted)
    if not np.abs(null[:n]).max(initial=0.0) > 1e-6 and not np.abs(particular[:n]).max() > 1e-6:
        return None
    chosen = particular + null @ np.random.default_rng(int(seed * 1e9)).uniform(-1, 1, null.shape[1])
    return dict(zip(oracle.tree_speeds, chosen[:n] / max(1.0, np.abs(chosen).max() / 3), strict=True))


def reference_state(m: da.Mechanism, t: float = 0.0) -> dict[str, float]:
    """All coordinates (those of cut links too) zero, quaternions at rest."""
    state = {"t": t}
    for link in m.links.values():
        state |= {x: float(x.endswith(".e0")) for x in link.coordinates}
    return state
