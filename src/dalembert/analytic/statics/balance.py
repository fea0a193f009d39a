"""Force and moment balance of every part: reactions, what they cannot tell, and the motions that nothing prevents.

The matrix of the balances is read both ways. Its null space are the self-stresses: forces of the holds that balance
among themselves, so that statics cannot tell them (hyperstatic). Its left null space are the virtual velocities that
all holds allow; the loads must do no power in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import as_sympy
from ..formulas._names import Names
from ..formulas._normal import tidy
from ..formulas._solving import linear_parts, solve_system
from ..formulas.claims import Judge
from ..formulas.steps import Notebook, Steps
from ._holds import Acting, Pull, read_loads, read_pulls
from .structure import GROUND, Hold, Load


@dataclass(frozen=True)
class Virtual:
    """A virtual motion that all holds allow: for each part the velocity of the origin and the angular velocity."""

    velocities: dict[str, sp.Matrix]
    turns: dict[str, sp.Matrix]
    powers: dict[str, sp.Expr]

    @property
    def power(self) -> sp.Expr:
        """The power of all loads, which is zero at rest."""
        return tidy(sum(self.powers.values(), sp.Integer(0)))

    def at(self, part: str, place: Sequence[sp.Expr]) -> sp.Matrix:
        """The velocity of a place of a part."""
        v, w = self.velocities[part], self.turns[part]
        r = sp.Matrix([as_sympy(x) for x in place])
        return (v + cross(w, r)).applyfunc(tidy)

    def instant_centre(self, part: str) -> sp.Matrix | None:
        """The place of a part, in the plane, whose velocity is zero; None for a translation."""
        v, w = self.velocities[part], self.turns[part]
        if v.rows != 2:
            raise ModelError("an instant centre is of a motion in the plane")
        if is_zero(w[0]):
            return None
        return sp.Matrix([-v[1] / w[0], v[0] / w[0]]).applyfunc(tidy)


def cross(a: sp.Matrix, b: sp.Matrix) -> sp.Matrix:
    """The product of vectors: in the plane a turn (one number) with a vector, in space three with three."""
    return sp.Matrix([-a[0] * b[1], a[0] * b[0]]) if b.rows == 2 else a.cross(b)


def moment(r: sp.Matrix, f: sp.Matrix) -> sp.Matrix:
    """r x f: one number in the plane, three in space."""
    return sp.Matrix([r[0] * f[1] - r[1] * f[0]]) if r.rows == 2 else r.cross(f)


@dataclass(frozen=True)
class Rest(Judge):
    """The forces of a structure at rest, and in words what statics alone cannot tell."""

    structure: Structure
    forces: dict[str, sp.Expr]
    undetermined: tuple[str, ...]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.structure.names

    @property
    def degree(self) -> int:
        """How many forces must be known beside the balances: 0 is isostatic."""
        return len(self.structure.self_stresses)

    @property
    def explanation(self) -> str:
        """Why the forces are determined or not, in words."""
        count, rank = len(self.structure.pulls), self.structure.matrix.rank()
        rows = self.structure.matrix.rows
        text = f"{count} unknown forces, {rows} balances of rank {rank}: "
        if not self.degree:
            free = rows - rank
            moves = f"; {free} virtual motion{'s' * (free > 1)} left, in which the loads do no power" if free else ""
            return text + "isostatic, every force is determined" + moves
        lines = [
            text + f"hyperstatic of degree {self.degree}. These forces balance among themselves, whatever their size"
        ]
        for state in self.structure.self_stresses:
            lines.append("  " + ", ".join(f"{k}: {v}" for k, v in state.items() if v != 0))
        lines.append("  Stiffness of the parts, or one hold less, decides: statics of rigid parts cannot.")
        return "\n".join(lines)

    def conditions(self) -> dict[str, sp.Expr]:
        """What must be positive for this rest to be real: contacts push, ropes pull, friction stays below mu N."""
        found = {}
        for pull in self.structure.pulls:
            value = self.forces[pull.name]
            if pull.one_sided:
                found[f"{pull.name} >= 0"] = value
            if pull.limit is not None:
                mu, normal = pull.limit
                found[f"mu N - |{pull.name}| >= 0"] = tidy(mu * self.forces[normal] - sp.Abs(value))
        return found

    def known(self) -> dict[str, sp.Expr]:
        return self.forces

    def __str__(self) -> str:
        lines = [f"{k} = {v}" for k, v in self.forces.items() if k not in self.undetermined]
        lines += [f"{k} undetermined: {self.forces[k]}" for k in self.undetermined]
        lines += [f"impossible: {k}, but it is {v}" for k, v in self.conditions().items() if v.is_negative]
        return "\n".join([*lines, self.explanation])


def _solve(
    equations: Sequence[sp.Expr], unknown: Sequence[sp.Symbol], forces: Sequence[sp.Symbol]
) -> list[dict[sp.Symbol, sp.Expr]]:
    """The forces stand linearly in the balances: they are eliminated before angles and lengths are solved for."""
    parts = linear_parts(equations, forces) if forces and unknown else None
    everything = [*unknown, *forces]
    if parts is None or linear_parts(equations, everything) is not None:
        return solve_system(equations, everything)
    matrix, right = parts
    idle = matrix.T.nullspace(iszerofunc=lambda e: bool(is_zero(e)))
    alone = [e for e in (tidy((v.T * right)[0]) for v in idle) if not is_zero(e)]
    found = []
    for first in _each_factor(alone, unknown):
        for rest in solve_system([e.subs(first) for e in equations], list(forces)):
            found.append(first | rest)
    return found


def _each_factor(equations: Sequence[sp.Expr], unknown: Sequence[sp.Symbol]) -> list[dict[sp.Symbol, sp.Expr]]:
    """Solutions of what is left for the geometry; one equation is solved factor by factor, poles left out."""
    if len(equations) != 1:
        return solve_system([sp.numer(sp.together(e)) for e in equations], list(unknown))
    top, bottom = sp.fraction(sp.together(equations[0]))
    factors = [f for f in sp.Mul.make_args(sp.factor_terms(tidy(top))) if f.free_symbols & {*unknown}]
    poles = sp.Mul.make_args(sp.factor_terms(tidy(bottom)))
    own = [f for f in factors if not any(is_zero(f - p) or is_zero(f + p) for p in poles)]
    roots = [s for f in own for s in solve_system([f.base if f.is_Pow else f], list(unknown))]
    return [s for s in roots if not is_zero(bottom.subs(s))]


class Structure:
    """Rigid parts under loads, held together and to the ground; their balances, solved.

    >>> from dalembert.analytic import Load, Pin, Structure
    >>> ends = [Load("bar", ["-a", 0], [0, "-P"]), Load("bar", ["b", 0], [0, "-F"])]
    >>> lever = Structure(ends, [Pin("bar", [0, 0], name="R")])
    >>> lever.rest("F").forces
    {'F': P*a/b, 'R_x': 0, 'R_y': P*(a + b)/b}
    """

    def __init__(
        self, loads: Sequence[Load], holds: Sequence[Hold], *, positive: Sequence[str] = (), infer: bool = False
    ) -> None:
        self.names = Names(positive=positive, infer=infer)
        self.loads, self.size = read_loads(self.names, loads)
        self.pulls: tuple[Pull, ...] = read_pulls(self.names, holds, self.size)
        parts = [*(one.part for one in self.loads), *(p for pull in self.pulls for p in (pull.part, pull.to))]
        self.parts = tuple(p for p in dict.fromkeys(parts) if p != GROUND)
        if not self.parts:
            raise ModelError("a structure has at least one part beside the ground")

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return {"balances": self.matrix, "loads": self.load_column}

    def __repr__(self) -> str:
        loads, holds = len(self.loads), ", ".join(p.name for p in self.pulls)
        return f"Structure({', '.join(self.parts)}; {loads} loads; held by {holds or 'nothing'})"

    @cached_property
    def turns(self) -> int:
        return 1 if self.size == 2 else 3

    def _add(self, column: sp.Matrix, one: Acting) -> None:
        """Put force and moment about the origin into the rows of the part."""
        if one.part == GROUND:
            return
        start = self.parts.index(one.part) * (self.size + self.turns)
        column[start : start + self.size, 0] += one.force
        column[start + self.size : start + self.size + self.turns, 0] += moment(one.at, one.force) + one.couple

    @cached_property
    def matrix(self) -> sp.Matrix:
        """Rows: force and moment about the origin of each part; columns: the unknown forces of the holds."""
        rows = len(self.parts) * (self.size + self.turns)
        columns = []
        for pull in self.pulls:
            column = sp.zeros(rows, 1)
            for one in pull.acting:
                self._add(column, one)
            columns.append(column)
        return sp.Matrix.hstack(*columns).applyfunc(tidy) if columns else sp.zeros(rows, 0)

    @cached_property
    def load_column(self) -> sp.Matrix:
        """What the loads put into the same rows."""
        column = sp.zeros(len(self.parts) * (self.size + self.turns), 1)
        for load in self.loads:
            self._add(column, load)
        return column

    @cached_property
    def self_stresses(self) -> tuple[dict[str, sp.Expr], ...]:
        """Forces of the holds that balance among themselves: a basis."""
        if not self.pulls:
            return ()
        null = self.matrix.nullspace(iszerofunc=lambda e: bool(is_zero(e)))
        return tuple({p.name: tidy(x) for p, x in zip(self.pulls, state)} for state in null)

    @cached_property
    def freedoms(self) -> tuple[Virtual, ...]:
        """The virtual velocities that all holds allow: a basis; the loads at rest do no power in any of them."""
        null = (
            self.matrix.T.nullspace(iszerofunc=lambda e: bool(is_zero(e)))
            if self.pulls
            else [sp.eye(self.matrix.rows)[:, k] for k in range(self.matrix.rows)]
        )
        found, width = [], self.size + self.turns
        for state in null:
            velocities = {p: sp.Matrix(state[i * width : i * width + self.size]) for i, p in enumerate(self.parts)}
            turns = {p: sp.Matrix(state[i * width + self.size : (i + 1) * width]) for i, p in enumerate(self.parts)}
            powers: dict[str, sp.Expr] = {}
            for load in self.loads:
                if load.part == GROUND:
                    continue
                v = velocities[load.part] + cross(turns[load.part], load.at)
                power = (load.force.T * v)[0] + (load.couple.T * turns[load.part])[0]
                powers[load.name] = tidy(powers.get(load.name, 0) + power)
            clean = lambda table: {k: m.applyfunc(tidy) for k, m in table.items()}  # noqa: E731
            found.append(Virtual(clean(velocities), clean(turns), powers))
        return tuple(found)

    def rest(self, *unknowns: str, slips: Mapping[str, int] | None = None) -> Rest:
        """All forces of the holds, and the `unknowns` in the loads or in the geometry, from the balances of the parts.

        `slips` puts contacts at the limit of friction, {name of the contact: +1 or -1}: the tangential force is then
        that sign times mu N, and one more unknown can be found.
        """
        n, book = self.names, Notebook()
        unknown = [n.symbol(u) for u in unknowns]
        forces = [n.symbol(p.name) for p in self.pulls]
        rows = list(self.matrix * sp.Matrix(forces) + self.load_column) if forces else list(self.load_column)
        labels = [f"{kind} of {p}" for p in self.parts for kind in self._labels()]
        for label, row in zip(labels, rows):
            book.note(f"Balance, {label}", tidy(sp.expand(row)), sp.Integer(0))
        limits = self._limits(slips or {})
        for e in limits:
            book.note("At the limit of friction", e, sp.Integer(0))
        equations = [e for e in (*rows, *limits) if not is_zero(e)]
        solved = _solve(equations, unknown, forces) if unknown or forces else [{}] if not equations else []
        if not solved:
            raise ModelError(self._why_not(unknowns))
        solution = self._real(solved)
        values = {s.name: tidy(solution.get(s, s)) for s in (*unknown, *forces)}
        free = tuple(s.name for s in forces if any(not is_zero(x[s.name]) for x in self.self_stresses))
        if limits or not free:
            free = tuple(s.name for s in forces if s not in solution)
        for name, value in values.items():
            book.note("Solved", name, value)
        return Rest(self, values, free, book.close())

    def _labels(self) -> list[str]:
        axes = "xyz"[: self.size]
        return [f"force along {a}" for a in axes] + (
            [f"moment about {a}" for a in axes] if self.size == 3 else ["moment"]
        )

    def _real(self, solved: list[dict[sp.Symbol, sp.Expr]]) -> dict[sp.Symbol, sp.Expr]:
        """The first solution in which no one-sided force is certainly of the wrong sign."""
        sided = {self.names.symbol(p.name) for p in self.pulls if p.one_sided}
        good = [s for s in solved if not any(s.get(u, u).is_negative for u in sided)]
        return (good or solved)[0]

    def _limits(self, slips: Mapping[str, int]) -> list[sp.Expr]:
        n, by_name = self.names, {p.name: p for p in self.pulls if p.limit is not None}
        found = []
        for label, sign in slips.items():
            pull = by_name.get(f"{label}_t") or by_name.get(label)
            if pull is None or pull.limit is None:
                raise ModelError(f"{label!r} is no contact with friction; there are {', '.join(by_name) or 'none'}")
            if sign not in (1, -1):
                raise ModelError(f"slips: the sense of {label!r} is +1 or -1, not {sign}")
            mu, normal = pull.limit
            found.append(n.symbol(pull.name) - sign * mu * n.symbol(normal))
        return found

    def _why_not(self, unknowns: Sequence[str]) -> str:
        asked = ", ".join(unknowns)
        for freedom in self.freedoms:
            if not is_zero(freedom.power):
                speeds = {p: (*freedom.velocities[p], *freedom.turns[p]) for p in self.parts}
                moving = [p for p, entries in speeds.items() if not all(is_zero(e) for e in entries)]
                return (
                    f"no rest: no hold prevents a motion of {', '.join(moving)}, and the loads do the power "
                    f"{freedom.power} in it. Hold it, or name what is unknown in it (asked: {asked or 'nothing'})"
                )
        return f"the balances of {', '.join(self.parts)} contradict each other for {asked or 'these loads'}"
