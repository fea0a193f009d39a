"""Regular mechanisms (Papegay, definition 4.1), and how the rank grows loop by loop.

A mechanism is regular when, near some configuration, every set of its links by itself leaves a submanifold. Links that
close no loop always do; sets whose loops share at most one body leave products. So only sets of links that hang
together in loops are looked at, each judged by `mobility` with the other loops open.

Regular does not mean that freedoms are speeds minus rank: the antenna's cell is regular, and the difference is 4 there,
not 3. That takes a *clean* closure (tangent space of the intersection = intersection of the tangent spaces).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.loops.arithmetic import NoRoot, Residues
from dalembert.loops.assembly import Closing
from dalembert.loops.branches import branches_through
from dalembert.loops.charts import judged_at
from dalembert.loops.cycles import independent_loops
from dalembert.loops.genericrank import primes_below, rank_modulo
from dalembert.loops.linkage import Linkage, build_linkage, only_loops
from dalembert.loops.mobility import mobility
from dalembert.loops.positions import Positions
from dalembert.loops.relations import RANK_TOLERANCE, tangent_at
from dalembert.loops.units import in_own_units
from dalembert.mechanism import Layout, Mechanism

#: Sets of links that are looked at; beyond, the answer says how many were.
_MOST_SETS = 120


@dataclass(frozen=True, slots=True)
class Regularity:
    """`regular` is None when something is not decided; `clean` when freedoms are speeds minus rank for every set."""

    regular: bool | None
    clean: bool
    sets: int
    failing: tuple[tuple[tuple[str, ...], str], ...]
    at: dict[str, float]

    def __str__(self) -> str:
        verdict = {True: "regular", False: "not regular here", None: "not decided"}[self.regular]
        clean = "clean" if self.clean else "not clean: freedoms are not speeds minus rank"
        lines = [f"{verdict} ({self.sets} set{'s' if self.sets != 1 else ''} of links that close loops), {clean}"]
        return "\n".join([*lines, *(f"  {' '.join(links)}: {why}" for links, why in self.failing)])


def regularity(
    mechanism: Mechanism,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> Regularity:
    """Definition 4.1 at a closed configuration."""
    layout = Layout.of(mechanism, cut)
    only_loops(layout, "regularity")
    whole = mobility(mechanism, at, given=given, cut=cut)
    linkage = build_linkage(layout, given, whole.at)
    clean, decided, count = True, True, 0
    failing: list[tuple[tuple[str, ...], str]] = []
    for links in _looped_sets(linkage):
        count += 1
        if count > _MOST_SETS:
            decided = False
            break
        part = _only(mechanism, links)
        verdict = mobility(part, whole.at, given=given)
        clean = clean and verdict.proved and verdict.instantaneous == verdict.dof
        if verdict.proved and not verdict.singular:
            continue  # constant dimension near by: smooth
        if verdict.singular and len(several := branches_through(part, whole.at, given=given)) > 1:
            failing.append((links, f"{len(several)} branches meet here"))
        elif verdict.proved and verdict.dof == 0:
            continue  # a point
        else:
            decided = False
            failing.append((links, "singular, and not decided whether it is smooth"))
    sure = [why for _, why in failing if "branches meet" in why]
    return Regularity(False if sure else True if decided else None, clean, count, tuple(failing), whole.at)


def _looped_sets(linkage: Linkage) -> Iterator[tuple[str, ...]]:
    """Unions of loops that hang together by two bodies or more, each once."""
    loops = [frozenset(loop.links) for loop in independent_loops(linkage)]
    # sums of independent loops modulo two are all loops; their unions are the sets
    cycles = set(loops)
    for loop in loops:
        for other in list(cycles):
            if (both := loop ^ other) and len(cycles) < _MOST_SETS:
                cycles.add(both)
    found, pending = set(cycles), list(cycles)
    yield from sorted((tuple(sorted(c)) for c in cycles), key=len)
    while pending and len(found) < 2 * _MOST_SETS:
        one = pending.pop()
        for cycle in cycles:
            larger = one | cycle
            shared = _bodies(linkage, one) & _bodies(linkage, cycle)
            if larger not in found and len(shared) > 1:
                found.add(larger)
                pending.append(larger)
                yield tuple(sorted(larger))


def _bodies(linkage: Linkage, links: Collection[str]) -> set[int]:
    return {b for name in links for b in (linkage.chains[name].first, linkage.chains[name].second)}


def _only(mechanism: Mechanism, links: Collection[str]) -> Mechanism:
    """The same bodies with the loops of these links only; other links stay where they carry the tree."""
    new = Mechanism(mechanism.name)
    new.given, new.start = dict(mechanism.given), dict(mechanism.start)
    for body in mechanism.bodies.values():
        if body.name != "earth":
            new.add_body(body)
    group: dict[str, str] = {}

    def top(body: str) -> str:
        while body in group:
            body = group[body]
        return body

    for link in sorted(mechanism.links.values(), key=lambda one: one.name not in links):
        a, b = top(link.first.body), top(link.second.body)
        if link.name not in links and a == b:
            continue
        if a != b:
            group[a] = b
        new.join(link.first, link.second, link.joint, name=link.name)
    return new


@dataclass(frozen=True, slots=True)
class Growth:
    """Ranks in the tree's speeds with one loop more: the cut link that closes it, rank off and on the closure."""

    link: str
    off: int
    on: int
    adds_off: int
    adds_on: int


def rank_growth(
    mechanism: Mechanism,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> tuple[Growth, ...]:
    """How the rank of the constraint matrix grows when loops are closed one after the other, in the order of the cuts.

    On the closure at a posture, and off it (velocity form, exact modulo primes).
    """
    layout = Layout.of(mechanism, cut)
    only_loops(layout, "rank_growth")
    verdict = mobility(mechanism, at, given=given, cut=cut)
    linkage = in_own_units(build_linkage(layout, given, verdict.at), verdict.at)
    closing, x = Closing(linkage), judged_at(linkage, verdict)
    rows = closing.jacobian(x)
    size = max(1.0, float(tangent_at(closing, x).values[0])) if linkage.cuts else 1.0
    off_rows, prime = _residues(linkage)
    found: list[Growth] = []
    own, before = 0, (0, 0)
    for k, name in enumerate(linkage.cuts, 1):
        own += len(linkage.chains[name].variables)
        off = rank_modulo(off_rows[: 6 * k], prime) - own
        on = int(np.linalg.matrix_rank(rows[: 6 * k], tol=RANK_TOLERANCE * size)) - own
        found.append(Growth(name, off, on, off - before[0], on - before[1]))
        before = (off, on)
    return tuple(found)


def _residues(linkage: Linkage) -> tuple[Any, int]:
    """Rows of the velocity form at a random point of the tree, modulo a prime that has all roots."""
    for prime in primes_below():
        try:
            positions = Positions(linkage, Residues(prime, seed=prime))
        except NoRoot:
            continue
        return positions.velocity_rows(positions.frames(positions.random_motion())), prime
    raise ModelError("no prime has room for the roots of this machine.")
