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
from dalembert.algebra.core.declared import DeclaredOperator, operator
from dalembert.algebra.core.engine import add, as_term, identity, number, quaternion_one, zero
from dalembert.algebra.core.operator import Operator
from dalembert.algebra.core.rebuild import substitute
from dalembert.algebra.core.scalars import absolute, scalar
from dalembert.algebra.core.sorts import QUATERNION, SCALAR, VECTOR, AlgebraError, Sort
from dalembert.algebra.core.symbols import matrices, matrix, orthonormal_basis, quaternion, vector, vectors
from dalembert.algebra.core.term import Term, symbols_of
from dalembert.algebra.forms.canonical import canonical
from dalembert.algebra.forms.collect import collect, linear_part
from dalembert.algebra.forms.cost import cost
from dalembert.algebra.forms.derivative import angular_velocity, dt, gradient
from dalembert.algebra.forms.expand import expand
from dalembert.algebra.forms.factor import factor
from dalembert.algebra.forms.simplify import simplify, simplify_all
from dalembert.algebra.notation.writer import latex, mathml, text
from dalembert.algebra.operators.arrays import array, column
from dalembert.algebra.operators.matrices import det, trace
from dalembert.algebra.operators.quaternions import conjugate, matrix_of, pair, scalar_part, squared_norm, vector_part
from dalembert.algebra.operators.vectors import cross, dot, dyad, norm, rotation, tilde, triple
from dalembert.algebra.operators.words import inverse, power, product, transpose
from dalembert.algebra.rotations import half_angles, interpolate, rodrigues
from dalembert.algebra.systems.blocks import block_inverse
from dalembert.algebra.systems.cases import Case, eliminate
from dalembert.algebra.systems.confluence import CriticalPair, critical_pairs, is_confluent
from dalembert.algebra.systems.definitions import Definitions, expand_once
from dalembert.algebra.systems.patterns import any_matrix, any_quaternion, any_scalar, any_vector, match
from dalembert.algebra.systems.rules import Rule, rewrite, rewrite_once
from dalembert.algebra.values.components import component_symbols, components, sort_of, to_expr, to_sympy
from dalembert.algebra.values.zero import Verdict, is_zero

limits.guard(sys.modules[__name__], "Simplify smaller parts, or give components.", classes=False)
