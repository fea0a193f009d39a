"""Sections, reactions, responses, root loci and modes, against what is known of them."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import dalembert as da
from dalembert.view import locus_of, mode_scene, section_of

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def oscillator():
    m = da.Mechanism("cart")
    joint = da.prismatic("x").with_efforts(x="F - k*x - c*x'")
    m.join(da.earth, m.body("cart", mass=2), joint, name="rail")
    m.given = {"F": 0, "k": 18, "c": 0}
    m.start = {"rail.x": 1}
    return m


def test_a_section_holds_the_instants_at_which_the_formula_passes_zero():
    mo = oscillator().simulate((0, 20))  # x = cos 3t passes zero and grows at 3t = -pi/2 + 2 pi n
    seen = section_of(mo, "rail.x")
    exact = (2 * np.pi * np.arange(1, 10) - np.pi / 2) / 3
    np.testing.assert_allclose(seen.t, exact[exact < 20], atol=1e-7)
    np.testing.assert_allclose(seen["rail.x'"], 3, rtol=1e-6)
    falling = section_of(mo, "rail.x - 0.5*sin(t*0)", falling=True)
    assert len(falling.t) == 10
    with pytest.raises(da.SimulationError, match="never passes zero"):
        section_of(mo, "rail.x - 2")


def test_a_jump_is_no_passage():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.gravity, m.start = [0, 0, -9.81], {"drop.x": 1.0}
    mo = m.simulate((0, 1.5), events=da.Event("drop.x < 0", then={"drop.x'": "-0.8*drop.x'"}))
    assert len(mo.jumps) == 2
    with pytest.raises(da.SimulationError, match="never passes zero"):
        section_of(mo, "drop.x'")  # grows only in the jumps
    assert mo.plot_section("drop.x'", falling=True).axes


def test_response_is_that_of_one_mass():
    m = oscillator()
    linear = m.linearize({"rail.x": 0}, inputs=["F"], given={"c": 0.7})
    omega = np.geomspace(0.1, 50, 40)
    np.testing.assert_allclose(linear.response(omega, "F")[:, 0], 1 / (18 - 2 * omega**2 + 0.7j * omega), rtol=1e-12)
    with pytest.raises(da.ModelError, match="no input"):
        linear.response(omega, "k")
    figure = m.plot_response("F", ["rail.x"], at={"rail.x": 0}, given={"c": 0.7})
    assert [one.get_ylabel() for one in figure.axes] == ["gain", "phase [degrees]"]


def test_root_locus_of_growing_damping():
    m = oscillator()
    values = np.linspace(0, 20, 41)
    roots = locus_of(m, "c", values, at={"rail.x": 0})
    for c, pair in zip(values, roots, strict=True):
        np.testing.assert_allclose(np.sort_complex(pair), np.sort_complex(np.roots([2, c, 18])), atol=1e-6)
    assert m.plot_locus("c", values, at={"rail.x": 0}).axes
    with pytest.raises(da.ModelError, match="no parameter 'd' to vary"):
        locus_of(m, "d", values)


def pair(loop=False):
    m = da.Mechanism("pair")
    a, b = m.body("a", mass=1, centre=[0, 0, -1]), m.body("b", mass=1, centre=[0, 0, -1])
    m.join(da.earth, a, da.revolute("y"), name="A")
    if loop:
        rod = m.body("rod", mass=1, centre=[1, 0, 0])
        m.join(da.earth.at([2, 0, 0]), b, da.revolute("y"), name="B")
        m.join(a.at([0, 0, -1]), rod, da.revolute("y"), name="C")
        m.join(rod.at([2, 0, 0]), b.at([0, 0, -1]), da.revolute("y"), name="D")
    else:
        m.join(a.at([0, 0, -1]), b, da.revolute("y"), name="B")
    m.gravity = [0, 0, -9.81]
    return m


def test_a_mode_swings_along_its_shape():
    m = pair()
    (rest,) = [one for one in m.equilibria() if one.stability == "stable"]
    for mode in rest.modes:
        scene = mode_scene(m, rest.coordinates, mode)
        angles = np.arctan2(-scene.poses[1:, :, 0, 2], scene.poses[1:, :, 2, 2])  # of the z axes, about -y
        own = np.array([angles[0], angles[1] - angles[0]])
        ratio = (mode.shape["B.th"] / mode.shape["A.th"]).real
        np.testing.assert_allclose(own[1], ratio * own[0], atol=1e-9)
        swing = np.linalg.norm(scene.corners() - scene.corners()[len(scene.times) // 4], axis=2).max()
        assert 0.08 * scene.size < swing < 0.2 * scene.size


@pytest.mark.slow
def test_modes_of_closed_machines_keep_their_loops(tmp_path):
    m = pair(loop=True)
    rest = next(one for one in m.equilibria() if one.stability == "stable")
    scene = mode_scene(m, rest.coordinates, rest.modes[0])
    index = [body.name for body in scene.bodies]
    rod, b = (scene.poses[index.index(name)] for name in ("rod", "b"))
    ends = rod[:, :, :3] @ [2.0, 0, 0] + rod[:, :, 3], b[:, :, :3] @ [0, 0, -1.0] + b[:, :, 3]
    np.testing.assert_allclose(*ends, atol=1e-8)
    m.draw_mode(1, tmp_path / "mode.png", rest=rest)
    m.animate_mode(1, tmp_path / "mode.html", rest=rest)
    assert (tmp_path / "mode.html").stat().st_size < 200_000
    with pytest.raises(da.ModelError, match="there is no mode 7"):
        m.draw_mode(7, rest=rest)


def test_reactions_are_the_outputs_of_the_motion():
    mo = pair().simulate((0, 1), start={"A.th": 1.0})
    figure = mo.plot_reactions("A")
    (x, y) = figure.axes[0].lines[2].get_data()
    np.testing.assert_allclose(y, mo.at(x)["A.Fz"], rtol=1e-9, atol=1e-9)
    sizes = mo.plot_reactions().axes
    assert [line.get_label() for line in sizes[0].lines] == ["A", "B"]
    assert all((line.get_ydata() == 0).all() for line in sizes[1].lines)  # point masses on hinges bear no moment
    with pytest.raises(da.SimulationError, match="no link 'C'"):
        mo.plot_reactions("C")


@pytest.mark.filterwarnings("ignore:.*not determined")
def test_what_redundant_links_leave_open_is_no_hole_in_the_picture():
    mo = pair(loop=True).simulate((0, 0.1), start={"A.th": 0.5})
    figure = mo.plot_reactions("A")
    assert figure.axes[0].lines
    assert all(np.isfinite(line.get_ydata()).all() for line in figure.axes[0].lines)
