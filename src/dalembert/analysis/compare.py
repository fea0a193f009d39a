"""All formalisms on one mechanism: cost of the derivation, size of the equations, and how far their motions differ."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.dynamics.start import closed_start
from dalembert.errors import DalembertError
from dalembert.expr import Expr, Matrix
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.registry import derive, find_formalism, formalism_names
from dalembert.loops.mobility import mobility
from dalembert.mechanism import Layout, QuaternionTurn
from dalembert.presentation.told import Told

#: Papegay's figures for his satellite (chapter 2; Maple V on a DECstation 5000/200): seconds and megabytes allocated.
THESIS = {
    "newton-euler": (1734.75, 10.7, "newton3"),
    "dalembert": (938.13, 6.68, "dalembert2"),
    "lagrange": (315.67, 4.52, "lagrange"),
    "hamilton": (None, 52.2, "hamilton2, given up after 12309 s"),
    "kane": (144.6, 3.21, "kaneintro + kane"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One formalism: `equations` counts scalar equations, `operations` are those of M, S and F after sharing.

    `disagreement` is the largest relative difference of accelerations from any other formalism, over random states.
    `memory` is the peak of the derivation in megabytes, when it was measured. A formalism that refuses the mechanism
    has the reason in `error`.
    """

    name: str
    seconds: float
    operations: int
    equations: int
    unknowns: int  # reactions that are written: eliminated ones of Newton-Euler, multipliers of closed loops
    disagreement: float
    memory: float | None
    thesis_seconds: float | None
    thesis_memory: float | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison(Told):
    """The table: `str(...)` for people, `as_dict()` for machines."""

    mechanism: str
    dof: int
    states: int
    counted: str  # how the degrees of freedom were counted
    speeds: int  # in which the equations are written
    formalisms: tuple[Row, ...]

    @property
    def disagreement(self) -> float:
        return max((row.disagreement for row in self.formalisms), default=0.0)

    @property
    def seconds(self) -> float:
        return sum(row.seconds for row in self.formalisms)

    def as_dict(self) -> dict[str, Any]:
        return {
            "mechanism": self.mechanism,
            "dof": self.dof,
            "dof_counted": self.counted,
            "speeds": self.speeds,
            "states": self.states,
            "seconds": self.seconds,
            "disagreement": self.disagreement,
            "formalisms": [asdict(row) for row in self.formalisms],
        }

    def __str__(self) -> str:
        titles = ("equations", 9), ("unknowns", 8), ("operations", 10), ("seconds", 8), ("MB", 7), ("disagreement", 12)
        head = f"{'formalism':15} " + " ".join(f"{name:>{width}}" for name, width in titles)
        closed = f" ({self.counted}) in {self.speeds} speeds" if self.dof != self.speeds else ""
        noun = "degree" if self.dof == 1 else "degrees"
        lines = [f"{self.mechanism}: {self.dof} {noun} of freedom{closed}, {self.states} random states", head]
        for row in self.formalisms:
            if row.error is not None:
                lines.append(f"{row.name:15} refused: {row.error}")
                continue
            memory = "" if row.memory is None else f"{row.memory:.2f}"
            lines.append(
                f"{row.name:15} {row.equations:9d} {row.unknowns:8d} {row.operations:10d} {row.seconds:8.3f} "
                f"{memory:>7} {row.disagreement:12.1e}"
            )
        lines.append(f"{'total':15} {'':9} {'':8} {'':10} {self.seconds:8.3f} {'':7} {self.disagreement:12.1e}")
        return "\n".join(lines)


def compare(
    layout: Layout, names: Sequence[str] | None = None, *, states: int = 5, seed: int = 0, memory: bool = False
) -> Comparison:
    """Derive by every formalism and compare accelerations at random states.

    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> link = m.join(earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), revolute("x"), name="pivot")
    >>> compare(Layout.of(m), ["kane", "lagrange"]).disagreement < 1e-9
    True
    """
    names = list(names or formalism_names())
    for name in names:
        find_formalism(name)  # modules are loaded before the clock starts
    derived: list[tuple[str, Equations, float, float | None]] = []
    rows: list[Row] = []
    for name in names:
        try:
            derived.append((name, *_timed(layout, name, memory)))
        except DalembertError as error:
            rows.append(Row(name, 0.0, 0, 0, 0, 0.0, None, None, None, str(error)))
    points = [random_state(layout, [eq for _, eq, _, _ in derived], seed + k) for k in range(states)]
    found = {name: [accelerations(eq, point) for point in points] for name, eq, _, _ in derived}
    for name, eq, seconds, peak in derived:
        thesis = THESIS.get(name, (None, None, "")) if layout.model.name.startswith("satellite") else (None,) * 3
        pairs = [pair for other in found.values() for pair in zip(found[name], other, strict=True)]
        gap = max((_gap(a, b) for a, b in pairs), default=0.0)
        unknowns = sum(6 - len(one.link.speeds) for one in layout.tree) if name == "newton-euler" else 0
        count, unknowns = len(eq.speeds) + len(eq.gamma), unknowns + len(eq.gamma)
        rows.append(
            Row(name, seconds, eq.operations, count, unknowns, gap, peak, thesis[0], thesis[1])  # type: ignore[arg-type]
        )
    rows.sort(key=lambda row: names.index(row.name))
    dof, counted = freedoms(layout, [eq for _, eq, _, _ in derived], points)
    return Comparison(layout.model.name, dof, states, counted, len(layout.speeds), tuple(rows))


def freedoms(layout: Layout, equations: Sequence[Equations], points: Sequence[Mapping[Expr, float]]) -> tuple[int, str]:
    """True degrees of freedom: by the verdict on the mobility, or by rank where there are no numbers to close loops."""
    n = len(layout.speeds)
    if not layout.constraints:
        return n, "a tree"
    try:
        verdict = mobility(layout)
    except DalembertError:
        rows = [eq.constraint for eq in equations if eq.constraint is not None]
        ranks = [_rank(rows[0], point) for point in points] if rows else []
        return n - max(ranks, default=0), "speeds less the rank of the rows at random postures"
    if verdict.dof is None:
        return verdict.upper, f"by mobility at most, at least {verdict.lower}"
    return verdict.dof, "by mobility"


def _rank(rows: Matrix, point: Mapping[Expr, float]) -> int:
    import numpy as np

    found = np.array(ex.evaluate(list(rows.entries), dict(point)), dtype=float).reshape(rows.shape)
    return int(np.linalg.matrix_rank(found))


def _timed(layout: Layout, name: str, memory: bool) -> tuple[Equations, float, float | None]:
    """Equations and the time of their derivation; the peak of memory comes from a second run, which is slower."""
    start = time.perf_counter()
    eq = derive(layout, name)
    seconds = time.perf_counter() - start
    if not memory:
        return eq, seconds, None
    del eq
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    eq = derive(layout, name)
    peak = (tracemalloc.get_traced_memory()[1] - before) / 1e6
    if not running:
        tracemalloc.stop()
    return eq, seconds, peak


def accelerations(eq: Equations, state: Mapping[Expr, float]) -> list[float]:
    """u' in numbers: solved in floating point, so that no symbolic factor hides a fault of the equations.

    With closed loops M u' - D^T lambda = S + F, D u' = gamma, in least squares where rows depend on others.
    """
    import numpy as np

    n = len(eq.speeds)
    rows = [] if eq.constraint is None else list(eq.constraint.entries)
    entries = [*eq.mass_matrix.entries, *rows, *eq.right_side, *eq.gamma]
    values = np.array(ex.evaluate(entries, dict(state)), dtype=float)
    if not n:
        return []
    m = len(eq.gamma)
    mass, bound = values[: n * n].reshape(n, n), values[n * n : n * n + m * n].reshape(m, n)
    whole = np.block([[mass, -bound.T], [bound, np.zeros((m, m))]])
    return [float(x) for x in np.linalg.lstsq(whole, values[n * n + m * n :], rcond=None)[0][:n]]


def _gap(a: Sequence[float], b: Sequence[float]) -> float:
    scale = max((abs(x) for x in (*a, *b)), default=0.0)
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0) / (scale or 1.0)


def random_state(layout: Layout, equations: Sequence[Equations], seed: int) -> dict[Expr, float]:
    """Values of every symbol and unknown function: given ones as given, quaternions of unit norm, the rest random."""
    rng = random.Random(seed)
    exprs = [x for eq in equations for x in (*eq.mass_matrix.entries, *eq.right_side, *eq.gamma)]
    exprs += [x for eq in equations if eq.rows is not None for x in (*eq.rows.matrix.entries, *eq.rows.conditions)]
    names = sorted({x.name for x in ex.free_symbols(exprs)} | {*layout.state.names})
    state = {ex.symbol(x): rng.uniform(0.3, 1.3) for x in names}
    state |= {ex.symbol(x): float(v) for x, v in layout.model.given.items() if x in names}
    for link in layout.model.links.values():
        for step in link.placed_steps():
            for one in step.displacement.turns:
                if isinstance(one, QuaternionTurn) and all(x in state for x in one.components):
                    norm = sum(state[x] ** 2 for x in one.components) ** 0.5
                    state |= {x: state[x] / norm for x in one.components}
    state |= {e: rng.uniform(-1, 1) for e in _unknown(exprs, state)}
    closed = next((eq for eq in equations if eq.rows is not None), None)
    return state if closed is None else _closed_state(closed, state)


def _closed_state(eq: Equations, state: dict[Expr, float]) -> dict[Expr, float]:
    """The closed start of the machine with the nearest speeds that its rows allow; as it is where numbers lack."""
    import numpy as np

    assert eq.rows is not None
    try:
        start = closed_start(eq.layout).values
    except DalembertError:
        return state
    state = state | {ex.symbol(x): float(start[x]) for x in eq.layout.state.coordinates} | {ex.TIME: 0.0}
    values = np.array(ex.evaluate([*eq.rows.matrix.entries, *eq.rows.conditions], state), dtype=float)
    rows, asked = values[: -len(eq.rows)].reshape(eq.rows.matrix.shape), values[-len(eq.rows) :]
    change = np.linalg.lstsq(rows, -asked, rcond=None)[0]
    return state | {u: state[u] + float(d) for u, d in zip(eq.tree.speeds, change, strict=True)}


def _unknown(exprs: Sequence[Expr], state: Mapping[Expr, float]) -> list[Expr]:
    """Applications of unknown functions, in a stable order."""
    return sorted((e for e in ex.topological(exprs) if e.op == "apply"), key=ex.text)
