"""Tendons of MJCF: sums of joints, and straight lines between two sites."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.io.assembly import Assembly
from dalembert.io.mjcf_scope import is_limited
from dalembert.io.parts import grip
from dalembert.io.poses import Pose
from dalembert.mechanism.contrivances import place_name
from dalembert.mechanism.effort import LENGTH
from dalembert.mechanism.quantities import RATE, called
from dalembert.mechanism.xml import Element

if TYPE_CHECKING:
    from dalembert.io.mjcf import Tree

_AT_REST = -1.0
"""The length of a spring that says: what the tendon has where the springs of its joints rest."""


class Tendon(Protocol):
    """A length with its rate, as laws of its force name them."""

    value: Expr
    rate: Expr
    zero: float  # its length where every joint is at its zero
    rest: float  # and where the spring of every joint rests

    def pull(self, force: Expr, where: str) -> None:
        """A force that makes it longer."""

    def measured(self) -> Expr:
        """Its length in words of constraints and contacts, when bodies and links are there."""

    def slip(self) -> Expr:
        """The rate of that length."""


class Sum:
    """A fixed tendon: a sum of joints with coefficients."""

    def __init__(self, one: Element, a: Assembly) -> None:
        self.a, self.parts = a, list[tuple[str, float]]()
        self.value, self.rate, self.zero, self.rest = ZERO, ZERO, 0.0, 0.0
        for joint in one.all("joint"):
            name, share = joint.need("joint"), joint.number("coef", 0.0)
            freedom = a.freedom(name)
            if freedom is None:
                raise ModelError(f"{joint.where}: there is no joint '{name}'.")
            q = a.coordinate(name, joint.where)
            self.parts.append((name, share))
            self.value = self.value + share * q
            self.rate = self.rate + share * ex.prime(q)
            self.zero += share * freedom.zero
            self.rest += share * freedom.rest

    def pull(self, force: Expr, where: str) -> None:
        for joint, share in self.parts:
            self.a.push(joint, share * force, where)

    def measured(self) -> Expr:
        return self.value

    def slip(self) -> Expr:
        return self.rate


class Line:
    """A spatial tendon between two sites: an effort along the line."""

    def __init__(self, ends: list[tuple[str, Pose]], name: str, a: Assembly) -> None:
        self.a, self.ends, self.name = a, ends, a.beside(name)
        self.value, self.rate = LENGTH, ex.prime(LENGTH)
        self.zero, self.rest = (self._between(x) for x in (a.posture(), a.posture(lambda x: x.rest)))
        self.force: Expr = ZERO
        a.later(self._made)

    def _between(self, stand: dict[str, Pose]) -> float:
        first, second = ((stand[body] @ pose).p for body, pose in self.ends)
        return float(np.linalg.norm(first - second))

    def pull(self, force: Expr, where: str) -> None:
        self.force = self.force + force

    def _made(self) -> None:
        if self.force is not ZERO:
            first, second = (self.a.frame(*end) for end in self.ends)
            self.a.m.spring(first, second, force=self.force, name=self.name)

    def measured(self) -> Expr:
        return called("dist", *(place_name(self.a.m, self.a.frame(*end)) for end in self.ends))

    def slip(self) -> Expr:
        return ex.apply(RATE, (self.measured(),))


def tendons(root: Element, tree: Tree) -> dict[str, Tendon]:
    """Those that map, by name; their springs, dampers and limits are laid on."""
    found: dict[str, Tendon] = {}
    for section in root.all("tendon"):
        for number, raw in enumerate(section.children, 1):
            one = tree.defaults.apply(raw, "", "tendon")
            name = raw.get("name") or f"tendon_{number}"
            made = _made(raw.tag, one, name, tree)
            if made is not None:
                found[name] = made
                _laws(one, name, made, tree)
    return found


def _made(tag: str, one: Element, name: str, tree: Tree) -> Tendon | None:
    a = tree.a
    if tag == "fixed":
        return Sum(one, a)
    if tag != "spatial":
        a.note(f"{one.where}: tendon <{tag}> is left out.")
        return None
    sites = [x for x in one.children if x.tag == "site"]
    if len(sites) != 2 or len(sites) != len(one.children):
        a.note(f"{one.where}: tendon '{name}' goes over more than two points: left out.")
        return None
    ends = [tree.site(x.need("site"), x.where) for x in sites]
    if ends[0][0] == ends[1][0]:
        a.note(f"{one.where}: tendon '{name}' joins two points of one body: left out.")
        return None
    return Line(ends, name, a)


def _laws(one: Element, name: str, tendon: Tendon, tree: Tree) -> None:
    a, off = tree.a, tree.settings.off
    force: Expr = ZERO
    stiffness = 0.0 if "spring" in off else tree.first(one, "stiffness")
    if stiffness:
        rest = one.numbers("springlength", [_AT_REST])
        low, high = (rest[0], rest[-1]) if max(rest) != min(rest) or rest[0] != _AT_REST else (tendon.rest, tendon.rest)
        away = tendon.value - low
        if low != high:  # slack between the two
            away = ex.minimum(away, ZERO) + ex.maximum(tendon.value - high, ZERO)
        force = force - stiffness * away
    damping = 0.0 if "damper" in off else tree.first(one, "damping")
    if damping:
        force = force - damping * tendon.rate
    dry = 0.0 if "frictionloss" in off else one.number("frictionloss", 0.0)
    if dry:
        grip(a, name, dry, tendon.slip, f"tendon '{name}'")
    if force is not ZERO:
        tendon.pull(force, one.where)
    if one.number("armature", 0.0):
        a.note(f"{one.where}: the armature of tendon '{name}' is left out.")
    if is_limited(one, tree.settings) and "limit" not in off:
        low, high = one.numbers("range", [0, 0], exactly=2)
        for end, way, value in (("low", 1, low), ("high", -1, high)):
            stop = a.beside(f"{name}_{end}")
            a.later(_stop(tendon, way, value, stop, a), unless="limits")


def _stop(tendon: Tendon, way: int, value: float, name: str, a: Assembly) -> Callable[[], object]:
    return lambda: a.m.contact(way * (tendon.measured() - value), name=name)
