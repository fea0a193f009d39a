"""Where the closure is singular all along, every exit keeps the relations of the branch, or refuses in words."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.codegen import export_fmu, write_program
from dalembert.dynamics.start import StartWarning
from dalembert.simulate import run, run_many, system_of
from linkages import four_bar, with_stretched_dyad

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
END = 1.0
CLOSE = {"rtol": 1e-11, "atol": 1e-12}


def dyad() -> da.Mechanism:
    m = with_stretched_dyad("l")
    m.given = {"l": 0.1}
    m.start = {"A.th": 1.0, "A.th'": 3.0, "P.th": 0.3}
    return m


@pytest.fixture(scope="module")
def end() -> dict[str, float]:
    mo = dyad().simulate((0, END), **CLOSE)
    energy = mo.energy()
    assert np.ptp(energy) < 1e-9 * np.abs(energy).max()
    return {name: float(mo[name][-1]) for name in mo.names}


def test_compiled_code_keeps_the_relations_and_the_energy(end):
    f = dyad().compile()
    assert "relations that its loops force" in f.branch
    y, p, n = f.start().y, f.parameter_vector(), len(f.coordinates)
    found = solve_ivp(lambda t, y: f.rhs([t], y, p), (0, END), y, method="DOP853", rtol=1e-11, atol=1e-12)
    assert dict(zip(end, found.y[:, -1], strict=True)) == pytest.approx(end, abs=1e-8)
    energy = sum(f.energy(found.y[:n].T, found.y[n:].T))
    assert np.ptp(energy) < 1e-9 * np.abs(energy).max()


def test_a_length_for_which_the_relations_hold_cannot_change_in_the_code():
    f = dyad().compile()
    assert "l" not in f.parameters
    q = f.start().y[: len(f.coordinates)]
    with pytest.raises(da.ModelError, match=r"'l' of .* cannot change in this code.*Q\.th = 0.*l = 0\.1"):
        f.mass_matrix(q, l=0.2)
    with pytest.raises(da.ModelError, match=r"'l' of .* cannot change"):
        f.start(given={"l": 0.2})


def test_code_made_without_the_relations_refuses_a_start_that_needs_them():
    m = dyad()
    m.given = {"l": 0.11}  # the dyad is bent, and moves
    m.start = {"A.th": 1.0, "A.th'": 3.0}
    f = m.compile()
    assert not f.branch
    with pytest.raises(da.SimulationError, match=r"starts where its code does not hold: the closure is singular"):
        f.start({"A.th": 1.0, "A.th'": 3.0, "P.th": 0.3}, {"l": 0.1})


@needs_gcc
def test_a_program_keeps_them(tmp_path, end):
    files = write_program(dyad(), "c", {"t_end": END, "t_step": END, "rtol": 1e-11, "atol": 1e-12})
    assert "relations that its loops force" in files["model.c"]
    assert "l = 0.1" in files["model.c"]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    subprocess.run(["make", "motion"], cwd=tmp_path, capture_output=True, timeout=120, check=True)
    subprocess.run(["./motion"], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    rows = np.genfromtxt(tmp_path / "output.csv", delimiter=",", names=True, deletechars="")
    assert {name: rows[name][-1] for name in end} == pytest.approx(end, abs=1e-8)


@needs_gcc
def test_a_unit_keeps_them(tmp_path, end):
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    path = export_fmu(dyad(), tmp_path / "dyad.fmu")
    found = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=END, output_interval=END, output=list(end))
    assert {name: float(found[name][-1]) for name in end} == pytest.approx(end, abs=1e-8)


def test_many_motions_and_systems_keep_them(end):
    system = system_of(dyad())
    one = run(system, (0, END), **CLOSE)
    assert {name: float(one[name][-1]) for name in end} == pytest.approx(end, abs=1e-8)
    many = run_many(system, (0, END), start={"A.th'": np.array([3.0, 2.0])}, **CLOSE)
    assert dict(zip(end, many.y[0, :, -1], strict=True)) == pytest.approx(end, abs=1e-8)
    with pytest.raises(
        da.SimulationError, match=r"where trajectory 0 starts.*trajectory 1 is on another branch.*one at a"
    ):
        run_many(system, (0, END), given={"l": np.array([0.1, 0.11])})


def test_an_event_does_not_switch_a_length_for_which_they_hold():
    longer = da.Event("t - 0.1", then={"l": 0.11})
    with pytest.raises(da.SimulationError, match=r"gives 'l' of .* another value.*End the motion with this event"):
        dyad().simulate((0, 1), events=longer)


def test_small_motions_and_equilibria_are_those_of_the_branch():
    """A rigid rider on the coupler (the stretched dyad) gives the same machine as the dyad itself."""
    m = dyad()
    assert m.linearize({"A.th": 1.0, "P.th": 0.3}).coordinates == ("A.th",)
    bare = with_stretched_dyad()
    b, rider = bare.bodies["b"], da.Mechanism("rider")
    for one in ("a", "b", "c"):
        old = bare.bodies[one]
        rider.body(one, mass=old.mass, centre=list(old.centre), inertia=old.inertia)
    for name in ("A", "B", "D", "C"):
        link = bare.links[name]
        rider.join(link.first, link.second, link.joint, name=name)
    weld = da.composite([], da.Displacement.of([0, 0, 0], da.turn(0.3, "z")))
    further = da.composite([], da.Displacement.of([0.1, 0, 0]))
    for one in ("p", "q"):
        old = bare.bodies[one]
        rider.body(one, mass=old.mass, centre=list(old.centre), inertia=old.inertia)
    rider.join(b.frame, rider.bodies["p"], weld, name="P")
    rider.join(rider.bodies["p"].frame, rider.bodies["q"], further, name="Q")
    rider.gravity = bare.gravity
    wanted = sorted(e.coordinates["A.th"] for e in rider.equilibria())
    found = m.equilibria(at={"A.th": 1.0, "P.th": 0.3})
    assert sorted(e.coordinates["A.th"] for e in found) == pytest.approx(wanted, abs=1e-8)
    assert len(wanted) == 4
    slopes = [x.linearize({"A.th": 1.0, "A.th'": 0.0}).stiffness.entries[0].value for x in (rider, dyad())]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-8)


def test_no_small_motions_are_told_where_branches_meet():
    flat = four_bar((1, 2, 1), 2)
    with pytest.raises(da.SingularError, match=r"branches meet or it is shaky.*posture beside it"):
        flat.linearize()


def test_code_that_starts_where_branches_meet_says_what_it_costs():
    with pytest.warns(StartWarning, match="singular posture.*keeps its energy to a few digits"):
        text = write_program(four_bar((1, 2, 1), 2), "c")["input.txt"]
    assert "singular posture" in text
