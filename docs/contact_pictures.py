"""Writes the picture of docs/contact.md: states of the contacts of the woodpecker toy over four hops."""

from __future__ import annotations

from pathlib import Path

import matplotlib

import dalembert as da

matplotlib.use("Agg")
HERE = Path(__file__).parent

if __name__ == "__main__":
    toy = da.load(HERE.parent / "examples" / "contact" / "woodpecker.lsd")
    figure = toy.simulate((0, 0.6), impacts="newton").plot_contacts()
    figure.savefig(HERE / "_static" / "contact_states.png", dpi=90)
