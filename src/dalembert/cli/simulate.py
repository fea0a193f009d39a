"""`dalembert simulate`: the motion from `given` and `start`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_values, split_settings
from dalembert.files import STANDARD_OUTPUT, make_folder, write_text, written_whole

_INTERRUPTED = 130
"""What a shell expects of a program that Ctrl-C has stopped."""


def command(
    file: File,
    until: Annotated[float, typer.Option(help="Final time.")] = 10.0,
    points: Annotated[int, typer.Option(min=2, help="Number of instants in the result.")] = 201,
    set_: Settings = None,
    start: Annotated[
        list[str] | None, typer.Option(help="A coordinate or speed at the start, e.g. --start elbow.th=0.1")
    ] = None,
    events: Annotated[
        list[str] | None, typer.Option("--events", help="Tell when a formula passes zero, e.g. --events 'elbow.th - 1'")
    ] = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop (repeat the option).")] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="What to tell instead of the states: outputs or formulas, e.g. --columns 'tip.X, rail.Fz'."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            help="Write the motion: .csv, .json, .npz or .html (it plays); a folder/ for a .csv, - for the table here."
        ),
    ] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Write a picture of the coordinates beside the motion.")] = False,
    plot_contacts: Annotated[
        bool, typer.Option("--plot-contacts", help="Write a picture of the states of contacts: open, stick, slip.")
    ] = False,
    animate: Annotated[
        Path | None, typer.Option(help="Write the motion as an .html file that plays.", show_default=False)
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.", show_default="1e-8")] = None,
    atol: Annotated[
        float | None,
        typer.Option(help="Absolute tolerance.", show_default="1e-10 of a radian or of the machine's size"),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Method: auto, DOP853, RADAU9, taylor, symplectic4, DAE, RADAU9-DAE...")
    ] = "auto",
    max_step: Annotated[
        float | None,
        typer.Option(help="Longest step; the step of symplectic, DAE and time stepping.", show_default="free"),
    ] = None,
    impacts: Annotated[
        str, typer.Option(help="Law of impacts: auto, moreau, newton, poisson, stronge, sequential.")
    ] = "auto",
    format: FormatOption = Format.text,
) -> None:
    """Run a mechanism from its `given` and `start`, and show where it goes.

    Example: dalembert simulate examples/pendulum.lsd --until 10 --set m=3 --out motion.csv --plot
    """
    import numpy as np

    import dalembert
    from dalembert.errors import SimulationError

    if not 0 < until < float("inf"):
        raise typer.BadParameter("the final time must be positive and finite", param_hint="--until")
    place = _place(out, file.stem)
    if animate is not None and animate.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"{animate} is not an .html file", param_hint="--animate")
    plays = animate is not None or place.suffix.lower() in (".html", ".htm")
    mechanism: Any = dalembert.load(file, meshes=plays)
    first, given = split_settings(mechanism, set_)
    options: dict[str, Any] = {"rtol": rtol, "atol": atol, "max_step": max_step}
    failure: SimulationError | None = None
    try:
        with warnings_in_words():
            motion = mechanism.simulate(
                (0.0, until),
                t_eval=np.linspace(0.0, until, points),
                start={**first, **read_values(start, "--start")},
                given=given,
                events=events or None,
                cut=cut or (),
                method=method,
                impacts=impacts,
                dense_output=True,
                **{name: value for name, value in options.items() if value is not None},
            )
    except SimulationError as error:
        # What was computed before the fault is still worth a file.
        if error.partial is None or out is None:
            raise
        motion, failure = error.partial, error
    told = None if columns is None else _split(columns)
    stopped = motion.status == 2
    if out == STANDARD_OUTPUT:
        motion.to_csv(sys.stdout.buffer, told)
    elif out is not None:
        if stopped or failure is not None:  # a file of the asked name is whole
            place = place.with_name(f"{place.stem}.partial{place.suffix}")
        _write(motion, place, told)
        print(f"{place}: {len(motion.t)} instants, {len(told or motion.columns)} columns", file=sys.stderr)
    if plot:
        picture = place.with_suffix(".png")
        _plot(motion.plot, motion.system.coordinates[:12], picture)
        print(f"{picture}: picture", file=sys.stderr)
    if plot_contacts:
        picture = place.with_name(f"{place.stem}.contacts.png")
        _plot(motion.plot_contacts, (), picture)
        print(f"{picture}: states of contacts", file=sys.stderr)
    if animate is not None:
        motion.animate(animate)
        print(f"{animate}: animation", file=sys.stderr)
    if format is Format.json:
        show_json(motion.as_dict(told))
    elif out is None and not plot and not plot_contacts and animate is None:
        typer.echo(_table(motion, told or motion.columns))
    if failure is None and not stopped and format is not Format.json:
        from dalembert.simulate.motion.arcs import megabytes

        kept = f"{megabytes(motion.arcs):.1f} MB"
        print(f"{motion.method}, {motion.nfev} evaluations, {kept}; {motion.message}", file=sys.stderr)
    if failure is not None:
        raise failure
    if stopped:
        print(f"{motion.message} (asked for: t = {until:g})", file=sys.stderr)
        raise typer.Exit(_INTERRUPTED)


def _place(out: str | None, name: str) -> Path:
    """The file of the motion; a folder (existing, or written with a final slash) holds `name.csv`."""
    if out is None or out == STANDARD_OUTPUT:
        return Path(f"{name}.csv")
    path = Path(out)
    if path.is_dir() or out.endswith(("/", "\\")):
        return make_folder(path) / f"{name}.csv"
    if path.suffix.lower() not in (".csv", ".json", ".npz", ".html", ".htm"):
        said = f"{out}: the suffix is .csv, .json, .npz or .html; a new folder is written {out}/"
        raise typer.BadParameter(said, param_hint="--out")
    return path


def _split(columns: str) -> list[str]:
    """Names between commas; commas inside brackets belong to formulas."""
    found, depth = [""], 0
    for c in columns:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [name.strip() for name in found if name.strip()]


def _write(motion: Any, path: Path, columns: list[str] | None) -> None:
    """The suffix decides."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        import json

        write_text(path, json.dumps(motion.as_dict(columns)) + "\n")
    elif suffix == ".npz":
        motion.save(path)
    elif suffix in (".html", ".htm"):
        motion.animate(path)
    else:
        motion.to_csv(path, columns)


def _table(motion: Any, names: Sequence[str]) -> str:
    """A few instants and the first columns: enough to see what happens."""
    values = {name: motion[name] for name in names[:8]}
    shown = names[:8]
    count = len(motion.t)
    rows = sorted({round(k * (count - 1) / 10) for k in range(11)})
    width = max(12, *(len(n) + 1 for n in shown))  # of -1.23456e-10; a space comes before each
    head = f"{'t':>10}" + "".join(f" {n:>{width}}" for n in shown)
    lines = [
        f"{float(motion.t[r]):>10.4g}" + "".join(f" {float(values[n][r]):>{width}.6g}" for n in shown) for r in rows
    ]
    for name, times in motion.events.items():
        told = ", ".join(f"{t:.6g}" for t in times[:8]) + (" ..." if len(times) > 8 else "")
        lines.append(f"event '{name}': {told or 'never'}")
    more = (
        f"\n({len(names) - len(shown)} more columns: name some with --columns, or write all with --out)"
        if len(names) > len(shown)
        else ""
    )
    return "\n".join([head, *lines]) + more


def _plot(drawn: Callable[..., Any], names: Sequence[str], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure = drawn(*names)
    try:
        with written_whole(path) as file:
            figure.savefig(file, format="png")
    finally:
        plt.close(figure)
