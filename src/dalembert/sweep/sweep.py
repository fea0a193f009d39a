"""Run a plan chunk by chunk, here on all cores or on a cluster; what is done is kept."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism
from dalembert.simulate.loop.attention import progress_bar
from dalembert.sweep.about import read_about
from dalembert.sweep.cluster import on_cluster
from dalembert.sweep.design import Design
from dalembert.sweep.plan import Plan, Table, course, plan_of
from dalembert.sweep.store import Store, read_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Sweep:
    """The table of a sweep: `sw["max(x)"]` is a column, a row for each case in order.

    `status` is that of each motion (0 the end, 1 an event, -1 a failure: its measures are NaN), `varied` and `measures`
    name columns; of what was kept, `sw["x (t)"]` has a row of values at `times` for each case, NaN after the end of its
    motion. `complete` is false when it was interrupted.
    """

    name: str
    varied: tuple[str, ...]
    measures: tuple[str, ...]
    table: Table = field(repr=False)
    cases: int
    seconds: float = 0.0
    place: Path | None = None
    times: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    before: int = 0  # cases that were there when this run began

    def __len__(self) -> int:
        return len(self.table["case"])

    def __getitem__(self, column: str) -> np.ndarray:
        if column not in self.table:
            raise ModelError(f"the sweep has no column '{column}'; it has {', '.join(self.table)}.")
        return self.table[column]

    @property
    def complete(self) -> bool:
        return len(self) == self.cases

    @property
    def failures(self) -> int:
        return int((self.table["status"] < 0).sum())

    @staticmethod
    def load(place: str | os.PathLike[str]) -> Sweep:
        """What a folder holds so far."""
        folder = Path(place)
        about, table = read_about(folder), read_table(folder)
        others = {"case", "status", "t_last", *about.varied, *map(course, about.kept)}
        measures = tuple(x for x in about.columns if x not in others)
        times = np.linspace(*about.times)
        return Sweep(about.mechanism, about.varied, measures, table, about.cases, place=folder, times=times)

    def __str__(self) -> str:
        """A summary: how many, how quick, and where each measure lies."""
        if not len(self):
            return f"{self.name}: none of {self.cases} cases is done"
        made = len(self) - self.before
        rate = f", {made / self.seconds:.3g} a second" if self.seconds and made else ""
        failed = f", {self.failures} failed" if self.failures else ""
        lines = [f"{self.name}: {len(self)} of {self.cases} cases{rate}{failed}"]
        width = max((len(x) for x in self.measures), default=0)
        lines.append(f"{'':{width}}  {'least':>12} {'median':>12} {'mean':>12} {'greatest':>12}")
        for name in self.measures:
            whole = self.table[name][self.table["status"] >= 0]
            values = whole[np.isfinite(whole)]
            row = [values.min(), np.median(values), values.mean(), values.max()] if len(values) else []
            without = len(whole) - len(values)
            word = f"  ({without} of {len(whole)} motions have no such number)" if without else ""
            lines.append(f"{name:{width}}  " + (" ".join(f"{x:12.6g}" for x in row) or f"{'no number':>12}") + word)
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "mechanism": self.name,
            "cases": self.cases,
            "done": len(self),
            "failures": self.failures,
            "times": self.times.tolist(),
            "columns": {name: _plain(values) for name, values in self.table.items()},
        }

    def plot(self, measure: str | None = None) -> Figure:
        """A measure over what varies: a curve or points for each variable, of failures nothing."""
        import matplotlib.pyplot as plt

        chosen = measure or self.measures[0]
        values = self[chosen]
        figure, axes = plt.subplots(
            1, len(self.varied), figsize=(4.5 * len(self.varied), 3.5), sharey=True, squeeze=False, layout="constrained"
        )
        some = np.linspace(0, len(self) - 1, min(len(self), 20_000)).astype(int)
        for axis, name in zip(axes[0], self.varied, strict=True):
            line = len(self.varied) == 1 and len(self) < 2000
            order = some[np.argsort(self[name][some], kind="stable")]
            axis.plot(self[name][order], values[order], "-" if line else ".", markersize=2, linewidth=1.2, alpha=0.8)
            axis.set_xlabel(name)
            axis.grid(alpha=0.3)
        axes[0][0].set_ylabel(chosen)
        figure.suptitle(f"{self.name}: {len(self)} cases")
        return figure

    def page(self, path: str | os.PathLike[str]) -> Path:
        """Summary and pictures of all measures as one HTML file that loads nothing from elsewhere."""
        from dalembert.sweep.page import write_page

        return write_page(self, path)


def sweep(
    mechanism: Mechanism,
    t_span: tuple[float, float],
    vary: Mapping[str, Any],
    measures: str | Sequence[str],
    *,
    samples: int | None = None,
    design: str = "random",
    seed: int = 0,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    events: str | Sequence[str] | None = None,
    method: str = "auto",
    instants: int = 201,
    rtol: float = 1e-8,
    atol: float | None = None,
    cut: Collection[str] = (),
    keep: str | Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    cluster: str | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Motions for many parameters and starts, on all cores, and numbers of each.

    `vary` names parameters and starts: `{"m": "1:3:100", "elbow.th": "uniform(0, 1)"}`, or lists of numbers; every
    combination of the grids, each with `samples` draws (`design`: random, sobol, halton, latin). `measures` are
    formulas with max, min, mean, rms, first and final of what a motion can tell, looked for between `instants`.
    `events` end a motion: `final(t)` is when. `keep` are formulas whose values at all `instants` are kept. `out`
    keeps chunks in a folder as they are done; `resume` goes on there, to the same bits. `cluster` is the address of a
    Dask scheduler.
    """
    plan = plan_of(
        mechanism,
        t_span,
        Design.of(vary, samples, design, seed),
        measures,
        start=start,
        given=given,
        events=events,
        method=method,
        instants=instants,
        rtol=rtol,
        atol=atol,
        cut=cut,
        keep=keep,
    )
    if resume and out is None:
        raise ModelError("there is nothing to resume: say in which folder the sweep is (out=...).")
    store = None if out is None else Store(Path(out), plan, resume)
    todo = list(range(plan.chunks)) if store is None else store.missing()
    began, tables = time.monotonic(), dict[int, Table]()
    with progress_bar(len(plan.design), f"sweep of {mechanism.name}", progress) as bar:
        done = len(plan.design) - sum(_rows(plan, k) for k in todo)
        before = done  # of a sweep that is resumed
        try:
            for k, table in _computed(plan, todo, cluster, threads):
                if store is None:
                    tables[k] = table
                else:
                    store.write(k, table)
                done += len(table["case"])
                bar.update(done, f"{(done - before) / (time.monotonic() - began):.0f} a second")
        except KeyboardInterrupt:
            if store is None:
                raise
    spent = time.monotonic() - began
    if store is not None:
        table = read_table(store.place)
    else:
        table = {name: np.concatenate([tables[k][name] for k in range(plan.chunks)]) for name in plan.columns}
    place = None if store is None else store.place
    times = np.linspace(*plan.t_span, plan.instants)
    return Sweep(mechanism.name, plan.design.names, plan.measures, table, len(plan.design), spent, place, times, before)


def _plain(values: np.ndarray) -> list[Any]:
    """Lists for JSON, which has no word for what is no number."""
    told = values.astype(object)
    told[~np.isfinite(values)] = None
    found: list[Any] = told.tolist()
    return found


def _rows(plan: Plan, k: int) -> int:
    return min((k + 1) * plan.chunk, len(plan.design)) - k * plan.chunk


def _computed(plan: Plan, todo: Sequence[int], cluster: str | None, threads: int | None) -> Iterator[tuple[int, Table]]:
    if cluster is None:
        for k in todo:
            yield k, plan.run(k, threads)
        return
    yield from on_cluster(plan, todo, cluster, threads)
