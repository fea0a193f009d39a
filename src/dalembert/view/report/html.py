"""A report as one page: works without a network, follows light and dark, and prints."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files

from dalembert.presentation.lines import Line
from dalembert.view.report.blocks import Block, Code, Film, Formulas, Note, Picture, Report, Section, Table, Text

_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML" displaystyle="true">'


def page_of(report: Report) -> str:
    """The whole document; every text of the model is escaped."""
    style = files("dalembert.view.report").joinpath("report.css").read_text(encoding="utf-8")
    contents = "".join(
        f'<li><a href="#{s.key}">{escape(s.title)}</a>{f"<span>{escape(s.gist)}</span>" if s.gist else ""}</li>'
        for s in report.sections
    )
    film = report.film
    shown = block_html(film) if film else ""
    body = "\n".join(_section(s, film) for s in report.sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}: report</title><style>{style}</style></head>\n<body><main>"
        f"<header><h1>{escape(report.title)}</h1><p>Report made by {escape(report.made_by)}</p></header>{shown}"
        f"<nav><h2>In short</h2><ol>{contents}</ol></nav>\n{body}\n</main></body></html>\n"
    )


def framed(page: str, title: str, height: str = "32rem") -> str:
    """A page inside another, apart from its scripts and styles."""
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts" style="height:{height}" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def _section(section: Section, before: Film | None) -> str:
    blocks = "\n".join(block_html(one) for one in section.blocks if one is not before)
    return f'<section id="{section.key}"><h2>{escape(section.title)}</h2>\n{blocks}\n</section>'


def block_html(block: Block) -> str:
    """One block."""
    if isinstance(block, Text):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Note):
        return f'<p class="note">{escape(block.text)}</p>'
    if isinstance(block, Code):
        return f"<pre>{escape(block.text)}</pre>"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Formulas):
        return _formulas(block)
    if isinstance(block, Film):
        still = _picture(block.still, "paper") if block.still else ""
        caption = f"<figcaption>{escape(block.caption)}</figcaption>"
        return f'<figure class="film">{framed(block.page, block.caption)}{caption}</figure>{still}'
    return _picture(block)


def _table(table: Table) -> str:
    def row(cells: tuple[str, ...], tag: str) -> str:
        kinds = (' class="number"' if k in table.numbers else "" for k in range(len(cells)))
        return "<tr>" + "".join(f"<{tag}{kind}>{escape(c)}</{tag}>" for c, kind in zip(cells, kinds)) + "</tr>"

    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    head, body = row(table.head, "th"), "".join(row(one, "td") for one in table.rows)
    return f'<div class="wide"><table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _formulas(block: Formulas) -> str:
    title = f"<h3>{escape(block.title)}</h3>" if block.title else ""
    kind = "formulas small" if block.small else "formulas"
    return f'{title}<div class="{kind}">{"".join(line_html(one) for one in block.lines)}</div>'


def line_html(line: Line) -> str:
    """One formula with its label."""
    label = f'<span class="label">{escape(line.label)}</span>' if line.label else ""
    return "<div>" + " ".join(f"{_MATH}{part}</math>" for part in line.mathml_parts) + f"{label}</div>"


def _picture(picture: Picture, kind: str = "") -> str:
    drawn = re.sub(r"^.*?(?=<svg)", "", picture.save("svg").decode("utf-8"), flags=re.DOTALL)
    return f'<figure class="{kind}">{drawn}<figcaption>{escape(picture.caption)}</figcaption></figure>'
