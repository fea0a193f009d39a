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
    """Check programs: syntax, types, connection to earth, constraints that can be obeyed, a start that closes.

    Every fault is shown with its place and a hint. Remarks say what has no number yet.

    Example: dalembert check examples/satellite.lsd
    """
    from dalembert.errors import CouplingError, LsdError, ModelError, SimulationError, SingularError
    from dalembert.lsd.printer import to_lsd
    from dalembert.lsd.source import Diagnostic
    from dalembert.mechanism.numbers import remarks

    results: list[dict[str, Any]] = []
    failed = False
    for path in files:
        result: dict[str, Any] = {"file": str(path), "ok": True}
        places: dict[tuple[str, str], Any] = {}
        try:
            mechanism, result["summary"], diagnostics, places = _read(path, strict, lenient)
            if mechanism is not None:
                diagnostics += [
                    Diagnostic("warning", said, *places["constraint", name])
                    for name, said in _derive(mechanism)
                    if ("constraint", name) in places
                ]
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
        except (ModelError, CouplingError, SimulationError, SingularError) as error:
            failed = True
            owners = [(kind, x) for x in error.about for kind in ("constraint", "contact", "link")]
            at = next((places[one] for one in owners if one in places), None)
            found = None if at is None else Diagnostic("error", str(error), *at)
            told = {"severity": "error", "message": str(error)} if found is None else found.as_dict()
            result |= {"ok": False, "diagnostics": [told]}
            if format is Format.text:
                print(f"{path}: error: {error}" if found is None else found, file=sys.stderr)
        results.append(result)
    if format is Format.json:
        show_json(results if len(results) > 1 else results[0])
    raise typer.Exit(1 if failed else 0)


_CONTACTS = 100
"""Contacts, at most, whose gaps are looked at: each takes as long as it takes to derive its row."""


def _derive(mechanism: Any) -> list[tuple[str, str]]:
    """Constraints that no motion can obey show themselves in the solve and, where numbers are known, at the start.

    What holds always, or follows from others, is given back: names and sentences.
    """
    import warnings

    from dalembert.mechanism import Layout

    layout = Layout.of(mechanism)
    if not (layout.constraints or mechanism.contacts):
        return []
    from dalembert import expr as ex
    from dalembert.constraints.soundness import always_true, following
    from dalembert.contact.posture import check_start
    from dalembert.contact.rows import contact_rows
    from dalembert.dynamics import dynamics_of
    from dalembert.dynamics.numbers import resolve
    from dalembert.dynamics.start import closed_start
    from dalembert.mechanism.contact import Among

    about = dynamics_of(layout)
    found = list[tuple[str, str]]()
    if mechanism.constraints:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told here, with their places
            _ = about.resolved
        found = [*always_true(about.rows), *following(about.rows)]
    if layout.constraints and set(about.closure.parameters) <= set(mechanism.given):
        closed_start(layout)
    crowd = any(isinstance(one.place, Among) for one in mechanism.contacts)  # which of them touch is found in motion
    if mechanism.contacts and not crowd and len(mechanism.contacts) <= _CONTACTS:
        rows = contact_rows(about)
        if rows and set(mechanism.freeze().parameters()) <= set(mechanism.given):
            numbers = resolve(mechanism.given, "given")
            values = {**closed_start(layout).values, **numbers, "t": 0.0}
            check_start(about, {ex.symbol(name): value for name, value in values.items()})
    return found


def _read(path: Path, strict: bool, lenient: bool) -> tuple[Any, str, list[Any], dict[tuple[str, str], Any]]:
    from dalembert import io, lsd
    from dalembert.lsd.reading import read_source
    from dalembert.mechanism import Mechanism

    if path.suffix.lower() in io.SUFFIXES:
        robot = Mechanism(path.stem)
        io.read_robot(path, robot)
        return robot, _counted(robot), [], {}
    checked = lsd.check(read_source(path), strict=strict, lenient=lenient)
    mechanism = lsd.elaborate(checked, Mechanism(path.stem))
    diagnostics = list(checked.diagnostics)
    if not mechanism.tied:  # definitions only
        return None, f"a library, {len(checked.program.declarations)} declarations", diagnostics, {}
    return mechanism, _counted(mechanism), diagnostics, checked.places


def _counted(mechanism: Any) -> str:
    bodies, links = len(mechanism.bodies) - 1, len(mechanism.links)
    coordinates = sum(len(link.coordinates) for link in mechanism.links.values())
    counts = (bodies, "body", "bodies"), (links, "link", "links"), (coordinates, "coordinate", "coordinates")
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts)
