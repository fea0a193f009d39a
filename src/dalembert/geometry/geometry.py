"""The Hamiltonian geometry of a constrained system: section, connection, and the dynamical field in its parts.

Dazord 1994, section 2 to 6, and Marle, sections 2 to 4, with the signs corrected (docs/errata.md):

    A^i_a = (M_ij)^-1 M_ja,   Theta_ab = M_ab - M_ai A^i_b,   p_a = s_a = A^j_a p_j + Theta_ab Y^b - a0_a
    D_Y = X_Hhat + Y_W - Z + R                                  Theorem 4.1
        = X_H0 - X_K + Y_V + L#eta - Z + R                      Proposition 5.1; Marle: D_0 - X_K + H(Y)

A vector on V*M has the components (x', s', p_i').
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dalembert import expr as ex
from dalembert.constraints.coupling import Coupling
from dalembert.constraints.factor import factor_symmetric, solve_factored, solve_symmetric
from dalembert.errors import CouplingError, ModelError
from dalembert.expr import TIME, ZERO, Expr, Matrix, Scalar
from dalembert.expr.elimination import solve_linear
from dalembert.geometry.direct import coupling_at, direct_field
from dalembert.geometry.setting import Setting
from dalembert.presentation.records import Record
from dalembert.presentation.told import Told

Vector = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    """How far the sum of the parts is from the direct equations at a state, against the size of the parts."""

    theorem: float  # X_Hhat + Y_W - Z
    proposition: float  # X_H0 - X_K + Y_V + L#eta - Z
    multipliers: float
    size: float

    def __bool__(self) -> bool:
        """Agreement to 1e-9 of the size of the largest part: far above rounding of hand-sized formulas."""
        return max(self.theorem, self.proposition, self.multipliers) <= 1e-9 * self.size


@dataclass(frozen=True)
class Geometry(Told):
    """Closed forms on V*M; `at` gives numbers, `check` compares with the direct equations.

    >>> from dalembert import expr as ex
    >>> from dalembert.geometry import Geometry, constrained
    >>> discs = constrained("th1 th2", "(2*th1'^2 + 3*th2'^2)/2 - 5*th1^2/2", driven={"th2": "p_th1/2"})
    >>> g = Geometry(discs)
    >>> g.energy_of_the_law, tuple(map(ex.tidy, g.field))
    (3/8*p_th1**2, (1/2*p_th1, 1/2*p_th1, -5*th1))
    >>> bool(g.check({"th1": 0.3, "th2": 0.3, "p_th1": 0.8}))
    True
    """

    setting: Setting
    accelerations: Vector = ()  # of a mechanism: u' of its own equations, in rates, and the multipliers of its rows
    weights: Vector = ()

    # --- V*M -------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Geometry on {', '.join(self.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates of V*M: free, driven, momenta of the free ones."""
        return tuple(x.name for x in (*self.setting.coordinates, *self.setting.momenta))

    @cached_property
    def _blocks(self) -> tuple[list[list[Expr]], list[Expr], list[tuple[Expr, ...]]]:
        n, rows = len(self.setting.free), self.setting.mass.rows()
        block = Matrix([row[:n] for row in rows[:n]], (n, n))
        lower, diagonal = factor_symmetric(block, [q.name for q in self.setting.free])
        return lower, diagonal, rows

    def raised(self, covector: Sequence[Expr]) -> list[Expr]:
        """(M_ij)^-1 on momenta of the free coordinates."""
        lower, diagonal, _ = self._blocks
        return solve_factored(lower, diagonal, covector)

    @cached_property
    def connection(self) -> Matrix:
        """A^i_a: the kinetic connection; -A^i_a, 1 are the velocities orthogonal to the fibres of s."""
        n, rows = len(self.setting.free), self._blocks[2]
        columns = [self.raised([rows[i][a] for i in range(n)]) for a in range(n, len(rows))]
        return Matrix(columns, (len(columns), n)).T

    @cached_property
    def horizontal_metric(self) -> Matrix:
        """Theta_ab: the kinetic metric on horizontal velocities."""
        n, rows, lifted = len(self.setting.free), self._blocks[2], self.connection.T.rows()
        r = len(self.setting.driven)
        entries = [
            [rows[n + a][n + b] - ex.dot_product(rows[n + a][:n], lifted[b]) for b in range(r)] for a in range(r)
        ]
        return Matrix(entries, (r, r))

    @cached_property
    def curvature(self) -> dict[tuple[int, int], Vector]:
        """B^i_ab for a < b: the horizontal lifts have the brackets [H_a, H_b] = -B^i_ab d_i."""
        s, x, columns = self.setting.driven, self.setting.free, self.connection.T.rows()
        found = {}
        for a in range(len(s)):
            for b in range(a + 1, len(s)):
                forth = ex.tangent(columns[b], {s[a]: 1, **{q: -v for q, v in zip(x, columns[a], strict=True)}})
                back = ex.tangent(columns[a], {s[b]: 1, **{q: -v for q, v in zip(x, columns[b], strict=True)}})
                found[a, b] = tuple(f - g for f, g in zip(forth, back, strict=True))
        return found

    @cached_property
    def kinetic_lifts(self) -> tuple[Vector, ...]:
        """H_a on V*M, in the connection of s0*(p dq): (-A^i_a, 1, p_j dA^j_a/dx^i)."""
        p = self.setting.momenta
        return self._lifts([ex.dot_product(row, p) for row in self.connection.T.rows()])

    @cached_property
    def dynamical_lifts(self) -> tuple[Vector, ...]:
        """The same in the connection of the section of the law: (-ds_a/dp_i, 1, ds_a/dx^i)."""
        return self._lifts(self.section)

    def _lifts(self, section: Sequence[Expr]) -> tuple[Vector, ...]:
        r, found = len(self.setting.driven), []
        for a, one in enumerate(section):
            up, down = ex.gradient(one, self.setting.momenta), ex.gradient(one, self.setting.free)
            found.append((*(-v for v in up), *(ex.ONE if b == a else ZERO for b in range(r)), *down))
        return tuple(found)

    def _combined(self, lifts: Sequence[Vector]) -> Vector:
        """sum Y^a H_a."""
        columns = zip(*lifts, strict=True) if lifts else [[]] * len(self.names)
        return tuple(ex.dot_product(column, self.setting.laws) for column in columns)

    # --- section ---------------------------------------------------------------------------------------------------

    @cached_property
    def shifted(self) -> Vector:
        """rho_a - a0_a = Theta_ab Y^b - (a_a - A^i_a a_i): what the section adds to A^j_a p_j."""
        n, a = len(self.setting.free), self.setting.linear
        lifted = self.connection.T.rows()
        rho = [ex.dot_product(row, self.setting.laws) for row in self.horizontal_metric.rows()]
        return tuple(one - (a[n + k] - ex.dot_product(lifted[k], a[:n])) for k, one in enumerate(rho))

    @cached_property
    def section(self) -> Vector:
        """Driven momenta p_a = s_a(x, s, p_i, t), where dH/dp_a = Y^a."""
        p, lifted = self.setting.momenta, self.connection.T.rows()
        return tuple(ex.dot_product(row, p) + more for row, more in zip(lifted, self.shifted, strict=True))

    @cached_property
    def speeds(self) -> Vector:
        """Rates of all coordinates on V*M: (M_ij)^-1 (p + a)_j - A^i_a Y^a, then Y^a."""
        laws = self.setting.laws
        moved = self.raised([p + a for p, a in zip(self.setting.momenta, self.setting.linear, strict=False)])
        lift = [ex.dot_product(row, laws) for row in self.connection.rows()]
        return (*(a - b for a, b in zip(moved, lift, strict=True)), *laws)

    def on_phase_space(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Expressions of rates, at the speeds of the section."""
        return ex.substitute(list(exprs), dict(zip(self.setting.rates, self.speeds, strict=True)))

    # --- energies --------------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> Expr:
        """Hhat: the Hamiltonian at the section."""
        u = self.speeds
        twice = ex.dot_product(u, [ex.dot_product(row, u) for row in self._blocks[2]])
        return twice / 2 + self.setting.potential

    @cached_property
    def energy_of_the_fibre(self) -> Expr:
        """H0 = s0*H: what is left of the Hamiltonian when the driven coordinates are held."""
        p, n = self.setting.momenta, len(self.setting.free)
        a, moved = self.setting.linear[:n], self.raised(self.setting.momenta)
        total = ex.dot_product(p, moved) / 2 + ex.dot_product(a, moved) + self.setting.potential
        own = [x - y for x, y in zip(self.shifted, self._rho, strict=True)]  # -a0
        lowered = solve_symmetric(self.horizontal_metric, own) if own else []
        return total + ex.dot_product(a, self.raised(a)) / 2 + ex.dot_product(own, lowered) / 2

    @cached_property
    def _rho(self) -> list[Expr]:
        return [ex.dot_product(row, self.setting.laws) for row in self.horizontal_metric.rows()]

    @cached_property
    def energy_of_the_law(self) -> Expr:
        """K_Y: kinetic energy of the horizontal velocity of the law, Theta_ab Y^a Y^b / 2 without linear terms."""
        if not self.setting.laws:
            return ZERO
        if all(x is ZERO for x in self.setting.linear):
            return ex.dot_product(self._rho, self.setting.laws) / 2
        return ex.dot_product(self.shifted, solve_symmetric(self.horizontal_metric, self.shifted)) / 2

    # --- the field -------------------------------------------------------------------------------------------------

    def hamiltonian_field(self, function: Expr) -> Vector:
        """X_f = (df/dp_i, 0, -df/dx^i), of a function on V*M: driven coordinates are Casimirs."""
        up = ex.gradient(function, self.setting.momenta)
        down = ex.gradient(function, self.setting.free)
        return (*up, *([ZERO] * len(self.setting.driven)), *(-x for x in down))

    @cached_property
    def theorem(self) -> dict[str, Vector]:
        """Theorem 4.1 of Dazord: the parts of D_Y for the section of the law."""
        lift = self._combined(self.dynamical_lifts)
        return {"X_Hhat": self.hamiltonian_field(self.energy), "Y_W": lift, **self._forces}

    @cached_property
    def proposition(self) -> dict[str, Vector]:
        """Proposition 5.1: fibre, inertia of the law, horizontal lift, and what the law's slopes add."""
        laws, x, p = self.setting.laws, self.setting.free, self.setting.momenta
        zero = [ZERO] * len(self.setting.driven)
        lift = self._combined(self.kinetic_lifts)
        slopes_p = ex.jacobian(laws, p) if laws else []
        slopes_x = ex.jacobian(laws, x) if laws else []
        eta = (
            *(ex.dot_product(self.shifted, [row[i] for row in slopes_p]) for i in range(len(p))),
            *zero,
            *(-ex.dot_product(self.shifted, [row[i] for row in slopes_x]) for i in range(len(x))),
        )
        return {
            "X_H0": self.hamiltonian_field(self.energy_of_the_fibre),
            "-X_K": tuple(-v for v in self.hamiltonian_field(self.energy_of_the_law)),
            "Y_V": lift,
            "L#eta": eta,
            **self._forces,
        }

    @cached_property
    def _forces(self) -> dict[str, Vector]:
        n, still = len(self.setting.free), (ZERO,) * len(self.setting.coordinates)
        pushed = self.reactions
        acting = self.on_phase_space(self.setting.efforts[:n])
        return {"-Z": (*still, *pushed[:n]), "R": (*still, *acting)}

    @cached_property
    def field(self) -> Vector:
        """D_Y: (x', s', p_i')."""
        return total(self.theorem.values())

    # --- reactions -------------------------------------------------------------------------------------------------

    @cached_property
    def multipliers(self) -> Vector:
        """Of the driven coordinates, then of the kept conditions: D_Y is tangent to the section and to them."""
        one, n = self.setting, len(self.setting.free)
        if not one.names:
            return ()
        along = dict(zip((*one.coordinates, *one.momenta), self._unforced, strict=True)) | {TIME: ex.ONE}
        slopes = ex.gradient(one.lagrangian, one.driven)
        known = self.on_phase_space([s + e for s, e in zip(slopes, one.efforts[n:], strict=True)])
        kept, wanted = self.on_phase_space(one.quantities), self.on_phase_space(one.wanted)
        right = [m - k for m, k in zip(ex.tangent(list(self.section), along), known, strict=True)]
        right += [w - m for w, m in zip(wanted, ex.tangent(kept, along) if kept else [], strict=True)]
        unknowns = [ex.symbol(name) for name in one.names]
        try:
            return tuple(solve_linear(self.coupling_matrix.rows(), [right], unknowns, "the coupling").columns[0])
        except ModelError as error:
            raise CouplingError(
                f"the reactions of {', '.join(one.names)} have no hold on their conditions at any state: D_Y cannot be "
                "made tangent to them (condition (C) of Dazord). Let other efforts act."
            ) from error

    @cached_property
    def coupling_matrix(self) -> Matrix:
        """What unit reactions do to p_a - s_a and to the kept quantities; regular where condition (C) holds.

        Without kept conditions its determinant is that of G M^-1 W^T times that of Theta.
        """
        n, r, pushes = len(self.setting.free), len(self.setting.driven), self._pushes
        seen = ex.jacobian([*self.section, *self.on_phase_space(self.setting.quantities)], self.setting.momenta)
        matrix = []
        for a, slopes in enumerate(seen):
            moved = [ex.dot_product(slopes, push[:n]) for push in pushes]
            matrix.append([push[n + a] - v for v, push in zip(moved, pushes, strict=True)] if a < r else moved)
        return Matrix(matrix, (len(seen), len(pushes)))

    def coupling(self, state: Mapping[str, float]) -> Coupling:
        """Ranks of conditions and reactions at a state, and kappa, the smallest cosine between them."""
        return coupling_at(self.setting, lambda exprs: self.at(state, exprs))

    @cached_property
    def _pushes(self) -> list[list[Expr]]:
        return [self.on_phase_space(row) for row in (*self.setting.pushes, *self.setting.rows)]

    @cached_property
    def _unforced(self) -> Vector:
        """D_Y without reactions: -dH/dx at fixed momenta is dL/dx at fixed rates."""
        slopes = ex.gradient(self.setting.lagrangian, self.setting.free)
        forces = [s + e for s, e in zip(slopes, self.setting.efforts, strict=False)]
        return (*self.speeds, *self.on_phase_space(forces))

    @cached_property
    def reactions(self) -> Vector:
        """W^T lambda on all coordinates."""
        return tuple(
            ex.dot_product([push[i] for push in self._pushes], self.multipliers)
            for i in range(len(self.setting.coordinates))
        )

    @cached_property
    def powers(self) -> Vector:
        """lambda . W u of each constraint."""
        return tuple(
            m * ex.dot_product(push, self.speeds) for m, push in zip(self.multipliers, self._pushes, strict=True)
        )

    # --- numbers ---------------------------------------------------------------------------------------------------

    def at(self, state: Mapping[str, float], exprs: Sequence[Scalar]) -> list[float]:
        """Numbers of expressions on V*M, or of rates, at a state that names coordinates, momenta, t, parameters."""
        values: dict[Expr, float] = {TIME: 0.0}
        values |= {ex.symbol(x): float(v) for x, v in {**(self.setting.given or {}), **state}.items()}
        missing = sorted(x.name for x in ex.free_symbols(self._asked(exprs)) if x not in values)
        if missing:
            raise ModelError(
                f"the state gives no number for {', '.join(missing)}: it names {', '.join(self.names)}, parameters, t."
            )
        return [float(x) for x in ex.evaluate(self._asked(exprs), values)]

    def _asked(self, exprs: Sequence[Scalar]) -> list[Expr]:
        return self.on_phase_space([ex.as_expr(x) for x in exprs])

    def check(self, state: Mapping[str, float]) -> Agreement:
        """Whether the parts sum to the field of M u' = f + W^T lambda, G u' = gamma, solved without any of this."""
        direct, weights = direct_field(self.setting, self.accelerations, self.weights)
        n = len(self.names)
        asked = [*direct, *total(self.theorem.values()), *total(self.proposition.values()), *weights, *self.multipliers]
        sizes = [v for part in (*self.theorem.values(), *self.proposition.values()) for v in part]
        numbers = self.at(state, [*asked, *sizes])
        size = max(1.0, *(abs(v) for v in numbers[len(asked) :]))
        count = len(self.multipliers)

        def apart(a: Sequence[float], b: Sequence[float]) -> float:
            return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0)

        given = numbers[:n]
        tail = numbers[3 * n : len(asked)]
        return Agreement(
            apart(given, numbers[n : 2 * n]),
            apart(given, numbers[2 * n : 3 * n]),
            apart(tail[:count], tail[count:]),
            size,
        )


def total(parts: object) -> Vector:
    """The sum of vectors."""
    listed = list(parts)  # type: ignore[call-overload]
    return tuple(sum(column[1:], column[0]) for column in zip(*listed, strict=True))
