"""Spheres that settle in a box, and a stack of ten boxes: ours beside MuJoCo, in one run, from one start.

    python benchmarks/contact.py [--spheres 100 1000 3000] [--seconds 2] [--patience 120]

Contacts per second are those that push, summed over the steps, by the processor seconds of the steps (one thread):
building a model is told apart. `growth` is the exponent k of seconds = c n^k between the smallest and the largest heap.
Penetration is the least gap of the whole run and at its end; creep is how far the centres go in the last tenth of the
run. A peer that has not ended after `patience` seconds is judged by the steps that it has made.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).with_name("native")))

from peers import optional

import dalembert as da
from dalembert.contact.crowd.crowd import TOLD
from dalembert.mechanism import Layout
from dalembert.simulate import MoreauJean
from dalembert.simulate.contact.crowd import CrowdModel

RADIUS, DENSITY, FRICTION, STEP, GRAVITY = 0.1, 1000.0, 0.5, 2e-3, 9.81
MASS = DENSITY * 4 / 3 * np.pi * RADIUS**3
SIDE = 0.2
"""Of a box of the stack, with the density of the spheres."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where bodies start: balls in a box of half width `wide`, or a stack of boxes (`wide` 0)."""

    name: str
    places: np.ndarray
    wide: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one program did with one scene."""

    scene: str
    program: str
    built: float
    steps: int
    seconds: float
    contacts: float
    rate: float
    deepest: float
    at_end: float
    energy: float
    creep: float


def spheres(count: int) -> Scene:
    """Layers of a loose grid, each place moved at random, in a box about as wide as the heap becomes high."""
    rng = np.random.default_rng(count)
    across = max(2, round((count / 1.5) ** (1 / 3)))
    apart = 2.3 * RADIUS
    k = np.arange(count)
    grid = np.stack([k % across, k // across % across, k // across**2], axis=1).astype(float)
    grid[:, :2] -= (across - 1) / 2
    places = apart * grid + rng.uniform(-0.1, 0.1, size=(count, 3)) * RADIUS
    places[:, 2] += 1.2 * RADIUS
    return Scene(f"{count} spheres", places, apart * across / 2 + 0.1 * RADIUS)


def stack(count: int = 10) -> Scene:
    return Scene(f"{count} boxes", np.array([[0.0, 0.0, SIDE * (k + 0.5)] for k in range(count)]), 0.0)


def energy(x: np.ndarray, v: np.ndarray, mass: float, moment: float) -> float:
    """Kinetic and potential energy in joule, from the floor."""
    return float(mass * (v[:, :3] ** 2).sum() / 2 + moment * (v[:, 3:] ** 2).sum() / 2 + mass * GRAVITY * x[:, 2].sum())


def body_of(scene: Scene) -> tuple[float, float]:
    """Mass and moment of inertia of each body."""
    if scene.wide:
        return MASS, 0.4 * MASS * RADIUS**2
    return DENSITY * SIDE**3, DENSITY * SIDE**5 / 6


def mechanism(scene: Scene) -> da.Mechanism:
    m = da.Mechanism("heap")
    m.gravity = [0, 0, -GRAVITY]
    mass, moment = body_of(scene)
    made: list[Any] = []
    for k, (x, y, z) in enumerate(scene.places):
        body = m.body(f"b{k}", mass=mass, inertia=[moment] * 3)
        m.join(da.earth, body, da.free("quaternion"), name=f"f{k}")
        m.start |= {f"f{k}.x": x, f"f{k}.y": y, f"f{k}.z": z}
        made.append(da.Sphere(body, RADIUS) if scene.wide else da.Box(body, [SIDE] * 3))
    made.append(da.Plane(da.earth))
    if scene.wide:
        for axis, angle, place in (
            ("y", np.pi / 2, [-scene.wide, 0, 0]),
            ("y", -np.pi / 2, [scene.wide, 0, 0]),
            ("x", -np.pi / 2, [0, -scene.wide, 0]),
            ("x", np.pi / 2, [0, scene.wide, 0]),
        ):
            made.append(da.Plane(da.earth.at(place, da.turn(angle, axis))))
    m.contact(made, friction=FRICTION, name="grains")
    return m


def ours(scene: Scene, seconds: float, method: MoreauJean) -> Row:
    began = time.process_time()
    m = mechanism(scene)
    layout = Layout.of(m.freeze())
    names = (*layout.state.coordinates, *layout.state.speeds)
    start = {group[0]: 1.0 for group in layout.state.quaternions} | m.start
    held = CrowdModel.of(layout, {}, np.array([float(start.get(name, 0.0)) for name in names]))
    held.check_start()
    built, crowd = time.process_time() - began, held.crowd
    steps = round(seconds / STEP)
    late, spent, tables = steps - steps // 10, 0.0, []
    rest = crowd.bodies.x[:-1].copy()
    for some in (late, steps - late):
        rest = crowd.bodies.x[:-1].copy()
        began = time.process_time()
        tables.append(crowd.go(some, STEP, method.accuracy, method.sweeps))
        spent += time.process_time() - began
    told = np.concatenate(tables)
    pushing, gap = told[:, TOLD.index("pushing")], told[:, TOLD.index("gap")]
    x, v = crowd.bodies.x[:-1], crowd.bodies.v[:-1]
    return Row(
        scene.name, "dalembert", built, steps, spent, pushing[-1], pushing.sum() / spent,
        min(gap.min(), 0.0), min(gap[-1], 0.0), energy(x, v, *body_of(scene)), float(np.abs(x - rest).max()),
    )  # fmt: skip


def mujoco_text(scene: Scene, solver: str) -> str:
    mass, moment = body_of(scene)
    if scene.wide:
        geom = f'<geom type="sphere" size="{RADIUS}"/>'
    else:
        geom = f'<geom type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}"/>'
    inertial = f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{moment!r} {moment!r} {moment!r}"/>'
    bodies = "".join(
        f'<body pos="{x!r} {y!r} {z!r}"><freejoint/>{inertial}{geom}</body>' for x, y, z in scene.places.tolist()
    )
    wide = scene.wide
    walls = (
        ""
        if not wide
        else "".join(
            f'<geom type="plane" size="0 0 1" pos="{p}" zaxis="{z}"/>'
            for p, z in (
                (f"{-wide} 0 0", "1 0 0"),
                (f"{wide} 0 0", "-1 0 0"),
                (f"0 {-wide} 0", "0 1 0"),
                (f"0 {wide} 0", "0 -1 0"),
            )
        )
    )
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 {-GRAVITY}" solver="{solver}"/><size memory="2G"/>'
        f'<default><geom friction="{FRICTION} 0 0" condim="3"/></default>'
        f'<worldbody><geom type="plane" size="0 0 1"/>{walls}{bodies}</worldbody></mujoco>'
    )


def mujoco(scene: Scene, seconds: float, patience: float, solver: str) -> Row | None:
    mj = optional("mujoco")
    if mj is None:
        return None
    began = time.process_time()
    model = mj.MjModel.from_xml_string(mujoco_text(scene, solver))
    data = mj.MjData(model)
    built = time.process_time() - began
    steps = round(seconds / STEP)
    late, made, spent, pushed, deepest = steps - steps // 10, 0, 0.0, 0, 0.0
    rest = scene.places
    for made in range(1, steps + 1):
        if made == late:
            rest = data.qpos.reshape(-1, 7)[:, :3].copy()
        began = time.process_time()
        mj.mj_step(model, data)
        spent += time.process_time() - began
        pushed += data.ncon
        if data.ncon:
            deepest = min(deepest, float(data.contact.dist.min()))
        if spent > patience:
            break
    q, u = data.qpos.reshape(-1, 7), data.qvel.reshape(-1, 6)
    end = min(float(data.contact.dist.min()), 0.0) if data.ncon else 0.0
    creep = float(np.abs(q[:, :3] - rest).max()) if made == steps else float("nan")
    return Row(
        scene.name, f"MuJoCo {solver}", built, made, spent, data.ncon, pushed / spent,
        deepest, end, energy(q[:, :3], u, *body_of(scene)), creep,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spheres", type=int, nargs="*", default=[100, 1000, 3000])
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for one run of a peer")
    parser.add_argument("--solvers", nargs="*", default=["Newton", "CG", "PGS"], help="of MuJoCo")
    parser.add_argument("--sweeps", type=int, default=MoreauJean().sweeps)
    asked = parser.parse_args()
    began = time.process_time()
    ours(spheres(2), 0.01, MoreauJean())
    print(f"first use: {time.process_time() - began:.2f} s")
    rows: list[Row] = []
    for scene in (*map(spheres, asked.spheres), stack()):
        rows.append(ours(scene, asked.seconds, MoreauJean(sweeps=asked.sweeps)))
        show(rows[-1])
        for solver in asked.solvers:
            found = mujoco(scene, asked.seconds, asked.patience, solver)
            if found is not None:
                rows.append(found)
                show(found)
    for program in dict.fromkeys(row.program for row in rows):
        heaps = [
            (int(r.scene.split()[0]), r.seconds / r.steps) for r in rows if r.program == program and "sph" in r.scene
        ]
        if len(heaps) > 1:
            (n, s), (m, t) = heaps[0], heaps[-1]
            print(f"growth of {program}: seconds per step ~ n^{np.log(t / s) / np.log(m / n):.2f}")


def show(row: Row) -> None:
    print(
        f"{row.scene:13} {row.program:14} {row.steps:5d} steps {row.seconds:8.2f} s {row.contacts:6.0f} contacts "
        f"{row.rate:10.3g}/s  gap {row.deepest:9.1e} end {row.at_end:9.1e}  "
        f"E {row.energy:12.6g} creep {row.creep:8.1e}",
        flush=True,
    )


if __name__ == "__main__":
    main()
