"""Formulas as quotients of polynomials: symbols stay symbols, angles become points of circles, roots become numbers.

A tower: every generator above the free ones carries one equation, monic in it, with what lies below as coefficients

    s_a^2 = 1 - c_a^2     for each angle a,          root_p^2 = p     for each prime under a root,
    w^2 = f               for a root of a formula,   cos_minpoly(g) = 0     for cosines of parts of a turn

so that a formula has one normal form and "zero" is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.arithmetic import COSINES, exact
from dalembert.loops.scan import ARCS, PLAIN, Scan, arc, label, plain, split_angle


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two polynomials of a ring, reduced by its tower."""

    ring: Ring
    above: Any
    below: Any

    def __add__(self, other: Ratio) -> Ratio:
        if self.below == other.below:
            return self.ring.ratio(self.above + other.above, self.below)
        return self.ring.ratio(self.above * other.below + other.above * self.below, self.below * other.below)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __neg__(self) -> Ratio:
        return Ratio(self.ring, -self.above, self.below)

    def __mul__(self, other: Ratio) -> Ratio:
        return self.ring.ratio(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: Ratio) -> Ratio:
        if other.above == 0:
            raise ExpressionError("division by zero.")
        return self.ring.ratio(self.above * other.below, self.below * other.above)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and self.ring.reduce(self.above * other.below - other.above * self.below) == 0

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.above != 0)


class Ring:
    """The smallest ring in which formulas have values; `given` replaces symbols, the others stay indeterminate.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> ring = Ring([ex.sin(x) ** 2 + ex.cos(x) ** 2, ex.sqrt(12)])
    >>> [str(v.above) for v in ring.values([ex.sin(x) ** 2 + ex.cos(x) ** 2, ex.sqrt(12)])]
    ['1', '2*root3']
    """

    def __init__(
        self, exprs: Sequence[Expr], given: Mapping[str, Any] | None = None, extra: Sequence[str] = ()
    ) -> None:
        from flint import fmpq_mpoly_ctx

        self._given = {ex.symbol(k): _as_expr(v) for k, v in (given or {}).items()}
        whole = self._known(exprs)
        self._scan = Scan(whole)
        tower = [*reversed(self._scan.tower), *(f"s_{plain(a)}" for a in self._scan.circles)]
        free = [*(f"c_{plain(a)}" for a in self._scan.circles), *(plain(s.name) for s in self._scan.symbols)]
        names = distinct([*dict.fromkeys([*tower, *extra]), *free])
        self.context = fmpq_mpoly_ctx.get(tuple(names), "lex")
        self.generators = dict(zip(names, self.context.gens(), strict=True))
        self.circles = tuple(plain(a) for a in self._scan.circles)
        self.symbols = tuple(plain(s.name) for s in self._scan.symbols)
        self.relations: dict[str, Any] = {}  # generator of the tower, top first: its equation
        self._values: dict[Expr, Ratio] = {}
        for name in self.circles:
            self.circle(name)
        for name, inside in self._scan.roots.items():
            self._relate(name, inside)

    # --- making it -------------------------------------------------------------------------------------------------

    def circle(self, name: str) -> tuple[Any, Any]:
        """Cosine and sine of an angle by its plain name; their equation joins the tower."""
        c, s = self.generators[f"c_{name}"], self.generators[f"s_{name}"]
        self.relations.setdefault(f"s_{name}", s * s + c * c - 1)
        return c, s

    def _relate(self, name: str, inside: Any) -> None:
        g = self.generators[name]
        if isinstance(inside, int):  # the root of a prime
            self.relations[name] = g * g - inside
        elif isinstance(inside, tuple):  # twice the cosine of a part of a turn
            self.relations[name] = sum((g**k * int(c) for k, c in enumerate(inside)), self.constant(0))
        else:
            value = self._value(inside)
            self.relations[name] = g * g - self.reduce(value.above * value.below)
        self.relations = {
            k: self.relations[k] for k in (*reversed(self._scan.tower), *self.relations) if k in self.relations
        }

    def constant(self, value: Any) -> Any:
        from flint import fmpq

        f = Fraction(value)
        return self.context.constant(fmpq(f.numerator, f.denominator))

    def number(self, value: Any) -> Ratio:
        return Ratio(self, self.constant(value), self.constant(1))

    def reduce(self, p: Any) -> Any:
        """The normal form by the tower, top first."""
        for relation in self.relations.values():
            _, p = divmod(p, relation)
        return p

    def ratio(self, above: Any, below: Any) -> Ratio:
        above, below = self.reduce(above), self.reduce(below)
        if below == 0:
            raise ExpressionError("division by zero.")
        if below.is_constant():
            return Ratio(self, above / below.leading_coefficient(), self.constant(1))
        common = above.gcd(below)
        if not common.is_constant():
            above, below = divmod(above, common)[0], divmod(below, common)[0]
        lead = below.leading_coefficient()
        return Ratio(self, above / lead, below / lead)

    # --- values ----------------------------------------------------------------------------------------------------

    def values(self, exprs: Sequence[Expr]) -> list[Ratio]:
        return [self._value(e) for e in self._known(exprs)]

    def formula(self, value: Ratio) -> Expr:
        """A quotient of polynomials as a formula."""
        return self.written(value.above) / self.written(value.below)

    def written(self, p: Any) -> Expr:
        return written(p, self.meaning)

    def meaning(self, name: str) -> Expr:
        """The formula that a generator stands for."""
        scan = self._scan
        for one, part in scan.parts.items():
            if name[2:] == plain(label(one, part)) and name[:2] in ("c_", "s_"):
                return (ex.cos if name[0] == "c" else ex.sin)(one / part)
        for s in scan.symbols:
            if name == plain(s.name):
                return next((e for e, known in scan.unknown.items() if known == s.name), s)
        inside = scan.roots.get(name)
        if isinstance(inside, int):
            return ex.sqrt(inside)
        if isinstance(inside, Expr):  # sqrt(a/b) = g/b
            return ex.sqrt(inside) * self.written(self._value(inside).below)
        if isinstance(inside, tuple):
            return 2 * ex.cos(2 * ex.PI / scan.order)
        raise ExpressionError(f"'{name}' stands for no formula.")

    def _known(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Formulas with the given values, which may be formulas themselves."""
        found = list(exprs)
        for _ in range(len(self._given) + 1):
            if not self._given or not ex.free_symbols(found) & set(self._given):
                return found
            found = list(ex.substitute(found, self._given))
        raise ExpressionError("the given values refer to each other in a circle.")

    def _value(self, e: Expr) -> Ratio:
        for one in ex.topological([e]):
            if one not in self._values and one not in self._scan.inside_angles:
                self._values[one] = self._step(one)
        return self._values[e] if e in self._values else self._step(e)

    def _step(self, e: Expr) -> Ratio:
        op = e.op
        if op == "const":
            return self.number(exact(e.data))
        if op == "sqrt":
            return self._root(e)
        if op in ("cos", "sin"):
            c, s = self._point(e.args[0])
            return c if op == "cos" else s
        if op in PLAIN:
            a = [self._value(x) for x in e.args]
            return (
                a[0] + a[1]
                if op == "add"
                else a[0] - a[1]
                if op == "sub"
                else a[0] * a[1]
                if op == "mul"
                else (a[0] / a[1] if op == "div" else -a[0])
            )
        if op == "pow" and e.args[1].op == "const" and (power := exact(e.args[1].data)).denominator == 1:
            base, total = self._value(e.args[0]), self.number(1)
            for _ in range(abs(int(power))):
                total = total * base
            return total if power >= 0 else self.number(1) / total
        name = plain(e.name) if op == "symbol" else self._scan.unknown.get(e)
        if name is None or name not in self.generators:
            raise ExpressionError(f"{ex.text(e)} is no algebraic function: polynomials cannot hold it.")
        return Ratio(self, self.generators[name], self.constant(1))

    def _root(self, e: Expr) -> Ratio:
        name = self._scan.root_of[e]
        if isinstance(name, tuple):  # a rational: (factor outside, primes inside)
            total = self.number(name[0])
            for p in name[1]:
                total = total * Ratio(self, self.generators[f"root{p}"], self.constant(1))
            return total
        # sqrt(a/b) = sqrt(a b) / b
        return Ratio(self, self.generators[name], self.constant(1)) / Ratio(
            self, self._value(e.args[0]).below, self.constant(1)
        )

    def _point(self, angle: Expr) -> tuple[Ratio, Ratio]:
        """(cos, sin) of an angle by addition theorems."""
        parts, turns = split_angle(angle)
        c, s = self._part_of_turn(turns)
        for one, factor in parts.items():
            a, b = self._atom(one)
            times = int(factor * self._scan.parts[one])
            sense = self.number(1 if times >= 0 else -1)
            for _ in range(abs(times)):
                c, s = c * a - s * sense * b, s * a + c * sense * b
        return c, s

    def _atom(self, one: Expr) -> tuple[Ratio, Ratio]:
        """(cos, sin) of a symbol (or its part), or of an arc that a formula gives."""
        unit = self.number(1)
        if one.op in ARCS and self._scan.parts[one] == 1:
            cosine, sine = arc(one)
            return self._value(cosine), self._value(sine)
        c, s = self.circle(plain(label(one, self._scan.parts[one])))
        return Ratio(self, c, unit.above), Ratio(self, s, unit.above)

    def _part_of_turn(self, turns: Fraction) -> tuple[Ratio, Ratio]:
        """cos and sin of a rational multiple of pi."""
        found = []
        for multiple in (turns, Fraction(1, 2) - turns):
            total = self.number(0)
            if (multiple * 12).denominator == 1:
                for inside, weight in COSINES[abs(int(multiple * 12)) % 24].items():
                    term = self.number(weight)
                    for p in (2, 3):
                        if inside % p == 0:
                            term = term * Ratio(self, self.generators[f"root{p}"], self.constant(1))
                    total = total + term
            else:
                order = self._scan.order
                g = self.generators[f"g{order}"]
                before, now = self.constant(2), g  # 2 cos(k a) by Chebyshev's recurrence
                steps = int(abs(multiple) * order / 2) % order
                for _ in range(steps):
                    before, now = now, self.reduce(g * now - before)
                total = self.ratio(before, self.constant(2))
            found.append(total)
        return found[0], found[1]


def common_denominator(ring: Ring, values: Sequence[Ratio]) -> list[Any]:
    """Polynomials proportional to quotients: all multiplied by a common denominator."""
    below = ring.constant(1)
    for v in values:
        if not v.below.is_constant():
            below = divmod(below * v.below, below.gcd(v.below))[0]
    return [ring.reduce(v.above * divmod(below, v.below)[0]) for v in values]


def written(p: Any, meaning: Callable[[str], Expr]) -> Expr:
    """A polynomial with formulas for its letters."""
    total: Expr = ex.ZERO
    names = p.context().names()
    for exponents, c in p.to_dict().items():
        term = ex.const(Fraction(int(c.p), int(c.q)) if hasattr(c, "q") else int(c))
        for name, k in zip(names, exponents, strict=True):
            if k:
                term = term * meaning(name) ** int(k)
        total = total + term
    return total


def distinct(names: Sequence[str]) -> list[str]:
    """Names of letters, refused when two are one: formulas of different symbols would be taken for equal."""
    if twice := [n for k, n in enumerate(names) if n in names[:k]]:
        raise ExpressionError(
            f"two symbols of these formulas have the letter '{twice[0]}' in polynomials, where a dot is a line and "
            "angles have letters c_ and s_: give one of them another name."
        )
    return list(names)


def _as_expr(value: Any) -> Expr:
    return value if isinstance(value, Expr) else ex.const(exact(value))
