"""Algebra of vectors, matrices and quaternions that stay symbolic: mechanics without components.

>>> from dalembert import algebra as al
>>> a, b, c = al.vectors("a b c")
>>> al.simplify(al.cross(a, al.cross(b, c)) + al.cross(b, al.cross(c, a)) + al.cross(c, al.cross(a, b)))
0

For the vector and matrix levels of equations:

* symbols: `vector("gamma(G1)")`, `vector("omega_1")`, `matrix("M0R_0_1", rotation=True)`, `matrix("J", 3, 6)`,
  `scalar("m_1")`; any `Expr` is a scalar (`m * v` with `m` an `Expr`, or `v * m`);
* operations: `+ - * **`, `.T`, `~v` (tilde), `dot`, `cross`, `dyad`, `trace`, `det`, `norm`, `dt` (time derivative);
  `array([[A, 0], [0, B]])` makes a block matrix, `column(x, y, z)` a vector by its components;
* tables: `Definitions` is an ordered table name := term; `expand_once(term, table)` opens the names by one level,
  `table.expand_all(term)` opens them all, `table.levels(term)` lists every stage;
* output: `text`, `latex`, `mathml`, each with `style="vector"` (u x v, u . v) or `style="matrix"` (~u v, u^T v);
* numbers: `components(term, {symbol: rows})` gives an `expr.Matrix`.
"""

import sys

from dalembert import limits
from dalembert.algebra._arrays import array, column
from dalembert.algebra._blocks import block_inverse
from dalembert.algebra._canonical import canonical
from dalembert.algebra._cases import Case, eliminate
from dalembert.algebra._collect import collect, linear_part
from dalembert.algebra._components import component_symbols, components, sort_of, to_expr, to_sympy
from dalembert.algebra._confluence import CriticalPair, critical_pairs, is_confluent
from dalembert.algebra._cost import cost
from dalembert.algebra._declared import DeclaredOperator, operator
from dalembert.algebra._definitions import Definitions, expand_once
from dalembert.algebra._derivative import angular_velocity, dt, gradient
from dalembert.algebra._engine import add, as_term, identity, number, quaternion_one, zero
from dalembert.algebra._expand import expand
from dalembert.algebra._factor import factor
from dalembert.algebra._matrices import det, trace
from dalembert.algebra._operator import Operator
from dalembert.algebra._patterns import any_matrix, any_quaternion, any_scalar, any_vector, match
from dalembert.algebra._print import latex, mathml, text
from dalembert.algebra._quaternions import conjugate, matrix_of, pair, scalar_part, squared_norm, vector_part
from dalembert.algebra._rebuild import substitute
from dalembert.algebra._rules import Rule, rewrite, rewrite_once
from dalembert.algebra._scalars import absolute, scalar
from dalembert.algebra._simplify import simplify, simplify_all
from dalembert.algebra._sorts import QUATERNION, SCALAR, VECTOR, AlgebraError, Sort
from dalembert.algebra._symbols import matrices, matrix, orthonormal_basis, quaternion, vector, vectors
from dalembert.algebra._term import Term, symbols_of
from dalembert.algebra._vectors import cross, dot, dyad, norm, rotation, tilde, triple
from dalembert.algebra._words import inverse, power, product, transpose
from dalembert.algebra._zero import Verdict, is_zero
from dalembert.algebra.rotations import half_angles, interpolate, rodrigues

limits.guard(sys.modules[__name__], "Simplify smaller parts, or give components.", classes=False)
