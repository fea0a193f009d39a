"""MathML of the LaTeX that lines are written in: one setting on paper, on pages and in notebooks.

Not a reader of LaTeX at large: it knows the constructs that dalembert writes, and shows an unknown command by its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Literal

Kind = Literal["operand", "operator", "open", "close", "function", "space"]
Piece = tuple[Kind, str]

TOKEN = re.compile(
    r"\\(?:text|mathrm|operatorname)\{(?:[^{}\\]|\\.|\{\})*\}|\\(?:begin|end)\{\w+\*?\}|\\[A-Za-z]+|\\.|[{}^_&]|:="
    r"|\d+(?:\.\d+)?|[A-Za-z]|\S"
)
_WORDS = (
    "alpha=α beta=β gamma=γ delta=δ epsilon=ϵ zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π rho=ρ "
    "sigma=σ tau=τ upsilon=υ phi=ϕ chi=χ psi=ψ omega=ω varphi=φ varepsilon=ε Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ "
    "Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω ell=ℓ infty=∞ partial=∂"
)
_LETTERS = {f"\\{name}": sign for name, sign in (word.split("=") for word in _WORDS.split())}
_OPERATORS = {
    "-": "−", "\\cdot": "·", "\\times": "×", "\\sum": "∑", "\\pm": "±", "\\le": "≤", "\\leq": "≤", "\\ge": "≥",
    "\\geq": "≥", "\\neq": "≠", "\\ne": "≠", "\\approx": "≈", "\\in": "∈", "\\wedge": "∧", "\\to": "→", "\\int": "∫",
}  # fmt: skip
_PLAIN = frozenset("+=<>/,;:|*'!")
_FUNCTIONS = frozenset(
    f"\\{x}" for x in "sin cos tan cot exp ln log arcsin arccos arctan sinh cosh tanh min max sup det".split()
)
_ACCENTS = {
    "\\dot": "˙", "\\ddot": "¨", "\\tilde": "˜", "\\widetilde": "˜", "\\hat": "^", "\\widehat": "^", "\\bar": "¯",
    "\\overline": "¯", "\\overrightarrow": "→", "\\vec": "→",
}  # fmt: skip
_SPACES = {"\\quad": "1em", "\\qquad": "2em", "\\;": "0.28em"}
_NOTHING = frozenset(("\\,", "\\!", "\\ ", "\\displaystyle", "\\limits"))
_FENCES = {"pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "matrix": "", "array": "", "aligned": ""}
_THIN = '<mspace width="0.18em"/>'


def mathml_of(latex: str) -> str:
    """The inside of a <math> element.

    >>> mathml_of("\\\\frac{\\\\partial T}{\\\\partial q_i}")
    '<mrow><mfrac><mrow><mi>∂</mi><mi>T</mi></mrow><mrow><mi>∂</mi><msub><mi>q</mi><mi>i</mi></msub></mrow></mfrac></mrow>'
    """
    return f"<mrow>{_joined(_pieces(latex))}</mrow>"


def mathml_inside(latex: str) -> str:
    """The same without a group about it: a piece of a row, which may hold one bracket of a pair."""
    return _joined(_pieces(latex))


def _pieces(latex: str) -> list[Piece]:
    reader = _Reader(TOKEN.findall(latex))
    found = reader.row()
    while reader.more:  # a stray closing sign: shown as nothing, and the rest goes on
        reader.take()
        found += reader.row()
    return found


def _joined(pieces: list[Piece]) -> str:
    """Markup in a row, with a thin space between factors."""
    found: list[str] = []
    before: Kind = "operator"
    for kind, markup in pieces:
        ends = before in ("operand", "close")
        begins = kind in ("operand", "function")
        if ends and begins and found[-1] != "<mi>∂</mi>" and not found[-1].endswith("<mi>d</mi>"):
            found.append(_THIN)
        if before == "function" and kind == "operand" and not markup.startswith("<mrow><mo"):
            found.append(_THIN)
        found.append(markup)
        before = kind
    return "".join(found)


@dataclass
class _Reader:
    tokens: list[str]
    place: int = 0

    @property
    def more(self) -> bool:
        return self.place < len(self.tokens)

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def row(self, ends: tuple[str, ...] = ("}", "\\right", "&", "\\\\")) -> list[Piece]:
        """Pieces up to what ends the row, which stays."""
        pieces: list[Piece] = []
        while self.more:
            token = self.tokens[self.place]
            if token in ends or token.startswith("\\end{"):
                break
            if token in ("^", "_"):
                self.take()
                kind, base = pieces.pop() if pieces else ("operand", "<mrow></mrow>")
                pieces.append(("operand" if kind == "close" else kind, _indexed(base, token, self.argument())))
                continue
            found = self.piece()
            if found is not None:
                sign = found[1]
                if found == ("operator", "<mo>−</mo>") and (not pieces or pieces[-1][0] in ("operator", "open")):
                    sign = '<mo form="prefix">−</mo>'
                pieces.append((found[0], sign))
        return pieces

    def argument(self) -> str:
        """One token, or a group in braces."""
        if not self.more:
            return "<mrow></mrow>"
        if self.tokens[self.place] == "{":
            self.take()
            row = self.row(("}",))
            if self.more:
                self.take()
            return row[0][1] if len(row) == 1 else f"<mrow>{_joined(row)}</mrow>"
        found = self.piece()
        return found[1] if found else "<mrow></mrow>"

    def piece(self) -> Piece | None:
        """The next piece; spacing that MathML sets by itself is none."""
        token = self.tokens[self.place]
        if token == "{":
            return "operand", self.argument()
        self.take()
        if token in _NOTHING:
            return None
        if token in _SPACES:
            return "space", f'<mspace width="{_SPACES[token]}"/>'
        if token in ("\\frac", "\\tfrac", "\\dfrac"):
            top, bottom = self.argument(), self.argument()
            return "operand", f"<mfrac>{_grouped(top)}{_grouped(bottom)}</mfrac>"
        if token == "\\sqrt":
            return "operand", f"<msqrt>{self.argument()}</msqrt>"
        if token in _ACCENTS:
            return "operand", f'<mover accent="true">{self.argument()}<mo>{_ACCENTS[token]}</mo></mover>'
        if token in ("\\boldsymbol", "\\mathbf"):
            return "operand", _bold(self.argument())
        if token == "\\left":
            return self.fenced()
        if token.startswith("\\begin{"):
            return "operand", self.table(token[7:-1])
        return _single(token)

    def fenced(self) -> Piece:
        opening = self.delimiter()
        inner = _joined(self.row(("\\right",)))
        if self.more:
            self.take()
        return "operand", f"<mrow>{opening}{inner}{self.delimiter()}</mrow>"

    def delimiter(self) -> str:
        token = self.take() if self.more else "."
        return "" if token == "." else f"<mo>{escape(token.lstrip(chr(92)))}</mo>"

    def table(self, kind: str) -> str:
        rows: list[list[str]] = [[]]
        while self.more:
            rows[-1].append(f"<mtd>{_joined(self.row())}</mtd>")
            sign = self.take() if self.more else "\\end{}"
            if sign.startswith("\\end{"):
                break
            if sign == "\\\\":
                rows.append([])
        body = "".join(f"<mtr>{''.join(row)}</mtr>" for row in rows)
        fence = _FENCES.get(kind.rstrip("*"), "")
        sides = [f"<mo>{c}</mo>" for c in fence] or ["", ""]
        return f"<mrow>{sides[0]}<mtable>{body}</mtable>{sides[1]}</mrow>"


def _single(token: str) -> Piece:
    """A letter, number, word or sign."""
    named = re.fullmatch(r"\\(text|mathrm|operatorname)\{(.*)\}", token, re.DOTALL)
    if named:
        words = re.sub(r"\\(.)", r"\1", named[2].replace("^{}", "^").replace("~{}", "~"))
        if named[1] == "text":
            return "operand", f"<mtext>{escape(words)}</mtext>"
        if named[1] == "operatorname":
            return "function", f"<mi>{escape(words)}</mi>"
        tag = "mn" if words.isdigit() else 'mi mathvariant="normal"'
        return "operand", f"<{tag}>{escape(words)}</{tag[:2]}>"
    if token in _LETTERS:
        upright = ' mathvariant="normal"' if token[1].isupper() else ""  # capital Greek letters, as on paper
        return "operand", f"<mi{upright}>{_LETTERS[token]}</mi>"
    if token in _FUNCTIONS:
        return "function", f"<mi>{token[1:]}</mi>"
    if token in _OPERATORS or token in _PLAIN or token == ":=":
        return "operator", f"<mo>{escape(_OPERATORS.get(token, token))}</mo>"
    if token in ("(", "[", "\\{"):
        return "open", f'<mo stretchy="false">{token.lstrip(chr(92))}</mo>'
    if token in (")", "]", "\\}"):
        return "close", f'<mo stretchy="false">{token.lstrip(chr(92))}</mo>'
    if token[0].isdigit():
        return "operand", f"<mn>{token}</mn>"
    return "operand", f"<mi>{escape(token.lstrip(chr(92)))}</mi>"


def _indexed(base: str, sign: str, index: str) -> str:
    """A second index joins the first: x_k^2 is one <msubsup>; below and above a sum."""
    other = {"^": "msub", "_": "msup"}[sign]
    if sign == "^" and base.startswith(f"<{other}>") and base.endswith(f"</{other}>"):
        return f"<msubsup>{base.removeprefix(f'<{other}>').removesuffix(f'</{other}>')}{index}</msubsup>"
    kind = "munder" if base == "<mo>∑</mo>" and sign == "_" else "msup" if sign == "^" else "msub"
    return f"<{kind}>{base}{index}</{kind}>"


def _bold(markup: str) -> str:
    """Letters as bold ones of Unicode: browsers know no other bold in formulas."""
    return re.sub(r"(?<=>)[^<&;]+(?=<)", lambda found: "".join(map(_bold_letter, found[0])), markup)


def _bold_letter(c: str) -> str:
    for first, last, start in (("A", "Z", 0x1D468), ("a", "z", 0x1D482), ("0", "9", 0x1D7CE), ("Α", "Ω", 0x1D71C)):
        if first <= c <= last:
            return chr(start + ord(c) - ord(first))
    if "α" <= c <= "ω":
        return chr(0x1D736 + ord(c) - ord("α"))
    return {"ϵ": "𝝐", "ϕ": "𝝓", "∂": "𝝏"}.get(c, c)


def _grouped(piece: str) -> str:
    return piece if piece.startswith("<mrow>") else f"<mrow>{piece}</mrow>"


def raised_mathml(base: str, exponent: str) -> str:
    """An exponent above the index of a name, not behind it."""
    if base.startswith("<msub>") and base.count("<msub>") == 1 and base.endswith("</msub>"):
        return f"<msubsup>{base.removeprefix('<msub>').removesuffix('</msub>')}<mrow>{exponent}</mrow></msubsup>"
    return f"<msup><mrow>{base}</mrow><mrow>{exponent}</mrow></msup>"
