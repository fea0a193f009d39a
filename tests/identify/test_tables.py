"""Tables of measurements: with rates or without, in Python and on the command line."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app
from dalembert.identify.driven import Driven
from measured_machines import four_bar, two_bars


def path_of(count, step):
    t = step * np.arange(count)
    w = np.array([2.1, 3.3])
    s = [0.8 * np.sin(w * x) + 0.4 * np.sin(1.7 * w * x) for x in t]
    v = [0.8 * w * np.cos(w * x) + 0.68 * w * np.cos(1.7 * w * x) for x in t]
    a = [-0.8 * w**2 * np.sin(w * x) - 0.4 * (1.7 * w) ** 2 * np.sin(1.7 * w * x) for x in t]
    return t, np.array(s), np.array(v), np.array(a)


def table_of(m, count=4000, step=0.005, noise=0.0, rates=False):
    t, q, u, udot = path_of(count, step)
    rng = np.random.default_rng(0)
    efforts = np.asarray(m.compile().inverse_dynamics(q, u, udot)) + noise * rng.standard_normal(q.shape)
    table = {"t": t, "p.th": q[:, 0], "q.th": q[:, 1], "effort.p.th": efforts[:, 0], "effort.q.th": efforts[:, 1]}
    if rates:
        table |= {f"{x}.th{prime}": y[:, k] for k, x in enumerate("pq") for prime, y in (("'", u), ("''", udot))}
    else:
        for name in ("p.th", "q.th"):
            table[name] = table[name] + noise * 1e-3 * rng.standard_normal(count)
    return table


def test_positions_and_efforts_are_enough_with_a_low_pass():
    m = two_bars()
    base = m.base_parameters()
    true = base.values(base.regressor.theta())
    exact = base.identify_table(table_of(m, rates=True), physical=False)
    np.testing.assert_allclose(exact.values, true, atol=1e-9)
    clean = base.identify_table(table_of(m), cutoff=8.0, physical=False)
    np.testing.assert_allclose(clean.values, true, atol=3e-3 * np.abs(true).max())
    noisy = base.identify_table(table_of(m, noise=0.1), cutoff=8.0, physical=False)
    assert np.abs(noisy.values - true).max() < 0.02 * np.abs(true).max()


def test_one_position_of_a_loop_is_enough():
    m = four_bar()
    base = m.base_parameters()
    t = np.linspace(0, 6, 40)[:, None]
    w = np.array([1.0, 2.3, 3.1])
    s, v = (0.3 * np.sin(w * t)).sum(axis=1), (0.3 * w * np.cos(w * t)).sum(axis=1)
    a = (-0.3 * w**2 * np.sin(w * t)).sum(axis=1)
    way = Driven(m.layout(), {"A.th": None}).states(s[:, None] + np.pi / 2, v[:, None], a[:, None])
    needed = m.needed_efforts(way.q, way.u, way.udot, by=["A.th"])
    table = {"A.th": s + np.pi / 2, "A.th'": v, "A.th''": a, "effort.A.th": needed.efforts["A.th"]}
    found = base.identify_table(table, physical=False)
    true = base.values(base.regressor.theta())
    np.testing.assert_allclose(found.values, true, atol=1e-8 * found.condition)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"elbow": np.zeros(4000)}, "nothing is called 'elbow'"),
        ({"effort.q.th": None}, "no column 'effort.q.th'"),
        ({"t": None}, "cutoff"),
        ({"t": np.linspace(0, 1, 4000) ** 2}, "not even"),
        ({"p.th": np.full(4000, np.nan)}, "finite"),
    ],
)
def test_faults_of_tables_are_told(change, word):
    m = two_bars()
    table = {k: v for k, v in {**table_of(m), **change}.items() if v is not None}
    with pytest.raises(da.DalembertError, match=word):
        m.base_parameters().identify_table(table, cutoff=8.0)
    with pytest.raises(da.DalembertError, match="half the rate"):
        m.base_parameters().identify_table(table_of(m), cutoff=1000.0)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_command_tells_excites_and_identifies(tmp_path):
    run = CliRunner().invoke
    machine, data, motion = (tmp_path / name for name in ("m.lsd", "data.csv", "motion.csv"))
    m = two_bars()
    machine.write_text(m.to_lsd())
    assert "can be told apart" in run(app, ["identify", str(machine)]).output
    limits = ["--limit", "p.th=-1:1", "--limit", "q.th=-2:2"]
    made = run(app, ["identify", str(machine), "--excite", "5", *limits, "-o", str(motion)])
    assert "condition" in made.output
    assert motion.read_text().startswith("t,p.th,q.th,")
    table = table_of(m)
    with data.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(table)
        rows.writerows(zip(*table.values(), strict=True))
    found = run(app, ["identify", str(machine), str(data), "--cutoff", "8"])
    assert found.exit_code == 0
    assert "b.Izz" in found.output
    assert run(app, ["identify", str(machine), "--excite", "5", "--limit", "p.th=1"]).exit_code == 2


def loud(step, noise):
    """Noise of which each sample keeps a part of the one before."""
    x = np.zeros_like(noise)
    for k in range(1, len(x)):
        x[k] = step * x[k - 1] + noise[k]
    return x


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda q, e, noise: (q, e + noise), None),
        (lambda q, e, noise: (q, e + loud(0.7, noise)), "alike from sample to sample"),
        (lambda q, e, noise: (q, e + 3 * np.sign(q[1]) + noise), "friction, a delay, units"),
        (lambda q, e, noise: (np.degrees(q), e), "of the efforts: are angles in radians"),
        (lambda q, e, noise: (q, 100 * e + noise), " times those of the description"),
    ],
)
def test_what_is_left_is_told_where_it_is_no_noise(changed, said):
    """Deviations were stated as if all were well."""
    m = two_bars()
    q = np.array(path_of(400, 0.02)[1:])
    efforts = np.asarray(m.compile().inverse_dynamics(*q))
    noise = np.random.default_rng(3).standard_normal(efforts.shape) * 0.01 * np.abs(efforts).max()
    (q, u, udot), measured = changed(q, efforts, noise)
    found = m.base_parameters().identify(q, u, udot, measured, physical=False)
    assert any(said in x for x in found.doubts) if said else not found.doubts
    assert all(x in str(found) for x in found.doubts)


def test_masses_without_numbers_are_identified_too():
    m = da.Mechanism("letters")
    m.gravity = [0, 0, -9.81]
    m.join(da.earth, m.body("p", mass="mu", centre=[0, 0, "-a"], inertia=["I", "I", 0]), da.revolute("y"), name="p")
    base = m.base_parameters({"a": 0.5})
    q = np.linspace(-1, 1, 30)[:, None]
    found = base.identify(q, 0 * q, 0 * q + 1, 2 + 3 * np.sin(q), physical=False, given={"a": 0.5})
    np.testing.assert_allclose(found.values, [0, -3 / 9.81, 2], atol=1e-12)
