"""Long code runs as a list of operations before it is compiled, and gives the same digits."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.codegen import native as code
from dalembert.codegen._lower import Cell
from dalembert.codegen._schedule import schedule
from dalembert.codegen._tape import LoadedTape, tape_of

A, B, C, D = ex.symbols("a b c d")
OPERATIONS = [
    lambda a, b, c: a + b,
    lambda a, b, c: a - b,
    lambda a, b, c: a * b,
    lambda a, b, c: a * b + c,
    lambda a, b, c: a * b - c,
    lambda a, b, c: c - a * b,
    lambda a, b, c: -a,
    lambda a, b, c: a / (b * b + 1),
    lambda a, b, c: ex.sin(a) * ex.cos(a),
    lambda a, b, c: ex.sqrt(ex.absolute(a) + 1),
    lambda a, b, c: ex.minimum(a, ex.maximum(b, c)),
    lambda a, b, c: ex.where(ex.less(a, b), a, ex.where(ex.less_equal(b, c), c, ex.sign(a))),
    lambda a, b, c: (ex.sin(a) + 2) ** 3 / (2 + ex.cos(b)) ** 5,
    lambda a, b, c: (a * a + 1) ** Fraction(-3, 2),
    lambda a, b, c: (a * a + 1) ** ex.sin(b),
    lambda a, b, c: ex.exp(ex.sin(a)) - ex.log(b * b + 1) * ex.atan2(c, b * b + 1),
    lambda a, b, c: ex.tanh(a) * ex.tan(ex.sin(b)),
]


def drawn(rng: np.random.Generator, length: int) -> Function:
    pool = [A, B, C, D, ex.const(2.5), ex.const(-1.5), ex.const(0.1)]
    while len(pool) < length:
        a, b, c = (pool[-int(rng.integers(1, min(len(pool), 60) + 1))] for _ in range(3))
        made = OPERATIONS[int(rng.integers(len(OPERATIONS)))](a, b, c)
        pool.append(ex.sin(made) if rng.random() < 0.3 else made)  # values stay within reach
    return Function("f", [[A, B], [C, D]], [*pool[-20:], A, ex.const(3), ex.const(-0.0)])


@pytest.mark.parametrize("seed", range(6))
def test_a_list_gives_the_digits_of_compiled_code(seed: int) -> None:
    rng = np.random.default_rng(seed)
    function = drawn(rng, int(rng.integers(8, 600)))
    plan = schedule(function, block=int(rng.integers(20, 700)), long=10**9)
    compiled = code.NativeFunction(function, plan, code._made([(function, plan)], True), True)
    listed = code.NativeFunction(function, plan, LoadedTape(function, tape_of(function, plan)), True)
    for x, y in rng.normal(size=(5, 2, 2)):
        np.testing.assert_array_equal(listed(x, y), compiled(x, y))


def long_function() -> Function:
    """Four layers of random operations: many that wait for none of each other, and no repetition."""
    rng, layer = np.random.default_rng(1), [*ex.symbols("x0 x1 x2 x3"), *map(ex.const, range(1, 60))]
    for _ in range(4):
        chosen = rng.integers(0, len(layer), size=(1200, 3))
        kinds = rng.integers(0, 6, size=len(chosen))
        layer = [OPERATIONS[k](*(layer[i] for i in places)) for k, places in zip(kinds, chosen, strict=True)]
        layer = [ex.sin(e) * A if k % 3 == 0 else e for k, e in zip(kinds, layer, strict=True)]
    return Function("long", [[*ex.symbols("x0 x1 x2 x3"), A]], layer)


def test_long_code_is_a_list_until_it_is_worth_compiling() -> None:
    function = long_function()
    found = compile_functions([function], quickly=True)["long"]
    assert isinstance(found._loaded[0], LoadedTape)
    states = np.random.default_rng(0).normal(size=(40, 5))
    before = [found(x) for x in states]
    assert not isinstance(
        compile_functions([function])["long"]._loaded[0], LoadedTape
    )  # nobody said that it is called little
    with ThreadPoolExecutor(4) as pool:  # calls at one time have memory of their own
        np.testing.assert_array_equal(list(pool.map(found, states)), before)


def test_short_code_and_chains_of_operations_are_compiled() -> None:
    short, chain = Function("f", [[A, B]], [A * B]), A
    for _ in range(5000):  # each operation waits for the one before
        chain = ex.sin(chain) + B
    found = compile_functions([short, Function("g", [[A, B]], [chain])], quickly=True)
    assert [isinstance(one._loaded[0], LoadedTape) for one in found.values()] == [False, False]


def test_a_cell_shows_itself_without_what_is_below():
    """A graph of forty layers that share everything is 2^40 cells as a tree: a failing assertion would never end."""
    cell = Cell("input", (), 3)
    for _ in range(40):
        cell = Cell("add", (cell, cell))
    assert repr(cell) == "<Cell add of 2>"
    assert repr(Cell("input", (), 3)) == "<Cell input 3>"
