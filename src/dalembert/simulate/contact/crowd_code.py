"""The compiled steps of crowds, loaded without numba: their LLVM text travels with the package, as the loop's does.

`contact/crowd` is Python that numba compiles, which takes half a minute. Its text (`crowd.ll.gz`) carries a fingerprint
of the files it was made from; when they have changed, or LLVM cannot read it, numba compiles them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.crowd import crowd as room
from dalembert.contact.crowd.data import Bodies, Laws, Rows, Shapes, Work
from dalembert.simulate.contact import block
from dalembert.simulate.contact.block import BlockCode, block_of
from dalembert.simulate.loop.native import fingerprint_of

Array = NDArray[Any]

SHIPPED = Path(__file__).with_name("crowd.ll.gz")
NAME = "dalembert_crowd"
_SOURCES = "boxes compiled cone data direct pairs rates step sweeps touch turning visit".split()
LOOK, ADVANCE, FIND = range(3)


def fingerprint() -> str:
    """What the text is made of."""
    folder = Path(room.__file__).parent
    files = [folder / f"{name}.py" for name in _SOURCES]
    files += [Path(__file__).with_name(f"{name}.py") for name in ("crowd_code", "crowd_translate", "read_block")]
    return fingerprint_of(files)


@lru_cache(maxsize=1)
def shipped() -> ShippedCode | None:
    """The code that travels with the package; None where it is not that of the present sources or this LLVM's."""
    code = block.shipped(NAME, SHIPPED, fingerprint())
    return None if code is None else ShippedCode(code)


class ShippedCode:
    """`look`, `advance` and `find_pairs` of `contact/crowd`, with the same arguments."""

    def __init__(self, code: BlockCode) -> None:
        self._call = code

    def look(
        self, shapes: Shapes, bodies: Bodies, keys: Array, made: int, reach: float, rows: Rows, out: Array, room: Array
    ) -> int:
        block = block_of([made], [*shapes, *bodies, keys, *rows, out, room])
        return self._call(LOOK, block, np.array([reach]))

    def advance(
        self,
        step: int,
        steps: int,
        h: float,
        gravity: Array,
        shapes: Shapes,
        bodies: Bodies,
        laws: Laws,
        keys: Array,
        made: int,
        listed: float,
        rows: Rows,
        old_count: int,
        old: Rows,
        tolerance: float,
        most: int,
        told: Array,
        out: Array,
        room: Array,
        small: float,
        work: Work,
    ) -> tuple[int, int, int, float]:
        arrays = [*shapes, *bodies, keys, *rows, out, room, *laws, gravity, *old, told, *work]
        block = block_of([made, step, steps, old_count, most], arrays)
        reals = np.array([0.0, h, listed, tolerance, small])
        why = self._call(ADVANCE, block, reals)
        return why, int(block[1]), int(block[3]), float(reals[0])

    def find_pairs(
        self,
        shapes: Shapes,
        limit: float,
        skin: float,
        cell: Array,
        heads: Array,
        following: Array,
        keys: Array,
    ) -> int:
        block = block_of([], [*shapes, *[keys] * len(Bodies._fields), keys, cell, heads, following])
        return self._call(FIND, block, np.array([limit, skin]))
