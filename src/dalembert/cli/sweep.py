"""`dalembert sweep`: motions for many parameters and starts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_formulas, split_settings

_INTERRUPTED = 130


def command(
    file: File,
    vary: Annotated[
        list[str],
        typer.Option(help="What varies: name=from:to:count, uniform(a,b), normal(mean,dev), loguniform(a,b) (repeat)."),
    ],
    measure: Annotated[
        list[str], typer.Option(help="A number of each motion: max, min, mean, rms, first, final of formulas (repeat).")
    ],
    until: Annotated[float, typer.Option(help="Final time.")] = 10.0,
    samples: Annotated[int | None, typer.Option(min=1, help="Draws of what is random.")] = None,
    design: Annotated[str, typer.Option(help="random, sobol, halton or latin.")] = "random",
    seed: Annotated[int, typer.Option(help="Of the draws: the same seed, the same cases.")] = 0,
    events: Annotated[
        list[str] | None, typer.Option("--events", help="End a motion where a formula passes zero (repeat).")
    ] = None,
    set_: Settings = None,
    method: Annotated[str, typer.Option(help="The integration method.")] = "auto",
    rtol: Annotated[float, typer.Option(help="Relative tolerance of the motions.")] = 1e-8,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance.", show_default="as simulate")] = None,
    instants: Annotated[int, typer.Option(min=2, help="Instants between which measures are looked for.")] = 201,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="A formula whose values at all instants are kept (repeat).")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A folder for the results, as Parquet files.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the sweep that is in --out.")] = False,
    cluster: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, e.g. tcp://host:8786.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads, of each worker.", show_default="all")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="A picture of the first measure (.png, .svg, .pdf), or a page of all of them (.html)."),
    ] = None,
    format: FormatOption = Format.text,
) -> None:
    """Run a mechanism for many parameters and starts, and keep numbers of each motion.

    An interrupted sweep with --out goes on with --resume, to the same bits.

    Example: dalembert sweep examples/double_pendulum.lsd --vary m1=1:3:5 --vary "elbow.th=uniform(0,1)" --samples 20
    --measure "max(abs(elbow.th))" --until 2
    """
    import dalembert

    if not 0 < until < float("inf"):
        raise typer.BadParameter("the final time must be positive and finite", param_hint="--until")
    if out is not None and str(out) == "-":
        raise typer.BadParameter("a sweep is kept in a folder; --format json writes it here", param_hint="--out")
    if plot is not None and plot.suffix.lower() not in (".png", ".svg", ".pdf", ".html"):
        raise typer.BadParameter(f"{plot}: the suffix is .png, .svg, .pdf or .html", param_hint="--plot")
    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    with warnings_in_words():
        found = mechanism.sweep(
            (0.0, until),
            read_formulas(vary, "--vary"),
            measure,
            samples=samples,
            design=design,
            seed=seed,
            start=start,
            given=given,
            events=events,
            method=method,
            rtol=rtol,
            atol=atol,
            instants=instants,
            cut=cut or (),
            keep=keep or (),
            out=out,
            resume=resume,
            cluster=cluster,
            threads=threads,
        )
    if plot is not None and plot.suffix.lower() == ".html" and len(found):
        print(f"{found.page(plot)}: page", file=sys.stderr)
    elif plot is not None and len(found):
        from dalembert.files import written_whole

        with written_whole(plot) as picture:
            found.plot().savefig(picture, format=plot.suffix[1:].lower(), dpi=150)
        print(f"{plot}: picture", file=sys.stderr)
    if format is Format.json:
        show_json(found.as_dict())
    else:
        typer.echo(str(found))
    if not found.complete:
        print(f"stopped; what is done is in {out}: go on with --resume", file=sys.stderr)
        raise typer.Exit(_INTERRUPTED)
    if found.failures == len(found):
        print(f"none of the {len(found)} motions came to its end: the measures are empty", file=sys.stderr)
        raise typer.Exit(1)
