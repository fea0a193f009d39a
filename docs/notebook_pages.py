"""Notebooks as pages of the manual: run when it is built, shown with what they print, set and draw."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from myst_parser.parsers.sphinx_ import MystParser

HERE = Path(__file__).parent
KEPT = HERE / "_build" / "notebooks"
"""Runs of notebooks, under the digest of their text: a build runs those that changed."""


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown that its cells and their outputs make."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: Any) -> None:
        super().parse(markdown(json.loads(run(inputstring))), document)


def run(text: str) -> str:
    """The notebook with its outputs."""
    path = KEPT / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.ipynb"
    if not path.exists():
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.reads(text, as_version=4)
        NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def markdown(notebook: dict[str, Any]) -> str:
    """Cells in their order: words as they are, programs in blocks, outputs below them."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code" and source.strip():
            parts.append(_block("python", source))
            parts += filter(None, (_output(one) for one in cell["outputs"]))
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _block("text", "".join(output["text"]).rstrip())
    if output["output_type"] == "error":
        raise ValueError(f"a notebook stops: {output['ename']}: {output['evalue']}")
    data = {kind: "".join(held) for kind, held in output.get("data", {}).items()}
    if "image/png" in data:
        png = base64.b64encode(base64.b64decode(data["image/png"])).decode()
        return _block("{raw} html", f'<img alt="what the cell draws" src="data:image/png;base64,{png}">')
    if "text/latex" in data:
        return "$$\n" + data["text/latex"].strip().strip("$") + "\n$$"
    if "text/html" in data:
        return _block("{raw} html", data["text/html"])
    return _block("text", data["text/plain"]) if "text/plain" in data else ""


def _block(kind: str, text: str) -> str:
    return f"````{kind}\n{text}\n````"
