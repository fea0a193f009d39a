"""A strict reader of what we write for computer algebra systems: assignments of numbers, columns and matrices.

It knows the documented syntax of each system and no more, so that a word of another system is an error.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NUMBER = r"\d+\.?\d*(?:(?:\*\^|e)-?\d+)?"
SYNTAX = {
    "maple": {"assign": ":=", "end": ":", "calls": "()", "lists": "[]", "name": r"[A-Za-z_]\w*"},
    "mathematica": {"assign": "=", "end": ";", "calls": "[]", "lists": "{}", "name": r"[A-Za-z$][A-Za-z0-9$]*"},
    "maxima": {"assign": ":", "end": "$", "calls": "()", "lists": "[]", "name": r"%?[A-Za-z_]\w*"},
}
COMMENT = {"maple": r"#.*", "mathematica": r"\(\*.*?\*\)", "maxima": r"/\*.*?\*/"}
PLAIN = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "sqrt": math.sqrt, "log": math.log,
         "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh}  # fmt: skip
FUNCTIONS: dict[str, dict[str, Any]] = {
    "maple": PLAIN
    | {"arcsin": math.asin, "arccos": math.acos, "arctan": lambda *a: math.atan2(*a) if a[1:] else math.atan(*a)}
    | {"abs": abs, "signum": np.sign, "min": min, "max": max, "piecewise": lambda c, a, b: a if c else b},
    "mathematica": {k.capitalize(): f for k, f in PLAIN.items()}
    | {"ArcSin": math.asin, "ArcCos": math.acos, "Abs": abs, "Sign": np.sign, "Min": min, "Max": max, "Boole": float}
    | {"ArcTan": lambda *a: math.atan2(a[1], a[0]) if a[1:] else math.atan(*a)}
    | {"Piecewise": lambda a, b: a[0][0] if a[0][1] else b},
    "maxima": PLAIN
    | {"asin": math.asin, "acos": math.acos, "atan": math.atan, "atan2": math.atan2, "abs": abs, "signum": np.sign}
    | {"min": min, "max": max, "equal": lambda a, b: a == b, "notequal": lambda a, b: a != b},
}


def tilde(v: Any) -> Any:
    x, y, z = np.ravel(v)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def eye(size: float) -> Any:
    return np.eye(round(size))


def block(rows: Any) -> Any:
    return np.block([[np.asarray(x, float) for x in row] for row in rows])


MATRICES: dict[str, dict[str, Any]] = {
    "maple": {"Vector": np.array, "Matrix": block, "Transpose": np.transpose, "IdentityMatrix": eye},
    "mathematica": {"Transpose": np.transpose, "IdentityMatrix": eye, "ArrayFlatten": block},
    "maxima": {"matrix": lambda *rows: np.array(rows, float), "transpose": np.transpose, "ident": eye}
    | {"addcol": lambda *a: np.hstack(a), "addrow": lambda *a: np.vstack(a)},
}


@dataclass
class Reader:
    """Runs a file; `values` are the numbers of its free names, `unknown` gives unknown functions and their slopes."""

    system: str
    values: dict[str, float]
    unknown: dict[str, Any] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)

    def run(self, text: str) -> dict[str, Any]:
        rule = SYNTAX[self.system]
        found: dict[str, Any] = {}
        for line in text.splitlines():
            line = re.sub(COMMENT[self.system], "", line).strip()
            if not line or line == "with(LinearAlgebra):" or line.startswith("tilde"):
                continue
            assert line.endswith(rule["end"]), line
            name, _, value = line[: -len(rule["end"])].partition(f" {rule['assign']} ")
            assert re.fullmatch(rule["name"], name), name
            found[name] = self.values[name] = self.read(value)
        return found

    def read(self, text: str) -> Any:
        words = rf"\s*({NUMBER}|{SYNTAX[self.system]['name']}|<=|<>|==|!=|[-+*/^.,()\[\]{{}}<>=])"
        self.tokens, at = [], 0
        while at < len(text):
            match = re.compile(words).match(text, at)
            assert match, text[at : at + 40]
            self.tokens.append(match[1])
            at = match.end()
        value = self.relation()
        assert not self.tokens, self.tokens
        return value

    def take(self, *wanted: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def need(self, wanted: str) -> None:
        assert self.take(wanted), (wanted, self.tokens[:8])

    def relation(self) -> Any:
        left = self.total()
        signs = {"maple": "< <= = <>", "mathematica": "< <= == !=", "maxima": "< <="}[self.system].split()
        sign = self.take(*signs)
        if sign is None:
            return left
        right = self.total()
        return {"<": left < right, "<=": left <= right}.get(sign, (left == right) == (sign in ("=", "==")))

    def total(self) -> Any:
        value = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            other = self.product()
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> Any:
        value = self.power()
        while sign := self.take("*", "/", "."):
            other = self.power()
            value = value @ other if sign == "." else value * other if sign == "*" else value / other
        return value

    def power(self) -> Any:
        value = self.atom()
        return value ** self.atom() if self.take("^") else value

    def atom(self) -> Any:
        rule = SYNTAX[self.system]
        word = self.tokens.pop(0)
        if word == "(":
            value = self.condition() if self.tokens[0] == "if" else self.relation()
            self.need(")")
            return value
        if word == rule["lists"][0]:
            found = self.items(rule["lists"][1])
            alike = self.system == "mathematica" and len({np.shape(x) for x in found}) == 1
            return np.array(found, float) if alike and found else found
        if word[0].isdigit():
            return float(word.replace("*^", "e"))
        if word in ("Derivative", "D") and self.take("["):
            orders = self.items("]")
            self.need(rule["calls"][0])
            name = self.tokens.pop(0)
            self.need(rule["calls"][1])
            word = f"{name}:{orders}"
        if self.take(rule["calls"][0]):
            args = self.items(rule["calls"][1])
            if word in self.unknown:
                return self.unknown[word](*args)
            if word == "tilde":
                return tilde(*args)
            return {**FUNCTIONS[self.system], **MATRICES[self.system]}[word](*args)
        if word == {"maple": "Pi", "mathematica": "Pi", "maxima": "%pi"}[self.system]:
            return math.pi
        return self.values[word]

    def condition(self) -> Any:
        self.need("if")
        asked = self.relation()
        self.need("then")
        yes = self.relation()
        self.need("else")
        no = self.relation()
        return yes if asked else no

    def items(self, end: str) -> list[Any]:
        found: list[Any] = []
        if self.take(end):
            return found
        while True:
            found.append(self.relation())
            if self.take(end):
                return found
            self.need(",")
