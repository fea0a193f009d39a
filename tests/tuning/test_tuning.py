"""Objectives against closed forms and differences; optima that are known; parameters found again from data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app
from dalembert.tuning import fit, gradient, optimize
from dalembert.tuning.steering import steered
from linkages import four_bar


def pendulum() -> da.Mechanism:
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    m.join(da.earth, rod, da.revolute("x").with_efforts(th="tau - c*th'"), name="pivot")
    m.gravity = [0, 0, "-g"]
    m.frame("tip", rod.at([0, 0, "-2*l"]))
    m.given = {"m": 1.0, "l": 0.5, "g": 9.81, "c": 0.1, "tau": 0.0}
    m.start = {"pivot.th": 1.0}
    return m


OBJECTIVES = [
    "final(pivot.th)*l + first(pivot.th)",
    "mean(pivot.th^2) - 2*rms(pivot.th')",
    "max(pivot.th') + min(tip.Y)*c",
    "final(t)^2 + mean(tip.Z)",
]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("events", [None, da.Event("pivot.th' - 0.4", terminal=True, direction=1)])
def test_gradients_of_measures_are_their_differences(objective: str, events) -> None:
    if objective.startswith("final(t)") and events is None:
        events = da.Event("pivot.th", then={"pivot.th'": "-0.8*pivot.th'"})
    m, names = pendulum(), ["l", "c", "pivot.th"]
    how = {"events": events, "rtol": 1e-11, "atol": 1e-13}
    found = gradient(m, (0, 2.3), objective, names, **how)
    for name in names:
        base = {**m.given, **m.start}[name]

        def at(value: float, name: str = name) -> float:
            which = "start" if name == "pivot.th" else "given"
            return gradient(m, (0, 2.3), objective, ["m"], **{which: {name: value}}, **how).value

        h = 1e-4
        right = (8 * (at(base + h) - at(base - h)) - at(base + 2 * h) + at(base - 2 * h)) / (12 * h)
        assert found[name] == pytest.approx(right, rel=2e-7, abs=1e-8), name


def test_a_measure_has_the_value_that_sweeps_give_it() -> None:
    m = pendulum()
    texts = [*OBJECTIVES[:3], "mean(tip.Z)"]
    table = m.sweep((0, 2.0), {"l": [0.5]}, texts, instants=2001, rtol=1e-10)
    for text in texts:
        assert gradient(m, (0, 2.0), text, ["l"], rtol=1e-10).value == pytest.approx(table[text][0], rel=1e-8)


def test_the_best_suspension_of_a_rod_is_at_its_radius_of_gyration() -> None:
    """The period of a physical pendulum is least where the distance of pivot and centre is the radius of gyration."""
    m = da.Mechanism("rod")
    m.join(da.earth, m.body("rod", mass=2, centre=[0, 0, "-d"], inertia=[0.18, 0.18, 0]), da.revolute("x"), name="p")
    m.gravity, m.start, m.given = [0, 0, -9.81], {"p.th": 0.01}, {"d": 0.9}
    down = da.Event("p.th", terminal=True)
    found = m.optimize((0, 5), "4*final(t)", {"d": (0.05, None)}, events=down)  # bounded on one side
    assert found.success, str(found)
    assert found.values["d"] == pytest.approx(0.3, rel=1e-3)
    assert "4*final(t)" in str(found)


def test_a_closed_machine_is_optimised_on_its_loops() -> None:
    """The start from which a four-bar under gravity passes a crank angle in the least time obeys its bound."""
    m = four_bar((2.0, 3.0, 3.0), 4.0)
    m.gravity, m.given = [0, "-g", 0], {"g": 9.81}
    slopes = m.gradient((0, 0.6), "final(A.th)", ["g", "A.th"], start={"A.th": 1.0})
    best = m.optimize((0, 0.6), "(final(A.th) - 0.5)^2", {"g": (1.0, 30.0)}, start={"A.th": 1.0})
    again = m.simulate((0, 0.6), start={"A.th": 1.0}, given={"g": best.values["g"]})
    assert slopes["A.th"] != 0
    assert again["A.th"][-1] == pytest.approx(0.5, abs=1e-4)


def test_a_torque_takes_a_weightless_rotor_from_rest_to_rest_with_the_least_effort() -> None:
    """The least integral of tau^2 for a turn by 1 in unit time is 12 with tau = 6 - 12 t (Euler and Lagrange)."""
    m = da.Mechanism("rotor")
    m.join(da.earth, m.body("disc", inertia=[1, 1, 1]), da.revolute("z").with_efforts(th="tau"), name="axle")
    m.given = {"tau": 0.0}
    found = m.optimize(
        (0, 1), "mean(axle.th''^2)", inputs={"tau": (6, -20, 20)},
        subject_to=["final(axle.th) = 1", "final(axle.th') = 0"],
    )  # fmt: skip
    assert found.success, str(found)
    assert found.value == pytest.approx(12.0, rel=1e-6)
    t = np.linspace(0, 1, 7)
    np.testing.assert_allclose(found.input("tau", t), 6 - 12 * t, atol=2e-3)
    assert all(abs(left) < 1e-6 for left in found.kept.values())


def test_an_input_is_a_spline_between_its_coefficients() -> None:
    model, splines = steered(pendulum(), {"tau": 7}, (0.0, 2.0))
    one = splines["tau"]
    t = np.linspace(0, 2, 41)
    np.testing.assert_allclose(one.at(t, dict.fromkeys(one.names, 3.5)), 3.5, rtol=1e-14)
    rng = np.random.default_rng(0)
    some = dict(zip(one.names, rng.normal(size=7), strict=True))
    assert one.at(t, some).max() <= max(some.values())
    assert "tau" not in model.parameters()
    assert set(one.names) <= set(model.parameters())


def measured(noise: float = 0.0):
    truth = {"l": 0.62, "c": 0.23}
    m = pendulum()
    t = np.linspace(0, 4, 60)
    mo = m.simulate((0, 4), given=truth, t_eval=t, rtol=1e-11)
    rng = np.random.default_rng(3)
    data = {"t": t, "pivot.th": mo["pivot.th"], "tip.Y": mo["tip.Y"]}
    data = {k: v if k == "t" else v + noise * rng.normal(size=len(t)) for k, v in data.items()}
    return m, truth, data


def test_parameters_are_found_again_from_a_motion() -> None:
    m, truth, data = measured()
    data["pivot.th"] = np.where(np.arange(60) % 7, data["pivot.th"], np.nan)  # some readings are missing
    found = m.fit(data, ["l", "c"])
    assert found.success
    assert found.values == pytest.approx(truth, rel=1e-7)


def test_deviations_tell_the_noise() -> None:
    m, truth, data = measured(noise=0.01)
    found = m.fit(data, ["l", "c", "pivot.th"], sigma={"pivot.th": 0.01, "tip.Y": 0.01})
    assert found.residual == pytest.approx(1.0, abs=0.2)
    for name, value in {**truth, "pivot.th": 1.0}.items():
        assert abs(found.values[name] - value) < 5 * found.deviations[name]
        assert found.deviations[name] < 0.02
    assert "+-" in str(found)


def test_what_the_data_cannot_tell_is_said() -> None:
    """The mass of a pendulum without friction has no influence on its motion."""
    m, _, data = measured()
    found = m.fit(data, ["l", "m"], given={"c": 0.0}, iterations=5)
    assert found.condition > 1e7
    assert "do not tell" in str(found)


def test_wrong_questions_are_refused_in_words() -> None:
    m, _, data = measured()
    for ask, why in (
        (lambda: m.optimize((0, 1), "final(pivot.th)"), "nothing may change"),
        (lambda: m.optimize((0, 1), "final(pivot.th)", {"L": (0, 1)}), "neither a parameter"),
        (lambda: m.optimize((0, 1), "pivot.th", ["l"]), "curve, not a number"),
        (lambda: m.optimize((0, 1), "final(pivot.th)", {"l": (1, 0.5)}), "the first is below the second"),
        (lambda: m.optimize((0, 1), "final(pivot.th)", ["l"], subject_to="final(pivot.th)"), "is no constraint"),
        (lambda: m.optimize((0, 1), "final(pivot.th)", inputs={"tau": (3, 0, 1)}), "4 coefficients"),
        (lambda: m.fit({"pivot.th": [1.0]}, ["l"]), "times of measurement"),
        (lambda: m.fit({"t": [0, 1], "pivot.th": [1.0]}, ["l"]), "shape"),
        (lambda: m.fit({"t": [0, 1], "pivot": [1.0, 1.0]}, ["l"]), "has no 'pivot'"),
        (lambda: m.fit({"t": [0, 1], "pivot.th": ["a", "b"]}, ["l"]), "holds what is no number"),
        (lambda: m.fit({"t": [0, 1, 2], "pivot.th": [1, np.inf, 1]}, ["l"]), "holds infinite readings"),
        (lambda: m.fit(data, ["l"], sigma={"pivot": 0.1}), "no column of the data"),
        (lambda: m.fit(data, ["l"], sigma={"pivot.th": 0}), "positive number, not 0"),
        (
            lambda: m.optimize((0, 1), "log(final(pivot.th) - 9)", {"l": (0.2, 2)}),
            "has no number, or no slope, at l = ",
        ),
        (lambda: m.sensitivities((0, 1), ["l", "l"]), "hold one twice"),
        (lambda: fit(m, data, []), "name the parameters"),
        (lambda: optimize(m, (0, 1), "final(pivot.th)", {"pivot.th": (0, 1)}, subject_to="a = b = c"), "no constraint"),
    ):
        with pytest.raises(da.DalembertError, match=why):
            ask()


def test_a_search_that_comes_to_where_nothing_moves_says_where() -> None:
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("b", mass="2 - k"), da.prismatic("x").with_efforts(x="1"), name="rail")
    m.given = {"k": 1.0}
    with pytest.raises(da.SimulationError, match=r"the search came to k = (?s:.*)bound what varies"):
        m.fit({"t": [0.0, 1.0, 2.0], "rail.x": [0.0, 10.0, 40.0]}, ["k"])
    with pytest.raises(da.SimulationError, match=r"the search came to k = (?s:.*)bound what varies"):
        m.optimize((0, 1), "-final(rail.x)", {"k": (0, 9)})
    with pytest.raises(da.DalembertError, match=r"^body 'b' has the negative mass"):
        m.optimize((0, 1), "-final(rail.x)", {"k": (4, 5)})


def test_the_commands_do_what_the_verbs_do(tmp_path) -> None:
    m, truth, data = measured()
    m.outputs = {"height": "tip.Y"}
    program, table = tmp_path / "pendulum.lsd", tmp_path / "measured.csv"
    program.write_text(m.to_lsd(), encoding="utf-8")
    rows = zip(data["t"], data["pivot.th"], strict=True)
    table.write_text("t,pivot.th\n" + "".join(f"{float(t)!r},{float(x)!r}\n" for t, x in rows), encoding="utf-8")
    asked = ["fit", str(program), str(table), "--find", "l", "--find", "c", "--format", "json"]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["values"] == pytest.approx(truth, rel=1e-6)
    asked = ["optimize", str(program), "--minimize", "final(pivot.th)^2", "--vary", "l=0.3:0.9", "--until", "0.9"]
    told = CliRunner().invoke(app, [*asked, "--format", "json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["value"] < 1e-8
    table.write_text("t,pivot.th\n0,x\n", encoding="utf-8")
    told = CliRunner().invoke(app, ["fit", str(program), str(table), "--find", "l"])
    assert told.exit_code == 2
    assert "is no number" in told.output


@pytest.mark.parametrize("kind", ["max", "min"])
def test_an_extreme_inside_one_long_step_is_found(kind) -> None:
    """A body that flies freely is one step from end to end; what is asked of it swings many times on the way."""
    m = da.Mechanism("flight")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x"), name="s")
    m.given, m.start = {"a": 1.0}, {"s.x'": 1.0}
    formula = "a*sin(9*s.x)*exp(-(s.x - 1.3)^2)"
    t = np.linspace(0, 3, 300_001)
    course = np.sin(9 * t) * np.exp(-((t - 1.3) ** 2))
    found = gradient(m, (0, 3), f"{kind}({formula})", ["a"])
    assert found.value == pytest.approx(getattr(course, kind)(), abs=1e-8)
    assert found["a"] == pytest.approx(found.value)
