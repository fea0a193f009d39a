"""Inverse kinematics: every posture in which a frame has a given place, and a given direction or all of a pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.arms.branches import candidates
from dalembert.arms.chain import Arm, CurvedError, arm_of, refuse_conditions
from dalembert.arms.closed import ClosedStep, closed_form
from dalembert.arms.direct import DirectKinematics, direct_kinematics
from dalembert.arms.plan import plan_for
from dalembert.arms.postures import ArmPosture, InverseKinematics
from dalembert.arms.resultant import eliminate
from dalembert.arms.screws import Screws, inverse, screws_of
from dalembert.arms.search import REACHED, Aim
from dalembert.arms.targets import Target
from dalembert.arms.virtual import Filled, filled, rolling
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import check_names, resolve
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism import Frame, Gap, Layout, Pressed

Array = NDArray[Any]

#: Singular values of the derivatives beside the largest: below, the arm is singular. A double posture is known to half
#: the digits, so its smallest singular value is of that order.
_SINGULAR = 1e-6
#: Postures nearer than this (radians, parts of the arm) are one: ten times what half the digits tell.
_SAME = 1e-6
#: Starts of a search where formulas found nothing.
_LOOKS = 32
#: Before they are polished, candidates that miss by more reach nothing: they obeyed some of the equations only.
_NEAR = 1e-3


def inverse_kinematics(
    layout: Layout,
    tip: Frame,
    base: Frame,
    target: Target,
    *,
    at: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> InverseKinematics:
    """All postures that put `tip` where `target` says, seen from `base`; coordinates in `at` are held."""
    model = layout.model
    check_names(at or (), layout.coordinates, "coordinate", model.name)
    check_names(given or (), model.parameters(), "parameter", model.name)
    numbers = resolve({**model.given, **(given or {})}, "given")
    held = resolve(at or {}, "at", numbers)
    values: dict[Expr, float] = {ex.symbol(x): float(v) for x, v in numbers.items() if np.ndim(v) == 0}
    values |= {ex.symbol(x): float(v) for x, v in held.items()}
    values[ex.TIME] = float(t)
    direct = direct_kinematics(layout, tip, base)
    names = [x for x in direct.coordinates if x not in held]
    if not names:
        raise ModelError(
            f"no coordinate moves '{direct.words[1]}' seen from '{direct.words[0]}'"
            + (": all of them are held by `at`." if held else ": they are fixed to each other.")
        )
    refuse_conditions(layout, names)
    fixed = {ex.symbol(x): ex.const(float(v)) for x, v in held.items()} | {ex.TIME: ex.const(float(t))}
    try:
        arm: Arm | None = arm_of(layout, base, tip, fixed)
        screws: Screws | None = screws_of(arm, values, target.pose[:3, 3]) if arm is not None else None
        curved = ""
    except CurvedError as error:
        arm, screws, curved = None, None, str(error)
    work = _Work(layout, direct, tuple(names), values, target, arm, screws)
    return work.solved(curved)


@dataclass(eq=False)
class _Work:
    """One question, with what is needed to answer it."""

    layout: Layout
    direct: DirectKinematics
    names: tuple[str, ...]
    values: dict[Expr, float]
    target: Target
    arm: Arm | None
    screws: Screws | None

    def __post_init__(self) -> None:
        lacking = ex.free_symbols(self.direct.homogeneous.entries) - self.values.keys()
        lacking = {x for x in lacking if x.name not in self.names}
        if lacking:
            name = min(x.name for x in lacking)
            raise ModelError(f"'{name}' of '{self.layout.model.name}' has no value: say given={{'{name}': 1.0}}.")
        if self.arm is not None:
            self.names = self.arm.coordinates
        place = self.target.pose[:3, 3]
        self.size = self.screws.size if self.screws is not None else self._reach(place)
        told = (self.direct, self.names, self.values, self.target.asked, self.target.pose, self.size)
        self.aim = Aim.of(*told)
        slides = [one.coordinate for one in self.arm.joints if not one.turns] if self.arm else self._lengths()
        self.units = np.array([self.size if x in slides else 1.0 for x in self.names])
        starts = {x: v for x, v in self.layout.model.start.items() if isinstance(v, int | float)}
        self.chosen = np.array([float(starts.get(x, 0.0)) for x in self.names])
        self._check_freedom()

    def _reach(self, place: Array) -> float:
        """The unit of length of a curved chain: how far its tip is at the zero posture, and its target."""
        zero = {**self.values, **{ex.symbol(x): 0.0 for x in self.names}}
        here = [float(x) for x in ex.evaluate(list(self.direct.position), zero)]
        return float(np.abs([*here, *place]).max()) or 1.0

    def _lengths(self) -> list[str]:
        """Coordinates of a curved chain that are lengths: those that no angle is made of."""
        angles = {x.name for row in self.direct.rotation for y in row for x in ex.free_symbols([y])}
        return [x for x in self.names if x not in angles]

    def _check_freedom(self) -> None:
        rng = np.random.default_rng(0)
        q = self.chosen + rng.uniform(-2, 2, (3, len(self.names))) * self.units
        slopes = self.aim.slopes(q) * self.units
        rank = max(int((np.linalg.svd(one, compute_uv=False) > _SINGULAR).sum()) for one in slopes)
        spare = len(self.names) - rank
        if spare:
            raise ModelError(
                f"the {len(self.names)} coordinates of the chain ({', '.join(self.names)}) reach a target in "
                f"infinitely many ways: {spare} of them can be chosen. Hold as many, at={{'{self.names[0]}': 0.0}}, "
                "or ask for more of the pose."
            )

    def solved(self, curved: str) -> InverseKinematics:
        if self.arm is None or self.screws is None:
            found = self.aim.searched(self.units, self.chosen)
            return self._told("search", found, {}, False, f"{curved} Found from many starts; there may be others")
        arm, screws, whole = self.arm, self.screws, self.target.asked
        told = self._by_formulas(arm, screws, whole)
        if told is None and whole == "direction":  # any turn about the tip's axis serves: a joint of no amount asked
            (arm, screws), whole = rolling(arm, screws), "pose"
            told = self._by_formulas(arm, screws, whole)
        if told is None and whole == "pose" and len(screws) <= 6:
            told = self._by_elimination(filled(screws))
        if told is not None:
            return told if told.postures else self._asked_again(told)
        found = self.aim.searched(self.units, self.chosen)
        return self._told("search", found, {}, False, "found from many starts; there may be others")

    def _by_formulas(self, arm: Arm, screws: Screws, whole: str) -> InverseKinematics | None:
        plan, count = plan_for(screws, whole), len(self.names)
        if plan is None:
            return None
        chosen = screws.amounts(np.r_[self.chosen, np.zeros(len(screws) - count)])
        made = candidates(plan, self._displacement(), chosen)
        amounts = np.array([one.x[:count] for one in made]).reshape(len(made), count)
        free = {i: tuple(j for j in one.free if j < count) for i, one in enumerate(made)}
        formulas = closed_form(arm, plan, whole)
        why = "all of them, every posture obeys these formulas"
        return self._told("closed form", self._coordinates(amounts), free, True, why, formulas)

    def _by_elimination(self, six: Filled) -> InverseKinematics | None:
        """Roots of the polynomial of six joints; of fewer, those in which the joints that fill up do not move."""
        out = eliminate(six.screws, self._displacement())
        if out is None:
            return None
        here = [x[: len(self.names)] for x in out.amounts if six.still(x, _NEAR)]
        roots = f"a polynomial of degree {out.degree}, exact, has {out.real} real roots"
        if six.idle:
            roots += f", {len(here)} of them without a turn of the {six.idle} joints that fill up"
        why = f"all of them: {roots}, and to rounding each has one posture"
        if not out.sure:
            why = f"{roots}, some with several postures; there may be others"
        amounts = np.array(here).reshape(len(here), len(self.names))
        told = self._told("resultant", self._coordinates(amounts), {}, out.sure, why)
        lost = len(told.postures) != len(here) and not six.idle  # where joints fill up, near is not yet there
        doubt = f"{roots}, and some are of no posture within rounding"
        return replace(told, complete=False, why=doubt) if lost and told.complete else told

    def _asked_again(self, none: InverseKinematics) -> InverseKinematics:
        """Lengths of very different size lose postures to rounding: a short search looks whether there are any."""
        found = self.aim.searched(self.units, self.chosen, starts=_LOOKS)
        if not len(found):
            return none
        return self._told(
            "search", found, {}, False, "formulas and polynomials lose them to rounding; there may be others"
        )

    def _displacement(self) -> Array:
        """What the tip must do from the zero posture: any of those that are asked, where less than a pose is."""
        assert self.screws is not None
        goal = self.target.pose.copy()
        goal[:3, 3] /= self.screws.size
        return goal @ inverse(self.screws.tip)

    def _coordinates(self, amounts: Array) -> Array:
        assert self.screws is not None
        return np.array([self.screws.coordinates(x) for x in amounts]).reshape(len(amounts), len(self.names))

    def _told(
        self,
        method: str,
        q: Array,
        free: Mapping[int, tuple[int, ...]],
        complete: bool,
        why: str,
        formulas: Sequence[ClosedStep] = (),
    ) -> InverseKinematics:
        near = np.abs(self.aim.errors(q)).max(axis=1, initial=0.0) < _NEAR if len(q) else np.zeros(0, dtype=bool)
        numbers = np.flatnonzero(near)
        better, errors = self.aim.polished(q[near], self.units, 12) if len(numbers) else (q[near], np.zeros(0))
        postures, kept = list[ArmPosture](), list[Array]()
        for number, one, error in zip(numbers, better, errors, strict=True):
            one = self._in_limits(one)
            if error < REACHED and not any(self._apart(one, x) < _SAME for x in kept):
                kept.append(one)
                postures.append(self._posture(one, float(error), free.get(int(number), ())))
        if any(one.free for one in postures):
            complete, why = False, "infinitely many, what is free was chosen"
        elif not postures:
            why = f"it is out of reach{self._few()}" if complete else why
        elif complete and any(one.idle for one in postures):
            why += "; singular ones count once"
        order = sorted(range(len(postures)), key=lambda i: [round(x, 9) for x in postures[i].coordinates.values()])
        listed = tuple(postures[i] for i in order)
        return InverseKinematics(self.layout.model.name, listed, method, complete, why, tuple(formulas))

    def _few(self) -> str:
        """Of conditions more than joints, some contradict each other but for targets by luck."""
        count = {"position": 3, "direction": 5, "pose": 6}[self.target.asked]
        if len(self.names) >= count:
            return ""
        less = {"pose": ": a `direction` in place of the rotation asks for less", "direction": "", "position": ""}
        few = f"{len(self.names)} coordinate{'s' * (len(self.names) > 1)} meet {count} conditions for few targets"
        return f"; {few}, to nine digits{less[self.target.asked]}"

    def _apart(self, a: Array, b: Array) -> float:
        off = np.abs(a - b) / self.units
        turns = np.array([one.turns for one in self.arm.joints]) if self.arm else np.zeros(len(off), dtype=bool)
        factor = np.abs(self.screws.factors) if self.screws is not None else np.ones(len(off))
        return float(np.max(np.where(turns, np.abs((off * factor + np.pi) % (2 * np.pi) - np.pi), off), initial=0.0))

    def _in_limits(self, q: Array) -> Array:
        """Angles between -pi and pi, or a turn further where only that keeps the limits."""
        if self.arm is None or self.screws is None:
            return q
        made = q.copy()
        for i, joint in enumerate(self.arm.joints):
            if not joint.turns:
                continue
            turn = 2 * np.pi / abs(self.screws.factors[i])
            own = made[i] - turn * np.ceil(made[i] / turn - 0.5)
            tries = [own, own + turn, own - turn]
            others = dict(zip(self.names, made, strict=True))
            held = [x for x in tries if not self._broken({**others, joint.coordinate: x}, joint.coordinate)]
            made[i] = held[0] if held else own
        return made

    def _posture(self, q: Array, error: float, free: tuple[int, ...]) -> ArmPosture:
        named = {x: float(v) for x, v in zip(self.names, q, strict=True)}
        _, s, vt = np.linalg.svd(self.aim.slopes(q[None])[0] * self.units, full_matrices=True)
        s = np.r_[s, np.zeros(len(self.names) - len(s))]
        idle = [vt[i] for i in range(len(s)) if s[i] < _SINGULAR * s[0]]
        moving = [x for i, x in enumerate(self.names) if any(abs(v[i]) > 0.01 for v in idle)]
        chosen = tuple(self.names[i] for i in free)
        return ArmPosture(named, error, chosen, self._broken(named), tuple(moving))

    def _broken(self, named: Mapping[str, float], only: str = "") -> tuple[str, ...]:
        """Names of the stops and contacts that a posture passes, where the chain alone decides their gaps."""
        values = {**self.values, **{ex.symbol(x): v for x, v in named.items()}}
        found = []
        for name, gap, unit in self.gaps:
            used = {x.name for x in ex.free_symbols([gap])}
            if not used & set(self.names) or (only and only not in used) or not ex.free_symbols([gap]) <= values.keys():
                continue
            if float(ex.evaluate([gap], values)[0]) < -REACHED * unit:
                found.append(name)
        return tuple(found)

    @cached_property
    def gaps(self) -> list[tuple[str, Expr, float]]:
        """Contacts by name, each with its gap in coordinates and what that is small beside."""
        known, plain = {*self.layout.coordinates, *self.layout.model.parameters(), "t"}, list[tuple[str, Expr, float]]()
        slides = {x for x, u in zip(self.names, self.units, strict=True) if u != 1.0}
        for contact in self.layout.model.contacts:
            if isinstance(contact.place, Pressed):  # what rubs is nowhere beyond a stop
                continue
            used = {x.name for x in ex.free_symbols([contact.place.gap])} if isinstance(contact.place, Gap) else {""}
            if not isinstance(contact.place, Gap) or not used <= known:  # of frames or of shapes: lengths
                return [(one.name, one.gap, self.size) for one in contact_rows(dynamics_of(self.layout))]
            plain.append((contact.name, contact.place.gap, self.size if used & slides else 1.0))
        return plain
