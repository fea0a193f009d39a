"""The walk of one `simulate`, from a description to a motion: derivations, modules, and changes of package on the way.

    python benchmarks/walk.py [--format json]

A four-bar is described and simulated once in a fresh process (all modules are imported before). Counted are calls of
functions of this package, in the main thread: modules that have a part, calls from a module of one package to one of
another (each pair of modules once), pairs of packages between which there are such calls, and how often tree, mass
matrix and rows of the loops are derived.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import dalembert as da
from dalembert.limits import budget

ROOT = Path(da.__file__).parent
#: Functions that derive, by what they derive.
DERIVATIONS = {"build_tree": "tree", "mass_matrix": "mass matrix", "rows_of": "rows of loops"}


def four_bar(lengths: tuple[float, float, float], ground: float) -> da.Mechanism:
    m = da.Mechanism("four-bar")
    names = zip("abc", lengths, strict=True)
    a, b, c = (m.body(n, mass=1, centre=[x / 2, 0, 0], inertia=[0, x * x / 12, x * x / 12]) for n, x in names)
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([lengths[0], 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([ground, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([lengths[1], 0, 0]), c.at([lengths[2], 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start = {"A.th": 1.0, "B.th": -0.5332916387567533, "D.th": 1.6701536095624145}
    return m


def walk(lengths: tuple[float, float, float]) -> dict[str, Any]:
    places: dict[Any, tuple[str, str] | None] = {}
    modules: set[str] = set()
    crossings: set[tuple[str, str]] = set()
    packages: set[tuple[str, str]] = set()
    derived = dict.fromkeys(DERIVATIONS.values(), 0)

    def place(frame: FrameType | None) -> tuple[str, str] | None:
        """Module and package of a frame of ours."""
        if frame is None:
            return None
        code = frame.f_code
        if code not in places:
            path = Path(code.co_filename)
            inside = path.relative_to(ROOT) if path.is_relative_to(ROOT) else None
            places[code] = None if inside is None else (str(inside), inside.parts[0].removesuffix(".py"))
        return places[code]

    def heard(frame: FrameType, event: str, argument: Any) -> None:
        here = place(frame) if event == "call" else None
        if here is None:
            return
        modules.add(here[0])
        if frame.f_code.co_qualname in DERIVATIONS:  # no method: those ask for what is remembered
            derived[DERIVATIONS[frame.f_code.co_qualname]] += 1
        caller = frame.f_back
        while caller is not None and place(caller) is None:
            caller = caller.f_back
        there = place(caller)
        if caller is not None and there is not None and there[1] != here[1]:
            crossings.add((there[0], here[0]))
            packages.add((there[1], here[1]))

    m = four_bar(lengths, 0.5)
    sys.setprofile(heard)
    try:
        m.simulate((0.0, 1.0))
    finally:
        sys.setprofile(None)
    return {
        "modules": len(modules),
        "crossings": len(crossings),
        "pairs of packages": len(packages),
        "derived": derived,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    as_json = parser.parse_args().format == "json"
    with budget(seconds=None, megabytes=None):  # else calls run under a watch of their own
        warm()
        found = walk((0.2, 0.4, 0.35))
    print(json.dumps(found) if as_json else "\n".join(f"{name}: {value}" for name, value in found.items()))


def warm() -> None:
    """Import all that a simulation imports, with another machine."""
    m = da.Mechanism("pendulum")
    b = m.body("b", mass=1, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, b, da.revolute("z"), name="A")
    m.simulate((0.0, 0.1))


if __name__ == "__main__":
    main()
