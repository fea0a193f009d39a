"""One derivation at three levels of detail: vector, matrix, scalar."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.lagrange import kinetic_energy
from dalembert.formalisms.minimal import MinimalEquations
from dalembert.formalisms.quasi import QuasiEquations
from dalembert.formalisms.registry import find_formalism
from dalembert.kinematics.bodies import body_motions
from dalembert.presentation import statements
from dalembert.presentation.acting import Acting
from dalembert.presentation.axes import Quantity
from dalembert.presentation.closing import close, with_rows
from dalembert.presentation.conditions import asked_rows, row_quantities
from dalembert.presentation.formula import Writer
from dalembert.presentation.legend import legend
from dalembert.presentation.lines import LEVELS, Line, Statement, definition, escaped, plain
from dalembert.presentation.notation import PLAIN, Notation, numbered
from dalembert.presentation.quantities import quantities
from dalembert.presentation.scalars import Scalars, component_lines, scalar_lines
from dalembert.presentation.vocabulary import Vocabulary


def show(eq: Equations, level: str, notation: Notation = PLAIN) -> Statement:
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
        shown = numbered(notation, eq.coordinates)
        lines, where = scalar_lines(formalism.scalar(eq), Writer(shown, eq.speeds), lambda: named_quantities(eq))
        return Statement(eq.formalism, level, title, tuple(lines), tuple(where), shown)
    words = vocabulary(eq, bodies=level == "vector" or formalism.per_body)
    if level == "vector":
        found = with_rows(words, formalism.vector(words))
        used = statements.formulas(found.terms, [(words.vectors, "vector")])
    else:
        found = formalism.matrix(words)
        used = statements.formulas(found.terms, [(words.vectors, "matrix"), (words.columns, "matrix")])
    where = [*found.heads, *used]
    told = (*where, *legend(words, [*found.lines, *where]))
    return Statement(eq.formalism, level, title, tuple(found.lines), told, notation)


def named_quantities(eq: Equations) -> list[Quantity]:
    """What the parts of these equations may be: quantities of the machine, momenta, and the entries of M, S, F."""
    momenta = ex.gradient(kinetic_energy(body_motions(eq.tree)), eq.tree.speeds)
    found = quantities(eq.tree, eq.mass_matrix)
    if eq.rows is not None:
        found += row_quantities(eq.rows, eq.tree)
    for letter, column, told in (
        ("p", momenta, "momentum of"),
        ("S", eq.bias, "inertia, without u', on"),
        ("F", eq.forces, "known efforts on"),
    ):
        listed = enumerate(zip(eq.speeds, column, strict=True), 1)
        found += [Quantity(f"{letter}_{k}", x, f"{letter}_{k}", f"{told} {u}") for k, (u, x) in listed if x.args]
    return found + find_formalism(eq.formalism).quantities(eq)


def show_minimal(eq: MinimalEquations, level: str, notation: Notation = PLAIN) -> Statement:
    """Minimal equations at one level: what the formalism says with multipliers, and its projection on Psi."""
    names, shown = ", ".join(eq.coordinates), numbered(notation, eq.coordinates)
    writer = Writer(shown, eq.speeds)
    if level == "scalar":
        title = f"{find_formalism(eq.formalism).title} ({level} level), in {names} alone"
        own, where = scalar_lines(minimal_scalars(eq), writer)
        return Statement(eq.formalism, level, title, tuple(own), tuple(where), shown)
    found = show(eq.closed, level, notation)
    meant = scalar_lines(minimal_scalars(eq, equations=False), writer)[1]
    projected = _projected(level, "D", ("P'", "P''"), ("\\dot{P}", "\\ddot{P}"))
    columns = plain("independent coordinates", f"P := ({names})", f"P := ({', '.join(map(_latex, eq.coordinates))})")
    lines = (*found.lines, *projected)
    told = (*found.formulas, columns, *meant)
    return Statement(eq.formalism, level, f"{found.title}, in {names} alone", lines, told, shown)


def show_quasi(eq: QuasiEquations, level: str) -> Statement:
    """Equations in quasi-velocities at one level, in the same way: v are the independent speeds."""
    writer = Writer(moving=eq.speeds)
    if level == "scalar":
        own, where = scalar_lines(eq.scalars(), writer)
        return Statement(eq.formalism, level, eq.title, tuple(own), tuple(where))
    found = show(eq.closed, level)
    names = plain("independent speeds", f"v := ({', '.join(eq.speeds)})", f"v := ({', '.join(map(_latex, eq.speeds))})")
    told = (*found.formulas, names, *scalar_lines(eq.scalars(equations=False), writer)[1])
    lines = (*found.lines, *_projected(level, "G", ("v", "v'"), ("v", "\\dot{v}")))
    return Statement(eq.formalism, level, f"{eq.title} ({level} level)", lines, told)


def _latex(name: str) -> str:
    return ex.latex(ex.symbol(name))


def minimal_scalars(eq: MinimalEquations, equations: bool = True) -> Scalars:
    """M_P P'' = S_P + F_P row by row, q = q(P), u = Psi P' + c, and where they hold."""
    primes = [ex.prime(ex.symbol(u)) for u in eq.speeds]
    rows = zip(eq.speeds, eq.mass_matrix.rows(), eq.right_side, strict=True)
    sides = tuple((name, ex.dot_product(row, primes), right) for name, row, right in rows) if equations else ()
    places = [("q = q(P)", ex.symbol(x), e) for x, e in (eq.positions or {}).items()]
    speeds = [("u = Psi P'", ex.symbol(x), e) for x, e in eq.dependent_speeds.items()]
    notes = tuple(plain("", f"valid: {x}", f"\\text{{valid: {escaped(x)}}}") for x in eq.domain)
    return Scalars(sides, (*places, *speeds), notes)


def _projected(level: str, rows: str, text: tuple[str, str], latex: tuple[str, str]) -> tuple[Line, ...]:
    """u = Psi v + c with rows Psi = 0, and the equations times Psi; `text` and `latex` are v and v'."""
    (v, dv), (tv, tdv) = text, latex
    what = "loops allow" if rows == "D" else "conditions allow"
    speeds = plain(
        f"speeds that the {what}",
        f"u = Psi*{v} + c,  {rows}*Psi = 0",
        f"u = \\Psi {tv} + c,\\quad {rows} \\Psi = 0",
    )
    if level == "vector":
        times = plain(
            "the equations times Psi: reactions have no power",
            "sum_r Psi_rk*(equation of u_r) = 0",
            "\\sum_r \\Psi_{rk} \\cdot (\\text{equation of } u_r) = 0",
        )
        return speeds, times
    right = "gamma" if rows == "D" else "gamma_c"
    return (
        speeds,
        plain(f"where {rows}*b = {right}", f"u' = Psi*{dv} + b", f"\\dot{{u}} = \\Psi {tdv} + b"),
        plain(
            f"{'Lambda' if rows == 'D' else 'lambda'} has no power",
            f"Psi^T*M*Psi*{dv} = Psi^T*(S - M*b) + Psi^T*F",
            f"\\Psi^T M \\Psi {tdv} = \\Psi^T (S - M b) + \\Psi^T F",
        ),
    )


def vocabulary(eq: Equations, bodies: bool = True) -> Vocabulary:
    """The words of the tree, of links that close its loops, and of conditions that act on `bodies`, or on speeds."""
    acting = Acting(eq.tree, eq.rows) if bodies and eq.rows is not None and asked_rows(eq.rows) else None
    words = Vocabulary.of(eq.tree, acting)
    if eq.rows is not None:
        close(words, eq.rows)
    return words


def formulas(eq: Equations) -> Statement:
    """The whole table: vector formulas, columns in the base of earth, and components in coordinates."""
    formalism = find_formalism(eq.formalism)
    words, fresh = vocabulary(eq), vocabulary(eq, bodies=formalism.per_body)
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
