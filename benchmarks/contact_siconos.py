"""Time stepping beside Siconos on problems of its tutorials, in one run: `python benchmarks/contact_siconos.py`.

Siconos is in Debian (`apt-get install python3-siconos`) for the interpreter of the system, and runs there as a process
of its own. Told are the largest difference of all coordinates and speeds at all steps, and processor seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.simulate import MoreauJean, Motion

INTERPRETERS = (sys.executable, "/usr/bin/python3")


def siconos() -> dict[str, Any] | None:
    """What Siconos finds; None where no interpreter has it."""
    script = Path(__file__).with_name("contact_siconos_peer.py")
    for one in INTERPRETERS:
        done = subprocess.run([one, str(script)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
            return found
    return None


def machines() -> dict[str, tuple[da.Mechanism, list[str], float, float]]:
    """The same problems: machine, its coordinates in the order of the peer, step, end."""
    ball = da.Mechanism("ball")
    ball.join(da.earth, ball.body("ball", mass=1), da.prismatic("z"), name="q")
    ball.start = {"q.x": 1.0}
    ball.contact("q.x", restitution=0.9, name="floor")
    beads = da.Mechanism("beads")
    for i in range(10):
        beads.join(da.earth, beads.body(f"b{i}", mass=1), da.prismatic("z"), name=f"q{i}")
        beads.start[f"q{i}.x"] = 1 + 0.25 * i
        beads.contact("q0.x - 0.1" if i == 0 else f"q{i}.x - q{i - 1}.x - 0.2", restitution=0.9, name=f"c{i}")
    spinning = da.Mechanism("spinning")
    body = spinning.body("ball", mass=1, inertia=[0.1, 0.1, 0.1])
    spinning.join(da.earth, body, da.planar(), name="p")
    spinning.contact("p.x - 0.5", restitution=0.9, friction=0.1, slip="p.y' - 0.5*p.th'", name="floor")
    spinning.start = {"p.x": 1.0, "p.th'": 2.0}
    ball.gravity = beads.gravity = [0, 0, -9.81]
    spinning.gravity = [-9.81, 0, 0]
    return {
        "bouncing ball": (ball, ["q.x"], 0.005, 10.0),
        "ten beads": (beads, [f"q{i}.x" for i in range(10)], 5e-4, 2.0),
        "spinning ball, friction": (spinning, ["p.x", "p.y", "p.th"], 0.005, 10.0),
    }


def main() -> None:
    theirs = siconos()
    if theirs is None:
        print("Siconos is not installed: apt-get install python3-siconos. Nothing is compared.")
        return
    for name, (machine, coordinates, h, end) in machines().items():
        method = MoreauJean()
        machine.simulate((0, h), method=method, max_step=h)  # compiles
        begin = time.process_time()
        motion: Motion = machine.simulate((0, end), method=method, max_step=h)
        spent = time.process_time() - begin
        ours = np.array([motion[x] for x in coordinates] + [motion[x + "'"] for x in coordinates]).T
        other = np.array(theirs[name]["states"])
        count = min(len(ours), len(other))
        apart = np.abs(ours[:count] - other[:count])
        print(
            f"{name}: {count} rows, largest difference {apart.max():.1e} (step {int(apart.max(axis=1).argmax())}), ",
            end="",
        )
        print(f"ours {spent:.2f} s, Siconos {theirs[name]['seconds']:.2f} s")


if __name__ == "__main__":
    main()
