"""Reference problems in Siconos, told as JSON, for the interpreter that has it (`apt-get install python3-siconos`)."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import siconos.kernel as sk

GRAVITY = 9.81


def run(
    q: list[float], v: list[float], mass: Any, down: list[float], gaps: Any, law: Any, solver: Any, h: float, end: float
) -> dict[str, Any]:
    """Moreau and Jean's scheme, theta = 1/2; gaps are H q + b, with a row for the slip below where they rub."""
    body = sk.LagrangianLinearTIDS(q, v, mass)
    body.setFExtPtr(down)
    system = sk.NonSmoothDynamicalSystem(0.0, end)
    system.insertDynamicalSystem(body)
    for rows, offset in gaps:
        system.link(sk.Interaction(law, sk.LagrangianLinearTIR(rows, offset)), body)
    stepping = sk.TimeStepping(system, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), solver)
    states = [[*body.q(), *body.velocity()]]
    begin = time.process_time()
    for _ in range(round(end / h)):
        stepping.computeOneStep()
        states.append([*body.q(), *body.velocity()])
        stepping.nextStep()
    return {"states": states, "seconds": time.process_time() - begin}


def main() -> None:
    one, bounce = np.eye(10), sk.NewtonImpactNSL(0.9)
    column = [([one[0].tolist()], [-0.1]), *(([(one[i + 1] - one[i]).tolist()], [-0.2]) for i in range(9))]
    places, fall = [1 + 0.25 * i for i in range(10)], [-GRAVITY] * 10
    rubbing = sk.NewtonImpactFrictionNSL(0.9, 0.0, 0.1, 2)
    spinning = [([[1.0, 0.0, 0.0], [0.0, 1.0, -0.5]], [-0.5, 0.0])]
    turning = np.diag([1.0, 1.0, 0.1]).tolist()
    found = {
        "bouncing ball": run([1.0], [0.0], [[1.0]], [-GRAVITY], [([[1.0]], [0.0])], bounce, sk.LCP(), 0.005, 10.0),
        "ten beads": run(places, [0.0] * 10, one.tolist(), fall, column, bounce, sk.LCP(), 5e-4, 2.0),
        "spinning ball, friction": run([1.0, 0.0, 0.0], [0.0, 0.0, 2.0], turning, [-GRAVITY, 0.0, 0.0], spinning,
                                       rubbing, sk.FrictionContact(2), 0.005, 10.0),
    }  # fmt: skip
    json.dump(found, sys.stdout)


main()
