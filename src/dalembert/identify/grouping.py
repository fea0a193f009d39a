"""Inertial parameters that belong to the parent as well: grouped in formulas, for every motion and every length.

A joint with the twist S lets an inertia J of what it carries be given to what carries it, if J S = 0 (its own motion
needs nothing) and J is the same wherever the joint stands. About an axis n these are the mass, the first moment along
n and the moments of a wheel without its spin, 1 - n n'; along a slide all moments of inertia (Gautier and Khalil 1990,
Mayeda, Yoshida and Osuka 1990). Links without motion give all. A link that closes a loop lets the same inertias pass
from one of its bodies to the other, each one dependence more (inertia transfer: Ros, Iriarte and Mata 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Matrix3, Vector3, apply3, product3, transpose3, vector_rows
from dalembert.kinematics import Pose, Tree
from dalembert.kinematics.spatial import Twist
from dalembert.kinematics.tree import EARTH_NODE
from dalembert.mechanism import Link, Turn

#: Share of a condition that may be rounding of constant axes and rotations.
_ROUNDING = 1e-12
#: Which moment stands back where there is a choice.
_BACK = (5, 4, 6, 7, 8, 9, 3, 2, 1, 0)
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
Terms = dict[int, Expr]


@dataclass(frozen=True)
class Ten:
    """An inertia: mass, first moments, and the integral of x x' over its mass."""

    mass: Expr
    first: Vector3
    second: Matrix3

    @staticmethod
    def of(ten: Sequence[Expr]) -> Ten:
        """From mass, first moments and moments of inertia: the second moments are tr(I)/2 - I."""
        half = (ten[4] + ten[5] + ten[6]) / 2
        rows = [[ZERO] * 3 for _ in range(3)]
        for (i, j), value in zip(_PAIRS, ten[4:], strict=True):
            rows[i][j] = rows[j][i] = half - value if i == j else -value
        return Ten(ten[0], Vector3(ten[1:4]), vector_rows(rows))

    @property
    def numbers(self) -> list[Expr]:
        trace = self.second[0][0] + self.second[1][1] + self.second[2][2]
        moments = [trace - self.second[i][j] if i == j else -self.second[i][j] for i, j in _PAIRS]
        return [self.mass, *self.first, *moments]

    def seen_from(self, pose: Pose) -> Ten:
        """The same, given in a frame at `pose`, in the frame that holds the pose."""
        p, h = pose.position, apply3(pose.rotation, self.first)
        turned = product3(product3(pose.rotation, self.second), transpose3(pose.rotation))
        rows = [
            [turned[i][j] + p[i] * h[j] + h[i] * p[j] + self.mass * p[i] * p[j] for j in range(3)] for i in range(3)
        ]
        return Ten(self.mass, h + self.mass * p, vector_rows(rows))


class Grouping:
    """Columns of a regressor in terms of fewer columns: Y[:, k] = sum of formula * Y[:, j], j in `terms[k]`."""

    def __init__(self, tree: Tree, known: Mapping[Expr, float]) -> None:
        self.tree, self.known = tree, known
        self.moving = {*tree.coordinates, *tree.speeds, ex.TIME}
        self.terms: dict[int, Terms] = {}
        self._carrier: dict[int, int] = {}  # node -> number of the first body on it
        bodies = len(tree.layout.bodies)
        for body in range(1, bodies):
            self._carrier.setdefault(tree.place[body][0], body)
        for body in sorted(range(1, bodies), key=lambda b: tree.place[b][0]):  # parents first
            self._place(body)
        for cut in tree.layout.cuts:
            for inertia in _shared(cut.link):
                sides = (cut.first, cut.link.first), (cut.second, cut.link.second)
                given, taken = (
                    self.resolved(body, inertia.seen_from(Pose.of(frame.displacement)).numbers) if body else {}
                    for body, frame in sides
                )
                self._depend({k: given.get(k, ZERO) - taken.get(k, ZERO) for k in {*given, *taken}})

    @property
    def kept(self) -> list[int]:
        return [k for k in range(10 * (len(self.tree.layout.bodies) - 1)) if k not in self.terms]

    def resolved(self, body: int, ten: Sequence[Expr]) -> Terms:
        """An inertia on a body in terms of kept columns; on earth it is nothing."""
        found: Terms = {}
        for part, share in enumerate(ten):
            column = 10 * (body - 1) + part
            for k, more in self.terms.get(column, {column: ONE}).items():
                if share is not ZERO:
                    found[k] = found.get(k, ZERO) + share * more
        return {k: x for k, x in found.items() if x is not ZERO}

    def _place(self, body: int) -> None:
        node, pose = self.tree.place[body]
        if node == EARTH_NODE:
            self.terms |= {10 * (body - 1) + part: {} for part in range(10)}
            return
        first = self._carrier[node]
        if first != body:  # welded to another: all ten are that one's as well
            between = self.tree.place[first][1].inverse() @ pose
            for part in range(10):
                ten = [ONE if k == part else ZERO for k in range(10)]
                moved = Ten.of(ten).seen_from(between).numbers
                self.terms[10 * (body - 1) + part] = self.resolved(first, moved)
            return
        back = pose.inverse()
        gone: set[int] = set()
        for inertia in self._candidates(node):
            above = self._lifted(node, inertia)
            if above is not None:
                self._give(body, inertia.seen_from(back).numbers, above, gone)

    def _candidates(self, node: int) -> list[Ten]:
        """Inertias that a joint may pass on: moments first, then first moments, then the mass."""
        units = [[ONE if k == part else ZERO for k in range(10)] for part in range(10)]
        columns = [column for _, column in self.tree.nodes[node].columns]
        turning = [one for one in columns if any(x is not ZERO for x in one.angular)]
        if not turning:
            return [Ten.of(one) for one in (*units[4:], *units[1:4], units[0])]
        if len(columns) != 1:
            return [Ten.of(units[0])]
        n = columns[0].angular
        wheel = [ZERO] * 4 + [(ONE if i == j else ZERO) - n[i] * n[j] for i, j in _PAIRS]
        return [Ten.of(wheel), Ten.of([ZERO, *n, *[ZERO] * 6]), Ten.of(units[0])]

    def _lifted(self, node: int, inertia: Ten) -> Terms | None:
        """The inertia on the nearest body that carries this node; None where a joint on the way feels it."""
        while True:
            one = self.tree.nodes[node]
            own = {self.tree.speeds[index] for index, _ in one.columns}
            coordinates = {x for x, rate in self.tree.rates.items() if not ex.free_symbols(rate).isdisjoint(own)}
            if not all(self._passes(inertia, twist) for _, twist in one.columns):
                return None
            entries = [*one.pose.position, *(x for row in one.pose.rotation for x in row)]
            if not (ex.free_symbols(entries) & self.moving) <= coordinates or not one.drift.is_zero:
                return None
            still = ex.substitute(entries, {x: ONE if x.name.endswith("e0") else ZERO for x in coordinates})
            rotation = vector_rows([still[3:6], still[6:9], still[9:12]])
            inertia, node = inertia.seen_from(Pose(rotation, Vector3(still[:3]))), one.parent
            if node == EARTH_NODE:
                return {}
            if node in self._carrier:
                body = self._carrier[node]
                return self.resolved(body, inertia.seen_from(self.tree.place[body][1].inverse()).numbers)

    def _passes(self, inertia: Ten, twist: Twist) -> bool:
        """J S = 0, and no change of J along S."""
        w, v, h, m = twist.angular, twist.linear, inertia.first, inertia.mass
        if not ex.free_symbols(list(twist.scalars)).isdisjoint(self.moving):
            return False
        I = Ten(m, h, inertia.second).numbers
        tensor = vector_rows([[I[4], I[7], I[8]], [I[7], I[5], I[9]], [I[8], I[9], I[6]]])
        push = m * v + w.cross(h)
        spin = apply3(tensor, w) + h.cross(v)
        drift = [_second_rate(inertia.second, w, v, h, i, j) for i in range(3) for j in range(i + 1)]
        return self._nothing([*push, *spin, *drift], inertia)

    def _nothing(self, exprs: Sequence[Expr], inertia: Ten) -> bool:
        if all(x is ZERO for x in exprs):
            return True
        values = ex.evaluate([*exprs, *inertia.numbers], self.known)
        size = max(abs(x) for x in values[len(exprs) :])
        return all(abs(x) <= _ROUNDING * size for x in values[: len(exprs)])

    def _give(self, body: int, ten: Sequence[Expr], above: Terms, gone: set[int]) -> None:
        """One parameter of the body stands back: it is what goes up, less what it brings of the others."""
        sizes = [abs(x) for x in ex.evaluate(list(ten), self.known)]
        kind = range(4, 10) if max(sizes[:4]) == 0 else range(1, 4) if sizes[0] == 0 else range(1)
        free = [k for k in _BACK if k in kind and k not in gone]
        most = max((sizes[k] for k in free), default=0.0)
        if most <= _ROUNDING * max(sizes):
            return
        pivot = next(k for k in free if sizes[k] >= 0.5 * most)
        rest = [ZERO if k == pivot else x for k, x in enumerate(ten)]
        found = dict(above)
        for k, share in self.resolved(body, rest).items():
            found[k] = found.get(k, ZERO) - share
        self.terms[10 * (body - 1) + pivot] = {k: x / ten[pivot] for k, x in found.items() if x is not ZERO}
        gone.add(pivot)

    def _depend(self, relation: Terms) -> None:
        """Columns whose sum is nothing: one of them is told by the others, the last moment of inertia before others."""
        relation = {k: x for k, x in relation.items() if x is not ZERO}
        values = dict(zip(relation, ex.evaluate(list(relation.values()), self.known), strict=True)) if relation else {}
        felt = {k for k, x in values.items() if abs(x) > _ROUNDING * max(map(abs, values.values()))}
        if not felt:
            return
        pivot = min(felt, key=lambda k: (_BACK.index(k % 10) if k % 10 != 6 else -1, -k))
        own = {k: -x / relation[pivot] for k, x in relation.items() if k != pivot and k in felt}
        for column, terms in self.terms.items():
            if pivot in terms:
                share = terms[pivot]
                rest = {k: x for k, x in terms.items() if k != pivot}
                for k, x in own.items():
                    rest[k] = rest.get(k, ZERO) + share * x
                self.terms[column] = {k: x for k, x in rest.items() if x is not ZERO}
        self.terms[pivot] = own


def _shared(link: Link) -> list[Ten]:
    """Inertias at a joint that are the same on both of its sides, wherever it stands."""
    units = [[ONE if k == part else ZERO for k in range(10)] for part in range(10)]
    steps = link.placed_steps()
    if any(x is not ZERO for step in steps for x in step.displacement.translation):
        return []
    turns = [one for step in steps for one in step.displacement.turns]
    if not turns:
        return [Ten.of(one) for one in units]
    if len(turns) > 1 or not isinstance(turns[0], Turn):
        return [Ten.of(units[0])]
    n = Vector3(turns[0].axis)
    wheel = [ZERO] * 4 + [(ONE if i == j else ZERO) - n[i] * n[j] for i, j in _PAIRS]
    return [Ten.of(wheel), Ten.of([ZERO, *n, *[ZERO] * 6]), Ten.of(units[0])]


def _second_rate(second: Matrix3, w: Vector3, v: Vector3, h: Vector3, i: int, j: int) -> Expr:
    """Rate of the second moments when the body moves with the twist (w, v)."""
    columns = [Vector3(tuple(second[k][c] for k in range(3))) for c in range(3)]
    turned = [w.cross(column) for column in columns]
    return turned[j][i] + turned[i][j] + v[i] * h[j] + h[i] * v[j]
