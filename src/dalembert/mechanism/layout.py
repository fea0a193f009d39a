"""The numbering of a mechanism: breadth-first spanning tree, principal and cut links, names of coordinates.

Papegay 3.2.4: bodies are numbered 1..n in the order of discovery from earth, neighbours in the order of declaration.
Where another tree closes the loops over fewer links by more than a third, as in towers, that tree is taken
(`short_loops`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.mechanism.body import EARTH, Body
from dalembert.mechanism.check import check_model
from dalembert.mechanism.constraint import Closed, Constraint
from dalembert.mechanism.link import Link
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.model import Model
from dalembert.mechanism.short_loops import short_loops, total_length
from dalembert.mechanism.sliding import slid
from dalembert.mechanism.state import State, state_of


@dataclass(frozen=True, slots=True)
class TreeLink:
    """A principal link: number j joins body j to its parent i < j; `reversed` when it was declared child first."""

    number: int
    link: Link
    parent: int
    child: int
    reversed: bool


@dataclass(frozen=True, slots=True)
class CutLink:
    """A complementary link, which closes a loop; first and second are body numbers."""

    number: int
    link: Link
    first: int
    second: int


@dataclass(frozen=True)
class Layout:
    """Bodies in order (earth is number 0), tree links 1..n, cut links n+1..., and the names of the state."""

    model: Model
    bodies: tuple[Body, ...]
    tree: tuple[TreeLink, ...]
    cuts: tuple[CutLink, ...]
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    further: tuple[Constraint, ...] = ()

    def __hash__(self) -> int:
        return hash((self.model, self.speeds, self.further))

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, tuple(getattr(self, one.name) for one in fields(self))

    @cached_property
    def made(self) -> dict[Any, Any]:
        """What was made of this layout and is asked for again, such as the system that moves, by what it is."""
        return {}

    def __str__(self) -> str:
        lines = [str(one.link) for one in self.tree] + [f"{one.link}, closes a loop" for one in self.cuts]
        lines += [f"{one.name}: a further condition" for one in self.further]
        return "\n  ".join([f"{self.model.name}: {len(self.bodies) - 1} bodies", *lines])

    @staticmethod
    def of(described: Mechanism | Model, cut: Collection[str] = ()) -> Layout:
        """Number a mechanism; the links named in `cut` are kept out of the spanning tree.

        Where a body without mass would hang at the end of a loop, another link is cut, so that it carries mass.

        >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
        >>> m = Mechanism()
        >>> arm = m.body("arm", mass=1)
        >>> link = m.join(earth, arm, revolute("z"), name="shoulder")
        >>> Layout.of(m).coordinates
        ('shoulder.th',)
        """
        frozen, key = described.freeze(), ("layout", *cut)
        if key not in frozen.made:
            frozen.made[key] = Layout._of(frozen, cut)
        found: Layout = frozen.made[key]
        return found

    @staticmethod
    def _of(model: Model, cut: Collection[str]) -> Layout:
        mechanism = slid(model)
        unknown = [name for name in cut if name not in mechanism.links]
        if unknown:
            raise ModelError(f"cannot cut the link '{unknown[0]}': '{mechanism.name}' has no link of that name.")
        check_model(mechanism)
        order, found = _carrying(mechanism, cut)
        number = {name: i for i, name in enumerate(order)}
        tree = tuple(
            TreeLink(number[child], link, number[parent], number[child], link.first.body == child)
            for child, (link, parent) in found.items()
        )
        principal = {one.link.name for one in tree}
        rest = [link for link in mechanism.links.values() if link.name not in principal]
        cuts = tuple(
            CutLink(len(order) + i, link, number[link.first.body], number[link.second.body])
            for i, link in enumerate(rest)
        )
        _check_couplings(mechanism.links, cuts)
        return Layout(
            mechanism,
            tuple(mechanism.bodies[name] for name in order),
            tree,
            cuts,
            tuple(x for one in tree for x in one.link.coordinates),
            tuple(x for one in tree for x in one.link.speeds),
            mechanism.constraints,
        )

    def loosened(self) -> Layout:
        """The machine as it was described, its dry friction left to whoever decides whether it sticks."""
        plain = self.model.loose
        if plain is None:
            return self
        links, model = plain.links, replace(plain, given=self.model.given, start=self.model.start)
        tree = tuple(replace(one, link=links[one.link.name]) for one in self.tree)
        return replace(self, model=model, tree=tree, cuts=tuple(replace(x, link=links[x.link.name]) for x in self.cuts))

    @property
    def dof(self) -> int:
        """Degrees of freedom of the tree: the number of speeds."""
        return len(self.speeds)

    @cached_property
    def state(self) -> State:
        """The order of all coordinates, those of cut links included, and of the speeds."""
        followed = (x for one in self.further if one.followed for x in one.followed.coordinates)
        return state_of((one.link for one in self.tree), (one.link for one in self.cuts), followed)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What the motion of the tree must obey: its cut links stay closed, and what is asked further."""
        return (*(Constraint(one.link.name, Closed(one.link)) for one in self.cuts), *self.further)

    @property
    def idle(self) -> list[tuple[str, Link]]:
        """Bodies that move at speeds of their own, and no mass with them, each with the link that moves it."""
        found = {self.bodies[one.child].name: (one.link, self.bodies[one.parent].name) for one in self.tree}
        return [(name, found[name][0]) for name in idle_bodies(self.model, found)]

    def number(self, body: str) -> int:
        found = self._numbers.get(body)
        if found is None:
            raise ModelError(f"there is no body '{body}' in '{self.model.name}'.")
        return found

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {one.name: i for i, one in enumerate(self.bodies)}

    def path(self, body: int) -> list[int]:
        """Bodies from the first below earth to `body`."""
        parents = {one.child: one.parent for one in self.tree}
        path = []
        while body != 0:
            path.append(body)
            body = parents[body]
        return path[::-1]


def _check_couplings(links: Mapping[str, Link], cuts: tuple[CutLink, ...]) -> None:
    """A displacement may use coordinates of other links of the tree, whose rates are speeds; not those of cut links."""
    closing = {ex.symbol(x): one.link.name for one in cuts for x in one.link.coordinates}
    for link in links.values() if closing else ():
        used = ex.free_symbols(x for step in link.placed_steps() for x in step.displacement.scalars)
        wrong = sorted(x.name for x in used if closing.get(x, link.name) != link.name)
        if wrong:
            owner = closing[ex.symbol(wrong[0])]
            raise ModelError(
                f"link '{link.name}' is displaced by '{wrong[0]}', and '{owner}' closes a loop: a displacement uses "
                f"coordinates of the spanning tree. Cut another link of that loop, not '{owner}'."
            )


def _carrying(mechanism: Model, cut: Collection[str]) -> tuple[list[str], dict[str, tuple[Link, str]]]:
    """The spanning tree; of a loop that would end in bodies without mass, the first one with fewer such bodies."""
    best = _short(mechanism, cut, _breadth_first(mechanism, cut))
    if _coupled(mechanism, best[1]):
        best = _keeping(mechanism, cut, best)
    idle = idle_bodies(mechanism, best[1])
    closing = len(mechanism.links) > len(best[1])
    while idle and closing:
        for name in mechanism.links:
            if name in cut:
                continue
            try:
                tree = _breadth_first(mechanism, (*cut, name))
            except ModelError:  # the link carries a body that is in no loop
                continue
            left = idle_bodies(mechanism, tree[1])
            if len(left) < len(idle) and not _coupled(mechanism, tree[1]):
                best, idle, cut = tree, left, (*cut, name)
                break
        else:
            break
    return best


def _short(
    mechanism: Model, cut: Collection[str], best: tuple[list[str], dict[str, tuple[Link, str]]]
) -> tuple[list[str], dict[str, tuple[Link, str]]]:
    """The tree breadth first, or one whose loops are shorter by more than a third, and that carries as much mass.

    Names and numbers of small machines stay those of the book: a loop of theirs is hardly shorter elsewhere.
    """
    found = best[1]
    edges = [(x.name, x.first.body, x.second.body) for x in mechanism.links.values() if x.name not in cut]
    if len(edges) - len(found) < 2:  # a single loop is as long through any tree
        return best
    length = total_length(edges, {child: parent for child, (_, parent) in found.items()}, _principal(found))
    more, short = short_loops(EARTH, edges)
    if 3 * short >= 2 * length:
        return best
    other = _breadth_first(mechanism, (*cut, *more))
    idle, before = (len(idle_bodies(mechanism, tree)) for tree in (other[1], found))
    return best if idle > before or _coupled(mechanism, other[1]) else other


def _keeping(
    mechanism: Model, cut: Collection[str], best: tuple[list[str], dict[str, tuple[Link, str]]]
) -> tuple[list[str], dict[str, tuple[Link, str]]]:
    """The tree that keeps links whose coordinates displace others (a rotor, a rope), and cuts another of each loop."""
    owners = {x: link.name for link in mechanism.links.values() for x in map(ex.symbol, link.coordinates)}
    needed = set[str]()
    for link in mechanism.links.values():
        used = ex.free_symbols(x for step in link.placed_steps() for x in step.displacement.scalars)
        needed |= {owners[x] for x in used if x in owners} - {link.name}
    kept = _principal(best[1])
    joined, left = {name: name for name in mechanism.bodies}, set(cut)

    def root(body: str) -> str:
        while joined[body] != body:
            body = joined[body]
        return body

    for link in sorted(mechanism.links.values(), key=lambda x: (x.name not in needed, x.name not in kept)):
        first, second = root(link.first.body), root(link.second.body)
        if first == second:
            left.add(link.name)
        elif link.name not in cut:
            joined[second] = first
    return _breadth_first(mechanism, tuple(left))


def _principal(found: Mapping[str, tuple[Link, str]]) -> set[str]:
    return {link.name for link, _ in found.values()}


def idle_bodies(mechanism: Model, found: Mapping[str, tuple[Link, str]]) -> list[str]:
    """Bodies of a tree (child: its link, its parent) that move at speeds of their own, and no mass with them."""
    heavy = {name for name, body in mechanism.bodies.items() if not _massless(body)}
    for child in reversed(list(found)):  # children come after their parents
        if child in heavy:
            heavy.add(found[child][1])
    return [name for name, (link, _) in found.items() if name not in heavy and link.speeds]


def _massless(body: Body) -> bool:
    return body.mass is ex.ZERO and all(x is ex.ZERO for x in body.inertia.entries)


def _coupled(mechanism: Model, found: Mapping[str, tuple[Link, str]]) -> bool:
    """Would a link be displaced by a coordinate that this tree cuts?"""
    principal = _principal(found)
    cuts = (CutLink(0, link, 0, 0) for link in mechanism.links.values() if link.name not in principal)
    try:
        _check_couplings(mechanism.links, tuple(cuts))
    except ModelError:
        return True
    return False


def _breadth_first(mechanism: Model, cut: Collection[str]) -> tuple[list[str], dict[str, tuple[Link, str]]]:
    neighbours: dict[str, list[tuple[str, Link]]] = {name: [] for name in mechanism.bodies}
    for link in mechanism.links.values():
        if link.name not in cut:
            neighbours[link.first.body].append((link.second.body, link))
            neighbours[link.second.body].append((link.first.body, link))
    order, found = [EARTH], dict[str, tuple[Link, str]]()
    for parent in order:  # grows while it is read: that is the breadth-first queue
        for child, link in neighbours[parent]:
            if child != EARTH and child not in found:
                found[child] = (link, parent)
                order.append(child)
    lost = [name for name in mechanism.bodies if name not in found and name != EARTH]
    if lost and cut:
        raise ModelError(
            f"without the links {', '.join(cut)} nothing carries body '{lost[0]}': a cut link closes a loop, and the "
            "others must still join every body to earth. Cut fewer links."
        )
    if lost:
        loose = "has no link" if not neighbours[lost[0]] else "is linked to bodies, but not to earth"
        raise ModelError(
            f"body '{lost[0]}' is not connected to earth: it {loose}. Join it, or give it a free joint to earth."
        )
    return order, found
