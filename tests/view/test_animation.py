"""The animation is one small file that holds the motion and needs nothing else."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from browser import browser, opened
from dalembert.errors import SimulationError
from dalembert.simulate import run
from dalembert.view import Motion, scene_of
from dalembert.view._packing import Table, unpacked
from dalembert.view.frames import frame_times, sound
from dalembert.view.page import page, side_by_side
from sample_systems import double_pendulum, free_body, pendulum

EVIL = "</script><img src=x onerror=alert(1)>`${alert(2)}\"'&lt;"


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r"const scene = (\{.*\});\n", text)
    assert found
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def places(data: dict[str, Any], body: int) -> Any:
    return unpacked(data["table"])[7 * (body - 1) : 7 * (body - 1) + 3].T


def hinged() -> Any:
    m = da.Mechanism("double pendulum")
    upper = m.body("upper", mass=1, centre=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01])
    lower = m.body("lower", mass=1, centre=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01])
    m.join(da.earth, upper, da.revolute("y"), name="shoulder")
    m.join(upper.at([0, 0, -1]), lower, da.revolute("y"), name="elbow")
    m.gravity = [0, 0, -9.81]
    return m


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 5))
def test_packed_curves_come_back_to_half_a_step(seed: int, frames: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.normal(size=(count, frames)), axis=1) * 10.0 ** rng.integers(-6, 7, size=(count, 1))
    values[rng.integers(count)] = rng.normal()  # one that stands still
    finest = np.where(rng.random(count) < 0.5, np.inf, 1e-9 * np.ptp(values, axis=1) + 1e-300)
    stored = json.loads(json.dumps(Table(values, finest).as_dict()))
    step = np.array([c[1] for c in stored["channels"]])
    assert np.all(np.abs(unpacked(stored) - values) <= 0.51 * step[:, None] + 1e-12 * np.abs(values))


def test_page_holds_the_positions_of_points_drawn_by_hand(tmp_path: Path) -> None:
    motion = run(double_pendulum(), (0, 3), kind=Motion)
    motion.animate(tmp_path / "m.html", fps=20)
    data = data_of((tmp_path / "m.html").read_text())
    seen = motion.at(data["times"])
    hand = np.array([seen["sin(a) + sin(b)"], 0 * seen.t, seen["-cos(a) - cos(b)"]]).T
    (elbow, *_), (tip, *_) = data["ties"][1]["points"]
    assert np.allclose(places(data, tip), hand, atol=1e-4)
    assert np.allclose(np.linalg.norm(places(data, tip) - places(data, elbow), axis=1), 1, atol=2e-4)
    assert {"upper", "lower"} <= {body["name"] for body in data["bodies"]}


def test_page_holds_the_poses_of_bodies(tmp_path: Path) -> None:
    motion = hinged().simulate((0, 3), start={"shoulder.th": 2.0})
    motion.animate(tmp_path / "m.html")
    text = (tmp_path / "m.html").read_text()
    data = data_of(text)
    seen = motion.at(data["times"])
    expected = np.array([seen["lower.X"], seen["lower.Y"], seen["lower.Z"]]).T
    assert np.allclose(places(data, 2), expected, atol=1e-4)
    turn = unpacked(data["table"])[10:14]
    angle = 2 * np.arctan2(turn[2], turn[0])
    assert np.allclose(np.sin(angle), seen["sin(shoulder.th + elbow.th)"], atol=1e-3)
    assert len(text) < 200_000


def test_jumps_have_both_sides() -> None:
    fall = da.Mechanism("drop")
    stone = fall.body("stone", mass=1)
    fall.join(da.earth, stone, da.prismatic("z"), name="line")
    fall.gravity = [0, 0, -9.81]
    fall.contact("stone.Z >= 0", restitution=0.5, name="floor")
    motion = fall.simulate((0, 2), start={"line.x": 1.0})
    scene = scene_of(None, motion)
    hit = np.sqrt(2 / 9.81)
    near = np.flatnonzero(np.abs(scene.times - hit) < 1e-6)
    assert len(near) == 2
    assert np.allclose(scene.poses[1, near, 2, 3], 0, atol=1e-6)


def test_page_needs_no_network(tmp_path: Path) -> None:
    run(pendulum(), (0, 1), kind=Motion).animate(tmp_path / "m.html")
    text = (tmp_path / "m.html").read_text()
    assert not re.search(r"<script[^>]*\ssrc=|<link\b|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert len(text) < 120_000


def test_names_cannot_break_out_of_the_page() -> None:
    system = pendulum()
    pictures = tuple(dataclasses.replace(p, name=EVIL) for p in system.pictures)
    text = page(scene_of(None, run(dataclasses.replace(system, name=EVIL, pictures=pictures), (0, 1))), EVIL)
    assert "<img" not in text
    assert data_of(text)["name"] == EVIL
    assert text.count("</script>") == 2


@pytest.mark.parametrize(("length", "speed"), [(10.0, 1.0), (0.03, 0.01), (3600.0, 100.0)])
def test_playing_takes_a_pleasant_time(length: float, speed: float) -> None:
    times, chosen = frame_times(run(pendulum(), (0, length), rtol=1e-3, atol=1e-3), 30.0, None)
    assert chosen == pytest.approx(speed, rel=1.01)
    assert 2 <= length / chosen <= 40
    assert len(times) <= 1500


@pytest.mark.parametrize("part", [(0.0, 0.2, 0.4), (3.0, 3.5), (0.0, 10.0)])
def test_a_part_of_a_motion_plays_for_itself(part: tuple[float, ...]) -> None:
    whole = run(pendulum(), (0, 10), kind=Motion)
    seen = scene_of(None, whole.at(part)).times
    assert (seen[0], seen[-1]) == (part[0], part[-1])


def test_a_system_without_pictures_says_so(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="no pictures"):
        run(free_body(), (0, 1), kind=Motion).animate(tmp_path / "m.html")
    assert not list(tmp_path.iterdir())


def test_partial_motion_can_be_animated(tmp_path: Path) -> None:
    motion = run(pendulum(), (0, 0), kind=Motion)
    motion.animate(tmp_path / "m.html")
    assert len(data_of((tmp_path / "m.html").read_text())["times"]) == 1


def test_springs_are_drawn_as_coils() -> None:
    m = da.Mechanism("spring")
    cart = m.body("cart", mass=1)
    m.join(da.earth, cart, da.prismatic("x"), name="rail")
    m.spring(da.earth.at([0, 0, 1]), cart, stiffness=4, length=1, name="coil")
    scene = scene_of(m, at={"rail.x": 1.0})
    (tie,) = scene.ties
    assert (tie.name, tie.kind, [body for body, _ in tie.points]) == ("coil", "spring", [0, 1])


@pytest.mark.slow
def test_browser_plays_the_page(tmp_path: Path) -> None:
    motion = hinged().simulate((0, 3), start={"shoulder.th": 2.0})
    motion.animate(tmp_path / "m.html")
    data = data_of((tmp_path / "m.html").read_text())
    with browser() as driver:
        shown, faults = opened(driver, tmp_path / "m.html", "#t=2")
        assert shown.evaluate("view.time") == 2
        read = np.array(shown.evaluate("DalembertView.unpack(scene.table).then(c => c.map(x => [...x]))"))
        assert np.allclose(read, unpacked(data["table"]), atol=1e-12)
        assert shown.evaluate("view.outermost(30)") < 1
        shown.keyboard.press("Tab")
        shown.locator(".dv").focus()
        shown.keyboard.press("Space")
        shown.wait_for_timeout(700)
        assert shown.evaluate("view.playing")
        assert shown.evaluate("view.time") > 2
        assert shown.evaluate("view.png(64, 64)").startswith("data:image/png;base64,")
        assert faults == []


@pytest.mark.slow
def test_hostile_names_stay_text_in_the_browser(tmp_path: Path) -> None:
    system = double_pendulum()
    pictures = tuple(dataclasses.replace(p, name=EVIL) for p in system.pictures)
    text = page(scene_of(None, run(dataclasses.replace(system, name=EVIL, pictures=pictures), (0, 1))), EVIL)
    (tmp_path / "m.html").write_text(text)
    with browser() as driver:
        shown, faults = opened(driver, tmp_path / "m.html", "#t=0.5")
        shown.evaluate("view.set({names: true, plots: true, frames: true})")
        shown.locator("summary").click()
        shown.mouse.move(320, 150)
        shown.wait_for_timeout(300)
        assert shown.evaluate("document.querySelectorAll('img').length") == 0
        assert shown.evaluate("document.getElementById('machine').shadowRoot.querySelectorAll('img').length") == 0
        assert shown.title() == EVIL
        assert faults == []


def test_motions_beside_each_other_keep_names_as_text() -> None:
    scene = scene_of(None, run(pendulum(), (0, 1)))
    text = side_by_side([scene, scene], [EVIL])
    assert "<img" not in text
    assert text.count("</script>") == 2
    assert len(text) < 120_000


@pytest.mark.slow
def test_motions_beside_each_other_play_together(tmp_path: Path) -> None:
    m = hinged()
    scenes = [scene_of(m, m.simulate((0, 2), start={"shoulder.th": x})) for x in (1.0, 1.1)]
    (tmp_path / "m.html").write_text(side_by_side(scenes, [EVIL, "second"]))
    with browser() as driver:
        shown, faults = opened(driver, tmp_path / "m.html", "#t=0.75", size=(900, 400))
        assert shown.evaluate("views.map(v => v.time)") == [0.75, 0.75]
        boxes = shown.evaluate("[...document.querySelectorAll('.machine')].map(b => b.getBoundingClientRect().left)")
        assert boxes[0] < boxes[1]
        shown.wait_for_timeout(400)
        shown.screenshot(path=str(tmp_path / "m.png"))
        assert shown.evaluate("views.every(v => v.outermost(20) < 1)")
        assert faults == []


def test_what_turns_fast_is_seen_to_turn_its_way() -> None:
    """At 30 frames a second a rotor of 200 rad/s would seem to turn slowly, and backwards."""
    m = da.Mechanism("rotor")
    m.join(da.earth, m.body("rotor", mass=1, inertia=[1, 1, 1]), da.revolute("z"), name="pin")
    scene = scene_of(motion=m.simulate((0, 3), start={"pin.th'": 200.0}))
    turned = np.unwrap(np.arctan2(scene.poses[1, :, 1, 0], scene.poses[1, :, 0, 0]))
    assert turned[-1] == pytest.approx(600)


def test_the_cost_of_a_frame_does_not_grow_with_the_bodies(tmp_path: Path) -> None:
    """Solids are few draws, however many; the floor is drawn once while the camera rests, and again when it moves."""
    draws = """times => {
      const gl = document.querySelector("#machine").shadowRoot.querySelector("canvas.gl").getContext("webgl2");
      view.drawAt(times[0]);  // the floor, if no frame of the page's own has drawn it yet
      let count = 0;
      for (const name of ["drawElements", "drawArrays", "drawElementsInstanced"]) {
        const plain = gl[name].bind(gl);
        gl[name] = (...all) => { count++; plain(...all); };
      }
      for (const t of times) view.drawAt(t);
      const kept = view.about().floor, still = count;
      view.look("top"); view.drawAt(times[0]);
      return {draws: still / times.length, kept, moved: view.about().floor, triangles: view.about().triangles};
    }"""
    found = []
    with browser() as driver:
        for bodies in (3, 20):
            m = da.Mechanism("chain")
            last: Any = da.earth
            for k in range(bodies):
                body = m.body(f"b{k}", mass=1, centre=[0, 0, -0.25], inertia=[0.03, 0.03, 0.01])
                m.join(last, body, da.revolute("xy"[k % 2]), name=f"j{k}")
                m.shape(body.at([0, 0, -0.25]), ("box", "sphere")[k % 2], *((0.2, 0.2, 0.4), (0.15,))[k % 2])
                last = body.at([0, 0, -0.5])
            m.gravity = [0, 0, -9.81]
            path = tmp_path / f"{bodies}.html"
            path.write_text(page(scene_of(m)), encoding="utf-8")
            shown, faults = opened(driver, path, "#t=0")
            shown.evaluate("view.set({quality: 1})")
            found.append(shown.evaluate(draws, [0, 0, 0, 0]))
            assert faults == []
    assert found[0]["draws"] == found[1]["draws"] <= 6
    assert found[1]["triangles"] > 3 * found[0]["triangles"]
    assert [one["kept"] for one in found] == ["kept"] * 2
    assert [one["moved"] for one in found] == ["drawn"] * 2


def test_moments_without_numbers_are_left_out() -> None:
    """A motion that was stopped may end in what is no number: the page shows what comes before."""
    motion = hinged().simulate((0, 1), start={"shoulder.th": 2.0}, t_eval=np.linspace(0, 1, 31), dense_output=False)
    (arc,) = motion.arcs
    lost = arc.y.copy()
    lost[:, 20:] = np.nan
    shown = scene_of(motion=dataclasses.replace(motion, arcs=(dataclasses.replace(arc, y=lost),)))
    assert 0.5 < shown.times[-1] < 0.7
    assert np.isfinite(shown.poses).all()
    page(shown)
    with pytest.raises(SimulationError, match="no moment"):
        sound(dataclasses.replace(motion, arcs=(dataclasses.replace(arc, y=np.full_like(lost, np.nan)),)))
