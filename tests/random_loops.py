"""Random linkages with loops, mobile and stiff, and a brute-force count of their freedoms by continuation."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.loops import Closing, assemble, build_linkage, project
from dalembert.mechanism import (
    Displacement,
    Joint,
    Layout,
    Mechanism,
    Step,
    cylindrical,
    earth,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    turn,
    universal,
)


def point(rng: random.Random, size: int = 20) -> list[Fraction]:
    return [Fraction(rng.randint(-size, size), 10) for _ in range(3)]


def axis(rng: random.Random) -> list[int]:
    while True:
        v = [rng.randint(-3, 3) for _ in range(3)]
        if any(v):
            return v


def closed_loop(rng: random.Random, joints, points) -> Mechanism:
    """Bodies drawn in a closed posture: all coordinates are zero there."""
    m = Mechanism("loop")
    bodies = [earth, *(m.body(f"b{i}", mass=1, inertia=[1, 1, 1]) for i in range(1, len(joints)))]
    for i, (joint, p) in enumerate(zip(joints, points, strict=True)):
        a, b = bodies[i], bodies[(i + 1) % len(bodies)]
        m.join(a.at(p), b.at(p), joint, name=f"j{i}")
    return m


def spatial(rng: random.Random) -> Mechanism:
    """A general loop of hinges, slides, screws, cylinders, universal joints and balls."""
    makers = [
        lambda: revolute(axis(rng)),
        lambda: revolute(axis(rng)),
        lambda: prismatic(axis(rng)),
        lambda: screw(axis(rng), lead=Fraction(rng.randint(1, 9), 10)),
        lambda: cylindrical(axis(rng)),
        lambda: universal(("x", "y")),
        spherical,
    ]
    joints = [rng.choice(makers)() for _ in range(rng.randint(3, 7))]
    return closed_loop(rng, joints, [point(rng) for _ in joints])


def spherical_loop(rng: random.Random) -> Mechanism:
    count = rng.randint(3, 6)
    return closed_loop(rng, [revolute(axis(rng)) for _ in range(count)], [[0, 0, 0]] * count)


def plane_loop(rng: random.Random) -> Mechanism:
    """Hinges and slides of one plane, turned anywhere in space."""
    count = rng.randint(3, 6)
    joints, points = [], []
    for _ in range(count):
        if rng.random() < 0.7:
            joints.append(revolute("z"))
        else:
            joints.append(prismatic([rng.randint(-3, 3), rng.randint(1, 3), 0]))
        points.append([*point(rng)[:2], 0])
    return closed_loop(rng, joints, points)


def plane_network(rng: random.Random) -> Mechanism:
    """Several loops in the plane: a body is hung on two others, again and again."""
    m = Mechanism("network")
    bodies = [earth, m.body("b1", mass=1, inertia=[1, 1, 1])]
    m.join(earth, bodies[1], revolute("z"), name="first")
    for i in range(2, rng.randint(3, 5) + 1):
        body = m.body(f"b{i}", mass=1, inertia=[1, 1, 1])
        for k, held in enumerate(rng.sample(bodies, 2)):
            p = [*point(rng)[:2], 0]
            m.join(held.at(p), body.at(p), revolute("z"), name=f"j{i}{'ab'[k]}")
        bodies.append(body)
    if rng.random() < 0.5:
        held = rng.sample(bodies[1:], 2) if len(bodies) > 2 else bodies[:2]
        p = [*point(rng)[:2], 0]
        m.join(held[0].at(p), held[1].at(p), revolute("z"), name="extra")
    return m


def parallel_cranks(rng: random.Random) -> Mechanism:
    """A coupler on several cranks: it moves if they are equal and parallel, and is a truss if one is not."""
    m = Mechanism("cranks")
    coupler = m.body("coupler", mass=1, inertia=[1, 1, 1])
    arm = [*point(rng)[:2], Fraction(0)]
    arm[0] += 3
    stiff = rng.random() < 0.5
    for i in range(rng.randint(2, 4)):
        p = [Fraction(3 * i + rng.randint(0, 2)), Fraction(rng.randint(-3, 3)), Fraction(0)]
        off = Fraction(rng.randint(1, 5), 10) if stiff and i == 2 else Fraction(0)
        end = [p[0] + arm[0] + off, p[1] + arm[1], Fraction(0)]
        crank = m.body(f"c{i}", mass=1, inertia=[1, 1, 1])
        m.join(earth.at(p), crank.at(p), revolute("z"), name=f"low{i}")
        m.join(crank.at(end), coupler.at(end), revolute("z"), name=f"top{i}")
    return m


def bennett(rng: random.Random) -> Mechanism:
    """Bennett's condition by formula, so that the data are exact; or broken."""
    m = Mechanism("bennett")
    m.given.update({"al": round(rng.uniform(0.4, 1.2), 3), "be": round(rng.uniform(0.4, 1.2), 3)})
    a = ex.parse("sin(al)")
    b = ex.parse("sin(be)")
    if abs(m.given["al"] - m.given["be"]) < 0.05:
        m.given["be"] += 0.2
    bodies = [earth, *(m.body(f"s{i}", mass=1, inertia=[1, 1, 1]) for i in (1, 2, 3))]
    for i in range(4):
        length, twist = (a, "al") if i % 2 == 0 else (b, "be")
        m.join(bodies[i].at([length, 0, 0], turn(twist, "x")), bodies[(i + 1) % 4], revolute("z"), name=f"j{i}")
    # opposite angles are equal but for their sense, tangents of the halves have a constant product
    first = rng.uniform(0.6, 2.4)
    al, be = m.given["al"], m.given["be"]
    k = np.sin((be + al) / 2) / np.sin((be - al) / 2)
    second = 2 * np.arctan(k / np.tan(first / 2))
    m.start.update({"j0.th": first, "j1.th": -second, "j2.th": -first, "j3.th": second})
    return m


def sarrus(rng: random.Random) -> Mechanism:
    """Two folding arms whose planes cross."""
    m = Mechanism("sarrus")
    plate = m.body("plate", mass=1, inertia=[1, 1, 1])
    for i, direction in enumerate(([0, 1, 0], [1, rng.randint(0, 2), 0])):
        across = [direction[1], -direction[0], 0]
        low, high = m.body(f"l{i}", mass=1, inertia=[1, 1, 1]), m.body(f"u{i}", mass=1, inertia=[1, 1, 1])
        out, height = Fraction(rng.randint(5, 20), 10), Fraction(rng.randint(5, 20), 10)
        base = [2 * c for c in across]
        knee = [base[0] + out * across[0], base[1] + out * across[1], height]
        top = [base[0], base[1], 2 * height]
        m.join(earth.at(base), low.at(base), revolute(direction), name=f"a{i}")
        m.join(low.at(knee), high.at(knee), revolute(direction), name=f"b{i}")
        m.join(high.at(top), plate.at(top), revolute(direction), name=f"c{i}")
    return m


def platform(rng: random.Random) -> Mechanism:
    """A plate on legs with balls, universal joints and slides."""
    m = Mechanism("platform")
    plate = m.body("plate", mass=1, inertia=[1, 1, 1])
    for i in range(rng.randint(2, 4)):
        foot, head = point(rng), point(rng)
        leg = m.body(f"leg{i}", mass=1, inertia=[1, 1, 1])
        m.join(earth.at(foot), leg.at(foot), rng.choice([universal(("x", "y")), spherical()]), name=f"f{i}")
        if rng.random() < 0.5:
            rod = m.body(f"rod{i}", mass=1, inertia=[1, 1, 1])
            m.join(leg.at(head), rod.at(head), prismatic(axis(rng)), name=f"p{i}")
            leg = rod
        m.join(leg.at(head), plate.at(head), spherical(), name=f"h{i}")
    return m


def plate_in_plane(rng: random.Random) -> Mechanism:
    """A plate kept in a plane twice: every constraint of the second planar joint is redundant."""
    m = Mechanism("plates")
    a = m.body("a", mass=1, inertia=[1, 1, 1])
    b = m.body("b", mass=1, inertia=[1, 1, 1])
    m.join(earth, a, planar(), name="p")
    m.join(earth, b, planar(), name="q")
    p = [*point(rng)[:2], 0]
    m.join(a.at(p), b.at(p), rng.choice([revolute("z"), spherical(), prismatic("x")]), name="r")
    return m


MAKERS = [
    spatial, spatial, spatial, spherical_loop, plane_loop, plane_loop, plane_network, plane_network, parallel_cranks,
    bennett, sarrus, platform, plate_in_plane,
]  # fmt: skip


def random_linkage(seed: int) -> Mechanism:
    rng = random.Random(seed)
    m = MAKERS[seed % len(MAKERS)](rng)
    m.name = f"{m.name}_{seed}"
    return m


def freedoms_by_continuation(m: Mechanism, at: dict[str, float], steps: int = 40, size: float = 2e-3) -> int:
    """Walk from the configuration in random directions, close the loops each time, count the directions that open up.

    Closed configurations at distance `size` fill a ball of the configuration space: singular values of their
    displacements are of order one along it, of order `size` across it.
    """
    linkage = build_linkage(Layout.of(m), at=at)
    closing = Closing(linkage)
    x = assemble(linkage, linkage.start(at))
    rng = np.random.default_rng(1)
    moves = []
    jacobian = closing.jacobian(x)
    _, s, vt = np.linalg.svd(jacobian)
    loose = vt[int((s > 1e-5 * max(1.0, s[0])).sum()) :]
    if not len(loose):
        return 0
    for _ in range(steps):
        direction = rng.normal(size=len(loose)) @ loose
        end = project(closing, x + size * direction / np.linalg.norm(direction), iterations=200)
        if closing.gap(end) < 1e-13 and np.linalg.norm(end - x) > 0.05 * size:
            moves.append((end - x) / size)
    if not moves:
        return 0
    return int((np.linalg.svd(np.array(moves), compute_uv=False) / np.sqrt(len(moves)) > 0.02).sum())


def closed_state(m: Mechanism, about: Dynamics, seed: int) -> dict[ex.Expr, float]:
    """A closed posture with random speeds that its rows allow (by singular values)."""
    linkage = build_linkage(about.layout, m.given, m.start)
    found = linkage.coordinates(assemble(linkage, np.array(linkage.start(m.start), dtype=float)))
    values = {ex.symbol(k): v for k, v in m.given.items()} | {ex.TIME: 0.0}
    values |= {x: float(found.get(x.name, 0.0)) for x in about.coordinates}
    matrix = about.rows.matrix
    g = np.array(ex.evaluate(list(matrix.entries), values)).reshape(matrix.shape)
    _, s, v = np.linalg.svd(g)
    free = v[int((s > 1e-9).sum()) :]
    u = np.random.default_rng(seed).normal(size=len(about.speeds))
    return values | dict(zip(about.speeds, free.T @ (free @ u), strict=True))


def freedoms_where_drawn(m: Mechanism) -> int:
    """Speeds less the rank of the rows, where all coordinates are zero."""
    about = dynamics_of(Layout.of(m))
    zero = dict.fromkeys([*about.coordinates, *about.speeds, ex.TIME], 0.0) | {
        ex.symbol(k): v for k, v in m.given.items()
    }
    matrix = np.array(ex.evaluate(list(about.rows.matrix.entries), zero), dtype=float).reshape(about.rows.matrix.shape)
    return len(about.speeds) - int(np.linalg.matrix_rank(matrix, tol=1e-9) if matrix.size else 0)


def loaded(seed: int, *, driven: bool = False, still: bool = False) -> Mechanism:
    """A random loop with weights, springs and dampers, closed where all coordinates are zero at t = 0.

    With `driven` a pivot shakes with time, in the plane of a plane loop; with `still` no effort depends on time.
    """
    import dalembert

    rng = random.Random(seed)
    makers = [spatial, plane_loop, plane_loop, *([] if driven else [parallel_cranks])]  # cranks move while parallel
    drawn = rng.choice(makers)(rng)
    while not freedoms_where_drawn(drawn):
        drawn = rng.choice(makers)(rng)
    m = dalembert.Mechanism(f"loop {seed}")
    for body in list(drawn.bodies.values())[1:]:
        centre = [rng.uniform(-1, 1) for _ in "xyz"]
        m.body(body.name, mass=rng.uniform(0.5, 2), centre=centre, inertia=[1.1, 1.2, 1.3])
    for number, link in enumerate(drawn.links.values()):
        joint = link.joint
        if joint.parameters and rng.random() < 0.7:
            x = rng.choice(joint.parameters)
            law = f"-{rng.uniform(2, 9):.3f}*{x} - {rng.uniform(0, 1):.3f}*{x}'"
            joint = joint.with_efforts(**{x: law if still else f"{law} + sin(t)"})
        if driven and number == 0:
            shake = Step(Displacement.of([ex.parse("sin(3*t)/20"), ex.parse("(cos(2*t) - 1)/30"), 0]))
            joint = Joint(joint.parameters, (shake, *joint.steps), joint.efforts)
        m.join(link.first, link.second, joint, name=link.name)
    m.gravity = [1, 2, -9]
    return m


def heavy(make: Callable[[random.Random], Mechanism], seed: int) -> Mechanism:
    """A random linkage with bodies that have mass."""
    m = make(random.Random(seed))
    for name in [name for name in m.bodies if name != "earth"]:
        m.bodies[name] = Mechanism().body(name, mass=1, centre=[0.1, 0.05, -0.1], inertia=[0.2, 0.3, 0.25])
    m.gravity = [0.3, -2, -9.81]
    return m
