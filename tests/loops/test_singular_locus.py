"""Singular postures as ideals: none for a general slider-crank, the flat postures and nodes where branches meet."""

from __future__ import annotations

import pytest
from flint import fmpq_mpoly_ctx

from dalembert import loops
from dalembert.mechanism import Layout


@pytest.mark.parametrize(
    ("name", "numbers", "dimensions"),
    [("slider_crank", (), []), ("slider_crank", (1, 1), [0, 0]), ("parallelogram", (), [0, 0])],
)
def test_postures_where_branches_meet(families, name, numbers, dimensions):
    """Equal crank and rod, and the parallelogram: two postures each; otherwise the slider-crank is smooth."""
    closure = loops.polynomial_closure(loops.build_linkage(Layout.of(families.FAMILIES[name](*numbers))))
    locus = loops.singular_locus(closure.generators)
    assert loops.ideal_dimension(locus) == (0 if dimensions else -1)
    assert [dimension for dimension, _ in loops.components(locus)] == dimensions


def test_the_saliere_has_four_nodes():
    """cos a2 = cos a3, sin a1 sin a2 = 0, cos a1 sin a2 = sin a3 (spec of the thesis' third example)."""
    ring = fmpq_mpoly_ctx.get(("s1", "c1", "s2", "c2", "s3", "c3"), "degrevlex")
    s1, c1, s2, c2, s3, c3 = ring.gens()
    circles = [s * s + c * c - 1 for s, c in ((s1, c1), (s2, c2), (s3, c3))]
    pieces = loops.components(loops.singular_locus([c2 - c3, s1 * s2, c1 * s2 - s3, *circles]))
    assert [dimension for dimension, _ in pieces] == [0, 0, 0, 0]
