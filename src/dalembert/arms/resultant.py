"""All postures of an arm of six joints, whatever its shape: a polynomial of degree sixteen in one of them.

The fourteen equations of a line (`lines`) hold joints 1, 2 on one side and 3, 4, 5 on the other. Taking out the eight
products of 1, 2 leaves six, linear in nine products of 4, 5; with their multiples twelve in twelve products, whose
determinant is a polynomial in joint 3 (Raghavan and Roth 1993; Lee and Liang 1988; at most sixteen postures: Primrose
1986). It is computed exactly, over the rationals, for an arm within rounding of the one that is given, and its real
roots are counted with proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from dalembert.arms.lines import COUNT, carried, line_numbers, moved
from dalembert.arms.screws import Screws, inverse

Array = NDArray[Any]

#: Bits of the rational arm: its axes and points differ from those given by less than rounding of a pose.
_BITS = 48
#: Singular values beside the largest, of twelve rows of unit length: below, a product of joints 4 and 5 is a solution.
_KERNEL = 1e-9
#: A direction of the kernel that is no product of powers of two numbers differs from one by far more than this.
_PRODUCT = 1e-4
_HALF = np.array([[1, 0, 1], [1, 0, -1], [0, 2, 0]])  # 1, cos, sin times 1 + t^2, in 1, t, t^2
_STRAIGHT = np.eye(3, dtype=int)


@dataclass(frozen=True, eq=False)
class Eliminated:
    """Amounts of joints that may reach, from the real roots of the resultant; `sure`: no root hides another posture."""

    amounts: tuple[Array, ...]
    degree: int
    real: int
    sure: bool


def eliminate(screws: Screws, target: Array, seed: int = 0) -> Eliminated | None:
    """Candidates of every posture; None where the determinant vanishes for every shift of the chain: a special arm."""
    rng = np.random.default_rng(seed)
    n = len(screws)
    for first in range(n):
        if not screws.turns[first - 1]:  # the numbers of a line do not change by a turn about it; by a slide they do
            continue
        offset = rng.uniform(-1, 1, n)
        there = screws.pose(offset) @ inverse(screws.tip)  # the chain is drawn anew where no angle is special
        axes, points = _drawn(screws, offset)
        axes, points, turned = _shifted(screws.turns, axes, points, target @ inverse(there), first)
        found = _from_third(turned, axes, points, target @ inverse(there))
        if found is not None:
            amounts = tuple(np.roll(x, first) + offset for x in found.amounts)
            return Eliminated(amounts, found.degree, found.real, found.sure)
    return None


def _drawn(screws: Screws, x: Array) -> tuple[Array, Array]:
    axes, points, here = [], [], np.eye(4)
    for i in range(len(screws)):
        axes.append(here[:3, :3] @ screws.axes[i])
        points.append(here[:3, :3] @ screws.points[i] + here[:3, 3])
        here = here @ screws.move(i, x[i])
    return np.array(axes), np.array(points)


def _shifted(
    turns: Any, axes: Array, points: Array, target: Array, first: int
) -> tuple[Array, Array, tuple[bool, ...]]:
    """The same loop begun at another joint: E_2 ... E_6 (T^-1 E_1 T) = T."""
    back = inverse(target)
    moved_axes = axes[:first] @ back[:3, :3].T
    moved_points = points[:first] @ back[:3, :3].T + back[:3, 3]
    order = (*turns[first:], *turns[:first])
    return np.concatenate([axes[first:], moved_axes]), np.concatenate([points[first:], moved_points]), order


def _from_third(turns: tuple[bool, ...], axes: Array, points: Array, target: Array) -> Eliminated | None:
    exact = [(_unit(a), _rational(p)) for a, p in zip(axes, points, strict=True)]
    parts = [moved(t, a, p) for t, (a, p) in zip(turns, exact, strict=True)]
    back = [(a, *((b, -c) if t else (-b, c))) for t, (a, b, c) in zip(turns, parts, strict=True)]
    line = line_numbers(*exact[5])
    rotation, shift = _rotation(target[:3, :3]), _rational(target[:3, 3])
    seen = carried(rotation, shift) @ line
    near = _products((back[1], back[0]), seen)  # joints 2, 1
    far = [_products((parts[3], parts[4]), line)]
    sides = [[m @ column for column in far[0]] for m in parts[2]]
    six = _without(near, sides)
    if six is None:
        return None
    shapes = [_HALF if t else _STRAIGHT for t in turns]
    table = _twelve(six, shapes)
    polynomial = _determinant(table, turns[2])
    if polynomial is None:
        return None
    return _solved(polynomial, table, turns, exact, near, sides, target)


def _products(moves: Any, line: Array) -> list[Array]:
    """Columns of the nine products (1, c, s) x (1, c, s) of two joints."""
    return [a @ (b @ line) for a in moves[0] for b in moves[1]]


def _without(near: list[Array], sides: list[list[Array]]) -> Array | None:
    """Six equations without the eight products of joints 1, 2: entry [equation, power of 3, product of 4, 5]."""
    wide = flint.fmpq_mat([[*(near[j][i] for j in range(1, 9)), *_identity_row(i)] for i in range(COUNT)])
    reduced, _ = wide.rref()
    rows = [
        [reduced[i, 8 + j] for j in range(COUNT)] for i in range(COUNT) if all(reduced[i, j] == 0 for j in range(8))
    ]
    if len(rows) < 6:
        return None
    if len(rows) > 6:  # fewer products are there: six mixtures of what is left
        mix = [[flint.fmpq((7 * i * i + 3 * j + i * j) % 11 - 5) for j in range(len(rows))] for i in range(6)]
        rows = [[sum((m[j] * rows[j][k] for j in range(len(rows))), flint.fmpq(0)) for k in range(COUNT)] for m in mix]
    columns = [[list(column[:COUNT]) for column in side] for side in sides]
    columns[0][0] = [a - b for a, b in zip(columns[0][0], near[0][:COUNT], strict=True)]
    flat = flint.fmpq_mat([[columns[i][m][k] for i in range(3) for m in range(9)] for k in range(COUNT)])
    made = flint.fmpq_mat(rows) * flat
    return np.array([[[made[e, 9 * i + m] for m in range(9)] for i in range(3)] for e in range(6)], dtype=object)


def _identity_row(i: int) -> list[Any]:
    return [flint.fmpq(int(i == j)) for j in range(COUNT)]


def _twelve(six: Array, shapes: list[Array]) -> Array:
    """Entry [row, power of t3, product t4^i t5^j]: the six equations in half tangents, and t4 times them."""
    third, fourth, fifth = (shapes[i].astype(object) for i in (2, 3, 4))
    cube = six.reshape(6, 3, 3, 3)
    cube = np.einsum("eimn,ia->eamn", cube, third)
    cube = np.einsum("eamn,mb,nc->eabc", cube, fourth, fifth)
    found = np.full((12, 3, 4, 3), flint.fmpq(0), dtype=object)
    found[:6, :, :3], found[6:, :, 1:] = cube, cube
    return found.reshape(12, 3, 12)


def _determinant(table: Array, turns: bool) -> Any | None:
    """The resultant, without its factors 1 + t^2 and repeated roots; None where it vanishes."""
    points = [flint.fmpq(k) for k in range(-12, 13)]
    values = []
    for t in points:
        rows = table[:, 0] + table[:, 1] * t + table[:, 2] * (t * t)
        values.append(flint.fmpq_mat([list(row) for row in rows]).det())
    if all(v == 0 for v in values):
        return None
    p = _interpolated(points, values)
    circle = flint.fmpq_poly([1, 0, 1])
    while turns and p.degree() >= 2 and p % circle == 0:
        p = p // circle
    return p


def _interpolated(points: list[Any], values: list[Any]) -> Any:
    """Newton's divided differences."""
    table = list(values)
    for width in range(1, len(points)):
        for i in range(len(points) - 1, width - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (points[i] - points[i - width])
    p = flint.fmpq_poly([table[-1]])
    for i in range(len(points) - 2, -1, -1):
        p = p * flint.fmpq_poly([-points[i], 1]) + flint.fmpq_poly([table[i]])
    return p


def _solved(
    polynomial: Any, table: Array, turns: tuple[bool, ...], exact: Any, near: Any, sides: Any, target: Array
) -> Eliminated:
    whole = polynomial.numer()
    roots = [(complex(z), multiple) for z, multiple in whole.complex_roots() if z.imag == 0]
    sure, amounts = True, list[Array]()
    scaled = _floats(table)
    for z, multiple in roots:
        t = z.real
        matrix = scaled[:, 0] + scaled[:, 1] * t + scaled[:, 2] * t * t
        matrix /= np.linalg.norm(matrix, axis=1)[:, None]
        _, s, vt = np.linalg.svd(matrix)
        count = max(1, int((s < _KERNEL * s[0]).sum()))
        sure &= multiple == 1 and count == 1
        for fourth, fifth, off in _powers(vt[len(vt) - count :].T):
            if off > _PRODUCT:
                sure &= off > 100 * _PRODUCT
                continue
            amounts.append(_complete(turns, exact, near, sides, target, (t, fourth, fifth)))
    return Eliminated(tuple(amounts), polynomial.degree(), len(roots), sure)


def _floats(table: Array) -> Array:
    found = np.empty(table.shape)
    for i, row in enumerate(table):
        largest = max(abs(x) for x in row.ravel())
        found[i] = np.vectorize(lambda x, m=largest: float(Fraction(int((x / m).p), int((x / m).q))))(row)
    return found


def _powers(kernel: Array) -> list[tuple[float, float, float]]:
    """t4, t5 of the vectors t4^i t5^j in a space, each with its distance from being such a vector."""
    cube = kernel.reshape(4, 3, -1)
    low, high = cube[:3].reshape(9, -1), cube[1:].reshape(9, -1)
    found = []
    values, vectors = np.linalg.eig(np.linalg.pinv(low) @ high)
    for value, vector in zip(values, vectors.T, strict=True):
        one = (cube @ vector).reshape(4, 3)
        row = int(np.argmax(np.linalg.norm(one, axis=1)))
        fifth = (one[row, 1:] @ one[row, :2].conj()) / (one[row, :2] @ one[row, :2].conj())
        product = np.outer(value ** np.arange(4), fifth ** np.arange(3)).ravel()
        flat = one.ravel() / np.linalg.norm(one)
        product /= np.linalg.norm(product)
        off = float(np.sqrt(max(0.0, 1 - abs(product.conj() @ flat) ** 2)))
        off = max(off, abs(value.imag) / (1 + abs(value)))
        found.append((float(value.real), float(np.real(fifth)), off))
    return found


def _complete(turns: Any, exact: Any, near: Any, sides: Any, target: Array, three: tuple[float, float, float]) -> Array:
    """All six amounts: joints 1, 2 from their eight products, joint 6 from what is left."""
    x = np.zeros(6)
    for i, t in zip((2, 3, 4), three, strict=True):
        x[i] = 2 * np.arctan(t) if turns[i] else t
    basis = [np.array([1, np.cos(x[i]), np.sin(x[i])]) if turns[i] else x[i] ** np.arange(3) for i in (2, 3, 4)]
    columns = np.array([[_float(v) for v in column[:COUNT]] for column in near]).T
    right = sum(
        basis[0][i] * basis[1][m // 3] * basis[2][m % 3] * np.array([_float(v) for v in sides[i][m][:COUNT]])
        for i in range(3)
        for m in range(9)
    )
    known = np.r_[1.0, np.linalg.lstsq(columns[:, 1:], right - columns[:, 0], rcond=None)[0]].reshape(3, 3)
    x[1] = np.arctan2(known[2, 0], known[1, 0]) if turns[1] else known[1, 0]
    x[0] = np.arctan2(known[0, 2], known[0, 1]) if turns[0] else known[0, 1]
    axes = np.array([[_float(v) for v in a] for a, _ in exact])
    points = np.array([[_float(v) for v in p] for _, p in exact])
    chain = Screws(tuple(turns), axes, points, np.eye(4), np.ones(6), np.zeros(6), 1.0)
    rest = np.eye(4)
    for i in range(5):
        rest = rest @ chain.move(i, x[i])
    rest = inverse(rest) @ target
    if turns[5]:
        spin = rest[:3, :3] - rest[:3, :3].T
        sine = np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) @ axes[5] / 2
        x[5] = np.arctan2(sine, (np.trace(rest[:3, :3]) - 1) / 2)
    else:
        x[5] = rest[:3, 3] @ axes[5]
    return x


def _float(x: Any) -> float:
    return float(Fraction(int(x.p), int(x.q)))


def _fmpq(x: float) -> Any:
    return flint.fmpq(round(x * 2**_BITS), 2**_BITS)


def _rational(v: Array) -> Array:
    return np.array([_fmpq(float(x)) for x in v], dtype=object)


def _unit(axis: Array) -> Array:
    """A rational vector of length exactly one, within rounding of this one: from the pole that is farther."""
    k = int(np.argmax(np.abs(axis)))
    sign = 1 if axis[k] < 0 else -1
    others = [i for i in range(3) if i != k]
    u, v = (_fmpq(float(axis[i] / (1 - sign * axis[k]))) for i in others)
    square = u * u + v * v
    found: list[Any] = [None, None, None]
    found[others[0]], found[others[1]] = 2 * u / (1 + square), 2 * v / (1 + square)
    found[k] = (square - 1) / (1 + square) * sign
    return np.array(found, dtype=object)


def _rotation(r: Array) -> Array:
    """A rational rotation, exactly one, within rounding of this one: from a rational quaternion."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = (_fmpq(float(v)) for v in Rotation.from_matrix(r).as_quat())
    n = w * w + x * x + y * y + z * z
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.array([[v / n for v in row] for row in rows], dtype=object)
