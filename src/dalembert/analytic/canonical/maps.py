"""Canonical transformations as maps: four tests of canonicity, the group operations, and the new Hamiltonian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, equal, is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps
from .brackets import lagrange_bracket, poisson_bracket


@dataclass(frozen=True)
class Canonicity:
    """The verdict by four routes, and the valence c of [Q, P] = c when it is a constant other than 1."""

    poisson: bool
    lagrange: bool
    exact: bool
    symplectic: bool
    valence: sp.Expr | None
    proof: str
    steps: Steps

    def __bool__(self) -> bool:
        return self.poisson and self.lagrange and self.exact and self.symplectic

    @property
    def agree(self) -> bool:
        """The four routes never disagree; a disagreement would be an error of computation."""
        return len({self.poisson, self.lagrange, self.exact, self.symplectic}) == 1


class CanonicalMap:
    """A map (q, p) -> (Q, P), given forwards by `new` = {Q: f(q, p, t)} or backwards by `old` = {q: f(Q, P, t)}.

    >>> turn = CanonicalMap("q", "p", "Q", "P", new={"Q": "q*cos(a) + p*sin(a)", "P": "-q*sin(a) + p*cos(a)"})
    >>> bool(turn.canonicity()), turn.old["q"]
    (True, -P*sin(a) + Q*cos(a))
    """

    def __init__(
        self,
        q: str | Sequence[str],
        p: str | Sequence[str],
        Q: str | Sequence[str],
        P: str | Sequence[str],
        *,
        new: Mapping[str, Formula] | None = None,
        old: Mapping[str, Formula] | None = None,
        names: Names | None = None,
    ) -> None:
        self.names = names or Names()
        split = lambda v: tuple(v.replace(",", " ").split()) if isinstance(v, str) else tuple(v)  # noqa: E731
        self.labels = tuple(split(v) for v in (q, p, Q, P))
        if len({len(v) for v in self.labels}) != 1:
            raise ModelError(f"q, p, Q and P need equal numbers of names, not {self.labels}")
        self.q, self.p, self.Q, self.P = (tuple(self.names.symbol(s) for s in v) for v in self.labels)
        if new is None and old is None:
            raise ModelError("a map is given by `new` (Q and P as functions of q and p) or by `old` (the inverse)")
        for images, wanted in ((new, self.labels[2] + self.labels[3]), (old, self.labels[0] + self.labels[1])):
            if images is not None and set(images) != set(wanted):
                raise ModelError(
                    f"the map needs a formula for each of {', '.join(wanted)}, not for {', '.join(images)}"
                )
        self._new = None if new is None else {k: self.names.read(v) for k, v in new.items()}
        self._old = None if old is None else {k: self.names.read(v) for k, v in old.items()}

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return dict(self._new if self._new is not None else self._old or {})

    def __repr__(self) -> str:
        given = self._new if self._new is not None else self._old or {}
        return f"CanonicalMap({', '.join(f'{k} = {v}' for k, v in given.items())})"

    # -- the two directions ----------------------------------------------------------------------------------------
    @cached_property
    def new(self) -> dict[str, sp.Expr]:
        """Q and P as functions of q and p."""
        return (
            self._new
            if self._new is not None
            else self._inverted(self._old or {}, (*self.q, *self.p), (*self.Q, *self.P))
        )

    @cached_property
    def old(self) -> dict[str, sp.Expr]:
        """q and p as functions of Q and P."""
        return (
            self._old
            if self._old is not None
            else self._inverted(self._new or {}, (*self.Q, *self.P), (*self.q, *self.p))
        )

    def _inverted(
        self, given: Mapping[str, sp.Expr], images: Sequence[sp.Symbol], unknowns: Sequence[sp.Symbol]
    ) -> dict[str, sp.Expr]:
        branches = invert_map([given[s.name] - s for s in images], unknowns)
        if not branches:
            raise ModelError("the inverse of this map was not found in closed form")
        return {s.name: branches[0][s] for s in unknowns}

    @cached_property
    def _explicit(self) -> tuple[tuple[sp.Symbol, ...], tuple[sp.Symbol, ...], list[sp.Expr], list[sp.Expr], bool]:
        """Variables and functions of the direction that was given."""
        if self._new is not None:
            return self.q, self.p, [self._new[s.name] for s in self.Q], [self._new[s.name] for s in self.P], True
        old = self._old or {}
        return self.Q, self.P, [old[s.name] for s in self.q], [old[s.name] for s in self.p], False

    @cached_property
    def jacobian(self) -> sp.Matrix:
        """Derivatives of the images by the variables of the given direction."""
        x, y, X, Y, _ = self._explicit
        return sp.Matrix([[sp.diff(f, s) for s in (*x, *y)] for f in (*X, *Y)])

    # -- tests -----------------------------------------------------------------------------------------------------
    def canonicity(self) -> Canonicity:
        """Poisson brackets, Lagrange brackets, exactness of p dq - P dQ, and the symplectic Jacobian."""
        x, y, X, Y, _ = self._explicit
        size = len(x)
        unit = sp.eye(size)
        verdicts: list[Verdict] = []

        def judge(left: sp.Expr, right: sp.Expr) -> bool:
            verdict = equal(left, right, signs=self.names.signs)
            verdicts.append(verdict)
            return bool(verdict)

        brackets = {(i, j): poisson_bracket(X[i], Y[j], x, y) for i in range(size) for j in range(size)}
        plain = all(
            judge(poisson_bracket(F[i], F[j], x, y), sp.Integer(0))
            for F in (X, Y)
            for i in range(size)
            for j in range(i)
        )
        poisson = plain and all(judge(b, unit[i, j]) for (i, j), b in brackets.items())
        J = sp.Matrix(sp.BlockMatrix([[sp.zeros(size), sp.eye(size)], [-sp.eye(size), sp.zeros(size)]]))
        M = self.jacobian
        product = M.T * J * M
        symplectic = all(judge(product[i, j], J[i, j]) for i in range(2 * size) for j in range(i))
        lagrange = self._lagrange_test(judge)
        exact = all(judge(c, sp.Integer(0)) for c in self._curls())
        valence = None
        if not poisson and plain:
            first = tidy(brackets[0, 0])
            constant = not (first.free_symbols & {*x, *y})
            if constant and first != 0 and all(judge(b, first * unit[i, j]) for (i, j), b in brackets.items()):
                valence = first
        proof = "numeric" if any(v.proof == "numeric" for v in verdicts) else "symbolic"
        book = Notebook()
        for (i, j), value in brackets.items():
            first, second = (self.Q[i], self.P[j]) if self._new is not None else (self.q[i], self.p[j])
            book.note("Poisson bracket", f"[{first},{second}]", tidy(value))
        for words, verdict in (
            ("Poisson brackets of the images are the fundamental ones", poisson),
            ("Lagrange brackets through the inverse are the fundamental ones", lagrange),
            ("p dq - P dQ is exact", exact),
            ("the Jacobian is symplectic, M^T J M = J", symplectic),
        ):
            book.note(f"{words}: {'yes' if verdict else 'no'}")
        if valence is not None:
            book.note("All brackets are multiplied by the valence", "c", valence)
        return Canonicity(poisson, lagrange, exact, symplectic, valence, proof, book.close())

    def _lagrange_test(self, judge: object) -> bool:
        """Brackets {u, v} of the images seen as variables: derivatives of the inverse map, by the inverse Jacobian."""
        size = len(self.q)
        try:
            inverse = self.jacobian.inv()
        except (ValueError, sp.matrices.exceptions.NonInvertibleMatrixError):
            return False
        for i in range(2 * size):
            for j in range(i):
                value = sum(
                    (inverse[k, i] * inverse[size + k, j] - inverse[size + k, i] * inverse[k, j] for k in range(size)),
                    sp.Integer(0),
                )
                wanted = sp.Integer(-1) if i == j + size else sp.Integer(0)
                if not judge(value, wanted):  # type: ignore[operator]
                    return False
        return True

    def one_form(self) -> tuple[list[sp.Symbol], list[sp.Expr]]:
        """Components of sum p dq - sum P dQ on the variables of the given direction."""
        x, y, X, Y, forwards = self._explicit
        variables = [*x, *y]
        own = [*y, *([sp.Integer(0)] * len(y))]
        other = [sum((b * sp.diff(a, s) for a, b in zip(X, Y)), sp.Integer(0)) for s in variables]
        return variables, [(u - v) if forwards else (v - u) for u, v in zip(own, other)]

    def _curls(self) -> list[sp.Expr]:
        variables, form = self.one_form()
        return [
            sp.diff(form[i], variables[j]) - sp.diff(form[j], variables[i]) for i in range(len(form)) for j in range(i)
        ]

    def bracket(self, f: Formula, g: Formula) -> tuple[sp.Expr, sp.Expr]:
        """[f, g] of functions of (q, p) in the old variables and, re-expressed, in the new: equal when canonical."""
        a, b = self.names.read(f), self.names.read(g)
        old = poisson_bracket(a, b, self.q, self.p)
        back = {self.names.symbol(k): v for k, v in self.old.items()}
        new = poisson_bracket(a.subs(back, simultaneous=True), b.subs(back, simultaneous=True), self.Q, self.P)
        return tidy(old.subs(back, simultaneous=True)), tidy(new)

    # -- group -----------------------------------------------------------------------------------------------------
    def inverse(self) -> CanonicalMap:
        """(Q, P) -> (q, p)."""
        q, p, Q, P = self.labels
        return CanonicalMap(Q, P, q, p, new=self.old, old=self.new, names=self.names)

    def then(self, other: CanonicalMap) -> CanonicalMap:
        """This map followed by another whose old variables are this one's new ones (matched by position)."""
        n = self.names
        rename = {
            other.names.symbol(a): n.read(self.new[b])
            for old, new in ((other.labels[0], self.labels[2]), (other.labels[1], self.labels[3]))
            for a, b in zip(old, new)
        }
        composed = {k: tidy(n.read(v.subs(rename, simultaneous=True))) for k, v in other.new.items()}
        return CanonicalMap(self.labels[0], self.labels[1], other.labels[2], other.labels[3], new=composed, names=n)

    def power(self, count: int) -> CanonicalMap:
        """The map done `count` times, each time on the variables that the last one gave; negative ones by the inverse.

        >>> turn = CanonicalMap("q", "p", "Q", "P", new={"Q": "p", "P": "-q"})
        >>> turn.power(2).new, turn.power(-1).new
        ({'Q': -q, 'P': -p}, {'Q': -p, 'P': q})
        """
        q, p, Q, P = self.labels
        if count < 0:
            rename = {self.names.symbol(a): self.names.symbol(b) for a, b in zip((*Q, *P), (*q, *p))}
            back = {a: self.old[b].subs(rename, simultaneous=True) for a, b in zip((*Q, *P), (*q, *p))}
            return CanonicalMap(q, p, Q, P, new=back, names=self.names).power(-count)
        same = {a: self.names.symbol(b) for a, b in zip((*Q, *P), (*q, *p))}
        total = CanonicalMap(q, p, Q, P, new=same, names=self.names)
        for _ in range(count):
            total = total.then(self)
        return total

    def transform(self, H: Formula, K_minus_H: Formula | None = None) -> sp.Expr:
        """K = H + (the time part of the generator), in the new variables; the time part is found unless it is given.

        >>> CanonicalMap("q", "p", "Q", "P", new={"Q": "q - v*t", "P": "p - m*v"}).transform("p**2/(2*m)")
        (P**2 + m**2*v**2)/(2*m)
        """
        n = self.names
        back = {n.symbol(k): v for k, v in self.old.items()}
        added = self.time_part() if K_minus_H is None else n.read(K_minus_H)
        return tidy(n.read(H).subs(back, simultaneous=True) + added)

    def time_part(self) -> sp.Expr:
        """K - H = R(Q, P, t) of a map that depends on time: dR/dP = dQ/dt and dR/dQ = -dP/dt at fixed q, p.

        R is found up to a function of time, which moves nothing; it exists when the map is canonical.
        """
        from ..statics.virtual_work import potential_of

        n = self.names
        if not any(self._moves(s) for e in (*self._explicit[2], *self._explicit[3]) for s in e.free_symbols):
            return sp.Integer(0)
        back = {n.symbol(k): v for k, v in self.old.items()}
        rates = {k: self._partial(e).subs(back, simultaneous=True) for k, e in self.new.items()}
        slopes = [*(-rates[s.name] for s in self.P), *(rates[s.name] for s in self.Q)]
        try:
            return tidy(-potential_of([tidy(e) for e in slopes], [*self.Q, *self.P]))
        except ModelError as refusal:
            raise ModelError(f"no new Hamiltonian: this map is not canonical at every time ({refusal})") from refusal

    def _moves(self, s: sp.Symbol) -> bool:
        return bool(s == self.names.time or s.name.rstrip("'") in self.names.given)

    def _partial(self, e: sp.Expr) -> sp.Expr:
        """The derivative by time at fixed variables, prescribed functions of time included."""
        n = self.names
        total = sp.diff(e, n.time)
        for s in e.free_symbols:
            if s != n.time and self._moves(s):
                total += sp.diff(e, s) * n.symbol(s.name + "'")
        return total

    def lagrange_bracket(self, u: str, v: str) -> sp.Expr:
        """{u, v} through the inverse map."""
        return lagrange_bracket(
            u, v, [self.old[s.name] for s in self.q], [self.old[s.name] for s in self.p], self.names
        )


def invert_map(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> list[dict[sp.Symbol, sp.Expr]]:
    """All branches of the solution of a set of relations: linear at once, otherwise one unknown after another."""
    from ..formulas._solving import invert, linear_parts, solve_linear

    equations = list(equations)
    parts = linear_parts(equations, unknowns)
    if parts is not None and parts[0].rows == parts[0].cols:
        if is_zero(parts[0].det(method="berkowitz")):
            return []
        return [dict(zip(unknowns, solve_linear(*parts)))]
    # pick the relation and unknown whose elimination is simplest; every branch is carried on
    for e in sorted(equations, key=lambda e: (sum(e.has(u) for u in unknowns), e.count_ops())):
        for u in sorted((u for u in unknowns if e.has(u)), key=lambda u: _difficulty(e, u)):
            try:
                solutions = [s for s in invert(e, u, sp.Integer(0)) if not s.has(u)]
            except NotImplementedError:
                continue
            rest = [f for f in equations if f is not e]
            others = [v for v in unknowns if v != u]
            branches = []
            for solution in solutions:
                for branch in invert_map([f.subs(u, solution) for f in rest], others) if others else [{}]:
                    branches.append({u: tidy(solution.subs(branch, simultaneous=True)), **branch})
            if branches:
                return branches
    return []


def _difficulty(e: sp.Expr, u: sp.Symbol) -> tuple[int, int]:
    occurrences = sum(1 for leaf in sp.preorder_traversal(e) if leaf == u)
    return (0 if sp.diff(e, u, 2) == 0 else 1, occurrences)
