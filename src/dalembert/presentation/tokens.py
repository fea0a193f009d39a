"""Tokens of LaTeX that was written for vectors and matrices: how wide they are, and where a row may break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from dalembert.presentation.formula import DEEPER, IN_PRODUCT, NEVER, Token
from dalembert.presentation.mathml import TOKEN, mathml_inside
from dalembert.presentation.widths import row_width

Sides = tuple[Sequence[Token], str, Sequence[Token]]

_RELATIONS = frozenset({"=", ":="})
_SIGNS = frozenset({"+", "-"})
_TIMES = frozenset({"\\,", "\\cdot", "\\times"})
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
#: Brackets about these stretch with them, and are parted by no row.
_TALL = re.compile(r"\\begin|\\frac|\\sum|\\int")
_THIN = 0.17  # em: the space between two factors


@lru_cache(maxsize=4096)
def sides_of(latex: str) -> Sides:
    """What stands before the first sign of equality, that sign, and the rest; without one all of it is on the right."""
    words = _flattened(TOKEN.findall(latex))
    depth = 0
    for k, word in enumerate(words):
        depth += (word == "{" or word.startswith("\\begin{")) - (word == "}" or word.startswith("\\end{"))
        if word in _RELATIONS and not depth:
            return _tokens(words[:k]), word, _tokens(words[k + 1 :])
    return [], "", _tokens(words)


def _flattened(words: list[str]) -> list[str]:
    r"""Brackets of one line's height without \left and \right, so that a row may break between them."""
    found, open_at = list(words), list[int]()
    for k, word in enumerate(words):
        if word == "\\left":
            open_at.append(k)
        elif word == "\\right" and open_at:
            start = open_at.pop()
            plain = words[start + 1] in _OPENING and words[k + 1] in _CLOSING
            if plain and not _TALL.search(" ".join(words[start:k])):
                found[start] = found[k] = ""
    return [word for word in found if word]


def _tokens(words: list[str]) -> list[Token]:
    """Operands with the signs between them; the deeper in brackets, the worse a break at a sign or behind a comma."""
    found, held = list[Token](), list[str]()
    group, depth, before, times, listed = 0, 0, "", False, False

    def closed() -> None:
        nonlocal held, times, listed
        if held:
            text = _spelled(held)
            gap = '<mspace width="0.17em"/>' if times else ""
            penalty = IN_PRODUCT + DEEPER * depth if times else DEEPER * depth if listed else NEVER
            space = "\\," if times else ""
            found.append(
                Token(
                    "*" if times else "",
                    space + text,
                    gap + mathml_inside(text),
                    row_width(held) + (_THIN if times else 0.0),
                    penalty,
                )
            )
        held, times, listed = [], False, False

    for word in words:
        inside = group > 0
        group += (word in ("{", "\\left") or word.startswith("\\begin{")) - (
            word in ("}", "\\right") or word.startswith("\\end{")
        )
        if not inside and before and word in _SIGNS | _RELATIONS and before not in _SIGNS | _RELATIONS | _OPENING:
            closed()
            listed = False
            mark = {"-": "−"}.get(word, word)
            penalty = DEEPER * depth
            found.append(Token(word, f" {word} ", f'<mo form="infix">{mark}</mo>', row_width([word]), penalty))
        elif not inside and word in _TIMES and held:
            closed()
            if word == "\\,":
                times = True
            else:
                mark = "·" if word == "\\cdot" else "×"
                found.append(
                    Token(word, f" {word} ", f"<mo>{mark}</mo>", row_width([word]), IN_PRODUCT + DEEPER * depth)
                )
        else:
            held.append(word)
            if word == "," and not inside:
                closed()
                listed = True
        if not inside:
            depth += (word in _OPENING) - (word in _CLOSING)
        before = word
    closed()
    return found


def _spelled(words: Sequence[str]) -> str:
    """Words of LaTeX in a row: a command and a letter behind it stand apart."""
    found = list[str]()
    for word in words:
        apart = found and word[0].isalpha() and re.fullmatch(r"\\[A-Za-z]+", found[-1])
        found.append(f" {word}" if apart else word)
    return "".join(found)
