"""Computer algebra systems: formulas, columns and matrices as text that each of them reads."""

from dalembert.errors import ExpressionError
from dalembert.expr.systems.maple import MAPLE
from dalembert.expr.systems.mathematica import MATHEMATICA
from dalembert.expr.systems.maxima import MAXIMA
from dalembert.expr.systems.sheet import Sheet, worksheet
from dalembert.expr.systems.sympy import SYMPY
from dalembert.expr.systems.system import System

#: Systems by name.
SYSTEMS: dict[str, System] = {one.name: one for one in (MAPLE, MATHEMATICA, MAXIMA, SYMPY)}


def system(name: str) -> System:
    """The system of this name, in any case."""
    found = SYSTEMS.get(name.lower())
    if found is None:
        raise ExpressionError(f"there is no computer algebra system '{name}'. There are: {', '.join(SYSTEMS)}.")
    return found
