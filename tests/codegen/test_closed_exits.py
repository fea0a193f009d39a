"""Every exit of a closed machine starts at the same state and moves in the same way: simulate, compile, C, FMU."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.codegen import export_fmu, write_model, write_program
from dalembert.dynamics.start import closed_start
from linkages import four_bar

EXAMPLES = Path(__file__).parents[2] / "examples"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def bars() -> da.Mechanism:
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    m.start = {"A.th": 1.0, "A.th'": 3.0}
    return m


def numbers(text: str) -> dict[str, float]:
    """What an input file says."""
    lines = [line.split("#")[0] for line in text.splitlines()]
    return {name.strip(): float(value) for name, _, value in (x.partition("=") for x in lines if x.strip())}


def built(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    done = subprocess.run(["make", "motion"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    return folder


def ran(folder: Path) -> tuple[np.ndarray, str]:
    done = subprocess.run(["./motion"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return np.genfromtxt(folder / "output.csv", delimiter=",", names=True, deletechars=""), done.stderr


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_the_input_of_a_program_is_the_closed_start(to: str) -> None:
    m = da.load(EXAMPLES / "four_bar.lsd")
    m.start = {"ground.th": np.pi / 2}
    start = closed_start(m.layout()).values
    told = numbers(write_program(m, to)["input.txt"])
    assert {name: told[name] for name in start} == start


def test_a_program_says_what_moved_and_what_it_could_not_close() -> None:
    m = bars()
    m.start = {"A.th": 1.0, "D.th": 1.67}
    assert "moved to where the loops close: D.th from 1.67 to 1.67" in write_program(m, "c")["input.txt"]
    m.join(da.earth.at(["l", 0, 0]), m.body("e", mass=1, inertia=[1, 1, 1]), da.revolute("z"), name="E")
    m.join(da.earth.at(["l", 0, 1]), m.bodies["e"].at([0, 0, 1]), da.revolute("z"), name="F")
    text = write_program(m, "c")["input.txt"]
    assert "not closed" in text
    assert "# l =" in text


def test_a_contradicting_start_is_refused_by_every_exit(tmp_path: Path) -> None:
    m = bars()
    m.start = {"A.th": 1.0, "D.th": 0.3}
    for exit_ in (
        lambda: m.simulate((0, 1)),
        lambda: m.compile().start(),
        lambda: write_program(m, "c"),
        lambda: export_fmu(m, tmp_path / "x.fmu", binary=False),
    ):
        with pytest.raises(da.SimulationError, match=r"D\.th = 0\.3 cannot be with A\.th = 1"):
            exit_()


def test_compiled_code_starts_where_a_simulation_does() -> None:
    m = bars()
    f, mo = m.compile(), m.simulate((0, 0.1))
    start = f.start()
    assert tuple(start.values) == (*f.coordinates, *f.speeds) == mo.names
    assert start.y == pytest.approx(mo.y[:, 0], abs=1e-14)
    assert f.start({"A.th": 0.5}).values["A.th"] == 0.5
    assert f.corrected(start.y) == pytest.approx(start.y, abs=1e-13)


def test_another_cut_has_the_same_accelerations() -> None:
    m = bars()
    closed = closed_start(m.layout()).values
    one, other = m.compile(), m.compile(cut=["B"])
    assert other.coordinates[-1] == "B.th"
    start = other.start({"A.th": 1.0, "D.th": closed["D.th"], "A.th'": 3.0})
    assert start.values["B.th"] == pytest.approx(closed["B.th"], abs=1e-13)
    n = len(one.coordinates)
    a = dict(zip(one.speeds, one.acceleration(one.start().y[:n], one.start().y[n:]), strict=True))
    b = dict(zip(other.speeds, other.acceleration(start.y[:n], start.y[n:]), strict=True))
    for name in a.keys() & b.keys():
        assert a[name] == pytest.approx(b[name], rel=1e-9)


@needs_gcc
def test_the_program_of_a_four_bar_moves_as_its_simulation(tmp_path: Path) -> None:
    m = bars()
    told = {"t_end": 1.0, "t_step": 0.1, "rtol": 1e-12, "atol": 1e-12}
    rows, said = ran(built(write_program(m, "c", told), tmp_path))
    assert not said
    mo = m.simulate((0, 1), t_eval=rows["t"], rtol=1e-12, atol=1e-12)
    for name in mo.names:
        assert rows[name] == pytest.approx(mo[name], abs=1e-8)


COMPILERS = {"c": "gcc", "fortran": "gfortran"}


def needs(to: str) -> None:
    if shutil.which(COMPILERS[to]) is None:
        pytest.skip(f"{COMPILERS[to]} is not installed")


def refused(folder: Path) -> str:
    done = subprocess.run(["./motion"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    return done.stderr


def with_values(text: str, **changed: float) -> str:
    """An input file with other numbers; names as they are written there, ' as _rate."""
    lines = text.splitlines()
    for name, value in changed.items():
        full = name.replace("_rate", "'").replace("_", ".")
        lines = [f"{full} = {value}" if line.startswith(f"{full} =") else line for line in lines]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_a_program_keeps_the_start_values_that_were_changed_and_moves_the_rest(to: str, tmp_path: Path) -> None:
    needs(to)
    m = bars()
    folder = built(write_program(m, to, {"t_end": 0.1, "t_step": 0.1}), tmp_path)
    text = (folder / "input.txt").read_text()
    for changed in ({"D_th": 1.75}, {"A_th": 1.3}, {"A_th": 1.2, "D_th_rate": 0.7}, {"B_th_rate": -3.0}):
        (folder / "input.txt").write_text(with_values(text, **changed))
        rows, said = ran(folder)
        asked = {name.replace("_rate", "'").replace("_", "."): value for name, value in changed.items()}
        for name, value in asked.items():
            assert rows[name][0] == pytest.approx(value, abs=1e-11)
            assert f"{name} moved" not in said
        assert "moved from" in said
        first = {name: float(rows[name][0]) for name in m.layout().state.names}
        assert not closed_start(m.layout(), first).moved  # on the loops
    (folder / "input.txt").write_text(with_values(text, A_th=1.3, D_th=1.4))
    assert "do not fit the loops" in refused(folder)
    (folder / "input.txt").write_text(with_values(text, D_th=1.5))  # beyond the rocker's dead centre
    assert "D.th" in refused(folder)
    (folder / "input.txt").write_text(with_values(text, A_th=float("nan")))
    assert "expected 'name = number'" in refused(folder)


def slowly_flat() -> da.Mechanism:
    """A parallelogram that rises to its flat posture and turns a bit behind it."""
    m = four_bar((1, 2, 1), 2)
    m.start = {"A.th": -0.3, "D.th": -0.3, "A.th'": 1.001 * np.sqrt(2 * 2 * 9.81 * np.sin(0.3) / (5 / 3))}
    return m


@pytest.mark.parametrize("to", ["c", "fortran"])
def test_a_program_that_passes_a_singular_posture_says_when(to: str, tmp_path: Path) -> None:
    needs(to)
    (tmp_path / "flat").mkdir()
    (tmp_path / "bars").mkdir()
    told = {"t_end": 0.5, "t_step": 0.1, "rtol": 1e-10, "atol": 1e-12}
    _, said = ran(built(write_program(slowly_flat(), to, told), tmp_path / "flat"))
    assert said.count("passes a singular posture") == 1
    when = float(said.split("t = ")[1].split()[0])
    assert when == pytest.approx(0.216, abs=0.01)
    _, said = ran(built(write_program(bars(), to, told), tmp_path / "bars"))
    assert said == ""


@needs_gcc
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_unit_that_passes_a_singular_posture_logs_it_and_goes_on(
    version: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    path = export_fmu(slowly_flat(), tmp_path / "flat.fmu", version)
    told = ["energy.kinetic", "energy.potential"]
    run = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=0.5, output_interval=0.05, relative_tolerance=1e-10, output=told
    )
    assert run["time"][-1] == pytest.approx(0.5, abs=1e-6)
    energy, said = run[told[0]] + run[told[1]], capsys.readouterr().out.count("passes a singular posture")
    if kind == "CoSimulation":
        assert said == 1
    else:  # the other side's steps may pass it at a distance, and lose nothing
        assert said == 1 or np.ptp(energy) < 1e-6 * run[told[0]].max()


#: Names of the templates, of C and of calls, all allowed as names of parameters.
NASTY = ["q", "u", "y", "p", "out", "h", "work", "rtol", "t_end", "STATES", "names", "values", "main", "double", "rhs",
         "energy", "corrected", "z1", "self", "efforts", "given", "dp", "node", "fmu_rhs", "STATE", "udot"]  # fmt: skip


def chain_of_nasty_names() -> da.Mechanism:
    m = da.Mechanism("nasty")
    last = da.earth
    for i in range(len(NASTY) // 2):
        body = m.body(f"b{i}", mass=NASTY[2 * i], centre=[0, 0, "-1"], inertia=[1, 1, 1])
        joint = da.revolute("x").with_efforts(th=f"-{NASTY[2 * i + 1]}*th")
        m.join(last, body, joint, name=f"j{i}")
        last = body.at([0, 0, -1])
    m.gravity = [0, 0, -1]
    m.given = {name: 1.0 + 0.1 * k for k, name in enumerate(NASTY)}
    m.start = {"j0.th": 0.5}
    return m


@needs_gcc
def test_parameters_may_be_named_like_anything(tmp_path: Path) -> None:
    m = chain_of_nasty_names()
    f, n = m.compile(), len(NASTY) // 2
    q = np.linspace(-1, 1, n)
    plain = f.acceleration(q, 0 * q)
    assert f.acceleration(q, 0 * q, given={"q": 2.0, "efforts": 3.0, "t_end": 1.4}) != pytest.approx(plain)
    assert f.acceleration(q, 0 * q, q=1.0, self=f.given["self"]) == pytest.approx(plain)
    rows, _ = ran(built(write_program(m, "c", {"t_end": 0.5, "t_step": 0.5, "rtol": 1e-11, "atol": 1e-11}), tmp_path))
    mo = m.simulate((0, 0.5), t_eval=[0, 0.5], rtol=1e-11, atol=1e-11)
    for name in mo.names:
        assert rows[name] == pytest.approx(mo[name], abs=1e-8)
    for to in ("fortran", "python", "matlab", "rust", "julia", "javascript"):
        assert write_model(m, to)


@needs_gcc
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_the_unit_of_a_four_bar_moves_as_its_simulation(version: str, kind: str, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    m = bars()
    path = export_fmu(m, tmp_path / "bars.fmu", version)
    states = list(m.layout().state.names)
    declared = {v.name: float(v.start) for v in fmpy.read_model_description(str(path)).modelVariables if v.start}
    start = closed_start(m.layout()).values
    assert {name: declared[name] for name in states} == start
    tight = {"relative_tolerance": 1e-11} if kind == "ModelExchange" else {}
    run = fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=1.0, output_interval=0.1, output=states, **tight)
    mo = m.simulate((0, 1), t_eval=np.clip(run["time"], 0, 1), rtol=1e-12, atol=1e-12)
    limit = 1e-8 if kind == "CoSimulation" else 1e-6
    for name in states:
        assert run[name] == pytest.approx(mo[name], abs=limit)


@needs_gcc
def test_a_unit_closes_a_start_that_was_set_from_outside(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    m = bars()
    path = export_fmu(m, tmp_path / "bars.fmu")
    run = fmpy.simulate_fmu(
        str(path),
        fmi_type="CoSimulation",
        stop_time=0.1,
        start_values={"A.th": 1.05},
        output=list(m.layout().state.names),
    )
    last = {name: float(run[name][-1]) for name in m.layout().state.names}
    assert not closed_start(m.layout(), last).moved
