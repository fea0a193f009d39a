"""Colours that tell bodies and curves apart, for people with any kind of colour vision, on light and dark ground."""

from __future__ import annotations

from typing import Any

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#8073ac")
"""Paul Tol's bright scheme, and two more."""

GREY = "#8a8f98"


def colour(number: int) -> str:
    """The colour of the body or curve with this number; they repeat after eight."""
    return COLOURS[number % len(COLOURS)]


def plain(text: str) -> str:
    """Text that matplotlib shows as it is: between two dollars it would set mathematics."""
    return text.replace("$", r"\$")


def style() -> dict[Any, Any]:
    """Matplotlib settings of the house: quiet axes, thin grid, legible sizes."""
    from cycler import cycler

    return {
        "axes.prop_cycle": cycler(color=COLOURS),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": GREY,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 10,
        "grid.color": GREY,
        "grid.alpha": 0.22,
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.6,
        "legend.frameon": False,
        "legend.fontsize": 9,
        "xtick.color": "#555a62",
        "ytick.color": "#555a62",
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
        "figure.dpi": 110,
        "savefig.dpi": 150,
        "savefig.bbox": "tight",
        "font.family": "sans-serif",
    }
