"""Structure graphs and flat drawings: what they tell is what the machine is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Layout
from dalembert.view import draw_flat, draw_structure, loops_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def texts(figure) -> list[str]:
    return [one.get_text() for axes in figure.axes for one in axes.texts]


def test_loops_are_closed_walks():
    for name in ("four_bar", "loops/stephenson", "loops/watt", "loops/stewart", "loops/scissor_lift"):
        m = da.load(EXAMPLES / f"{name}.lsd")
        layout = Layout.of(m)
        found = loops_of(layout)
        assert [one.closed_by for one in found] == [cut.link.name for cut in layout.cuts]
        for loop in found:
            assert len(loop.links) == len(loop.bodies) - 1
            assert len(set(loop.bodies)) == len(loop.bodies)
            around = [*loop.bodies, loop.bodies[0]]
            for name_, a, b in zip((*loop.links, loop.closed_by), around, around[1:], strict=False):
                link = m.links[name_]
                assert {link.first.body, link.second.body} == {a, b}


def test_the_graph_names_every_body_and_link():
    m = da.load(EXAMPLES / "loops/stephenson.lsd")
    shown = texts(draw_structure(m))
    assert set(m.bodies) <= set(shown)
    assert all(any(text.split("\n")[0] == name for text in shown) for name in m.links)
    assert "5 bodies, 5 principal links, 2 complementary (dashed): 2 loops" in shown


def test_dimensions_are_the_lengths_of_the_bars(tmp_path):
    shown = texts(draw_flat(da.load(EXAMPLES / "four_bar.lsd")))
    assert {"1", "3", "2"} <= set(shown)
    named = texts(da.load(EXAMPLES / "slider_crank.lsd").draw_flat(tmp_path / "crank.svg"))
    assert {"r = 0.05", "l = 0.15"} <= set(named)
    assert "r = 0.05" in re.sub(r"<[^>]*>", "", (tmp_path / "crank.svg").read_text())


def test_any_plane_is_the_plane_of_the_paper():
    """A pendulum of two bars in a random plane: its picture is the same as in the plane x, z."""
    rng = np.random.default_rng(5)

    def ends(turns):
        m = da.Mechanism("pair")
        a, b = m.body("a", mass=1, centre=[0, 0, -1]), m.body("b", mass=1, centre=[0, 0, -1])
        m.join(da.earth.at([0, 0, 0], *turns), a, da.revolute("y"), name="A")
        m.join(a.at([0, 0, -2]), b, da.revolute("y"), name="B")
        m.gravity = [0, 0, -9.81]
        figure = draw_flat(m, at={"A.th": 0.4, "B.th": 0.7})
        lines = [line.get_xydata() for line in figure.axes[0].lines if line.get_linewidth() > 3]
        return [float(np.linalg.norm(line[1] - line[0])) for line in lines]

    upright = ends(())
    np.testing.assert_allclose(upright, [2, 1])
    for _ in range(3):
        np.testing.assert_allclose(ends((da.turn(rng.uniform(-3, 3), "z"),)), upright)


@pytest.mark.parametrize(("name", "why"), [("gyroscope", "not parallel"), ("satellite", "moves out of a plane")])
def test_machines_in_space_are_refused(name, why):
    with pytest.raises(da.ModelError, match=why):
        draw_flat(da.load(EXAMPLES / f"{name}.lsd"))
