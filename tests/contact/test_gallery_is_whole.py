"""The gallery of examples knows the end of every one: one that is new would stop the others."""

from pathlib import Path
from runpy import run_path

FOLDER = Path(__file__).parents[2] / "examples" / "contact"


def test_every_example_has_an_end():
    ends = run_path(str(FOLDER / "gallery.py"), run_name="gallery")["ENDS"]
    assert set(ends) == {path.stem for path in FOLDER.glob("*.lsd")}
