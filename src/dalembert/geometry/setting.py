"""What the geometry of a constrained system is made from: a Lagrangian, laws of driven coordinates, kept conditions.

    L = u . M u / 2 - a . u - V,     p = M u - a,     s' = Y(x, s, p, t),     phi(q, u, t)' = rate

Coordinates are (x, s): the driven ones s come last. A law Y may name rates; it is rewritten once on V*M, the phase
space without the driven momenta: the set dH/dp_a = Y^a is all that the motion knows of it (Dazord, hypothesis (H)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, TIME, ZERO, Expr, Matrix, Scalar
from dalembert.expr.elimination import solve_linear, vanish
from dalembert.geometry.implicit import tangent_laws
from dalembert.mechanism.constraint import equation
from dalembert.mechanism.quantities import virtual

Form = Scalar | str


@dataclass(frozen=True, slots=True)
class Kept:
    """phi(q, u, t) whose rate is given (zero: a condition; else the label of a leaf, Marle 4), and what keeps it.

    Without a row the reaction is perfect: dphi/du, the annihilator of the admissible velocities (Chetaev).
    """

    quantity: Form
    by: Form | None = None
    rate: Form = 0


@dataclass(frozen=True, slots=True)
class Setting:
    """Expressions of coordinates, rates of coordinates, time and parameters; laws are on V*M: (x, s, p_i, t)."""

    free: tuple[Expr, ...]
    driven: tuple[Expr, ...]
    mass: Matrix
    linear: tuple[Expr, ...]
    potential: Expr
    efforts: tuple[Expr, ...]
    laws: tuple[Expr, ...]
    pushes: tuple[tuple[Expr, ...], ...]  # W of each driven coordinate, on all rates
    names: tuple[str, ...] = ()  # of the multipliers: driven, then kept
    quantities: tuple[Expr, ...] = ()
    wanted: tuple[Expr, ...] = ()  # rates of the quantities
    rows: tuple[tuple[Expr, ...], ...] = ()  # W of each kept condition
    given: Mapping[str, float] | None = None
    asked: tuple[Expr, ...] = ()  # s' - Y in rates, where the law has no formula on V*M and `laws` are its tangent

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        return (*self.free, *self.driven)

    @property
    def rates(self) -> tuple[Expr, ...]:
        return tuple(ex.prime(q) for q in self.coordinates)

    @property
    def momenta(self) -> tuple[Expr, ...]:
        """p_i of the free coordinates: with (x, s) they are the coordinates of V*M."""
        return tuple(momentum(q) for q in self.free)

    @property
    def momenta_in_rates(self) -> list[Expr]:
        """M u - a, of all coordinates."""
        rows = self.mass.rows()
        return [ex.dot_product(row, self.rates) - a for row, a in zip(rows, self.linear, strict=True)]

    @property
    def lagrangian(self) -> Expr:
        u = self.rates
        twice = ex.dot_product(u, [ex.dot_product(row, u) for row in self.mass.rows()])
        return twice / 2 - ex.dot_product(self.linear, u) - self.potential


def momentum(q: Expr) -> Expr:
    """`elbow.th` has the momentum `elbow.p_th`."""
    link, dot, own = q.name.rpartition(".")
    return ex.symbol(f"{link}{dot}p_{own}")


def natural(lagrangian: Expr, coordinates: Sequence[Expr]) -> tuple[Matrix, tuple[Expr, ...], Expr]:
    """M, a and V of L = u . M u / 2 - a . u - V; refused where L is no polynomial of degree two in the rates."""
    rates = [ex.prime(q) for q in coordinates]
    n, rest = len(rates), dict[Expr, Scalar](dict.fromkeys(rates, 0))
    slopes = ex.gradient(lagrangian, rates)
    second = ex.jacobian(slopes, rates)
    mass = Matrix([[second[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)], (n, n))
    if not ex.free_symbols(mass.entries).isdisjoint(rates):
        again = mass.substitute(rest)
        if not vanish([x - y for x, y in zip(mass.entries, again.entries, strict=True)]):
            raise ModelError(
                "the Lagrangian is not quadratic in the rates: there is no kinetic metric to make a geometry from."
            )
        mass = again
    *linear, level = ex.substitute([*slopes, lagrangian], rest)
    return mass, tuple(-x for x in linear), -level


def constrained(
    coordinates: str | Sequence[str],
    lagrangian: Form,
    *,
    driven: Mapping[str, Form] | None = None,
    by: Mapping[str, Form] | None = None,
    kept: Mapping[str, Form | Kept] | None = None,
    efforts: Mapping[str, Form] | None = None,
    given: Mapping[str, float] | None = None,
    at: Mapping[str, float] | None = None,
) -> Setting:
    """A Lagrangian written by hand, with laws for driven coordinates and conditions that are kept.

    `driven` gives s' = Y in coordinates, momenta (`p_x`), rates (`x'`) and t; `by` what pushes, a form in d(...), its
    own coordinate where nothing is said; `kept` conditions phi = 0 in rates or momenta, or `Kept`.
    A law that is not affine in the rates is solved in numbers at the state `at`: all that is made from it holds there.
    """
    names = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)
    laws = {name: _read(y) for name, y in (driven or {}).items()}
    for name in (*laws, *(by or {}), *(efforts or {})):
        if name not in names:
            raise ModelError(f"there is no coordinate '{name}' among {', '.join(names)}.")
    symbols = [ex.symbol(x) for x in names if x not in laws] + [ex.symbol(x) for x in names if x in laws]
    mass, linear, potential = natural(_read(lagrangian), symbols)
    ordered = [q.name for q in symbols[len(symbols) - len(laws) :]]
    pushes = [form_row(_read((by or {}).get(s, virtual(ex.symbol(s)))), symbols) for s in ordered]
    conditions = {name: one if isinstance(one, Kept) else Kept(one) for name, one in (kept or {}).items()}
    acting = tuple(_read((efforts or {}).get(q.name, 0)) for q in symbols)
    return settled(
        symbols,
        mass,
        linear,
        potential,
        acting,
        [laws[s] for s in ordered],
        pushes,
        {f"{name}.lambda": one for name, one in conditions.items()},
        [f"{s}.lambda" for s in ordered],
        given,
        at,
    )


def settled(
    symbols: Sequence[Expr],
    mass: Matrix,
    linear: Sequence[Expr],
    potential: Expr,
    efforts: Sequence[Expr],
    laws: Sequence[Expr],
    pushes: Sequence[Sequence[Expr]],
    kept: Mapping[str, Kept],
    names: Sequence[str],
    given: Mapping[str, float] | None = None,
    at: Mapping[str, float] | None = None,
) -> Setting:
    """Everything in (q, rates, t), laws on V*M."""
    n = len(symbols) - len(laws)
    bare = Setting(tuple(symbols[:n]), tuple(symbols[n:]), mass, tuple(linear), potential, (), tuple(laws), ())
    in_rates = dict(zip((momentum(q) for q in symbols), bare.momenta_in_rates, strict=True))
    solved, asked = on_phase_space(bare, at, given)
    quantities = ex.substitute([equation(one.quantity) for one in kept.values()], in_rates)
    wanted = ex.substitute([_read(one.rate) for one in kept.values()], in_rates)
    chetaev = ex.jacobian(quantities, bare.rates) if quantities else []
    rows = [
        tuple(row if one.by is None else ex.substitute(form_row(_read(one.by), symbols), in_rates))
        for row, one in zip(chetaev, kept.values(), strict=True)
    ]
    return Setting(
        bare.free,
        bare.driven,
        mass,
        bare.linear,
        potential,
        tuple(ex.substitute(list(efforts), in_rates)),
        tuple(solved),
        tuple(tuple(ex.substitute(list(row), in_rates)) for row in pushes),
        (*names, *kept),
        tuple(quantities),
        tuple(wanted),
        tuple(rows),
        given,
        asked,
    )


def on_phase_space(
    setting: Setting, at: Mapping[str, float] | None, given: Mapping[str, float] | None
) -> tuple[list[Expr], tuple[Expr, ...]]:
    """Laws that name rates or driven momenta, solved with p_i = (M u - a)_i for Y(x, s, p_i, t): hypothesis (H).

    With them, where they were solved in numbers, what they ask in rates.
    """
    laws, rates, n = list(setting.laws), list(setting.rates), len(setting.free)
    told = dict(zip((momentum(s) for s in setting.driven), setting.momenta_in_rates[n:], strict=True))
    laws = ex.substitute(laws, told)
    if not laws or ex.free_symbols(laws).isdisjoint(rates):
        return laws, ()
    slopes = ex.jacobian(laws, rates)
    if not ex.free_symbols([x for row in slopes for x in row]).isdisjoint(rates):
        if at is None:
            raise ModelError(
                "a law is not affine in the rates it names, so that no formula gives its section. Write it in momenta "
                f"of free coordinates ({', '.join(p.name for p in setting.momenta)}), or say `at` which state it is "
                "to be solved."
            )
        balance = [m - p for m, p in zip(setting.momenta_in_rates, setting.momenta, strict=False)]
        asked = [u - y for u, y in zip(rates[n:], laws, strict=True)]
        variables = [*setting.coordinates, *setting.momenta, TIME]
        found = tangent_laws([*balance, *asked], rates, len(laws), variables, {**(given or {}), **at})
        told = dict(zip(setting.momenta, setting.momenta_in_rates, strict=False))
        return found, tuple(ex.substitute(asked, told))
    level = ex.substitute(laws, dict.fromkeys(rates, 0))
    mass = setting.mass.rows()
    matrix = [list(row) for row in mass[:n]]
    matrix += [[(ONE if j == n + i else ZERO) - x for j, x in enumerate(row)] for i, row in enumerate(slopes)]
    right = [p + a for p, a in zip(setting.momenta, setting.linear, strict=False)] + level
    try:
        found = solve_linear(matrix, [right], rates, "the law of the driven rates").columns[0]
    except ModelError as error:
        raise ModelError(
            "the laws fix driven speeds by themselves: dH/dp_a = Y^a cannot be solved for the driven momenta "
            "(hypothesis (H) of Dazord). Write the law in speeds of other coordinates."
        ) from error
    return found[n:], ()


def form_row(form: Expr, coordinates: Sequence[Expr]) -> list[Expr]:
    """Coefficients of the virtual changes d(q) in a form."""
    marks = [ex.symbol(f"d({q.name})") for q in coordinates]
    (marked,) = ex.substitute([form], dict(zip((virtual(q) for q in coordinates), marks, strict=True)))
    return ex.gradient(marked, marks)


def _read(value: Form) -> Expr:
    return ex.parse(value) if isinstance(value, str) else ex.as_expr(value)
