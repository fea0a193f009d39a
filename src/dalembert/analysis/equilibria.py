"""Equilibria and steady motions: where the forces balance at given speeds, and whether they are stable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Matrix
from dalembert.formalisms.equations import Equations
from dalembert.mechanism import QuaternionTurn, Turn

SMALL = 1e-9


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """One equilibrium: coordinates, eigenvalues of the small motions about it, and the verdict.

    `stability` is "unstable", "asymptotically stable", "stable" (minimum of the potential, Lagrange-Dirichlet) or
    "undecided" (the linear equations do not tell).
    """

    coordinates: dict[str, float]
    speeds: dict[str, float]
    eigenvalues: tuple[complex, ...]
    stability: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "coordinates": self.coordinates,
            "speeds": self.speeds,
            "eigenvalues": [[z.real, z.imag] for z in self.eigenvalues],
            "stability": self.stability,
        }


@dataclass(frozen=True)
class _Balance:
    """S + F at constant speeds, its slopes along the speeds, and M, all in coordinates and numbers."""

    eq: Equations
    values: dict[Expr, float]
    residual: list[Expr]
    slopes: Matrix  # d(S + F)/dq P
    damping: Matrix
    directions: Matrix  # P
    mass: Matrix

    def at(self, q: Any, exprs: Any, shape: tuple[int, ...]) -> Any:
        """Values at several configurations at once: the last axis of q counts them."""
        import numpy as np

        given = {x: q[i] for i, x in enumerate(self.eq.tree.coordinates)}
        found = ex.evaluate(list(exprs), {**self.values, **given})
        count = q.shape[1]
        stacked = np.array([np.broadcast_to(x, (count,)) for x in found], dtype=float).reshape(-1, count)
        return np.moveaxis(stacked, 1, 0).reshape((count, *shape))


def equilibria(
    eq: Equations,
    values: Mapping[str, float] | None = None,
    *,
    speeds: Mapping[str, float] | None = None,
    around: Mapping[str, float] | None = None,
    spread: float = 3.2,
    starts: int = 120,
    seed: int = 0,
) -> list[Equilibrium]:
    """Every equilibrium that Newton's method finds from random configurations, the stable ones first.

    Configurations where the coordinates are singular are left out. Of a family of equilibria (a ball on a table) the
    members nearest the centre of the search stand for it.

    `values` gives the parameters (those `given` in the mechanism are known); `speeds` asks for a steady motion at these
    constant speeds; the search starts within `spread` of the configuration `around` (zero unless said).

    >>> from dalembert.formalisms import derive
    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> link = m.join(earth, m.body("bob", mass=1, centre=[0, 0, -1]), revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, -10]
    >>> [(round(e.coordinates["pivot.th"], 3), e.stability) for e in equilibria(derive(Layout.of(m), "kane"))]
    [(0.0, 'stable'), (3.142, 'unstable')]
    """
    import numpy as np

    eq.require_tree("equilibria")
    balance = _balance(eq, values or {}, speeds or {})
    n = len(eq.coordinates)
    rng = np.random.default_rng(seed)
    centre = np.array([float((around or {}).get(x, 0.0)) for x in eq.coordinates])
    groups = _quaternions(eq)
    for group in groups:
        if not np.any(centre[group]):
            centre[group[0]] = 1.0  # no rotation
    q = centre[:, None] + rng.uniform(-spread, spread, (n, starts))
    q[:, 0] = centre
    idle = _idle(balance, q)
    q[idle] = centre[idle, None]
    q = _newton(balance, _unit(q, groups), groups, centre)
    found: list[Equilibrium] = []
    seen: list[Any] = []
    angles = _angles(eq)
    for column in q.T:
        if not np.all(np.isfinite(column)):
            continue
        column = _reduced(column, angles)
        if any(_same(column, other, angles) for other in seen):
            continue
        seen.append(column)
        if _is_regular(balance, column):
            found.append(_judged(balance, column))
    order = {"asymptotically stable": 0, "stable": 1, "undecided": 2, "unstable": 3}
    return sorted(found, key=lambda e: (order[e.stability], *e.coordinates.values()))


def _balance(eq: Equations, values: Mapping[str, float], speeds: Mapping[str, float]) -> _Balance:
    tree = eq.tree
    known = {**eq.tree.layout.model.given, **values}
    missing = [x for x in eq.parameters if x not in known]
    if missing:
        raise ModelError(
            f"the parameters {', '.join(missing)} need values to find equilibria. Give them with `values`."
        )
    q, u = list(tree.coordinates), list(tree.speeds)
    right = list(eq.right_side)
    if ex.unknown_functions(right):
        raise ModelError(
            f"the law {sorted(ex.unknown_functions(right))[0]} is unknown. Define it before looking for equilibria."
        )
    n, k = len(q), len(u)
    own = list(eq.rates)
    directions = Matrix(ex.jacobian(own, u) if u else [[] for _ in own], (n, k))
    slopes = Matrix(ex.jacobian(right, q) if q and right else [[] for _ in right], (k, n)) @ directions
    damping = Matrix(ex.jacobian(right, u) if u else [], (k, k))
    given = {x: float(speeds.get(x.name, 0.0)) for x in u}
    constants = {ex.symbol(x): float(v) for x, v in known.items()} | {ex.TIME: float(known.get("t", 0.0))}
    return _Balance(eq, {**constants, **given}, right, slopes, damping, directions, eq.mass_matrix)


def _newton(balance: _Balance, q: Any, groups: list[list[int]], centre: Any) -> Any:
    """Newton steps along the speeds from all starts at once; starts that do not settle become nan."""
    import numpy as np

    k = len(balance.eq.speeds)
    for count in range(90):
        right = balance.at(q, balance.residual, (k,))
        slopes = balance.at(q, balance.slopes.entries, (k, k))
        directions = balance.at(q, balance.directions.entries, balance.directions.shape)
        good = np.isfinite(right).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
        inverse = np.linalg.pinv(slopes[good], rcond=1e-8)
        step = np.zeros((q.shape[1], k))
        step[good] = np.einsum("sij,sj->si", inverse, -right[good])
        if 45 <= count < 80:
            # Where equilibria form a family, slide along it to the member nearest the centre of the search.
            wanted = np.einsum("sij,js->si", np.linalg.pinv(directions[good]), (centre[:, None] - q)[:, good])
            along = np.einsum("sij,sjk->sik", inverse, slopes[good])
            step[good] += wanted - np.einsum("sij,sj->si", along, wanted)
        size = np.abs(step).max(axis=1, initial=0.0)
        step *= np.minimum(1.0, 1.0 / np.maximum(size, 1e-300))[:, None]  # never more than a radian (or metre) at once
        q = _unit(q + np.einsum("sij,sj->is", directions, step), groups)
    right = balance.at(q, balance.residual, (k,))
    scale = 1 + np.abs(balance.at(q, balance.mass.entries, (k * k,))).max(axis=1, initial=0.0)
    lost = ~(np.abs(right).max(axis=1, initial=0.0) < 1e-7 * scale)
    q[:, lost] = np.nan
    return q


def _is_regular(balance: _Balance, q: Any) -> bool:
    """Where M is singular the coordinates are (gimbal lock): efforts vanish there without any balance of forces."""
    import numpy as np

    k = len(balance.eq.speeds)
    return k > 0 and bool(np.linalg.cond(balance.at(q[:, None], balance.mass.entries, (k, k))[0]) < 1e8)


def _judged(balance: _Balance, q: Any) -> Equilibrium:
    """Small motions about one equilibrium, in deviations along the speeds."""
    import numpy as np

    k = len(balance.eq.speeds)
    point = q[:, None]
    mass = balance.at(point, balance.mass.entries, (k, k))[0]
    slopes = balance.at(point, balance.slopes.entries, (k, k))[0]
    damping = balance.at(point, balance.damping.entries, (k, k))[0]
    speeds = {u.name: balance.values[u] for u in balance.eq.tree.speeds}
    coordinates = dict(zip(balance.eq.coordinates, (float(x) for x in q), strict=True))
    lower = np.linalg.solve(mass, np.hstack([slopes, damping]))
    values = np.linalg.eigvals(np.vstack([np.hstack([np.zeros((k, k)), np.eye(k)]), lower]))
    values = values[np.lexsort((values.imag, -values.real))]
    verdict = _verdict(values, slopes, damping)
    return Equilibrium(coordinates, speeds, tuple(complex(z) for z in values), verdict)


def _verdict(values: Any, slopes: Any, damping: Any) -> str:
    import numpy as np

    scale = 1 + np.abs(values).max(initial=0.0)
    top = values.real.max(initial=-np.inf)
    if top > 1e-6 * scale:
        return "unstable"
    if len(values) and top < -1e-6 * scale:
        return "asymptotically stable"
    stiffness = -(slopes + slopes.T) / 2
    symmetric = np.abs(slopes - slopes.T).max(initial=0.0) < 1e-7 * (1 + np.abs(slopes).max(initial=0.0))
    passive = np.linalg.eigvalsh(-(damping + damping.T) / 2).min(initial=0.0) > -1e-9
    if symmetric and passive and np.linalg.eigvalsh(stiffness).min(initial=np.inf) > 1e-9:
        return "stable"
    return "undecided"


def _idle(balance: _Balance, q: Any) -> list[int]:
    """Coordinates on which the balance does not depend: they stay where the search is centred."""
    used = ex.free_symbols(balance.residual)
    return [i for i, x in enumerate(balance.eq.tree.coordinates) if x not in used]


def _placed_turns(eq: Equations) -> list[Any]:
    links = [one.link for one in eq.tree.layout.tree]
    return [one for link in links for step in link.placed_steps() for one in step.displacement.turns]


def _angles(eq: Equations) -> list[int]:
    """Coordinates that are angles of turns and nothing else."""
    turned = {one.angle for one in _placed_turns(eq) if isinstance(one, Turn)}
    moved = ex.free_symbols(
        [x for one in eq.tree.layout.tree for step in one.link.placed_steps() for x in step.displacement.translation]
    )
    efforts = ex.free_symbols([e for one in eq.tree.layout.tree for e in one.link.placed_efforts().values()])
    plain = turned - moved - efforts
    return [i for i, x in enumerate(eq.tree.coordinates) if x in plain]


def _quaternions(eq: Equations) -> list[list[int]]:
    place = {x: i for i, x in enumerate(eq.tree.coordinates)}
    turns = [one for one in _placed_turns(eq) if isinstance(one, QuaternionTurn)]
    return [[place[x] for x in one.components] for one in turns if all(x in place for x in one.components)]


def _unit(q: Any, groups: list[list[int]]) -> Any:
    import numpy as np

    for group in groups:
        q[group] = q[group] / np.maximum(np.sqrt((q[group] ** 2).sum(axis=0)), 1e-300)
    return q


def _reduced(column: Any, angles: list[int]) -> Any:
    """Angles in ]-pi, pi], tiny numbers as zero."""
    import numpy as np

    found = column.copy()
    for i in angles:
        found[i] = np.pi - np.mod(np.pi - found[i], 2 * np.pi)
        if found[i] < -np.pi + 1e-6:
            found[i] += 2 * np.pi
    found[np.abs(found) < SMALL] = 0.0
    return found


def _same(a: Any, b: Any, angles: list[int]) -> bool:
    import numpy as np

    gap = np.abs(a - b)
    for i in angles:
        gap[i] = np.abs(np.angle(np.exp(1j * gap[i])))
    return bool(gap.max(initial=0.0) < 1e-5)
