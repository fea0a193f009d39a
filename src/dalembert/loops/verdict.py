"""The verdict on mobility: numbers, certificate, and plain words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dalembert.presentation.told import Told

if TYPE_CHECKING:
    from dalembert.loops.check import Check, Evidence

from dalembert.loops.words import posture_words
from dalembert.presentation.records import Record


@dataclass(frozen=True, slots=True)
class Redundant:
    """A link whose constraints are partly redundant: `count` of `of` take part in self-stresses."""

    link: str
    count: int
    of: int
    words: str

    def __str__(self) -> str:
        return f"{self.link}: {self.count} of {self.of} ({self.words})"


@dataclass(frozen=True, slots=True)
class Branch:
    """A piece of the configuration space near the configuration: its dimension and where it was met."""

    dof: int
    proved: bool
    rank: int
    at: dict[str, float] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Certificate(Record):
    """What proves the bounds, and what a checker needs to prove them again."""

    at_least: str
    at_most: str
    proved: bool
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    tree: bool = False

    def check(self) -> Check:
        """Check the bounds anew: other code, from the description, in balls of as many digits.

        What is not proved, or has no witness, is left open; a check is true when nothing is denied or open.
        """
        from dalembert.loops.check import Check, check

        if self.tree:
            return Check(("no loop: every coordinate is free",), (), ())
        if self.evidence is None:
            return Check((), (), ("both bounds: the verdict came without evidence",))
        found = check(self.evidence)
        if self.proved:
            return found
        return Check(found.confirmed, found.denied, (*found.open, "the verdict, which is not proved"))

    def to_json(self) -> dict[str, str]:
        return {"at least": self.at_least, "at most": self.at_most}


@dataclass(frozen=True, slots=True)
class Mobility(Told):
    """How a mechanism with loops can move, near one closed configuration.

    `dof` is the finite mobility: the dimension of the configuration space there; None when the bounds do not meet.
    `instantaneous` is what the linearised
    closure allows, never less. `rank_on` is the rank of the constraint matrix in the speeds of the tree at the
    configuration, `rank_off` its generic rank without the closure, `rank_off_closure` the same for the derivative of
    the closure equations themselves. `lower` and `upper` are proved bounds when they carry a certificate.
    """

    name: str
    dof: int | None
    proved: bool
    tree_dof: int
    gruebler: int
    rank_off: int
    rank_off_closure: int
    rank_on: int
    rank_branch: int
    instantaneous: int
    lower: int
    upper: int
    lower_by: str
    upper_by: str
    method: str
    redundant: tuple[Redundant, ...]
    redundancy: int
    permanent_redundancy: int
    singular: bool
    branches: tuple[Branch, ...]
    loops: tuple[tuple[tuple[str, ...], int, str], ...]
    at: dict[str, float] = field(repr=False)
    gap: float = 0.0
    error_bound: float = 0.0
    notes: tuple[str, ...] = ()
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    contacts: tuple[str, ...] = ()
    """Contacts that the verdict leaves open: one that touches takes freedoms away on its side."""

    @property
    def certificate(self) -> Certificate:
        """What proves each bound; `certificate.check()` asks an independent checker."""
        bounds = f"{self.lower}: {self.lower_by}", f"{self.upper}: {self.upper_by}"
        return Certificate(*bounds, self.proved, self.evidence, tree=not self.loops and not self.rank_off_closure)

    def to_json(self) -> dict[str, Any]:
        """Plain data for machines."""
        return {
            "name": self.name,
            "dof": self.dof,
            "proved": self.proved,
            "tree_dof": self.tree_dof,
            "gruebler": self.gruebler,
            "rank_off": self.rank_off,
            "rank_off_closure": self.rank_off_closure,
            "rank_on": self.rank_on,
            "rank_branch": self.rank_branch,
            "instantaneous": self.instantaneous,
            "lower": self.lower,
            "upper": self.upper,
            "method": self.method,
            "certificate": self.certificate.to_json(),
            "redundancy": self.redundancy,
            "permanent_redundancy": self.permanent_redundancy,
            "redundant": [
                {"link": r.link, "constraints": r.count, "of": r.of, "words": r.words} for r in self.redundant
            ],
            "singular": self.singular,
            "branches": [{"dof": b.dof, "proved": b.proved, "rank": b.rank, "at": b.at} for b in self.branches],
            "loops": [{"links": list(links), "equations": d, "kind": kind} for links, d, kind in self.loops],
            "at": self.at,
            "gap": self.gap,
            "error_bound": self.error_bound,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([*self._headline(), *self._table(), *self._words()])

    def _headline(self) -> list[str]:
        if self.dof is None:
            return [
                f"{self.name}: between {self.lower} and {self.upper} degrees of freedom (not proved: unknown which)",
                "",
            ]
        many = "degree of freedom" if self.dof == 1 else "degrees of freedom"
        word = "proved" if self.proved else "not proved: as far as rounded data allow"
        more = f" and {len(self.contacts) - 6} more" if len(self.contacts) > 6 else ""
        left = f", with the contacts {', '.join(self.contacts[:6])}{more} open" if self.contacts else ""
        return [f"{self.name}: {self.dof} {many} ({word}{left})", ""]

    def _table(self) -> list[str]:
        rows = [
            ("freedoms of the tree", self.tree_dof),
            ("Grübler-Kutzbach count", self.gruebler),
            ("rank off the closure (velocity form)", self.rank_off),
            ("rank off the closure (closure equations)", self.rank_off_closure),
            ("rank on the closure, here", self.rank_on),
            ("instantaneous mobility, here", self.instantaneous),
            ("finite mobility", self.dof if self.dof is not None else f"{self.lower}..{self.upper}"),
        ]
        return [f"  {name:<42}{value:>6}" for name, value in rows]

    def _words(self) -> list[str]:
        lines = ["", f"at least {self.lower}: {self.lower_by}", f"at most {self.upper}: {self.upper_by}"]
        if self.loops:
            kinds = ", ".join(
                f"{kind} ({d} equation{'s' if d != 1 else ''}: {' '.join(links)})" for links, d, kind in self.loops[:8]
            )
            more = f" and {len(self.loops) - 8} more" if len(self.loops) > 8 else ""
            lines.append(f"loops: {kinds}{more}")
        if self.redundancy:
            always = (
                "always"
                if self.permanent_redundancy == self.redundancy
                else "only in this posture"
                if not self.permanent_redundancy
                else f"{self.permanent_redundancy} always, the others only in this posture"
            )
            lines.append(f"{self.redundancy} closure equations are redundant ({always}). Links that share in them:")
            lines += [f"  {one}" for one in self.redundant[:12]]
            if len(self.redundant) > 12:
                lines.append(f"  and {len(self.redundant) - 12} more links")
        else:
            lines.append("no closure equation is redundant")
        if self.singular:
            lines.append("this posture is singular: the constraint matrix has a smaller rank here than near by")
        if self.proved and self.dof is not None and self.instantaneous > self.dof:
            extra = self.instantaneous - self.dof
            lines.append(
                f"branches cross: not every mixture of the {self.instantaneous} instantaneous motions can be continued"
                if len(self.branches) > 1
                else f"{extra} of the {self.instantaneous} instantaneous motions cannot be continued (shaky)"
            )
        if len(self.branches) > 1:
            lines.append("branches near this configuration:")
            lines += [
                f"  dimension {b.dof}{'' if b.proved else ' (not proved)'}, rank {b.rank} in the tree's speeds"
                for b in self.branches
            ]
        if self.at:
            lines.append(f"judged at {posture_words(self.at, 12)}")
        lines += [f"note: {note}" for note in self.notes]
        return lines
