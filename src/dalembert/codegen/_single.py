"""Batch code in single precision: the text of that in doubles, its numbers rounded, twice as many states in a vector.

Elementary functions stay in doubles and are rounded: reducing an angle wants the digits.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable

from dalembert.codegen import _elementary
from dalembert.codegen._ir import Writer, double_bits


def in_floats(text: str) -> str:
    """LLVM text with floats for doubles; the elementary functions that it calls are those of `bridge`."""
    text = re.sub(r"\b0x([0-9A-F]{16})\b", _rounded, text)
    text = re.sub(r"\balign (\d+)", lambda found: f"align {int(found[1]) // 2}", text)
    text = re.sub(r"(@llvm\.masked\.\w+\.[^\n]*?)\bi32 8\b", r"\1i32 4", text)
    text = re.sub(r"\bdouble\b", "float", text)
    return re.sub(r"(?<=v\d)f64\b|(?<=v\d\d)f64\b", "f32", text).replace("@dalembert.", "@single.dalembert.")


def _rounded(found: re.Match[str]) -> str:
    (value,) = struct.unpack(">d", bytes.fromhex(found[1]))
    try:
        (near,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        near = float("inf") if value > 0 else float("-inf")
    return double_bits(near)


def bridge(used: Iterable[tuple[str, int]]) -> list[str]:
    """Elementary functions of floats by those of doubles."""
    return [_by_doubles(name, width) for name, width in sorted(used)]


def _by_doubles(name: str, width: int) -> str:
    double, count = Writer(width).real, 1 if name == "sincos" else _elementary.arity(name)
    single, symbol = double.replace("double", "float"), _elementary.symbol(name, width)
    formal = ", ".join(f"{single} %x{k}" for k in range(count))
    wide = "".join(f"  %y{k} = fpext {single} %x{k} to {double}\n" for k in range(count))
    actual = ", ".join(f"{double} %y{k}" for k in range(count))
    if name != "sincos":
        head = f"define internal fastcc {single} @single.{symbol}({formal})"
        body = f"{wide}  %z = call fastcc {double} @{symbol}({actual})\n  %r = fptrunc {double} %z to {single}\n"
        return f"{head} nounwind {{\n{body}  ret {single} %r\n}}\n"
    pair, two = f"{{{single}, {single}}}", f"{{{double}, {double}}}"
    text = f"define internal fastcc {pair} @single.{symbol}({formal}) nounwind {{\n{wide}"
    text += f"  %z = call fastcc {two} @{symbol}({actual})\n"
    for k in range(2):
        text += f"  %z{k} = extractvalue {two} %z, {k}\n  %r{k} = fptrunc {double} %z{k} to {single}\n"
    text += f"  %p = insertvalue {pair} poison, {single} %r0, 0\n  %q = insertvalue {pair} %p, {single} %r1, 1\n"
    return f"{text}  ret {pair} %q\n}}\n"
