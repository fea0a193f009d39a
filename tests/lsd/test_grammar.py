"""Grammar and precedence (spec 1.2, 1.3, 1.4; cases P1-P8)."""

import json
from pathlib import Path

import pytest

from dalembert.errors import LsdError
from dalembert.lsd import _tables, parse
from dalembert.lsd import syntax as s

ROOT = Path(__file__).parents[2]


def expression(text, **options):
    (declaration,) = parse(f"let a = {text} ;", **options).declarations
    return declaration.bindings[0].value


def name(text):
    return s.Name(s.Word(text))


def binary(op, a, b):
    return s.Binary(op, a, b)


def test_the_stored_tables_are_those_of_the_grammar_file():
    stored = json.loads((ROOT / "src/dalembert/lsd/tables.json").read_text())
    assert stored == json.loads(json.dumps(_tables.build(_tables.grammar_text())))


def test_a_frame_is_a_displacement_at_a_body():
    found = expression("[0,0,?s] ++ 1 @ satellite")
    zero = s.Number("0", True)
    vector = s.Vector((zero, zero, s.Unknown("s")))
    assert found == s.FrameAt(s.Displacement(vector, s.Number("1", True)), name("satellite"))


def test_subtraction_and_power_associate_to_the_left():
    a, b, c = name("a"), name("b"), name("c")
    assert expression("a-b-c") == binary("-", binary("-", a, b), c)
    assert expression("a^b^c") == binary("^", binary("^", a, b), c)
    assert expression("a/b*c") == binary("*", binary("/", a, b), c)


@pytest.mark.parametrize("op", ["@", "++", "||"])
def test_the_geometric_operators_do_not_associate(op):
    with pytest.raises(LsdError, match="syntax error"):
        parse(f"let x = a {op} b {op} c ;")


def test_empty_programs_and_empty_lets_are_accepted():
    assert parse("").declarations == ()
    assert parse("let ;").declarations == (s.Let(()),)
    assert len(parse("let a = 1 and ;").declarations[0].bindings) == 1


def test_a_vector_has_three_components():
    with pytest.raises(LsdError, match="three components"):
        parse("let v = [1,2] ;")
    with pytest.raises(LsdError, match="three components"):
        parse("let v = [1,2,3,4] ;")


def test_the_corrected_satellite_has_ten_declarations():
    from lsd.satellite import SATELLITE

    kinds = [type(d) for d in parse(SATELLITE).declarations]
    assert kinds == [s.Let] * 4 + [s.Join] * 4 + [s.Apply] * 2


def test_named_arguments_instantiate_a_member_of_a_package():
    found = expression("lib:rot(axe=[1,0,0])")
    assert isinstance(found, s.Instance)
    assert (found.package[0].text, found.word.text, found.arguments[0].word.text) == ("lib", "rot", "axe")


def test_a_keyword_before_equals_is_a_named_argument_else_an_object():
    assert isinstance(expression("f(force = 1)"), s.Instance)
    call = expression("f(force body = s end)")
    assert isinstance(call, s.Call)
    assert call.arguments[0].kind == "force"


def test_unspaced_subtraction_reads_as_subtraction_unless_strict():
    assert expression("x-1") == binary("-", name("x"), s.Number("1", True))
    with pytest.raises(LsdError, match=r"x - 1"):
        parse("let a = x-1 ;", strict=True)


def test_precedence_makes_a_turned_frame_readable():
    t, ang, ax, b = (name(x) for x in ("t", "ang", "ax", "b"))
    assert expression("t ++ ang || ax @ b") == s.FrameAt(s.Displacement(t, s.Rotation(ang, ax)), b)
    strict = expression("t ++ ang || ax @ b", strict=True)
    assert strict == s.Rotation(s.Displacement(t, ang), s.FrameAt(ax, b))


def test_both_precedences_agree_without_parallel_bars():
    assert expression("[0,0,1] ++ 1 @ b") == expression("[0,0,1] ++ 1 @ b", strict=True)
    assert expression("a + b*c^d - e") == expression("a + b*c^d - e", strict=True)


def test_a_sign_is_part_of_its_operand():
    assert expression("-x^2") == binary("^", s.Negative(name("x")), s.Number("2", True))
    assert expression("- -x") == s.Negative(s.Negative(name("x")))
    with pytest.raises(LsdError, match="prefix sign"):
        parse("let a = -x ;", strict=True)
    assert isinstance(expression("-1", strict=True), s.Number)


def test_trailing_separators_are_allowed_where_the_sources_allow_them():
    assert len(expression("body mass = 1, iframe = 0, end").fields) == 2
    assert len(parse("let f(x : scalar, y : vector,) = x ;").declarations[0].parameters) == 2


def test_fields_and_selectors_may_be_words_of_the_language():
    assert expression("force body = s, value = v end").fields[0].word.text == "body"
    assert expression("f.body") == s.Select(s.Word("f"), s.Word("body"))
    assert expression("p:f.force").package[0].text == "p"


def test_types_of_parameters_may_be_words_of_the_language():
    heads = parse("let f(b : body, l : link, f : force, q : torque) = b ;").declarations[0]
    assert [p.type.text for p in heads.parameters] == ["body", "link", "force", "torque"]


def test_links_carry_their_parameters_and_primes():
    link = expression("link(x, y) dof = [x, y, 0], force = [?fs(x, x'), 0, 0] end")
    assert [w.text for w in link.parameters] == ["x", "y"]
    assert link.fields[1].value.entries[0] == s.Unknown("fs", (name("x"), s.Prime(s.Word("x"), 1)))


@pytest.mark.parametrize(
    "text", ["let a = " + "(" * 10_000 + "1", "let a = " + "[" * 10_000, "let a = " + "-" * 10_000 + "1 ;"]
)
def test_nesting_beyond_reason_is_an_error(text):
    with pytest.raises(LsdError, match="nested too deeply"):
        parse(text)


def test_long_sums_are_not_deep():
    from dalembert import lsd

    many = " + ".join(["x"] * 20_000)
    checked = lsd.check(f"let a = {many} ;")
    assert not checked.report.failed
