"""The pieces of the configuration space of a mechanism: equations, dimension, rank, and a real posture on each.

Pieces come from the closure ideal, split over the rationals; their complex dimension bounds the real one. A posture on
a piece, found from random starts, is judged by `mobility`: that is the number of freedoms there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.loops.assembly import REACHED, Closing, project
from dalembert.loops.charts import judged_at
from dalembert.loops.ideal import MOST_LETTERS, ClosureIdeal, closure_ideal
from dalembert.loops.linkage import Linkage, build_linkage
from dalembert.loops.mobility import mobility
from dalembert.loops.scan import plain
from dalembert.loops.units import in_own_units
from dalembert.mechanism import Layout, Mechanism

Array = Any

#: A polynomial of a piece is zero at a posture below this share of its largest term or coefficient: postures are closed
#: to 1e-11, and other pieces miss it by their distance, which random postures keep far above.
_ON = 1e-7


@dataclass(frozen=True, slots=True)
class Component:
    """A piece: `dimension` (complex), `rank` of the constraint matrix on it, its equations in words; `dof` and whether
    it is proved at the real posture `at`, None when no real posture was found or nothing is decided there."""

    dimension: int
    rank: int
    words: tuple[str, ...]
    dof: int | None
    proved: bool
    at: dict[str, float] = field(repr=False)
    basis: tuple[Any, ...] = field(repr=False)

    def __str__(self) -> str:
        if self.dof is None:
            head = f"dimension {self.dimension}, " + ("freedoms not decided" if self.at else "no real posture found")
        else:
            head = f"{self.dof} freedom{'s' if self.dof != 1 else ''}" + (" (proved)" if self.proved else "")
        return f"{head}, rank {self.rank}: " + ", ".join(self.words)


def configuration_components(
    mechanism: Mechanism,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    starts: int = 120,
    seed: int = 0,
) -> tuple[Component, ...]:
    """All pieces of the closed configurations, largest first.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("rhombus")
    >>> a, b, c = m.body("a"), m.body("b"), m.body("c")
    >>> links = [m.join(earth, a, revolute("z"), name="A"), m.join(a.at([1, 0, 0]), b, revolute("z"), name="B"),
    ...          m.join(earth.at([1, 0, 0]), c, revolute("z"), name="D"),
    ...          m.join(b.at([1, 0, 0]), c.at([1, 0, 0]), revolute("z"), name="C")]
    >>> [(one.dof, one.words[0]) for one in configuration_components(m)]
    [(1, 'A.th + B.th = 0'), (1, 'A.th = 0'), (1, 'D.th = pi')]
    """
    linkage = build_linkage(Layout.of(mechanism, cut), given)
    if linkage.size > MOST_LETTERS:  # before the polynomials are made: they swell with the turns of a loop
        raise ModelError(
            f"{linkage.size} coordinates are too many letters to take the closure apart (at most {MOST_LETTERS}): "
            "ask `branches_through` at a posture instead."
        )
    ideal = closure_ideal(mechanism, given=given, cut=cut)
    own = in_own_units(linkage, {})
    closing = Closing(own)
    tests = [_numeric(ideal, piece.basis, own) for piece in ideal.pieces]
    postures: dict[int, Array] = {}
    rng = np.random.default_rng(seed)
    turning = {int(v) for v, t in zip(closing.positions.variable, closing.positions.is_turn, strict=True) if t}
    for _ in range(starts):
        if len(postures) == len(tests):
            break
        x = rng.uniform(-np.pi, np.pi, closing.size)
        for i in set(range(closing.size)) - turning:
            x[i] = rng.normal(0, 2)
        x = project(closing, x)
        if closing.gap(x) > REACHED / 10:
            continue
        values = _letters(ideal, linkage, np.array(own.in_machine_units(x)))
        on = [k for k, test in enumerate(tests) if test(values)]
        if len(on) == 1:  # a posture on two pieces is singular: look for another
            postures.setdefault(on[0], x)
    found = []
    for k, piece in enumerate(ideal.pieces):
        dof, proved, at = None, False, {}
        if k in postures:
            at = own.coordinates(postures[k])
            verdict = mobility(mechanism, at, given=given, cut=cut)
            dof, proved, at = verdict.dof, verdict.proved, verdict.at
        found.append(
            Component(piece.dimension, piece.rank, equation_words(ideal, piece.basis), dof, proved, at, piece.basis)
        )
    return tuple(found)


def components_at(
    mechanism: Mechanism,
    at: Mapping[str, float],
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> tuple[Component, ...]:
    """The pieces through a posture: those whose equations hold there. What `at` leaves open follows, as in a motion."""
    verdict = mobility(mechanism, at, given=given, cut=cut)
    linkage = build_linkage(Layout.of(mechanism, cut), given, dict(verdict.at))
    x = judged_at(linkage, verdict)
    ideal = closure_ideal(mechanism, given=given, cut=cut)
    values = _letters(ideal, linkage, x)
    every = configuration_components(mechanism, given=given, cut=cut)
    own = in_own_units(linkage, verdict.at)
    return tuple(one for one in every if _numeric(ideal, one.basis, own)(values))


def _letters(ideal: ClosureIdeal, linkage: Linkage, x: Array) -> Array:
    """Values of the polynomial letters at a configuration."""
    closure = ideal.closure
    angle = dict(zip(linkage.variables, x, strict=True))

    def total(name: str) -> float:
        return float(angle[name]) + (total(closure.sums[name]) if name in closure.sums else 0.0)

    known: dict[str, float] = {}
    for name in linkage.variables:
        known[plain(name)] = float(angle[name])
        known[f"c_{plain(name)}"], known[f"s_{plain(name)}"] = np.cos(total(name)), np.sin(total(name))
    names = list(closure.names)
    for name, relation in reversed(closure.tower):  # numbers, from the bottom up
        if name.startswith("root"):
            known[name] = float(name[4:]) ** 0.5
        elif name.startswith("g") and name[1:].isdigit():
            known[name] = 2 * np.cos(2 * np.pi / int(name[1:]))
        elif name not in known:  # w^2 = f, the root that is not negative
            known[name] = float(-_value(relation, names, {**known, name: 0.0})) ** 0.5
    for name in names:
        if name.startswith("inverse"):
            relation = closure.relations[
                len(closure.relations) - sum(n.startswith("inverse") for n in names) + int(name[7:]) - 1
            ]
            known[name] = 1 / (_value(relation, names, {**known, name: 1.0}) + 1)
    return np.array([known.get(name, np.nan) for name in names])


def _value(p: Any, names: list[str], known: Mapping[str, float]) -> float:
    total = 0.0
    for exponents, c in p.to_dict().items():
        term = float(c.p) / float(c.q)
        for name, k in zip(names, exponents, strict=True):
            term *= known[name] ** int(k) if k else 1.0
        total += term
    return total


def _numeric(ideal: ClosureIdeal, basis: Collection[Any], own: Linkage) -> Any:
    """A test whether all polynomials vanish at given letters; slides count in parts of the machine."""
    slides = {plain(own.variables[i]): float(own.unit) for i in own.lengths}
    units = np.array([slides.get(name, 1.0) for name in ideal.closure.names])
    tables = []
    for p in basis:
        terms = p.to_dict()
        exponents = np.array(list(terms), dtype=int)
        coefficients = np.array([float(c.p) / float(c.q) for c in terms.values()]) * np.prod(units**exponents, axis=1)
        tables.append((exponents, coefficients))

    def test(values: Array) -> bool:
        values = values / units
        for exponents, coefficients in tables:
            terms = coefficients * np.prod(np.where(exponents > 0, values, 1.0) ** exponents, axis=1)
            if not abs(terms.sum()) < _ON * max(np.abs(terms).max(), np.abs(coefficients).max()):
                return False
        return True

    return test


def equation_words(ideal: ClosureIdeal, basis: Collection[Any]) -> tuple[str, ...]:
    """Equations of a piece: angles that are fixed or equal by name, then the polynomials that are left."""
    texts = {str(p) for p in basis}
    sums = {plain(n): _sum(ideal, n) for n in ideal.closure.columns}
    turning = [n[2:] for n in ideal.closure.names if n.startswith("c_") and n[2:] in sums]
    words: list[str] = []
    done: set[str] = set()
    for a in turning:
        for value, c in (("0", f"c_{a} - 1"), ("pi", f"c_{a} + 1")):
            if {c, f"s_{a}"} <= texts:
                words.append(f"{' + '.join(sums[a])} = {value}")
                done |= {c, f"s_{a}"}
    for i, a in enumerate(turning):
        for b in turning[i + 1 :]:
            for sense, value, c, s in (
                (1, "0", "-", "-"),
                (1, "pi", "+", "+"),
                (-1, "0", "-", "+"),
                (-1, "pi", "+", "-"),
            ):
                pair = {f"c_{a} {c} c_{b}", f"s_{a} {s} s_{b}"}
                back = {f"c_{b} {c} c_{a}", f"s_{b} {s} s_{a}"}
                if pair <= texts or back <= texts:
                    words.append(_relation(sums[a], sums[b], sense, value))
                    done |= pair | back
    circles = {f"{f}_{a}^2 + {g}_{a}^2 - 1" for a in turning for f, g in (("c", "s"), ("s", "c"))}
    words += [
        f"{text} = 0"
        for text in sorted(texts - done - circles, key=lambda t: (len(t), t))
        if not text.startswith("root")
    ]
    return tuple(words)


def _sum(ideal: ClosureIdeal, name: str) -> list[str]:
    names = [name]
    while names[-1] in ideal.closure.sums:
        names.append(ideal.closure.sums[names[-1]])
    return names[::-1]


def _relation(left: list[str], right: list[str], sense: int, value: str) -> str:
    """left = sense * right + value, with what stands on both sides left out."""
    if sense > 0:
        shared = set(left) & set(right)
        left, right = [n for n in left if n not in shared], [n for n in right if n not in shared]
        if not left or not right:
            return f"{' + '.join(left or right)} = {value}"
        return f"{' + '.join(left)} = {' + '.join(right)}" + (" + pi" if value == "pi" else "")
    return f"{' + '.join([*left, *right])} = {value}"
