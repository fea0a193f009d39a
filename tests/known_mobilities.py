"""Random and adversarial mobility questions whose answer is known by construction.

Each maker draws numbers and returns the mechanism, the posture, further equations, and the truth: the dimension of the
configuration space at the posture. The truth comes from signs of rational coefficients, exact determinants, or a
theorem about the family; nothing of `dalembert.loops` is used.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.mechanism import Displacement, Mechanism, composite, earth, prismatic, revolute, turn


@dataclass(frozen=True)
class Case:
    """A question; `truth` None when no posture near by closes exactly, so that nothing may be called proved."""

    mechanism: Mechanism
    truth: int | None
    at: dict[str, Any] = field(default_factory=dict)
    equations: tuple[ex.Expr, ...] = ()
    words: str = ""


def scale(rng: random.Random) -> Fraction:
    """A length between a nanometre and a gigametre, of few digits."""
    return Fraction(rng.randint(1, 99), 10) * Fraction(10) ** rng.randint(-9, 8)


def little(rng: random.Random) -> Fraction:
    """A perturbation between 1e-3 and 1e-15."""
    return rng.choice([-1, 1]) * Fraction(rng.randint(1, 9)) / 10 ** rng.randint(3, 15)


def number(rng: random.Random, most: int = 9) -> Fraction:
    return Fraction(rng.choice([-1, 1]) * rng.randint(1, most), rng.randint(1, 9))


# --- two slides on a curve through the origin ---------------------------------------------------------------------


def _slides(curve: ex.Expr, names: str = "XY") -> tuple[Mechanism, tuple[ex.Expr, ...]]:
    m = Mechanism("slides")
    for name in names:
        m.join(earth, m.body(f"b{name}"), prismatic("x"), name=name)
    return m, (ex.substitute([curve], {ex.symbol(n): ex.symbol(f"{n}.x") for n in names})[0],)


def _polynomial(rng: random.Random, x: ex.Expr, low: int, high: int) -> ex.Expr:
    total: ex.Expr = ex.ZERO
    for power in range(low, high + 1):
        if rng.random() < 0.5:
            total = total + ex.const(number(rng)) * x**power
    return total


def curve_of_two_slides(rng: random.Random) -> Case:
    """(Y - p)^2 = c X^m (1 + a X): isolated exactly when m is even and c < 0; a curve further out changes nothing."""
    x, y = ex.symbol("X"), ex.symbol("Y")
    size = scale(rng)
    u, v = x / ex.const(size), y / ex.const(size)
    m = rng.randint(2, 8)
    c = number(rng) if rng.random() < 0.7 else little(rng)
    a = number(rng, 90)
    p = _polynomial(rng, u, 1, 3)
    mechanism, equations = _slides((v - p) ** 2 - ex.const(c) * u**m * (1 + ex.const(a) * u))
    truth = 0 if m % 2 == 0 and c < 0 else 1
    return Case(mechanism, truth, equations=equations, words=f"(Y-p)^2 = {c} X^{m} (1+{a}X), size {float(size):g}")


def product_of_two_slides(rng: random.Random) -> Case:
    """(Y - p)(Y - q) (1 + ...): always a curve; or the sum of squares of two different curves: isolated."""
    x, y = ex.symbol("X"), ex.symbol("Y")
    size = scale(rng)
    u, v = x / ex.const(size), y / ex.const(size)
    m = rng.randint(1, 4)
    p = _polynomial(rng, u, 1, 4)
    q = p + ex.const(number(rng) if rng.random() < 0.7 else little(rng)) * u**m
    if rng.random() < 0.5:
        curve, truth = (v - p) * (v - q), 1
    else:
        curve, truth = (v - p) ** 2 + (v - q) ** 2, 0
    mechanism, equations = _slides(curve)
    return Case(mechanism, truth, equations=equations, words=f"product or sum of squares, contact {m}")


def three_slides(rng: random.Random) -> Case:
    """Surfaces through the origin whose local dimension is plain to see."""
    x, y, z = (ex.symbol(n) / ex.const(s) for s in [scale(rng)] for n in "XYZ")
    a, b = abs(number(rng)), abs(number(rng))
    shapes = [
        (x**2 + ex.const(a) * y**2 - ex.const(b) * z**3, 2),
        (x**2 + ex.const(a) * y**2 + ex.const(b) * z**4, 0),
        (x**2 + ex.const(a) * y**2 - ex.const(b) * z**2, 2),
        (x**2 + ex.const(a) * y**2 + ex.const(b) * z**2, 0),
        (x**2 + ex.const(a) * y**2, 1),
        (x**2 * y**2 + ex.const(a) * z**2, 1),
        (x * y * z, 2),
        (z - x**2 - y**2, 2),
        (z**3 + x * y**2, 2),
        (x**2 + y**4 - ex.const(b) * z**6, 2),
        (x**2 + ex.const(abs(little(rng))) * y**2 + z**2, 0),
        (x**2 - ex.const(abs(little(rng))) * y**2 + z**2, 2),
    ]
    shape, truth = rng.choice(shapes)
    mechanism, equations = _slides(shape, "XYZ")
    return Case(mechanism, truth, equations=equations, words=ex.text(shape))


# --- slots and toggles --------------------------------------------------------------------------------------------


def slot_and_toggle(rng: random.Random) -> Case:
    """Two bars a, b in line, from the origin to a pin in a slot y = y0 + sum c_k x^k.

    Stretched (y0 = a + b) they move the pin to x if D(x) = x^2 + y^2 - y0^2 <= 0, folded (y0 = a - b) if D(x) >= 0: the
    sign of the first coefficient of D tells. The slot is made to touch the circle to some order, by its own series.
    """
    size = scale(rng)
    a, b = (Fraction(rng.randint(1, 5)) for _ in range(2))
    stretched = a == b or rng.random() < 0.6
    y0 = a + b if stretched else a - b
    contact = rng.choice([0, 0, 2, 4, 6])
    series = _circle(y0, contact)
    order = rng.randint(2, 8)
    c = number(rng) if rng.random() < 0.7 else little(rng)
    series[order] = series.get(order, Fraction(0)) + c
    if rng.random() < 0.5:
        beyond = rng.randint(order + 1, 9)
        series[beyond] = series.get(beyond, Fraction(0)) + number(rng, 90)
    series = {k: v for k, v in series.items() if v}
    # D(x) = x^2 + y^2 - y0^2
    d: dict[int, Fraction] = {2: Fraction(1)}
    for i, u in series.items():
        for j, v in series.items():
            d[i + j] = d.get(i + j, Fraction(0)) + u * v
    d[0] -= y0 * y0
    first = min(k for k, v in d.items() if v)
    sense = -1 if stretched else 1
    truth = 1 if first % 2 or d[first] * sense > 0 else 0
    x = ex.symbol("x")
    u = x / ex.const(size)
    height = sum((ex.const(v * size) * (u**k if k else 1) for k, v in series.items()), ex.ZERO)
    m = Mechanism("toggle")
    slide, low, high = m.body("slide"), m.body("low"), m.body("high")
    m.join(earth, slide, composite(["x"], Displacement.of([x, height, 0])), name="slot")
    m.join(earth, low, revolute("z"), name="foot")
    m.join(low.at([0, a * size, 0]), high.at([0, a * size, 0]), revolute("z"), name="knee")
    m.join(high.at([0, y0 * size, 0]), slide, revolute("z"), name="pin")
    return Case(m, truth, words=f"slot {series}, bars {a} {b} {'stretched' if stretched else 'folded'}")


def _circle(radius: Fraction, order: int) -> dict[int, Fraction]:
    """sqrt(r^2 - x^2), or its negative for a negative radius, up to an order."""
    found, binomial = {0: radius}, Fraction(1)
    for k in range(1, order // 2 + 1):
        binomial *= (Fraction(1, 2) - (k - 1)) / k
        found[2 * k] = radius * binomial * (-1) ** k / radius ** (2 * k)
    return found


# --- plane linkages and their neighbours --------------------------------------------------------------------------


def _pins(name: str, pins: list[tuple[str, str, Any, Any]], size: Fraction) -> Mechanism:
    m = Mechanism(name)
    bodies: dict[str, Any] = {"earth": earth}
    for i, (first, second, p, axis) in enumerate(pins):
        for one in (first, second):
            if one not in bodies:
                bodies[one] = m.body(one)
        at = [c * size for c in p]
        m.join(bodies[first].at(at), bodies[second].at(at), revolute(axis), name=f"j{i}")
    return m


def _point(rng: random.Random) -> list[Fraction]:
    return [Fraction(rng.randint(-30, 30), 10), Fraction(rng.randint(-30, 30), 10), Fraction(0)]


def _area(p: Any, q: Any, r: Any) -> Fraction:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def tilted_four_bar(rng: random.Random) -> Case:
    """Turns about z and one about a tilted axis make nothing only if that one stands still: a triangle is left."""
    size = scale(rng)
    while True:
        points = [_point(rng) for _ in range(4)]
        if all(_area(points[i], points[(i + 1) % 4], points[(i + 2) % 4]) for i in range(4)):
            break
    tilted = rng.randrange(4)
    tilt = little(rng)
    axes: list[Any] = ["z"] * 4
    axes[tilted] = [tilt, 0, 1] if rng.random() < 0.5 else [0, tilt, 1]
    names = ["earth", "a", "b", "c", "earth"]
    m = _pins("tilted", [(names[i], names[i + 1], points[i], axes[i]) for i in range(4)], size)
    return Case(m, 0, words=f"tilt {float(tilt):g}")


def regular_four_bar(rng: random.Random) -> Case:
    """Pins in general position: the implicit function theorem, at any scale."""
    size = scale(rng)
    while True:
        points = [_point(rng) for _ in range(4)]
        if all(_area(points[i], points[(i + 1) % 4], points[(i + 2) % 4]) for i in range(4)):
            break
    names = ["earth", "a", "b", "c", "earth"]
    m = _pins("four_bar", [(names[i], names[i + 1], points[i], "z") for i in range(4)], size)
    return Case(m, 1, words=f"size {float(size):g}")


def offset_four_bar(rng: random.Random) -> Case:
    """A frame out of the plane: no posture closes."""
    case = regular_four_bar(rng)
    m = Mechanism("offset")
    size = scale(rng)
    points = [[0, 0, 0], [1, 2, 0], [4, 3, 0], [5, 0, 0]]
    off = little(rng)
    if abs(off) > Fraction(1, 10**9):
        off = off / 10**7
    bodies = [earth, m.body("a"), m.body("b"), m.body("c"), earth]
    for i, p in enumerate(points):
        other = [c * size for c in p]
        if i == 3:
            other[2] = other[2] + off * size
        m.join(bodies[i].at([c * size for c in p]), bodies[i + 1].at(other), revolute("z"), name=f"j{i}")
    return Case(m, None, words=f"offset {float(off):g}", at=case.at)


def line_four_bar(rng: random.Random) -> Case:
    """All pins on a line: rigid exactly when the longest bar is the sum of the others, however nearly it is."""
    size = scale(rng)
    while True:
        a, b, d = (Fraction(rng.choice([-3, -2, -1, 1, 2, 3])) for _ in range(3))
        if rng.random() < 0.5:
            b += little(rng)
        if a + b + d and b:
            break
    end = a + b + d
    points = [[0, 0, 0], [a, 0, 0], [a + b, 0, 0], [end, 0, 0]]
    bars = sorted([abs(a), abs(b), abs(d), abs(end)])
    names = ["earth", "a", "b", "c", "earth"]
    m = _pins("line", [(names[i], names[i + 1], p, "z") for i, p in enumerate(points)], size)
    return Case(m, 0 if bars[3] == sum(bars[:3]) else 1, words=f"bars {a} {b} {d}")


def parallel_cranks(rng: random.Random) -> Case:
    """Three parallel cranks carry a coupler: mobile if they are equal, rigid if one is longer by however little."""
    size = scale(rng)
    arm = [Fraction(rng.randint(5, 30), 10), Fraction(rng.randint(-30, 30), 10)]
    count = rng.randint(3, 4)
    feet = [[Fraction(7 * i + rng.randint(0, 4)), Fraction(rng.randint(-3, 3))] for i in range(count)]
    kind = rng.choice(["equal", "longer", "turned"])
    eps = little(rng)
    m = Mechanism("cranks")
    coupler = m.body("coupler")
    for i, foot in enumerate(feet):
        end = [foot[0] + arm[0], foot[1] + arm[1]]
        if i == count - 1 and kind == "longer":
            end = [foot[0] + arm[0] * (1 + eps), foot[1] + arm[1] * (1 + eps)]
        if i == count - 1 and kind == "turned":
            end[1] += eps
        crank = m.body(f"c{i}")
        low, top = ([c * size for c in p] + [0] for p in (foot, end))
        m.join(earth.at(low), crank.at(low), revolute("z"), name=f"low{i}")
        m.join(crank.at(top), coupler.at(top), revolute("z"), name=f"top{i}")
    if kind == "equal":
        return Case(m, 1, words="equal")
    if kind == "longer":
        # two equal cranks keep the coupler parallel; a third of another length then has no room but where it is. The
        # branch where the coupler turns does not pass here unless the feet lie along the arm.
        if any(_area([0, 0], arm, [f[0] - feet[0][0], f[1] - feet[0][1]]) == 0 for f in feet[1:]):
            return parallel_cranks(rng)
        return Case(m, 0, words=f"longer by {float(eps):g}")
    # three lines of force not in a point and not parallel: full rank
    lines = []
    for i, foot in enumerate(feet):
        e = [arm[0], arm[1] + (eps if i == count - 1 else 0)]
        lines.append([e[0], e[1], foot[0] * e[1] - foot[1] * e[0]])
    ranks = [_det3([lines[0], lines[j], lines[-1]]) for j in range(1, count - 1)]
    if not any(ranks):
        return parallel_cranks(rng)
    return Case(m, 0, words=f"turned by {float(eps):g}")


def _det3(m: list[list[Fraction]]) -> Fraction:
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


# --- spatial overconstrained families -----------------------------------------------------------------------------


def _hinges(name: str, bars: list[tuple[Any, Any]], start: list[float]) -> Case:
    m = Mechanism(name)
    n = len(bars)
    bodies = [earth, *(m.body(f"s{i}") for i in range(1, n))]
    for i, (length, twist) in enumerate(bars):
        m.join(bodies[i].at([length, 0, 0], turn(twist, "x")), bodies[(i + 1) % n], revolute("z"), name=f"j{i}")
    return Case(m, 1, {f"j{i}.th": v for i, v in enumerate(start)}, words=name)


def bennett(rng: random.Random) -> Case:
    """Lengths as the sines of the twists: mobile. A length that is off by little: no posture of a circuit closes."""
    import math

    size = scale(rng)
    al, be = Fraction(rng.randint(40, 75), 100), Fraction(rng.randint(85, 130), 100)
    eps = little(rng) if rng.random() < 0.5 else Fraction(0)
    a, b = f"({size})*sin({al})", f"({size})*sin({be})"
    first = rng.uniform(0.7, 2.3)
    x, y = float(al), float(be)
    k = math.sin((y + x) / 2) / math.sin((y - x) / 2)
    second = 2 * math.atan(k / math.tan(first / 2))
    off = f"{a}*(1 + ({eps}))"
    made = _hinges(
        "bennett", [(a, str(al)), (b, str(be)), (off, str(al)), (b, str(be))], [first, -second, -first, second]
    )
    return Case(made.mechanism, None if eps else 1, made.at, words=f"bennett {al} {be} eps {float(eps):g}")


def sarrus(rng: random.Random) -> Case:
    """Two arms of three parallel hinges in different planes: one freedom; one hinge tilted: six independent screws.

    The determinant of the six screws, in rational numbers, tells whether the tilted one is rigid.
    """
    size = scale(rng)
    eps = little(rng) if rng.random() < 0.6 else Fraction(0)
    h = Fraction(rng.randint(5, 20), 10)
    arms = []
    for direction in ([0, 1, 0], [1, rng.randint(0, 2), 0]):
        across = [direction[1], -direction[0], 0]
        out = Fraction(rng.randint(5, 20), 10)
        base = [Fraction(2 * c) for c in across]
        knee = [base[0] + out * across[0], base[1] + out * across[1], h]
        arms.append((direction, [base, knee, [base[0], base[1], 2 * h]]))
    m = Mechanism("sarrus")
    plate = m.body("plate")
    screws = []
    for i, (direction, points) in enumerate(arms):
        low, high = m.body(f"l{i}"), m.body(f"u{i}")
        chain = [earth, low, high, plate]
        for j, p in enumerate(points):
            axis = [Fraction(c) for c in direction]
            if eps and (i, j) == (1, 1):
                axis[2] += eps
            at = [c * size for c in p]
            m.join(chain[j].at(at), chain[j + 1].at(at), revolute(axis), name=f"h{i}{j}")
            screws.append([*axis, *_cross(p, axis)])
    if not eps:
        return Case(m, 1, words="sarrus")
    if _det(screws) == 0:
        return sarrus(rng)
    return Case(m, 0, words=f"sarrus tilted by {float(eps):g}")


def _cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _det(rows: list[list[Fraction]]) -> Fraction:
    a = [[Fraction(v) for v in row] for row in rows]
    total = Fraction(1)
    for i in range(len(a)):
        pivot = next((r for r in range(i, len(a)) if a[r][i]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            a[i], a[pivot], total = a[pivot], a[i], -total
        total *= a[i][i]
        for r in range(i + 1, len(a)):
            factor = a[r][i] / a[i][i]
            a[r] = [x - factor * y for x, y in zip(a[r], a[i], strict=True)]
    return total


def spherical_four_bar(rng: random.Random) -> Case:
    """Axes through a point: one freedom; an axis moved off by little leaves full rank, by determinants."""
    size = scale(rng)
    while True:
        axes = [[Fraction(rng.randint(-3, 3)) for _ in range(3)] for _ in range(4)]
        if all(_det3([axes[i] for i in range(4) if i != j]) for j in range(4)):
            break
    eps = little(rng) if rng.random() < 0.5 else Fraction(0)
    point = [Fraction(rng.randint(-9, 9)) for _ in range(3)]
    m = Mechanism("spherical")
    bodies = [earth, m.body("a"), m.body("b"), m.body("c"), earth]
    screws = []
    for i, axis in enumerate(axes):
        p = list(point)
        if i == 3 and eps:
            side = _cross(axis, axes[0])
            p = [c + eps * s for c, s in zip(point, side, strict=True)]
        at = [c * size for c in p]
        m.join(bodies[i].at(at), bodies[i + 1].at(at), revolute(axis), name=f"j{i}")
        screws.append([*axis, *_cross(p, axis)])
    if not eps:
        return Case(m, 1, words="spherical")
    # four screws of which none is a sum of the others: no instantaneous motion
    from itertools import combinations

    if not any(_det([[s[c] for c in columns] for s in screws]) for columns in combinations(range(6), 4)):
        return spherical_four_bar(rng)
    return Case(m, 0, words=f"spherical off by {float(eps):g}")


def stretched_chain(rng: random.Random) -> Case:
    """Bars stretched between two points (rigid), or slack and folded on the line (two freedoms less than bars)."""
    size = scale(rng)
    count = rng.randint(3, 5)
    steps = [Fraction(rng.randint(1, 4)) for _ in range(count)]
    folded = rng.random() < 0.5
    if folded:
        i = rng.randrange(count)
        steps[i] = -steps[i] if rng.random() < 0.5 else -abs(little(rng))
    if sum(steps) == 0:
        return stretched_chain(rng)
    points, x = [[Fraction(0)] * 3], Fraction(0)
    for s in steps:
        x += s
        points.append([x, Fraction(0), Fraction(0)])
    names = ["earth", *(f"b{i}" for i in range(count)), "earth"]
    m = _pins("chain", [(names[i], names[i + 1], p, "z") for i, p in enumerate(points)], size)
    bars = sorted([*(abs(s) for s in steps), abs(x)])
    return Case(m, 0 if bars[-1] == sum(bars[:-1]) else count - 2, words=f"steps {steps}")


MAKERS: tuple[Callable[[random.Random], Case], ...] = (
    curve_of_two_slides,
    curve_of_two_slides,
    product_of_two_slides,
    three_slides,
    slot_and_toggle,
    slot_and_toggle,
    slot_and_toggle,
    tilted_four_bar,
    regular_four_bar,
    offset_four_bar,
    line_four_bar,
    line_four_bar,
    parallel_cranks,
    bennett,
    sarrus,
    spherical_four_bar,
    stretched_chain,
)


def case(seed: int) -> Case:
    rng = random.Random(seed)
    return MAKERS[seed % len(MAKERS)](rng)
