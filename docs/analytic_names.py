"""Write the index of docs/analytic.md from the code: `python docs/analytic_names.py`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from dalembert import analytic as an

CHAPTER = Path(__file__).with_name("analytic.md")
BEGIN, END = "<!-- names -->\n", "<!-- /names -->\n"
ROOMS = {
    "systems": "Systems and their views",
    "formulas": "Formulas and claims",
    "statics": "Statics",
    "motions": "Motions",
    "canonical": "Canonical transformations and brackets",
    "jacobi": "Hamilton-Jacobi",
    "variations": "Variations and fields",
    "symmetries": "Symmetries",
    "reduction": "Reduction",
    "perturbation": "Perturbations",
    "teaching": "Teaching",
}


def sentence(thing: object) -> str:
    """What a docstring says first, up to the end of its sentence."""
    text = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()
    first = re.split(r"(?<=[.;])\s+(?=[A-Z(\"`{])", text)[0]
    return first.rstrip(".;").replace("|", "\\|").replace("*", "\\*")


def index() -> str:
    """A table for each room of the package: the verb or record, and what it is for."""
    lines = []
    for room, title in ROOMS.items():
        names = [n for n in an.__all__ if f".{room}." in getattr(an, n).__module__]
        lines += [f"**{title}**", "", "| name | what it gives |", "|---|---|"]
        lines += [
            f"| `{n}` | {sentence(getattr(an, n))} |" for n in sorted(names, key=lambda n: (n[0].isupper(), n.lower()))
        ]
        lines.append("")
    return "\n".join(lines)


def written() -> str:
    """The chapter with its index renewed."""
    text = CHAPTER.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{index()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    CHAPTER.write_text(written(), encoding="utf-8")
