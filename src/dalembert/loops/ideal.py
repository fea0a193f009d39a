"""The closure ideal of a mechanism: dimension, Hilbert polynomial, membership, division, syzygies, ranks on its pieces.

What the thesis did by hand with Macaulay, straight from the description; formulas are written in the coordinates of
the mechanism.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError, ModelError
from dalembert.expr import Expr
from dalembert.loops.division import divide, members, normal_form, rational
from dalembert.loops.elimination import Elimination, determinant, gauss, growing_minor, without_content
from dalembert.loops.genericrank import over_domain
from dalembert.loops.groebner import components, groebner_basis, ideal_dimension
from dalembert.loops.hilbert import Hilbert, hilbert_polynomial
from dalembert.loops.linkage import build_linkage, only_loops
from dalembert.loops.polynomials import PolynomialClosure, polynomial_closure
from dalembert.loops.ring import Ring
from dalembert.loops.syzygies import first_syzygies, plain, resolution_rank
from dalembert.mechanism import Layout, Mechanism

#: Letters of a closure that Groebner bases without a compiled engine take apart in seconds (the antenna's cell has 20).
MOST_LETTERS = 30


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the closed configurations: dimension (complex), rank of the constraint matrix on it, equations.

    `vanishing` names the pivots of a generic elimination that are zero on all of it: there the generic rank is wrong.
    Pieces are split by factors over the rationals; where one still falls apart, the rank is the largest on its parts.
    """

    dimension: int
    rank: int
    basis: tuple[Any, ...]
    pivots: tuple[str, ...]
    vanishing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Division:
    """formula = sum of quotients times divisors + remainder."""

    quotients: tuple[Any, ...]
    divisors: tuple[Any, ...]
    remainder: Any

    @property
    def member(self) -> bool:
        return bool(self.remainder == 0)


@dataclass(frozen=True)
class ClosureIdeal:
    """The ideal of a mechanism's closure equations, with the relations of its angles and roots."""

    closure: PolynomialClosure

    @property
    def generators(self) -> tuple[Any, ...]:
        return self.closure.generators

    @cached_property
    def basis(self) -> tuple[Any, ...]:
        """A reduced Groebner basis with rational coefficients."""
        return tuple(rational(groebner_basis(self.generators)))

    @cached_property
    def dimension(self) -> int:
        """Complex dimension, indeterminates counted."""
        return ideal_dimension(self.generators)

    @cached_property
    def hilbert(self) -> Hilbert:
        return hilbert_polynomial(self.generators)

    def polynomial(self, formula: Expr | str) -> Any:
        """A formula in coordinates of the mechanism (`cos(b.th)`, `d.x`) and its lengths, as a polynomial."""
        above, below = self.ratio(formula)
        if not below.is_constant():
            e = formula if isinstance(formula, str) else ex.text(formula)
            raise ExpressionError(f"{e} is no polynomial in cosines, sines and lengths: multiply it out.")
        return above

    def ratio(self, formula: Expr | str) -> tuple[Any, Any]:
        """Numerator and denominator of a formula in coordinates of the mechanism."""
        e = ex.parse(formula) if isinstance(formula, str) else formula
        # an angle in a run of parallel axes is the difference of two sums
        sums = {ex.symbol(a): ex.symbol(a) - ex.symbol(b) for a, b in self.closure.sums.items()}
        (written,) = ex.substitute([e], sums) if sums else [e]
        # beside the geometry: a root has the name there that it has in the closure
        ring = Ring([*self.closure.geometry, written], self.closure.given)
        (value,) = ring.values([written])
        return self._moved(ring, value.above), self._moved(ring, value.below)

    def _moved(self, ring: Ring, p: Any) -> Any:
        names = list(self.closure.names)
        terms: dict[tuple[int, ...], Any] = {}
        for exponents, c in p.to_dict().items():
            key = [0] * len(names)
            for name, k in zip(ring.generators, exponents, strict=True):
                if k and ring.meaning(name) is not self.closure.letters.get(name):
                    raise ExpressionError(
                        f"'{name}' does not occur in the closure: its letters are {', '.join(names)}."
                    )
                if k:
                    key[names.index(name)] = int(k)
            terms[tuple(key)] = terms.get(tuple(key), 0) + c
        return self.closure.context.from_dict(terms)

    def formula(self, p: Any) -> Expr:
        """A polynomial in the letters of the closure as a formula in coordinates of the mechanism."""
        sums: dict[Expr, Expr] = {}
        for angle in self.closure.columns:
            one, total = angle, ex.symbol(angle)
            while (one := self.closure.sums.get(one, "")) != "":
                total = total + ex.symbol(one)
            sums[ex.symbol(angle)] = total
        (written,) = ex.substitute([self.closure.meaning(p)], sums)
        return written

    def is_zero_on(self, p: Any, piece: Piece | None = None) -> bool:
        """Whether a polynomial is zero at every closed configuration, or on a piece."""
        (p,) = rational([p])
        if piece is not None:
            return bool(normal_form(piece.basis[0].context().from_dict(p.to_dict()), piece.basis) == 0)
        return bool(normal_form(p, self.basis) == 0) or self._in_radical(p)

    def divide(self, formula: Expr | str, by: str = "basis") -> Division:
        """Quotients and remainder by the Groebner basis, or by the `generators` in their order."""
        divisors = self.basis if by == "basis" else tuple(rational([g for g in self.generators if g != 0]))
        (p,) = rational([self.polynomial(formula)])
        quotients, rest = divide(p, divisors)
        return Division(tuple(quotients), divisors, rest)

    def contains(self, formula: Expr | str) -> bool:
        """Whether a formula follows from the closure equations by sums and products."""
        return self.divide(formula).member

    def quotients(self, formula: Expr | str) -> Division | None:
        """A member of the ideal as a combination of the closure equations themselves; None when it is none."""
        found = members(self.polynomial(formula), self.generators)
        if found is None:
            return None
        (zero,) = rational([self.generators[0] - self.generators[0]])
        return Division(tuple(found), tuple(rational(self.generators)), zero)

    def vanishes(self, formula: Expr | str) -> bool:
        """Whether a formula is zero at every closed configuration (Rabinowitsch: 1 - z f leaves no zero)."""
        return self._in_radical(self.polynomial(formula))

    def _in_radical(self, p: Any) -> bool:
        from flint import fmpq_mpoly_ctx

        names = tuple(self.closure.names)
        larger = fmpq_mpoly_ctx.get((*names, "z"), "degrevlex")
        lifted = [larger.from_dict({(*e, 0): c for e, c in p.to_dict().items()}) for p in (*self.generators, p)]
        *generators, f = lifted
        return ideal_dimension([*generators, larger.gens()[-1] * f - 1]) == -1

    def syzygies(self, degree: int = 1, on_closure: bool = True) -> list[list[str]]:
        """Columns psi with (constraint matrix) psi = 0, as text: on the closure, or off it over the whole ring."""
        found = first_syzygies(self._nonzero_rows(), self._ideal(on_closure), degree)
        return [plain(psi, self.closure.names) for psi in found]

    def resolution(self, degree: int = 1, steps: int = 4, on_closure: bool = True) -> tuple[int | None, list[int]]:
        """(columns minus rank, numbers of generators), None when the resolution does not end in these steps."""
        return resolution_rank(self._nonzero_rows(), self._ideal(on_closure), degree, steps)

    def psi(self, independent: Collection[str], piece: Piece | None = None) -> dict[str, dict[str, Any]]:
        """Rates of all coordinates for each independent one, as polynomials: (constraint matrix) psi = 0.

        By Cramer's rule, up to a common factor, which is the rate of the independent one itself. Without a piece it
        holds for all values of the letters (where the generic rank is right); on a piece modulo its equations.
        """
        columns = list(self.closure.columns)
        unknown = sorted(set(independent) - set(columns))
        if unknown:
            raise ModelError(f"'{unknown[0]}' is no coordinate of the loops: they are {', '.join(columns)}.")
        free = [columns.index(n) for n in independent]
        held = [j for j in range(len(columns)) if j not in free]
        rows, reduce = self._domain(piece)
        part = gauss([[row[j] for j in held] for row in rows], reduce)
        if part.rank != len(held):
            raise ModelError(
                f"{', '.join(independent)} do not determine the others: rank {part.rank} for {len(held)} dependent "
                "rates. Choose as many independent coordinates as there are freedoms."
            )
        if gauss(rows, reduce).rank != part.rank:
            raise ModelError(
                "the matrix has a larger rank off the closure: ask on a piece, `psi(names, ideal.pieces[0])`."
            )
        square = [[reduce(rows[i][j]) for j in held] for i in part.rows]
        every = tuple(range(len(held)))
        found: dict[str, dict[str, Any]] = {}
        for name, column in zip(independent, free, strict=True):
            values = {name: reduce(determinant(square, every, every))}
            for k, j in enumerate(held):
                other = [
                    [*row[:k], reduce(rows[i][column]), *row[k + 1 :]] for i, row in zip(part.rows, square, strict=True)
                ]
                values[columns[j]] = reduce(-determinant(other, every, every))
            values |= {n: values[name] * 0 for n in independent if n != name}
            ordered = [values[n] for n in columns]
            found[name] = dict(zip(columns, without_content(ordered), strict=True))
        return found

    def _domain(self, piece: Piece | None) -> tuple[list[list[Any]], Any]:
        if piece is None:
            return over_domain(self._nonzero_rows(), self.closure.tower)
        ctx = piece.basis[0].context()
        rows = [[ctx.from_dict(p.to_dict()) for p in row] for row in self._nonzero_rows()]
        return rows, lambda p: normal_form(p, piece.basis)

    def _ideal(self, on_closure: bool) -> tuple[Any, ...]:
        return self.generators if on_closure else self.closure.relations

    def _nonzero_rows(self) -> list[tuple[Any, ...]]:
        rows = [row for row in self.closure.velocity if any(p != 0 for p in row)]
        if not rows:
            raise ModelError("there is no loop: the constraint matrix is empty.")
        return rows

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Pieces over the rationals, largest first, each with the exact rank at its generic points."""
        if len(self.closure.names) > MOST_LETTERS:
            raise ModelError(
                f"{len(self.closure.names)} letters are too many to take the closure apart (at most {MOST_LETTERS}): "
                "ask `branches_through` at a posture instead."
            )
        split = components(self.generators)
        generic = self.generic("classical")
        found = []
        for dimension, basis in split:
            whole = rational(basis)
            on_piece = self._rank_on(whole)
            zero = tuple(str(p) for p in generic.witnesses if normal_form(self._back(p), whole) == 0)
            pivots = tuple(str(p) for p in on_piece.witnesses)
            found.append(Piece(dimension, on_piece.rank - self.closure.cut_columns, tuple(whole), pivots, zero))
        return tuple(found)

    def generic(self, method: str = "classical") -> Elimination:
        """The elimination off the closure with its pivots (`classical`) or its largest minor (`minors`)."""
        rows, reduce = over_domain(self._nonzero_rows(), self.closure.tower)
        return (gauss if method == "classical" else growing_minor)(rows, reduce)

    def vanishing(self, method: str = "classical") -> tuple[str, ...]:
        """Pivots or minors of the generic elimination that vanish on the whole closure: it counts too much there."""
        pieces = [rational(basis) for _, basis in components(self.generators)]
        witnesses = [(str(p), self._back(p)) for p in self.generic(method).witnesses]
        return tuple(text for text, p in witnesses if all(normal_form(p, basis) == 0 for basis in pieces))

    def _rank_on(self, basis: list[Any]) -> Elimination:
        ctx = basis[0].context()
        rows = [[ctx.from_dict(p.to_dict()) for p in row] for row in self._nonzero_rows()]
        return gauss(rows, lambda p: normal_form(p, basis))

    def _back(self, p: Any) -> Any:
        """A polynomial of the elimination in the order of the closure's letters."""
        names, own = list(self.closure.names), list(p.context().names())
        places = [own.index(n) for n in names]
        return self.closure.context.from_dict({tuple(e[k] for k in places): c for e, c in p.to_dict().items()})


def closure_ideal(
    mechanism: Mechanism | Layout,
    *,
    indeterminate: Collection[str] = (),
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    order: str = "degrevlex",
) -> ClosureIdeal:
    """The closure ideal of a mechanism; lengths without a value, and those named, stay letters.

    >>> from dalembert.mechanism import Mechanism, earth, prismatic, revolute
    >>> m = Mechanism("slider-crank")
    >>> crank, rod, slider = m.body("crank"), m.body("rod"), m.body("slider")
    >>> hinge = revolute("z")
    >>> a, b = m.join(earth, crank, hinge, name="a"), m.join(crank.at(["r", 0, 0]), rod, hinge, name="b")
    >>> d, c = m.join(earth, slider, prismatic("x"), name="d"), m.join(rod.at(["l", 0, 0]), slider, hinge, name="c")
    >>> ideal = closure_ideal(m)
    >>> ideal.contains("(d.x - r*cos(a.th))^2 + r^2*sin(a.th)^2 - l^2"), ideal.contains("d.x - r - l")
    (True, False)
    """
    layout = mechanism if isinstance(mechanism, Layout) else Layout.of(mechanism, cut)
    only_loops(layout, "closure_ideal")
    linkage = build_linkage(layout, given)
    if not linkage.cuts:
        raise ModelError(f"'{layout.model.name}' has no loop: there is no closure equation.")
    return ClosureIdeal(polynomial_closure(linkage, order, indeterminate))
