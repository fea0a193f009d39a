"""Long equations in named parts: what is printed reads back, and names say what they are."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.formalisms.levels import named_quantities
from dalembert.formalisms.registry import derive, formalism_names
from dalembert.kinematics.bodies import body_motions, body_poses
from dalembert.mechanism import Layout
from dalembert.presentation import scalars
from dalembert.presentation.axes import Quantity
from dalembert.presentation.closing import live_rows
from dalembert.presentation.parts import in_parts
from dalembert.presentation.quantities import quantities
from dalembert.presentation.reacting import reaction_quantities
from dalembert.presentation.terms import gathered
from formalisms.satellite import FORMALISMS
from formalisms.test_closed import loaded, sprung
from random_mechanisms import random_couplings, random_state, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def read_back(eq, shown, state):
    """left - right of every printed equation at a state, every name read from the lines that define it."""
    values = {ex.symbol(name): float(x) for name, x in state.items()}
    for line in shown.formulas:
        if line.parts is None:
            continue
        left, right = (ex.parse(x) for x in line.text.split(" := "))
        assert ex.free_symbols([right]) <= values.keys() | {ex.TIME}, line.text
        found = ex.evaluate([right], values)[0]
        if left in values:  # a rate, or a momentum that the state gives
            assert found == pytest.approx(values[left], rel=1e-8, abs=1e-8), line.text
        values[left] = found
    residuals = []
    for line in shown.lines:
        left, right = (ex.parse(x) for x in line.text.split(" = "))
        assert ex.free_symbols([left, right]) <= values.keys() | {ex.TIME}, line.text
        a, b = ex.evaluate([left, right], values)
        residuals.append(a - b)
    return np.array(residuals, dtype=float)


def of_matrices(eq, state):
    """M u' - S - F - W^T lambda and D u' - gamma at the same state."""
    values = {ex.symbol(name): float(x) for name, x in state.items()}
    primes = [ex.prime(u) for u in eq.tree.speeds]
    found = eq.residual(primes)
    if eq.rows is not None:
        pushed = eq.rows.efforts_of([ex.symbol(x) for x in eq.multiplier_names])
        found = [a - b for a, b in zip(found, pushed, strict=True)]
        rows = zip(eq.rows.matrix.rows(), eq.rows.gamma, strict=True)
        found += [ex.dot_product(list(row), primes) - g for row, g in rows]
    return np.array(ex.evaluate(found, values), dtype=float)


def some_state(eq, seed):
    rng = random.Random(seed)
    names = {x.name for x in ex.free_symbols([*eq.mass_matrix.entries, *eq.bias, *eq.forces, *eq._asked])}
    names |= {f"{u}'" for u in eq.speeds} | {*eq.coordinates, *eq.speeds, *eq.multiplier_names, *eq.parameters, "t"}
    return {name: rng.uniform(0.3, 1.3) for name in sorted(names)}


@pytest.mark.parametrize(
    "seed", [1, 2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("formalism", FORMALISMS)
def test_parts_of_random_machines_read_back(formalism, seed, monkeypatch):
    monkeypatch.setattr(scalars, "MOST_WRITTEN_OUT", 100)
    machine = random_couplings(seed, 2) if seed % 3 == 2 else random_tree(seed, 2)
    layout = Layout.of(machine)
    eq = derive(layout, formalism)
    if not eq.speeds:
        return
    state = random_state(machine, layout.coordinates, layout.speeds, seed)
    primes = {f"{u}'": random.Random(u).uniform(-1, 1) for u in eq.speeds}
    rates = dict(zip(eq.coordinates, ex.evaluate(list(eq.rates), at(state)), strict=True))
    state |= {f"{q}'": rate for q, rate in rates.items() if f"{q}'" not in eq.speeds} | primes
    shown = eq.show("scalar")
    if formalism == "hamilton":
        state |= canonical_state(eq, state)
        assert np.abs(read_back(eq, shown, state)).max() < 1e-7
        return
    expected = of_matrices(eq, state)
    found = read_back(eq, shown, state)
    assert np.abs(found - expected).max() <= 1e-8 * (1 + np.abs(expected).max())


def at(state):
    return {ex.symbol(name): float(x) for name, x in state.items()}


def canonical_state(eq, state):
    """Momenta, their rates on the motion, rates of the coordinates and H: what Hamilton's lines must agree with."""
    detail = eq.detail
    momenta = dict(zip((p.name for p in detail.momenta), ex.evaluate(list(detail.definition), at(state)), strict=True))
    known = at(state | momenta)
    rates = ex.evaluate(list(detail.rates), known)
    moved = ex.evaluate(list(detail.momentum_rates), known)
    found = dict(momenta) | {"H": ex.evaluate([detail.value], known)[0]}
    found |= {f"{q}'": x for q, x in zip(eq.coordinates, rates, strict=True)}
    return found | {f"{p.name}'": x for p, x in zip(detail.momenta, moved, strict=True)}


@pytest.mark.parametrize(("seed", "formalism"), [*enumerate(formalism_names(), 1)])
def test_printed_equations_of_closed_machines_are_motion_and_closure(formalism, seed):
    """Loops with springs, those of cut links too: M u' - S - F - W^T lambda, then each live row D u' - gamma."""
    eq = derive(Layout.of(sprung(loaded(seed))), formalism)
    state = some_state(eq, seed)
    own = [x.coordinate for x in eq.rows.own]
    state |= {x.name: random.Random(x.name).uniform(0.3, 1.3) for x in own}
    state |= dict(zip((f"{q}'" for q in eq.coordinates), ex.evaluate(list(eq.rates), at(state)), strict=True))
    state |= {f"{u}'": random.Random(u).uniform(-1, 1) for u in eq.speeds}
    n, live = len(eq.speeds), live_rows(eq.rows)
    wanted = of_matrices(eq, state)
    expected = [*wanted[:n], *wanted[n:][live]]
    if formalism == "hamilton":
        state |= canonical_state(eq, state)
        pushed = ex.evaluate(eq.rows.efforts_of([ex.symbol(x) for x in eq.multiplier_names]), at(state))
        for p, x in zip(eq.detail.momenta, pushed, strict=True):
            state[f"{p.name}'"] += x
        expected = [*np.zeros(1 + 2 * n), *wanted[n:][live]]  # H, q' and p' are defined by their lines
    found = read_back(eq, eq.show("scalar"), state)
    assert live
    assert np.abs(found[: len(expected)] - expected).max() <= 1e-8 * (1 + np.abs(wanted).max())
    assert np.abs([0.0, *found[len(expected) :]]).max() <= 1e-8  # the rates of coordinates


@pytest.mark.parametrize("name", ["satellite", "arm_6r", "excavator", pytest.param("bicycle", marks=pytest.mark.slow)])
@pytest.mark.parametrize("formalism", ["kane", "lagrange", "newton-euler", "recursive", "mixed", "dalembert"])
def test_parts_of_large_examples_read_back(name, formalism):
    eq = da.load(str(EXAMPLES / f"{name}.lsd")).equations(formalism)
    shown = eq.show("scalar")
    state = some_state(eq, 1)
    expected, found = of_matrices(eq, state), read_back(eq, shown, state)
    assert np.abs(found - expected[: len(found)]).max() <= 1e-8 * (1 + np.abs(expected).max())


@pytest.mark.parametrize(("name", "strangers"), [("satellite", 0), ("arm_6r", 6)])
def test_intermediates_of_large_machines_are_mechanical_quantities(name, strangers):
    eq = da.load(str(EXAMPLES / f"{name}.lsd")).equations("kane")
    shown = eq.show("scalar")
    bare = [line.text for line in shown.formulas if re.match(r"z\d+ :=", line.text)]
    assert len(bare) <= strangers, bare
    assert len(str(shown).splitlines()) < 160  # 381 and 253 with intermediates that have no meaning
    told = "\n".join(line.label for line in shown.formulas)
    assert "angular velocity of" in told
    assert "partial velocity of the centre of" in told


def test_what_has_no_name_is_told_by_what_it_is_a_part_of():
    shown = da.load(str(EXAMPLES / "excavator.lsd")).equations("dalembert").show("scalar")
    bare = [line for line in shown.formulas if re.match(r"z\d+ :=", line.text)]
    assert bare
    assert all(line.label.startswith("part of ") for line in bare), [line.text for line in bare]
    assert any(re.match(r"lift\.oil\.l :=", line.text) for line in shown.formulas)  # the length of a cylinder


def test_strangers_that_stand_once_are_written_where_they_stand():
    """Partial sums of a rate are strangers; the rate itself has a name, and takes them in."""
    x, y, u, v = ex.symbols("x y u v")
    first, second = u * ex.cos(x) * ex.sin(y + x) * ex.cos(y * x), v * ex.sin(x) * ex.cos(y - x) * ex.sin(y * x)
    rate = first + second
    found = in_parts([rate * x, rate * y, rate * u], [Quantity("rate", rate, "rate", "a rate")])
    assert [p.symbol.name for p in found.parts] == ["rate"]
    assert all(x.name in "xyuv" for x in ex.free_symbols([found.parts[0].value]))


def test_names_of_reactions_are_their_efforts():
    """The power of a unit reaction on a body and all it carries is the row of its condition, for the speed below it."""
    eq = da.load(str(EXAMPLES / "bicycle.lsd")).equations("kane")
    state = at(some_state(eq, 3))
    named = {q.name: q.formula for q in reaction_quantities(eq.rows, eq.tree)}
    k, r = eq.rows.names.index("front_roll.lambda1"), eq.speeds.index("steer.de'")
    moment = [named.get(f"k_c3_3a_{a}_{k + 1}", ex.ZERO) for a in "xyz"]
    found, expected = ex.evaluate([moment[2], eq.rows.matrix[k, r]], state)  # the fork turns about its z axis 3a
    assert found == pytest.approx(expected, rel=1e-9)
    total = ex.evaluate([named["R_8"]], state)[0]
    assert total == pytest.approx(ex.evaluate([eq.rows.efforts_of([ex.symbol(x) for x in eq.rows.names])[r]], state)[0])


def test_rates_of_axes_are_their_derivatives():
    eq = da.load(str(EXAMPLES / "arm_6r.lsd")).equations("mixed")
    state, step = at(some_state(eq, 5)), 1e-6
    named = {q.name: q.formula for q in named_quantities(eq)}
    rates = dict(zip(eq.tree.coordinates, ex.evaluate(list(eq.rates), state), strict=True))
    later, before = ({x: v + h * rates.get(x, 0.0) for x, v in state.items()} for h in (step, -step))
    names = [x for x in named if x.startswith(("dM_", "ddM_")) and x.removeprefix("d") in named]
    assert len(names) > 100
    values = ex.evaluate([named[x] for x in names], state)
    moved = [ex.evaluate([named[x.removeprefix("d")] for x in names], at_) for at_ in (later, before)]
    assert (np.array(moved[0]) - np.array(moved[1])) / (2 * step) == pytest.approx(np.array(values), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_names_say_what_they_are(seed):
    """Poses moved in time give velocities; sums over bodies in NumPy give momenta and inertias."""
    machine = random_tree(seed, 3, moving_time=False)
    layout = Layout.of(machine)
    eq = derive(layout, "kane")
    state = random_state(machine, layout.coordinates, layout.speeds, seed)
    point = at(state)
    named = {q.name: q.formula for q in quantities(eq.tree, eq.mass_matrix)}
    value = dict(zip(named, ex.evaluate(list(named.values()), point), strict=True))

    def vector(name, tail=""):
        return np.array([value.get(f"{name}_{a}{tail}", np.nan) for a in "xyz"])

    def matches(name, expected, tail=""):
        """Components that need a formula have a name; the others are numbers or symbols."""
        found = vector(name, tail)
        seen = ~np.isnan(found)
        assert found[seen] == pytest.approx(np.asarray(expected)[seen], rel=1e-7, abs=1e-7), name

    poses, motions, step = body_poses(eq.tree), body_motions(eq.tree), 1e-6
    rates = dict(zip(eq.tree.coordinates, ex.evaluate(list(eq.rates), point), strict=True))

    def pose(j, h):
        moved = {x: v + h * rates.get(x, 0.0) for x, v in point.items()}
        flat = [*poses[j].position, *(x for row in poses[j].rotation for x in row)]
        numbers = np.array(ex.evaluate(flat, moved), dtype=float)
        return numbers[:3], numbers[3:].reshape(3, 3)

    momentum, spin, first, mass, inertia = {}, {}, {}, {}, {}
    for one in motions[1:]:
        j = one.number
        origin, rotation = pose(j, 0.0)
        (before, turned), (after, turning) = pose(j, -step), pose(j, step)
        velocity = (after - before) / (2 * step)
        tilde = rotation.T @ (turning - turned) / (2 * step)
        omega = np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])
        matches(f"omega{j}", omega)
        matches(f"omega{j}_0", rotation @ omega)
        matches(f"v_O{j}_0", velocity)
        matches(f"v_O{j}", rotation.T @ velocity)
        numbers = ex.evaluate([one.body.mass, *one.body.centre, *(x for row in one.inertia for x in row)], point)
        mass[j], centre = numbers[0], np.array(numbers[1:4], dtype=float)
        own = np.array(numbers[4:], dtype=float).reshape(3, 3)
        at_centre = velocity + rotation @ np.cross(omega, centre)
        matches(f"v_G{j}", rotation.T @ at_centre)
        matches(f"r_0_G{j}", origin + rotation @ centre)
        momentum[j] = mass[j] * at_centre
        first[j] = origin + rotation @ centre
        spin[j], inertia[j] = rotation @ own @ omega, rotation @ own @ rotation.T
    children = {j: {one.child for one in layout.tree if one.parent == j} for j in momentum}

    def carried(j):
        return {j}.union(*(carried(k) for k in children[j]))

    for j in momentum:
        origin, rotation = pose(j, 0.0)
        matches(f"P{j}_0", sum(momentum[k] for k in carried(j)))
        about = sum(spin[k] + np.cross(first[k] - origin, momentum[k]) for k in carried(j))
        matches(f"H{j}", rotation.T @ about)
        arms = {k: first[k] - origin for k in carried(j)}
        total = sum(inertia[k] + mass[k] * (arms[k] @ arms[k] * np.eye(3) - np.outer(arms[k], arms[k])) for k in arms)
        total = rotation.T @ total @ rotation
        for a, b in ((0, 0), (0, 1), (1, 2), (2, 2)):
            name = f"I{j}_{'xyz'[a]}{'xyz'[b]}"
            assert value.get(name, total[a, b]) == pytest.approx(total[a, b], rel=1e-8, abs=1e-8)


def test_a_parameter_keeps_its_name():
    x, y = ex.symbols("omega1_x y")
    long = ex.sin(x + y) ** 2 + ex.cos(x - y) ** 3 * ex.sin(y)
    found = in_parts([long * x, long * y], [Quantity("omega1_x", long, "omega1", "spin")])
    assert [p.symbol.name for p in found.parts] == ["omega1_x_"]


def test_like_terms_are_joined_and_factors_written_once():
    assert str(gathered(ex.parse("0.1*a*b + 0.2*b*a - c*a*b"))) in ("a*b*(0.3 - c)", "b*a*(0.3 - c)")
    assert gathered(ex.parse("a*x - x*a")) is ex.ZERO
    e = ex.parse("m*(u*x + u*x)/2 + m*v*sin(x + x*2)")
    a, b = ex.evaluate([e, gathered(e)], {s: random.Random(s.name).random() for s in ex.free_symbols([e])})
    assert a == pytest.approx(b, rel=1e-14)


def test_all_names_of_a_machine_are_different():
    eq = da.load(str(EXAMPLES / "satellite.lsd")).equations("hamilton")
    named: dict[str, set[int]] = {}
    found = named_quantities(eq)
    for q, value in zip(found, ex.fingerprints([q.formula for q in found]), strict=True):
        named.setdefault(q.name, set()).add(value)
    assert all(len(values) == 1 for values in named.values()), [x for x, v in named.items() if len(v) > 1]


def test_two_formulas_of_one_quantity_have_one_definition():
    """Else a quantity may be defined by itself, and putting definitions in order never ends."""
    a, b, c, d, x, y = ex.symbols("a b c d x y")
    factored, apart = (a + b) * (a - b) + ex.sin(c + d) * x, (a**2 - b**2) + ex.sin(c + d) * x
    sides = [ex.sin(one) * y for one in (factored, apart)] + [ex.cos(one) * y for one in (factored, apart)]
    found = in_parts(sides, [Quantity("Q", factored, "Q", "")])
    names = [p.symbol.name for p in found.parts]
    assert names.count("Q") == 1
    assert all(ex.symbol("Q") in ex.free_symbols([result]) for result in found.results)


def test_rows_of_conditions_and_rates_of_axes_have_names():
    """G_i_r is what a unit of speed r does to condition i; dM is the slope of M along the motion."""
    eq = da.load(EXAMPLES / "bicycle.lsd").equations("kane")
    named = {q.name: q.formula for q in named_quantities(eq)}
    assert named["G_1_5"] is eq.rows.matrix.rows()[0][4]
    shown = str(eq.show("scalar"))
    assert "condition front_roll 1: motion for a unit of each speed" in shown
    assert len(re.findall(r"^  z\d+ :=", shown, re.M)) < 70  # 95 when rows and rates had no names
    rng, step = random.Random(3), 1e-6
    state = {x: rng.uniform(0.2, 0.9) for x in (*eq.tree.coordinates, *eq.tree.speeds)}
    rates = dict(zip(eq.tree.coordinates, ex.evaluate([eq.tree.rates[q] for q in eq.tree.coordinates], state)))
    ahead, behind = ({x: v + s * step * rates.get(x, 0) for x, v in state.items()} for s in (1, -1))
    turns = [name for name in named if name.startswith("dM_")]
    for name in turns:
        if (turn := named.get(name[1:])) is not None:
            slope = (ex.evaluate([turn], ahead)[0] - ex.evaluate([turn], behind)[0]) / (2 * step)
            assert float(ex.evaluate([named[name]], state)[0]) == pytest.approx(float(slope), abs=1e-8)
    assert len(turns) > 50
