"""Declaring symbols: vectors, matrices and quaternions with their properties."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.algebra._facts import closure
from dalembert.algebra._operator import SYMBOL
from dalembert.algebra._sorts import QUATERNION, AlgebraError, Sort
from dalembert.algebra._term import Facts, Term, make
from dalembert.algebra._vectors import basis_facts


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise AlgebraError(f"a symbol needs a name, not {name!r}.")
    return name


def _symbol(
    name: str, sort: Sort, flags: dict[str, bool], orthogonal: Iterable[Term] = (), turning: Term | None = None
) -> Term:
    properties = closure(frozenset(n for n, on in flags.items() if on))
    if turning is not None and (not turning.sort.is_vector or turning.sort.rows != 3):
        raise AlgebraError(f"'{name}' turns with an angular velocity, a vector of 3; '{turning}' is a {turning.sort}.")
    if turning is not None and "constant" in properties:
        raise AlgebraError(f"'{name}' cannot be constant and turning: leave out one of the two.")
    return make(SYMBOL, (), (), Facts(_checked_name(name), properties, tuple(orthogonal), turning), sort)


def vector(
    name: str,
    size: int = 3,
    *,
    unit: bool = False,
    constant: bool = False,
    orthogonal_to: Term | Iterable[Term] = (),
    turning: Term | None = None,
) -> Term:
    """A vector symbol. `turning=w` means that it is carried by a frame of angular velocity w: its rate is w x v.

    >>> u = vector("u", unit=True)
    >>> v = vector("v", orthogonal_to=u)
    >>> dot(u, u), dot(u, v)
    (1, 0)
    """
    if size < 2:
        raise AlgebraError(f"a vector has at least 2 entries, not {size}. Use scalar('{name}') for one entry.")
    others = (orthogonal_to,) if isinstance(orthogonal_to, Term) else tuple(orthogonal_to)
    for other in others:
        if other.op is not SYMBOL or other.sort != Sort(size, 1):
            raise AlgebraError(
                f"'{name}' can be orthogonal to vector symbols of {size} only, not to '{other}', a {other.sort}."
            )
    return _symbol(name, Sort(size, 1), {"unit": unit, "constant": constant}, others, turning)


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
    constant: bool = False,
    turning: Term | None = None,
) -> Term:
    """A matrix symbol with its properties. `turning=w`: a rotation R has the rate ~w R; a tensor I has ~w I - I ~w.

    >>> R = matrix("R", rotation=True)
    >>> R.T * R, R**-1
    (Id, R^T)
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
        "constant": constant,
    }
    needing = [n for n, on in flags.items() if on and n != "constant"]
    if needing and not sort.is_square:
        raise AlgebraError(f"'{name}' is {rows}x{columns} and cannot be {needing[0]}: that needs a square matrix.")
    if antisymmetric and (symmetric or positive_definite or diagonal):
        raise AlgebraError(
            f"'{name}' is declared both symmetric and antisymmetric: it would be 0. Leave out one property."
        )
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
        from dalembert.algebra._words import transpose

        return transpose(_symbol(name, sort.transposed, {"row": True, "constant": constant}))
    return _symbol(name, sort, flags, (), turning)


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
