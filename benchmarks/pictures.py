"""Pictures of benchmarks: work-precision diagrams, and growth with size on two logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

Row = dict[str, Any]
_OURS = {"DOPRI5": "#9ecae1", "DOP853": "#4292c6", "VERNER98": "#08306b", "taylor": "#17becf"}
_OURS |= {"auto": "#9ecae1", "RODAS4": "#4292c6", "RADAU5": "#08306b", "RADAU9": "#2171b5"}
_PEERS = {  # Pinocchio first: its dynamics are integrated by SciPy
    "Pinocchio": "#b8860b",
    "SciPy": "#e6550d",
    "heyoka": "#31a354",
    "diffrax": "#756bb1",
    "MuJoCo": "#d62728",
    "Exudyn": "#8c564b",
}
_LEAST = 1e-14
"""Errors below are rounding."""


def style(curve: str, order: int) -> dict[str, Any]:
    """Blues for our own curves, one colour for each peer, a marker for each curve."""
    if "dalembert" in curve:
        colour = next((c for name, c in _OURS.items() if curve.endswith(name)), "#08306b")
        return {"color": colour, "linewidth": 1.8, "marker": "osD^"[order % 4]}
    colour = next((c for name, c in _PEERS.items() if name in curve), "grey")
    dashed = "--" if curve.endswith("LSODA") else "-"
    return {"color": colour, "linewidth": 1.1, "marker": ".xv+"[order % 4], "linestyle": dashed}


def work_precision(rows: Sequence[Row]) -> Figure:
    """A panel for each machine: left and low is better."""
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    wide = min(2, len(machines))
    high = math.ceil(len(machines) / wide)
    figure = Figure(figsize=(5.6 * wide, 4.6 * high), layout="constrained")
    for k, machine in enumerate(machines):
        axes = figure.add_subplot(high, wide, k + 1)
        mine = [row for row in rows if row["machine"] == machine]
        for order, curve in enumerate(dict.fromkeys(row["integrator"] for row in mine)):
            points = [row for row in mine if row["integrator"] == curve and row["error"] < 1]
            errors = [max(row["error"], _LEAST) for row in points]
            axes.loglog(errors, [row["seconds"] for row in points], label=curve, markersize=4, **style(curve, order))
        axes.invert_xaxis()
        axes.set_title(machine)
        axes.set_xlabel("error at the end")
        axes.set_ylabel("CPU seconds")
        axes.grid(which="major", alpha=0.3)
        axes.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    return figure


def growth(rows: Sequence[Row], size: str, value: str, by: str, title: str) -> Figure:
    """`value` against `size`, a line for each `by`."""
    figure = Figure(figsize=(5.6, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for order, curve in enumerate(dict.fromkeys(str(row[by]) for row in rows)):
        points = sorted((row[size], row[value]) for row in rows if str(row[by]) == curve and row[value] > 0)
        axes.loglog(*zip(*points, strict=True), label=curve, markersize=4, **style(curve, order)) if points else None
    axes.set_title(title)
    axes.set_xlabel(size)
    axes.set_ylabel(value)
    axes.grid(which="major", alpha=0.3)
    axes.legend(fontsize=7)
    return figure
