"""`name=formula` on the command line."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.errors import ExpressionError, ModelError


def formulas(pairs: list[str] | None, option: str) -> dict[str, str]:
    """Names with what is said of them, as text; `hinge.th'=3` names the rate."""
    found: dict[str, str] = {}
    for one in pairs or []:
        name, sign, formula = one.partition("=")
        if not sign or not name.strip() or not formula.strip():
            raise ModelError(f"{option} {one!r} is not of the form name=formula, for example {option} hinge.th=0.")
        found[name.strip()] = formula.strip()
    return found


def numbers(pairs: list[str] | None, option: str) -> dict[str, float]:
    """The same, each formula a number: `pi/4`."""
    found = {}
    for name, formula in formulas(pairs, option).items():
        try:
            found[name] = float(ex.evaluate([ex.parse(formula)], {})[0])
        except (ExpressionError, TypeError, ValueError):
            raise ModelError(f"{option} {name}={formula}: {formula!r} is not a number.") from None
    return found
