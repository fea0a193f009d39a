"""Expressions for people: text and LaTeX, with named intermediates where a formula would not fit a page."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.expr._matrix import Matrix
from dalembert.expr._node import ONE, Expr
from dalembert.expr._table import FUNCTIONS
from dalembert.expr._traverse import LEAVES, topological

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
_COMPARE = 0
_LONGEST = 2000
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split()
)
_SHORT_GREEK = {"th": "theta", "ph": "phi", "ps": "psi", "al": "alpha", "be": "beta", "ga": "gamma", "om": "omega"}
RELATIONS = {"lt": "<", "le": "<=", "eq": "=="}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one notation writes each construct; operands come already written and bracketed."""

    number: Callable[[Any], tuple[str, int]]
    symbol: Callable[[str], str]
    pi: str
    product: Callable[[str, str], str]
    quotient: Callable[[str, str, int, int], tuple[str, int]]
    power: Callable[[str, str], str]
    call: Callable[[str, Sequence[str]], str]
    brackets: tuple[str, str]
    relations: dict[str, str]
    unknown: Callable[[str, tuple[int, ...], Sequence[str]], str]


def _text_number(value: Any) -> tuple[str, int]:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}", PRODUCT if value > 0 else SUM
    written = repr(value)
    return written, ATOM if value >= 0 else SUM


def _text_quotient(a: str, b: str, a_level: int, b_level: int) -> tuple[str, int]:
    top = a if a_level >= PRODUCT else f"({a})"
    bottom = b if b_level >= POWER else f"({b})"
    return f"{top}/{bottom}", PRODUCT


def _text_unknown(name: str, orders: tuple[int, ...], args: Sequence[str]) -> str:
    slopes = "".join(f"_{i + 1}" * order for i, order in enumerate(orders))
    mark = f"D{slopes}_" if any(orders) else ""
    return f"{mark}{name}({', '.join(args)})"


TEXT = Dialect(
    number=_text_number,
    symbol=lambda name: name,
    pi="pi",
    product=lambda a, b: f"{a}*{b}",
    quotient=_text_quotient,
    power=lambda a, b: f"{a}**{b}",
    call=lambda op, args: f"{op}({', '.join(args)})",
    brackets=("(", ")"),
    relations=RELATIONS,
    unknown=_text_unknown,
)


def latex_name(name: str) -> str:
    """A readable LaTeX symbol: `elbow.th'` becomes a dotted theta with the link as index."""
    bare = name.rstrip("'")
    dots = len(name) - len(bare)
    *owners, own = bare.split(".")
    match = re.fullmatch(r"([A-Za-z]+?)_?(\d+(?:_\d+)*|)((?:_\w+)*)", own)
    stem, index = (match[1], (match[2] + match[3]).strip("_")) if match else (own, "")
    stem = _SHORT_GREEK.get(stem, stem) if owners else stem
    head = f"\\{stem}" if stem in _GREEK else stem if len(stem) == 1 else f"\\mathrm{{{_escape(stem)}}}"
    if dots:
        head = f"\\{'d' * dots}ot{{{head}}}" if dots < 4 else f"{{{head}^{{({dots})}}}}"
    below = ",".join([_escape(part) for part in [index, *owners] if part])
    return f"{head}_{{\\mathrm{{{below}}}}}" if below else head


def _escape(text: str) -> str:
    return re.sub(r"([_#$%&{}])", r"\\\1", text)


def _latex_number(value: Any) -> tuple[str, int]:
    if isinstance(value, Fraction):
        sign = "-" if value < 0 else ""
        return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}", POWER if value > 0 else SUM
    written = repr(value)
    if "e" in written:
        digits, exponent = written.split("e")
        return f"{digits} \\cdot 10^{{{int(exponent)}}}", PRODUCT if value > 0 else SUM
    return written, ATOM if value >= 0 else SUM


def _latex_unknown(name: str, orders: tuple[int, ...], args: Sequence[str]) -> str:
    head = latex_name(name)
    slopes = "".join(
        f"\\partial_{{{i + 1}}}^{{{o}}}" if o > 1 else f"\\partial_{{{i + 1}}}" for i, o in enumerate(orders) if o
    )
    return f"{slopes}{head}\\left({', '.join(args)}\\right)"


LATEX = Dialect(
    number=_latex_number,
    symbol=latex_name,
    pi="\\pi",
    product=lambda a, b: f"{a} \\cdot {b}" if b[0].isdigit() else f"{a} {b}",
    quotient=lambda a, b, x, y: (f"\\frac{{{a}}}{{{b}}}", POWER),
    power=lambda a, b: f"{a}^{{{b}}}",
    call=lambda op, args: FUNCTIONS[op].in_latex(list(args)),
    brackets=("\\left(", "\\right)"),
    relations={"lt": "<", "le": "\\leq", "eq": "="},
    unknown=_latex_unknown,
)


class Writer:
    """Writes nodes bottom-up; a node with a name is written as that name."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.written: dict[Expr, tuple[str, int]] = {}

    def bracket(self, e: Expr, level: int) -> str:
        string, own = self.written[e]
        return string if own >= level else self.dialect.brackets[0] + string + self.dialect.brackets[1]

    def in_order(self, e: Expr) -> tuple[Expr, Expr]:
        """Commuting operands as people write them, whatever the order of creation: `2*x*(a + b)`, `x + 1`.

        A chain of sums or products goes left, where the grammar groups it again; then the longer term of a sum, the
        plainer factor of a product.
        """
        a, b = e.args
        if "const" in (a.op, b.op):
            return (a, b) if (b.op == "const") == (e.op == "add") else (b, a)
        a_chain, b_chain = (x.op == e.op and x not in self.named for x in (a, b))
        if a_chain != b_chain:
            return (a, b) if a_chain else (b, a)
        first, second = sorted((a, b), key=self._longest_first if e.op == "add" else self._plainest_first)
        return first, second

    def _longest_first(self, e: Expr) -> tuple[int, str]:
        string = self.written[e][0]
        return -len(string), string

    def _plainest_first(self, e: Expr) -> tuple[bool, str]:
        return e.op not in LEAVES, self.written[e][0]

    def write(self, e: Expr) -> tuple[str, int]:
        d, op, args = self.dialect, e.op, e.args
        if op == "const":
            return d.number(e.data)
        if op == "symbol":
            return d.symbol(e.data), ATOM
        if op == "pi":
            return d.pi, ATOM
        if op == "add":
            a, b = self.in_order(e)
            if b.op == "const" and b.data < 0:
                return f"{self.bracket(a, SUM)} - {d.number(-b.data)[0]}", SUM
            return f"{self.bracket(a, SUM)} + {self.bracket(b, SUM)}", SUM
        if op == "sub":
            return f"{self.bracket(args[0], SUM)} - {self.bracket(args[1], PRODUCT)}", SUM
        if op == "neg":
            inner = args[0]
            if inner.op == "sub" and inner not in self.named:
                return f"{self.bracket(inner.args[1], SUM)} - {self.bracket(inner.args[0], PRODUCT)}", SUM
            return f"-{self.bracket(inner, PRODUCT)}", SUM
        if op == "mul":
            return self.write_product(*self.in_order(e))
        if op == "div":
            (top, x), (bottom, y) = self.written[args[0]], self.written[args[1]]
            return d.quotient(top, bottom, x, y)
        if op == "pow":
            exponent = self.written[args[1]][0] if d is LATEX else self.bracket(args[1], ATOM)
            return d.power(self.bracket(args[0], ATOM), exponent), POWER
        if op in d.relations:
            return f"{self.bracket(args[0], SUM)} {d.relations[op]} {self.bracket(args[1], SUM)}", _COMPARE
        if op == "apply":
            return d.unknown(e.name, e.orders, [self.written[a][0] for a in args]), ATOM
        return d.call(op, [self.written[a][0] for a in args]), ATOM

    def write_product(self, a: Expr, b: Expr) -> tuple[str, int]:
        d = self.dialect
        if a.op != "const":
            # The grammar groups to the left: a quotient on the right needs brackets to come back as it is.
            right = self.bracket(b, POWER if b.op == "div" and b not in self.named else PRODUCT)
            return d.product(self.bracket(a, PRODUCT), right), PRODUCT
        if b.op == "div" and b.args[0] is ONE and b not in self.named and not isinstance(a.data, float):
            top, bottom = a.data.as_integer_ratio()
            below, level = self.written[b.args[1]]
            if bottom != 1:
                below, level = d.product(d.number(bottom)[0], self.bracket(b.args[1], PRODUCT)), PRODUCT
            return d.quotient(d.number(top)[0], below, ATOM, level)
        return d.product(d.number(a.data)[0], self.bracket(b, PRODUCT)), PRODUCT

    named: dict[Expr, str]

    def run(
        self, exprs: Sequence[Expr], shared: bool, longest: int, names: Iterator[str] | None = None
    ) -> list[tuple[str, str]]:
        """Definitions in order, by `names` or z1, z2...; afterwards `written` holds every result."""
        order = topological(exprs)
        taken = {e.data for e in order if e.op == "symbol"}
        names = names or (name for name in (f"z{i}" for i in itertools.count(1)) if name not in taken)
        uses = Counter(a for e in order for a in e.args)
        expiring = _last_readings(order, keep=exprs)
        self.named = {}
        definitions: list[tuple[str, str]] = []
        for e in order:
            string, level = self.write(e)
            wants_name = shared and uses[e] > 1 and len(string) > 8
            if e.op not in LEAVES and (wants_name or len(string) > longest) and uses[e]:
                name = next(names)
                self.named[e] = name
                shown = self.dialect.symbol(name)
                definitions.append((shown, string))
                string, level = shown, ATOM
            self.written[e] = (string, level)
            for a in expiring.get(e, ()):
                del self.written[a]
        return definitions


def _last_readings(order: Sequence[Expr], keep: Iterable[Expr]) -> dict[Expr, list[Expr]]:
    """For each node the strings that it is the last to need: a million nodes must not keep a million long strings."""
    last: dict[Expr, Expr] = {}
    for e in order:
        for a in e.args:
            last[a] = e
            if e.op == "neg":  # the negative of a difference is written from the operands of the difference
                last.update(dict.fromkeys(a.args, e))
            elif e.op == "mul" and a.op == "div":  # likewise 3/x
                last[a.args[1]] = e
    for e in keep:
        last.pop(e, None)
    expiring: dict[Expr, list[Expr]] = {}
    for a, e in last.items():
        expiring.setdefault(e, []).append(a)
    return expiring


def text(e: Expr) -> str:
    """Infix text that our own grammar reads back; a formula too long for that is cut and says so."""
    written, cut = _in_one_line(e)
    return f"{written}  [{cut} intermediates; see listing()]" if cut else written


def _in_one_line(e: Expr) -> tuple[str, int]:
    writer = Writer(TEXT)
    definitions = writer.run([e], shared=False, longest=_LONGEST)
    return writer.written[e][0], len(definitions)


def latex(e: Expr) -> str:
    writer = Writer(LATEX)
    definitions = writer.run([e], shared=False, longest=_LONGEST)
    where = ",\\quad ".join(f"{name} = {value}" for name, value in definitions[:40])
    more = ",\\quad \\ldots" if len(definitions) > 40 else ""
    return writer.written[e][0] + (f",\\quad {where}{more}" if definitions else "")


@dataclass(frozen=True, slots=True)
class Listing:
    """Expressions with their shared intermediates named `z1, z2, ...`."""

    definitions: tuple[tuple[str, str], ...]
    results: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{name} = {value}" for name, value in self.definitions]
        return "\n".join([*lines, *self.results])


def listing(exprs: Iterable[Expr], *, notation: str = "text", longest: int = 160) -> Listing:
    """Intermediates that are used twice, or would make a line too long, get names.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> print(ex.listing([ex.sin(x + 1) ** 2 + 1 / ex.sin(x + 1)]))
    z1 = sin(x + 1)
    z1**2 + 1/z1
    """
    exprs = list(exprs)
    writer = Writer(LATEX if notation == "latex" else TEXT)
    definitions = writer.run(exprs, shared=True, longest=longest)
    return Listing(tuple(definitions), tuple(writer.written[e][0] for e in exprs))


def latex_matrix(matrix: Matrix) -> str:
    shown = listing(matrix.entries, notation="latex", longest=400)
    n = matrix.shape[1]
    rows = [" & ".join(shown.results[i * n : (i + 1) * n]) for i in range(matrix.shape[0])]
    body = "\\begin{bmatrix}" + " \\\\ ".join(rows) + "\\end{bmatrix}"
    where = ",\\quad ".join(f"{name} = {value}" for name, value in shown.definitions[:40])
    more = ",\\quad \\ldots" if len(shown.definitions) > 40 else ""
    return body + (f"\\quad {where}{more}" if shown.definitions else "")
