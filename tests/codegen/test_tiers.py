"""Code that is made quickly and code that is optimised: the same digits, and which one runs is a matter of cost."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import compile_mechanism
from dalembert.codegen.function import Function
from dalembert.codegen.native import compile_functions
from dalembert.mechanism import Mechanism, earth, revolute
from dalembert.simulate import methods, run, system_of
from dalembert.simulate.system.compiled import compiled
from random_mechanisms import random_tree


@pytest.mark.parametrize("seed", range(4))
def test_the_effort_of_the_compiler_changes_no_digit(seed: int) -> None:
    f = compile_mechanism(random_tree(seed, 4))
    function = f.function("forced_acceleration")
    rng = np.random.default_rng(seed)
    states = [rng.uniform(0.2, 1.0, (21, size)) for size in function.sizes]
    quick, slow = (compile_functions([function], quickly=way)[function.name] for way in (True, False))
    one = [np.array([made(*(group[k] for group in states)) for k in range(21)]) for made in (quick, slow)]
    assert np.isfinite(one[0]).all()
    np.testing.assert_array_equal(one[0], one[1])
    np.testing.assert_array_equal(quick(*states), slow(*states))


def test_long_code_is_made_quickly_and_improved_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    function = compile_mechanism(random_tree(2, 3)).function("acceleration")
    assert not compile_functions([function])["acceleration"].quick
    monkeypatch.setattr("dalembert.codegen.native._SHORT", 10)
    native = compile_functions([function])["acceleration"]
    state = [np.full(size, 0.3) for size in function.sizes]
    before, address = native(*state), native.address
    assert native.quick
    native.improve()
    assert not native.quick
    assert native.address != address
    np.testing.assert_array_equal(native(*state), before)


def test_a_long_run_goes_on_with_optimised_code_and_the_same_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Mechanism("double pendulum")
    upper, lower = (m.body(name, mass="m", centre=[0, 0, -1]) for name in ("upper", "lower"))
    m.join(earth, upper, revolute("x"), name="a")
    m.join(upper.at([0, 0, -1]), lower, revolute("x"), name="b")
    m.gravity, m.given = [0, 0, -9.81], {"m": 2.0}
    system = system_of(m)
    usual = run(system, (0, 20), start={"a.th": 1.0})
    monkeypatch.setattr("dalembert.codegen.native._SHORT", 10)
    monkeypatch.setattr("dalembert.simulate.methods.code.REPAID", 200)
    asked: list[str] = []
    improve = methods.code.improve

    def told(memory: object, rhs: object) -> None:
        before = rhs.quick  # type: ignore[attr-defined]
        improve(memory, rhs)  # type: ignore[arg-type]
        asked.extend(["improved"] if before and not rhs.quick else [])  # type: ignore[attr-defined]

    monkeypatch.setattr("dalembert.simulate.methods.driver.improve", told)
    compiled.cache_clear()
    again = run(replace(system), (0, 20), start={"a.th": 1.0})  # which has not kept the code of the first run
    compiled.cache_clear()
    assert asked == ["improved"]
    np.testing.assert_array_equal(again.y, usual.y)


def test_products_that_others_read_are_kept_apart() -> None:
    """A product is rounded with its sum only where nobody else reads it, and is no result."""
    rng = random.Random(5)
    x = ex.symbols("a b c d")
    values = list(x)
    for _ in range(40):
        one, two, three = rng.sample([*x, *values[-8:]], 3)
        values += [one * two, one * two + three / 4, three / 3 - one * two, one * two - two * three]
    outputs = values[-80:]
    states = np.random.default_rng(5).uniform(-1, 1, (9, 4))
    found = compile_functions([Function("mixed", [x], outputs)])["mixed"](states)
    expected = np.array(ex.evaluate(outputs, dict(zip(x, states.T, strict=True)))).T
    assert (np.abs(found) > 1e-3).mean() > 0.5
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
