"""What is remembered of a machine between two motions belongs to what it was, not to what it has become."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.mechanism import Layout, Mechanism
from dalembert.simulate import run, simulate, system_of

CHANGES = {
    "a number": lambda m, x: m.given.update(l=x),
    "a formula": lambda m, x: m.given.update(l=f"m/2 + {x}"),
    "a start": lambda m, x: m.start.update({"pivot.th": x}),
    "another start": lambda m, x: setattr(m, "start", {"pivot.th'": x}),
    "gravity": lambda m, x: setattr(m, "gravity", [0, 0, f"-{x}*l"]),
    "a force": lambda m, x: m.torque("rod", [x, 0, 0]),
    "an output": lambda m, x: m.outputs.update(reach=f"{x}*sin(pivot.th)"),
    "a name": lambda m, x: setattr(m, "name", f"pendulum {x:.3f}"),
    "a body": lambda m, x: m.join(m.bodies["rod"], m.body(f"b{len(m.bodies)}", mass=x, centre=[0, 0, -1]), da.weld()),
}


def pendulum() -> Mechanism:
    m = Mechanism("pendulum")
    rod = m.body("rod", mass="m", centre=[0, 0, "-l"], inertia=[0.01, 0.01, 0])
    m.join(da.earth, rod, da.revolute("x"), name="pivot")
    m.gravity, m.given, m.start, m.outputs = [0, 0, -9.81], {"m": 2, "l": 0.5}, {"pivot.th": 1.0}, {"reach": "l"}
    return m


def told(m: Mechanism) -> tuple:
    motion = simulate(m, (0, 0.3), t_eval=[0.1, 0.3])
    values = [*motion.y.ravel(), *motion["reach"], *motion.energy()]
    return motion.system.name, motion.names, dict(motion.parameters), np.array(values).tobytes()


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.floats(0.25, 2.0)), min_size=1, max_size=4))
def test_a_machine_that_changes_moves_as_if_it_were_described_anew(changes) -> None:
    kept = pendulum()
    for done in range(len(changes) + 1):
        fresh = pendulum()
        for name, x in changes[:done]:
            CHANGES[name](fresh, x)
        assert told(kept) == told(fresh)
        assert told(kept) == told(fresh)  # and so when it is asked again
        for name, x in changes[done : done + 1]:
            CHANGES[name](kept, x)


def test_the_same_description_is_frozen_numbered_and_derived_once() -> None:
    m = pendulum()
    assert m.freeze() is m.freeze()
    assert Layout.of(m) is Layout.of(m.freeze())
    assert system_of(m) is system_of(m)


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_frozen_model_keeps_what_it_was(change: str) -> None:
    m = pendulum()
    before = m.freeze()
    CHANGES[change](m, 1.5)
    assert m.freeze() is not before
    assert system_of(before).given == {"m": 2, "l": 0.5}


def test_entries_of_an_array_may_change_unseen_so_it_is_not_remembered() -> None:
    m = pendulum()
    m.given["l"] = np.array(0.5)
    first = simulate(m, (0, 0.3)).y[0, -1]
    m.given["l"][...] = 0.25
    assert simulate(m, (0, 0.3)).y[0, -1] != first


def test_a_whole_number_and_its_double_are_told_apart() -> None:
    m = pendulum()
    before = m.freeze()
    m.given["m"] = 2.0
    assert isinstance(m.freeze().given["m"], float)
    assert isinstance(before.given["m"], int)


def test_a_zero_from_below_is_another_number() -> None:
    """atan2(0, -1) is pi, atan2(-0.0, -1) is -pi: -0.0 is equal to 0.0, and the machine was not told apart."""
    m, fresh = pendulum(), pendulum()
    for one, first in ((m, 0.0), (fresh, -0.0)):
        one.torque("rod", ["atan2(z, -1)", 0, 0])
        one.given["z"] = first
    before = simulate(m, (0, 0.3)).y[0, -1]
    m.given["z"] = -0.0
    assert simulate(m, (0, 0.3)).y[0, -1] == simulate(fresh, (0, 0.3)).y[0, -1] != before


@pytest.mark.parametrize("what", ["given", "start"])
def test_the_system_that_is_kept_is_not_written_to(what: str) -> None:
    """Numbers put into the system of one motion were those of all further motions of the machine."""
    m = pendulum()
    motion = simulate(m, (0, 0.3))
    with pytest.raises(TypeError, match="does not support item assignment"):
        getattr(motion.system, what)["m"] = 7.0
    motion.y[:] = 0.0
    assert (simulate(m, (0, 0.3)).y == simulate(pendulum(), (0, 0.3)).y).all()


def test_the_order_of_the_start_counts() -> None:
    m = pendulum()
    m.start = {"pivot.th": 1.0, "pivot.th'": 0.0}
    before = m.freeze()
    m.start = {"pivot.th'": 0.0, "pivot.th": 1.0}
    assert list(m.freeze().start) != list(before.start)


def test_systems_and_layouts_are_pickled_without_what_was_made_of_them() -> None:
    m = pendulum()
    system = system_of(m)
    moved = run(system, (0, 0.3)).y[:, -1]
    assert len(pickle.dumps(Layout.of(m))) == len(pickle.dumps(Layout.of(pendulum())))
    again = pickle.loads(pickle.dumps(system))
    assert "_made" not in again.__dict__
    assert (run(again, (0, 0.3)).y[:, -1] == moved).all()


def test_sizes_of_states_follow_the_numbers_they_depend_on() -> None:
    m = Mechanism("slide")
    m.join(da.earth, m.body("block", mass=1, centre=["l", 0, 0]), da.prismatic("z"), name="s")
    system = system_of(m)
    for l in (0.5, 2.0, 0.5):  # remembered by its own number, not by that of the last motion
        expected = system.scales.at(_symbols({"l": l, "s.x": 0.1, "s.x'": 0.0}))
        assert (system.scale_of({"l": l}, [0.1, 0.0], 0.0) == expected).all()
    assert system.scale_of({"l": 4.0}, [0.1, 0.0], 0.0)[0] == 2 * system.scale_of({"l": 2.0}, [0.1, 0.0], 0.0)[0]


def _symbols(numbers: dict[str, float]) -> dict:
    return {da.expr.symbol(name): value for name, value in numbers.items()}


def test_sizes_that_were_told_may_be_changed_by_who_asked() -> None:
    system = system_of(pendulum())
    first = system.scale_of({"m": 2.0, "l": 0.5}, [1.0, 1.0], 0.0)
    before = first.copy()
    first *= 7
    assert (system.scale_of({"m": 2.0, "l": 0.5}, [1.0, 1.0], 0.0) == before).all()
