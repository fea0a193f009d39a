"""Equal structure is one object, for as long as anybody holds it and not longer."""

import gc
import pickle
import threading
import weakref
from fractions import Fraction

from hypothesis import given

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import _node
from random_expressions import NAMES, carry_out, trees

SYMBOLS = {name: ex.symbol(name) for name in NAMES}
FUNCTIONS = {"sin": ex.sin, "cos": ex.cos, "abs": abs, "exp": ex.exp}


def build(tree):
    """The expression of a tree, or None where its constants divide by zero."""
    try:
        return carry_out(tree, SYMBOLS, FUNCTIONS, ex.as_expr)
    except ExpressionError:
        return None


@given(trees(tuple(FUNCTIONS)))
def test_the_same_formula_is_the_same_object(tree):
    assert build(tree) is build(tree)


def test_a_formula_is_the_same_object_after_other_formulas_were_freed():
    x, y = ex.symbols("x y")
    kept = [ex.sin(x * i) * (y + i) for i in range(1, 100)]
    freed = [ex.cos(x * i) * (y - i) for i in range(1, 100)]
    del freed
    gc.collect()
    assert all(ex.sin(x * i) * (y + i) is e for i, e in enumerate(kept, 1))


@given(trees(tuple(FUNCTIONS)))
def test_operands_are_older_than_what_is_made_of_them(tree):
    e = build(tree)
    for node in ex.topological([e] if e is not None else []):
        assert all(a.id < node.id for a in node.args)


@given(trees(tuple(FUNCTIONS)))
def test_every_node_is_what_its_own_constructor_gives(tree):
    """Normal forms are stable: making a node again from its operands changes nothing."""
    e = build(tree)
    for node in ex.topological([e] if e is not None else []):
        if node.args:
            assert ex.rebuild(node, node.args) is node


@given(trees(tuple(FUNCTIONS)))
def test_pickle_gives_the_same_object_back(tree):
    e = build(tree)
    assert pickle.loads(pickle.dumps(e)) is e


@given(trees(), trees())
def test_sums_and_products_do_not_care_for_order(left, right):
    a, b = build(left), build(right)
    if a is not None and b is not None:
        assert a + b is b + a
        assert a * b is b * a
        assert a - b is -(b - a)


def test_matrix_survives_pickle_with_its_shape():
    x, y = ex.symbols("x y")
    for matrix in (ex.Matrix([[x, y, x * y]]), ex.Matrix.zeros(0, 3), ex.Matrix.column([x, 1])):
        back = pickle.loads(pickle.dumps(matrix))
        assert back == matrix
        assert back.shape == matrix.shape


def test_forgotten_nodes_leave_the_table():
    x = ex.symbol("x")
    before = sum(len(nodes) for nodes, _ in _node._tables.values())
    big = [ex.sin(x * i + Fraction(1, 3)) ** 2 for i in range(1000)]
    watched = weakref.ref(big[-1])
    assert sum(len(nodes) for nodes, _ in _node._tables.values()) > before + 1000
    del big
    gc.collect()
    assert watched() is None
    assert sum(len(nodes) for nodes, _ in _node._tables.values()) <= before + 10


def test_threads_share_one_node():
    start = threading.Barrier(4)
    made = [[], [], [], []]

    def work(mine):
        start.wait()
        x = ex.symbol("only in threads")
        mine.extend((x + i) * x for i in range(2000))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a is b is c is d for a, b, c, d in zip(*made, strict=True))


def test_numbers_of_other_libraries_become_plain_numbers():
    import numpy as np
    import sympy as sp

    assert ex.const(np.int64(3)) is ex.const(3)
    assert ex.const(np.float32(0.5)) is ex.const(0.5)
    assert ex.const(True) is ex.ONE
    assert ex.const(sp.Rational(1, 3)).value == Fraction(1, 3)
    assert ex.const(sp.Integer(7)) is ex.const(7)
    assert ex.const(2.0) is ex.TWO
    assert ex.const(0.5) is not ex.HALF  # a float is a measurement, a fraction is exact


def test_arrays_and_matrices_take_over_from_a_scalar():
    import numpy as np

    x = ex.symbol("x")
    assert list(x * np.array([1, 2])) == [x, 2 * x]
    assert list(np.array([1, 2]) - x) == [1 - x, 2 - x]
    assert np.float64(2.0) * x is 2 * x
    assert (x * ex.Matrix([[1, 2]])).rows() == [(x, 2 * x)]


@given(trees(tuple(FUNCTIONS), floats=True))
def test_what_travels_as_rows_comes_back_as_the_very_node(tree):
    """Made in Python or read from text, where cos(0.5) stays a cosine."""
    made = build(tree)
    for e in (ex.parse("cos(0.5)*x + 0.1^0.3 - exp(0.2*(x + 0.7))"), *(() if made is None else (made,))):
        assert ex.restore_many(ex.flatten([e]))[0] is e
