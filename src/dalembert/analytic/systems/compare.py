"""One problem by every mechanics: the accelerations of each view, and a proof that they are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import sympy as sp

from dalembert import limits
from dalembert.errors import DalembertError, ModelError

from ..formulas._equality import Verdict, equal, weakest
from ..formulas._normal import tidy
from .large_hamilton import hamilton_at_points

if TYPE_CHECKING:
    from .system import System

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One mechanics: its accelerations, or why it does not apply, and the verdict against the reference."""

    mechanics: str
    accelerations: dict[str, sp.Expr]
    verdict: Verdict | None
    remark: str = ""


@dataclass(frozen=True)
class Comparison:
    """The table of all mechanics for one system."""

    system: System
    rows: tuple[Row, ...]

    @property
    def agree(self) -> bool:
        """Every mechanics that applies is shown to give the motion of the reference."""
        return all(row.verdict is None or bool(row.verdict) for row in self.rows)

    @property
    def disagree(self) -> bool:
        """Some mechanics gives another motion, by a counter-example; neither is said of what is undecided."""
        return any(row.verdict is not None and row.verdict.equal is False for row in self.rows)

    @property
    def mechanics(self) -> tuple[str, ...]:
        return tuple(row.mechanics for row in self.rows if row.verdict is not None)

    def __str__(self) -> str:
        lines = []
        for row in self.rows:
            values = "; ".join(f"{c}'' = {e}" for c, e in row.accelerations.items())
            judgement = row.remark if row.verdict is None else f"{row.verdict}{'; ' + row.remark if row.remark else ''}"
            lines.append(f"{row.mechanics:16} | {values or '-'} | {judgement}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ..formulas.steps import latex

        body = ""
        for row in self.rows:
            formulas = [f"$${latex(sp.Symbol(c + chr(39) * 2))} = {latex(e)}$$" for c, e in row.accelerations.items()]
            judgement = row.remark if row.verdict is None else str(row.verdict)
            body += f"<tr><td>{row.mechanics}</td><td>{' '.join(formulas) or '-'}</td><td>{judgement}</td></tr>"
        return f"<table><tr><th>mechanics</th><th>accelerations</th><th>verdict</th></tr>{body}</table>"


def _verdict(system: System, found: dict[str, sp.Expr], reference: dict[str, sp.Expr]) -> Verdict:
    verdicts = [equal(found[c], reference[c], signs=system.names.signs) for c in reference]
    return weakest(verdicts)


def compare(system: System) -> Comparison:
    """Derive the motion by every mechanics that applies and prove the results equal to Lagrange's."""
    reference = system.lagrange().accelerations
    rows = []
    for name, view in (
        ("Newton", system.newton),
        ("d'Alembert", system.dalembert),
        ("Lagrange", system.lagrange),
        ("Hamilton", system.hamilton),
    ):
        if name == "Hamilton" and system.lagrangian.count_ops() >= _LARGE:
            rows.append(_hamilton_at_points(system, reference))
            continue
        try:
            work = lambda view=view: view().accelerations  # noqa: E731
            found = reference if name == "Lagrange" else _in_time(system, name, work)
        except DalembertError as refusal:
            rows.append(Row(name, {}, None, str(refusal)))
            continue
        rows.append(Row(name, found, _verdict(system, found, reference)))
    try:
        if not rows[-1].accelerations and rows[-1].verdict is not None:
            raise ModelError("H fills pages here: an action of it is not sought")
        if rows[-1].verdict is None:  # the equation of Hamilton and Jacobi is written with Hamilton's function
            raise ModelError(f"needs Hamilton's view: {rows[-1].remark}")
        rows.append(_in_time(system, "Hamilton-Jacobi", lambda: _jacobi(system, reference)))
    except DalembertError as refusal:
        rows.append(Row("Hamilton-Jacobi", {}, None, str(refusal)))
    return Comparison(system, tuple(rows))


def _hamilton_at_points(system: System, reference: dict[str, sp.Expr]) -> Row:
    """Hamilton's equations of a large system: H is not written out, its matrix is inverted at points."""
    try:
        verdict = limits.apart(
            lambda: hamilton_at_points(system, reference), "Hamilton's mechanics", seconds=limits.share(_SHARE)
        )
    except DalembertError as refusal:
        return Row("Hamilton", {}, None, str(refusal))
    return Row("Hamilton", {}, verdict, "H = (p - b).M^-1 (p - b)/2 - L0, M inverted at points")


_LARGE = 400
"""Operations of L above which a mechanics works in a process of its own, so that one that is slow does not keep the
others waiting."""
_SHARE = 1 / 7
"""Part of the budget for one mechanics of a large system: Lagrange's, three others and the comparisons fit in it."""


def _in_time(system: System, name: str, work: Callable[[], T]) -> T:
    """What a mechanics finds, or a refusal when a large system takes it too long."""
    if system.lagrangian.count_ops() < _LARGE:
        return work()
    return limits.apart(work, f"{name}'s mechanics", seconds=limits.share(_SHARE))


def _jacobi(system: System, reference: dict[str, sp.Expr]) -> Row:
    """The motion of a complete integral: q' = dH/dp at p = dS/dq is a field v(q, alpha), and q'' = v.grad v + dv/dt."""
    try:
        view = system.hamilton_jacobi()
        field = view.velocity_field()
    except DalembertError as refusal:
        return Row("Hamilton-Jacobi", {}, None, str(refusal))
    n = system.names
    on_field = {n.velocity(c): field[c] for c in system.coordinates}
    found, expected = {}, {}
    for c in system.coordinates:
        along = sum((sp.diff(field[c], n.symbol(d)) * field[d] for d in system.coordinates), sp.Integer(0))
        found[c] = along + sp.diff(field[c], n.time)
        expected[c] = reference[c].subs(on_field, simultaneous=True)
    verdicts = [equal(found[c], expected[c], signs=view.signs) for c in found]
    worst = weakest(verdicts)
    return Row("Hamilton-Jacobi", {c: tidy(e) for c, e in expected.items()}, worst, "on p = dS/dq, for all constants")
