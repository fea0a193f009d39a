"""What a designer can do about redundant constraints: sets that may be released together, and other joints.

Every link carries efforts along its own axes. Their shares in the self-stresses form a matrix, one column for each
self-stress. A set of efforts may be released together, without a new motion, when their rows are independent; it ends
all redundancy when there are as many rows as self-stresses. A proposal changes joints so that exactly such a set goes,
and is verified: the changed machine is judged by `mobility`. It allows what the old one allows; when both are smooth
there, of the same proved dimension, they move alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr.space import AXES, Vector3, cross, scale3
from dalembert.loops.assembly import Closing
from dalembert.loops.charts import judged_at
from dalembert.loops.jointaxes import JointAxes, direction
from dalembert.loops.linkage import build_linkage, only_loops
from dalembert.loops.mobility import mobility
from dalembert.loops.redundancy import stress_shares
from dalembert.loops.relations import tangent_at
from dalembert.loops.units import in_own_units
from dalembert.loops.verdict import Mobility
from dalembert.mechanism import Displacement, Joint, Layout, Link, Mechanism, Step, Turn, unit_axis

Array = Any

#: Rows of unit self-stresses are independent when the smallest singular value is above this: far from rounding (1e-11),
#: and a released set that hangs on less would leave a machine that is nearly singular.
_INDEPENDENT = 1e-4
#: Entries of unit self-stresses below this are rounding: postures close to 1e-11.
_SHARES = 1e-7
_MOST_TRIALS = 20_000


@dataclass(frozen=True, slots=True)
class Effort:
    """One effort that a link carries, along one of its own axes."""

    link: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} of {self.link}"


@dataclass(frozen=True, slots=True)
class Change:
    """Another joint for a link, and the efforts that it no longer carries."""

    link: str
    joint: str
    releases: tuple[Effort, ...]
    gains: str = field(repr=False)  # letters: s slides along the axis, t turns about it, 1 and 2 turn across it

    def __str__(self) -> str:
        return f"replace {self.link} by {self.joint}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Changes of joints that end the redundancy; `verified` when the changed machine provably moves as before."""

    changes: tuple[Change, ...]
    verdict: Mobility
    verified: bool
    mechanism: Mechanism = field(repr=False)

    def __str__(self) -> str:
        what = " and ".join(str(c) for c in self.changes)
        many = f"{self.verdict.dof} freedom{'s' if self.verdict.dof != 1 else ''}"
        if self.verified:
            return f"{what}: the same motion ({many}, proved), nothing redundant"
        known = many if self.verdict.proved else f"{self.verdict.lower} to {self.verdict.upper} freedoms"
        return f"{what}: not verified ({known}, {self.verdict.redundancy} redundant)"


@dataclass(frozen=True, slots=True)
class Releases:
    """Efforts that take part in self-stresses, and which of them may go together."""

    efforts: tuple[Effort, ...]
    shares: Array = field(repr=False)
    redundancy: int

    def together(self, efforts: Collection[Effort | tuple[str, str]]) -> bool:
        """Whether these may be released together without a new motion (to first order)."""
        wanted = [e if isinstance(e, Effort) else Effort(*e) for e in efforts]
        for e in wanted:
            if e not in self.efforts:
                named = ", ".join(map(str, self.efforts[:12]))
                raise ModelError(f"'{e}' takes no part in a self-stress. Those that do: {named}.")
        return _independent(self.shares[[self.efforts.index(e) for e in wanted]])

    def sets(self, limit: int = 50) -> Iterator[tuple[Effort, ...]]:
        """Sets that end all redundancy, each as large as the redundancy; the first `limit`."""
        found = 0
        for tried, chosen in enumerate(combinations(range(len(self.efforts)), self.redundancy)):
            if found == limit or tried >= _MOST_TRIALS:
                return
            if _independent(self.shares[list(chosen)]):
                found += 1
                yield tuple(self.efforts[i] for i in chosen)


def _independent(rows: Array) -> bool:
    if not len(rows):
        return True
    if len(rows) > rows.shape[1]:
        return False
    return bool(np.linalg.svd(rows, compute_uv=False)[-1] > _INDEPENDENT)


def releasable(
    mechanism: Mechanism,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> Releases:
    """Efforts in the joints' own axes that take part in self-stresses at a closed configuration."""
    verdict = mobility(mechanism, at, given=given, cut=cut)
    return _releases(*_shares(mechanism, verdict, given, cut))


def _shares(
    mechanism: Mechanism, verdict: Mobility, given: Mapping[str, Any] | None, cut: Collection[str]
) -> tuple[dict[str, tuple[JointAxes, Array]], int]:
    layout = Layout.of(mechanism, cut)
    only_loops(layout, "what may be released")
    linkage = in_own_units(build_linkage(layout, given, verdict.at), verdict.at)
    closing = Closing(linkage)
    x = judged_at(linkage, verdict)
    if linkage.equations:
        raise ModelError("links given by equations carry efforts that have no joint axes: release them by hand.")
    stresses = tangent_at(closing, x).stresses
    return stress_shares(closing, x, stresses), stresses.shape[1]


def _names(axes: JointAxes) -> tuple[str, ...]:
    """Names of the six efforts in the joint's own base."""
    if axes.kind == "hinge":
        return ("axial force", "radial force 1", "radial force 2", "torque", "bending moment 1", "bending moment 2")
    if axes.kind == "slide":
        return (
            "thrust",
            "lateral force 1",
            "lateral force 2",
            "twisting moment",
            "bending moment 1",
            "bending moment 2",
        )
    return tuple(f"{kind} {k}" for kind in ("force", "moment") for k in (1, 2, 3))


def _releases(shares: dict[str, tuple[JointAxes, Array]], redundancy: int) -> Releases:
    efforts, rows = [], []
    for link, (axes, local) in shares.items():
        for k, name in enumerate(_names(axes)):
            if np.linalg.norm(local[k]) > _SHARES:
                efforts.append(Effort(link, name))
                rows.append(local[k])
    table = np.array(rows).reshape(len(rows), redundancy)
    return Releases(tuple(efforts), table, redundancy)


# --- other joints ----------------------------------------------------------------------------------------------------


def proposals(
    mechanism: Mechanism,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    limit: int = 3,
    most_links: int = 4,
) -> list[Proposal]:
    """Other joints for few links that end the redundancy with the same motion, verified ones first.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("four-bar")
    >>> a, b, c = m.body("a"), m.body("b"), m.body("c")
    >>> links = [m.join(earth, a, revolute("z"), name="A"), m.join(a.at([1, 0, 0]), b, revolute("z"), name="B"),
    ...          m.join(earth.at([4, 0, 0]), c, revolute("z"), name="D"),
    ...          m.join(b.at([3.5, 0, 0]), c.at([2.5, 0, 0]), revolute("z"), name="C")]
    >>> m.start.update({"A.th": 1, "B.th": -0.5, "D.th": 1.5, "C.th": 1})
    >>> print(proposals(m, limit=1)[0])
    replace B by a ball joint that slides along the axis: the same motion (1 freedom, proved), nothing redundant
    """
    verdict = mobility(mechanism, at, given=given, cut=cut)
    if not verdict.redundancy:
        return []
    shares, redundancy = _shares(mechanism, verdict, given, cut)
    found: list[Proposal] = []
    for changes in _candidates(mechanism, shares, redundancy, most_links):
        changed = _changed(mechanism, {c.link: c.gains for c, _ in changes}, verdict.at)
        new = mobility(changed, given=given)
        same = new.proved and verdict.proved and new.dof == verdict.dof == new.instantaneous
        same = same and not verdict.singular and not new.redundancy
        found.append(Proposal(tuple(c for c, _ in changes), new, same, changed))
        if sum(p.verified for p in found) == limit or len(found) >= 3 * limit:
            break
    return sorted(found, key=lambda p: not p.verified)[:limit]


#: Other joints, with the rows of the efforts that they no longer carry and the freedoms that they gain. The order is
#: that in which a workshop would try them; {} is the direction of a new axis.
_OTHERS: dict[tuple[str, int], tuple[tuple[str, tuple[int, ...], str], ...]] = {
    ("hinge", 1): (
        ("a ball joint", (4, 5), "12"),
        ("a hinge that slides along its axis", (0,), "s"),
        ("a ball joint that slides along the axis", (0, 4, 5), "s12"),
        ("a universal joint with its other axis along {}", (4,), "1"),
        ("a universal joint with its other axis along {}", (5,), "2"),
    ),
    ("hinge", 2): (("a ball joint that slides along the axis", (4, 5), "12"),),
    ("slide", 1): (
        ("a slide that turns about its rail", (3,), "t"),
        ("a ball joint that slides on the rail", (3, 4, 5), "t12"),
        ("a slide with a hinge along {}", (4,), "1"),
        ("a slide with a hinge along {}", (5,), "2"),
    ),
    ("cardan", 2): (("a ball joint", (3,), "t"),),
}


def _candidates(
    mechanism: Mechanism, shares: dict[str, tuple[JointAxes, Array]], redundancy: int, most_links: int
) -> Iterator[list[tuple[Change, Array]]]:
    """Changes of as few links as possible whose rows are exactly a basis."""
    options: dict[str, list[tuple[Change, Array]]] = {}
    # bearings on earth are often driven: other links first
    on_earth = {n: "earth" in (one.first.body, one.second.body) for n, one in mechanism.links.items()}
    for link in sorted(shares, key=lambda n: on_earth[n]):
        axes, local = shares[link]
        free = len(axes.turns) + len(axes.slides)
        for joint, rows, gains in _OTHERS.get((axes.kind, free), ()):
            names = _names(axes)
            if _independent(local[list(rows)]):
                words = joint.format(direction(axes, axes.base[:, rows[0] - 3])) if "{" in joint else joint
                change = Change(link, words, tuple(Effort(link, names[k]) for k in rows), gains)
                options.setdefault(link, []).append((change, local[list(rows)]))
    tried = 0
    for count in range(1, most_links + 1):
        for links in combinations(options, count):
            for chosen in product(*(options[link] for link in links)):
                tried += 1
                if tried > _MOST_TRIALS:
                    break
                released = np.concatenate([r for _, r in chosen])
                if len(released) == redundancy and _independent(released):
                    yield list(chosen)
    yield from _greedy(options, redundancy)


def _greedy(options: dict[str, list[tuple[Change, Array]]], redundancy: int) -> Iterator[list[tuple[Change, Array]]]:
    """Large machines: the joint that releases most, link after link, as long as rows stay independent."""
    chosen: list[tuple[Change, Array]] = []
    rows = np.zeros((0, redundancy))
    for several in options.values():
        for change, extra in sorted(several, key=lambda one: -len(one[1])):
            more = np.concatenate([rows, extra])
            if len(more) <= redundancy and _independent(more):
                chosen.append((change, extra))
                rows = more
                break
        if len(rows) == redundancy:
            yield chosen
            return


def _changed(mechanism: Mechanism, joints: Mapping[str, str], at: Mapping[str, float]) -> Mechanism:
    """The machine with other joints in the same posture; freedoms that are new are zero there."""
    new = Mechanism(mechanism.name)
    new.given, new.start = dict(mechanism.given), dict(at)
    for body in mechanism.bodies.values():
        if body.name != "earth":
            new.add_body(body)
    for link in mechanism.links.values():
        joint = _other_joint(link, joints[link.name]) if link.name in joints else link.joint
        new.join(link.first, link.second, joint, name=link.name)
    return new


def _other_joint(link: Link, gains: str) -> Joint:
    """The joint's own steps and the freedoms that it gains: at a hinge before it turns, otherwise after them."""
    steps = link.joint.steps
    turns = [one for step in steps for one in step.displacement.turns if isinstance(one, Turn)]
    axis = turns[0].axis if turns else _slide_axis(steps[0])
    if len(turns) == 2:
        axis = unit_axis(cross(turns[0].axis, turns[1].axis))
    zero = [n for n, c in zip("xyz", axis, strict=True) if c is ex.ZERO]  # the rule of `jointaxes.across`
    first = AXES[zero[0]] if zero else unit_axis(cross(axis, AXES["x"]))
    second = unit_axis(cross(axis, first))
    own = list(link.joint.parameters)

    def name(*choices: str) -> ex.Expr:
        own.append(next(c for c in choices if c not in own))
        return ex.symbol(own[-1])

    extra = [Step(Displacement(scale3(name("s", "s1"), axis)))] if "s" in gains else []
    for letter, about, names in (("t", axis, ("th", "tw")), ("1", first, ("be", "be1")), ("2", second, ("ga", "ga1"))):
        if letter in gains:
            extra.append(Step(Displacement(turns=(Turn(name(*names), about),))))
    hinge = len(turns) == 1
    return Joint(tuple(own), (*extra, *steps) if hinge else (*steps, *extra), kind="composite")


def _slide_axis(step: Step) -> Vector3:
    symbols = sorted(ex.free_symbols(list(step.displacement.translation)), key=lambda s: s.name)
    slope: Sequence[Any] = ex.tangent(list(step.displacement.translation), {symbols[0]: ex.ONE})
    return unit_axis(list(slope))
