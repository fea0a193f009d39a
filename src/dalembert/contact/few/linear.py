"""Small linear equations in given memory: factors with row exchanges, and least answers where rows depend."""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native

DEPENDENT = 1e-12
"""What is left of a column beside those before it, as a share of the largest, that is nothing."""


@native
def factor(a, n, order):  # type: ignore[no-untyped-def]
    """L U of the first n rows and columns, in place; the least pivot over the largest entry of its column before."""
    least = 1.0
    for j in range(n):
        best, at = abs(a[j, j]), j
        for i in range(j + 1, n):
            if abs(a[i, j]) > best:
                best, at = abs(a[i, j]), i
        order[j] = at
        if not best > 0:
            return 0.0
        if at != j:
            for k in range(n):
                a[j, k], a[at, k] = a[at, k], a[j, k]
        for i in range(j + 1, n):
            if a[i, j] != 0:
                share = a[i, j] / a[j, j]
                a[i, j] = share
                for k in range(j + 1, n):
                    a[i, k] -= share * a[j, k]
        least = min(least, best)
    return least


@native
def solve(a, n, order, x, columns):  # type: ignore[no-untyped-def]
    """A^-1 times the first `columns` columns of x, in place."""
    for j in range(n):
        at = order[j]
        if at != j:
            for c in range(columns):
                x[j, c], x[at, c] = x[at, c], x[j, c]
    for j in range(n):
        for i in range(j + 1, n):
            share = a[i, j]
            if share != 0:
                for c in range(columns):
                    x[i, c] -= share * x[j, c]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            share = a[j, k]
            if share != 0:
                for c in range(columns):
                    x[j, c] -= share * x[k, c]
        for c in range(columns):
            x[j, c] /= a[j, j]


@native
def least_squares(a, rows, n, b, x, order, tau):  # type: ignore[no-untyped-def]
    """The least x among those with |a x - b| least: a complete orthogonal factor. `a` and `b` are used up."""
    rank, first = 0, 0.0
    for k in range(n):
        order[k] = k
    for k in range(min(rows, n)):
        best, at = -1.0, k
        for j in range(k, n):
            s = 0.0
            for i in range(k, rows):
                s += a[i, j] * a[i, j]
            if s > best:
                best, at = s, j
        best = math.sqrt(best)
        if k == 0:
            first = best
        if not best > DEPENDENT * first:
            break
        if at != k:
            order[k], order[at] = order[at], order[k]
            for i in range(rows):
                a[i, k], a[i, at] = a[i, at], a[i, k]
        head = a[k, k]
        end = -best if head > 0 else best
        own = head - end  # the mirror's first entry; others are those of the column
        a[k, k] = end
        if own != 0:
            share = -1 / (end * own)  # 2 / |mirror|^2
            for j in range(k + 1, n):
                s = own * a[k, j]
                for i in range(k + 1, rows):
                    s += a[i, k] * a[i, j]
                s *= share
                a[k, j] -= s * own
                for i in range(k + 1, rows):
                    a[i, j] -= s * a[i, k]
            s = own * b[k]
            for i in range(k + 1, rows):
                s += a[i, k] * b[i]
            s *= share
            b[k] -= s * own
            for i in range(k + 1, rows):
                b[i] -= s * a[i, k]
        rank += 1
    for i in range(rank - 1, -1, -1):  # columns beyond the rank are turned away from the right
        s = 0.0
        for j in range(rank, n):
            s += a[i, j] * a[i, j]
        tau[i] = 0.0
        if s > 0:
            head = a[i, i]
            end = -math.copysign(math.sqrt(head * head + s), head)
            tau[i] = (end - head) / end
            for j in range(rank, n):
                a[i, j] /= head - end
            a[i, i] = end
            for k in range(i):
                s = a[k, i]
                for j in range(rank, n):
                    s += a[i, j] * a[k, j]
                s *= tau[i]
                a[k, i] -= s
                for j in range(rank, n):
                    a[k, j] -= s * a[i, j]
    for i in range(rank - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, rank):
            s -= a[i, j] * b[j]
        b[i] = s / a[i, i]
    for i in range(n):
        x[i] = b[i] if i < rank else 0.0
    for i in range(rank):
        if tau[i] != 0:
            s = x[i]
            for j in range(rank, n):
                s += a[i, j] * x[j]
            s *= tau[i]
            x[i] -= s
            for j in range(rank, n):
                x[j] -= s * a[i, j]
    for k in range(n):  # back to the order of the columns, by cycles: `tau` is free now
        tau[k] = x[k]
    for k in range(n):
        x[order[k]] = tau[k]
    return rank
