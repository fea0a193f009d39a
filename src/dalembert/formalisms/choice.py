"""Which sub-systems to isolate, and where to take moments, so that n equations hold no unknown reaction.

Papegay 2.2 ends by asking for it: "an algorithm that decides which sub-systems are considered as free, and eliminates
the unknown components". Every link gives one equation for each of its motions, from the side of it that is shorter. A
link that leaves a body wholly free gives all six, with the moments at the point that makes them shortest. They are
independent: an equation of the inner side is the balance of the whole, which the free link gives, less that of the
outer side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert import expr as ex
from dalembert.constraints.complement import complement
from dalembert.expr import Expr, Matrix
from dalembert.formalisms.isolation import Balance, along, isolated, motion_name
from dalembert.formalisms.newton_euler import Isolated
from dalembert.formalisms.sides import behind, beyond, shorter_side
from dalembert.kinematics import Twist
from dalembert.kinematics.links import LinkMotion, coupled_speeds, joint_powers

if TYPE_CHECKING:
    from dalembert.presentation.axes import Quantity
    from dalembert.presentation.lines import Statement


@dataclass(frozen=True, slots=True)
class Chosen:
    """An equation free of unknown reactions: the bodies that are isolated, what is balanced, and the balance."""

    bodies: tuple[str, ...]
    what: str  # moment about x at the joint bras_primaire
    balance: Balance
    operations: int
    otherwise: int | None = None  # operations of the same from the other side of the link


@dataclass(frozen=True, slots=True, repr=False)
class Choice:
    """As many equations free of unknown reactions as there are speeds."""

    speeds: tuple[Expr, ...]
    chosen: tuple[Chosen, ...]
    known: Callable[[], Iterable[Quantity]] = field(default=tuple, compare=False)  # names for parts of long balances

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def matrix(self) -> Matrix:
        """A of A u' = b; not symmetric where sides differ."""
        return self._parts[0]

    @property
    def right_side(self) -> tuple[Expr, ...]:
        return self._parts[1]

    @property
    def _parts(self) -> tuple[Matrix, tuple[Expr, ...]]:
        accelerations = [ex.prime(u) for u in self.speeds]
        inertia, n = [one.balance.inertia for one in self.chosen], len(self.speeds)
        rest = ex.substitute(inertia, dict.fromkeys(accelerations, 0))
        right = tuple(one.balance.right_side - x for one, x in zip(self.chosen, rest, strict=True))
        return Matrix(ex.jacobian(inertia, accelerations) if n else [], (n, n)), right

    def show(self) -> Statement:
        from dalembert.presentation.formula import Writer
        from dalembert.presentation.lines import Statement
        from dalembert.presentation.scalars import readable, scalar_lines

        sides = [
            (f"{', '.join(one.bodies)}: {one.what}", one.balance.inertia, one.balance.right_side) for one in self.chosen
        ]
        lines, where = scalar_lines(readable(sides), Writer(moving=[u.name for u in self.speeds]), self.known)
        free = "free of unknown reactions" if all(x.balance.free for x in self.chosen) else "reactions of loops alone"
        title = f"d'Alembert: isolated sub-systems, {free}"
        return Statement("dalembert", "scalar", title, tuple(lines), tuple(where))

    def __repr__(self) -> str:
        rows = [f"{', '.join(one.bodies)}: {one.what} ({one.operations} operations)" for one in self.chosen]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def _repr_latex_(self) -> str:
        return self.show()._repr_latex_()


def choose(system: Isolated) -> Choice:
    """The shortest equations of motion that isolated sub-systems give."""
    coupled, motors = coupled_speeds(system.tree), joint_powers(system.tree, system.links)
    found: list[Chosen] = []
    for one in system.links:
        free = [twist for r, twist in one.columns if r not in coupled]
        if len(free) == 6 and not complement(one.free).free:
            found += _whole(system, one)
        else:
            own = motors[one.link.link.name]
            found += [_of_link(system, one, twist, own[r]) for r, twist in one.columns if r not in coupled]
    found += [_together(system, r, motors) for r in sorted(coupled)]
    return Choice(tuple(system.tree.speeds), tuple(found))


def _whole(system: Isolated, one: LinkMotion) -> list[Chosen]:
    """All six balances of what a free link carries."""
    names = tuple(system.motions[i].body.name for i in beyond(system, one.link.child))
    best = isolated(system, names, base=system.motions[one.link.child].body.name)
    return [
        Chosen(names, f"{_told(x.name)}" + (f" at {best.at}" if x.name[0] == "M" else ""), x, _operations(x))
        for x in best.balances
    ]


def _told(name: str) -> str:
    return f"{'moment about' if name[0] == 'M' else 'force along'} {name[1]}"


def _of_link(system: Isolated, one: LinkMotion, twist: Twist, motors: Expr) -> Chosen:
    """The balance along one motion of a link, from its shorter side."""
    members = shorter_side(system, one)
    told = f"{motion_name(one, twist)} at the joint {one.link.link.name}"
    outer, inner = beyond(system, one.link.child), behind(system, one)
    balance = along(system, members, one, twist, motors, told)
    names = tuple(system.motions[i].body.name for i in members)
    other = inner if members == outer else outer
    if other is None:
        return Chosen(names, told, balance, _operations(balance))
    longer = along(system, other, one, twist, motors, told)
    if _operations(longer) < _operations(balance):
        names, balance, longer = tuple(system.motions[i].body.name for i in other), longer, balance
    return Chosen(names, told, balance, _operations(balance), _operations(longer))


def _together(system: Isolated, r: int, motors: dict[str, dict[int, Expr]]) -> Chosen:
    """A speed that moves several links (ropes, gears): what they transmit to each other has no power in sum."""
    total, links, members = Balance("", ex.ZERO, ex.ZERO), [], set[int]()
    for one in system.links:
        for index, twist in one.columns:
            if index == r:
                outer = beyond(system, one.link.child)
                name = one.link.link.name
                total = total + along(system, outer, one, twist, motors[name][r], "")
                links.append(name)
                members |= {*outer}
    names = tuple(system.motions[i].body.name for i in sorted(members))
    return Chosen(names, f"{', '.join(links)} together", total, _operations(total))


def _operations(balance: Balance) -> int:
    return ex.count_operations([balance.inertia, balance.right_side])
