"""What bodies look like, in LSD: read, refused with a place, and printed so that it reads back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.errors import LsdError, ModelError
from dalembert.mechanism.bodyshape import SIZES, BodyShape

RAIL = "join earth and c.frame with link(x) dof = [x, 0, 0] end ;"


def body(fields: str) -> da.Mechanism:
    return da.loads(f"let c = body mass = 1, iframe = 0, inertia = 0, {fields} end ; {RAIL}")


def test_library_solids_keep_their_shapes():
    m = da.loads(
        'use "solids.lsd" ; let c = placed(b = cone(m = 1, r = 2, h = 3), at = [0, 0, 5]) ;'
        f"let d = tube(m = 1, ri = 1, ro = 2, h = 3) ; {RAIL} join c.frame and d.frame with link end ;"
    )
    (cone,), (tube,) = m.bodies["c"].shapes, m.bodies["d"].shapes
    assert cone == BodyShape.of("cone", 2, 3, place=da.Displacement.of([0, 0, 5]))
    assert tube == BodyShape.of("tube", 1, 2, 3)


def test_several_shapes_with_their_places_and_colours():
    m = body("shape1 = [0, 0, 1] @ box(1, 2, 3), colour1 = [1, 0, 0], shape2 = sphere(4), colour = [0, 0, 1]")
    box, ball = m.bodies["c"].shapes
    assert box == BodyShape.of("box", 1, 2, 3, place=da.Displacement.of([0, 0, 1]), colour="#ff0000")
    assert ball == BodyShape.of("sphere", 4, colour=(0, 0, 1))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("shape = box(1, 2)", "box has 3 sizes"),
        ("shape = 3", "expected a shape"),
        ("shape = cube(1)", "expected a shape"),
        ("shape = sphere(-1)", "cannot be negative"),
        ("shape = sphere(1), colour = [2, 0, 0]", "three numbers from 0 to 1"),
        ("shape = sphere(1), shape = sphere(2)", "given twice"),
        ("shape = c", "expected a shape"),
    ],
)
def test_wrong_shapes_are_refused_at_their_place(fields: str, said: str):
    with pytest.raises(LsdError, match=said) as refused:
        body(fields)
    assert "<text>:1:" in str(refused.value)


def test_sizes_may_be_parameters():
    m = body("shape = sphere(r)")
    assert m.parameters() == ("r",)


colours = st.one_of(st.just(""), st.from_regex(r"#[0-9a-f]{6}", fullmatch=True))
sizes = st.integers(1, 40).map(lambda n: n / 8)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(SIZES)), st.lists(sizes, min_size=3, max_size=3), sizes, colours), max_size=4
    )
)
def test_printed_shapes_read_back(drawn: list[tuple[str, list[float], float, str]]):
    m = da.Mechanism("c")
    c = m.body("c", mass=1)
    m.join(da.earth, c, da.prismatic("x"), name="rail")
    for kind, numbers, x, colour in drawn:
        m.shape(c.at([x, 0, 1], da.turn("pi/3", "y")), kind, *numbers[: len(SIZES[kind])], colour=colour)
    again = da.loads(m.to_lsd())
    assert again.bodies["c"].shapes == m.bodies["c"].shapes
    assert again == m
    assert len(m.as_dict()["bodies"][0]["shapes"]) == len(drawn)


def test_python_refuses_what_is_no_shape():
    m = da.Mechanism("c")
    c = m.body("c", mass=1)
    with pytest.raises(ModelError, match="no solid is called 'cube'"):
        m.shape(c, "cube", 1)
    with pytest.raises(ModelError, match="has 3 sizes"):
        m.shape(c, "box", 1)
    with pytest.raises(ModelError, match="#rrggbb"):
        m.shape(c, "sphere", 1, colour="red<script>")
    with pytest.raises(ModelError, match="earth has no shape"):
        m.shape(da.earth, "sphere", 1)
