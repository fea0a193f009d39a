"""One derivation at three levels of detail: vector, matrix, scalar."""

from __future__ import annotations

from functools import partial
from typing import Any

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.formalisms import matrix_level, statements, vector_level
from dalembert.formalisms.collect_terms import collect
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.hamilton import Hamiltonian
from dalembert.formalisms.presentation import LEVELS, Line, Statement, definition, scalar_line, set_in_mathml, written
from dalembert.formalisms.vocabulary import Vocabulary

TITLES = {
    "newton-euler": "Newton-Euler",
    "dalembert": "d'Alembert: virtual power",
    "lagrange": "Lagrange",
    "hamilton": "Hamilton",
    "kane": "Kane",
    "gibbs-appell": "Gibbs-Appell",
    "mixed": "mixed formalism: free bodies projected on the configuration manifold",
    "recursive": "recursive: composite bodies and Newton-Euler recursions",
}
#: Coefficients are collected up to this many speeds; beyond, a page would not hold them.
#: Operations up to which equations are written out, without named intermediates.
MOST_WRITTEN_OUT = 150
MOST_COLLECTED = 16
#: Coefficients are put in order up to this many operations in all; beyond, nobody reads them one by one.
MOST_TIDIED = 400
#: Lines that are written without intermediates are shorter than this.
LONGEST_LINE = 1000


def show(eq: Equations, level: str) -> Statement:
    """The equations at one level."""
    if level not in LEVELS:
        raise ModelError(f"there is no level '{level}': choose vector, matrix or scalar.")
    title = f"{TITLES.get(eq.formalism, eq.formalism)} ({level} level)"
    if eq.tree.layout.cuts:
        title += f", tree without {', '.join(one.link.name for one in eq.tree.layout.cuts)}"
    if not eq.tree.speeds and (level == "scalar" or eq.formalism != "newton-euler"):
        return Statement(eq.formalism, level, f"{title}: nothing moves freely", (), ())
    if level == "scalar":
        lines, where = scalar_lines(eq)
        return Statement(eq.formalism, level, title, tuple(lines), tuple(where))
    words = Vocabulary.of(eq.tree)
    if level == "vector":
        found = vector_level.state(words, _theorem(eq.formalism))
        used = statements.formulas(found.terms, [(words.vectors, "vector")])
    else:
        found = matrix_level.state(words, eq.formalism)
        used = statements.formulas(found.terms, [(words.vectors, "matrix"), (words.columns, "matrix")])
    return Statement(eq.formalism, level, title, tuple(found.lines), (*found.heads, *used))


def _theorem(formalism: str) -> str:
    """The mixed formalism and the recursions rest on the balance of isolated bodies."""
    return "newton-euler" if formalism in ("mixed", "recursive") else formalism


def formulas(eq: Equations) -> Statement:
    """The whole table: vector formulas, columns in the base of earth, and components in coordinates."""
    words = Vocabulary.of(eq.tree)
    seen: dict[str, Line] = {}
    for found in (vector_level.state(words, _theorem(eq.formalism)),):
        for line in found.heads:
            seen.setdefault(line.text, line)
    fresh = Vocabulary.of(eq.tree)
    for line in matrix_level.state(fresh, eq.formalism).heads:
        seen.setdefault(line.text, line)
    for table, style in ((words.vectors, "vector"), (words.columns, "matrix"), (fresh.columns, "matrix")):
        for symbol, term in table.items():
            line = definition(symbol, term, style)
            seen.setdefault(line.text, line)
    lines = [*seen.values(), *component_lines({**words.values, **fresh.values})]
    return Statement(
        eq.formalism, "formulas", f"formulas used by {TITLES.get(eq.formalism, eq.formalism)}", tuple(lines), ()
    )


def component_lines(values: dict[al.Term, Any]) -> list[Line]:
    """Components of every name that no formula defines, rotations and columns as arrays."""
    lines = []
    for symbol, value in values.items():
        name, latex = written(symbol, "matrix")
        rows = [[value]] if isinstance(value, Expr) else value
        cells = [[ex.text(x) for x in row] for row in rows]
        if len(rows) == 1:
            shown, body = cells[0][0], ex.latex(rows[0][0])
        else:
            shown = "[" + "; ".join(", ".join(row) for row in cells) + "]"
            inner = " \\\\ ".join(" & ".join(ex.latex(x) for x in row) for row in rows)
            body = f"\\begin{{bmatrix}}{inner}\\end{{bmatrix}}"
        lines.append(Line("", f"{name} := {shown}", f"{latex} := {body}", partial(_table_of, symbol, rows)))
    return lines


def _table_of(symbol: al.Term, rows: list[list[Expr]]) -> str:
    """MathML of a name and its components."""
    cells = "".join("<mtr>" + "".join(f"<mtd>{set_in_mathml(x)}</mtd>" for x in row) + "</mtr>" for row in rows)
    name = set_in_mathml(symbol, ":=", style="matrix")
    return f"<mrow>{name}<mo>[</mo><mtable>{cells}</mtable><mo>]</mo></mrow>"


def scalar_lines(eq: Equations) -> tuple[list[Line], list[Line]]:
    """Equations in coordinates, speeds and accelerations, shared intermediates named z1, z2..."""
    if isinstance(eq.detail, Hamiltonian):
        return _canonical_lines(eq, eq.detail)
    if len(eq.tree.speeds) <= MOST_COLLECTED:
        raw = collect(eq)
        forms = [raw, [one.tidied() for one in raw]] if eq.operations <= MOST_TIDIED else [raw]
        choices = [[(one.left, one.right) for one in found] for found in forms]
        sides = min(choices, key=lambda pairs: ex.count_operations(x for pair in pairs for x in pair))
    else:
        primes = ex.Matrix.column([ex.prime(u) for u in eq.tree.speeds])
        left = (eq.mass_matrix @ primes).entries
        sides = list(zip(left, eq.right_side, strict=True))
    labels = list(eq.speeds)
    return _sides(labels, sides, _rate_sides(eq))


def _rate_sides(eq: Equations) -> list[tuple[str, Expr, Expr]]:
    """q' = P(q) u, where it says more than a name."""
    pairs = zip(eq.tree.coordinates, eq.rates, strict=True)
    return [("rate", ex.prime(q), rate) for q, rate in pairs if ex.prime(q) is not rate]


def _canonical_lines(eq: Equations, detail: Hamiltonian) -> tuple[list[Line], list[Line]]:
    sides: list[tuple[Expr, Expr]] = [(ex.symbol("H"), detail.value)]
    labels = ["Hamiltonian"]
    for q, rate in zip(eq.tree.coordinates, detail.rates, strict=True):
        sides.append((ex.prime(q), rate))
        labels.append("dH/dp")
    for p, rate in zip(detail.momenta, detail.momentum_rates, strict=True):
        sides.append((ex.prime(p), rate))
        labels.append("-dH/dq + Q")
    meant = [
        (f"momentum of {u.name}", p, d)
        for u, p, d in zip(eq.tree.speeds, detail.momenta, detail.definition, strict=True)
    ]
    return _sides(labels, sides, meant)


def _sides(
    labels: list[str], sides: list[tuple[Expr, Expr]], extra: list[tuple[str, Expr, Expr]]
) -> tuple[list[Line], list[Line]]:
    """Lines of equations, and the intermediates with the extra formulas."""
    flat = [x for pair in sides for x in pair] + [x for _, a, b in extra for x in (a, b)]
    shown, typeset = ex.listing(flat), ex.listing(flat, notation="latex")
    if ex.count_operations(flat) <= MOST_WRITTEN_OUT:
        whole = [ex.text(x) for x in flat]
        if max((len(x) for x in whole), default=0) < LONGEST_LINE:  # longer ones are cut, and read better in parts
            shown = ex.Listing((), tuple(whole))
            typeset = ex.Listing((), tuple(ex.latex(x) for x in flat))
    lines = []
    for k, label in enumerate(labels):
        a, b = 2 * k, 2 * k + 1
        latex = (typeset.results[a], typeset.results[b])
        lines.append(scalar_line(label, shown.results[a], shown.results[b], latex))
    where = []
    for (name, value), (set_name, set_value) in zip(shown.definitions, typeset.definitions, strict=False):
        where.append(scalar_line("", name, value, (set_name, set_value), ":="))
    start = 2 * len(sides)
    for k, (label, _, _) in enumerate(extra):
        a, b = start + 2 * k, start + 2 * k + 1
        latex = (typeset.results[a], typeset.results[b])
        where.append(scalar_line(label, shown.results[a], shown.results[b], latex, ":="))
    return lines, where
