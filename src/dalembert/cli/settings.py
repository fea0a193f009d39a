"""`--set name=value`: values of parameters and of the initial state from the command line."""

from __future__ import annotations

from typing import Any

import typer

from dalembert import expr as ex
from dalembert.errors import ExpressionError


def apply_settings(mechanism: Any, settings: list[str] | None) -> None:
    """Override `given` and `start` of a mechanism; the value may be a formula in numbers, `pi/4`."""
    state = [name for link in mechanism.links.values() for name in (*link.coordinates, *link.speeds)]
    for setting in settings or []:
        name, sign, text = setting.partition("=")
        name = name.strip()
        if not sign or not name:
            raise typer.BadParameter(f"write --set name=value, not --set {setting}")
        try:
            value = float(ex.evaluate([ex.parse(text)], {})[0])
        except (ExpressionError, TypeError, ValueError) as error:
            raise typer.BadParameter(f"{text!r} is not a number ({error})") from error
        if name in state:
            mechanism.start[name] = value
        elif name in mechanism.given or name in mechanism.parameters():
            mechanism.given[name] = value
        else:
            from dalembert.mechanism import did_you_mean

            known = [*mechanism.parameters(), *state]
            raise typer.BadParameter(f"there is no parameter or coordinate '{name}'.{did_you_mean(name, known)}")
