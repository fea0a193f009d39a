"""`dalembert simulate`: the motion from `given` and `start`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, write_atomically
from dalembert.cli.settings import apply_settings


def command(
    file: File,
    until: Annotated[float, typer.Option(help="Final time.")] = 10.0,
    points: Annotated[int, typer.Option(min=2, help="Number of instants in the result.")] = 201,
    set_: Settings = None,
    out: Annotated[
        str | None,
        typer.Option(help="Write the motion: a .csv or .json file, or a folder/ for files named after the model."),
    ] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Write a picture of the coordinates beside the motion.")] = False,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of the integrator.")] = 1e-8,
    atol: Annotated[float, typer.Option(help="Absolute tolerance of the integrator.")] = 1e-8,
    method: Annotated[str | None, typer.Option(help="Integration method.", show_default="automatic")] = None,
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
    mechanism: Any = dalembert.load(file)
    apply_settings(mechanism, set_)
    options: dict[str, Any] = {"t_eval": np.linspace(0.0, until, points), "rtol": rtol, "atol": atol}
    if method is not None:
        options["method"] = method
    failure: SimulationError | None = None
    try:
        motion = mechanism.simulate((0.0, until), **options)
    except SimulationError as error:
        # What was computed before the fault is still worth a file.
        if error.partial is None or out is None:
            raise
        motion, failure = error.partial, error
    names = list(motion.names)
    place = _place(out, mechanism.name)
    if out is not None:
        write_atomically(place, _json(motion, names) if place.suffix == ".json" else _csv(motion, names))
        print(f"{place}: {len(motion.t)} instants, {len(names)} columns", file=sys.stderr)
    if plot:
        picture = place.with_suffix(".png")
        _plot(motion, names, picture, mechanism)
        print(f"{picture}: picture", file=sys.stderr)
    if format is Format.json:
        show_json(_data(motion, names))
    elif out is None and not plot:
        typer.echo(_table(motion, names))
    if failure is not None:
        raise failure


def _place(out: str | None, name: str) -> Path:
    """The file of the motion; a folder (existing, or written with a final slash) holds `name.csv`."""
    if out is None:
        return Path(f"{name}.csv")
    path = Path(out)
    if path.is_dir() or out.endswith(("/", "\\")):
        path.mkdir(parents=True, exist_ok=True)
        return path / f"{name}.csv"
    return path


def _data(motion: Any, names: list[str]) -> dict[str, Any]:
    columns = {name: [float(v) for v in motion[name]] for name in names}
    return {"t": [float(v) for v in motion.t], "columns": columns, "message": str(motion.message)}


def _json(motion: Any, names: list[str]) -> str:
    import json

    return json.dumps(_data(motion, names)) + "\n"


def _csv(motion: Any, names: list[str]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["t", *names])
    writer.writerows(zip(map(float, motion.t), *([float(v) for v in motion[n]] for n in names)))
    return text.getvalue()


def _table(motion: Any, names: list[str]) -> str:
    """A few instants and the first columns: enough to see what happens."""
    shown = names[:8]
    count = len(motion.t)
    rows = sorted({round(k * (count - 1) / 10) for k in range(11)})
    width = max(12, *(len(n) + 2 for n in shown))
    head = f"{'t':>10}" + "".join(f"{n:>{width}}" for n in shown)
    lines = [
        f"{float(motion.t[r]):>10.4g}" + "".join(f"{float(motion[n][r]):>{width}.6g}" for n in shown) for r in rows
    ]
    more = f"\n({len(names) - len(shown)} more columns: use --out)" if len(names) > len(shown) else ""
    return "\n".join([head, *lines]) + more


def _plot(motion: Any, names: list[str], path: Path, mechanism: Any) -> None:
    import os

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    moving = {x for link in mechanism.links.values() for x in link.coordinates}
    coordinates = [n for n in names if n in moving]
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name in coordinates[:12]:
        axes.plot(motion.t, motion[name], label=name)
    axes.set_xlabel("t")
    axes.set_title(mechanism.name)
    axes.grid(alpha=0.3)
    axes.legend(loc="best", fontsize="small")
    fresh = path.with_name(f".{os.getpid()}.{path.name}")
    figure.savefig(fresh)
    plt.close(figure)
    os.replace(fresh, path)
