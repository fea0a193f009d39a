"""A student's derivation marked line by line: the first wrong step named with its reason, errors carried on told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import DalembertError, ExpressionError

from ..formulas._equality import Verdict, equal, is_zero, proportional
from ..formulas._normal import tidy
from ..systems.system import System
from ._words import say
from .mistakes import reason
from .quantities import Quantities, split_line


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One line: "right", "wrong", "carried" (right from the student's own wrong lines), "undecided" or "unread"."""

    number: int
    text: str
    verdict: str
    reason: str = ""
    correct: sp.Expr | None = None

    def __str__(self) -> str:
        return f"{self.number}. {self.text}: {self.reason or self.verdict}"


@dataclass(frozen=True)
class Marking:
    """All lines with their verdicts; truthy when every line is right."""

    lines: tuple[MarkedLine, ...]
    language: str = "en"

    @property
    def first_wrong(self) -> MarkedLine | None:
        """Where the derivation goes wrong."""
        return next((line for line in self.lines if line.verdict == "wrong"), None)

    def __bool__(self) -> bool:
        return all(line.verdict == "right" for line in self.lines)

    def __str__(self) -> str:
        text = [str(line) for line in self.lines]
        first = self.first_wrong
        if first:
            text.append(say("first", self.language, k=first.number, text=first.reason))
        elif self:
            text.append(say("all right", self.language))
        return "\n".join(text)


def mark(system: System, lines: Sequence[str], *, language: str = "en") -> Marking:
    """Mark the lines of a derivation by Lagrange or Hamilton.

    A line is `T = ...`, `V = ...`, `L = ...`, `dL/dx' = ...`, `d/dt dL/dx' = ...`, `dL/dx = ...`, `Q_x = ...`,
    `p_x = ...`, `H = ...`, `x'' = ...`, or an equation of motion `left = right`; `a = b = c` is judged at every sign.

    >>> from dalembert.analytic import System
    >>> spring = System("x", T="m*x_d**2/2", V="k*x**2/2")
    >>> print(mark(spring, ["L = m*x_d**2/2 - k*x**2/2", "dL/dx = k*x", "m*x_dd + k*x = 0"]).first_wrong)
    2. dL/dx = k*x: the sign is wrong; it should be -k*x
    """
    if isinstance(lines, str) or not lines:
        raise ExpressionError("a derivation is a list of lines: mark(system, ['T = ...', 'V = ...'])")
    say("right", language)
    marker = _Marker(Quantities(system), language)
    return Marking(tuple(marker.line(k, text) for k, text in enumerate(lines, 1)), language)


class _Marker:
    """Keeps what the student has written so far."""

    def __init__(self, quantities: Quantities, language: str) -> None:
        self.quantities, self.language = quantities, language
        self.own: dict[str, sp.Expr] = {}
        self.astray = 0  # the last line that was wrong

    def line(self, number: int, text: str) -> MarkedLine:
        try:
            left, *sides = split_line(text)
            key = self.quantities.key(left)
            if key is None:
                return self._equation(number, text, left, sides)
            found = [self._value(number, text, key, self._read(side)) for side in sides]
            self.own[key] = self._read(sides[-1])
            return self._noted(next((line for line in found if line.verdict != "right"), found[0]))
        except DalembertError as error:
            return MarkedLine(number, text, "unread", say("unread", self.language, why=str(error)))

    def _right(self, number: int, text: str) -> MarkedLine:
        return MarkedLine(number, text, "right", say("right", self.language))

    def _noted(self, line: MarkedLine) -> MarkedLine:
        self.astray = line.number if line.verdict == "wrong" else self.astray
        return line

    def _read(self, side: str) -> sp.Expr:
        """A side, where T, V, L stand for what the student wrote, or else for what is right."""
        n, right = self.quantities.names, self.quantities.right
        e = n.read(side)
        named = {n.symbol(k): self.own.get(k, right[k]) for k in "TVLH" if k in right and k not in n.own}
        if e.free_symbols & {*named}:
            e = e.subs(named, simultaneous=True)
        self.quantities.lagrange.refuse_unknown(e.subs(self._momenta(e)))
        return e

    def _momenta(self, e: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
        """Momenta stand for themselves in Hamilton's lines."""
        n, system = self.quantities.names, self.quantities.system
        return {n.symbol(p): sp.Integer(1) for p in system.momenta if n.symbol(p) in e.free_symbols}

    def _value(self, number: int, text: str, key: str, claim: sp.Expr) -> MarkedLine:
        truth = self.quantities.right[key]
        verdict = self._same(claim, truth, key)
        if verdict.equal is None:
            return MarkedLine(number, text, "undecided", say("undecided", self.language), truth)
        if verdict.equal:
            return self._right(number, text)
        return self._wrong(number, text, key, claim, truth)

    def _same(self, claim: sp.Expr, truth: sp.Expr, key: str) -> Verdict:
        if key == "V":  # up to a constant
            slopes = [equal(sp.diff(claim, q), sp.diff(truth, q)) for q in self.quantities.names.q]
            return next((s for s in slopes if not s), slopes[0])
        verdict = equal(claim, truth)
        if not verdict and key in ("H", "h", "L"):
            rest = claim - truth
            if all(is_zero(sp.diff(rest, s)) for s in rest.free_symbols if self._moves(s)):
                return Verdict(True, "symbolic")
        return verdict

    def _moves(self, s: sp.Symbol) -> bool:
        n, system = self.quantities.names, self.quantities.system
        return s == n.time or s.name in system.momenta or s.name.rstrip("'") in n.moving

    def _wrong(self, number: int, text: str, key: str, claim: sp.Expr, truth: sp.Expr) -> MarkedLine:
        mine = self.quantities.from_own(key, self.own)
        if mine is not None and not is_zero(mine - truth):
            follows = self._same_equation(claim, mine) if key.startswith("equation ") else is_zero(mine - claim)
            if follows:
                return MarkedLine(number, text, "carried", say("carried", self.language, k=self.astray), truth)
            shown = tidy(mine)
            why = reason(self.quantities, key, claim, shown, self.language)
            return MarkedLine(number, text, "wrong", f"{why}; {say('from yours', self.language, correct=shown)}", truth)
        why = reason(self.quantities, key, claim, truth, self.language)
        shown = tidy(truth)
        equation = f"{shown} = 0" if key.startswith("equation ") else shown
        return MarkedLine(number, text, "wrong", f"{why}; {say('correct', self.language, correct=equation)}", shown)

    def _same_equation(self, claim: sp.Expr, truth: sp.Expr) -> bool:
        n = self.quantities.names
        return bool(proportional(claim, truth, [n.velocity(x, 2) for x in self.quantities.system.coordinates]))

    def _equation(self, number: int, text: str, left: str, sides: Sequence[str]) -> MarkedLine:
        """An equation of motion: which coordinate it is of is told by what it resembles most."""
        claim = self._read(left) - self._read(sides[-1])
        system, n, right = self.quantities.system, self.quantities.names, self.quantities.right
        truths = {}
        for j, c in enumerate(system.coordinates):
            reaction = sum(
                (lam * row[j] for lam, row in zip(system.multipliers, system.constraint_rows)), sp.Integer(0)
            )
            truths[c] = tidy(right[f"equation {c}"] - right[f"Q_{c}"] - system.freeze(reaction))
        accelerations = [n.velocity(c, 2) for c in system.coordinates]
        c = max(truths, key=lambda label: _likeness(claim, truths[label]))
        if not any(claim.has(a) for a in accelerations) and not _likeness(claim, truths[c]):
            raise ExpressionError("it names no quantity of the derivation, and no acceleration stands in it")
        for label, truth in truths.items():
            if self._same_equation(claim, truth):
                self.own[f"equation {label}"] = claim
                return self._right(number, text)
        on_shell = {a: right[a.name] for a in accelerations} | {s: right[s.name] for s in system.multipliers}
        if is_zero(claim.subs(on_shell)):
            return self._right(number, text)
        line = self._wrong(number, text, f"equation {c}", _scaled(claim, truths[c], n.velocity(c, 2)), truths[c])
        self.own[f"equation {c}"] = claim
        return self._noted(line)


def _likeness(claim: sp.Expr, truth: sp.Expr) -> float:
    ours, theirs = ({*sp.Add.make_args(sp.expand(e))} for e in (claim, truth))
    both = len(ours & theirs) + len(ours & {-t for t in theirs})
    return both / max(len(theirs), 1)


def _scaled(claim: sp.Expr, truth: sp.Expr, a: sp.Symbol) -> sp.Expr:
    """The claim with the factor of the truth, so that terms can be compared."""
    own, right = sp.diff(sp.expand(claim), a), sp.diff(sp.expand(truth), a)
    if own == 0 or right == 0 or is_zero(own - right):
        return claim
    ratio = tidy(right / own)
    return sp.expand(tidy(claim * ratio)) if ratio.count_ops() < 12 else claim
