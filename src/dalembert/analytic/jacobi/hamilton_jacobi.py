"""Hamilton-Jacobi mechanics: the equation of the action, its separation, complete integrals and Jacobi's step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero, undecided
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import invert
from ..formulas.claims import Judge
from ..formulas.quadrature import antiderivative
from ..formulas.steps import Notebook, Steps
from .separation import LeviCivita, levi_civita, separate
from .slopes import is_quadratic, slope_of, without_root

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class HamiltonJacobi(Judge):
    """The equation H(q, dS/dq, t) + dS/dt = 0 of a system, and its complete integral when it separates.

    In the p representation the unknown is F(p, t) with q = -dF/dp; then `x` are the momenta and `y` minus coordinates.
    """

    system: System
    H: sp.Expr
    x: tuple[sp.Symbol, ...]
    y: tuple[sp.Symbol, ...]
    representation: str
    energy: sp.Expr
    constants: dict[str, sp.Symbol]
    slopes: dict[str, sp.Expr]
    certificate: LeviCivita
    signs: tuple[str, ...]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    @property
    def separable(self) -> bool:
        """Whether the coordinates separate the equation (Levi-Civita)."""
        return bool(self.certificate)

    @cached_property
    def equation(self) -> sp.Expr:
        """The reduced equation as a left-hand side of = 0, with S0 unspecified (F0 in the p representation).

        Where H depends on time it is the whole equation, with S(q, t).
        """
        t = self.names.time
        if self.H.has(t):
            whole = sp.Function("S" if self.representation == "q" else "F", real=True)(*self.x, t)
            slopes = {b: sp.Derivative(whole, a) for a, b in zip(self.x, self.y)}
            return self.H.subs(slopes, simultaneous=True) + sp.Derivative(whole, t)
        unknown = sp.Function("S0" if self.representation == "q" else "F0", real=True)(*self.x)
        return (
            self.H.subs({b: sp.Derivative(unknown, a) for a, b in zip(self.x, self.y)}, simultaneous=True) - self.energy
        )

    def _need(self) -> None:
        if not self.slopes:
            raise ModelError(f"no complete integral by separation: {self.certificate}")

    @cached_property
    def parts(self) -> dict[str, sp.Expr]:
        """S_i(x_i) of each coordinate, closed where a primitive is known."""
        self._need()
        return {a.name: antiderivative(self.slopes[a.name], a) for a in self.x}

    @cached_property
    def S0(self) -> sp.Expr:
        """The reduced action, sum of its parts."""
        return sp.Add(*self.parts.values())

    @cached_property
    def S(self) -> sp.Expr:
        """The complete integral S = S0 - E t."""
        return self.S0 - self.energy * self.names.time

    def velocity_field(self) -> dict[str, sp.Expr]:
        """q' = dH/dp on the surface p = dS/dq: the whole family of motions with the same constants."""
        self._need()
        if self.representation != "q":
            raise ModelError("the velocity field belongs to the q representation")
        on_surface = {b: self.slopes[a.name] for a, b in zip(self.x, self.y)}
        return {a.name: tidy(sp.diff(self.H, b).subs(on_surface, simultaneous=True)) for a, b in zip(self.x, self.y)}

    @cached_property
    def jacobi(self) -> dict[str, sp.Expr]:
        """dS/dalpha of each constant alpha, differentiated under the integral sign; each equals a constant beta."""
        self._need()
        free = sorted(self.energy.free_symbols & set(self.constants.values()), key=str)
        found = {}
        for constant in dict.fromkeys([*free, *self.constants.values()]):
            total = sum(
                (antiderivative(sp.diff(slope, constant), a) for a, slope in zip(self.x, self.slopes.values())),
                sp.Integer(0),
            )
            found[constant.name] = total - sp.diff(self.energy, constant) * self.names.time
        return found

    def motion(self, beta: str = "beta", *, start: Mapping[str, Formula] | None = None) -> dict[str, sp.Expr]:
        """x(t) of each coordinate by solving dS/dalpha = beta, where the inversion is elementary.

        Constants: beta for the energy, beta_x for the coordinate x. Coordinates that cannot be inverted are left out.
        With `start`, {coordinate: value, momentum: value} at t = 0, the constants are those of that motion; then the
        momenta are given too, and all of it is put back into Hamilton's equations.

        >>> from dalembert.analytic import System
        >>> spring = System("q", H="p**2/(2*m) + m*w**2*q**2/2", positive="m w")
        >>> spring.hamilton_jacobi().motion(start={"q": "q0", "p": "p0"})["q"]
        q0*cos(t*w) + p0*sin(t*w)/(m*w)
        """
        self._need()
        if start is not None:
            from .initial_data import motion_from

            return motion_from(self, start)
        n = self.names
        signs = [n.symbol(s) for s in self.signs]
        labels = {c.name: f"{beta}_{x}" for x, c in self.constants.items()} | {str(self.energy): beta}
        pending = {c: r for c, r in self.jacobi.items() if not r.has(sp.Integral)}
        found: dict[str, sp.Expr] = {}
        roots: dict[sp.Expr, sp.Expr] = {}
        progress = True
        while pending and progress:
            progress = False
            for constant, relation in list(pending.items()):
                # a root solved for once keeps its branch: sqrt(P) -> s c (t + beta), never |t + beta|
                known = relation.subs(roots).subs({n.symbol(k): v for k, v in found.items()}, simultaneous=True)
                known = _continued(known, n.time)
                unknown = [a for a in self.x if known.has(a)]
                if len(unknown) != 1:
                    continue
                value = n.symbol(n.fresh(labels.get(constant, f"{beta}_{constant}")))
                solutions = invert(known, unknown[0], value)
                if not solutions:
                    continue
                roots |= _solved_root(known, unknown[0], value, signs)
                chosen = self._with_energy(solutions, roots, signs)
                found[unknown[0].name] = _continued(square_signs(chosen, signs), n.time)
                del pending[constant]
                progress = True
        return found

    def constants_from(self, start: Mapping[str, Formula]) -> dict[str, sp.Expr]:
        """The constants alpha and beta of the motion that has this start, {coordinate and momentum: value} at t = 0."""
        from .initial_data import constants_from

        self._need()
        return constants_from(self, start)

    def _with_energy(
        self, solutions: list[sp.Expr], roots: Mapping[sp.Expr, sp.Expr], signs: list[sp.Symbol]
    ) -> sp.Expr:
        """Of several inverses the one that has the energy E: squaring a relation brings others in, x' < 0 at p > 0."""
        if len(solutions) == 1 or len(self.x) > 1 or not roots or self.H.has(self.names.time):
            return solutions[0]
        (x,), (y,) = self.x, self.y
        momentum = square_signs(self.slopes[x.name].subs(roots), signs)
        known = {s.name for s in signs}
        both = [*solutions, *(tidy(e.subs(dict.fromkeys(signs, 1))) for e in solutions)]  # sqrt(s^2 c) is sqrt(c)
        kept = (e for e in both if is_zero(self.H.subs({x: e, y: momentum}) - self.energy, signs=known))
        return next(kept, solutions[0])

    def verify(self, S: Formula, constants: Mapping[str, str] | tuple[str, ...] = ()) -> CompleteIntegral:
        """Judge a proposed complete integral S(q, constants, t) of this equation."""
        return complete_integral(S, self, tuple(constants))

    def known(self) -> dict[str, sp.Expr]:
        table = {f"dS_d{a}": self.slopes[a.name] for a in self.x} if self.slopes else {}
        if self.slopes:
            table |= {"S0": self.S0, "S": self.S}
            table |= {f"{label}_t": value for label, value in self.motion().items()}
        return table


@dataclass(frozen=True)
class CompleteIntegral:
    """The verdict on a proposed S: it solves the equation for every branch, and det d2S/dq dalpha is not zero."""

    solves: Verdict
    determinant: sp.Expr
    complete: bool

    def __bool__(self) -> bool:
        return bool(self.solves) and self.complete


def complete_integral(S: Formula, view: HamiltonJacobi, constants: tuple[str, ...]) -> CompleteIntegral:
    """Put S in the equation and form the determinant in its constants."""
    n = view.names
    action = n.read(S)
    slopes = {b: sp.diff(action, a) for a, b in zip(view.x, view.y)}
    residual = sp.diff(action, n.time) + view.H.subs(slopes, simultaneous=True)
    if not action.has(n.time):
        residual -= view.energy
    alphas = [n.symbol(c) for c in constants] or list(dict.fromkeys(view.constants.values()))
    determinant = sp.Matrix([[sp.diff(action, a, c) for c in alphas] for a in view.x]).det()
    return CompleteIntegral(
        is_zero(residual, signs=n.signs | set(view.signs)),
        tidy(determinant),
        not is_zero(determinant, signs=n.signs | set(view.signs)),
    )


def square_signs(expression: sp.Expr, signs: list[sp.Symbol]) -> sp.Expr:
    """Use s**2 = 1 for branch signs; odd powers keep one s."""

    def lower(e: sp.Expr) -> sp.Expr:
        return e.base ** (int(e.exp) % 2)

    present = [s for s in signs if expression.has(s)]
    if not present:
        return expression
    return tidy(expression.replace(lambda e: isinstance(e, sp.Pow) and e.base in present and e.exp.is_Integer, lower))


_ARCS = {sp.asin: sp.sin, sp.acos: sp.cos, sp.atan: sp.tan, sp.asinh: sp.sinh, sp.acosh: sp.cosh}


def _continued(motion: sp.Expr, t: sp.Symbol) -> sp.Expr:
    """|cos u(t)| as cos u(t) and asin(sin u(t)) as u(t): what was inverted on its principal arc goes on beyond it.

    A root that vanishes at a turning point goes through zero there, as the momentum does.
    """
    circular = tuple(_ARCS.values())
    motion = motion.replace(
        lambda e: isinstance(e, sp.Abs) and isinstance(e.args[0], circular) and e.has(t), lambda e: e.args[0]
    )
    return motion.replace(
        lambda e: type(e) in _ARCS and isinstance(e.args[0], _ARCS[type(e)]) and e.has(t), lambda e: e.args[0].args[0]
    )


def _solved_root(relation: sp.Expr, x: sp.Symbol, value: sp.Expr, signs: list[sp.Symbol]) -> dict[sp.Expr, sp.Expr]:
    """When x enters a relation only through one root, that root as a function of the rest."""
    roots = [e for e in relation.atoms(sp.Pow) if e.exp == sp.Rational(1, 2) and e.has(x)]
    if len(roots) != 1:
        return {}
    root = sp.Dummy("root")
    linear = relation.subs(roots[0], root)
    slope = sp.diff(linear, root)
    if linear.has(x) or slope.has(root):
        return {}
    return {roots[0]: square_signs(sp.expand((value - linear.subs(root, 0)) / slope), signs)}


def hamilton_jacobi(
    system: System,
    *,
    representation: str = "q",
    energy: str = "E",
    constants: Mapping[str, str] | None = None,
) -> HamiltonJacobi:
    """Write and separate the equation. `constants` names the separation constants, {coordinate: name}."""
    if representation not in ("q", "p"):
        raise ModelError(f"representation is 'q' or 'p', not {representation!r}")
    view = system.hamilton()
    if any(f != 0 for f in view.forces):
        raise ModelError("Hamilton-Jacobi needs forces that derive from a potential; dissipative forces have none")
    n, book, H = system.names, Notebook(), view.H
    book.note("Hamiltonian", "H", H)
    if representation == "q":
        x, y = view.q, view.p
    else:
        # q = -dF/dp: the momenta become the coordinates and the minus coordinates their slopes
        x, y = view.p, tuple(sp.Symbol(f"F_{p}", real=True) for p in view.p)
        H = H.subs({q: -b for q, b in zip(view.q, y)}, simultaneous=True)
    moving_time = H.has(n.time) or any(s.name.rstrip("'") in n.given for s in H.free_symbols)
    wanted = dict(constants or {})
    labels = {a.name: n.symbol(wanted.get(a.name) or n.fresh(f"alpha_{a.name}")) for a in x}
    E = n.symbol(n.fresh(energy))
    if moving_time:
        return _time_dependent(system, H, x, y, representation, labels, energy, book)
    return _separated(system, H, x, y, representation, E, labels, book)


def _separated(
    system: System,
    H: sp.Expr,
    x: tuple[sp.Symbol, ...],
    y: tuple[sp.Symbol, ...],
    representation: str,
    E: sp.Symbol,
    labels: dict[str, sp.Symbol],
    book: Notebook,
) -> HamiltonJacobi:
    """The reduced equation H(q, dS0/dq) = E, separated where Levi-Civita's conditions allow it."""
    n = system.names
    verdict = levi_civita(H, x, y)
    book.note(str(verdict))
    separated = separate(H, x, y, E, labels) if verdict else None
    slopes, signs = {}, []
    if separated is not None:
        book.lines += list(separated.steps)
        several = sum(1 for a, b in zip(x, y) if is_quadratic(without_root(separated.equations[a.name], b), b)) > 1
        for a, b in zip(x, y):
            slope, sign = slope_of(separated.equations[a.name], b, n, n.fresh(f"s_{a}" if several else "s"))
            slopes[a.name] = slope
            signs += [sign] if sign else []
            book.note(f"Slope of the action along {a}", f"dS/d{a}", slope)
    found = {**separated.constants} if separated is not None else {}
    last = next((a.name for a in x if a.name not in found), None)
    table = {**found, **({last: E} if last and separated is not None else {})}
    return HamiltonJacobi(system, H, x, y, representation, E, table, slopes, verdict, tuple(signs), book.close())


def _time_dependent(
    system: System,
    H: sp.Expr,
    x: tuple[sp.Symbol, ...],
    y: tuple[sp.Symbol, ...],
    representation: str,
    labels: dict[str, sp.Symbol],
    energy: str,
    book: Notebook,
) -> HamiltonJacobi:
    """Explicit time: H = f(t) H0 + g(t) gives S = S0 - E int f dt - int g dt; all coordinates cyclic, - int H dt."""
    n = system.names
    E = n.symbol(n.fresh(energy))
    if any(s.name.rstrip("'") in n.given for s in H.free_symbols):
        raise ModelError("Hamilton-Jacobi with prescribed functions of time needs their formulas: given={'h': '...'}")
    if not any(H.has(a) for a in x):
        on_constants = {b: labels[a.name] for a, b in zip(x, y)}
        spent = antiderivative(H.subs(on_constants), n.time) / n.time
        slopes = {a.name: labels[a.name] for a in x}
        verdict = levi_civita(H, x, y)
        return HamiltonJacobi(system, H, x, y, representation, spent, dict(labels), slopes, verdict, (), book.close())
    parts = factor_time(H, n.time, (*x, *y))
    if parts is None:
        clock = sp.Symbol("p_t", real=True)
        verdict = levi_civita(H + clock, (n.time, *x), (clock, *y))
        book.note(f"With t as a coordinate and H + p_t = 0: {verdict}")
        if verdict:
            verdict = LeviCivita(
                False, verdict.conditions, {("t", x[0].name): undecided("separated equations not found")}
            )
        return HamiltonJacobi(system, H, x, y, representation, E, {}, {}, verdict, (), book.close())
    factor, steady, rest = parts
    book.note("Time stands in a factor and in a term of its own: H = f(t) H0 + g(t)", "H0", steady)
    inner = _separated(system, steady, x, y, representation, E, labels, book)
    spent = E * antiderivative(factor, n.time) + antiderivative(rest, n.time)
    book.note("So S = S0(q) - E int f dt - int g dt", "S - S0", -spent)
    return replace(inner, H=H, energy=tidy(spent / n.time), steps=book.close())


def factor_time(H: sp.Expr, t: sp.Symbol, variables: tuple[sp.Symbol, ...]) -> tuple[sp.Expr, sp.Expr, sp.Expr] | None:
    """f, H0, g with H = f(t) H0(q, p) + g(t), or None."""
    terms = sp.Add.make_args(sp.expand(H))
    rest = sp.Add(*(e for e in terms if not e.has(*variables)))
    moving = sp.Add(*(e for e in terms if e.has(*variables)))
    for instant in (sp.Integer(1), sp.Rational(1, 3), sp.Integer(0)):
        steady = moving.subs(t, instant)
        if steady.has(sp.nan, sp.zoo, sp.oo) or is_zero(steady):
            continue
        if not moving.has(t):
            return sp.Integer(1), moving, rest
        point = {s: sp.Rational(3 + 2 * k, 7) for k, s in enumerate(variables)}
        at = steady.subs(point)
        if at == 0 or (not at.is_finite and at.is_number):
            continue
        factor = tidy(moving.subs(point) / at)
        if is_zero(moving - factor * steady):
            return factor, steady, rest
    return None
