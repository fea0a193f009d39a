"""Motions of a whole machine from those of the coordinates that are driven: loops and floating bases follow.

A driven coordinate is a hinge or a slide, or one of three turns of a ball or floating body: "base.turn.x" is a part of
the vector a of the quaternion (1, a/2)/|(1, a/2)|, for small turns the angle about x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import CompiledMechanism
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.closing import CLOSED, RANK, Loops, close, followers
from dalembert.errors import ModelError
from dalembert.identify.states import Conditions, States, split
from dalembert.mechanism import Layout, did_you_mean

#: How far a driven coordinate goes, in its natural unit, before loops are closed again: a tangent tells as much.
_STRIDE = 0.25
_TURNS = ("turn.x", "turn.y", "turn.z")


@dataclass(frozen=True, eq=False)
class _Turned:
    """A quaternion of the state: what turns by it, its four coordinates, its three speeds."""

    link: str
    place: tuple[int, ...]
    speeds: tuple[int, ...]


class Driven:
    """Knows which coordinates drive a machine, and where the others go with them."""

    def __init__(self, layout: Layout, limits: Mapping[str, Any], given: Mapping[str, Any] | None = None) -> None:
        state = layout.state
        self.layout, self.given = layout, dict(given or {})
        self.coordinates, self.speeds = state.coordinates, state.speeds
        self.turned = [_turned(layout, group) for group in state.quaternions]
        plain = [x for x in self.coordinates if f"{x}'" in self.speeds]
        turns = [f"{one.link}.{way}" for one in self.turned for way in _TURNS]
        cut = set(state.own_coordinates)
        known = [*(x for x in plain if x not in cut), *turns]
        odd = set(self.coordinates) - {*plain, *cut, *(x for group in state.quaternions for x in group)}
        if odd:
            raise ModelError(
                f"'{layout.model.name}' cannot be driven by {sorted(odd)[0]}, whose rate is no speed of its own."
            )
        wrong = [x for x in limits if x not in known and x not in cut]
        if wrong:
            raise ModelError(f"nothing called '{wrong[0]}' can be driven.{did_you_mean(wrong[0], known)}")
        self.f = CompiledMechanism(layout.model, layout, given=given)  # type: ignore[arg-type]  # has its numbers
        self.start = np.array(self.f.start(None, given).y[: len(self.coordinates)])
        self.closed = dynamics_of(layout).closed
        self.names = self._chosen([x for x in limits if x in known], known)
        self.conditions = Conditions(layout, given) if self.closed else None

    def _chosen(self, limits: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        """Those with limits that are free to be chosen; the loops must tell all others."""
        if not self.closed:
            missing = [x for x in known if x not in limits]
            if missing:
                raise ModelError(
                    f"an excitation needs limits of {', '.join(missing)}: `limits={{'{missing[0]}': (-1, 1)}}`."
                )
            return tuple(known)
        turned = [x for x in limits if x not in self.coordinates]
        if turned:
            raise ModelError(f"'{turned[0]}' turns in a machine with loops: drive hinges and slides instead.")
        loops = self._loops(self.start[None])
        order = [self.coordinates.index(x) for x in limits]
        order += [j for j in range(len(self.coordinates)) if j not in order]
        follow = followers(loops.slopes(self.start[None]), order)[0]
        chosen = [self.coordinates[j] for j in order if not follow[j]]
        missing = [x for x in chosen if x not in limits]
        if missing:
            raise ModelError(
                f"the loops leave {len(chosen)} freedom{'s' * (len(chosen) > 1)}: excitations need limits of as many: "
                f"`limits={{'{missing[0]}': (-1, 1)}}`."
            )
        return tuple(chosen)

    def _loops(self, x: Any) -> Loops:
        closure = dynamics_of(self.layout).closure
        known = {**self.layout.model.given, **self.given}
        numbers = {name: float(known[name]) for name in closure.parameters}
        return Loops(closure, 0.0, numbers, closure.scales(x, 0.0, numbers))

    def states(self, s: Any, v: Any, a: Any) -> States | None:
        """States from values, rates and accelerations of `names`, one row each; None where loops do not close."""
        q, u, udot = self._tree(s, v, a)
        if not self.closed:
            return States(q, u, udot)
        followed = self._followed(q)
        if followed is None:
            return None
        assert self.conditions is not None
        driven = [self.speeds.index(f"{x}'") for x in self.names]
        G, drift, _ = self.conditions(followed, u)
        E = np.broadcast_to(np.eye(len(self.speeds))[driven], (len(G), len(driven), len(self.speeds)))
        back = np.linalg.pinv(np.concatenate([G, E], axis=1), rcond=RANK)
        u = np.einsum("kij,kj->ki", back, np.concatenate([-drift, v], axis=1))
        gamma = self.conditions(followed, u)[2]
        udot = np.einsum("kij,kj->ki", back, np.concatenate([gamma, a], axis=1))
        return States(followed, u, udot, [split(one)[0] for one in G])

    def _tree(self, s: Any, v: Any, a: Any) -> tuple[Any, Any, Any]:
        """States with the driven coordinates as asked, all others at the start and at rest."""
        count = len(s)
        q = np.tile(self.start, (count, 1))
        u, udot = np.zeros((count, len(self.speeds))), np.zeros((count, len(self.speeds)))
        for k, name in enumerate(self.names):
            if name in self.coordinates:
                q[:, self.coordinates.index(name)] = s[:, k]
                at = self.speeds.index(f"{name}'")
                u[:, at], udot[:, at] = v[:, k], a[:, k]
        for one in self.turned:
            own = [self.names.index(f"{one.link}.{way}") for way in _TURNS if f"{one.link}.{way}" in self.names]
            if own:
                self._turn(one, (s[:, own], v[:, own], a[:, own]), q, u, udot)
        return q, u, udot

    def _turn(self, one: _Turned, moved: tuple[Any, Any, Any], q: Any, u: Any, udot: Any) -> None:
        """e = w/|w|, w = (1, a/2); the spin from e' = P(e) spin, where P is linear in e and its columns are of 1/2."""
        w, w1, w2 = (np.column_stack([np.full(len(x), float(k == 0)), x / 2]) for k, x in enumerate(moved))
        n = np.linalg.norm(w, axis=1, keepdims=True)
        n1 = (w * w1).sum(axis=1, keepdims=True) / n
        n2 = ((w1 * w1).sum(axis=1, keepdims=True) + (w * w2).sum(axis=1, keepdims=True) - n1 * n1) / n
        e, e1 = w / n, w1 / n - w * n1 / n**2
        e2 = w2 / n - 2 * w1 * n1 / n**2 + w * (2 * n1**2 / n**3 - n2 / n**2)
        q[:, one.place] = e
        P, P1 = self._rates(one, q, e), self._rates(one, q, e1)
        spin = 4 * np.einsum("kij,ki->kj", P, e1)
        u[:, one.speeds] = spin
        udot[:, one.speeds] = 4 * np.einsum("kij,ki->kj", P, e2 - np.einsum("kij,kj->ki", P1, spin))

    def _rates(self, one: _Turned, q: Any, e: Any) -> Any:
        there = q.copy()
        there[:, one.place] = e
        columns = []
        for k in one.speeds:
            unit = np.zeros((len(q), len(self.speeds)))
            unit[:, k] = 1.0
            columns.append(np.asarray(self.f.rates(there, unit, given=self.given))[:, one.place])
        return np.stack(columns, axis=2)

    def _followed(self, q: Any) -> Any | None:
        """Closed postures with the driven coordinates as asked, reached from the start step by step."""
        driven = [self.coordinates.index(x) for x in self.names]
        free = ~np.isin(np.arange(len(self.coordinates)), driven)
        x = np.tile(self.start, (len(q), 1))
        loops = self._loops(x)
        away = q[:, driven] - self.start[driven]
        strides = int(np.ceil(np.abs(away / loops.scales.coordinates[:, driven]).max() / _STRIDE)) or 1
        before = x
        for k in range(1, strides + 1):
            foretold = x if k == 1 else 2 * x - before  # as the last step went
            foretold[:, driven] = self.start[driven] + away * (k / strides)
            before = x
            x, gap = close(loops, foretold, free)
            if not (gap < CLOSED).all():
                return None
        return x


def _turned(layout: Layout, group: Sequence[str]) -> _Turned:
    """The group with the speeds on which its rates depend, in the order of the state."""
    state, rates = layout.state, dynamics_of(layout).tree.rates
    used = ex.free_symbols([rates[ex.symbol(x)] for x in group])
    speeds = tuple(k for k, name in enumerate(state.speeds) if ex.symbol(name) in used)
    return _Turned(group[0].removesuffix("e0").rstrip("._"), tuple(state.coordinates.index(x) for x in group), speeds)
