"""One page of rows: a table for each kind of row, growth exponents, pictures in the file itself."""

from __future__ import annotations

import base64
import io
import itertools
import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from pictures import growth, work_precision

from dalembert.files import written_whole

Row = dict[str, Any]
#: What grows with what, by whom: a picture and exponents for each of these tables.
GROWING = {
    "closed machines": ("links", ("set-up s", "step ms"), "series"),
    "derivatives": ("joints", ("us",), "program"),
    "forward dynamics": ("joints", ("us",), "program"),
    "batches": ("states", ("us a state",), "program"),
    "compile times": ("operations", ("CPU s",), "program"),
    "chains end to end": ("bodies", ("CPU s",), "program"),
}
_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0;font-size:13px}td,th{border:1px solid #ccc;padding:2px 8px;"
    "text-align:right}td:first-child,th:first-child{text-align:left}img{max-width:100%}"
)


def write_page(path: Path, rows: Sequence[Row]) -> None:
    parts = "\n".join(_sections(rows))
    page = f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Benchmarks</title><style>{_STYLE}</style>"
    with written_whole(path) as file:
        file.write(f"{page}<h1>Benchmarks</h1>\n{parts}</html>\n".encode())


def _sections(rows: Sequence[Row]) -> Iterator[str]:
    for name in dict.fromkeys(row["table"] for row in rows):
        own = [{k: v for k, v in row.items() if k != "table"} for row in rows if row["table"] == name]
        yield f"<h2>{escape(name)}</h2>"
        if name == "work-precision":
            yield _image(work_precision(own))
        elif name in GROWING:
            size, values, by = GROWING[name]
            for value, family in itertools.product(values, _families(name, own)):
                told = [row for row in own if isinstance(row.get(value), float) and math.isfinite(row[value])]
                told = [row for row in told if str(row[by]).startswith(family)]
                if len({row[size] for row in told}) > 1:
                    yield _image(growth(told, size, value, by, f"{family.rstrip(', ') or name}: {value}"))
                    yield _table(list(exponents(told, size, value, by)))
        yield _table(own)


def _families(name: str, rows: Sequence[Row]) -> list[str]:
    """What the curves of one picture begin with: closed machines have a picture for each kind."""
    if name != "closed machines":
        return [""]
    return list(dict.fromkeys(str(row["series"]).partition(", ")[0] + ", " for row in rows))


def exponents(rows: Sequence[Row], size: str, value: str, by: str) -> Iterator[Row]:
    """log(value ratio) / log(size ratio) between neighbouring sizes of one curve."""
    for curve in dict.fromkeys(row[by] for row in rows):
        points = sorted({row[size]: row[value] for row in rows if row[by] == curve and row[value] > 0}.items())
        for (a, before), (b, after) in itertools.pairwise(points):
            yield {by: curve, "from": a, "to": b, f"exponent of {value}": math.log(after / before) / math.log(b / a)}


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escape(str(name))}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(row.get(name, '')))}</td>" for name in names) + "</tr>\n" for row in rows
    )
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _image(figure: Figure) -> str:
    held = io.BytesIO()
    figure.savefig(held, format="png", dpi=100)
    return f"<img alt='diagram' src='data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}'>"
