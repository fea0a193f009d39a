"""From a function of the DAG to a routine of readable statements, the same for every language but for its syntax."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from dalembert.codegen.function import Function
from dalembert.codegen.languages.language import Group, Language, Routine
from dalembert.errors import ExpressionError
from dalembert.expr import FUNCTIONS, Expr, topological
from dalembert.expr.identifiers import Identifiers

_SUM, _PRODUCT, _ATOM = range(3)
_RELATIONS = ("lt", "le", "eq")
#: Names of parts of a long routine; macros that <math.h> and compilers define.
_FOREIGN = re.compile(
    r"^(M|FP|HUGE|MATH)_|^(linux|unix|i386|DOMAIN|SING|OVERFLOW|UNDERFLOW|PLOSS|TLOSS|MAXFLOAT|HUGE)$|^[^x].*_part\d+$"
)


def identifiers(language: Language, taken: Iterable[str] = ()) -> Identifiers:
    """Names that the language allows."""
    fold = str if language.case_matters else str.lower
    return Identifiers([*language.reserved, *FUNCTIONS, *taken], fold=fold, foreign=_FOREIGN.search)


def plain(text: str) -> str:
    """Text that is safe inside a comment of any language."""
    return re.sub(r"[^\w .,:;=()'+-]", "_", text)


def write_routine(
    function: Function, language: Language, groups: Sequence[str] | None = None, comment: str = "", out: str = "out"
) -> Routine:
    """Name what is used twice or would make a line too long, and write each definition in the language."""
    group_names = list(groups or [f"in{k}" for k in range(len(function.inputs))])
    for name in group_names:
        if not (name.isidentifier() and name.isascii()):
            raise ExpressionError(f"{name!r} cannot name an array: use letters, digits and _, as q or in0.")
    writer = _Writer(language, identifiers(language, [*group_names, out, "scratch", function.name]))
    given = {e for group in function.inputs for e in group}
    order = topological(function.outputs, stop=given)
    used = set(order)
    arrays = []
    for name, group in zip(group_names, function.inputs, strict=True):
        local = [(i, writer.introduce(e), plain(str(e))) for i, e in enumerate(group) if e in used]
        arrays.append(Group(name, len(group), local))
    writer.run([e for e in order if e not in given], function.outputs)
    results = [(i, writer.text(e)) for i, e in enumerate(function.outputs)]
    return Routine(function.name, plain(comment), arrays, writer.definitions, results, function.shape)


class _Writer:
    def __init__(self, language: Language, names: Identifiers) -> None:
        self.language, self.names = language, names
        self.written: dict[Expr, tuple[str, int]] = {}
        self.definitions: list[tuple[str, str]] = []
        self.count = 0

    def introduce(self, e: Expr) -> str:
        name = self.names.make(str(e))
        self.written[e] = (name, _ATOM)
        return name

    def text(self, e: Expr) -> str:
        if e.op in _RELATIONS and e not in self.named:
            return self.language.indicator(self.written[e][0])
        return self.written[e][0]

    def bracket(self, e: Expr, level: int) -> str:
        own = _ATOM if e.op in _RELATIONS else self.written[e][1]
        return self.text(e) if own >= level else f"({self.text(e)})"

    def run(self, order: Sequence[Expr], outputs: Sequence[Expr]) -> None:
        uses: dict[Expr, int] = {}
        for e in order:
            for a in e.args:
                uses[a] = uses.get(a, 0) + 1
            if e.op == "pow" and isinstance(e.args[1].data, int):
                uses[e.args[0]] += 1  # the base of a power is written several times
        for e in outputs:
            uses[e] = uses.get(e, 0) + 1
        self.named: set[Expr] = set()
        for e in order:
            string, level = self.write(e)
            self.written[e] = (string, level)
            if e.args and (uses.get(e, 0) > 1 or len(string) > self.language.longest):
                self.count += 1
                name = self.names.make(f"z{self.count}")
                self.definitions.append((name, self.text(e)))
                self.written[e] = (name, _ATOM)
                self.named.add(e)

    def condition(self, e: Expr) -> str:
        if e.op in _RELATIONS and e not in self.named:
            return self.written[e][0]
        return self.language.nonzero(self.text(e))

    def write(self, e: Expr) -> tuple[str, int]:
        d, op, args = self.language, e.op, e.args
        if op == "const":
            value = e.data.numerator / e.data.denominator if isinstance(e.data, Fraction) else float(e.data)
            return d.number(value), _ATOM if math.copysign(1.0, value) > 0 else _SUM
        if op == "pi":
            return d.pi, _ATOM
        if op in ("add", "sub"):
            sign = "+" if op == "add" else "-"
            return f"{self.text(args[0])} {sign} {self.bracket(args[1], _PRODUCT)}", _SUM
        if op == "neg":
            return f"-{self.bracket(args[0], _PRODUCT)}", _SUM
        if op == "mul":
            return f"{self.bracket(args[0], _PRODUCT)}*{self.bracket(args[1], _ATOM)}", _PRODUCT
        if op == "div":
            return f"{self.bracket(args[0], _PRODUCT)}/{self.bracket(args[1], _ATOM)}", _PRODUCT
        if op == "pow":
            exponent = args[1].data if args[1].op == "const" else None
            if isinstance(exponent, int) and 2 <= exponent <= 1000:
                return f"({d.power(self.bracket(args[0], _ATOM), exponent)})", _ATOM
            return d.general_power(self.text(args[0]), self.text(args[1])), _ATOM
        if op in _RELATIONS:
            a, b = (self.bracket(x, _ATOM) for x in args)
            return f"{a} {d.relations[op]} {b}", _SUM
        if op == "where":
            return d.choose(self.condition(args[0]), self.text(args[1]), self.text(args[2])), _ATOM
        return d.function(op, [self.text(a) for a in args]), _ATOM
