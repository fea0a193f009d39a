"""Pictures and animations of every example, for the site: `make docs` runs it, or python docs/gallery.py (from the root).

`python docs/gallery.py sheet` draws the sheet of all postures that gallery.md begins with.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
FAMILIES = {
    ".": "Machines",
    "constraints": "Constraints: skates, wheels, servos, gears, ropes, friction",
    "contact": "Contact and impact",
    "loops": "Closed loops",
    "robots": "Robots",
}


def programs() -> dict[str, list[Path]]:
    """The programs of each family, in order."""
    return {family: sorted((EXAMPLES / family).glob("*.lsd")) for family in FAMILIES}


def name_of(program: Path) -> str:
    """One word for a program and its pictures."""
    return "-".join(program.relative_to(EXAMPLES).with_suffix("").parts)


def page() -> str:
    """The text of gallery.md: the story of every program, its picture and its animation."""
    from dalembert.studio.project import story

    parts = [
        "<!-- written by docs/references.py: change the stories in the examples, then run it -->\n",
        "# Gallery\n",
        "Every program of [examples](../examples), drawn in its start by `dalembert draw`. `make docs` draws each again, and",
        "lets most of them move; `dalembert studio` opens any of them.\n",
        "```{image} _static/gallery.png\n:alt: Postures of all examples\n```\n",
    ]
    for family, held in programs().items():
        if not held:
            continue
        parts.append(f"## {FAMILIES[family]}\n")
        for path in held:
            name = name_of(path)
            parts.append(f"### {path.stem.replace('_', ' ')}\n")
            parts.append(f"{story(path.read_text(encoding='utf-8'))}\n")
            parts.append(f"[{path.relative_to(EXAMPLES.parent)}](../{path.relative_to(EXAMPLES.parent)})\n")
            parts.append(f"<!-- picture {name} -->\n")
    return "\n".join(parts).rstrip() + "\n"


def make(folder: Path, seconds: float | None = 20.0) -> None:
    """Draw what is missing or older than its program, and let it move where that takes less than `seconds`; or None."""
    import dalembert as da

    folder.mkdir(parents=True, exist_ok=True)
    for path in (one for held in programs().values() for one in held):
        picture, moving = (folder / f"{name_of(path)}{kind}" for kind in (".png", ".html"))
        if picture.exists() and picture.stat().st_mtime > path.stat().st_mtime:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = da.load(path)
            m.draw(picture)
            if seconds is None:
                continue
            try:
                with da.limits.budget(seconds=seconds):
                    m.simulate((0, 10)).animate(moving)
            except da.DalembertError as error:  # the picture stays; without a motion the page has no link
                print(f"{path.name}: {str(error).splitlines()[0]}", file=sys.stderr)
                if isinstance(held := getattr(error, "partial", None), da.Motion) and len(held.t) > 1:
                    held.animate(moving)  # what was computed until then


def sheet(target: Path, folder: Path, columns: int = 8) -> None:
    """All pictures on one sheet, small."""
    from PIL import Image, ImageDraw

    held = [one for family in programs().values() for one in family]
    wide, high, text = 220, 124, 14
    rows = -(-len(held) // columns)
    made = Image.new("RGB", (columns * wide, rows * (high + text)), "white")
    pen = ImageDraw.Draw(made)
    for k, path in enumerate(held):
        x, y = k % columns * wide, k // columns * (high + text)
        with Image.open(folder / f"{name_of(path)}.png") as one:
            made.paste(one.convert("RGB").resize((wide - 4, high), Image.Resampling.LANCZOS), (x, y))
        pen.text((x + 3, y + high + 1), path.stem.replace("_", " "), fill="#444")
    made.quantize(160).save(target, optimize=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["sheet"]:
        make(HERE / "_build" / "sheet", None)
        sheet(HERE / "_static" / "gallery.png", HERE / "_build" / "sheet")
    else:
        make(HERE / "_build" / "extra" / "gallery")
