"""Exported units are valid and move as our own machine code says."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dalembert.codegen import compile_mechanism, export_fmu
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism, earth, prismatic, revolute
from parallelograms import parallelogram

fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def _cart() -> Mechanism:
    m = Mechanism("cart and pole")
    cart = m.body("cart", mass="M")
    pole = m.body("pole", mass="m", centre=[0, 0, "l"], inertia=["m*l**2/3", "m*l**2/3", 0])
    m.join(earth, cart, prismatic("x").with_efforts(x="-k*x - c*x'"), name="rail")
    m.join(cart, pole, revolute("y"), name="pin")
    m.gravity = [0, 0, "-g"]
    m.given = {"M": 2.0, "m": 0.5, "l": 0.6, "g": 9.81, "k": 8.0, "c": 0.1}
    m.start = {"pin.th": 0.4, "rail.x'": 0.2}
    return m


def _reference(times: np.ndarray, **parameters: float) -> np.ndarray:
    from scipy.integrate import solve_ivp

    f = compile_mechanism(_cart())
    p = f.parameter_vector(**parameters)
    run = solve_ivp(
        lambda t, y: f.rhs(t, y, p), (0, times[-1]), [0, 0.4, 0.2, 0], "DOP853", times, rtol=1e-11, atol=1e-12
    )
    return run.y.T


_LOGGERS: list[object] = []
STATES = ["rail.x", "pin.th", "rail.x'", "pin.th'"]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_the_unit_moves_as_the_mechanism(version: str, kind: str, tmp_path: Path) -> None:
    path = export_fmu(_cart(), tmp_path / "cart.fmu", version)
    tight = {"relative_tolerance": 1e-9} if kind == "ModelExchange" else {}
    run = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=2.0, output_interval=0.1, output=STATES, start_values={"m": 0.8}, **tight
    )
    found = np.column_stack([run[name] for name in STATES])
    np.testing.assert_allclose(found, _reference(np.clip(run["time"], 0, 2.0), m=0.8), atol=2e-6)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_the_description_is_valid(version: str, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    path = export_fmu(_cart(), tmp_path / "cart.fmu", version)
    assert not validate_fmu(str(path))
    variables = fmpy.read_model_description(str(path)).modelVariables
    names = {v.name for v in variables}
    derived = {v.name: v.derivative.name for v in variables if v.derivative is not None}
    assert derived == {f"der({name})": name for name in STATES}
    assert {"rail.x", "der(rail.x)", "effort.rail.x'", "energy.kinetic", "M"} <= names
    assert any(name.startswith("sources/") for name in zipfile.ZipFile(path).namelist())


def test_an_input_pushes(tmp_path: Path) -> None:
    path = export_fmu(_cart(), tmp_path / "cart.fmu", "2.0")
    push = np.array([(0.0, 3.0), (1.0, 3.0)], dtype=[("time", float), ("effort.rail.x'", float)])
    run = fmpy.simulate_fmu(
        str(path),
        fmi_type="CoSimulation",
        stop_time=0.01,
        output_interval=0.01,
        input=push,
        output=["rail.x'"],
        start_values={"pin.th": 0.0, "rail.x'": 0.0},
    )
    f = compile_mechanism(_cart())
    expected = f.acceleration([0, 0], [0, 0], efforts=[3.0, 0.0])[0] * 0.01
    assert run["rail.x'"][-1] == pytest.approx(expected, rel=1e-3)


def test_a_closed_loop_stays_closed(tmp_path: Path) -> None:
    m = parallelogram()
    m.start = {"a.th": 0.7, "b.th": -0.7, "d.th": 0.7, "c.th": 0.7}
    path = export_fmu(m, tmp_path / "bars.fmu")
    run = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=1.0, output=["a.th", "b.th", "d.th"])
    np.testing.assert_allclose(run["a.th"], run["d.th"], atol=1e-9)
    np.testing.assert_allclose(run["a.th"], -run["b.th"], atol=1e-9)
    assert np.ptp(run["a.th"]) > 0.5


def test_every_parameter_needs_a_start(tmp_path: Path) -> None:
    m = _cart()
    del m.given["g"]
    with pytest.raises(ModelError, match="needs a value for 'g'"):
        export_fmu(m, tmp_path / "cart.fmu")


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"FMI 1\.0 is not known"):
        export_fmu(_cart(), tmp_path / "cart.fmu", "1.0")


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_values_that_are_set_are_kept_or_refused_with_a_sentence(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # fmpy's native proxy keeps the address of the last logger of FMI 2, also for units to come: it must live on
    kind = fmpy.simulation.fmi2CallbackLoggerTYPE
    monkeypatch.setattr(fmpy.simulation, "fmi2CallbackLoggerTYPE", lambda f: _LOGGERS.append(kind(f)) or _LOGGERS[-1])
    m = parallelogram()
    m.start = {"a.th": 0.7, "b.th": -0.7, "d.th": 0.7, "c.th": 0.7}
    path, said = export_fmu(m, tmp_path / "bars.fmu", version), list[str]()

    def first(**start: float) -> dict[str, float]:
        run = fmpy.simulate_fmu(
            str(path),
            fmi_type="CoSimulation",
            stop_time=1e-9,
            start_values={name.replace("_", "."): value for name, value in start.items()},
            output=["a.th", "b.th", "d.th"],
            logger=lambda *words: said.append(str(words)),
        )
        return {name: float(run[name][0]) for name in ("a.th", "b.th", "d.th")}

    assert first(a_th=0.9) == pytest.approx({"a.th": 0.9, "b.th": -0.9, "d.th": 0.9}, abs=1e-9)
    assert any("moved to where the loops close" in words for words in said)
    with pytest.raises(Exception, match="Initialization"):
        first(a_th=0.9, d_th=0.2, b_th=0.4)
    assert any("do not fit the loops" in words or "do not close" in words for words in said)


def test_a_parameter_that_moves_nothing_needs_no_number(tmp_path: Path) -> None:
    """The thesis' satellite: frames that nobody uses have lengths without a number."""
    m = _cart()
    m.bodies["pole"].at(["nowhere", 0, 0], name="mark")
    path = export_fmu(m, tmp_path / "cart.fmu", binary=False)
    names = {x.name for x in fmpy.read_model_description(path).modelVariables}
    assert "nowhere" not in names
    assert {"M", "g", "k"} <= names


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_steps_go_forward(version: str, tmp_path: Path) -> None:
    path = export_fmu(_cart(), tmp_path / "cart.fmu", version)
    described = fmpy.read_model_description(path)
    unit = fmpy.instantiate_fmu(fmpy.extract(path, tmp_path / "unit"), described, "CoSimulation")
    if version == "2.0":
        unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.doStep(0.0, 0.01)
    for step in (-0.01, float("nan"), float("inf")):
        with pytest.raises(fmpy.fmi1.FMICallException):
            unit.doStep(0.01, step)
    unit.freeInstance()


def test_declared_outputs_are_outputs_of_the_unit_accelerations_too(tmp_path: Path) -> None:
    from dalembert import expr as ex

    m = _cart()
    m.frame("tip", m.bodies["pole"].at([0, 0, "l"]))
    m.outputs = {"reach": ex.parse("tip.X"), "shake": ex.parse("tip.X''")}
    path = export_fmu(m, tmp_path / "cart.fmu")
    names = [*STATES, "reach", "shake"]
    run = fmpy.simulate_fmu(
        str(path), stop_time=0.5, output_interval=0.1, output=names, start_values={"effort.rail.x'": 3.0}
    )
    np.testing.assert_allclose(run["reach"], run["rail.x"] + 0.6 * np.sin(run["pin.th"]), atol=1e-9)
    f = compile_mechanism(m)
    for row in run:
        q, u = [row["rail.x"], row["pin.th"]], [row["rail.x'"], row["pin.th'"]]
        a = np.asarray(f.acceleration(q, u, 0.0, [3.0, 0.0]))
        moved = a[0] + 0.6 * (np.cos(q[1]) * a[1] - np.sin(q[1]) * u[1] ** 2)
        assert row["shake"] == pytest.approx(moved, abs=1e-7)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_controls_are_inputs_and_places_are_outputs(version: str, tmp_path: Path) -> None:
    """A motor of a robot file is a parameter in an effort: named as an input, it changes while the unit runs."""
    m = Mechanism("driven")
    rod = m.body("rod", mass=1.0, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(earth, rod, revolute("z").with_efforts(th="3*motor - c*th'"), name="pin")
    m.frame("tip", rod.at([1, 0, 0]))
    m.given = {"motor": 0.2, "c": 0.1}
    path = export_fmu(m, tmp_path / "driven.fmu", version, inputs=["motor"], outputs=["tip.X", "tip.X''", "pin.th"])
    told = {x.name: x for x in fmpy.read_model_description(str(path)).modelVariables}
    assert (told["motor"].causality, float(told["motor"].start)) == ("input", 0.2)
    assert told["c"].causality == "parameter"
    from scipy.integrate import solve_ivp

    signal = np.array([(0.0, 0.7), (0.5, 0.7), (0.5, -0.4), (1.0, -0.4)], dtype=[("time", float), ("motor", float)])
    run = fmpy.simulate_fmu(
        str(path), stop_time=1.0, output_interval=0.01, input=signal, output=["pin.th", "tip.X", "tip.X''"]
    )
    f, y = compile_mechanism(m), np.zeros(2)
    for push in (0.7, -0.4):
        p = f.parameter_vector(motor=push)
        y = solve_ivp(lambda t, y, p=p: f.rhs(t, y, p), (0, 0.5), y, "DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    assert run["pin.th"][-1] == pytest.approx(y[0], rel=1e-6)
    np.testing.assert_allclose(run["tip.X"], np.cos(run["pin.th"]), atol=1e-9)
    with pytest.raises(ModelError, match="an input of a unit is a parameter"):
        export_fmu(m, tmp_path / "x.fmu", inputs=["engine"])
    with pytest.raises(ModelError, match="no output"):
        export_fmu(m, tmp_path / "x.fmu", outputs=["tip.Q"])
