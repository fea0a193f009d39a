"""Compiled elimination along the tree: factors of masses and rows by fronts, and solutions. Loads numba, as `kernel`.

Vectors are in the order in which speeds and rows go. A front is a lower triangle, line by line: what goes there, what
stays open, the motion of the parent. Before it the form in the node's own motion is gathered, a line for each of its
components: beside what is open, and beside the motion itself.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.step import compiled, copy, integers, past
from dalembert.simulate.sparse.layout import (
    BLOCK_TARGET,
    BLOCKS,
    BLOCKS_COUNT,
    BLOCKS_SIZE,
    COLUMNS,
    F_BY_PARENT,
    F_BY_SPEEDS,
    F_COLUMNS,
    F_COUNT,
    F_FORM,
    F_GONE,
    F_INERTIA,
    F_MATRIX,
    F_MOTION,
    F_OPEN,
    F_OPENED,
    F_PARENT,
    F_PARENT_SIZE,
    F_RUN_COUNT,
    F_RUNS,
    F_SIZE,
    F_STILL,
    FIELDS,
    FORMS_SIZE,
    FRONTS,
    FRONTS_COUNT,
    MATRIX,
    MATRIX_START,
    MATRIX_TARGET,
    MOTIONS_SIZE,
    OPEN,
    ROWS,
    RUNS,
    W_BLOCKS,
    W_BORDER,
    W_FORMS,
    W_KEPT,
    W_MOMENTA,
    W_MOTIONS,
    W_NUMBERS,
    W_PRODUCT,
    WHO,
)


@compiled
def clear(count: int, x: Any) -> None:
    for k in range(count):
        x[k] = 0.0


@compiled
def fill(m: Any, w: Any) -> None:
    """The blocks of nodes from the numbers of a state; they serve factors, products and motions."""
    numbers, blocks, target = past(past(w, m[W_NUMBERS]), m[BLOCKS]), past(w, m[W_BLOCKS]), integers(m[BLOCK_TARGET])
    clear(m[BLOCKS_SIZE], blocks)
    for e in range(m[BLOCKS_COUNT]):
        blocks[target[e]] = numbers[e]


@compiled
def add(count: int, factor: float, x: Any, y: Any) -> None:
    """y <- y + factor x."""
    for k in range(count):
        y[k] += factor * x[k]


@compiled
def take_along(f: Any, w: Any, m: Any) -> None:
    """Write the form of a node in the motion of its parent and in the speeds between them, in its front."""
    s, above, count, opened = f[F_SIZE], f[F_PARENT_SIZE], f[F_COUNT], f[F_OPENED]
    width, wide = opened + above, opened + s
    blocks, forms, product = past(w, m[W_BLOCKS]), past(w, m[W_FORMS]), past(w, m[W_PRODUCT])
    own, matrix = past(forms, f[F_FORM]), past(forms, f[F_MATRIX])
    if f[F_STILL] != 0:
        for i in range(s):
            add(opened + i + 1, 1.0, past(own, i * wide), past(matrix, (opened + i) * width))
        return
    inertia, by_parent = past(blocks, f[F_INERTIA]), past(blocks, f[F_BY_PARENT])
    by_speeds, columns = past(blocks, f[F_BY_SPEEDS]), integers(m[COLUMNS] + 8 * f[F_COLUMNS])
    for i in range(s):
        for j in range(i + 1):
            own[i * wide + opened + j] += inertia[i * s + j]
            own[j * wide + opened + i] = own[i * wide + opened + j]
    for i in range(s):  # line by line: beside the motion of the parent, and beside what is open
        clear(above, product)
        for r in range(s):
            add(above, own[i * wide + opened + r], past(by_parent, r * above), product)
        for j in range(above):
            x = by_parent[i * above + j]
            if x != 0.0:
                line = past(matrix, (opened + j) * width)
                add(opened, x, past(own, i * wide), line)
                add(j + 1, x, product, past(line, opened))
        for c in range(count):
            x = by_speeds[i * count + c]
            if x != 0.0:
                for j in range(above):
                    matrix[(opened + j) * width + columns[c]] += x * product[j]
                couple(f, w, m, i, c, x)


@compiled
def couple(f: Any, w: Any, m: Any, i: int, c: int, x: float) -> None:
    """Component i of the motion, of which a unit of speed c is x: beside what is open, and beside all speeds."""
    s, count, opened = f[F_SIZE], f[F_COUNT], f[F_OPENED]
    width, wide = opened + f[F_PARENT_SIZE], opened + s
    forms, by_speeds = past(w, m[W_FORMS]), past(past(w, m[W_BLOCKS]), f[F_BY_SPEEDS])
    own, matrix = past(forms, f[F_FORM] + i * wide), past(forms, f[F_MATRIX])
    columns = integers(m[COLUMNS] + 8 * f[F_COLUMNS])
    place = columns[c]
    add(place, x, own, past(matrix, place * width))
    matrix[place * width + place] += 2.0 * x * own[place]
    for q in range(place + 1, opened):
        matrix[q * width + place] += x * own[q]
    for b in range(count):
        if columns[b] <= place:
            total = 0.0
            for r in range(s):
                total += own[opened + r] * by_speeds[r * count + b]
            matrix[place * width + columns[b]] += x * total


@compiled
def eliminate(f: Any, w: Any, m: Any) -> bool:
    """What goes at a front; False where a speed moves no mass, or nothing is left of a row that counts."""
    gone, width = f[F_GONE], f[F_OPENED] + f[F_PARENT_SIZE]
    matrix, border, kept = past(past(w, m[W_FORMS]), f[F_MATRIX]), past(w, m[W_BORDER]), past(w, m[W_KEPT])
    who, opened = integers(m[WHO]), integers(m[OPEN] + 8 * f[F_OPEN])
    for j in range(gone):
        pivot, row = matrix[j * width + j], who[opened[j]]
        if row >= 0 and kept[row] == 0.0:  # its entries are zero, and nothing is to be taken off them
            matrix[j * width + j] = 0.0
            continue
        if not (pivot > 0.0 if row < 0 else pivot < 0.0):
            return False
        inverse = 1.0 / pivot
        for i in range(j + 1, width):
            line = past(matrix, i * width)
            border[i], share = line[j], line[j] * inverse
            line[j] = share
            if share != 0.0:
                add(i - j, -share, past(border, j + 1), past(line, j + 1))
    return True


@compiled
def hand_on(f: Any, w: Any, m: Any) -> None:
    """What is left of a front belongs to that of its parent: runs of what is open stand there side by side, too."""
    if f[F_PARENT] < 0:
        return
    g = integers(m[FRONTS] + 8 * FIELDS * f[F_PARENT])
    above, opened, s, forms = f[F_PARENT_SIZE], f[F_OPENED], g[F_SIZE], past(w, m[W_FORMS])
    width, wide, broad = opened + above, g[F_OPENED] + g[F_PARENT_SIZE], g[F_OPENED] + s
    matrix, own, other = past(forms, f[F_MATRIX]), past(forms, g[F_FORM]), past(forms, g[F_MATRIX])
    runs = integers(m[RUNS] + 8 * f[F_RUNS])
    for r in range(f[F_RUN_COUNT]):
        first, end, shift = runs[3 * r], runs[3 * r + 1], runs[3 * r + 2]
        for i in range(above):
            add(end - first, 1.0, past(matrix, (opened + i) * width + first), past(own, i * broad + first + shift))
        for b in range(r + 1):
            begin, stop, moved = runs[3 * b], runs[3 * b + 1], runs[3 * b + 2]
            for q in range(first, end):
                last = stop if b < r else q + 1
                line = past(other, (q + shift) * wide + begin + moved)
                add(last - begin, 1.0, past(matrix, q * width + begin), line)
    for i in range(above):
        add(i + 1, 1.0, past(matrix, (opened + i) * width + opened), past(own, i * broad + g[F_OPENED]))


@compiled
def factor(m: Any, w: Any) -> bool:
    """L D L^T of masses and rows that count; False where a speed moves no mass."""
    fill(m, w)
    numbers, kept, forms = past(w, m[W_NUMBERS]), past(w, m[W_KEPT]), past(w, m[W_FORMS])
    clear(m[FORMS_SIZE], forms)
    matrix, begin, target = past(numbers, m[MATRIX]), integers(m[MATRIX_START]), integers(m[MATRIX_TARGET])
    for k in range(m[ROWS]):
        if kept[k] != 0.0:
            for e in range(begin[k], begin[k + 1]):
                forms[target[e]] = matrix[e]
    for k in range(m[FRONTS_COUNT]):
        f = integers(m[FRONTS] + 8 * FIELDS * k)
        take_along(f, w, m)
        if not eliminate(f, w, m):
            return False
        hand_on(f, w, m)
    return True


@compiled
def solve(m: Any, w: Any, x: Any) -> float:
    """Solve with the factors, in place; the motions of the nodes are left, for `size_of`.

    Returns the size of what is asked: of the free motion and of what rows add to it, which may cancel it.
    """
    asked = 0.0
    forms, motions, border = past(w, m[W_FORMS]), past(w, m[W_MOTIONS]), past(w, m[W_BORDER])
    fronts = integers(m[FRONTS])
    clear(m[MOTIONS_SIZE], motions)
    for k in range(m[FRONTS_COUNT]):
        f = integers(m[FRONTS] + 8 * FIELDS * k)
        above, gone, opened = f[F_PARENT_SIZE], f[F_GONE], f[F_OPENED]
        width, matrix, places = opened + above, past(forms, f[F_MATRIX]), integers(m[OPEN] + 8 * f[F_OPEN])
        carrier = fronts[FIELDS * f[F_PARENT] + F_MOTION] if above > 0 else 0
        hand_momentum(f, w, m, x, 1.0, motions)
        for i in range(gone):
            value = x[places[i]]
            for j in range(i):
                value -= matrix[i * width + j] * border[j]
            border[i] = value
            x[places[i]] = value
        for i in range(gone, width):
            value = 0.0
            for j in range(gone):
                value += matrix[i * width + j] * border[j]
            if i < opened:
                x[places[i]] -= value
            else:
                motions[carrier + i - opened] -= value
    for k in range(m[FRONTS_COUNT] - 1, -1, -1):
        f = integers(m[FRONTS] + 8 * FIELDS * k)
        above, gone, opened = f[F_PARENT_SIZE], f[F_GONE], f[F_OPENED]
        width, matrix, places = opened + above, past(forms, f[F_MATRIX]), integers(m[OPEN] + 8 * f[F_OPEN])
        carrier = fronts[FIELDS * f[F_PARENT] + F_MOTION] if above > 0 else 0
        for j in range(gone):
            pivot, value = matrix[j * width + j], x[places[j]]
            border[j] = value / pivot if pivot != 0.0 else 0.0
            asked += abs(value * border[j])
        for i in range(gone, width):
            value = x[places[i]] if i < opened else motions[carrier + i - opened]
            for j in range(gone):
                border[j] -= matrix[i * width + j] * value
        for i in range(gone - 1, -1, -1):
            value = border[i] if matrix[i * width + i] != 0.0 else 0.0
            x[places[i]] = value
            for j in range(i):
                border[j] -= matrix[i * width + j] * value
        move(f, w, m, x)
    return math.sqrt(asked)


@compiled
def move(f: Any, w: Any, m: Any, x: Any) -> None:
    """The motion of a node: as its parent carries it, and by its own speeds."""
    s, above, count = f[F_SIZE], f[F_PARENT_SIZE], f[F_COUNT]
    blocks, motions = past(w, m[W_BLOCKS]), past(w, m[W_MOTIONS])
    own = past(motions, f[F_MOTION])
    carrier = past(motions, integers(m[FRONTS])[f[F_PARENT] * FIELDS + F_MOTION] if above > 0 else 0)
    if f[F_STILL] != 0:
        copy(above, carrier, own)
        return
    by_parent, by_speeds = past(blocks, f[F_BY_PARENT]), past(blocks, f[F_BY_SPEEDS])
    columns, opened = integers(m[COLUMNS] + 8 * f[F_COLUMNS]), integers(m[OPEN] + 8 * f[F_OPEN])
    for i in range(s):
        total = 0.0
        for j in range(above):
            total += by_parent[i * above + j] * carrier[j]
        for j in range(count):
            total += by_speeds[i * count + j] * x[opened[columns[j]]]
        own[i] = total


@compiled
def hand_momentum(f: Any, w: Any, m: Any, x: Any, sign: float, momenta: Any) -> None:
    """What acts on a node acts on its speeds, in x, and on its parent."""
    s, above, count, blocks = f[F_SIZE], f[F_PARENT_SIZE], f[F_COUNT], past(w, m[W_BLOCKS])
    own = past(momenta, f[F_MOTION])
    carrier = past(momenta, integers(m[FRONTS])[f[F_PARENT] * FIELDS + F_MOTION] if above > 0 else 0)
    if f[F_STILL] != 0:
        for j in range(above):
            carrier[j] += own[j]
        return
    by_parent, by_speeds = past(blocks, f[F_BY_PARENT]), past(blocks, f[F_BY_SPEEDS])
    columns, opened = integers(m[COLUMNS] + 8 * f[F_COLUMNS]), integers(m[OPEN] + 8 * f[F_OPEN])
    for i in range(s):
        for j in range(above):
            carrier[j] += by_parent[i * above + j] * own[i]
        for j in range(count):
            x[opened[columns[j]]] += sign * by_speeds[i * count + j] * own[i]


@compiled
def move_all(m: Any, w: Any, x: Any) -> None:
    """The motions of all nodes."""
    for k in range(m[FRONTS_COUNT] - 1, -1, -1):
        move(integers(m[FRONTS] + 8 * FIELDS * k), w, m, x)


@compiled
def take_momenta(m: Any, w: Any, x: Any, left: Any) -> None:
    """left <- left - M x, from the motions of x, which are made."""
    move_all(m, w, x)
    blocks, motions, momenta = past(w, m[W_BLOCKS]), past(w, m[W_MOTIONS]), past(w, m[W_MOMENTA])
    clear(m[MOTIONS_SIZE], momenta)
    for k in range(m[FRONTS_COUNT]):
        f = integers(m[FRONTS] + 8 * FIELDS * k)
        s, inertia = f[F_SIZE], past(blocks, f[F_INERTIA])
        if f[F_STILL] == 0:
            for i in range(s):
                total = 0.0
                for j in range(s):
                    total += inertia[i * s + j] * motions[f[F_MOTION] + j]
                momenta[f[F_MOTION] + i] += total
        hand_momentum(f, w, m, left, -1.0, momenta)


@compiled
def size_of(m: Any, w: Any) -> float:
    """The size of the motion that was found last: the root of x M x."""
    blocks, motions, total = past(w, m[W_BLOCKS]), past(w, m[W_MOTIONS]), 0.0
    for k in range(m[FRONTS_COUNT]):
        f = integers(m[FRONTS] + 8 * FIELDS * k)
        s, inertia = f[F_SIZE], past(blocks, f[F_INERTIA])
        if f[F_STILL] == 0:
            own = past(motions, f[F_MOTION])
            for i in range(s):
                for j in range(s):
                    total += own[i] * inertia[i * s + j] * own[j]
    return math.sqrt(abs(total))
