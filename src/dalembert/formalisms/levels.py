"""One derivation at three levels of detail: vector, matrix, scalar."""

from __future__ import annotations

from dalembert.errors import ModelError
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.registry import find_formalism
from dalembert.presentation import statements
from dalembert.presentation.closing import close, with_rows
from dalembert.presentation.legend import legend
from dalembert.presentation.lines import LEVELS, Line, Statement, definition
from dalembert.presentation.scalars import component_lines, scalar_lines
from dalembert.presentation.vocabulary import Vocabulary


def show(eq: Equations, level: str) -> Statement:
    """The equations at one level."""
    if level not in LEVELS:
        raise ModelError(f"there is no level '{level}': choose vector, matrix or scalar.")
    formalism = find_formalism(eq.formalism)
    title = f"{formalism.title} ({level} level)"
    if eq.tree.layout.cuts:
        title += f", closed by {', '.join(one.link.name for one in eq.tree.layout.cuts)}"
    if not eq.tree.speeds and (level == "scalar" or eq.formalism != "newton-euler"):
        return Statement(eq.formalism, level, f"{title}: nothing moves freely", (), ())
    if level == "scalar":
        lines, where = scalar_lines(formalism.scalar(eq))
        return Statement(eq.formalism, level, title, tuple(lines), tuple(where))
    if eq.layout.further:
        names = ", ".join(repr(one.name) for one in eq.layout.further)
        raise ModelError(f"the conditions {names} are formulas of coordinates: show them at the scalar level.")
    words = vocabulary(eq)
    if level == "vector":
        found = with_rows(words, formalism.vector(words))
        used = statements.formulas(found.terms, [(words.vectors, "vector")])
    else:
        found = formalism.matrix(words)
        used = statements.formulas(found.terms, [(words.vectors, "matrix"), (words.columns, "matrix")])
    where = [*found.heads, *used]
    return Statement(eq.formalism, level, title, tuple(found.lines), (*where, *legend(words, [*found.lines, *where])))


def vocabulary(eq: Equations) -> Vocabulary:
    """The words of the tree, and of the links that close its loops."""
    words = Vocabulary.of(eq.tree)
    if eq.rows is not None:
        close(words, eq.rows)
    return words


def formulas(eq: Equations) -> Statement:
    """The whole table: vector formulas, columns in the base of earth, and components in coordinates."""
    formalism = find_formalism(eq.formalism)
    words, fresh = vocabulary(eq), vocabulary(eq)
    heads = [*with_rows(words, formalism.vector(words)).heads, *formalism.matrix(fresh).heads]
    seen: dict[str, Line] = {}
    for line in heads:
        seen.setdefault(line.text, line)
    for table, style in ((words.vectors, "vector"), (words.columns, "matrix"), (fresh.columns, "matrix")):
        for symbol, term in table.items():
            line = definition(symbol, term, style)
            seen.setdefault(line.text, line)
    lines = [*seen.values(), *component_lines({**words.values, **fresh.values})]
    return Statement(eq.formalism, "formulas", f"formulas used by {formalism.title}", tuple(lines), ())
