"""Sweeps tell what single motions tell, and go on where they stopped, to the same bits."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

import dalembert as da
from dalembert.sweep.cluster import _chunk

ROOT = Path(__file__).parents[2]


def pendulum():
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    m.join(da.earth, rod, da.revolute("x"), name="pivot")
    m.gravity = [0, 0, -9.81]
    m.given = {"m": 1, "l": 1}
    m.start = {"pivot.th": 0.5}
    return m


def test_measures_are_those_of_single_motions():
    m = da.load(ROOT / "examples/double_pendulum.lsd")
    vary = {"m1": [0.5, 2.0], "elbow.th": "uniform(-1, 1)"}
    measures = ["max(elbow.th)", "min(shoulder.th')", "mean(sin(elbow.th))", "rms(elbow.th')", "final(total.T)"]
    sw = m.sweep((0, 2), vary, measures, samples=3, seed=5, instants=801)
    assert len(sw) == 6
    assert sw.complete
    assert sw.failures == 0
    times = np.linspace(0, 2, 20_001)
    for k in range(len(sw)):
        mo = m.simulate((0, 2), given={"m1": sw["m1"][k]}, start={"elbow.th": sw["elbow.th"][k]}, t_eval=times)
        expected = [
            mo["elbow.th"].max(),
            mo["shoulder.th'"].min(),
            np.trapezoid(mo["sin(elbow.th)"], times) / 2,
            np.sqrt(np.trapezoid(mo["elbow.th'"] ** 2, times) / 2),
            mo["total.T"][-1],
        ]
        found = [sw[name][k] for name in measures]
        np.testing.assert_allclose(found, expected, rtol=1e-6)  # chaos takes two of eight digits


def test_events_end_motions_and_formulas_take_parameters():
    """A quarter of the period of a pendulum, by the complete elliptic integral."""
    sw = pendulum().sweep(
        (0, 20), {"pivot.th": "0.1:3:8", "l": [0.5, 2.0]}, "4*final(t)/sqrt(l)", events="pivot.th", instants=11
    )
    expected = 4 * ellipk(np.sin(sw["pivot.th"] / 2) ** 2) / np.sqrt(9.81)
    np.testing.assert_allclose(sw["4*final(t)/sqrt(l)"], expected, rtol=1e-7)
    assert set(sw["status"]) == {1}


@pytest.mark.parametrize("design", ["random", "sobol", "halton", "latin"])
def test_draws_fill_their_distributions(design):
    m = pendulum()
    vary = {"m": "loguniform(1, 100)", "l": "normal(2, 0.1)", "pivot.th": "uniform(-1, 1)"}
    sw = m.sweep((0, 1e-3), vary, "first(pivot.th)", samples=512, design=design, seed=3, instants=2)
    assert abs(np.log10(sw["m"]).mean() - 1) < 0.1
    assert abs(sw["l"].mean() - 2) < 0.02
    assert abs(sw["l"].std() - 0.1) < 0.02
    np.testing.assert_array_equal(sw["first(pivot.th)"], sw["pivot.th"])
    again = m.sweep((0, 1e-3), vary, "first(pivot.th)", samples=512, design=design, seed=3, instants=2)
    np.testing.assert_array_equal(sw["l"], again["l"])


def test_a_sweep_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    from dalembert.sweep import plan

    monkeypatch.setattr(plan, "_CHUNK", 4000)
    m, asked = pendulum(), ((0, 1), {"m": "1:2:5", "pivot.th": "uniform(0, 1)"}, ["max(pivot.th')"])
    words = {"samples": 11, "instants": 21}
    whole = m.sweep(*asked, **words, out=tmp_path / "whole")
    in_memory = m.sweep(*asked, **words)
    for name in whole.table:
        np.testing.assert_array_equal(whole[name], in_memory[name])
    parts = sorted((tmp_path / "whole").glob("part-*.parquet"))
    assert len(parts) == -(-55 // (4000 // 42))
    monkeypatch.setattr(plan, "_CHUNK", 400)  # 9 cases a chunk
    m.sweep(*asked, **words, out=tmp_path / "cut")
    parts = sorted((tmp_path / "cut").glob("part-*.parquet"))
    assert len(parts) == 7
    parts[2].unlink()
    parts[4].write_bytes(parts[4].read_bytes()[:100])
    kept = {p: p.stat().st_mtime_ns for p in (parts[0], parts[6])}
    with pytest.raises(da.ModelError, match="is damaged"):
        da.Sweep.load(tmp_path / "cut")
    with pytest.raises(da.ModelError, match="holds a sweep already"):
        m.sweep(*asked, **words, out=tmp_path / "cut")
    again = m.sweep(*asked, **words, out=tmp_path / "cut", resume=True)
    assert "a second" in str(again)
    assert "a second" not in str(m.sweep(*asked, **words, out=tmp_path / "cut", resume=True))  # nothing was computed
    for name in whole.table:
        np.testing.assert_array_equal(again[name], whole[name])
    assert all(p.stat().st_mtime_ns == t for p, t in kept.items())
    loaded = da.Sweep.load(tmp_path / "cut")
    assert (loaded.varied, loaded.measures) == (whole.varied, whole.measures)
    m.gravity = [0, 0, -1.62]
    with pytest.raises(da.ModelError, match="another machine or question"):
        m.sweep(*asked, **words, out=tmp_path / "cut", resume=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("dear")
    with pytest.raises(da.ModelError, match="not empty"):
        pendulum().sweep(*asked, **words, out=tmp_path / "other")


def test_a_bit_that_a_disk_turns_is_noticed(tmp_path):
    """Anywhere in a file that may still open: loading tells the same numbers or refuses, resuming makes them again."""
    pytest.importorskip("pyarrow")
    m, place, rng = pendulum(), tmp_path / "sweep", np.random.default_rng(3)
    asked = {"vary": {"m": "uniform(1, 2)"}, "measures": ["max(pivot.th')"], "keep": ["pivot.th"], "samples": 30}
    whole = m.sweep((0, 0.1), **asked, instants=7, out=place)
    (part,) = place.glob("part-*.parquet")
    right, refused = part.read_bytes(), list[bool]()
    column = right.index(b"pivot.th (t)") if b"pivot.th (t)" in right else 0
    for k in [column, *rng.integers(len(right), size=80)]:
        part.write_bytes(right[:k] + bytes([right[k] ^ 1 << rng.integers(8)]) + right[k + 1 :])
        try:
            found = da.Sweep.load(place)
        except da.ModelError as error:
            refused.append("is damaged" in str(error))
        else:
            assert all(np.array_equal(found[name], whole[name]) for name in whole.table)
    assert all(refused)
    assert len(refused) > 40  # the numbers are more than half of the file
    middle = len(right) // 3
    part.write_bytes(right[:middle] + bytes([right[middle] ^ 255]) + right[middle + 1 :])
    m.sweep((0, 0.1), **asked, instants=7, out=place, resume=True)
    assert part.read_bytes() == right


def test_courses_are_kept_on_request(tmp_path, monkeypatch):
    """Those of single motions, in memory, on disk and after a resumption; NaN after an event has ended a motion."""
    pytest.importorskip("pyarrow")
    from dalembert.sweep import plan

    monkeypatch.setattr(plan, "_CHUNK", 400)
    m = pendulum()
    asked = ((0, 1), {"pivot.th": "0.2:1:20"}, ["final(t)"])
    words = {"instants": 21, "keep": ["pivot.th'", "l*cos(pivot.th)"], "events": "pivot.th"}
    sw = m.sweep(*asked, **words)
    assert sw.measures == ("final(t)",)
    assert sw["pivot.th' (t)"].shape == (20, 21)
    k = 7
    mo = m.simulate((0, 1), start={"pivot.th": sw["pivot.th"][k]})
    before = sw.times < sw["final(t)"][k]
    np.testing.assert_allclose(sw["pivot.th' (t)"][k][before], mo.at(sw.times[before])["pivot.th'"], atol=1e-8)
    np.testing.assert_allclose(
        sw["l*cos(pivot.th) (t)"][k][before], np.cos(mo.at(sw.times[before])["pivot.th"]), atol=1e-8
    )
    assert np.isnan(sw["pivot.th' (t)"][k][~before]).all()
    m.sweep(*asked, **words, out=tmp_path / "kept")
    sorted((tmp_path / "kept").glob("part-*.parquet"))[1].unlink()
    again = m.sweep(*asked, **words, out=tmp_path / "kept", resume=True)
    loaded = da.Sweep.load(tmp_path / "kept")
    for other in (again, loaded):
        assert other.measures == sw.measures
        np.testing.assert_array_equal(other.times, sw.times)
        for name in sw.table:
            np.testing.assert_array_equal(other[name], sw[name])
    assert json.loads(json.dumps(loaded.as_dict()))["columns"]["pivot.th' (t)"][k][-1] is None
    with pytest.raises(da.ModelError, match="another machine or question"):
        m.sweep(*asked, **{**words, "keep": []}, out=tmp_path / "kept", resume=True)
    with pytest.raises(da.DalembertError, match=r"'pivot\.thh' is not a quantity"):
        m.sweep(*asked, **{**words, "keep": "pivot.thh"})


def test_a_full_disk_keeps_what_is_done(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    from dalembert.sweep import plan, store

    monkeypatch.setattr(plan, "_CHUNK", 400)
    real, calls = store.written_whole, []

    def full(path):
        calls.append(path)
        if len(calls) == 3:
            raise da.DalembertError("cannot write: No space left on device.")
        return real(path)

    monkeypatch.setattr(store, "written_whole", full)
    m, asked = pendulum(), ((0, 1), {"m": "1:2:55"}, "final(pivot.th)")
    with pytest.raises(da.ModelError, match="What is done is kept"):
        m.sweep(*asked, instants=21, out=tmp_path / "sweep")
    assert len(da.Sweep.load(tmp_path / "sweep")) == 2 * 9
    assert m.sweep(*asked, instants=21, out=tmp_path / "sweep", resume=True).complete


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"vary": {}}, "varies something"),
        ({"vary": {"mass": "1:2:3"}}, "'mass' is not a start or parameter"),
        ({"vary": {"m": "1:2"}}, "is not understood"),
        ({"vary": {"m": "1:2:0"}}, "is no grid"),
        ({"vary": {"m": "uniform(0,1)"}}, "say how often"),
        ({"vary": {"m": "loguniform(0,1)"}, "samples": 3}, "must be positive"),
        ({"samples": 3}, "every variable is a grid"),
        ({"vary": {"m": "uniform(1,2)"}, "samples": 3, "design": "hexagonal"}, "choose random"),
        ({"vary": {"m": "0:1:1000", "l": "0:1:1000", "pivot.th": "0:1:1000"}}, "cases; one sweep holds"),
        ({"measures": []}, "measures something"),
        ({"measures": "pivot.th"}, r"write final\(pivot.th\)"),
        ({"measures": "max(min(pivot.th))"}, "says nothing"),
        ({"measures": "max(pivot.th"}, "not closed"),
        ({"measures": "max(pivot.thh)"}, "'pivot.thh' is not a quantity"),
        ({"measures": "max(pivot.th)*pivot.th"}, "changes during a motion"),
        ({"measures": ["final(t)", "final(t)"]}, "two columns"),
        ({"resume": True}, "nothing to resume"),
        ({"vary": {"m": [1j]}}, "finite numbers"),
        ({"vary": {"m": [[1], [2, 3]]}}, "finite numbers"),
        ({"given": {"m": 3}}, "'m' varies, and has one value beside"),
        ({"vary": {"pivot.th": "0:1:3"}, "start": {"pivot.th": 3}}, "'pivot.th' varies, and has one value beside"),
    ],
)
def test_wrong_questions_get_sentences(words, message):
    asked = {"vary": {"m": "1:2:3"}, "measures": "final(pivot.th)", **words}
    with pytest.raises(da.DalembertError, match=message):
        pendulum().sweep((0, 1), asked.pop("vary"), asked.pop("measures"), **asked)
    with pytest.raises(da.DalembertError, match="has none"):
        pendulum().sweep((2, 2), {"m": "1:2:3"}, "final(pivot.th)")


def test_failing_cases_are_told_apart():
    """A mass that is negative in some cases is an error; a motion that fails alone is a row of NaN."""
    m = da.Mechanism("blow up")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x").with_efforts(x="k*x^3"), name="rail")
    m.given = {"k": 1}
    m.start = {"rail.x": 1}
    sw = m.sweep((0, 10), {"k": [-1.0, 1.0]}, "max(rail.x)")
    assert sw.failures == 1
    assert np.isnan(sw["max(rail.x)"]).tolist() == [False, True]
    assert "1 failed" in str(sw)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_sweep_loses_the_chunk_in_flight_only(tmp_path, blow):
    pytest.importorskip("pyarrow")
    place = tmp_path / "sweep"
    words = ["sweep", str(ROOT / "examples/double_pendulum.lsd"), "--vary", "elbow.th=uniform(-1,1)"]
    words += ["--samples", "60000", "--measure", "max(elbow.th)", "--until", "1", "--out", str(place)]
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # whoever started the tests may not
    running = subprocess.Popen([sys.executable, "-m", "dalembert", *words], stderr=subprocess.PIPE, text=True, **heard)
    while running.poll() is None and len(list(place.glob("part-*.parquet"))) < 2:
        time.sleep(0.02)
    running.send_signal(blow)
    said = running.communicate(timeout=120)[1]
    if blow == signal.SIGINT:
        assert running.returncode == 130, said
        assert "--resume" in said
    done = da.Sweep.load(place)
    assert 0 < len(done) < 60_000
    assert not list(place.glob(".*.tmp")) or blow == signal.SIGKILL
    again = subprocess.run(
        [sys.executable, "-m", "dalembert", *words, "--resume", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        env={**os.environ},
    )
    told = json.loads(again.stdout)
    assert told["done"] == told["cases"] == 60_000
    np.testing.assert_array_equal(told["columns"]["max(elbow.th)"][: len(done)], done["max(elbow.th)"])


def test_a_page_holds_the_summary_and_a_picture_of_every_measure(tmp_path) -> None:
    m = da.load(Path(__file__).parents[2] / "examples" / "pendulum.lsd")
    found = m.sweep((0, 0.5), {"l": "0.5:1:3"}, ["max(hinge.th)"], instants=11)
    text = found.page(tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert text.count("<svg") == 1
    assert "3 of 3 cases" in text
    assert "max(hinge.th)" in text
    assert "src=" not in text
    with pytest.raises(da.DalembertError, match="page"):
        found.page(tmp_path / "sweep.txt")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_cluster_whose_workers_are_killed_gives_the_same_bits_and_tells_what_they_were_told(tmp_path) -> None:
    """Both at once, after the first chunk: the plan that they held is sent again."""
    distributed = pytest.importorskip("distributed")
    m, place = da.load(ROOT / "examples/pendulum.lsd"), tmp_path / "far"
    asked = {"vary": {"l": "uniform(0.5, 2)"}, "measures": ["max(hinge.th)", "final(hinge.th')"], "samples": 900}
    asked |= {"start": {"hinge.th": 0.5}, "instants": 4001}
    here = m.sweep((0, 0.1), **asked)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "processes": True}
    with distributed.LocalCluster(**options) as workers:
        first = [one.pid for one in workers.workers.values()]

        def blow() -> None:
            while not list(place.glob("part-*.parquet")):
                time.sleep(0.01)
            for pid in first:
                os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=blow, daemon=True)
        killer.start()
        far = m.sweep((0, 0.1), **asked, cluster=workers.scheduler_address, threads=1, out=place)
        killer.join()
        with pytest.warns(UserWarning, match="2 instants do not tell"):
            m.sweep((0, 2), {"l": [0.5]}, "max(hinge.th)", instants=2, cluster=workers.scheduler_address)
    assert len(list(place.glob("part-*.parquet"))) > 1
    for name in here.table:
        assert np.array_equal(here[name], far[name], equal_nan=True), name


def test_a_worker_of_another_version_is_refused_and_a_scheduler_that_is_not_there_is_told(monkeypatch) -> None:
    distributed = pytest.importorskip("distributed")
    with pytest.raises(da.ModelError, match=r"worker of the cluster has dalembert .*, this is 0\.0"):
        _chunk("0.0", None, 0, None)

    def silent(*_: object) -> None:
        raise TimeoutError("timed out")

    monkeypatch.setattr(distributed, "Client", silent)
    with pytest.raises(da.ModelError, match="no scheduler of Dask answers"):
        pendulum().sweep((0, 1), {"l": [1.0]}, "final(pivot.th)", cluster="tcp://127.0.0.1:9")


def test_machines_whose_friction_sticks_are_swept_as_they_move():
    """All cases failed that come to rest: an ensemble knew no sticking of contacts that are kept."""
    m = da.Mechanism("block")
    rail, b = m.body("rail"), m.body("b", mass=1)
    m.join(da.earth, rail, da.prismatic("x"), name="s")
    m.join(rail, b, da.prismatic("z"), name="z")
    m.gravity, m.given = [0, 0, -10], {"F": 1.0}
    m.constrain("z.x = 0", by=da.coulomb(0.05, "s.x'"), name="grip")
    m.force(b, ["F*sign(sin(7*t))", 0, 0])
    forces, t = [0.4, 0.8, 1.5], np.linspace(0, 2, 401)
    sw = m.sweep((0, 2), {"F": forces}, ["final(s.x)", "max(s.x)"], instants=401, keep="s.x'")
    assert sw["status"].tolist() == [0, 0, 0]
    for k, force in enumerate(forces):
        mo = m.simulate((0, 2), given={"F": force}, t_eval=t, rtol=1e-8)
        assert sw["final(s.x)"][k] == pytest.approx(mo["s.x"][-1], abs=1e-12)
        assert sw["max(s.x)"][k] == pytest.approx(mo["s.x"].max(), abs=1e-5)
        np.testing.assert_allclose(sw["s.x' (t)"][k], mo["s.x'"], atol=1e-12)
    assert sw["final(s.x)"][0] == 0.0
