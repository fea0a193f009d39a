"""Pinocchio and MuJoCo, built joint by joint from a machine in elementary joints: no file, no code of ours between."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism import EARTH
from dalembert.verify.elementary import NOWHERE, Carried, Place, in_numbers

Array = NDArray[np.float64]

_POINT = 1e-12
"""The inertia of a point for MuJoCo, which takes none of zero, in parts of the largest mass times reach squared."""


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """A state by another program, in the speeds v of the elementary joints: M v' + bias = efforts.

    For each body its place, and velocity (linear, then angular, of its origin in the axes of earth) = jacobian v;
    `drifts` are the accelerations of it while v' is zero.
    """

    mass: Array
    bias: Array
    places: Mapping[str, Place]
    jacobians: Mapping[str, Array]
    drifts: Mapping[str, Array]


Peer = Callable[[Sequence[Carried], Array, Mapping[Expr, float]], Seen]


def by_pinocchio(bodies: Sequence[Carried], gravity: Array, state: Mapping[Expr, float]) -> Seen:
    """Joints of Pinocchio; bodies are frames of it, so that its own Jacobians and accelerations tell of them."""
    import pinocchio as pin

    kinds = {"slide": pin.JointModelPrismaticUnaligned, "hinge": pin.JointModelRevoluteUnaligned}
    model = pin.Model()
    model.gravity.linear = gravity
    held: dict[str, tuple[int, Place]] = {EARTH: (0, NOWHERE)}
    frames: dict[str, int] = {}
    values, speeds = list[float](), list[float]()
    for body in bodies:
        joint, place = held[body.parent]
        place = place @ body.places[0]
        for k, move in enumerate(body.moves):
            kind = pin.JointModelSpherical() if move.kind == "ball" else kinds[move.kind](move.axis)
            joint, place = model.addJoint(joint, kind, _se3(pin, place), f"{body.name}/{k}"), body.places[k + 1]
            numbers = in_numbers(move.values, state)
            values += list(np.roll(numbers, -1) if move.kind == "ball" else numbers)  # its scalar part comes last
            speeds += list(in_numbers(move.speeds, state))
        model.appendBodyToJoint(joint, pin.Inertia(body.mass, body.centre, body.inertia), _se3(pin, place))
        frames[body.name] = model.addFrame(pin.Frame(body.name, joint, _se3(pin, place), pin.FrameType.OP_FRAME))
        held[body.name] = joint, place
    data, q, v = model.createData(), np.array(values), np.array(speeds)
    upper = np.triu(np.array(pin.crba(model, data, q)))
    bias = np.array(pin.nonLinearEffects(model, data, q, v))
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    return Seen(
        upper + np.triu(upper, 1).T,
        bias,
        {x: Place(np.array(data.oMf[i].translation), np.array(data.oMf[i].rotation)) for x, i in frames.items()},
        {x: np.array(pin.getFrameJacobian(model, data, i, axes)) for x, i in frames.items()},
        {x: np.array(pin.getFrameClassicalAcceleration(model, data, i, axes).vector) for x, i in frames.items()},
    )


def _se3(pin: Any, place: Place) -> Any:
    return pin.SE3(place.R, place.p)


class _Joint(NamedTuple):
    """A joint of MuJoCo at a state, and the matrix that makes its speeds out of those of the elementary joint."""

    name: str
    value: Array
    speed: Array
    turn: Array


def by_mujoco(bodies: Sequence[Carried], gravity: Array, state: Mapping[Expr, float]) -> Seen:
    """Joints of MuJoCo; those of one body stand in its own axes, all values zero."""
    import mujoco

    length, mass = _units(bodies)
    spec, joints = _spec(mujoco, bodies, state, length, mass)
    spec.option.gravity = gravity / length
    try:
        with warnings.catch_warnings(action="ignore"):  # of masses at values of zero, which nobody asked for
            model = spec.compile()
    except ValueError as error:
        raise ModelError(f"MuJoCo refuses it: {str(error).splitlines()[0]}") from None
    data = mujoco.MjData(model)
    back, at = np.zeros((model.nv, model.nv)), 0  # its speeds, in its order, from those of the elementary joints
    for one in joints:
        joint, size = model.joint(one.name), len(one.speed)
        first, own = joint.qposadr[0], range(joint.dofadr[0], joint.dofadr[0] + size)
        data.qpos[first : first + len(one.value)], data.qvel[own] = one.value, one.speed
        back[np.ix_(own, range(at, at + size))] = one.turn
        at += size
    for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel):
        stage(model, data)
    bias, masses = np.zeros(model.nv), np.zeros((model.nv, model.nv))
    mujoco.mj_rne(model, data, 0, bias)
    places, jacobians, drifts = dict[str, Place](), dict[str, Array](), dict[str, Array]()
    for body in bodies:
        k = model.body(body.name).id
        places[body.name] = Place(length * data.xpos[k], np.array(data.xmat[k]).reshape(3, 3))
        moved, rate = (np.zeros((6, model.nv)) for _ in range(2))
        mujoco.mj_jac(model, data, moved[:3], moved[3:], data.xpos[k], k)
        mujoco.mj_jacDot(model, data, rate[:3], rate[3:], data.xpos[k], k)
        moved[:3], rate[:3] = length * moved[:3], length * rate[:3]
        jacobians[body.name], drifts[body.name] = moved @ back, rate @ data.qvel
    data.qvel[:], model.opt.gravity[:] = 0.0, 0.0
    mujoco.mj_comVel(model, data)
    for column, unit in zip(masses, np.eye(model.nv), strict=True):  # efforts of a unit acceleration from rest
        data.qacc[:] = unit
        mujoco.mj_rne(model, data, 1, column)
    energy = mass * length**2
    return Seen(energy * back.T @ masses @ back, energy * back.T @ bias, places, jacobians, drifts)


def _units(bodies: Sequence[Carried]) -> tuple[float, float]:
    """A length and a mass of the machine: MuJoCo takes numbers below 1e-14 for nothing, so it gets those near one."""
    points = [x.p for body in bodies for x in body.places] + [body.centre for body in bodies]
    masses = [body.mass for body in bodies]
    length = max((float(np.abs(x).max()) for x in points), default=0.0)
    return length or 1.0, max(masses, default=0.0) or 1.0


def _spec(
    mujoco: Any, bodies: Sequence[Carried], state: Mapping[Expr, float], length: float, mass: float
) -> tuple[Any, list[_Joint]]:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    types = mujoco.mjtJoint
    kinds = {"slide": types.mjJNT_SLIDE, "hinge": types.mjJNT_HINGE, "ball": types.mjJNT_BALL}
    held, joints = {EARTH: spec.worldbody}, list[_Joint]()
    for body in bodies:
        zero = _after(body, 0)
        made = held[body.parent].add_body(name=body.name, pos=zero.p / length, quat=_quaternion(zero.R))
        held[body.name] = made
        for k, move in enumerate(body.moves):
            back, name = _after(body, k + 1).inverse(), f"{body.name}/{k}"
            value, speed = in_numbers(move.values, state), in_numbers(move.speeds, state)
            if move.kind == "ball":
                value, own = np.array([value[0], *back.R @ value[1:]]), back.R
                made.add_joint(name=name, type=kinds["ball"], pos=back.p / length)
            else:
                own = np.eye(1) / (length if move.kind == "slide" else 1.0)
                value = own @ value
                made.add_joint(name=name, type=kinds[move.kind], pos=back.p / length, axis=back.R @ move.axis)
            joints.append(_Joint(name, value, own @ speed, own))
        if body.mass or body.inertia.any():
            tensor = body.inertia / (mass * length**2) + _POINT * np.eye(3)
            made.mass, made.ipos, made.explicitinertial = body.mass / mass, body.centre / length, True
            made.fullinertia = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return spec, joints


def _after(body: Carried, k: int) -> Place:
    """From place k to the body, all values zero."""
    found = NOWHERE
    for place in body.places[k:]:
        found = found @ place
    return found


def _quaternion(matrix: Array) -> Array:
    """Scalar first."""
    found: Array = np.roll(Rotation.from_matrix(matrix).as_quat(), 1)
    return found
