"""Groebner bases of closure ideals: dimension, saturation, components, membership.

python-flint computes by default; msolve and Singular (extras) are used for bigger ideals when their programs are
installed. Homogenising generators without saturating adds components at infinity (the thesis' wrong dimensions 2 and 3
for the slider-crank and the homokinetic joint); here the affine ideal is used, or the saturated one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalembert import limits
from dalembert.errors import ModelError
from dalembert.loops.polynomials import PolynomialClosure

PRIME = 1073741827


def groebner_basis(generators: Sequence[Any], engine: str = "auto", seconds: float = 60.0) -> list[Any]:
    """A reduced basis for the order of the polynomials' context (flint's fmpq or fmpz multivariate polynomials)."""
    polynomials = [p for p in generators if p != 0]
    if not polynomials:
        return []
    ctx = polynomials[0].context()
    if engine in ("auto", "flint"):
        found = _flint_basis(polynomials, ctx, None if engine == "flint" else _AT_MOST)
        if found is not None:
            return found
    raise ModelError("python-flint gave up on this ideal: ask for leading monomials with msolve or Singular instead.")


def _integer(p: Any, ctx: Any) -> Any:
    """The same polynomial with whole coefficients."""
    from math import lcm

    terms = dict(p.to_dict())
    multiple = lcm(*(int(getattr(c, "q", 1)) for c in terms.values())) if terms else 1
    return ctx.from_dict({e: int(c * multiple) for e, c in terms.items()})


#: Bases that flint may look for at once (polynomials, terms of one, bits of a number): some tenths of a second.
_AT_ONCE = (60, 100, 500)
#: Terms of a polynomial that flint factors at once.
_FACTORED_AT_ONCE = 100
#: The largest that it looks for at all, unless it is asked for by name.
_AT_MOST = (300, 1000, 1000)


def _flint_basis(polynomials: Sequence[Any], ctx: Any, most: tuple[int, int, int] | None) -> list[Any] | None:
    """A reduced basis, None beyond `most`; what may take long is computed apart, so that it can be stopped."""
    from flint import fmpz_mpoly_ctx, fmpz_mpoly_vec

    whole = fmpz_mpoly_ctx.get(tuple(ctx.names()), ctx.ordering())
    start = fmpz_mpoly_vec([_integer(p, whole) for p in polynomials], whole)
    small = _AT_ONCE if most is None else tuple(map(min, _AT_ONCE, most))
    basis, done = start.buchberger_naive(small)
    if done:
        return list(basis.autoreduction())
    if small == most:
        return None

    def bigger() -> list[dict[tuple[int, ...], int]] | None:
        basis, done = (start.buchberger_naive(), True) if most is None else start.buchberger_naive(most)
        return [_terms(p) for p in basis.autoreduction()] if done else None

    found = limits.apart(bigger, "the Groebner basis")
    return None if found is None else [whole.from_dict(p) for p in found]


def _terms(p: Any) -> dict[tuple[int, ...], int]:
    return {tuple(int(e) for e in exponents): int(c) for exponents, c in p.to_dict().items()}


def leading_exponents(generators: Sequence[Any], engine: str = "auto", seconds: float = 60.0) -> list[tuple[int, ...]]:
    """Exponents of the leading monomials of a basis; engines: flint, msolve, singular (the last two modulo a prime)."""
    polynomials = [p for p in generators if p != 0]
    if not polynomials:
        return []
    ctx = polynomials[0].context()
    if engine in ("auto", "flint"):
        basis = _flint_basis(polynomials, ctx, None if engine == "flint" else _AT_MOST)
        if basis is not None:
            return [tuple(int(e) for e in p.monoms()[0]) for p in basis]
    names = list(ctx.names())
    if engine in ("auto", "msolve") and program("msolve"):
        return _msolve(polynomials, names, seconds)
    if engine in ("auto", "singular") and program("Singular"):
        return _singular(polynomials, names, seconds)
    raise ModelError(
        "this ideal is too big for the built-in Groebner bases. Install the extra `groebner` (msolve, Singular)."
    )


def program(name: str) -> str | None:
    """Path of an installed program: on the path, or in the wheels of the extra `groebner`."""
    wheel = Path(sysconfig.get_paths()["purelib"]) / "sage_wheels" / "bin" / name
    return shutil.which(name) or (str(wheel) if wheel.exists() else None)


def _text(p: Any, names: Sequence[str]) -> str:
    """A polynomial with whole coefficients, in plain letters that every program reads."""
    from math import lcm

    terms = dict(p.to_dict())
    multiple = lcm(*(int(getattr(c, "q", 1)) for c in terms.values()))
    parts = []
    for exponents, coefficient in terms.items():
        factors = [str(int(coefficient * multiple))]
        factors += [f"v{i}^{int(e)}" for i, e in enumerate(exponents) if e]
        parts.append("*".join(factors))
    return "+".join(parts).replace("+-", "-")


def _run(command: list[str], text: str | None, seconds: float) -> str:
    """What a program says, waited for in short spans, between which the budget and Ctrl-C are met."""
    environment = {**os.environ, "LC_ALL": "C"}
    ends = time.monotonic() + seconds
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, env=environment) as run:
        try:
            while True:
                try:
                    return str(run.communicate(text, timeout=0.2)[0])
                except subprocess.TimeoutExpired:
                    if time.monotonic() > ends:
                        name = Path(command[0]).name
                        raise ModelError(f"{name} did not finish in {seconds:g} s: the ideal is too big.") from None
        finally:
            run.kill()


def _msolve(polynomials: Sequence[Any], names: Sequence[str], seconds: float) -> list[tuple[int, ...]]:
    lines = [",".join(f"v{i}" for i in range(len(names))), str(PRIME)]
    body = ",\n".join(_text(p, names) for p in polynomials)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.ms", Path(folder) / "out.ms"
        source.write_text("\n".join(lines) + "\n" + body + "\n")
        _run([str(program("msolve")), "-g", "1", "-f", str(source), "-o", str(target)], None, seconds)
        found = target.read_text() if target.exists() else ""
    text = "".join(line for line in found.splitlines() if not line.startswith("#"))
    return _monomials(text[text.index("[") + 1 : text.rindex("]")], len(names)) if "[" in text else []


def _singular(polynomials: Sequence[Any], names: Sequence[str], seconds: float) -> list[tuple[int, ...]]:
    variables = ",".join(f"v{i}" for i in range(len(names)))
    script = f"ring r={32003},({variables}),dp; short=0; ideal I={','.join(_text(p, names) for p in polynomials)};"
    script += 'ideal J=std(I); ideal L=lead(J); int i; for(i=1;i<=ncols(L);i++){print(string(L[i])+";");} quit;'
    out = _run([str(program("Singular")), "-q", "--no-rc"], script, seconds)
    return _monomials(out.replace(";", ","), len(names))


def _monomials(text: str, count: int) -> list[tuple[int, ...]]:
    found = []
    for item in text.replace("\n", "").replace(" ", "").split(","):
        if not item or ":" in item:
            continue
        exponents = [0] * count
        for factor in item.split("*"):
            if factor.startswith("v"):
                name, _, power = factor.partition("^")
                exponents[int(name[1:])] = int(power or 1)
        found.append(tuple(exponents))
    return found


def monomial_dimension(leading: Sequence[tuple[int, ...]], count: int) -> int:
    """Dimension of the zeros of a monomial ideal: variables minus the smallest set that meets every monomial."""
    supports = {frozenset(i for i, e in enumerate(m) if e) for m in leading}
    if frozenset() in supports:
        return -1
    minimal = sorted((s for s in supports if not any(t < s for t in supports)), key=len)

    def cover(left: list[frozenset[int]], used: int, best: int) -> int:
        if not left:
            return used
        if used + 1 >= best:
            return best
        for variable in sorted(left[0]):
            best = min(best, cover([s for s in left if variable not in s], used + 1, best))
        return best

    return count - cover(minimal, 0, count + 1)


def ideal_dimension(generators: Sequence[Any], engine: str = "auto", seconds: float = 60.0) -> int:
    """Complex dimension of the affine zeros (-1 when there are none)."""
    polynomials = [p for p in generators if p != 0]
    if not polynomials:
        raise ModelError("an ideal needs at least one polynomial.")
    return monomial_dimension(leading_exponents(polynomials, engine, seconds), len(polynomials[0].context().names()))


def homogenised(generators: Sequence[Any], saturate: bool = True, variable: str = "t") -> list[Any]:
    """Homogeneous ideal in one more variable.

    Saturated (the default): homogenise a Groebner basis for a degree order. Not saturated: homogenise the generators,
    which adds components at infinity.
    """
    from flint import fmpz_mpoly_ctx

    basis = groebner_basis(generators) if saturate else [p for p in generators if p != 0]
    ctx = basis[0].context()
    larger = fmpz_mpoly_ctx.get((*ctx.names(), variable), ctx.ordering())
    found = []
    for p in basis:
        whole = _integer(p, fmpz_mpoly_ctx.get(tuple(ctx.names()), ctx.ordering()))
        degree = int(whole.total_degree())
        found.append(larger.from_dict({(*e, degree - sum(int(v) for v in e)): c for e, c in whole.to_dict().items()}))
    return found


def components(generators: Sequence[Any], limit: int = 64) -> list[tuple[int, list[Any]]]:
    """Pieces of the zeros by factors of basis elements: (dimension, basis), largest first, none inside another.

    Factoring splits over the rationals; a piece may still fall apart over a larger field. Beyond `limit` it refuses.
    """
    pending, done = [list(generators)], list[list[Any]]()
    while pending and len(done) + len(pending) <= limit:
        basis = groebner_basis(pending.pop())
        if any(p.is_constant() if hasattr(p, "is_constant") else p.total_degree() == 0 for p in basis):
            continue
        split = next((factors for p in basis if (factors := _factors(p)) is not None), None) or _lex_split(basis)
        if split is None:
            done.append(basis)
        else:
            pending += [[*basis, factor] for factor in split]
    if pending:  # what would be said of all pieces holds for some of them only
        raise ModelError(f"the zeros fall into more than {limit} piece{'s' * (limit > 1)}: allow more with `limit`.")
    kept: list[list[Any]] = []
    for basis in sorted(done, key=lambda b: -_dimension_of(b)):
        if not any(all(_reduce(p, basis) == 0 for p in other) for other in kept):
            kept.append(basis)
    return [(_dimension_of(b), b) for b in kept]


def split_dimension(closure: PolynomialClosure, engine: str = "auto", seconds: float = 60.0) -> int:
    """Complex dimension of the closure, rotation first: each piece of the rotation closure, reduced, then translation.

    The rotation closure of the antenna cell is a double point; once it is taken apart the rest is easy.
    """
    best = -1
    if not closure.rotation:
        return ideal_dimension(closure.generators, engine, seconds)
    for _, basis in components([*closure.rotation, *closure.relations]):
        ctx = basis[0].context()
        whole = [_integer(p, ctx) for p in closure.translation]
        best = max(best, ideal_dimension([*basis, *whole], engine, seconds))
    return best


def _lex_split(basis: Sequence[Any]) -> list[Any] | None:
    """Factors found by elimination, for each variable eliminated last: they show what a degree order hides."""
    from flint import fmpz_mpoly_ctx

    ctx = basis[0].context()
    names = list(ctx.names())
    for last in range(len(names)):
        order = [i for i in range(len(names)) if i != last] + [last]
        lex = fmpz_mpoly_ctx.get(tuple(names[i] for i in order), "lex")
        moved = [lex.from_dict({tuple(e[i] for i in order): c for e, c in p.to_dict().items()}) for p in basis]
        found = _flint_basis(moved, lex, (60, 200, 200))
        for p in found or []:
            factors = _factors(p)
            if factors is not None:
                back = [names.index(n) for n in lex.names()]
                return [_renamed(f, ctx, back) for f in factors]
        if last >= 5:
            break
    return None


def _renamed(p: Any, ctx: Any, places: list[int]) -> Any:
    terms = {}
    for exponents, coefficient in p.to_dict().items():
        moved = [0] * len(places)
        for place, e in zip(places, exponents, strict=True):
            moved[place] = int(e)
        terms[tuple(moved)] = coefficient
    return ctx.from_dict(terms)


def _dimension_of(basis: Sequence[Any]) -> int:
    return monomial_dimension([tuple(int(e) for e in p.monoms()[0]) for p in basis], len(basis[0].context().names()))


def _factors(p: Any) -> list[Any] | None:
    if len(p) <= _FACTORED_AT_ONCE:
        _, factors = p.factor()
    else:
        told = limits.apart(lambda: [(_terms(f), int(k)) for f, k in p.factor()[1]], "factoring")
        factors = [(p.context().from_dict(f), k) for f, k in told]
    plain = [f for f, _ in factors]
    if len(plain) > 1 or any(power > 1 for _, power in factors):
        return plain
    return None


def _reduce(p: Any, basis: list[Any]) -> Any:
    """Normal form up to a factor, by leading monomials."""
    zero = p - p
    rest = zero
    while p != 0:
        exponents, coefficient = p.monoms()[0], p.coeffs()[0]
        for b in basis:
            head = b.monoms()[0]
            if all(int(x) >= int(y) for x, y in zip(exponents, head, strict=True)):
                shift = tuple(int(x) - int(y) for x, y in zip(exponents, head, strict=True))
                scale = b.coeffs()[0]
                p = p * scale - b * p.context().from_dict({shift: coefficient})
                rest = rest * scale
                break
        else:
            term = p.context().from_dict({tuple(int(e) for e in exponents): coefficient})
            rest, p = rest + term, p - term
    return rest
