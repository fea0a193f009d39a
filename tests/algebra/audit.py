"""An audit of `is_zero` that shares no code with it: random identities judged by NumPy. Run: audit.py [terms] [seed]

A random tree over symbols and operators with properties is rewritten by true identities (or spoiled by a mutation);
the difference of the two trees goes to `is_zero` as a term, and to NumPy as arrays: matrices, vectors and functions
drawn so that they have the declared properties. Where NumPy finds a value that is not 0, "zero" is wrong; where it
finds 0 at many points, "not zero" is wrong.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert import algebra as al
from dalembert import expr as ex

Tree = tuple[Any, ...]  # (kind, *operands); leaves are ("leaf", name) and ("number", n)
POINTS = 8
LARGE = 1e-6  # relative to the largest intermediate value; rounding leaves about 1e-13
SMALL = 1e-9


# -- symbols: as terms, and as arrays ----------------------------------------------------------------------------------

_basis = al.orthonormal_basis("X0 Y0 Z0")
_u, _a, _A = al.vector("u", unit=True), al.vector("a"), al.matrix("A")
LEAVES: dict[str, al.Term] = {
    **{n: al.scalar(n) for n in "kmxy"},
    **{n: al.vector(n) for n in "abc"},
    "u": _u,
    "n": al.vector("n", orthogonal_to=_u),
    "e": _basis[0],
    "f": _basis[1],
    "A": al.matrix("A"),
    "B": al.matrix("B"),
    "S": al.matrix("S", symmetric=True),
    "W": al.matrix("W", antisymmetric=True),
    "K": al.matrix("K", orthogonal=True),
    "R": al.matrix("R", rotation=True),
    "P": al.matrix("P", positive_definite=True),
    "D": al.matrix("D", diagonal=True),
    "E": al.matrix("E", diagonal=True),
    "G": al.matrix("G", projector=True),
    "N": al.matrix("N", nilpotent=3),
    "M": al.matrix("M", commutes_with=_A),
    "v": al.vector("v", collinear_to=_a),
    "w": al.vector("w", norm=al.scalar("k")),
    "q": al.quaternion("q"),
    "r": al.quaternion("r", unit=True),
}
NAMES = {"scalar": "kmxy", "vector": "abcunefvw", "matrix": "ABSWKRPDEGNM", "quaternion": "qr"}


def _orthogonal(g: np.random.Generator, rotation: bool) -> Any:
    q, _ = np.linalg.qr(g.normal(size=(3, 3)))
    q[:, 0] *= np.sign(np.linalg.det(q)) * (1 if rotation or g.random() < 0.5 else -1)
    return q


def draw(g: np.random.Generator) -> dict[str, Any]:
    """Arrays with the declared properties, and functions with the declared properties."""
    v: dict[str, Any] = {n: g.normal() * 2 for n in "kmxy"}
    v |= {n: g.normal(size=3) for n in "abcun"}
    v["u"] /= np.linalg.norm(v["u"])
    v["n"] -= (v["n"] @ v["u"]) * v["u"]
    v["e"], v["f"], _ = _orthogonal(g, True)
    free = {n: g.normal(size=(3, 3)) for n in "ABSWPDE"}
    v |= {"A": free["A"], "B": free["B"], "S": free["S"] + free["S"].T, "W": free["W"] - free["W"].T}
    v |= {"K": _orthogonal(g, False), "R": _orthogonal(g, True), "P": free["P"] @ free["P"].T + 0.1 * np.eye(3)}
    v |= {"D": np.diag(np.diag(free["D"])), "E": np.diag(np.diag(free["E"]))}
    v |= {
        "G": _similar(g, np.diag((np.arange(3) < g.integers(4)).astype(float))),
        "N": _similar(g, np.diag([1.0, 1.0], 1)),
    }
    v["M"] = sum(c * np.linalg.matrix_power(v["A"], i) for i, c in enumerate(g.normal(size=3)))
    v["v"], way = g.normal() * v["a"], g.normal(size=3)
    v["w"] = v["k"] * way / np.linalg.norm(way)
    v |= {"q": g.normal(size=4), "r": g.normal(size=4)}
    v["r"] /= np.linalg.norm(v["r"])
    return v | {name: make(g) for name, (_, make) in OPERATORS.items()}


# -- operators: declared by properties, and drawn as functions that have them ------------------------------------------


def _similar(g: np.random.Generator, form: Any) -> Any:
    basis = g.normal(size=(3, 3))
    return basis @ form @ np.linalg.inv(basis)


def _linear(g: np.random.Generator) -> Callable[..., Any]:
    m = g.normal(size=(3, 3))
    return lambda x: m @ x


def _free(g: np.random.Generator) -> Callable[..., Any]:
    m, s = g.normal(size=(3, 3)), g.normal(size=3)
    return lambda x: np.sin(m @ x + s)


def _of_matrix(g: np.random.Generator) -> Callable[..., Any]:
    m, s = g.normal(size=(3, 9)), g.normal(size=3)
    return lambda x: np.sin(m @ x.ravel() + s)


def _idempotent(g: np.random.Generator) -> Callable[..., Any]:
    m = _similar(g, np.diag((np.arange(3) < g.integers(4)).astype(float)))
    return lambda x: m @ x


def bend(x: Any) -> Any:
    """A bijection, neither linear nor odd, with finite slopes at 0, so that rounding stays rounding."""
    return np.where(x > 0, np.sqrt(1 + np.abs(x)) - 1, 1 - np.sqrt(1 + 4 * np.abs(x)))


def unbend(y: Any) -> Any:
    return np.where(y > 0, (1 + np.abs(y)) ** 2 - 1, (1 - (1 + np.abs(y)) ** 2) / 4)


def _nilpotent(g: np.random.Generator) -> Callable[..., Any]:
    """A nilpotent matrix seen through a bent space: the same iterates, but no longer linear."""
    m = _similar(g, np.diag([1.0, 1.0], 1))
    return lambda x: unbend(m @ bend(x))


def _reflection(g: np.random.Generator) -> Callable[..., Any]:
    """J x s(x) / s(J x) with s even and of degree 0: homogeneous, its own inverse, not linear."""
    m, w = _similar(g, np.diag(g.choice([-1.0, 1.0], size=3))), g.normal(size=3)

    def s(x: Any) -> Any:
        return 1 + (x @ w) ** 2 / (x @ x)

    return lambda x: m @ x * (s(x) / s(m @ x)) if x.any() else x


def _bracket(g: np.random.Generator) -> Callable[..., Any]:
    t = g.normal(size=(3, 3, 3))
    return lambda x, y: np.einsum("ijk,j,k", t, x, y) - np.einsum("ijk,j,k", t, y, x)


def _symmetric(g: np.random.Generator) -> Callable[..., Any]:
    m, s = g.normal(size=(3, 3)), g.normal(size=(3, 3))
    return lambda x, y: np.sin(m @ x + s @ y) + np.sin(m @ y + s @ x)


def _group(g: np.random.Generator) -> Callable[..., Any]:
    shift = g.normal(size=3)  # so that 0 is no neutral element
    return lambda *xs: unbend(sum(bend(x) + shift for x in xs) - shift)


def _affine(g: np.random.Generator) -> Callable[..., Any]:
    shift = g.normal(size=3)  # so that 0 is no absorbing element

    def join(*xs: Any) -> Any:
        total = xs[0] + shift
        for x in xs[1:]:
            y = x + shift
            total = np.array([total[0] * y[0], total[0] * y[1] + total[1], total[0] * y[2] + total[2]])
        return total - shift

    return join


def _largest(g: np.random.Generator) -> Callable[..., Any]:
    return lambda *xs: np.maximum.reduce(xs)


def _quadratic(g: np.random.Generator) -> Callable[..., Any]:
    m = g.normal(size=(3, 3, 3))
    return lambda x: (x @ x) * np.sin(np.einsum("ijk,j,k", m, x, x) / (x @ x)) if x.any() else x


OPERATORS: dict[str, tuple[al.DeclaredOperator, Callable[[np.random.Generator], Callable[..., Any]]]] = {
    "lin": (al.operator("a_lin", 1, homogeneous={0: 1}, morphism=(0,)), _linear),
    "any": (al.operator("a_any", 1), _free),
    "mat": (al.operator("a_mat", 1, sort=al.VECTOR), _of_matrix),
    "pro": (al.operator("a_pro", 1, projector=True, homogeneous={0: 1}, morphism=(0,)), _idempotent),
    "inv": (al.operator("a_inv", 1, involution=True, homogeneous={0: 1}), _reflection),
    "nil": (al.operator("a_nil", 1, nilpotent=3), _nilpotent),
    "bra": (al.operator("a_bra", 2, symmetry=-1, homogeneous={0: 1, 1: 1}, morphism=(0, 1)), _bracket),
    "sym": (al.operator("a_sym", 2, symmetry=1), _symmetric),
    "com": (al.operator("a_com", associative=True, symmetry=1), _group),
    "ass": (al.operator("a_ass", associative=True), _affine),
    "max": (al.operator("a_max", associative=True, symmetry=1, idempotent=True), _largest),
    "two": (al.operator("a_two", 1, homogeneous={0: 2}), _quadratic),
}
UNARY, BINARY = ("lin", "any", "pro", "inv", "nil", "two"), ("bra", "sym", "com", "ass", "max")


# -- trees: random, rewritten, spoiled -----------------------------------------------------------------------------


def grow(rng: random.Random, sort: str, depth: int) -> Tree:
    if depth <= 0:
        if sort == "scalar" and rng.random() < 0.25:
            return ("number", rng.choice((-2, -1, 2, 3)))
        return ("leaf", rng.choice(NAMES[sort]))
    d = depth - 1

    def some(s: str) -> Tree:
        return grow(rng, s, d - (rng.random() < 0.3))

    if sort == "scalar":
        kind = rng.choice(
            ("add", "times", "dot", "dot", "triple", "trace", "sin", "cos", "exp", "norm2", "abs", "root")
        )
        return {
            "add": lambda: ("add", some("scalar"), some("scalar")),
            "times": lambda: ("scale", some("scalar"), some("scalar")),
            "dot": lambda: ("dot", some("vector"), some("vector")),
            "triple": lambda: ("dot", some("vector"), ("cross", some("vector"), some("vector"))),
            "trace": lambda: ("trace", some("matrix")),
            "norm2": lambda: ("norm2", some("quaternion")),
            "abs": lambda: ("abs", some("scalar")),
            "root": lambda: ("root", some("vector")),
        }.get(kind, lambda: (kind, angle(rng)))()
    if sort == "vector":
        kind = rng.choice(
            ("add", "sub", "scale", "cross", "cross", "apply", "apply", "one", "one", "two", "mat", "part")
        )
        return {
            "add": lambda: ("add", some("vector"), some("vector")),
            "sub": lambda: ("add", some("vector"), ("scale", ("number", -1), some("vector"))),
            "scale": lambda: ("scale", some("scalar"), some("vector")),
            "cross": lambda: ("cross", some("vector"), some("vector")),
            "apply": lambda: ("mul", some("matrix"), some("vector")),
            "one": lambda: (rng.choice(UNARY), some("vector")),
            "two": lambda: (rng.choice(BINARY), some("vector"), some("vector")),
            "mat": lambda: ("mat", some("matrix")),
            "part": lambda: ("part", some("quaternion")),
        }[kind]()
    if sort == "matrix":
        kind = rng.choice(("add", "scale", "mul", "mul", "mul", "transpose", "tilde", "dyad"))
        return {
            "add": lambda: ("add", some("matrix"), some("matrix")),
            "scale": lambda: ("scale", some("scalar"), some("matrix")),
            "mul": lambda: ("mul", some("matrix"), some("matrix")),
            "transpose": lambda: ("transpose", some("matrix")),
            "tilde": lambda: ("tilde", some("vector")),
            "dyad": lambda: ("dyad", some("vector"), some("vector")),
        }[kind]()
    kind = rng.choice(("add", "scale", "mul", "conj"))
    return {
        "add": lambda: ("add", some("quaternion"), some("quaternion")),
        "scale": lambda: ("scale", some("scalar"), some("quaternion")),
        "mul": lambda: ("qmul", some("quaternion"), some("quaternion")),
        "conj": lambda: ("conj", some("quaternion")),
    }[kind]()


def angle(rng: random.Random) -> Tree:
    one, other = (("leaf", n) for n in rng.sample("xy", 2))
    return rng.choice((one, ("add", one, other), ("scale", ("number", rng.choice((-1, 2, 3))), one),
                       ("scale", one, ("add", other, ("number", 2)))))  # fmt: skip


ZERO_OF = {"vector": ("scale", ("number", 0), ("leaf", "a")), "scalar": ("number", 0)}


def minus(t: Tree) -> Tree:
    return ("scale", ("number", -1), t)


def rewrite(rng: random.Random, t: Tree) -> Tree:
    """One true identity at the root, if one fits; the choice among those that fit is random."""
    kind, args = t[0], t[1:]
    ways: list[Callable[[], Tree]] = []

    def at(i: int) -> Tree:
        x: Tree = args[i]
        return x

    if kind == "add":
        ways.append(lambda: ("add", at(1), at(0)))
        if at(0)[0] == "add":
            ways.append(lambda: ("add", at(0)[1], ("add", at(0)[2], at(1))))
    if kind in ("scale", "mul", "cross", "dot", "dyad", "bra", "qmul"):
        for i in (0, 1):
            if at(i)[0] == "add":
                ways.append(lambda i=i: ("add", *[(kind, *args[:i], p, *args[i + 1 :]) for p in at(i)[1:]]))  # type: ignore[misc]
            if at(i)[0] == "scale" and kind != "scale":
                ways.append(lambda i=i: ("scale", at(i)[1], (kind, *args[:i], at(i)[2], *args[i + 1 :])))  # type: ignore[misc]
    if kind in ("lin", "pro", "tilde", "transpose", "trace", "conj", "part"):
        if at(0)[0] == "add":
            ways.append(lambda: ("add", *[(kind, p) for p in at(0)[1:]]))
        if at(0)[0] == "scale":
            ways.append(lambda: ("scale", at(0)[1], (kind, at(0)[2])))
    if kind in ("inv", "two") and at(0)[0] == "scale":
        front = at(0)[1]
        ways.append(lambda: ("scale", front if kind == "inv" else ("scale", front, front), (kind, at(0)[2])))
    if kind in ("dot", "sym", "com", "max"):
        ways.append(lambda: (kind, at(1), at(0)))
    if kind in ("cross", "bra"):
        ways.append(lambda: minus((kind, at(1), at(0))))
    if kind in ("com", "ass", "max", "mul", "qmul") and at(0)[0] == kind:
        ways.append(lambda: (kind, at(0)[1], (kind, at(0)[2], at(1))))
    if kind in ("com", "ass", "max", "mul", "qmul") and at(1)[0] == kind:
        ways.append(lambda: (kind, (kind, at(0), at(1)[1]), at(1)[2]))
    if kind == "max":
        ways.append(lambda: ("max", at(0), ("max", at(1), at(0))))
    if kind == "pro":
        ways.append(lambda: ("pro", t))
    if kind == "mul" and at(0) in (("leaf", "D"), ("leaf", "E")) and at(1) in (("leaf", "D"), ("leaf", "E")):
        ways.append(lambda: ("mul", at(1), at(0)))
    if kind == "mul" and {at(0), at(1)} == {("leaf", "A"), ("leaf", "M")}:
        ways.append(lambda: ("mul", at(1), at(0)))
    if kind == "cross":
        if at(1)[0] == "cross":
            b, c = at(1)[1:]
            ways.append(lambda: ("add", ("scale", ("dot", at(0), c), b), minus(("scale", ("dot", at(0), b), c))))
        ways.append(lambda: ("mul", ("tilde", at(0)), at(1)))
    if kind == "transpose":
        if at(0)[0] == "mul":
            ways.append(lambda: ("mul", ("transpose", at(0)[2]), ("transpose", at(0)[1])))
        if at(0)[0] == "dyad":
            ways.append(lambda: ("dyad", at(0)[2], at(0)[1]))
    if kind == "trace" and at(0)[0] == "mul":
        ways.append(lambda: ("trace", ("mul", at(0)[2], at(0)[1])))
    if kind == "tilde" and at(0)[0] == "cross":
        b, c = (("tilde", x) for x in at(0)[1:])
        ways.append(lambda: ("add", ("mul", b, c), minus(("mul", c, b))))
    if kind == "dot" and at(1)[0] == "mul":
        ways.append(lambda: ("dot", ("mul", ("transpose", at(1)[1]), at(0)), at(1)[2]))
    if kind in ("sin", "cos", "exp") and at(0)[0] == "add":
        x, y = at(0)[1:]
        ways.append({
            "exp": lambda: ("scale", ("exp", x), ("exp", y)),
            "sin": lambda: ("add", ("scale", ("sin", x), ("cos", y)), ("scale", ("cos", x), ("sin", y))),
            "cos": lambda: ("add", ("scale", ("cos", x), ("cos", y)), minus(("scale", ("sin", x), ("sin", y)))),
        }[kind])  # fmt: skip
    if kind == "leaf":
        name = at(0)
        inserted = {
            "R": ("mul", ("leaf", "R"), ("mul", ("transpose", ("leaf", "R")), ("leaf", "R"))),
            "K": ("mul", ("leaf", "K"), ("mul", ("transpose", ("leaf", "K")), ("leaf", "K"))),
            "S": ("transpose", ("leaf", "S")),
            "G": ("mul", ("leaf", "G"), ("leaf", "G")),
            "N": ("add", ("leaf", "N"), ("mul", ("leaf", "N"), ("mul", ("leaf", "N"), ("leaf", "N")))),
            "M": (
                "add",
                ("leaf", "M"),
                ("add", ("mul", ("leaf", "A"), ("leaf", "M")), minus(("mul", ("leaf", "M"), ("leaf", "A")))),
            ),
            "v": ("add", ("leaf", "v"), ("cross", ("leaf", "v"), ("leaf", "a"))),
            "w": (
                "add",
                ("leaf", "w"),
                (
                    "scale",
                    ("add", ("dot", ("leaf", "w"), ("leaf", "w")), minus(("scale", ("leaf", "k"), ("leaf", "k")))),
                    ("leaf", "b"),
                ),
            ),
            "W": minus(("transpose", ("leaf", "W"))),
            "u": ("scale", ("dot", ("leaf", "u"), ("leaf", "u")), ("leaf", "u")),
            "n": ("add", ("leaf", "n"), ("scale", ("dot", ("leaf", "u"), ("leaf", "n")), ("leaf", "a"))),
            "e": ("cross", ("leaf", "f"), ("cross", ("leaf", "e"), ("leaf", "f"))),
            "r": ("scale", ("norm2", ("leaf", "r")), ("leaf", "r")),
        }
        if name in inserted:
            ways.append(lambda: inserted[name])
        if name in "abcvw":
            ways.append(lambda: ("inv", ("inv", t)))
            ways.append(lambda: ("add", t, ("nil", ("nil", ("nil", t)))))
        if name in "kmxy":
            square = ("add", *[("scale", (f, ("leaf", "x")), (f, ("leaf", "x"))) for f in ("sin", "cos")])
            ways.append(lambda: ("scale", square, t))
            ways.append(lambda: ("scale", ("scale", ("exp", ("leaf", "x")), ("exp", minus(("leaf", "x")))), t))
    if kind == "abs":
        ways.append(lambda: ("abs", minus(at(0))))
        if at(0)[0] == "scale":
            ways.append(lambda: ("scale", ("abs", at(0)[1]), ("abs", at(0)[2])))
    if kind == "root":
        ways.append(lambda: ("root", minus(at(0))))
    if kind == "norm2" and at(0)[0] == "qmul":
        ways.append(lambda: ("scale", ("norm2", at(0)[1]), ("norm2", at(0)[2])))
    return rng.choice(ways)() if ways else t


def rewritten(rng: random.Random, t: Tree, chance: float) -> Tree:
    """True identities at random places, operands first."""
    inner = t if t[0] in ("leaf", "number") else (t[0], *[rewritten(rng, x, chance) for x in t[1:]])
    return rewrite(rng, inner) if rng.random() < chance else inner


def spoiled(rng: random.Random, t: Tree) -> Tree:
    """One change of sign, factor, name or order somewhere."""
    if t[0] == "leaf":
        sort = next(s for s, names in NAMES.items() if t[1] in names)
        return ("leaf", rng.choice(NAMES[sort])) if rng.random() < 0.7 else minus(t)
    if t[0] == "number":
        return ("number", t[1] + 1)
    if rng.random() < 0.25:
        swaps = {"sin": "cos", "cos": "sin", "pro": "lin", "lin": "pro", "com": "sym", "ass": "com", "inv": "lin"}
        if t[0] in swaps:
            return (swaps[t[0]], *t[1:])
        if t[0] in ("mul", "cross", "ass", "qmul") and len(t) == 3:
            try:
                if value_sort(t[1]) == value_sort(t[2]):
                    return (t[0], t[2], t[1])
            except KeyError:
                pass
        if t[0] not in ("sin", "cos", "exp"):
            return ("scale", ("number", rng.choice((-1, 2))), t)
    i = rng.randrange(1, len(t))
    return (*t[:i], spoiled(rng, t[i]), *t[i + 1 :])


def value_sort(t: Tree) -> str:
    return str(to_term(t).sort)


# -- the two interpreters ----------------------------------------------------------------------------------------------


def to_term(t: Tree) -> al.Term:
    kind = t[0]
    if kind == "leaf":
        return LEAVES[t[1]]
    if kind == "number":
        return al.number(t[1])
    args = [to_term(x) for x in t[1:]]
    if kind in OPERATORS:
        return OPERATORS[kind][0](*args)
    if kind in ("sin", "cos", "exp"):
        return al.scalar(getattr(ex, kind)(al.to_expr(args[0])))
    return {
        "add": lambda: args[0] + args[1], "scale": lambda: args[0] * args[1], "mul": lambda: args[0] * args[1],
        "qmul": lambda: args[0] * args[1], "dot": lambda: al.dot(*args), "cross": lambda: al.cross(*args),
        "trace": lambda: al.trace(*args), "transpose": lambda: al.transpose(*args), "tilde": lambda: al.tilde(*args),
        "dyad": lambda: al.dyad(*args), "conj": lambda: al.conjugate(*args), "part": lambda: al.vector_part(*args),
        "norm2": lambda: al.squared_norm(*args), "abs": lambda: al.absolute(*args), "root": lambda: al.norm(*args),
    }[kind]()  # fmt: skip


def hamilton(p: Any, q: Any) -> Any:
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])))


def tilde(v: Any) -> Any:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def to_number(t: Tree, values: dict[str, Any], seen: list[float]) -> Any:
    """The value of a tree; `seen` gathers the size of every intermediate value."""
    kind = t[0]
    if kind == "leaf":
        return values[t[1]]
    if kind == "number":
        return float(t[1])
    x = [to_number(a, values, seen) for a in t[1:]]
    if kind in OPERATORS:
        found = values[kind](*x)
    else:
        found = {
            "add": lambda: x[0] + x[1], "scale": lambda: x[0] * x[1], "mul": lambda: x[0] @ x[1],
            "qmul": lambda: hamilton(*x), "dot": lambda: x[0] @ x[1], "cross": lambda: np.cross(*x),
            "trace": lambda: np.trace(x[0]), "transpose": lambda: x[0].T, "tilde": lambda: tilde(x[0]),
            "dyad": lambda: np.outer(*x), "conj": lambda: x[0] * np.array([1, -1, -1, -1]), "part": lambda: x[0][1:],
            "norm2": lambda: x[0] @ x[0], "abs": lambda: abs(x[0]), "root": lambda: math.sqrt(x[0] @ x[0]),
            "sin": lambda: math.sin(x[0]), "cos": lambda: math.cos(x[0]), "exp": lambda: math.exp(x[0]),
        }[kind]()  # fmt: skip
    seen.append(float(np.max(np.abs(found))))
    return found


def oracle(left: Tree, right: Tree, seed: int) -> bool | None:
    """Whether left = right for all arrays: False if some point says no, True if all are at rounding, else None."""
    worst = 0.0
    for point in range(POINTS):
        values = draw(np.random.default_rng((seed, point)))
        seen = [1.0]
        try:
            with np.errstate(all="ignore"):
                gap = np.max(np.abs(to_number(left, values, seen) - to_number(right, values, seen)))
        except OverflowError:
            continue
        if not np.isfinite(gap) or not np.isfinite(max(seen)):
            continue
        worst = max(worst, float(gap) / max(seen))
    if worst > LARGE:
        return False
    return True if worst < SMALL else None


@dataclass
class Report:
    """How the verdicts compare with the oracle."""

    terms: int = 0
    true: int = 0  # identities according to NumPy
    wrong_zero: list[str] = field(default_factory=list)
    wrong_not_zero: list[str] = field(default_factory=list)
    unsimplified: list[str] = field(default_factory=list)  # shown to be zero, yet `simplify` does not give 0
    undecided: list[str] = field(default_factory=list)
    undecided_true: int = 0
    undecided_false: int = 0
    unjudged: int = 0

    @property
    def decided(self) -> float:
        return 1 - (self.undecided_true + self.undecided_false) / max(self.terms, 1)

    def __str__(self) -> str:
        return (
            f"{self.terms} terms, {self.true} of them zero: wrong 'not zero' {len(self.wrong_not_zero)}, wrong 'zero' "
            f"{len(self.wrong_zero)}, decided {self.decided:.1%} (undecided: {self.undecided_true} zeros, "
            f"{self.undecided_false} others), not judged by the oracle {self.unjudged}"
        )


def audit(seeds: range) -> Report:
    report = Report()
    for seed in seeds:
        rng = random.Random(seed)
        sort = rng.choice(("scalar", "vector", "vector", "vector", "matrix", "quaternion"))
        tree = grow(rng, sort, rng.choice((1, 2, 2, 3)))
        other = rewritten(rng, tree, 0.6)
        if seed % 3 == 0:
            other = spoiled(rng, other)
        judge(report, tree, other, seed)
    return report


def judge(report: Report, tree: Tree, other: Tree, seed: int) -> None:
    term = to_term(tree) - to_term(other)
    verdict = al.is_zero(term)
    truth = oracle(tree, other, seed)
    report.terms += 1
    report.true += truth is True
    report.unjudged += truth is None
    name = f"seed {seed}: {term} ({verdict})"
    if verdict.zero is True and truth is False:
        report.wrong_zero.append(name)
    if verdict.zero is False and truth is True:
        report.wrong_not_zero.append(name)
    if verdict.zero is None:
        report.undecided_true += truth is True
        report.undecided.append(name)
        report.undecided_false += truth is not True
    if verdict.zero is True and term and seed % 10 == 0 and al.simplify(term) != 0:
        report.unsimplified.append(name)


if __name__ == "__main__":
    import sys

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found = audit(range(first, first + count))
    print(found)
    print(*found.wrong_not_zero[:10], *found.wrong_zero[:10], *found.unsimplified[:10], *found.undecided[:5], sep="\n")
