"""Why a line is wrong: the usual mistakes of its step are made on purpose and compared, then term with term."""

from __future__ import annotations

import re

import sympy as sp

from ..formulas._equality import is_zero
from ..formulas._normal import tidy
from ..formulas.claims import first_difference
from ._words import say
from .quantities import Quantities


def reason(quantities: Quantities, key: str, claim: sp.Expr, truth: sp.Expr, language: str) -> str:
    """In words what went wrong in a line about `key`."""
    special = _of_the_step(quantities, key, claim, truth, language)
    if special:
        return special
    ratio = _constant_ratio(claim, truth)
    if ratio == -1:
        return say("whole sign", language)
    if key == "T" and ratio == 2:
        return say("half", language)
    if ratio is not None:
        return say("factor", language, ratio=ratio)
    return _by_terms(claim, truth, language)


def _constant_ratio(claim: sp.Expr, truth: sp.Expr) -> sp.Expr | None:
    if truth == 0 or claim == 0:
        return None
    ratio = tidy(sp.cancel(sp.together(claim / truth)))
    return ratio if ratio.is_number else None


def _of_the_step(quantities: Quantities, key: str, claim: sp.Expr, truth: sp.Expr, language: str) -> str:
    """The mistakes that belong to the kind of step."""
    n, right, system = quantities.names, quantities.right, quantities.system

    def same(wrong: sp.Expr) -> bool:
        return bool(is_zero(claim - wrong)) and not is_zero(wrong - truth)

    if key == "L" and "V" in right and same(right["T"] + right["V"]):
        return say("added V", language)
    if key == "T":
        v = [n.velocity(c) for c in system.coordinates]
        crossed = sp.Add(*(t for t in sp.Add.make_args(sp.expand(truth)) if sum(t.has(x) for x in v) > 1))
        if crossed != 0 and same(truth - crossed):
            return say("cross term", language, term=tidy(crossed))
    whole = re.fullmatch(r"d/dt dL/d(.+)'", key)
    if whole:
        momentum = right[f"dL/d{whole.group(1)}'"]
        fast = sum((sp.diff(momentum, n.velocity(c)) * n.velocity(c, 2) for c in system.coordinates), sp.Integer(0))
        if same(fast):
            places = [c for c in system.coordinates if momentum.has(n.symbol(c))]
            return say("product rule", language, c=", ".join(places) or "t", term=tidy(truth - fast))
    part = re.fullmatch(r"dL/d(\w+)", key)
    if part and "V" in right:
        slope = sp.diff(right["T"], n.symbol(part.group(1)))
        if not is_zero(slope) and same(truth - slope):
            return say("kinetic slope", language, c=part.group(1), term=tidy(slope))
    if key.startswith("equation "):
        return _of_an_equation(quantities, key.removeprefix("equation "), claim, language)
    return ""


def _of_an_equation(quantities: Quantities, c: str, claim: sp.Expr, language: str) -> str:
    right, v = quantities.right, quantities.names.velocity(c).name
    rate, slope, force = right[f"d/dt dL/d{v}"], right[f"dL/d{c}"], right[f"Q_{c}"]

    def proportional_to(wrong: sp.Expr) -> bool:
        if is_zero(wrong):
            return False
        a = quantities.names.velocity(c, 2)
        ratio = sp.diff(claim, a) / sp.diff(wrong, a) if sp.diff(wrong, a) != 0 else sp.Integer(1)
        return bool(is_zero(claim - ratio * wrong))

    if not is_zero(slope) and proportional_to(rate + slope - force):
        return say("minus slope", language)
    if not is_zero(force) and proportional_to(rate - slope):
        return say("forgot force", language, term=force)
    return ""


def _by_terms(claim: sp.Expr, truth: sp.Expr, language: str) -> str:
    """The first term that differs, with its partner where one can be told."""
    ours, theirs = (list(sp.Add.make_args(sp.expand(e))) for e in (claim, truth))
    extra = [t for t in ours if t not in theirs]
    missing = [t for t in theirs if t not in ours]
    for term in extra:
        for partner in missing:
            ratio = tidy(term / partner)
            if ratio == -1:
                return say("term sign", language, term=term)
            if ratio.is_number:
                return say("term factor", language, term=term, ratio=ratio)
            flipped = _exchanged(term)
            if any(is_zero(flipped - sign * partner) for sign in (1, -1)):
                return say("sine", language, term=term, partner=partner)
            if ratio.is_Symbol or (ratio.is_Pow and ratio.base.is_Symbol and ratio.exp.is_number):
                x = ratio if ratio.is_Symbol else ratio.base
                return say("term power", language, term=term, partner=partner, x=x)
    if len(extra) == 1 and len(missing) == 1:
        return say("term", language, term=extra[0], partner=missing[0])
    if missing and not extra:
        return say("term missing", language, term=missing[0])
    if extra and not missing:
        return say("term extra", language, term=extra[0])
    return first_difference(claim, truth)


def _exchanged(term: sp.Expr) -> sp.Expr:
    hold = sp.Function("_held")
    return term.replace(sp.sin, hold).replace(sp.cos, sp.sin).replace(hold, sp.cos)
