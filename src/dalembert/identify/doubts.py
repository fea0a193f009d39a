"""What a fit leaves, looked at: whether it can be the noise that its deviations count on, and efforts of these units.

Errors of independent samples have no correlation with the next one, r = sum e_t e_{t+1} / sum e_t^2, beyond a few times
1/sqrt(n). What friction, a delay, a filter or wrong units leave is alike from sample to sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

#: Standard deviations 1/sqrt(n) of a correlation that is none: chance passes them once in 16,000 times.
_FAR = 4.0
#: Less is left than this share of the efforts: rounding, whose signs tell nothing.
_ROUNDED = 1e-7
#: More is left than this share of the efforts: hardly noise.
_MUCH = 0.3
#: The description explains the efforts this many times too small or too large: units, not inertias that are not known.
_TIMES = 8.0


def doubts(left: Any, tau: Any, described: Any, states: int, names: Sequence[str]) -> Iterator[str]:
    """Sentences about what is left of efforts, in rows of one state after another, and what the description gives."""
    if len(left) % states:  # loops that let one state move in more ways than another
        return
    rows, efforts = left.reshape(states, -1), tau.reshape(states, -1)
    told = names if rows.shape[1] == len(names) else [f"freedom {k + 1}" for k in range(rows.shape[1])]
    size = np.sqrt(np.mean(efforts * efforts)) or 1.0
    alike = []
    for name, e in zip(told, rows.T, strict=True):
        total = float(e @ e)
        if states > 2 and total > (_ROUNDED * size) ** 2 * states:
            r = float(e[1:] @ e[:-1]) / total
            if r > _FAR / np.sqrt(states):
                alike.append(f"{name} {r:.2g}")
    if alike:
        yield (
            f"What is left is alike from sample to sample (correlation {', '.join(alike)}): something is not in the "
            "model (friction, a delay, units), or the noise was filtered. The deviations are too small then."
        )
    share = float(np.sqrt(np.mean(rows * rows)) / size)
    if share > _MUCH:
        yield (
            f"The fit leaves {100 * share:.0f} % of the efforts: are angles in radians, times and lengths those of the "
            "model?"
        )
    elif length := float(described @ described):
        times = float(described @ tau) / length
        if not 1 / _TIMES < times < _TIMES:
            yield f"The efforts are {times:.3g} times those of the description: are they in its units, with its signs?"
