"""Multibody programs that are given the same machine: MuJoCo, and Pinocchio with SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from drawn import Drawing, Single
from equations import Point, curve, optional
from problems import Array, Case

STEPS = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)


def _text(v: Any) -> str:
    return " ".join(f"{float(c):.17g}" for c in v)


# --- MuJoCo -------------------------------------------------------------------------------------------------------


def mujoco(case: Case) -> Iterator[Point]:
    mj = optional("mujoco")
    if mj is None or not case.drawable:
        return
    drawing = Drawing(case)

    def make(step: float, integrator: str) -> Callable[[], Array]:
        count = round(case.seconds / step)
        model = mj.MjModel.from_xml_string(mujoco_model(drawing, case.seconds / count, integrator))
        data = mj.MjData(model)

        def go() -> Array:
            mj.mj_resetData(model, data)
            for one in drawing.tree:
                data.joint(one.coordinate).qvel[0] = one.speed
            mj.mj_step(model, data, count)
            return drawing.state({one.coordinate: data.joint(one.coordinate).qpos[0] for one in drawing.tree})

        return go

    for integrator in ("implicit",) if case.stiff else ("RK4",):
        yield from curve(f"MuJoCo {integrator}", case, STEPS, lambda h, i=integrator: make(h, i))


def mujoco_model(drawing: Drawing, step: float, integrator: str) -> str:
    """Loops are closed by two points of a hinge, as hard as the step allows."""
    below: dict[str, list[list[Single]]] = {}
    for one in drawing.tree:
        groups = below.setdefault(one.parent, [])
        if groups and not groups[-1][-1].last:
            groups[-1].append(one)
        else:
            groups.append([one])

    def tree(name: str) -> str:
        found = ""
        for group in below.get(name, []):
            solid, child = drawing.bodies[group[0].child], group[0].child
            i = solid.inertia
            six = _text([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
            found += (
                f'<body name="{child}"><inertial pos="{_text(solid.centre)}" mass="{solid.mass}" fullinertia="{six}"/>'
            )
            for one in group:
                stiffness, damping = one.spring
                kind = "hinge" if one.hinge else "slide"
                found += (
                    f'<joint name="{one.coordinate}" type="{kind}" pos="{_text(one.point)}" '
                    f'axis="{_text(one.axis)}" stiffness="{stiffness}" damping="{damping}" springref="{-one.first}"/>'
                )
            found += tree(child) + "</body>"
        return found

    closing = ""
    for one in drawing.cuts:
        a, b = (one.parent, one.child) if one.parent != "earth" else (one.child, one.parent)
        other = f'body2="{b}"' if b != "earth" else ""
        for place in (one.point, one.point + 0.2 * one.axis):
            hard = f'solref="{2.5 * step} 1" solimp="0.9999 0.9999 0.001"'
            closing += f'<connect body1="{a}" {other} anchor="{_text(place)}" {hard}/>'
    option = (
        f'<option timestep="{step!r}" integrator="{integrator}" gravity="{_text(drawing.gravity)}" tolerance="1e-15" '
        'iterations="200"><flag contact="disable"/></option><compiler balanceinertia="true" angle="radian"/>'
    )
    return f"<mujoco>{option}<worldbody>{tree('earth')}</worldbody><equality>{closing}</equality></mujoco>"


# --- Pinocchio ----------------------------------------------------------------------------------------------------


def pinocchio(case: Case) -> Iterator[Point]:
    """Its dynamics of trees, integrated by SciPy: it has no integrator of its own, nor loops that stay closed."""
    pin = optional("pinocchio")
    if pin is None or not case.drawable or case.system.constrained is not None:
        return
    from scipy.integrate import solve_ivp

    drawing = Drawing(case)
    model, order = pinocchio_model(pin, drawing)
    data, n = model.createData(), model.nv
    first = np.array([one.first for one in order])
    stiffness, damping = np.array([one.spring for one in order]).T

    def rates(t: float, y: Array) -> Array:
        q, v = y[:n], y[n:]
        effort = -stiffness * (first + q) - damping * v
        return np.concatenate([v, pin.aba(model, data, q, v, effort)])

    y0 = np.concatenate([np.zeros(n), [one.speed for one in order]])

    def make(tolerance: float, method: str) -> Callable[[], Array]:
        def go() -> Array:
            found = solve_ivp(rates, (0, case.seconds), y0, method, rtol=tolerance, atol=tolerance).y[:n, -1]
            return drawing.state(dict(zip([one.coordinate for one in order], found, strict=True)))

        return go

    method = "LSODA" if case.stiff else "DOP853"
    yield from curve(f"Pinocchio, SciPy {method}", case, (1e-4, 1e-6, 1e-8, 1e-10, 1e-12), lambda t: make(t, method))


def pinocchio_model(pin: Any, drawing: Drawing) -> tuple[Any, list[Single]]:
    """All joints have earth's base where the machine starts; their placements are differences of points."""
    model, joints, points, order = pin.Model(), {"earth": 0}, {0: np.zeros(3)}, []
    model.gravity.linear[:] = drawing.gravity
    between = {}
    for one in drawing.tree:
        parent = between.pop(one.child, None) or joints[one.parent]
        kind = pin.JointModelRevoluteUnaligned if one.hinge else pin.JointModelPrismaticUnaligned
        placement = pin.SE3(np.eye(3), one.point - points[parent])
        index = model.addJoint(parent, kind(*map(float, one.axis)), placement, one.coordinate)
        points[index] = one.point
        order.append((index, one))
        if not one.last:
            between[one.child] = index
            continue
        joints[one.child] = index
        solid = drawing.bodies[one.child]
        inertia = pin.Inertia(solid.mass, solid.centre - one.point, solid.inertia)
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
    return model, [one for _, one in sorted(order, key=lambda x: x[0])]
