"""Formulas as a book sets them: flat sums of products, factors in their usual order, in text, LaTeX and MathML at once.

A formula becomes a row of tokens. Each knows how wide it is and how well a line may break before it, so that one row
serves a line of text, a column of LaTeX and a cell of a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from dalembert import expr as ex
from dalembert.expr import Expr, Number
from dalembert.presentation.mathml import raised_mathml
from dalembert.presentation.notation import PLAIN, Notation
from dalembert.presentation.products import Product, product_of, signed_terms

#: Penalties of a break: before a sign of the whole formula none, deeper ones more, inside a product only if it must be.
NEVER, IN_PRODUCT, DEEPER, IN_SHORT = 99, 40, 3, 60
SHORT = 10.0  # em: a bracket that is no wider is parted after all else
#: em: what is longer stands beside its divisor, not above it, and what is divided by more is multiplied by an inverse,
#: so that a line can break in it; half a column
WIDEST_FRACTION = 12.0
#: em: a longer root is a power of 1/2, in whose brackets a line can break; a column without a name and its sign
WIDEST_ROOT = 20.0
_FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln"}
_COMMANDS = frozenset("sin cos arcsin arccos arctan exp ln sinh cosh tanh min max".split())
_RELATIONS = {"lt": ("<", "<", "&lt;"), "le": ("<=", "\\leq", "≤"), "eq": ("==", "=", "=")}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece that no break divides."""

    text: str
    latex: str
    mathml: str
    width: float  # em
    penalty: int = NEVER  # of a break before it


class Writer:
    """Writes formulas in one notation; `moving` are the speeds, which stand behind their coefficients.

    `derived` are names of intermediates: they stand behind the constants of the machine.
    """

    def __init__(self, notation: Notation = PLAIN, moving: Iterable[str] = ()) -> None:
        n = self.notation = notation
        self._name = cache(lambda name: Token(n.text(name), n.latex(name), n.mathml(name), n.width(name)))
        self.moving = {name: k for k, name in enumerate(moving)}
        self.derived: frozenset[str] = frozenset()

    # --- sums --------------------------------------------------------------------------------------------------------

    def formula(self, e: Expr) -> list[Token]:
        """The whole formula."""
        return self._sum(e, 0)

    def _sum(self, e: Expr, depth: int) -> list[Token]:
        terms = []
        for sign, x in signed_terms(e):
            own, product = product_of(x)
            terms.append((sign * own, product))
        rows = [(self._rank(p), s, self._factors(p, depth)) for s, p in terms]
        rows.sort(key=lambda one: (one[0], "".join(t.text for t in one[2])))
        first = next((k for k, one in enumerate(rows) if one[1] > 0), 0)
        rows.insert(0, rows.pop(first))  # a sum begins with a term that has no sign, if there is one
        tokens: list[Token] = []
        for k, (_, sign, row) in enumerate(rows):
            if k == 0:
                tokens += [_sign("-", False, NEVER)] if sign < 0 else []
            else:
                tokens.append(_sign("+" if sign > 0 else "-", True, DEEPER * depth))
            tokens += row
        return tokens

    def _rank(self, p: Product) -> tuple[int, int, int]:
        """Accelerations first, in the order of the speeds, then products of speeds, then terms by their degree."""
        places = [(x.name, n) for x, n in p.factors if x.op == "symbol"]
        ahead = [self.moving[name.removesuffix("'")] for name, _ in places if name.removesuffix("'") in self.moving
                 and name.endswith("'") and name not in self.moving]  # fmt: skip
        speeds = sum((int(n.data) if n is not None and n.op == "const" else 1) for x, n in p.factors
                     if x.op == "symbol" and x.name in self.moving)  # fmt: skip
        if ahead:
            return 0, ahead[0], 0
        if speeds:
            return 1, -speeds, 0
        return 2, 0, -len(p.factors)

    # --- products ----------------------------------------------------------------------------------------------------

    def _factors(self, p: Product, depth: int) -> list[Token]:
        """Number, factors in their usual order, divisor."""
        above = sorted(p.factors, key=lambda one: self._place(one[0]))
        below = sorted(p.below, key=lambda one: self._place(one[0]))
        number = p.number if isinstance(p.number, float) else Fraction(p.number)
        if len(above) == 1 and not below and number == 1 and above[0][1] is None and above[0][0].op in ("add", "sub"):
            return self._bracketed(above[0][0], depth)
        row: list[Token] = []
        if below or (above and above[0][0] is ex.PI and isinstance(number, Fraction) and number.denominator != 1):
            return self._quotient(number, above, below, depth)
        if number != 1 or not above:
            row.append(number_token(number, alone=not above))
        for k, (base, exponent) in enumerate(above):
            tokens = self._power(base, exponent, depth)
            if row:
                head = tokens[0]
                gap = (k == 0 and isinstance(number, float)) or "\\mathrm" in row[-1].latex  # "ap e", not "ape"
                tokens = [_after(head, gap), *tokens[1:]]
            row += tokens
        return row

    def _place(self, base: Expr) -> tuple[int, str]:
        """Constants, functions, brackets, speeds, accelerations; sines and cosines last, where nothing joins them."""
        if base.op == "symbol":
            name = base.name
            if name in self.moving or name.removesuffix("'") in self.moving:
                return 5 + (name not in self.moving), name
            return int(name in self.derived), name
        written = "".join(t.text for t in self._power(base, None, 0))
        if base.op in ("add", "sub"):
            return 3, written
        return (7 if base.op in ("sin", "cos") else 1), written

    def _quotient(
        self,
        number: Number,
        above: Sequence[tuple[Expr, Expr | None]],
        below: Sequence[tuple[Expr, Expr | None]],
        depth: int,
    ) -> list[Token]:
        wide = [one for one in below if _width(self._power(*one, depth)) > WIDEST_FRACTION]
        if wide:
            inverses = [(x, ex.const(-1) if n is None else -n) for x, n in wide]
            return self._factors(Product(number, [*above, *inverses], [x for x in below if x not in wide]), depth)
        top, bottom = (number, 1) if isinstance(number, float) else (number.numerator, number.denominator)
        upper = Product(top, list(above), [])
        lower = Product(bottom, list(below), [])
        bare_above = len(above) == 1 and above[0][1] is None and top == 1 and above[0][0].op in ("add", "sub")
        bare_below = len(below) == 1 and below[0][1] is None and bottom == 1
        a = self._sum(above[0][0], depth + 1) if bare_above else self._factors(upper, depth + 1)
        b = self._sum(below[0][0], depth + 1) if bare_below else self._factors(lower, depth + 1)
        if _width(a) > WIDEST_FRACTION and below and above:
            front, rest = self._quotient(number, [], below, depth), self._factors(Product(1, list(above), []), depth)
            return [*front, _after(rest[0], wide=False), *rest[1:]]
        single = not below or (bare_below and below[0][0].op not in ("add", "sub"))
        text = f"{_wrapped(a) if bare_above else text_of(a)}/{text_of(b) if single else _wrapped(b)}"
        latex = f"\\frac{{{_latex(a)}}}{{{_latex(b)}}}"
        mathml = f"<mfrac><mrow>{_mathml(a)}</mrow><mrow>{_mathml(b)}</mrow></mfrac>"
        return [Token(text, latex, mathml, max(_width(a), _width(b)) + 0.3)]

    def _bracketed(self, e: Expr, depth: int) -> list[Token]:
        inner = self._sum(e, depth + 1)
        if _width(inner) <= SHORT:
            inner = [replace(t, penalty=max(t.penalty, IN_SHORT)) for t in inner]
        tall = any("\\frac" in t.latex for t in inner)
        left, right = ("\\bigl(", "\\bigr)") if tall else ("(", ")")
        first, last = inner[0], inner[-1]
        if len(inner) == 1:
            return [_joined("(", left, first, ")", right)]
        return [_joined("(", left, first), *inner[1:-1], _joined("", "", last, ")", right)]

    def _power(self, base: Expr, exponent: Expr | None, depth: int) -> list[Token]:
        """A factor, with its exponent."""
        if base.op == "sqrt" and _width(self._sum(base.args[0], depth + 1)) > WIDEST_ROOT:
            return self._power(base.args[0], ex.HALF if exponent is None else ex.HALF * exponent, depth)
        if base.op in ("add", "sub", "neg", "mul", "div", "pow") or (base.op == "const" and base.data < 0):
            row = self._bracketed(base, depth)
        elif base.op == "const":
            row = [number_token(base.data, alone=False)]
            if exponent is not None and not row[0].text.isdigit():
                row = self._bracketed(base, depth)
        else:
            row = [self._atom(base, depth)]
        if exponent is None:
            return row
        raised, last = self._sum(exponent, depth + 1), row[-1]
        if len(row) == 1 and base.op in ("sin", "cos") and exponent.op == "const":
            return [self._wave(base, depth, raised)]
        text = text_of(raised)
        text = text if exponent.op in ("symbol", "const") and text[0].isalnum() and "/" not in text else f"({text})"
        mathml = raised_mathml(last.mathml, _mathml(raised))
        up = Token(f"{last.text}^{text}", f"{_base(last.latex)}^{{{_latex(raised)}}}", mathml,
                   last.width + 0.7 * _width(raised), last.penalty)  # fmt: skip
        return [*row[:-1], up]

    def _wave(self, e: Expr, depth: int, raised: list[Token]) -> Token:
        """sin^2(x), as it is written by hand; text keeps sin(x)^2, which reads back."""
        inner = self._sum(e.args[0], depth + 1)
        head = f"<msup><mi>{e.op}</mi><mrow>{_mathml(raised)}</mrow></msup><mo>&#x2061;</mo>"
        return Token(
            f"{e.op}({text_of(inner)})^{text_of(raised)}",
            f"\\{e.op}^{{{_latex(raised)}}}{_argument(e.args[0], inner)}",
            head + _argument_mathml(e.args[0], inner),
            1.6 + _width(inner) + 0.4,
        )

    def _atom(self, e: Expr, depth: int) -> Token:
        """A name or a function."""
        if e.op == "symbol":
            return self._name(e.name)
        if e.op == "pi":
            return Token("pi", "\\pi", "<mi>π</mi>", 0.6)
        rows = [self._sum(a, depth + 1) for a in e.args]
        text = f"({', '.join(map(text_of, rows))})"
        width = sum(_width(row) + 0.5 for row in rows) + 0.6
        if e.op in _RELATIONS:
            plain, latex, mathml = _RELATIONS[e.op]
            (a, b) = rows
            return Token(f"({text_of(a)} {plain} {text_of(b)})", f"({_latex(a)} {latex} {_latex(b)})",
                         f"<mrow><mo>(</mo>{_mathml(a)}<mo>{mathml}</mo>{_mathml(b)}<mo>)</mo></mrow>",
                         width + 1)  # fmt: skip
        if e.op == "sqrt":
            inner = _mathml(rows[0])
            return Token(f"sqrt{text}", f"\\sqrt{{{_latex(rows[0])}}}", f"<msqrt><mrow>{inner}</mrow></msqrt>", width)
        if e.op == "abs":
            bars = f"<mrow><mo>|</mo>{_mathml(rows[0])}<mo>|</mo></mrow>"
            return Token(f"abs{text}", f"\\left|{_latex(rows[0])}\\right|", bars, width)
        if e.op in ("sin", "cos"):
            inner = _argument_mathml(e.args[0], rows[0])
            latex = f"\\{e.op}{_argument(e.args[0], rows[0])}"
            return Token(f"{e.op}{text}", latex, f"<mi>{e.op}</mi><mo>&#x2061;</mo>{inner}", width + 1.3)
        listed = "<mo>,</mo>".join(_mathml(row) for row in rows)
        inside = f"<mrow><mo>(</mo>{listed}<mo>)</mo></mrow>"
        latex_args = f"\\left({', '.join(_latex(row) for row in rows)}\\right)"
        if e.op == "apply":
            name = self._slope(e)
            head = PLAIN.latex(e.name)
            slopes = "".join(f"\\partial_{{{i + 1}}}" * order for i, order in enumerate(e.orders))
            marks = "".join(f"<msub><mo>∂</mo><mn>{i + 1}</mn></msub>" * order for i, order in enumerate(e.orders))
            return Token(f"{name}{text}", f"{slopes}{head}{latex_args}", f"{marks}{PLAIN.mathml(e.name)}{inside}",
                         width + 0.55 * len(name))  # fmt: skip
        word = _FUNCTIONS.get(e.op, e.op)
        command = f"\\{word}" if word in _COMMANDS else f"\\operatorname{{{word}}}"
        return Token(f"{e.op}{text}", f"{command}{latex_args}", f"<mi>{word}</mi><mo>&#x2061;</mo>{inside}",
                     width + 0.5 * len(word))  # fmt: skip

    @staticmethod
    def _slope(e: Expr) -> str:
        slopes = "".join(f"_{i + 1}" * order for i, order in enumerate(e.orders))
        return f"D{slopes}_{e.name}" if any(e.orders) else e.name


# --- pieces ----------------------------------------------------------------------------------------------------------


def number_token(value: Number, alone: bool = True) -> Token:
    """A number: fractions stand as fractions where they are simple, else as decimals if that is exact."""
    if isinstance(value, Fraction) and value.denominator != 1:
        short = _decimal(value)
        if short is None:
            top, bottom = value.numerator, value.denominator
            mathml = f'<mfrac displaystyle="false"><mn>{top}</mn><mn>{bottom}</mn></mfrac>'
            return Token(f"{top}/{bottom}", f"\\tfrac{{{top}}}{{{bottom}}}", mathml,
                         0.4 * max(len(str(top)), len(str(bottom))) + 0.2)  # fmt: skip
        value = short
    if isinstance(value, Fraction):
        value = value.numerator
    text = repr(value)
    if isinstance(value, float):
        near = repr(float(f"{value:.15g}"))
        text = near if len(near) + _NOISE <= len(text) else text
    if isinstance(value, float) and "e" in text:
        digits, power = text.split("e")
        exponent = int(power)
        latex = f"10^{{{exponent}}}" if digits == "1" else f"{digits} \\cdot 10^{{{exponent}}}"
        tens = f"<msup><mn>10</mn><mn>{exponent}</mn></msup>".replace("<mn>-", "<mn>−")
        mathml = tens if digits == "1" else f"<mn>{digits}</mn><mo>·</mo>{tens}"
        return Token(text, latex, mathml, 0.5 * len(digits) + 2)
    return Token(text, text, f"<mn>{text}</mn>", 0.5 * len(text))


#: A decimal that gets shorter by so many digits when its last one is rounded bears the rounding of a product: 0.4*9.81.
_NOISE = 4
#: A fraction with a larger denominator reads better as a decimal, if one spells it.
_LARGEST_DENOMINATOR = 12


def _decimal(value: Fraction) -> float | None:
    if value.denominator <= _LARGEST_DENOMINATOR:
        return None
    near = float(value)
    return near if Fraction(repr(near)) == value else None


def _sign(sign: str, between: bool, penalty: int) -> Token:
    mark = "−" if sign == "-" else "+"
    form = "infix" if between else "prefix"
    mathml = f'<mo form="{form}">{mark}</mo>'
    text = f" {sign} " if between else sign
    return Token(text, text, mathml, 1.3 if between else 0.8, penalty)


def _after(head: Token, wide: bool) -> Token:
    """A factor behind another: a thin space in print, a star in text; a line may break there if it must."""
    gap = "\\," if wide or head.latex[0] == "\\" or head.latex[0].isdigit() else " "
    times = "\\cdot " if head.latex[0].isdigit() else gap
    return Token(f"*{head.text}", f"{times}{head.latex}", f'<mspace width="0.17em"/>{head.mathml}', head.width + 0.2,
                 IN_PRODUCT)  # fmt: skip


def _joined(opening: str, left: str, token: Token, closing: str = "", right: str = "") -> Token:
    a, b = (_bracket(x, "big" in left + right) if x else "" for x in (opening, closing))
    width = token.width + 0.4 * (len(opening) + len(closing))
    latex = left + token.latex + right
    return Token(f"{opening}{token.text}{closing}", latex, f"{a}{token.mathml}{b}", width, token.penalty)


def _bracket(sign: str, tall: bool) -> str:
    """Of the height of a fraction where one is in it: a page may part the two brackets, so neither sees the other."""
    size = 'symmetric="true" minsize="1.8em" maxsize="1.8em"' if tall else 'stretchy="false"'
    return f"<mo {size}>{sign}</mo>"


def _argument(argument: Expr, row: list[Token]) -> str:
    """sin x without brackets where the argument is a name."""
    return f" {_latex(row)}" if argument.op == "symbol" else f"({_latex(row)})"


def _argument_mathml(argument: Expr, row: list[Token]) -> str:
    inner = _mathml(row)
    if argument.op == "symbol":
        return f'<mspace width="0.22em"/>{inner}'
    return f'<mrow><mo stretchy="false">(</mo>{inner}<mo stretchy="false">)</mo></mrow>'


def _base(latex: str) -> str:
    """A dotted name is one base; a name with primes must not meet another exponent."""
    return (
        f"{{{latex}}}"
        if latex.endswith("'") or latex.startswith(("\\dot", "\\ddot", "\\dddot", "\\sqrt", "\\frac"))
        else latex
    )


def _wrapped(row: Sequence[Token]) -> str:
    return f"({text_of(row)})"


def _latex(row: Sequence[Token]) -> str:
    return "".join(t.latex for t in row)


def _mathml(row: Sequence[Token]) -> str:
    return "".join(t.mathml for t in row)


def _width(row: Sequence[Token]) -> float:
    return sum(t.width for t in row)


def text_of(row: Sequence[Token]) -> str:
    return "".join(t.text for t in row)
