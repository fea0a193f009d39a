"""How names are written: dots or primes, names of joints or numbers, in text, LaTeX and MathML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from dalembert.errors import ModelError
from dalembert.presentation.widths import latex_width

_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
        "omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(),
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
        strict=True,
    )
)
_SHORT = {"th": "theta", "ph": "phi", "ps": "psi", "al": "alpha", "be": "beta", "ga": "gamma", "om": "omega"}
#: Names that the scalar level gives to rates of its quantities.
_RATE = re.compile(r"(d{1,2})(M|W|U|root|tilt)(?:\d*_\d+\w*)")
#: Components of forces and moments that links transmit, and of velocities in the axes of a body.
_COMPONENT = re.compile(r"[FMvw][xyz]")
_DOTS = {1: "˙", 2: "¨", 3: "⃛"}


@dataclass(frozen=True, slots=True)
class Notation:
    """Choices of a reader. `numbers` writes coordinates as q_1, q_2...; `definitions` stand "last" or "first".

    >>> Notation(rates="primes").latex("elbow.th''")
    "\\\\theta_{\\\\mathrm{elbow}}''"
    """

    rates: Literal["dots", "primes"] = "dots"
    coordinates: Literal["names", "numbers"] = "names"
    definitions: Literal["last", "first"] = "last"
    numbered: Mapping[str, int] = field(default_factory=dict)  # coordinates by name, when they are written by number

    def __post_init__(self) -> None:
        allowed = {"rates": ("dots", "primes"), "coordinates": ("names", "numbers"), "definitions": ("last", "first")}
        for name, words in allowed.items():
            if getattr(self, name) not in words:
                raise ModelError(f"{name} are {' or '.join(map(repr, words))}, not {getattr(self, name)!r}.")

    def text(self, name: str) -> str:
        """Names as typed; coordinates by number are q1, q1'..."""
        bare = name.rstrip("'")
        number = self._number(bare)
        return name if number is None else f"q{number}{name[len(bare) :]}"

    def latex(self, name: str) -> str:
        stem, index, primes = self._parts(name)
        head = f"\\{stem}" if stem in _GREEK else stem if len(stem) == 1 else f"\\mathrm{{{_safe(stem)}}}"
        if primes and self.rates == "dots" and primes < 4:
            head, primes = f"\\{'d' * primes}ot{{{head}}}", 0
        letter, words = _lettered(index)
        told = words if words.isdigit() or not words else f"\\mathrm{{{_safe(words)}}}"
        below = f"\\{letter}," * bool(letter) + told if words else f"\\{letter}" * bool(letter)
        return head + (f"_{{{below}}}" if below else "") + "'" * primes

    def mathml(self, name: str) -> str:
        stem, index, primes = self._parts(name)
        letter = _GREEK.get(stem, stem)
        upright = len(letter) > 1 or "Α" <= letter <= "Ω"  # capital Greek letters, as on paper
        head = f'<mi mathvariant="normal">{escape(letter)}</mi>' if upright else f"<mi>{escape(letter)}</mi>"
        if primes and self.rates == "dots" and primes < 4:
            head, primes = f'<mover accent="true">{head}<mo stretchy="false">{_DOTS[primes]}</mo></mover>', 0
        letter, words = _lettered(index)
        below = f"<mn>{words}</mn>" if words.isdigit() else f"<mtext>{escape(words)}</mtext>"
        if letter:
            below = f"<mrow><mi>{_GREEK[letter]}</mi>{f'<mo>,</mo>{below}' * bool(words)}</mrow>"
        if primes:
            above = f"<mo>{'′' * primes}</mo>"
            return f"<msubsup>{head}{below}{above}</msubsup>" if index else f"<msup>{head}{above}</msup>"
        return f"<msub>{head}{below}</msub>" if index else head

    def width(self, name: str) -> float:
        """In em."""
        return latex_width(self.latex(name))

    def _number(self, bare: str) -> int | None:
        return self.numbered.get(bare) if self.coordinates == "numbers" else None

    def _parts(self, name: str) -> tuple[str, str, int]:
        """Stem, index and number of derivatives: `elbow.th'` is theta, elbow, 1."""
        bare = name.rstrip("'")
        number = self._number(bare)
        if number is not None:
            return "q", str(number), len(name) - len(bare)
        *owners, own = bare.split(".")
        if owners and _COMPONENT.fullmatch(own):  # b.Fx, a component of the reaction of b, is F_(b,x)
            return own[0], ",".join((*owners, own[1])), len(name) - len(bare)
        found = re.fullmatch(r"([A-Za-z]+\d+[A-Za-z]+|[A-Za-z]+?)_?(\d+(?:_\d+)*|)((?:_\w+)*)", own)
        stem, index = (found[1], (found[2] + found[3]).strip("_")) if found else (own, "")
        stem, dots = _SHORT.get(stem, stem) if owners else stem, len(name) - len(bare)
        index = _SHORT.get(index, index) if owners else index
        rate = _RATE.fullmatch(own)
        if rate and not owners and not dots:  # dM_0_4_xy is the rate of M_0_4_xy
            stem, dots = rate[2], len(rate[1])
        return stem, ",".join(x for x in (index.replace("_", ","), *owners) if x), dots


def _lettered(index: str) -> tuple[str, str]:
    """A Greek letter with which an index begins, as in p_(theta, elbow), and the rest."""
    letter, _, rest = index.partition(",")
    return (letter, rest) if letter in _GREEK else ("", index)


def _safe(text: str) -> str:
    return re.sub(r"([_#$%&{}])", r"\\\1", text)


PLAIN = Notation()


def numbered(notation: Notation, coordinates: tuple[str, ...]) -> Notation:
    """The notation with the numbers of these coordinates."""
    if notation.coordinates == "names":
        return notation
    places = {name: k for k, name in enumerate(coordinates, 1)}
    return Notation(notation.rates, notation.coordinates, notation.definitions, places)
