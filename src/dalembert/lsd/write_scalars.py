"""Scalar expressions as LSD text, node by node, so that reading the text builds the same nodes."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.lsd._tables import tables
from dalembert.lsd.lexer import SOFT
from dalembert.lsd.scope import CONSTANTS, EARTH_NAME, FUNCTIONS
from dalembert.lsd.types import FIELD_NAMES

_PLAIN = re.compile(r"[_A-Za-z][_A-Za-z0-9]*")
_SUM, _PRODUCT, ATOM = 1, 2, 4
_LONGEST = 200_000
_LONG = 200
_DEEPEST = 24


def word(name: str) -> str:
    """A name as LSD reads it: quoted when it is not an identifier or is a word of the language."""
    if _PLAIN.fullmatch(name) and (name not in tables().words or name in SOFT):
        return name
    if "`" in name or "\n" in name or not name:
        raise ModelError(f"the name {name!r} cannot be written in LSD. Rename it.")
    return f"`{name}`"


def symbol_word(name: str) -> str:
    """The name of a parameter: quoted also when the bare word would mean something predefined."""
    predefined = name in CONSTANTS or name in FUNCTIONS or name == EARTH_NAME or name in _GEOMETRIC
    return f"`{name}`" if predefined else word(name)


_GEOMETRIC = frozenset(("dot", "cross", "norm", "quaternion", "body_speeds"))


def number(value: int | float | Fraction) -> str:
    """A literal that reads back to the same number."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, float) and value - value != 0:
        raise ModelError(f"{value} cannot be written in LSD: only finite numbers can.")
    return repr(value)


class ScalarWriter:
    """Writes expressions of one place; `rates` are the primes that are allowed there.

    >>> from dalembert import expr as ex
    >>> ScalarWriter().text(ex.parse("-x**2/3"))
    '-(1/3*x^2)'
    """

    def __init__(self, parameters: Iterable[str] = ()) -> None:
        self.local = {p: word(p) for p in parameters}
        self.local |= {p + "'": word(p) + "'" for p in parameters}

    def text(self, e: Expr) -> str:
        """The formula; parts that are deep, or long and used twice, are named first with `local`."""
        order = ex.topological([e])
        uses = Counter(a for node in order for a in node.args)
        written: dict[Expr, tuple[str, int]] = {}
        depth: dict[Expr, int] = {}
        named: list[tuple[str, str]] = []
        taken = {node.name for node in order if node.op in ("symbol", "apply")} | set(self.local)
        fresh = (name for name in (f"z{k}" for k in itertools.count(1)) if name not in taken)
        for node in order:
            string, level = self._node(node, written)
            depth[node] = 1 + max((depth[a] for a in node.args), default=0)
            if node is not e and (depth[node] > _DEEPEST or (uses[node] > 1 and len(string) > _LONG)):
                name = next(fresh)
                named.append((name, string))
                string, level, depth[node] = name, ATOM, 1
            written[node] = (string, level)
            if len(string) > _LONGEST:
                raise ModelError("a formula of the mechanism is too long to be written as LSD text.")
        opening = "".join(f"local {name} = {value} in " for name, value in named)
        return opening + written[e][0] + " end" * len(named)

    def vector(self, value: Iterable[Expr]) -> str:
        return "[" + ", ".join(self.text(x) for x in value) + "]"

    def _node(self, e: Expr, written: dict[Expr, tuple[str, int]]) -> tuple[str, int]:
        op = e.op
        if op == "const":
            value = e.value
            if value < 0:
                return f"-{number(-value)}", _SUM
            return number(value), _PRODUCT if isinstance(value, Fraction) else ATOM
        if op == "symbol":
            return self._symbol(e), ATOM
        if op == "pi":
            if "pi" in self.local:
                raise ModelError("LSD reads the number pi beside a coordinate or argument 'pi' as this one. Rename it.")
            return "pi", ATOM
        parts = [written[a] for a in e.args]
        if op in _INFIX:
            return _infix(op, parts)
        if op == "neg":
            return "-" + _bracket(parts[0], ATOM), _SUM
        inside = ", ".join(p[0] for p in parts)
        if op == "apply":
            if any(e.orders) or not parts:
                raise ModelError(
                    f"the unknown function '{e.name}' is written in LSD with arguments and no derivatives."
                )
            if e.name in self.local:
                raise ModelError(
                    f"LSD reads the function '{e.name}' as the coordinate or argument '{e.name}'. Rename one."
                )
            return f"{symbol_word(e.name)}({inside})", ATOM
        if op not in FUNCTIONS:
            raise ModelError(f"the operation '{op}' has no LSD text.")
        return f"{op}({inside})", ATOM

    def _symbol(self, e: Expr) -> str:
        if e.name in self.local:
            return self.local[e.name]
        return "t" if e is ex.TIME else self._quantity(e.name) or symbol_word(e.name)

    def _quantity(self, name: str) -> str | None:
        """`hinge.th'` or `tip.X`, where nothing else can be meant by it."""
        owner, dot, what = name.rpartition(".")
        bare = what.rstrip("'")
        if not dot or not bare or owner in self.local or bare in FIELD_NAMES:
            return None
        return f"{word(owner)}.{word(bare)}{what[len(bare) :]}"


_INFIX = {"add": (" + ", _SUM), "sub": (" - ", _SUM), "mul": ("*", _PRODUCT), "div": ("/", _PRODUCT), "pow": ("^", 3)}


def _infix(op: str, parts: list[tuple[str, int]]) -> tuple[str, int]:
    sign, level = _INFIX[op]
    left_level = ATOM if op == "pow" else level
    # Left operands of the same level need no brackets, right ones do: the operators associate to the left.
    return _bracket(parts[0], left_level) + sign + _bracket(parts[1], level + 1), level


def _bracket(part: tuple[str, int], level: int) -> str:
    return part[0] if part[1] >= level else f"({part[0]})"
