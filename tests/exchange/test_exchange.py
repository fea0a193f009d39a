"""Machines in other libraries: their functions agree with our code, their environments with our motions."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def cart_pole():
    m = da.Mechanism("cart-pole")
    cart = m.body("cart", mass=1)
    pole = m.body("pole", mass="m", centre=[0, 0, 0.5], inertia=[0.02, 0.02, 0])
    m.join(da.earth, cart, da.prismatic("x").with_efforts(x="push - 0.1*sign(x')*abs(x')"), name="rail")
    m.join(cart, pole, da.revolute("y"), name="pin")
    m.frame("tip", pole.at([0, 0, 1]))
    m.gravity = [0, 0, -9.81]
    m.given = {"push": 0.0, "m": 0.1}
    return m


QUANTITIES = [
    ("acceleration", None, 3),
    ("mass_matrix", None, 1),
    ("gravity_compensation", None, 1),
    ("jacobian", "tip", 1),
    ("inverse_dynamics", None, 3),
]


def arguments(count):
    q, u, last = np.random.default_rng(1).standard_normal((3, 5, 2))
    return (q, u, last)[:count]


def ours(m, quantity, of, values):
    f = m.compile()
    if quantity == "acceleration":
        q, u, efforts = values
        return f.acceleration(q, u, 0.0, efforts)
    call = getattr(f, quantity)
    return call(*values) if of is None else call(of, *values)


@pytest.mark.parametrize(("quantity", "of", "count"), QUANTITIES)
@pytest.mark.parametrize("library", ["numpy", "jax"])
def test_arrays_of_others_hold_the_same_numbers(quantity, of, count, library):
    if library == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
    m, values = cart_pole(), arguments(count)
    found = np.asarray(m.callable(quantity, library, of=of)(*values))
    np.testing.assert_allclose(found, ours(m, quantity, of, values), atol=1e-12)


@pytest.mark.parametrize(("quantity", "of", "count"), QUANTITIES)
def test_casadi_holds_the_same_numbers_and_slopes(quantity, of, count):
    casadi = pytest.importorskip("casadi")
    m, values = cart_pole(), [x[0] for x in arguments(count)]
    call = m.callable(quantity, "casadi", of=of)
    expected = np.asarray(ours(m, quantity, of, values))
    np.testing.assert_allclose(np.array(call(*values)).reshape(expected.shape), expected, atol=1e-12)
    if quantity == "mass_matrix":
        q = casadi.SX.sym("q", 2)
        slope = casadi.Function("slope", [q], [casadi.jacobian(call(q), q)])
        exact = np.asarray(m.compile().derivative("mass_matrix", values[0]))
        np.testing.assert_allclose(np.array(slope(values[0])), exact.transpose(1, 0, 2).reshape(4, 2), atol=1e-12)


def test_parameters_may_stay_open_and_faults_are_told():
    m = cart_pole()
    call = m.callable("mass_matrix", parameters=["m"])
    np.testing.assert_allclose(call([0.0, 0.3], [2.0]), m.compile().mass_matrix([0.0, 0.3], m=2.0))
    with pytest.raises(da.DalembertError, match="numpy, jax, casadi"):
        m.callable("mass_matrix", "torch")
    with pytest.raises(da.DalembertError, match="last axis of 'q'"):
        m.callable("mass_matrix")([0.0, 0.3, 1.0])
    with pytest.raises(da.DalembertError, match="no quantity"):
        m.callable("mass")
    del m.given["m"]
    with pytest.raises(da.DalembertError, match="a number for m"):
        m.callable("mass_matrix")


# --- gymnasium -----------------------------------------------------------------------------------------------------


def test_an_environment_moves_as_simulate_does_and_passes_the_checks_of_gymnasium():
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    m = cart_pole()
    env = m.environment(
        {"push": (-5, 5)},
        step=0.05,
        reward=lambda told: told["tip.Z"] - 0.01 * told["push"] ** 2,
        observe=["rail.x", "pin.th", "rail.x'", "pin.th'", "tip.Z"],
        terminated=lambda told: told["tip.Z"] < 0,
        steps=40,
        start={"pin.th": 0.1},
    )
    check_env(env, skip_render_check=True)
    seen, _ = env.reset(seed=3)
    np.testing.assert_allclose(seen[:4], [0, 0.1, 0, 0], atol=1e-12)
    for _ in range(4):
        seen, reward, ended, truncated, _ = env.step([2.0])
    mo = m.simulate((0, 0.2), start={"pin.th": 0.1}, given={"push": 2.0}, rtol=1e-10)
    np.testing.assert_allclose(
        seen, [mo[x][-1] for x in ("rail.x", "pin.th", "rail.x'", "pin.th'", "tip.Z")], atol=1e-6
    )
    assert reward == pytest.approx(seen[-1] - 0.04)
    assert not ended
    assert not truncated


def test_efforts_on_joints_are_actions_too_and_contacts_are_met():
    pytest.importorskip("gymnasium")
    m = cart_pole()
    env = m.environment({"rail.x": (-1, 1)}, step=0.1, reward=lambda told: 0.0)
    env.reset(seed=0)
    seen = env.step([1.0])[0]
    mo = m.simulate((0, 0.1), given={"push": 1.0})
    np.testing.assert_allclose(seen, mo.y[:, -1], atol=1e-7)
    m.limit("rail.x", -1, 0.02, name="stop")
    env = m.environment({"push": (-9, 9)}, step=0.1, reward=lambda told: 0.0)
    env.reset(seed=0)
    for _ in range(3):
        seen = env.step([5.0])[0]
    assert seen[0] <= 0.02 + 1e-9
    with pytest.raises(da.DalembertError, match="`limits=False`"):
        m.environment({"rail.x": (-1, 1)}, step=0.1, reward=lambda told: 0.0)
    with pytest.raises(da.DalembertError, match="not 'pish'"):
        m.environment({"pish": (-1, 1)}, step=0.1, reward=lambda told: 0.0)


# --- tables --------------------------------------------------------------------------------------------------------


def test_motions_are_tables_of_pandas_xarray_and_parquet(tmp_path):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    pytest.importorskip("pyarrow")
    mo = cart_pole().simulate((0, 0.3), start={"pin.th": 0.3}, t_eval=np.linspace(0, 0.3, 7))
    frame = mo.to_pandas(["pin.th", "tip.X", "2*pin.th"])
    np.testing.assert_array_equal(frame["tip.X"], mo["tip.X"])
    assert frame.index.name == "t"
    assert frame.attrs["parameters"]["m"] == 0.1
    data = mo.to_xarray()
    assert isinstance(data, xarray.Dataset)
    np.testing.assert_array_equal(data["pin.th"].sel(t=mo.t[3]), mo["pin.th"][3])
    mo.to_parquet(tmp_path / "m.parquet", ["tip.X"])
    again = pandas.read_parquet(tmp_path / "m.parquet")
    assert list(again.columns) == ["t", "tip.X"]
    np.testing.assert_array_equal(again["tip.X"], mo["tip.X"])
    with pytest.raises(da.DalembertError, match="parquet"):
        mo.to_parquet(tmp_path / "m.csv")


class Box:
    """What the environment asks of a box of gymnasium."""

    def __init__(self, low, high, shape=None, dtype=None):
        self.low, self.high = low, high


class Env:
    """What it asks of an environment."""

    def reset(self, *, seed=None, options=None):
        self.np_random = np.random.default_rng(seed)


def test_an_environment_steps_as_time_goes_on_and_ends_after_its_steps(monkeypatch):
    """A force of time, so that every stage of a step must know its own; gymnasium itself is not needed."""
    import sys
    from types import SimpleNamespace

    theirs = SimpleNamespace(Env=Env, spaces=SimpleNamespace(Box=Box))
    monkeypatch.setitem(sys.modules, "gymnasium", theirs)
    monkeypatch.setitem(sys.modules, "gymnasium.spaces", theirs.spaces)
    m = cart_pole()
    m.force(m.bodies["pole"], ["3*sin(9*t)", 0, 0])
    ask = {"step": 0.05, "reward": lambda told: told["rail.x"], "start": {"pin.th": 0.3, "pin.th'": 1.0}}
    env, endless = m.environment({"push": (-5, 5)}, steps=3, **ask), m.environment({"push": (-5, 5)}, **ask)
    mo = m.simulate((0, 0.15), start=ask["start"], given={"push": 2.0}, t_eval=[0, 0.05, 0.1, 0.15], rtol=1e-11)
    for one in (env, endless):
        one.reset(seed=1)
        for k in (1, 2, 3):
            seen, reward, ended, truncated, _ = one.step([2.0])
            np.testing.assert_allclose(seen, mo.y[:, k], atol=2e-7)
            assert (ended, truncated) == (False, one is env and k == 3)
            assert reward == pytest.approx(seen[0])
