"""`dalembert plot`: curves, portraits, sections, reactions, small motions."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.options import File, Settings
from dalembert.cli.output import warnings_in_words
from dalembert.cli.settings import read_formulas, read_values, split_settings
from dalembert.files import check_suffix


class Kind(StrEnum):
    curves = "curves"
    phase = "phase"
    section = "section"
    energy = "energy"
    reactions = "reactions"
    response = "response"
    locus = "locus"
    mode = "mode"


def command(
    file: File,
    kind: Annotated[Kind, typer.Option(help="What is drawn.")] = Kind.curves,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            help="What to draw (repeat): names or formulas; x and y of a portrait; links; states of a response.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The picture: .png, .svg, .pdf; .html for a mode that swings.", show_default="FILE.png"
        ),
    ] = None,
    until: Annotated[float, typer.Option(help="Final time of the motion.")] = 10.0,
    when: Annotated[str | None, typer.Option(help="Section: the formula that passes zero and grows.")] = None,
    vary: Annotated[
        str | None, typer.Option(help="Response: the input. Locus: the parameter and its values, k=0:40 or k=0:40:200.")
    ] = None,
    at: Annotated[
        list[str] | None, typer.Option(help="Coordinate or speed of the motion of a response or locus (repeat).")
    ] = None,
    mode: Annotated[int, typer.Option(help="Number of the mode, slowest first.", min=1)] = 1,
    set_: Settings = None,
    start: Annotated[list[str] | None, typer.Option(help="A coordinate or speed at the start.")] = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop (repeat).")] = None,
) -> None:
    """Draw a motion or small motions: curves over time, a phase portrait, a Poincare section, energies, reactions.

    Of small motions: the response to frequencies of an input, paths of eigenvalues, a mode.

    Example: dalembert plot examples/double_pendulum.lsd --kind section --when shoulder.th --name elbow.th --until 60

    Example: dalembert plot examples/spring_train.lsd --kind locus --vary k=1:20 --at a.x=1 --at b.x=1 --at d.x=1

    Example: dalembert plot examples/double_pendulum.lsd --kind mode --mode 2 -o mode.html
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import dalembert
    from dalembert.view.images import PICTURES, write_picture

    place = out or Path(f"{file.stem}.png")
    swings = kind is Kind.mode and place.suffix.lower() in (".html", ".htm")
    if not swings:
        check_suffix(place, PICTURES, "a picture is a PNG, SVG or PDF")
    if not 0 < until < float("inf"):
        raise typer.BadParameter("the final time must be positive and finite", param_hint="--until")
    mechanism: Any = dalembert.load(file)
    first, given = split_settings(mechanism, set_)
    told, chosen = read_formulas(at, "--at"), names or []
    with warnings_in_words():
        if swings:
            mechanism.animate_mode(mode, place, given=given)
        elif kind is Kind.mode:
            mechanism.draw_mode(mode, place, given=given)
        elif kind is Kind.response:
            if not vary:
                raise typer.BadParameter("say which parameter is the input, --vary F", param_hint="--vary")
            write_picture(mechanism.plot_response(vary, chosen, at=told, given=given, cut=cut or ()), place)
        elif kind is Kind.locus:
            name, values = _values(vary)
            write_picture(mechanism.plot_locus(name, values, at=told, given=given, cut=cut or ()), place)
        else:
            motion = mechanism.simulate(
                (0.0, until), start={**first, **read_values(start, "--start")}, given=given, cut=cut or ()
            )
            write_picture(_figure(motion, kind, chosen, when), place)
    typer.echo(place)


def _figure(motion: Any, kind: Kind, names: list[str], when: str | None) -> Any:
    if kind in (Kind.phase, Kind.section) and len(names) > 2:
        raise typer.BadParameter("a portrait has an x and a y: at most two names", param_hint="--name")
    if kind is Kind.section:
        if not when:
            raise typer.BadParameter("say where the section is, --when 'hinge.th'", param_hint="--when")
        return motion.plot_section(when, *names)
    draw = {Kind.curves: motion.plot, Kind.phase: motion.plot_phase, Kind.reactions: motion.plot_reactions}
    return motion.plot_energy() if kind is Kind.energy else draw[kind](*names)


def _values(vary: str | None) -> tuple[str, list[float]]:
    """`k=0:40:200`: a name and that many values between two."""
    name, _, span = (vary or "").partition("=")
    parts = span.split(":")
    try:
        low, high = float(parts[0]), float(parts[1])
        count = int(parts[2]) if len(parts) == 3 else 120
        if not name or len(parts) > 3 or not 2 <= count <= 100_000:
            raise ValueError
    except (ValueError, IndexError):
        raise typer.BadParameter("write --vary k=0:40, or k=0:40:200 for 200 values", param_hint="--vary") from None
    return name.strip(), [low + (high - low) * i / (count - 1) for i in range(count)]
