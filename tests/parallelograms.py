"""A closed loop whose motion is known by hand."""

from __future__ import annotations

from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Mechanism, earth, revolute


def parallelogram() -> Mechanism:
    """A parallelogram: crank and rocker of length 1, coupler and ground of length 2."""
    m = Mechanism("parallelogram")
    crank = m.body("crank", mass=1, centre=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    coupler = m.body("coupler", mass=2, centre=[1, 0, 0], inertia=[0.01, 0.7, 0.7])
    rocker = m.body("rocker", mass=1, centre=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    m.join(earth, crank, revolute("z"), name="a")
    m.join(m.frame("b_end", crank, Displacement(vector3([1, 0, 0]))), coupler, revolute("z"), name="b")
    m.join(m.frame("ground", earth, Displacement(vector3([2, 0, 0]))), rocker, revolute("z"), name="d")
    end = m.frame("c_end", coupler, Displacement(vector3([2, 0, 0])))
    m.join(end, m.frame("c_rocker", rocker, Displacement(vector3([1, 0, 0]))), revolute("z"), name="c")
    m.gravity = [0, -9.81, 0]
    return m
