"""Continuous fields: a Lagrangian density, the equation of motion of the field, and Noether's current.

A string, a membrane or a beam is u(t, x, ...) with a density L(u, u_t, u_x, u_xx, ...); slopes are written u_t, u_x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import linear_parts, solve_linear
from ..systems.system import words

_HIGHEST = 4
"""Orders of slopes that are named: a density of second order has an equation of the fourth."""


class FieldDensity:
    """The density L of fields u(t, x, ...), with slopes written u_t, u_x, u_xx (`independent` names t, x, ...).

    >>> string = FieldDensity("mu*u_t**2/2 - S*u_x**2/2", "u", "t x")
    >>> string.equations["u"]
    S*u_xx - mu*u_tt
    >>> string.energy_current()["t"]
    (S*u_x**2 + mu*u_t**2)/2
    """

    def __init__(
        self,
        L: Formula,
        fields: str | Sequence[str] = "u",
        independent: str | Sequence[str] = "t x",
        *,
        positive: str | Sequence[str] = (),
    ) -> None:
        self.fields, self.independent = words(fields), words(independent)
        if len(set(self.independent)) < len(self.independent) or any(len(x) != 1 for x in self.independent):
            raise ModelError(f"variables of a field are single letters, each once, as 't x y': not {self.independent}")
        self.names = Names(positive=words(positive) if positive else ())
        for f in self.fields:
            for order in range(1, _HIGHEST + 1):
                for along in combinations_with_replacement(self.independent, order):
                    self.names.symbol(f"{f}_{''.join(along)}")
        self.L = self._sorted(self.names.read(L))
        if not any(self._base(s) in self.fields for s in self.L.free_symbols):
            raise ModelError(f"L = {self.L} holds none of {', '.join(self.fields)} nor slopes as {self.fields[0]}_t")

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return {"L": self.L}

    def __repr__(self) -> str:
        fields = ", ".join(f"{f}({', '.join(self.independent)})" for f in self.fields)
        return f"FieldDensity({fields}; L = {self.L})"

    def _base(self, s: sp.Symbol) -> str | None:
        """The field of a slope's name, or None."""
        base, _, along = s.name.rpartition("_")
        if s.name in self.fields:
            return s.name
        return base if base in self.fields and along and set(along) <= set(self.independent) else None

    def _along(self, s: sp.Symbol) -> str:
        return "" if s.name in self.fields else s.name.rpartition("_")[2]

    def _slope(self, field: str, along: str) -> sp.Symbol:
        """u_xt and u_tx are one slope."""
        order = "".join(sorted(along, key=self.independent.index))
        return self.names.symbol(f"{field}_{order}" if order else field)

    def _sorted(self, e: sp.Expr) -> sp.Expr:
        changes = {s: self._slope(base, self._along(s)) for s in e.free_symbols if (base := self._base(s)) is not None}
        return e.subs(changes, simultaneous=True)

    def derivative(self, e: sp.Expr, x: str) -> sp.Expr:
        """The total derivative d/dx through every field and slope."""
        total = sp.diff(e, self.names.symbol(x))
        for s in sorted(e.free_symbols, key=str):
            base = self._base(s)
            if base is not None:
                total += sp.diff(e, s) * self._slope(base, self._along(s) + x)
        return total

    @cached_property
    def equations(self) -> dict[str, sp.Expr]:
        """dL/du - d_x dL/du_x + d_x d_y dL/du_xy - ... = 0 for each field."""
        found = {}
        for field in self.fields:
            total = sp.Integer(0)
            for s in sorted(self.L.free_symbols, key=str):
                if self._base(s) != field:
                    continue
                term = sp.diff(self.L, s)
                for x in self._along(s):
                    term = -self.derivative(term, x)
                total += term
            found[field] = tidy(sp.expand(total))
        return found

    def _first_order(self) -> None:
        if any(len(self._along(s)) > 1 for s in self.L.free_symbols if self._base(s) is not None):
            raise ModelError("currents are written here for densities with first slopes only")

    def energy_current(self, along: str = "t") -> dict[str, sp.Expr]:
        """T^k = sum u_along dL/du_k - delta L: along `t` the density of energy and its flow, along `x` of momentum."""
        self._first_order()
        if along not in self.independent:
            raise ModelError(f"{along!r} is none of {', '.join(self.independent)}")
        row = {}
        for k in self.independent:
            flow = sum((self._slope(f, along) * sp.diff(self.L, self._slope(f, k)) for f in self.fields), sp.Integer(0))
            row[k] = tidy(sp.expand(flow - (self.L if k == along else 0)))
        return row

    def noether_current(self, shifts: Mapping[str, Formula]) -> NoetherCurrent:
        """The current j_k = sum delta u dL/du_k of a symmetry u -> u + eps delta u that leaves L as it is."""
        self._first_order()
        change = {f: self._sorted(self.names.read(e)) for f, e in shifts.items()}
        strange = [f for f in change if f not in self.fields]
        if strange:
            raise ModelError(f"{', '.join(strange)}: no field here; there are {', '.join(self.fields)}")
        moved = sp.Integer(0)
        for s in self.L.free_symbols:
            base = self._base(s)
            if base in change:
                image = change[base]
                for x in self._along(s):
                    image = self.derivative(image, x)
                moved += sp.diff(self.L, s) * image
        if not is_zero(moved):
            raise ModelError(f"no symmetry: L changes by eps times {tidy(moved)}")
        current = {
            k: tidy(sum((e * sp.diff(self.L, self._slope(f, k)) for f, e in change.items()), sp.Integer(0)))
            for k in self.independent
        }
        return NoetherCurrent(current, self.conserved(current))

    def conserved(self, current: Mapping[str, sp.Expr]) -> Verdict:
        """Whether the divergence of a current vanishes on the motions of the field."""
        total = sum((self.derivative(self._sorted(j), k) for k, j in current.items()), sp.Integer(0))
        for _ in range(_PROLONGED):
            known = {s: e for s in total.free_symbols if (e := self._on_shell(s)) is not None}
            if not known:
                break
            total = sp.expand(total.subs(known, simultaneous=True))
        return is_zero(total)

    @cached_property
    def _leading(self) -> dict[sp.Symbol, sp.Expr]:
        """The slopes by time that the equations of all fields determine together: u_tt, or u_t."""
        time = self.independent[0]
        equations = list(self.equations.values())
        for order in (2, 1):
            leads = [self._slope(f, time * order) for f in self.fields]
            parts = linear_parts(equations, leads)
            if parts is not None and not is_zero(parts[0].det()):
                return dict(zip(leads, solve_linear(*parts)))
        raise ModelError(
            f"the equations {equations} = 0 do not determine the slopes of {', '.join(self.fields)} by {time}: "
            "whether a current is conserved on their motions cannot be told this way"
        )

    def _on_shell(self, s: sp.Symbol) -> sp.Expr | None:
        """A slope by the equations of motion and their derivatives; None for one that they leave free."""
        base, along = self._base(s), self._along(s)
        for lead, value in self._leading.items():
            if self._base(lead) != base or base is None:
                continue
            rest = along
            for x in self._along(lead):
                if x not in rest:
                    break
                rest = rest.replace(x, "", 1)
            else:
                for x in rest:
                    value = self.derivative(value, x)
                return value
        return None


_PROLONGED = 6
"""Times that slopes are put in: each lowers the order in time, and currents of first slopes hold two of them."""


@dataclass(frozen=True)
class NoetherCurrent:
    """The components of a current by variable, and the verdict on its divergence."""

    components: dict[str, sp.Expr]
    conserved: Verdict


def string_modes(length: Formula, wave_speed: Formula = "c", count: int = 4) -> list[sp.Expr]:
    """Frequencies n pi c/l of a string held at both ends.

    >>> string_modes("l", "sqrt(S/mu)", 2)
    [pi*sqrt(S/mu)/l, 2*pi*sqrt(S/mu)/l]
    """
    n = Names(positive=["l"])
    return [k * sp.pi * n.read(wave_speed) / n.read(length) for k in range(1, count + 1)]
