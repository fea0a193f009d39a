"""Positions and velocities of a linkage in any arithmetic: frames level by level, all atoms of a level at once.

    closure of loop l:   rotation  R_A R_B^T = 1,   position  p_A - p_B = 0
    velocity form:       sum_A w - sum_B w,         v(p_A) - v(p_B)

A is the end of the cut link as reached through its first body, B as reached through its second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.expr import Expr
from dalembert.loops.arithmetic import Arithmetic, Balls, Floats, Residues
from dalembert.loops.linkage import Atom, Fixed, Linkage

Array = Any


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of all nodes in the base of earth; node 0 is earth. `axes` are the atoms' axes."""

    rotation: Array
    position: Array
    axes: Array


@dataclass(frozen=True, slots=True)
class Motion:
    """What the variables do in one arithmetic: cosine and sine of every atom's angle, length of every slide."""

    cos: Array
    sin: Array
    slide: Array


class Positions:
    """Kinematics of a linkage; structure is worked out once, numbers are arrays over the nodes."""

    def __init__(self, linkage: Linkage, arithmetic: Arithmetic | None = None) -> None:
        self.linkage = linkage
        self.arithmetic: Arithmetic = arithmetic or Floats()
        self._parent: list[int] = [0]
        self._atoms: list[Atom | None] = [None]
        self._fixed: list[list[Fixed]] = [[]]
        self.node_link: list[str] = [""]
        self.place: list[tuple[int, list[Fixed]]] = [(0, [])] * len(linkage.layout.bodies)
        for name, forward in linkage.tree:
            chain = linkage.chains[name]
            begin, end = (chain.first, chain.second) if forward else (chain.second, chain.first)
            self.place[end] = self._lay(name, chain.walk(forward), *self.place[begin])
        self.ends: list[tuple[tuple[int, list[Fixed]], tuple[int, list[Fixed]]]] = []
        for name in linkage.cuts:
            chain = linkage.chains[name]
            node, held = self.place[chain.second]
            back = [one.reversed() for one in chain.tail if isinstance(one, Fixed)]
            self.ends.append((self._lay(name, chain.body, *self.place[chain.first]), (node, held + back)))
        self._finish()

    def _lay(self, link: str, pieces: Sequence[Atom | Fixed], node: int, held: list[Fixed]) -> tuple[int, list[Fixed]]:
        held = list(held)
        for one in pieces:
            if isinstance(one, Fixed):
                held.append(one)
                continue
            self._parent.append(node)
            self._atoms.append(one)
            self._fixed.append(held)
            self.node_link.append(link)
            node, held = len(self._parent) - 1, []
        return node, held

    def _finish(self) -> None:
        n = len(self._parent)
        self.count = n
        self.parent = np.array(self._parent)
        self.variable = np.array([0 if a is None else a.variable for a in self._atoms])
        self.is_turn = np.array([a is not None and a.turn for a in self._atoms])
        self.moves = np.array([a is not None for a in self._atoms])
        self.factors = [Fraction(0) if a is None else a.factor for a in self._atoms]
        depth = np.zeros(n, dtype=int)
        for i in range(1, n):
            depth[i] = depth[self.parent[i]] + 1
        self.levels = [np.flatnonzero(depth == d) for d in range(1, depth.max() + 1)] if n > 1 else []
        self.ancestors = np.zeros((n, n), dtype=bool)
        for i in range(1, n):
            self.ancestors[i] = self.ancestors[self.parent[i]]
            self.ancestors[i, i] = True
        loops = len(self.ends)
        self.path_a = np.array([self.ancestors[a[0]] for a, _ in self.ends]).reshape(loops, n)
        self.path_b = np.array([self.ancestors[b[0]] for _, b in self.ends]).reshape(loops, n)
        self._constants()

    def _constants(self) -> None:
        """Constant poses and axes as arrays of the arithmetic."""
        from dalembert.expr import ONE, ZERO

        exprs: list[Expr] = [ZERO, ONE]
        for atom in self._atoms:
            if atom is not None:
                exprs += atom.axis
        places = [*self._fixed, *(end[1] for pair in self.ends for end in pair), *(p[1] for p in self.place)]
        poses = {id(f.pose): f.pose for held in places for f in held}
        for pose in poses.values():
            exprs += [x for row in pose.rotation for x in row] + list(pose.position)
        unique = list(dict.fromkeys(exprs))
        values = dict(zip(unique, self.arithmetic.constants(unique, self.linkage.given), strict=True))
        self.zero, self.one = values[ZERO], values[ONE]
        dtype = self.arithmetic.dtype

        def array(rows: Any) -> Array:
            return np.array(rows, dtype=dtype)

        numeric = {
            key: (array([[values[x] for x in row] for row in p.rotation]), array([values[x] for x in p.position]))
            for key, p in poses.items()
        }
        self._identity = array([[self.one if i == j else self.zero for j in range(3)] for i in range(3)])
        self._origin = array([self.zero] * 3)

        def product(held: list[Fixed]) -> tuple[Array, Array]:
            r, t = self._identity, self._origin
            for one in held:
                a, b = numeric[id(one.pose)]
                if one.inverse:
                    a, b = a.T, self.arithmetic.normal(-(a.T @ b))
                t = self.arithmetic.normal(t + r @ b)
                r = self.arithmetic.normal(r @ a)
            return r, t

        pairs = [product(held) for held in self._fixed]
        self.fixed_rotation, self.fixed_position = _stack(pairs, dtype)
        self.end_a = _stack([product(a[1]) for a, _ in self.ends], dtype)
        self.end_b = _stack([product(b[1]) for _, b in self.ends], dtype)
        self.body_place = _stack([product(p[1]) for p in self.place], dtype)
        self.body_node = np.array([p[0] for p in self.place])
        self.node_a = np.array([a[0] for a, _ in self.ends], dtype=int)
        self.node_b = np.array([b[0] for _, b in self.ends], dtype=int)
        self.axis = array([[values[x] for x in a.axis] if a is not None else [self.zero] * 3 for a in self._atoms])
        self.factor = array(self._numbers(self.factors))

    def _numbers(self, values: Sequence[Fraction]) -> list[Any]:
        from dalembert.expr import const

        return self.arithmetic.constants([const(v) for v in values], {})

    # --- motion of the variables -----------------------------------------------------------------------------------

    def motion(self, x: Any) -> Motion:
        """From values of the variables: floats, or balls."""
        if isinstance(self.arithmetic, Floats):
            value = self.factor * np.asarray(x, dtype=float)[self.variable]
            return Motion(np.cos(value), np.sin(value), value)
        values = np.empty(len(x), dtype=object)  # one by one: NumPy would take a power series apart
        for i, one in enumerate(x):
            values[i] = one
        value = self.factor * values[self.variable]
        c, s = np.array(value), np.array(value)
        for i in range(self.count):
            c[i], s[i] = value[i].cos(), value[i].sin()
        return Motion(c, s, value)

    def random_motion(self) -> Motion:
        """A random point of the tree over a prime field, by tangents of half angles."""
        field = self.arithmetic
        if not isinstance(field, Residues):
            return self.motion(np.random.default_rng(1).uniform(-1.5, 1.5, self.linkage.size))
        p = field.prime
        common = _common_parts(self)
        points = {v: field.point() for v in range(self.linkage.size)}
        lengths = {v: field.residue() for v in range(self.linkage.size)}
        c = np.ones(self.count, dtype="int64")
        s = np.zeros(self.count, dtype="int64")
        for i in range(1, self.count):
            v = int(self.variable[i])
            if self.is_turn[i]:
                c[i], s[i] = _multiple(points[v], int(self.factors[i] / common[v]), p)
        slide = np.array([lengths[int(v)] for v in self.variable], dtype="int64") * self.factor % p
        return Motion(c, s, slide)

    def exact_motion(self, points: Mapping[str, tuple[int, int]], lengths: Mapping[str, int]) -> Motion:
        """A configuration given exactly: (cosine, sine) of each angle and length of each slide, by coordinate."""
        names = self.linkage.variables
        c = np.array([self.one] * self.count, dtype=self.arithmetic.dtype)
        s = np.array([self.zero] * self.count, dtype=self.arithmetic.dtype)
        slide = np.array([self.zero] * self.count, dtype=self.arithmetic.dtype)
        for i in range(1, self.count):
            name = names[int(self.variable[i])]
            if not self.is_turn[i]:
                slide[i] = lengths.get(name, 0) * self.factor[i]
                continue
            cosine, sine = points.get(name, (1, 0))
            sense = 1 if self.factors[i] > 0 else -1
            for _ in range(abs(int(self.factors[i]))):
                c[i], s[i] = c[i] * cosine - s[i] * sense * sine, s[i] * cosine + c[i] * sense * sine
                c[i], s[i] = self.arithmetic.normal(c[i]), self.arithmetic.normal(s[i])
        return Motion(c, s, self.arithmetic.normal(slide))

    # --- frames ----------------------------------------------------------------------------------------------------

    def frames(self, motion: Motion) -> Frames:
        """Frames of all nodes, level by level."""
        normal, n = self.arithmetic.normal, self.axis
        c, s = motion.cos[:, None, None], motion.sin[:, None, None]
        outer = normal(n[:, :, None] * n[:, None, :])
        turned = normal(c * self._identity + s * _tilde(n, self.zero) + normal((self.one - c) * outer))
        turned[~self.is_turn] = self._identity
        shift = normal(n * motion.slide[:, None])
        shift[self.is_turn | ~self.moves] = self.zero
        rotation = np.empty((self.count, 3, 3), dtype=n.dtype)
        position = np.empty((self.count, 3), dtype=n.dtype)
        axes = np.empty((self.count, 3), dtype=n.dtype)
        rotation[0], position[0], axes[0] = self._identity, self._origin, self._origin
        for level in self.levels:
            above = self.parent[level]
            before = normal(rotation[above] @ self.fixed_rotation[level])
            at = position[above] + _apply(rotation[above], self.fixed_position[level])
            rotation[level] = normal(before @ turned[level])
            position[level] = normal(normal(at) + _apply(before, shift[level]))
            axes[level] = normal(_apply(before, n[level]))
        return Frames(rotation, position, axes)

    def ends_of(self, frames: Frames) -> tuple[Array, Array, Array, Array]:
        """Rotation and position of both ends of every loop: R_A, p_A, R_B, p_B."""
        normal = self.arithmetic.normal
        found = []
        for node, (r, t) in ((self.node_a, self.end_a), (self.node_b, self.end_b)):
            base = frames.rotation[node]
            found += [normal(base @ r), normal(frames.position[node] + _apply(base, t))]
        return found[0], found[1], found[2], found[3]

    def body_frames(self, frames: Frames) -> tuple[Array, Array]:
        """Rotation and origin of every body's reference frame."""
        base = frames.rotation[self.body_node]
        r, t = self.body_place
        return base @ r, frames.position[self.body_node] + _apply(base, t)

    # --- closure ---------------------------------------------------------------------------------------------------

    def gaps(self, frames: Frames) -> tuple[Array, Array]:
        """R_A R_B^T and p_A - p_B of every loop."""
        ra, pa, rb, pb = self.ends_of(frames)
        return self.arithmetic.normal(ra @ np.swapaxes(rb, 1, 2)), self.arithmetic.normal(pa - pb)

    def screws(self, frames: Frames) -> tuple[Array, Array]:
        """Angular velocity and velocity at earth's origin for a unit rate of each node's variable."""
        normal = self.arithmetic.normal
        rate = normal(frames.axes * self.factor[:, None])
        spin, push = rate.copy(), rate.copy()
        spin[~self.is_turn] = self.zero
        push[self.is_turn] = self.zero
        return spin, normal(push + cross(frames.position, spin))

    def velocity_rows(self, frames: Frames) -> Array:
        """The velocity form in all variables: 6 rows a loop (rotation, then position)."""
        normal = self.arithmetic.normal
        spin, moment = self.screws(frames)
        _, pa, _, pb = self.ends_of(frames)
        rows = []
        for path, p in ((self.path_a, pa), (self.path_b, pb)):
            angular = spin[None] * path[:, :, None]
            at = moment[None] + cross(np.broadcast_to(spin[None], (len(p), *spin.shape)), p[:, None, :])
            rows.append(np.concatenate([angular, normal(at) * path[:, :, None]], axis=2))
        difference = normal(rows[0] - rows[1])  # loops, nodes, 6
        return self._collect(np.swapaxes(difference, 1, 2))

    def closure_rows(self, frames: Frames) -> Array:
        """The derivative of the relative displacement T_B^-1 T_A: screws at one point, what both sides share cancels.

        It equals the velocity form, seen from another point, when the loops are closed, and differs when they are not.
        """
        spin, moment = self.screws(frames)
        sign = self.path_a.astype(int) - self.path_b.astype(int)
        both = np.concatenate([spin, moment], axis=1)
        return self._collect(np.swapaxes(both[None] * sign[:, :, None], 1, 2))

    def earth_rows(self, frames: Frames) -> Array:
        """The derivative of T_A T_B^-1, the same closure compared in the base of earth."""
        normal = self.arithmetic.normal
        spin, moment = self.screws(frames)
        turn, _ = self.gaps(frames)
        _, pa, _, pb = self.ends_of(frames)
        rows = []
        for loop in range(len(self.ends)):
            w_a, v_a = spin * self.path_a[loop][:, None], moment * self.path_a[loop][:, None]
            w_b, v_b = spin * self.path_b[loop][:, None], moment * self.path_b[loop][:, None]
            at_b = normal(v_b + cross(w_b, pb[loop][None]))
            linear = normal(v_a + cross(w_a, pa[loop][None])) - normal(at_b @ turn[loop].T)
            rows.append(np.concatenate([normal(w_a - normal(w_b @ turn[loop].T)), normal(linear)], axis=1).T)
        return self._collect(np.array(rows).reshape(len(self.ends), 6, self.count))

    def _collect(self, blocks: Array) -> Array:
        """Nodes that share a variable add up: (loops, 6, nodes) to (6 loops, variables)."""
        flat = blocks.reshape(-1, self.count)
        total = np.full((flat.shape[0], self.linkage.size), self.zero, dtype=flat.dtype)
        for i in range(1, self.count):
            v = self.variable[i]
            total[:, v] = total[:, v] + flat[:, i]
        return self.arithmetic.normal(total)


def _common_parts(positions: Positions) -> dict[int, Fraction]:
    """For each variable, an angle of which all its turns are whole multiples."""
    from math import gcd

    common: dict[int, Fraction] = {}
    for i in range(1, positions.count):
        if positions.is_turn[i]:
            v, f = int(positions.variable[i]), abs(positions.factors[i])
            g = common.get(v, f)
            common[v] = Fraction(
                gcd(g.numerator * f.denominator, f.numerator * g.denominator), g.denominator * f.denominator
            )
    return common


def _multiple(point: tuple[int, int], times: int, p: int) -> tuple[int, int]:
    c, s = 1, 0
    a, b = point if times >= 0 else (point[0], -point[1] % p)
    for _ in range(abs(times)):
        c, s = (c * a - s * b) % p, (s * a + c * b) % p
    return c, s


def _stack(pairs: list[tuple[Array, Array]], dtype: Any) -> tuple[Array, Array]:
    if not pairs:
        return np.empty((0, 3, 3), dtype=dtype), np.empty((0, 3), dtype=dtype)
    return np.array([r for r, _ in pairs], dtype=dtype), np.array([t for _, t in pairs], dtype=dtype)


def _apply(matrices: Array, vectors: Array) -> Array:
    return (matrices @ vectors[:, :, None])[:, :, 0]


def _tilde(a: Array, zero: Any) -> Array:
    found = np.full((len(a), 3, 3), zero, dtype=a.dtype)
    found[:, 0, 1], found[:, 0, 2], found[:, 1, 2] = -a[:, 2], a[:, 1], -a[:, 0]
    found[:, 1, 0], found[:, 2, 0], found[:, 2, 1] = a[:, 2], -a[:, 1], a[:, 0]
    return found


def cross(a: Array, b: Array) -> Array:
    """Vector product over the last axis, in any arithmetic (components stay below one product each)."""
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


__all__ = ["Balls", "Floats", "Frames", "Motion", "Positions", "Residues", "cross"]
