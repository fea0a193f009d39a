"""A body without a shape gets one that a person recognises."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.view import scene_of


def looks(m: da.Mechanism, body: str, **about: object) -> list[tuple[str, tuple[float, ...]]]:
    scene = scene_of(m, **about)  # type: ignore[arg-type]
    (found,) = [one for one in scene.bodies if one.name == body]
    return [(solid.kind, solid.size) for solid in found.solids]


def test_what_rolls_is_a_wheel_or_a_ball():
    m = da.Mechanism("roll")
    wheel, ball = m.body("wheel", mass=1, inertia=[1, 2, 1]), m.body("ball", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, wheel, da.free(), name="w")
    m.join(da.earth, ball, da.free(), name="b")
    m.roll(wheel, da.earth, 0.3)
    m.roll(ball, da.earth, radii=["r", "r", "r"])
    at = {"w.z": 0.3, "b.x": 2, "b.z": 0.2}
    assert looks(m, "wheel", at=at, given={"r": 0.2})[0][0] == "wheel"
    assert looks(m, "wheel", at=at, given={"r": 0.2})[0][1][0] == pytest.approx(0.3)
    assert looks(m, "ball", at=at, given={"r": 0.2}) == [("sphere", (pytest.approx(0.2),))]


def test_an_ellipsoid_has_its_half_axes():
    m = da.Mechanism("stone")
    m.join(da.earth, m.body("stone", mass=1, inertia=[1, 2, 2.5]), da.free(), name="w")
    m.roll(m.bodies["stone"], da.earth, radii=[0.5, 0.4, 0.3])
    assert looks(m, "stone", at={"w.z": 0.3}) == [("ellipsoid", tuple(map(pytest.approx, (0.5, 0.4, 0.3))))]


def test_what_touches_is_what_is_seen():
    m = da.Mechanism("drop")
    crate = m.body("crate", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, crate, da.free(), name="w")
    m.contact(da.Box(crate, [1, 2, 3]), da.Plane(da.earth), name="floor")
    scene = scene_of(m, at={"w.z": 5})
    assert looks(m, "crate", at={"w.z": 5}) == [("box", (1, 2, 3))]
    assert scene.ground is not None
    assert np.allclose(scene.ground.normal, [0, 0, 1])
    assert scene.ground.at[2] == pytest.approx(0)


@pytest.mark.parametrize("turn", ["x", "y", "z"])
def test_solids_come_back_from_their_moments(turn: str):
    m = da.Mechanism("free")
    place = da.Displacement.of([1, 2, 3], da.turn(0.4, turn))
    m.join(da.earth, m.body("box", mass=12, iframe=place, inertia=[13, 10, 5]), da.free(), name="w")
    ((kind, size),) = looks(m, "box")
    assert kind == "box"
    assert size == pytest.approx((1, 2, 3))


def test_a_rotor_on_its_hinge_is_a_wheel_and_a_bar_goes_from_joint_to_joint():
    m = da.Mechanism("rotor")
    arm = m.body("arm", mass=1, centre=[0.5, 0, 0], inertia=[0, 1 / 12, 1 / 12])
    rotor = m.body("rotor", mass=1, inertia=[0.25, 0.25, 0.5])
    m.join(da.earth, arm, da.revolute("z"), name="a")
    m.join(arm.at([1, 0, 0]), rotor, da.revolute("z"), name="b")
    assert looks(m, "rotor")[0] == ("wheel", (pytest.approx(1), pytest.approx(0.16)))
    ((kind, (_, length)),) = looks(m, "arm")
    assert (kind, length) == ("capsule", pytest.approx(1))


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_a_disc_on_a_hinge_beside_its_axis_is_no_wheel_in_any_unit_of_length(unit):
    kinds = {}
    for off in (0.0, 0.01, 0.4):
        m = da.Mechanism("disc")
        disc = m.body("disc", mass=1, inertia=[0.25 * unit**2, 0.25 * unit**2, 0.5 * unit**2])
        m.join(da.earth, disc.at([off * unit, 0, 0]), da.revolute("z"), name="a")
        kinds[off] = looks(m, "disc")[0][0]
    assert kinds == {0.0: "wheel", 0.01: "wheel", 0.4: "cylinder"}


def test_declared_shapes_are_drawn_as_they_are():
    m = da.Mechanism("car")
    car = m.body("car", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, car, da.planar(), name="p")
    m.shape(car.at([1, 0, 0]), "box", 4, "w", 1, colour="#ff0000")
    scene = scene_of(m, given={"w": 1.5})
    (solid,) = scene.bodies[1].solids
    assert (solid.kind, solid.size, solid.colour) == ("box", (4, 1.5, 1), "#ff0000")
    assert np.allclose(solid.at, [1, 0, 0])


def test_a_posture_without_numbers_says_what_it_took():
    m = da.Mechanism("p")
    m.join(da.earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), da.revolute("x"), name="pin")
    assert scene_of(m).note == "drawn with l, m = 1"


def test_joints_have_their_symbols():
    kinds = {"hinge": da.revolute("y"), "slide": da.prismatic("x"), "screw": da.screw("z"), "universal": da.universal(),
             "ball": da.spherical(), "cylinder": da.cylindrical("z")}  # fmt: skip
    m = da.Mechanism("joints")
    for name, joint in kinds.items():
        m.join(da.earth, m.body(name, mass=1, inertia=[1, 1, 1]), joint, name=name)
    m.join(da.earth, m.body("loose", mass=1, inertia=[1, 1, 1]), da.free(), name="loose")
    assert {one.name: one.kind for one in scene_of(m).joints} == {name: name for name in kinds}


def test_forces_and_reactions_are_arrows_in_the_base_of_earth():
    m = da.Mechanism("pushed")
    arm = m.body("arm", mass=1, centre=[1, 0, 0], inertia=[1, 1, 1])
    m.join(da.earth, arm, da.revolute("z"), name="pin")
    m.force(arm.at([2, 0, 0]), [0, 3, 0], arm, name="push")
    motion = m.simulate((0, 1))
    scene = scene_of(m, motion, reactions=["pin"])
    push, pin = scene.arrows
    angle = motion.at(scene.times)["pin.th"]
    assert (push.kind, push.body, list(push.at)) == ("force", 1, [2, 0, 0])
    assert np.allclose(push.values, 3 * np.array([-np.sin(angle), np.cos(angle), 0 * angle]).T)
    assert pin.kind == "reaction"
    w, a = motion.at(scene.times)["pin.th'"], motion.at(scene.times)["pin.th''"]
    x = -(w**2) * np.cos(angle) - a * np.sin(angle)  # acceleration of the centre: pin and push give it together
    assert np.allclose(pin.values[:, 0] + push.values[:, 0], x, atol=1e-6)
    with pytest.raises(da.errors.SimulationError, match="Links are pin"):
        scene_of(m, motion, reactions=["pine"])


@pytest.mark.parametrize("ratio", [3, 0.5, -2.5])
def test_gears_mesh_where_their_pitch_circles_touch(ratio):
    m = da.Mechanism("pair")
    for name, x in (("a", 0), ("b", 0.8)):
        m.join(da.earth.at([x, 0, 0]), m.body(name, mass=1, inertia=[1, 1, 1]), da.revolute("z"), name=name)
    m.gear("a.th", "b.th", ratio, name="mesh")
    one, two = (body.solids[0] for body in scene_of(m).bodies[1:])
    radii = [s.size[0] if s.kind == "gear" else s.size[0] / 1.02 for s in (one, two)]
    assert np.isclose(radii[1] / radii[0], abs(ratio))  # r_a w_a = r_b w_b at the mesh
    assert np.isclose(radii[0] + np.sign(ratio) * radii[1], np.sign(1 + ratio) * 0.8)
    assert one.kind == "gear"
    assert two.kind == ("tube" if ratio < 0 else "gear")


@pytest.mark.parametrize("scale", [1e-12, 1e-9, 1e9])
def test_no_unit_of_length_changes_how_a_body_looks(scale):
    """Joints of a bar of a nanometre are two places, not one."""

    def arm(unit):
        m = da.Mechanism("arm")
        bar, tip = m.body("bar", mass=1), m.body("tip", mass=1, centre=[0.3 * unit, 0, 0])
        m.join(da.earth, bar, da.revolute("z"), name="shoulder")
        m.join(bar.at([unit, 0, 0]), tip, da.revolute("z"), name="elbow")
        return looks(m, "bar")

    plain, scaled = arm(1.0), arm(scale)
    assert [kind for kind, _ in scaled] == [kind for kind, _ in plain]
    for (_, a), (_, b) in zip(plain, scaled, strict=True):
        assert np.array(b) / scale == pytest.approx(np.array(a), rel=1e-9)


@pytest.mark.parametrize(
    ("law", "kind"), [("-k*(x - 1)", "spring"), ("-c*x'", "damper"), ("F - k*x - c*x'", "strut"), ("F - x**3", None)]
)
def test_what_holds_a_slide_is_a_spring_or_a_damper(law, kind):
    m = da.Mechanism("wagon")
    wagon = m.body("wagon", mass=1, inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, wagon, da.prismatic("x").with_efforts(x=law), name="rail")
    scene = scene_of(m, at={"rail.x": 1}, given={"k": 1, "c": 1, "F": 0})
    assert [one.kind for one in scene.ties] == ([kind] if kind else [])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_rams_are_held_by_lugs_and_slides_carry_blocks(scale):
    """A ram that acts beside a rod is tied to it; a slider of equal moments is a block; hinges that meet, a cross."""
    m = da.Mechanism("held")
    boom = m.body("boom", mass=1, centre=[scale, 0, 0], inertia=[0, scale**2 / 3, scale**2 / 3])
    m.shape(boom.at([scale, 0, 0], da.turn("pi/2", "y")), "cylinder", 0.05 * scale, 2 * scale)
    m.join(da.earth, boom, da.revolute("y"), name="foot")
    m.spring(da.earth.at([0, 0, -scale]), boom.at([scale, 0, -0.3 * scale]), force=1, name="ram")
    slider = m.body("slider", mass=1, inertia=[0.01 * scale**2] * 3)
    m.join(da.earth, slider, da.prismatic("x"), name="rail")
    cross = m.body("cross", mass=1, inertia=[0.01 * scale**2] * 3)
    m.join(da.earth, cross, da.revolute("x"), name="outer")
    inner = m.body("inner", mass=1, centre=[0, 0, scale], inertia=[0.01 * scale**2] * 3)
    m.join(cross, inner, da.revolute("y"), name="inner")
    looks = {body.name: body.solids for body in scene_of(m).bodies}
    (lug,) = [one for one in looks["boom"] if one.kind == "capsule"]
    assert lug.holds(np.array([scale, 0, -0.3 * scale]), 1e-9 * scale)
    assert lug.size[1] == pytest.approx(0.25 * scale)
    assert [one.kind for one in looks["slider"]] == ["box"]
    assert [one.kind for one in looks["cross"]] == ["capsule"] * 2


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_two_walls_of_a_machine_of_any_size_are_two(scale):
    """Walls half a nanometre apart are two to a bead of a nanometre; a wall that is told twice is one."""
    m = da.Mechanism("between")
    bead = m.body("bead", mass=1, inertia=[scale**2] * 3)
    m.join(da.earth, bead, da.prismatic("x"), name="rail")
    for name, x in (("near", 1.0), ("far", 1.5), ("again", 1.5)):
        wall = da.Plane(m.frame(name, da.earth.at([x * scale, 0, 0], da.turn("-pi/2", "y"))))
        m.contact(da.Sphere(bead, 0.1 * scale), wall, name=f"hits_{name}")
    walls = [one for one in scene_of(m).bodies[0].solids if one.kind == "box"]
    assert len(walls) == 2
