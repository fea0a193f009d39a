"""The quantities of a derivation by name, their right values, and how each follows from those before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import sympy as sp

from dalembert.errors import DalembertError, ExpressionError

from ..formulas._equality import is_zero
from ..formulas._solving import linear_parts, solve_linear
from ..systems.system import System


class Quantities:
    """What the lines of a derivation by Lagrange or Hamilton are about.

    Keys: T, V, L, H, h; dL/dx, dL/dx', d/dt dL/dx', dH/dx, dH/dp; Q_x; p_x; x' and p' (canonical); x'' and multipliers;
    and "equation x" for an equation of motion written as left = right.
    """

    def __init__(self, system: System) -> None:
        self.system, self.names = system, system.names
        self.lagrange = system.lagrange()

    @cached_property
    def right(self) -> dict[str, sp.Expr]:
        """The right value of every quantity that has one."""
        n, system, view = self.names, self.system, self.lagrange
        table: dict[str, sp.Expr] = {"L": view.L, "h": view.energy}
        if system.L_given is None and system.H_given is None:
            table |= {"T": system.freeze(system.kinetic_energy), "V": system.freeze(system.V)}
        for c, force, expression in zip(system.coordinates, view.forces, view.expressions):
            v = n.velocity(c).name
            table |= {f"dL/d{v}": view.momenta[c], f"dL/d{c}": sp.diff(view.L, n.symbol(c)), f"Q_{c}": force}
            table[f"d/dt dL/d{v}"] = system.freeze(n.derivative(view.momenta[c]))
            table[f"equation {c}"] = expression
        table |= {f"{c}''": a for c, a in view.accelerations.items()} | view.multipliers
        return table

    @cached_property
    def canonical(self) -> dict[str, sp.Expr]:
        """The right values of Hamilton's quantities, worked out when a line first names one."""
        if self.system.multipliers:
            return {}
        try:
            view = self.system.hamilton()
        except DalembertError:
            return {}
        n, table = self.names, {"H": view.H}
        for c, p in zip(self.system.coordinates, self.system.momenta):
            table |= {f"dH/d{c}": sp.diff(view.H, n.symbol(c)), f"dH/d{p}": sp.diff(view.H, n.symbol(p))}
            table |= {f"{c}'": view.qdot[c], f"{p}'": view.pdot[p]}
        return table

    def key(self, left: str) -> str | None:
        """The quantity that the left side of a line names; None when it names none."""
        n = self.names
        plain = re.sub(r"\s+|[{}\\]", "", left).replace("partial", "d").replace("*", "")
        plain = {"Lagrangian": "L", "Hamiltonian": "H", "E": "h"}.get(plain, plain)
        inner = re.fullmatch(r"d/dt\(?(d[LT]/d)?\(?([\w']+?)\)*", plain)
        if inner and inner.group(1):
            return self._known(f"d/dt dL/d{n.canonical(inner.group(2))}")
        if inner:
            c = self._coordinate_of_momentum(inner.group(2))
            return self._known(f"d/dt dL/d{n.velocity(c).name}") if c else None
        part = re.fullmatch(r"d([LHTV])/d\(?([\w']+?)\)?", plain)
        if part:
            return self._known(f"d{part.group(1)}/d{n.canonical(part.group(2))}")
        c = self._coordinate_of_momentum(plain)
        if c:
            return self._known(f"dL/d{n.velocity(c).name}")
        if plain in n.own and plain in ("L", "H", "T", "V", "h"):
            return None
        return self._known(plain) or self._known(n.canonical(plain)) if re.fullmatch(r"[\w']+", plain) else None

    def _known(self, key: str) -> str | None:
        if key not in self.right and (key.startswith(("H", "dH/")) or re.fullmatch(r"\w+'", key)):
            self.right.update(self.canonical)
        return key if key in self.right else None

    def _coordinate_of_momentum(self, name: str) -> str | None:
        """p_x by any of its names, unless the system itself uses that name."""
        if name in self.names.own:
            return None
        usual = {p: c for c, p in zip(self.system.coordinates, self.system.momenta)}
        usual |= {f"p_{c}": c for c in self.system.coordinates}
        return usual.get(name)

    def from_own(self, key: str, own: Mapping[str, sp.Expr]) -> sp.Expr | None:
        """The quantity computed from a student's own earlier lines, where they hold what it needs."""
        n = self.names
        if key == "L" and {"T", "V"} <= {*own}:
            return own["T"] - own["V"]
        whole = re.fullmatch(r"d/dt dL/d(.+)", key)
        if whole:
            slope = f"dL/d{whole.group(1)}"
            if slope in own:
                return self.system.freeze(n.derivative(own[slope]))
            return n.derivative(sp.diff(own["L"], n.symbol(whole.group(1)))) if "L" in own else None
        part = re.fullmatch(r"d([LH])/d(.+)", key)
        if part and part.group(1) in own:
            return sp.diff(own[part.group(1)], n.symbol(part.group(2)))
        if key.startswith("equation "):
            return self._own_equation(key.removeprefix("equation "), own)
        if key.endswith("''") and key[:-2] in self.system.coordinates:
            return self._own_acceleration(own, key)
        if key == "h" and "L" in own:
            v = [n.velocity(c) for c in self.system.coordinates]
            return sum((x * sp.diff(own["L"], x) for x in v), sp.Integer(0)) - own["L"]
        for c, p in zip(self.system.coordinates, self.system.momenta):
            if key == f"{c}'" and "H" in own:
                return sp.diff(own["H"], n.symbol(p))
            if key == f"{p}'" and "H" in own:
                return -sp.diff(own["H"], n.symbol(c)) + self.right[f"Q_{c}"]
        return None

    def _own_equation(self, c: str, own: Mapping[str, sp.Expr]) -> sp.Expr | None:
        v = self.names.velocity(c).name
        pieces = (f"d/dt dL/d{v}", f"dL/d{c}")
        found = [own[k] if k in own else self.from_own(k, own) for k in pieces]
        if found == [None, None]:
            return None
        rate, slope = (f if f is not None else self.right[k] for f, k in zip(found, pieces))
        return rate - slope - own.get(f"Q_{c}", self.right[f"Q_{c}"])

    def _own_acceleration(self, own: Mapping[str, sp.Expr], key: str) -> sp.Expr | None:
        if self.system.multipliers:
            return None
        n = self.names
        made = [own.get(f"equation {c}", self._own_equation(c, own)) for c in self.system.coordinates]
        right = [self.right[f"equation {c}"] - self.right[f"Q_{c}"] for c in self.system.coordinates]
        unknowns = [n.velocity(c, 2) for c in self.system.coordinates]
        parts = linear_parts([m if m is not None else r for m, r in zip(made, right)], unknowns)
        if parts is None or all(m is None for m in made) or is_zero(parts[0].det()):
            return None
        return dict(zip([u.name for u in unknowns], solve_linear(*parts)))[key]


def split_line(text: str) -> list[str]:
    """The sides of a line `a = b = c`; one sign of equality or two."""
    sides = [s.strip() for s in re.split(r"(?<![<>=!])={1,2}(?!=)", text)]
    if len(sides) < 2 or not all(sides):
        raise ExpressionError("a line is `name = formula`, or an equation `left = right`")
    return sides
