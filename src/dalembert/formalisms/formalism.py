"""One record for each formalism: how it derives, and what it states at each level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.constraints.rows import Rows
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.formalisms.equations import Equations
from dalembert.presentation.axes import Quantity
from dalembert.presentation.closing import closing_label, live_rows, multiplier_lines, name_cuts, own_rates
from dalembert.presentation.collect_terms import collect
from dalembert.presentation.conditions import condition_label, meaning_lines
from dalembert.presentation.scalars import LONGEST_LINE, Scalars, Side, signs_of
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import Vocabulary

#: Operations and speeds up to which coefficients are collected: no page holds those of larger machines.
MOST_COLLECTED, MOST_SPEEDS = 1500, 16
#: Terms of a coefficient that is expanded; a longer one is read in its factors, if at all.
LONGEST_COEFFICIENT = 80


def scalar_equations(eq: Equations) -> Scalars:
    """M u' = S + F + D^T Lambda, D u' = gamma, and q' = P u.

    What fits a page is collected by accelerations and products of speeds; more reads better as it was derived, by the
    quantities that it is made of.
    """
    if eq.operations <= MOST_COLLECTED and len(eq.speeds) <= MOST_SPEEDS and _fits_a_page(eq):
        found = _equations(eq, _collected)
        if found.written_out:
            return found
    return _equations(eq, _as_derived)


def _fits_a_page(eq: Equations) -> bool:
    """Whether the equation with most inertia terms, collected, is a line that can be written out.

    To collect and tidy all of them, only to see that they are too long, takes longer than all the rest.
    """
    sizes = [ex.count_operations(x) for x in eq.bias]
    r = max(range(len(sizes)), key=sizes.__getitem__)
    row = Matrix(eq.mass_matrix.rows()[r : r + 1], (1, len(sizes)))
    [one] = collect(row, eq.bias[r : r + 1], eq.forces[r : r + 1], eq.tree.speeds)
    hand, signs = ex.Tidier(LONGEST_COEFFICIENT, for_reading=True), 0
    for coefficient in one.products.values():  # all of them stand on the right side
        signs += signs_of([hand.tidy(coefficient)])[0]
        if signs > LONGEST_LINE:
            return False
    return True


Form = Callable[[Equations, Matrix, Sequence[Expr], Sequence[Expr]], list[tuple[Expr, Expr]]]


def _equations(eq: Equations, form: Form) -> Scalars:
    sides = form(eq, eq.mass_matrix, eq.bias, eq.forces)
    rows = zip(eq.speeds, sides, reaction_efforts(eq), strict=True)
    equations = tuple((name, left, right + effort) for name, (left, right), effort in rows)
    return closed(eq, Scalars(equations, rates_in_speeds(eq)), form)


def reaction_efforts(eq: Equations) -> list[Expr]:
    """W^T Lambda, with the multipliers as symbols."""
    if eq.rows is None:
        return [ZERO] * len(eq.speeds)
    columns = [[ex.tidy(x, for_reading=True) for x in row] for row in eq.rows.reaction.rows()]
    shown = replace(eq.rows, matrix=Matrix(columns, eq.rows.matrix.shape), pushed={}, implied=())
    return shown.efforts_of([ex.symbol(name) for name in eq.rows.names])


def closed(eq: Equations, found: Scalars, form: Form | None = None) -> Scalars:
    """The equations completed by D u' = gamma, the rates of the cut links' coordinates, and what Lambda is."""
    if eq.rows is None:
        return found
    rows, primes = eq.rows, [ex.prime(u) for u in eq.tree.speeds]
    live = live_rows(rows)
    matrix = Matrix([rows.matrix.rows()[k] for k in live], (len(live), len(primes)))
    sides = (form or _collected)(eq, matrix, [rows.gamma[k] for k in live], [ZERO] * len(live))
    told = [closing_label(name) if rows.wrenches[k] else condition_label(name) for k, name in enumerate(rows.names)]
    asked = [(label, left, right) for label, (left, right) in zip([told[k] for k in live], sides, strict=True)]
    used = [x for _, left, right in (*found.equations, *asked) for x in (left, right)]
    words = Vocabulary(eq.tree)
    name_cuts(words, rows)
    meant = (*found.meant, *own_rates(rows, used))
    return Scalars((*found.equations, *asked), meant, (*multiplier_lines(words), *meaning_lines(rows)))


def _collected(eq: Equations, matrix: Matrix, bias: Sequence[Expr], forces: Sequence[Expr]) -> list[tuple[Expr, Expr]]:
    """Both sides of matrix u' = bias + forces, collected by accelerations and products of speeds."""
    hand = ex.Tidier(LONGEST_COEFFICIENT, for_reading=True)
    found = [one.tidied(hand) for one in collect(matrix, bias, forces, eq.tree.speeds)]
    return [(one.left, one.right) for one in found]


def _as_derived(eq: Equations, matrix: Matrix, bias: Sequence[Expr], forces: Sequence[Expr]) -> list[tuple[Expr, Expr]]:
    """Both sides of matrix u' = bias + forces, as the derivation made them."""
    primes = Matrix.column([ex.prime(u) for u in eq.tree.speeds])
    right = [s + f for s, f in zip(bias, forces, strict=True)]
    return list(zip((matrix @ primes).entries, right, strict=True))


def rates_in_speeds(eq: Equations) -> tuple[Side, ...]:
    """q' = P(q) u, where it says more than a name."""
    pairs = zip(eq.tree.coordinates, eq.rates, strict=True)
    return tuple(("rate", ex.prime(q), rate) for q, rate in pairs if ex.prime(q) is not rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Formalism:
    """A derivation with its statements: no formalism is shown by the theorem of another.

    `derive` takes a tree (and a choice of potential, if it has one); where `chosen_speeds` is false, in the joints' own
    speeds. `close` completes what it found by the rows of cut links. `per_body`: its matrix level isolates bodies, too.
    `quantities` are names that only it has.
    """

    name: str
    title: str
    derive: Callable[..., Equations]
    vector: Callable[[Vocabulary], Statements]
    matrix: Callable[[Vocabulary], Statements]
    scalar: Callable[[Equations], Scalars] = scalar_equations
    close: Callable[[Equations, Rows], Equations] = Equations.closed
    quantities: Callable[[Equations], list[Quantity]] = lambda eq: []
    chosen_speeds: bool = True
    per_body: bool = False
    has_potential: bool = False
