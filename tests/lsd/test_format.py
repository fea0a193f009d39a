"""The house layout keeps tokens and comments, is stable, and reads well."""

import pytest

from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd import library
from dalembert.lsd.format import WIDTH, format_text
from dalembert.lsd.lexer import scan
from dalembert.lsd.source import Report, Source
from lsd.mutations import GALLERY

TEXTS = {p.stem: p.read_text() for p in GALLERY} | library.files()


def lexemes(text):
    return [t.text for t in scan(Source(text), Report())]


@pytest.mark.parametrize("name", TEXTS)
def test_formatting_keeps_every_token_and_comment_and_is_stable(name):
    once = format_text(TEXTS[name])
    assert lexemes(once) == lexemes(TEXTS[name])
    assert format_text(once) == once
    assert max(map(len, once.splitlines())) <= WIDTH + 20


def test_layout():
    text = """let a=1;let b=-x^2+f( y )*[1,- 2,3];   (* why *)
    package p=let c=1;let d(x:vector)=x||[0,0,1];end;


    join earth and b.frame with link(x)dof=x||[0,0,1],torque=[0,0,?fs(x,x')]end as j;"""
    assert format_text(text) == (
        "let a = 1 ;\n"
        "let b = -x^2 + f(y) * [1, -2, 3] ;  (* why *)\n"
        "package p =\n"
        "  let c = 1 ;\n"
        "  let d(x : vector) = x || [0, 0, 1] ;\n"
        "end ;\n"
        "\n"
        "join earth and b.frame with link(x) dof = x || [0, 0, 1], torque = [0, 0, ?fs(x, x')] end as j ;\n"
    )


def test_formatted_programs_mean_the_same():
    for path in GALLERY:
        assert lsd.loads(format_text(path.read_text())) == lsd.load(path)


def test_faulty_programs_keep_their_tokens():
    for text in ("let a = 0 . 0 ;", "let b = ) ( [ , ;", "let x' = 1 ++ + 2 ;", "package p = let a = 1 ;", "end ; ;"):
        assert lexemes(format_text(text)) == lexemes(text)


def test_unreadable_text_is_refused():
    with pytest.raises(LsdError):
        format_text("let a = (* open")
    assert format_text("") == ""
