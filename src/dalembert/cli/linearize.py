"""`dalembert linearize`: exact linear equations about a motion."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings, read_formulas


def command(
    file: File,
    at: Annotated[
        list[str] | None,
        typer.Option(help="Coordinate or speed of the motion, as a formula of t: --at hinge.th=0 (repeat)."),
    ] = None,
    set_: Settings = None,
    input: Annotated[list[str] | None, typer.Option(help="A parameter that varies: a column of B (repeat).")] = None,
    independent: Annotated[
        list[str] | None, typer.Option(help="A coordinate to keep, of a machine with closed loops (repeat).")
    ] = None,
    t: Annotated[float | None, typer.Option("--t", help="The time at which a machine is held.")] = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    formalism: Annotated[str, typer.Option(help="Which formalism derives the equations of a tree.")] = "kane",
    symbols: Annotated[
        bool, typer.Option("--symbols", help="Closed loops in symbols too, where coordinates are formulas.")
    ] = False,
    numbers: Annotated[
        bool, typer.Option(help="Matrices in numbers, with the given values, and the modes of small motions.")
    ] = False,
    format: FormatOption = Format.text,
) -> None:
    """Linearise about an equilibrium, a steady motion or a trajectory: M, C, K and the state matrix.

    Coordinates that are not said stay symbols; speeds that are not said follow from the coordinates. Machines with
    closed loops are linearised in numbers, in independent coordinates, or with --symbols in symbols.

    Example: dalembert linearize examples/cart_pole.lsd --at pivot.th=0 --at rail.x=0 --numbers
    """
    import dalembert
    from dalembert.analysis import linearize
    from dalembert.analysis.linearization import linear_text
    from dalembert.mechanism import Layout

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    closed = bool(Layout.of(mechanism, cut or ()).constraints)
    source: Any = mechanism
    if symbols or not closed:
        chosen = (independent or "automatic") if closed else None
        source, closed = mechanism.equations(formalism, cut=cut or (), independent=chosen), False
    found = linearize(
        source, read_formulas(at, "--at"), inputs=input or (), independent=independent or (), t=t, cut=cut or ()
    )
    data = found.as_dict()
    if numbers or closed:
        data = found.in_numbers() | {"modes": [one.as_dict() for one in found.modes()]}
    if format is Format.json:
        show_json(data)
        return
    typer.echo(linear_text(data))
    if numbers or closed:
        typer.echo("modes:\n" + "\n".join(f"  {one}" for one in found.modes()))
