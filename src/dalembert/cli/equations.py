"""`dalembert equations`: the equations of motion of a mechanism."""

from __future__ import annotations

import json
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.options import File, Settings
from dalembert.cli.settings import apply_settings, read_values
from dalembert.errors import ModelError
from dalembert.files import STANDARD_OUTPUT, write_text

if TYPE_CHECKING:
    from dalembert.formalisms import Equations
    from dalembert.formalisms.minimal import MinimalEquations
    from dalembert.formalisms.quasi import QuasiEquations
    from dalembert.presentation.lines import Statement


class Level(StrEnum):
    vector = "vector"
    matrix = "matrix"
    scalar = "scalar"


class Notation(StrEnum):
    """How equations are written."""

    text = "text"
    latex = "latex"
    html = "html"
    json = "json"
    maple = "maple"
    mathematica = "mathematica"
    maxima = "maxima"
    sympy = "sympy"


SUFFIXES = {
    ".txt": Notation.text,
    ".tex": Notation.latex,
    ".html": Notation.html,
    ".json": Notation.json,
    ".mpl": Notation.maple,
    ".wl": Notation.mathematica,
    ".mac": Notation.maxima,
    ".py": Notation.sympy,
}


def command(
    file: File,
    formalism: Annotated[
        str,
        typer.Option(
            help="newton-euler, dalembert, lagrange, hamilton, kane, gibbs-appell, boltzmann-hamel, lie-group, mixed "
            "or recursive.",
        ),
    ] = "mixed",
    level: Annotated[Level, typer.Option(help="How much detail to show.")] = Level.scalar,
    formulas: Annotated[bool, typer.Option("--formulas", help="Show the table of formulas used instead.")] = False,
    open_: Annotated[
        list[str] | None,
        typer.Option("--open", help="Write a definition out where its name is used (repeat the option), or all."),
    ] = None,
    speeds: Annotated[
        list[str] | None,
        typer.Option(help="Other speeds: automatic, or name=formula in rates and coordinates (repeat the option)."),
    ] = None,
    reference: Annotated[str | None, typer.Option(help="The body from which the motion is seen.")] = None,
    chart: Annotated[str | None, typer.Option(help="Free rotations: euler, bryant, quaternion, zyx...")] = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat the option).")] = None,
    parametrisation: Annotated[str, typer.Option(help="relative, absolute (bodies released) or planar.")] = "relative",
    potential: Annotated[
        str | None, typer.Option(help="What lagrange and hamilton put into V: automatic, gravity, none.")
    ] = None,
    independent: Annotated[
        list[str] | None,
        typer.Option(help="Equations without multipliers in this coordinate or speed (repeat), or automatic."),
    ] = None,
    at: Annotated[
        list[str] | None, typer.Option(help="The posture whose branch minimal equations follow: --at crank.th=1.")
    ] = None,
    isolate: Annotated[
        list[str] | None,
        typer.Option(help="Balances of this body isolated (repeat for several), or automatic: free of reactions."),
    ] = None,
    moments_at: Annotated[
        str | None, typer.Option(help="Where the moments of --isolate are taken: a link, a body, a frame.")
    ] = None,
    set_: Settings = None,
    format: Annotated[Notation | None, typer.Option("--format", help="How to write the result.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file: .txt, .tex, .html, .json, .mpl, .wl, .mac or .py.")
    ] = None,
) -> None:
    """Derive the equations of motion and show them as vectors, matrices or scalars; closed loops with their rows.

    Maple, Mathematica, Maxima and SymPy get M, S, F, rates and rows as a file of assignments, whatever the level.

    Example: dalembert equations examples/four_bar.lsd --formalism kane --level matrix
    """
    import dalembert

    out = None if out is not None and str(out) == STANDARD_OUTPUT else out
    notation = _notation(format, out)
    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    found = mechanism.equations(
        formalism,
        cut=cut or (),
        reference=reference,
        chart=chart,
        speeds=_speeds(speeds),
        parametrisation=parametrisation,
        potential=potential,
        independent="automatic" if independent == ["automatic"] else independent,
        at=read_values(at, "--at"),
    )
    if isolate:
        shown = _isolated(found, isolate, moments_at)
    else:
        shown = found.formulas if formulas else found.show(level.value)
    if open_:
        shown = shown.open(*([] if open_ == ["all"] else open_))
    text = _written(found, shown, notation)
    if out is None:
        typer.echo(text)
    else:
        write_text(out, text + "\n")


def _notation(format: Notation | None, out: Path | None) -> Notation:
    """The suffix of the file decides, and must not contradict the format."""
    if out is None:
        return format or Notation.text
    found = SUFFIXES.get(out.suffix.lower())
    if found is None:
        raise typer.BadParameter(f"{out}: the suffix is {', '.join(SUFFIXES)}", param_hint="--out")
    if format is not None and format is not found:
        raise typer.BadParameter(f"{out} is written as {found.value}, not as {format.value}", param_hint="--format")
    return found


def _speeds(chosen: list[str] | None) -> dict[str, str] | str | None:
    if not chosen or chosen in (["automatic"], ["joint"]):
        return chosen[0] if chosen else None
    found = {}
    for one in chosen:
        name, sign, formula = one.partition("=")
        if not sign or not name.strip() or not formula.strip():
            raise ModelError(f"--speeds {one!r} is not 'automatic' or name=formula, for example --speeds v=cart.x'.")
        found[name.strip()] = formula.strip()
    return found


def _isolated(found: Equations | MinimalEquations | QuasiEquations, bodies: list[str], at: str | None) -> Statement:
    """The balances of some bodies, or those that are chosen so that no unknown reaction has a part in them."""
    from dalembert.formalisms import Equations as Whole

    closed = found if isinstance(found, Whole) else found.closed
    if bodies == ["automatic"]:
        if at is not None:
            raise ModelError("--isolate automatic chooses the points of its moments: leave --moments-at out.")
        return closed.isolations().show()
    return closed.isolate(bodies, at=at).show()


def _written(found: Equations | MinimalEquations | QuasiEquations, shown: Statement, notation: Notation) -> str:
    if notation is Notation.json:
        data = found.as_dict() | {"level": shown.level, "shown": shown.as_dict()}
        return json.dumps(data, indent=2, ensure_ascii=False)
    if notation is Notation.latex:
        return shown.latex()
    if notation is Notation.html:
        head = (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(shown.title)}</title></head>'
        )
        return f"{head}\n<body>\n{shown.html()}\n</body></html>"
    return str(shown) if notation is Notation.text else found.export(notation.value)
