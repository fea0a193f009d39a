"""CPU time to derive M and bias of chains, beside SymPy's KanesMethod where it can follow.

    python benchmarks/derive.py [--sympy-up-to 6]

3D chain: n revolute joints with alternating axes, full inertias, everything symbolic. Times are CPU seconds of one run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

from dalembert import expr as ex
from dalembert.formalisms import recursive
from dalembert.formalisms.articulated import accelerations
from dalembert.kinematics import build_tree
from dalembert.mechanism import Layout, Mechanism, earth, revolute


def spatial_chain(n: int) -> Mechanism:
    """n links with full inertias; axes x, y, z in turn; link length l along z."""
    m = Mechanism(f"chain of {n}")
    previous = earth
    for i in range(1, n + 1):
        entries = [f"{name}{i}" for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]
        body = m.body(f"b{i}", mass=f"m{i}", centre=[f"cx{i}", f"cy{i}", f"cz{i}"], inertia=entries)
        start = previous if i == 1 else previous.at([0, 0, f"l{i - 1}"])
        m.join(start, body, revolute("xyz"[(i - 1) % 3]), name=f"j{i}")
        previous = body
    m.gravity = [0, 0, "-g"]
    return m


def planar_chain(n: int) -> Mechanism:
    """n rods in a plane, masses at the ends."""
    m = Mechanism(f"planar chain of {n}")
    previous = earth
    for i in range(1, n + 1):
        body = m.body(f"b{i}", mass=f"m{i}", centre=[f"l{i}", 0, 0], inertia=[0, 0, f"I{i}"])
        m.join(previous if i == 1 else previous.at([f"l{i - 1}", 0, 0]), body, revolute("z"), name=f"j{i}")
        previous = body
    m.gravity = [0, "-g", 0]
    return m


def cpu_time(work: Callable[[], object], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def sympy_kane(n: int, spatial: bool) -> None:
    """The same chain with SymPy's own tools."""
    import sympy as sp
    from sympy.physics import mechanics as me

    q, u = me.dynamicsymbols(f"q1:{n + 1}"), me.dynamicsymbols(f"u1:{n + 1}")
    g = sp.Symbol("g")
    earth_frame = me.ReferenceFrame("N")
    origin = me.Point("O")
    origin.set_vel(earth_frame, 0)
    frame, joint, bodies, loads = earth_frame, origin, [], []
    for i in range(n):
        names = [f"{x}{i}" for x in ("m", "cx", "cy", "cz", "Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Izx", "l")]
        m, cx, cy, cz, ixx, iyy, izz, ixy, iyz, izx, length = sp.symbols(names)
        axis = [frame.x, frame.y, frame.z][i % 3] if spatial else frame.z
        new = frame.orientnew(f"B{i}", "Axis", [q[i], axis])
        new.set_ang_vel(frame, u[i] * axis)
        offset = cx * new.x + cy * new.y + cz * new.z if spatial else length * new.x
        centre = joint.locatenew(f"G{i}", offset)
        centre.v2pt_theory(joint, earth_frame, new)
        inertia = me.inertia(new, ixx, iyy, izz, ixy, iyz, izx) if spatial else me.inertia(new, 0, 0, izz)
        bodies.append(me.RigidBody(f"b{i}", centre, new, m, (inertia, centre)))
        loads.append((centre, -m * g * (earth_frame.z if spatial else earth_frame.y)))
        following = joint.locatenew(f"P{i}", length * (new.z if spatial else new.x))
        following.v2pt_theory(joint, earth_frame, new)
        frame, joint = new, following
    kane = me.KanesMethod(earth_frame, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    kane.kanes_equations(bodies, loads)
    _ = kane.mass_matrix, kane.forcing


def measure(sympy_up_to: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for kind, maker in (("spatial", spatial_chain), ("planar", planar_chain)):
        for n in (2, 4, 6, 7, 10, 20, 50, 100):
            layout = Layout.of(maker(n))
            ours = cpu_time(lambda layout=layout: recursive.derive(layout))
            eq = recursive.derive(layout)
            linear = ex.count_operations(accelerations(recursive.Recursion.of(build_tree(layout))))
            row: dict[str, object] = {
                "chain": kind,
                "n": n,
                "seconds": ours,
                "operations": eq.operations,
                "articulated": linear,
            }
            if n <= sympy_up_to:
                row["sympy_kane"] = cpu_time(lambda n=n, kind=kind: sympy_kane(n, kind == "spatial"), 1)
                row["ratio"] = row["sympy_kane"] / ours  # type: ignore[operator]
            rows.append(row)
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sympy-up-to", type=int, default=4)
    options.add_argument("--json", help="write the table to this file")
    chosen = options.parse_args()
    rows = measure(chosen.sympy_up_to)
    print(f"{'chain':8} {'n':>4} {'CPU s':>9} {'operations':>11} {'articulated':>12} {'SymPy Kane s':>13} {'ratio':>7}")
    for row in rows:
        kane = f"{row['sympy_kane']:13.2f} {row['ratio']:7.0f}" if "ratio" in row else ""
        print(
            f"{row['chain']:8} {row['n']:4} {row['seconds']:9.4f} {row['operations']:11} {row['articulated']:12} {kane}"
        )
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
