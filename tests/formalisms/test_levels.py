"""Three levels, one truth: the vector and matrix statements, opened by their own formulas, vanish on the motion."""

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
from dalembert.errors import ModelError
from dalembert.expr.space import apply3
from dalembert.formalisms import derive, isolated_bodies, kane, mixed, recursive
from dalembert.formalisms.lagrange import kinetic_energy
from dalembert.formalisms.reactions import reactions
from dalembert.formalisms.registry import find_formalism
from dalembert.kinematics.bodies import body_motions
from dalembert.mechanism import Layout, Mechanism, earth, weld
from dalembert.presentation import Notation, Vocabulary, theorems
from dalembert.presentation.collect_terms import collect
from formalisms.satellite import ACCELERATIONS, FORMALISMS, STATE, satellite
from random_mechanisms import random_couplings, random_state, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
SEEDS = [0, 1, 2, 4, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 5, 6, 7))]


def evaluated(exprs, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): float(v) for k, v in state.items()}), dtype=float)


def moving(seed):
    """A random tree in motion; of every four, one whose joints are coupled."""
    m = random_couplings(seed, 2 + seed % 3) if seed % 4 == 2 else random_tree(seed, 1 + seed % 4)
    layout = Layout.of(m)
    eq = derive(layout, "newton-euler")
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    state |= {f"{u}'": a for u, a in zip(eq.speeds, evaluated(eq.accelerations, state), strict=True)}
    return eq, state


def test_points_of_a_body_are_said_and_the_letter_of_an_inertia_is_no_joint():
    m = da.load(EXAMPLES / "double_pendulum.lsd")
    for level in ("vector", "matrix"):
        printed = str(m.equations("newton-euler").show(level))
        assert "  O_j    [origin of the frame of body j]\n  G_j    [centre of mass of body j]" in printed
        assert "at J_j" not in printed
    assert "G_j" not in str(m.equations("newton-euler").show("scalar"))


@pytest.mark.parametrize("seed", SEEDS)
def test_isolated_bodies_and_subsystems_balance_with_the_reported_actions(seed):
    eq, state = moving(seed)
    words = Vocabulary.of(eq.tree)
    lines = isolated_bodies.vector_level(words).lines
    for one, found in zip(words.links, reactions(eq, base="earth", solved=False).values(), strict=True):
        sign = -1 if one.link.reversed else 1
        at = reactions(eq, [found.link], base="earth", at="first", solved=False)[found.link] if sign < 0 else found
        j = one.link.child
        words.values[al.vector(f"R{j}")] = [[sign * x] for x in found.force]
        words.values[al.vector(f"K{j}")] = [[sign * x] for x in at.moment]
    for line in lines:
        rest = evaluated(words.evaluate(line.residual), state)
        assert np.abs(rest).max() < 1e-8, line.text


@pytest.mark.parametrize("seed", SEEDS)
def test_the_virtual_power_of_each_partial_motion_vanishes(seed):
    eq, state = moving(seed)
    for r in range(len(eq.speeds)):
        words = Vocabulary.of(eq.tree)
        line = kane.vector_level(words).lines[0]
        power = ex.ZERO
        for one in words.links:
            twist = dict(one.columns).get(r)
            i, j = one.link.parent, one.link.child
            for name, part in (("sigma", "angular"), ("w", "linear")):
                local = apply3(one.pose.rotation, getattr(twist, part)) if twist else (ex.ZERO,) * 3
                symbol = al.vector(f"{name}_r_{j}")
                rotation = words.rotation(0, i) if i else al.identity(3)
                words.values[symbol] = al.components(
                    words.in_components(rotation * al.vector("x")), words.values | {al.vector("x"): list(local)}
                ).rows()
            power = power + (words.motors[one.link.link.name][r] if twist else 0)
        words.values[al.scalar("Q_r")] = power
        assert abs(evaluated(words.evaluate(line.residual), state)[0]) < 1e-8


@pytest.mark.parametrize("seed", SEEDS)
def test_actions_summed_inwards_balance_along_every_motion(seed):
    eq, state = moving(seed)
    words = Vocabulary.of(eq.tree)
    for line in recursive.vector_level(words).lines:
        left, right = line.sides
        if not left.sort.is_scalar:  # R_j, K_j, carried inwards
            words.values[left] = [[x] for x in words.evaluate(right)]
        else:
            assert abs(evaluated(words.evaluate(line.residual), state)[0]) < 1e-8, line.text


def test_no_formalism_is_shown_by_the_theorem_of_another():
    found = {name: str(derive(Layout.of(satellite()), name).show("vector")) for name in FORMALISMS}
    bodies = [text.split("\n", 1)[1] for text in found.values()]
    assert len(set(bodies)) == len(bodies)
    assert "carried to" in found["recursive"]
    assert "projected on Psi" in found["mixed"]
    assert "projected" not in found["newton-euler"]


@pytest.mark.parametrize("level", ["vector", "matrix", "scalar"])
def test_equations_of_an_unknown_formalism_are_not_shown_by_a_known_one(level):
    eq = replace(derive(Layout.of(satellite()), "kane"), formalism="udwadia")
    with pytest.raises(ModelError, match="no formalism 'udwadia'"):
        eq.show(level)


@pytest.mark.parametrize("name", ["kane", "mixed"])
@pytest.mark.parametrize("seed", SEEDS)
def test_matrix_level_definitions_are_the_scalar_equations(seed, name):
    eq, state = moving(seed)
    words = Vocabulary.of(eq.tree)
    terms = find_formalism(name).matrix(words).terms
    n = len(eq.speeds)
    wanted = [list(eq.mass_matrix.entries), list(eq.bias), list(eq.forces)]
    for term in terms:
        found = evaluated(words.evaluate(term), state)
        assert any(
            len(found) == len(w) and np.allclose(found, evaluated(w, state), atol=1e-8, rtol=1e-8) for w in wanted
        ), (n, al.text(term))


@pytest.mark.parametrize("seed", range(4))
def test_kinetic_energy_of_the_vector_level_is_that_of_the_scalar_level(seed):
    eq, state = moving(seed)
    words = Vocabulary.of(eq.tree)
    found = evaluated(words.evaluate(theorems.kinetic_energy(words)), state)[0]
    assert found == pytest.approx(evaluated([kinetic_energy(body_motions(eq.tree))], state)[0], rel=1e-10)


@pytest.mark.parametrize("name", FORMALISMS)
def test_every_formalism_has_every_level_in_every_notation(name):
    eq = derive(Layout.of(satellite()), name)
    for level in ("vector", "matrix", "scalar"):
        shown = eq.show(level=level)
        assert len(str(shown)) > 40
        assert "\\begin{align*}" in shown.latex()
        if level != "scalar" or name == "kane":  # one long page is enough
            page = shown.html()
            assert ElementTree.fromstring(page.replace("&#x2062;", "")) is not None  # well-formed
            assert page.count("<tr>") == len(shown.lines) + len(shown.formulas)
            assert page.count("<math") >= page.count("<tr>")
        assert json.loads(json.dumps(shown.as_dict()))["level"] == level


def test_the_resultant_theorem_reads_as_in_the_thesis():
    shown = derive(Layout.of(satellite()), "newton-euler").show(level="vector")
    assert "F1 + F4 = mu1*gamma(G1) + mu4*gamma(G4)" in str(shown)


def test_expand_goes_from_theorems_to_coordinates():
    eq = derive(Layout.of(satellite()), "kane")
    assert [eq.level, eq.expand().level, eq.expand().expand().level] == ["vector", "matrix", "scalar"]
    assert "v_r(G4)" in str(eq.show())
    assert "V4^T*V4" in str(eq.expand().show())
    assert "s2.q7''" in str(eq.expand().expand().show())


def test_formulas_lead_from_names_to_coordinates():
    table = str(derive(Layout.of(satellite()), "kane").formulas)
    for line in ("gamma(G4) := ", "M_0_4 := M_0_3*M_3_4", "r3_2 := [0; s3.q8; 0]", "V4 := U4 - ~rho4*W4"):
        assert line in table, line


def test_formulas_are_well_formed_pages_too():
    page = derive(Layout.of(satellite()), "mixed").formulas.html()
    assert len(list(ElementTree.fromstring(page.replace("&#x2062;", "")).iter())) > 500


def test_a_clamped_body_still_shows_its_balance():
    m = Mechanism()
    m.join(earth, m.body("beam", mass="m", centre=[1, 0, 0]), weld(), name="clamp")
    shown = derive(Layout.of(m), "newton-euler").show("vector")
    assert "R1 = mu1*gamma(G1)" in str(shown) or "R1 = 0" in str(shown)
    assert "nothing moves" in str(derive(Layout.of(m), "kane").show("scalar"))


def test_free_blocks_of_massless_arms_vanish_and_the_reflector_is_a_point():
    """Papegay 3.3.2: blocks 2 and 3 vanish, block 4 has -mu_4 c~ c~ (MMassMax), here with moments before forces."""
    words = Vocabulary.of(derive(Layout.of(satellite()), "mixed").tree)
    mixed.matrix_level(words)
    block = {i: al.text(words.columns[f"MM{i}"], style="matrix") for i in (1, 2, 3, 4)}
    assert block[2] == block[3] == "0"
    assert block[1] == "[I1, 0; 0, mu1 Id]"
    assert block[4] == "[-mu4 ~rho4^2, mu4 ~rho4; -mu4 ~rho4, mu4 Id]"


def test_scalar_level_collects_accelerations_then_products_of_speeds():
    eq = derive(Layout.of(satellite()), "kane")
    for one, left, right in zip(
        collect(eq.mass_matrix, eq.bias, eq.forces, eq.tree.speeds), (eq.mass_matrix.rows()), eq.right_side, strict=True
    ):
        state = STATE | {f"{u}'": a for u, a in zip(eq.speeds, ACCELERATIONS, strict=True)}
        assert evaluated([one.left], state) == pytest.approx(evaluated(left, STATE) @ np.array(ACCELERATIONS))
        assert evaluated([one.right], state) == pytest.approx(evaluated([right], STATE))
        speeds = {ex.symbol(u) for u in eq.speeds}
        assert not speeds & ex.free_symbols([*one.products.values(), *one.accelerations.values()])


def test_every_intermediate_of_a_typeset_listing_is_defined_in_it():
    """Text and LaTeX are one listing: line by line the same names. Quaternions leave parts without names."""
    equations = da.load(str(EXAMPLES / "tennis_racket.lsd")).equations("lagrange")
    statement = equations.show("scalar")
    typeset = " ".join(line.latex for line in (*statement.lines, *statement.formulas))
    own = {Notation().latex(name) for name in equations.parameters}
    used = set(re.findall(r"z_\{\d+\}", typeset)) - own
    assert used
    assert used == set(re.findall(r"(z_\{\d+\}) :=", typeset))
    for line in statement.formulas:
        if number := re.match(r"z(\d+) :=", line.text):
            assert line.latex.startswith(f"z_{{{number[1]}}} :=")
