"""Defaults of MJCF: attributes by class and tag; actuators share theirs, but for the law by which they push.

A class has what its parent has. Of the law, a shortcut (`position`, `velocity`...) has that of the nearest class that
says one of its own kind or a `general` one; a `general` actuator has that of the nearest class, in gains and biases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dalembert.errors import ModelError
from dalembert.io.mjcf_scope import ACTUATORS
from dalembert.mechanism.xml import Element

Attributes = dict[str, str]
Laws = tuple[tuple[str, Attributes], ...]  #: kinds of actuators with what they say of their law, from class to class

#: What says how an actuator pushes; what a `general` one and another kind have of each other is told as left out.
_OF_A_LAW = frozenset(
    "kp kv dampratio gainprm biasprm gaintype biastype dyntype dynprm timeconst area diameter bias inheritrange".split()
)
#: Rows of numbers of which an element may say the first ones, and its class has the others.
_ROWS = frozenset("size gear gainprm biasprm dynprm bias polycoef damping stiffness".split())
#: What says the same in two ways: the one that is said by the element counts.
_EITHER = {"kv": "dampratio", "dampratio": "kv", "area": "diameter", "diameter": "area"}
_TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(frozen=True)
class Defaults:
    """What each class gives."""

    classes: dict[str, dict[str, Attributes]] = field(default_factory=dict)
    laws: dict[str, Laws] = field(default_factory=dict)
    applied: list[Element] = field(default_factory=list)  # elements with what their class gives them

    @staticmethod
    def of(root: Element) -> Defaults:
        found = Defaults({"main": {}}, {"main": ()})

        def walk(one: Element, name: str, above: Mapping[str, Attributes], laws: Laws) -> None:
            own = found.classes.setdefault(name, {})
            for tag, attributes in above.items():
                own[tag] = {**attributes, **own.get(tag, {})}
            said: Laws = ()
            for child in one.children:
                if child.tag in ACTUATORS:
                    law = {x: text for x, text in child.attributes.items() if x in _OF_A_LAW}
                    own["actuator"] = over(own.get("actuator", {}), _without(child.attributes, _OF_A_LAW))
                    if law or child.tag != "general":  # the last one of a class decides
                        said = ((child.tag, over(_law_of(child.tag, (*laws, *said)), law)),)
                elif child.tag != "default":
                    own[child.tag] = over(own.get(child.tag, {}), child.attributes)
            found.laws[name] = (*laws, *said)
            for child in one.all("default"):
                walk(child, child.need("class"), own, found.laws[name])

        for top in root.all("default"):
            if top.get("class", "main") != "main":
                raise ModelError(
                    f"{top.where}: the outermost <default> is of the class 'main', not '{top.get('class')}': put one "
                    "of that class inside it."
                )
            walk(top, "main", {}, found.laws["main"])
        return found

    def apply(self, one: Element, inherited: str, kind: str = "") -> Element:
        """The element with the attributes that its class gives it, or to all of its `kind` (tendons, equalities)."""
        name = one.get("class") or inherited or "main"
        if name not in self.classes:
            raise ModelError(f"{one.where}: there is no default class '{name}'.")
        tag = kind or ("actuator" if one.tag in ACTUATORS else one.tag)
        known = self.classes[name].get(tag, {})
        if tag == "actuator":
            known = {**known, **_law_of(one.tag, self.laws[name])}
        attributes = over(known, one.attributes)
        made = Element(one.tag, attributes, one.where, one.children, one.text, one.asked)
        self.applied.append(made)
        return made


def over(low: Attributes, high: Attributes) -> Attributes:
    """Attributes over defaults; one way of writing an orientation replaces another, a row its first numbers."""
    if any(x in high for x in _TURNS):
        low = _without(low, _TURNS)
    if "fromto" in high:
        low = _without(low, (*_TURNS, "pos"))
    low = {name: value for name, value in low.items() if _EITHER.get(name) not in high}
    rows = {x: [*high[x].split(), *low[x].split()[len(high[x].split()) :]] for x in _ROWS & low.keys() & high.keys()}
    return {**low, **high, **{x: " ".join(words) for x, words in rows.items()}}


def _without(attributes: Attributes, names: Iterable[str]) -> Attributes:
    return {name: value for name, value in attributes.items() if name not in names}


def _law_of(kind: str, laws: Laws) -> Attributes:
    """What an actuator has of the laws of its classes."""
    if kind == "motor":
        return {}
    for of, said in reversed(laws):
        if kind == "general":
            return _in_general(of, said)
        if of in (kind, "general"):
            return said
    return {}


def _in_general(kind: str, said: Attributes) -> Attributes:
    """The law of a kind by gain and bias; what has more to it is told as left out."""
    if kind == "general":
        return said
    kp, kv = said.get("kp", "1"), said.get("kv", "1" if kind == "velocity" else "0")
    if kind == "motor":
        return {}
    if kind == "position" and said.keys() <= {"kp", "kv"}:
        return {"gainprm": kp, "biastype": "affine", "biasprm": f"0 {_minus(kp)} {_minus(kv)}"}
    if kind == "velocity" and said.keys() <= {"kv"}:
        return {"gainprm": kv, "biastype": "affine", "biasprm": f"0 0 {_minus(kv)}"}
    if kind == "damper" and said.keys() <= {"kv"}:
        return {"gaintype": "affine", "gainprm": f"0 0 {_minus(kv)}"}
    return {**said, f"law of <{kind}>": ""}


def _minus(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text.removeprefix('+')}"
