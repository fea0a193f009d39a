"""Judge a printed formula: right (and how that is proved), or wrong, with a counter-example, the place and the cure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import sympy as sp

from dalembert.analytic._exact import as_sympy, refuse_text
from dalembert.errors import ExpressionError

from ._equality import Verdict, equal, proportional
from ._names import Formula, Names
from ._normal import tidy


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of one claim; truthy when the claim is right."""

    right: bool
    proof: str
    claim: Any
    correct: Any
    difference: str = ""
    at: Mapping[str, float] | None = None
    values: tuple[Any, Any] | None = None

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        if self.right:
            return f"right ({self.proof} proof): {self.claim}"
        lines = [f"wrong: {self.claim}", f"  correct form: {self.correct}"]
        if self.difference:
            lines.append(f"  first difference: {self.difference}")
        if self.values is not None and self.at is not None:
            where = ", ".join(f"{k} = {v:.4g}" for k, v in sorted(self.at.items()))
            lines.append(f"  for {where}: claimed {_short(self.values[0])}, correct {_short(self.values[1])}")
        return "\n".join(lines)


def _short(value: Any) -> str:
    try:
        return f"{complex(value).real:.6g}" if abs(complex(value).imag) < 1e-12 else f"{complex(value):.6g}"
    except (TypeError, ValueError):
        return str(value)


def check(
    claim: Formula,
    correct: Formula | None = None,
    *,
    names: Names | None = None,
    signs: Iterable[str] = (),
    up_to: str = "nothing",
    over: Iterable[Formula] = (),
    ranges: Mapping[str, Any] | None = None,
) -> Report:
    """Compare a claim with the correct formula; with one argument the claim is an identity `"left == right"`.

    `up_to` relaxes what counts as the same: "nothing"; "factor" (both are left-hand sides of `= 0`, `over` names what
    they are about); "constant" (they may differ by anything free of the names in `over`); "sign" (overall sign).

    >>> print(check("2*sin(x)*cos(x) == sin(2*x)"))
    right (symbolic proof): Eq(2*sin(x)*cos(x), sin(2*x))
    >>> print(check("m*g*(1 - cos(a))", "m*g*(1 + cos(a))").difference)
    the term -g*m*cos(a) should be g*m*cos(a)
    """
    names = names or Names(signs=signs)
    signs = set(signs) | names.signs
    stated = names.read(claim)
    if correct is None:
        if not isinstance(stated, sp.Eq):
            raise ExpressionError(f"a claim on its own is an identity 'left == right', but this is {claim!r}")
        verdict = equal(stated.lhs, stated.rhs, signs=signs, ranges=ranges)
        return _report(verdict, stated, stated if verdict else sp.Ne(stated.lhs, stated.rhs), "")
    truth = names.read(correct)
    if isinstance(stated, sp.Eq):
        stated = stated.rhs
    variables = names.read_all(over)
    if up_to == "factor":
        verdict = proportional(stated, truth, variables, signs=signs, ranges=ranges)
    elif up_to == "constant":
        verdict = _constant(stated - truth, variables, signs)
    elif up_to == "sign":
        verdict = equal(stated, truth, signs=signs, ranges=ranges) or equal(stated, -truth, signs=signs, ranges=ranges)
    elif up_to == "nothing":
        verdict = equal(stated, truth, signs=signs, ranges=ranges)
    else:
        raise ExpressionError(f"up_to={up_to!r} is not one of nothing, factor, constant, sign")
    return _report(verdict, stated, truth, "" if verdict else first_difference(stated, truth))


def _constant(difference: sp.Expr, variables: Sequence[sp.Expr], signs: Iterable[str]) -> Verdict:
    proof = "symbolic"
    for variable in variables:
        verdict = equal(sp.diff(difference, variable), sp.Integer(0), signs=signs)
        if not verdict:
            return verdict
        proof = verdict.proof if verdict.proof == "numeric" else proof
    return Verdict(True, proof)


def _report(verdict: Verdict, claim: Any, correct: Any, difference: str) -> Report:
    return Report(verdict.equal, verdict.proof, claim, correct, difference, verdict.at, verdict.values)


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

    def check(self, claim: str, **options: Any) -> Report:
        """Judge `"name == formula"`, or any equation, after what this result knows has been put in."""
        names = self.names
        stated = names.read(claim)
        if not isinstance(stated, sp.Eq):
            raise ExpressionError(f"write the claim as 'name == formula'; this result knows {', '.join(self.known())}")
        values = {names.symbol(k): v for k, v in self.known().items()}
        if stated.lhs in values:
            return check(stated.rhs, values[stated.lhs], names=names, **options)
        left, right = (_settle(side, values) for side in (stated.lhs, stated.rhs))
        verdict = equal(left, right, signs=names.signs)
        return _report(
            verdict,
            stated,
            sp.Eq(stated.lhs, tidy(left), evaluate=False),
            "" if verdict else first_difference(right, left),
        )


def _settle(expression: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Substitute until nothing known is left; definitions may refer to each other at most once."""
    for _ in range(3):
        changes = {s: values[s] for s in expression.free_symbols if s in values and values[s] != s}
        if not changes:
            break
        expression = expression.subs(changes, simultaneous=True)
    return expression
