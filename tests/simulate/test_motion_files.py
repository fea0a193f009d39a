"""A motion survives its files, and files are whole or absent."""

from __future__ import annotations

import csv
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, SimulationError
from dalembert.simulate import Motion, run
from dalembert.simulate.motion import archive as archive_of_motions
from dalembert.simulate.motion.arcs import megabytes
from sample_systems import double_pendulum, free_body, pendulum, spherical_pendulum


def test_csv_has_a_column_for_each_state(tmp_path: Path) -> None:
    motion = run(pendulum(), (0, 1))
    motion.to_csv(tmp_path / "m.csv")
    with open(tmp_path / "m.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["t", "joint.th", "joint.th'"]
    table = np.array(rows[1:], dtype=float)
    assert np.array_equal(table.T, np.vstack([motion.t, motion.y]))


@pytest.mark.parametrize(
    "system", [pendulum(), double_pendulum(), free_body(), spherical_pendulum()], ids=lambda s: s.name
)
def test_saved_motion_tells_the_same(tmp_path: Path, system: object) -> None:
    motion = run(system, (0, 0.5), events="t - 0.2", rtol=1e-6)  # type: ignore[arg-type]
    motion.save(tmp_path / "m.npz")
    again = Motion.load(tmp_path / "m.npz")
    times = np.linspace(0, 0.5, 33)
    assert again.sol is not None
    assert motion.sol is not None
    assert np.array_equal(again.sol(times), motion.sol(times))
    assert np.array_equal(again.energy(), motion.energy())
    assert again.events.keys() == motion.events.keys()
    assert again.events["t - 0.2"] == pytest.approx([0.2])
    for name in motion.system.outputs:
        assert np.array_equal(again[name], motion[name])
    assert again.system.rates == motion.system.rates
    assert again.system.pictures == motion.system.pictures
    further = run(again.system, (0, 0.5), given=again.parameters, rtol=1e-6)
    assert np.array_equal(further.y, motion.y)


_TELL = """
import json, sys
import dalembert as da
for path in sys.argv[1:]:
    mo = da.Motion.load(path)
    print(json.dumps([mo.energy().tolist(), mo.work().tolist(), mo["total.LZ"].tolist(), str(mo.quality)]))
"""


def test_another_process_tells_the_same_of_a_saved_motion(tmp_path: Path) -> None:
    """One that has never seen the machine: vectors come back as vectors, cos(0.6) as the node that it was."""
    names = ["pendulum", "loops/scissor_lift", "constraints/rolling_disc", "spring_train", "contact/bouncing_ball"]
    turned = da.Mechanism("turned")
    turned.join(da.earth.at(["cos(0.5)", 0, 0]), turned.body("a", mass=1), da.prismatic("z"), name="j")
    turned.gravity = [0, 0, -9.81]
    machines = [turned, *(da.load(f"examples/{name}.lsd") for name in names)]
    motions = [machine.simulate((0, 0.02)) for machine in machines]
    files = [str(tmp_path / f"{k}.npz") for k in range(len(motions))]
    for motion, file in zip(motions, files, strict=True):
        motion.save(file)
    done = subprocess.run([sys.executable, "-c", _TELL, *files], capture_output=True, text=True, check=True)
    for motion, line in zip(motions, done.stdout.splitlines(), strict=True):
        energy, work, spin, quality = json.loads(line)
        scale = abs(motion.kinetic_energy()).max() + abs(motion.potential_energy()).max()
        assert energy == pytest.approx(motion.energy(), rel=1e-12, abs=1e-12 * scale)
        assert work == pytest.approx(motion.work(), abs=1e-12 * scale)
        assert spin == pytest.approx(motion["total.LZ"], rel=1e-9, abs=1e-12)
        assert quality.count(";") == str(motion.quality).count(";")


def test_motions_of_the_format_before_have_their_vectors(tmp_path: Path) -> None:
    motion = da.load("examples/pendulum.lsd").simulate((0, 0.1))
    packed = archive_of_motions.pack(motion)
    about = str(packed["about"]).replace('"vector"', '"tuple"').replace("dalembert-motion-5", "dalembert-motion-4")
    again = archive_of_motions.unpack(da.Motion, packed | {"about": np.array(about)}, "m.npz")
    kept, found = (one.system.outputs.tree.layout.model.gravity for one in (motion, again))
    assert type(found) is type(kept)
    assert found + found == kept + kept


def test_loading_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", t=np.zeros(3))
    with pytest.raises(SimulationError, match="not a motion"):
        Motion.load(tmp_path / "other.npz")


def test_arrays_that_ask_for_more_than_is_there_or_is_ever_kept_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NumPy makes room for what a header says: 745 GB ended in its MemoryError."""
    whole, path = tmp_path / "whole.npz", tmp_path / "m.npz"
    run(pendulum(), (0, 1)).save(whole)
    with ZipFile(whole) as archive, ZipFile(path, "w") as other:
        for name in archive.namelist():
            data = archive.read(name)
            if name == "t.npy":
                header = io.BytesIO()
                np.lib.format.write_array_header_1_0(
                    header, {"shape": (10**11,), "fortran_order": False, "descr": "<f8"}
                )
                data = header.getvalue() + data[-80:]
            other.writestr(name, data)
    with pytest.raises(SimulationError, match="not a motion, or is damaged"):
        Motion.load(path)
    monkeypatch.setattr(archive_of_motions, "LARGEST", 100)
    with pytest.raises(SimulationError, match="not a motion, or is damaged"):
        Motion.load(whole)


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.csv"
    path.write_text("old")

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError("disk full")

    motion = run(pendulum(), (0, 1))
    monkeypatch.setattr(np, "savetxt", fail)
    with pytest.raises(DalembertError, match="disk full"):
        motion.to_csv(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["m.csv"]


def test_motion_travels_between_processes() -> None:
    motion = run(free_body(), (0, 1), events="wx")
    again = pickle.loads(pickle.dumps(motion))
    assert again.sol(0.3) == pytest.approx(motion.sol(0.3), abs=1e-15)  # type: ignore[misc]
    assert np.array_equal(again["momentum.x"], motion["momentum.x"])


def test_a_name_that_promises_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    motion = run(pendulum(), (0, 1))
    with pytest.raises(DalembertError, match=r"ends in \.npz"):
        motion.save(tmp_path / "m.csv")
    assert not list(tmp_path.iterdir())


def test_a_file_that_holds_no_motion_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    for text in ("t,x", "", "PK"):
        path.write_text(text)
        with pytest.raises(SimulationError, match="not a motion"):
            Motion.load(path)


def test_a_motion_tells_the_memory_that_it_keeps() -> None:
    """Times, lengths and states of its steps; four numbers more for each state and step once it is asked in between."""
    motion = run(pendulum(), (0, 5))
    kept = megabytes(motion.arcs)
    assert kept >= 8e-6 * motion.y.size
    assert kept <= 8e-6 * (2 * motion.y.size + 4 * len(motion.t) + 8)
    assert f"{kept:.1f} MB" in repr(motion)
    assert motion.sol is not None
    motion.sol(0.5)
    made = motion.sol.pieces[0].coefficients
    assert megabytes(motion.arcs) >= kept + 8e-6 * made.size - 1e-9
    assert megabytes((*motion.arcs, *motion.arcs)) == megabytes(motion.arcs)
