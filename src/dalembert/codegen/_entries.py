"""LLVM text of the entries that callers see: one state, the split into setup and state, and batches of states."""

from __future__ import annotations

from dalembert.codegen import _elementary
from dalembert.codegen._blocks import write_blocks
from dalembert.codegen._ir import Writer
from dalembert.codegen._lanes import moving_code
from dalembert.codegen._schedule import Schedule
from dalembert.codegen._single import bridge, in_floats
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
    return whole_module(1, used, parts)


def batch_module(function: Function, plan: Schedule, width: int, single: bool = False) -> str:
    """One function, for `width` states side by side; with `single` inputs, results and sums are floats."""
    blocks = write_blocks(function, plan, width)
    moves = moving_code(width, function.sizes, len(function.outputs))
    entry = _batch_entry(function, plan, width, blocks.early, blocks.late)
    parts = [blocks.text, *moves, entry]
    if single:
        floats = [*intrinsics(width), *parts]
        parts = [*bridge(blocks.used), *map(in_floats, floats)]
    return whole_module(width, blocks.used, parts)


def lanes_module(function: Function, plan: Schedule, width: int) -> str:
    """One function of `width` states that already lie in lanes: `void name.lanes(in0, ..., kept, scratch, out)`.

    All are arrays of vectors, at multiples of their size; `kept` is what `setup` leaves, for each lane.
    """
    blocks = write_blocks(function, plan, width)
    n = len(function.inputs)
    formal = "".join(f"ptr %in{g}, " for g in range(n)) + "ptr %kept, ptr %scratch, ptr %out"
    calls = _calls(blocks.late, _actual(n, "%kept", "%scratch", "%out"))
    entry = f"define void @{function.name}.lanes({formal}) nounwind {{\n{calls}  ret void\n}}\n"
    return whole_module(width, blocks.used, [blocks.text, entry])


def workspace_size(function: Function, plan: Schedule, width: int) -> int:
    """Doubles of working memory that a batch call needs."""
    own = sum(size for g, size in enumerate(function.sizes) if g not in function.shared)
    return width * (own + plan.constants + plan.scratch + len(function.outputs))


def whole_module(width: int, used: set[tuple[str, int]], parts: list[str]) -> str:
    """Functions with all that they call."""
    declared = [x for w in sorted({width} | {one for _, one in used}) for x in intrinsics(w)]
    bodies = [_elementary.definition(name, w) for name, w in sorted(used)]
    declared.append("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    library = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n" + _elementary.declarations()
    weights = '!0 = !{!"branch_weights", i32 1, i32 100000}\n'
    return "\n".join([*declared, library, *bodies, *parts, weights])


def intrinsics(width: int) -> list[str]:
    t, s = Writer(width).real, Writer(width).suffix
    found = [f"declare {t} @llvm.{name}.{s}({t})" for name in ("fabs", "sqrt")]
    found += [f"declare {t} @llvm.{name}.{s}({t}, {t})" for name in ("copysign", "minimum", "maximum")]
    found.append(f"declare {t} @llvm.fmuladd.{s}({t}, {t}, {t})")
    if width > 1:
        lanes = f"<{width} x i1>"
        found.append(f"declare {t} @llvm.masked.load.{s}.p0(ptr, i32, {lanes}, {t})")
        found.append(f"declare void @llvm.masked.store.{s}.p0({t}, ptr, i32, {lanes})")
    return found


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


#: Vectors of states ahead that the memory is asked for: pages end every few vectors, and with them what it guesses.
_AHEAD = 4
_LINE = 64


def _ahead(function: Function, width: int) -> list[str]:
    """Ask for the rows of states to come, and for the room of their results."""
    text = [f"  %far = add i64 %row, {_AHEAD * width}"]
    for g, size in enumerate(function.sizes):
        if g in function.shared or size < 2:
            continue
        text += [
            f"  %far{g} = mul i64 %far, %stride{g}",
            f"  %coming{g} = getelementptr double, ptr %source{g}, i64 %far{g}",
        ]
        text += _asked(f"%coming{g}", 8 * size * width, write=False)
    count = len(function.outputs)
    text += [f"  %farther = mul i64 %far, {count}", "  %room = getelementptr double, ptr %out, i64 %farther"]
    return text + _asked("%room", 8 * count * width, write=True)


def _asked(base: str, size: int, write: bool) -> list[str]:
    text = []
    for line in range(-(-size // _LINE)):
        text.append(f"  {base}.{line} = getelementptr i8, ptr {base}, i64 {line * _LINE}")
        text.append(f"  call void @llvm.prefetch.p0(ptr {base}.{line}, i32 {int(write)}, i32 3, i32 1)")
    return text


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
            f"  %{'in' if g in function.shared else 'source'}{g} = load ptr, ptr %at{g}",
        ]
        if g in function.shared:
            continue
        text += [
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
        f"  call void @gather.{size}(ptr %source{g}, i64 %stride{g}, i64 %begin, i64 %last, ptr %in{g})"
        for g, size in enumerate(function.sizes)
        if g not in function.shared
    ]
    steady = "true"
    for g in sorted(function.constants - function.shared):
        text.append(f"  %steady{g} = select i1 %moves{g}, i1 false, i1 {steady}")
        steady = f"%steady{g}"
    arguments = _actual(n, "%kept", "%scratch", "%lanes")
    early_calls = _calls(early, arguments).rstrip("\n").split("\n") if early else []
    text += fill
    text += early_calls
    text += ["  br label %loop", "loop:", "  %row = phi i64 [ %begin, %0 ], [ %next, %done ]"]
    for g, size in enumerate(function.sizes):
        if g in function.shared:
            continue
        where = f"ptr %source{g}, i64 %stride{g}, i64 %row, i64 %last, ptr %in{g}"
        text += [
            f"  br i1 %moves{g}, label %move{g}, label %moved{g}",
            f"move{g}:",
            f"  call void @gather.{size}({where})",
            f"  br label %moved{g}",
            f"moved{g}:",
        ]
    text += _ahead(function, width)
    if early:
        text += [f"  br i1 {steady}, label %steady, label %unsteady", "unsteady:", *early_calls, "  br label %steady"]
        text.append("steady:")
    text += [
        _calls(late, arguments).rstrip("\n"),
        f"  call void @scatter.{len(function.outputs)}(ptr %lanes, i64 %row, i64 %last, ptr %out)",
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
