"""Which coefficients of a graph are kept where, and which convolutions each order needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from dalembert.codegen.series.graph import Node

_LINEAR = frozenset({"add", "sub", "neg"})
MOST_PAIRS = 8
"""Convolutions that are summed before their lanes are; long sums are cut, so that few shapes of loops are written."""
_BLOCK = 300
"""Nodes of a block: the compiler's effort grows faster than its length."""

Key = tuple[str, Node]
"""An array of coefficients: ("forward", a), ("backward", a) or ("slope", a) for j a_j."""


@dataclass(eq=False, slots=True)
class Target:
    """A sum of convolutions, some with a minus."""

    plus: list[tuple[Key, Key]] = field(default_factory=list)
    minus: list[tuple[Key, Key]] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.plus), len(self.minus)


@dataclass(eq=False)
class Plan:
    """Blocks of nodes whose coefficients are made one by one; others are `inlined` where their only reader is."""

    rates: list[Node]
    blocks: list[list[Node]]
    zero_blocks: list[list[Node]]
    inlined: set[Node]
    targets: dict[Node, Target]
    arrays: dict[Key, int]
    home: dict[Node, int]


def plan(nodes: Sequence[Node], rates: list[Node]) -> Plan:
    """What to do for `rates`, made of `nodes` in order."""
    moving = [e for e in nodes if not e.still and e.op != "input"]
    uses = Counter(a for e in moving for a in e.args)
    uses.update(g for e in moving for g in e.slopes if g is not None)
    uses.update(rates)
    arrays: dict[Key, int] = {}
    inlined: set[Node] = set()
    targets: dict[Node, Target] = {}
    for e in reversed(moving):  # readers first
        if e not in inlined:
            target = _target(e, uses, inlined, arrays)
            if target.plus or target.minus:
                targets[e] = target
    roots = [e for e in moving if e not in inlined]
    blocks = [roots[i : i + _BLOCK] for i in range(0, len(roots), _BLOCK)]
    computed = [e for e in nodes if e.op not in ("input", "const", "pi")]
    zero_blocks = [computed[i : i + _BLOCK] for i in range(0, len(computed), _BLOCK)]
    home = {e: k for k, block in enumerate(blocks) for e in block}
    return Plan(rates, blocks, zero_blocks, inlined, targets, arrays, home)


def _target(root: Node, uses: Counter[Node], inlined: set[Node], arrays: dict[Key, int]) -> Target:
    """The convolutions of a node, with those of the products under its sums that nobody else reads."""
    target = Target()
    if root.op == "div":
        target.minus.append(_pair(root, root.args[1], arrays))
    elif root.op == "sqrt":
        target.minus.append(_pair(root, root, arrays))
    elif root.slopes:
        for a, g in zip(root.args, root.slopes, strict=True):
            if g is not None and not g.still:
                target.plus.append((_array("slope", a, arrays), _array("backward", g, arrays)))
    else:
        _collect(root, False, target, uses, inlined, arrays)
    return target


def _collect(
    root: Node, negative: bool, target: Target, uses: Counter[Node], inlined: set[Node], arrays: dict[Key, int]
) -> None:
    waiting = [(root, negative)]
    while waiting:
        e, negative = waiting.pop()
        if e.op == "mul":
            if not e.args[0].still:
                (target.minus if negative else target.plus).append(_pair(e.args[0], e.args[1], arrays))
            continue
        if e.op not in _LINEAR:
            continue
        for place, a in enumerate(e.args):
            room = len(target.plus) + len(target.minus) + len(waiting) < MOST_PAIRS - 1
            joins = a.op in _LINEAR or (a.op == "mul" and not a.args[0].still)
            if room and joins and not a.still and uses[a] == 1:
                inlined.add(a)
                waiting.append((a, negative ^ (e.op == "neg" or (e.op == "sub" and place == 1))))


def _array(kind: str, e: Node, arrays: dict[Key, int]) -> Key:
    arrays.setdefault((kind, e), 0)
    return kind, e


def _pair(a: Node, b: Node, arrays: dict[Key, int]) -> tuple[Key, Key]:
    """One of two series is read forwards, the other backwards: the way round that needs fewer arrays."""
    there = sum(key in arrays for key in (("forward", a), ("backward", b)))
    back = sum(key in arrays for key in (("forward", b), ("backward", a)))
    if back > there:
        a, b = b, a
    return _array("forward", a, arrays), _array("backward", b, arrays)
