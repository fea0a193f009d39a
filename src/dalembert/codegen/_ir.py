"""A writer of LLVM instructions for vectors of doubles of one width; width 1 is plain doubles."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def double_bits(value: float) -> str:
    """The exact hexadecimal literal of a double."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Writer:
    """Appends instructions to a basic block; each method returns the name of its result."""

    def __init__(self, width: int, prefix: str = "v") -> None:
        self.width = width
        self.lines: list[str] = []
        self.prefix = prefix
        self.count = 0
        self.real = "double" if width == 1 else f"<{width} x double>"
        self.integer = "i64" if width == 1 else f"<{width} x i64>"
        self.truth = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"

    def name(self) -> str:
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def emit(self, instruction: str) -> str:
        result = self.name()
        self.lines.append(f"  {result} = {instruction}")
        return result

    def line(self, text: str) -> None:
        self.lines.append(text)

    # numbers
    def constant(self, value: float) -> str:
        bits = double_bits(value)
        return bits if self.width == 1 else f"<{', '.join([f'double {bits}'] * self.width)}>"

    def whole(self, value: int) -> str:
        return str(value) if self.width == 1 else f"<{', '.join([f'i64 {value}'] * self.width)}>"

    def spread(self, value: str) -> str:
        """A number in all lanes."""
        if self.width == 1:
            return value
        lane = self.emit(f"insertelement {self.real} poison, double {value}, i32 0")
        return self.emit(f"shufflevector {self.real} {lane}, {self.real} poison, <{self.width} x i32> zeroinitializer")

    # arithmetic
    def add(self, a: str, b: str) -> str:
        return self.emit(f"fadd {self.real} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.emit(f"fsub {self.real} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.emit(f"fmul {self.real} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        return self.emit(f"fdiv {self.real} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.emit(f"fneg {self.real} {a}")

    def fused(self, a: str, b: str, c: str) -> str:
        """a*b + c, rounded once where the processor can."""
        t = self.real
        return self.emit(f"call {t} @llvm.fmuladd.{self.suffix}({t} {a}, {t} {b}, {t} {c})")

    def polynomial(self, x: str, coefficients: Iterable[float]) -> str:
        """Horner's rule, lowest coefficient first."""
        highest, *rest = reversed(list(coefficients))
        value = self.constant(highest)
        for c in rest:
            value = self.fused(value, x, self.constant(c))
        return value

    def intrinsic(self, name: str, *args: str) -> str:
        t = self.real
        return self.emit(f"call {t} @llvm.{name}.{self.suffix}({', '.join(f'{t} {a}' for a in args)})")

    # choice
    def compare(self, relation: str, a: str, b: str) -> str:
        return self.emit(f"fcmp {relation} {self.real} {a}, {b}")

    def select(self, condition: str, a: str, b: str) -> str:
        return self.emit(f"select {self.truth} {condition}, {self.real} {a}, {self.real} {b}")

    # bits
    def bits(self, a: str) -> str:
        return self.emit(f"bitcast {self.real} {a} to {self.integer}")

    def from_bits(self, a: str) -> str:
        return self.emit(f"bitcast {self.integer} {a} to {self.real}")

    def integer_op(self, op: str, a: str, b: str | int) -> str:
        other = self.whole(b) if isinstance(b, int) else b
        return self.emit(f"{op} {self.integer} {a}, {other}")
