"""Lessons, students' derivations and exercises: mistakes made on purpose are found where they were made."""

import random
import xml.etree.ElementTree as tree

import pytest
import sympy as sp

from dalembert import analytic as an
from dalembert.analytic.teaching.marking import _Marker
from dalembert.analytic.teaching.quantities import Quantities
from dalembert.errors import ModelError


def derivation(quantities):
    """The keys of a whole derivation in the order of the blackboard, with their right values."""
    system, n, right = quantities.system, quantities.names, quantities.right
    keys = [k for k in ("T", "V", "L") if k in right]
    for c in system.coordinates:
        v = n.velocity(c).name
        keys += [f"dL/d{v}", f"d/dt dL/d{v}", f"dL/d{c}", f"equation {c}"]
    keys += [f"{c}''" for c in system.coordinates]
    return {k: right[k] for k in keys}


def written(quantities, key, value):
    """A line as a student writes it."""
    if key.startswith("equation "):
        j = quantities.system.coordinates.index(key.removeprefix("equation "))
        pull = [lam * row[j] for lam, row in zip(quantities.system.multipliers, quantities.system.constraint_rows)]
        return f"{value} = {quantities.right['Q_' + key.removeprefix('equation ')] + sum(pull)}"
    return f"{key} = {value}"


def mutate(value, rng, names):
    """One slip of the pen: a sign, a factor, a lost term, sine for cosine, a power, a wrong letter."""
    terms = list(sp.Add.make_args(sp.expand(value)))
    k = rng.randrange(len(terms))
    term = terms[k]
    slips = ["sign", "factor", "power"]
    slips += ["lost"] if len(terms) > 1 else []
    slips += ["sine"] if term.has(sp.sin, sp.cos) else []
    slip = rng.choice(slips)
    if slip == "sign":
        terms[k] = -term
    elif slip == "factor":
        terms[k] = term * rng.choice([2, sp.Rational(1, 2), 3])
    elif slip == "lost":
        del terms[k]
    elif slip == "sine":
        hold = sp.Function("held")
        terms[k] = term.replace(sp.sin, hold).replace(sp.cos, sp.sin).replace(hold, sp.cos)
    else:
        letters = sorted((s for s in term.free_symbols if s.name in names), key=str)
        terms[k] = term * rng.choice(letters) if letters else 2 * term
    return sp.Add(*terms)


def locate(count, seed):
    """Derivations with one slip each: how many were marked, and where the slip was named."""
    rng, found, tried = random.Random(seed), [], 0
    known = {}
    while tried < count:
        level, number = rng.randint(1, 5), rng.randint(0, 2)
        if (level, number) not in known:
            known[level, number] = Quantities(an.exercise(level, number).system)
        quantities = known[level, number]
        values = derivation(quantities)  # the system is derived once, its derivation marked many times
        keys = list(values)
        k = rng.randrange(len(keys))
        if values[keys[k]] == 0:
            continue
        wrong = mutate(values[keys[k]], rng, {s.name for s in quantities.right["L"].free_symbols})
        if an.is_zero(wrong - values[keys[k]]) or (keys[k] == "V" and not _slopes_differ(quantities, wrong)):
            continue
        own = dict(values) | {keys[k]: wrong}
        if rng.random() < 0.5:  # the student goes on from the slip
            for key in keys[k + 1 :]:
                carried = quantities.from_own(key, {a: own[a] for a in keys[: keys.index(key)]})
                if carried is not None:
                    shift = quantities.right.get("Q_" + key.removeprefix("equation "), 0) if " " in key else 0
                    own[key] = carried + (shift if key.startswith("equation ") else 0)
        lines = [written(quantities, key, value) for key, value in own.items()]
        tried += 1
        marker = _Marker(quantities, "en")
        first = an.Marking(tuple(marker.line(i, text) for i, text in enumerate(lines, 1))).first_wrong
        found.append((k + 1, first.number if first else 0, lines[k]))
    return found


def _slopes_differ(quantities, wrong):
    return any(not an.is_zero(sp.diff(wrong - quantities.right["V"], q)) for q in quantities.names.q)


def test_a_slip_is_named_where_it_was_made():
    for made, named, line in locate(8, 1):
        assert named == made, line


@pytest.mark.slow
def test_sixty_slips_are_named_where_they_were_made():
    missed = [(made, named, line) for made, named, line in locate(60, 7) if made != named]
    assert missed == []


def test_right_derivations_of_every_level_are_right():
    for level in range(1, 6):
        quantities = Quantities(an.exercise(level, level).system)
        lines = [written(quantities, k, v) for k, v in derivation(quantities).items()]
        marking = an.mark(quantities.system, lines)
        assert marking, str(marking)


@pytest.mark.parametrize(
    ("line", "why", "pourquoi"),
    [
        ("T = m*(r_d**2 + r**2*phi_d**2)", "factor 1/2", "facteur 1/2"),
        ("L = m*(r_d**2 + r**2*phi_d**2)/2 - k/r", "V was added", "V est ajoutée"),
        ("d/dt dL/dphi' = m*r**2*phi_dd", "product rule", "dérivée d'un produit"),
        ("dL/dr = -k/r**2", "kinetic energy depends on r", "dépend aussi de r"),
        ("m*r_dd + m*r*phi_d**2 - k/r**2 = 0", "minus dL/dq", "moins dL/dq"),
        ("r'' = r*phi_d - k/(m*r**2)", "power of phi'", "puissance de phi'"),
        ("p_phi = -m*r**2*phi_d", "sign is wrong", "signe est faux"),
    ],
)
def test_mistakes_of_students_have_their_reason(line, why, pourquoi):
    kepler = an.System("r phi", T="m*(r_d**2 + r**2*phi_d**2)/2", V="-k/r", positive="m r k")
    assert why in an.mark(kepler, [line]).first_wrong.reason
    assert pourquoi in an.mark(kepler, [line], language="fr").first_wrong.reason


def test_an_error_carried_on_is_no_second_error():
    spring = an.System("x", T="m*x_d**2/2", V="k*x**2/2", positive="m k")
    lines = ["T = m*x_d**2/2", "V = k*x**2", "L = T - V", "dL/dx = -2*k*x", "m*x_dd + 2*k*x = 0", "x'' = -2*k*x/m"]
    marking = an.mark(spring, lines)
    assert [line.verdict for line in marking.lines] == ["right", "wrong", "carried", "carried", "carried", "carried"]
    unread = an.mark(spring, ["y = 3", "T = m*(", "k*x"])
    assert {line.verdict for line in unread.lines} == {"unread"}
    assert not unread
    with pytest.raises(ModelError, match="one of en, fr"):
        an.mark(spring, lines, language="de")


def test_lessons_expand_every_derivative_and_say_why_terms_vanish():
    exercise = an.exercise(4, 1)
    text = an.teach(exercise.system).text
    assert "The momentum changes because" in text
    assert "so they give 0" in text
    assert "solve the linear system" in text
    assert "does not occur in L: its momentum is constant" in an.teach(an.exercise(4, 1).system).text
    french = an.teach(exercise.system, "hamilton-jacobi", language="fr")
    assert "Hamilton-Jacobi" in french.text
    assert tree.fromstring(french.mathml).tag.endswith("math")
    assert "\\begin{aligned}" in french.latex
    with pytest.raises(ModelError, match="levels go from 1"):
        an.exercise(9)


def test_the_lines_of_a_lesson_are_right():
    """The lesson's own formulas, marked as if a student had written them."""
    for level in (2, 3, 4, 5):
        exercise = an.exercise(level, 2)
        steps = [s for s in an.teach(exercise.system) if s.right is not None]
        quantities = Quantities(exercise.system)
        lines = [f"{s.left} = {s.right}" for s in steps if quantities.key(str(s.left))]
        assert len(lines) > 4
        assert an.mark(exercise.system, lines), str(an.mark(exercise.system, lines))
