"""Judge a printed formula: right (and how that is proved), or wrong, with a counter-example, the place and the cure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from dalembert.errors import ExpressionError

from ._equality import Verdict, equal, proportional, strongest, undecided, weakest
from ._exact import as_sympy, refuse_text
from ._names import Formula, Names
from ._normal import tidy
from .definitions import Definitions, definitions, solve_for


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of one claim; truthy when the claim is right. `right` is None when it could not be decided."""

    right: bool | None
    proof: str
    claim: Any
    correct: Any
    difference: str = ""
    at: Mapping[str, float] | None = None
    values: tuple[Any, Any] | None = None
    domain: tuple[str, ...] = ()
    why: str = ""

    def __bool__(self) -> bool:
        return self.right is True

    @property
    def verdict(self) -> str:
        """ "right", "wrong" or "undecided"."""
        return "undecided" if self.right is None else "right" if self.right else "wrong"

    def __str__(self) -> str:
        where = f", where {', '.join(self.domain)}" if self.domain else ""
        if self.right:
            how = "symbolic proof" if self.proof == "symbolic" else "numeric evidence"
            return f"right ({how}{where}): {self.claim}"
        if self.right is None:
            lines = [f"undecided: {self.claim}", f"  neither a proof nor a counter-example: {self.why}"]
            return "\n".join([*lines, f"  compared with: {self.correct}"] if self.correct is not None else lines)
        lines = [f"wrong: {self.claim}", f"  correct form: {self.correct}"]
        lines += [f"  first difference: {self.difference}"] if self.difference else []
        if self.values is not None and self.at is not None:
            where = ", ".join(f"{k} = {v:.4g}" for k, v in sorted(self.at.items()))
            claimed, correct = map(_short, self.values)
            lines.append(f"  for {where}: claimed {claimed}, correct {correct}")
            if claimed == correct:  # values have thirty digits
                apart = self.values[0] - self.values[1]
                lines[-1] += f", apart by {_short(apart)}" if apart else ", apart beyond their thirtieth digit"
        return "\n".join(lines)


#: An imaginary part that is this share of a number, or less, is rounding of its printed digits.
_REAL = 1e-12


def _short(value: Any) -> str:
    try:
        number = complex(value)
        return f"{number.real:.6g}" if abs(number.imag) <= _REAL * abs(number) else f"{number:.6g}"
    except (TypeError, ValueError):
        return str(value)


def check(
    claim: Formula,
    correct: Formula | None = None,
    *,
    names: Names | None = None,
    signs: Iterable[str] = (),
    positive: Iterable[str] = (),
    up_to: str = "nothing",
    over: Iterable[Formula] = (),
    ranges: Mapping[str, Any] | None = None,
    where: Mapping[str, Formula] | None = None,
    at: Mapping[str, Formula] | None = None,
    along: Mapping[str, Formula] | None = None,
) -> Report:
    """Compare a claim with the correct formula; with one argument the claim is an identity `"left == right"`.

    `up_to` relaxes what counts as the same: "nothing"; "factor" (both are left-hand sides of `= 0`, `over` names what
    they are about); "constant" (they may differ by anything free of the names in `over`); "sign" (overall sign).

    Every name is a real number; those in `positive` are positive, those in `signs` +1 or -1 (both must hold), those in
    `ranges`, {name: (low, high)}, in an interval. A claim is right, wrong or undecided, and says on which domain.

    Both sides may use names that stand for formulas (`where`), be looked at for certain values (`at`), or along a
    motion (`along`, for coordinates of `names`).

    >>> print(check("2*sin(x)*cos(x) == sin(2*x)"))
    right (symbolic proof): Eq(2*sin(x)*cos(x), sin(2*x))
    >>> print(check("m*g*(1 - cos(a))", "m*g*(1 + cos(a))").difference)
    the term -g*m*cos(a) should be g*m*cos(a)
    >>> bool(check("Derivative(S, x) == m*v", where={"S": "m*x**2/(2*t)"}, at={"x": "v*t"}))
    True
    """
    names = names or Names(signs=signs, positive=positive)
    signs = set(signs) | names.signs
    told = definitions(names, where, at, along)
    stated = told.read(claim)
    if correct is None:
        if up_to != "nothing" or over:
            raise ExpressionError("`up_to` and `over` compare a claim with a correct formula: give that too")
        left, right = map(told.settled, _sides(stated, claim))
        asked = _asked(told, claim)
        verdict = _where_written(left, right, asked, signs, ranges)
        correct_form = sp.Ne(left, right, evaluate=False) if verdict.equal is False else None
        return _on_domain(report_of(verdict, stated, correct_form), asked)
    truth = told.settled(told.read(correct))
    stated = told.settled(stated.rhs if isinstance(stated, sp.Eq) else stated)
    variables = names.read_all(over)
    if up_to == "factor":
        verdict = proportional(stated, truth, variables, signs=signs, ranges=ranges)
    elif up_to == "constant":
        verdict = _constant(stated - truth, variables, signs, ranges)
    elif up_to == "sign":
        verdict = strongest([equal(stated, side, signs=signs, ranges=ranges) for side in (truth, -truth)])
    elif up_to == "nothing":
        verdict = equal(stated, truth, signs=signs, ranges=ranges)
    else:
        raise ExpressionError(f"up_to={up_to!r} is not one of nothing, factor, constant, sign")
    asked = (*_asked(told, claim), *_asked(told, correct))
    if verdict.equal is False and _outside(verdict.at, asked):
        verdict = undecided(_NOT_AS_WRITTEN)
    return _on_domain(report_of(verdict, stated, truth), asked)


_NOT_AS_WRITTEN = "the sides were only seen to differ where the formulas as written have no value"


def _where_written(
    left: sp.Expr, right: sp.Expr, asked: Sequence[Any], signs: Iterable[str], ranges: Mapping[str, Any] | None
) -> Verdict:
    """The verdict where the formulas as they were written have real values: sqrt(x)*sqrt(x) == abs(x) is right."""
    verdict = equal(left, right, signs=signs, ranges=ranges)
    if verdict.equal is not False or not _outside(verdict.at, asked):
        return verdict
    above = {g.lhs: sp.Symbol(g.lhs.name, positive=True) for g in asked if isinstance(g, sp.Gt) and g.lhs.is_Symbol}
    if above:
        left, right = (side.subs(above, simultaneous=True) for side in (left, right))
        verdict = equal(left, right, signs=signs, ranges=ranges)
        if verdict.equal is not False or not _outside(verdict.at, asked):
            return verdict
    return undecided(_NOT_AS_WRITTEN, verdict.domain)


def _outside(at: Mapping[str, float], asked: Sequence[Any]) -> bool:
    """Whether a counter-example lies where a root, logarithm or quotient of the claim as written has no real value."""
    for condition in asked:
        values = {s: at[s.name] for s in condition.free_symbols if s.name in at}
        value = condition.lhs.subs(values)
        if value.is_number and (value.is_real is False or value == 0 or (isinstance(condition, sp.Gt) and value < 0)):
            return True
    return False


def _on_domain(report: Report, asked: Iterable[Any]) -> Report:
    """The report with what the formulas as they were written ask of their names."""
    words = [f"{c.lhs} {'>' if isinstance(c, sp.Gt) else '!='} 0" for c in asked]
    return replace(report, domain=tuple(dict.fromkeys((*report.domain, *words))))


def _asked(told: Definitions, formula: Formula) -> tuple[Any, ...]:
    """What the formula as written asks of its names; nothing can be asked of names that stand for something else."""
    mine = {*told.short, *told.values} | {told.names.symbol(c) for c in told.motions}
    return tuple(c for c in told.names.domain(formula) if not c.free_symbols & mine)


def _sides(stated: Any, claim: Any) -> tuple[sp.Expr, sp.Expr]:
    if not isinstance(stated, sp.Eq):
        raise ExpressionError(f"a claim on its own is an identity 'left == right', but this is {claim!r}")
    return stated.lhs, stated.rhs


def _constant(
    difference: sp.Expr, variables: Sequence[sp.Expr], signs: Iterable[str], ranges: Mapping[str, Any] | None
) -> Verdict:
    """Whether a formula is free of some names: it must not change from any value of them to any other."""
    if not variables:
        raise ExpressionError(
            "up_to='constant' needs `over`, the names that the constant must be free of, as over=['x']: "
            "without them anything is a constant"
        )
    idle = [str(v) for v in variables if not v.is_Symbol or v not in difference.free_symbols]
    slopes = [
        equal(sp.diff(difference, v), sp.Integer(0), signs=signs, ranges=ranges) for v in variables if v.is_Symbol
    ]
    if len(idle) == len(variables) and any(not v.is_Symbol for v in variables):
        raise ExpressionError(f"`over` names quantities, not formulas: {', '.join(idle)}")
    others = {v: sp.Dummy(v.name, **v.assumptions0) for v in variables}
    jump = equal(difference, difference.xreplace(others), signs=signs, ranges=ranges)
    if jump.equal is False:  # flat on each part of the domain is not the same constant on all
        return jump
    return jump if jump else weakest(slopes)


def report_of(verdict: Verdict, claim: Any, correct: Any, difference: str | None = None) -> Report:
    """The report on a claim; where it is wrong, the first difference is named unless it is told."""
    if difference is None:
        wrong = verdict.equal is False and isinstance(claim, sp.Expr) and isinstance(correct, sp.Expr)
        difference = first_difference(claim, correct) if wrong else ""
    return Report(
        verdict.equal,
        verdict.proof,
        claim,
        correct,
        difference if verdict.equal is False else "",
        verdict.at,
        verdict.values,
        verdict.domain,
        verdict.why,
    )


def first_difference(claim: sp.Expr, correct: sp.Expr) -> str:
    """Where two formulas part, in words: a constant ratio, a term, or the smallest differing part."""
    claim, correct = as_sympy(claim), as_sympy(correct)
    if isinstance(claim, sp.Basic) and isinstance(correct, sp.Expr) and correct != 0:
        ratio = (
            tidy(sp.cancel(sp.together(claim / correct))) if (claim / correct).count_ops() < 200 else claim / correct
        )
        if ratio.is_number:
            return f"the claim is {ratio} times the right value"
        if ratio.count_ops() <= 3 and ratio.count_ops() < claim.count_ops():
            return f"the claim is the right value times {ratio}"
    ours, theirs = (list(sp.Add.make_args(sp.expand(e))) for e in (claim, correct))
    extra = [t for t in ours if t not in theirs]
    missing = [t for t in theirs if t not in ours]
    if len(extra) + len(missing) < len(ours) + len(theirs) or len(ours) == len(theirs) == 1:
        for term in extra:
            partner = next((u for u in missing if (term / u).is_number), missing[0] if len(missing) == 1 else None)
            if partner is not None:
                return f"the term {term} should be {partner}"
        if extra:
            return f"the term {extra[0]} should not be there"
        if missing:
            return f"the term {missing[0]} is missing"
    return _descend(claim, correct)


def _descend(claim: sp.Basic, correct: sp.Basic) -> str:
    """Walk down while the two trees have the same head and all arguments but one agree."""
    while claim.func == correct.func and claim.args and len(claim.args) == len(correct.args):
        pairs = [(a, b) for a, b in zip(claim.args, correct.args) if a != b]
        if len(pairs) != 1:
            break
        claim, correct = pairs[0]
    return f"{claim} should be {correct}"


def check_derivation(
    lines: Sequence[Formula], *, names: Names | None = None, signs: Iterable[str] = ()
) -> list[Report]:
    """Judge every line of a chain a == b, b == c, ...: the first false one is where the argument goes wrong.

    >>> [bool(r) for r in check_derivation(["(a+b)**2 == a**2 + 2*a*b + b**2", "a**2 - b**2 == (a-b)**2"])]
    [True, False]
    """
    return [check(line, names=names, signs=signs) for line in lines]


class Judge:
    """Mixin for results: `known` names what was found, `check` judges claims about it."""

    __slots__ = ()

    @property
    def names(self) -> Names:
        raise NotImplementedError

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]
            kind, value = str(item.type), getattr(self, item.name)
            if "sp." in kind:  # names are keys of a dict, and only there
                refuse_text(list(value) if isinstance(value, Mapping) and "dict" not in kind else value)

    def known(self) -> dict[str, sp.Expr]:
        """The quantities that this result determines, by name."""
        raise NotImplementedError

    def check(
        self,
        claim: str,
        *,
        up_to: str = "nothing",
        over: Iterable[Formula] = (),
        ranges: Mapping[str, Any] | None = None,
        where: Mapping[str, Formula] | None = None,
        at: Mapping[str, Formula] | None = None,
        along: Mapping[str, Formula] | None = None,
    ) -> Report:
        """Judge `"name == formula"`, or any equation, after what this result knows has been put in on both sides.

        Names of the system itself come first: where a pendulum has a length `L`, its Lagrangian is `view.L`. `where`,
        `at` and `along` are those of `analytic.check`: further definitions, values of names, and motions.
        """
        names = self.names
        values = self._values()
        told = definitions(names, where, at, along, _without_circles(values))
        stated = told.read(claim)
        if not isinstance(stated, sp.Eq):
            raise ExpressionError(f"write the claim as 'name == formula'; this result knows {', '.join(self.known())}")
        self.refuse_unknown(stated, told.told)
        left, right = (told.settled(side) for side in (stated.lhs, stated.rhs))
        if stated.lhs not in values and up_to != "nothing":
            raise ExpressionError(f"up_to={up_to!r} needs a claim 'name == formula' about {', '.join(self.known())}")
        found = check(right, left, names=names, up_to=up_to, over=over, ranges=ranges)
        if stated.lhs in values:
            claimed, correct = stated.rhs, values[stated.lhs]
            if where or at or along:
                claimed, correct = told.settled(claimed), left
        else:
            changed = left != stated.lhs
            value = sp.Eq(stated.lhs, tidy(left), evaluate=False)
            claimed, correct = stated, value if changed else sp.Ne(stated.lhs, tidy(right), evaluate=False)
        wrong = found.right is False
        plain = claimed if isinstance(claimed, sp.Expr) and isinstance(correct, sp.Expr) else None
        difference = first_difference(plain, correct) if wrong and plain is not None else found.difference
        shadowed = sorted(
            k for k in self.known() if names.symbol(k) in stated.free_symbols and names.symbol(k) not in values
        )
        if shadowed:
            difference += f" (here {shadowed[0]} is the system's own; the result's is view.{shadowed[0]})"
        asked = _asked(told, claim)
        if found.right is False and found.at and _outside(found.at, asked):
            found = replace(found, right=None, proof="undecided", why=_NOT_AS_WRITTEN)
        wrong = found.right is False
        found = _on_domain(found, asked)
        return replace(found, claim=claimed, correct=correct, difference=difference if wrong else "")

    def solve_for(self, claim: str, unknown: str) -> list[sp.Expr]:
        """For which values of a name a claim holds: `view.solve_for("x_dd == 0", "m1")`."""
        names, values = self.names, _without_circles(self._values())
        self.refuse_unknown(definitions(names, known=values).read(claim), {unknown})
        found = solve_for(claim, [unknown], names=names, known=values)
        return [one[names.canonical(unknown)] for one in found if names.canonical(unknown) in one]

    def _values(self) -> dict[sp.Symbol, sp.Expr]:
        """What the result knows, by symbol: as `view.name` always, and as `name` unless the system uses that name."""
        names, values = self.names, {}
        for label, value in self.known().items():
            values[names.symbol(f"view.{label}")] = value
            if names.canonical(label) not in names.own:
                values[names.symbol(label)] = value
        return values

    def refuse_unknown(self, stated: sp.Basic, told: Iterable[str] = ()) -> None:
        """Refuse a claim about a name that neither the system nor the result has, nor the caller told of."""
        names, values = self.names, self._values()
        if not names.own:
            return
        met = {s for value in values.values() for s in value.free_symbols}
        moving = {s.name.rstrip("'") for s in met} | {*names.moving}
        allowed = {
            *names.own,
            *names.moving,
            *(s.name for s in values),
            *(s.name for s in met),
            *names.signs,
            *told,
            names.time.name,
        }
        for symbol in sorted(stated.free_symbols, key=str):
            if symbol.name not in allowed and not (symbol.name.endswith("'") and symbol.name.rstrip("'") in moving):
                raise ExpressionError(
                    f"the claim is about '{symbol.name}', which neither the system nor this result has."
                    f"{_did_you_mean(symbol.name, allowed)}"
                )
        known = {f.func.__name__ for value in values.values() for f in value.atoms(AppliedUndef)} | names.functions
        for f in sorted(stated.atoms(AppliedUndef), key=str):
            if f.func.__name__ not in known:
                raise ExpressionError(f"the claim is about the function {f}, which the system does not have")


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    """The coordinate of that name in its link first, then the nearest name, else what there is."""
    plain = sorted(k for k in known if not k.startswith("view."))
    near = [k for k in plain if k.endswith(f".{name}")] or get_close_matches(name, plain, 1)
    more = f" and {len(plain) - 20} more" if len(plain) > 20 else ""
    return f" Did you mean '{near[0]}'?" if near else f" It has {', '.join(plain[:20])}{more}."


def _without_circles(values: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    """Definitions that do not lead back to themselves: of p = m x' and x' = p/m the first."""
    kept: dict[sp.Symbol, sp.Expr] = {}
    for symbol, value in values.items():
        if not any(symbol in kept[other].free_symbols for other in value.free_symbols if other in kept):
            kept[symbol] = value
    return kept
