"""The compiled table of a mechanism (3.2.4): structure, variables, declared and deduced assignments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.lsd.naming import terms as t
from dalembert.lsd.naming.deduction import deduce
from dalembert.lsd.naming.entries import Entry, Variable
from dalembert.lsd.naming.indices import EffortPlace, FramePlace, Indices, LinkPlace, place
from dalembert.mechanism import Body, Displacement, Mechanism

IFRAME = "iframe"


@dataclass(frozen=True, slots=True)
class NamingTable:
    """Every generated variable with what is known of it."""

    mechanism: Mechanism
    indices: Indices
    variables: tuple[Variable, ...]
    declared: tuple[Entry, ...]
    deduced: tuple[Entry, ...]
    generic: tuple[Entry, ...] = ()

    def __getitem__(self, name: str) -> Entry:
        """The assignment or equation of one variable: `table["M0Io_4"]`."""
        for entry in (*self.declared, *self.deduced):
            if entry.name == name:
                return entry
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(entry.name == name for entry in (*self.declared, *self.deduced))

    def __str__(self) -> str:
        from dalembert.lsd.naming.show import as_text

        return as_text(self)

    def as_dict(self) -> dict[str, object]:
        from dalembert.lsd.naming.show import as_dict

        return as_dict(self)

    def latex(self) -> str:
        from dalembert.lsd.naming.show import as_latex

        return as_latex(self)

    def export(self, to: str) -> str:
        """The table as a file of "maple", "mathematica", "maxima" or "sympy"."""
        from dalembert.lsd.naming.export import export

        return export(self, to)


def names(mechanism: Mechanism) -> NamingTable:
    """Compile the naming table of any mechanism, written in LSD or not.

    >>> from dalembert import lsd
    >>> m = lsd.loads("let b = body iframe = 0, mass = 0 end ; join earth and b.frame with link end ;")
    >>> str(lsd.names(m)["mu_1"])
    'mu_1 := 0'
    """
    indices = place(mechanism)
    collected = _Declared(mechanism, indices)
    declared = tuple(collected.all())
    return NamingTable(
        mechanism,
        indices,
        tuple(_variables(mechanism, indices)),
        declared,
        tuple(deduce(indices, declared)),
        tuple(collected.generic),
    )


@dataclass(slots=True)
class _Declared:
    mechanism: Mechanism
    indices: Indices
    generic: list[Entry] = field(default_factory=list)

    def all(self) -> Iterator[Entry]:
        for i, body in enumerate(self.indices.bodies[1:], 1):
            yield from self._body(i, body)
        for one in self.indices.frames:
            yield from self._displacement(one)
        for link in self.indices.links:
            yield from self._link(link)
        for effort in self.indices.efforts:
            yield Entry(effort.variable, ":=", t.vector(effort.value))

    def _body(self, i: int, body: Body) -> Iterator[Entry]:
        pair = self.indices.numbering.inertia_frame(i)
        yield from self._parts(f"{i}", f"{i}_{pair}", body.iframe)
        if body.mass.op != "symbol" or body.mass.name != f"mu_{i}":
            yield Entry(f"mu_{i}", ":=", t.scalar(body.mass))
        inertia = body.inertia
        if inertia.is_diagonal:
            values = inertia.entries[:3]
            entry = Entry(f"MIg_{i}", ":=", t.diagonal(values))
            yield from self._told(entry, _own(values, f"mIg_{i}", "xyz"))
        else:
            flat = tuple(x for row in inertia.matrix for x in row)
            yield Entry(f"MIg_{i}", ":=", t.Term("matrix", scalars=flat))

    def _parts(self, base: str, index: str, value: Displacement) -> Iterator[Entry]:
        slide = Entry(f"V{base}T_{index}", ":=", t.vector(value.translation))
        yield from self._told(slide, _own(value.translation, f"v{base}T_{index}", "xyz"))
        angles = tuple(x for turn in value.turns for x in turn.scalars[:1])
        turned = Entry(f"M{base}R_{index}", ":=", t.rotation(value.turns))
        yield from self._told(turned, _own(angles, f"m{base}R_{index}", "123"))

    def _told(self, entry: Entry, generic: bool) -> Iterator[Entry]:
        """What is wholly generic was not declared: it only defines a matrix by its own scalars."""
        if generic:
            self.generic.append(entry)
        else:
            yield entry

    def _displacement(self, one: FramePlace) -> Iterator[Entry]:
        if not one.is_inertia:
            yield from self._parts(str(one.body), f"{one.body}_{one.pair}", one.displacement)

    def _link(self, link: LinkPlace) -> Iterator[Entry]:
        whole = Displacement()
        for step in link.steps:
            whole = whole @ step.displacement
        yield from self._parts(link.first, f"{link.first}_{link.second}", whole)
        for rank, step in enumerate(link.steps, 1):
            mark = f"_{rank}" if len(link.steps) > 1 else ""
            for letter, value in (("FL", step.force), ("CL", step.torque)):
                if any(x is not ex.ZERO for x in value):
                    yield Entry(f"V{link.first}{letter}_{link.second}{mark}", ":=", t.vector(value))
        for parameter, effort in link.efforts:
            yield Entry(f"qL_{link.second}_{parameter}", ":=", t.scalar(effort))


def _own(values: tuple[Expr, ...], stem: str, suffixes: str) -> bool:
    """Whether the scalars are just the generic symbols of their own variable."""
    return len(values) == len(suffixes) and all(
        x.op == "symbol" and x.name == f"{stem}_{s}" for x, s in zip(values, suffixes)
    )


def _variables(mechanism: Mechanism, indices: Indices) -> Iterator[Variable]:
    numbering = indices.numbering
    for i, body in enumerate(indices.bodies[1:], 1):
        pair = numbering.inertia_frame(i)
        yield Variable(f"mu_{i}", f"mass of {body.name}")
        yield Variable(f"D_0_{i}", f"displacement from earth to the reference frame of {body.name}")
        yield Variable(f"D_{i}_{pair}", f"displacement from the reference frame to the inertia frame of {body.name}")
        yield Variable(f"MIg_{i}", f"inertia of {body.name} about its centre, base of its inertia frame")
        yield Variable(f"M0Ig_{i}", f"inertia of {body.name} about its centre, base of earth")
        yield Variable(f"MIo_{i}", f"inertia of {body.name} about its origin, base of its inertia frame")
        yield Variable(f"M0Io_{i}", f"inertia of {body.name} about its origin, base of earth")
        yield Variable(f"p{i}[1..6](t)", f"position and orientation parameters of {body.name}")
        yield Variable(f"q{i}[1..6](t)", f"kinematic parameters of {body.name}")
    for link in indices.links:
        kind = "principal" if link.principal else "complementary"
        yield Variable(f"L_{link.number}", f"{kind} link {link.name}, frames {link.first} and {link.second}")
        for k, coordinate in enumerate(link.coordinates, 1):
            yield Variable(f"x{link.number}[{k}](t)", f"coordinate {coordinate}")
        yield Variable(f"v{link.number}[1..{link.dof}](t)", f"kinematic parameters of link {link.name}")
        yield Variable(f"D_{link.first}_{link.second}", f"displacement of link {link.name}")
    seen: Counter[str] = Counter()
    for effort in indices.efforts:
        if not seen[effort.variable]:
            yield Variable(effort.variable, _effort_meaning(effort))
        seen[effort.variable] += 1


def _effort_meaning(effort: EffortPlace) -> str:
    what = "force at a frame of" if effort.kind == "FE" else "torque on"
    return f"external {what} {effort.body}, components in the base of {effort.base}"
