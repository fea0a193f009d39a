"""Stability says what its theorem gives: energy, the linear part, the centre manifold; else that it does not know."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import expr as ex
from dalembert.analysis import equilibria, linearize
from dalembert.analysis.flat import strict_minimum


def cart(law: str) -> da.Mechanism:
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("c", mass=1), da.prismatic("x").with_efforts(x=law), name="s")
    return m


def at_origin(m: da.Mechanism, name: str = "s.x"):
    return next(e for e in equilibria(m) if abs(e.coordinates[name]) < 1e-6)


@pytest.mark.parametrize(
    ("law", "verdict", "word"),
    [
        ("-x + (x')^3", "unstable", "gained"),
        ("-x + x'*abs(x')", "unstable", "gained"),
        ("-x - (x')^3", "asymptotically stable", "LaSalle"),
        ("-x - x'*abs(x')", "asymptotically stable", "LaSalle"),
        ("-x - sign(x')", "stable", "energy"),
        ("-x", "stable", "Lagrange-Dirichlet"),
        ("-x - x'", "asymptotically stable", "Lyapunov"),
        ("x - x'", "unstable", "Lyapunov"),
        ("-x + x^2*x'", "unstable", "coefficient"),
        ("-x - x^2*x'", "asymptotically stable", "coefficient"),
        ("-x + x*x'", "undecided", "has no sign"),  # a centre, by reversal of time and side
        ("-x^3", "stable", "higher order"),
        ("-x^3 - x'", "asymptotically stable", "higher order"),
        ("-x^3 + (x')^3", "unstable", "gained"),
        ("-x*abs(x)", "undecided", "second order"),  # V = |x|^3/3 has no powers
        ("-abs(x)", "undecided", "corner"),
        ("-x - (1 - x'^2)*x'^3", "asymptotically stable", "coefficient"),
    ],
)
def test_forces_that_depend_on_speeds_need_their_own_argument(law, verdict, word):
    found = at_origin(cart(law))
    assert (found.stability, word in found.reason) == (verdict, True), found.reason
    assert found.as_dict()["reason"] == found.reason


@pytest.mark.parametrize("seed", range(6))
def test_the_lyapunov_coefficient_agrees_with_the_return_map(seed):
    """Amplitude after one turn, from two small amplitudes, by an independent integration."""
    a, b, c, d, e, f = np.random.default_rng(seed).uniform(-1, 1, 6)
    law = f"-x + {a}*x'^2 + {b}*x*x' + {c}*x'^3 + {d}*x^2*x' + {e}*x*x'^2 + {f}*x^3"

    def rate(t, y):
        x, v = y
        return [v, -x + a * v**2 + b * x * v + c * v**3 + d * x**2 * v + e * x * v**2 + f * x**3]

    def turn(r):
        def crossing(t, y):
            return y[1] if t > 1 else -1.0

        crossing.direction, crossing.terminal = -1, False
        run = solve_ivp(rate, (0, 9), [r, 0.0], rtol=1e-12, atol=1e-15, events=crossing)
        return run.y_events[0][0][0] - r

    growth = turn(0.05)
    found = at_origin(cart(law))
    assert found.stability == ("unstable" if growth > 0 else "asymptotically stable"), (growth, found.reason)


def closed_pendulum(effort: str) -> da.Mechanism:
    """One bar on two coaxial hinges: a loop that says nothing, with a law on the first hinge."""
    m = da.Mechanism("closed")
    bob = m.body("bob", mass=2, centre=[0, 0, -1], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, bob, da.revolute("x").with_efforts(th=effort), name="p")
    m.join(da.earth.at([0.3, 0, 0]), bob.at([0.3, 0, 0]), da.revolute("x"), name="q")
    m.gravity = [0, 0, -10]
    return m


@pytest.mark.parametrize(
    ("effort", "verdicts"),
    [
        ("0", {"stable"}),
        ("th'^3", {"unstable", "undecided"}),
        ("-th'^3", {"stable", "asymptotically stable"}),
        ("th'*abs(th')", {"unstable", "undecided"}),
        ("-th'", {"asymptotically stable"}),
    ],
)
def test_closed_machines_are_judged_by_the_same_theorems(effort, verdicts):
    assert at_origin(closed_pendulum(effort), "p.th").stability in verdicts


def test_a_force_without_potential_beyond_its_linear_part_is_no_energy():
    """-x + y^2 on x and -y on y: the stiffness is symmetric, the field has a curl."""
    m = da.Mechanism("curl")
    slide = m.body("slide")
    m.join(da.earth, slide, da.prismatic("x").with_efforts(x="-x + q.x^2"), name="p")
    m.join(slide, m.body("c", mass=1), da.prismatic("y").with_efforts(x="-x"), name="q")
    found = next(e for e in equilibria(m) if all(abs(v) < 1e-6 for v in e.coordinates.values()))
    assert found.stability == "undecided"


@pytest.mark.parametrize("law", ["-x - mu*sign(x')", "-x - abs(x')", "-max(x, 0)", "-sqrt(abs(x))"])
def test_there_is_no_linear_part_at_a_kink(law):
    with pytest.raises(da.ModelError, match="no linear equations here"):
        linearize(cart(law), {"s.x": 0})
    assert linearize(cart(law), {"s.x": 1, "s.x'": 1}).states == ("s.x", "s.x'")


def test_a_corner_that_is_smooth_enough_is_no_kink():
    assert linearize(cart("-k*x - x'*abs(x')"), {"s.x": 0}).numbers({"k": 4.0})[0] == pytest.approx(
        np.array([[0, 1], [-4, 0]])
    )


def test_a_kink_of_a_closed_machine_is_told_too():
    with pytest.raises(da.ModelError, match="no linear equations here"):
        linearize(closed_pendulum("-sign(th')"), {"p.th": 0.0})
    assert at_origin(closed_pendulum("-sign(th')"), "p.th").stability in ("stable", "undecided")


def test_a_driven_machine_rests_only_at_a_frozen_time():
    m = cart("-x + sin(t)")
    with pytest.raises(da.ModelError, match=r"changes with time.*t=0.0"):
        equilibria(m)
    (found,) = equilibria(m, t=0.5)
    assert found.coordinates["s.x"] == pytest.approx(np.sin(0.5))
    assert found.frozen_at == 0.5
    assert "held at t = 0.5" in found.reason
    assert at_origin(cart("-x")).frozen_at is None


@pytest.mark.parametrize(
    ("law", "verdict", "word"),
    [
        ("-x + (x^2 - 1e-6)*x'", "asymptotically stable", "left"),  # a small damper beats a cubic gain near rest
        ("-x - (x^2 - 1e-6)*x'", "unstable", "right"),
        ("-x + (x^2 - 1e-12)*x'", "undecided", "too near"),
        ("-x + 0.0001*x'^5 + 100*x'^3*x^4 - 1e-9*x'^9", "undecided", "no sign"),  # differences saw the seventh order
        ("-1e12*x + 1e-3*x'", "unstable", "right"),
    ],
)
def test_the_linear_part_is_asked_down_to_rounding(law, verdict, word):
    found = at_origin(cart(law))
    assert (found.stability, word in found.reason) == (verdict, True), found.reason


@pytest.mark.parametrize(
    ("law", "verdict"),
    [
        ("-(x - 1)^4", "unstable"),
        ("(x - 1)^4", "unstable"),
        ("-(x - 1)^5", "stable"),
        ("(x - 1)^3", "unstable"),
        ("-(x - 1)^2", "unstable"),
        ("-(x - 1)^4 + x'^2", "undecided"),
        ("-x^9", "undecided"),  # beyond the powers that are looked at
    ],
)
def test_where_equilibria_meet_there_is_one_and_its_stiffness_says_nothing(law, verdict):
    """Newton stops beside a multiple root, on either side by chance: the sign of the stiffness there is chance too."""
    (found,) = equilibria(cart(law))
    assert found.stability == verdict, found.reason
    assert abs(found.coordinates["s.x"] - (0 if law == "-x^9" else 1)) < 1e-4


X, Y = ex.symbols("x y")


@pytest.mark.parametrize(
    ("potential", "truth"),
    [
        (X**2 + Y**4, True),
        (X**2 - Y**4, False),
        ((X - Y**2) ** 2 + Y**6, True),
        ((X - Y**2) ** 2 - Y**6, False),
        ((X - Y**2) ** 2, None),  # a valley
        ((X - Y**2) ** 2 + X**3, True),  # y^6 along the valley
        (X**4 + Y**4 - X**2 * Y**2, True),
        (X**4 + Y**4 - 2 * X**2 * Y**2, None),  # (x^2 - y^2)^2
        (X**4 + Y**6 + X**2 * Y**3, True),
        (X**4 + Y**6 - 3 * X**2 * Y**3, None),
        (X**2 + Y**3, False),
        (1 - ex.cos(X) + Y**4, True),
        (ex.cos(X) - 1 + X**2 / 2 + Y**2, True),  # x^4/24
    ],
)
def test_minima_that_second_order_does_not_show(potential, truth):
    assert strict_minimum(potential, [X, Y], [0.0, 1e-9], [1.0, 1.0]) is truth


@pytest.mark.parametrize("seed", range(25))
def test_no_flat_minimum_is_called_strict_where_lower_places_are_near(seed):
    """Random valleys: places along a curve x = a y^2 + b y^3 and around tell whether the potential falls below."""
    rng = np.random.default_rng(seed)
    a, b, c, d = (int(v) for v in rng.integers(-3, 4, 4))
    k = int(rng.integers(3, 7))
    potential = (X - a * Y**2 - b * Y**3) ** 2 + c * Y**k + d * X * Y ** int(rng.integers(2, 5))
    found = strict_minimum(potential, [X, Y], [0.0, 0.0], [1.0, 1.0])
    y = np.array([s * r for r in (1e-3, 1e-2) for s in (-1, 1)])
    shift = np.linspace(-4, 4, 4001)[:, None]
    x = a * y**2 + b * y**3 + shift * y**2
    lowest = np.array(ex.evaluate([potential], {X: x, Y: y + 0 * x})[0]).min(axis=0)
    if found:
        assert (lowest > 0).all()
    if found is False:
        assert (lowest < 0).any()


@pytest.mark.parametrize(
    ("law", "roots", "unit"),
    [
        ("-2*(1 - exp(-X))*exp(-X)", {0.0}, 1.0),  # Morse
        ("24*(2/(1 + X)^13 - 1/(1 + X)^7)", {2 ** (1 / 6) - 1, -(2 ** (1 / 6)) - 1}, 1.0),  # Lennard and Jones
        ("-X^3*exp(-X)", {0.0}, 1e-3),
        ("-X^7", {0.0}, 1e3),
    ],
)
def test_forces_that_die_away_or_grow_without_end_have_no_rest_beside_their_zeros(law, roots, unit) -> None:
    """Far out a force is as small as one likes, near a pole others are as large as one likes: neither is a balance."""
    m = da.Mechanism("in a potential")
    effort = law.replace("X", f"(x/{unit!r})")
    m.join(da.earth, m.body("a", mass=1), da.prismatic("x").with_efforts(x=effort), name="p")
    places = [one.coordinates["p.x"] / unit for one in m.equilibria(spread=3.2 * unit, starts=60)]
    assert places
    assert all(min(abs(x - root) for root in roots) < 1e-4 for x in places)
    assert len(places) <= len(roots)


def hoop(rate: float | str) -> da.Mechanism:
    """A bead on a hoop of radius 1 that a drive turns about its vertical diameter, in a field of 9."""
    m = da.Mechanism("hoop")
    m.join(
        da.earth,
        m.body("bead", mass=2),
        da.composite(["th"], da.turn(f"({rate})*t", "z"), da.turn("th", "y"), [0, 0, -1]),
        name="h",
    )
    m.gravity = [0, 0, -9]
    return m


@pytest.mark.parametrize(("rate", "stable"), [(2.0, {0.0}), (3.0, {0.0}), (6.0, {-1.3181, 1.3181})])
def test_who_is_driven_along_feels_a_potential_of_its_own(rate, stable):
    """V - T0 = -m g R cos th - m R^2 sin^2 th rate^2/2 decides, at rate^2 = g/R by its fourth order."""
    found = hoop(rate).equilibria()
    assert {round(e.coordinates["h.th"], 4) for e in found if e.stability == "stable"} == stable
    assert all(e.stability == "unstable" for e in found if round(e.coordinates["h.th"], 4) not in stable)
    assert all("T2 - T0 + V is kept" in e.reason for e in found if e.stability == "stable")


def test_a_drive_that_quickens_keeps_no_integral():
    """Held at an instant it has the rests of that pace; that they last nobody has shown."""
    m = hoop("rate*t")
    m.given = {"rate": 3.0}
    assert {e.stability for e in m.equilibria(t=1.0)} == {"undecided", "unstable"}


def sprung(turned: bool, weight: float, unit: float = 1.0) -> da.Mechanism:
    """A point in a plane, tied to its origin by a spring of one unit: its search begins where the spring has none."""
    m = da.Mechanism("point")
    turns = [da.turn("t", "z")] if turned else []
    m.join(da.earth, m.body("p", mass=1), da.composite(["x", "y"], *turns, ["x", "y", 0]), name="p")
    m.spring(da.earth, m.bodies["p"], stiffness=5, length=unit)
    m.gravity = [0, -weight * unit, 0]
    return m


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_search_that_begins_where_a_spring_has_no_direction_finds_what_there_is(unit):
    m = sprung(False, 1.0, unit)
    found = m.equilibria()
    assert [(e.stability, round(e.coordinates["p.y"] / unit, 9)) for e in found] == [
        ("stable", -1.2),
        ("unstable", 0.8),
    ]


@pytest.mark.parametrize(("turned", "radius", "start"), [(False, 1.0, {"p.x": 0.3, "p.y": 0.4}), (True, 1.25, {})])
def test_a_ring_of_equilibria_is_told_by_one_of_them(turned, radius, start):
    """k (r - 1) = m r in the frame that turns once in a second: time is in the formulas and not in the machine."""
    (one,) = sprung(turned, 0.0).equilibria(at=start)
    assert abs(np.hypot(*one.coordinates.values()) - radius) < 1e-9
    assert one.frozen_at is None


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_a_chain_hung_at_both_ends_is_found_where_it_hangs(unit):
    """Ten links, span 0.7 of their length: Newton's method alone comes to no balance at all, or to standing ones."""
    m, before = da.Mechanism("chain"), da.earth
    for i in range(10):
        link = m.body(f"l{i}", mass=0.1, centre=[0.05 * unit, 0, 0], inertia=[1e-4 * unit**2] * 3)
        m.join(before if i == 0 else before.at([0.1 * unit, 0, 0]), link, da.revolute("y"), name=f"j{i}")
        before = link
    m.join(before.at([0.1 * unit, 0, 0]), da.earth.at([0.7 * unit, 0, 0]), da.revolute("y"), name="end")
    m.gravity, m.start = [0, 0, -9.81 * unit], {"j0.th": 0.8}
    (rest,) = [e for e in m.equilibria() if e.stability == "stable"]
    bends = [rest.coordinates[f"j{i}.th"] for i in range(1, 10)]
    assert np.allclose(bends, bends[::-1], atol=1e-9)
    assert max(bends) < 0
    angles = np.cumsum([rest.coordinates["j0.th"], *bends])
    # each hinge carries the same pull across, and the weight of what hangs below it
    weights = 0.5 - np.arange(10) / 10 - 0.05
    assert np.ptp(np.tan(angles) / weights) < 1e-8
