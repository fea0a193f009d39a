"""Outline, renaming, signatures and quick fixes, as an editor asks for them."""

import random
import re
from pathlib import Path

import pytest

import dalembert as da
from dalembert.editor.analysis import analyse, hover
from dalembert.editor.refactor import fixes, named_at, outline, rename, signature_at

TEXT = """use "solids.lsd" ;
(* a rod that swings *)
let rod = hanging_rod(m = m, l = l) ;
package leg(hip : frame, l : scalar = 1) =
  let rod = body mass = l, iframe = 0, inertia = 0 end ;
  join hip and rod.frame with link(th) dof = th || [1, 0, 0], torque = [-rod.mass*th, 0, 0] end as knee ;
end ;
join earth and rod.frame with link(th) dof = th || [0, 1, 0] end as hinge ;
let left = leg(hip = earth) ;
for i in 1..2 do let tip[i] = [0, 0, -l*i] @ rod ; end ;
start hinge.th = 0.1, left.knee.th = 0.2 ;
given m = 1, l = 2 ;
"""


def renamed(text, at, new):
    found = analyse(text)
    assert not found.diagnostics
    spans = rename(found, at, new)
    if spans is None:
        return None
    for start, end in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def test_the_outline_has_what_is_named_where_it_stands():
    found = outline(analyse(TEXT))
    assert [(one.name, one.kind) for one in found] == [
        ("rod", "variable"),
        ("leg", "machine"),
        ("hinge", "join"),
        ("left", "variable"),
        ("i", "loop"),
    ]
    assert [(one.name, one.kind) for one in found[1].inside] == [("rod", "body"), ("knee", "join")]
    assert [one.name for one in found[4].inside] == ["tip"]
    assert all(TEXT[one.name_span[0] :].startswith(one.name) for one in found)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *(("rod = hanging", 3), ("rod = body", 3), ("hinge", 2), ("left", 2), ("tip", 1), ("m = 1", 2)),
        *(("hip :", 3), ("hip = earth", 3)),  # a parameter, and where it is handed over by name
    ],
)
def test_renaming_keeps_to_what_is_meant(name, count):
    new = renamed(TEXT, TEXT.index(name), "other")
    assert len(re.findall(r"\bother\b", new)) == count
    assert not analyse(new).diagnostics


def test_renaming_that_would_change_the_meaning_is_refused():
    assert renamed(TEXT, TEXT.index("hinge"), "two words") is None
    assert renamed(TEXT, TEXT.index("left ="), "rod") is None
    assert renamed(TEXT, TEXT.index("hanging_rod"), "other") is None
    text = """let p = body mass = 1, iframe = 0, inertia = 0 end ;
join earth and p.frame with link(x, y) dof = [x, y, 0], force = [sin(pi*t), 0, 0] end as p ;
constrain p.y = 0 by coulomb(0.3, p.x') as plane ;"""
    assert not analyse(text).diagnostics
    for word in ("earth", "sin", "pi", "t)", "coulomb"):  # words that every program knows were renamed to constants
        assert renamed(text, text.index(word), "other") is None, word


def test_random_names_of_examples_rename_to_the_same_machine():
    rng = random.Random(4)
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*.lsd"))[::4]:
        text = path.read_text()
        found = analyse(text)
        words = [m.start() for m in re.finditer(r"\b[A-Za-z_]\w*\b", text)]
        for at in rng.sample(words, 3):
            name, spans = named_at(found, at)
            if spans and rename(found, at, "fresh_name") is not None:
                new = renamed(text, at, "fresh_name")
                back = renamed(new, named_at(analyse(new), spans[0][0])[1][0][0], name)
                assert back is not None
                assert da.loads(back) == da.loads(text)


def test_a_signature_knows_which_parameter_is_written():
    text = TEXT + "let right = leg(earth, 2"
    found = signature_at(analyse(text), len(text))
    assert found.text == "leg(hip : frame, l : scalar = ...) : machine"
    assert found.active == 1
    assert signature_at(analyse(TEXT), 5) is None


def test_hover_shows_the_comment_of_a_definition():
    assert "a rod that swings" in hover(analyse(TEXT), TEXT.index("rod ; end"))
    text = """let arm = body mass = 2 end ;
(* the hinge at the wall *)
join earth and arm.frame with link(th) dof = th || [0, 1, 0] end as elbow ;
(* twice the angle *)
output twice = 2*elbow.th ;
"""
    found = analyse(text)
    assert hover(found, text.index("elbow ;")) == "elbow : link - coordinates elbow.th\n(* the hinge at the wall *)"
    assert hover(found, text.index("elbow.th")).endswith("(* the hinge at the wall *)")
    assert hover(found, text.index("twice =")) == "twice : output - told by motions\n(* twice the angle *)"


def test_hover_tells_what_members_of_machines_and_given_names_are():
    text = """package leg(hip : frame) =
  let shin = body mass = 1, iframe = [0, 0, -l], inertia = 0 end ;
  join hip and shin.frame with link(th) dof = th || [0, 1, 0] end as knee ;
  spring earth and shin.iframe with stiffness = 3 as band ; (* a tendon *)
end ;
let left = leg(earth) and right = leg([1, 0, 0] @ earth) ;
given l = 0.5 ;
"""
    found = analyse(text)
    assert hover(found, text.index("band ;")) == "band : effort - left.band, right.band\n(* a tendon *)"
    assert hover(found, text.index("knee ;")) == "knee : link - coordinates left.knee.th, right.knee.th"
    assert hover(found, text.index("hip :")) == "hip : frame"  # no value: each machine has its own
    assert hover(found, text.index("l = 0.5")) == "l : scalar - constant parameter of the mechanism\n= 0.5"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("let b = body masse = 1 end ;", "let b = body mass = 1 end ;"),
        (
            "let b = body end ;\njoin earth and b with link end ;",
            "let b = body end ;\njoin earth and b.frame with link end ;",
        ),
        ("let r = rod(m = 1, l = 2) ;", 'use "solids.lsd" ;\nlet r = rod(m = 1, l = 2) ;'),
        ("let a = 1\nlet b = 2 ;", "let a = 1 ;\nlet b = 2 ;"),
    ],
)
def test_hints_are_applied(wrong, right):
    (fix,) = fixes(analyse(wrong).diagnostics[0])
    assert wrong[: fix.span[0]] + fix.text + wrong[fix.span[1] :] == right
