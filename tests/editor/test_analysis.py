"""What editors learn from a text."""

import random
from pathlib import Path

import pytest

from dalembert import limits
from dalembert.editor import told
from dalembert.editor.analysis import analyse, completions, definition, hover
from dalembert.editor.told import lenses
from dalembert.errors import LimitError
from dalembert.lsd.format import format_text
from lsd.mutations import mutate, programs

EXAMPLES = Path(__file__).parents[2] / "examples"

TEXT = """use "joints.lsd" ;
let arm = body mass = m, iframe = 0, inertia = 0 end ;
join earth and arm.frame with revolute(axis = [0,0,1]) as elbow ;
"""


def at(text, marker, shift=1):
    return text.index(marker) + shift


def labels(text, offset):
    return [c.label for c in completions(analyse(text), offset)]


@pytest.mark.parametrize(
    ("marker", "shown"),
    [
        ("arm.frame", "arm : body"),
        ("frame with", "frame : frame"),
        ("revolute(", "revolute(axis : vector) : link"),
        ("mass = m", "mass : scalar"),
        ("earth", "fixed Galilean frame"),
        ("m, iframe", "constant parameter"),
        ("join earth", "join FRAME and FRAME"),
    ],
)
def test_hover_tells_type_and_meaning(marker, shown):
    assert shown in hover(analyse(TEXT), at(TEXT, marker, 0))


def test_definitions_are_found_here_and_in_the_library():
    found = analyse(TEXT)
    source, span = definition(found, at(TEXT, "arm.frame"))
    assert source.text[slice(*span)] == "arm"
    source, span = definition(found, at(TEXT, "revolute("))
    assert source.name == "library/joints.lsd"
    assert source.text[slice(*span)] == "revolute"
    assert definition(found, at(TEXT, "earth")) is None


def test_fields_are_completed_by_the_type_of_the_object():
    text = TEXT + "let a = arm. "
    assert labels(text, len(text) - 1) == ["mass", "iframe", "inertia", "shape", "frame"]


def test_fields_of_an_open_record_come_first():
    text = "let b = body m"
    assert labels(text, len(text))[:3] == ["mass", "iframe", "inertia"]


def test_names_words_functions_and_library_are_completed():
    found = labels(TEXT, len(TEXT))
    assert {"arm", "revolute", "earth", "sin", "join", "hanging_rod"} <= set(found)
    assert "joints.lsd" in labels('use "', 5)
    package = "package p = let a = 1 ; end ; let b = p: "
    assert labels(package, len(package) - 1) == ["a"]


def test_diagnostics_come_while_typing():
    broken = TEXT + "let b = body masse = 1 end ;\nlet c = [1,2"
    messages = [d.message for d in analyse(broken).diagnostics]
    assert any("masse" in m for m in messages)
    assert any("syntax error" in m for m in messages)
    assert analyse(TEXT).diagnostics == ()


def test_faults_of_elaboration_are_diagnostics_too():
    lost = "let a = body end ; let b = body end ; join a.frame and b.frame with link end ;"
    assert "not connected" in analyse(lost).diagnostics[0].message


def test_every_prefix_of_a_program_can_be_analysed():
    for end in range(len(TEXT)):
        part = analyse(TEXT[:end])
        completions(part, end)
        hover(part, end)
        definition(part, end)


def test_formatting_is_that_of_the_command_line():
    assert format_text("let a=1;") == "let a = 1 ;\n"


VALUES = """(* the length of both *)
let l = 2*a ;
let arm = body mass = m, iframe = [0, 0, l/2], inertia = [0, 0, j] end ;
let tip = [0, 0, l] @ arm ;
join earth and arm.frame with link(th) dof = th || [0, 1, 0] end as elbow ;
gravity [0, 0, -9.81] ;
given a = 0.15, m = 3 ;
start elbow.th = 0.5 ;
"""


@pytest.mark.parametrize(
    ("marker", "shown"),
    [
        ("l/2]", "= 2*a = 0.3\n(* the length of both *)"),
        ("arm.frame", "mass = m = 3, centre = [0, 0, a], inertia = [0, 0, j]"),
        ("tip =", "at [0, 0, 2*a] on arm"),
        ("m, iframe", "= 3"),
    ],
)
def test_hover_tells_values_as_formulas_and_numbers(marker, shown):
    assert shown in hover(analyse(VALUES), at(VALUES, marker, 0))


def test_lenses_tell_freedoms_and_the_equation_of_every_joint():
    with limits.budget(seconds=60):  # those of the lens are for a person who waits, not for a crowded machine
        first, second = lenses(analyse(VALUES))
        bars = lenses(analyse((EXAMPLES / "four_bar.lsd").read_text(), "four_bar.lsd"))
    assert first.title == "1 degree of freedom; 1 body, 1 link"
    assert VALUES[slice(*second.span)].startswith("join earth")
    assert "elbow.th'' = 9.81*a*m*sin(elbow.th)" in second.title
    assert bars[0].title == "1 degree of freedom (proved); 3 bodies, 4 links, 1 closed loop"
    assert lenses(analyse("let a = body masse = 1 end ;")) == ()


def test_freedoms_are_told_though_the_equations_take_too_long(monkeypatch):
    def too_long(*_):
        raise LimitError("the lens took longer than 3 s and was stopped.")

    monkeypatch.setattr(told, "_equations", too_long)
    (only,) = lenses(analyse(VALUES))
    assert only.title == "1 degree of freedom; 1 body, 1 link"
    monkeypatch.setattr(told, "_freedoms", too_long)
    (only,) = lenses(analyse(VALUES))
    assert "took longer" in only.title


def test_lenses_and_hovers_of_damaged_programs_are_quiet():
    for seed in range(25):
        text = mutate(random.Random(seed), programs())
        found = analyse(text)
        lenses(found)
        for offset in range(0, len(text), 1 + len(text) // 7):
            hover(found, offset)
