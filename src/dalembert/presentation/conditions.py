"""Words of constraints that are formulas: what they do to bodies and joints, the conditions, and their multipliers.

At the vector level multipliers act on bodies and in joints (`acting`); at the matrix level all of it is W^T lambda on
the speeds, with G u' = gamma_c. W is G where reactions are perfect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.constraints.rows import Rows
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Tree
from dalembert.presentation.acting import Acting
from dalembert.presentation.axes import Quantity
from dalembert.presentation.lines import Line, plain
from dalembert.presentation.reacting import reaction_quantities
from dalembert.presentation.scalars import Scalars, component_lines, scalar_lines, signs_of
from dalembert.presentation.statements import Statements
from dalembert.presentation.turning import turning_quantities

#: Signs of an entry that stands in its matrix, five letters each at most as in cos(): a longer one would be cut.
LONGEST_ENTRY = 400


def condition_label(name: str) -> str:
    """What a row of a formula is called: `gear.lambda2` is that of the second condition of `gear`."""
    owner, _, number = name.rpartition(".lambda")
    return f"condition {owner} {number}".rstrip()


def multiplier_meaning(rows: Rows, name: str) -> str:
    """What a multiplier is, by the reaction that it measures."""
    k = rows.names.index(name)
    if k in rows.sliding:
        return "normal reaction of a sliding contact, with friction against the slip"
    if k in rows.pushed:
        return "effort of a device, which keeps a condition by pushing elsewhere"
    return f"multiplier of a condition{', by the rule of Chetaev' if k in rows.bent else ''}"


def asked_rows(rows: Rows | None) -> list[int]:
    """Rows of formulas that ask something of the speeds."""
    if rows is None:
        return []
    given = rows.matrix.rows()
    return [k for k, unit in enumerate(rows.wrenches) if unit is None and any(x is not ZERO for x in given[k])]


def meaning_lines(rows: Rows) -> list[Line]:
    """Every multiplier of a formula, in words."""
    names = [ex.symbol(rows.names[k]) for k in asked_rows(rows) if k not in rows.implied]
    return [plain(multiplier_meaning(rows, x.name), ex.text(x), ex.latex(x)) for x in names]


def row_quantities(rows: Rows, tree: Tree) -> Iterator[Quantity]:
    """Entries of G and D, of W where it differs, the rates of axes, of which gamma is made, and what multipliers do."""
    asked = asked_rows(rows)
    acts = rows.reaction.rows()
    for letter, live in (("G", asked), ("D", [k for k in range(len(rows)) if k not in asked])):
        for place, k in enumerate(live, 1):
            told = condition_label(rows.names[k]) if letter == "G" else f"closure of {rows.names[k]}"
            tables = [(letter, rows.matrix.rows()[k], f"{told}: motion for a unit of each speed")]
            if k in rows.imperfect:
                tables.append(("W", acts[k], f"{told}: effort of its multiplier on each speed"))
            for name, row, meaning in tables:
                entries = [(r, x) for r, x in enumerate(row, 1) if x.args]
                yield from (Quantity(f"{name}_{place}_{r}", x, f"{name}_{place}", meaning) for r, x in entries)
    yield from turning_quantities(tree)
    yield from reaction_quantities(rows, tree)


# --- on bodies and in joints -----------------------------------------------------------------------------------------


def _joint_lines(acting: Acting | None) -> list[Line]:
    """What of the efforts Q in joints is theirs."""
    joints = {} if acting is None else acting.found.joints
    told = [(f"effort of the conditions on {x.name}, in Q", ex.symbol(f"Q({x.name})"), e) for x, e in joints.items()]
    return scalar_lines(Scalars((), tuple(told)))[1] if told else []


def asked_statements(rows: Rows | None, acting: Acting | None) -> Statements:
    """The conditions as equations in the speeds, and what their multipliers are."""
    live = asked_rows(rows)
    if rows is None or not live:
        return Statements([], [], [])
    told = tuple((condition_label(rows.names[k]), rows.conditions[k], ZERO) for k in live)
    lines, where = scalar_lines(Scalars(told))
    derived = plain("the conditions, derived once", "G*u' = gamma_c", "G \\dot{u} = \\gamma_c")
    heads = [
        plain(
            "rows and right sides of the conditions c = G*u + ...",
            "G_jr = dc_j/du_r,  gamma_c = -(dc/dt at u' = 0)",
            "G_{jr} = \\frac{\\partial c_j}{\\partial u_r},\\quad "
            "\\gamma_c = -\\left.\\frac{dc}{dt}\\right|_{\\dot{u} = 0}",
        ),
        *meaning_lines(rows),
        *_joint_lines(acting),
    ]
    return Statements([*lines, derived], [*heads, *where], [])


# --- on the speeds ---------------------------------------------------------------------------------------------------


def reaction_sum(rows: Rows | None) -> tuple[str, str]:
    """+ W^T lambda, in text and LaTeX; G^T lambda where all reactions are perfect; nothing without conditions."""
    if rows is None or not asked_rows(rows):
        return "", ""
    letter = "W" if rows.imperfect or rows.implied else "G"
    return f" + {letter}^T*lambda", f" + {letter}^T \\lambda"


def row_statements(rows: Rows | None, speeds: Sequence[Expr]) -> Statements:
    """G u' = gamma_c, with G, W and gamma_c entry by entry, and the multipliers."""
    live = asked_rows(rows)
    if rows is None or not live:
        return Statements([], [], [])
    line = plain("the conditions, derived once", "G*u' = gamma_c", "G \\dot{u} = \\gamma_c")
    given, pushed = rows.matrix.rows(), rows.reaction.rows()
    tables: list[tuple[str, list[list[Expr]]]] = [("G", [list(given[k]) for k in live])]
    if rows.imperfect or rows.implied:
        acts = [list(pushed[k]) for k in live]
        for place, k in enumerate(live):
            if k in rows.sliding:
                sign = ex.sign(ex.symbol(rows.names[k]))
                acts[place] = [a - sign * d for a, d in zip(acts[place], rows.sliding[k].drag, strict=True)]
        tables.append(("W", acts))
    tables.append(("gamma_c", [[rows.gamma[k]] for k in live]))
    names = [ex.symbol(rows.names[k]) for k in live]
    heads = [
        plain(
            "multipliers of the conditions",
            f"lambda := ({', '.join(map(ex.text, names))})",
            f"\\lambda := ({', '.join(map(ex.latex, names))})",
        ),
        *_entries(tables),
        *meaning_lines(rows),
    ]
    return Statements([line], heads, [])


def _entries(tables: Sequence[tuple[str, list[list[Expr]]]]) -> list[Line]:
    """Matrices written out while they are short, else entry by entry with shared intermediates."""
    tables = [(name, [[ex.tidy(x, for_reading=True) for x in row] for row in table]) for name, table in tables]
    if all(x <= LONGEST_ENTRY for x in signs_of([x for _, table in tables for row in table for x in row])):
        values: dict[Term, list[list[Expr]]] = {}
        for name, table in tables:
            size = len(table), len(table[0])
            values[al.scalar(name) if size == (1, 1) else al.matrix(name, *size)] = table
        return component_lines(values)
    told = [
        ("", ex.symbol(f"{name}_{i}_{j}" if len(row) > 1 else f"{name}_{i}"), x)
        for name, table in tables
        for i, row in enumerate(table, 1)
        for j, x in enumerate(row, 1)
        if x is not ZERO
    ]
    zeros = plain("entries that are not named", "0", "0")
    return [*scalar_lines(Scalars((), tuple(told)))[1], zeros]
