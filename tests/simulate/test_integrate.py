"""The integration core against closed forms, SciPy and its own promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from dalembert import expr as ex
from dalembert.codegen import Function, NativeFunction, compile_functions
from dalembert.errors import SimulationError
from dalembert.simulate import METHODS, NativeEvents, NativeGuards, Problem, find_method, integrate

PAIRS = [name for name, method in METHODS.items() if method.kind in ("explicit", "implicit") and name != "auto"]
COMPOSITIONS = [name for name, method in METHODS.items() if method.kind == "symplectic"]
GRAVITY = 9.81


def compiled(name: str, states: str, parameters: str, outputs: Callable[..., list[Any]]) -> NativeFunction:
    y, p = ex.symbols(states), ex.symbols(parameters)
    return compile_functions([Function(name, [[ex.TIME], y, p], outputs(*y, *p))])[name]


@pytest.fixture(scope="module")
def pendulum() -> NativeFunction:
    return compiled("pendulum", "th w", "g", lambda th, w, g: [w, -g * ex.sin(th)])


def pendulum_angle(t: np.ndarray, amplitude: float) -> np.ndarray:
    """Closed form for a release from rest: sin(th/2) = k sn(K - w0 t), k = sin(amplitude/2)."""
    k = math.sin(amplitude / 2)
    sn, _, _, _ = ellipj(ellipk(k**2) - math.sqrt(GRAVITY) * np.asarray(t), k**2)
    return 2 * np.arcsin(k * sn)


def pendulum_period(amplitude: float) -> float:
    return float(4 / math.sqrt(GRAVITY) * ellipk(math.sin(amplitude / 2) ** 2))


@pytest.mark.parametrize("method", ["DOP853", "DOPRI5"])
def test_pendulum_period_is_the_elliptic_integral(pendulum: NativeFunction, method: str) -> None:
    rest = compiled("rest", "th w", "g", lambda th, w, g: [w])
    events = NativeEvents(rest.address, terminal=(2,), direction=(0.0,), owner=rest)
    motion = integrate(
        Problem(pendulum, (0, 10), [2.0, 0.0], [GRAVITY], method=method, rtol=1e-13, atol=1e-14, events=events)
    )
    assert motion.status == 1
    assert motion.t[-1] == pytest.approx(pendulum_period(2.0), abs=1e-10)


@pytest.mark.parametrize("method", PAIRS)
def test_adaptive_methods_converge_with_their_order(pendulum: NativeFunction, method: str) -> None:
    order = METHODS[method].order
    error = []
    for h in (0.2, 0.1) if order > 5 else (0.02, 0.01):
        motion = integrate(
            Problem(
                pendulum, (0, 2), [1.0, 0.0], [GRAVITY], method=method, rtol=1e3, atol=1e3, first_step=h, max_step=h
            )
        )
        error.append(abs(motion.y[0, -1] - pendulum_angle(2.0, 1.0)))
    assert order - 0.6 < math.log2(error[0] / error[1]) < order + 1.2


@pytest.mark.parametrize("method", COMPOSITIONS)
def test_compositions_converge_with_their_order(pendulum: NativeFunction, method: str) -> None:
    error = []
    for h in (0.04, 0.02):
        motion = integrate(Problem(pendulum, (0, 2), [1.0, 0.0], [GRAVITY], method=method, first_step=h))
        error.append(abs(motion.y[0, -1] - pendulum_angle(2.0, 1.0)))
    assert math.log2(error[0] / error[1]) == pytest.approx(METHODS[method].order, abs=0.4)


@pytest.mark.parametrize("method", COMPOSITIONS)
def test_symplectic_energy_error_does_not_grow(pendulum: NativeFunction, method: str) -> None:
    motion = integrate(Problem(pendulum, (0, 1000), [1.0, 0.0], [GRAVITY], method=method, first_step=0.05))
    energy = motion.y[1] ** 2 / 2 - GRAVITY * np.cos(motion.y[0])
    error = abs(energy - energy[0])
    assert error[-2000:].max() < 1.5 * error[:2000].max() + 1e-10


@pytest.mark.parametrize("scipy_name", ["DOP853", "RK45", "RK23"])
def test_same_tolerance_gives_the_accuracy_of_scipy(pendulum: NativeFunction, scipy_name: str) -> None:
    options = {"method": scipy_name, "rtol": 1e-7, "atol": 1e-9, "t_eval": np.linspace(0, 10, 101)}
    ours = integrate(Problem(pendulum, (0, 10), [1.0, 0.0], [GRAVITY], **options))
    theirs = solve_ivp(lambda t, y: [y[1], -GRAVITY * np.sin(y[0])], (0, 10), [1.0, 0.0], **options)
    exact = pendulum_angle(ours.t, 1.0)
    assert abs(ours.y[0] - exact).max() < 3 * abs(theirs.y[0] - exact).max()
    assert ours.nfev < 1.25 * theirs.nfev


@pytest.mark.parametrize("method", PAIRS)
def test_dense_output_is_as_good_as_the_steps(pendulum: NativeFunction, method: str) -> None:
    motion = integrate(Problem(pendulum, (0, 5), [1.0, 0.0], [GRAVITY], method=method, rtol=1e-8, atol=1e-10))
    t = np.linspace(0, 5, 777)
    at_steps = abs(motion.y[0] - pendulum_angle(motion.t, 1.0)).max()
    assert motion.sol is not None
    assert abs(motion.sol(t)[0] - pendulum_angle(t, 1.0)).max() < 20 * at_steps + 1e-9
    assert np.allclose(motion.sol(motion.t), motion.y, rtol=0, atol=1e-14)
    assert motion.sol(1.0).shape == (2,)


@pytest.mark.parametrize(("method", "order"), [("VERNER98", 8), ("DOP853", 7), ("DOPRI5", 4), ("RODAS4", 3)])
def test_dense_output_converges_with_its_order(pendulum: NativeFunction, method: str, order: int) -> None:
    """Between the steps the error shrinks at least as h**(order + 1): it is local, but for what the steps add."""
    t = np.linspace(0, 2, 101)
    error = []
    for h in (0.2, 0.1) if order > 5 else (0.02, 0.01):
        options: dict[str, Any] = {"rtol": 1e3, "atol": 1e3, "first_step": h, "max_step": h, "method": method}
        motion = integrate(Problem(pendulum, (0, 2), [1.0, 0.0], [GRAVITY], **options))
        assert motion.sol is not None
        error.append(abs(motion.sol(t)[0] - pendulum_angle(t, 1.0)).max())
    assert math.log2(error[0] / error[1]) > order + 0.4


def test_dense_output_matches_asked_times(pendulum: NativeFunction) -> None:
    t = np.linspace(0, 5, 50)
    motion = integrate(Problem(pendulum, (0, 5), [1.0, 0.0], [GRAVITY], t_eval=t))
    assert motion.sol is not None
    assert np.array_equal(motion.t, t)
    assert np.allclose(motion.sol(t), motion.y, rtol=0, atol=1e-14)


def test_dense_output_refuses_times_outside(pendulum: NativeFunction) -> None:
    motion = integrate(Problem(pendulum, (0, 1), [1.0, 0.0], [GRAVITY]))
    assert motion.sol is not None
    with pytest.raises(SimulationError, match="outside"):
        motion.sol(1.5)


def test_events_count_only_their_direction(pendulum: NativeFunction) -> None:
    angle = compiled("angle", "th w", "g", lambda th, w, g: [th, th, th])
    events = NativeEvents(angle.address, terminal=(0, 0, 0), direction=(0.0, 1.0, -1.0), owner=angle)
    motion = integrate(Problem(pendulum, (0, 20), [1.0, 0.0], [GRAVITY], rtol=1e-12, atol=1e-13, events=events))
    assert motion.t_events is not None
    both, up, down = motion.t_events
    period = pendulum_period(1.0)
    assert np.allclose(down, period * (0.25 + np.arange(len(down))), rtol=0, atol=1e-10)
    assert np.allclose(up, period * (0.75 + np.arange(len(up))), rtol=0, atol=1e-10)
    assert np.array_equal(both, np.sort(np.concatenate([up, down])))


def test_event_states_lie_on_the_event(pendulum: NativeFunction) -> None:
    motion = integrate(Problem(pendulum, (0, 20), [1.0, 0.0], [GRAVITY], events=lambda t, y: y[0] - 0.3))
    assert motion.y_events is not None
    assert len(motion.y_events[0]) > 10
    assert abs(motion.y_events[0][:, 0] - 0.3).max() < 1e-14


def test_two_crossings_inside_one_step_are_both_found() -> None:
    fall = compiled("fall", "z v", "g", lambda z, v, g: [v, -g])
    motion = integrate(Problem(fall, (0, 2), [0.0, 1.0], [1.0], rtol=1e-3, atol=1e-3, events=lambda t, y: y[0] - 0.4))
    assert motion.t_events is not None
    assert motion.t_events[0] == pytest.approx([1 - math.sqrt(0.2), 1 + math.sqrt(0.2)], abs=1e-12)


def test_terminal_event_counts_and_ends_the_motion(pendulum: NativeFunction) -> None:
    def bottom(t: float, y: np.ndarray) -> float:
        return float(y[0])

    bottom.terminal = 3  # type: ignore[attr-defined]
    motion = integrate(Problem(pendulum, (0, 50), [1.0, 0.0], [GRAVITY], t_eval=np.arange(0, 50, 0.1), events=bottom))
    assert motion.status == 1
    assert motion.success
    assert motion.t_last == pytest.approx(1.25 * pendulum_period(1.0), abs=1e-7)
    assert motion.t[-1] <= motion.t_last < motion.t[-1] + 0.1


def test_a_start_on_the_event_is_not_an_event() -> None:
    """The ball that has just bounced must not be told that it touches the ground."""
    fall = compiled("fall", "z v", "g", lambda z, v, g: [v, -g])

    def ground(t: float, y: np.ndarray) -> float:
        return float(y[0])

    ground.terminal = True  # type: ignore[attr-defined]
    for height in (0.0, -1e-17):
        motion = integrate(Problem(fall, (0, 10), [height, 3.0], [2.0], events=ground))
        assert motion.t_last == pytest.approx(3.0, abs=1e-12)


def test_bouncing_ball_follows_the_geometric_series() -> None:
    fall = compiled("fall", "z v", "g", lambda z, v, g: [v, -g])
    ground = compiled("ground", "z v", "g", lambda z, v, g: [z])
    events = NativeEvents(ground.address, terminal=(1,), direction=(-1.0,), owner=ground)
    t, y, restitution, flights = 0.0, np.array([0.0, 4.0]), 0.8, []
    for _ in range(10):
        motion = integrate(Problem(fall, (t, t + 10), y, [2.0], events=events))
        flights.append(motion.t_last - t)
        t, y = motion.t_last, np.array([0.0, -restitution * motion.y_last[1]])
    assert flights == pytest.approx([4.0 * restitution**k for k in range(10)], rel=1e-12)


def test_simultaneous_events_come_in_order_of_time() -> None:
    line = compiled("line", "x", "v", lambda x, v: [v])
    marks = [0.9, 0.1, 0.5]
    functions = [lambda t, y, m=m: y[0] - m for m in marks]
    motion = integrate(Problem(line, (0, 1), [0.0], [1.0], events=functions))
    assert motion.t_events is not None
    assert [float(t[0]) for t in motion.t_events] == pytest.approx(marks, abs=1e-14)


def test_backward_integration_returns_to_the_start(pendulum: NativeFunction) -> None:
    there = integrate(Problem(pendulum, (0, 5), [1.0, 0.3], [GRAVITY], rtol=1e-12, atol=1e-13))
    back = integrate(
        Problem(pendulum, (5, 0), there.y[:, -1], [GRAVITY], rtol=1e-12, atol=1e-13, t_eval=(5.0, 2.5, 0.0))
    )
    assert back.y[:, -1] == pytest.approx([1.0, 0.3], abs=1e-9)
    assert there.sol is not None
    assert back.y[:, 1] == pytest.approx(there.sol(2.5), abs=1e-9)
    assert back.sol is not None
    assert back.sol(2.5) == pytest.approx(back.y[:, 1], abs=1e-13)


def test_time_dependent_rates_see_the_time_of_each_stage() -> None:
    motion = integrate(
        Problem(compiled("drive", "x", "a", lambda x, a: [a * ex.cos(ex.TIME)]), (0, 3), [0.0], [2.0], rtol=1e-11)
    )
    assert motion.y[0, -1] == pytest.approx(2 * math.sin(3), abs=1e-9)


def test_python_right_hand_side_gives_the_compiled_answer(pendulum: NativeFunction) -> None:
    options: dict[str, Any] = {"t_eval": np.linspace(0, 3, 30), "rtol": 1e-12, "atol": 1e-13}
    python = integrate(Problem(lambda t, y: [y[1], -GRAVITY * math.sin(y[0])], (0, 3), [1.0, 0.0], **options))
    native = integrate(Problem(pendulum, (0, 3), [1.0, 0.0], [GRAVITY], **options))
    assert np.allclose(python.y, native.y, rtol=0, atol=1e-11)


def test_an_error_in_a_python_function_reaches_the_caller() -> None:
    def broken(t: float, y: np.ndarray) -> list[float]:
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        integrate(Problem(broken, (0, 1), [1.0]))
    with pytest.raises(ZeroDivisionError, match="inside"):
        integrate(Problem(lambda t, y: -y, (0, 1), [1.0], events=broken))


def test_finite_time_blow_up_fails_and_keeps_the_motion() -> None:
    explosion = compiled("explosion", "x", "k", lambda x, k: [k * x * x])
    motion = integrate(Problem(explosion, (0, 2), [1.0], [1.0]))
    assert motion.status == -1
    assert not motion.success
    assert motion.t[-1] == pytest.approx(1.0, abs=1e-6)
    inside = motion.t < 0.9
    assert np.allclose(motion.y[0, inside], 1 / (1 - motion.t[inside]), rtol=1e-6)


def test_guard_stops_before_a_sign_change() -> None:
    line = compiled("line", "x", "v", lambda x, v: [v])
    guard = compiled("guard", "x", "v", lambda x, v: [1 + x * x, 1 - x])
    motion = integrate(Problem(line, (0, 3), [0.0], [1.0], guards=NativeGuards(guard.address, 2, guard), max_step=0.1))
    assert motion.status == -1
    assert motion.culprit == 1
    assert 0.8 < motion.t_last <= 1.0


def test_projection_by_address_keeps_the_circle() -> None:
    import ctypes

    pointer = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(None, pointer, pointer, pointer)
    def project(t: Any, y: Any, p: Any) -> None:
        size = math.hypot(y[0], y[1])
        y[0], y[1] = y[0] / size, y[1] / size

    address = ctypes.cast(project, ctypes.c_void_p).value
    turn = compiled("turn", "x y", "w", lambda x, y, w: [-w * y, w * x])
    motion = integrate(Problem(turn, (0, 100), [1.0, 0.0], [1.0], rtol=1e-6, atol=1e-6, project=address))
    assert motion.sol is not None
    for states in (motion.y, motion.sol(np.linspace(0, 100, 500))):
        assert abs(np.hypot(*states) - 1).max() < 1e-15 * 4


def test_empty_span_gives_the_start(pendulum: NativeFunction) -> None:
    motion = integrate(Problem(pendulum, (1, 1), [1.0, 0.0], [GRAVITY]))
    assert motion.success
    assert motion.t.tolist() == [1.0]
    assert motion.sol is not None
    assert motion.sol(1.0).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"method": "RK54"}, "unknown method 'RK54'"),
        ({"method": "symplectic"}, "fixed step"),
        ({"method": "BDF"}, "Did you mean 'RADAU9'"),
        ({"t_eval": [0.0, 2.0]}, "t_eval"),
        ({"t_eval": [0.5, 0.2]}, "t_eval"),
        ({"rtol": -1.0}, "rtol"),
        ({"max_step": 0.0}, "max_step"),
        ({"first_step": -1.0}, "first_step"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SimulationError, match=complaint):
        integrate(Problem(lambda t, y: -y, (0, 1), [1.0], **options))


def test_method_names_of_scipy_are_understood() -> None:
    assert find_method("rk45").name == "DOPRI5"
    assert find_method("dop853").order == 8


def test_asked_times_let_go_of_steps_that_grow_too_many(
    pendulum: NativeFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dalembert.simulate.methods.driver as core

    monkeypatch.setattr(core, "MOST_KEPT", 5_000)
    t = np.linspace(0, 500, 11)
    lean = integrate(Problem(pendulum, (0, 500), [1.0, 0.0], [GRAVITY], t_eval=t))
    whole = integrate(Problem(pendulum, (0, 500), [1.0, 0.0], [GRAVITY], t_eval=t, dense_output=True))
    assert lean.sol is None
    assert whole.sol is not None
    assert np.array_equal(lean.y, whole.y)
