"""Printing terms: one writer decides on brackets, a dialect sets the pieces.

Two styles: "vector" writes u x v and u . v; "matrix" writes the same things as ~u v and u^T v.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import numeric_value, split_content
from dalembert.algebra.core.term import ONE, Facts, Term, Weight, postorder
from dalembert.algebra.notation.dialects import Dialect, Latex, MathML, Text

Style = Literal["vector", "matrix"]
# How tightly a piece of text holds together.
_SUM, _INFIX, _PRODUCT, _POWER, _ATOM = range(5)
Piece = tuple[str, int]
_LOOSE: Final = frozenset({"add", "sub", "neg", "lt", "le", "eq", "mul", "div"})


class Writer:
    """Writes terms from the leaves up; the notations of operators ask it for their operands, bracketed as needed."""

    INFIX, PRODUCT, POWER, ATOM = _INFIX, _PRODUCT, _POWER, _ATOM

    def __init__(self, dialect: Dialect, style: Style) -> None:
        self.d = dialect
        self.matrix = style == "matrix"
        self.done: dict[Term, Piece] = {}

    def write(self, root: Term) -> Piece:
        for term in postorder([root]):
            if term not in self.done:
                self.done[term] = self._one(term)
        return self.done[root]

    def at(self, term: Term, level: int) -> str:
        return self.hold(self.done[term], level)

    def hold(self, piece: Piece, level: int) -> str:
        return piece[0] if piece[1] >= level else self.d.group(piece[0])

    def _one(self, t: Term) -> Piece:
        d = self.d
        if t.op is op.SYMBOL:
            facts: Facts = t.payload
            name = d.name(facts.name, facts.order, t.sort)
            return (d.transpose(name), _POWER) if "row" in facts.properties else (name, _ATOM)
        if t.op is op.EXPR:
            return d.expr(t.payload), (_SUM if t.payload.op in _LOOSE else _ATOM)
        if t.op is op.VARIABLE:
            return d.name("?" + t.payload[0].name, 0, t.sort), _ATOM
        if t.op is op.SUM:
            return self._sum(t)
        if t.op is op.TIMES:
            return self._times(t)
        if t.op in (op.PRODUCT, op.QPRODUCT):
            if not t.args:
                return d.identity(t.sort), _ATOM
            factors = [self._factor(b, e) for b, e in zip(t.args, t.weights)]
            if len(factors) == 1:
                return factors[0]
            return d.product([self.hold(f, _PRODUCT) for f in factors]), _PRODUCT
        return self._operator(t)

    def _operator(self, t: Term) -> Piece:
        notation = t.op.meaning.notation
        if callable(notation):
            piece: Piece = notation(self, *t.args) if t.op is not op.ARRAY else notation(self, t)
            return piece
        return self.d.call(notation or t.op.name, [self.text(a) for a in t.args]), self.ATOM

    def text(self, t: Term) -> str:
        """The text of an operand, without brackets."""
        return self.done[t][0]

    def transposed(self, column: Term) -> Piece:
        """The row of a column: a word is turned round, so that (A u)^T reads u^T A^T."""
        if column.op is op.SYMBOL and "row" in column.payload.properties:
            return self.d.name(column.payload.name, column.payload.order, column.sort), _ATOM
        if column.op is op.PRODUCT and column.sort.is_vector:
            from dalembert.algebra.operators.words import power, transpose

            pieces = [self.transposed(column.args[-1])[0]]
            for base, exponent in reversed(list(zip(column.args[:-1], column.weights[:-1]))):
                flipped = power(transpose(base), exponent)
                pieces.append(self.hold(Writer(self.d, "matrix" if self.matrix else "vector").write(flipped), _PRODUCT))
            return self.d.product(pieces), _PRODUCT
        return self.d.transpose(self.at(column, _ATOM)), _POWER

    def _exponent(self, e: Weight) -> str:
        if isinstance(e, Term):
            return self.done[e][0] if e in self.done else self.write(e)[0]
        return self.d.number(Fraction(e))

    def _factor(self, base: Term, exponent: Weight) -> Piece:
        from dalembert.algebra.core.facts import is_orthogonal

        if exponent == 1:
            return self.done[base]
        if exponent == -1 and not base.sort.is_scalar and not base.sort.is_quaternion and is_orthogonal(base):
            return self.d.transpose(self.at(base, _ATOM)), _POWER
        if base.op is op.TRANSPOSE:  # (A^T)^-1 is set A^-T
            marked = self.at(base, _ATOM)
            return self.d.power(marked, self._exponent(exponent)), _POWER
        return self.d.power(self.at(base, _ATOM), self._exponent(exponent)), _POWER

    def _times(self, t: Term, lead: Fraction | None = None) -> Piece:
        if not t.args:
            return self.d.number(Fraction(1)), _ATOM
        top: list[Piece] = [(self.d.number(lead), _ATOM)] if lead is not None else []
        bottom: list[Piece] = []
        plain = (op.EXPR, op.SYMBOL)  # names before dot products, as people write them
        for base, e in sorted(zip(t.args, t.weights), key=lambda pair: pair[0].op not in plain):
            if isinstance(e, Fraction) and e.denominator == 2 and base.op is op.DOT and base.args[0] is base.args[1]:
                inner = self.d.norm(self.done[base.args[0]][0]), _ATOM  # (u . u)^(1/2) is |u|
                top_side, power = e > 0, abs(e.numerator)
                piece = inner if power == 1 else (self.d.power(inner[0], str(power)), _POWER)
            else:
                top_side = isinstance(e, Term) or e > 0
                piece = self._factor(base, e if top_side else -e)  # type: ignore[operator]
            (top if top_side else bottom).append(piece)
        upper = self._row(top)
        if not bottom:
            return upper
        lower = self._row(bottom)
        if type(self.d) is Text:
            return self.d.fraction(self.hold(upper, _PRODUCT), self.hold(lower, _POWER)), _PRODUCT
        return self.d.fraction(upper[0], lower[0]), _PRODUCT

    def _row(self, pieces: list[Piece]) -> Piece:
        if not pieces:
            return self.d.number(Fraction(1)), _ATOM
        if len(pieces) == 1:
            return pieces[0]
        return self.d.product([self.hold(p, _PRODUCT) for p in pieces]), _PRODUCT

    def _sum(self, t: Term) -> Piece:
        if not t.args:
            return self.d.number(Fraction(0)), _ATOM
        parts = [self._weighted(a, w) for a, w in zip(t.args, t.weights)]
        if len(parts) == 1:
            minus, piece = parts[0]
            if not minus:
                return piece
            return self.d.sum([(True, self.hold(piece, _INFIX))]), _SUM
        return self.d.sum([(minus, self.hold(piece, _INFIX)) for minus, piece in parts]), _SUM

    def _weighted(self, body: Term, weight: Weight) -> tuple[bool, Piece]:
        value = numeric_value(weight) if isinstance(weight, Term) else Fraction(weight)
        if value is not None:
            minus, size = value < 0, abs(value)
            if body is ONE:
                return minus, (self.d.number(size), _ATOM)
            if size == 1:
                return minus, self.done[body]
            if body.op is op.TIMES:
                return minus, self._times(body, size)
            return minus, (self.d.product([self.d.number(size), self.at(body, _PRODUCT)]), _PRODUCT)
        assert isinstance(weight, Term)
        content, _ = split_content(weight)
        if content < 0:  # the sign goes in front
            from dalembert.algebra.core.engine import MINUS_ONE, times

            weight = times(MINUS_ONE, weight)
        piece = self.write(weight)
        return content < 0, (self.d.product([self.hold(piece, _PRODUCT), self.at(body, _PRODUCT)]), _PRODUCT)


def text(term: Term, *, style: Style = "vector") -> str:
    """Plain text of a term."""
    return Writer(Text(), style).write(term)[0]


def latex(term: Term, *, style: Style = "vector") -> str:
    """LaTeX of a term, as set in papers: bold tensors, tildes, superscript T."""
    return Writer(Latex(), style).write(term)[0]


def mathml(term: Term, *, style: Style = "vector") -> str:
    """Presentation MathML of a term, a whole <math> element."""
    body = Writer(MathML(), style).write(term)[0]
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{body}</math>'
