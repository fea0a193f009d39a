"""LLVM text of all blocks of a function, straight ones and loops."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.codegen._kernel import Block, parameters
from dalembert.codegen._loop_kernel import LoopBlock
from dalembert.codegen._lower import Cell
from dalembert.codegen._memory import LoopPlan
from dalembert.codegen._schedule import BLOCK, Schedule
from dalembert.codegen.function import Function


@dataclass(frozen=True, slots=True)
class Blocks:
    """Text, names of early and of ordinary blocks in order, and the elementary functions that they call."""

    text: str
    early: list[str]
    late: list[str]
    used: set[tuple[str, int]]


def write_blocks(function: Function, plan: Schedule, width: int) -> Blocks:
    """All blocks, for `width` states side by side."""
    position: dict[Cell, list[int]] = {}
    for i, e in enumerate(plan.outputs):
        position.setdefault(e, []).append(i)
    done = Blocks("", [], [], set())
    texts = [_straight(function, plan, width, done, done.early, nodes, {}) for nodes in plan.early]
    left = dict(position)
    for k, piece in enumerate(plan.blocks or ((),)):
        if isinstance(piece, LoopPlan):
            name = _name(function, width, done)
            loop = LoopBlock(function, plan, width)
            texts.append(loop.write_loop(name, piece))
            done.used.update(loop.used)
            done.late.append(name)
            continue
        own = {e: left.pop(e) for e in piece if e in left}
        if k == max(0, len(plan.blocks) - 1) and sum(map(len, left.values())) <= BLOCK:
            own, left = {**own, **left}, {}  # inputs, numbers, early values and results of loops leave at the end
        texts.append(_straight(function, plan, width, done, done.late, piece, own))
    # So many in one block that a compiler, which looks for neighbours among all of them, would take seconds.
    last = [(e, i) for e, places in left.items() for i in places]
    for begin in range(0, len(last), BLOCK):
        results: dict[Cell, list[int]] = {}
        for e, i in last[begin : begin + BLOCK]:
            results.setdefault(e, []).append(i)
        texts.append(_straight(function, plan, width, done, done.late, (), results))
    return Blocks("\n".join(texts), done.early, done.late, done.used)


def _name(function: Function, width: int, done: Blocks) -> str:
    return f"{function.name}.{width}.{len(done.early) + len(done.late)}"


def _straight(
    function: Function,
    plan: Schedule,
    width: int,
    done: Blocks,
    names: list[str],
    nodes: tuple[Cell, ...],
    results: dict[Cell, list[int]],
) -> str:
    block = Block(function, plan, width)
    block.write(nodes, results)
    for e, places in results.items():
        for i in places:
            block.store(block.operand(e), "%out", i)
    name = _name(function, width, done)
    names.append(name)
    done.used.update(block.used)
    body = "\n".join([*block.w.lines, "  ret void"])
    return f"define internal void @{name}({parameters(function)}) nounwind {{\n{body}\n}}\n"
