"""Two random convex surfaces roll on each other, by formulas or by parameters, through all formalisms and exits.

The oracle knows surfaces as formulas F = 0, finds their common normal by SciPy and the rate of the points on it by
differences, and solves a saddle point in NumPy: M a = f + G^T lambda, G a = gamma, where
G u = v1 + w1 x r1 - v2 - w2 x r2.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import write_program
from dalembert.dynamics.start import closed_start
from dalembert.formalisms import formalism_names
from dalembert.mechanism import Layout

G, END = 9.81, 0.2
KINDS = ("formula on formula", "patch on formula", "formula on patch", "patch on patch")


@dataclass(frozen=True)
class Shell:
    """A convex surface: quartic (x/a)^2 + (y/b)^2 + (z/c)^2 + k ((x/a)^4 + ...) = 1 + k, or an egg by parameters."""

    kind: str
    radii: tuple[float, float, float]
    bulge: float

    def shape(self, frame):
        a, b, c, k = *self.radii, self.bulge
        if self.kind == "patch":
            round_ = f"cos(v)*(1 + {k}*sin(v))"
            return da.Patch(frame, [f"{a}*cos(u)*{round_}", f"{b}*sin(u)*{round_}", f"{c}*sin(v)"])
        parts = (f"(x/{a})^2", f"(y/{b})^2", f"(z/{c})^2")
        return da.Surface(frame, f"{'+'.join(parts)} + {k}*({'+'.join(f'{x}^2' for x in parts)}) - {1 + k}")

    def slope(self, p):
        """F and its gradient."""
        a, b, c, k = *self.radii, self.bulge
        x, y, z = np.asarray(p) / self.radii
        if self.kind == "patch":
            value = x * x + y * y - (1 - z * z) * (1 + k * z) ** 2
            by_z = 2 * z * (1 + k * z) ** 2 - (1 - z * z) * 2 * k * (1 + k * z)
            return value, np.array([2 * x / a, 2 * y / b, by_z / c])
        squares = np.square([x, y, z])
        return squares.sum() + k * (squares**2).sum() - 1 - k, (2 + 4 * k * squares) * np.array([x, y, z]) / self.radii


@dataclass(frozen=True)
class Case:
    first: Shell
    second: Shell
    mass: float
    inertia: tuple[float, ...]
    other: float
    moment: float
    start: dict[str, float]


@functools.cache
def case(kind: str) -> Case:
    rng = np.random.default_rng(KINDS.index(kind) + 5)
    draw = lambda low, high: tuple(float(x) for x in rng.uniform(low, high, size=3))
    one, two = kind.split(" on ")
    first, second = Shell(one, draw(0.15, 0.25), 0.2), Shell(two, draw(0.8, 1.2), 0.15)
    # near the side of each patch: its poles are singular places of its own coordinates
    speeds = {f"f.{x}'": float(rng.normal()) for x in ("al", "be", "ga")} | {"t.th'": float(rng.normal())}
    place = {"f.y": 0.1, "f.z": 0.15, "f.al": 0.3, "f.be": -0.2, "f.ga": 0.4, "t.th": 0.2, "t.x": 0.05}
    return Case(first, second, 0.7, (0.02, 0.025, 0.03), 1.9, 0.4, place | speeds | {"t.x'": 0.3})


def machine(kind: str) -> da.Mechanism:
    """A free body on one that turns about z and slides along it."""
    it = case(kind)
    m = da.Mechanism("shells")
    carrier = m.body("carrier", mass=it.other, inertia=[it.moment] * 3)
    body = m.body("stone", mass=it.mass, inertia=list(it.inertia))
    m.join(da.earth, carrier, da.cylindrical("z").with_efforts(th="0.3", x="2 - 5*x"), name="t")
    m.join(da.earth, body, da.free("bryant", "space"), name="f")
    m.gravity = [-G, 0, 0]
    m.roll(it.first.shape(body), it.second.shape(carrier), name="r")
    m.start = {"f.x": 1.2}
    return m


def started(kind: str) -> da.Mechanism:
    """The same, where it touches and rolls from its start on."""
    m = machine(kind)
    m.start = closed(kind)
    return m


@functools.cache
def closed(kind: str) -> dict[str, float]:
    return dict(closed_start(Layout.of(machine(kind)), case(kind).start).values)


@functools.cache
def motion(kind: str):
    return started(kind).simulate((0, END), rtol=1e-11, atol=1e-13)


def pose(q):
    """Places and rotations of both bodies."""
    stone = Rotation.from_euler("XYZ", [q["f.al"], q["f.be"], q["f.ga"]])
    return (np.array([q["f.x"], q["f.y"], q["f.z"]]), stone), (
        np.array([0, 0, q["t.x"]]),
        Rotation.from_euler("z", q["t.th"]),
    )


def normal_pair(it: Case, poses, guess):
    """Points of both surfaces on their common normal, in space."""
    (x1, r1), (x2, r2) = poses

    def wrong(z):
        p1, p2 = z[:3], z[3:6]
        f1, n1 = it.first.slope(r1.inv().apply(p1 - x1))
        f2, n2 = it.second.slope(r2.inv().apply(p2 - x2))
        n1, n2 = r1.apply(n1), r2.apply(n2)
        n1, n2 = n1 / np.linalg.norm(n1), n2 / np.linalg.norm(n2)
        return [f1, f2, *(p1 - p2 - z[6] * n1), *(n1 + n2)]

    found = least_squares(wrong, [*guess, *guess, 0.0], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert np.abs(found.fun).max() < 1e-11
    return found.x[:3], found.x[3:6]


def by_hand(kind: str):
    """Accelerations (stone: places and spins in space; carrier: turn and slide) and the contact force."""
    it, mo = case(kind), motion(kind)
    at = lambda *names: np.array([mo[x][0] for x in names])
    q = {x: mo[x][0] for x in mo.names}
    v, w = at("stone.X'", "stone.Y'", "stone.Z'"), at("stone.WX", "stone.WY", "stone.WZ")
    turn, slide = at("t.th'", "t.x'")
    (x1, r1), (x2, r2) = pose(q)
    e3 = np.array([0, 0, 1.0])

    def points(t, guess):
        moved = (
            (x1 + v * t, Rotation.from_rotvec(w * t) * r1),
            (x2 + e3 * slide * t, Rotation.from_rotvec(e3 * turn * t) * r2),
        )
        p1, p2 = normal_pair(it, moved, guess)
        return p1 - moved[0][0], p2 - moved[1][0]

    names = ("r_contact.x", "r_contact.y", "r_contact.z")
    known = names[0] in mo.names  # parameters of a patch are not asked: from the middle a search finds it
    here = points(0.0, x1 + r1.apply([mo[x][0] for x in names]) if known else x1 + 0.18 * (x2 - x1))
    guess = x1 + here[0]
    h = 2e-3
    steps = {k: points(k * h, guess) for k in (-2, -1, 1, 2)}
    rates = [(steps[-2][i] - 8 * steps[-1][i] + 8 * steps[1][i] - steps[2][i]) / (12 * h) for i in (0, 1)]
    a1, a2 = here
    skew = lambda r: np.array([np.cross(e, r) for e in np.eye(3)]).T
    # speeds: v, w, turn, slide
    rows = np.hstack([np.eye(3), skew(a1), -np.cross(e3, a2)[:, None], -e3[:, None]])
    u = np.array([*v, *w, turn, slide])
    assert rows @ u == pytest.approx(0, abs=1e-9)
    gamma = -(np.cross(w, rates[0]) - turn * np.cross(e3, rates[1]))
    moment = r1.as_matrix() @ np.diag(it.inertia) @ r1.as_matrix().T
    M = np.zeros((8, 8))
    M[:3, :3], M[3:6, 3:6], M[6, 6], M[7, 7] = it.mass * np.eye(3), moment, it.moment, it.other
    f = [-it.mass * G, 0, 0, *(-np.cross(w, moment @ w)), 0.3, 2 - 5 * q["t.x"]]
    solved = np.linalg.solve(np.block([[M, -rows.T], [rows, np.zeros((3, 3))]]), [*f, *gamma])
    return solved[:8], np.linalg.norm(solved[8:])


@pytest.mark.parametrize("kind", KINDS)
def test_accelerations_and_force_are_those_of_the_saddle_point(kind):
    mo = motion(kind)
    wanted, force = by_hand(kind)
    told = lambda *names: np.array([mo[x][0] for x in names])
    size = np.abs(wanted).max()
    assert told("f.x''", "f.y''", "f.z''") == pytest.approx(wanted[:3], abs=1e-8 * size)
    assert told("t.th''", "t.x''") == pytest.approx(wanted[6:], abs=1e-8 * size)
    assert np.linalg.norm(told("r_contact.lambda", "r.lambda1", "r.lambda2")) == pytest.approx(force, rel=1e-8)
    energy = mo.energy()
    assert np.abs(energy - energy[0] - mo.work()).max() < 1e-8
    assert mo.quality.closure < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["formula on formula", "patch on patch"])
def test_every_formalism_and_the_compiled_code_agree(kind):
    m, mo = started(kind), motion(kind)
    now = {x: float(mo[x][0]) for x in mo.names}
    f = m.compile()
    wanted = np.asarray(f.acceleration([now[x] for x in f.coordinates], [now[x] for x in f.speeds], 0.0))
    state = {ex.symbol(x): v for x, v in now.items()}
    for formalism in formalism_names():
        found = np.array(ex.evaluate(list(m.equations(formalism).accelerations), state), dtype=float)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="gcc or make is not installed")
@pytest.mark.parametrize("kind", ["formula on patch"])
def test_the_c_program_makes_the_same_motion(kind, tmp_path: Path):
    mo = motion(kind)
    files = write_program(started(kind), "c", {"t_end": END, "t_step": END, "rtol": 1e-11, "atol": 1e-13})
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    subprocess.run(["make", "motion"], cwd=tmp_path, capture_output=True, check=True, timeout=120)
    subprocess.run(["./motion"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    table = np.genfromtxt(tmp_path / "output.csv", delimiter=",", names=True, deletechars="")
    for x, wanted in zip(mo.names, mo.y[:, -1], strict=True):
        assert table[x][-1] == pytest.approx(wanted, rel=1e-7, abs=1e-8)
