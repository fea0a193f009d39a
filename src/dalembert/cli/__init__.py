"""The command line: `dalembert COMMAND FILE`. One module a command; to add one, write it and name it in COMMANDS."""

from __future__ import annotations

import errno
import inspect
import os
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Annotated, Any

import typer

from dalembert import limits
from dalembert.errors import DalembertError

# name on the command line -> what it does in a few words; its module has a function `command`, and heavy imports stay
# inside the functions
COMMANDS = {
    "check": "Check syntax, types and the connection to earth.",
    "format": "Lay programs out in the house style.",
    "names": "Number bodies and links, and name every quantity.",
    "equations": "Derive and show the equations of motion.",
    "compare": "Derive by every formalism, side by side.",
    "verify": "Check a model by every independent road.",
    "linearize": "Linear equations about a motion.",
    "equilibria": "Find equilibria and judge their stability.",
    "reactions": "Efforts in all links at a state.",
    "inverse": "Efforts that make a given motion.",
    "lqr": "Linear equations of a rest, and the feedback that holds it.",
    "trajectory": "A smooth motion through points, and its efforts.",
    "kinematics": "Where a frame is, and every way to bring it there.",
    "codegen": "Write the equations as source code.",
    "mobility": "Count the true freedoms, with a proof.",
    "simulate": "Run a mechanism: tables, pictures, animation.",
    "sweep": "Run it for many parameters and starts.",
    "optimize": "Find what makes a number of the motion least.",
    "fit": "Find parameters from measured motions.",
    "identify": "Which inertias can be told, and what data say.",
    "draw": "A picture of a posture.",
    "plot": "Curves, portraits, sections, reactions, modes.",
    "video": "The motion as a GIF or MP4.",
    "report": "Everything about a machine in one document.",
    "import": "Turn a robot file into an LSD program.",
    "export": "Write a machine as URDF, MJCF or JSON.",
    "studio": "The workbench in the browser.",
    "lsp": "Serve LSD to an editor.",
}

app = typer.Typer(
    name="dalembert",
    help="From the description of a mechanism to its equations, analysis, code and motion.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from dalembert import __version__

        typer.echo(f"dalembert {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """From the description of a mechanism to its equations, analysis, code and motion.

    Example: dalembert simulate examples/pendulum.lsd --until 10 --out motion.csv
    """


OWN_PROGRESS = ("simulate", "sweep", "report", "studio", "lsp")  # they tell how far they are themselves
_MODULES = {"import": "import_"}  # a word of Python
UNBOUNDED = ("format", "names", "studio", "lsp")  # nothing is computed, or a server runs

Seconds = Annotated[
    float | None, typer.Option("--seconds", min=0.1, help="Stop with a sentence after this time.", show_default="free")
]


def _attentive(name: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """The command under `--seconds`, with a line on stderr after a second and a sentence when Ctrl-C stops it."""

    told = inspect.signature(command, eval_str=True)
    bounded = name not in UNBOUNDED and "seconds" not in told.parameters  # a report bounds each of its parts

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        seconds = kwargs.pop("seconds") if bounded else None
        try:
            if name in OWN_PROGRESS and seconds is None:
                return command(*args, **kwargs)
            show = name not in OWN_PROGRESS and sys.stderr.isatty()
            more = f"--seconds {10 * seconds:g}" if seconds else ""
            with limits.working(f"dalembert {name}", seconds=seconds, show=show, more=more):
                return command(*args, **kwargs)
        except KeyboardInterrupt:
            print(f"\ndalembert {name} was stopped by Ctrl-C. Files are whole or not written.", file=sys.stderr)
            sys.exit(130)

    if bounded:  # one option for all of them: typer reads it from the signature
        option = inspect.Parameter("seconds", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Seconds)
        run.__signature__ = told.replace(parameters=[*told.parameters.values(), option])  # type: ignore[attr-defined]
        run.__annotations__ = {**command.__annotations__, "seconds": Seconds}
    return run


for _name, _short in COMMANDS.items():
    app.command(_name, short_help=_short)(
        _attentive(_name, import_module(f"dalembert.cli.{_MODULES.get(_name, _name)}").command)
    )


def main() -> None:
    """Console entry point. Exit codes: 0 done, 1 the model or the computation is at fault, 2 wrong usage."""
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    try:
        try:
            app(prog_name="dalembert")  # also as `python -m dalembert`
        finally:
            sys.stdout.flush()
    except DalembertError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing to report.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.filename is not None:  # a file or folder that was named
            print(f"{error.filename}: {error.strerror or error}.", file=sys.stderr)
            sys.exit(1)
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EDQUOT):
            raise
        # A full disk behind `>`; what is left in the buffer cannot be written either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"cannot write the output: {error.strerror or error}. What was written is not whole.", file=sys.stderr)
        sys.exit(1)
