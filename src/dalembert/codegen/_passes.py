"""LLVM text of the passes over the joints of a tree: functions of one joint, or of a vector of neighbours, and loops.

The numbers of a joint stand in blocks of `width` joints side by side, a row for each number: number i of joint j is
number (j // width) * count * width + i * width + j % width, so that neighbours fill a vector and one is read as easily.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen._kernel import Block
from dalembert.codegen._lower import Cell
from dalembert.codegen._schedule import schedule
from dalembert.codegen.function import Function
from dalembert.dynamics.sweeps import FOUND, GIVEN, Pass, given, passes
from dalembert.expr import Expr

#: How many numbers a joint has of each kind.
GIVENS, FOUNDS = sum(GIVEN.values()), sum(FOUND.values())
#: Passes of which joints do not wait for each other.
_BESIDE = frozenset({"own", "start"})
_WHOLE = 1 << 30  # no pass is cut into blocks


def place(name: str, i: int = 0) -> int:
    """The row of a number among those of its kind."""
    fields = GIVEN if name in GIVEN else FOUND
    return sum(count for other, count in list(fields.items())[: list(fields).index(name)]) + i


class _PassBlock(Block):
    """A block whose numbers stand `stride` doubles apart."""

    def __init__(self, function: Function, stride: int, width: int) -> None:
        super().__init__(function, schedule(function, block=_WHOLE, long=_WHOLE), width)
        self.stride = stride

    def pointer(self, base: str, index: int) -> str:
        return self.w.emit(f"getelementptr inbounds double, ptr {base}, i64 {index * self.stride}") if index else base


def _listed(above: bool) -> list[Expr]:
    return [x for name in FOUND for x in given(name, above)]


def _function(one: Pass) -> Function:
    groups = [[x for name in GIVEN for x in given(name)], _listed(above=False), _listed(above=True)]
    return Function(one.name, groups, [x for _, _, x in (*one.writes, *one.above)])


def _body(one: Pass, width: int) -> str:
    """`void name(given, found, found of the joint above)`"""
    beside = one.name in _BESIDE
    block = _PassBlock(_function(one), width, width if beside else 1)
    cells: tuple[Cell, ...] = tuple(c for nodes in block.plan.blocks if isinstance(nodes, tuple) for c in nodes)
    block.begin(cells, set(block.plan.outputs))
    for cell in cells:
        if cell not in block.values and cell not in block.truths and cell not in block.absorbed:
            block.node(cell)
    values = [block.operand(e) for e in block.plan.outputs]  # all is read before anything is written
    targets = [("%in1", name, i) for name, i, _ in one.writes] + [("%in2", name, i) for name, i, _ in one.above]
    for value, (base, name, i) in zip(values, targets, strict=True):
        block.store(value, base, place(name, i))
    lines = "\n".join(block.w.lines)
    return f"define internal void @pass.{one.name}(ptr %in0, ptr %in1, ptr %in2) nounwind {{\n{lines}\n  ret void\n}}\n"


def pass_code(width: int) -> str:
    """`void sweep(ptr given, ptr found, const i64 *above, i64 joints)`: all passes, for joints in order.

    `above` tells of each joint which one carries it; the place after the last joint is earth's, whose acceleration
    follows the numbers of the blocks in `given`.
    """
    found = passes()
    bodies = [_body(one, width) for one in found]
    loops = [_over_blocks(one, width) if one.name in _BESIDE else _over_joints(one, width) for one in found]
    calls = [f"  call void @loop.{one.name}(ptr %given, ptr %found, ptr %above, i64 %joints)\n" for one in found]
    head = "define internal void @sweep(ptr %given, ptr %found, ptr %above, i64 %joints) nounwind {\n"
    return "\n".join([*bodies, *loops, head + _earth(width) + "".join(calls) + "  ret void\n}\n"])


def _earth(width: int) -> str:
    """Earth accelerates upwards instead of things falling; its other numbers are zero."""
    text = _offsets("earth", "%joints", width)
    for name in ("velocity", "steady", "gained", "compliance"):
        for i in range(FOUND[name]):
            text += (
                f"  %{name}{i} = getelementptr double, ptr %earth.found, i64 {place(name, i) * width}\n"
                f"  store double 0.0, ptr %{name}{i}\n"
            )
    last = width.bit_length() - 1
    text += f"  %whole = lshr i64 %joints, {last}\n  %blocks = add i64 %whole, 1\n"
    text += f"  %after = mul i64 %blocks, {GIVENS * width}\n"
    for i in range(3):
        text += (
            f"  %from{i}.n = add i64 %after, {i}\n  %from{i} = getelementptr double, ptr %given, i64 %from{i}.n\n"
            f"  %up{i} = load double, ptr %from{i}\n"
            f"  %to{i} = getelementptr double, ptr %earth.found, i64 {(place('steady', 3 + i)) * width}\n"
            f"  store double %up{i}, ptr %to{i}\n"
        )
    return text


def _offsets(name: str, joint: str, width: int) -> str:
    """Where the numbers of a joint begin."""
    shift = width.bit_length() - 1
    return (
        f"  %{name}.block = lshr i64 {joint}, {shift}\n  %{name}.lane = and i64 {joint}, {width - 1}\n"
        f"  %{name}.g0 = mul i64 %{name}.block, {GIVENS * width}\n  %{name}.g = add i64 %{name}.g0, %{name}.lane\n"
        f"  %{name}.f0 = mul i64 %{name}.block, {FOUNDS * width}\n  %{name}.f = add i64 %{name}.f0, %{name}.lane\n"
        f"  %{name}.given = getelementptr double, ptr %given, i64 %{name}.g\n"
        f"  %{name}.found = getelementptr double, ptr %found, i64 %{name}.f\n"
    )


def _head(one: Pass) -> str:
    formal = "ptr %given, ptr %found, ptr %above, i64 %joints"
    return f"define internal void @loop.{one.name}({formal}) noinline nounwind {{\n"


def _over_joints(one: Pass, width: int) -> str:
    """One joint after the other, towards the leaves or towards earth."""
    backwards = bool(one.above)
    text = _head(one) + "  %end = sub i64 %joints, 1\n  br label %loop\nloop:\n"
    text += "  %turn = phi i64 [ 0, %0 ], [ %next, %loop ]\n"
    text += f"  %joint = {'sub i64 %end, %turn' if backwards else 'add i64 %turn, 0'}\n"
    text += _offsets("own", "%joint", width)
    text += "  %which = getelementptr i64, ptr %above, i64 %joint\n  %parent = load i64, ptr %which\n"
    text += _offsets("up", "%parent", width)
    text += f"  call void @pass.{one.name}(ptr %own.given, ptr %own.found, ptr %up.found)\n"
    return text + _ending("%joints")


def _over_blocks(one: Pass, width: int) -> str:
    shift = width.bit_length() - 1
    text = _head(one) + f"  %whole = lshr i64 %joints, {shift}\n  %blocks = add i64 %whole, 1\n"
    text += "  br label %loop\nloop:\n  %turn = phi i64 [ 0, %0 ], [ %next, %loop ]\n"
    text += f"  %g = mul i64 %turn, {GIVENS * width}\n  %own.given = getelementptr double, ptr %given, i64 %g\n"
    text += f"  %f = mul i64 %turn, {FOUNDS * width}\n  %own.found = getelementptr double, ptr %found, i64 %f\n"
    text += f"  call void @pass.{one.name}(ptr %own.given, ptr %own.found, ptr null)\n"
    return text + _ending("%blocks")


def _ending(count: str) -> str:
    return (
        f"  %next = add i64 %turn, 1\n  %more = icmp slt i64 %next, {count}\n"
        "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n"
    )


def rows_of(joints: Sequence[Sequence[Expr]], width: int, nothing: Expr) -> list[Expr]:
    """Numbers of joints in the order of the blocks; earth and the places of nobody get nothing."""
    blocks = len(joints) // width + 1
    padded = [*joints, *([[nothing] * GIVENS] * (blocks * width - len(joints)))]
    return [padded[b * width + lane][i] for b in range(blocks) for i in range(GIVENS) for lane in range(width)]
