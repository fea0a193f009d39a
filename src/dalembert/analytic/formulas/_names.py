"""Names and formulas: text becomes SymPy through our own grammar, and one table says what every name stands for.

Coordinates and prescribed functions of time carry their derivatives as plain symbols with primes: x, x', x''.
The spellings `x_d`, `xd`, `x_dot` and `x'` mean the same velocity once `x` is known to move.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp
from sympy.core.function import AppliedUndef

from dalembert.errors import ExpressionError
from dalembert.expr._arithmetic import refuse_huge_power
from dalembert.expr._grammar import Number, is_name, parse

from ._exact import as_sympy, refuse_text

Formula: TypeAlias = "str | int | float | sp.Expr"
"""What a user may write where a formula is wanted."""

FUNCTIONS: dict[str, Any] = {
    **{name: getattr(sp, name) for name in "sqrt sin cos tan cot asin acos atan atan2 log exp".split()},
    **{name: getattr(sp, name) for name in "sinh cosh tanh asinh acosh atanh elliptic_k elliptic_e elliptic_f".split()},
    **dict.fromkeys(("abs", "Abs"), sp.Abs),  # as we write them, and as SymPy prints them
    **dict.fromkeys(("min", "Min"), sp.Min),
    **dict.fromkeys(("max", "Max"), sp.Max),
    **dict.fromkeys(("sign", "sgn"), sp.sign),
    "ln": sp.log,
    "arcsin": sp.asin,
    "arccos": sp.acos,
    "arctan": sp.atan,
    "arcsinh": sp.asinh,
    "arccosh": sp.acosh,
    "arctanh": sp.atanh,
    "sec": lambda a: 1 / sp.cos(a),
    "csc": lambda a: 1 / sp.sin(a),
    "sech": lambda a: 1 / sp.cosh(a),
    "csch": lambda a: 1 / sp.sinh(a),
    "coth": lambda a: sp.cosh(a) / sp.sinh(a),
    "log10": lambda a: sp.log(a, 10),
    "log2": lambda a: sp.log(a, 2),
}
_CONSTANTS = {"pi": sp.pi, "oo": sp.oo}
_POSITIVE = re.compile(r"^(m|M|g|k|w|omega|r|R|rho|l|L|I|J|hbar|mu|ell|kappa)(_?\d+|_?[a-z])?$")
_RELATIONS = {"==": sp.Eq, "<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge}


def infer_positive(name: str) -> bool:
    """Whether a name is by habit a positive quantity (masses, g, stiffness, frequency, lengths, inertias)."""
    return bool(_POSITIVE.match(name))


class Names:
    """The table of names of one problem: coordinates, prescribed functions of time, parameters, and their domains.

    A name is a real number unless it is declared `positive` or a sign. With `infer` the usual names of masses, lengths,
    stiffnesses and frequencies count as positive too, and `assumptions` says which.

    >>> names = Names(["x"], given=["h"])
    >>> names.read("m*x_d**2/2 - m*g*(x + h)")
    -g*m*(h + x) + m*x'**2/2
    >>> names.derivative(names.read("x*h"))
    h*x' + h'*x
    """

    def __init__(
        self,
        coordinates: Iterable[str] = (),
        *,
        given: Iterable[str] = (),
        positive: Iterable[str] = (),
        real: Iterable[str] = (),
        signs: Iterable[str] = (),
        infer: bool = False,
        independent: str = "t",
        slopes: bool = False,
    ) -> None:
        self.coordinates = tuple(coordinates)
        self.given = tuple(given)
        self.moving = (*self.coordinates, *self.given)
        self.positive, self.real, self.signs = set(positive), set(real), set(signs)
        self.infer = infer
        self.independent = independent
        self.slopes = slopes or independent != "t"
        self.table: dict[str, sp.Symbol] = {}
        self.own: frozenset[str] = frozenset()
        self.functions: frozenset[str] = frozenset()
        if independent in self.moving:
            raise ExpressionError(f"{independent!r} is the independent variable (time): call the coordinate otherwise")
        self.time = self.symbol(independent)
        clash = set(self.coordinates) & set(self.given)
        if clash or len(set(self.coordinates)) < len(self.coordinates):
            raise ExpressionError(f"a coordinate is declared twice: {sorted(clash) or list(self.coordinates)}")

    def __repr__(self) -> str:
        return f"Names({', '.join(f'{k} {v}' for k, v in self.assumptions().items())})"

    # -- symbols ---------------------------------------------------------------------------------------------------
    def symbol(self, name: str) -> sp.Symbol:
        """The symbol of a name; derivative spellings of moving names become primes."""
        name = self.canonical(name)
        if name not in self.table:
            if not is_name(name):
                raise ExpressionError(f"{name!r} is not a name: write letters, digits and _, as x, p_x or x'")
            self.table[name] = sp.Symbol(name, **self._domain(name))
        return self.table[name]

    def claim(self, *, but: Iterable[str] = (), functions: Iterable[str] = ()) -> None:
        """Keep the names met so far for the problem's own quantities: what views add is named apart from them."""
        self.own = frozenset(self.table) - {self.time.name, *but}
        self.functions = frozenset(functions)

    def fresh(self, wanted: str) -> str:
        """A name for a quantity that a view adds: as wanted, or with a mark where the problem uses it already."""
        while self.canonical(wanted) in self.own or wanted in self.moving:
            wanted += "_"
        return wanted

    def apart(self, *, positive: Iterable[str] = ()) -> Names:
        """A copy with further positive names, which this table does not come to know."""
        other = copy(self)
        other.table, other.positive = dict(self.table), self.positive | set(positive)
        return other

    def canonical(self, name: str) -> str:
        if name in self.moving:
            return name
        for match in _suffixes(name, slopes=self.slopes):
            base, suffix = name[: match[0]], match[1]
            if base in self.moving:
                return base + "'" * suffix
        return name

    def _domain(self, name: str) -> dict[str, bool]:
        if name in self.signs:
            return {"real": True, "nonzero": True}
        if name in self.positive or (self.infer and name not in self.real and infer_positive(name)):
            if name in self.coordinates and name not in self.positive and not re.match(r"^(r|rho)\d*$", name):
                return {"real": True}
            return {"positive": True}
        return {"real": True}

    def velocity(self, name: str, order: int = 1) -> sp.Symbol:
        """The symbol of the `order`-th time derivative of a moving name."""
        return self.symbol(name + "'" * order)

    @property
    def q(self) -> tuple[sp.Symbol, ...]:
        return tuple(self.symbol(name) for name in self.coordinates)

    @property
    def v(self) -> tuple[sp.Symbol, ...]:
        return tuple(self.velocity(name) for name in self.coordinates)

    @property
    def a(self) -> tuple[sp.Symbol, ...]:
        return tuple(self.velocity(name, 2) for name in self.coordinates)

    # -- formulas --------------------------------------------------------------------------------------------------
    def read(self, formula: Formula) -> Any:
        """A formula as a SymPy expression over this table; SymPy input is brought to the same symbols by name."""
        if isinstance(formula, str):
            return parse(formula, SympyBuilder(self), exact=True)
        expression = self._without_functions_of_time(as_sympy(formula))
        changes = {s: self.symbol(s.name) for s in expression.free_symbols if s != self.symbol(s.name)}
        return expression.xreplace(changes) if changes else expression

    def _without_functions_of_time(self, expression: Any) -> Any:
        """SymPy's habit th(t), Derivative(th(t), t) for a coordinate becomes th, th'."""
        if not expression.has(AppliedUndef):
            return expression

        def moves(f: Any) -> bool:
            return isinstance(f, AppliedUndef) and f.func.__name__ in self.moving

        def rate(e: Any) -> sp.Expr:
            base = self.of_time(e.args[0].func.__name__, e.args[0].args)
            return self.symbol(base.name + "'" * sum(int(count) for _, count in e.args[1:]))

        expression = expression.replace(lambda e: isinstance(e, sp.Derivative) and moves(e.args[0]), rate)
        return expression.replace(moves, lambda f: self.of_time(f.func.__name__, f.args))

    def of_time(self, name: str, arguments: Sequence[Any]) -> sp.Symbol:
        """The symbol of a coordinate that is written as a function of time."""
        if len(arguments) != 1 or str(arguments[0]) != self.independent:
            written = f"{name}({', '.join(map(str, arguments))})"
            raise ExpressionError(f"{written}: {name} is a function of {self.independent} alone; write {name}")
        return self.symbol(name)

    def domain(self, formula: Formula) -> tuple[sp.Expr, ...]:
        """Conditions `g > 0`, `g != 0` for a written formula to have a real value, by its quotients, roots, logarithms.

        SymPy cancels x/x before anyone can look: what is asked of x is noted while the text is read.
        """
        if not isinstance(formula, str):
            return ()
        builder = _DomainBuilder(self)
        parse(formula, builder, exact=True)
        return tuple(c for c in dict.fromkeys(builder.asked) if not c.has(sp.Dummy))

    def read_all(self, formulas: Iterable[Formula]) -> tuple[Any, ...]:
        return tuple(self.read(f) for f in formulas)

    def read_map(self, formulas: Mapping[str, Formula]) -> dict[sp.Symbol, Any]:
        return {self.symbol(name): self.read(value) for name, value in formulas.items()}

    def numbers(self, values: Mapping[str, float]) -> dict[sp.Symbol, sp.Expr]:
        """Numbers for names, ready to be substituted."""
        return {self.symbol(name): as_sympy(value) for name, value in values.items()}

    # -- time ------------------------------------------------------------------------------------------------------
    def derivative(self, expression: sp.Expr, order: int = 1) -> sp.Expr:
        """Total time derivative: d/dt = partial_t + x' partial_x + x'' partial_x' + ... over every moving name."""
        expression = as_sympy(expression)
        for _ in range(order):
            total = sp.diff(expression, self.time)
            for symbol in sorted(expression.free_symbols, key=str):
                base = symbol.name.rstrip("'")
                if base in self.moving:
                    total += sp.diff(expression, symbol) * self.symbol(symbol.name + "'")
            expression = total
        return expression

    def at_functions(self, expression: sp.Expr, functions: Mapping[str, sp.Expr]) -> sp.Expr:
        """Replace moving names and their derivatives by explicit functions of time."""
        refuse_text(expression, functions)
        changes = {}
        for symbol in expression.free_symbols:
            base = symbol.name.rstrip("'")
            if base in functions:
                changes[symbol] = sp.diff(functions[base], self.time, len(symbol.name) - len(base))
        return expression.subs(changes, simultaneous=True)

    def assumptions(self) -> dict[str, str]:
        """What is assumed of every name met so far, in words."""
        words = {}
        for name, symbol in sorted(self.table.items()):
            how = "declared" if name in self.positive else "by habit, as asked"
            words[name] = f"positive ({how})" if symbol.is_positive else "real"
            if name in self.signs:
                words[name] = "+1 or -1"
        return words


def _suffixes(name: str, *, slopes: bool = False) -> list[tuple[int, int]]:
    """Ways to read a name as base + derivative suffix: (length of base, order), longest base last."""
    found = []
    stripped = name.rstrip("'")
    if stripped != name:
        found.append((len(stripped), len(name) - len(stripped)))
    match = re.search(r"_?(d+)$", name)
    if match:
        whole = match.group(1)
        found += [(len(name) - n, n) for n in range(1, len(whole) + 1)]
        if name[: match.start()] != name[: match.start(1)]:
            found.append((match.start(), len(whole)))
    curves = (("p", 1), ("pp", 2)) if slopes else ()
    for word, order in (("_dot", 1), ("_ddot", 2), ("dot", 1), *curves):
        if name.endswith(word):
            found.append((len(name) - len(word), order))
    return found


_NOT_HERE = frozenset(
    "floor ceil ceiling round trunc int mod Mod frac factorial binomial heaviside Heaviside DiracDelta Piecewise "
    "acot asec acsc acoth asech acsch arccot sinc erf erfc pow power root cbrt square hypot exp2 expm1 log1p "
    "re im arg conjugate conj diff integrate limit Sum sum Product prod series sqr atan2d sind cosd tand norm "
    "where lt le gt ge eq ne fabs Sqrt sh ch tg ctg cosec arctan2 arsinh arcosh artanh".split()
)
"""Functions that everybody knows and the grammar does not: as unspecified ones, what is said of them would be wrong."""


def refuse_comparisons(parts: Sequence[Any]) -> None:
    """A comparison is true or false, and no part of a formula."""
    for one in parts:
        if isinstance(one, sp.logic.boolalg.Boolean) and not one.is_Symbol:
            raise ExpressionError(f"{one} is true or false, and no number: compare whole formulas only")


class SympyBuilder:
    """The builder that turns the grammar into SymPy; unknown function names become unspecified functions."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def number(self, value: Number) -> sp.Expr:
        return sp.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sp.Integer(value)

    def symbol(self, name: str) -> sp.Expr:
        return _CONSTANTS[name] if name in _CONSTANTS else self.names.symbol(name)

    def unary(self, operator: str, operand: sp.Expr) -> sp.Expr:
        refuse_comparisons([operand])
        return -operand

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        refuse_comparisons([left, right])
        if operator in _RELATIONS:
            return _RELATIONS[operator](left, right, evaluate=False)
        if operator == "+":
            return left + right
        if operator == "-":
            return left - right
        if operator == "*":
            return left * right
        if operator == "/":
            if right == 0:
                raise ExpressionError(f"division by zero in {left}/{right}")
            return left / right
        if left.is_Rational and right.is_Rational:
            refuse_huge_power(Fraction(left.p, left.q), Fraction(right.p, right.q))
        return left**right

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        if name in _NOT_HERE:
            raise ExpressionError(f"{name} is no function of these formulas, and it is not an unspecified one either")
        refuse_comparisons(arguments)
        if name == "Derivative":
            return self._derivative(*arguments)
        if name in self.names.moving:
            return self.names.of_time(name, arguments)
        if name == "Integral":
            function, variable, *bounds = arguments
            return sp.Integral(function, (variable, *bounds) if bounds else variable)
        if name in FUNCTIONS:
            try:
                return FUNCTIONS[name](*arguments)
            except TypeError as error:
                raise ExpressionError(f"{name} does not take {len(arguments)} arguments") from error
        if not arguments:
            raise ExpressionError(f"the unspecified function {name}() needs the names it depends on, as {name}(t)")
        return sp.Function(name, real=True)(*arguments)

    def _derivative(self, function: Any = None, *variables: Any) -> Any:
        """A derivative of a formula by time goes through everything that moves; others are SymPy's."""
        if function is None or not variables:
            raise ExpressionError("Derivative wants a formula and the names to differentiate by: Derivative(x, t)")
        if isinstance(function, AppliedUndef):
            return sp.Derivative(function, *variables)  # of f(x, t) by t: the partial one, as SymPy has it
        if all(v == self.names.time for v in variables):
            if any(s.name.rstrip("'") in self.names.moving for s in function.free_symbols):
                return self.names.derivative(function, len(variables))
        elif not all(v in function.free_symbols for v in variables):
            raise ExpressionError(f"Derivative({function}, {', '.join(map(str, variables))}) would be 0 by its writing")
        return sp.Derivative(function, *variables)


#: Functions that are quotients, and what they divide by.
_POLES = {"tan": sp.cos, "sec": sp.cos, "cot": sp.sin, "csc": sp.sin, "coth": sp.sinh, "csch": sp.sinh}


class _DomainBuilder(SympyBuilder):
    """Notes what must not vanish and what must be positive, in words."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self.asked: list[sp.Expr] = []

    def _nonzero(self, value: sp.Expr) -> None:
        value = sp.numer(value)
        if not value.is_number and not value.is_nonzero:
            self.asked.append(sp.Ne(value, 0, evaluate=False))

    def _positive(self, value: sp.Expr) -> None:
        if not value.is_number and not value.is_positive:
            self.asked.append(sp.Gt(value, 0, evaluate=False))

    def _derivative(self, function: Any = None, *variables: Any) -> Any:
        try:
            return super()._derivative(function, *variables)
        except ExpressionError:  # of a name that stands for a formula: nothing is asked of it here
            return sp.Dummy("slope")

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        if operator == "/":
            self._nonzero(right)
        if operator == "**" and not right.is_integer:
            self._positive(left)
        elif operator == "**" and not right.is_nonnegative:
            self._nonzero(left)
        return super().binary(operator, left, right)

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        if name in ("sqrt", "log", "ln") and len(arguments) == 1:
            self._positive(arguments[0])
        if name in ("asin", "acos", "atanh") and len(arguments) == 1:
            self._positive(1 - arguments[0] ** 2)
        if name == "acosh" and len(arguments) == 1:
            self._positive(arguments[0] - 1)
        if name in _POLES and len(arguments) == 1:
            self._nonzero(_POLES[name](arguments[0]))
        return super().call(name, arguments)
