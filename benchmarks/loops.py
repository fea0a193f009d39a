"""Loops beside their peers: verdicts and deployment of growing antennas, long motions against Exudyn and MuJoCo.

python benchmarks/loops.py antenna 1 2 4      verdict, one deployment, growth exponents
python benchmarks/loops.py motions            Bricard and a row of four-bars over ten seconds, peers in the same run
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import numpy as np

import dalembert as da
from dalembert import loops
from dalembert.loops.local import local_dimension
from dalembert.mechanism import Layout, earth, revolute
from dalembert.simulate import simulate
from dalembert.simulate.motion.quality import closure_of

FOLDER = Path(__file__).parents[1] / "examples" / "loops"
GRAVITY = 9.81


def families() -> Any:
    spec = importlib.util.spec_from_file_location("families", FOLDER / "families.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- antennas -----------------------------------------------------------------------------------------------------


def antenna(sizes: list[int]) -> None:
    """Verdict and deployment of N x N cells: elbows driven open by damped springs."""
    rows = []
    for size in sizes:
        m = families().antenna_grid(size, 1.2, "-2*(th + 0.6) - th'")
        clock = time.process_time()
        linkage = loops.build_linkage(Layout.of(m))
        closing = loops.Closing(linkage)
        independent = loops.independent_loops(linkage)
        local = local_dimension(closing, loops.assemble(linkage), independent)
        judged = time.process_time() - clock
        elbow = next(name for name in linkage.variables if name.startswith("b"))
        clock = time.process_time()
        motion = simulate(m, (0, 3), t_eval=np.linspace(0, 3, 13), rtol=1e-6, atol=1e-9)
        moved = time.process_time() - clock
        free = simulate(families().antenna_grid(size, 1.2, "-2*(th + 2)"), (0, 1), rtol=1e-9, atol=1e-11)
        drift = free.quality.energy  # in parts of the largest energy exchanged
        span = [2 * math.cos(motion[elbow][k] / 2) for k in (0, -1)]
        rows.append((len(linkage.chains), judged, moved))
        print(
            f"N = {size}: {len(linkage.chains)} joints, {len(linkage.cuts)} loops, dof {local.lower}..{local.upper}, "
            f"instantaneous {local.tangent.mobility}, verdict {judged:.2f} s CPU, deployment {moved:.2f} s CPU "
            f"({motion.nfev} evaluations), arm span {span[0]:.3f} -> {span[1]:.3f}, closure "
            f"{closure_of(motion):.1e}; undamped: energy {drift:.1e}, closure {closure_of(free):.1e}",
            flush=True,
        )
    for (a, v1, d1), (b, v2, d2) in itertools.pairwise(rows):
        grown = math.log(b / a)
        verdict, deployment = math.log(v2 / v1) / grown, math.log(d2 / d1) / grown
        print(f"from {a} to {b} joints: exponent of the verdict {verdict:.2f}, of the deployment {deployment:.2f}")


# --- long motions -------------------------------------------------------------------------------------------------


def redrawn(m: Any, at: dict[str, float]) -> tuple[Any, list[tuple[str, str, str, Any, Any]], dict[str, Any]]:
    """The same hinged linkage drawn in a closed posture: all frames are earth's, all angles zero there."""
    linkage = loops.build_linkage(Layout.of(m))
    closing = loops.Closing(linkage)
    frames = closing.frames(linkage.start(at))
    rotation, origin = closing.positions.body_frames(frames)
    number = {b.name: i for i, b in enumerate(linkage.layout.bodies)}
    constants = closing.positions.arithmetic.constants
    fresh = da.Mechanism(m.name)
    fresh.gravity = m.gravity
    bodies, masses = {"earth": earth}, {}
    for name, body in m.bodies.items():
        if name == "earth":
            continue
        i = number[name]
        centre = origin[i] + rotation[i] @ np.array(constants(body.centre, m.given))
        own = np.array([constants(row, m.given) for row in body.inertia.matrix])
        turned = rotation[i] @ own @ rotation[i].T
        turned = (turned + turned.T) / 2
        mass = float(constants([body.mass], m.given)[0])
        bodies[name] = fresh.body(name, mass=mass, centre=list(centre), inertia=turned.tolist())
        masses[name] = (mass, centre, turned)
    pins = []
    for link in m.links.values():
        i = number[link.first.body]
        frame = rotation[i] @ np.array([constants(row, m.given) for row in link.first.displacement.matrix])
        point = origin[i] + rotation[i] @ np.array(constants(link.first.displacement.translation, m.given))
        axis = frame @ np.array(constants(link.joint.steps[0].displacement.turns[0].axis, m.given))
        fresh.join(
            bodies[link.first.body].at(list(point)),
            bodies[link.second.body].at(list(point)),
            revolute(list(axis)),
            name=link.name,
        )
        pins.append((link.name, link.first.body, link.second.body, point, axis))
    return fresh, pins, masses


def ours(m: Any, speed: dict[str, float], until: float) -> tuple[float, float, float]:
    clock = time.perf_counter()
    motion = m.simulate((0, until), start=speed, t_eval=np.linspace(0, until, 201), rtol=1e-11, atol=1e-12)
    wall = time.perf_counter() - clock
    linkage = loops.build_linkage(Layout.of(m))
    closing = loops.Closing(linkage)
    names = [*linkage.variables]
    gap = max(closing.gap([motion[n][k] for n in names]) for k in range(0, 201, 10))
    energy = np.asarray(motion.energy())
    return wall, gap, float(np.abs(energy - energy[0]).max() / max(1.0, np.abs(energy).max()))


def mujoco(
    m: Any, pins: Any, masses: Any, speed: dict[str, float], until: float, step: float
) -> tuple[float, float, float]:
    import mujoco as mj

    layout = Layout.of(m)
    children: dict[str, list[Any]] = {}
    pin = {name: (a, b, p, n) for name, a, b, p, n in pins}
    for one in layout.tree:
        children.setdefault(layout.bodies[one.parent].name, []).append(one)

    def text(v: Any) -> str:
        return " ".join(f"{float(c):.17g}" for c in v)

    def tree(name: str) -> str:
        found = ""
        for one in children.get(name, []):
            child = layout.bodies[one.child].name
            _, _, point, axis = pin[one.link.name]
            mass, centre, inertia = masses[child]
            six = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
            sense = -1.0 if one.reversed else 1.0
            found += f'<body name="{child}"><inertial pos="{text(centre)}" mass="{mass}" fullinertia="{text(six)}"/>'
            found += f'<joint name="{one.link.name}" type="hinge" pos="{text(point)}" axis="{text(sense * axis)}"/>'
            found += tree(child) + "</body>"
        return found

    closing = ""
    for cut in layout.cuts:
        a, b, point, axis = pin[cut.link.name]
        for place in (point, point + 0.2 * axis):
            first, second = (a, b) if a != "earth" else (b, a)
            other = f'body2="{second}"' if second != "earth" else ""
            stiff = f'solref="{2.5 * step} 1" solimp="0.9999 0.9999 0.001"'
            closing += f'<connect body1="{first}" {other} anchor="{text(place)}" {stiff}/>'
    gravity = text([float(g.value) for g in m.gravity])
    xml = (
        f'<mujoco><option timestep="{step}" integrator="RK4" gravity="{gravity}" tolerance="1e-15" iterations="200"/>'
        f"<worldbody>{tree('earth')}</worldbody><equality>{closing}</equality></mujoco>"
    )
    model = mj.MjModel.from_xml_string(xml.replace("<mujoco>", '<mujoco><compiler balanceinertia="true"/>'))
    model.opt.enableflags |= mj.mjtEnableBit.mjENBL_ENERGY
    data = mj.MjData(model)
    linkage = loops.build_linkage(layout)
    psi = loops.parametrise(linkage, loops.assemble(linkage)).psi()
    wanted = {k.rstrip("'"): v for k, v in speed.items()}
    rows = [linkage.variables.index(f"{k}") for k in wanted]
    rates = (
        psi @ np.linalg.lstsq(psi[rows], np.array(list(wanted.values())), rcond=None)[0]
        if rows
        else np.zeros(linkage.size)
    )
    for j in range(model.njnt):
        data.qvel[j] = rates[linkage.variables.index(model.joint(j).name + ".th")]
    mj.mj_forward(model, data)
    first, gap, drift, size = sum(data.energy), 0.0, 0.0, 1.0
    clock = time.perf_counter()
    for _ in range(round(until / step)):
        mj.mj_step(model, data)
        gap = max(gap, float(np.abs(data.efc_pos[: data.ne]).max()))
        drift, size = max(drift, abs(sum(data.energy) - first)), max(size, abs(sum(data.energy)))
    return time.perf_counter() - clock, gap, drift / size


def exudyn(
    m: Any, pins: Any, masses: Any, speed: dict[str, float], until: float, step: float
) -> tuple[float, float, float]:
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    system = exu.SystemContainer()
    mbs = system.AddSystem()
    start = m.simulate((0, 0), start=speed)

    def told(*names: str) -> Any:
        return np.array([start[name][0] for name in names])

    gravity = [float(g.value) for g in m.gravity]
    made = {"earth": mbs.CreateGround()}
    for name, (mass, centre, inertia) in masses.items():
        origin, spin = told(*(f"{name}.{x}'" for x in "XYZ")), told(*(f"{name}.W{x}" for x in "XYZ"))
        made[name] = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass, np.array(inertia)),
            referencePosition=list(centre),
            initialVelocity=list(origin + np.cross(spin, centre)),
            initialAngularVelocity=list(spin),
            gravity=gravity,
        )
    for name, a, b, point, axis in pins:
        mbs.CreateRevoluteJoint(
            name=name, bodyNumbers=[made[a], made[b]], position=list(point), axis=list(axis), useGlobalFrame=True
        )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(until / step)
    settings.timeIntegration.endTime = until
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.minimumStepSize = 1e-5  # rather fail than creep
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9  # 1 does not get through with redundant rows
    settings.timeIntegration.generalizedAlpha.computeInitialAccelerations = False
    settings.linearSolverType = exu.LinearSolverType.EigenDense
    settings.linearSolverSettings.ignoreSingularJacobian = True
    clock = time.perf_counter()
    mbs.SolveDynamic(settings)
    wall = time.perf_counter() - clock

    def body(name: str, kind: Any) -> Any:
        return np.array(mbs.GetObjectOutputBody(made[name], kind, [0, 0, 0], exu.ConfigurationType.Current))

    kinetic = potential = 0.0
    for name, (mass, _, inertia) in masses.items():
        v, w = body(name, exu.OutputVariableType.Velocity), body(name, exu.OutputVariableType.AngularVelocityLocal)
        kinetic += 0.5 * mass * v @ v + 0.5 * w @ np.array(inertia) @ w
        potential -= mass * np.array(gravity) @ body(name, exu.OutputVariableType.Position)
    first = float(start.energy()[0])
    gap = 0.0
    for _, a, b, point, _ in pins:
        ends = []
        for name in (a, b):
            if name == "earth":
                ends.append(np.array(point))
            else:
                local = np.array(point) - masses[name][1]
                ends.append(
                    np.array(
                        mbs.GetObjectOutputBody(
                            made[name], exu.OutputVariableType.Position, list(local), exu.ConfigurationType.Current
                        )
                    )
                )
        gap = max(gap, float(np.abs(ends[0] - ends[1]).max()))
    return wall, gap, abs(kinetic + potential - first) / max(1.0, abs(first))


def motions(until: float = 10.0) -> None:
    """Closure error, relative energy drift and wall time over ten seconds without damping."""
    f = families()
    bricard = f.bricard()
    bricard.gravity = [0, 0, -GRAVITY]
    linkage = loops.build_linkage(Layout.of(bricard))
    posture = linkage.coordinates(loops.assemble(linkage))
    row = f.n_four_bar(5, upright=True)
    row.gravity = [0, -GRAVITY, 0]
    cases = [("Bricard", redrawn(bricard, posture), {}), ("5 four-bars", redrawn(row, {}), {"earth_c0.th'": -1.0})]
    for name, (m, pins, masses), speed in cases:
        runs = {
            "dalembert (compiled)": lambda m=m, s=speed: ours(m, s, until),
            "MuJoCo RK4 1 ms, hardened": lambda m=m, p=pins, b=masses, s=speed: mujoco(m, p, b, s, until, 1e-3),
            "Exudyn generalised alpha 1 ms": lambda m=m, p=pins, b=masses, s=speed: exudyn(m, p, b, s, until, 1e-3),
        }
        for tool, run in runs.items():
            try:
                wall, gap, drift = run()
                print(f"{name:12} {tool:44} closure {gap:8.1e}  energy {drift:8.1e}  wall {wall:7.2f} s", flush=True)
            except Exception as error:  # a peer that fails is a result, not a crash
                print(f"{name:12} {tool:44} failed: {type(error).__name__}: {str(error)[:90]}", flush=True)


if __name__ == "__main__":
    what, *sizes = sys.argv[1:] or ["motions"]
    if what == "antenna":
        antenna([int(n) for n in sizes] or [1, 2, 4])
    else:
        motions(float(sizes[0]) if sizes else 10.0)
