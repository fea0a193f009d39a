"""Lexical structure (spec 1.1, cases L1-L6)."""

import pytest

from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd.lexer import tokens
from dalembert.lsd.source import Report, Source


def kinds(text, **options):
    return [(t.type, t.text) for t in tokens(Source(text), Report(), **options)]


def test_an_underscore_is_a_letter_anywhere():
    assert kinds("bras_primaire _x a_") == [("ID", "bras_primaire"), ("ID", "_x"), ("ID", "a_")]


def test_a_keyword_with_a_digit_is_a_name():
    assert kinds("force1 torque2 body3") == [("ID", "force1"), ("ID", "torque2"), ("ID", "body3")]


def test_primes_are_glued_to_their_parameter():
    assert kinds("x' x''") == [("PRIMED", "x'"), ("PRIMED", "x''")]


def test_unknowns_have_no_digits():
    assert kinds("?s1") == [("UNKID", "?s"), ("INT", "1")]
    with pytest.raises(LsdError, match="letters only"):
        lsd.parse("let a = ?s1 ;")


def test_a_comment_ends_at_the_first_closing_mark():
    assert [k for k, _ in kinds("(* a (* b *) let ;")] == ["LET", "SEMICOLON"]


def test_an_open_comment_is_a_fault_at_its_beginning():
    with pytest.raises(LsdError, match="comment never closed") as caught:
        lsd.parse("let a = 1 ;\n  (* never")
    assert (caught.value.diagnostics[0].line, caught.value.diagnostics[0].column) == (2, 3)


def test_floats_need_digits_on_both_sides_of_the_point():
    assert kinds("1.5e-3 1e3 1.5") == [("FLOAT", "1.5e-3"), ("FLOAT", "1e3"), ("FLOAT", "1.5")]
    assert [k for k, _ in kinds("1.")] == ["INT", "DOT"]
    assert [k for k, _ in kinds(".5")] == ["DOT", "INT"]


def test_strict_lexer_glues_signs_to_numbers():
    assert [k for k, _ in kinds("x-1")] == ["ID", "MINUS", "INT"]
    assert kinds("x-1", strict=True) == [("ID", "x"), ("INT", "-1")]
    assert [k for k, _ in kinds("x - 1", strict=True)] == ["ID", "MINUS", "INT"]


def test_the_fourteen_reserved_words_of_the_listing():
    words = "and apply body end force in join let link local on package torque with".split()
    assert all(kinds(w)[0][0] != "ID" for w in words)
    free = "earth frame iframe mass inertia value displ dof dof1 force1 torque1 s scalar".split()
    assert all(kinds(w)[0][0] == "ID" for w in free)


def test_words_of_the_extensions_are_still_names_elsewhere():
    m = lsd.loads(
        """let start = body mass = given, iframe = 0, inertia = 0 end ; let use = 2 ;
           join earth and start.frame with link(as, gravity) dof = [as, use*gravity, 0] end ;"""
    )
    assert m.links["start"].coordinates == ("start.as", "start.gravity")
    assert m.parameters() == ("given",)


def test_quoted_names_hold_any_text():
    m = lsd.loads("let `left-arm` = body mass = `m+` end ; join earth and `left-arm`.frame with link end ;")
    assert m.bodies["left-arm"].mass.name == "m+"


@pytest.mark.parametrize(
    ("text", "hint"), [("# x", r"\(\*"), ("let a = {1} ;", "groups"), ("let a = 1 | 2 ;", r"\|\|")]
)
def test_stray_characters_have_hints(text, hint):
    with pytest.raises(LsdError, match=hint):
        lsd.parse(text)
