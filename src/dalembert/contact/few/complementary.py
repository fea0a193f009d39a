"""0 <= W z + q, z >= 0, z.(W z + q) = 0 in machine code: contacts without friction, to rounding.

The contacts that pushed before are tried first, then those that this shows (block pivoting); where their rows depend on
each other, Lemke's method with lexicographic pivoting decides, which ends for every semidefinite W.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native
from dalembert.contact.few.linear import factor, solve

_SOLID = 1e-10
"""Pivot of a matrix of unit diagonal below which its rows depend on each other."""
_WRONG = 1e-14
"""A sign that is wrong by this share of the largest, in a problem of unit diagonal, is rounding."""
_PATIENCE = 8
"""Changes of the pattern that need not be better than those before; then one contact at a time."""
_PIVOT, _TIE = 1e-11, 1e-13
"""As in `lemke`: pivots as shares of their column, and ratios that tie."""
_MOST = 50


@native
def complementary(w, q, n, z, scale, on, a, x, order, table, basis):  # type: ignore[no-untyped-def]
    """z, which comes in as a guess; False if there is none, or it is lost in rounding."""
    largest, size = 0.0, 0.0
    for i in range(n):
        largest = max(largest, abs(w[i, i]))
    for i in range(n):
        own = abs(w[i, i])
        scale[i] = 1 / math.sqrt(own if own > 0 else largest if largest > 0 else 1.0)
        size = max(size, abs(scale[i] * q[i]))
    guessed = False
    for i in range(n):
        guessed = guessed or z[i] > 0
    for i in range(n):
        on[i] = z[i] > 0 if guessed else q[i] < 0
    fewest, patience = n + 1, _PATIENCE
    for _ in range(20 + 4 * n):
        count = 0
        for i in range(n):
            if on[i]:
                basis[count] = i
                count += 1
        for i in range(count):
            for j in range(count):
                a[i, j] = scale[basis[i]] * w[basis[i], basis[j]] * scale[basis[j]]
            x[i, 0] = -scale[basis[i]] * q[basis[i]]
        if count and factor(a, count, order) < _SOLID:
            break
        solve(a, count, order, x, 1)
        for i in range(n):
            z[i] = 0.0
        for i in range(count):
            z[basis[i]] = scale[basis[i]] * x[i, 0]
        wrong, last = 0, -1
        for i in range(n):
            table[i, 0] = 0.0
            if on[i]:
                bad = z[i] / scale[i] < -_WRONG * size
            else:
                s = q[i]
                for k in range(count):
                    s += w[i, basis[k]] * z[basis[k]]
                bad = scale[i] * s < -_WRONG * size
            if bad:
                table[i, 0] = 1.0
                wrong, last = wrong + 1, i
        if wrong == 0:
            for i in range(n):
                z[i] = max(z[i], 0.0)
            return True
        patience -= 1
        if wrong < fewest:
            fewest, patience = wrong, _PATIENCE
        for i in range(n):
            if i == last or (patience > 0 and table[i, 0] > 0):
                on[i] = not on[i]
    return _lemke(w, q, n, z, scale, table, basis)


@native
def _lemke(w, q, n, z, scale, table, basis):  # type: ignore[no-untyped-def]
    """The method of `dalembert.contact.lemke` on a tableau in given memory."""
    end, unit = 2 * n + 1, 0.0
    for i in range(n):
        unit = max(unit, abs(scale[i] * q[i]))
    row = 0
    for i in range(n):
        for j in range(n):
            table[i, j] = 1.0 if i == j else 0.0
            table[i, n + j] = -scale[i] * w[i, j] * scale[j]
        table[i, 2 * n] = -1.0
        table[i, end] = scale[i] * q[i] / unit
        basis[i] = i
        if table[i, end] < table[row, end]:
            row = i
    entering = 2 * n
    for _ in range(_MOST * n):
        leaving = basis[row]
        pivot = table[row, entering]
        for j in range(end + 1):
            table[row, j] /= pivot
        for i in range(n):
            share = table[i, entering]
            if i != row and share != 0:
                for j in range(end + 1):
                    table[i, j] -= share * table[row, j]
                table[i, entering] = 0.0
        table[row, entering] = 1.0
        basis[row] = entering
        if leaving == 2 * n:
            for i in range(n):
                z[i] = 0.0
            for i in range(n):
                if n <= basis[i] < 2 * n:
                    z[basis[i] - n] = max(unit * table[i, end] * scale[basis[i] - n], 0.0)
            return True
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving(table, basis, entering, n)
        if row < 0:
            return False
    return False


@native
def _leaving(table, basis, column, n):  # type: ignore[no-untyped-def]
    """The row of the lexicographically least ratio; the artificial variable first where it ties; -1 on a ray."""
    largest = 1e-300
    for i in range(n):
        largest = max(largest, abs(table[i, column]))
    found = -1
    for i in range(n):
        if not table[i, column] > _PIVOT * largest:
            continue
        if found < 0:
            found = i
            continue
        for m in range(n + 1):
            k = 2 * n + 1 if m == 0 else m - 1
            mine, best = table[i, k] / table[i, column], table[found, k] / table[found, column]
            slack = _TIE * max(1.0, abs(best))
            if mine < best - slack:
                found = i
                break
            if mine > best + slack:
                break
            if m == 0 and (basis[i] == 2 * n or basis[found] == 2 * n):
                found = i if basis[i] == 2 * n else found
                break
    return found
