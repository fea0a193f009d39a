"""Minimal equations of a machine with closed loops: M_P P'' = S_P + F_P in independent coordinates P (Papegay 4.1).

With u = Psi P' + c and u' = Psi P'' + b, where D Psi = 0, D c = -d and D b = gamma, the reactions drop out of any
formalism's equations:

    M_P = Psi^T M Psi        S_P = Psi^T (S - M b)        F_P = Psi^T F

The coordinates that are not independent are formulas q = q(P), each in those before it; where there are none they
follow in numbers, by Newton's method from the posture at which the independent ones were chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError, SingularError
from dalembert.expr import Expr, Matrix
from dalembert.formalisms.projected import ProjectedEquations

if TYPE_CHECKING:
    from dalembert.presentation.lines import Statement

Array = Any
#: A determinant below this share of what it is made of leaves half the digits of a speed: the posture is singular.
SINGULAR = 1e-8


class Follows(Protocol):
    """Who finds the coordinates that are no formulas (`loops.follow`): one posture, or many with compiled `exprs`."""

    @property
    def exprs(self) -> list[Expr]: ...

    def at(self, p: Array, t: float, numbers: Mapping[Expr, float]) -> Array: ...

    def along(self, p: Array, t: Array, told: Callable[[Array, Array, Array], Array]) -> Array: ...


@dataclass(frozen=True, slots=True)
class Chart:
    """Independent coordinates of a branch, and the others as formulas of them (None: followed in numbers).

    `domain` are expressions, by the coordinate whose formula they bound, that must not be negative. `turning` are
    coordinates whose formula knows an angle only up to whole turns, and that the equations count turns of.
    """

    independent: tuple[str, ...]
    definitions: tuple[tuple[str, Expr], ...] | None
    domain: tuple[tuple[str, Expr], ...] = ()
    turning: tuple[tuple[str, float], ...] = ()
    posture: Mapping[str, float] = field(default_factory=dict)
    scales: tuple[float, ...] = ()  # radians of the loops in a unit of each independent coordinate
    signs: tuple[float, ...] = ()  # of the determinants at the posture: another sign is another branch


@dataclass(frozen=True, repr=False)
class MinimalEquations(ProjectedEquations):
    """M P'' = S + F in independent coordinates P, by one formalism; `closed` are its equations with multipliers.

    `mass_matrix`, `bias` and `forces` are written in all coordinates and speeds; `definitions` are those that are not
    independent, q = q(P) and u = Psi P' + c. `domain` says where they hold.
    """

    chart: Chart
    follow: Follows | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    level: str = "scalar"

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.chart.independent

    # --- definitions -----------------------------------------------------------------------------------------------

    @property
    def positions(self) -> dict[str, Expr] | None:
        """q = q(P), each in the independent coordinates and those before it; None where Newton finds them."""
        return None if self.chart.definitions is None else dict(self.chart.definitions)

    @property
    def definitions(self) -> dict[str, Expr]:
        return {**(self.positions or {}), **self.dependent_speeds}

    @property
    def domain(self) -> tuple[str, ...]:
        """Where the equations hold, in words."""
        posture = ", ".join(f"{x} = {self.chart.posture[x]:.6g}" for x in self.coordinates)
        found = [f"the branch of the posture at {posture}"]
        found += [f"{name}: {ex.text(e)} >= 0" for name, e in self.chart.domain]
        found += [f"{name}: between {c - np.pi:.6g} and {c + np.pi:.6g}" for name, c in self.chart.turning]
        if self.positions is None:
            found.append("no formulas for the other coordinates: Newton's method follows them from that posture")
        moving = [e for e in self.elimination.determinants if e.op != "const"]
        return (*found, *(f"{ex.text(e)} is not 0" for e in moving if ex.count_operations([e]) <= 60))

    def nested(self, exprs: list[Expr]) -> list[Expr]:
        """Expressions in P and P' alone, where the positions are formulas."""
        if self.positions is None:
            raise ModelError(
                f"the coordinates of '{self.layout.model.name}' are no formulas of {', '.join(self.coordinates)}: "
                "Newton's method follows them. Ask for numbers, or choose other independent coordinates."
            )
        found: dict[Expr, Expr] = {}
        for name, formula in self.definitions.items():
            found[ex.symbol(name)] = ex.substitute([formula], found)[0]
        return ex.substitute(exprs, found)

    # --- numbers ---------------------------------------------------------------------------------------------------

    def state(
        self, at: Mapping[str, float], *, t: float = 0.0, given: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """All coordinates and speeds for values of the independent ones; outside the domain an error."""
        numbers = self._numbers(given, t)
        wanted = {*self.coordinates, *self.speeds}
        if unknown := [x for x in at if x not in wanted]:
            raise ModelError(f"'{unknown[0]}' is not independent here: give {', '.join(sorted(wanted))}.")
        missing = [x for x in self.coordinates if x not in at]
        if missing:
            raise ModelError(f"no value for '{missing[0]}': the other coordinates follow from it.")
        numbers |= {ex.symbol(x): float(at.get(x, 0.0)) for x in (*self.coordinates, *self.speeds)}
        if self.positions is None:
            assert self.follow is not None
            p = np.array([numbers[ex.symbol(x)] for x in self.coordinates])
            found = self.follow.at(p, t, numbers)
            numbers |= {ex.symbol(x): float(v) for x, v in zip(self.layout.state.coordinates, found, strict=True)}
        else:
            self._place(numbers)
        self._check_regular(numbers)
        for name, value in zip(
            self.dependent_speeds, ex.evaluate(list(self.dependent_speeds.values()), numbers), strict=True
        ):
            numbers[ex.symbol(name)] = float(value)
        names = (*self.layout.state.coordinates, *self.closed.speeds)
        return {x: float(numbers[ex.symbol(x)]) for x in names if ex.symbol(x) in numbers}

    def acceleration(
        self, at: Mapping[str, float], *, t: float = 0.0, given: Mapping[str, float] | None = None
    ) -> Array:
        """P'' in numbers, for values of P and P'."""
        numbers = self._numbers(given, t) | {ex.symbol(x): v for x, v in self.state(at, t=t, given=given).items()}
        n = len(self.coordinates)
        flat = np.array(ex.evaluate([*self.mass_matrix.entries, *self.right_side], numbers), dtype=float)
        return np.linalg.solve(flat[: n * n].reshape(n, n), flat[n * n :])

    def _numbers(self, given: Mapping[str, float] | None, t: float) -> dict[Expr, float]:
        known = {**self.given, **(given or {})}
        missing = [x for x in self.parameters if x not in known]
        if missing:
            raise ModelError(f"'{missing[0]}' has no value: give it, given={{'{missing[0]}': 1.0}} for example.")
        return {**{ex.symbol(k): float(v) for k, v in known.items()}, ex.TIME: float(t)}

    def _place(self, numbers: dict[Expr, float]) -> None:
        """The formulas in numbers; leaving their domain, or having to pass its edge on the way, is an error."""
        assert self.chart.definitions is not None
        begin = np.array([self.chart.posture[x] for x in self.coordinates])
        way = np.array([numbers[ex.symbol(x)] for x in self.coordinates]) - begin
        turned = float(np.abs(way * np.array(self.chart.scales)).max(initial=0.0))
        self._walk(numbers, begin, way, np.linspace(0, 1, 33 + int(16 * turned)))
        turning = dict(self.chart.turning)
        for name, formula in self.chart.definitions:
            value = float(ex.evaluate([formula], numbers)[0])
            if name in turning and abs(value - turning[name]) > NEARLY_HALF:
                raise SingularError(
                    f"'{name}' of '{self.layout.model.name}' is half a turn from its middle at {self._told(numbers)}, "
                    "and efforts count its turns: the formula cannot say which. Choose other independent coordinates."
                )
            numbers[ex.symbol(name)] = value

    def _walk(
        self, numbers: Mapping[Expr, float], begin: Array, way: Array, s: Array, sizes: Sequence[float] = ()
    ) -> None:
        """Straight from the posture: no root may end, and no determinant vanish, not even between two points."""
        here: dict[Expr, Any] = dict(numbers)
        for x, p, step in zip(self.coordinates, begin, way, strict=True):
            here[ex.symbol(x)] = p + step * s
        limits = list[tuple[str, Array]]()
        with np.errstate(all="ignore"):
            for name, formula in self.chart.definitions or ():
                asked = [e for x, e in self.chart.domain if x == name]
                *found, here[ex.symbol(name)] = ex.evaluate([*asked, formula], here)
                limits += [(name, np.broadcast_to(v, s.shape)) for v in (*found, 0 * here[ex.symbol(name)] + 1)]
            made = ex.evaluate([*self.elimination.determinants, *self.elimination.sizes], here)
        half = len(made) // 2
        for value, size, sign in zip(made[:half], made[half:], self.chart.signs, strict=True):
            limits.append(("", np.broadcast_to(value * sign / size, s.shape)))
        largest = sizes or [float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) for _, values in limits]
        for (name, values), size in zip(limits, largest, strict=True):
            bad = np.flatnonzero(~(values > (_EDGE * size if sizes else 0.0)))
            if not sizes and bad.size == 1 and bad[0] == len(s) - 1 and values[-1] >= 0:
                continue  # the end itself may lie on the edge; the determinants judge it
            if bad.size:
                reached = {x: p + step * s[bad[0]] for x, p, step in zip(self.coordinates, begin, way, strict=True)}
                told = ", ".join(f"{x} = {v:.6g}" for x, v in reached.items())
                what = f"the formula of '{name}' has no value there" if name else "its speeds do not follow there"
                raise SingularError(
                    f"the branch of '{self.layout.model.name}' ends, or meets another one, on the way from its "
                    f"posture, at {told}: {what}. Stay where the domain says, or choose other independent coordinates."
                )
            inner = values[1:-1]
            dips = (inner <= values[:-2]) & (inner <= values[2:]) & (inner < size / 20)
            if s[1] - s[0] > _CLOSEST:
                for k in np.flatnonzero(dips) + 1:
                    self._walk(numbers, begin, way, np.linspace(s[k - 1], s[k + 1], 33), largest)

    def _told(self, numbers: Mapping[Expr, float]) -> str:
        return ", ".join(f"{x} = {numbers[ex.symbol(x)]:.6g}" for x in self.coordinates)

    def _check_regular(self, numbers: Mapping[Expr, float]) -> None:
        made = ex.evaluate([*self.elimination.determinants, *self.elimination.sizes], dict(numbers))
        half = len(made) // 2
        for value, size, sign in zip(made[:half], made[half:], self.chart.signs, strict=True):
            if not value * sign > SINGULAR * size:
                raise SingularError(
                    f"'{self.layout.model.name}' is singular for {', '.join(self.coordinates)} at or before "
                    f"{self._told(numbers)}: other speeds do not follow from theirs. Choose other independent "
                    "coordinates."
                )

    # --- for people and programs -----------------------------------------------------------------------------------

    @cached_property
    def operations(self) -> int:
        exprs = [*self.mass_matrix.entries, *self.bias, *self.forces, *self.definitions.values()]
        return ex.count_operations(exprs)

    def to_sympy(self) -> dict[str, Any]:
        """SymPy matrices mass_matrix, bias, forces, psi; `definitions` is a table of symbols and formulas."""
        columns = {"bias": self.bias, "forces": self.forces}
        found: dict[str, Any] = {"mass_matrix": self.mass_matrix.to_sympy(), "psi": self.psi.to_sympy()}
        found |= {name: Matrix.column(values).to_sympy() for name, values in columns.items()}
        names = [ex.symbol(x) for x in self.definitions]
        pairs = zip(ex.to_sympy_many(names), ex.to_sympy_many(list(self.definitions.values())), strict=True)
        return found | {"definitions": dict(pairs)}

    def as_dict(self) -> dict[str, Any]:
        """Names, M, S, F, Psi and the definitions as formulas with shared intermediates: the JSON form."""
        n, defined = len(self.coordinates), self.definitions
        found = self._table("M P'' = S + F, u = Psi P' + c", {"psi": self.psi.entries}, defined)
        return found | {
            "operations": self.operations,
            "all_speeds": list(self.closed.speeds),
            "psi": [found["psi"][k : k + n] for k in range(0, len(found["psi"]), n)],
            "positions": "formulas" if self.positions is not None else "Newton",
            "domain": list(self.domain),
        }

    def show(self, level: str | None = None) -> Statement:
        """The equations at a level: the formalism's own with multipliers, then projected; see `Equations.show`."""
        from dalembert.formalisms.levels import show_minimal

        return show_minimal(self, level or self.level)

    def expand(self) -> MinimalEquations:
        """The same equations, shown one level further."""
        from dalembert.presentation.lines import LEVELS

        return replace(self, level=LEVELS[min(LEVELS.index(self.level) + 1, len(LEVELS) - 1)])  # type: ignore[arg-type]

    def __repr__(self) -> str:
        how = "formulas" if self.positions is not None else "Newton"
        return (
            f"<MinimalEquations of {self.layout.model.name!r} by {self.formalism}: in {', '.join(self.coordinates)}, "
            f"other coordinates by {how}>"
        )


#: What dips below this share of its largest value touches zero: a root or a determinant falls like a square there.
_EDGE = 1e-7
#: Dips are looked at sixteen times closer until points are this share of the way apart: squares are rounding there.
_CLOSEST = 1e-5
#: An angle that is known up to whole turns is told from its neighbour while it stays this far from half a turn.
NEARLY_HALF = 3.0
