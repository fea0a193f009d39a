"""A motion survives its files, and files are whole or absent."""

from __future__ import annotations

import csv
import io
import pickle
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

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
