"""Rust, standard library only."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen.languages.language import Language, Routine, double_text
from dalembert.codegen.languages.parts import Part, parts


def _number(value: float) -> str:
    special = {"inf": "f64::INFINITY", "-inf": "f64::NEG_INFINITY", "nan": "f64::NAN"}
    return special.get(repr(value)) or f"{double_text(value)}_f64"


def _routine(routine: Routine) -> str:
    found, room = parts(routine)
    comment = f"/// {routine.comment}\n" if routine.comment else ""
    arrays = [f"{g.name}: &[f64; {g.size}]" for g in routine.groups]
    out = f"out: &mut [f64; {len(routine.results)}]"
    head = f"pub fn {routine.name}({', '.join([*arrays, out])})"
    if len(found) == 1:
        return f"{comment}{head} {_body(found[0])}"
    formal = ", ".join([*arrays, f"scratch: &mut [f64; {room}]", out])
    pieces = [f"fn {routine.name}_part{k + 1}({formal}) {_body(part)}" for k, part in enumerate(found)]
    actual = ", ".join([*[g.name for g in routine.groups], "&mut scratch", "out"])
    calls = "".join(f"    {routine.name}_part{k + 1}({actual});\n" for k in range(len(found)))
    return "\n\n".join([*pieces, f"{comment}{head} {{\n    let mut scratch = [0.0; {room}];\n{calls}}}"])


def _body(part: Part) -> str:
    lines = ["{"]
    lines += [f"    let {name} = {g.name}[{i}]; // {said}" for g in part.groups for i, name, said in g.locals]
    lines += [f"    let {name} = scratch[{i}];" for i, name in part.reads]
    lines += [f"    let {name} = {value};" for name, value in part.definitions]
    lines += [f"    scratch[{i}] = {name};" for i, name in part.leaves]
    lines += [f"    out[{i}] = {value};" for i, value in part.results]
    return "\n".join([*lines, "}"])


def _unit(title: str, comments: Sequence[str], routines: Sequence[str]) -> str:
    head = "\n".join([f"//! {title}", *[f"//! {line}".rstrip() for line in comments]])
    quiet = "#![allow(non_snake_case, unused_parens, unused_variables, clippy::all)]"
    return "\n\n".join([f"{head}\n{quiet}", *routines]) + "\n"


RUST = Language(
    name="rust",
    extension="rs",
    number=_number,
    pi="std::f64::consts::PI",
    call="({first}).{name}({rest})",
    general_power=lambda a, b: f"({a}).powf({b})",
    power=lambda base, n: f"{base}.powi({n})",
    relations={"lt": "<", "le": "<=", "eq": "=="},
    indicator=lambda condition: f"(if {condition} {{ 1.0_f64 }} else {{ 0.0_f64 }})",
    choose=lambda c, a, b: f"(if {c} {{ {a} }} else {{ {b} }})",
    routine=_routine,
    unit=_unit,
    reserved=frozenset(
        "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod "
        "move mut pub ref return self Self static struct super trait true type unsafe use where while abstract "
        "become box do final gen macro override priv try typeof unsized virtual yield f64 std out scratch main "
        "None Some Ok Err".split()
    ),
    nonzero=lambda x: f"{x} != 0.0",
)
