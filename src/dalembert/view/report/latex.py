"""A report as LaTeX, for pdflatex: the text, and the figures that lie beside it."""

from __future__ import annotations

import unicodedata

from dalembert.presentation.lines import aligned
from dalembert.view.report.blocks import Block, Code, Film, Formulas, Note, Picture, Report, Table, Text

_HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage{amsmath,amssymb,longtable,graphicx,array}
\usepackage[margin=20mm]{geometry}
\setlength{\parindent}{0pt}\setlength{\parskip}{0.5em}
\allowdisplaybreaks\emergencystretch=3em\hbadness=10000\hfuzz=\maxdimen
"""
_SPECIAL = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "<": r"\textless{}", ">": r"\textgreater{}"}
_SPECIAL |= {c: "\\" + c for c in "_&#%${}"} | {
    "|": r"\textbar{}",
    '"': "''",
    "'": "'",
    "`": r"\textasciigrave{}",
}
_NAMED = {
    "±": r"\ensuremath{\pm}",
    "–": "--",
    "°": r"\ensuremath{^\circ}",
    "≥": r"\ensuremath{\ge}",
    "≤": r"\ensuremath{\le}",
}


def latex_of(report: Report, figures: str) -> tuple[str, dict[str, bytes]]:
    """The document, and the files of its figures, whose names begin with `figures`."""
    files: dict[str, bytes] = {}
    parts = [
        _HEAD,
        f"\\title{{{plain(report.title)}}}\n\\author{{{plain(report.made_by)}}}\\date{{}}",
        "\\begin{document}\\maketitle",
    ]
    film = report.film
    if film:
        parts.append(_block(film, figures, files))
    gists = [f"\\item {plain(s.title)}: {plain(s.gist)}" for s in report.sections if s.gist]
    if gists:
        parts.append("\\begin{itemize}\n" + "\n".join(gists) + "\n\\end{itemize}")
    for section in report.sections:
        parts.append(f"\\section{{{plain(section.title)}}}")
        parts += [_block(one, figures, files) for one in section.blocks if one is not film]
    return "\n\n".join([*parts, "\\end{document}\n"]), files


def plain(text: str) -> str:
    """Text that means itself: no command, no character that pdflatex does not know."""
    return "".join(map(_letter, text))


def _letter(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c in _NAMED:
        return _NAMED[c]
    if c in "\n\t" or " " <= c <= "~" or (c.isalpha() and c <= "\u017f"):
        return c
    reduced = unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode("ascii").strip()
    return "".join(_SPECIAL.get(x, x) for x in reduced) if reduced else f"[{unicodedata.name(c, 'sign').lower()}]"


def _block(block: Block, figures: str, files: dict[str, bytes]) -> str:
    if isinstance(block, Text):
        return plain(block.text)
    if isinstance(block, Note):
        return f"\\emph{{{plain(block.text)}}}"
    if isinstance(block, Code):
        return _code(block.text)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Formulas):
        return _formulas(block)
    if isinstance(block, Film):
        return (
            _picture(block.still, figures, files) if block.still else plain("The moving picture is in the HTML report.")
        )
    return _picture(block, figures, files)


def _code(text: str) -> str:
    """Lines as they stand; spaces count."""
    lines = (plain(line).replace(" ", "\\ ") or "\\ " for line in text.expandtabs(4).splitlines())
    return "{\\ttfamily\\scriptsize\\raggedright\n" + "\\\\\n".join(lines) + "\\par}"


def _table(table: Table) -> str:
    wide = max((sum(map(len, row)) for row in (table.head, *table.rows)), default=0) > 80
    width = 0.92 / len(table.head)
    kind = f">{{\\raggedright\\arraybackslash}}p{{{width:.3f}\\linewidth}}"
    columns = "".join(kind if wide else "r" if k in table.numbers else "l" for k in range(len(table.head)))
    rows = [" & ".join(plain(cell) for cell in row) + r" \\" for row in table.rows]
    head = " & ".join(f"\\textbf{{{plain(cell)}}}" for cell in table.head) + r" \\ \hline\endhead"
    caption = f"\n{{\\small {plain(table.caption)}}}" if table.caption else ""
    body = "\n".join([head, *rows])
    table_text = f"\\begin{{longtable}}[l]{{{columns}}}\n{body}\n\\end{{longtable}}"
    return f"{{\\footnotesize\\setlength{{\\tabcolsep}}{{3pt}}\n{table_text}}}{caption}"


def _formulas(block: Formulas) -> str:
    title = f"\\paragraph{{{plain(block.title)}}}\n" if block.title else ""
    size = "scriptsize" if block.small else "footnotesize"
    return f"{title}{{\\{size}\n{aligned(block.lines, said=plain)}}}" if block.lines else title


def _picture(picture: Picture, figures: str, files: dict[str, bytes]) -> str:
    name = f"{figures}-{len(files) + 1}.pdf"
    files[name] = picture.save("pdf")
    shown = f"\\includegraphics[width=\\linewidth]{{{name}}}"
    return f"\\begin{{center}}\n{shown}\\\\\n{{\\small {plain(picture.caption)}}}\n\\end{{center}}"
