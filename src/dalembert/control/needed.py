"""Efforts that a motion needs, where constraints and contacts carry a part of it.

    M u' - S - F = E tau + W' lambda + forces of contacts

Who carries what is not determined by the motion alone: of all that agree, the least sum of squares of the efforts, each
divided by its strength, with contacts that push and do not pull and friction inside its cone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from dalembert import expr as ex
from dalembert.codegen import CompiledMechanism, Function, compile_functions
from dalembert.contact.rows import contact_rows
from dalembert.errors import ArgumentError, ModelError
from dalembert.expr import Expr
from dalembert.mechanism import Layout, Mechanism, did_you_mean
from dalembert.presentation.told import Told

#: Share of the efforts that may be left unbalanced, and by which weights of multipliers are less than those of efforts.
_BALANCE, _WEAK = 1e-7, 1e-4


@dataclass(frozen=True, eq=False)
class Needed(Told):
    """Efforts on the named coordinates, multipliers of constraints, forces of contacts: normal, then along slips."""

    efforts: Mapping[str, float]
    multipliers: Mapping[str, float]
    contacts: Mapping[str, tuple[float, ...]]

    def __str__(self) -> str:
        lines = [f"  {x}: {v:.6g}" for x, v in {**self.efforts, **self.multipliers}.items()]
        lines += [f"  {x}: {', '.join(f'{v:.6g}' for v in f)}" for x, f in self.contacts.items()]
        return "\n".join(["efforts that this motion needs:", *lines])

    def as_dict(self) -> dict[str, Any]:
        contacts = {x: list(f) for x, f in self.contacts.items()}
        return {"efforts": dict(self.efforts), "multipliers": dict(self.multipliers), "contacts": contacts}


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
    """Efforts on the coordinates `by` that give accelerations `udot`; `contacts` are those that are closed."""
    f = CompiledMechanism(mechanism, Layout.of(mechanism, cut), given=given)
    n = len(f.speeds)
    q, u, udot = (np.asarray(x, dtype=float) for x in (q, u, udot))
    for name, x, size in (("q", q, len(f.coordinates)), ("u", u, n), ("udot", udot, n)):
        if x.shape != (size,) or not np.isfinite(x).all():
            raise ArgumentError(f"`{name}` has {size} finite numbers, not shape {x.shape}.")
    pushed = [x.removesuffix("'") for x in f.speeds] if by is None else list(by)
    speeds = [_speed(f, x) for x in pushed]
    strong = np.array([float((strengths or {}).get(x, 1.0)) for x in pushed])
    numbers = _numbers(f, q, u, t, given, contacts)
    M = np.asarray(f.mass_matrix(q, t, given=given))
    need = M @ udot - numbers["right"]
    _check_motion(f, udot, numbers, contacts)
    columns = [np.eye(n)[:, speeds] * strong, numbers["reaction"].T, *(row.T for row in numbers["rows"])]
    found = _least(np.hstack(columns), need, len(speeds), numbers, mechanism.name)
    k, m = len(speeds), numbers["reaction"].shape[0]
    efforts = dict(zip(pushed, (found[:k] * strong).tolist(), strict=True))
    multipliers = dict(zip(_unique(f.dynamics.rows.names), found[k : k + m].tolist(), strict=True)) if m else {}
    forces, place = {}, k + m
    for name, row in zip(contacts, numbers["rows"], strict=True):
        forces[name] = tuple(found[place : place + len(row)].tolist())
        place += len(row)
    return Needed(efforts, multipliers, forces)


def _unique(names: Sequence[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} {k + 1}" for k, name in enumerate(names)]


def _speed(f: CompiledMechanism, name: str) -> int:
    for speed in (name, f"{name}'"):
        if speed in f.speeds:
            return f.speeds.index(speed)
    known = [x.removesuffix("'") for x in f.speeds]
    raise ModelError(f"no effort can push '{name}'.{did_you_mean(name, known)}")


def _numbers(
    f: CompiledMechanism, q: Any, u: Any, t: float, given: Mapping[str, Any] | None, contacts: Sequence[str]
) -> dict[str, Any]:
    """S + F, rows of reactions, rows of the closed contacts (normal, then slips) and their friction."""
    about = f.dynamics
    known = {one.name: one for one in contact_rows(about)}
    wrong = [x for x in contacts if x not in known]
    if wrong:
        raise ModelError(f"there is no contact '{wrong[0]}'.{did_you_mean(wrong[0], known)}")
    chosen = [known[x] for x in contacts]
    reactions = list(about.rows.reaction.rows()) if about.closed else []
    touching = [[one.row, *(slip.row for slip in one.slips)] for one in chosen]
    asked = [*about.rows.matrix.rows(), *(one.row for one in chosen)] if about.closed else [one.row for one in chosen]
    ends = [*(about.rows.gamma if about.closed else ()), *(one.least for one in chosen)]
    parts: list[Expr] = [*ends, *(x for row in asked for x in row)]
    parts += [*about.right_side, *(x for row in reactions for x in row)]
    parts += [x for rows in touching for row in rows for x in row] + [one.contact.friction for one in chosen]
    groups = [[ex.TIME], about.coordinates, about.speeds, [ex.symbol(x) for x in f.parameters]]
    native = compile_functions([Function("needed", groups, f.with_held(parts), constants=[3])])["needed"]
    flat = np.asarray(native([t], q, u, f.parameter_vector(given=given)))
    n, k = len(about.speeds), len(ends)
    gamma, G, flat = flat[:k], flat[k : k + k * n].reshape(k, n), flat[k + k * n :]
    right, rest = flat[:n], flat[n:]
    W, rest = rest[: n * len(reactions)].reshape(-1, n), rest[n * len(reactions) :]
    rows = []
    for one in touching:
        rows.append(rest[: n * len(one)].reshape(-1, n))
        rest = rest[n * len(one) :]
    return {"right": right, "reaction": W, "rows": rows, "friction": rest, "G": G, "gamma": gamma}


def _check_motion(f: CompiledMechanism, udot: Any, numbers: Mapping[str, Any], contacts: Sequence[str]) -> None:
    """Accelerations that constraints do not allow, or that open a contact which is said to be closed, are refused."""
    G, gamma = numbers["G"], numbers["gamma"]
    off = G @ udot - gamma
    size = np.abs(G) @ np.abs(udot) + np.abs(gamma)
    names = [*(f.dynamics.rows.names if f.dynamics.closed else ()), *contacts]
    for k, name in enumerate(names):
        if abs(off[k]) > _BALANCE * size[k]:
            what = (
                f"contact '{name}' opens or is entered"
                if k >= len(names) - len(contacts)
                else f"it breaks constraint '{name}'"
            )
            raise ModelError(f"no efforts give this motion: {what} (an acceleration {off[k]:.3g} too much).")


def _least(A: Any, need: Any, count: int, numbers: Mapping[str, Any], name: str) -> Any:
    """The least efforts that balance; without contacts by least squares, with them on their cones."""
    weights = np.full(A.shape[1], _WEAK)
    weights[:count] = 1.0
    size = max(float(np.abs(need).max(initial=0.0)), float(np.abs(numbers["right"]).max(initial=0.0)))
    found = np.linalg.lstsq(A / weights, need, rcond=None)[0] / weights
    cones, place = [], count + numbers["reaction"].shape[0]
    for row, mu in zip(numbers["rows"], numbers["friction"], strict=True):
        cones.append((place, place + len(row), float(mu)))
        place += len(row)
    inside = all(_inside(found, cone) >= 0 and found[cone[0]] >= 0 for cone in cones)
    if cones and not inside and size:
        scale = size
        conditions: list[dict[str, Any]] = [{"type": "eq", "fun": lambda x: A @ x - need / scale, "jac": lambda x: A}]
        for cone in cones:
            conditions.append({"type": "ineq", "fun": lambda x, c=cone: np.array([x[c[0]], _inside(x, c)])})
        made = minimize(
            lambda x: float((weights * x) @ (weights * x)),
            found / scale,
            jac=lambda x: 2 * weights**2 * x,
            constraints=conditions,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-14},
        )
        found = made.x * scale
    left = float(np.abs(A @ found - need).max(initial=0.0))
    bad = [
        cone for cone in cones if found[cone[0]] < -_BALANCE * size or _inside(found / (size or 1.0), cone) < -_BALANCE
    ]
    if left > _BALANCE * size or bad:
        raise ModelError(
            f"no efforts give '{name}' this motion: {left:.3g} is left of {size:.3g}"
            f"{', or a contact would have to pull or to hold beyond its friction' if cones else ''}. Let more "
            "coordinates be pushed (`by`), or ask for a motion that the constraints allow."
        )
    return found


def _inside(x: Any, cone: tuple[int, int, float]) -> float:
    """Positive inside the cone of friction: mu N - |T|."""
    first, end, mu = cone
    return float(mu * x[first] - np.sqrt(float(x[first + 1 : end] @ x[first + 1 : end]))) if end > first + 1 else 0.0
