"""Compiled functions compute what their expressions mean."""

from __future__ import annotations

import ctypes
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, _schedule, compile_functions
from dalembert.codegen._blocks import write_blocks
from dalembert.codegen._schedule import BLOCK, schedule
from dalembert.errors import ExpressionError

X, Y, Z = ex.symbols("x y z")


def _compare(outputs: list[ex.Expr], points: np.ndarray, tolerance: float = 1e-14) -> None:
    """One state at a time and all at once agree with evaluation by NumPy."""
    function = compile_functions([Function("f", [[X, Y], [Z]], outputs)])["f"]
    expected = np.array(
        [np.broadcast_to(v, len(points)) for v in ex.evaluate(outputs, dict(zip((X, Y, Z), points.T, strict=True)))]
    ).T
    single = np.array([function(p[:2], p[2:]) for p in points])
    np.testing.assert_allclose(single, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(function(points[:, :2], points[:, 2:]), expected, rtol=tolerance, atol=tolerance)


def test_every_operation_agrees_with_numpy() -> None:
    points = np.random.default_rng(1).uniform(0.1, 0.9, (37, 3)) * [1, -1, 1]
    _compare(
        [
            X + Y,
            X - Y * Z,
            -(X / Y),
            X**2 + Y**3 - Z**7,
            X**-2,
            X ** Fraction(3, 2) + X ** Fraction(-1, 2),
            X**Z,
            ex.sqrt(X),
            ex.sin(Y) * ex.cos(Y) + ex.sin(Z),
            ex.tan(X),
            ex.asin(Y),
            ex.acos(Y),
            ex.atan(7 * Y),
            ex.atan2(Y, X - Z),
            ex.exp(3 * Y),
            ex.log(X),
            abs(Y),
            ex.sign(X - Z),
            ex.minimum(X, Z),
            ex.maximum(X, Z),
            ex.PI * X,
            ex.const(3),
            X,
            X,
        ],
        points,
    )


def test_comparisons_choose_without_branching() -> None:
    points = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0], [3.0, 2.0, 1.0], [np.nan, 0.0, 0.0], [-0.0, 0.0, 0.0]])
    _compare(
        [ex.where(X < Y, Z, -Z), ex.where(X <= Y, 1, 2), ex.equal(X, Y) + 1, (X < Y) * (Y < Z), ex.where(X, Y, Z)],
        points,
    )


def test_an_undefined_square_root_is_nan_and_spoils_nothing_else() -> None:
    function = compile_functions([Function("f", [[X]], [ex.sqrt(X), X + 1, ex.where(X < 0, 0, ex.sqrt(X))])])["f"]
    found = function([-1.0])
    assert math.isnan(found[0])
    assert list(found[1:]) == [0.0, 0.0]


def test_native_callers_use_the_address() -> None:
    function = compile_functions([Function("f", [[X], [Y, Z]], [X * Y, X + Z])])["f"]
    call = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * 3)(function.address)
    out = (ctypes.c_double * 2)()
    call((ctypes.c_double * 1)(2.0), (ctypes.c_double * 2)(3.0, 5.0), out)
    assert list(out) == [6.0, 7.0]


@pytest.mark.parametrize("block", [7, 50, 1000])
def test_cutting_into_blocks_changes_no_number(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    e = X
    for k in range(150):
        e = ex.sin(e * Y + k) * e + ex.cos(e * Y + k) / (2 + Z * e**2)
    outputs = [e, ex.where(e < X, e, Y), Z]
    whole = compile_functions([Function("whole", [[X, Y], [Z]], outputs)])["whole"]
    monkeypatch.setattr(_schedule.schedule, "__defaults__", (block, 10**9))
    cut = compile_functions([Function("cut", [[X, Y], [Z]], outputs)])["cut"]
    states = np.random.default_rng(2).normal(size=(9, 3))
    np.testing.assert_allclose(cut([0.3, 0.7], [0.2]), whole([0.3, 0.7], [0.2]), rtol=1e-9)
    np.testing.assert_allclose(cut(states[:, :2], states[:, 2:]), whole(states[:, :2], states[:, 2:]), rtol=1e-9)


def test_deep_expressions_need_no_recursion() -> None:
    e = X
    for k in range(20_000):
        e = e * ex.const(0.5) + ex.const(1.0 + k / 7)
    function = compile_functions([Function("deep", [[X]], [e])])["deep"]
    assert function([1.0])[0] == pytest.approx(ex.evaluate([e], {X: 1.0})[0], rel=1e-14)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 1023, 5001])
def test_batches_of_any_length_equal_single_states(count: int) -> None:
    function = compile_functions([Function("f", [[X, Y], [Z]], [X * Z + ex.sin(Y), X - Y, Z, X, Y])])["f"]
    rng = np.random.default_rng(count)
    states, parameter = rng.normal(size=(count, 2)), np.array([0.7])
    found = function(states, parameter)
    assert found.shape == (count, 5)
    for row in range(0, count, 500):
        assert list(found[row]) == pytest.approx(list(function(states[row], parameter)), rel=1e-15)


def test_parameters_may_vary_over_the_batch_or_not() -> None:
    function = compile_functions([Function("f", [[X], [Y, Z]], [X * ex.exp(Y) * Z], constants=[1])])["f"]
    states = np.linspace(0, 1, 11)
    fixed = function(states[:, None], [0.3, 2.0])
    varied = function(states, np.tile([0.3, 2.0], (11, 1)))
    np.testing.assert_array_equal(fixed, varied)
    assert fixed[5, 0] == pytest.approx(0.5 * math.exp(0.3) * 2.0, rel=1e-15)


def test_setup_once_then_states_equals_the_whole() -> None:
    outputs = [X * ex.sin(Y) / Z + ex.sqrt(Z), ex.cos(Y) * Z]
    function = compile_functions([Function("f", [[X], [Y, Z]], outputs, constants=[1])])["f"]
    real = ctypes.POINTER(ctypes.c_double)
    kept = (ctypes.c_double * function.constants)()
    parameters, out = (ctypes.c_double * 2)(0.4, 3.0), (ctypes.c_double * 2)()
    ctypes.CFUNCTYPE(None, real, real)(function.setup_address)(parameters, kept)
    ctypes.CFUNCTYPE(None, real, real, real, real)(function.state_address)(
        (ctypes.c_double * 1)(1.5), parameters, kept, out
    )
    assert list(out) == pytest.approx(list(function(1.5, [0.4, 3.0])), rel=1e-15)


def test_results_take_the_shape_asked_for() -> None:
    function = compile_functions([Function("m", [[X, Y]], [X, Y, Y, X + Y], shape=(2, 2))])["m"]
    assert function([1.0, 2.0]).tolist() == [[1.0, 2.0], [2.0, 3.0]]
    assert function(np.ones((5, 2))).shape == (5, 2, 2)


def test_unknown_functions_are_named() -> None:
    with pytest.raises(ExpressionError, match="unknown functions: 'fs'"):
        Function("f", [[X]], [ex.function("fs")(X)])


def test_missing_inputs_are_named() -> None:
    with pytest.raises(ExpressionError, match="'f' needs 'y', 'z'"):
        Function("f", [[X]], [X + Y * Z])


def test_shapes_that_do_not_fit_are_refused() -> None:
    function = compile_functions([Function("f", [[X, Y], [Z]], [X])])["f"]
    with pytest.raises(ExpressionError, match="input 0 of 'f' has shape"):
        function([1.0, 2.0, 3.0], [1.0])
    with pytest.raises(ExpressionError, match="with batch = 3"):
        function(np.ones((3, 2)), np.ones((4, 1)))
    with pytest.raises(ExpressionError, match="takes 2 arrays"):
        function([1.0, 2.0])


def test_results_go_where_the_caller_wants() -> None:
    function = compile_functions([Function("f", [[X, Y]], [X * Y])])["f"]
    states, out = np.ones((3000, 2)) * 2, np.empty((3000, 1))
    assert function(states, out=out) is out
    assert (out == 4.0).all()
    with pytest.raises(ExpressionError, match=r"'out' of 'f' must be .* shape \(3000, 1\)"):
        function(states, out=np.empty((1, 3000)).T[:, ::-1][::2])


def test_threads_do_not_share_the_memory_of_a_call() -> None:
    from concurrent.futures import ThreadPoolExecutor

    function = compile_functions([Function("f", [[X, Y]], [X * Y, ex.sin(X)])])["f"]

    def check(k: int) -> bool:
        return all(function([k, 2.0])[0] == 2.0 * k for _ in range(300))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(check, range(8)))


def test_a_result_is_not_overwritten_by_the_next_call() -> None:
    function = compile_functions([Function("f", [[X]], [X])])["f"]
    first = function(1.0)
    function([2])
    assert first[0] == 1.0


@pytest.mark.parametrize("width", [2, 8])
def test_other_vector_widths_compute_the_same(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.codegen import _target

    outputs = [ex.sin(X) * Y + ex.cos(X * Y), ex.atan2(Y, X), ex.exp(-Y) / Z, ex.where(X < Y, Z, X), ex.log(2 + X)]
    function = Function("f", [[X, Y], [Z]], outputs)
    states = np.random.default_rng(6).uniform(-1, 1, (29, 3))
    usual = compile_functions([function])["f"](states[:, :2], states[:, 2:])
    monkeypatch.setattr(_target, "vector_width", lambda: width)
    other = compile_functions([function])["f"](states[:, :2], states[:, 2:])
    np.testing.assert_allclose(other, usual, rtol=1e-14)


@pytest.mark.parametrize(("width", "columns"), [(4, 3), (8, 2), (8, 3), (8, 7), (8, 9), (16, 5)])
def test_rows_of_any_length_pass_through_lanes_and_touch_no_other(width: int, columns: int) -> None:
    import ctypes

    xs = [ex.symbol(f"x{i}") for i in range(columns)]
    code = compile_functions([Function("turned", [xs], xs[::-1])])["turned"].batch_code(width)
    for count in (1, width, width + 3):
        rows = np.arange(1.0, count * columns + 1).reshape(count, columns)
        found, work = np.full((count + 1) * columns, -1.0), np.empty(code.room + 8)
        source, stride = (ctypes.c_void_p * 1)(rows.ctypes.data), (ctypes.c_int64 * 1)(columns)
        where = (ctypes.addressof(source), ctypes.addressof(stride), found.ctypes.data)
        code.function()(*where, 0, count, (work.ctypes.data + 63) & ~63)
        np.testing.assert_array_equal(found[:-columns].reshape(count, columns), rows[:, ::-1])
        np.testing.assert_array_equal(found[-columns:], -1.0)


def test_functions_of_nothing_and_with_nothing() -> None:
    lib = compile_functions(
        [Function("two", [], [ex.const(2)]), Function("none", [[X]], []), Function("gap", [[], [X]], [X])]
    )
    assert lib["two"]().tolist() == [2.0]
    assert lib["none"]([1.0]).shape == (0,)
    assert lib["none"](np.ones((5, 1))).shape == (5, 0)
    assert lib["gap"]([], [3.0]).tolist() == [3.0]
    assert lib["gap"]([], np.ones((5, 1))).shape == (5, 1)


def test_constants_of_every_kind_keep_their_value() -> None:
    values = [Fraction(1, 3), 10**30, -(2**70), 1e-320, math.pi]
    outputs = [ex.const(v) * X for v in values] + [ex.PI * X]
    function = compile_functions([Function("f", [[X]], outputs)])["f"]
    assert function(1.0).tolist() == [float(v) for v in values] + [math.pi]


def test_pi_meets_numbers_in_every_operation() -> None:
    """`pi + 0.2` stays a sum of two numbers: the sign of a value without any symbol has to be known too."""
    rng = random.Random(1)

    def drawn(depth: int) -> ex.Expr:
        if depth == 0:
            return rng.choice([ex.PI, ex.PI, X, ex.as_expr(rng.randint(-3, 3)), ex.as_expr(0.2)])
        a, b = drawn(depth - 1), drawn(depth - 1)
        return rng.choice([a + b, a - b, a * b, a / (b * b + 1), 1 / (ex.PI + b * b), ex.sin(a), a**3, -a])

    _compare([drawn(3) for _ in range(60)], np.random.default_rng(1).uniform(0.1, 0.9, (3, 3)), 1e-12)


def test_lanes_read_what_they_share_where_it_is() -> None:
    shared, own = list(ex.symbols("a b c")), [X, Y]
    outputs = [shared[0] * X + shared[2], ex.where(ex.less(Y, shared[1]), X * shared[1], Y)]
    apart, joined = (
        compile_functions([Function("f", [shared, own], outputs, shared=groups)])["f"] for groups in ((), (0,))
    )
    numbers, states = np.array([1.5, 0.2, -3.0]), np.random.default_rng(3).normal(size=(21, 2))
    np.testing.assert_array_equal(joined(numbers, states), apart(numbers, states))
    np.testing.assert_array_equal(joined(numbers, states[4]), joined(numbers, states)[4])
    with pytest.raises(ExpressionError, match="shared by all states"):
        joined(np.tile(numbers, (21, 1)), states)


def test_many_results_that_need_no_operation_leave_in_several_blocks() -> None:
    x, y = ex.symbols("x y")
    outputs = [x * y, *(x if k % 3 == 0 else ex.const(k % 50) for k in range(2000)), y]
    function = Function("table", [[x, y]], outputs)
    blocks = write_blocks(function, schedule(function), 1)
    stores = [text.count("store ") for text in blocks.text.split("define ")]
    assert max(stores) <= BLOCK + 1  # a compiler looks for neighbours among all stores of a block
    found = compile_functions([function])["table"]([3.0, 4.0])
    np.testing.assert_array_equal(found, [12.0, *(3.0 if k % 3 == 0 else k % 50 for k in range(2000)), 4.0])
