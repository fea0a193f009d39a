"""Source code of functions in other languages, from the same DAG as the machine code."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen.function import Function
from dalembert.codegen.languages.c import C
from dalembert.codegen.languages.fortran import FORTRAN
from dalembert.codegen.languages.javascript import JAVASCRIPT
from dalembert.codegen.languages.julia import JULIA
from dalembert.codegen.languages.language import Language
from dalembert.codegen.languages.matlab import MATLAB
from dalembert.codegen.languages.python import PYTHON
from dalembert.codegen.languages.routine import plain, write_routine
from dalembert.codegen.languages.rust import RUST
from dalembert.errors import ExpressionError

#: Languages by name.
LANGUAGES: dict[str, Language] = {one.name: one for one in (C, FORTRAN, PYTHON, MATLAB, RUST, JULIA, JAVASCRIPT)}


def language(name: str) -> Language:
    """The language of this name, in any case."""
    found = LANGUAGES.get(name.lower())
    if found is None:
        raise ExpressionError(f"no emitter for the language '{name}'. There are: {', '.join(LANGUAGES)}.")
    return found


def source(
    functions: Sequence[Function],
    to: str,
    *,
    groups: Sequence[str] | None = None,
    title: str = "Functions",
    comments: Sequence[str] = (),
    about: dict[str, str] | None = None,
) -> str:
    """The text of one file that holds the functions; `groups` names their array arguments.

    >>> from dalembert import expr as ex
    >>> x, v = ex.symbols("x v")
    >>> text = source([Function("force", [[x, v]], [-4 * x])], "c", groups=["y"])
    >>> print(text.split(chr(10) * 2)[1].strip())
    void force(const double y[], double out[])
    {
        const double x = y[0]; /* x */
        out[0] = -4.0*x;
    }
    """
    how = language(to)
    said = about or {}
    routines = [how.routine(write_routine(f, how, groups, said.get(f.name, ""))) for f in functions]
    return how.unit(plain(title), [plain(row) for comment in comments for row in comment.split("\n")], routines)
