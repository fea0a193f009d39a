"""Exudyn is given the same machine: trees in joint coordinates, loops by bodies in all their coordinates and joints."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from drawn import Drawing
from equations import Point, curve, optional
from machines import STEPS
from problems import Array, Case


def exudyn(case: Case) -> Iterator[Point]:
    """Trees in joint coordinates (explicit, adaptive; stiff ones implicit), loops by bodies and joints."""
    exu = optional("exudyn")
    if exu is None or not case.drawable:
        return
    drawing = Drawing(case)
    if drawing.cuts or case.stiff:
        build = exudyn_bodies if drawing.cuts else exudyn_tree
        yield from curve("Exudyn generalised alpha", case, STEPS, lambda h: exudyn_run(exu, drawing, build, h, None))
    else:
        tolerances = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
        yield from curve("Exudyn DOPRI5", case, tolerances, lambda t: exudyn_run(exu, drawing, exudyn_tree, None, t))


@dataclass(frozen=True)
class Ready:
    """An assembled machine of Exudyn; it is taken back to its start before each run."""

    exu: Any
    system: Any
    mbs: Any
    settings: Any
    solver: Any
    first: tuple[Any, Any]
    tell: Callable[[], Array]

    def __call__(self) -> Array:
        initial = self.exu.ConfigurationType.Initial
        self.mbs.systemData.SetODE2Coordinates(self.first[0], configuration=initial)
        self.mbs.systemData.SetODE2Coordinates_t(self.first[1], configuration=initial)
        try:
            self.mbs.SolveDynamic(self.settings, solverType=self.solver)
        except self.exu.SolverError:
            return self.tell() * np.nan
        return self.tell()


def exudyn_run(exu: Any, drawing: Drawing, build: Any, step: float | None, tolerance: float | None) -> Ready:
    """Assembled, outside of the time that counts; by steps of equal length, or by a tolerance."""
    settings = exu.SimulationSettings()
    clock = settings.timeIntegration
    clock.endTime, clock.verboseMode = drawing.case.seconds, 0
    settings.solutionSettings.writeSolutionToFile = False
    solver = exu.DynamicSolverType.DOPRI5
    if step is not None:
        clock.numberOfSteps = round(drawing.case.seconds / step)
        solver = exu.DynamicSolverType.GeneralizedAlpha
        clock.generalizedAlpha.spectralRadius = 0.9  # 1 does not get through with redundant rows
        clock.generalizedAlpha.computeInitialAccelerations = not drawing.cuts
        clock.minimumStepSize = step / 16  # rather fail than creep
        settings.linearSolverType = exu.LinearSolverType.EigenDense
        settings.linearSolverSettings.ignoreSingularJacobian = True
    else:
        clock.numberOfSteps = 100
        clock.explicitIntegration.dynamicSolverType = solver
        clock.relativeTolerance = clock.absoluteTolerance = tolerance
        clock.minimumStepSize, clock.initialStepSize = 1e-12, 1e-4
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    tell = build(exu, mbs, drawing)
    mbs.Assemble()
    first = (mbs.systemData.GetODE2Coordinates(), mbs.systemData.GetODE2Coordinates_t())
    return Ready(exu, system, mbs, settings, solver, first, tell)


def exudyn_steps(ready: Ready, count: int) -> float:
    """CPU seconds of so many steps of a millisecond; not a number where they fail."""
    ready.settings.timeIntegration.endTime = count * 1e-3
    ready.settings.timeIntegration.numberOfSteps = count
    began = time.process_time()
    done = np.isfinite(ready()[:1]).all()
    return time.process_time() - began if done else np.nan


def exudyn_tree(exu: Any, mbs: Any, drawing: Drawing) -> Callable[[], Array]:
    """Minimal coordinates: each joint about or along the z axis of a frame of its own."""
    from exudyn.robotics import Robot, RobotLink

    made = Robot(gravity=list(drawing.gravity), referenceConfiguration=[])
    numbers, frames, between, speeds = {"earth": -1}, {-1: np.eye(4)}, {}, []
    for k, one in enumerate(drawing.tree):
        parent = between.pop(one.child, None)
        parent = numbers[one.parent] if parent is None else parent
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = _along(one.axis), one.point
        mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        if one.last:
            solid = drawing.bodies[one.child]
            mass, centre = solid.mass, frame[:3, :3].T @ (solid.centre - one.point)
            inertia = frame[:3, :3].T @ solid.inertia @ frame[:3, :3]
            numbers[one.child] = k
        else:
            between[one.child] = k
        made.AddLink(
            RobotLink(
                mass=mass,
                COM=centre,
                inertia=inertia,
                parent=parent,
                preHT=np.linalg.inv(frames[parent]) @ frame,
                jointType="Rz" if one.hinge else "Pz",
                PDcontrol=one.spring,
            )
        )
        frames[k] = frame
        speeds.append(one.speed)
    made.referenceConfiguration = [0.0] * len(speeds)
    offsets = [-one.first for one in drawing.tree]
    tree = made.CreateKinematicTree(mbs)
    mbs.SetObjectParameter(tree["objectKinematicTree"], "jointPositionOffsetVector", offsets)
    mbs.SetNodeParameter(tree["nodeGeneric"], "initialCoordinates_t", speeds)
    names = [one.coordinate for one in drawing.tree]

    def tell() -> Array:
        q = np.atleast_1d(mbs.GetNodeOutput(tree["nodeGeneric"], exu.OutputVariableType.Coordinates))
        return drawing.state(dict(zip(names, q, strict=True)))

    return tell


def _along(axis: Array) -> Array:
    """A right-handed base whose third vector is the axis."""
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(side, axis)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def exudyn_bodies(exu: Any, mbs: Any, drawing: Drawing) -> Callable[[], Array]:
    """Bodies in all their coordinates, every joint a constraint."""
    from exudyn.utilities import RigidBodyInertia

    begun = drawing.case.begun
    made = {"earth": mbs.CreateGround()}
    for name, solid in drawing.bodies.items():
        spin = np.array([begun[f"{name}.W{x}"][0] for x in "XYZ"])
        velocity = np.array([begun[f"{name}.{x}'"][0] for x in "XYZ"])
        arm = solid.centre - drawing.frame(name)[1]
        made[name] = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(solid.mass, solid.inertia),
            referencePosition=list(solid.centre),
            initialVelocity=list(velocity + np.cross(spin, arm)),
            initialAngularVelocity=list(spin),
            gravity=list(drawing.gravity),
        )
    joints = [*drawing.tree, *drawing.cuts]
    for one in joints:
        make = mbs.CreateRevoluteJoint if one.hinge else mbs.CreatePrismaticJoint
        make(
            name=one.coordinate,
            bodyNumbers=[made[one.parent], made[one.child]],
            position=list(one.point),
            axis=list(one.axis),
            useGlobalFrame=True,
        )

    def turned(name: str) -> Array:
        if name == "earth":
            return np.eye(3)
        kind = exu.OutputVariableType.RotationMatrix
        return np.array(mbs.GetObjectOutputBody(made[name], kind, [0, 0, 0], exu.ConfigurationType.Current)).reshape(
            3, 3
        )

    def tell() -> Array:
        moved = {}
        for one in drawing.tree:
            r = turned(one.parent).T @ turned(one.child)
            sine = one.axis @ np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
            moved[one.coordinate] = float(np.arctan2(sine, (np.trace(r) - 1) / 2))
        return drawing.state(moved)

    return tell
