"""Closed quadratures of mechanics: integrands with the root of a polynomial of degree two, and what leads to them.

Every closed form is differentiated back and compared before it is believed; otherwise the integral stays an integral.
"""

from __future__ import annotations

import sympy as sp

from ._equality import equal
from ._exact import as_sympy
from ._normal import tidy


def antiderivative(f: sp.Expr, q: sp.Symbol) -> sp.Expr:
    """A primitive of f in q, or the unevaluated `Integral` when no closed form is found.

    Where the sign of a leading coefficient is unknown, the bounded case (arc sine) is taken.

    >>> q, a = sp.symbols("q a", positive=True)
    >>> antiderivative(1/sp.sqrt(a - q**2), q)
    asin(q/sqrt(a))
    """
    f, q = as_sympy(f), as_sympy(q)
    if f == 0:
        return sp.Integer(0)
    if not f.has(q):
        return f * q
    constant, rest = f.as_independent(q, as_Add=False)
    if constant != 1:
        return constant * antiderivative(rest, q)
    if isinstance(f, sp.Add):
        constant, rest = f.as_independent(q, as_Add=True)
        if constant != 0:
            return constant * q + antiderivative(rest, q)
    for method in (_linear_root, _quadratic_root, _exponential, _inverse_square, _plain):
        try:
            found = method(f, q)
        except (ValueError, TypeError, NotImplementedError, sp.PolynomialError, ZeroDivisionError):
            continue
        if found is not None and not found.has(sp.Integral, sp.nan, sp.zoo) and equal(sp.diff(found, q), f):
            return found
    if isinstance(f, sp.Add):
        return sp.Add(*(antiderivative(t, q) for t in f.args))
    return sp.Integral(f, q)


def _root_base(f: sp.Expr, q: sp.Symbol) -> sp.Expr | None:
    """The single base of half-integer powers that holds q."""
    bases = {e.base for e in f.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2 and e.base.has(q)}
    return bases.pop() if len(bases) == 1 else None


def _linear_root(f: sp.Expr, q: sp.Symbol) -> sp.Expr | None:
    base = _root_base(f, q)
    if base is None:
        return None
    polynomial = sp.expand(base)
    b = polynomial.coeff(q, 1)
    a = polynomial.coeff(q, 0)
    if b == 0 or sp.expand(polynomial - a - b * q) != 0:
        return None
    u = sp.Dummy("u", positive=True)
    inside = f.replace(
        lambda e: isinstance(e, sp.Pow) and e.base == base and e.exp.is_Rational and e.exp.q == 2,
        lambda e: u ** (2 * e.exp),
    ).subs(q, (u**2 - a) / b)
    integrand = sp.expand(sp.cancel(sp.together(inside * 2 * u / b)))
    if not sp.cancel(integrand * u**12).is_polynomial(u):
        return None
    return tidy(sp.integrate(integrand, u)).subs(u, sp.sqrt(base))


def _quadratic_root(f: sp.Expr, q: sp.Symbol) -> sp.Expr | None:
    """Sum of c_n q^n (c0 + c1 q + c2 q^2)^(k/2): brought to 1/sqrt(P) and reduced by recurrence."""
    base = _root_base(f, q)
    if base is None:
        return None
    top, bottom = sp.fraction(sp.together(base))
    outer, degree = bottom.as_coeff_exponent(q)
    if outer.has(q) or degree % 2 or (degree and not q.is_positive):
        return None
    P = sp.expand(top / outer)
    c0, c1, c2 = (P.coeff(q, k) for k in range(3))
    if c2 == 0 or sp.expand(P - c0 - c1 * q - c2 * q**2) != 0:
        return None
    root = sp.Dummy("root")
    half = degree // 2
    g = f.replace(
        lambda e: isinstance(e, sp.Pow) and e.base == base and e.exp.is_Rational and e.exp.q == 2,
        lambda e: (root / q**half) ** (2 * e.exp),
    )
    if g.has(sp.sqrt(base)):
        return None
    powers = sp.expand(g)
    total = sp.Integer(0)
    for term in sp.Add.make_args(powers):
        coefficient, k = term.as_coeff_exponent(root)
        if k == 0:
            total += antiderivative(coefficient, q)
            continue
        m = (k + 1) // 2
        if k % 2 == 0 or m < 0:
            return None
        for piece in sp.Add.make_args(sp.expand(coefficient * P**m)):
            c, n = piece.as_coeff_exponent(q)
            if c.has(q) or not n.is_Integer:
                return None
            total += c * _moment(int(n), q, c0, c1, c2)
    # the collected form groups the root and the arc functions, as a person writes it
    return _collect(total, P, q)


def _collect(total: sp.Expr, P: sp.Expr, q: sp.Symbol) -> sp.Expr:
    kernels = [sp.sqrt(P), *sorted(total.atoms(sp.asin, sp.log, sp.asinh), key=str)]
    collected = sp.collect(sp.expand(total), kernels, evaluate=False)
    return sp.Add(*(tidy(c) * k for k, c in collected.items()))


def _moment(n: int, q: sp.Symbol, c0: sp.Expr, c1: sp.Expr, c2: sp.Expr) -> sp.Expr:
    """The integral of q^n / sqrt(c0 + c1 q + c2 q^2)."""
    root = sp.sqrt(c0 + c1 * q + c2 * q**2)
    if n == 0:
        return _arc(q, c0, c1, c2)
    if n > 0:
        lower = (sp.Rational(2 * n - 1, 2)) * c1 * _moment(n - 1, q, c0, c1, c2) if c1 != 0 else 0
        last = (n - 1) * c0 * _moment(n - 2, q, c0, c1, c2) if n > 1 else 0
        return (q ** (n - 1) * root - lower - last) / (n * c2)
    if n == -1:
        # u = 1/q turns dq/(q sqrt(P)) into -du/sqrt(c0 u^2 + c1 u + c2)
        return -_arc(1 / q, c2, c1, c0)
    m = -n
    if c0 == 0:
        raise NotImplementedError
    # the recurrence read downwards: (m-1) c0 I_{-m} = -root/q^(m-1) - (m-3/2) c1 I_{-m+1} - (m-2) c2 I_{-m+2}
    middle = sp.Rational(2 * m - 3, 2) * c1 * _moment(n + 1, q, c0, c1, c2) if c1 != 0 else 0
    upper = (m - 2) * c2 * _moment(n + 2, q, c0, c1, c2) if m > 2 else 0
    return (-root / q ** (m - 1) - middle - upper) / ((m - 1) * c0)


def _arc(x: sp.Expr, c0: sp.Expr, c1: sp.Expr, c2: sp.Expr) -> sp.Expr:
    """The integral of dx/sqrt(c0 + c1 x + c2 x^2): logarithm for c2 > 0, arc sine otherwise."""
    if c2.is_positive:
        if c1 == 0 and c0.is_positive:
            return sp.asinh(x * sp.sqrt(c2 / c0)) / sp.sqrt(c2)
        return sp.log(2 * sp.sqrt(c2) * sp.sqrt(c0 + c1 * x + c2 * x**2) + 2 * c2 * x + c1) / sp.sqrt(c2)
    if c1 == 0:
        return sp.asin(x * sp.sqrt(tidy(-c2 / c0))) / sp.sqrt(-c2)
    discriminant = tidy(c1**2 - 4 * c0 * c2)
    return sp.asin((-2 * c2 * x - c1) / sp.sqrt(discriminant)) / sp.sqrt(-c2)


def _exponential(f: sp.Expr, q: sp.Symbol) -> sp.Expr | None:
    """All of q inside exp(c q): with u = exp(c q) the integral is that of f/(c u) du."""
    exponents = [e.args[0] for e in f.atoms(sp.exp) if e.has(q)]
    rates = [sp.diff(e, q) for e in exponents]
    if not rates or any(r.has(q) for r in rates):
        return None
    base = min(rates, key=lambda r: r.count_ops())
    u = sp.Dummy("u", positive=True)
    inside = f.replace(
        lambda e: isinstance(e, sp.exp) and e.has(q),
        lambda e: u ** tidy(sp.diff(e.args[0], q) / base) * sp.exp(e.args[0].subs(q, 0)),
    )
    if inside.has(q):
        return None
    found = antiderivative(inside / (base * u), u)
    return None if found.has(sp.Integral) else found.subs(u, sp.exp(base * q))


def _plain(f: sp.Expr, q: sp.Symbol) -> sp.Expr | None:
    """No roots: SymPy's table methods, which are quick on polynomials and elementary functions."""
    if any(e.exp.is_Rational and e.exp.q > 1 and e.base.has(q) and not e.base.is_Symbol for e in f.atoms(sp.Pow)):
        return None  # roots were the business of the methods above; a general search could take minutes
    if f.is_polynomial(q):
        return tidy(sp.integrate(f, q))
    if f.count_ops() > 60:
        return None
    from sympy.integrals.manualintegrate import manualintegrate

    found = manualintegrate(f, q)
    if found.has(sp.Integral):
        found = manualintegrate(_secants(f), q)
    if found.has(sp.Piecewise):
        found = sp.piecewise_fold(found).args[0][0] if isinstance(sp.piecewise_fold(found), sp.Piecewise) else found
    return None if found.has(sp.Integral, sp.Piecewise) else tidy(found)


def _inverse_square(f: sp.Expr, q: sp.Symbol) -> sp.Expr | None:
    """1/cos(a q + b)^2 and its three sisters with sin, cosh, sinh."""
    if not (isinstance(f, sp.Pow) and f.exp == -2 and isinstance(f.base, (sp.cos, sp.sin, sp.cosh, sp.sinh))):
        return None
    u = f.base.args[0]
    rate = sp.diff(u, q)
    quotient = {sp.cos: sp.tan(u), sp.cosh: sp.tanh(u), sp.sin: -sp.cot(u), sp.sinh: -sp.cosh(u) / sp.sinh(u)}
    return None if rate.has(q) else quotient[f.base.func] / rate


def _secants(f: sp.Expr) -> sp.Expr:
    """Negative powers of cosines and sines by the functions whose primitives tables hold."""
    names = {sp.cos: sp.sec, sp.sin: sp.csc}
    return f.replace(
        lambda e: isinstance(e, sp.Pow) and e.base.func in names and e.exp.is_Integer and e.exp < 0,
        lambda e: names[e.base.func](e.base.args[0]) ** (-e.exp),
    )
