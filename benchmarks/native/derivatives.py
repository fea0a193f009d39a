"""Derivatives of forward dynamics with respect to q, u and efforts, against Pinocchio (called from Python)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from chains import make_chain, mechanism
from peers import optional, pinocchio_model
from rows import tell
from timing import compare, native_loop, slopes_loop

from dalembert.codegen import compile_mechanism
from dalembert.expr import count_operations


def run(n: int) -> None:
    chain = make_chain(n)
    f = compile_mechanism(mechanism(chain))
    q, u, e = np.random.default_rng(n).normal(size=(3, 20, n))
    ours = f.acceleration_derivatives(q[0], u[0], efforts=e[0])
    count = max(20, 8000 // (n * n))
    if f._slopes is None:
        native = f._native(("acceleration_slopes",))[0]
        operations = count_operations(native.function.outputs)
        loop = native_loop(native.address, q, u, e, 3 * n * n)
    else:
        operations = count_operations(f._native(("variations",))[0].function.outputs)
        loop = slopes_loop(f._slopes, q, u, e)

    def public() -> None:
        for _ in range(count):
            f.acceleration_derivatives(q[0], u[0], efforts=e[0])

    runs = {"ours": lambda: loop(count), "public": public}
    model = pinocchio_model(chain)
    if model is not None:
        pin = optional("pinocchio")
        data = model.createData()
        pin.computeABADerivatives(model, data, q[0], u[0], e[0])
        assert np.abs(data.ddq_dq - ours.coordinates).max() < 1e-7 * np.abs(ours.coordinates).max()
        assert np.abs(data.ddq_dv - ours.speeds).max() < 1e-7 * np.abs(ours.speeds).max()

        def many(function: object) -> None:
            for _ in range(count):
                function(model, data, q[0], u[0], e[0])  # type: ignore[operator]

        runs["derivatives"] = lambda: many(pin.computeABADerivatives)
        runs["call"] = lambda: many(lambda *_: pin.updateGlobalPlacements)
    times = {name: seconds / count * 1e6 for name, seconds in compare(runs, 15, time.process_time, min).items()}
    told = {"joints": n, "operations": operations}
    tell("derivatives", **told, program="dalembert", us=times["ours"], derived=f.derived_by[:11])
    tell("derivatives", **told, program="dalembert, public call", us=times["public"])
    if "derivatives" in times:
        tell(
            "derivatives",
            **told,
            program="Pinocchio",
            us=times["derivatives"],
            ratio=times["ours"] / times["derivatives"],
            **{"ratio of the public call": times["public"] / times["derivatives"]},
        )


if __name__ == "__main__":
    for size in [int(x) for x in sys.argv[1:]] or (2, 7, 12, 30, 50, 100):
        run(size)
