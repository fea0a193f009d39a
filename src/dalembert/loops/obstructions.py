"""Second order in balls: the quadratic forms of the self-stresses, and how large their common zeros can be.

Along x(t) with x' = v the closure needs, beyond J v = 0, for every self-stress u (u^T J = 0)

    u . (sum_{i<j} [S_i, S_j] v_i v_j  for the loops,   v^T H v  for an equation of Hessian H)  =  0

The complex cone of these forms contains the tangent cone of the closure, so its dimension bounds the mobility; and if
they have no real zero but 0, the posture is isolated (an arc has a tangent).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.loops.balls import BallClosing, all_finite, as_array, as_matrix, ball, floats
from dalembert.loops.cone import only_origin
from dalembert.loops.linearised import Linearised
from dalembert.loops.positions import cross

Array = Any

#: Pivots of rows whose largest entry is one, and eigenvalues beside the largest, that floats propose to the balls.
_PIVOT = 1e-9
#: Slopes of an eigenvalue beside the largest entry of the forms: no combination lifts it.
_LEVEL = 1e-12


def obstructions(closing: BallClosing, x: Sequence[Any], linear: Linearised) -> list[Array]:
    """One symmetric matrix of balls for each self-stress, on the kernel.

    A form is linear in its stress: forms of unit wrenches at each loop are made once, and one product combines them.
    """
    k = linear.kernel.shape[1]
    stresses = linear.stresses.copy()
    for loop in range(len(closing.positions.ends)):
        for column in range(stresses.shape[1]):  # a loop that a stress leaves alone adds no rounding to its form
            if all(closing.is_zero(c) for c in stresses[6 * loop : 6 * loop + 6, column]):
                stresses[6 * loop : 6 * loop + 6, column] = ball(0)
    used = [i for i, row in enumerate(stresses) if not all(c.is_zero() for c in row)]
    if not used or not k:
        return [np.full((k, k), ball(0), dtype=object) for _ in range(stresses.shape[1])]
    units = _unit_forms(closing, x, linear.kernel, used)
    upper = np.triu_indices(k)
    listed = as_array(as_matrix(stresses[used].T) * as_matrix(np.array([f[upper] for f in units], dtype=object)))
    forms = []
    for row in listed:
        total = np.empty((k, k), dtype=object)
        total[upper] = row
        total.T[upper] = row
        if all_finite(total):
            forms.append(total)
    return forms


def _unit_forms(closing: BallClosing, x: Sequence[Any], kernel: Array, rows: Sequence[int]) -> list[Array]:
    """The form of each closure row by itself: brackets along both sides of its loop, or the Hessian of an equation."""
    positions = closing.positions
    frames = positions.frames(positions.motion(x))
    spin, moment = positions.screws(frames)
    _, pa, _, _ = positions.ends_of(frames)
    screws = np.concatenate([spin, moment], axis=1)
    k, begin = kernel.shape[1], 6 * len(positions.ends)
    hessians = closing.equation_hessians(x) if rows and rows[-1] >= begin else None
    sides: dict[int, list[tuple[int, int, Any, Any, Any, Any]]] = {}
    for loop in {row // 6 for row in rows if row < begin}:
        for path, sign in ((positions.path_a[loop], 1), (positions.path_b[loop], -1)):
            chain = np.flatnonzero(path)
            chain = chain[chain > 0]
            if len(chain) > 1:
                s, v = as_matrix(screws[chain]), as_matrix(kernel[positions.variable[chain]])
                sides.setdefault(loop, []).append((sign, len(chain), s, s.transpose(), v, v.transpose()))
    found = []
    for row in rows:
        if hessians is not None and row >= begin:
            one = as_array(as_matrix(kernel.T) * as_matrix(hessians[row - begin]) * as_matrix(kernel))
            found.append((one + one.T) / 2)
            continue
        loop, part = divmod(row, 6)
        unit = np.array([ball(int(i == part % 3)) for i in range(3)], dtype=object)
        force = unit / closing.scale if part >= 3 else 0 * unit
        couple = cross(pa[loop], force) if part >= 3 else unit
        total = np.full((k, k), ball(0), dtype=object)
        for sign, count, s, st, v, vt in sides.get(loop, []):
            pairs = as_array(s * _pairing(couple, force) * st)
            pairs[np.tril_indices(count)] = ball(0)
            half = as_array(vt * as_matrix(pairs) * v)
            total = total + sign * (half + half.T) / 2
        found.append(total)
    return found


def _pairing(couple: Array, force: Array) -> Any:
    """The matrix of (a, b) -> u . [a, b] for screws a, b and a wrench u."""
    found = np.full((6, 6), ball(0), dtype=object)
    for at, v in (((0, 0), couple), ((0, 3), force), ((3, 0), force)):
        i, j = at
        found[i + 0, j + 1], found[i + 0, j + 2], found[i + 1, j + 2] = v[2], -v[1], v[0]
        found[i + 1, j + 0], found[i + 2, j + 0], found[i + 2, j + 1] = -v[2], v[1], -v[0]
    return as_matrix(found)


def independent_forms(closing: BallClosing, forms: Sequence[Array], k: int) -> list[Array]:
    """A reduced basis of the span, products of different variables eliminated first; zero to all digits is dropped."""
    order = [(i, j) for i in range(k) for j in range(i + 1, k)] + [(i, i) for i in range(k)]
    listed = [np.array([f[i, j] for i, j in order], dtype=object) for f in forms]
    rows = [row for row in listed if not all(closing.is_zero(v) for v in row)]
    if not rows:
        return []
    found = []
    for row in echelon(closing, np.array(rows, dtype=object)):
        one = np.full((k, k), ball(0), dtype=object)
        for value, (i, j) in zip(row, order, strict=True):
            if not closing.is_zero(value):
                one[i, j] = one[j, i] = value
        found.append(one)
    return found


def echelon(closing: BallClosing, rows: Array) -> Array:
    """Reduced row echelon form: pivots chosen in floats, numbers in balls. Rows that floats see dependent are left out.

    A form too few only weakens the bound.
    """
    a = floats(rows)
    a = a / np.maximum(np.abs(a).max(axis=1, keepdims=True), np.finfo(float).tiny)
    left = list(range(len(a)))
    pivots: list[tuple[int, int]] = []
    for column in range(a.shape[1]):
        if not left:
            break
        best = max(left, key=lambda i: abs(a[i, column]))
        if abs(a[best, column]) < _PIVOT:
            continue
        left.remove(best)
        pivots.append((best, column))
        a[left] -= np.outer(a[left, column] / a[best, column], a[best])
    chosen, columns = [i for i, _ in pivots], [j for _, j in pivots]
    return as_array(as_matrix(rows[np.ix_(chosen, columns)]).inv() * as_matrix(rows[chosen]))


def cone_dimension(closing: BallClosing, forms: list[Array], k: int) -> int:
    """An upper bound of the complex dimension of the common zeros of independent forms in k variables.

    Perfect squares in the span are set to zero one after the other, in balls; then a linear slice that leaves only the
    origin proves one dimension for each slice, by Macaulay's matrix in floats (a singular value far above rounding).
    """
    left, k = _peeled(closing, forms, k)
    if not left:
        return k
    best = k - 1  # a quadric that is not a square still costs one dimension
    for i in dict.fromkeys([*range(min(k, 6)), *range(max(0, k - 6), k)]):
        if best <= 1:
            break
        slice_ = np.delete(np.array([[ball(int(a == b)) for b in range(k)] for a in range(k)], dtype=object), i, axis=1)
        rest, size = _peeled(closing, _restricted(closing, left, slice_), k - 1)
        if not rest:
            best = min(best, size + 1)
    plain = np.array([floats(f) for f in left])
    for slices in range(min(3, best)):
        if only_origin(plain, slices):
            return slices
    return best


def _peeled(closing: BallClosing, forms: list[Array], k: int) -> tuple[list[Array], int]:
    while True:
        forms = independent_forms(closing, forms, k)
        squares = [root for f in forms if (root := _square_root(closing, f)) is not None]
        if not squares:
            return forms, k
        rows = echelon(closing, np.array(squares, dtype=object))
        pivots = [next(i for i in range(k) if not closing.is_zero(row[i])) for row in rows]
        free = [i for i in range(k) if i not in pivots]
        columns = np.full((k, len(free)), ball(0), dtype=object)
        for c, i in enumerate(free):
            columns[i, c] = ball(1)
            for row, p in zip(rows, pivots, strict=True):
                columns[p, c] = -row[i]
        forms, k = _restricted(closing, forms, columns), len(free)


def _restricted(closing: BallClosing, forms: list[Array], columns: Array) -> list[Array]:
    if not columns.shape[1]:
        return []
    c, ct = as_matrix(columns), as_matrix(columns.T)
    return [as_array(ct * as_matrix(f) * c) for f in forms]


def _square_root(closing: BallClosing, form: Array) -> Array | None:
    """The linear form whose square, times a number, is the form: all its minors of order two vanish to all digits."""
    k = len(form)
    i = max(range(k), key=lambda j: float(abs(form[j, j]).mid()))
    pivot = form[i, i]
    if not closing.is_nonzero(pivot):
        return None
    row = form[i]
    for j in range(k):
        for l in range(j, k):
            if not closing.is_zero(pivot * form[j, l] - row[j] * row[l]):
                return None
    return row / pivot


def definite(closing: BallClosing, forms: list[Array], tries: int = 60) -> bool:
    """Whether a combination of the forms is definite: found in floats, proved by the pivots of L D L^T in balls."""
    if not forms:
        return False
    plain = np.array([floats(f) for f in forms])
    flat = plain.reshape(len(plain), -1)
    rng = np.random.default_rng(9)
    for attempt in range(tries):
        weights = np.eye(len(plain))[attempt] if attempt < len(plain) else rng.normal(size=len(plain))
        for _ in range(25):
            values, vectors = np.linalg.eigh((weights @ flat).reshape(plain.shape[1:]))
            if values[-1] + values[0] < 0:
                weights, values, vectors = -weights, -values[::-1], vectors[:, ::-1]
            if values[0] > _PIVOT * values[-1] and values[-1] > 0 and _positive(closing, forms, weights):
                return True
            # lift the smallest eigenvalue: its gradient is the value of each form on its vector
            slope = np.einsum("i,sij,j->s", vectors[:, 0], plain, vectors[:, 0])
            if not np.linalg.norm(slope) > _LEVEL * float(np.abs(plain).max()):
                break
            weights = weights + 0.5 * np.linalg.norm(weights) * slope / np.linalg.norm(slope)
        if len(plain) == 1:
            return False
    return False


def indefinite(closing: BallClosing, form: Array) -> bool:
    """Whether a form has values of both signs: pivots of both signs, or none on the diagonal but one beside it."""
    left = form.copy()
    signs: set[bool] = set()
    while len(left):
        i = max(range(len(left)), key=lambda j: float(abs(left[j, j]).mid()))
        pivot = left[i, i]
        if closing.is_zero(pivot):
            return any(closing.is_nonzero(v) for v in left.ravel())
        if not closing.is_nonzero(pivot):
            return False
        signs.add(bool(pivot > 0))
        if len(signs) == 2:
            return True
        keep = [j for j in range(len(left)) if j != i]
        left = left[np.ix_(keep, keep)] - np.outer(left[keep, i], left[i, keep]) / pivot
    return False


def _positive(closing: BallClosing, forms: list[Array], weights: Array) -> bool:
    total = sum((ball(float(w)) * f for w, f in zip(weights, forms, strict=True)), forms[0] * 0)
    k = len(total)
    for i in range(k):
        if not bool(total[i, i] > 0):
            return False
        for j in range(i + 1, k):
            factor = total[j, i] / total[i, i]
            total[j, i:] = total[j, i:] - factor * total[i, i:]
    return True
