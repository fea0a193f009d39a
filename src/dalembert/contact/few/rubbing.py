"""Coulomb's law at several contacts in machine code: sweeps with an exact step for each, then the pattern that shows.

The same as `nsgs`, in given memory: the problem is balanced, swept, and after 1, 2, 4, 8, ... sweeps the pattern of
stick, slip and open contacts is solved as a whole (`pattern`). What that does not settle is for the caller.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dalembert.contact.crowd.compiled import native
from dalembert.contact.crowd.cone import solve_block
from dalembert.contact.few.pattern import missed, polished

Array = NDArray[Any]


class Rubs(NamedTuple):
    """Rows of each contact from `starts[i]`: normal, `slides[i]` tangents, then turning; discs of rows with their mu.

    `count` has the number of contacts.
    """

    count: Array  # type: ignore[assignment]
    starts: Array
    slides: Array
    first: Array
    begin: Array
    end: Array
    mu: Array


class Swept(NamedTuple):
    """Room for a balanced problem: W, b, scales, impulses, rates, and what trials need."""

    w: Array
    b: Array
    scale: Array
    p: Array
    u: Array
    best: Array
    trial: Array
    near: Array
    moved: Array
    system: Array
    asked: Array
    x: Array
    order: Array
    tau: Array
    shown: Array
    unknown: Array
    block: Array
    right: Array
    new: Array


@native
def sweeps(w, right, m, rubs, guess, warm, most, good, r):  # type: ignore[no-untyped-def]
    """Impulses in `guess`; the fault that is left, as a share of |b|."""
    size = _balance(w, right, m, rubs, r)
    total, norm = rubs.count[0], 0.0
    for i in range(m):
        r.p[i] = guess[i] / (r.scale[i] * size) if warm else 0.0
        norm += r.b[i] ** 2
    norm = math.sqrt(norm) if norm > 0 else 1.0
    _rates(r.w, r.b, m, r.p, r.u)
    left, look = math.inf, 1
    for sweep in range(1, most + 1):
        for k in range(total):
            _visit(k if sweep % 2 else total - 1 - k, m, rubs, r)
        if sweep == look:
            look = 2 * look if look < 16 else look + 16
            _rates(r.w, r.b, m, r.p, r.u)
            for trial in range(5):
                if trial < 4:
                    polished(m, rubs, r, trial // 2 == 0, trial % 2 == 1)
                else:
                    for i in range(m):
                        r.trial[i] = r.p[i]
                here = missed(m, rubs, r) / norm
                if here < left:
                    left = here
                    for i in range(m):
                        r.best[i] = r.trial[i]
                if left <= good:
                    break
            if left <= good:
                break
    for i in range(m):
        guess[i] = size * r.scale[i] * r.best[i]
    return left


@native
def _balance(w, right, m, rubs, r):  # type: ignore[no-untyped-def]
    """The same problem without units: each contact has the mean compliance 1, the largest right side is 1."""
    largest = 0.0
    for i in range(rubs.count[0]):
        start = rubs.starts[i]
        s = 0.0
        for k in range(start, start + 1 + rubs.slides[i]):
            s += abs(w[k, k])
        s /= 1 + rubs.slides[i]
        for k in range(start, start + 1 + rubs.slides[i]):
            r.scale[k] = s
        for d in range(rubs.first[i] + (1 if rubs.slides[i] else 0), rubs.first[i + 1]):
            s = 0.0
            for k in range(rubs.begin[d], rubs.end[d]):
                s += abs(w[k, k])
            for k in range(rubs.begin[d], rubs.end[d]):
                r.scale[k] = s / (rubs.end[d] - rubs.begin[d])
    for k in range(m):
        largest = max(largest, r.scale[k])
    size = 0.0
    for k in range(m):
        r.scale[k] = 1 / math.sqrt(r.scale[k] if r.scale[k] > 0 else largest if largest > 0 else 1.0)
        size = max(size, abs(r.scale[k] * right[k]))
    size = size if size > 0 else 1.0
    for i in range(m):
        r.b[i] = r.scale[i] * right[i] / size
        for k in range(m):
            r.w[i, k] = r.scale[i] * w[i, k] * r.scale[k]
    for i in range(rubs.count[0]):
        for d in range(rubs.first[i] + (1 if rubs.slides[i] else 0), rubs.first[i + 1]):
            rubs.mu[d] *= r.scale[rubs.starts[i]] / r.scale[rubs.begin[d]]
    return size


@native
def _rates(w, b, m, p, u):  # type: ignore[no-untyped-def]
    for i in range(m):
        s = b[i]
        for k in range(m):
            s += w[i, k] * p[k]
        u[i] = s


@native
def _visit(i, m, rubs, r):  # type: ignore[no-untyped-def]
    """One contact with the others held: sliding exactly, then each turning within its bound."""
    w, p, u = r.w, r.p, r.u
    start, end = rubs.starts[i], rubs.starts[i + 1]
    size = 1 + rubs.slides[i]
    for k in range(start, end):
        r.moved[k] = p[k]
    for a in range(size):
        s = u[start + a]
        for b in range(size):
            s -= w[start + a, start + b] * p[start + b]
            r.block[a, b] = w[start + a, start + b]
        r.right[a], r.new[a] = s, p[start + a]
    if not slide(r.block, r.right, size, rubs.mu[rubs.first[i]] if size > 1 else 0.0, r.new):
        for a in range(size):
            r.new[a] = p[start + a]
    for a in range(size):
        p[start + a] = r.new[a]
    for d in range(rubs.first[i] + (1 if size > 1 else 0), rubs.first[i + 1]):
        stiff, along, most = 0.0, 0.0, rubs.mu[d] * p[start]
        for a in range(rubs.begin[d], rubs.end[d]):
            for b in range(rubs.begin[d], rubs.end[d]):
                stiff += w[a, b] ** 2
        stiff = math.sqrt(stiff)
        for a in range(rubs.begin[d], rubs.end[d]):
            s = u[a]
            for b in range(start, end):
                s += w[a, b] * (p[b] - r.moved[b])
            r.tau[a] = s
        for a in range(rubs.begin[d], rubs.end[d]):
            if stiff > 0:
                p[a] -= r.tau[a] / stiff
            along += p[a] ** 2
        along = math.sqrt(along)
        if along > most:
            for a in range(rubs.begin[d], rubs.end[d]):
                p[a] *= most / along
    for b in range(start, end):
        change = p[b] - r.moved[b]
        if change != 0:
            for a in range(m):
                u[a] += w[a, b] * change


@native
def slide(w, b, size, mu, p):  # type: ignore[no-untyped-def]
    """One contact of one, two or three rows, exactly: stick before slip before open; False if nothing obeys the law."""
    if size == 3:
        return solve_block(w, b, mu, p)
    if size == 1:
        p[0] = max(-b[0] / w[0, 0], 0.0) if w[0, 0] > 0 else 0.0
        return w[0, 0] > 0 or b[0] >= 0
    det = w[0, 0] * w[1, 1] - w[0, 1] * w[1, 0]
    if not det > 1e-11 * w[0, 0] * w[1, 1]:
        return False  # its rows depend on each other
    x, y = -(w[1, 1] * b[0] - w[0, 1] * b[1]) / det, -(w[0, 0] * b[1] - w[1, 0] * b[0]) / det
    if x >= 0 and abs(y) <= mu * x * (1 + 1e-14):
        p[0], p[1] = x, y
        return True
    for way in (1.0, -1.0):
        slope = w[0, 0] - mu * way * w[0, 1]
        if slope == 0:
            continue
        push = -b[0] / slope
        if push >= 0 and way * (b[1] + push * (w[1, 0] - mu * way * w[1, 1])) > 0:
            p[0], p[1] = push, -mu * way * push
            return True
    p[0] = p[1] = 0.0
    return b[0] >= 0
