"""Programs written for a mechanism build with the usual tools and compute its motion."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert.codegen import LANGUAGES, compile_mechanism, write_model, write_program
from dalembert.errors import ModelError
from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Mechanism, earth, free, prismatic, revolute
from parallelograms import parallelogram

TOOLS = {"c": "gcc", "fortran": "gfortran"}


def _pendulum() -> Mechanism:
    m = Mechanism("double pendulum")
    upper = m.body("upper", mass="m", centre=[0, 0, "-l/2"], inertia=["m*l**2/12", "m*l**2/12", 0])
    lower = m.body("lower", mass="m", centre=[0, 0, "-l/2"], inertia=["m*l**2/12", "m*l**2/12", 0])
    m.join(earth, upper, revolute("x"), name="top")
    m.join(m.frame("end", upper, Displacement(vector3([0, 0, "-l"]))), lower, revolute("x"), name="middle")
    m.gravity = [0, 0, "-g"]
    m.given = {"m": 1.0, "l": 0.7, "g": 9.81}
    m.start = {"top.th": 1.2, "middle.th": -0.4}
    return m


def _build(files: dict[str, str], to: str, folder: Path) -> None:
    if shutil.which(TOOLS[to]) is None or shutil.which("make") is None:
        pytest.skip(f"{TOOLS[to]} or make is not installed")
    for name, text in files.items():
        (folder / name).write_text(text)
    done = subprocess.run(["make", "motion"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


def _run(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(["./motion"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_the_program_computes_the_motion(to: str, tmp_path: Path) -> None:
    from scipy.integrate import solve_ivp

    m = _pendulum()
    files = write_program(m, to, {"t_end": 3.0, "t_step": 0.25, "rtol": 1e-11, "atol": 1e-11})
    _build(files, to, tmp_path)
    assert _run(tmp_path).returncode == 0
    header, *rows = (tmp_path / "output.csv").read_text().split("\n")
    assert header == "t,top.th,middle.th,top.th',middle.th',kinetic,potential"
    found = np.array([[float(x) for x in row.split(",")] for row in rows if row])
    f = compile_mechanism(m)
    p = f.parameter_vector()
    exact = solve_ivp(
        lambda t, y: f.rhs(t, y, p), (0, 3), [1.2, -0.4, 0, 0], "DOP853", np.arange(13) / 4, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(found[:, 0], exact.t)
    np.testing.assert_allclose(found[:, 1:5], exact.y.T, atol=1e-8)
    assert np.ptp(found[:, 5] + found[:, 6]) < 1e-8


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_the_program_ends_where_it_is_asked_to_whatever_rounding_leaves_of_its_steps(to: str, tmp_path: Path) -> None:
    """5e-3 + 2e-4 is not 5.2e-3: what is left of the span is no singular motion, and no row of its own."""
    rng = np.random.default_rng(0)
    spans = [(5e-3, 2e-4, 1), *((10.0**k, 10.0 ** (k - 2) * rng.integers(1, 99) / 7, 3) for k in (-6, -3, 0, 3))]
    files = write_program(_pendulum(), to)
    _build(files, to, tmp_path)
    for begin, step, count in spans:
        end = float(f"{begin + count * step:.15g}")
        numbers = files["input.txt"]
        for name, value in (("t_start = 0.0", begin), ("t_end = 10.0", end), ("t_step = 0.01", step)):
            numbers = numbers.replace(name, f"{name.split()[0]} = {float(value)!r}")
        (tmp_path / "input.txt").write_text(numbers)
        done = _run(tmp_path)
        assert done.returncode == 0, done.stderr
        times = np.loadtxt(tmp_path / "output.csv", delimiter=",", skiprows=1)[:, 0]
        assert len(times) == count + 1
        assert times[-1] == pytest.approx(end, rel=1e-15)


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_wrong_input_is_refused_with_its_place(to: str, tmp_path: Path) -> None:
    files = write_program(_pendulum(), to)
    _build(files, to, tmp_path)
    for line, complaint in [("g = heavy", ":"), ("weight = 3", "weight"), ("nonsense", ":")]:
        (tmp_path / "input.txt").write_text(files["input.txt"] + line + "\n")
        done = _run(tmp_path)
        assert done.returncode == 2
        assert "input.txt" in done.stderr
        assert complaint in done.stderr
    for line, wrong in (("g = 9.81", "g = nan"), ("g = 9.81", "g = 9,81"), ("t_end = 10.0", "t_end = -3.0")):
        assert line in files["input.txt"]
        (tmp_path / "input.txt").write_text(files["input.txt"].replace(line, wrong))
        assert _run(tmp_path).returncode == 2, wrong
    (tmp_path / "input.txt").write_text(files["input.txt"].replace("g = 9.81", ""))
    assert "no value for g" in _run(tmp_path).stderr


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_a_program_keeps_loops_closed(to: str, tmp_path: Path) -> None:
    """A parallelogram drawn by its crank: energy is kept and the coupler stays level."""
    m = parallelogram()
    m.start = {"a.th": 0.7, "b.th": -0.695, "d.th": 0.705, "c.th": 0.7}  # nearly closed
    _build(write_program(m, to, {"t_end": 2.0, "t_step": 0.1}), to, tmp_path)
    assert _run(tmp_path).returncode == 0
    rows = np.genfromtxt(tmp_path / "output.csv", delimiter=",", names=True, deletechars="")
    np.testing.assert_allclose(rows["a.th"] + rows["b.th"], 0, atol=1e-9)
    assert np.ptp(rows["a.th"]) > 1
    assert np.ptp(rows["kinetic"] + rows["potential"]) < 1e-6


def test_numbers_without_a_value_are_left_to_fill_in() -> None:
    m = _pendulum()
    m.given = {"m": 1.0}
    assert "# g =" in write_program(m, "c")["input.txt"]


@pytest.mark.parametrize("to", sorted(LANGUAGES))
def test_the_model_says_what_its_arrays_hold(to: str) -> None:
    text = write_model(_pendulum(), to)
    assert "Equations of motion of double pendulum" in text
    assert "parameters: g, l, m" in text
    for name in ("rhs", "mass_matrix", "bias", "forces", "inverse_dynamics", "energy"):
        assert name in text


def test_python_model_agrees_with_machine_code() -> None:
    m = Mechanism("brick")
    m.join(earth, m.body("brick", mass=2, centre=[0.1, 0, 0], inertia=[1, 2, 2.5]), free("quaternion"), name="fly")
    m.gravity = [0, 0, -9.81]
    space: dict = {}
    exec(compile(write_model(m, "python"), "model.py", "exec"), space)  # our own text
    f = compile_mechanism(m)
    y = np.random.default_rng(3).normal(size=13)
    np.testing.assert_allclose(
        np.array(space["rhs"]([0.0], y, []), dtype=float), f.rhs(0.0, y, []), rtol=1e-12, atol=1e-12
    )
    assert f"{f.coordinates[3]} = 1.0" in write_program(m, "c")["input.txt"]


def test_a_name_cannot_end_a_comment(tmp_path: Path) -> None:
    m = _pendulum()
    m.name = '*/ int x = ; """\n#error /*'
    m.body("odd*/name", mass=1, inertia=[1, 1, 1])
    m.join(earth, m.bodies["odd*/name"], revolute("z"), name="odd*/link")
    _build(write_program(m, "c"), "c", tmp_path)
    compile(write_model(m, "python"), "model.py", "exec")


def test_programs_exist_in_two_languages() -> None:
    with pytest.raises(ModelError, match="complete programs are written in c and fortran"):
        write_program(_pendulum(), "rust")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_program_makes_the_same_steps_in_every_unit(tmp_path: Path) -> None:
    """Absolute tolerances are parts of the machine: in micrometres or megametres the motion is the same."""
    ends = []
    for unit in (2.0**-20, 1.0, 2.0**20):  # powers of two scale without rounding
        m = Mechanism("slide")
        m.join(earth, m.body("b", mass=1), prismatic("x").with_efforts(x=f"-x*(1 + x^2/{unit}^2)"), name="s")
        m.join(m.bodies["b"].at([0, 0, unit]), m.body("c", mass=1, centre=[0, 0, -unit]), revolute("y"), name="j")
        m.gravity = [0, 0, -unit]
        m.start = {"s.x": 0.5 * unit, "j.th": 1.0}
        folder = tmp_path / f"{unit}"
        folder.mkdir()
        _build(write_program(m, "c", {"t_end": 2.0, "t_step": 1.0}), "c", folder)
        assert _run(folder).returncode == 0
        rows = np.loadtxt(folder / "output.csv", delimiter=",", skiprows=1)
        ends.append([rows[-1, 1] / unit, rows[-1, 2]])
    assert ends[0] == pytest.approx(ends[1], rel=1e-13)
    assert ends[2] == pytest.approx(ends[1], rel=1e-13)


@pytest.mark.parametrize(
    ("name", "to"), [("satellite", "c"), ("satellite", "fortran"), ("constraints/rattleback", "fortran")]
)
def test_programs_of_examples_build_and_run_as_they_are(name: str, to: str, tmp_path: Path) -> None:
    """Nothing is asked for that has no influence (frames of massless arms), and no line of Fortran is too long."""
    import dalembert as da

    m = da.load(str(Path(__file__).parents[2] / "examples" / f"{name}.lsd"))
    files = write_program(m, to, {"t_end": 0.1, "t_step": 0.05})
    assert "give a value" not in files["input.txt"]
    if to == "fortran":
        lines = [line for name, text in files.items() if name.endswith(".f90") for line in text.split("\n")]
        assert max(len(line.partition("!")[0]) for line in lines) <= 132
    _build(files, to, tmp_path)
    done = _run(tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["crane", "foucault", "satellite"])
def test_written_python_plugs_into_solve_ivp(name: str, tmp_path: Path) -> None:
    """Machines that time moves too: SciPy gives it as a number."""
    import importlib.util

    from scipy.integrate import solve_ivp

    import dalembert as da

    m = da.load(str(Path(__file__).parents[2] / "examples" / f"{name}.lsd"))
    (tmp_path / "written.py").write_text(write_model(m, "python"))
    spec = importlib.util.spec_from_file_location("written", tmp_path / "written.py")
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    f = compile_mechanism(m)
    y = np.array(list(f.start().values.values()))
    p = f.parameter_vector()
    used = p[~np.isnan(p)]  # frames of massless arms move nothing: nobody asks for their numbers
    found = solve_ivp(written.rhs, (0, 0.5), y, args=(used,), rtol=1e-10, atol=1e-10)
    expected = solve_ivp(lambda t, y: f.rhs(t, y, p), (0, 0.5), y, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.y[:, -1], expected.y[:, -1], rtol=1e-7, atol=1e-9)


def test_functions_of_a_machine_with_contacts_say_that_they_are_open_and_take_numbers_by_their_count() -> None:
    """A cam's follower: `e` and `w` have a say in its contact alone, so the file takes `k` and `preload`, no others."""
    import dalembert as da
    from dalembert.codegen import write_header
    from dalembert.mechanism.contact import ContactWarning

    m = da.load("examples/contact/cam_follower.lsd")
    for to in LANGUAGES:
        with pytest.warns(ContactWarning):
            text = write_model(m, to)
        assert "these functions hold while none touches: cam" in text
    with pytest.warns(ContactWarning):
        assert "while none touches: cam" in write_header(m)
    with pytest.warns(ContactWarning):
        space = _loaded(write_model(m, "python"))
    with pytest.warns(ContactWarning):
        f = compile_mechanism(m)
    y, named = np.array([0.01, 0.2]), dict(zip(f.parameters, f.parameter_vector(), strict=True))
    np.testing.assert_allclose(
        space["rhs"](0.0, y, [named["k"], named["preload"]]), f.rhs(0.0, y, f.parameter_vector())
    )
    with pytest.raises(ValueError, match="p holds 2 numbers"):
        space["rhs"](0.0, y, f.parameter_vector())
    with pytest.raises(ValueError, match="y holds 2 numbers"):
        space["rhs"](0.0, [0.01, 0.2, 0.3], [1.0, 2.0])
    with pytest.raises(ValueError, match="q holds 1 number,"):
        space["forces"](0.0, y, y[:1], [1.0, 2.0])


def _loaded(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(text, space)  # our own text
    return space


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_a_push_is_met_where_no_step_is_longer_than_it(to: str, tmp_path: Path) -> None:
    """What rests takes steps as long as it may: the input file says how long that is to be."""
    m = Mechanism("block")
    push = prismatic("x").with_efforts(x="max(0, 0.05 - abs(t - 2.05))*400")  # an impulse of one
    m.join(earth, m.body("block", mass=1), push, name="s")
    files = write_program(m, to, {"t_end": 5.0, "t_step": 0.05})
    assert "t_step, which is to be shorter than what pushes for a while" in files["input.txt"]
    _build(files, to, tmp_path)
    assert _run(tmp_path).returncode == 0
    last = (tmp_path / "output.csv").read_text().split("\n")[-2].split(",")
    assert float(last[2]) == pytest.approx(1.0, rel=1e-5)
