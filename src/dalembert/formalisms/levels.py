"""One derivation at three levels of detail: vector, matrix, scalar."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.lagrange import kinetic_energy
from dalembert.formalisms.minimal import MinimalEquations
from dalembert.formalisms.registry import find_formalism
from dalembert.kinematics.bodies import body_motions
from dalembert.presentation import statements
from dalembert.presentation.acting import Acting
from dalembert.presentation.axes import Quantity
from dalembert.presentation.closing import close, with_rows
from dalembert.presentation.conditions import asked_rows
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
    projected = PROJECTED_MATRIX if level == "matrix" else PROJECTED_VECTOR
    columns = plain("independent coordinates", f"P := ({names})", f"P := ({', '.join(map(_latex, eq.coordinates))})")
    lines = (*found.lines, *projected)
    told = (*found.formulas, columns, *meant)
    return Statement(eq.formalism, level, f"{found.title}, in {names} alone", lines, told, shown)


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


_SPEEDS = plain(
    "speeds that the loops allow", "u = Psi*P' + c,  D*Psi = 0", "u = \\Psi \\dot{P} + c,\\quad D \\Psi = 0"
)
PROJECTED_VECTOR = (
    _SPEEDS,
    plain(
        "the equations times Psi: reactions have no power",
        "sum_r Psi_rk*(equation of u_r) = 0",
        "\\sum_r \\Psi_{rk} \\cdot (\\text{equation of } u_r) = 0",
    ),
)
PROJECTED_MATRIX = (
    _SPEEDS,
    plain("where D*b = gamma", "u' = Psi*P'' + b", "\\dot{u} = \\Psi \\ddot{P} + b"),
    plain(
        "Lambda has no power",
        "Psi^T*M*Psi*P'' = Psi^T*(S - M*b) + Psi^T*F",
        "\\Psi^T M \\Psi \\ddot{P} = \\Psi^T (S - M b) + \\Psi^T F",
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
