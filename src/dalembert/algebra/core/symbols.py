"""Declaring symbols: vectors, matrices and quaternions with their properties."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.algebra.core.engine import as_term
from dalembert.algebra.core.facts import closure
from dalembert.algebra.core.operator import SYMBOL
from dalembert.algebra.core.sorts import QUATERNION, AlgebraError, Sort
from dalembert.algebra.core.term import Facts, Term, TermLike, make
from dalembert.algebra.operators.vectors import basis_facts


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise AlgebraError(f"a symbol needs a name, not {name!r}.")
    return name


def _symbol(
    name: str,
    sort: Sort,
    flags: dict[str, bool],
    orthogonal: Iterable[Term] = (),
    turning: Term | None = None,
    *,
    nilpotent: int = 0,
    commutes_with: tuple[Term, ...] = (),
    collinear_to: Term | None = None,
    norm: Term | None = None,
) -> Term:
    properties = closure(frozenset(n for n, on in flags.items() if on))
    if turning is not None and (not turning.sort.is_vector or turning.sort.rows != 3):
        raise AlgebraError(f"'{name}' turns with an angular velocity, a vector of 3; '{turning}' is a {turning.sort}.")
    if turning is not None and "constant" in properties:
        raise AlgebraError(f"'{name}' cannot be constant and turning: leave out one of the two.")
    facts = Facts(
        _checked_name(name),
        properties,
        tuple(orthogonal),
        turning,
        nilpotent=nilpotent,
        commutes_with=commutes_with,
        collinear_to=collinear_to,
        norm=norm,
    )
    return make(SYMBOL, (), (), facts, sort)


def vector(
    name: str,
    size: int = 3,
    *,
    unit: bool = False,
    constant: bool = False,
    orthogonal_to: Term | Iterable[Term] = (),
    collinear_to: Term | None = None,
    norm: TermLike | None = None,
    turning: Term | None = None,
) -> Term:
    """A vector symbol. `turning=w` means that it is carried by a frame of angular velocity w: its rate is w x v.

    >>> u = vector("u", unit=True)
    >>> v, w = vector("v", orthogonal_to=u), vector("w", collinear_to=u, norm=scalar("l"))
    >>> dot(u, u), dot(u, v), cross(u, w), dot(w, w)
    (1, 0, 0, l^2)
    """
    if size < 2:
        raise AlgebraError(f"a vector has at least 2 entries, not {size}. Use scalar('{name}') for one entry.")
    others = (orthogonal_to,) if isinstance(orthogonal_to, Term) else tuple(orthogonal_to)
    for other, how in [(o, "orthogonal") for o in others] + [(collinear_to, "collinear")] * (collinear_to is not None):
        if not isinstance(other, Term) or other.op is not SYMBOL or other.sort != Sort(size, 1):
            raise AlgebraError(
                f"'{name}' can be {how} to vector symbols of {size} only, not to '{other}'"
                + (f", a {other.sort}." if isinstance(other, Term) else ".")
            )
    if collinear_to is not None and (others or turning is not None):
        raise AlgebraError(f"'{name}' is a multiple of '{collinear_to}': its angles and rate follow from that.")
    length = None if norm is None else as_term(norm)
    if length is not None and (not length.sort.is_scalar or unit):
        raise AlgebraError(f"the norm of '{name}' is one scalar: give norm=.. or unit=True, not '{length}' besides.")
    flags = {"unit": unit, "constant": constant}
    return _symbol(name, Sort(size, 1), flags, others, turning, collinear_to=collinear_to, norm=length)


def vectors(names: str, size: int = 3) -> tuple[Term, ...]:
    """Several vectors at once: `u, v, w = vectors("u v w")`."""
    return tuple(vector(name, size) for name in names.replace(",", " ").split())


def matrix(
    name: str,
    rows: int = 3,
    columns: int | None = None,
    *,
    symmetric: bool = False,
    antisymmetric: bool = False,
    orthogonal: bool = False,
    rotation: bool = False,
    positive_definite: bool = False,
    diagonal: bool = False,
    projector: bool = False,
    nilpotent: int = 0,
    commutes_with: Term | Iterable[Term] = (),
    constant: bool = False,
    turning: Term | None = None,
) -> Term:
    """A matrix symbol with its properties. `turning=w`: a rotation R has the rate ~w R; a tensor I has ~w I - I ~w.

    >>> R = matrix("R", rotation=True)
    >>> R.T * R, R**-1
    (Id, R^T)
    >>> P, N = matrix("P", projector=True), matrix("N", nilpotent=2)
    >>> P * P, N * N, matrix("C", commutes_with=P) * P - P * matrix("C", commutes_with=P)
    (P, 0, 0)
    """
    columns = rows if columns is None else columns
    sort = Sort(rows, columns)
    flags = {
        "symmetric": symmetric,
        "antisymmetric": antisymmetric,
        "orthogonal": orthogonal,
        "rotation": rotation,
        "positive definite": positive_definite,
        "diagonal": diagonal,
        "projector": projector,
        "constant": constant,
    }
    partners = (commutes_with,) if isinstance(commutes_with, Term) else tuple(commutes_with)
    needing = [n for n, on in flags.items() if on and n != "constant"]
    needing += ["nilpotent"] * bool(nilpotent) + ["commuting"] * bool(partners)
    if needing and not sort.is_square:
        raise AlgebraError(f"'{name}' is {rows}x{columns} and cannot be {needing[0]}: that needs a square matrix.")
    if antisymmetric and (symmetric or positive_definite or diagonal):
        raise AlgebraError(
            f"'{name}' is declared both symmetric and antisymmetric: it would be 0. Leave out one property."
        )
    singular = [n for n, on in (("a projector", projector), ("nilpotent", nilpotent)) if on]
    if singular and (orthogonal or rotation or positive_definite or antisymmetric or len(singular) > 1):
        raise AlgebraError(f"'{name}' cannot be {singular[0]} and have the other properties: it would be 0 or 1.")
    if nilpotent and (nilpotent < 2 or symmetric or diagonal):
        raise AlgebraError(f"'{name}': nilpotent is the power, from 2 on, that is 0; a symmetric one would be 0.")
    for partner in partners:
        if not isinstance(partner, Term) or partner.op is not SYMBOL or partner.sort != sort:
            raise AlgebraError(f"'{name}' can commute with matrix symbols of its size, not with '{partner}'.")
    if antisymmetric and (orthogonal or rotation) and rows % 2:
        raise AlgebraError(f"'{name}': an antisymmetric matrix of odd size is singular, so it cannot be orthogonal.")
    if rotation and rows not in (2, 3) and turning is not None:
        raise AlgebraError(f"'{name}': an angular velocity vector exists for 3x3 rotations only.")
    if sort.is_scalar:
        raise AlgebraError(f"'{name}' would be 1x1: use scalar('{name}').")
    if sort.is_vector:
        return vector(name, rows, constant=constant, turning=turning)
    if sort.is_row:
        # A row is kept as the transpose of a column; the column is named so that the row prints as `name`.
        from dalembert.algebra.operators.words import transpose

        return transpose(_symbol(name, sort.transposed, {"row": True, "constant": constant}))
    return _symbol(name, sort, flags, (), turning, nilpotent=nilpotent, commutes_with=partners)


def matrices(names: str, rows: int = 3, columns: int | None = None) -> tuple[Term, ...]:
    """Several matrices at once: `A, B = matrices("A B")`."""
    return tuple(matrix(name, rows, columns) for name in names.replace(",", " ").split())


def quaternion(name: str, *, unit: bool = False, constant: bool = False, turning: Term | None = None) -> Term:
    """A quaternion symbol; a unit one with `turning=w` has the rate (0, w) q / 2.

    >>> q = quaternion("q", unit=True)
    >>> q * conjugate(q)
    1
    """
    if turning is not None and not unit:
        raise AlgebraError(
            f"'{name}' turns only if it is a unit quaternion: quaternion('{name}', unit=True, turning=w)."
        )
    return _symbol(name, QUATERNION, {"unit": unit, "constant": constant}, (), turning)


def orthonormal_basis(names: str, *, constant: bool = False, turning: Term | None = None) -> tuple[Term, Term, Term]:
    """Three unit vectors of a right-handed orthonormal basis.

    >>> x, y, z = orthonormal_basis("X0 Y0 Z0")
    >>> cross(x, y), dot(x, z), cross(x, z)
    (Z0, 0, -Y0)
    """
    listed = tuple(names.replace(",", " ").split())
    if len(listed) != 3 or len(set(listed)) != 3:
        raise AlgebraError(f"a basis of space has three different names, not {names!r}.")
    flags = frozenset({"constant"} if constant else set())
    a, b, c = listed
    made = [make(SYMBOL, (), (), f, Sort(3, 1)) for f in basis_facts((a, b, c), flags, turning)]
    return made[0], made[1], made[2]
