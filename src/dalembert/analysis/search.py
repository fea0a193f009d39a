"""The search for equilibria: a machine's balance in numbers, and Newton's method on it from many configurations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.downhill import downhill
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.families import FAMILY, Postures, dimension
from dalembert.analysis.modes import modes_of, ordered
from dalembert.analysis.point import check_laws, check_speeds, numbers_of, time_of
from dalembert.analysis.reduced import Reduction, Small
from dalembert.analysis.resting import Resting
from dalembert.analysis.rolling import Rolling
from dalembert.analysis.size import lengths_of, sag
from dalembert.analysis.stability import SMALL, Judgement, in_units_of_mass
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.start import closed_start
from dalembert.loops.branch import on_branch
from dalembert.mechanism import Layout, Turn

Array = Any

#: A balance holds when what is left of it is this share of the forces met in the search; Newton leaves rounding.
_BALANCED = 1e-9
#: And it lasts when a radian of the motion changes it by less than this share: slopes are less exact than forces.
_LASTING = 1e-7
#: Configurations that differ by less, in radians or lengths of the machine, are one.
_SAME = 1e-5
#: A step shorter than this, in the same units, changes nothing.
_STILL = 1e-13
_NEWTON, _SLIDE, _FURTHER = 45, 150, 300
#: Configurations that are let down first.
_DOWNHILL = 12
#: Steps back to closed after one of these, where points follow on which surfaces roll: some more than loops need.
_FOLLOWING = 12
#: Where p equilibria meet, a Newton step goes 1/p of the way: of places that are apart by so many steps, one is told,
_LEFT = 20.0  # and steps that shrink less end nowhere,
_SHORT = 1e-6  # unless they are as short as rounding makes them where the stiffness is small.


class Search:
    """The balance of one machine in numbers, and Newton's method on it, from many configurations at once."""

    def __init__(
        self, layout: Layout, given: Mapping[str, Any] | None, speeds: Mapping[str, float], t: float | None
    ) -> None:
        self.layout, self.given, self.speeds = layout, given, speeds
        self.dynamics = dynamics_of(layout)
        self.reduction = Reduction(self.dynamics)
        self.names = layout.state.coordinates
        self.symbols = [ex.symbol(x) for x in self.names]
        check_laws(self.dynamics, "to find equilibria")
        check_speeds(layout, speeds)
        self.t = time_of(self.reduction, t, "equilibria")
        self.numbers = numbers_of(self.dynamics, given, self.t)
        self.judgement = Judgement(self.reduction, self.numbers)
        self._frozen = f" (of the machine held at t = {self.t:.6g})" if self.reduction.depends_on_time else ""
        self.rolling = Rolling(self.dynamics, self.numbers, self.t)
        self.groups = [[self.names.index(x) for x in group] for group in layout.state.quaternions]
        self.turned = self._turned()
        self.angles = self._angles()
        #: Angles that may be told without their whole turns: no condition counts these.
        self.turning = [i for i in self.angles if self.dynamics.closure.turning[i]]
        self.length = self._length()
        self.units = self._units()
        self.judgement.units = self.units
        gaps = [one.gap for one in contact_rows(self.dynamics)]
        used = ex.free_symbols([*self.reduction.right, *self.reduction.rows.conditions, *gaps])
        self.idle = [i for i, x in enumerate(self.symbols) if x not in used and not layout.constraints]

    @staticmethod
    def on(
        layout: Layout,
        given: Mapping[str, Any] | None,
        speeds: Mapping[str, float],
        t: float | None,
        at: Mapping[str, Any] | None,
    ) -> Search:
        """On the branch of a posture, where loops alone leave more speeds than motions."""
        search = Search(layout, given, speeds, t)
        layout, branch = on_branch(layout, at, given, search.t)
        return Search(layout, given, speeds, t) if branch else search

    def drawn(self, at: Mapping[str, Any], spread: float, starts: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Random configurations in columns, and the one that they are drawn around, which is the first of them."""
        centre = self.centre(at)
        q = centre[:, None] + self.units[:, None] * rng.uniform(-spread, spread, (len(centre), starts))
        q[:, 0] = centre
        q[self.idle] = centre[self.idle, None]
        self.rolling.place(q)
        self.stretch(q, centre, rng)
        return q, centre

    def places(self, q: Array, centre: Array) -> list[Array]:
        """The equilibria that Newton's method reaches from the columns of q, the nearest first, each once."""
        q, seen = self.settled(q, centre), list[Array]()
        away = np.abs((q - centre[:, None]) / self.units[:, None]).max(axis=0, initial=0.0)
        for near in self.surest_first(q[:, np.argsort(away, kind="stable")]).T:
            column = None if self.any_same(self.reduced(near), seen) else self.ended(near)
            if column is not None and not self.any_same(column, seen):
                seen.append(column)
        return Postures(self).apart(seen)

    @staticmethod
    def sorted(found: list[Equilibrium]) -> list[Equilibrium]:
        order = {"asymptotically stable": 0, "stable": 1, "undecided": 2, "unstable": 3}
        return sorted(found, key=lambda e: (order[e.stability], *e.coordinates.values()))

    def centre(self, at: Mapping[str, Any]) -> Array:
        start = closed_start(self.layout, at, self.given, self.t)
        found = np.array([start.values[x] for x in self.names])
        if self.layout.model.contacts:  # they may be farther apart than anything in the machine
            rest = Resting(self.layout, self.numbers, self.units, self.length)
            known = self.length if self.sized else rest.size_of_bodies()
            self.length = max(known, rest.reach(found)) or 1.0
            self.units = self._units()
        if (size := self.rolling.size(found)) > 0:  # as surfaces that roll on each other may be
            self.length = max(size, self.length if self.sized else 0.0)
            self.units = self._units()
        elif not self.sized and not self.layout.model.contacts:
            self.length = sag(
                self.reduction, self.turned, {**self.numbers, **dict(zip(self.symbols, found, strict=True))}
            )
            self.units = self._units()
        return found

    def stretch(self, q: Array, centre: Array, rng: np.random.Generator) -> None:
        """Let the wheels of gears and racks start anywhere: closing draws all of them towards the quickest.

        In each column one of the coordinates that conditions count gets back, along the closed start, what was drawn.
        """
        used = ex.free_symbols(self.dynamics.closure.holonomic)
        coupled = [i for i, x in enumerate(self.symbols) if x in used]
        counted = [i for i in coupled if i in self.turned and not self.dynamics.closure.turning[i]]
        if not counted:
            return
        shut, kept = self._closing(self.unit(q.copy()), 30)
        columns = np.flatnonzero(kept)
        clock = rng.choice(counted, len(columns))
        moved = shut[clock, np.arange(len(columns))] - centre[clock]
        wanted = q[clock, columns] - centre[clock]
        with np.errstate(all="ignore"):
            ratio = np.where(np.abs(moved) > _SAME, wanted / moved, 1.0)
        shut[coupled] = centre[coupled, None] + ratio * (shut[coupled] - centre[coupled, None])
        q[:, columns] = shut

    def _units(self) -> Array:
        """What a step is measured by: a radian, the length of the machine."""
        plain = [i in self.turned or x in self.rolling.parameters for i, x in enumerate(self.names)]
        found = np.where(plain, 1.0, self.length)
        for group in self.groups:
            found[group] = 1.0
        return found

    def settled(self, q: Array, centre: Array) -> Array:
        """Configurations in balance that Newton's method reaches from the columns of q."""
        q = self.closed(self.unit(q), 30)
        q = q[:, self.rolling.faces(q)]
        forces = self._forces(q)
        with np.errstate(all="ignore"):
            sizes = [in_units_of_mass(one) for one in self.smalls(q)] if q.shape[1] else []
            self.judgement.usual = float(np.median([x for x in sizes if np.isfinite(x)] or [0.0]))
            few = downhill(
                q[:, :_DOWNHILL], self.smalls, self.ways, lambda x: self.closed(self.unit(x), 12), self.units
            )
            q = self._walked(np.hstack([few, q]), None, _NEWTON)
            if q.shape[1] and self._families(q):
                q = self._walked(self._walked(q, centre, _SLIDE), None, 10)
            q = self.closed(q, 4)
        if not q.shape[1]:
            return q
        smalls = self.smalls(q)
        limits = [np.abs(one.tangent).T @ forces for one in smalls]
        good = [bool((np.abs(one.residual) <= _BALANCED * x).all()) for one, x in zip(smalls, limits, strict=True)]
        good = [ok and bool(faces) for ok, faces in zip(good, self.rolling.faces(q), strict=True)]
        if self.speeds:
            pace = self._pace(q, smalls)
            good = [ok and _lasts(*one) for ok, one in zip(good, zip(smalls, limits, pace, strict=True), strict=True)]
        return q[:, [i for i, ok in enumerate(good) if ok]]

    def _pace(self, q: Array, smalls: list[Small]) -> Array:
        """The fastest rate of a coordinate, in its natural unit."""
        ways = self.ways(q)
        return np.array([np.abs(w @ one.speeds / self.units).max() for w, one in zip(ways, smalls, strict=True)])

    def _walked(self, q: Array, centre: Array | None, times: int) -> Array:
        """Newton steps until nothing moves; what has come to rest waits for the others."""
        resting = [q[:, :0]]
        for _ in range(times):
            if not q.shape[1]:
                break
            q, moved = self._stepped(q, centre)
            resting.append(q[:, moved <= _STILL])
            q = q[:, moved > _STILL]
        return np.hstack([*resting, q])

    def _forces(self, q: Array) -> Array:
        """The largest force on each speed among configurations: what a balance is measured by."""
        here = {**self.numbers, **dict(zip(self.symbols, q, strict=True))}
        here |= {u: float(self.speeds.get(u.name, 0.0)) for u in self.reduction.speeds}
        sizes = [np.abs(np.asarray(x)) for x in ex.evaluate(self.reduction.right, here)]
        found = np.array([x[np.isfinite(x)].max(initial=0.0) for x in sizes] or [0.0])  # a spring may have no length
        return np.where(found > 0, found, found.max() or 1.0)[: len(self.reduction.speeds)]

    def ways(self, q: Array) -> Array:
        """How coordinates move for a unit of each speed, at each column."""
        here = {**self.numbers, **dict(zip(self.symbols, q, strict=True))}
        ways: Array = self.reduction.arrays([self.reduction.directions], here, q.shape[1])[0]
        return ways

    def smalls(self, q: Array) -> list[Small]:
        return self.reduction.at(self.numbers, q, self.speeds, tuple(self.speeds))

    def _stepped(self, q: Array, centre: Array | None) -> tuple[Array, Array]:
        """One Newton step from each column; towards `centre` where equilibria form a family. Lost columns go."""
        smalls, directions = self.smalls(q), self.ways(q)
        new, moved = list[Array](), list[float]()
        for one, column, ways in zip(smalls, q.T, directions, strict=True):
            if not (np.isfinite(one.metric).all() and np.isfinite(one.residual).all()):
                continue
            along = ways @ one.posture
            inverse = one.inverse(FAMILY)
            step = -inverse @ one.residual
            if centre is not None:
                wanted = np.linalg.lstsq(along, centre - column, rcond=None)[0]
                step = step + wanted - inverse @ (one.stiffness @ wanted)
            change = along @ step
            size = np.abs(change / self.units).max(initial=0.0)
            whole = centre is None and size > 1 and self._reaches(one, column + change, change)
            short = 1.0 if whole else min(1.0, 1.0 / max(size, 1e-300))  # else never more than a radian (or length)
            new.append(column + change * short)
            moved.append(size)
        q = self.unit(np.array(new).reshape(-1, len(self.names)).T)
        q, kept = self._closing(q, _FOLLOWING if self.rolling.contacts else 3)
        return q, np.array(moved)[kept]

    def _reaches(self, one: Small, target: Array, change: Array) -> bool:
        """Does a long slide end in balance, as along a spring? A tenth of the load is left at most.

        Along a force that dies away, exp(-x) or x**-n, a Newton step leaves more than a third of it.
        """
        if np.abs(change[self.turned]).max(initial=0.0) > 1:
            return False
        (there,) = self.smalls(target[:, None])
        return there.load <= 0.1 * one.load

    def _families(self, q: Array) -> bool:
        return any(np.linalg.matrix_rank(one.metric, tol=None) < len(one.leading) for one in self.smalls(q))

    def closed(self, q: Array, times: int) -> Array:
        """Nearer to closed loops, in the kinetic metric; columns that stay open are left out."""
        return self._closing(q, times)[0]

    def _closing(self, q: Array, times: int) -> tuple[Array, Array]:
        """The same, and which columns are kept."""
        if not self.layout.constraints or not q.shape[1]:
            return q, np.ones(q.shape[1], dtype=bool)
        resting = {**self.numbers, **dict.fromkeys(self.reduction.speeds, 0.0)}
        with np.errstate(all="ignore"):
            for _ in range(times):
                before = q
                here = {**resting, **dict(zip(self.symbols, q, strict=True))}
                q = self.unit(self._corrected(here, q.shape[1]).T.copy())
            shift = np.abs((q - before) / self.units[:, None]).max(axis=0, initial=0.0)
        kept = shift < _SAME
        return q[:, kept], kept

    @cached_property
    def _corrected(self) -> ex.Recipe:
        return ex.Recipe(self.dynamics.corrected[: len(self.names)])

    def surest_first(self, q: Array) -> Array:
        """Of places where the stiffness vanishes, one for those that may be the same: what Newton still moves tells."""
        smalls = self.smalls(q) if q.shape[1] else []
        slack = [i for i, one in enumerate(smalls) if self.judgement.slack(one)]
        steps = {i: self._stepped(q[:, [i]], None)[1].max(initial=0.0) for i in slack}
        kept = list[int]()
        for i in sorted(slack, key=steps.__getitem__):
            near = [np.abs((q[:, i] - q[:, j]) / self.units).max() <= _LEFT * (steps[i] + steps[j]) for j in kept]
            if not any(near):
                kept.append(i)
        return q[:, [i for i in range(q.shape[1]) if i not in slack] + kept]

    def ended(self, q: Array) -> Array | None:
        """Where Newton's steps end; nothing where they stay as long as the last: along a force that dies away."""
        at, last = q[:, None], np.inf
        for _ in range(_FURTHER):
            new, moved = self._stepped(at, None)
            if not len(moved) or moved[0] <= _SHORT:
                return self.reduced(at[:, 0])
            if moved[0] > (1 - 1 / _LEFT) * last:
                return None
            at, last = new, moved[0]
        return None

    def judged(self, q: Array) -> list[Equilibrium]:
        """The equilibrium with its small motions; nothing where the coordinates are singular (gimbal lock)."""
        one = self.smalls(q[:, None])[0]
        scale = np.sqrt(np.abs(np.diag(one.mass)))  # of angles and lengths in any units
        if len(one.mass) and not np.linalg.cond(one.mass / np.outer(scale, scale)) < 1 / FAMILY:
            return []
        matrix = one.state_matrix
        values = ordered(np.linalg.eigvals(matrix)) if len(matrix) else np.zeros(0)
        names = self.reduction.coordinate_names(one)
        found = self.judgement.of(q, one, values)
        coordinates = dict(zip(self.names, map(float, q), strict=True))
        speeds = dict(zip(self.layout.speeds, map(float, one.speeds), strict=True))
        return [
            Equilibrium(
                coordinates,
                speeds,
                tuple(map(complex, values)),
                modes_of(matrix, names),
                found.verdict,
                f"{found.reason}{self._frozen}{_of(dimension(one))}",
                self.t if self.reduction.depends_on_time else None,
            )
        ]

    def _length(self) -> float:
        """The largest constant distance in the machine; one where there is none."""
        return float(lengths_of(self.layout.model, self.numbers).max(initial=0.0)) or 1.0

    @property
    def sized(self) -> bool:
        """Has the machine any length of its own?"""
        return bool(lengths_of(self.layout.model, self.numbers).max(initial=0.0) > 0)

    def _turned(self) -> list[int]:
        """Coordinates that are angles of turns and nothing else."""
        steps = [step for link in self.layout.model.links.values() for step in link.placed_steps()]
        turned = {one.angle for step in steps for one in step.displacement.turns if isinstance(one, Turn)}
        moved = ex.free_symbols([x for step in steps for x in step.displacement.translation])
        return [i for i, x in enumerate(self.symbols) if x in turned - moved]

    def _angles(self) -> list[int]:
        """Those of them whose whole turns no effort counts."""
        links = self.layout.model.links.values()
        efforts = ex.free_symbols([e for link in links for e in link.placed_efforts().values()])
        return [i for i in self.turned if self.symbols[i] not in efforts]

    def unit(self, q: Array) -> Array:
        for group in self.groups:
            q[group] = q[group] / np.maximum(np.sqrt((q[group] ** 2).sum(axis=0)), 1e-300)
        return q

    def reduced(self, column: Array) -> Array:
        """Angles in ]-pi, pi] where no condition counts their turns, what is nothing as zero."""
        found = column.copy()
        for i in self.turning:
            found[i] = np.pi - np.mod(np.pi - found[i], 2 * np.pi)
            if found[i] < -np.pi + SMALL:
                found[i] += 2 * np.pi
        found[np.abs(found) < _BALANCED * self.units] = 0.0
        return found

    def any_same(self, a: Array, others: list[Array]) -> bool:
        gaps = np.abs(a - np.array(others).reshape(-1, len(a))) / self.units
        gaps[:, self.angles] = np.abs(np.angle(np.exp(1j * gaps[:, self.angles])))
        return bool((gaps.max(axis=1, initial=0.0) < _SAME).any())


def _of(size: int) -> str:
    return f"; one of a family of {size} dimension{'s' * (size > 1)}" if size else ""


def _lasts(one: Small, forces: Array, pace: float) -> bool:
    """Does the balance hold on, as the motion goes through postures at constant speeds? A pendulum's does not."""
    change = one.stiffness @ one.speeds[list(one.leading)]
    return bool((np.abs(change) <= _LASTING * forces * pace).all())
