"""Scalar expressions: a hash-consed DAG where equal subexpressions exist once.

>>> from dalembert import expr as ex
>>> m, g, l, th = ex.symbols("m g l th")
>>> ex.derivative(-m * g * l * ex.cos(th), th)
g*m*l*sin(th)
"""

from dalembert.expr._arithmetic import absolute, decimals_as_spelled, equal, less, less_equal
from dalembert.expr._collector import uncollected
from dalembert.expr._derivative import (
    Along,
    derivative,
    dot,
    gradient,
    hessian_vector,
    jacobian,
    prime,
    tangent,
    taylor,
    upper_jacobian,
)
from dalembert.expr._evaluate import evaluate, evaluate_exact, evaluate_mod, evaluate_with
from dalembert.expr._fingerprint import Fingerprints, fingerprints
from dalembert.expr._functions import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    function,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from dalembert.expr._matrix import Matrix, dot_product
from dalembert.expr._node import (
    HALF,
    MINUS_ONE,
    ONE,
    PI,
    TIME,
    TWO,
    ZERO,
    Expr,
    Number,
    Scalar,
    apply,
    as_expr,
    const,
    symbol,
)
from dalembert.expr._parse import parse
from dalembert.expr._pickle import flatten, restore_many
from dalembert.expr._recipe import Recipe
from dalembert.expr._reduce import reduce
from dalembert.expr._sympy import from_sympy, to_sympy, to_sympy_many
from dalembert.expr._table import FUNCTIONS, Function, rebuild
from dalembert.expr._text import Listing, latex, latex_matrix, latex_name, listing, text
from dalembert.expr._tidy import Tidier, tidy, written_size
from dalembert.expr._traverse import (
    count_by_kind,
    count_operations,
    free_symbols,
    substitute,
    topological,
    unknown_functions,
)


def symbols(names: str) -> tuple[Expr, ...]:
    """Several symbols at once: `m, l = symbols("m l")`."""
    return tuple(symbol(name) for name in names.replace(",", " ").split())
