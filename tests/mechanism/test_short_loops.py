"""Spanning trees whose loops are short: by ears, beside breadth first."""

from __future__ import annotations

import random

import pytest

from dalembert import Mechanism, earth, revolute
from dalembert.mechanism import Layout
from dalembert.mechanism.short_loops import short_loops, total_length


def breadth_first(root, edges):
    """Parents in the order of discovery, and the links of the tree."""
    parent, tree, order = {}, set(), [root]
    for body in order:
        for name, a, b in edges:
            for one, two in ((a, b), (b, a)):
                if one == body and two != root and two not in parent:
                    parent[two] = body
                    tree.add(name)
                    order.append(two)
    return parent, tree


@pytest.mark.parametrize("seed", range(40))
def test_what_is_left_of_a_random_graph_is_a_spanning_tree_with_loops_of_the_length_told(seed):
    draw = random.Random(seed)
    count, more = draw.randrange(2, 15), draw.randrange(0, 12)
    pairs = [(draw.randrange(k), k) for k in range(1, count)]  # stems and tips stay without a loop
    pairs += [tuple(draw.sample(range(count), 2)) for _ in range(more)]
    edges = [(f"link{k}", str(a), str(b)) for k, (a, b) in enumerate(pairs)]
    draw.shuffle(edges)
    cut, length = short_loops("0", edges)
    parent, tree = breadth_first("0", [e for e in edges if e[0] not in cut])
    assert len(cut) == len(set(cut)) == more
    assert len(parent) == count - 1
    assert total_length(edges, parent, tree) == length


def tower(stages: int) -> Mechanism:
    """Crossed bars, stage on stage."""
    m = Mechanism("tower")
    for i in range(stages):
        for side in "ab":
            m.body(f"{side}{i}", mass=1)
    for side in "ab":
        m.join(earth, m.bodies[f"{side}0"], revolute("z"), name=f"foot_{side}")
    for i in range(stages):
        m.join(m.bodies[f"a{i}"], m.bodies[f"b{i}"], revolute("z"), name=f"cross{i}")
        if i + 1 < stages:
            m.join(m.bodies[f"b{i}"], m.bodies[f"a{i + 1}"], revolute("z"), name=f"left{i}")
            m.join(m.bodies[f"a{i}"], m.bodies[f"b{i + 1}"], revolute("z"), name=f"right{i}")
    return m


def longest(layout: Layout) -> int:
    paths = [{*layout.path(one.first)} ^ {*layout.path(one.second)} for one in layout.cuts]
    return max(len(path) for path in paths) + 1


def test_loops_of_a_tower_close_stage_by_stage():
    """Breadth first, the highest closes through the foot: 2 stages and a link."""
    assert longest(Layout.of(tower(40))) == 4
    assert longest(Layout.of(tower(2))) == 5  # small machines are numbered as in the book


def test_links_that_were_asked_for_stay_cut():
    layout = Layout.of(tower(40), cut=["cross7"])
    assert "cross7" in [one.link.name for one in layout.cuts]
    assert longest(layout) < 10
