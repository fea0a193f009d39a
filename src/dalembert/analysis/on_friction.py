"""Rest that dry friction holds, on contacts that are kept: sets of postures, told by a member and how far they reach.

Where contacts stick, equilibria form sets. Of each the postures are told that need no friction, else one that a search
reaches; along every freedom of the set its ends are followed, where the friction is used up. Contacts on something that
moves (a belt) slide at rest: with their direction known, friction is one of the reactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.point import check_slips, numbers_of
from dalembert.analysis.search import Search
from dalembert.analysis.sticking import Holding, Sticking
from dalembert.analysis.walking import Walk
from dalembert.dynamics import dynamics_of
from dalembert.expr import Expr
from dalembert.kinematics import in_state
from dalembert.mechanism import Along, Constraint, Coulomb, Kinematic, Layout
from dalembert.mechanism.constraint import PERFECT
from dalembert.mechanism.quantities import virtual

Array = Any

_SURE = 1e-9
"""Share of the friction by which it may be over: rounding of a solve."""
_TRIED, _AROUND, _ROUNDS, _NEAR = 8, 6, 30, 1e-3
"""Postures that need too much friction and are moved to less, tries around each, rounds, and the last width."""


def held_sets(
    layout: Layout,
    given: Mapping[str, Any] | None,
    at: Mapping[str, Any],
    spread: float,
    starts: int,
    seed: int,
    t: float | None,
) -> list[Equilibrium]:
    """Equilibria of a machine with dry friction on contacts that are kept."""
    found: list[Equilibrium] = []
    numbers = numbers_of(dynamics_of(layout), given, float(t or 0.0))
    smooth = tuple(replace(one, reaction=PERFECT) if _smooth(one, numbers) else one for one in layout.further)
    for one, stuck, slipping in _ways_to_rest(replace(layout, further=smooth)):
        search = Search.on(one, given, {}, t, at)
        rng = np.random.default_rng(seed)
        q, centre = search.drawn(at, spread, starts, rng)
        balance = Sticking(search.layout, stuck, search.numbers, search.units)
        q = search.closed(search.unit(q), 30)
        balance.measure(q)
        plain = [x for x in search.places(q.copy(), centre) if _signs(search, balance, x, slipping)]
        if not stuck:
            found += [one for x in plain for one in _slides(search.judged(x), slipping)]
            continue
        sets = _Sets(search, balance)
        for x in plain:
            sets.tell(x)
        for x in _held(search, balance, q, centre, rng):
            if _signs(search, balance, x, slipping) and not sets.has(x):
                sets.tell(x)
        found += sets.told
    return found


def sliding_motions(
    layout: Layout,
    given: Mapping[str, Any] | None,
    speeds: Mapping[str, float],
    at: Mapping[str, Any],
    spread: float,
    starts: int,
    seed: int,
    t: float | None,
) -> list[Equilibrium]:
    """Steady motions in which every contact that rubs slides; one that does not is told."""
    rubbing = [one.name for one in layout.further if isinstance(one.reaction, Coulomb)]
    plain = Search.on(
        replace(layout, further=tuple(_without_friction(x, {}) for x in layout.further)), given, speeds, t, at
    )
    q, centre = plain.drawn(at, spread, starts, np.random.default_rng(seed))
    here = dict(zip(plain.symbols, map(float, centre), strict=True)) | plain.numbers
    moving = dict(zip(plain.reduction.speeds, map(float, plain.smalls(centre[:, None])[0].speeds), strict=True))
    check_slips(dynamics_of(layout), {**here, **moving})
    found: list[Equilibrium] = []
    for signs in product((1.0, -1.0), repeat=len(rubbing)):
        slipping = dict(zip(rubbing, signs, strict=True))
        further = tuple(_without_friction(one, slipping) for one in plain.layout.further if one.name not in rubbing)
        further += tuple(_without_friction(one, slipping) for one in layout.further if one.name in rubbing)
        search = Search.on(replace(plain.layout, further=further), given, speeds, t, at)
        search.centre(at)
        told = [one for x in search.places(q.copy(), centre) for one in search.judged(x)]
        found += _slides([one for one in told if _pushed(search, one, slipping)], slipping)
    return found


def _pushed(search: Search, one: Equilibrium, slipping: Mapping[str, float]) -> bool:
    """Are contacts pushed in a steady motion as was supposed?"""
    about = search.dynamics
    here = search.numbers | {ex.symbol(x): v for x, v in {**one.coordinates, **one.speeds}.items()}
    places = [about.rows.of(name)[0] for name in slipping]
    forces = ex.evaluate(about.solved([about.multipliers[k] for k in places]), here)
    return all(sign * float(x) > 0 for sign, x in zip(slipping.values(), forces, strict=True))


def _smooth(one: Constraint, numbers: Mapping[Expr, Any]) -> bool:
    """Whether a coefficient of friction is zero, by the numbers of the machine alone."""
    law = one.reaction
    if not isinstance(law, Coulomb) or not ex.free_symbols(law.friction) <= numbers.keys():
        return False
    return float(ex.evaluate([law.friction], dict(numbers))[0]) == 0


def _ways_to_rest(layout: Layout) -> Iterator[tuple[Layout, list[Constraint], dict[str, float]]]:
    """The machine with other reactions for its friction, contacts that stick, and those that slide with their sign."""
    about = dynamics_of(layout)
    own = {x.coordinate: x.rate for x in about.rows.own}
    still = dict.fromkeys(about.tree.speeds, 0)
    rubbing = {one.name: one.reaction for one in layout.further if isinstance(one.reaction, Coulomb)}
    moving = [
        name
        for name, law in rubbing.items()
        if any(x is not ex.ZERO for x in ex.substitute(in_state(about.tree, law.slip, own), still))
    ]
    stuck = [one for one in layout.further if one.name in rubbing and one.name not in moving]
    for signs in product((1.0, -1.0), repeat=len(moving)):
        slipping = dict(zip(moving, signs, strict=True))
        further = tuple(_without_friction(one, slipping) for one in layout.further)
        yield replace(layout, further=further), stuck, slipping


def _without_friction(one: Constraint, slipping: Mapping[str, float]) -> Constraint:
    """A contact that sticks is perfect; one that slides pushes along n - sign friction s / |s|."""
    law = one.reaction
    if not isinstance(law, Coulomb):
        return one
    if one.name not in slipping:
        return replace(one, reaction=PERFECT)
    speed = ex.sqrt(sum((x * x for x in law.slip), ex.ZERO)) if len(law.slip) > 1 else ex.absolute(law.slip[0])
    drag = sum((x / speed * virtual(x) for x in law.slip), ex.ZERO)
    return replace(one, reaction=Along((virtual(one.expressions[0]) - slipping[one.name] * law.friction * drag,)))


def _signs(search: Search, balance: Sticking, q: Array, slipping: Mapping[str, float]) -> bool:
    """Are contacts that slide pushed as was supposed?"""
    forces = balance.reactions(q)
    rows = balance.dynamics.rows
    return all(sign * forces[rows.of(name)[0]] > 0 for name, sign in slipping.items())


def _slides(found: Sequence[Equilibrium], slipping: Mapping[str, float]) -> list[Equilibrium]:
    names = ", ".join(slipping)
    if not names:
        return list(found)
    return [replace(one, reason=f"{one.reason}, while {names} slides") for one in found]


def _held(search: Search, balance: Sticking, q: Array, centre: Array, rng: np.random.Generator) -> list[Array]:
    """Postures that friction holds, the nearest first."""
    q, ok = balance.settled(q, search.unit)
    q = q[:, ok]
    shares = np.array([balance.holding(x, enough=True).share for x in q.T])
    open_ = np.argsort(shares)[: (shares[np.isfinite(shares)] > 1 + _SURE).sum() + (shares <= 1 + _SURE).sum()]
    better = _with_less(search, balance, q[:, [i for i in open_ if shares[i] > 1 + _SURE][:_TRIED]], rng)
    found = [x for x, share in zip(q.T, shares, strict=True) if share <= 1 + _SURE] + better
    return sorted(found, key=lambda x: float(np.abs((x - centre) / search.units).max(initial=0.0)))


def _with_less(search: Search, balance: Sticking, q: Array, rng: np.random.Generator) -> list[Array]:
    """Postures around some that need too much friction, until they need less than there is."""
    best = [balance.holding(x, enough=True).share for x in q.T]
    width = np.ones(len(best))
    for _ in range(_ROUNDS):
        todo = [i for i, share in enumerate(best) if share > 1 and width[i] > _NEAR]
        if not todo:
            break
        places = np.repeat(todo, _AROUND)
        shift = rng.uniform(-1, 1, (len(search.units), len(places))) * search.units[:, None] * width[places]
        tried, ok = balance.settled(search.unit(q[:, places] + shift), search.unit)
        for i in todo:
            mine = [k for k in np.flatnonzero(places == i) if ok[k]]
            shares = [balance.holding(tried[:, k], enough=True).share for k in mine]
            if shares and min(shares) < best[i]:
                k = mine[int(np.argmin(shares))]
                q[:, i], best[i] = tried[:, k], min(shares)
            else:
                width[i] /= 2
    return [x for x, share in zip(q.T, best, strict=True) if share <= 1]


class _Sets:
    """Sets of postures that friction holds, as they are told."""

    def __init__(self, search: Search, balance: Sticking) -> None:
        self.search, self.balance = search, balance
        self.walk = Walk(search, balance)
        self.places, self.told = list[Array](), list[Equilibrium]()

    def has(self, q: Array) -> bool:
        """Is a posture joined with one that is told, by postures that are held too?"""
        return any(self.walk.joined(q, other) for other in self.places)

    def tell(self, q: Array) -> None:
        search = self.search
        q = search.reduced(q)
        holding = self.balance.holding(q)
        self.places.append(q)
        stability, reason = self._judged(q, holding)
        names = search.layout.state.coordinates
        forces = {
            name: (float(n), *map(float, h))
            for name, n, h in zip(self.balance.names, holding.normals, holding.holds, strict=True)
        }
        self.told.append(
            Equilibrium(
                dict(zip(names, map(float, q), strict=True)),
                dict.fromkeys(search.layout.state.speeds, 0.0),
                (),
                (),
                stability,
                reason,
                search.t if search.reduction.depends_on_time else None,
                forces if holding.unique else {},
                self.walk.ranges(q),
            )
        )

    def _judged(self, q: Array, holding: Holding) -> tuple[str, str]:
        names = ", ".join(self.balance.names)
        share = "none" if holding.share == 0 else f"{holding.share:.4g}"
        said = f"dry friction holds it, and a set of postures with it: {share} of its friction is needed, at {names}"
        if not holding.loaded:
            return "undecided", f"{said}; a contact carries no load, or has no friction"
        if holding.share < 1 - _SURE and self.balance.takes_more_power(q):
            return "stable", f"{said}; small motions lose more power to it than efforts give"
        stuck = self._stuck.judged(q)
        if holding.share < 1 - _SURE and any(one.stability == "unstable" for one in stuck):
            return "unstable", f"{said}; small motions in which it sticks run away (Lyapunov)"
        return "undecided", said

    @property
    def _stuck(self) -> Search:
        """The machine whose contacts stick, as conditions."""
        layout, given, t = self.search.layout, self.search.given, self.search.t
        slips = zip(self.balance.names, self.balance.written, strict=True)
        held = tuple(Constraint(f"{name} (sticks)", Kinematic(slip)) for name, slip in slips)
        found = Search(replace(layout, further=(*layout.further, *held)), given, {}, t)
        found.judgement.usual = self.search.judgement.usual
        return found
