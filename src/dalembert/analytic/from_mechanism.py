"""The analytical system of a mechanism: its coordinates with the energies that the formalisms compute."""

from __future__ import annotations

from typing import Any

from dalembert.errors import ModelError

from .system import System


def system_of(mechanism: Any) -> System:
    """Read coordinates, kinetic and potential energy and generalised forces of a `Mechanism`."""
    raise ModelError(f"the mechanism {mechanism!r} cannot be read yet")
