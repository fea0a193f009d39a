"""What a ring for formulas needs: their symbols, angles with the smallest parts that occur, and roots."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import lcm
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.arithmetic import COSINES, exact, prime_factors

#: Angle = sum of multiples of symbols (or of formulas that stay whole) plus a multiple of pi.
Angle = tuple[dict[Expr, Fraction], Fraction]
PLAIN = ("add", "sub", "mul", "div", "neg")
ARCS = ("acos", "asin", "atan", "atan2")


def plain(name: str) -> str:
    """A name that polynomials can carry."""
    return "".join(ch if ch.isalnum() else "_" for ch in name)


def split_angle(e: Expr) -> Angle:
    """A formula as a rational combination of symbols and whole formulas, plus a rational multiple of pi."""
    op, args = e.op, e.args
    if op == "pi":
        return {}, Fraction(1)
    if op == "neg":
        return _scaled(split_angle(args[0]), Fraction(-1))
    if op in ("add", "sub"):
        (a, r), (b, t) = split_angle(args[0]), _scaled(split_angle(args[1]), Fraction(1 if op == "add" else -1))
        total = {k: v for k in {**a, **b} if (v := a.get(k, Fraction(0)) + b.get(k, Fraction(0)))}
        return total, r + t
    if op == "mul":
        for x, y in ((args[0], args[1]), (args[1], args[0])):
            if x.op == "const":
                return _scaled(split_angle(y), exact(x.data))
    if op == "div" and args[1].op == "const" and args[1].data:
        return _scaled(split_angle(args[0]), 1 / exact(args[1].data))
    if op == "const" and not e.data:
        return {}, Fraction(0)
    return {e: Fraction(1)}, Fraction(0)


def _scaled(angle: Angle, factor: Fraction) -> Angle:
    return {k: v * factor for k, v in angle[0].items() if v * factor}, angle[1] * factor


def label(one: Expr, part: int) -> str:
    name = one.name if one.op == "symbol" else ex.text(one)
    return name if part == 1 else f"{name}/{part}"


def arc(one: Expr) -> tuple[Expr, Expr]:
    """(cos, sin) of acos, asin, atan, atan2 of a formula."""
    u = one.args[0]
    if one.op == "acos":
        return u, ex.sqrt(1 - u * u)
    if one.op == "asin":
        return ex.sqrt(1 - u * u), u
    x = ex.ONE if one.op == "atan" else one.args[1]
    r = ex.sqrt(x * x + u * u)
    return x / r, u / r


class Scan:
    """What a ring needs: symbols, angles and their smallest parts, roots from the inside out."""

    def __init__(self, exprs: Sequence[Expr]) -> None:
        self.symbols: list[Expr] = []
        self.parts: dict[Expr, int] = {}
        self.root_of: dict[Expr, Any] = {}
        self.roots: dict[str, Any] = {}
        self.unknown: dict[Expr, str] = {}
        self.inside_angles: set[Expr] = set()
        self.order = 4
        self._outside: set[Expr] = set()
        self._taken = {plain(s.name) for s in ex.free_symbols(list(exprs))}
        self._walk(list(exprs))
        self.circles = [label(one, part) for one, part in self.parts.items() if one.op not in ARCS or part > 1]
        self.symbols.sort(key=lambda s: s.name)
        if self.order > 4:
            from flint import fmpz_poly

            self.roots[f"g{self.order}"] = tuple(int(c) for c in fmpz_poly.cos_minpoly(self.order))
        primes = sorted(k for k in self.roots if k.startswith("root") and k[4:].isdigit())
        formulas = [k for k in self.roots if k not in primes]
        self.tower = [*primes, *formulas]  # from the bottom up
        self.inside_angles -= self._outside

    def _walk(self, exprs: list[Expr]) -> None:
        seen: set[Expr] = set()
        pending = list(exprs)
        while pending:
            e = pending.pop()
            if e in seen:
                continue
            seen.add(e)
            self._outside.add(e)
            if e.op in ("sin", "cos"):
                self._angle(e.args[0], pending)
                self.inside_angles.update(ex.topological([e.args[0]]))
            elif e.op == "sqrt":
                pending.append(e.args[0])
            elif e.op == "symbol":
                self.symbols.append(e)
            elif e.op in PLAIN or e.op == "pow":
                pending += e.args
            elif e.op != "const":
                self.unknown[e] = self._fresh("function")
                self.symbols.append(ex.symbol(self.unknown[e]))
        for e in ex.topological(exprs):
            if e.op == "sqrt" and e in self._outside and e not in self.root_of:
                self._root(e)

    def _angle(self, angle: Expr, pending: list[Expr]) -> None:
        parts, turns = split_angle(angle)
        for multiple in (turns, Fraction(1, 2) - turns):
            if (multiple * 12).denominator != 1:
                self.order = lcm(self.order, 2 * multiple.denominator)
            else:
                for inside in COSINES[abs(int(multiple * 12)) % 24]:
                    self.roots.update({f"root{p}": p for p in (2, 3) if inside % p == 0})
        for one, factor in parts.items():
            self.parts[one] = lcm(self.parts.get(one, 1), factor.denominator)
            if one.op in ARCS:
                extra = list(arc(one))
                pending += extra
                for e in ex.topological(extra):
                    if e.op == "sqrt":
                        self._outside.add(e)
                        self._root(e)

    def _fresh(self, stem: str) -> str:
        """A name that no symbol has."""
        name = next(f"{stem}{k}" for k in count(1) if f"{stem}{k}" not in self._taken)
        self._taken.add(name)
        return name

    def _root(self, e: Expr) -> None:
        inside = ex.evaluate_exact([e.args[0]], {})[0] if _is_rational(e.args[0]) else None
        if inside is None:
            name = self._fresh("w")
            self.root_of[e], self.roots[name] = name, e.args[0]
            return
        if inside < 0:
            raise ExpressionError(f"the square root of {inside} is not real.")
        outside, primes = Fraction(1, inside.denominator), []
        for prime, power in prime_factors(inside.numerator * inside.denominator) if inside else ():
            outside *= Fraction(prime) ** (power // 2)
            if power % 2:
                primes.append(prime)
        self.root_of[e] = (outside if inside else Fraction(0), tuple(primes))
        self.roots.update({f"root{p}": p for p in primes})


def _is_rational(e: Expr) -> bool:
    return all(one.op in (*PLAIN, "const", "pow") for one in ex.topological([e]))
