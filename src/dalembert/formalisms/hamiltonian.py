"""The Hamiltonian of a machine: H(q, p, t) and what its equations say of q' and p'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr, Matrix


@dataclass(frozen=True, slots=True)
class InSpeeds:
    """What Hamilton's equations say of q' and p' while the speeds u = dH/dp are still names: all is in (q, u, p)."""

    symbols: tuple[Expr, ...]  # u
    rates: tuple[Expr, ...]
    momentum_rates: tuple[Expr, ...]
    efforts: tuple[Expr, ...]
    conditions: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Hamiltonian:
    """H(q, p, t) with its canonical equations in (q, p).

    `definition` gives each momentum in (q, u); `rates` q' and `momentum_rates` p' are in (q, p).
    """

    kinetic: Expr
    potential: Expr
    momenta: tuple[Expr, ...]
    definition: tuple[Expr, ...]
    speeds: tuple[Expr, ...]  # dH/dp, the speeds in (q, p)
    motion: Expr  # T in (q, u)
    in_speeds: InSpeeds
    canonical: bool
    multipliers: tuple[str, ...] = ()  # one for each row of closed loops: `crank.Fx`
    constraint: Matrix | None = None  # D: coefficients of the speeds in the conditions
    reaction: Matrix | None = None  # W: the multipliers add W^T lambda to p' (and friction against the slip)
    gap: tuple[Expr | None, ...] = ()  # how far from closed each is

    @property
    def value(self) -> Expr:
        return self.kinetic + self.potential

    @property
    def rates(self) -> tuple[Expr, ...]:
        return self._in_momenta(self.in_speeds.rates)

    @property
    def momentum_rates(self) -> tuple[Expr, ...]:
        return self._in_momenta(self.in_speeds.momentum_rates)

    @property
    def efforts(self) -> tuple[Expr, ...]:
        """Q_r that derive from no potential."""
        return self._in_momenta(self.in_speeds.efforts)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """D dH/dp + drift = 0, in (q, p)."""
        return self._in_momenta(self.in_speeds.conditions)

    def _in_momenta(self, exprs: Sequence[Expr]) -> tuple[Expr, ...]:
        return tuple(ex.substitute(exprs, dict(zip(self.in_speeds.symbols, self.speeds, strict=True))))

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.momenta)
        closed = f", conditions {', '.join(self.multipliers)}" if self.multipliers else ""
        return f"<H in the momenta {names}: {ex.count_operations(self.value)} operations{closed}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle H = {ex.latex(ex.tidy(self.value))}$"
