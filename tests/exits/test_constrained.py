"""Random machines under random constraints against a saddle point in NumPy that shares no code with the package.

Conditions of every kind (between coordinates, on places, distances, velocities, angular velocities, affine or not,
moved by time) with perfect reactions or random pushes. The oracle composes the motion as series in time and reads rows
off their coefficients; it knows neither rows nor multipliers of the package.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from closed_machines import closed_machine, reference_state
from closed_oracle import ClosedOracle, solutions

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from oracle import Series
from random_mechanisms import random_state, random_tree

TREES, LOOPS = range(14), (0, 1, 2, 5, 7)


def velocity(x) -> np.ndarray:
    """Series of the derivatives of some series."""
    return np.array([Series(Series.of(s).c[1], 2 * Series.of(s).c[2]) for s in np.ravel(x)]).reshape(np.shape(x))


def root(x: Series) -> Series:
    return x.compose(np.sqrt, lambda a: 0.5 / np.sqrt(a), lambda a: -0.25 * a**-1.5)


@dataclass(frozen=True)
class Part:
    """A quantity as the package writes it, and as a series of the motion; `order` of the rates that it holds."""

    text: str
    series: Callable
    order: int


class Draw:
    """Random quantities of a machine."""

    def __init__(self, m: da.Mechanism, rng: random.Random) -> None:
        layout = Layout.of(m)
        self.rng, self.bodies = rng, [body.name for body in layout.bodies[1:]]
        self.coordinates = [x for x in layout.coordinates if not x.endswith((".e0", ".e1", ".e2", ".e3"))]

    def place(self) -> Part:
        rng, k = self.rng, self.rng.randrange(3)
        body, other = rng.choice(self.bodies), rng.choice(["earth", *self.bodies])
        axis = "xyz"[k]
        choices = [Part(f"pos({body}, {axis})", lambda v, p: p[body][1][k], 0)] * 2
        if other != body:
            seen = Part(
                f"pos({body}, {axis}, {other})", lambda v, p: (p[other][0].T @ (p[body][1] - p[other][1]))[k], 0
            )
            choices.append(seen)
            j = rng.randrange(3)
            choices.append(
                Part(f"axis({body}, {axis}, {'xyz'[j]}, {other})", lambda v, p: (p[other][0].T @ p[body][0])[j, k], 0)
            )
        if self.coordinates:
            x = rng.choice(self.coordinates)
            choices += [Part(f"sin({x})", lambda v, p: v[x].compose(np.sin, np.cos, lambda a: -np.sin(a)), 0)] * 3
        return rng.choice(choices)

    def motion(self) -> Part:
        rng, k = self.rng, self.rng.randrange(3)
        body, base, axis = rng.choice(self.bodies), rng.choice(["earth", *self.bodies]), "xyz"[k]
        moved = Part(f"vel({body}, {axis}, {base})", lambda v, p: (p[base][0].T @ velocity(p[body][1]))[k], 1)

        def spin(v, p):
            w = velocity(p[body][0]) @ p[body][0].T
            return (p[base][0].T @ np.array([w[2, 1], w[0, 2], w[1, 0]]))[k]

        turned = Part(f"omega({body}, {axis}, {base})", spin, 1)
        inner = self.place()
        rate = Part(f"rate({inner.text})", lambda v, p: velocity([inner.series(v, p)])[0], 1)
        return rng.choice([moved, turned, rate])

    def condition(self) -> Part:
        rng = self.rng
        a, b = round(rng.uniform(0.5, 2), 2), round(rng.uniform(-2, -0.5), 2)
        kind = rng.random()
        if kind < 0.4:
            x, y = self.place(), self.place()
            text = f"{a}*{x.text} + {b}*{x.text}*{y.text} + {y.text} = sin(2*t)/3 + 0.1"

            def told(v, p):
                own, other = x.series(v, p), y.series(v, p)
                law = (2 * v["t"]).compose(np.sin, np.cos, lambda s: -np.sin(s)) / 3 + 0.1
                return a * own + b * (own * other) + other - law

            return Part(text, told, 0)
        x, y = self.motion(), self.motion()
        if kind < 0.8:
            place = self.place()
            text = f"{a}*{x.text} + {b}*{place.text}*{y.text} = 0.2*t"
            return Part(
                text, lambda v, p: a * x.series(v, p) + b * (place.series(v, p) * y.series(v, p)) - 0.2 * v["t"], 1
            )
        text = f"{a}*{x.text}**2 + {x.text}*{y.text} + {y.text} = 1"
        return Part(
            text,
            lambda v, p: a * x.series(v, p) * x.series(v, p) + x.series(v, p) * y.series(v, p) + y.series(v, p) - 1,
            1,
        )

    def push(self) -> list[tuple[float, Part]]:
        return [(round(self.rng.uniform(0.5, 2), 2), self.rng.choice([self.place, self.motion])()) for _ in range(2)]


class Saddle(ClosedOracle):
    """M z = f + J^T mu + W^T lambda, J z = c, G z = gamma."""

    def row(self, part: Part, u) -> tuple[np.ndarray, float]:
        """How the last free coefficient of a quantity depends on the accelerations, and what it is without them."""
        zero, order = np.zeros(self.n), 2 - part.order

        def at(udot):
            values = self.path(u, udot)
            return (2 if order == 2 else 1) * Series.of(part.series(values, self.frames(values))).c[order]

        still = at(zero)
        return np.array([at(unit) - still for unit in np.eye(self.n)]), -still

    def form(self, part: Part) -> np.ndarray:
        """The virtual change for a unit of each speed."""
        zero, order = np.zeros(self.n), 1 - part.order

        def at(u):
            values = self.path(u, zero)
            return Series.of(part.series(values, self.frames(values))).c[order]

        return np.array([at(unit) - at(zero) for unit in np.eye(self.n)])

    def solve(self, u, conditions, pushes):
        """u', lambda, and how well the problem is posed."""
        whole = self.speeds(np.asarray(u, dtype=float)) if self.cuts else np.asarray(u, dtype=float)
        self.state |= dict(zip(self.layout.speeds, whole, strict=True))
        pairs = [self.row(part, whole) for part in conditions]
        g, gamma = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
        w = np.array(
            [row if push is None else sum(c * self.form(one) for c, one in push) for row, push in zip(g, pushes)]
        )
        particular, null = np.zeros(self.n), np.eye(self.n)
        if self.cuts:
            zero = np.zeros(self.n)
            still = 2 * self.gaps(whole, zero, 2)
            jacobian = np.array([2 * self.gaps(whole, row, 2) - still for row in np.eye(self.n)]).T
            particular, null = solutions(*self.levelled(jacobian, -still))
        mass, force = self.mass_matrix(), self.bias() + self.forces()
        m, f = null.T @ mass @ null, null.T @ (force - mass @ particular)
        g, gamma, w = g @ null, gamma - g @ particular, w @ null
        k, r = len(m), len(g)
        sizes = np.sqrt(np.diag(m))
        unit = [np.linalg.norm(rows / sizes, axis=1) for rows in (g, w)]
        matrix = np.block(
            [
                [m / np.outer(sizes, sizes), -(w / sizes / unit[1][:, None]).T],
                [g / sizes / unit[0][:, None], np.zeros((r, r))],
            ]
        )
        found = np.linalg.solve(matrix, np.concatenate([f / sizes, gamma / unit[0]]))
        accelerations = particular + null @ (found[:k] / sizes)
        return accelerations[: len(self.tree_speeds)], found[k:] / unit[1], np.linalg.cond(matrix)


def constrained(m: da.Mechanism, state: dict[str, float], seed: int):
    """The machine with random constraints, and what the oracle says of it; None where they cannot be."""
    rng = random.Random(seed)
    oracle = Saddle(m, state)
    u = [state[x] for x in oracle.tree_speeds]
    draw = Draw(m, rng)
    count = rng.randint(1, max(1, min(3, len(u) - 1)))
    conditions = [draw.condition() for _ in range(count)]
    pushes = [None if rng.random() < 0.5 else draw.push() for _ in conditions]
    try:
        a, multipliers, condition = oracle.solve(u, conditions, pushes)
    except np.linalg.LinAlgError:
        return None
    if not condition < 1e5:
        return None
    for number, (one, push) in enumerate(zip(conditions, pushes, strict=True)):
        by = None if push is None else " + ".join(f"{c}*d({part.text})" for c, part in push)
        m.constrain(one.text, by=by, name=f"c{number}")
    return a, multipliers


def drawn(seed: int, loop: bool):
    for attempt in range(40):
        if loop:
            m = closed_machine(seed)
            state = {**reference_state(m), **m.start}
        else:
            m = random_tree(100 * seed + attempt, bodies=2 + seed % 4)
            layout = Layout.of(m)
            if len(layout.speeds) < 2:
                continue
            state = random_state(m, layout.coordinates, layout.speeds, seed)
        found = constrained(m, state, 1000 * seed + attempt)
        if found is not None:
            return m, state, *found
    raise AssertionError("no machine was drawn")


@pytest.mark.parametrize(("seed", "loop"), [*((seed, False) for seed in TREES), *((seed, True) for seed in LOOPS)])
def test_accelerations_and_multipliers_are_those_of_the_saddle_point(seed: int, loop: bool) -> None:
    m, state, wanted, weights = drawn(seed, loop)
    about = dynamics_of(Layout.of(m))
    rows = [k for k, name in enumerate(about.rows.owners) if name in {one.name for one in m.constraints}]
    values = {ex.symbol(x): v for x, v in state.items()}
    # The states drawn are not on the constraints: perfect affine rows have the power of what they are off by, too.
    plain = [k for k in rows if k not in about.rows.pushed and k not in about.rows.bent]
    off = sum((about.multipliers[k] * about.rows.conditions[k] for k in plain), ex.ZERO)
    told = [*about.accelerations(), *(about.multipliers[k] for k in rows), about.energies.power + off]
    found = np.array([float(x) for x in ex.evaluate(about.solved(told), values)])
    n = len(wanted)
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(found[:n] / scale, wanted / scale, rtol=0, atol=1e-9)
    size = np.abs(weights).max()
    np.testing.assert_allclose(found[n : n + len(rows)] / size, weights / size, rtol=0, atol=1e-9)
    # d(T + V)/dt along these accelerations is the power of drives, friction and efforts.
    moving = {
        ex.TIME: ex.ONE,
        **dict(zip(about.coordinates, about.rates)),
        **dict(zip(about.speeds, map(ex.const, map(float, wanted)))),
    }
    rate = sum(float(x) for x in ex.evaluate(ex.tangent(about.energy, moving), values))
    if not loop and not about.layout.cuts:
        assert rate == pytest.approx(found[n + len(rows)], abs=1e-8 * max(1.0, abs(rate), scale))
