"""Programs and units that begin at another time than they were made for: on the same assembly, as `simulate` does."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.codegen import export_fmu, write_program

SEEDS = range(3)
pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("make") is None, reason="gcc or make is not installed"
)


def crank_and_rocker(seed: int) -> tuple[da.Mechanism, float]:
    """A four-bar whose crank turns round and round (Grashof), driven on either assembly, and when it begins."""
    rng = random.Random(seed)
    unit, pace = 10.0 ** rng.randint(-3, 3), rng.uniform(1, 4) * rng.choice([-1, 1])
    lengths = [unit * rng.uniform(*bounds) for bounds in ((0.1, 0.2), (0.38, 0.42), (0.33, 0.36))]
    m = da.Mechanism("crank and rocker")
    crank, coupler, rocker = (
        m.body(n, mass=1, centre=[l / 2, 0, 0], inertia=[0, l * l, l * l])
        for n, l in zip(("crank", "coupler", "rocker"), lengths, strict=True)
    )
    m.join(da.earth, crank, da.revolute("z"), name="A")
    m.join(crank.at([lengths[0], 0, 0]), coupler, da.revolute("z"), name="B")
    m.join(da.earth.at([0.45 * unit, 0, 0]), rocker, da.revolute("z"), name="D")
    m.join(coupler.at([lengths[1], 0, 0]), rocker.at([lengths[2], 0, 0]), da.revolute("z"), name="C")
    m.drive("A.th", f"1 + {pace}*t", name="motor")
    tip = complex(lengths[0] * np.cos(1), lengths[0] * np.sin(1)) - 0.45 * unit  # of the crank, seen from D
    far = (abs(tip) ** 2 + lengths[2] ** 2 - lengths[1] ** 2) / (2 * abs(tip) * lengths[2])
    m.start = {"D.th": float(np.angle(tip)) + rng.choice([-1, 1]) * float(np.arccos(far))}
    return m, rng.uniform(3, 9) * rng.choice([-1, 1])


def level(m: da.Mechanism, begun: float) -> da.Motion:
    return m.simulate((begun, begun + 0.3), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_unit_that_begins_later_is_on_the_assembly_of_its_start(seed: int, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    m, begun = crank_and_rocker(seed)
    mo = level(m, begun)
    path = export_fmu(m, tmp_path / "machine.fmu")
    span = {"start_time": begun, "stop_time": begun + 0.3, "output_interval": 0.3}
    run = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", output=list(mo.names), **span)
    np.testing.assert_allclose([run[x][0] for x in mo.names], mo.y[:, 0], atol=1e-8)
    np.testing.assert_allclose([run[x][-1] for x in mo.names], mo.y[:, -1], atol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_whose_beginning_is_changed_is_on_the_assembly_of_its_start(seed: int, tmp_path: Path) -> None:
    m, begun = crank_and_rocker(seed)
    mo = level(m, begun)
    settings = {"t_end": begun + 0.3, "t_step": 0.3, "rtol": 1e-10, "atol": 1e-12}
    for name, text in write_program(m, "c", settings).items():
        (tmp_path / name).write_text(text.replace("t_start = 0.0", f"t_start = {begun!r}"))
    subprocess.run(["make", "motion"], cwd=tmp_path, capture_output=True, check=True, timeout=120)
    subprocess.run(["./motion"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    table = np.genfromtxt(tmp_path / "output.csv", delimiter=",", names=True, deletechars="")
    np.testing.assert_allclose([table[x][0] for x in mo.names], mo.y[:, 0], atol=1e-8)
    np.testing.assert_allclose([table[x][-1] for x in mo.names], mo.y[:, -1], atol=1e-6)
