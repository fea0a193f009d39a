"""`dalembert check`: is this program right?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.options import Format, FormatOption
from dalembert.cli.output import faults, show_json


def command(
    files: Annotated[list[Path], typer.Argument(help="Programs in LSD.", show_default=False)],
    strict: Annotated[bool, typer.Option(help="The printed lexer and precedence of the thesis.")] = False,
    lenient: Annotated[bool, typer.Option(help="A body may stand for its reference frame.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print the mechanism as a complete LSD program.")] = False,
    format: FormatOption = Format.text,
) -> None:
    """Check programs: syntax, types, connection to earth. Every fault is shown with its place and a hint.

    Remarks say what has no number yet.

    Example: dalembert check examples/satellite.lsd
    """
    from dalembert.errors import CouplingError, LsdError, ModelError
    from dalembert.lsd.printer import to_lsd
    from dalembert.mechanism.numbers import remarks

    results: list[dict[str, Any]] = []
    failed = False
    for path in files:
        result: dict[str, Any] = {"file": str(path), "ok": True}
        try:
            mechanism, result["summary"], diagnostics = _read(path, strict, lenient)
            if mechanism is not None and mechanism.constraints:
                _derive(mechanism)
            result["diagnostics"] = [one.as_dict() for one in diagnostics]
            result["remarks"] = [] if mechanism is None else list(remarks(mechanism.freeze()))
            if format is Format.text:
                for one in diagnostics:
                    print(one, file=sys.stderr)
                for remark in result["remarks"]:
                    print(f"{path}: remark: {remark}", file=sys.stderr)
                typer.echo(to_lsd(mechanism) if show and mechanism is not None else f"{path}: {result['summary']}")
            elif show and mechanism is not None:
                result["program"] = to_lsd(mechanism)
        except LsdError as error:
            failed = True
            result |= {"ok": False, "diagnostics": faults(error)}
            if format is Format.text:
                shown = [str(d) for d in error.diagnostics] or [str(error)]
                print("\n".join(shown), file=sys.stderr)
        except (ModelError, CouplingError) as error:
            failed = True
            result |= {"ok": False, "diagnostics": [{"severity": "error", "message": str(error)}]}
            if format is Format.text:
                print(f"{path}: error: {error}", file=sys.stderr)
        results.append(result)
    if format is Format.json:
        show_json(results if len(results) > 1 else results[0])
    raise typer.Exit(1 if failed else 0)


def _derive(mechanism: Any) -> None:
    """Constraints that no motion can obey show themselves in the solve: contradictions, devices without hold."""
    from dalembert.dynamics import dynamics_of
    from dalembert.mechanism import Layout

    _ = dynamics_of(Layout.of(mechanism)).resolved


def _read(path: Path, strict: bool, lenient: bool) -> tuple[Any, str, list[Any]]:
    from dalembert import lsd
    from dalembert.lsd.reading import read_source
    from dalembert.mechanism import Mechanism

    checked = lsd.check(read_source(path), strict=strict, lenient=lenient)
    mechanism = lsd.elaborate(checked, Mechanism(path.stem))
    diagnostics = list(checked.diagnostics)
    if checked.is_library:
        return None, f"a library, {len(checked.program.declarations)} declarations", diagnostics
    bodies, links = len(mechanism.bodies) - 1, len(mechanism.links)
    coordinates = sum(len(link.coordinates) for link in mechanism.links.values())
    counts = (bodies, "body", "bodies"), (links, "link", "links"), (coordinates, "coordinate", "coordinates")
    return mechanism, ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts), diagnostics
