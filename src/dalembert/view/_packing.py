"""Curves in few bytes: whole numbers, second differences, byte planes, gzip.

A channel is a curve over the frames. It is rounded to `lo + step * k`, k whole, of 2 or 4 bytes; what is stored is the
second difference of k (modulo 2^16 or 2^32), first all lowest bytes of all channels, then the next ones. Smooth motion
becomes long runs of equal bytes, which gzip shortens to a few per cent of the floats.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.mechanism.meshes import Mesh

Array = NDArray[np.float64]

_STEPS = {2: 2**16 - 1, 4: 2**31 - 1}
"""Steps between the least and the most of a channel."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Curves by number of channel: `values[c, f]` is channel c at frame f, `finest[c]` a difference that must show."""

    values: Array
    finest: Array

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON; `unpacked` and viewer.js read it."""
        low, high = _ends(self.values)
        span = high - low
        wide = span > self.finest * _STEPS[2]
        step = np.where(wide, span / _STEPS[4], span / _STEPS[2])
        safe = np.where(step > 0, step, 1.0)
        whole = np.rint((np.nan_to_num(self.values, nan=0.0) - low[:, None]) / safe[:, None]).astype(np.int64)
        whole[step <= 0] = 0
        bytes_ = [0 if s <= 0 else 4 if w else 2 for s, w in zip(step, wide, strict=True)]
        planes = _planes(whole, bytes_)
        data = base64.b64encode(gzip.compress(planes, 9, mtime=0)).decode("ascii")
        channels = [[float(a), float(s), b] for a, s, b in zip(low, step, bytes_, strict=True)]
        return {"frames": self.values.shape[1], "channels": channels, "data": data}


def _ends(values: Array) -> tuple[Array, Array]:
    """Least and most of each channel; of one without any number, zero."""
    if values.size == 0:
        return np.zeros(len(values)), np.zeros(len(values))
    known = np.where(np.isfinite(values), values, np.nan)
    empty = np.isnan(known).all(axis=1)
    known[empty] = 0.0
    return np.nanmin(known, axis=1), np.nanmax(known, axis=1)


def _planes(whole: NDArray[np.int64], bytes_: Sequence[int]) -> bytes:
    found = b""
    for size in (2, 4):
        rows = whole[[k for k, b in enumerate(bytes_) if b == size]]
        if rows.size:
            second = np.diff(rows, n=2, axis=1, prepend=np.zeros((len(rows), 2), dtype=np.int64))
            raw = second.astype(np.uint64).astype(f"<u{size}").view(np.uint8).reshape(-1, size)
            found += raw.T.tobytes()
    return found


def unpacked(stored: dict[str, Any]) -> Array:
    """The curves that `Table.as_dict` stored, as viewer.js reads them."""
    frames, channels = stored["frames"], stored["channels"]
    raw = np.frombuffer(gzip.decompress(base64.b64decode(stored["data"])), dtype=np.uint8)
    values = np.repeat(np.array([[c[0]] for c in channels], dtype=float).reshape(-1, 1), frames, axis=1)
    place = 0
    for size in (2, 4):
        rows = [k for k, c in enumerate(channels) if c[2] == size]
        count = len(rows) * frames
        planes = raw[place : place + size * count].reshape(size, count)
        place += size * count
        whole = np.ascontiguousarray(planes.T).view(f"<u{size}").reshape(len(rows), frames).astype(np.uint64)
        whole = np.cumsum(np.cumsum(whole, axis=1), axis=1) % np.uint64(2 ** (8 * size))
        for k, row in zip(rows, whole, strict=True):
            values[k] += channels[k][1] * row
    return values


def packed_mesh(mesh: Mesh) -> dict[str, str]:
    """Points and triangles as `givenMesh` of viewer.js reads them."""
    points, faces = np.asarray(mesh.points, dtype="<f4"), np.asarray(mesh.faces, dtype="<u4")
    return {
        "points": base64.b64encode(points.tobytes()).decode(),
        "triangles": base64.b64encode(faces.tobytes()).decode(),
    }
