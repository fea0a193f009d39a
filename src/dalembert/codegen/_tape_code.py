"""LLVM text of the function that walks a list of operations, and of the entry of each list."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from dalembert.codegen import _elementary, _target, cache
from dalembert.codegen._borrowed import LIBRARY, given_back, slot, taken, workspace
from dalembert.codegen._entries import whole_module
from dalembert.codegen._ir import Writer
from dalembert.codegen._tape import Tape, pointers
from dalembert.codegen.function import Function

_WALK = "dalembert_tape"
_ONE, _THREE = {"neg", "sqrt", "abs", "sign", "sin", "cos"}, {"fused", "fused less", "fused from", "where"}
_RELATION = {"lt": "olt", "le": "ole", "eq": "oeq"}


def _truth(w: Writer, relation: str, a: str, b: str) -> str:
    return w.emit(f"uitofp i1 {w.compare(relation, a, b)} to double")


def _sign(w: Writer, x: str) -> str:
    zero = w.constant(0.0)
    below = w.select(w.compare("olt", x, zero), w.constant(-1.0), x)
    return w.select(w.compare("ogt", x, zero), w.constant(1.0), below)


_WORDS: dict[str, Callable[..., str]] = {
    "add": Writer.add,
    "sub": Writer.sub,
    "mul": Writer.mul,
    "div": Writer.div,
    "neg": Writer.neg,
    "fused": Writer.fused,  # a b + c
    "fused less": lambda w, a, b, c: w.fused(a, b, w.neg(c)),  # a b - c
    "fused from": lambda w, a, b, c: w.fused(w.neg(a), b, c),  # c - a b
    "sqrt": lambda w, a: w.intrinsic("sqrt", a),
    "abs": lambda w, a: w.intrinsic("fabs", a),
    "min": lambda w, a, b: w.intrinsic("minimum", a, b),
    "max": lambda w, a, b: w.intrinsic("maximum", a, b),
    "where": lambda w, a, b, c: w.select(w.compare("une", a, w.constant(0.0)), b, c),
    "sign": _sign,
    **{name: lambda w, a, b, r=relation: _truth(w, r, a, b) for name, relation in _RELATION.items()},
}


def _written(w: Writer, kind: str, args: list[str]) -> str:
    """One operation of a kind; functions that the library has are called."""
    if kind in _WORDS:
        return _WORDS[kind](w, *args)
    if kind in ("sin", "cos"):
        pair = w.emit(f"call fastcc {{double, double}} @{_elementary.symbol('sincos', 1)}(double {args[0]})")
        return w.emit(f"extractvalue {{double, double}} {pair}, {0 if kind == 'sin' else 1}")
    listed = ", ".join(f"double {a}" for a in args)
    return w.emit(f"call fastcc double @{_elementary.symbol(kind, 1)}({listed})")


def _loop(number: int, kind: str) -> str:
    """The run of one kind: from %first to before %end."""
    w = Writer(1, prefix=f"v{number}.")
    k = f"%k{number}"
    args = []
    for row in "abc"[: _arity(kind)]:
        where = w.emit(f"getelementptr inbounds i32, ptr %{row}, i64 {k}")
        place = w.emit(f"sext i32 {w.emit(f'load i32, ptr {where}, align 4')} to i64")
        value = w.emit(f"getelementptr inbounds double, ptr %values, i64 {place}")
        args.append(w.emit(f"load double, ptr {value}, align 8"))
    made = _written(w, kind, args)
    target = w.emit(f"getelementptr inbounds double, ptr %made, i64 {k}")
    w.line(f"  store double {made}, ptr {target}, align 8")
    following, more = w.emit(f"add i64 {k}, 1"), w.name()
    w.line(f"  {more} = icmp ult i64 {following}, %end")
    w.line(f"  br i1 {more}, label %loop{number}, label %turned")
    head = f"kind{number}:\n  br label %loop{number}\nloop{number}:\n"
    return head + f"  {k} = phi i64 [ %first, %kind{number} ], [ {following}, %loop{number} ]\n" + "\n".join(w.lines)


def _arity(kind: str) -> int:
    if kind in _ONE:
        return 1
    if kind in _WORDS:
        return 3 if kind in _THREE else 2
    return _elementary.arity(kind)


def _walk(kinds: tuple[str, ...]) -> str:
    """`void walk(values, made, runs, count, a, b, c, results, out, how many)`"""
    cases = "".join(f" i64 {i}, label %kind{i}" for i in range(len(kinds)))
    loops = "\n".join(_loop(i, kind) for i, kind in enumerate(kinds))
    rows = "ptr noalias %a, ptr noalias %b, ptr noalias %c"
    return f"""define void @{_WALK}(ptr %values, ptr %made, ptr noalias %runs, i64 %count, {rows}, \
ptr noalias %results, \
ptr noalias %out, i64 %many) nounwind {{
  %any = icmp ne i64 %count, 0
  br i1 %any, label %run, label %results.begin
run:
  %r = phi i64 [ 0, %0 ], [ %r.next, %turned ]
  %r3 = mul i64 %r, 3
  %at.kind = getelementptr inbounds i64, ptr %runs, i64 %r3
  %kind = load i64, ptr %at.kind, align 8
  %at.first = getelementptr inbounds i64, ptr %at.kind, i64 1
  %first = load i64, ptr %at.first, align 8
  %at.length = getelementptr inbounds i64, ptr %at.kind, i64 2
  %length = load i64, ptr %at.length, align 8
  %end = add i64 %first, %length
  switch i64 %kind, label %turned [{cases} ]
{loops}
turned:
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %count
  br i1 %r.more, label %run, label %results.begin
results.begin:
  %some = icmp ne i64 %many, 0
  br i1 %some, label %result, label %finish
result:
  %i = phi i64 [ 0, %results.begin ], [ %i.next, %result ]
  %at.place = getelementptr inbounds i32, ptr %results, i64 %i
  %place = load i32, ptr %at.place, align 4
  %place.long = sext i32 %place to i64
  %at.value = getelementptr inbounds double, ptr %values, i64 %place.long
  %value = load double, ptr %at.value, align 8
  %at.out = getelementptr inbounds double, ptr %out, i64 %i
  store double %value, ptr %at.out, align 8
  %i.next = add i64 %i, 1
  %i.more = icmp ult i64 %i.next, %many
  br i1 %i.more, label %result, label %finish
finish:
  ret void
}}
"""


@lru_cache(maxsize=16)
def _walker(kinds: tuple[str, ...]) -> _target.Loaded:
    used = {("sincos" if kind in ("sin", "cos") else kind, 1) for kind in kinds if kind not in _WORDS}
    text = whole_module(1, used, [_walk(kinds)])
    effort = 2  # short, and all the time is spent in it
    code = cache.remember(f"{_target.version(effort)}\n{text}", lambda: _target.assemble(text, effort))
    return _target.Loaded(code, [_WALK])


def loaded(function: Function, tape: Tape) -> tuple[Any, ...]:
    """What must live as long as the entry of a list: the function that walks it, its memory, and the entry, at last."""
    walker = _walker(tape.kinds)
    runs, a, b, c, constants, results = pointers(tape)
    known, given = len(tape.constants), sum(function.sizes)
    text, offset = list[str](), known
    for g, size in enumerate(function.sizes):
        text.append(f"  %to{g} = getelementptr double, ptr %work, i64 {offset}")
        text.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %to{g}, ptr %in{g}, i64 {8 * size}, i1 false)")
        offset += size
    formal = "".join(f"ptr %in{g}, " for g in range(len(function.inputs))) + "ptr %out"
    passed = ", ".join(f"ptr inttoptr (i64 {x} to ptr)" for x in (a, b, c, results))
    memory = workspace(8 * (known + given + tape.operands.shape[1]))
    entry = f"""{LIBRARY}declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
{slot("values", memory)}define void @{function.name}({formal}) nounwind {{
{taken("values", memory)}  %constants = inttoptr i64 {constants} to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %work, ptr %constants, i64 {8 * known}, i1 false)
{chr(10).join(text)}
  %made = getelementptr double, ptr %work, i64 {known + given}
  %walk = inttoptr i64 {walker.addresses[_WALK]} to ptr
  call void %walk(ptr %work, ptr %made, ptr inttoptr (i64 {runs} to ptr), i64 {len(tape.runs)}, {passed}, ptr %out, \
i64 {len(tape.results)})
{given_back("values", memory)}  ret void
}}
"""
    return walker, memory, _target.Loaded(_target.assemble(entry), [function.name])
