"""How much memory the formulas of a machine take, by a count known before any of them is made.

What grows with the machine alone is never refused. What has a formula for each pair of speeds that meet in the mass
matrix, or for each three of them, ends a long machine's call before it begins, with a sentence.
"""

from __future__ import annotations

import math

from dalembert import limits
from dalembert.errors import LimitError
from dalembert.mechanism import Layout

#: Kilobytes of formulas for each pair of speeds that meet, and for each three: half of what chains of 40, 80 and 200
#: bodies in space take, which is what those in a plane do.
_KILOBYTES = {
    "the mass matrix": (10.0, 0.0),  # eight operations in a plane, 420 bytes each, and what is made on the way
    "the inverse of the mass matrix": (0.0, 3.0),
    "the search for rests": (0.0, 3.0),
    "the phase space": (25.0, 0.0),
    "the regressor": (13.0, 0.0),
    "equations (recursive)": (10.0, 0.0),
    "equations (newton-euler)": (35.0, 0.0),
    "equations (lagrange)": (40.0, 0.0),
    "equations (gibbs-appell)": (40.0, 0.0),
    "equations (boltzmann-hamel)": (40.0, 0.0),
    "equations (dalembert)": (70.0, 0.0),
    "equations (hamilton)": (90.0, 0.0),
    "equations (kane)": (0.0, 3.0),
    "equations (mixed)": (0.0, 3.0),
    "equations (lie-group)": (0.0, 3.0),
}
_INSTEAD = (
    "`simulate`, `reactions`, `compile().acceleration` and its derivatives need no formula of each pair; "
    "equations with parametrisation='absolute' (bodies released, links as rows) have few."
)


def foresee(what: str, megabytes: float, instead: str) -> None:
    """Refuse what is known to need more memory than its budget allows before anything of it is made.

    >>> foresee("a table of a million numbers", 8.0, "")
    >>> with limits.budget(megabytes=5):
    ...     foresee("a table of a million numbers", 8.0, "Ask for its sum.")
    Traceback (most recent call last):
    dalembert.errors.LimitError: a table of a million numbers would take about 8 MB, more than the 5 MB of ...
    """
    most = limits.allowed().megabytes
    if most is not None and megabytes > most:
        told = f"would take about {_rounded(megabytes)} MB, more than the {most:g} MB of the budget, and was not begun"
        allow = f"with dalembert.limits.budget(megabytes={_rounded(1.5 * megabytes)}):"
        raise LimitError(f"{what} {told}. {instead}{' ' * bool(instead)}To allow more: {allow}")


def _rounded(megabytes: float) -> int:
    """Two digits, upwards: it is an estimate."""
    step = 10 ** max(len(str(int(megabytes))) - 2, 0)
    return math.ceil(megabytes / step) * step


def carried_pairs(layout: Layout) -> tuple[int, int]:
    """Pairs of speeds that meet in the mass matrix (one carries the other, or is it), and threes on one branch.

    Of a chain of n these are about n^2/2 and n^3/6, of a star 2 n and 3 n.
    """
    carrying, pairs, threes = [0] * len(layout.bodies), 0, 0
    for one in layout.tree:
        above = carrying[one.parent]
        for _ in one.link.speeds:
            above += 1
            pairs, threes = pairs + above, threes + above * (above + 1) // 2
        carrying[one.child] = above
    return pairs, threes


def refuse_long_formulas(layout: Layout, what: str) -> None:
    """Refuse what has a formula for each pair of speeds where these need more memory than a call may take."""
    pairs, threes = carried_pairs(layout)
    by_pair, by_three = _KILOBYTES[what]
    name = f"{what} of '{layout.model.name}', whose {len(layout.speeds)} speeds meet in {pairs} pairs,"
    foresee(name, (by_pair * pairs + by_three * threes) / 1000, _INSTEAD)
