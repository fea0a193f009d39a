"""Conditions on lengths and angles of a machine that are worth a look: which, in words, and as formulas to draw under.

A condition gives some letters as formulas of the others, so that numbers drawn for these obey it exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.polynomials import PolynomialClosure

#: Postures with all turns at quarters, or at halves of a turn, that are looked at.
_MOST_POSTURES = 4096
#: Draws until numbers that a condition gives are positive where they are lengths.
_TRIES = 60
#: Numbers drawn are multiples of 1/_PARTS of the usual value, at most half as large again or as small.
_PARTS = 997
#: Share of the numbers in a formula: they have three digits, and rounding of few functions is far below.
_SAME = 1e-9


@dataclass(frozen=True)
class Condition:
    """`values` are formulas of letters in the others; `at` is the posture that it is about, when it is about one."""

    words: tuple[str, ...] = ()
    values: Mapping[str, Expr] = field(default_factory=dict)
    at: Mapping[str, Fraction | Expr] = field(default_factory=dict)

    def draw(self, usual: Mapping[str, Fraction], positive: frozenset[str], rng: Any) -> dict[str, Any] | None:
        """Numbers of all letters, rational or formulas; None when lengths do not come out positive."""
        for _ in range(_TRIES):
            free = {
                name: size * int(rng.integers(_PARTS // 2, 3 * _PARTS // 2)) / _PARTS
                for name, size in usual.items()
                if name not in self.values
            }
            known = {ex.symbol(n): ex.const(v) for n, v in free.items()}
            try:
                made = dict(zip(self.values, ex.substitute(list(self.values.values()), known), strict=True))
                floats = {n: float(ex.evaluate([v], {})[0]) for n, v in made.items()}
            except ExpressionError:  # the root of a negative number
                continue
            if all(v > 0 or n not in positive or made[n] is ex.ZERO for n, v in floats.items()):
                return {**free, **{n: Fraction(v.data) if _whole(v) else v for n, v in made.items()}}
        return None

    def holds(self, letters: Mapping[str, Any]) -> bool:
        """Whether numbers that were drawn under another condition obey this one: then it is the more general."""
        numbers = {ex.symbol(n): v for n, v in usual_floats(letters).items()}
        with np.errstate(all="ignore"):
            values = ex.evaluate(list(self.values.values()), numbers)
        for (name, formula), value in zip(self.values.items(), values, strict=True):
            size = max(abs(value), *(abs(numbers.get(s, 0.0)) for s in ex.free_symbols([formula])), 0.0)
            if not abs(value - numbers[ex.symbol(name)]) <= _SAME * size:
                return False
        return True


def _whole(e: Expr) -> bool:
    return e.op == "const" and not isinstance(e.data, float)


def angles_of(geometry: Sequence[Expr]) -> frozenset[str]:
    """Letters that stand inside a sine or a cosine."""
    turned = [e.args[0] for e in ex.topological(list(geometry)) if e.op in ("sin", "cos")]
    return frozenset(s.name for s in ex.free_symbols(turned)) if turned else frozenset()


def atoms(lengths: Sequence[str], angles: Sequence[str]) -> Iterator[tuple[str, list[Condition]]]:
    """Single conditions by class; those of a class can hold together, in any number."""
    yield "axes that meet (a length 0)", [Condition((f"{n} = 0",), {n: ex.ZERO}) for n in lengths]
    yield "parallel axes (an angle 0)", [Condition((f"{n} = 0",), {n: ex.ZERO}) for n in angles]
    yield "square axes (an angle pi/2)", [Condition((f"{n} = pi/2",), {n: ex.PI / 2}) for n in angles]


def pairs(lengths: Sequence[str], angles: Sequence[str]) -> Iterator[tuple[str, list[Condition]]]:
    """Conditions that tie two letters, or two lengths to two angles; each stands for itself."""
    both = [(ex.symbol(a), ex.symbol(b)) for a, b in combinations(angles, 2)]
    yield (
        "angles that are equal, opposite or make a straight one",
        [
            Condition((f"{b.name} = {words}",), {b.name: value})
            for a, b in both
            for words, value in ((a.name, a), (f"-{a.name}", -a), (f"pi - {a.name}", ex.PI - a))
        ],
    )
    found = []
    for (al, be), (a, b) in product(both, combinations(lengths, 2)):
        for x, y in ((al, be), (be, al)):
            words = f"{a}/sin({x.name}) = {b}/sin({y.name})"
            found.append(Condition((words,), {b: ex.symbol(a) * ex.sin(y) / ex.sin(x)}))
    yield "lengths in proportion to sines of angles", found


def relations(letters: Sequence[str]) -> Iterator[tuple[str, list[Condition]]]:
    """Relations of degree one and two between three or four lengths: what minors of small matrices are made of."""
    sums, products, squares = [], [], []
    for some in combinations(letters, 3):
        for a in some:
            b, c = (n for n in some if n != a)
            sums.append(Condition((f"{a} = {b} + {c}",), {a: ex.symbol(b) + ex.symbol(c)}))
            products.append(Condition((f"{a}^2 = {b}*{c}",), {a: ex.sqrt(ex.symbol(b) * ex.symbol(c))}))
            squares.append(Condition((f"{a}^2 = {b}^2 + {c}^2",), {a: ex.sqrt(ex.symbol(b) ** 2 + ex.symbol(c) ** 2)}))
    for a, b, c, d in combinations(letters, 4):
        for one, two, three in ((b, c, d), (c, b, d), (d, b, c)):
            x, y, z = (ex.symbol(n) for n in (one, two, three))
            sums.append(Condition((f"{a} + {one} = {two} + {three}",), {a: y + z - x}))
            products.append(Condition((f"{a}*{one} = {two}*{three}",), {a: y * z / x}))
            inside = y**2 + z**2 - x**2
            squares.append(Condition((f"{a}^2 + {one}^2 = {two}^2 + {three}^2",), {a: ex.sqrt(inside)}))
    yield "sums of two lengths that are a third, or another sum", sums
    yield "products of two lengths that are a square, or another product", products
    yield "sums of two squares that are a third, or another sum", squares


def together(conditions: Sequence[Condition]) -> Condition:
    """Several at once."""
    values: dict[str, Expr] = {}
    for one in conditions:
        values |= one.values
    return Condition(tuple(w for one in conditions for w in one.words), values)


def flat_conditions(closure: PolynomialClosure, letters: Sequence[str]) -> Iterator[Condition]:
    """Sums of lengths with which a machine can lie flat: every turn at quarters (halves, of many) of a turn.

    The closure is linear in the lengths there; where one equation is left, it is a condition, l1 + l2 = l3 + l4.
    """
    names = list(closure.names)
    turning = [n[2:] for n in names if n.startswith("c_") and f"s_{n[2:]}" in names and n not in closure.parameters]
    labels = {_label(closure, n): n for n in closure.columns}
    places = next((k for k in (4, 2) if k ** len(turning) <= _MOST_POSTURES), 0)
    if not places or not set(turning) <= set(labels):
        return
    sliding = [n for n in names if n in labels and n not in turning]
    seen: set[str] = set()
    for quarters in product(range(0, 4, 4 // places), repeat=len(turning)):
        at = {f"c_{n}": (1, 0, -1, 0)[k] for n, k in zip(turning, quarters, strict=True)}
        at |= {f"s_{n}": (0, 1, 0, -1)[k] for n, k in zip(turning, quarters, strict=True)}
        left = [q for p in (*closure.rotation, *closure.translation) if (q := p.subs(at)) != 0]
        solved = _without_slides(left, sliding, names)
        if solved is None:
            continue
        equation, slides = solved
        weights = _linear(equation, letters, names)
        if weights is None or len(weights) < 3 or min(weights.values()) > 0 or max(weights.values()) < 0:
            continue
        words = _sum_words(weights)
        if words in seen:
            continue
        seen.add(words)
        name, weight = next((n, w) for n, w in weights.items() if abs(w) == min(map(abs, weights.values())))
        value = sum((ex.symbol(n) * Fraction(-w, weight) for n, w in weights.items() if n != name), ex.ZERO)
        total = {n: Fraction(k, 2) for n, k in zip(turning, quarters, strict=True)}
        posture: dict[str, Any] = {}
        for label in turning:
            coordinate = labels[label]
            before = closure.sums.get(coordinate)
            turns = total[label] - (total[_label(closure, before)] if before else 0)
            posture[coordinate] = ex.PI * turns
        posture |= {labels[n]: closure.meaning(p) for n, p in slides.items()}
        yield Condition((words,), {name: value}, posture)


def _label(closure: PolynomialClosure, coordinate: str) -> str:
    wanted = {ex.symbol(coordinate)}
    return next((n.removeprefix("c_") for n, e in closure.letters.items() if ex.free_symbols([e]) == wanted), "")


def _without_slides(left: list[Any], sliding: list[str], names: list[str]) -> tuple[Any, dict[str, Any]] | None:
    """The one equation that is left when the slides are solved for, and the slides as polynomials."""
    slides: dict[str, Any] = {}
    for name in sliding:
        place = names.index(name)
        for p in left:
            parts = {e: c for e, c in p.to_dict().items() if e[place]}
            if len(parts) == 1 and sum(next(iter(parts))) == 1:
                (c,) = parts.values()
                slides[name] = (p.context().gens()[place] * c - p) / c
                left = [r for q in left if q is not p and (r := q.compose(*_with(q, place, slides[name]))) != 0]
                break
    distinct = {str(p / p.leading_coefficient()): p for p in left}
    return (next(iter(distinct.values())), slides) if len(distinct) == 1 else None


def _with(p: Any, place: int, value: Any) -> list[Any]:
    gens = list(p.context().gens())
    gens[place] = value
    return gens


def _linear(p: Any, letters: Sequence[str], names: list[str]) -> dict[str, int] | None:
    """Whole weights of letters in a linear form; None when it is no such form."""
    lead = p.leading_coefficient()
    found: dict[str, int] = {}
    for e, c in (p / lead).to_dict().items():
        if sum(e) != 1 or names[list(e).index(1)] not in letters or int(c.q) != 1:
            return None
        found[names[list(e).index(1)]] = int(c.p)
    return dict(sorted(found.items()))


def _sum_words(weights: Mapping[str, int]) -> str:
    first = next(iter(weights.values()))
    sides = ["", ""]
    for n, w in weights.items():
        k = int(w * first < 0)
        term = n if abs(w) == 1 else f"{abs(w)}*{n}"
        sides[k] = f"{sides[k]} + {term}" if sides[k] else term
    return " = ".join(sides)


def usual_floats(values: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of drawn letters."""
    return {n: float(ex.evaluate([v], {})[0]) if isinstance(v, Expr) else float(v) for n, v in values.items()}


def as_posture(at: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The posture of a condition with numbers for its letters."""
    known = {ex.symbol(n): v if isinstance(v, Expr) else ex.const(v) for n, v in values.items()}
    return {n: ex.substitute([ex.as_expr(v)], known)[0] for n, v in at.items()}
