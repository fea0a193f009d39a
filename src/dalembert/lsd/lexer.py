"""Text -> tokens, with the terminals of the grammar file (annex B.1, `LSD.lex`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from dalembert.lsd._tables import tables
from dalembert.lsd.source import Report, Source
from dalembert.lsd.units import QUANTITY

DECLARING = frozenset(
    (
        "given",
        "start",
        "gravity",
        "use",
        "spring",
        "torsion",
        "bushing",
        "constrain",
        "drive",
        "roll",
        "gear",
        "rope",
        "contact",
        "limit",
        "rub",
        "for",
        "if",
        "output",
    )
)
#: Words inside a constraint, after a complete expression.
_REACTING = frozenset(("by", "about", "along"))
#: Words inside a contact, likewise.
_TOUCHING = frozenset(("restitution", "friction", "static", "rolling", "drilling", "slip"))
#: Words that open a block of declarations, and the declaration to which they belong.
_OPENING = {"do": "FOR", "then": "IF"}
SOFT = DECLARING | _REACTING | _TOUCHING | {"as", "else", *_OPENING}
_ENDS_EXPRESSION = frozenset(
    ("ID", "PRIMED", "INT", "FLOAT", "QUANTITY", "UNKID", "RPAR", "RSQB", "END", "BODY", "FORCE", "TORQUE")
)
#: After these a declaration begins, and after the `=` of a package.
_BEFORE_DECLARATION = frozenset(("SEMICOLON", "DO", "THEN", "ELSE"))


class Token(NamedTuple):
    type: str
    text: str
    start: int
    end: int


@cache
def _scanner(signed: bool) -> re.Pattern[str]:
    table = tables()
    punctuation = sorted((w for w in table.words if not w[0].isalpha()), key=len, reverse=True)
    number = "[+-]?" if signed else ""
    # Longest first: a primed name before a name, a float before an integer, `++` before `+`.
    parts = [
        r"(?P<BLANK>[ \t\r\n\f]+)",
        r"(?P<COMMENT>\(\*(?s:.*?)\*\))",
        r"(?P<OPEN_COMMENT>\(\*)",
        r"(?P<OTHER_COMMENT>(?:#|%|//)[^\n]*)",
        *([] if signed else [f"(?P<QUANTITY>{QUANTITY})"]),
        *(f"(?P<{name}>{number if name in ('FLOAT', 'INT') else ''}(?:{table.patterns[name]}))" for name in _ORDER),
        f"(?P<PUNCTUATION>{'|'.join(map(re.escape, punctuation))})",
        r"(?P<WRONG>.)",
    ]
    return re.compile("|".join(parts))


_ORDER = ("PRIMED", "ID", "UNKID", "FLOAT", "INT", "STRING")


def scan(source: Source, report: Report, *, strict: bool = False) -> Iterator[Token]:
    """Every lexeme with blanks dropped and comments kept as `COMMENT`.

    In strict mode a sign is glued to the number that follows it, as the printed lexer does, so `x-1` is `x` `-1`.
    """
    new = tuple.__new__
    for found in _scanner(strict).finditer(source.text):
        kind: str = found.lastgroup  # type: ignore[assignment]
        if kind == "BLANK":
            continue
        text = found[0]
        if kind not in _FAULTS:
            yield new(Token, (kind, text, *found.span()))
            continue
        if kind == "OPEN_COMMENT":
            report.add(source, (found.start(), found.start() + 2), "comment never closed", "end it with `*)`")
            return
        if kind == "OTHER_COMMENT":
            mark = 2 if text[0] == "/" else 1
            report.add(
                source, (found.start(), found.start() + mark), "no sign of LSD", "comments are written (* ... *)"
            )
            continue
        hint = "a name with other letters is written in back quotes" if text.isalpha() else _HINTS.get(text)
        report.add(source, found.span(), f"unexpected character {text!r}", hint)
        if text == "|":  # the one thing that can be meant
            yield new(Token, ("PUNCTUATION", "||", *found.span()))


_FAULTS = frozenset(("OPEN_COMMENT", "OTHER_COMMENT", "WRONG"))
_HINTS = {
    "°": "degrees are written `90 deg`",
    "|": "a rotation is written angle || axis",
    "?": "an unknown is `?` glued to letters: ?s, ?v, ?fs(x, x')",
    "{": "vectors are written [a, b, c] and groups ( ... )",
    '"': "a text ends on the line where it begins",
    "'": "primes are glued to a link parameter: x'",
    "`": "a quoted name ends on the line where it begins",
    "!": "comments are written (* ... *)",
}


def tokens(source: Source, report: Report, *, strict: bool = False) -> list[Token]:
    """The tokens that the grammar reads: comments dropped, words of the language recognised.

    >>> [t.type for t in tokens(Source("let force1 = ?fs(x,x');"), Report())]
    ['LET', 'ID', 'EQUAL', 'UNKID', 'LPAR', 'ID', 'COMMA', 'PRIMED', 'RPAR', 'SEMICOLON']
    """
    words = tables().words
    result: list[Token] = []
    keep = result.append
    new = tuple.__new__
    for token in scan(source, report, strict=strict):
        kind, text, start, end = token
        if kind == "PUNCTUATION":
            keep(new(Token, (words[text], text, start, end)))
        elif kind == "ID":
            if text in words and (text not in SOFT or _is_word(text, result)):
                token = Token(words[text], text, start, end)
            keep(token)
        elif kind != "COMMENT":
            keep(token)
    return result


def _is_word(text: str, before: list[Token]) -> bool:
    """Whether a soft word stands where the grammar wants it, else it is a name as in older programs."""
    if text == "as":
        return bool(before) and before[-1].type in _ENDS_EXPRESSION
    if text in _REACTING or text in _TOUCHING or text in _OPENING:
        if not before or before[-1].type not in _ENDS_EXPRESSION:
            return False
        declared = _declared(before)
        if text in _OPENING:
            return declared == _OPENING[text]
        return declared in (("CONSTRAIN", "DRIVE") if text in _REACTING else ("CONTACT", "LIMIT", "RUB"))
    return not before or _declares(before, len(before))


def _declares(before: list[Token], at: int) -> bool:
    """Whether a declaration begins at a place: after `;`, and after what opens a block."""
    last = before[at - 1].type
    if last in _BEFORE_DECLARATION:
        return True
    if last != "EQUAL" or at < 3:
        return False
    if before[at - 3].type == "PACKAGE":
        return True
    if before[at - 2].type != "RPAR":
        return False
    # the head of a package with parameters: `package leg(hip : frame, l : scalar = 1) =`
    while at > 1 and before[at - 1].type not in _BEFORE_DECLARATION:
        at -= 1
        if before[at].type == "PACKAGE":
            return True
    return before[at - 1].type == "PACKAGE"


def _declared(before: list[Token]) -> str:
    """The word with which the declaration began that is being read."""
    for k in range(len(before), 0, -1):
        if before[k - 1].type in _BEFORE_DECLARATION or (before[k - 1].type == "EQUAL" and _declares(before, k)):
            return before[k].type if k < len(before) else ""
    return before[0].type
