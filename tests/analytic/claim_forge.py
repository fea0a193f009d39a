"""Claims by the thousand from the formulas of the corpus: true rewritings, and mutations that are false for sure.

Run as a script it judges them all: `python tests/analytic/claim_forge.py 2000 [FIRST SEED]`.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mpmath
import sympy as sp

sys.path.insert(0, str(Path(__file__).parents[1]))

from analytic import by_habit as an
from analytic.case_runner import load
from dalembert.errors import DalembertError

MUTATIONS = ("sign", "factor", "term", "variable", "domain")
KNOWN = "sqrt sin cos tan cot asin acos atan log exp sinh cosh tanh".split()


@dataclass(frozen=True)
class Claim:
    """A claim as text, whether it is true, and how it was made."""

    text: str
    true: bool
    how: str


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("src", "title", "note", "printed", "status", "id", "rules", "check", "severity"):
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


@cache
def formulas() -> tuple[sp.Expr, ...]:
    """Every formula of the corpus that is an elementary function of some names, each once."""
    found: dict[str, sp.Expr] = {}
    for name in ("castera-01-04.toml", "castera-05-11.toml"):
        for text in _texts(load(name)):
            for side in text.split("=="):
                try:
                    e = an.Names().read(side)
                except (DalembertError, TypeError, AttributeError, ValueError):
                    continue
                good = isinstance(e, sp.Expr) and e.free_symbols and 2 <= e.count_ops() <= 40
                if good and not e.has(sp.Integral, sp.Derivative, sp.oo) and _elementary(e):
                    found.setdefault(str(e), e)
    return tuple(found.values())


def _elementary(e: sp.Expr) -> bool:
    return all(str(f.func) in KNOWN for f in e.atoms(sp.Function))


# -- rewritings ---------------------------------------------------------------------------------------------------
def _one(e, seed):
    s = seed.choice(sorted(e.free_symbols, key=str))
    return e * (sp.sin(s) ** 2 + sp.cos(s) ** 2)


def _nothing(e, seed):
    s, t = (seed.choice(sorted(e.free_symbols, key=str)) for _ in range(2))
    return e + sp.cos(s + t) - sp.cos(s) * sp.cos(t) + sp.sin(s) * sp.sin(t)


def _half(e, seed):
    return e.replace(sp.sin, lambda a: 2 * sp.sin(a / 2) * sp.cos(a / 2))


def _halves(e, seed):
    return e.replace(sp.cos, lambda a: 2 * sp.cos(a / 2) ** 2 - 1)


def _spread(e, seed):
    s = seed.choice(sorted(e.free_symbols, key=str))
    return sp.expand(e * (s**2 + 1)) / (s**2 + 1)


def _root(e, seed):
    s = seed.choice(sorted(e.free_symbols, key=str))
    return e * sp.sqrt(s**2 + 4) / ((s**2 + 4) ** sp.Rational(3, 2)) * (s**2 + 4)


def _absolute(e, seed):
    s = seed.choice(sorted(e.free_symbols, key=str))
    return e + sp.sqrt(sp.expand((s - 3) ** 2)) - sp.Abs(3 - s)


def _exponential(e, seed):
    s = seed.choice(sorted(e.free_symbols, key=str))
    return e * (sp.exp(s) + sp.exp(-s)) / (2 * sp.cosh(s))


REWRITINGS = {
    "expanded": lambda e, seed: sp.expand(e),
    "factored": lambda e, seed: sp.factor(e),
    "together": lambda e, seed: sp.together(e),
    "expanded angles": lambda e, seed: sp.expand_trig(e),
    "one": _one,
    "nothing": _nothing,
    "half angles": _half,
    "half angles of cosines": _halves,
    "spread": _spread,
    "root": _root,
    "absolute": _absolute,
    "exponential": _exponential,
}


# -- mutations ----------------------------------------------------------------------------------------------------
def _place(e, seed, wanted=lambda x: True):
    places = [x for x in sp.preorder_traversal(e) if isinstance(x, sp.Expr) and wanted(x)]
    return seed.choice(places) if places else None


def _at(e, place, value):
    """Replace one occurrence, the first in the tree."""
    done = False

    def walk(x):
        nonlocal done
        if not done and x == place:
            done = True
            return value
        return x.func(*(walk(a) for a in x.args)) if x.args and not done else x

    return walk(e)


def mutate(e: sp.Expr, kind: str, seed: random.Random) -> sp.Expr | None:
    names = sorted(e.free_symbols, key=str)
    if kind == "sign":
        place = _place(e, seed, lambda x: isinstance(x, sp.Add)) or e
        term = seed.choice(sp.Add.make_args(place))
        return _at(e, place, place - 2 * term)
    if kind == "factor":
        place = _place(e, seed, lambda x: not x.is_number)
        factor = seed.choice([sp.Rational(2), sp.Rational(1, 2), 1 + sp.Rational(1, 10**9), sp.Rational(-3, 2), sp.pi])
        return _at(e, place, factor * place)
    if kind == "term":
        place = _place(e, seed, lambda x: isinstance(x, sp.Add))
        if place is not None and seed.random() < 0.5:
            return _at(e, place, place - seed.choice(place.args))
        extra = seed.choice([seed.choice(names), sp.Rational(1, 10**30), sp.sin(seed.choice(names))])
        return e + extra
    if kind == "variable":
        old = _place(e, seed, lambda x: x.is_Symbol)
        others = [n for n in (*names, sp.Symbol("extra", real=True)) if n != old]
        return _at(e, old, seed.choice(others))
    place = _place(e, seed, lambda x: not x.is_number and not x.is_nonnegative and not x.is_nonpositive)
    if place is None:
        return None
    forms = [sp.Abs(place), sp.acos(sp.cos(place)), sp.asin(sp.sin(place)), sp.sqrt(sp.expand((place - 7) ** 2)) + 7]
    return _at(e, place, seed.choice(forms))


def _real(value) -> bool:
    return mpmath.isfinite(value) and abs(mpmath.im(value)) < 1e-60


def differs(a: sp.Expr, b: sp.Expr, seed: random.Random) -> bool:
    """Whether two formulas differ at some point where both are real: by plain high-precision evaluation."""
    symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    with mpmath.workdps(120):
        f = sp.lambdify(symbols, [a, b], "mpmath")
        for _ in range(200):
            size = 10 ** seed.uniform(-1, 1.4)
            point = [mpmath.mpf(seed.uniform(0.05 if s.is_positive else -1, 1) * size) for s in symbols]
            try:
                x, y = (mpmath.mpmathify(v) for v in f(*point))
                if _real(x) and _real(y) and abs(x - y) > mpmath.mpf(10) ** -70 * (abs(x) + abs(y)):
                    return True
            except (ZeroDivisionError, ValueError, OverflowError, TypeError):
                continue
    return False


def true_claims(count: int, start: int = 0) -> list[Claim]:
    found: list[Claim] = []
    number = start
    while len(found) < count:
        seed = random.Random(f"true {number}")
        number += 1
        e = seed.choice(formulas())
        g, used = e, []
        for _ in range(seed.randint(1, 2)):
            how = seed.choice(list(REWRITINGS))
            g = REWRITINGS[how](g, seed) if g.free_symbols else g
            used.append(how)
        if g != e and g.free_symbols and g.count_ops() < 150:
            found.append(Claim(f"{e} == {g}", True, ", ".join(used)))
    return found


def false_claims(count: int, start: int = 0) -> list[Claim]:
    found: list[Claim] = []
    number = start
    while len(found) < count:
        seed = random.Random(f"false {number}")
        kind = MUTATIONS[number % len(MUTATIONS)]
        number += 1
        e = seed.choice(formulas())
        g = mutate(e, kind, seed)
        if g is None or not g.free_symbols or g.has(sp.zoo, sp.nan, sp.oo) or not differs(e, g, seed):
            continue
        if seed.random() < 0.5:  # a false claim in disguise
            g = REWRITINGS[seed.choice(["expanded", "together", "one", "spread", "half angles"])](g, seed)
        found.append(Claim(f"{e} == {g}", False, kind))
    return found


def judge(claim: Claim) -> str:
    return an.check(claim.text).verdict


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for claims, fault in ((false_claims(wanted, first), "right"), (true_claims(wanted, first), "wrong")):
        began, table = time.perf_counter(), Counter()
        for one in claims:
            verdict = judge(one)
            table[one.how.split(",")[0], verdict] += 1
            if verdict == fault:
                print("FAULT", one)
        total = Counter()
        for (_, verdict), n in table.items():
            total[verdict] += n
        print(
            f"{len(claims)} {'true' if claims[0].true else 'false'} claims from {len(formulas())} formulas: "
            f"{dict(total)}, {time.perf_counter() - began:.0f} s"
        )
        for key, n in sorted(table.items()):
            print("   ", *key, n)
