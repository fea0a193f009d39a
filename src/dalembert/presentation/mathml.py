"""MathML of the few LaTeX constructs that handwritten lines use: fractions, indices, accents, sums, brackets."""

from __future__ import annotations

import re
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\[,;!]|[{}^_]|:=|\d+|[A-Za-z]|\S")
_SIGNS = {
    "\\partial": "∂",
    "\\cdot": "·",
    "\\sum": "∑",
    "\\times": "×",
    "-": "−",
    "\\left": "",
    "\\right": "",
    "\\,": "",
}
_LETTERS = {"\\omega": "ω", "\\Gamma": "Γ", "\\Lambda": "Λ", "\\Xi": "Ξ", "\\mu": "μ", "\\gamma": "γ", "\\alpha": "α"}


def mathml_of(latex: str) -> str:
    """The inside of a <math> element.

    >>> mathml_of("\\\\frac{\\\\partial T}{\\\\partial q_i}")
    '<mrow><mfrac><mrow><mo>∂</mo><mi>T</mi></mrow><mrow><mo>∂</mo><msub><mi>q</mi><mi>i</mi></msub></mrow></mfrac></mrow>'
    """
    tokens = _TOKEN.findall(latex)
    row, place = _row(tokens, 0)
    while place < len(tokens):  # a stray brace: go on after it
        more, place = _row(tokens, place + 1)
        row += more
    return f"<mrow>{''.join(row)}</mrow>"


def _row(tokens: list[str], place: int) -> tuple[list[str], int]:
    """Pieces up to a closing brace or the end."""
    pieces: list[str] = []
    while place < len(tokens) and tokens[place] != "}":
        token = tokens[place]
        if token in ("^", "_"):
            index, place = _argument(tokens, place + 1)
            base = pieces.pop() if pieces else "<mrow></mrow>"
            pieces.append(_indexed(base, token, index))
            continue
        piece, place = _piece(tokens, place)
        if piece:
            pieces.append(piece)
    return pieces, place


def _indexed(base: str, sign: str, index: str) -> str:
    """A second index joins the first: x_k^2 is one <msubsup>."""
    other = {"^": "msub", "_": "msup"}[sign]
    if base.startswith(f"<{other}>"):
        inner = base.removeprefix(f"<{other}>").removesuffix(f"</{other}>")
        if sign == "^":
            return f"<msubsup>{inner}{index}</msubsup>"
    kind = "msup" if sign == "^" else "msub"
    return f"<{kind}>{base}{index}</{kind}>"


def _argument(tokens: list[str], place: int) -> tuple[str, int]:
    """One token, or a group in braces."""
    if place < len(tokens) and tokens[place] == "{":
        row, place = _row(tokens, place + 1)
        return (row[0] if len(row) == 1 else f"<mrow>{''.join(row)}</mrow>"), place + 1
    return _piece(tokens, place) if place < len(tokens) else ("<mrow></mrow>", place)


def _piece(tokens: list[str], place: int) -> tuple[str, int]:
    token = tokens[place]
    if token == "{":
        return _argument(tokens, place)
    if token in ("\\frac", "\\tfrac"):
        top, place = _argument(tokens, place + 1)
        bottom, place = _argument(tokens, place)
        return f"<mfrac>{_grouped(top)}{_grouped(bottom)}</mfrac>", place
    if token == "\\dot":
        inner, place = _argument(tokens, place + 1)
        return f'<mover accent="true">{inner}<mo>˙</mo></mover>', place
    if token == "\\boldsymbol":
        inner, place = _argument(tokens, place + 1)
        return inner.replace("<mi>", '<mi mathvariant="bold">', 1), place
    if token == "\\quad":
        return '<mspace width="1em"/>', place + 1
    if token in _SIGNS:
        sign = _SIGNS[token]
        return (f"<mo>{sign}</mo>" if sign else ""), place + 1
    if token in _LETTERS:
        return f"<mi>{_LETTERS[token]}</mi>", place + 1
    if token.isdigit():
        return f"<mn>{token}</mn>", place + 1
    if token.isalpha():
        return f"<mi>{token}</mi>", place + 1
    return f"<mo>{escape(token.lstrip(chr(92)))}</mo>", place + 1


def _grouped(piece: str) -> str:
    return piece if piece.startswith("<mrow>") else f"<mrow>{piece}</mrow>"
