"""Constrained machines through every exit: one motion, whatever computes it.

A rolling disc, a servo on a four-bar, a skater with driven arms, a slide with dry friction, and surfaces that roll.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.analysis.compare import compare
from dalembert.codegen import export_fmu, write_program
from dalembert.formalisms import formalism_names

END = 0.4
EXAMPLES = Path(__file__).parents[2] / "examples"


def disc() -> da.Mechanism:
    m = da.Mechanism("disc")
    fork, arm = m.body("fork"), m.body("arm")
    wheel = m.body("wheel", mass=1, inertia=[0.0625, 0.125, 0.0625])
    place = da.composite(
        ["x", "y", "z", "ps"], da.Displacement.of(["x", "y", "z"]), da.Displacement.of([0, 0, 0], da.turn("ps", "z"))
    )
    m.join(da.earth, fork, place, name="c")
    m.join(fork, arm, da.revolute("x"), name="lean")
    m.join(arm, wheel, da.revolute("y"), name="spin")
    m.gravity = [0, 0, -9.81]
    m.roll(wheel, da.earth, radius=0.5, name="road")
    m.start = {"c.ps": 0.3, "lean.th": 0.2, "c.ps'": 0.7, "lean.th'": 0.1, "spin.th'": 4}
    return m


def servo_loop() -> da.Mechanism:
    """A four-bar whose coupler a law of time holds through a motor on the crank."""
    m = da.Mechanism("servo")
    a, b, c = (m.body(x, mass=1, centre=[0.5, 0, 0], inertia=[0.1] * 3) for x in "abc")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([2.2, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([2, 0, 0]), c.at([1.4, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.constrain("pos(b, y) = 0.8 + 0.1*sin(3*t)", by="A.th", name="lift")
    m.start = {"A.th": 0.927295218, "D.th": 1.34086335, "B.th": -0.64185783}
    return m


def skater() -> da.Mechanism:
    m = da.Mechanism("skater")
    legs, arms = m.body("legs", mass=60, inertia=[1.5] * 3), m.body("arms", inertia=[2.5] * 3)
    m.join(da.earth, legs, da.planar(), name="p")
    m.join(legs, arms, da.revolute("z"), name="s")
    m.skate(legs, name="blade")
    m.drive("s.th'", "0.8 + 0.3*sin(s.th)", name="drive")
    m.start = {"p.th": 0.3, "s.th": 0.1, "p.x'": 2.0, "p.th'": 0.25}
    return m


def rubbed() -> da.Mechanism:
    """A bead on a parabola with dry friction."""
    m = da.Mechanism("bead")
    carrier, bead = m.body("carrier"), m.body("bead", mass=1)
    m.join(da.earth, carrier, da.prismatic("x"), name="x")
    m.join(carrier, bead, da.prismatic("z"), name="z")
    m.gravity = [0, 0, -9.81]
    slope = "sqrt(1 + x.x**2)"
    m.constrain(f"(z.x - x.x**2/2)/{slope} = 0", by=da.coulomb(0.2, f"(x.x' + x.x*z.x')/{slope}"), name="wire")
    m.start = {"x.x": -1.0, "x.x'": 0.5}
    return m


def bowl() -> da.Mechanism:
    """An uneven ball rolls in a bowl: the point of contact is a state of its own."""
    m = da.Mechanism("bowl")
    ball = m.body("ball", mass=0.5, inertia=[0.002, 0.0025, 0.003])
    m.join(da.earth, ball, da.free("bryant", "space"), name="f")
    m.gravity = [0, 0, -9.81]
    m.roll(da.Sphere(ball, 0.1), da.Surface(da.earth, "1 - x^2 - y^2 - z^2"), name="r")
    m.start = {"f.x": 0.2, "f.y": -0.1, "f.x'": 0.3, "f.y'": 0.2}
    return m


def egg() -> da.Mechanism:
    """A random body with a random place of its mass, whose surface is given by parameters, in a random bowl."""
    rng = np.random.default_rng(17)
    a, b, c = rng.uniform(0.1, 0.3, size=3)
    x, y, z = rng.uniform(0.8, 1.5, size=3)
    m = da.Mechanism("egg")
    body = m.body("egg", mass=rng.uniform(0.5, 2), centre=rng.uniform(-0.03, 0.03, 3), inertia=[0.02, 0.025, 0.03])
    m.join(da.earth, body, da.free("bryant", "space"), name="f")
    m.gravity = [0, 0, -9.81]
    shell = da.Patch(body, [f"{a}*cos(u)*cos(v)", f"{b}*sin(u)*cos(v)", f"{c}*sin(v)"])
    m.roll(shell, da.Surface(da.earth, f"1 - (x/{x})^2 - (y/{y})^2 - (z/{z})^2"), name="r")
    m.start = {"f.z": -0.8 * z, "f.x": 0.1, "f.al": 1.2, "f.be": 0.4, "f.x'": 0.4, "f.y'": -0.3}
    return m


MAKERS = {one.__name__: one for one in (disc, servo_loop, skater, rubbed, bowl, egg)}
each = pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[pytest.mark.slow] * (x in ("bowl", "egg"))) for x in MAKERS]
)


@functools.cache
def motion(name: str):
    return MAKERS[name]().simulate((0, END), rtol=1e-11, atol=1e-13)


@each
def test_the_motion_keeps_its_conditions_and_balances_its_energy(name: str) -> None:
    mo = motion(name)
    energy, work = mo.energy(), mo.work()
    assert mo.quality.closure is None or mo.quality.closure < 1e-10
    assert np.abs(energy - energy[0] - work).max() < 1e-9 * max(1.0, np.abs(energy).max(), np.abs(work).max())


@pytest.mark.parametrize("name", [x for x in MAKERS if x not in ("bowl", "egg")])  # test_random_surfaces has surfaces
def test_every_formalism_and_the_compiled_code_agree(name: str) -> None:
    m, mo = MAKERS[name](), motion(name)
    state = {ex.symbol(x): v for x, v in mo.state(0.3).items()}
    f = m.compile()
    q, u = ([mo.state(0.3)[x] for x in names] for names in (f.coordinates, f.speeds))
    wanted = np.asarray(f.acceleration(q, u, 0.3))
    for formalism in formalism_names():
        eq = m.equations(formalism)
        found = np.array(ex.evaluate(list(eq.accelerations), state), dtype=float)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
        text = str(eq.show("scalar"))
        assert all(one.name in text for one in m.constraints)


@pytest.mark.slow
@each
@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="gcc or make is not installed")
def test_the_c_program_makes_the_same_motion(name: str, tmp_path: Path) -> None:
    mo = motion(name)
    files = write_program(MAKERS[name](), "c", {"t_end": END, "t_step": END, "rtol": 1e-11, "atol": 1e-13})
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    subprocess.run(["make", "motion"], cwd=tmp_path, capture_output=True, check=True, timeout=120)
    subprocess.run(["./motion"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    table = np.genfromtxt(tmp_path / "output.csv", delimiter=",", names=True, deletechars="")
    for x, wanted in zip(mo.names, mo.y[:, -1], strict=True):
        assert table[x][-1] == pytest.approx(wanted, rel=1e-7, abs=1e-8)


@pytest.mark.slow
@each
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_exported_unit_makes_the_same_motion(name: str, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    mo = motion(name)
    path = export_fmu(MAKERS[name](), tmp_path / "machine.fmu")
    run = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=END, output_interval=END, output=list(mo.names)
    )
    for x, wanted in zip(mo.names, mo.y[:, -1], strict=True):
        assert run[x][-1] == pytest.approx(wanted, rel=1e-5, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["disc", "servo_loop", "skater"])
def test_the_differential_algebraic_method_makes_the_same_motion(name: str) -> None:
    m = MAKERS[name]()
    direct = m.simulate((0, 1e-2), rtol=1e-11, atol=1e-13)
    coarse, fine = (m.simulate((0, 1e-2), method="DAE", max_step=h).y[:, -1] for h in (2e-4, 1e-4))
    np.testing.assert_allclose((4 * fine - coarse) / 3, direct.y[:, -1], rtol=1e-6, atol=1e-7)


def test_the_formalisms_are_compared_with_their_constraints() -> None:
    assert compare(skater().layout()).disagreement < 1e-9


def test_what_is_not_told_is_refused_in_a_sentence() -> None:
    m = rubbed()
    with pytest.raises(da.ModelError, match="'wire' of 'bead' does not slip"):
        m.linearize({"x.x": 0, "x.x'": 0})
    with pytest.raises(da.SimulationError, match="dry friction turns with the sign"):
        m.simulate((0, 0.1), method="DAE")
    assert any("'blade' is left out: it is on speeds" in one for one in skater().mobility().notes)
    with pytest.raises(da.ModelError, match="the study from"):
        skater().equations("kane", reference="legs")
