"""Errors as a compiler engineer wants them: place, caret, expectation, hint, several in one run."""

import random
import re
from pathlib import Path

import pytest

from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd import check, library
from dalembert.lsd.source import Source
from dalembert.mechanism import Mechanism

ROOT = Path(__file__).parents[2]


def error(text, **options):
    with pytest.raises(LsdError) as caught:
        lsd.loads(text, name="arm.lsd", **options)
    return caught.value


def test_the_picture_shows_place_line_caret_and_hint():
    shown = str(error("let b = body mass = 1 end ;\nlet c = body masse = 1 end ;"))
    assert shown.splitlines() == [
        "arm.lsd:2:14: error: wrong component: a body has no field masse",
        " 2 | let c = body masse = 1 end ;",
        "   |              ^^^^^",
        "   = hint: did you mean `mass`?",
    ]


def test_tabs_keep_the_caret_under_its_column():
    lines = str(error("\tlet a = ;")).splitlines()
    assert lines[1].index(";") == lines[2].index("^")


def test_one_run_reports_every_fault():
    found = error(
        "let a = ; let b = body masse = 1 end ;\nlet c = [1,2] ; let d = ?q ; join earth and x.frame with link end ;"
    )
    assert len(found.diagnostics) == 5
    assert [d.line for d in found.diagnostics] == [1, 1, 2, 2, 2]


def test_a_missing_semicolon_is_told_where_it_is_missing():
    found = error("let a = 1\nlet b = 2 ;\nlet c = ?zz ;")
    assert [d.message for d in found.diagnostics] == ["missing `;` after this declaration", "unknown unknown ?zz"]
    assert found.diagnostics[0].line == 1
    assert "missing `;`" in str(error("let a = 1"))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("let a = 2x ;", "`2*x`"),
        ("let a = x**2 ;", "`^`"),
        ("let a = 1. ;", "`1.0`"),
        ("let a = .5 ;", "`0.5`"),
        ("let a == 1 ;", "one `=`"),
        ("let a = 1, b = 2 ;", "`and`"),
        ("let b = body mass = 1 and inertia = 0 end ;", "`,`"),
        ("let b = body mass = 1 ;", "write `end` before this"),
        ("let b = body mass 1 end ;", "mass = "),
        ("let v = [1,2] ;", "three components"),
        ("let end = 1 ;", "word of the language"),
        ("let a = [1,2,3].x ;", "only a name has fields"),
        ("let b = body mass = 3 lb end ;", "lb is no unit here: it is 0.45359237 kg"),
        ("let b = body mass = 3 in end ;", "in is no unit here: it is 2.54 cm"),
        ("let b = body mass = 3 N m end ;", "with `*`, without blanks: `3 N*m`"),
        ("let b = body mass = 3 kN.m end ;", "with `*`, without blanks: `3 kN*m`"),
        ("package p() = let b = body end ; end ; let a = p() ; let f = 1 @ a ;", "as in `a.tip`"),
        ("let b = body end ; package p = let f = 1 @ b ; end ;", "a package does not see what stands around it"),
        ("let a = 1 ;;", "one `;`"),
        ("let b = body mass = x - end ;", "missing before `end`"),
        ("let a = 2*sin ;", "sin(x)"),
        ("let a = b c ;", "side by side"),
        ("x = 1 ;", "list of declarations"),
        ("let f(b : bodi) = b ;", "did you mean `body`"),
        ("let arm = body end ; join earth and amr.frame with link end ;", "did you mean `arm`"),
        ("let arm = body end ; let m = arm.mas ;", "did you mean `mass`"),
        ("let a = body end ; join earth and a.frame with revolute(axis=[0,0,1]) ;", 'use "joints.lsd"'),
        ('use "joint.lsd" ;', "did you mean `joints.lsd`"),
        ('use "joints.lsd" ; let l = revolut(axis=[0,0,1]) ;', "did you mean `revolute`"),
        ('use "joints.lsd" ; let l = revolute(axe=[0,0,1]) ;', "did you mean `axis`"),
        (
            "let a = body end ; join earth and a.frame with link(th) dof = th||[0,0,1] end as j ; start j.ht = 1 ;",
            "`th`",
        ),
        ("let a = body end ; join earth and a.frame with link end as elbow ; start elbo.x = 1 ;", "`elbow`"),
        ("drive hinge.th ;", "write `hinge.th = ...`"),
        ("contact x ;", "`>=`"),
        ("limit hinge.th in [0 ;", "`,`"),
        ("let b = body end ; contact spere(b, 1) and plane(earth) ;", "did you mean `sphere`"),
        ("for i = 1..3 do let b[i] = i ; end ;", "`for i in 1..3 do"),
        ("for i in 1 to 3 do let b[i] = i ; end ;", "`for i in 1..3 do"),
        ("package p(x : scalar) = let a = x ; end ; p(3) ;", "`let part = p(...) ;`"),
        ("while n > 1 do end ;", "for i in"),
        ("joint earth and b.frame with link end ;", "did you mean `join`"),
        ("contact b.Z > 0 ;", "`contact ... >= 0`"),
        ("contact b.Z >= 0 friction = 0.3 ;", "`friction 0.3`"),
        ("limit a.th between [0, 1] ;", "`limit a.th in [0, 1]`"),
        ("apply force [0, 0, 1] on earth ;", "force value = [x, y, z] end"),
        ("drive a.th = sin t ;", "`sin(t)`"),
        ("let a = torque - 1 ;", "begins an object"),
        ("let a = body mass = 5 t end ;", "a tonne is 1000 kg"),
        ("start a.th = 90\N{DEGREE SIGN} ;", "`90 deg`"),
        ("// a remark\nlet a = 1 ;", "comments are written (* ... *)"),
        ('use "solid" ;', "did you mean `solids.lsd`"),
        ("let b = body end ; output h = pos(b) ;", "norm(pos(b))"),
    ],
)
def test_common_mistakes_have_hints(text, hint):
    found = error(text)
    assert hint in str(found)


@pytest.mark.parametrize(
    "text",
    [
        "for i = 1..3 do let b[i] = 1 ; end ;",
        "if n == 3 then let b = 1 ; else let b = 2 ; end ;",
        "let a = body end ;\njoin earth and a.frame with link(th) dof = th | [0, 0, 1] end ;",
        "# one remark, of several words\nlet a = 1 ;",
        "for i in 1..3 do if i > 1 then let b[i] = 1 ; end end ;",
        "let f(a : scalar, b : scalar) = a ; let c = f(a = 1, x = 2) ;",
    ],
)
def test_one_mistake_is_told_once(text):
    assert len(error(text).diagnostics) == 1


def test_an_output_that_nothing_tells_is_refused_where_it_stands():
    """Not after a long motion, when tables ask for it."""
    machine = """
    let b = body mass = 1, iframe = [0, 0, 1], inertia = 0 end ;
    join earth and b.frame with link(th) dof = th || [1, 0, 0] end as j ;
    spring earth and b.frame with stiffness = 1 as s ;
    drive j.th = t as d ;
    """
    for asked in ("j.omega", "b.height", "s.length", "d.torque"):
        assert f"asks for '{asked}'. Of '{asked[0]}' a motion tells" in str(error(machine + f"output o = {asked} ;"))
    lsd.loads(machine + "output o = j.th'' + j.Fx + b.X'' + b.WX + s.l' + s.force + d.lambda + d.power + total.T ;")


def test_a_coordinate_asked_of_the_body_is_told_by_its_link():
    text = "let b = body mass = 1, iframe = 0, inertia = 0 end ;"
    text += "join earth and b.frame with link(x) dof = [x, 0, 0], effort = -b.x' end as rail ;"
    assert "Did you mean 'rail.x''" in str(error(text))


def test_angles_alone_do_not_ask_for_units_everywhere():
    text = "let b = body mass = 1, iframe = 0, inertia = 0 end ;"
    text += "join earth and b.frame with link(x) dof = [x, 0, 0], effort = -20*x' end as rail ;"
    lsd.loads(text + "let a = 30 deg ; start rail.x' = 2 ;")
    found = error(text.replace("mass = 1,", "mass = 1 kg,"))
    assert "a factor without a unit is a pure number: check `20`" in str(found)


def test_a_fault_of_units_in_a_part_is_told_once():
    found = error("""
    package ram(at : frame) =
      let b = body mass = 1 kg, iframe = 0, inertia = 0 end ;
      join at and b.frame with link(x) dof = [x, 0, 0], effort = -20*x' end as rail ;
    end ;
    for i in 1..3 do let r[i] = ram([0, i, 0] @ earth) ; end ;
    """)
    assert len(found.diagnostics) == 1


def test_misspelt_given_names_are_warned_about():
    checked = lsd.check("let a = body mass = mass_a end ; join earth and a.frame with link end ; given mass_b = 2 ;")
    lsd.elaborate(checked, lsd.reading.Mechanism())
    (warning,) = checked.diagnostics
    assert warning.severity == "warning"
    assert "mass_a" in warning.hint


def test_given_cannot_change_what_is_defined():
    assert "defined by `let`" in str(error("let m = 1 ; given m = 2 ;"))
    text = "let a = body mass = 1 end ; join earth and a.frame with link end ; given a.mass = 2 ;"
    assert "cannot be given" in str(error(text))


def test_given_values_are_numbers():
    base = "let a = body mass = m end ; join earth and a.frame with link end ;"
    assert lsd.loads(base + "given k = 2, m = k*pi ;").given["m"] == pytest.approx(6.283185307179586)
    assert "no value" in str(error(base + "given m = q ;"))
    assert "range" in str(error(base + "given m = 1e300*1e300 ;"))


def test_faults_of_a_used_file_point_into_it(tmp_path):
    (tmp_path / "parts.lsd").write_text("let good = 1 ;\nlet bad = ?zz ;")
    (tmp_path / "main.lsd").write_text('use "parts.lsd" ; let a = good ;')
    with pytest.raises(LsdError) as caught:
        lsd.load(tmp_path / "main.lsd")
    (fault,) = caught.value.diagnostics
    assert fault.source.name.endswith("parts.lsd")
    assert fault.line == 2


def test_files_that_use_each_other_are_told_apart(tmp_path):
    (tmp_path / "a.lsd").write_text('use "b.lsd" ;')
    (tmp_path / "b.lsd").write_text('use "a.lsd" ;')
    with pytest.raises(LsdError, match="uses itself"):
        lsd.load(tmp_path / "a.lsd")


def test_used_files_share_definitions_and_givens(tmp_path):
    (tmp_path / "parts.lsd").write_text(
        "let arm(m : scalar) = body mass = m, iframe = 0, inertia = 0 end ; given k = 3 ;"
    )
    (tmp_path / "main.lsd").write_text(
        'use "parts.lsd" ; let a = arm(m = k) ; join earth and a.frame with link(x) dof = [x,0,0] end ;'
    )
    assert lsd.load(tmp_path / "main.lsd").given == {"k": 3}


def test_unreadable_files_are_lsd_errors(tmp_path):
    with pytest.raises(LsdError, match="cannot read"):
        lsd.load(tmp_path / "none.lsd")
    (tmp_path / "bad.lsd").write_bytes(b"let a = \xff\xfe ;")
    with pytest.raises(LsdError, match="UTF-8"):
        lsd.load(tmp_path / "bad.lsd")


def test_the_number_of_reported_errors_is_bounded():
    assert len(error("let a = ?zz ;" * 500).diagnostics) == 50


def test_faults_of_the_mechanism_layer_get_a_place():
    found = error("let a = body mass = 0-1, iframe = 0, inertia = 0 end ; join earth and a.frame with link end ;")
    assert "negative mass" in str(found)
    assert found.diagnostics[0].line == 1
    twice = (
        "let a = body mass = 1 end ; let b = body mass = 1 end ;"
        "join earth and a.frame with link end as j ; join a.frame and b.frame with link end as j ;"
    )
    assert "used twice" in str(error(twice))


def test_what_stands_on_a_body_that_cannot_be_is_not_blamed():
    text = """let rod = body mass = -2, iframe = 0 end ;
join earth and rod.frame with link(th) dof = th || [1,0,0] end ;
start rod.th = 1 ;"""
    found = error(text)
    assert [d.message for d in found.diagnostics] == [
        "body 'rod' has the negative mass -2. A mass is zero or positive",
    ]


JOINED = "let b = body mass = 1 end ; join earth and b.frame with link(x) dof = [x,0,0] end as q ; "


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("roll b on erth with radius = 1 ;", "unbound variable erth", "did you mean `earth`?"),
        ("start q.x = 1.2.3 ;", "syntax error at `.`", "a number has one decimal point"),
        ("constrain q.x 2 ;", "syntax error at `2`", "write `q.x = ...`"),
        ("constrain q.x'' = 2 ;", "a formula may use a coordinate and its rate, not its acceleration", None),
        ("contact q.x >= 0 friction 0.3 ;", "in LSD `slip foot.X'`", None),
    ],
)
def test_the_hint_is_what_helps(text, message, hint):
    (one,) = error(JOINED + text).diagnostics
    assert message in one.message
    assert one.hint == hint


def test_what_uses_a_declaration_that_cannot_be_read_is_not_blamed():
    text = """let crank = body mass = 1, iframe = [0.5,0,0] inertia = 0 end ;
join earth and crank.frame with link(th) dof = th || [0, 0, 1] end as a ;
let tip = [1, 0, 0] @ crank and tail = [0, 0, 1] @ crnk ;"""
    assert [d.message for d in error(text).diagnostics] == [
        "syntax error at `inertia`: expected an operator, `,` or `end`",
        "unbound variable crnk",
    ]
    text = "join earth and crank.frame as ; let tip = [1, 0, 0] @ crank ;"
    assert [d.message for d in error(text).diagnostics][1:] == ["unbound variable crank"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("let l = 2 ;\nlet j = link(l) dof = [l, 0, 0] end ;", "the parameter l hides l of line 1", 2),
        ("let j = link(t) dof = [t, 0, 0] end ;", "the parameter t hides the time", 1),
        ("let i = 1 ;\nfor i in 1..2 do let b[i] = i ; end ;", "the counter i hides i of line 1", 2),
        ("let a = 1 ;\nlet f(a : scalar) = 2*a ;", "the parameter a hides a of line 1", 2),
        ("let a = 1 ;\npackage p(a : scalar) = let c = a ; end ;", "the parameter a hides a of line 1", 2),
        ("let a = 1 ;\nlet b = local a = 2 in a end ;", "the local name a hides a of line 1", 2),
        ("let f(pi : scalar) = 2*pi ;", "the parameter pi hides the number pi", 1),
        ("let t = 3 ;", "the name t hides the time", 1),
        ("let sin(x : scalar) = x ;", "the name sin hides the function sin", 1),
        ("let earth = body mass = 1 end ;", "the name earth hides the earth", 1),
        ("let a = 1 ;\nlet a = 2 ;", "a is defined again: what line 1 defined", 2),
        ("let a = 1 ;\nif 1 < 2 then let a = 2 ; end ;", "a of line 1 is hidden by this one", 2),
        ("let a = 1 ;\nfor i in 1..2 do let a = i ; end ;", "a of line 1 is hidden by this one", 2),
        ("let a = 2*k ;\nlet k = 3 ;", "k of line 1 is a constant of the mechanism, not this", 2),
        ("let l = 3 ;\npackage p = let a = 2*l ; end ;", "here: a package does not see l of line 1", 2),
        (
            "let b = body mass = th end ;\nlet j = link(th) dof = th || [0,0,1] end ;",
            "th is a constant of the mechanism",
            1,
        ),
    ],
)
def test_captured_names_are_warned_about(text, message, line):
    found = check(text)
    assert not found.report.failed
    (one,) = found.diagnostics
    assert one.severity == "warning"
    assert message in one.message
    assert one.line == line
    assert one.hint


def test_examples_and_library_capture_no_name():
    words = "hides", "constant of", "again", "hidden by"
    for path in sorted(ROOT.glob("examples/**/*.lsd")):
        told = check(Source(path.read_text(), path.name, path.parent)).diagnostics
        assert not [one for one in told if any(word in one.message for word in words)], path
    for name, text in library.files().items():
        assert check(text).diagnostics == (), name


BLOCKS = {
    "for": "for i{n} in 1..2 do\n{inside}end ;\n",
    "if": "if 1 < 2 then\n{inside}end ;\n",
    "package": "package p{n}() =\n{inside}end ;\n",
    "body": "let b{n} = body\n  mass = 1 end ;\n{inside}",
    "link": "let l{n} = link(x)\n  dof = [x, 0, 0] end ;\n{inside}",
    "local": "let c{n} = local k{n} = 3 in\n  k{n}*2 end ;\n{inside}",
    "force": "let f{n} = force\n  value = [1, 0, 0] end ;\n{inside}",
}


def nest(rng, depth):
    """A program of blocks in each other, and of records between them."""
    text = ""
    for n in range(depth):
        text = BLOCKS[rng.choice(sorted(BLOCKS))].format(n=n, inside=text)
    return text


def test_a_missing_end_is_told_with_the_block_that_is_open_and_where_it_began():
    """Without one `end` what is left open is the outermost block, or the record that lost its own."""
    rng = random.Random(1)
    for _ in range(40):
        text = nest(rng, rng.randint(1, 5))
        ends = [found.start() for found in re.finditer(r"\bend ;", text)]
        gone = rng.choice(ends)
        record = text[gone - 1] == " "  # `end` of a record stands in its line
        broken = text[:gone] + (text[gone + 3 :] if record else text[gone + 6 :])
        (first, *_) = error(broken).diagnostics
        lines = broken.splitlines()
        if record:
            line = broken[:gone].count("\n")  # the one before that of its last field
        else:
            line = next(k for k, row in enumerate(lines, 1) if row.startswith(("for ", "if ", "package ")))
            while not still_open(lines[line - 1 :]):
                line = next(k for k, row in enumerate(lines, 1) if k > line and row.startswith(("for ", "if ", "pack")))
        word = re.search(rf"\b({'|'.join(BLOCKS)})\b", lines[line - 1])[0]
        assert first.message.startswith(f"the `{word}` of line {line}, column"), broken
        assert first.message.endswith("has no `end`")
        assert first.hint


def still_open(lines):
    """Whether the block of the first line is open at the end of the text."""
    depth = 0
    for row in lines:
        depth += row.startswith(("for ", "if ", "package "))
        depth -= row == "end ;"
        if depth == 0:
            return False
    return True


def test_an_end_too_many_closes_nothing():
    (one,) = error("let a = 1 ;\nend ;").diagnostics
    assert one.message == "this `end` closes nothing: no block is open here"
    assert one.line == 2


TWICE = """let b = body mass = m end ;
join earth and b.iframe with link(x) dof = [x, 0, 0] end as s ;
apply force value = [F(t), 0, 0] end on b.frame ;
"""


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("given m = {}, m = {} ;", "m"),
        ("given b.mass = 1, b.mass = 2 ;", "mb"),
        ("given F(t) = {}, F(t) = {} ;", "F"),
        ("start s.x = {}, s.x = {} ;", "s.x"),
        ("start s.x' = {}, s.x' = {} ;", "s.x'"),
    ],
)
def test_two_values_of_a_name_are_refused_in_one_declaration_and_told_in_two(written, name):
    text = TWICE if "b.mass" not in written else TWICE.replace("mass = m", "iframe = 0")
    if "b.mass" not in written:
        (one,) = error(text + written.format(1, 2)).diagnostics
        assert one.message == f"{name} has two values in one declaration"
        head = written.split()[0]
        apart = written.format(1, 2).replace(", ", f" ;\n{head} ", 1)
        found = check(text + apart)
        (one,) = told(found)
        assert one.severity == "warning"
        assert one.message == f"{name} is given again: its value in line 4 does not hold"
        assert one.line == 5
    else:
        (one,) = error(text + written).diagnostics
        assert one.message.endswith("has two values in one declaration")


def told(checked):
    """What is reported once the program is built."""
    lsd.elaborate(checked, Mechanism())
    return checked.report.items


def test_a_second_gravity_is_told_and_a_value_of_a_used_file_may_be_replaced(tmp_path):
    found = check(TWICE + "gravity [0,0,-9.81] ;\ngravity [0,0,-1.62] ;")
    (one,) = told(found)
    assert one.message == "gravity is given again: its value in line 4 does not hold"
    (tmp_path / "part.lsd").write_text(TWICE + "given m = 1 ;")
    machine = Mechanism()
    checked = check(Source('use "part.lsd" ; given m = 2 ;', "whole.lsd", tmp_path))
    lsd.elaborate(checked, machine)
    assert machine.given["m"] == 2
    assert not checked.report.items
