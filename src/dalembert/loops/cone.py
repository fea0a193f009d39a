"""Second order: which instantaneous motions survive, and how many dimensions they can fill.

Along x(t) with x' = v the closure needs, beyond J v = 0,

    u^T (sum_{i<j} [S_i, S_j] v_i v_j) = 0      for every self-stress u (u^T J = 0)

These quadratic forms on the kernel cut out a cone that contains the tangent cone of the configuration space, so its
complex dimension is an upper bound of the finite mobility.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.loops.assembly import Closing
from dalembert.loops.cycles import bracket

Array = Any

#: Values of forms whose largest entry is one on a unit direction: smaller is rounding.
_ON_CONE = 1e-13
#: Slopes of such forms, and lengths of what is left of a unit direction: smaller is none.
_NO_SLOPE = 1e-10
#: Eigenvalues and singular values beside the largest, of forms at a posture that closes to 1e-11, with a margin.
_SEEN = 1e-7
#: The same where a form too many would prove too much, and where it is a square of others.
_SQUARE = 1e-8
#: Pivots beside the largest entry.
_PIVOT = 1e-9


def quadratic_forms(closing: Closing, x: Array, stresses: Array, kernel: Array) -> Array:
    """One symmetric matrix for each self-stress (columns of `stresses`) on the columns of `kernel`."""
    positions = closing.positions
    frames = closing.frames(x)
    spin, moment = positions.screws(frames)
    _, pa, _, _ = positions.ends_of(frames)
    screws = np.concatenate([spin, moment], axis=1)
    nodes = kernel[positions.variable]
    nodes[0] = 0.0
    k = kernel.shape[1]
    wrenches: list[Array] = []
    units: list[Array] = []  # the forms of the six unit wrenches at each loop
    for loop in range(len(positions.ends)):
        u = stresses[6 * loop : 6 * loop + 6].T.copy()
        if not np.abs(u).max(initial=0.0) > 0:
            continue
        u[:, 3:] /= closing.scale
        # rows are taken at p_A: v(p_A) = v(O) + w x p_A
        u[:, :3] += np.cross(pa[loop], u[:, 3:])
        total = np.zeros((6, k, k))
        for path, sign in ((positions.path_a[loop], 1.0), (positions.path_b[loop], -1.0)):
            chain = np.flatnonzero(path[1:]) + 1
            if len(chain) < 2:
                continue
            s = screws[chain]
            upper = np.triu(np.moveaxis(bracket(s[:, None, :], s[None, :, :]), 2, 0), 1)
            v = nodes[chain]
            half = v.T @ upper @ v
            total += sign * (half + np.swapaxes(half, 1, 2)) / 2
        wrenches.append(u)
        units.append(total.reshape(6, -1))
    count = stresses.shape[1]
    forms = np.concatenate(wrenches, axis=1) @ np.concatenate(units) if units else np.zeros((count, k * k))
    forms = forms.reshape(count, k, k)
    return forms + _equation_forms(closing, x, stresses, kernel)


def _equation_forms(closing: Closing, x: Array, stresses: Array, kernel: Array) -> Array:
    count, begin = len(closing.linkage.equations), 6 * len(closing.positions.ends)
    forms = np.zeros((stresses.shape[1], kernel.shape[1], kernel.shape[1]))
    if not count:
        return forms
    symbols = [ex.symbol(n) for n in closing.linkage.variables]
    for i, equation in enumerate(closing.linkage.equations):
        second = [d for g in ex.gradient(equation, symbols) for d in ex.gradient(g, symbols)]
        hessian = closing._values(second, x).reshape(len(symbols), len(symbols))
        on_kernel = kernel.T @ hessian @ kernel
        forms += stresses[begin + i][:, None, None] * on_kernel[None]
    return forms


def unit_forms(forms: Array) -> Array:
    """Each form divided by its largest entry; one that is zero stays so."""
    sizes = np.abs(forms).max(axis=(1, 2), keepdims=True)
    return forms / np.where(sizes > 0, sizes, 1.0)


def on_cone(forms: Array, start: Array, iterations: int = 30) -> Array:
    """A unit direction near `start` on which all forms vanish, by Gauss-Newton (the best found if there is none)."""
    v = start / np.linalg.norm(start)
    if not len(forms):
        return v
    forms = unit_forms(forms)
    for _ in range(iterations):
        slopes = 2 * forms @ v
        values = slopes @ v / 2
        if np.abs(values).max() < _ON_CONE:
            break
        rows = np.concatenate([slopes, v[None]])
        v = v - np.linalg.lstsq(rows, np.concatenate([values, [0.0]]), rcond=_NO_SLOPE)[0]
        norm = np.linalg.norm(v)
        if norm < _NO_SLOPE:
            return start / np.linalg.norm(start)
        v /= norm
    return v


def common_radical(forms: Array, tolerance: float = _SEEN) -> Array:
    """Directions (columns) on which every form vanishes with all others: what one deflation leaves."""
    k = forms.shape[1]
    if not forms.size or not np.abs(forms).max() > tolerance:
        return np.eye(k)
    _, s, vt = np.linalg.svd(forms.reshape(-1, k), full_matrices=False)
    rank = int((s > tolerance * max(1.0, s[0])).sum())
    return vt[rank:].T


def cone_dimension(forms: Array, depth: int = 2) -> int:
    """An upper bound of the complex dimension of the common zeros of quadratic forms.

    Perfect squares in their span are set to zero one after the other; a linear slice that leaves only the origin
    proves one dimension for each slice; Macaulay's matrix decides small cases.
    """
    size = float(np.abs(forms).max(initial=0.0))
    left = _peel(forms, size)
    k = left.shape[1]
    if not len(left):
        return k
    best = k - 1  # a quadric that is not a square still costs one dimension
    for i in dict.fromkeys([*range(min(k, 6)), *range(max(0, k - 6), k)]):
        if best <= 1:
            break
        rest = _peel(_restrict(left, np.delete(np.eye(k), i, axis=1)), size)
        if not len(rest):
            best = min(best, rest.shape[1] + 1)
    for slices in range(min(depth + 1, best)):
        if only_origin(left, slices):
            return slices
    return best


def is_definite(forms: Array, tries: int = 60) -> bool:
    """Whether a combination of the forms is definite: then no real direction survives, and the posture is rigid.

    This is a statement about real motions only; the complex cone may still have zeros (a stretched four-bar).
    """
    if not len(forms):
        return False
    rng = np.random.default_rng(9)
    flat = forms.reshape(len(forms), -1)
    for attempt in range(tries):
        weights = np.eye(len(forms))[attempt] if attempt < len(forms) else rng.normal(size=len(forms))
        for _ in range(25):
            total = (weights @ flat).reshape(forms.shape[1:])
            values, vectors = np.linalg.eigh(total)
            if values[-1] + values[0] < 0:
                weights, values, vectors = -weights, -values[::-1], vectors[:, ::-1]
            if values[0] > _SEEN * values[-1] and values[-1] > 0:
                return True
            # lift the smallest eigenvalue: its gradient is the value of each form on its vector
            slope = np.einsum("i,sij,j->s", vectors[:, 0], forms, vectors[:, 0])
            if not np.linalg.norm(slope) > _ON_CONE * float(np.abs(forms).max()):
                break
            weights = weights + 0.5 * np.linalg.norm(weights) * slope / np.linalg.norm(slope)
        if len(forms) == 1:
            return False
    return False


def _restrict(forms: Array, columns: Array) -> Array:
    return np.einsum("ia,sij,jb->sab", columns, forms, columns, optimize=True)


def _peel(forms: Array, size: float, tolerance: float = _SQUARE) -> Array:
    """Forms left after all perfect squares found in the span have been set to zero; shape (0, k, k) when none is.

    What is small beside `size` is rounding: a form too many would prove too much.
    """
    while True:
        forms = _independent(forms, tolerance, size)
        k = forms.shape[1]
        if not len(forms):
            return np.zeros((0, k, k))
        squares = _perfect_squares(forms, tolerance)
        if not len(squares):
            return forms
        forms = _restrict(forms, _zeros_of(squares))


def _zeros_of(squares: Array) -> Array:
    """A basis (columns) of the common zeros of linear forms, along coordinates so that sparse forms stay sparse."""
    rows = reduced_rows(squares)
    k = rows.shape[1]
    pivots = [int(np.flatnonzero(np.abs(row) > 0.5)[0]) for row in rows]
    free = [i for i in range(k) if i not in pivots]
    columns = np.zeros((k, len(free)))
    for c, i in enumerate(free):
        columns[i, c] = 1.0
        columns[pivots, c] = -rows[:, i]
    return columns


def _independent(forms: Array, tolerance: float, size: float) -> Array:
    """A reduced basis of the span, with products of different variables eliminated first."""
    if not len(forms):
        return forms
    k = forms.shape[1]
    order = [(i, j) for i in range(k) for j in range(i + 1, k)] + [(i, i) for i in range(k)]
    rows = np.array([[f[i, j] for i, j in order] for f in forms])
    rows = reduced_rows(rows, tolerance, size)
    found = np.zeros((len(rows), k, k))
    for t, (i, j) in enumerate(order):
        found[:, i, j] = found[:, j, i] = rows[:, t]
    return found


def reduced_rows(rows: Array, tolerance: float = _PIVOT, size: float | None = None) -> Array:
    """Reduced row echelon form with the largest pivot of each column; rows that are zero beside `size` are dropped."""
    a = np.array(rows, dtype=float)
    scale = np.abs(a).max(initial=0.0) if size is None else size
    if not scale > 0:
        return a[:0]
    a /= scale
    row = 0
    for column in range(a.shape[1]):
        if row == len(a):
            break
        pivot = row + int(np.argmax(np.abs(a[row:, column])))
        if abs(a[pivot, column]) < tolerance:
            a[row:, column] = 0.0
            continue
        a[[row, pivot]] = a[[pivot, row]]
        a[row] /= a[row, column]
        others = np.arange(len(a)) != row
        a[others] -= np.outer(a[others, column], a[row])
        row += 1
    a[np.abs(a) < tolerance] = 0.0
    return a[:row]


def _perfect_squares(forms: Array, tolerance: float) -> Array:
    """Linear forms whose squares are among the given forms."""
    found = []
    for f in forms:
        values, vectors = np.linalg.eigh(f)
        order = np.argsort(-np.abs(values))
        if len(values) == 1 or abs(values[order[1]]) < tolerance * abs(values[order[0]]):
            vector = vectors[:, order[0]].copy()
            vector[np.abs(vector) < tolerance] = 0.0
            found.append(vector)
    return np.array(found).reshape(len(found), forms.shape[1])


def only_origin(forms: Array, slices: int, limit: int = 300) -> bool:
    """Whether the forms have no common zero but the origin on a random subspace of codimension `slices` (Macaulay)."""
    k = forms.shape[1] - slices
    if k <= 0:
        return True
    if len(forms) < k:
        return False
    rng = np.random.default_rng(3)
    columns = np.linalg.qr(rng.normal(size=(forms.shape[1], k)))[0]
    cut = _restrict(forms, columns)
    degree = k + 1
    monomials = list(combinations_with_replacement(range(k), degree))
    if len(monomials) > limit:
        return False
    index = {m: i for i, m in enumerate(monomials)}
    rows = []
    for f in cut:
        terms = [((i, j), f[i, j] * (1 if i == j else 2)) for i in range(k) for j in range(i, k)]
        for shift in combinations_with_replacement(range(k), degree - 2):
            row = np.zeros(len(monomials))
            for pair, value in terms:
                row[index[tuple(sorted((*shift, *pair)))]] += value
            rows.append(row)
    values = np.linalg.svd(np.array(rows), compute_uv=False)
    return len(values) >= len(monomials) and bool(values[len(monomials) - 1] > _SQUARE * values[0])
