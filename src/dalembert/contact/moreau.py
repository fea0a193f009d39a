"""Right accelerations by Gauss's principle (Moreau 1966): the free acceleration, projected in the kinetic metric.

At an instant when the contacts touch and none approaches,

    M a = F + A^T mu + G^T lambda,   A a = c,   0 <= lambda,  w = G a - s >= 0,  lambda.w = 0.

`a` is the point nearest to the free acceleration, in the metric M, among those that the contacts allow: it exists
whenever these are any, and is unique although lambda need not be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.contact import exact
from dalembert.contact.least_distance import nearest
from dalembert.contact.lemke import lemke
from dalembert.contact.multipliers import Forces, forces_of
from dalembert.errors import ContactError, SingularError

Array = NDArray[Any]

ACCEPTED = 1e-10
"""Complementarity residual of an answer, in rows of unit length, as a share of what the right sides are made of."""
NOTHING = 1e-12
"""A row whose length in the kinetic metric is less than this share of its length before the bilateral rows took their
part moves nothing that can move."""

DEPENDENT = 1e-10
"""A singular value of bilateral rows of unit length in the kinetic metric, as a share of the largest, that is none."""
NAMED = 1e-9
"""Share of the largest multiplier of a proof above which its contact is named in the sentence: less is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Appell:
    """A(a) = a.M a / 2 - a.F, least at the acceleration of the motion among those that the contacts allow."""

    mass: Array
    force: Array

    def __call__(self, a: ArrayLike) -> Any:
        given = np.asarray(a)
        return given @ self.mass @ given / 2 - given @ self.force

    def gauss(self, a: ArrayLike) -> Any:
        """Gauss's constraint, half the squared distance from the free acceleration: A(a) and a constant."""
        away = np.asarray(a) - np.linalg.solve(self.mass, self.force)
        return away @ self.mass @ away / 2


@dataclass(frozen=True, slots=True, eq=False)
class Moreau:
    """The problem: M, F, rows G of touching contacts with the least s that G a may be, constraints A a = c."""

    mass: ArrayLike
    force: ArrayLike
    rows: ArrayLike
    least: ArrayLike
    names: tuple[str, ...] = ()
    bilateral: ArrayLike = field(default=())
    wanted: ArrayLike = field(default=())

    @property
    def appell(self) -> Appell:
        return Appell(np.asarray(self.mass, dtype=float), np.asarray(self.force, dtype=float))


@dataclass(frozen=True, slots=True, eq=False)
class RightAcceleration:
    """a, contact forces, w = G a - s, and the proof: `residual` is the largest fault of the complementarity.

    `touching` are rows with w = 0; `undecided` those of them without force, about which higher derivatives decide.
    """

    acceleration: Array
    forces: Forces
    opening: Array
    residual: Any
    touching: tuple[int, ...]
    undecided: tuple[int, ...]
    method: str
    told: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """The contacts alone: R = G L^-T with the bilateral rows projected away, so that W = R R^T; b = G a_free - s.

    `back` brings x = R^T l to the acceleration: a = a_free + back x.
    """

    rows: Array
    right: Array
    free: Array
    back: Array
    gone: tuple[int, ...]
    made_of: Array
    """|G| |a_free| + |s|: what `right` is the difference of, and rounds with."""


def reduce_to_contacts(problem: Moreau) -> Reduced:
    """Eliminate the bilateral rows, in the kinetic metric; `gone` are rows that move nothing."""
    mass, force = np.asarray(problem.mass, dtype=float), np.asarray(problem.force, dtype=float)
    rows, least = _matrix(problem.rows, len(mass)), np.asarray(problem.least, dtype=float).reshape(-1)
    for name, values in (("masses", mass), ("forces", force)):
        if not np.isfinite(values).all():
            raise ContactError(f"the {name} of a contact problem are not finite: look for a division by zero.")
    bad = [i for i in range(len(rows)) if not (np.isfinite(rows[i]).all() and np.isfinite(least[i]))]
    if bad:
        raise ContactError(f"contact {called(problem.names, bad[0])}: its gap has no finite derivative here.")
    try:
        lower = np.linalg.cholesky(mass)
    except np.linalg.LinAlgError:
        direction = np.linalg.eigh(mass)[1][:, 0]
        raise SingularError(
            f"the masses are singular: the motion {np.round(direction, 6).tolist()} moves none. Give mass or inertia "
            "to what it moves."
        ) from None
    back = np.linalg.inv(lower).T
    free = back @ (back.T @ force)
    scaled, bilateral = rows @ back, _matrix(problem.bilateral, len(mass))
    before = np.sqrt((scaled**2).sum(axis=1))
    if len(bilateral):
        normals = bilateral @ back
        sizes = np.sqrt((normals**2).sum(axis=1))
        sizes[sizes == 0] = 1.0
        u, singular, v = np.linalg.svd(normals / sizes[:, None], full_matrices=False)
        kept = singular > DEPENDENT * singular.max(initial=0.0)
        missing = (np.asarray(problem.wanted, dtype=float) - bilateral @ free) / sizes
        free = free + back @ (v[kept].T @ ((u[:, kept].T @ missing) / singular[kept]))
        back = back @ (np.eye(len(mass)) - v[kept].T @ v[kept])
        scaled = rows @ back
    gone = tuple(int(i) for i in np.flatnonzero((scaled**2).sum(axis=1) <= (NOTHING * before) ** 2))
    made_of = np.abs(rows) @ np.abs(free) + np.abs(least)
    return Reduced(scaled, rows @ free - least, free, back, gone, made_of)


def right_acceleration(problem: Moreau, *, precise: bool = False, guess: tuple[int, ...] = ()) -> RightAcceleration:
    """The acceleration just after this instant; `precise` computes in exact fractions, for proofs.

    >>> table = Moreau([[1.0]], [-9.81], [[1.0], [1.0]], [0.0, 0.0], ("left", "right"))
    >>> answer = right_acceleration(table)
    >>> answer.acceleration, answer.forces.unique
    (array([0.]), False)
    >>> answer.forces.one
    array([4.905, 4.905])
    """
    if precise:
        return _in_fractions(problem)
    reduced = reduce_to_contacts(problem)
    rows, right, gone = reduced.rows.copy(), reduced.right.copy(), list(reduced.gone)
    for i in gone:
        if right[i] < -ACCEPTED * reduced.made_of[i]:
            raise ContactError(
                f"contact {called(problem.names, i)}: its gap closes and no coordinate moves it. "
                "Let the gap depend on a coordinate, or slow its prescribed motion."
            )
        rows[i], right[i] = 0.0, max(right[i], 0.0)
    found = nearest(rows, right, guess)
    if found.proof is not None:
        raise _impossible(problem.names, found.proof)
    sizes = np.sqrt((rows**2).sum(axis=1))
    sizes[sizes == 0] = 1.0
    opening = rows @ found.x + right
    unit = float((reduced.made_of / sizes)[[i for i in range(len(rows)) if i not in gone]].max(initial=0.0))
    small = ACCEPTED * unit
    touching = tuple(i for i in range(len(rows)) if opening[i] / sizes[i] <= small and i not in gone)
    forces = forces_of(rows, found.x, touching, found.multipliers)
    strong = found.multipliers * sizes
    apart, push = opening / sizes / (unit or 1.0), strong / (unit or 1.0)
    residual = float(max(-apart.min(initial=0.0), -push.min(initial=0.0), abs(push @ apart)))
    if residual > ACCEPTED:
        raise ContactError(f"the contact forces are known to {residual:.1e} only: ask for precise=True.")
    acceleration = reduced.free + reduced.back @ found.x
    unforced = np.array([high for _, high in forces.intervals], dtype=float) * sizes
    undecided = tuple(i for i in touching if unforced[i] <= small)
    told = forces.sentence(problem.names or tuple(map(str, range(len(rows)))))
    return RightAcceleration(acceleration, forces, opening, residual, touching, undecided, "active set", told)


def _in_fractions(problem: Moreau) -> RightAcceleration:
    mass, force, rows, least = (exact.fractions(x) for x in (problem.mass, problem.force, problem.rows, problem.least))
    rows = rows.reshape(-1, len(mass))
    bilateral = exact.fractions(_matrix(problem.bilateral, len(mass)))
    wanted = exact.fractions(np.asarray(problem.wanted, dtype=float).reshape(-1))
    k = len(bilateral)
    saddle = np.full((len(mass) + k, len(mass) + k), exact.fractions(0)[()], dtype=object)
    saddle[: len(mass), : len(mass)] = mass
    saddle[: len(mass), len(mass) :] = -bilateral.T
    saddle[len(mass) :, : len(mass)] = bilateral
    zeros = exact.fractions(np.zeros((k, len(rows))))
    columns = np.concatenate([np.concatenate([rows.T, zeros]), np.concatenate([force, wanted])[:, None]], axis=1)
    solved = exact.solve(saddle, columns)
    if solved is None:
        raise SingularError("the masses are singular, or constraints depend on each other: exact answers need neither.")
    raised, free = solved[: len(mass), :-1], solved[: len(mass), -1]
    matrix, right = rows @ raised, rows @ free - least
    found = lemke(matrix, right)
    if found.z is None:
        raise _impossible(problem.names, np.asarray(found.ray).astype(float))
    acceleration = free + raised @ found.z
    opening = rows @ acceleration - least
    touching = tuple(i for i in range(len(rows)) if opening[i] == 0)
    forces = forces_of(matrix, matrix @ found.z, touching, found.z)
    worst = max([*(-x for x in opening), *(-x for x in found.z), abs(sum(found.z * opening)), exact.fractions(0)[()]])
    undecided = tuple(i for i in touching if forces.intervals[i][1] == 0)
    told = forces.sentence(problem.names or tuple(map(str, range(len(rows)))))
    return RightAcceleration(acceleration, forces, opening, worst, touching, undecided, "Lemke, exact", told)


def called(names: tuple[str, ...], i: int) -> str:
    """A contact by its name, or its number."""
    return f"'{names[i]}'" if i < len(names) else str(i)


def _impossible(names: tuple[str, ...], proof: Array) -> ContactError:
    largest = np.abs(proof).max(initial=0.0)
    who = [called(names, i) for i in range(len(proof)) if proof[i] > NAMED * largest]
    kind = "contacts" if len(who) > 1 else "contact"
    return ContactError(
        f"{kind} {', '.join(who)}: no acceleration satisfies {'all of them' if len(who) > 2 else 'both'}: what one "
        "lets move the other stops (their gaps close at different rates). Change a prescribed motion or a gap."
    )


def _matrix(rows: ArrayLike, n: int) -> Array:
    return np.asarray(rows, dtype=float).reshape(-1, n)
