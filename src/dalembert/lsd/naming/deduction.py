"""What follows from the declared assignments: changes of base, Huygens, the tree, with zero and identity propagated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert import expr as ex
from dalembert.lsd.naming import terms as t
from dalembert.lsd.naming.entries import Entry
from dalembert.lsd.naming.indices import Indices, LinkPlace


class _Known:
    """Values that decide simplifications: zero vectors and masses, identity rotations, equal matrices."""

    def __init__(self, declared: Sequence[Entry], bodies: int) -> None:
        # Equations are chained from body to body, so the variables of bodies keep their names.
        self.of_bodies = {f"{letter}_0_{i}" for i in range(bodies) for letter in ("M0R", "V0T")}
        self.value: dict[str, t.Term] = {e.name: e.value for e in declared}

    def of(self, variable: str) -> t.Term:
        """The variable, replaced by 0 or Id when it is that, or by its body's variable when it is a frame's."""
        value = self.value.get(variable)
        if value is not None and (value.is_zero or value.is_identity):
            return value
        if value is not None and value.op == "name" and variable not in self.of_bodies:
            return value
        return t.name(variable)

    def set(self, variable: str, value: t.Term) -> Entry:
        self.value[variable] = value
        return Entry(variable, ":=" if value.is_zero or value.is_identity else "=", value)


def deduce(indices: Indices, declared: Sequence[Entry]) -> Iterator[Entry]:
    """Templates of spec 2.3, in an order where each line uses earlier ones."""
    known = _Known(declared, len(indices.bodies))
    known.value["V0T_0_0"], known.value["M0R_0_0"] = t.ZERO, t.IDENTITY
    tree = sorted((link for link in indices.links if link.principal), key=lambda link: link.number)
    frames = {(f.body, f.pair): f for f in indices.frames}
    done: set[str] = set()

    def frame(body: int, pair: str) -> Iterator[Entry]:
        """A frame of a body seen from earth."""
        if pair in done:
            return
        done.add(pair)
        yield known.set(f"V0T_{body}_{pair}", t.product(known.of(f"M0R_0_{body}"), known.of(f"V{body}T_{body}_{pair}")))
        yield known.set(f"V0T_0_{pair}", t.total(known.of(f"V0T_0_{body}"), known.of(f"V0T_{body}_{pair}")))
        yield known.set(f"M0R_0_{pair}", t.product(known.of(f"M0R_0_{body}"), known.of(f"M{body}R_{body}_{pair}")))

    by_body: dict[int, list[str]] = {}
    for i, pair in frames:
        by_body.setdefault(i, []).append(pair)
    for link in tree:
        yield from _child(known, link)
        for pair in by_body.get(link.bodies[1], []):
            yield from frame(link.bodies[1], pair)
    for i in range(1, len(indices.bodies)):
        yield from _inertia(known, indices, i)
    for link in indices.links:
        yield from _joint_efforts(known, link)
        if not link.principal:
            yield from _closure(known, link)
    for effort in indices.efforts:
        if effort.fixed != effort.variable:
            base = known.of(f"M0R_0_{effort.base_number}")
            yield known.set(effort.fixed, t.product(base, known.of(effort.variable)))


def _child(known: _Known, link: LinkPlace) -> Iterator[Entry]:
    """D_0_j = D_0_i o D_i_ij o D_ij_ji o inverse(D_j_ji), i parent of j."""
    j = link.bodies[1]
    parent, child = (link.second, link.first) if link.flipped else (link.first, link.second)
    turn = known.of(f"M{link.first}R_{link.first}_{link.second}")
    relative = t.transpose(turn) if link.flipped else turn
    at_joint = known.of(f"M0R_0_{parent}")
    back = t.transpose(known.of(f"M{j}R_{j}_{child}"))
    yield known.set(f"M0R_0_{j}", t.product(at_joint, relative, back))
    slide = known.of(f"V{link.first}T_{link.first}_{link.second}")
    # Declared child first, the link leads back from the child: the way out is the opposite vector.
    back_slide = t.scaled(ex.MINUS_ONE, t.product(at_joint, relative, slide))
    moved = back_slide if link.flipped else t.product(at_joint, slide)
    own = t.product(known.of(f"M0R_0_{j}"), known.of(f"V{j}T_{j}_{child}"))
    yield known.set(f"V0T_0_{j}", t.total(known.of(f"V0T_0_{parent}"), moved, t.scaled(ex.MINUS_ONE, own)))


def _inertia(known: _Known, indices: Indices, i: int) -> Iterator[Entry]:
    """Change of base and Huygens: M0Io = M0Ig - mu tilde(V) tilde(V)."""
    pair = indices.numbering.inertia_frame(i)
    mass = indices.bodies[i].mass
    mu = ex.ZERO if mass is ex.ZERO else ex.symbol(f"mu_{i}")
    base, central = known.of(f"M0R_0_{pair}"), known.of(f"MIg_{i}")
    yield known.set(f"M0Ig_{i}", t.product(base, central, t.transpose(base)))
    arm = known.of(f"V0T_{i}_{pair}")
    spread = t.scaled(-mu, t.product(t.tilde(arm), t.tilde(arm)))
    yield known.set(f"M0Io_{i}", t.total(_kept(known, f"M0Ig_{i}"), spread))
    own = t.product(t.transpose(known.of(f"M{i}R_{i}_{pair}")), known.of(f"V{i}T_{i}_{pair}"))
    yield known.set(f"MIo_{i}", t.total(central, t.scaled(-mu, t.product(t.tilde(own), t.tilde(own)))))
    corner = t.scaled(mu, t.tilde(arm))
    yield known.set(
        f"MMassMax_{i}",
        t.block(t.scaled(mu, t.IDENTITY), t.scaled(ex.MINUS_ONE, corner), corner, _kept(known, f"M0Io_{i}")),
    )


def _kept(known: _Known, variable: str) -> t.Term:
    """The variable itself unless it is zero: equations read better with names."""
    return t.ZERO if known.value[variable].is_zero else t.name(variable)


def _joint_efforts(known: _Known, link: LinkPlace) -> Iterator[Entry]:
    for rank, step in enumerate(link.steps, 1):
        mark = f"_{rank}" if len(link.steps) > 1 else ""
        for letter, value in (("FL", step.force), ("CL", step.torque)):
            if all(x is ex.ZERO for x in value):
                continue
            there = f"V{link.first}{letter}_{link.second}{mark}"
            if rank == 1:
                fixed = f"V0{letter}_{link.second}{mark}"
                yield known.set(fixed, t.product(known.of(f"M0R_0_{link.first}"), t.name(there)))
            yield known.set(f"V{link.first}{letter}_{link.first}{mark}", t.scaled(ex.MINUS_ONE, t.name(there)))


def _closure(known: _Known, link: LinkPlace) -> Iterator[Entry]:
    """A complementary link closes a loop: both ways to its second frame agree."""
    a, b = link.first, link.second
    slide, turn = known.of(f"V{a}T_{a}_{b}"), known.of(f"M{a}R_{a}_{b}")
    yield Entry(f"V0T_0_{b}", "=", t.total(known.of(f"V0T_0_{a}"), t.product(known.of(f"M0R_0_{a}"), slide)))
    yield Entry(f"M0R_0_{b}", "=", t.product(known.of(f"M0R_0_{a}"), turn))
