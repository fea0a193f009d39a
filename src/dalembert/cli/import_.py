"""`dalembert import`: a robot file becomes an LSD program."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

#: What notes say of arguments in Python, in words of this command.
_HERE = {
    "`meshes=True` reads them": "pictures of the robot file itself show them",
    "starts too: `keyframe=`": "starts too: `--keyframe`",
    "contacts are left out (`m.contact`)": "contacts are left out (write them: `contact foot.Z >= 0 ;`)",
}


def command(
    file: Annotated[Path, typer.Argument(help="A robot: URDF, MJCF (.xml) or SDF.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write here (.lsd) instead of printing.")] = None,
    floating: Annotated[bool, typer.Option(help="Let the root of a URDF move freely.")] = False,
    fuse: Annotated[bool, typer.Option(help="Join links that are fixed to each other.")] = False,
    limits: Annotated[bool, typer.Option(help="Keep the stops of joints, as contacts.")] = True,
    friction: Annotated[bool, typer.Option(help="Keep dry friction, which sticks; damping stays in any case.")] = True,
    keyframe: Annotated[str | None, typer.Option(help="Start from this keyframe of an MJCF file.")] = None,
    package: Annotated[Path | None, typer.Option(help="Folder that holds all files of the robot.")] = None,
) -> None:
    """Turn a robot file into an LSD program. What it says and a mechanism cannot hold is told, line by line.

    Other commands open robot files as they are: `dalembert simulate examples/robots/arm.urdf`.

    Example: dalembert import examples/robots/arm.urdf -o arm.lsd
    """
    from dalembert import io
    from dalembert.files import STANDARD_OUTPUT, check_suffix, write_text
    from dalembert.lsd.printer import to_lsd
    from dalembert.mechanism import Mechanism

    out = None if out is not None and str(out) == STANDARD_OUTPUT else out
    if out is not None:
        check_suffix(out, (".lsd",), "a program in LSD is written")
    made = Mechanism(file.stem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", io.UnmappedWarning)
        key = int(keyframe) if keyframe is not None and keyframe.isdigit() else keyframe
        how = io.Reading(fuse=fuse, limits=limits, friction=friction, package=package, floating=floating, keyframe=key)
        io.read_robot(file, made, how)
    for note in made.notes:
        for said, here in _HERE.items():
            note = note.replace(said, here)
        print(f"note: {note}", file=sys.stderr)
    text = to_lsd(made)
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    print(f"wrote {out}: {len(made.bodies) - 1} bodies, {len(made.links)} links", file=sys.stderr)
