"""The satellite of Papegay, chapter 2, with its quasi-velocities, and the state of the verified test vector."""

from __future__ import annotations

from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Joint, Mechanism, Step, earth, free, turn

FORMALISMS = [
    "newton-euler",
    "dalembert",
    "lagrange",
    "hamilton",
    "kane",
    "gibbs-appell",
    "boltzmann-hamel",
    "lie-group",
    "mixed",
    "recursive",
]


def satellite(speeds: str = "body") -> Mechanism:
    m = Mechanism("satellite")
    s1 = m.body("S1", mass="mu1", inertia=["I1x", "I1y", "I1z"])
    s2, s3 = m.body("S2"), m.body("S3")
    s4 = m.body("S4", mass="mu4", centre=[0, 0, "z34"])
    m.join(earth, s1, free("bryant", speeds, ["q4", "q5", "q6", "q1", "q2", "q3"]), name="s1")
    m.join(
        s1.at([0, 0, "z12"]),
        s2,
        _loaded("q7", Displacement.of([0, 0, 0], turn("q7", "x")), torque=["C12", 0, 0]),
        name="s2",
    )
    m.join(s2, s3, _loaded("q8", Displacement.of([0, "q8", 0]), force=[0, "F23", 0]), name="s3")
    m.join(s3, s4, _loaded("q9", Displacement.of([0, 0, 0], turn("q9", "y")), torque=[0, "C34", 0]), name="s4")
    m.force(s1, ["F1x", "F1y", "F1z"], base=s1)
    m.torque(s1, ["C1x", "C1y", "C1z"], base=s1)
    m.force(s4.centre_frame, ["F4x", "F4y", "F4z"], base=s1)
    return m


def _loaded(name, displacement, force=(0, 0, 0), torque=(0, 0, 0)):
    return Joint((name,), (Step(displacement, vector3(force), vector3(torque)),))


PARAMETERS = {
    "mu1": 10, "mu4": 2, "I1x": 3, "I1y": 4, "I1z": 5, "z12": 1, "z34": 0.5,
    "F1x": 1, "F1y": 2, "F1z": 3, "C1x": 0.1, "C1y": 0.2, "C1z": 0.3, "F4x": -1, "F4y": 0.5, "F4z": 0.25,
    "C12": 0.7, "F23": -0.6, "C34": 0.45,
}  # fmt: skip
STATE = PARAMETERS | {
    "s1.q1": 0.4, "s1.q2": -0.3, "s1.q3": 0.8, "s1.q4": 1.0, "s1.q5": -2.0, "s1.q6": 0.5,
    "s2.q7": 0.3, "s3.q8": 2, "s4.q9": 0.4, "s2.q7'": 0.1, "s3.q8'": -0.2, "s4.q9'": 0.3,
    "s1.vx": 0.5, "s1.vy": -0.4, "s1.vz": 0.3, "s1.wx": 0.2, "s1.wy": -0.1, "s1.wz": 0.15,
}  # fmt: skip
#: v', w', q'' of the verified test vector
ACCELERATIONS = [
    -0.0366698860756974, 0.248580514551252, 0.327493282924503,
    -0.406935048504173, -0.475396678278790, 0.467347252352955,
    0.903634886410394, -0.446128534727678, 3.82764287359839,
]  # fmt: skip
