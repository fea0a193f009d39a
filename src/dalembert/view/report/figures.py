"""Figures of a report as bytes, and stills of a motion for paper."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.view.scene import Scene

_DOTS, _INCHES = 120, (4.8, 2.7)
"""Dots in an inch of a painted still, and its size: fit for paper, and small."""


def saver(figure: Any) -> Any:
    """The figure as bytes of a format; it is taken out of matplotlib's list of open ones."""
    from matplotlib import pyplot as plt

    plt.close(figure)

    def save(kind: str) -> bytes:
        import matplotlib as mpl

        held = BytesIO()
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dalembert"}):
            figure.savefig(held, format=kind, transparent=True, metadata={"Date": None} if kind == "svg" else None)
        return held.getvalue()

    return save


def strip(scene: Scene, frames: list[int], kind: str) -> bytes:
    """Moments of a motion beside each other, seen from one place, as an SVG, PDF or PNG of few colours."""
    from matplotlib.figure import Figure
    from PIL import Image

    from dalembert.view.paint import lens_of, paint

    figure = Figure(figsize=_INCHES, dpi=_DOTS)
    lens = lens_of(scene, _INCHES[0] / _INCHES[1])
    wide, high = (round(_DOTS * x) for x in _INCHES)
    sheet = Image.new("RGB", (2 * wide, -(-len(frames) // 2) * high), "white")
    for k, frame in enumerate(frames):
        paint(scene, frame, figure=figure, lens=lens)
        held = BytesIO()
        figure.savefig(held, format="png", dpi=_DOTS, facecolor=figure.get_facecolor())
        with Image.open(held) as one:
            sheet.paste(one.convert("RGB").resize((wide - 4, high - 4)), (k % 2 * wide, k // 2 * high))
    found = BytesIO()
    if kind == "pdf":
        sheet.save(found, format="PDF", resolution=_DOTS)
        return found.getvalue()
    sheet.quantize(96).save(found, format="PNG", optimize=True)
    if kind == "png":
        return found.getvalue()
    inside = f'<image width="{sheet.width}" height="{sheet.height}" href="data:image/png;base64,'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sheet.width} {sheet.height}">'
    return f'{head}{inside}{b64encode(found.getvalue()).decode()}"/></svg>'.encode()
