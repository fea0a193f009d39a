"""How wide formulas are on paper: the letters of Computer Modern, in em of ten points."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dalembert.presentation.mathml import TOKEN

_SLANTED = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (53, 43, 43, 52, 47, 60, 51, 58, 34, 47, 55, 32, 88, 60, 48, 50, 48, 48, 47, 36, 57, 52, 74, 57, 53, 51,
         75, 81, 79, 86, 80, 78, 79, 91, 52, 65, 92, 68, 108, 91, 79, 78, 79, 77, 67, 72, 79, 81, 108, 91, 80, 75),
        strict=True,
    )
)  # fmt: skip
_UPRIGHT = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (50, 56, 44, 56, 44, 38, 51, 56, 28, 31, 53, 28, 83, 56, 50, 56, 53, 39, 39, 39, 56, 54, 74, 53, 54, 44,
         75, 71, 72, 76, 68, 65, 78, 75, 36, 51, 78, 63, 92, 75, 78, 68, 78, 74, 56, 72, 75, 76, 104, 75, 78, 61),
        strict=True,
    )
)  # fmt: skip
_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
        "omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega partial".split(),
        (64, 62, 57, 48, 41, 51, 53, 50, 35, 58, 58, 60, 56, 48, 61, 52, 61, 55, 58, 60, 63, 69, 66,
         63, 83, 78, 69, 67, 75, 72, 72, 78, 72, 59),
        strict=True,
    )
)  # fmt: skip
#: Signs with the space that TeX sets about them.
_SIGNS = {
    "+": 1.23, "-": 1.23, "=": 1.34, ":=": 1.62, "\\,": 0.17, "\\times": 1.23, "\\cdot": 0.73, "\\quad": 1.0,
    "\\qquad": 2.0, "\\;": 0.28, "\\le": 1.34, "\\ge": 1.34, "(": 0.4, ")": 0.4, "[": 0.3, "]": 0.3, ",": 0.45,
    "/": 0.5, "|": 0.28, "\\sum": 1.45, "'": 0.3, "\\sqrt": 0.85,
}  # fmt: skip
_NONE = frozenset(
    {
        "{",
        "}",
        "&",
        "\\boldsymbol",
        "\\mathbf",
        "\\dot",
        "\\ddot",
        "\\dddot",
        "\\tilde",
        "\\overrightarrow",
        "\\ ",
        "\\!",
    }
)
_FUNCTIONS = re.compile(r"\\(?:arc)?(?:sin|cos|tan)h?|\\(?:exp|ln|min|max|det)")
_WORDS = re.compile(r"\\(text|mathrm|operatorname)\{(.*)\}", re.DOTALL)
#: Small letters are wider than their size says; bold ones are wider than plain ones; a space follows an index.
_SCRIPT, _BOLD, _BEHIND = 0.8, 1.17, 0.05
#: Space between two columns of a matrix, and each of its brackets.
_COLUMNS, _BRACKET = 1.0, 0.75
#: A bracket or fraction that stretches.
_STRETCHED, _BAR = 0.75, 0.24


def words_width(text: str) -> float:
    """Of upright letters; digits and signs have half an em."""
    return sum(_UPRIGHT.get(c, 28 if c in ".,:; '" else 50) for c in text) / 100


def latex_width(latex: str) -> float:
    """Of a formula in one row.

    >>> round(latex_width("\\\\dot{\\\\theta}_{1} + x"), 2)
    2.75
    """
    return row_width(TOKEN.findall(latex))


def row_width(tokens: Sequence[str]) -> float:
    """Of a formula in words of LaTeX."""
    return _Ruler(tokens).row()


class _Ruler:
    """Goes through words of LaTeX once and adds up what they take."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.place = tokens, 0

    def row(self, scale: float = 1.0, ends: frozenset[str] = frozenset()) -> float:
        total, above = 0.0, 0.0  # an index and an exponent of one letter stand above each other
        scripted = ""
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            if token in ends or (ends and token.startswith("\\end{")):
                break
            if token in ("^", "_"):
                self.place += 1
                small = self.piece(scale * (_SCRIPT if scale == 1.0 else 0.9)) + _BEHIND
                both = scripted and scripted != token
                total += max(0.0, small - above) if both else small
                above, scripted = small, token
                continue
            total += self.piece(scale)
            scripted = ""
        return total

    def piece(self, scale: float) -> float:
        """One word, or a group in braces."""
        if self.place >= len(self.tokens):
            return 0.0
        token = self.tokens[self.place]
        self.place += 1
        if token == "{":
            inner = self.row(scale, frozenset("}"))
            self.place += 1
            return inner
        if token in ("\\frac", "\\tfrac", "\\dfrac"):
            small = scale * _SCRIPT if token == "\\tfrac" else scale
            return max(self.piece(small), self.piece(small)) + _BAR
        if token in ("\\boldsymbol", "\\mathbf"):
            return _BOLD * self.piece(scale)
        if token in ("\\left", "\\right"):
            self.place += 1
            return _STRETCHED
        if token.startswith("\\begin{"):
            return self.table()
        return scale * _single(token)

    def table(self) -> float:
        """Columns are as wide as their widest cell."""
        widest: dict[int, float] = {}
        column = 0
        while self.place < len(self.tokens):
            widest[column] = max(widest.get(column, 0.0), self.row(1.0, frozenset(("&", "\\\\"))))
            sign = self.tokens[self.place] if self.place < len(self.tokens) else "\\end{}"
            self.place += 1
            if sign.startswith("\\end{"):
                break
            column = column + 1 if sign == "&" else 0
        return sum(widest.values()) + _COLUMNS * (len(widest) - 1) + 2 * _BRACKET


def _single(token: str) -> float:
    if token in _SIGNS:
        return _SIGNS[token]
    if token in _NONE:
        return 0.0
    words = _WORDS.fullmatch(token)
    if words is not None:
        return words_width(re.sub(r"\\(.)", r"\1", words[2]))
    if _FUNCTIONS.fullmatch(token):
        return words_width(token[1:]) + 0.17
    if token[0] == "\\":
        return _GREEK.get(token[1:], 70) / 100
    return _SLANTED[token] / 100 if token in _SLANTED else 0.5 * len(token) - 0.22 * ("." in token)
