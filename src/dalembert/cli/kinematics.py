"""`dalembert kinematics`: where a frame is, as formulas; and every posture in which it is where it should be."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings, read_values


def command(
    file: File,
    of: Annotated[str, typer.Option("--of", help="Frame or body.", show_default=False)],
    base: Annotated[str, typer.Option("--from", help="Frame or body that it is seen from.")] = "earth",
    level: Annotated[str, typer.Option(help="Of the formulas: vector, matrix or scalar.")] = "scalar",
    position: Annotated[str | None, typer.Option(help="Place to be reached, e.g. 0.3,0.4,0.2.")] = None,
    rotation: Annotated[str | None, typer.Option(help="Axes to be reached: rows of a matrix, or a quaternion.")] = None,
    direction: Annotated[str | None, typer.Option(help="Where the z axis shall point, e.g. 0,0,-1.")] = None,
    at: Annotated[list[str] | None, typer.Option(help="Coordinate that is held, e.g. --at j7.th=0 (repeat).")] = None,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Pose and velocity of a frame as formulas; with --position all postures that reach it, with their formulas.

    Example: dalembert kinematics examples/scara.lsd --of gripper

    Example: dalembert kinematics examples/scara.lsd --of gripper --position 0.3,0.4,0.2 --rotation 1,0,0,0
    """
    import dalembert

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    if position is None:
        if rotation or direction or at:
            raise typer.BadParameter("what shall be reached begins with --position x,y,z")
        found = mechanism.direct_kinematics(of, base=base, cut=cut or ())
        if format is Format.json:
            show_json(found.to_json())
        else:
            typer.echo(found.show(level))
        return
    turned = None if rotation is None else _listed(rotation)
    nine = turned is not None and len(turned) == 9
    reached = mechanism.inverse_kinematics(
        of,
        _listed(position),
        rotation=[turned[:3], turned[3:6], turned[6:]] if turned and nine else turned,
        direction=None if direction is None else _listed(direction),
        base=base,
        at=read_values(at, "--at"),
        cut=cut or (),
    )
    if format is Format.json:
        show_json(reached.to_json())
        return
    typer.echo(str(reached))
    if reached.formulas:
        typer.echo("\nformulas, in the place X, Y, Z and the axes R11 ... R33 of the frame:")
        for one in reached.formulas:
            typer.echo(f"  {one}")


def _listed(text: str) -> list[str]:
    return [x.strip() for x in text.split(",")]
