"""`dalembert optimize`: parameters, starts and inputs for which a number of the motion is least."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_formulas, split_settings


def command(
    file: File,
    minimize: Annotated[str, typer.Option(help="The number: final, first, mean, rms, max, min of formulas.")],
    vary: Annotated[
        list[str] | None, typer.Option(help="A parameter or start with its bounds: name=low:high, or name (repeat).")
    ] = None,
    input: Annotated[
        list[str] | None,
        typer.Option(help="A parameter that becomes a spline in time: name=count:low:high (repeat)."),
    ] = None,
    subject_to: Annotated[
        list[str] | None, typer.Option(help="A relation to keep: 'final(x) = 1', 'max(abs(x)) <= 2' (repeat).")
    ] = None,
    until: Annotated[float, typer.Option(help="Final time.")] = 10.0,
    event: Annotated[
        list[str] | None, typer.Option("--events", help="End the motion where a formula passes zero (repeat).")
    ] = None,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Find parameters, starts and inputs for which a number of the motion is least, with exact gradients.

    Exit code 1 if the optimiser is not content.

    Example: dalembert optimize examples/pendulum.lsd --minimize "final(hinge.th)^2" --vary l=0.1:2 --until 1
    """
    import dalembert

    if not 0 < until < float("inf"):
        raise typer.BadParameter("the final time must be positive and finite", param_hint="--until")
    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    plain = [text for text in vary or () if "=" not in text]
    bounds = {name: _numbers(text, 2, "--vary") for name, text in read_formulas(
        [text for text in vary or () if "=" in text], "--vary").items()}  # fmt: skip
    inputs = {name: _numbers(text, 3, "--input") for name, text in read_formulas(input, "--input").items()}
    with warnings_in_words():
        found = mechanism.optimize(
            (0.0, until),
            minimize,
            {**dict.fromkeys(plain), **{name: (low, high) for name, (low, high) in bounds.items()}},
            inputs={name: (int(count), low, high) for name, (count, low, high) in inputs.items()},
            subject_to=subject_to or (),
            start=start,
            given=given,
            events=[dalembert.Event(text, terminal=True) for text in event or ()] or None,
            cut=cut or (),
        )
    if format is Format.json:
        show_json(found.as_dict())
    else:
        typer.echo(str(found))
    if not found.success:
        raise typer.Exit(1)


def _numbers(text: str, count: int, option: str) -> list[float]:
    try:
        found = [float(x) for x in text.split(":")]
    except ValueError:
        found = []
    if len(found) != count:
        raise typer.BadParameter(f"write {count} numbers with colons between, not {text}", param_hint=option)
    return found
