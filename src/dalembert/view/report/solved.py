"""What is derived: freedoms, equations, equilibria with their modes, and the size of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.errors import DalembertError
from dalembert.view.report.blocks import Block, Code, Formulas, Note, Table, Text

if TYPE_CHECKING:
    from dalembert.view.report.study import Answer, Study

_MOST_OPERATIONS = 4000
"""Operations up to which a reader is given every formula: some thirty pages."""
_MOST_EQUILIBRIA = 12
"""Equilibria that are told: two pages."""
_STARTS = 40
"""Configurations from which equilibria are looked for: a third of what `equilibria` takes by itself."""
_LANGUAGES = ("c", "fortran", "python", "matlab", "rust", "julia", "javascript")


def mobility(study: Study) -> Answer:
    """The verdict in words, and its table."""
    from dalembert.loops import mobility

    verdict = mobility(study.mechanism, study.start or None, given=study.given, cut=study.cut)
    head, _, rest = str(verdict).partition("\n")
    gist = head.partition(": ")[2]
    blocks: list[Block] = [Text(f"Near the start the machine has {gist}.")]
    if not study.layout.cuts:
        blocks.append(Note("No loop closes, so every freedom of the tree is a freedom of the machine."))
        if study.layout.further:
            blocks.append(Note("Constraints other than loops are not in this count: they are told below."))
        return blocks, f"{gist[:1].upper()}{gist[1:]}."
    return [*blocks, Code(rest.strip("\n"))], f"{gist[:1].upper()}{gist[1:]}."


def equations(study: Study) -> Answer:
    """Every formalism asked for, at every level asked for."""
    from dalembert.formalisms import derive

    blocks: list[Block] = []
    told: list[str] = []
    for formalism in study.formalisms:
        try:
            eq = derive(study.layout, formalism)
        except DalembertError as error:
            blocks.append(Note(f"{formalism}: {error}"))
            continue
        told.append(f"{formalism} {eq.operations} operations")
        blocks.append(
            Text(
                f"Derived by {formalism}: {len(eq.speeds)} equations"
                + (f" with {len(eq.multiplier_names)} multipliers" if eq.multiplier_names else "")
                + f", {eq.operations} operations with shared subexpressions counted once."
            )
        )
        for level in study.levels:
            blocks += _level(eq, formalism, level)
    return blocks, f"Derived by {', '.join(told)}." if told else ""


def _level(eq: Any, formalism: str, level: str) -> list[Block]:
    if level != "vector" and eq.operations > _MOST_OPERATIONS:
        return [
            Note(
                f"At the {level} level the equations hold {eq.operations} operations, too many to read. "
                f"`dalembert equations FILE --formalism {formalism} --level {level} --out equations.html` writes them."
            )
        ]
    try:
        shown = eq.show(level)
    except DalembertError as error:
        return [Note(str(error))]
    found: list[Block] = [Formulas(tuple(shown.lines), shown.title)]
    if shown.formulas:
        found.append(Formulas(tuple(shown.formulas), "where", small=True))
    return found


def equilibria(study: Study) -> Answer:
    """Where it can rest, whether it stays, and how it moves about there."""
    from dalembert.analysis import equilibria

    found = equilibria(study.mechanism, study.given, starts=_STARTS, cut=study.cut)
    if not found:
        return [Note(f"No equilibrium was found from {_STARTS} starts. A steady motion may exist: `--speed` asks.")], ""
    blocks: list[Block] = []
    for one in found[:_MOST_EQUILIBRIA]:
        place = ", ".join(f"{name} = {value:.5g}" for name, value in one.coordinates.items())
        blocks.append(Text(f"{one.stability.capitalize()} at {place}: {one.reason}."))
        rows = tuple(
            (f"{_complex(mode.eigenvalue)}", f"{mode.frequency:.5g}", f"{mode.damping_ratio + 0.0:.3g}")
            for mode in one.modes
        )
        if rows:
            blocks.append(Table(("eigenvalue", "frequency", "damping"), rows, "", frozenset({0, 1, 2})))
    if len(found) > _MOST_EQUILIBRIA:
        blocks.append(Note(f"{len(found) - _MOST_EQUILIBRIA} more equilibria were found."))
    stable = sum(one.stability in ("stable", "asymptotically stable") for one in found)
    return blocks, f"{len(found)} equilibria found, {stable} of them shown to be stable."


def _complex(value: complex) -> str:
    real, imaginary = value.real, value.imag
    small = 1e-12 * abs(value)  # rounding of an eigenvalue that lies on an axis
    real, imaginary = (0.0 if abs(x) < small else x for x in (real, imaginary))
    return f"{real:.5g}" if imaginary == 0 else f"{imaginary:.5g}i" if real == 0 else f"{real:.5g} ± {imaginary:.5g}i"


def code(study: Study) -> Answer:
    """Every formalism side by side, and the functions in every language."""
    from dalembert.analysis.compare import compare
    from dalembert.codegen import write_model

    table = compare(study.layout, states=3)
    rows = tuple(
        (row.name, str(row.equations), str(row.operations), f"{1000 * row.seconds:.1f}", f"{row.disagreement:.1e}")
        if row.error is None
        else (row.name, "", "", "", f"refused: {row.error}")
        for row in table.formalisms
    )
    head = ("formalism", "equations", "operations", "milliseconds", "disagreement")
    caption = "Every formalism: cost of the derivation, and the largest relative difference of accelerations."
    blocks: list[Block] = [Table(head, rows, caption, frozenset({1, 2, 3, 4}))]
    sizes = []
    for name in _LANGUAGES:
        try:
            text = write_model(study.mechanism, name, cut=study.cut)
        except DalembertError as error:
            blocks.append(Note(f"{name}: {error}"))
            continue
        sizes.append((name, str(len(text.splitlines())), f"{len(text.encode()) / 1000:.1f}"))
    if sizes:
        caption = "The functions of the machine as source code that needs nothing else."
        blocks.append(Table(("language", "lines", "kB"), tuple(sizes), caption, frozenset({1, 2})))
    said = f"Formalisms agree to {table.disagreement:.0e}" if table.disagreement > 0 else "Formalisms agree"
    least = min((row for row in table.formalisms if row.error is None), key=lambda row: row.operations, default=None)
    return blocks, f"{said}; the shortest, {least.name}, takes {least.operations} operations." if least else ""
