"""The same chain in the peers' own terms; a peer that is not installed is None."""

from __future__ import annotations

from typing import Any

import numpy as np
from chains import GRAVITY, Chain


def optional(name: str) -> Any:
    """The module, or None when it is not installed."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def pinocchio_model(chain: Chain) -> Any:
    pin = optional("pinocchio")
    if pin is None:
        return None
    model = pin.Model()
    model.gravity.linear[:] = [0.0, 0.0, -GRAVITY]
    joint = 0
    kinds = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
    for i in range(chain.size):
        placement = pin.SE3(np.eye(3), chain.offsets[i])
        joint = model.addJoint(joint, kinds[chain.axes[i]](), placement, f"j{i}")
        inertia = pin.Inertia(chain.masses[i], chain.centres[i], chain.inertias[i])
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def mujoco_model(chain: Chain) -> Any:
    mujoco = optional("mujoco")
    if mujoco is None:
        return None
    axis = ("1 0 0", "0 1 0", "0 0 1")
    head, tail = "", ""
    for i in range(chain.size):
        x, y, z = chain.offsets[i]
        c, j = chain.centres[i], chain.inertias[i]
        full = f"{j[0, 0]} {j[1, 1]} {j[2, 2]} {j[0, 1]} {j[0, 2]} {j[1, 2]}"
        head += f'<body pos="{x} {y} {z}"><joint type="hinge" axis="{axis[chain.axes[i]]}"/>'
        head += f'<inertial pos="{c[0]} {c[1]} {c[2]}" mass="{chain.masses[i]}" fullinertia="{full}"/>'
        tail += "</body>"
    flags = '<flag constraint="disable" contact="disable"/>'
    option = f'<option gravity="0 0 {-GRAVITY}">{flags}</option><compiler boundmass="0" boundinertia="0"/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{head}{tail}</worldbody></mujoco>")


def mujoco_batch(model: Any, q: np.ndarray, u: np.ndarray, threads: int) -> Any:
    """One explicit step from each state: the forward dynamics and little else, in MuJoCo's own thread pool."""
    import mujoco
    from mujoco import rollout

    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((len(q), size))
    n = model.nq
    state[:, 1 : 1 + n], state[:, 1 + n : 1 + 2 * n] = q, u
    pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
    return lambda: pool.rollout(model, data if threads > 1 else data[:1], state, nstep=1, skip_checks=False)


def heyoka_function(symbols: list[Any], outputs: list[Any]) -> Any:
    """heyoka's compiled function of the same expressions, node by node; compact mode off, its best for speed."""
    hy = optional("heyoka")
    if hy is None:
        return None
    from dalembert import expr as ex

    made: dict[Any, Any] = {e: hy.make_vars(e.name) for e in symbols}
    unary = {"sin": hy.sin, "cos": hy.cos, "sqrt": hy.sqrt}
    for e in ex.topological(outputs):
        if e in made:
            continue
        a = [made[x] for x in e.args]
        if e.op == "const":
            made[e] = hy.expression(float(e.data))
        elif e.op in unary:
            made[e] = unary[e.op](*a)
        elif e.op == "pow":
            made[e] = a[0] * a[0] if e.args[1].data == 2 else hy.pow(a[0], float(e.args[1].data))
        else:
            made[e] = {
                "add": lambda x, y: x + y,
                "sub": lambda x, y: x - y,
                "mul": lambda x, y: x * y,
                "div": lambda x, y: x / y,
                "neg": lambda x: -x,
            }[e.op](*a)
    return hy.cfunc([made[e] for e in outputs], [made[e] for e in symbols])
