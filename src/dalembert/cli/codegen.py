"""`dalembert codegen`: source code of a mechanism in another language, a complete program, or an FMU."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Settings
from dalembert.cli.output import warnings_in_words
from dalembert.cli.settings import split_settings
from dalembert.files import STANDARD_OUTPUT, make_folder, write_text


class Target(StrEnum):
    c = "c"
    fortran = "fortran"
    python = "python"
    matlab = "matlab"
    rust = "rust"
    julia = "julia"
    javascript = "javascript"
    fmi2 = "fmi2"
    fmi3 = "fmi3"


#: MATLAB finds a function by the name of its file.
_FILE_NAMES = {"matlab": "dalembert_model"}


def command(
    file: File,
    lang: Annotated[Target, typer.Option(help="Language of the code, or fmi2/fmi3 for an FMU.")] = Target.c,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files; without it functions go to standard output.")
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="A complete program (C, Fortran) with its Makefile.")
    ] = False,
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="One more quantity, of a frame, derived: 'jacobian:hand', 'bias/speeds' (repeat the option)."
        ),
    ] = None,
    input_: Annotated[
        list[str] | None,
        typer.Option("--input", help="fmi: a parameter that changes all the time, as a motor's control (repeat)."),
    ] = None,
    output: Annotated[
        list[str] | None, typer.Option(help="fmi: what a motion tells, by its name there: hand.X (repeat).")
    ] = None,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop (repeat the option).")] = None,
) -> None:
    """Write the equations of motion as source code that needs nothing of dalembert.

    Example: dalembert codegen examples/pendulum.lsd --lang fortran --program --out pendulum
    """
    import dalembert
    from dalembert.codegen import export_fmu, write_header, write_model, write_program
    from dalembert.codegen.languages import language

    mechanism = dalembert.load(file)  # type: ignore[attr-defined]
    start, given = split_settings(mechanism, set_)
    cut = cut or []
    if out is not None and str(out) == STANDARD_OUTPUT:
        if program or lang in (Target.fmi2, Target.fmi3):
            raise typer.BadParameter("several files, or a unit, need a folder", param_hint="--out")
        out = None
    if also and (program or lang in (Target.fmi2, Target.fmi3)):
        raise dalembert.ArgumentError("`--also` adds functions to a file of functions: leave out --program and fmi.")  # type: ignore[attr-defined]
    if (input_ or output) and lang not in (Target.fmi2, Target.fmi3):
        raise dalembert.ArgumentError("`--input` and `--output` are those of a unit: --lang fmi2 or fmi3.")  # type: ignore[attr-defined]
    if lang in (Target.fmi2, Target.fmi3):
        folder = out or Path()
        version = "2.0" if lang is Target.fmi2 else "3.0"
        with warnings_in_words():
            path = export_fmu(
                mechanism,
                folder / f"{file.stem}.fmu",
                version,
                start=start,
                given=given,
                inputs=input_ or (),
                outputs=output or (),
                cut=cut,
            )
        typer.echo(path)
        return
    if program:
        with warnings_in_words():
            files = write_program(mechanism, lang.value, start=start, given=given, cut=cut)
        out = out or Path(file.stem)  # a name inside the file may lead elsewhere
    else:
        text = write_model(mechanism, lang.value, also=also or (), cut=cut)
        if out is None:
            typer.echo(text, nl=False)
            return
        stem = _FILE_NAMES.get(lang.value, "model")
        files = {f"{stem}.{language(lang.value).extension}": text}
        if lang is Target.c:
            files["model.h"] = write_header(mechanism, also=also or (), cut=cut)
    make_folder(out)
    for name, text in files.items():
        write_text(out / name, text)
        typer.echo(out / name)
