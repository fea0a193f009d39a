"""A humanoid of thirty freedoms: opened, derived and compiled the first time and again; forward dynamics of its peers.

    python benchmarks/humanoid.py [FILE.urdf] [--repeat 5]

Without a file, the small Romeo of example-robot-data (31 freedoms). Times are CPU seconds in processes of their own:
the first has an empty cache of machine code, the second the one that the first left. Accelerations are timed in one
run, interleaved, one state at a time and in batches, beside Pinocchio's articulated bodies.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

_ROBOT = "romeo_description/urdf/romeo_small.urdf"


def usual() -> Path:
    spec = importlib.util.find_spec("cmeel")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("name a URDF file, or install example-robot-data")
    here = Path(next(iter(spec.submodule_search_locations))).parent
    return here / "cmeel.prefix/share/example-robot-data/robots" / _ROBOT


def opened(path: Path) -> None:
    """CPU seconds of each part, as JSON."""
    start = time.process_time()
    import dalembert as da

    warnings.simplefilter("ignore")
    imported = time.process_time()
    m = da.read_urdf(path, limits=False)
    read = time.process_time()
    f = m.compile()
    f.dynamics.accelerations()
    derived = time.process_time()
    f.acceleration(np.zeros(len(f.coordinates)), np.zeros(len(f.speeds)))
    done = time.process_time()
    told = {"import": imported - start, "read": read - imported, "derive": derived - read, "compile": done - derived}
    print(json.dumps({**told, "freedoms": len(f.speeds), "bodies": len(m.bodies) - 1}))


def forward(path: Path, repeat: int) -> None:
    import pinocchio as pin

    import dalembert as da

    warnings.simplefilter("ignore")
    f = da.read_urdf(path, limits=False).compile()
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    rng = np.random.default_rng(0)
    n = model.nv
    if model.nq != n or len(f.speeds) != n:
        raise SystemExit("joints of one coordinate each are compared")
    order = [f.coordinates.index(f"{name}.th") for name in model.names[1:]]
    q, u = rng.uniform(-1, 1, (1000, n)), rng.standard_normal((1000, n))
    theirs, speeds = q[:, order], u[:, order]
    zero = np.zeros(n)
    ours = np.asarray(f.acceleration(q, u))
    damping = np.array(model.damping)
    tau = [-damping * v for v in speeds]
    peer = np.array([pin.aba(model, data, a, b, c) for a, b, c in zip(theirs, speeds, tau, strict=True)])
    off = float(np.abs(ours[:, order] - peer).max() / np.abs(peer).max())
    times: dict[str, list[float]] = {"dalembert, one by one": [], "dalembert, batch": [], "Pinocchio, one by one": []}
    for _ in range(repeat):
        start = time.process_time()
        for a, b in zip(q, u, strict=True):
            f.acceleration(a, b)
        times["dalembert, one by one"].append(time.process_time() - start)
        start = time.process_time()
        f.acceleration(q, u)
        times["dalembert, batch"].append(time.process_time() - start)
        start = time.process_time()
        for a, b in zip(theirs, speeds, strict=True):
            pin.aba(model, data, a, b, zero)
        times["Pinocchio, one by one"].append(time.process_time() - start)
    print(f"accelerations agree to {off:.0e} of the largest")
    for name, found in times.items():
        print(f"{name}: {statistics.median(found) * 1e3:.2f} us a state")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("file", nargs="?", type=Path)
    asked.add_argument("--repeat", type=int, default=5)
    asked.add_argument("--opened", action="store_true", help=argparse.SUPPRESS)
    told = asked.parse_args()
    path = told.file or usual()
    if told.opened:
        opened(path)
        return
    with tempfile.TemporaryDirectory() as cache:
        for which in ("first", "again"):
            environment = {**os.environ, "DALEMBERT_CACHE": cache}
            command = [sys.executable, __file__, str(path), "--opened"]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            found = json.loads(done.stdout)
            parts = ", ".join(f"{k} {found[k]:.2f}" for k in ("import", "read", "derive", "compile"))
            print(f"{path.name}, {found['freedoms']} freedoms, {found['bodies']} bodies, {which}: {parts} CPU s")
    forward(path, told.repeat)


if __name__ == "__main__":
    main()
