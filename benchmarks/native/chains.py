"""Chains of revolute joints with alternating axes and full inertias: one description for us and for the peers.

The forward dynamics below is the articulated-body recursion written on the expression DAG. It is the benchmark's own
short version, so that the compiler can be measured apart from the formalisms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Frame, Mechanism, earth, revolute

GRAVITY = 9.81
Vector = list[Expr]
Block = list[list[Expr]]


@dataclass(frozen=True)
class Chain:
    """Numbers of a chain: offsets between joints, axis of each joint, and mass, centre and inertia of each body."""

    axes: tuple[int, ...]
    offsets: np.ndarray
    masses: np.ndarray
    centres: np.ndarray
    inertias: np.ndarray  # about the centre of mass

    @property
    def size(self) -> int:
        return len(self.axes)


def make_chain(n: int, seed: int = 7) -> Chain:
    """A chain like an industrial arm: axes z, y, z, y ...; centres and inertia tensors without zeros."""
    rng = np.random.default_rng(seed)
    axes = tuple(2 if i % 2 == 0 else 1 for i in range(n))
    offsets = np.tile([0.0, 0.0, 0.3], (n, 1))
    masses = rng.uniform(1.0, 3.0, n)
    centres = rng.uniform(-0.1, 0.1, (n, 3)) + np.array([0.0, 0.0, 0.15])
    root = rng.uniform(-0.2, 0.2, (n, 3, 3))
    spread = 0.01 * np.eye(3) + root @ root.transpose(0, 2, 1)  # second moments of some distribution of mass
    inertias = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread
    return Chain(axes, offsets, masses, centres, inertias)


def _rotation(axis: int, angle: Expr) -> Block:
    """Matrix whose columns are the turned axes."""
    c, s = ex.cos(angle), ex.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn = [[ex.ZERO] * 3 for _ in range(3)]
    turn[axis][axis] = ex.ONE
    turn[i][i] = turn[j][j] = c
    turn[i][j], turn[j][i] = -s, s
    return turn


def _times(a: Block, b: Block) -> Block:
    return [[_dot(row, [b[k][j] for k in range(3)]) for j in range(3)] for row in a]


def _dot(a: Vector, b: Vector) -> Expr:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _apply(a: Block, v: Vector) -> Vector:
    return [_dot(row, v) for row in a]


def _transpose(a: Block) -> Block:
    return [[a[j][i] for j in range(3)] for i in range(3)]


def _plus(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def _add(a: Block, b: Block) -> Block:
    return [_plus(x, y) for x, y in zip(a, b, strict=True)]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _skew(v: Vector) -> Block:
    return [[ex.ZERO, -v[2], v[1]], [v[2], ex.ZERO, -v[0]], [-v[1], v[0], ex.ZERO]]


def _constants(values: np.ndarray) -> Vector:
    return [ex.const(float(x)) for x in values]


def _symmetric(upper: Block) -> Block:
    return [[upper[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]


def _turn_symmetric(turn: Block, a: Block) -> Block:
    half = _times(turn, a)
    return _symmetric([[_dot(half[i], turn[j]) if j >= i else ex.ZERO for j in range(3)] for i in range(3)])


def forward_dynamics(chain: Chain, q: Vector, u: Vector, tau: Vector) -> Vector:
    """Accelerations by the articulated-body recursion (Featherstone), in body coordinates at the joints."""
    n = chain.size
    turns, velocity, bias_acceleration, inertia, bias = [], [], [], [], []
    w: Vector = [ex.ZERO] * 3
    v: Vector = [ex.ZERO] * 3
    for i in range(n):
        axis, turn = chain.axes[i], _rotation(chain.axes[i], q[i])
        back, r = _transpose(turn), _constants(chain.offsets[i])
        v = _apply(back, _plus(v, _cross(w, r)))
        w = _apply(back, w)
        rate = [u[i] if k == axis else ex.ZERO for k in range(3)]
        acceleration = (_cross(w, rate), _cross(v, rate))
        w = _plus(w, rate)
        m, c = ex.const(float(chain.masses[i])), _constants(chain.centres[i])
        h = [m * x for x in c]
        about = chain.inertias[i] + chain.masses[i] * (
            (chain.centres[i] @ chain.centres[i]) * np.eye(3) - np.outer(chain.centres[i], chain.centres[i])
        )
        j = _symmetric([_constants(row) for row in about])
        momentum = (_plus(_apply(j, w), _cross(h, v)), [m * a - b for a, b in zip(v, _cross(h, w), strict=True)])
        force = (_plus(_cross(w, momentum[0]), _cross(v, momentum[1])), _cross(w, momentum[1]))
        turns.append(turn)
        velocity.append((w, v))
        bias_acceleration.append(acceleration)
        inertia.append((j, _skew(h), [[m if a == b else ex.ZERO for b in range(3)] for a in range(3)]))
        bias.append(force)
    joint: list[tuple[Vector, Vector, Expr, Expr]] = [None] * n  # type: ignore[list-item]
    for i in reversed(range(n)):
        axis = chain.axes[i]
        j, h, m = inertia[i]
        column = [j[k][axis] for k in range(3)], [h[axis][k] for k in range(3)]
        inverse = 1 / column[0][axis]
        residue = tau[i] - bias[i][0][axis]
        joint[i] = (*column, inverse, residue)
        if i == 0:
            break
        top, low = [x * inverse for x in column[0]], [x * inverse for x in column[1]]
        j = _symmetric([[j[a][b] - top[a] * column[0][b] if b >= a else ex.ZERO for b in range(3)] for a in range(3)])
        h = [[h[a][b] - top[a] * column[1][b] for b in range(3)] for a in range(3)]
        m = _symmetric([[m[a][b] - low[a] * column[1][b] if b >= a else ex.ZERO for b in range(3)] for a in range(3)])
        for k in range(3):
            j[axis][k] = j[k][axis] = h[axis][k] = ex.ZERO
        angular, linear = bias_acceleration[i]
        couple = _plus(_plus(bias[i][0], _apply(j, angular)), _apply(h, linear))
        force_ = _plus(_plus(bias[i][1], _apply(_transpose(h), angular)), _apply(m, linear))
        couple = [a + b * residue for a, b in zip(couple, top, strict=True)]
        force_ = [a + b * residue for a, b in zip(force_, low, strict=True)]
        turn, r = turns[i], _constants(chain.offsets[i])
        m, h, j = _turn_symmetric(turn, m), _times(_times(turn, h), _transpose(turn)), _turn_symmetric(turn, j)
        couple, force_ = _apply(turn, couple), _apply(turn, force_)
        cross = _skew(r)
        moved = _add(h, _times(cross, m))
        lever = _times(cross, _transpose(h))
        twice = _times(moved, cross)
        j = _symmetric(
            [[j[a][b] + lever[a][b] - twice[a][b] if b >= a else ex.ZERO for b in range(3)] for a in range(3)]
        )
        couple = _plus(couple, _cross(r, force_))
        p = inertia[i - 1]
        inertia[i - 1] = (_add(p[0], j), _add(p[1], moved), _add(p[2], m))
        bias[i - 1] = (_plus(bias[i - 1][0], couple), _plus(bias[i - 1][1], force_))
    angular = [ex.ZERO] * 3
    linear = [ex.ZERO, ex.ZERO, ex.const(GRAVITY)]
    result = []
    for i in range(n):
        back, r = _transpose(turns[i]), _constants(chain.offsets[i])
        linear = _plus(_apply(back, _plus(linear, _cross(angular, r))), bias_acceleration[i][1])
        angular = _plus(_apply(back, angular), bias_acceleration[i][0])
        top, low, inverse, residue = joint[i]
        acceleration = inverse * (residue - _dot(top, angular) - _dot(low, linear))
        angular = [x + acceleration if k == chain.axes[i] else x for k, x in enumerate(angular)]
        result.append(acceleration)
    return result


def mechanism(chain: Chain) -> Mechanism:
    """The same chain as a mechanism."""
    m = Mechanism(f"chain of {chain.size}")
    last = earth.frame
    for i in range(chain.size):
        body = m.body(f"b{i}", float(chain.masses[i]), chain.centres[i].tolist(), chain.inertias[i].tolist())
        held = Frame(last.body, Displacement(vector3(chain.offsets[i].tolist())))
        m.join(held, body, revolute("xyz"[chain.axes[i]]), name=f"j{i}")
        last = body.frame
    m.gravity = [0, 0, -GRAVITY]
    return m


def chain_symbols(n: int) -> tuple[Vector, Vector, Vector]:
    names = range(n)
    return (
        [ex.symbol(f"q{i}") for i in names],
        [ex.symbol(f"u{i}") for i in names],
        [ex.symbol(f"tau{i}") for i in names],
    )
