"""Machines with closed loops in every exit of `equations`: what is printed is the machine, not its open tree."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import dalembert as da
from dalembert import algebra as al
from dalembert import expr as ex
from dalembert import formalisms
from dalembert.codegen import compile_mechanism
from dalembert.formalisms import derive, formalism_names
from dalembert.formalisms.levels import vocabulary
from dalembert.formalisms.registry import find_formalism
from dalembert.mechanism import Constraint, Holonomic, Layout
from dalembert.presentation.closing import live_rows, with_rows
from dalembert.presentation.closing_columns import row_blocks
from dalembert.presentation.jacobians import jacobians
from dalembert.presentation.legend import KINDS, kind_of, undefined
from random_loops import MAKERS, random_linkage

EXAMPLES = Path(__file__).parents[2] / "examples"
FORMALISMS = formalism_names()
LEVELS = ("vector", "matrix", "scalar")
SEEDS = [0, 1, 3, 4, 6, 8, 9, 10, 12, *(pytest.param(k, marks=pytest.mark.slow) for k in range(13, 2 * len(MAKERS)))]


def numbers(exprs, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): float(v) for k, v in state.items()}), dtype=float)


def loaded(seed):
    """A random machine with weight, and a force on each body."""
    m = random_linkage(seed)
    m.gravity = [0.3, -9.81, 0.5]
    for k, body in enumerate(list(m.bodies.values())[1:]):
        m.force(body.at([0.1, 0.2 * k, -0.1]), [1 + k, "2*cos(t)", 0.5])
    return m


def sprung(m):
    """The same machine with springs and dampers in all joints whose speeds are rates, those of cut links too."""
    links = {}
    for name, link in m.links.items():
        springs = {x: f"-2*{x} - 0.3*{x}' + 0.1" for x in link.joint.parameters}
        rates = all(step.speeds == "rates" for step in link.joint.steps)
        links[name] = replace(link, joint=link.joint.with_efforts(**springs)) if rates else link
    return replace(m.freeze(), links=links)


def moving_state(m, eq, seed=0):
    """The posture in which the machine is drawn, with speeds that its rows allow."""
    state = dict.fromkeys((*eq.layout.state.coordinates, *eq.speeds), 0.0) | dict(m.given) | {"t": 0.4}
    state |= {x: v for x, v in m.start.items() if x in state}
    n = len(eq.speeds)
    rows = numbers(eq.constraint.entries, state).reshape(-1, n)
    free = np.random.default_rng(seed).normal(size=n)
    particular = np.linalg.lstsq(rows, -numbers(eq.rows.drift, state) - rows @ free, rcond=1e-9)[0]
    return state | dict(zip(eq.speeds, free + particular, strict=True))


def saddle(mass, right, rows, gamma):
    """u' of M u' - D^T lambda = S + F, D u' = gamma."""
    m, n = rows.shape
    whole = np.block([[mass, -rows.T], [rows, np.zeros((m, m))]])
    return np.linalg.lstsq(whole, np.concatenate([right, gamma]), rcond=1e-11)[0][:n]


def compiled(m, state):
    f = compile_mechanism(m)
    q, u = ([state[x] for x in names] for names in (f.coordinates, f.speeds))
    return f.acceleration(np.array(q), np.array(u), t=state["t"])


def read_back(data, state):
    """Numbers of the formulas of a JSON file."""
    values = {ex.symbol(k): float(v) for k, v in state.items()}
    for name, text in data["intermediates"].items():
        values[ex.symbol(name)] = float(ex.evaluate([ex.parse(text)], values)[0])

    def block(texts):
        flat = [x for row in texts for x in (row if isinstance(row, list) else [row])]
        return np.array(ex.evaluate([ex.parse(x) for x in flat], values), dtype=float)

    return block


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_printed_data_of_a_closed_machine_move_as_its_machine_code(seed, formalism):
    m = loaded(seed)
    eq = derive(Layout.of(m), formalism)
    state = moving_state(m, eq, seed)
    data = json.loads(json.dumps(eq.as_dict()))
    block, n = read_back(data, state), len(eq.speeds)
    right = block(data["bias"]) + block(data["forces"])
    closing = data["constraints"]
    rows = block(closing["matrix"]).reshape(-1, n)
    found = saddle(block(data["mass_matrix"]).reshape(n, n), right, rows, block(closing["gamma"]))
    expected = compiled(m, state)
    assert np.abs(found - expected).max() < 1e-7 * (1 + np.abs(expected).max())
    assert len(closing["multipliers"]) == sum(6 - len(cut.link.speeds) for cut in eq.layout.cuts)
    assert np.abs(numbers(eq.accelerations, state) - expected).max() < 1e-7 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_springs_in_cut_links_push_in_every_formalism(formalism):
    for seed in (0, 4, 8):
        m = sprung(loaded(seed))
        eq = derive(Layout.of(m), formalism)
        state = moving_state(m, eq, seed)
        expected = compiled(m, state)
        assert np.abs(numbers(eq.accelerations, state) - expected).max() < 1e-7 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_sympy_matrices_of_the_four_bar_hold_its_closure(formalism):
    m = da.load(EXAMPLES / "four_bar.lsd")
    eq = m.equations(formalism)
    state = moving_state(m, eq)
    found = eq.to_sympy()

    def block(name):
        entries = found[name]
        return np.array(entries.subs({s: state[s.name] for s in entries.free_symbols}), dtype=float)

    right = (block("bias") + block("forces")).ravel()
    solved = saddle(block("mass_matrix"), right, block("constraint"), block("gamma").ravel())
    assert np.allclose(solved, compiled(m, state), rtol=1e-9)
    assert [s.name for s in found["multipliers"]] == list(eq.multiplier_names)


SHOWN = [(name, formalism) for name in ("four_bar", "slider_crank", "loops/bennett") for formalism in FORMALISMS]


@pytest.mark.parametrize(("name", "formalism"), [*SHOWN, ("loops/delta", "kane")])
def test_every_level_and_notation_shows_the_closure(name, formalism):
    m = da.load(EXAMPLES / f"{name}.lsd")
    eq = m.equations(formalism)
    cuts = [one.link.name for one in eq.layout.cuts]
    for level in LEVELS:
        shown = eq.show(level)
        text, latex = str(shown), shown.latex()
        assert f"closed by {', '.join(cuts)}" in text
        assert "tree without" not in text
        assert all(f"reaction of {cut} on" in text for cut in cuts)
        assert "\\Lambda" in latex
        if level != "scalar":
            assert "D*u' = gamma" in text
        if level == "matrix" and formalism not in ("newton-euler", "recursive"):
            assert "D^T*Lambda" in text
            assert "D := " in text
            assert "gamma := " in text
        if level == "scalar":
            rows = [one for one in text.splitlines() if "stays closed; reaction" in one and "part of the" not in one]
            assert len(rows) == len(live_rows(eq.rows))
        if name == "four_bar":
            page = shown.html()
            assert ElementTree.fromstring(page.replace("&#x2062;", "")) is not None
        assert json.loads(json.dumps(shown.as_dict()))["equations"]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_vectors_and_blocks_are_the_rows_that_are_solved(seed):
    m = sprung(loaded(seed))
    eq = derive(Layout.of(m), "kane")
    state = moving_state(m, eq, seed)
    n, live = len(eq.speeds), live_rows(eq.rows)
    words = vocabulary(eq)
    jacobians(words)
    blocks = row_blocks(words)
    if not live:
        assert blocks is None
        return
    matrix, gamma = (numbers(words.evaluate(term), state) for term in blocks)
    expected = numbers(eq.constraint.entries, state).reshape(-1, n)[live]
    size = 1 + np.abs(expected).max()
    assert np.abs(matrix.reshape(-1, n) - expected).max() < 1e-9 * size
    right = numbers(eq.gamma, state)[live]
    assert np.abs(gamma - right).max() < 1e-8 * (1 + np.abs(right).max()) * size
    for line in with_rows(words, find_formalism("gibbs-appell").vector(words)).lines:
        if line.sides is not None:
            assert np.abs(numbers(words.evaluate(line.residual), state)).max() < 1e-8 * size


@pytest.mark.parametrize("formalism", ["kane", "mixed", "lagrange"])
@pytest.mark.parametrize("seed", [0, 4, 8])
def test_blocks_of_a_closed_machine_are_its_scalar_equations(seed, formalism):
    m = sprung(loaded(seed))
    eq = derive(Layout.of(m), formalism)
    state = moving_state(m, eq, seed)
    words = vocabulary(eq)
    found = [numbers(words.evaluate(term), state) for term in find_formalism(formalism).matrix(words).terms]
    wanted = [numbers(eq.mass_matrix.entries, state)]
    if formalism != "lagrange":  # whose potential holds some of the forces
        wanted += [numbers(eq.bias, state), numbers(eq.forces, state)]
    for one in wanted:
        assert any(one.shape == f.shape and np.allclose(one, f, rtol=1e-8, atol=1e-8) for f in found)


@pytest.mark.parametrize("formalism", ["newton-euler", "recursive"])
@pytest.mark.parametrize("seed", [0, 3, 4, 6, 8, 9, 12])
def test_balances_hold_with_the_reactions_of_cut_links(seed, formalism):
    m = sprung(loaded(seed))
    eq = derive(Layout.of(m), formalism)
    state = moving_state(m, eq, seed)
    state |= {f"{u}'": a for u, a in zip(eq.speeds, numbers(eq.accelerations, state), strict=True)}
    state |= dict(zip(eq.multiplier_names, numbers(eq.multipliers, state), strict=True))
    words = vocabulary(eq)
    for line in find_formalism(formalism).vector(words).lines:
        left, right = line.sides
        if formalism == "recursive" and not left.sort.is_scalar:
            words.values[left] = [[x] for x in words.evaluate(right)]
        elif "free of reactions" in line.label or formalism == "recursive":
            size = 1 + max(np.abs(numbers(words.evaluate(side), state)).max() for side in line.sides)
            assert np.abs(numbers(words.evaluate(line.residual), state)).max() < 1e-7 * size, line.text


@pytest.mark.parametrize("seed", [0, 4, 8])
def test_virtual_power_vanishes_with_the_reactions_of_cut_links(seed):
    m = sprung(loaded(seed))
    eq = derive(Layout.of(m), "kane")
    state = moving_state(m, eq, seed)
    state |= {f"{u}'": a for u, a in zip(eq.speeds, numbers(eq.accelerations, state), strict=True)}
    state |= dict(zip(eq.multiplier_names, numbers(eq.multipliers, state), strict=True))
    for r in range(len(eq.speeds)):
        words = vocabulary(eq)
        line = find_formalism("kane").vector(words).lines[0]
        for one in words.links:
            twist, i, j = dict(one.columns).get(r), one.link.parent, one.link.child
            for name, part in (("sigma", "angular"), ("w", "linear")):
                local = one.pose.vector(getattr(twist, part)) if twist else (ex.ZERO,) * 3
                rotation = words.rotation(0, i) if i else al.identity(3)
                words.values[al.vector(f"{name}_r_{j}")] = al.components(
                    words.in_components(rotation * al.vector("x")), words.values | {al.vector("x"): list(local)}
                ).rows()
        words.values[al.scalar("Q_r")] = words.motor_column()[r]
        size = 1 + max(abs(numbers(words.evaluate(side), state)[0]) for side in line.sides)
        assert abs(numbers(words.evaluate(line.residual), state)[0]) < 1e-7 * size


def test_the_lagrangian_of_a_loop_carries_its_conditions():
    """d/dt dL/dq' - dL/dq = Q + D^T lambda and D q'' = -D' q': the accelerations of the machine follow from L alone."""
    m = da.load(EXAMPLES / "four_bar.lsd")
    found, eq = m.lagrangian(), m.equations("kane")
    assert found.multipliers == eq.multiplier_names
    assert "b.Fx" in repr(found)
    assert "0 &=" in found._repr_latex_()
    state = moving_state(m, eq)
    n, along = len(found.rates), dict(zip(found.coordinates, found.rates, strict=True))
    momenta = ex.gradient(found.value, found.rates)
    mass = numbers([x for row in ex.jacobian(momenta, found.rates) for x in row], state).reshape(n, n)
    right = numbers(ex.gradient(found.value, found.coordinates), state) - numbers(ex.tangent(momenta, along), state)
    rows = numbers(found.constraint.entries, state).reshape(-1, n)
    gamma = -numbers(ex.tangent(found.conditions, along), state)
    assert np.allclose(saddle(mass, right, rows, gamma), compiled(m, state), rtol=1e-9)


def test_the_hamiltonian_of_a_loop_carries_its_conditions():
    """p' = -dH/dq + Q + D^T lambda keeps D dH/dp = 0: lambda from the derivative of the conditions along the flow."""
    m = da.load(EXAMPLES / "four_bar.lsd")
    found, eq = m.hamiltonian(), m.equations("kane")
    state = moving_state(m, eq)
    state |= dict(zip((p.name for p in found.momenta), numbers(found.definition, state), strict=True))
    assert np.abs(numbers(found.conditions, state)).max() < 1e-12
    coordinates = [ex.symbol(x) for x in eq.coordinates]
    drift = dict(zip((*coordinates, *found.momenta), (*found.rates, *found.momentum_rates), strict=True))
    slopes = numbers([x for row in ex.jacobian(found.conditions, found.momenta) for x in row], state).reshape(5, 3)
    push = numbers(found.constraint.entries, state).reshape(5, 3).T
    weights = np.linalg.lstsq(slopes @ push, -numbers(ex.tangent(found.conditions, drift), state), rcond=1e-11)[0]
    pushed = {p: float(x) for p, x in zip(found.momenta, push @ weights, strict=True)}
    flow = {x: r + pushed.get(x, 0) for x, r in drift.items()}
    assert np.allclose(numbers(ex.tangent(found.speeds, flow), state), compiled(m, state), rtol=1e-8)
    assert "b.Fx" in repr(found)


def test_a_coordinate_that_a_reaction_pushes_is_not_cyclic():
    """Two carts on one rail, tied by a weld that closes a loop: only their sum keeps its momentum."""
    m = da.Mechanism("tied")
    carts = [m.body(name, mass=mass) for name, mass in (("a", 1), ("b", 2))]
    for cart in carts:
        m.join(da.earth, cart, da.prismatic("x"), name=f"rail_{cart.name}")
    m.join(carts[0], carts[1], da.weld(), name="tie")
    assert m.lagrangian().cyclic == ()
    assert "energy" in formalisms.conserved(m.layout())


def test_chosen_speeds_keep_the_loop_closed():
    m = da.load(EXAMPLES / "four_bar.lsd")
    chosen = m.equations("kane", speeds={"w": "ground.th' + a.th'", "v": "ground.th'"})
    eq = m.equations("kane")
    state = moving_state(m, eq)
    expected = compiled(m, state)
    names = dict(zip(eq.speeds, expected, strict=True))
    state |= {"w": state["ground.th'"] + state["a.th'"], "v": state["ground.th'"]}
    found = dict(zip(chosen.speeds, numbers(chosen.accelerations, state), strict=True))
    assert found["w"] == pytest.approx(names["ground.th'"] + names["a.th'"], rel=1e-9)
    assert found["v"] == pytest.approx(names["ground.th'"], rel=1e-9)


def test_absolute_coordinates_of_a_loop_are_rows_of_all_links():
    m = da.load(EXAMPLES / "four_bar.lsd")
    eq = m.equations("lagrange", parametrisation="absolute")
    assert len(eq.speeds) == 18
    assert len(eq.multiplier_names) == 20


def test_an_unknown_choice_is_refused_before_any_derivation():
    with pytest.raises(TypeError, match="charts"):
        da.load(EXAMPLES / "four_bar.lsd").equations("kane", charts="euler")
    with pytest.raises(da.ModelError, match="no potential to choose"):
        da.load(EXAMPLES / "four_bar.lsd").equations("kane", potential="gravity")


@pytest.mark.parametrize("level", ["vector", "matrix"])
@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_level_says_what_every_name_in_it_is(formalism, level):
    for name in ("four_bar", "satellite", "spring_train"):
        shown = da.load(EXAMPLES / f"{name}.lsd").equations(formalism).show(level)
        defining = [line for line in shown.formulas if ":=" in line.text]
        kinds = {kind_of(symbol)[0] for symbol in undefined([*shown.lines, *defining])}
        assert kinds <= set(KINDS), kinds - set(KINDS)
        said = [line.text.partition(" = ")[0] for line in shown.formulas]
        assert all(any(KINDS[kind][0].partition(" = ")[0] == text for text in said) for kind in kinds)
        assert not re.search(r"boldsymbol\{[a-z]+\d|boldsymbol\{(sigma|rho|theta)", shown.latex())


def test_further_conditions_are_printed_with_their_multipliers():
    m = da.Mechanism("geared")
    for name in "ab":
        m.join(da.earth, m.body(name, mass=1, inertia=[1, 1, 1]), da.revolute("z"), name=f"j{name}")
    gear = Constraint("gear", Holonomic((ex.parse("ja.th - 2*jb.th"),)))
    eq = derive(replace(m.layout(), further=(gear,)), "lagrange")
    text = str(eq.show("scalar"))
    assert "ja.th'' = gear.lambda" in text
    assert "ja.th'' - 2*jb.th'' = 0" in text
    assert "gear.lambda    [multiplier of a condition]" in text
    assert "G := [1, -2]" in str(eq.show("matrix"))
