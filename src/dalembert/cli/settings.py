"""`--set name=value`: values of parameters and of the initial state from the command line."""

from __future__ import annotations

from typing import Any

import typer

from dalembert import expr as ex
from dalembert.errors import ExpressionError


def read_formulas(settings: list[str] | None, option: str) -> dict[str, str]:
    """`name=formula` pairs, as text; `hinge.th'=3` names the rate."""
    found: dict[str, str] = {}
    for setting in settings or []:
        name, sign, text = setting.partition("=")
        if not sign or not name.strip() or not text.strip():
            raise typer.BadParameter(f"write {option} name=value, not {option} {setting}")
        if name.strip() in found:
            raise typer.BadParameter(f"'{name.strip()}' has two values: write {option} {name.strip()}=... once")
        found[name.strip()] = text.strip()
    return found


def read_values(settings: list[str] | None, option: str = "--set") -> dict[str, float]:
    """`name=value` pairs; the value may be a formula in numbers, `pi/4`."""
    found: dict[str, float] = {}
    for name, text in read_formulas(settings, option).items():
        try:
            found[name] = float(ex.evaluate([ex.parse(text)], {})[0])
        except (ExpressionError, TypeError, ValueError) as error:
            raise typer.BadParameter(f"{text!r} is not a number ({error})") from error
    return found


def split_settings(mechanism: Any, settings: list[str] | None) -> tuple[dict[str, float], dict[str, float]]:
    """What is set of the start, and of the parameters, for verbs that take `start` and `given`."""
    state = [name for link in mechanism.links.values() for name in (*link.coordinates, *link.speeds)]
    start, given = dict[str, float](), dict[str, float]()
    for name, value in read_values(settings).items():
        if name in state:
            start[name] = value
        elif name in mechanism.given or name in mechanism.parameters():
            given[name] = value
        else:
            from dalembert.dynamics.numbers import listing
            from dalembert.mechanism import did_you_mean

            known = [*mechanism.parameters(), *state]
            hint = did_you_mean(name, known) or f" Known: {listing(known)}."
            raise typer.BadParameter(f"there is no parameter or coordinate '{name}'.{hint}")
    return start, given


def apply_settings(mechanism: Any, settings: list[str] | None) -> None:
    """Override `given` and `start` of a mechanism."""
    start, given = split_settings(mechanism, settings)
    mechanism.start.update(start)
    mechanism.given.update(given)
