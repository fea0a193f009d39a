"""Three ways to set a formula: plain text, LaTeX as in a paper, MathML for pages; one protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import Final, Protocol

from dalembert.algebra.core.sorts import Sort
from dalembert.expr import Expr

_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi"
_LARGE = "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_GREEK = f"{_SMALL} {_LARGE}".split()
_LETTERS = dict(zip(_GREEK, "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"))


class Dialect(Protocol):
    """What a notation must know; every method returns finished text."""

    def name(self, name: str, order: int, sort: Sort) -> str: ...
    def expr(self, e: Expr) -> str: ...
    def number(self, value: Fraction) -> str: ...
    def product(self, factors: list[str]) -> str: ...
    def sum(self, terms: list[tuple[bool, str]]) -> str: ...
    def group(self, inner: str) -> str: ...
    def power(self, base: str, exponent: str) -> str: ...
    def transpose(self, base: str) -> str: ...
    def tilde(self, inner: str, short: bool) -> str: ...
    def infix(self, sign: str, a: str, b: str) -> str: ...
    def call(self, name: str, args: list[str]) -> str: ...
    def fraction(self, top: str, bottom: str) -> str: ...
    def norm(self, inner: str) -> str: ...
    def bracket(self, args: list[str]) -> str: ...
    def array(self, rows: list[list[str]]) -> str: ...
    def overline(self, inner: str) -> str: ...
    def couple(self, first: str, second: str) -> str: ...
    def identity(self, sort: Sort) -> str: ...


class Text:
    """Plain text that a person can read and type."""

    def name(self, name: str, order: int, sort: Sort) -> str:
        return name + "'" * order

    def expr(self, e: Expr) -> str:
        from dalembert.expr import text

        return text(e)

    def number(self, value: Fraction) -> str:
        return str(value)

    def product(self, factors: list[str]) -> str:
        return " ".join(factors)

    def sum(self, terms: list[tuple[bool, str]]) -> str:
        first = ("-" if terms[0][0] else "") + terms[0][1]
        return first + "".join((" - " if minus else " + ") + t for minus, t in terms[1:])

    def group(self, inner: str) -> str:
        return f"({inner})"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{exponent}" if re.fullmatch(r"-?\w+", exponent) else f"{base}^({exponent})"

    def transpose(self, base: str) -> str:
        return f"{base}^T"

    def tilde(self, inner: str, short: bool) -> str:
        return f"~{inner}" if short else f"~({inner})"

    def infix(self, sign: str, a: str, b: str) -> str:
        return f"{a} {sign} {b}"

    def call(self, name: str, args: list[str]) -> str:
        return f"{name}({', '.join(args)})"

    def fraction(self, top: str, bottom: str) -> str:
        return f"{top}/{bottom}"

    def norm(self, inner: str) -> str:
        return f"|{inner}|"

    def bracket(self, args: list[str]) -> str:
        return f"[{', '.join(args)}]"

    def array(self, rows: list[list[str]]) -> str:
        return "[" + "; ".join(", ".join(row) for row in rows) + "]"

    def overline(self, inner: str) -> str:
        return f"conj({inner})"

    def couple(self, first: str, second: str) -> str:
        return self.group(f"{first}, {second}")

    def identity(self, sort: Sort) -> str:
        return "1" if sort.is_quaternion else "Id"


class Latex(Text):
    """LaTeX: tensors bold, a tilde over what it acts on, a superscript T."""

    signs: Final[Mapping[str, str]] = {"x": r"\times", ".": r"\cdot", "(x)": r"\otimes"}

    def name(self, name: str, order: int, sort: Sort) -> str:
        from dalembert.expr import latex_name

        if sort.is_scalar:
            return latex_name(name + "'" * order)
        call = re.fullmatch(r"(\w+)\((.*)\)", name)
        stem, _, rest = (call.group(1) if call else name).partition("_")
        digits = re.fullmatch(r"([A-Za-z]+)(\d+)", stem)
        if digits and not rest:
            stem, rest = digits.group(1), digits.group(2)
        head = rf"\boldsymbol{{{self._letter(stem)}}}"
        if order:
            head = rf"\{'d' * min(order, 2)}ot{{{head}}}" if order <= 2 else rf"{head}^{{({order})}}"
        tail = "_{" + rest.replace("_", ",\\,") + "}" if rest else ""
        return head + tail + (f"({self._inside(call.group(2))})" if call else "")

    @staticmethod
    def _letter(stem: str) -> str:
        return "\\" + stem if stem in _GREEK else stem

    @staticmethod
    def _inside(text: str) -> str:
        from dalembert.expr import latex_name

        return ", ".join(latex_name(p.strip()) if p.strip().isidentifier() else p.strip() for p in text.split(","))

    def expr(self, e: Expr) -> str:
        from dalembert.expr import latex

        return latex(e)

    def number(self, value: Fraction) -> str:
        if value.denominator == 1:
            return str(value)
        sign = "-" if value < 0 else ""
        return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"

    def product(self, factors: list[str]) -> str:
        return r" \, ".join(factors)

    def group(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def power(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def transpose(self, base: str) -> str:
        return f"{{{base}}}^{{T}}"

    def tilde(self, inner: str, short: bool) -> str:
        return rf"\tilde{{{inner}}}" if short else rf"\widetilde{{{inner}}}"

    def infix(self, sign: str, a: str, b: str) -> str:
        return f"{a} {self.signs[sign]} {b}"

    def call(self, name: str, args: list[str]) -> str:
        known = {"tr": r"\operatorname{tr}", "det": r"\det", "rot": r"\operatorname{rot}"}
        return known.get(name, rf"\operatorname{{{name}}}") + rf"\left({', '.join(args)}\right)"

    def fraction(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def norm(self, inner: str) -> str:
        return rf"\left\|{inner}\right\|"

    def bracket(self, args: list[str]) -> str:
        return rf"\left[{', '.join(args)}\right]"

    def array(self, rows: list[list[str]]) -> str:
        return r"\begin{pmatrix}" + r" \\ ".join(" & ".join(row) for row in rows) + r"\end{pmatrix}"

    def overline(self, inner: str) -> str:
        return rf"\overline{{{inner}}}"

    def identity(self, sort: Sort) -> str:
        return "1" if sort.is_quaternion else r"\boldsymbol{1}"


class MathML(Text):
    """Presentation MathML: pieces of <mrow> that a page can hold as they are."""

    signs: Final[Mapping[str, str]] = {"x": "×", ".": "·", "(x)": "⊗"}

    @staticmethod
    def _row(*parts: str) -> str:
        return f"<mrow>{''.join(parts)}</mrow>"

    def couple(self, first: str, second: str) -> str:
        return self.group(f"{first}<mo>,</mo>{second}")

    def name(self, name: str, order: int, sort: Sort) -> str:
        call = re.fullmatch(r"(\w+)\((.*)\)", name)
        if call:
            return self._row(self.name(call.group(1), order, sort), self.group(f"<mi>{escape(call.group(2))}</mi>"))
        stem, _, rest = name.partition("_")
        variant = "" if sort.is_scalar else ' mathvariant="bold"'
        head = f"<mi{variant}>{escape(_LETTERS.get(stem, stem))}</mi>"
        if order:
            head = f"<mover accent='true'>{head}<mo>{'˙¨'[min(order, 2) - 1]}</mo></mover>"
        return f"<msub>{head}<mi>{escape(rest.replace('_', ','))}</mi></msub>" if rest else head

    def expr(self, e: Expr) -> str:
        if e.op == "symbol":
            stem = e.name.rstrip("'")
            return self.name(stem, len(e.name) - len(stem), Sort(1, 1))
        from dalembert.expr import text

        return f"<mi>{escape(text(e))}</mi>"

    def number(self, value: Fraction) -> str:
        if value.denominator == 1:
            return f"<mn>{value}</mn>"
        return f"<mfrac><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>"

    def product(self, factors: list[str]) -> str:
        return self._row("<mo>&#x2062;</mo>".join(factors))

    def sum(self, terms: list[tuple[bool, str]]) -> str:
        parts = [("<mo>−</mo>" if terms[0][0] else "") + terms[0][1]]
        parts += [("<mo>−</mo>" if minus else "<mo>+</mo>") + t for minus, t in terms[1:]]
        return self._row(*parts)

    def group(self, inner: str) -> str:
        return self._row("<mo>(</mo>", inner, "<mo>)</mo>")

    def power(self, base: str, exponent: str) -> str:
        return f"<msup>{self._row(base)}{self._row(exponent)}</msup>"

    def transpose(self, base: str) -> str:
        return f"<msup>{self._row(base)}<mi>T</mi></msup>"

    def tilde(self, inner: str, short: bool) -> str:
        return f"<mover accent='true'>{self._row(inner)}<mo>~</mo></mover>"

    def infix(self, sign: str, a: str, b: str) -> str:
        return self._row(a, f"<mo>{self.signs[sign]}</mo>", b)

    def call(self, name: str, args: list[str]) -> str:
        return self._row(f"<mi>{escape(name)}</mi>", self.group("<mo>,</mo>".join(args)))

    def fraction(self, top: str, bottom: str) -> str:
        return f"<mfrac>{self._row(top)}{self._row(bottom)}</mfrac>"

    def norm(self, inner: str) -> str:
        return self._row("<mo>‖</mo>", inner, "<mo>‖</mo>")

    def bracket(self, args: list[str]) -> str:
        return self._row("<mo>[</mo>", "<mo>,</mo>".join(args), "<mo>]</mo>")

    def array(self, rows: list[list[str]]) -> str:
        body = "".join("<mtr>" + "".join(f"<mtd>{x}</mtd>" for x in row) + "</mtr>" for row in rows)
        return self._row("<mo>(</mo>", f"<mtable>{body}</mtable>", "<mo>)</mo>")

    def overline(self, inner: str) -> str:
        return f"<mover accent='true'>{self._row(inner)}<mo>¯</mo></mover>"

    def identity(self, sort: Sort) -> str:
        return "<mn>1</mn>" if sort.is_quaternion else '<mi mathvariant="bold">1</mi>'
