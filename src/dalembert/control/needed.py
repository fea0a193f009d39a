"""Efforts that a motion needs, where constraints and contacts carry a part of it.

    M u' - S - F = E tau + W' lambda + forces of contacts

Who carries what is not determined by the motion alone: of all that agree, the least sum of squares of the efforts, each
divided by its strength. Contacts push and do not pull. What slides, or begins to, is rubbed against its sliding by the
whole friction; where it sticks, friction stays inside its cone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize

from dalembert import expr as ex
from dalembert.codegen import CompiledMechanism, Function, compile_functions
from dalembert.contact.posture import check_left_out
from dalembert.contact.rows import ContactRow, contact_rows
from dalembert.errors import ArgumentError, ModelError
from dalembert.expr import Expr
from dalembert.mechanism import Layout, Mechanism, did_you_mean
from dalembert.presentation.told import Told

#: Share of the efforts that may be left unbalanced, and by which weights of multipliers are less than those of efforts.
_BALANCE, _WEAK = 1e-7, 1e-4
#: Share of what a sliding speed is made of that is rounding: below it the contact sticks.
_STICKS = 1e-9
#: How far a contact that is said to be closed may be open, in radians and parts of the machine: as people write starts.
_OPEN = 1e-6


@dataclass(frozen=True, eq=False)
class Needed(Told):
    """Efforts on the named coordinates, multipliers of constraints, forces of contacts: normal, then along slips.

    Of many states each is an array, one number for each.
    """

    efforts: Mapping[str, Any]
    multipliers: Mapping[str, Any]
    contacts: Mapping[str, tuple[Any, ...]]

    def __str__(self) -> str:
        lines = [f"  {x}: {_shown(v)}" for x, v in {**self.efforts, **self.multipliers}.items()]
        lines += [f"  {x}: {', '.join(_shown(v) for v in f)}" for x, f in self.contacts.items()]
        return "\n".join(["efforts that this motion needs:", *lines])

    def as_dict(self) -> dict[str, Any]:
        contacts = {x: [np.asarray(v).tolist() for v in f] for x, f in self.contacts.items()}
        plain = [{x: np.asarray(v).tolist() for x, v in one.items()} for one in (self.efforts, self.multipliers)]
        return {"efforts": plain[0], "multipliers": plain[1], "contacts": contacts}


def _shown(value: Any) -> str:
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    return f"{np.min(value):.6g} to {np.max(value):.6g} over {len(value)} states"


def needed_efforts(
    mechanism: Mechanism,
    q: Any,
    u: Any,
    udot: Any,
    *,
    by: Sequence[str] | None = None,
    contacts: Sequence[str] = (),
    strengths: Mapping[str, float] | None = None,
    t: float = 0.0,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> Needed:
    """Efforts on the coordinates `by` that give accelerations `udot`, at one state or at many (a row each)."""
    f = CompiledMechanism(mechanism, Layout.of(mechanism, cut), given=given)
    q, u, udot = (np.asarray(x, dtype=float) for x in (q, u, udot))
    for name, x, size in (("q", q, len(f.coordinates)), ("u", u, len(f.speeds)), ("udot", udot, len(f.speeds))):
        if x.shape != (*q.shape[:-1], size) or x.ndim not in (1, 2) or not np.isfinite(x).all():
            raise ArgumentError(f"`{name}` has {size} finite numbers, or rows of as many, not shape {x.shape}.")
    pushed = [x.removesuffix("'") for x in f.speeds] if by is None else list(by)
    balance = _Balance(f, pushed, contacts, strengths, given)
    rows = [x if x.ndim == 2 else x[None] for x in (q, u, udot)]
    known = [ex.symbol(x) for x in (*f.coordinates, *f.parameters)]
    for state in rows[0]:
        point = dict(zip(known, [*state, *f.parameter_vector(given=given)], strict=True))
        check_left_out(f.dynamics, {**point, ex.TIME: float(t)}, contacts, "these efforts")
    found = [balance.solved(a, b, c, t) for a, b, c in zip(*rows, strict=True)]
    table = np.array(found) if q.ndim == 2 else np.array(found[0])
    return balance.told(table)


class _Balance:
    """The equations of a machine with the contacts that are closed, in machine code made once."""

    def __init__(
        self,
        f: CompiledMechanism,
        pushed: Sequence[str],
        contacts: Sequence[str],
        strengths: Mapping[str, float] | None,
        given: Mapping[str, Any] | None,
    ) -> None:
        about = f.dynamics
        self.f, self.pushed, self.contacts, self.given = f, list(pushed), list(contacts), given
        known = {one.name: one for one in contact_rows(about)}
        wrong = [x for x in contacts if x not in known]
        if wrong:
            raise ModelError(f"there is no contact '{wrong[0]}'.{did_you_mean(wrong[0], known)}")
        rubs = [x for x in contacts if known[x].press is not None]
        if rubs:
            raise ModelError(
                f"'{rubs[0]}' is dry friction of a given bound, which never opens: it is in the efforts that a motion "
                "needs wherever it slips. Name contacts that push."
            )
        self.closed = [known[x] for x in contacts]
        self.names = list(about.rows.names) if about.closed else []
        self.strong = np.array([float((strengths or {}).get(x, 1.0)) for x in pushed])
        self.push = np.eye(len(f.speeds))[:, [_speed(f, x) for x in pushed]] * self.strong
        parts: dict[str, list[Expr]] = {
            "mass": list(about.mass_matrix.entries),
            "right": list(about.right_side),
            "reaction": [x for row in about.rows.reaction.rows() for x in row] if about.closed else [],
            "G": [x for row in about.rows.matrix.rows() for x in row] if about.closed else [],
            "gamma": list(about.rows.gamma) if about.closed else [],
        }
        for one in self.closed:
            parts |= _parts_of(one)
        groups = [[ex.TIME], about.coordinates, about.speeds, [ex.symbol(x) for x in f.parameters]]
        flat = [x for part in parts.values() for x in part]
        self._native = compile_functions([Function("needed", groups, f.with_held(flat), constants=[3])])["needed"]
        ends = np.cumsum([0, *(len(part) for part in parts.values())])
        self._where = dict(zip(parts, pairwise(ends.tolist()), strict=True))

    def solved(self, q: Any, u: Any, udot: Any, t: float) -> Any:
        """Efforts, multipliers, then normal and slips of each contact at one state."""
        flat = np.asarray(self._native([t], q, u, self.f.parameter_vector(given=self.given)))
        part = {name: flat[a:b] for name, (a, b) in self._where.items()}
        n = len(u)
        self._check_motion(part, q, u, udot)
        need = part["mass"].reshape(n, n) @ udot - part["right"]
        columns = [self.push, part["reaction"].reshape(-1, n).T]
        cones, back, place = list[_Cone](), list[tuple[int, float]](), self.push.shape[1] + len(self.names)
        back += [(k, 1.0) for k in range(place)]
        for one in self.closed:
            normal, at = part[f"{one.name} row"].copy(), place
            back.append((at, 1.0))
            stuck, place = list[Any](), place + 1
            for k, rub in enumerate(one.rubs):
                T = part[f"{one.name} rub {k}"].reshape(len(rub.slips), n)
                friction, static = part[f"{one.name} laws {k}"]
                way = _sliding(T, part[f"{one.name} slips {k}"], part[f"{one.name} bends {k}"], u, udot)
                if way is not None:  # against its sliding, by the whole friction
                    normal -= friction * way @ T
                    back += [(at, -friction * x) for x in way]
                else:
                    cones.append(_Cone(at, place, place + len(T), float(static)))
                    back += [(place + i, 1.0) for i in range(len(T))]
                    stuck += list(T)
                    place += len(T)
            cones.append(_Cone(at, at, at, 0.0))
            columns.append(np.array([normal, *stuck]).T)
        scale = max(float(np.abs(need).max(initial=0.0)), float(np.abs(part["right"]).max(initial=0.0)))
        found = _least(np.hstack(columns), need, self.push.shape[1], cones, scale, self.f.dynamics.model.name)
        values = np.array([found[k] * share for k, share in back])
        values[: len(self.strong)] *= self.strong
        return values

    def told(self, table: Any) -> Needed:
        columns = list(table.T.tolist()) if table.ndim == 1 else list(table.T)
        efforts = {x: columns.pop(0) for x in self.pushed}
        multipliers = {x: columns.pop(0) for x in _unique(self.names)}
        forces = {}
        for one in self.closed:
            count = 1 + sum(len(rub.slips) for rub in one.rubs)
            forces[one.name] = tuple(columns.pop(0) for _ in range(count))
        return Needed(efforts, multipliers, forces)

    def _check_motion(self, part: Mapping[str, Any], q: Any, u: Any, udot: Any) -> None:
        """Accelerations that constraints forbid, or that open a contact which is said to be closed, are refused."""
        n = len(u)
        G = np.vstack([part["G"].reshape(-1, n), *(part[f"{one.name} row"][None] for one in self.closed)])
        gamma = np.concatenate([part["gamma"], *(part[f"{one.name} least"] for one in self.closed)])
        off, size = G @ udot - gamma, np.abs(G) @ np.abs(udot) + np.abs(gamma)
        for k, name in enumerate([*self.names, *self.contacts]):
            if abs(off[k]) > _BALANCE * size[k]:
                opens = k >= len(self.names)
                what = f"contact '{name}' opens or is entered" if opens else f"it breaks constraint '{name}'"
                raise ModelError(f"no efforts give this motion: {what} (an acceleration {off[k]:.3g} too much).")
        if not self.closed:
            return
        state = dict(zip((*self.f.coordinates, *self.f.speeds), (*q.tolist(), *u.tolist()), strict=True))
        units = self.f.units(state, {**self.f.held, **self.f.given, **(self.given or {})})[len(q) :]
        for one in self.closed:
            gap, reach = float(part[f"{one.name} gap"][0]), float(np.abs(part[f"{one.name} row"]) @ np.abs(units))
            if abs(gap) > _OPEN * reach:
                raise ModelError(f"contact '{one.name}' is not closed at this posture: its gap is {gap:.3g}.")


def _parts_of(one: ContactRow) -> dict[str, list[Expr]]:
    """What a closed contact adds: its gap and row, and of everything that rubs its rows, speeds and laws."""
    found = {f"{one.name} gap": [one.held], f"{one.name} row": list(one.row), f"{one.name} least": [one.least]}
    for k, rub in enumerate(one.rubs):
        found[f"{one.name} rub {k}"] = [x for slip in rub.slips for x in slip.row]
        found[f"{one.name} slips {k}"] = [slip.value for slip in rub.slips]
        found[f"{one.name} bends {k}"] = [slip.gamma for slip in rub.slips]
        found[f"{one.name} laws {k}"] = [rub.friction, rub.static]
    return found


def _sliding(T: Any, slip: Any, gamma: Any, u: Any, udot: Any) -> Any | None:
    """The direction in which a contact slides or begins to; None where it sticks."""
    for speed, size, share in (
        (slip, np.abs(T) @ np.abs(u), _STICKS),
        (T @ udot - gamma, np.abs(T) @ np.abs(udot) + np.abs(gamma), _BALANCE),
    ):
        length = float(np.sqrt(speed @ speed))
        if length > share * float(np.sqrt(size @ size)):
            return speed / length
    return None


def _unique(names: Sequence[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} {k + 1}" for k, name in enumerate(names)]


def _speed(f: CompiledMechanism, name: str) -> int:
    for speed in (name, f"{name}'"):
        if speed in f.speeds:
            return f.speeds.index(speed)
    known = [x.removesuffix("'") for x in f.speeds]
    raise ModelError(f"no effort can push '{name}'.{did_you_mean(name, known)}")


@dataclass(frozen=True, slots=True)
class _Cone:
    """|T| <= mu N, T being the columns from first to end; without columns, N >= 0."""

    normal: int
    first: int
    end: int
    mu: float

    def inside(self, x: Any) -> float:
        if self.end == self.first:
            return float(x[self.normal])
        along = x[self.first : self.end]
        return float(self.mu * x[self.normal] - np.sqrt(float(along @ along)))


def _least(A: Any, need: Any, count: int, cones: Sequence[_Cone], size: float, name: str) -> Any:
    """The least efforts that balance; without contacts by least squares, with them on their cones."""
    weights = np.full(A.shape[1], _WEAK)
    weights[:count] = 1.0
    found = np.linalg.lstsq(A / weights, need, rcond=None)[0] / weights
    if size and any(cone.inside(found) < 0 for cone in cones):
        conditions: list[dict[str, Any]] = [{"type": "eq", "fun": lambda x: A @ x - need / size, "jac": lambda x: A}]
        conditions.append({"type": "ineq", "fun": lambda x: np.array([cone.inside(x) for cone in cones])})
        made = minimize(
            lambda x: float((weights * x) @ (weights * x)),
            found / size,
            jac=lambda x: 2 * weights**2 * x,
            constraints=conditions,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-14},
        )
        found = made.x * size
    left = float(np.abs(A @ found - need).max(initial=0.0))
    if left > _BALANCE * size or any(cone.inside(found) < -_BALANCE * size for cone in cones):
        raise ModelError(
            f"no efforts give '{name}' this motion: {left:.3g} is left of {size:.3g}"
            f"{', or a contact would have to pull or to hold beyond its friction' if cones else ''}. Let more "
            "coordinates be pushed (`by`), or ask for a motion that the constraints allow."
        )
    return found
