"""Problems made to measure: a statement in words, the system it means, its lesson, and the marking of answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalembert.errors import ModelError

from ..formulas.steps import Steps
from ..systems.bodies import Particle
from ..systems.system import System
from ._words import say
from .lesson import teach
from .marking import Marking, mark

LEVELS = {
    1: "one coordinate, constant inertia",
    2: "one coordinate, an angle",
    3: "time or rotation in the Lagrangian",
    4: "two coupled coordinates",
    5: "two coordinates with drag, or a constraint with its multiplier",
}


@dataclass(frozen=True)
class Exercise:
    """A problem: its statement, what is asked, the system, and how hard it is (1 to 5)."""

    statement: str
    system: System
    mechanics: str
    level: int
    seed: int
    language: str

    def solution(self) -> Steps:
        """The whole derivation, as a lesson."""
        return teach(self.system, self.mechanics, language=self.language)

    def mark(self, lines: Sequence[str]) -> Marking:
        """Mark a student's lines."""
        return mark(self.system, lines, language=self.language)

    def __str__(self) -> str:
        return self.statement


def exercise(level: int = 1, seed: int = 0, *, language: str = "en") -> Exercise:
    """A problem of a level from 1 (one mass on a line) to 5 (constraints); the seed chooses which.

    >>> exercise(1, 2).system.lagrange().accelerations
    {'q': -kappa*q/m}
    """
    if level not in LEVELS:
        raise ModelError(f"levels go from 1 to {max(LEVELS)}: " + "; ".join(f"{k} {v}" for k, v in LEVELS.items()))
    rng = random.Random(1000 * level + seed)
    draft = _Draft(rng, language)
    rng.choice(_MAKERS[level])(draft)
    asked, mechanics = rng.choice([("the equations", "lagrange"), ("the hamiltonian", "hamilton")])
    system = draft.system()
    if system.multipliers or draft.drag or level == 1:
        asked, mechanics = "the equations", "lagrange"
    text = " ".join([*draft.said, say("find", language, what=say(asked, language))])
    return Exercise(text, system, mechanics, level, seed, language)


class _Draft:
    """A problem while it is being put together: sentences, and the pieces of the system."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng, self.language = rng, language
        self.said: list[str] = []
        self.coordinates: list[str] = []
        self.particles: list[Particle] = []
        self.T, self.V, self.Q = "", "", {}  # type: ignore[var-annotated]
        self.given: list[str] = []
        self.constraints: list[str] = []
        self.drag = False
        self.free = {kind: rng.sample(names, len(names)) for kind, names in _NAMES.items()}

    def name(self, kind: str) -> str:
        return self.free[kind].pop()

    def coordinate(self, kind: str) -> str:
        c = self.name(kind)
        self.coordinates.append(c)
        return c

    def tell(self, key: str, **places: object) -> None:
        self.said.append(say(key, self.language, **places))

    def system(self) -> System:
        forces = [self.Q.get(c, "0") for c in self.coordinates] if self.Q else None
        positive = [n for kind in ("mass", "length", "stiffness", "speed") for n in _NAMES[kind]]
        used = " ".join([self.T, self.V, *map(str, self.Q.values()), *(str(p) for p in self.particles)])
        return System(
            self.coordinates,
            particles=self.particles,
            gravity=["0", "-g"] if self.particles else None,
            T=self.T or None,
            V=self.V or 0,
            Q=forces,
            given=self.given,
            constraints=self.constraints,
            positive=[n for n in (*positive, "g") if n in used],
        )


_NAMES = {
    "mass": ["m", "M", "mu"],
    "length": ["l", "a", "R"],
    "stiffness": ["k", "c", "kappa"],
    "line": ["x", "q", "s", "z"],
    "angle": ["theta", "phi", "psi"],
    "tilt": ["alpha", "beta", "delta"],
    "speed": ["w", "Omega"],
    "drag": ["b", "eta"],
    "drive": ["h", "f"],
}


def _slider(d: _Draft) -> tuple[str, str]:
    m, x = d.name("mass"), d.coordinate("line")
    d.T = f"{m}*{x}_d**2/2"
    d.tell("slider", m=m, x=x)
    return m, x


def _spring(d: _Draft) -> None:
    _, x = _slider(d)
    k = d.name("stiffness")
    d.V = f"{k}*{x}**2/2"
    d.tell("spring", k=k, x=x)


def _incline(d: _Draft) -> None:
    m, x = _slider(d)
    tilt = d.name("tilt")
    d.V = f"-{m}*g*{x}*sin({tilt})"
    d.tell("fall", m=m, g="g", a=tilt, x=x)
    if d.rng.random() < 0.5:
        k = d.name("stiffness")
        d.V += f" + {k}*{x}**2/2"
        d.tell("spring", k=k, x=x)


def _pendulum(d: _Draft) -> None:
    m, length, th = d.name("mass"), d.name("length"), d.coordinate("angle")
    d.particles = [Particle(m, [f"{length}*sin({th})", f"-{length}*cos({th})"])]
    d.tell("pendulum", m=m, l=length, x=th, g="g")
    if d.rng.random() < 0.4:
        k = d.name("stiffness")
        d.V = f"{k}*{th}**2/2"
        d.tell("spring", k=k, x=th)


def _driven(d: _Draft) -> None:
    m, length, th, h = d.name("mass"), d.name("length"), d.coordinate("angle"), d.name("drive")
    d.given = [h]
    d.particles = [Particle(m, [f"{length}*sin({th})", f"{h} - {length}*cos({th})"])]
    d.tell("pendulum", m=m, l=length, x=th, g="g")
    d.tell("driven", h=h)


def _hoop(d: _Draft) -> None:
    m, r, th, w = d.name("mass"), d.name("length"), d.coordinate("angle"), d.name("speed")
    d.T = f"{m}*{r}**2*({th}_d**2 + {w}**2*sin({th})**2)/2"
    d.V = f"-{m}*g*{r}*cos({th})"
    d.tell("hoop", m=m, l=r, w=w, x=th, g="g")


def _hung(d: _Draft) -> None:
    m, x = _slider(d)
    big, d.T = m, ""
    small, length, th = d.name("mass"), d.name("length"), d.coordinate("angle")
    d.particles = [Particle(big, [x, "0"]), Particle(small, [f"{x} + {length}*sin({th})", f"-{length}*cos({th})"])]
    if d.rng.random() < 0.5:
        k = d.name("stiffness")
        d.V = f"{k}*{x}**2/2"
        d.tell("spring", k=k, x=x)
    d.tell("pendulum", m=small, l=length, x=th, g="g")
    d.tell("hung", x=th)


def _central(d: _Draft) -> None:
    m, k, ph = d.name("mass"), d.name("stiffness"), d.name("angle")
    d.coordinates = ["r", ph]
    d.T = f"{m}*(r_d**2 + r**2*{ph}_d**2)/2"
    d.V = d.rng.choice([f"-{k}/r", f"{k}*r**2/2", f"{k}*r"])
    d.tell("plane", m=m, x="r", y=ph, V=d.V)


def _wedge(d: _Draft) -> None:
    big, small, tilt = "M", "m", d.name("tilt")
    x, s = d.coordinate("line"), d.coordinate("line")
    d.particles = [Particle(big, [x, "0"]), Particle(small, [f"{x} + {s}*cos({tilt})", f"-{s}*sin({tilt})"])]
    d.tell("wedge", M=big, m=small, x=x, y=s, a=tilt, g="g")


def _dragged(d: _Draft) -> None:
    d.rng.choice([_hung, _central])(d)
    b, c = d.name("drag"), d.coordinates[0]
    d.Q = {c: f"-{b}*{c}_d"}
    d.drag = True
    d.tell("drag", b=b)


def _rolling(d: _Draft) -> None:
    m, r, tilt, x, th = d.name("mass"), d.name("length"), d.name("tilt"), d.coordinate("line"), d.coordinate("angle")
    d.T = f"{m}*{x}_d**2/2 + {m}*{r}**2*{th}_d**2/2"
    d.V = f"-{m}*g*{x}*sin({tilt})"
    d.constraints = [f"{x} - {r}*{th}"]
    d.tell("rolls", m=m, l=r, a=tilt, x=x, y=th, g="g")


_MAKERS: dict[int, list[Callable[[_Draft], None]]] = {
    1: [_spring, _incline],
    2: [_pendulum],
    3: [_driven, _hoop],
    4: [_hung, _central, _wedge],
    5: [_dragged, _rolling],
}
