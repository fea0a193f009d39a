"""An oracle for closed machines: Gauss's principle in numbers, on the series of `oracle`, with nothing of the package.

The joints of cut links move by speeds of their own, which carry no mass. The two ends of every cut link are composed
as series in time; they agree to second order exactly when the accelerations z = (u', s') satisfy J z = c, and among
those the motion is the one with the least compulsion in the kinetic metric:

    minimise  1/2 z^T M z - z^T f     subject to  J z = c
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from dalembert import expr as ex
from dalembert.mechanism import Layout
from oracle import Oracle, back, coefficient, pose, then


class ClosedOracle(Oracle):
    """Numbers of one closed machine at one state (every coordinate and speed by name, parameters, t)."""

    def __init__(self, mechanism, state) -> None:
        layout = Layout.of(mechanism)
        self.tree_speeds = layout.speeds
        self.cuts = [one.link for one in layout.cuts]
        speeds = (*layout.speeds, *(x for link in self.cuts for x in link.speeds))
        self.m, self.state = mechanism.freeze(), dict(state)
        self.layout = SimpleNamespace(speeds=speeds, tree=layout.tree, bodies=layout.bodies)
        self.n = len(speeds)
        zero = np.zeros(self.n)
        self.still = self.frames(self.path(zero, zero))
        self.units = [self.frames(self.path(row, zero)) for row in np.eye(self.n)]

    def gaps(self, u, udot, order: int):
        """The coefficient of one order in the difference of both ends of every cut link, as one column."""
        values = self.path(u, udot)
        poses, found = self.frames(values), []
        for link in self.cuts:
            end = then(poses[link.first.body], pose(link.first.displacement, values))
            for step in link.placed_steps():
                end = then(end, pose(step.displacement, values))
            other = then(poses[link.second.body], pose(link.second.displacement, values))
            turn, shift = then(back(other), end)
            found += [*coefficient(turn, order).ravel(), *coefficient(shift, order)]
        return np.array(found)

    def levelled(self, matrix, right):
        """The same equations without a unit: those of places over the distance of their link from earth's origin."""
        sizes = np.ones(len(matrix))
        for i, link in enumerate(self.cuts):
            r, p = self.still[link.second.body]
            arm = [float(ex.evaluate([x], {})[0]) for x in link.second.displacement.translation]
            sizes[12 * i + 9 : 12 * i + 12] = np.linalg.norm(coefficient(p, 0) + coefficient(r, 0) @ arm)
        return matrix / sizes[:, None], right / sizes

    def velocity_closure(self):
        """J and c of J (u, s) = c: the speeds that keep the ends together, each row of the size of one."""
        zero = np.zeros(self.n)
        still = self.gaps(zero, zero, 1)
        columns = [self.gaps(row, zero, 1) - still for row in np.eye(self.n)]
        return self.levelled(np.array(columns).T, -still)

    def speeds(self, u):
        """All speeds from those of the tree: the cut links' own follow."""
        jacobian, wanted = self.velocity_closure()
        n = len(self.tree_speeds)
        own = np.linalg.lstsq(jacobian[:, n:], wanted - jacobian[:, :n] @ u, rcond=1e-9)[0] if n < self.n else []
        return np.concatenate([u, own])

    def accelerations(self, u):
        """u' of the tree's speeds in the constrained motion from the speeds u of the tree."""
        whole = self.speeds(np.asarray(u, dtype=float))
        self.state |= dict(zip(self.layout.speeds, whole, strict=True))
        zero = np.zeros(self.n)
        still = 2 * self.gaps(whole, zero, 2)
        jacobian = np.array([2 * self.gaps(whole, row, 2) - still for row in np.eye(self.n)]).T
        particular, null = solutions(*self.levelled(jacobian, -still))
        mass, force = self.mass_matrix(), self.bias() + self.forces()
        reduced, right = null.T @ mass @ null, null.T @ (force - mass @ particular)
        sizes = np.sqrt(np.where(np.diag(reduced) > 0, np.diag(reduced), 1.0))
        free = np.linalg.lstsq(reduced / np.outer(sizes, sizes), right / sizes, rcond=1e-11)[0] / sizes
        return (particular + null @ free)[: len(self.tree_speeds)]


def solutions(matrix, right):
    """A solution of A z = b and a basis of A z = 0, by elimination: machines that share nothing stay apart."""
    a, b = matrix.copy(), right.copy()
    pivots: list[int] = []
    owners: list[tuple[int, int]] = []
    rows = list(range(len(a)))
    while rows:
        part = np.abs(a[rows])
        part[:, pivots] = 0.0
        i, k = np.unravel_index(np.argmax(part), part.shape)
        if part[i, k] < 1e-9:
            break
        row = rows.pop(int(i))
        b[row], a[row] = b[row] / a[row, k], a[row] / a[row, k]
        for other in range(len(a)):
            if other != row and a[other, k] != 0.0:
                b[other] -= a[other, k] * b[row]
                a[other] -= a[other, k] * a[row]
        pivots.append(int(k))
        owners.append((row, int(k)))
        if len(pivots) == a.shape[1]:
            break
    free = [k for k in range(a.shape[1]) if k not in pivots]
    particular, null = np.zeros(a.shape[1]), np.zeros((a.shape[1], len(free)))
    for row, k in owners:
        particular[k] = b[row]
        for j, f in enumerate(free):
            null[k, j] = -a[row, f]
    for j, f in enumerate(free):
        null[f, j] = 1.0
    return particular, null
