"""`dalembert linearize`: exact linear equations about a motion."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dalembert.cli.options import File, Format, FormatOption
from dalembert.cli.output import show_json


def command(
    file: File,
    about: Annotated[
        list[str] | None,
        typer.Option(help="Coordinate or speed of the motion, as a formula of t: --about hinge.th=0 (repeat)."),
    ] = None,
    input: Annotated[list[str] | None, typer.Option(help="A parameter that varies: a column of B (repeat).")] = None,
    formalism: Annotated[str, typer.Option(help="Which formalism derives the equations.")] = "kane",
    numbers: Annotated[bool, typer.Option(help="Use the values given in the program and add eigenvalues.")] = False,
    format: FormatOption = Format.text,
) -> None:
    """Linearise about an equilibrium, a steady motion or a trajectory: M, C, K and the state matrix.

    Coordinates that are not said stay symbols; speeds that are not said follow from the coordinates.

    Example: dalembert linearize examples/cart_pole.lsd --about pivot.th=0 --about rail.x=0 --numbers
    """
    import dalembert
    from dalembert.analysis.linearize import linearize
    from dalembert.errors import ModelError

    point: dict[str, Any] = {}
    for one in about or []:
        name, sign, formula = one.partition("=")
        if not sign or not formula.strip():
            raise ModelError(f"--about {one!r} is not of the form coordinate=formula, for example hinge.th=0.")
        point[name.strip()] = formula.strip()
    mechanism = dalembert.load(file)
    found = linearize(mechanism.equations(formalism), point, inputs=input or [])
    data = found.as_dict()
    if numbers:
        a, b = found.numbers(_values(mechanism, found.parameters, input or []))
        values = found.eigenvalues(_values(mechanism, found.parameters, input or []))
        data |= {
            "numeric_state_matrix": a.tolist(),
            "numeric_input_matrix": b.tolist(),
            "eigenvalues": [[z.real, z.imag] for z in values],
        }
    if format is Format.json:
        show_json(data)
        return
    typer.echo(_text(data))


def _values(mechanism: Any, parameters: tuple[str, ...], inputs: list[str]) -> dict[str, float]:
    from dalembert.errors import ModelError

    known = {"t": 0.0, **dict.fromkeys(inputs, 0.0), **mechanism.given}
    missing = [x for x in parameters if x not in known]
    if missing:
        raise ModelError(f"{missing[0]} has no value. Give it in the program: given {missing[0]} = 1 ;")
    return {x: float(v) for x, v in known.items() if isinstance(v, int | float)}


def _text(data: dict[str, Any]) -> str:
    lines = ["states: " + ", ".join([*data["coordinates"], *data["speeds"]])]
    lines.append("about: " + ", ".join(f"{x} = {v}" for x, v in data["point"].items()))
    for name in ("mass", "damping", "stiffness", "state_matrix", "input_matrix"):
        if data[name] and data[name][0]:
            lines += [f"{name.replace('_', ' ')}:", *("  [" + ", ".join(row) + "]" for row in data[name])]
    if any(x != "0" for x in data["residual"]):
        lines.append("not a motion by itself; forces to add: " + ", ".join(data["residual"]))
    if "eigenvalues" in data:
        lines.append("eigenvalues: " + ", ".join(f"{complex(*z):.6g}" for z in data["eigenvalues"]))
    return "\n".join(lines)
