"""Equations of motion, one module a formalism: same input, same output, so that they can be compared."""

from __future__ import annotations

from typing import Any

from dalembert.errors import ModelError
from dalembert.formalisms import mixed, recursive
from dalembert.formalisms.equations import Equations
from dalembert.mechanism import Layout, did_you_mean

FORMALISMS = {"mixed": mixed.derive, "recursive": recursive.derive}


def derive(layout: Layout, formalism: str = "mixed", **choices: Any) -> Equations:
    """The equations of a mechanism in the named formalism."""
    if formalism not in FORMALISMS:
        known = ", ".join(FORMALISMS)
        raise ModelError(f"formalism '{formalism}' is unknown: {known}.{did_you_mean(formalism, FORMALISMS)}")
    return FORMALISMS[formalism](layout, **choices)
