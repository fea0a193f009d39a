"""Colours: every example is coloured without an error token and without loss."""

import pytest
from pygments.token import Comment, Error, Keyword, Name

from dalembert.editor.pygments_lexer import LsdLexer
from dalembert.lsd import library
from lsd.mutations import GALLERY

TEXTS = {p.stem: p.read_text() for p in GALLERY} | library.files()


@pytest.mark.parametrize("name", TEXTS)
def test_every_character_is_coloured(name):
    found = list(LsdLexer(stripnl=False, ensurenl=False).get_tokens(TEXTS[name]))
    assert "".join(text for _, text in found) == TEXTS[name]
    assert not any(kind is Error for kind, _ in found)


def test_kinds():
    text = "let b = body mass = ?s end ; (* a *) given m = 2 ;"
    found = {text: kind for kind, text in LsdLexer().get_tokens(text)}
    assert found["let"] is Keyword
    assert found["body"] is Keyword.Type
    assert found["mass"] is Name.Attribute
    assert found["?s"] is Name.Variable.Magic
    assert found["given"] is Keyword.Declaration
    assert found["(* a *)"] is Comment.Multiline
