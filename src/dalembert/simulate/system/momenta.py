"""Momenta and their rates in numbers, with slopes: what a discrete principle of virtual work is made of.

    p = dT/du,     R = dp/dt along the motion without constraints

R is dL/dq plus the efforts that have no potential, whatever the forces are: no potential need be known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.expr import Expr
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """At one state: momenta p, their rates R, gaps and rows G of the conditions; slopes of p and of R + G^T lambda.

    `made_of` is the size of the entries of G before they cancel, `offset` how far the coordinates of cut links are from
    where the frames are.
    """

    p: Array
    rate: Array
    gap: Array
    rows: Array
    made_of: Array
    offset: Array
    p_q: Array
    p_u: Array
    rate_q: Array
    rate_u: Array


class Momenta:
    """The compiled functions behind those numbers."""

    def __init__(self, system: System) -> None:
        n = len(system.speeds)
        outputs = [list(part) for part in formulas(system)]
        q, u = list(system.symbols[:n]), list(system.symbols[-n:])
        p, rate, gap, rows, _, offset = outputs
        self.rows = len(gap)
        forces = [ex.symbol(f"multiplier {k}") for k in range(self.rows)]
        held = [r + ex.dot_product(rows[i::n], forces) for i, r in enumerate(rate)] if forces else rate
        tables = [*outputs, *(_flat(ex.jacobian(f, x)) for f in (p, held) for x in (q, u))]
        self._shapes = ((n,), (n,), (self.rows,), *((self.rows, n),) * 2, (len(offset),), *((n, n),) * 4)
        inputs = [[ex.TIME], system.symbols, [ex.symbol(x) for x in system.known_parameters], forces]
        function = Function("momenta", inputs, [x for table in tables for x in table])
        self._function = compile_functions([function])["momenta"]

    def at(self, t: float, q: Array, u: Array, parameters: Array, multipliers: Array) -> Moments:
        flat = np.array(self._function([t], np.concatenate([q, u]), parameters, multipliers))
        found, place = [], 0
        for shape in self._shapes:
            size = int(np.prod(shape))
            found.append(flat[place : place + size].reshape(shape))
            place += size
        return Moments(*found)


def formulas(system: System) -> tuple[list[Expr], ...]:
    """p, R, gaps, the rows of G one after the other and what they are made of, offsets of coordinates of cut links."""
    n, held = len(system.speeds), system.constrained
    q, u = system.symbols[:n], system.symbols[-n:]
    kinetic = system.kinetic
    assert kinetic is not None
    p = ex.gradient(kinetic, u)
    if held is not None:
        pushed = list(held.right)
    else:
        pushed = [ex.dot_product(row, list(system.rates[-n:])) for row in ex.jacobian(p, u)]
    carried = ex.tangent(p, {ex.TIME: ex.ONE, **dict(zip(q, u, strict=True))})
    rate = [a + b for a, b in zip(pushed, carried, strict=True)]
    if held is None:
        return p, rate, [], [], [], []
    rows = held.rows
    gaps = [x for x in rows.gap if x is not None]
    return p, rate, gaps, list(rows.matrix.entries), list(rows.made_of.entries), [x.offset for x in rows.own]


def _flat(table: list[list[Expr]]) -> list[Expr]:
    return [x for row in table for x in row]
