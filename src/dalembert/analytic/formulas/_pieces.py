"""Formulas that are not analytic, cut into pieces that are: |g| is g where g > 0 and -g where g < 0.

Values at points say something of a whole region only for analytic functions. So |g|, sign(g), min and max are split,
and squares are taken out of roots and logarithms, sqrt(h**2*k) = |h| sqrt(k): what is left under them changes its sign
where it vanishes, which is the border of the domain.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

MAX_PIECES = 32
"""More regions than this are not told apart: the claim is then judged by proof or counter-example only."""

_FACTORED = 150
"""Operations under a root above which its squares are not looked for."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One region, where each formula of `signs` has the sign given, and what the formula is there."""

    signs: tuple[tuple[sp.Expr, int], ...]
    value: sp.Expr


def plain_pieces(e: sp.Expr) -> sp.Expr:
    """min and max by |a - b|, steps by signs, and squares out of roots and logarithms."""
    e = e.replace(lambda x: isinstance(x, (sp.Min, sp.Max)), _by_absolute)
    e = e.replace(lambda x: isinstance(x, sp.Heaviside), lambda x: (1 + sp.sign(x.args[0])) / 2)
    e = e.replace(lambda x: isinstance(x, sp.Pow) and x.exp.is_Rational and x.exp.q % 2 == 0, _without_squares)
    e = e.replace(lambda x: isinstance(x, sp.log), _log_without_squares)
    return e.replace(lambda x: _has_corner(x) and not x.args[0].has(sp.Abs, sp.sign), _by_factors)


def _by_factors(e: sp.Expr) -> sp.Expr:
    """|a b| = |a| |b| and sign(a b) = sign(a) sign(b), so that no region is looked for where the signs cannot be so."""
    inside = e.args[0]
    try:
        parts = sp.Mul.make_args(sp.factor(inside) if inside.count_ops() < _FACTORED else inside)
    except (sp.PolynomialError, NotImplementedError):
        parts = sp.Mul.make_args(inside)
    if len(parts) == 1 and not isinstance(parts[0], sp.Pow):
        return e
    made = sp.Integer(1)
    for part in parts:
        f, n = part.as_base_exp()
        made *= e.func(f) ** n if n.is_Integer else e.func(part)
    return made


def _by_absolute(e: sp.Expr) -> sp.Expr:
    first, *rest = e.args
    side = 1 if isinstance(e, sp.Max) else -1
    for other in rest:
        first = (first + other + side * sp.Abs(first - other)) / 2
    return first


def _squares(base: sp.Expr) -> tuple[list[tuple[sp.Expr, int]], sp.Expr]:
    """base = product of f**(2n), times the rest."""
    if base.is_number or base.is_Symbol or base.count_ops() > _FACTORED:
        return [], base
    half = base.replace(
        lambda x: isinstance(x, sp.Add) and len(x.args) == 2 and x.args[0] in (1, -1) and _is_cosine(x.args[1]),
        _half_angle,
    )
    try:
        parts = sp.Mul.make_args(sp.factor(sp.together(half)))
    except (sp.PolynomialError, NotImplementedError):
        parts = sp.Mul.make_args(half)
    pulled, rest = [], sp.Integer(1)
    for part in parts:
        f, n = part.as_base_exp()
        if n.is_Integer and n % 2 == 0 and not f.is_positive:
            pulled.append((f, int(n)))
        else:
            rest *= part
    return (pulled, rest) if pulled else ([], base)


def _is_cosine(e: sp.Expr) -> bool:
    return isinstance(e, sp.cos) or (isinstance(e, sp.Mul) and e.args[0] == -1 and isinstance(e.args[-1], sp.cos))


def _half_angle(e: sp.Add) -> sp.Expr:
    """1 + cos(u) = 2 cos(u/2)**2 and 1 - cos(u) = 2 sin(u/2)**2, whichever sign stands before the one."""
    one, term = e.args
    angle = (term if isinstance(term, sp.cos) else term.args[-1]).args[0] / 2
    same = (one == 1) == isinstance(term, sp.cos)
    return one * 2 * (sp.cos(angle) if same else sp.sin(angle)) ** 2


def _without_squares(e: sp.Pow) -> sp.Expr:
    pulled, rest = _squares(e.base)
    return sp.Mul(*(sp.Abs(f) ** (n * e.exp) for f, n in pulled)) * rest**e.exp if pulled else e


def _log_without_squares(e: sp.Expr) -> sp.Expr:
    pulled, rest = _squares(e.args[0])
    return sp.Add(*(n * sp.log(sp.Abs(f)) for f, n in pulled)) + sp.log(rest) if pulled else e


def pieces(e: sp.Expr) -> list[Piece] | None:
    """The formula on every region where |g| and sign(g) have one sign each; None when there are too many."""
    done: list[Piece] = []
    waiting = [Piece((), e)]
    while waiting:
        piece = waiting.pop()
        corner = _innermost(piece.value)
        if corner is None:
            done.append(piece)
        else:
            g = _canonical(corner.args[0])
            for side in (1, -1):
                value = piece.value.replace(_has_corner, lambda x, s=side, g=g: _settled(x, g, s))
                waiting.append(Piece((*piece.signs, (g, side)), value))
        if len(done) + len(waiting) > MAX_PIECES:
            return None
    return done


def _has_corner(x: sp.Basic) -> bool:
    return isinstance(x, (sp.Abs, sp.sign))


def _innermost(e: sp.Expr) -> sp.Expr | None:
    corners = [x for x in e.atoms(sp.Abs, sp.sign) if not x.args[0].has(sp.Abs, sp.sign)]
    return min(corners, key=sp.default_sort_key) if corners else None


def _canonical(g: sp.Expr) -> sp.Expr:
    g = sp.expand(g) if g.count_ops() < _FACTORED else g
    g = sp.Mul(*(f for f in sp.Mul.make_args(g) if not f.is_positive))
    return -g if g.could_extract_minus_sign() else g


def _settled(x: sp.Expr, g: sp.Expr, side: int) -> sp.Expr:
    inside = x.args[0]
    if inside.has(sp.Abs, sp.sign):
        return x
    form = _canonical(inside)
    if form != g:
        return x
    expanded = sp.expand(inside) if inside.count_ops() < _FACTORED else inside
    flipped = sp.Mul(*(f for f in sp.Mul.make_args(expanded) if not f.is_positive)) != form
    sign = -side if flipped else side
    return sign * inside if isinstance(x, sp.Abs) else sp.Integer(sign)


def corners(e: sp.Expr) -> list[sp.Expr]:
    """What stands in |g|, sign(g), min and max, innermost or not."""
    found = {x.args[0] for x in e.atoms(sp.Abs, sp.sign)}
    for x in e.atoms(sp.Min, sp.Max):
        found |= {x.args[0] - other for other in x.args[1:]}
    return sorted(found, key=sp.default_sort_key)


_BENDS = 8
"""Such places that are looked at, at most."""


def bends(e: sp.Expr) -> list[sp.Expr]:
    """Where the argument of a sine or tangent is of the size of a turn: beyond that, arc functions and roots change."""
    found = {x.args[0] for x in e.atoms(sp.sin, sp.cos, sp.tan, sp.cot, sp.cosh) if x.args[0].free_symbols}
    return sorted({h + k for h in found for k in (-2, 2)}, key=sp.default_sort_key)[:_BENDS]


def conditions(e: sp.Expr) -> list[sp.Expr]:
    """Formulas that must be positive for every root, logarithm and arc function in e to be real."""
    found: set[sp.Expr] = set()
    for power in e.atoms(sp.Pow):
        if not power.exp.is_integer and not power.base.is_positive:
            found.add(power.base)
    found |= {f.args[0] for f in e.atoms(sp.log) if not f.args[0].is_positive}
    found |= {1 - f.args[0] ** 2 for f in e.atoms(sp.asin, sp.acos, sp.atanh)}
    found |= {f.args[0] - 1 for f in e.atoms(sp.acosh)}
    found |= {1 - f.args[0] for f in e.atoms(sp.elliptic_k)}
    return sorted((g for g in found if not g.is_positive and not g.is_number), key=sp.default_sort_key)


_ENTIRE = (sp.sin, sp.cos, sp.exp, sp.sinh, sp.cosh, sp.erf)
_SMOOTH = (sp.atan, sp.asinh, sp.tanh)
_MEROMORPHIC = (sp.tan, sp.cot, sp.sec, sp.csc)


def is_tame(e: sp.Expr) -> bool:
    """Whether the formula is one analytic function on all of its domain, so that a few points speak for all.

    Roots, logarithms and arc functions of what may vanish or have poles may change their branch from one part of the
    domain to another, sqrt(1 + 1/x**2)*x for instance at x = 0.
    """
    for x in sp.preorder_traversal(e):
        if x.is_Symbol or x.is_number or isinstance(x, (sp.Add, sp.Mul, *_ENTIRE, *_MEROMORPHIC)):
            continue
        if isinstance(x, sp.Pow) and x.exp.is_Integer:
            continue
        if isinstance(x, (sp.Pow, sp.log)) and x.args[0].is_positive and _without_poles(x):
            continue
        if isinstance(x, _SMOOTH) and _without_poles(x.args[0]):
            continue
        return False
    return True


def _without_poles(e: sp.Expr) -> bool:
    for x in sp.preorder_traversal(e):
        if isinstance(x, _MEROMORPHIC):
            return False
        if isinstance(x, sp.Pow) and not (x.exp.is_nonnegative or x.base.is_positive):
            return False
    return True
