"""Modes of small motions: eigenvalues of a state matrix with their frequencies, damping and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.presentation.told import Told

Array = Any


@dataclass(frozen=True, slots=True)
class Mode(Told):
    """One way in which small deviations go as exp(s t): s is `eigenvalue`; of a conjugate pair the upper one.

    `shape` gives the deviation of each coordinate, the largest being one.
    """

    eigenvalue: complex
    shape: dict[str, complex]

    @property
    def angular_frequency(self) -> float:
        """|s|, in radians a second: without damping the natural frequency."""
        return abs(self.eigenvalue)

    @property
    def frequency(self) -> float:
        """Natural frequency in hertz."""
        return abs(self.eigenvalue) / (2 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re(s)/|s|: 0 undamped, 1 or more without oscillation, negative growing; 0 for a rigid motion."""
        return -self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "eigenvalue": [self.eigenvalue.real, self.eigenvalue.imag],
            "angular_frequency": self.angular_frequency,
            "frequency": self.frequency,
            "damping_ratio": self.damping_ratio,
            "shape": {name: [z.real, z.imag] for name, z in self.shape.items()},
        }

    def __str__(self) -> str:
        frequency = f"{self.frequency:.6g} Hz ({self.angular_frequency:.6g} rad/s)"
        s = complex(self.eigenvalue.real + 0.0, self.eigenvalue.imag + 0.0)  # no -0
        return f"s = {s:.6g}: {frequency}, damping {self.damping_ratio + 0.0:.4g}"


def ordered(values: Array) -> Array:
    """Eigenvalues, largest real part first."""
    return values[np.lexsort((values.imag, -values.real))]


def modes_of(matrix: Array, coordinates: Sequence[str]) -> tuple[Mode, ...]:
    """Modes of x' = A x, x = (deviations of `coordinates`, then of speeds), slow ones first."""
    values, vectors = np.linalg.eig(matrix) if len(matrix) else (np.zeros(0, complex), np.zeros((0, 0)))
    found = []
    for s, vector in zip(values, vectors.T, strict=True):
        if s.imag < 0:
            continue
        part = vector[: len(coordinates)]
        size = part[np.argmax(np.abs(part))] if len(part) else 1.0
        shape = part / size if abs(size) > 0 else part
        found.append(Mode(complex(s), {name: complex(z) for name, z in zip(coordinates, shape, strict=True)}))
    return tuple(sorted(found, key=lambda one: (one.angular_frequency, one.eigenvalue.real)))
