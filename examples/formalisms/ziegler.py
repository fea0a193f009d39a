"""Ziegler's column: a follower force has no potential, and shakes a column that a dead load would only buckle."""

import numpy as np

import dalembert as da
from dalembert import analysis
from dalembert.dynamics.potential import find_potential
from dalembert.kinematics import build_tree


def column(base: str) -> da.Mechanism:
    m = da.Mechanism(f"column, force fixed in {base}")
    lower, upper = m.body("lower", mass="2*m", centre=[0, 0, "l"]), m.body("upper", mass="m", centre=[0, 0, "l"])
    m.join(da.earth, lower, da.revolute("x").with_efforts(th="-c*th"), name="a")
    m.join(lower.at([0, 0, "l"]), upper, da.revolute("x").with_efforts(th="-c*th"), name="b")
    m.force(upper.at([0, 0, "l"]), [0, 0, "-P"], base=base)
    return m


values = {"m": 1.0, "l": 1.0, "c": 1.0}
for base in ("earth", "upper"):
    m = column(base)
    print(m.name, find_potential(build_tree(m.layout())).refused or "has a potential")
    small = analysis.linearize(m.equations("lagrange"), {"a.th": 0, "b.th": 0})
    for load in np.arange(0.1, 4.0, 0.1):
        top = small.eigenvalues(values | {"P": load})[0]
        if top.real > 1e-4:
            print(f"  unstable from P = {load:.1f} c/l, by {'flutter' if abs(top.imag) > 1e-6 else 'buckling'}")
            break
