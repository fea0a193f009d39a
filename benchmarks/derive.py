"""CPU time to derive M and bias of chains, beside SymPy's KanesMethod where it can follow.

    python benchmarks/derive.py [--sympy-up-to 6]

3D chain: n revolute joints with alternating axes, full inertias, everything symbolic. Times are CPU seconds of one run.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import time
from collections.abc import Callable

from dalembert import expr as ex
from dalembert.dynamics import recursive
from dalembert.dynamics.articulated import accelerations
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


def casadi_planar(n: int) -> None:
    """The planar chain in CasADi's SX: the same recursions (composite bodies, Newton-Euler), written by hand."""
    import casadi as ca

    def column(name: str) -> list[object]:
        return [ca.SX.sym(f"{name}{i}") for i in range(n)]

    q, u, m, l, inertia = column("q"), column("u"), column("m"), column("l"), column("I")
    g = ca.SX.sym("g")
    c, s = [ca.cos(x) for x in q], [ca.sin(x) for x in q]
    spins, forces, moments = [], [], []
    spin, ax, ay = 0, 0, g
    for i in range(n):  # outwards: acceleration of each joint in the frame of its link, speeds held
        if i:
            ax = ax - spin * spin * l[i - 1]
        ax, ay = c[i] * ax + s[i] * ay, -s[i] * ax + c[i] * ay
        spin = spin + u[i]
        spins.append(spin)
        forces.append((m[i] * (ax - spin * spin * l[i]), m[i] * ay))
        moments.append(l[i] * m[i] * ay)
    bias, fx, fy, moment = [0] * n, 0, 0, 0
    for i in range(n - 1, -1, -1):
        if i < n - 1:
            fx, fy = c[i + 1] * fx - s[i + 1] * fy, s[i + 1] * fx + c[i + 1] * fy
            moment = moment + l[i] * fy
        fx, fy, moment = fx + forces[i][0], fy + forces[i][1], moment + moments[i]
        bias[i] = moment
    matrix = [[0] * n for _ in range(n)]
    mass, hx, hy, total = 0, 0, 0, 0
    for i in range(n - 1, -1, -1):
        if i < n - 1:  # the branch beyond, seen from this link
            hx, hy = c[i + 1] * hx - s[i + 1] * hy, s[i + 1] * hx + c[i + 1] * hy
            total = total + 2 * l[i] * hx + mass * l[i] * l[i]
            hx = hx + mass * l[i]
        mass, hx, total = mass + m[i], hx + m[i] * l[i], total + inertia[i] + m[i] * l[i] * l[i]
        matrix[i][i] = total
        px, py, spin_momentum = -hy, hx, total
        for j in range(i - 1, -1, -1):
            px, py = c[j + 1] * px - s[j + 1] * py, s[j + 1] * px + c[j + 1] * py
            spin_momentum = spin_momentum + l[j] * py
            matrix[i][j] = matrix[j][i] = spin_momentum


@ex.uncollected()
def mass_and_bias(layout: Layout) -> tuple[recursive.Recursion, ex.Matrix, list[ex.Expr]]:
    """M and S + F, as every peer gives them."""
    model = recursive.Recursion.of(build_tree(layout))
    return model, recursive.mass_matrix(model), recursive.right_side(model)


def measure(sympy_up_to: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for kind, maker in (("spatial", spatial_chain), ("planar", planar_chain)):
        for n in (2, 4, 6, 7, 10, 20, 50, 100):
            layout = Layout.of(maker(n))
            ours = cpu_time(lambda layout=layout: mass_and_bias(layout))
            model, matrix, right = mass_and_bias(layout)
            moving = {*model.tree.coordinates, *model.tree.speeds}
            direct = ex.count_operations([*matrix.entries, *right], depending_on=moving)
            linear = ex.count_operations(accelerations(model), depending_on=moving)
            row: dict[str, object] = {
                "chain": kind,
                "n": n,
                "seconds": ours,
                "operations": direct,
                "articulated": linear,
            }
            if n <= sympy_up_to:
                row["sympy_kane"] = cpu_time(lambda n=n, kind=kind: sympy_kane(n, kind == "spatial"), 1)
                row["ratio"] = row["sympy_kane"] / ours  # type: ignore[operator]
            if kind == "planar" and importlib.util.find_spec("casadi"):
                row["casadi"] = cpu_time(lambda n=n: casadi_planar(n))
            rows.append(row)
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sympy-up-to", type=int, default=4, help="largest chain given to SymPy (10 takes minutes)")
    options.add_argument("--json", help="write the table to this file")
    chosen = options.parse_args()
    rows = measure(chosen.sympy_up_to)
    heads = ("chain", "n", "CPU s", "operations", "articulated", "CasADi SX s", "SymPy Kane s")
    print("{:8} {:>4} {:>9} {:>11} {:>12} {:>12} {:>13}".format(*heads))
    for row in rows:
        kane = f"{row['casadi']:12.4f}" if "casadi" in row else " " * 12
        kane += f" {row['sympy_kane']:13.2f} ({row['ratio']:.0f} times)" if "ratio" in row else ""
        print(
            f"{row['chain']:8} {row['n']:4} {row['seconds']:9.4f} {row['operations']:11} {row['articulated']:12} {kane}"
        )
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
