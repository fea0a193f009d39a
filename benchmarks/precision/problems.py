"""The machines of the work-precision diagrams: a description, a span, and what is measured at its end."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.mechanism import Mechanism, earth
from dalembert.simulate import System, run, simulate, system_of

Array = np.ndarray
_SMOOTH = ("DOPRI5", "DOP853", "VERNER98", "taylor")
_FOLDER = Path(__file__).parents[2] / "examples" / "loops"


@dataclass(frozen=True)
class Case:
    """One machine; states are compared at the end of `seconds`, as the largest error of a coordinate."""

    name: str
    machine: Mechanism
    seconds: float
    start: dict[str, float] = field(default_factory=dict)
    stiff: bool = False
    drawable: bool = True
    """Joints of hinges and slides, forces of `springs` alone: MuJoCo, Exudyn and Pinocchio can have it."""
    springs: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Stiffness and damping by coordinate."""
    methods: tuple[str, ...] = ("DOPRI5", "DOP853", "VERNER98")

    @cached_property
    def system(self) -> System:
        return system_of(self.machine)

    @cached_property
    def begun(self) -> Any:
        """The motion at its start, with all outputs of bodies."""
        return simulate(self.machine, (0, 0), start=self.start)

    @cached_property
    def y0(self) -> Array:
        return np.array([self.begun[name][0] for name in self.system.states])

    @cached_property
    def reference(self) -> Array:
        """The last state as two roads tell it that share no formula of integration; `doubt` is what they part by."""
        return self._ends[0]

    @cached_property
    def doubt(self) -> float:
        return self.error(self._ends[1])

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        first = self.end("taylor-dd", 1e-24, 1e-24) if self.methods == _SMOOTH else self.end("VERNER98", 3e-14, 1e-15)
        second = self.end("RADAU5", 2e-12, 1e-15) if self.stiff else self.end("DOP853", 1e-13, 1e-15)
        return first, second

    def end(self, method: str, rtol: float, atol: float) -> Array:
        motion = run(
            self.system, (0, self.seconds), start=self.start, method=method, rtol=rtol, atol=atol, t_eval=[self.seconds]
        )
        return np.asarray(motion.y[:, -1])

    def error(self, state: Array) -> float:
        """Largest error of a coordinate (radians are the same after a turn; metres of machines of about one metre)."""
        n = len(self.system.coordinates)
        apart = np.asarray(state)[:n] - self.reference[:n]
        turns = np.array([name.rpartition(".")[2] in ("th", "ps", "ph") for name in self.system.coordinates])
        apart = np.where(turns, np.remainder(apart + math.pi, 2 * math.pi) - math.pi, apart)
        return float(np.nanmax(np.abs(apart)))


def _families() -> Any:
    spec = importlib.util.spec_from_file_location("families", _FOLDER / "families.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arm() -> Case:
    """Seven hinges with axes z, y, x in turn, full inertias, released from rest."""
    m, before = da.Mechanism("arm"), earth
    for i in range(7):
        inertia = [0.03, 0.04, 0.02, 0.001, 0.002, 0.0015]
        body = m.body(f"link{i}", mass=1 + 0.1 * i, centre=[0.02, 0.01, 0.25], inertia=inertia)
        m.join(before, body, da.revolute("zyx"[i % 3]), name=f"j{i}")
        before = body.at([0, 0, 0.5])
    m.gravity = [0, 0, -9.81]
    return Case("arm", m, 2.0, {f"j{i}.th": 0.1 * (i + 1) for i in range(7)}, methods=_SMOOTH)


def suspension() -> Case:
    """A wheel on its tyre, an arm with spring and damper, and the car body behind a sleeve of 1e9 N/m and rubber."""
    m = da.Mechanism("stiff suspension")
    wheel = m.body("wheel", mass=40, inertia=[1, 1, 1])
    lever = m.body("lever", mass=5, centre=[0.25, 0, 0], inertia=[0.1, 0.1, 0.1])
    sleeve = m.body("sleeve", mass=0.5, inertia=[1e-3, 1e-3, 1e-3])
    car = m.body("car", mass=400, centre=[0, 0, 0.2], inertia=[20, 20, 20])
    springs = {
        "tyre.x": (2e5, 200.0),
        "arm.th": (2e4, 150.0),
        "press.x": (1e9, 1e5),
        "rubber.x": (1e6, 1e4),
    }

    def law(name: str) -> dict[str, str]:
        stiffness, damping = springs[name]
        x = name.rpartition(".")[2]
        return {x: f"-{stiffness!r}*{x} - {damping!r}*{x}'"}

    m.join(earth, wheel, da.prismatic("z").with_efforts(**law("tyre.x")), name="tyre")
    m.join(wheel, lever, da.revolute("y").with_efforts(**law("arm.th")), name="arm")
    m.join(lever.at([0.5, 0, 0]), sleeve, da.prismatic("x").with_efforts(**law("press.x")), name="press")
    m.join(sleeve, car, da.prismatic("x").with_efforts(**law("rubber.x")), name="rubber")
    m.gravity = [0, 0, -9.81]
    start, methods = {"tyre.x": 0.05, "arm.th": -0.3}, ("auto", "RADAU9", "RADAU5", "RODAS4")
    return Case("stiff suspension", m, 2.0, start, stiff=True, springs=springs, methods=methods)


def four_bar() -> Case:
    m = _families().four_bar(4.0, 1.5, 3.0, 3.2)
    m.gravity = [0, -9.81, 0]
    return Case("four-bar", m, 20.0, {})


def bricard() -> Case:
    m = _families().bricard()
    m.gravity = [0, 0, -9.81]
    m.start = {"j1.th": 1.8, "j3.th": 1.8, "j5.th": 1.8}
    return Case("Bricard", m, 5.0, {})


def row_of_four_bars() -> Case:
    m = _families().n_four_bar(10, upright=True)
    m.gravity = [0, -9.81, 0]
    return Case("row of 10 four-bars", m, 2.0, {"earth_c0.th'": -1.0})


def heavy_top() -> Case:
    """15 kg a metre from its foot, as Geradin and Cardona's, but slower about its axis, so that it nods."""
    m = da.Mechanism("heavy top")
    top = m.body("top", mass=15, centre=[0, 0, 1], inertia=[0.3, 0.3, 0.46875])
    m.join(earth, top, da.spherical("zxz"), name="foot")
    m.gravity = [0, 0, -9.81]
    return Case("heavy top", m, 20.0, {"foot.th": 1.0, "foot.ph'": 100.0}, methods=_SMOOTH)


def kepler() -> Case:
    """A planet of eccentricity 0.6 over fifty years."""
    m = da.Mechanism("planet")
    planet = m.body("planet", mass=1)
    m.join(earth, planet, da.composite(["x", "y"], ["x", "y", 0]), name="at")
    m.force(planet, ["-at.x/(at.x^2 + at.y^2)^(3/2)", "-at.y/(at.x^2 + at.y^2)^(3/2)", 0], name="sun")
    return Case("Kepler", m, 100 * math.pi, {"at.x": 0.4, "at.y'": 2.0}, drawable=False, methods=_SMOOTH)


CASES: dict[str, Callable[[], Case]] = {
    "arm": arm,
    "suspension": suspension,
    "four-bar": four_bar,
    "Bricard": bricard,
    "top": heavy_top,
    "Kepler": kepler,
    "row": row_of_four_bars,
}
