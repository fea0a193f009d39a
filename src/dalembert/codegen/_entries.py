"""LLVM text of the entries that callers see: one state, the split into setup and state, and batches of states."""

from __future__ import annotations

from dalembert.codegen import _elementary
from dalembert.codegen._blocks import write_blocks
from dalembert.codegen._ir import Writer
from dalembert.codegen._schedule import Schedule
from dalembert.codegen.function import Function

_STACK = 1 << 17  # bytes of scratch that may live on the stack


def scalar_module(functions: list[tuple[Function, Schedule]]) -> str:
    """All functions, for one state at a time."""
    used: set[tuple[str, int]] = set()
    parts = []
    for function, plan in functions:
        blocks = write_blocks(function, plan, 1)
        used |= blocks.used
        parts += [blocks.text, _scalar_entry(function, plan, blocks.early, blocks.late)]
        if plan.kept:
            parts += [_setup_entry(function, plan, blocks.early), _state_entry(function, plan, blocks.late)]
    return _module(1, used, parts)


def batch_module(function: Function, plan: Schedule, width: int) -> str:
    """One function, for `width` states side by side."""
    blocks = write_blocks(function, plan, width)
    moves = [_gather(width), _scatter(width)]
    entry = _batch_entry(function, plan, width, blocks.early, blocks.late)
    return _module(width, blocks.used, [blocks.text, *moves, entry])


def workspace_size(function: Function, plan: Schedule, width: int) -> int:
    """Doubles of working memory that a batch call needs."""
    return width * (sum(function.sizes) + plan.constants + plan.scratch + len(function.outputs))


def _module(width: int, used: set[tuple[str, int]], parts: list[str]) -> str:
    intrinsics: list[str] = []
    for w in sorted({width} | {one for _, one in used}):
        t, s = Writer(w).real, Writer(w).suffix
        intrinsics += [f"declare {t} @llvm.{name}.{s}({t})" for name in ("fabs", "sqrt")]
        intrinsics += [f"declare {t} @llvm.{name}.{s}({t}, {t})" for name in ("copysign", "minimum", "maximum")]
        intrinsics.append(f"declare {t} @llvm.fmuladd.{s}({t}, {t}, {t})")
    bodies = [_elementary.definition(name, w) for name, w in sorted(used)]
    library = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n" + _elementary.declarations()
    weights = '!0 = !{!"branch_weights", i32 1, i32 100000}\n'
    return "\n".join([*intrinsics, library, *bodies, *parts, weights])


def _actual(count: int, kept: str, scratch: str, out: str) -> str:
    return "".join(f"ptr %in{g}, " for g in range(count)) + f"ptr {kept}, ptr {scratch}, ptr {out}"


def _memory(name: str, count: int) -> tuple[str, str]:
    """Text that provides working memory of so many doubles, and text that gives it back."""
    if 8 * count <= _STACK:
        return f"  %{name} = alloca [{max(count, 1)} x double], align 64\n", ""
    return f"  %{name} = call ptr @malloc(i64 {8 * count})\n", f"  call void @free(ptr %{name})\n"


def _calls(names: list[str], arguments: str) -> str:
    return "".join(f"  call void @{name}({arguments})\n" for name in names)


def _scalar_entry(function: Function, plan: Schedule, early: list[str], late: list[str]) -> str:
    """`void name(const double *in0, ..., double *out)`"""
    n = len(function.inputs)
    formal = "".join(f"ptr %in{g}, " for g in range(n)) + "ptr %out"
    take, give = _memory("scratch", plan.scratch)
    take_kept, give_kept = _memory("kept", plan.constants)
    calls = _calls(early + late, _actual(n, "%kept", "%scratch", "%out"))
    return (
        f"define void @{function.name}({formal}) nounwind {{\n{take}{take_kept}{calls}{give}{give_kept}  ret void\n}}\n"
    )


def _setup_entry(function: Function, plan: Schedule, early: list[str]) -> str:
    """`void name.setup(const double *constant groups..., double *kept)`"""
    n = len(function.inputs)
    formal = "".join(f"ptr %in{g}, " for g in sorted(function.constants)) + "ptr %kept"
    inputs = "".join(f"ptr %in{g}, " if g in function.constants else "ptr null, " for g in range(n))
    take, give = _memory("scratch", plan.scratch)
    calls = _calls(early, f"{inputs}ptr %kept, ptr %scratch, ptr null")
    return f"define void @{function.name}.setup({formal}) nounwind {{\n{take}{calls}{give}  ret void\n}}\n"


def _state_entry(function: Function, plan: Schedule, late: list[str]) -> str:
    """`void name.state(const double *in0, ..., const double *kept, double *out)`"""
    n = len(function.inputs)
    formal = "".join(f"ptr %in{g}, " for g in range(n)) + "ptr %kept, ptr %out"
    take, give = _memory("scratch", plan.scratch)
    calls = _calls(late, _actual(n, "%kept", "%scratch", "%out"))
    return f"define void @{function.name}.state({formal}) nounwind {{\n{take}{calls}{give}  ret void\n}}\n"


def _batch_entry(function: Function, plan: Schedule, width: int, early: list[str], late: list[str]) -> str:
    """`void name.batch(const double **inputs, const int64 *strides, double *out, int64 begin, int64 end, double *work)`

    A stride of zero means that the group is the same for all states; it is spread over the lanes once.
    """
    n = len(function.inputs)
    text: list[str] = []
    offset = 0
    for g, size in enumerate(function.sizes):
        text += [
            f"  %at{g} = getelementptr ptr, ptr %inputs, i64 {g}",
            f"  %source{g} = load ptr, ptr %at{g}",
            f"  %step{g} = getelementptr i64, ptr %strides, i64 {g}",
            f"  %stride{g} = load i64, ptr %step{g}",
            f"  %moves{g} = icmp ne i64 %stride{g}, 0",
            f"  %in{g} = getelementptr double, ptr %work, i64 {width * offset}",
        ]
        offset += size
    for name, size in (("kept", plan.constants), ("scratch", plan.scratch), ("lanes", len(function.outputs))):
        text.append(f"  %{name} = getelementptr double, ptr %work, i64 {width * offset}")
        offset += size
    text.append("  %last = sub i64 %end, 1")
    fill = [
        f"  call void @gather.{width}(ptr %source{g}, i64 %stride{g}, i64 %begin, i64 %last, i64 {size}, ptr %in{g})"
        for g, size in enumerate(function.sizes)
    ]
    steady = "true"
    for g in sorted(function.constants):
        text.append(f"  %steady{g} = select i1 %moves{g}, i1 false, i1 {steady}")
        steady = f"%steady{g}"
    arguments = _actual(n, "%kept", "%scratch", "%lanes")
    early_calls = _calls(early, arguments).rstrip("\n").split("\n") if early else []
    text += fill
    text += early_calls
    text += ["  br label %loop", "loop:", "  %row = phi i64 [ %begin, %0 ], [ %next, %done ]"]
    for g, size in enumerate(function.sizes):
        where = f"ptr %source{g}, i64 %stride{g}, i64 %row, i64 %last, i64 {size}, ptr %in{g}"
        text += [
            f"  br i1 %moves{g}, label %move{g}, label %moved{g}",
            f"move{g}:",
            f"  call void @gather.{width}({where})",
            f"  br label %moved{g}",
            f"moved{g}:",
        ]
    if early:
        text += [f"  br i1 {steady}, label %steady, label %unsteady", "unsteady:", *early_calls, "  br label %steady"]
        text.append("steady:")
    text += [
        _calls(late, arguments).rstrip("\n"),
        f"  call void @scatter.{width}(ptr %lanes, i64 %row, i64 %last, i64 {len(function.outputs)}, ptr %out)",
        "  br label %done",
        "done:",
        f"  %next = add i64 %row, {width}",
        "  %more = icmp slt i64 %next, %end",
        "  br i1 %more, label %loop, label %finish",
        "finish:",
        "  ret void\n}\n",
    ]
    head = f"define void @{function.name}.batch(ptr %inputs, ptr %strides, ptr %out, i64 %begin, i64 %end, ptr %work)"
    return head + " nounwind {\n" + "\n".join(text)


def _rows(w: Writer, base: str, stride: str) -> list[str]:
    """Addresses of the rows of one vector of states; rows past the end repeat the last one."""
    found = []
    for lane in range(w.width):
        row = w.emit(f"add i64 %row, {lane}")
        inside = w.emit(f"icmp slt i64 {row}, %last")
        row = w.emit(f"select i1 {inside}, i64 {row}, i64 %last")
        offset = w.emit(f"mul i64 {row}, {stride}")
        found.append(w.emit(f"getelementptr double, ptr {base}, i64 {offset}"))
    return found


def _transpose(w: Writer, rows: list[str]) -> list[str]:
    """A square of lanes by log2(width) rounds of two-row shuffles."""
    n, half = w.width, w.width // 2
    while half:
        new = list(rows)
        for i in range(n):
            if i & half:
                continue
            low = [k if not k & half else n + k - half for k in range(n)]
            high = [k + half if not k & half else n + k for k in range(n)]
            for target, mask in ((i, low), (i + half, high)):
                listed = ", ".join(f"i32 {m}" for m in mask)
                pair = f"{w.real} {rows[i]}, {w.real} {rows[i + half]}"
                new[target] = w.emit(f"shufflevector {pair}, <{n} x i32> <{listed}>")
        rows = new
        half //= 2
    return rows


def _columns(w: Writer, square: list[str], single: list[str]) -> str:
    """Loops over columns: whole squares first, then one by one; `%c` is the column."""
    return "\n".join(
        [
            f"  %whole = and i64 %n, {-w.width}",
            "  br label %squares",
            "squares:",
            "  %c = phi i64 [ 0, %0 ], [ %c.next, %square ]",
            "  %c.more = icmp slt i64 %c, %whole",
            "  br i1 %c.more, label %square, label %singles",
            "square:",
            *square,
            f"  %c.next = add i64 %c, {w.width}",
            "  br label %squares",
            "singles:",
            "  %s = phi i64 [ %whole, %squares ], [ %s.next, %single ]",
            "  %s.more = icmp slt i64 %s, %n",
            "  br i1 %s.more, label %single, label %end",
            "single:",
            *single,
            "  %s.next = add i64 %s, 1",
            "  br label %singles",
            "end:",
            "  ret void\n}\n",
        ]
    )


def _gather(width: int) -> str:
    """Rows of states into lanes."""
    w = Writer(width)
    rows = _rows(w, "%from", "%stride")
    head, w.lines = w.lines, []
    loaded = []
    for row in rows:
        address = w.emit(f"getelementptr double, ptr {row}, i64 %c")
        loaded.append(w.emit(f"load {w.real}, ptr {address}, align 8"))
    for k, value in enumerate(_transpose(w, loaded)):
        column = w.emit(f"add i64 %c, {k}")
        address = w.emit(f"getelementptr {w.real}, ptr %to, i64 {column}")
        w.line(f"  store {w.real} {value}, ptr {address}, align {8 * width}")
    square, w.lines = w.lines, []
    vector = "poison"
    for lane, row in enumerate(rows):
        address = w.emit(f"getelementptr double, ptr {row}, i64 %s")
        value = w.emit(f"load double, ptr {address}, align 8")
        vector = w.emit(f"insertelement {w.real} {vector}, double {value}, i32 {lane}")
    address = w.emit(f"getelementptr {w.real}, ptr %to, i64 %s")
    w.line(f"  store {w.real} {vector}, ptr {address}, align {8 * width}")
    formal = "ptr noalias readonly %from, i64 %stride, i64 %row, i64 %last, i64 %n, ptr noalias %to"
    opening = f"define internal void @gather.{width}({formal}) noinline nounwind {{\n"
    return opening + "\n".join(head) + "\n" + _columns(w, square, w.lines)


def _scatter(width: int) -> str:
    """Lanes back into rows; the rows that repeat the last state write the same numbers again."""
    w = Writer(width)
    rows = _rows(w, "%to", "%n")
    head, w.lines = w.lines, []
    loaded = []
    for k in range(width):
        column = w.emit(f"add i64 %c, {k}")
        address = w.emit(f"getelementptr {w.real}, ptr %from, i64 {column}")
        loaded.append(w.emit(f"load {w.real}, ptr {address}, align {8 * width}"))
    for row, value in zip(rows, _transpose(w, loaded), strict=True):
        address = w.emit(f"getelementptr double, ptr {row}, i64 %c")
        w.line(f"  store {w.real} {value}, ptr {address}, align 8")
    square, w.lines = w.lines, []
    address = w.emit(f"getelementptr {w.real}, ptr %from, i64 %s")
    vector = w.emit(f"load {w.real}, ptr {address}, align {8 * width}")
    for lane, row in enumerate(rows):
        value = w.emit(f"extractelement {w.real} {vector}, i32 {lane}")
        address = w.emit(f"getelementptr double, ptr {row}, i64 %s")
        w.line(f"  store double {value}, ptr {address}, align 8")
    formal = "ptr noalias readonly %from, i64 %row, i64 %last, i64 %n, ptr noalias %to"
    opening = f"define internal void @scatter.{width}({formal}) noinline nounwind {{\n"
    return opening + "\n".join(head) + "\n" + _columns(w, square, w.lines)
