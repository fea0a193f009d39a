"""`dalembert reactions`: efforts in all links, and of all constraints, at one state."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings, read_values


def command(
    file: File,
    at: Annotated[
        list[str] | None, typer.Option(help="Coordinate or speed of the state, e.g. --at hinge.th=0.3 (repeat).")
    ] = None,
    set_: Settings = None,
    t: Annotated[float, typer.Option("--t", help="The time of the state.")] = 0.0,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Efforts in all links at a state, on second bodies, at and in the bases of second frames; then of constraints.

    What --at does not name follows from `start` and from the closure. Components that redundant constraints leave open
    are marked. Of constraints and drives: the effort lambda of each condition, friction, and their power.

    Example: dalembert reactions examples/four_bar.lsd --at ground.th=1
    """
    import warnings

    import dalembert

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the mechanics of rigid bodies")  # the components are marked one by one
        found = mechanism.reactions(read_values(at, "--at"), t=t, cut=cut or ())
        held = mechanism.constraint_efforts(read_values(at, "--at"), t=t, cut=cut or ())
    if format is Format.json:
        told = {
            key: {k: one.as_dict() for k, one in some.items()}
            for key, some in (("links", found), ("constraints", held))
        }
        show_json({"mechanism": mechanism.name, "t": t, **told})
        return
    for one in [*found.values(), *held.values()]:
        typer.echo(str(one))
