"""Random trees with every kind of joint, chart, frame and effort, for tests that compare independent derivations."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

from dalembert import expr as ex
from dalembert.expr.space import ZERO3
from dalembert.mechanism import (
    Body,
    Displacement,
    Frame,
    Joint,
    Mechanism,
    Model,
    QuaternionTurn,
    Step,
    Turn,
    composite,
    cylindrical,
    earth,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    turn,
    universal,
    weld,
)

SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]


def random_vector(rng: random.Random, size: float = 1.0) -> list[float]:
    return [round(rng.uniform(-size, size), 3) for _ in range(3)]


def random_displacement(rng: random.Random) -> Displacement:
    turns = [turn(rng.uniform(-2, 2), random_vector(rng)) for _ in range(rng.randrange(3))]
    return Displacement.of(random_vector(rng) if rng.random() < 0.8 else (0, 0, 0), *turns)


def random_joint(rng: random.Random, *, moving_time: bool = True) -> Joint:
    axis = rng.choice(["x", "y", "z", "-y", random_vector(rng)])
    chart = rng.choice([*SEQUENCES, "quaternion", "quaternion"])
    speeds = None if chart == "quaternion" else rng.choice(["rates", "body"])
    x, t = ex.symbol("x"), ex.TIME
    makers = [
        lambda: revolute(axis),
        lambda: revolute(axis),
        lambda: prismatic(axis),
        lambda: screw(axis, lead=rng.uniform(-1, 1)),
        lambda: cylindrical(axis),
        lambda: universal(rng.choice([("x", "y"), ("z", "x"), (random_vector(rng), random_vector(rng))])),
        lambda: planar(rng.choice("xyz")),
        lambda: spherical(chart, speeds),
        lambda: free(chart, rng.choice([speeds, "body"])),
        weld,
        lambda: composite(["x"], Displacement.of([0, x * x, x], turn(2 * x, "y"))),
        lambda: composite(["x"], Displacement.of([x, 0, 0]), Displacement.of([0, 0, 0], turn(ex.sin(x), "z"))),
        lambda: composite(["a", "b"], Displacement.of([0, 0, 0], turn("a", "x")), Displacement.of(["b", "a*b", 0])),
    ]
    if moving_time:
        makers.append(lambda: composite(["x"], Displacement.of([ex.sin(2 * t), 0, 0]), Displacement.of([0, 0, x])))
        makers.append(lambda: composite([], Displacement.of([0, 0, 0], turn(t * t / 3, "z"))))
    joint = rng.choice(makers)()
    return loaded(rng, joint) if rng.random() < 0.4 else joint


def loaded(rng: random.Random, joint: Joint) -> Joint:
    """The joint with springs, dampers and wrenches on its steps."""
    if joint.parameters and rng.random() < 0.6:
        x = rng.choice(joint.parameters)
        return joint.with_efforts(**{x: f"-k*{x} - c*{x}' + sin(t)"})
    if not joint.steps:
        return joint
    place = rng.randrange(len(joint.steps))
    old = joint.steps[place]
    known = ex.symbol(joint.parameters[0]) if joint.parameters else ex.ONE
    push = tuple(ex.const(v) * ex.cos(known) for v in random_vector(rng))
    twist = tuple(ex.const(v) + ex.symbol("k") * known for v in random_vector(rng))
    step = Step(old.displacement, push, twist, old.speeds)
    steps = (*joint.steps[:place], step, *joint.steps[place + 1 :])
    return Joint(joint.parameters, steps, joint.efforts)


def random_body(rng: random.Random, mechanism: Mechanism, number: int) -> Body:
    a, b, c = (rng.uniform(0.2, 1) for _ in range(3))
    mass = ex.symbol(f"m{number}") if rng.random() < 0.5 else rng.uniform(0.5, 2)
    principal = [a + b, b + c, c + a]
    return mechanism.body(f"b{number}", mass=mass, inertia=principal, iframe=random_displacement(rng))


def random_tree(seed: int, bodies: int | None = None, *, moving_time: bool = True) -> Mechanism:
    rng = random.Random(seed)
    m = Mechanism(f"random {seed}")
    made: list[Body] = [earth]
    for i in range(1, (bodies or rng.randint(1, 12)) + 1):
        parent = rng.choice(made[-3:])
        body = random_body(rng, m, i)
        ends = [Frame(parent.name, random_displacement(rng)), Frame(body.name, random_displacement(rng))]
        if rng.random() < 0.3:
            ends.reverse()
        m.join(ends[0], ends[1], random_joint(rng, moving_time=moving_time), name=f"j{i}")
        made.append(body)
    m.gravity = random_vector(rng, 9)
    for _ in range(rng.randrange(4)):
        body, base = rng.choice(made[1:]), rng.choice(made)
        if rng.random() < 0.5:
            m.force(Frame(body.name, random_displacement(rng)), ["f", rng.uniform(-1, 1), "sin(t)"], base)
        else:
            m.torque(body, random_vector(rng), base)
    return m


def random_couplings(seed: int, bodies: int | None = None) -> Model:
    """A random tree in whose joints ropes, gears and cams are written: displacements by coordinates of other links."""
    rng = random.Random(seed)
    model = random_tree(seed, bodies).freeze()
    coordinates = [x for link in model.links.values() for x in link.coordinates]
    links = {}
    for name, link in model.links.items():
        others = [x for x in coordinates if x not in link.coordinates]
        if others and rng.random() < 0.6:
            x, y = (ex.symbol(rng.choice(others)) for _ in range(2))
            own = [ex.symbol(a) for a in link.joint.parameters] or [ex.ONE]
            moved = rng.choice(
                [
                    Displacement.of([0, 0, 0.5 * x]),
                    Displacement.of([0, 0, 0], turn(2 * x + 0.3 * y, random_vector(rng))),
                    Displacement.of([ex.sin(x) * y, 0, 0.2 * y * y], turn(x * y, "x"), turn(ex.TIME * x, "z")),
                    Displacement.of([0, x * rng.choice(own), 0], turn(0.7, [1, ex.cos(y), 0])),
                    Displacement.of([0, 0, x], QuaternionTurn((ex.cos(y), ex.ZERO, ex.sin(y), ex.ZERO))),
                ]
            )
            load = tuple(ex.const(v) * ex.cos(x) for v in random_vector(rng)) if rng.random() < 0.4 else ZERO3
            place = rng.randrange(len(link.joint.steps) + 1)
            steps = (*link.joint.steps[:place], Step(moved, load, load), *link.joint.steps[place:])
            if not (moved_by(moved) & set(own) and place == 0):
                link = replace(link, joint=replace(link.joint, steps=steps))
        links[name] = link
    return replace(model, links=links)


def moved_by(displacement: Displacement) -> set[ex.Expr]:
    return ex.free_symbols(displacement.scalars)


def random_state(
    mechanism: Mechanism | Model, coordinates: tuple[str, ...], speeds: tuple[str, ...], seed: int
) -> dict[str, float]:
    """Numbers for every name; quaternions have unit norm."""
    rng = random.Random(seed)
    state = {name: rng.uniform(-1, 1) for name in (*coordinates, *speeds)}
    state |= {name: rng.uniform(0.5, 1.5) for name in mechanism.parameters()}
    state["t"] = rng.uniform(0, 1)
    for link in mechanism.links.values():
        for step in link.placed_steps():
            for one in step.displacement.turns:
                if isinstance(one, QuaternionTurn) and one.components[0].op == "symbol":
                    names = [x.name for x in one.components]
                    norm = sum(state[x] ** 2 for x in names) ** 0.5
                    state |= {x: state[x] / norm for x in names}
    return state


__all__ = ["Turn", "random_displacement", "random_joint", "random_state", "random_tree"]
