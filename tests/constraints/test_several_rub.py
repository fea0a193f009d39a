"""Several contacts with dry friction in one machine: each sticks and slips with the reaction of Coulomb's law."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.simulate.runs.modes import Shared

G = 9.81
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def balanced(mo, share=1e-8):
    energy = mo.energy()
    assert np.abs(energy - energy[0] - mo.work()).max() < share * max(np.ptp(energy), abs(mo.work()).max())


def rail(m, name, mass, before, slip=None, friction=0.3):
    """A block on a straight rail along x that is kept on it; `slip` is against what it rubs."""
    slide, block = m.body(f"{name}_slide"), m.body(name, mass=mass)
    m.join(before, slide, da.prismatic("x"), name=f"{name}x")
    m.join(slide, block, da.prismatic("z"), name=f"{name}z")
    m.constrain(f"{name}z.x = 0", by=da.coulomb(friction, slip or f"{name}x.x'"), name=f"{name}_rubs")
    return block


def test_two_blocks_on_a_spring_stop_together_and_stay():
    """In each other's mirror: 2 mu m g / k of their distance are lost in every swing."""
    m, k = da.Mechanism("two"), 50.0
    m.gravity = [0, 0, -G]
    a, b = (rail(m, name, 2.0, da.earth) for name in "ab")
    m.force(a, [f"-{k}*(ax.x - bx.x)", 0, 0])
    m.force(b, [f"{k}*(ax.x - bx.x)", 0, 0])
    mo = m.simulate((0, 6), start={"ax.x": 1.0}, **EXACT)
    swing, lost = np.pi / np.sqrt(k), 2 * 0.3 * 2 * G / k
    for name in "ab":
        assert mo.events[f"{name}_rubs.stops"] == pytest.approx(swing * np.arange(1, 5), rel=1e-8)
        assert mo[f"{name}_rubs.sticks"][-1] == 1
    left = 1 - 4 * lost
    assert mo["ax.x"][-1] - mo["bx.x"][-1] == pytest.approx(left, abs=1e-9)
    assert mo["a_rubs.friction"][-1] == pytest.approx(k * left, rel=1e-8)
    assert mo["b_rubs.friction"][-1] == pytest.approx(-k * left, rel=1e-8)
    balanced(mo)


@pytest.fixture(scope="module")
def stack():
    """A block on a block on the floor, the upper one pushed: relative coordinates, both contacts kept."""
    m = da.Mechanism("stack")
    m.gravity = [0, 0, -G]
    base = rail(m, "a", "lower", da.earth, friction="below")
    m.force(rail(m, "b", "upper", base, friction="between"), ["size*sin(w*t)", 0, 0])
    return m


def stacked(lower, upper, below, between, push, end):
    """The same in numbers: of the nine ways to stick and slip, the one that the law allows; SciPy from event to event.

    State: place and speed of the lower block, and of the upper one on it.
    """
    holds = np.array([below * (lower + upper) * G, between * upper * G])

    def solved(t, signs):
        """Accelerations of both slips and friction forces, with signs of the slips (0: sticks)."""
        f1, f2 = -np.array(signs) * holds
        F = push(t)
        if signs == (0, 0):
            return 0.0, 0.0, -F, -F
        if signs[0] == 0:  # the lower one stands
            return 0.0, (F + f2) / upper, f2, f2
        if signs[1] == 0:  # both as one
            a = (F + f1) / (lower + upper)
            return a, 0.0, f1, upper * a - F
        a = (f1 - f2) / lower
        return a, (F + f2) / upper - a, f1, f2

    def decided(t, slips):
        for signs in sorted(product((0, 1, -1), repeat=2), key=lambda s: sum(map(abs, s))):
            a1, a2, f1, f2 = solved(t, signs)
            fits = True
            for sign, slip, a, f, hold in zip(signs, slips, (a1, a2), (f1, f2), holds, strict=True):
                if abs(slip) > 1e-10:
                    fits &= sign == np.sign(slip)
                elif sign == 0:
                    fits &= abs(f) <= hold * (1 + 1e-12)
                else:
                    fits &= sign * a > 0
            if fits:
                return signs
        raise AssertionError

    t, y, number = 0.0, np.zeros(4), 0
    signs = decided(0.0, (0, 0))
    while t < end:
        events = []
        for k in (0, 1):

            def stops(t, y, k=k, signs=signs):
                return signs[k] * y[2 + k] if signs[k] else 1.0

            def breaks(t, y, k=k, signs=signs):
                return 1.0 if signs[k] else holds[k] - abs(solved(t, signs)[2 + k])

            for one in (stops, breaks):
                one.terminal, one.direction = True, -1
                events.append(one)
        law = lambda t, y, signs=signs: [y[2], y[3], *solved(t, signs)[:2]]
        found = solve_ivp(law, (t, end), y, events=events, rtol=1e-11, atol=1e-13, max_step=0.05, method="DOP853")
        t, y = found.t[-1], found.y[:, -1]
        if found.status != 1:
            break
        number += 1
        culprit = next(k for k in range(4) if len(found.t_events[k]))
        k = culprit // 2
        if culprit % 2:
            f = solved(t, signs)[2 + k]
            signs = tuple(int(-np.sign(f)) if i == k else s for i, s in enumerate(signs))
        else:
            y[2 + k] = 0.0
            signs = decided(t, y[2:])
    return y, number


@pytest.mark.parametrize("seed", range(5))
def test_a_block_on_a_block_sticks_and_slips_as_apart_from_this_package(stack, seed):
    rng = np.random.default_rng(seed)
    lower, upper = rng.uniform(1, 3, size=2)
    below, between = rng.uniform(0.05, 0.15), rng.uniform(0.2, 0.5)
    size, w = upper * G * between * rng.uniform(1.1, 1.8), rng.uniform(2, 5)
    given = {"lower": lower, "upper": upper, "below": below, "between": between, "size": size, "w": w}
    mo = stack.simulate((0, 4), given=given, **EXACT)
    wanted, number = stacked(lower, upper, below, between, lambda t: size * np.sin(w * t), 4.0)
    assert number >= 4
    assert [mo[x][-1] for x in ("ax.x", "bx.x", "ax.x'", "bx.x'")] == pytest.approx(wanted, abs=1e-7)
    balanced(mo)


def crate(push="4*t", left=0.3, right=0.2):
    """A block on two points: one slip, two contacts, whose friction mechanics does not divide while it stands."""
    m = da.Mechanism("crate")
    b = m.body("b", mass=2.0, inertia=[0.1] * 3)
    m.join(da.earth, b, da.planar(), name="p")
    m.gravity = [0, -G, 0]
    m.force(b, [push, 0, 0])
    for name, x, friction in (("left", -0.3, left), ("right", 0.3, right)):
        m.frame(f"{name}_foot", b.at([x, -0.2, 0]))
        m.constrain(f"{name}_foot.Y = -0.2", by=da.coulomb(friction, f"{name}_foot.X'"), name=name)
    return m


def test_contacts_that_share_a_load_hold_as_long_as_some_division_of_it_does():
    """Slip begins where 0.3 N_left + 0.2 N_right is the push, with N from the balance of moments."""
    mo = crate().simulate((0, 3), **EXACT)
    weight, lever = 2 * G, 0.2 / 0.3
    # N = (weight -+ lever F)/2: 0.25 weight - 0.05 lever F = F = 4 t
    loose = 0.25 * weight / (1 + 0.05 * lever) / 4
    assert mo.events["left and right break"] == pytest.approx([loose], rel=1e-9)
    assert [arc.parameters["left.sticks"] for arc in mo.arcs] == [1, 0]
    share = 0.25 * weight / (1 + 0.05 * lever)  # friction as it slides: normal forces follow it, not the push
    t = np.linspace(loose, 3, 5)
    assert mo.at(t)["p.x"] == pytest.approx(
        (4 * (t**3 - loose**3) / 6 - 2 * loose**2 * (t - loose)) / 2 - share * (t - loose) ** 2 / 4, abs=1e-8
    )
    assert mo["left.lambda"] + mo["right.lambda"] == pytest.approx(weight, rel=1e-12)
    with pytest.warns(UserWarning, match="'left.friction' is not determined"):
        mo["left.friction"]
    balanced(mo)


def test_a_crate_that_slides_stops_on_both_feet():
    mo = crate(push="0").simulate((0, 2), start={"p.x'": 2.0}, **EXACT)
    # N_left + N_right = weight, 0.3 (N_right - N_left) = 0.2 F, F = 0.3 N_left + 0.2 N_right
    force = 0.25 * 2 * G / (1 + 0.05 * 0.2 / 0.3)
    assert mo["p.x'"][-1] == pytest.approx(0, abs=1e-12)
    assert mo["p.x"][-1] == pytest.approx(2 * 2.0**2 / 2 / force, rel=1e-8)
    assert mo["left.sticks"][-1] == mo["right.sticks"][-1] == 1


@pytest.fixture(scope="module")
def ladder():
    """A uniform rod in two slots, one along the floor and one along the wall."""
    m = da.Mechanism("ladder")
    rod = m.body("rod", mass=3.0, inertia=[0.25] * 3)  # length 1
    m.join(da.earth, rod, da.planar(), name="p")
    m.gravity = [0, -G, 0]
    m.frame("foot", rod.at([0.5, 0, 0]))
    m.frame("top", rod.at([-0.5, 0, 0]))
    m.constrain("foot.Y = 0", by=da.coulomb("mu", "foot.X'"), name="floor")
    m.constrain("top.X = 0", by=da.coulomb("mu", "top.Y'"), name="wall")

    def leaned(friction, angle, end):
        start = {"p.th": -angle, "p.x": 0.5 * np.cos(angle), "p.y": 0.5 * np.sin(angle)}
        return m.simulate((0, end), start=start, given={"mu": friction}, **EXACT)

    return leaned


def stands(friction, angle):
    """Whether some forces in the cones of both ends balance the weight (slots push and pull): by a fine search."""
    f = np.linspace(-60, 60, 240_001)  # friction at the wall; floor and wall follow, by moments about the foot
    n, push = 3 * G - f, (3 * G * 0.5 - f) / np.tan(angle)
    return np.minimum(friction * np.abs(push) - np.abs(f), friction * np.abs(n) - np.abs(push)).max() > 0


@pytest.mark.parametrize("angle", [0.6, 0.9, 1.2])
def test_a_ladder_in_two_slots_stands_or_falls(ladder, angle):
    low, high = 0.0, 3.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if stands(middle, angle) else (middle, high)
    for share, still in ((1.01, True), (0.99, False)):
        mo = ladder(high * share, angle, 0.3)
        assert (np.ptp(mo["p.th"]) < 1e-12) == still
        assert mo["floor.sticks"].all() == still


def test_a_falling_ladder_obeys_the_law_at_every_instant(ladder):
    mu = 0.2
    mo = ladder(mu, 1.0, 0.4)
    assert len(mo.arcs) == 1
    for name in ("floor", "wall"):
        assert np.abs(mo[f"{name}.friction"]) == pytest.approx(mu * np.abs(mo[f"{name}.lambda"]), rel=1e-9)
    assert (mo["floor.friction"] * mo["foot.X'"] <= 0).all()
    assert (mo["wall.friction"] * mo["top.Y'"] <= 0).all()
    assert 3 * mo["p.x''"] == pytest.approx(mo["wall.lambda"] + mo["floor.friction"], abs=1e-9)
    assert 3 * (mo["p.y''"] + G) == pytest.approx(mo["floor.lambda"] + mo["wall.friction"], abs=1e-9)
    balanced(mo)


def test_two_pucks_on_a_slope_tied_by_a_spring():
    """Two components of slip each; the upper one is held by friction and the spring pulls at it."""
    m = da.Mechanism("pucks")
    tilt, k = 0.35, 40.0
    m.gravity = [G * np.sin(tilt), 0, -G * np.cos(tilt)]
    for name, friction in (("a", 0.6), ("b", 0.2)):
        bodies = [m.body(f"{name}{i}") for i in (1, 2)] + [m.body(name, mass=1.0)]
        before = da.earth
        for axis, body in zip("xyz", bodies, strict=True):
            m.join(before, body, da.prismatic(axis), name=f"{name}{axis}")
            before = body
        m.constrain(f"{name}z.x = 0", by=da.coulomb(friction, f"{name}x.x'", f"{name}y.x'"), name=f"{name}_floor")
    m.force(m.bodies["a"], [f"{k}*(bx.x - ax.x)", f"{k}*(by.x - ay.x)", 0])
    m.force(m.bodies["b"], [f"-{k}*(bx.x - ax.x)", f"-{k}*(by.x - ay.x)", 0])
    mo = m.simulate((0, 1.5), start={"by.x'": 0.4}, **EXACT)
    assert mo["a_floor.sticks"][0] == 1
    for name, friction in (("a", 0.6), ("b", 0.2)):
        force = np.hypot(mo[f"{name}_floor.friction"], mo[f"{name}_floor.friction2"])
        normal, sticks = np.abs(mo[f"{name}_floor.lambda"]), mo[f"{name}_floor.sticks"] == 1
        assert (force <= friction * normal * (1 + 1e-9)).all()
        assert force[~sticks] == pytest.approx(friction * normal[~sticks], rel=1e-9)
        speed = np.hypot(mo[f"{name}x.x'"], mo[f"{name}y.x'"])
        assert (speed[sticks] < 1e-9).all()
        for axis, part in (("x", "friction"), ("y", "friction2")):
            moving = speed > 1e-6
            drag = -force * mo[f"{name}{axis}.x'"] / np.where(moving, speed, 1)
            assert mo[f"{name}_floor.{part}"][moving] == pytest.approx(drag[moving], abs=1e-8)
    assert len(mo.arcs) > 2
    balanced(mo)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_division_of_a_load_is_found(seed):
    """Against a fine search over the one freedom that is left."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 4))
    sizes = rng.integers(1, 3, size=count)
    holds = [rng.normal(size=d) for d in sizes]
    changes = [rng.normal(size=(d, 1)) for d in sizes]
    normals, frictions = rng.normal(size=count) * 3, rng.uniform(0.1, 1, size=count)
    moved = rng.normal(size=(count, 1)) * (rng.random(size=(count, 1)) < 0.5)
    least, _, _ = Shared(normals, holds, frictions, moved, changes).divided()
    c = np.linspace(-20, 20, 400_001)
    load = max(np.abs(normals).max(), *(np.linalg.norm(h) for h in holds))
    slack = np.full_like(c, np.inf)
    for h, change, n, dn, mu in zip(holds, changes, normals, moved, frictions, strict=True):
        size = np.linalg.norm(h[:, None] + change * c, axis=0)
        slack = np.minimum(slack, (mu * np.abs(n + dn[0] * c) - size) / load)
    assert least == pytest.approx(slack.max(), abs=1e-3)
    assert least >= slack.max() - 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_five_contacts_push_and_pull_as_the_law_says(seed):
    """Accelerations and forces of a random machine that slides, against every combination of sides solved in NumPy."""
    rng = np.random.default_rng(seed)
    n, count, mu = 9, 5, 0.3
    m, before = da.Mechanism("five"), da.earth
    for i in range(n):
        body = m.body(f"b{i}", mass=float(rng.uniform(0.5, 2)))
        m.join(before, body, da.prismatic([float(x) for x in rng.normal(size=3)]), name=f"j{i}")
        before = body
    m.gravity = [float(x) for x in 9 * rng.normal(size=3)]
    asked, slips = rng.normal(size=(2, count, n))
    for k in range(count):
        told, slip = (
            "+".join(f"({float(a)!r})*j{i}.x{dash}" for i, a in enumerate(row))
            for row, dash in ((asked[k], ""), (slips[k], "'"))
        )
        m.constrain(f"{told} = 0", by=da.coulomb(mu, slip), name=f"c{k}")
    about = dynamics_of(m.layout())
    u = rng.normal(size=n)
    u -= np.linalg.pinv(asked) @ asked @ u
    here = dict.fromkeys(about.coordinates, 0.0) | dict(zip(about.speeds, map(float, u), strict=True))
    mass = np.array(ex.evaluate(list(about.mass_matrix.entries), here)).reshape(n, n)
    load = ex.evaluate(list(about.right_side), here)
    found = ex.evaluate([*about.accelerations(), *about.multipliers], here)
    drag = mu * np.sign(slips @ u)[:, None] * slips
    wanted = []
    for sides in product((1, -1), repeat=count):
        pushes = asked - np.array(sides)[:, None] * drag
        whole = np.block([[mass, -pushes.T], [asked, np.zeros((count, count))]])
        one = np.linalg.solve(whole, [*load, *[0] * count])
        if (np.sign(one[n:]) == sides).all():
            wanted.append(one)
    assert found == pytest.approx(wanted[0], abs=1e-10)


def test_blocks_in_a_row_start_each_other_and_stop_one_by_one():
    """Five blocks on springs, the first one struck: against SciPy from event to event."""
    count, k = 5, 60.0
    masses, friction = 1 + 0.2 * np.arange(count), 0.2 + 0.02 * np.arange(count)
    m = da.Mechanism("row")
    m.gravity = [0, 0, -G]
    blocks = [rail(m, f"b{i}", masses[i], da.earth, friction=friction[i]) for i in range(count)]
    for i, (a, b) in enumerate(pairwise(blocks)):
        m.force(a, [f"-{k}*(b{i}x.x - b{i + 1}x.x)", 0, 0])
        m.force(b, [f"{k}*(b{i}x.x - b{i + 1}x.x)", 0, 0])
    mo = m.simulate((0, 1), start={"b0x.x'": 3.0}, **EXACT)

    holds = friction * masses * G
    pulled = lambda y: np.diff(k * np.diff(y[:count]), prepend=0, append=0)
    law = lambda t, y, signs: [*y[count:], *np.where(signs, (pulled(y) - signs * holds) / masses, 0)]
    t, y, changes = 0.0, np.r_[np.zeros(count), 3.0, np.zeros(count - 1)], 0
    signs = np.sign(y[count:])
    while t < 1:
        events = [
            lambda t, y, s, i=i: s[i] * y[count + i] if s[i] else holds[i] - abs(pulled(y)[i]) for i in range(count)
        ]
        for one in events:
            one.terminal, one.direction = True, -1
        found = solve_ivp(law, (t, 1), y, "DOP853", events=events, args=(signs,), rtol=1e-11, atol=1e-13)
        t, y = found.t[-1], found.y[:, -1]
        if found.status == 1:
            changes += 1
            i = next(i for i in range(count) if len(found.t_events[i]))
            held = bool(signs[i]) and abs(pulled(y)[i]) < holds[i]
            signs = np.where(np.arange(count) == i, 0 if held else np.sign(pulled(y)[i]), signs)
            y[count + i] = 0.0
    assert changes == sum(len(times) for times in mo.events.values()) > 8
    assert [mo[f"b{i}x.x"][-1] for i in range(count)] == pytest.approx(y[:count], abs=1e-8)
    balanced(mo)


def test_two_crates_on_two_feet_each_break_loose_on_their_own():
    """However the feet of a crate share its load: with equal coefficients their sum is known."""
    m = da.Mechanism("crates")
    m.gravity = [0, -G, 0]
    friction = {"a": 0.25, "b": 0.15}
    for name, mu in friction.items():
        b = m.body(name, mass=2.0, inertia=[0.1] * 3)
        m.join(da.earth, b, da.planar(), name=f"{name}_p")
        m.force(b, ["4*t", 0, 0])
        for side, x in (("left", -0.3), ("right", 0.3)):
            m.frame(f"{name}_{side}_foot", b.at([x, -0.1, 0]))
            slip = f"{name}_{side}_foot.X'"
            m.constrain(f"{name}_{side}_foot.Y = -0.1", by=da.coulomb(mu, slip), name=f"{name}_{side}")
    mo = m.simulate((0, 1.5), rtol=1e-9, atol=1e-11)
    (broken,) = [times for name, times in mo.events.items() if name.endswith("break")]
    assert broken == pytest.approx([0.15 * G / 2, 0.25 * G / 2], rel=1e-8)
    for name, mu in friction.items():
        loose = mu * G / 2
        assert mo[f"{name}_p.x'"][-1] == pytest.approx(1.5**2 - loose**2 - mu * G * (1.5 - loose), abs=1e-7)


def test_feet_that_nothing_tells_the_load_of_are_refused():
    m = crate()
    m.frame("middle_foot", m.bodies["b"].at([0.1, -0.2, 0]))
    m.constrain("middle_foot.Y = -0.2", by=da.coulomb(0.2, "middle_foot.X'"), name="middle")
    with pytest.raises(da.ModelError, match=r"follows from the others .* nothing tells how large it is"):
        m.simulate((0, 1))


@pytest.mark.parametrize("both", [True, False])
def test_blocks_that_slip_in_two_directions_break_loose_at_once(both):
    """Each on its own floor, pushed beyond its friction along a direction of its own: it goes straight that way."""
    m, rng = da.Mechanism("two"), np.random.default_rng(4)
    m.gravity, pushes = [0, 0, -G], dict[str, np.ndarray]()
    for name in "ab" if both else "a":
        slide, block = m.body(f"{name}_slide"), m.body(name, mass=2)
        m.join(da.earth, slide, da.composite(["x", "y"], da.Displacement.of(["x", "y", 0])), name=f"{name}x")
        m.join(slide, block, da.prismatic("z"), name=f"{name}z")
        m.constrain(f"{name}z.x = 0", by=da.coulomb(0.3, f"{name}x.x'", f"{name}x.y'"), name=f"{name}_rubs")
        turn = rng.uniform(-np.pi, np.pi)
        pushes[name] = rng.uniform(1.2, 2) * 0.3 * 2 * G * np.array([np.cos(turn), np.sin(turn)])
        m.force(block, [*pushes[name].tolist(), 0])
    mo = m.simulate((0, 0.5), **EXACT)
    for name, push in pushes.items():
        size = np.linalg.norm(push)
        way = (size - 0.3 * 2 * G) / 2 * 0.5**2 / 2 * push / size
        assert [mo[f"{name}x.{x}"][-1] for x in "xy"] == pytest.approx(way, rel=1e-7)
