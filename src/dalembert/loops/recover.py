"""Parameters of the closed configurations from a kernel of the constraint matrix, by formal integration (thesis 4.1.5).

A matrix Psi(p) with Delta Psi = 0, found by mathematics alone, says q = Psi P'. Solved for the rates it gives

    P_i' = sum_j L_ij(p) p_j'          L Psi = 1

and P_i, where these forms are differentials: exactly when the columns of Psi commute on the closed configurations,
L_i [Psi_a, Psi_b] = 0. A single column always does. Where a form is no differential, or its integral is no formula,
other columns Psi C with C = (rows of Psi)^-1 have coordinates as parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, Literal

from dalembert import expr as ex
from dalembert import limits
from dalembert.errors import DalembertError, ExpressionError, LimitError, ModelError
from dalembert.expr import ZERO, Expr
from dalembert.loops.assembly import assemble
from dalembert.loops.elimination import gauss
from dalembert.loops.formulas import solve_loops
from dalembert.loops.ideal import ClosureIdeal, Piece
from dalembert.loops.linkage import build_linkage, only_loops
from dalembert.loops.mobility import followed_start
from dalembert.loops.polynomials import polynomial_closure
from dalembert.loops.ring import Ratio, Ring
from dalembert.mechanism import Layout, Mechanism

Column = Mapping[str, Any]
Found = Literal["integrated", "integrated on the branch", "no formula found", "no differential"]

#: Sets of coordinates that are tried for the rates: each gives the same forms on the closure, written differently.
_CHOICES = 40
#: Seconds for one integral: those with formulas are found in a few.
_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class Parameter:
    """P' as a form in the rates of coordinates, and P itself up to a constant, when it is found."""

    name: str
    rate: dict[str, Expr]
    formula: Expr | None
    found: Found

    def __str__(self) -> str:
        terms = " + ".join(f"({ex.text(v)}) {n}'" for n, v in self.rate.items()) or "0"
        if self.formula is not None:
            where = " on the branch of the posture" if self.found == "integrated on the branch" else ""
            return f"{self.name} = {ex.text(self.formula)}{where}, from {self.name}' = {terms}"
        why = "which is the rate of no function" if self.found == "no differential" else "whose integral was not found"
        return f"{self.name}' = {terms}, {why}"


@dataclass(frozen=True, slots=True)
class Recovery:
    """Parameters for the columns of Psi; Psi times `change` has the coordinates `independent` as parameters."""

    parameters: tuple[Parameter, ...]
    independent: tuple[str, ...]
    change: tuple[tuple[Expr, ...], ...]

    @property
    def complete(self) -> bool:
        """Whether every parameter is a formula."""
        return all(p.formula is not None for p in self.parameters)

    def __str__(self) -> str:
        lines = [str(p) for p in self.parameters]
        if not self.complete:
            rows = "; ".join(", ".join(ex.text(v) for v in row) for row in self.change)
            lines.append(f"Psi times [{rows}] has the parameters {', '.join(self.independent)}")
        return "\n".join(lines)


def recover_parameters(
    mechanism: Mechanism | Layout,
    psi: Mapping[str, Column] | None = None,
    *,
    at: Mapping[str, float] | None = None,
    given: Mapping[str, Any] | None = None,
    indeterminate: Collection[str] = (),
    cut: Collection[str] = (),
    piece: int | None = None,
) -> Recovery:
    """Parameters P with q = Psi P': columns {parameter: {coordinate: formula}}, coordinates not named have rate 0.

    Without `psi`, by Cramer's rule. Psi is checked first: Delta Psi = 0 exactly, on the whole closure or on one `piece`
    of `closure_ideal(m).pieces`. Formulas that hold only on the branch of the posture `at` are said to.

    >>> from dalembert.mechanism import Mechanism, earth, prismatic
    >>> m = Mechanism("table")
    >>> x, y, top = m.body("x"), m.body("y"), m.body("top")
    >>> rails = [m.join(earth, x, prismatic("x"), name="a"), m.join(earth, y, prismatic("y"), name="b"),
    ...          m.join(x, top, prismatic("y"), name="c"), m.join(y, top, prismatic("x"), name="d")]
    >>> found = recover_parameters(m, {"P": {"a.x": "1/a.x", "d.x": "1/a.x"}, "Q": {"b.x": "a.x", "c.x": "a.x"}})
    >>> print(found.parameters[0])
    P = 1/2*a.x**2, from P' = (a.x) a.x'
    >>> found.parameters[1].found
    'no differential'
    """
    layout = mechanism if isinstance(mechanism, Layout) else Layout.of(mechanism, cut)
    only_loops(layout, "recover_parameters")
    linkage = build_linkage(layout, given)
    if not linkage.cuts:
        raise ModelError(f"'{layout.model.name}' has no loop: its coordinates are parameters.")
    ideal = ClosureIdeal(polynomial_closure(linkage, indeterminate=indeterminate))
    where = None if piece is None else ideal.pieces[piece]
    search = _Search(ideal, where, _columns(ideal, psi, where))
    start = dict(layout.model.start if at is None else at)
    numbers = {k: v for k, v in linkage.given.items() if k not in indeterminate}
    posture: Any = None
    if not ideal.closure.parameters:  # a branch needs numbers
        posed = build_linkage(layout, given, start)
        try:
            posture = (posed, assemble(posed, posed.start(followed_start(posed, start, given))))
        except DalembertError:  # then only formulas that hold on all branches are found
            posture = None
    return search.run(posture, numbers)


def _columns(ideal: ClosureIdeal, psi: Mapping[str, Column] | None, piece: Piece | None) -> dict[str, dict[str, Expr]]:
    names = list(ideal.closure.columns)
    if psi is None:
        rows, reduce = ideal._domain(piece)
        held = gauss(rows, reduce).columns
        free = [n for j, n in enumerate(names) if j not in held]
        if not free:
            raise ModelError("nothing moves: Delta Psi = 0 has no column.")
        psi = {f"P{k}": column for k, column in enumerate(ideal.psi(free, piece).values(), 1)}
    found: dict[str, dict[str, Expr]] = {}
    for name, column in psi.items():
        if unknown := sorted(set(column) - set(names)):
            raise ModelError(f"'{unknown[0]}' is no coordinate of the loops: they are {', '.join(names)}.")
        made = {n: column.get(n, 0) for n in names}
        found[name] = {
            n: ex.parse(v) if isinstance(v, str) else ideal.formula(v) if hasattr(v, "to_dict") else ex.as_expr(v)
            for n, v in made.items()
        }
    return found


class _Search:
    def __init__(self, ideal: ClosureIdeal, piece: Piece | None, psi: dict[str, dict[str, Expr]]) -> None:
        self.ideal, self.piece, self.names = ideal, piece, tuple(psi)
        self.columns = ideal.closure.columns
        self.psi = [[psi[name][n] for name in psi] for n in self.columns]  # a row for each coordinate
        self._check()

    def run(self, posture: Any, numbers: Mapping[str, Any]) -> Recovery:
        choices = list(islice(self._choices(), _CHOICES))
        if not choices:
            raise ModelError(f"the columns {', '.join(self.names)} depend on each other: leave one out.")
        rows, inverse = choices[0]
        parameters = tuple(self._parameter(i, choices, posture, numbers) for i in range(len(self.names)))
        independent = tuple(self.columns[j] for j in rows)
        return Recovery(parameters, independent, tuple(tuple(row) for row in inverse))

    def _check(self) -> None:
        """Delta Psi = 0, exactly."""
        for a, name in enumerate(self.names):
            values = [self.ideal.ratio(row[a]) for row in self.psi]
            common = values[0][1]
            for _, below in values[1:]:
                common = common * divmod(below, common.gcd(below))[0]
            scaled = [above * divmod(common, below)[0] for above, below in values]
            for row in self.ideal.closure.velocity:
                if not self._zero(sum((d * v for d, v in zip(row, scaled, strict=True)), scaled[0] * 0)):
                    raise ModelError(
                        f"the column '{name}' is no motion of the loops: Delta Psi is not 0 there. Coordinates that it "
                        f"does not name have rate 0; the loops use {', '.join(self.columns)}."
                    )

    def _zero(self, p: Any) -> bool:
        return p == 0 or self.ideal.is_zero_on(p, self.piece)

    def _choices(self) -> Iterator[tuple[tuple[int, ...], list[list[Expr]]]]:
        """Rows of Psi that determine the rates, with the inverse; formulas of fewest coordinates first."""
        k = len(self.names)
        plain = [j for j, row in enumerate(self.psi) if any(v is not ZERO for v in row)]
        plain.sort(key=lambda j: (sum(len(ex.topological([v])) for v in self.psi[j]), j))
        for rows in combinations(plain, k):
            block = [self.psi[j] for j in rows]
            ring = Ring([v for row in block for v in row])
            values = [ring.values(row) for row in block]
            inverse = _inverse(values, ring)
            # the determinant must not vanish on the closure: its inverse has a denominator that does not
            if inverse is not None and not any(
                self._zero(self.ideal.ratio(ring.formula(ring.ratio(v.below, ring.constant(1))))[0])
                for row in inverse
                for v in row
            ):
                yield rows, [[ring.formula(v) for v in row] for row in inverse]

    def _parameter(self, i: int, choices: Sequence[Any], posture: Any, numbers: Mapping[str, Any]) -> Parameter:
        first: dict[str, Expr] | None = None
        for rows, inverse in choices:
            form = {self.columns[j]: v for j, v in zip(rows, inverse[i], strict=True) if v is not ZERO}
            first = form if first is None else first
            if (formula := integral(form)) is not None:
                return Parameter(self.names[i], form, formula, "integrated")
        assert first is not None
        if not self._differential(i, choices[0]):
            return Parameter(self.names[i], first, None, "no differential")
        for rows, inverse in choices if posture is not None else ():
            form = {self.columns[j]: v for j, v in zip(rows, inverse[i], strict=True)}
            if (seen := _on_branch(form, posture, numbers)) is not None and (formula := integral(seen)) is not None:
                return Parameter(self.names[i], form, formula, "integrated on the branch")
        return Parameter(self.names[i], first, None, "no formula found")

    def _differential(self, i: int, choice: tuple[tuple[int, ...], list[list[Expr]]]) -> bool:
        """Whether L_i [Psi_a, Psi_b] = 0 on the closure for all columns."""
        rows, inverse = choice
        symbols = [ex.symbol(n) for n in self.columns]
        for a, b in combinations(range(len(self.names)), 2):
            total: Expr = ZERO
            for j, weight in zip(rows, inverse[i], strict=True):
                slopes = ex.jacobian([self.psi[j][a], self.psi[j][b]], symbols)
                bracket = sum(
                    (self.psi[k][a] * slopes[1][k] - self.psi[k][b] * slopes[0][k] for k in range(len(symbols))),
                    ZERO,
                )
                total = total + weight * bracket
            if not self._zero(self.ideal.ratio(total)[0]):
                return False
        return True


def _inverse(matrix: list[list[Ratio]], ring: Ring) -> list[list[Ratio]] | None:
    n = len(matrix)
    left = [[*row, *(ring.number(int(i == j)) for j in range(n))] for i, row in enumerate(matrix)]
    for c in range(n):
        pivot = next((r for r in range(c, n) if left[r][c]), None)
        if pivot is None:
            return None
        left[c], left[pivot] = left[pivot], left[c]
        left[c] = [v / left[c][c] for v in left[c]]
        for r in range(n):
            if r != c and left[r][c]:
                left[r] = [v - left[r][c] * w for v, w in zip(left[r], left[c], strict=True)]
    return [row[n:] for row in left]


def _on_branch(form: Mapping[str, Expr], posture: Any, numbers: Mapping[str, Any]) -> dict[str, Expr] | None:
    """The form with the other coordinates as formulas of its own, on the branch of the posture."""
    linkage, x = posture
    made = solve_loops(linkage, x, form)
    if made is None:
        return None
    known = {ex.symbol(n): v for n, v in made.nested.items()} | {
        ex.symbol(n): ex.as_expr(v) for n, v in numbers.items()
    }
    return dict(zip(form, ex.substitute(list(form.values()), known), strict=True))


def integral(form: Mapping[str, Expr]) -> Expr | None:
    """A function whose differential is the form, checked; None when it is closed in no way, or no formula is found."""
    symbols = [ex.symbol(n) for n in form]
    every = [v for v in form.values() if v is not ZERO]
    letters = ex.free_symbols(every)
    if not _closed(form):
        return None
    total: Expr = ZERO
    for symbol, wanted in zip(symbols, form.values(), strict=True):
        rest = wanted - ex.derivative(total, symbol)
        if _same(rest, ZERO):
            continue
        part = _primitive(rest, symbol)
        if part is None:
            return None
        total = total + part
    good = all(_same(ex.derivative(total, s), v) for s, v in zip(symbols, form.values(), strict=True))
    return total if good and ex.free_symbols([total]) <= letters | set(symbols) else None


def _closed(form: Mapping[str, Expr]) -> bool:
    """Coefficients of its own coordinates alone (and of lengths), with equal cross derivatives."""
    symbols = [ex.symbol(n) for n in form]
    used = ex.free_symbols(list(form.values()))
    if any("." in s.name and s not in symbols for s in used):
        return False
    slopes = ex.jacobian(list(form.values()), symbols)
    return all(_same(slopes[i][j], slopes[j][i]) for i, j in combinations(range(len(symbols)), 2))


def _same(one: Expr, other: Expr) -> bool:
    try:
        return not Ring([one, other]).values([one - other])[0]
    except ExpressionError:
        return False


def _primitive(e: Expr, symbol: Expr) -> Expr | None:
    """An integral by SymPy, in a normal form of cosines and sines first; it is the caller's to check."""
    import sympy as sp

    try:
        ring = Ring([e])
        plain = ring.formula(ring.values([e])[0])
        wanted, letter = ex.to_sympy(plain), ex.to_sympy(symbol)
        found = limits.apart(lambda: sp.integrate(wanted, letter), "an integral", seconds=_SECONDS)
        return None if found.has(sp.Integral) else ex.from_sympy(found)
    except (DalembertError, LimitError, NotImplementedError, ValueError, TypeError, RecursionError):
        return None
