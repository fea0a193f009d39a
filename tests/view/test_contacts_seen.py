"""Contacts in pictures: arrows are the forces that move the machine, bars the states that its log tells."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app
from dalembert.errors import SimulationError
from dalembert.view import scene_of

G = 9.81


def upright() -> da.Joint:
    return da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y"))


def block(drawn: str) -> da.Mechanism:
    """A block that falls on one corner, rubs, and turns over; its contact as shapes, or as formulas of frames."""
    m = da.Mechanism("block")
    one = m.body("block", mass=2, inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, one, upright(), name="p")
    m.gravity = [0, 0, -G]
    m.start = {"p.z": 0.9, "p.th": 0.3, "p.x'": 1.0}
    for side, x in (("l", -0.2), ("r", 0.2)):
        corner = m.frame(side, one.at([x, 0, -0.5]))
        if drawn == "shapes":
            m.contact(da.Sphere(corner), da.Plane(da.earth), friction=0.4, restitution=0.3, name=side)
        else:
            m.contact(f"{side}.Z >= 0", friction=0.4, restitution=0.3, slip=f"{side}.X'", name=side)
    return m


@pytest.mark.parametrize("drawn", ["shapes", "formulas"])
def test_arrows_of_contacts_are_the_force_that_moves_the_centre(drawn: str) -> None:
    mo = block(drawn).simulate((0, 0.8))
    scene = scene_of(None, mo)
    t = scene.times
    seen = mo.at(t)
    forces = sum(arrow.values for arrow in scene.arrows if arrow.kind == "contact")
    assert not isinstance(forces, int)
    # Momentum: between two frames of one arc the force is the change of 2 v, less the weight
    momentum = 2 * np.array([seen["p.x'"], seen["p.z'"]]).T
    after = np.cumsum([0.0, *(np.diff(t))])
    inside = np.flatnonzero((np.diff(t) > 0) & ~np.isin(np.round(t[1:], 12), np.round([j.t for j in mo.jumps], 12)))
    pushed = [k for k in inside if np.abs(forces[k]).max() > 0 and np.abs(forces[k + 1]).max() > 0]
    assert len(pushed) > 10
    for k in pushed:
        mean = (forces[k] + forces[k + 1])[[0, 2]] / 2
        found = (momentum[k + 1] - momentum[k]) / (after[k + 1] - after[k]) + [0, 2 * G]
        assert mean == pytest.approx(found, abs=0.02 * 2 * G)  # trapezes of a thirtieth of a second


@pytest.mark.parametrize("drawn", ["shapes", "formulas"])
def test_arrows_of_impulses_begin_as_the_change_of_momentum_and_fade(drawn: str) -> None:
    mo = block(drawn).simulate((0, 0.8))
    scene = scene_of(None, mo)
    jump = mo.jumps[0]
    change = 2 * np.array([jump.after["p.x'"] - jump.before["p.x'"], 0, jump.after["p.z'"] - jump.before["p.z'"]])
    impulses = [arrow for arrow in scene.arrows if arrow.kind == "impulse"]
    here = np.flatnonzero(np.isclose(scene.times, jump.t, rtol=0, atol=1e-9))[-1]
    assert sum(arrow.values[here] for arrow in impulses) == pytest.approx(change, abs=1e-9)
    sizes = np.linalg.norm(sum(arrow.values for arrow in impulses), axis=1)
    assert sizes[here + 1] < sizes[here]
    assert sizes[here - 2] == 0


def test_an_arrow_begins_at_the_corner_that_touches() -> None:
    mo = block("shapes").simulate((0, 0.8))
    scene = scene_of(None, mo)
    told = scene.as_dict()["arrows"]
    assert {("place" in one, "at" in one) for one in told} == {(True, False)}
    for arrow in scene.arrows:
        pushing = np.abs(arrow.values).max(axis=1) > 0
        assert np.abs(arrow.at[pushing, 2]).max() < 0.6
        if arrow.kind == "contact":
            assert np.abs(arrow.at[pushing, 2]).max() < 1e-9


def test_balls_that_strike_each_other_have_opposite_arrows() -> None:
    m = da.Mechanism("two")
    for k in range(2):
        m.join(da.earth, m.body(f"b{k}", mass=1 + k), da.prismatic("x"), name=f"q{k}")
    m.contact("q1.x - q0.x - 0.1", restitution=1, name="c")
    mo = m.simulate((0, 1), start={"q0.x": -0.4, "q0.x'": 1, "q1.x": 0})
    one, two = (arrow.values for arrow in scene_of(None, mo).arrows)
    assert one == pytest.approx(-two)
    assert np.abs(one).max() == pytest.approx(4 / 3)


def bars(figure: object) -> list[tuple[float, float, str]]:
    from matplotlib.colors import to_hex

    axis = figure.axes[0]  # type: ignore[attr-defined]
    return [(p.get_x(), p.get_width(), to_hex(p.get_facecolor())) for p in axis.patches]


def test_bars_are_the_states_of_the_stick_slip_oscillator() -> None:
    """F9: sticks 0.4 s, slips 0.4068887871591405 s."""
    from matplotlib import pyplot as plt

    m = da.Mechanism("belt")
    m.join(da.earth, m.body("mass", mass=1), da.composite(["x", "z"], ["x", 0, "z"]).with_efforts(x="-100*x"), name="s")
    m.gravity = [0, 0, -10]
    m.contact("s.z", friction=0.3, static=0.5, slip="s.x' - 0.1", name="belt")
    mo = m.simulate((0, 2), start={"s.x": 0.01, "s.x'": 0.1})
    figure = mo.plot_contacts()
    figure.canvas.draw()
    (axis,) = figure.axes
    legend, whole = axis.get_legend().get_window_extent(), figure.bbox
    assert whole.x0 <= legend.x0 < legend.x1 <= whole.x1
    widths = [width for _, width, _ in bars(figure)]
    assert widths[:3] == pytest.approx([0.4, 0.4068887871591405, 0.4], abs=1e-6)
    assert len({colour for *_, colour in bars(figure)}) == 2
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["belt"]
    plt.close(figure)


def test_a_diagram_of_nothing_is_refused() -> None:
    m = da.Mechanism("free")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="q")
    with pytest.raises(SimulationError, match="has no contacts"):
        m.simulate((0, 1)).plot_contacts()
    m.contact("q.x >= -1", name="floor")
    with pytest.raises(SimulationError, match=r"no contact 'flor'.*floor"):
        m.simulate((0, 1)).plot_contacts("flor")


def test_the_command_writes_the_diagram(tmp_path) -> None:
    program = tmp_path / "ball.lsd"
    program.write_text(
        "let ball = body mass = 1, iframe = 0, inertia = 0 end ;\n"
        "join earth and ball.frame with link(x) dof = [0, 0, x] end as drop ;\n"
        "contact drop.x >= 0 restitution 0.5 as floor ;\ngravity [0, 0, -9.81] ;\nstart drop.x = 1 ;\n"
    )
    asked = ["simulate", str(program), "--until", "1", "--plot-contacts", "--out", str(tmp_path / "b.csv")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "b.contacts.png").read_bytes().startswith(b"\x89PNG")
