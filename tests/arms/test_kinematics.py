"""Arms: direct kinematics against motions, inverse kinematics against direct, known counts and the resultant."""

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.arms.chain import arm_of
from dalembert.arms.resultant import eliminate
from dalembert.arms.screws import inverse, screws_of
from dalembert.errors import DalembertError, ModelError

H = np.pi / 2
#: a, alpha, d of each joint (Denavit and Hartenberg); a slide has "P".
ARMS = {
    "Puma 560": [(0, H, 0), (0.4318, 0, 0), (0.0203, -H, 0.15005), (0, H, 0.4318), (0, -H, 0), (0, 0, 0)],
    "three parallel axes": [(0, H, 0.089), (-0.425, 0, 0), (-0.392, 0, 0), (0, H, 0.109), (0, -H, 0.095), (0, 0, 0.08)],
    "Stanford": [(0, -H, 0.4), (0, H, 0.15), (0, 0, "P"), (0, -H, 0), (0, H, 0), (0, 0, 0.2)],
    "Pieper": [(0.3, 1.0, 0.2), (0.4, 0.7, 0.1), (0.2, -H, 0.15), (0, H, 0.43), (0, -H, 0), (0, 0, 0.1)],
    # Manseur and Doty, A robot manipulator with 16 real inverse kinematic solution sets, IJRR 8 (1989)
    "Manseur and Doty": [(0.3, H, 0), (1, np.pi / 180, 0), (0, H, 0.2), (1.5, np.pi / 180, 0), (0, H, 0), (0, 0, 0)],
}


def denavit_hartenberg(rows, unit=1.0):
    m, last = da.Mechanism("arm"), da.earth
    for i, (a, alpha, d) in enumerate(rows, 1):
        body = m.body(f"b{i}", mass=1)
        m.join(last, body, da.prismatic("z") if d == "P" else da.revolute("z"), name=f"j{i}")
        last = m.body(f"c{i}", mass=1)
        at = [a * unit, 0, 0 if d == "P" else d * unit]
        m.join(body.at(at, da.turn(alpha, "x")), last, da.weld(), name=f"w{i}")
    m.frame("tip", last.frame)
    return m


def asked(m, q):
    pose = m.direct_kinematics("tip").at(q)
    return pose[:3, 3], pose[:3, :3]


def apart(one, q):
    return max(abs((one.coordinates[x] - v + np.pi) % (2 * np.pi) - np.pi) for x, v in q.items())


def random_arm(rng, kinds):
    m, last = da.Mechanism("random"), da.earth
    for i, kind in enumerate(kinds):
        body = m.body(f"b{i}", mass=1)
        axis, at = rng.normal(size=3).tolist(), rng.uniform(-1, 1, 3).tolist()
        m.join(last.at(at), body, da.revolute(axis) if kind == "R" else da.prismatic(axis), name=f"j{i}")
        last = body
    m.frame("tip", last.at(rng.uniform(-1, 1, 3).tolist(), da.turn(0.3, "x")))
    return m


@pytest.mark.parametrize(("name", "most"), [("Puma 560", 8), ("Stanford", 8), ("Pieper", 8)])
def test_closed_forms_give_what_the_exact_resultant_gives(name, most):
    """Two roads that share nothing but the axes: Paul's equations, and a determinant over the rationals."""
    rng, m, counts = np.random.default_rng(5), denavit_hartenberg(ARMS[name]), []
    layout = m.layout()
    arm = arm_of(layout, da.earth.frame, m.frames["tip"])
    screws = screws_of(arm, {})
    for _ in range(1):
        q = dict(zip(arm.coordinates, rng.uniform(-2.5, 2.5, 6), strict=True))
        position, rotation = asked(m, q)
        found = m.inverse_kinematics("tip", position, rotation=rotation)
        assert found.method == "closed form"
        assert found.complete
        assert min(apart(one, q) for one in found) < 1e-8
        target = screws.pose(screws.amounts(np.array(list(q.values())))) @ inverse(screws.tip)
        other = eliminate(screws, target)
        reach = [x for x in other.amounts if np.abs(screws.pose(x) @ inverse(screws.tip) - target).max() < 1e-6]
        assert len({tuple(np.round(np.exp(1j * x), 5)) for x in reach}) == len(found)
        counts.append(len(found))
    assert max(counts) <= most


def test_the_puma_has_eight_postures_inside_its_reach():
    m = denavit_hartenberg(ARMS["Puma 560"])
    position, rotation = asked(m, {f"j{i}.th": v for i, v in enumerate((0.3, 0.4, -0.5, 0.7, 0.6, 0.2), 1)})
    found = m.inverse_kinematics("tip", position, rotation=rotation)
    assert len(found) == 8
    assert [one.sign != "" for one in found.formulas if one.coordinate.startswith("j")].count(True) == 3


@pytest.mark.parametrize("unit", [1.0, 1e-6])
def test_the_arm_of_manseur_and_doty_has_sixteen_real_postures(unit):
    m = denavit_hartenberg(ARMS["Manseur and Doty"], unit)
    position = [-1.140175 * unit, 0, 0]
    rotation = [[-0.760117, -0.641689, 0.102262], [0.133333, 0, 0.991071], [-0.635959, 0.766965, 0.085558]]
    found = m.inverse_kinematics("tip", position, rotation=rotation)
    assert len(found) == 16
    assert found.complete
    assert "degree 16" in found.why
    assert max(one.error for one in found) < 1e-9
    for one in found:
        assert np.abs(asked(m, one.coordinates)[0] - position).max() < 1e-9 * unit


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRRRRP", "RPRPRR", "PPPRRR"])
def test_every_posture_of_random_arms_reaches_and_none_of_a_search_is_missed(kinds):
    rng = np.random.default_rng(sum(map(ord, kinds)))
    m = random_arm(rng, kinds)
    direct = m.direct_kinematics("tip")
    q = dict(zip(direct.coordinates, rng.uniform(-2, 2, 6), strict=True))
    position, rotation = asked(m, q)
    found = m.inverse_kinematics("tip", position, rotation=rotation)
    assert found.complete
    assert min(apart(one, q) for one in found) < 1e-7
    from dalembert.arms.search import Aim

    pose = direct.at(q)
    aim = Aim.of(direct, direct.coordinates, {}, "pose", pose, 1.0)
    for x in aim.searched(np.ones(6), np.zeros(6), starts=40):
        assert min(apart(one, dict(zip(q, x, strict=True))) for one in found) < 1e-5


@pytest.mark.parametrize(
    ("kinds", "what"),
    [("RRRRR", "direction"), ("RRPRR", "direction"), ("RRRRR", "pose"), ("RRRR", "pose")],
)
def test_arms_of_fewer_joints_have_the_postures_of_a_dense_search(kinds, what):
    """Place and direction of five joints are a pose of six; where joints lack, those that fill up must not turn."""
    from dalembert.arms.search import Aim
    from dalembert.arms.targets import target_of

    rng = np.random.default_rng(len(what))
    m = random_arm(rng, kinds)
    direct = m.direct_kinematics("tip")
    q = dict(zip(direct.coordinates, rng.uniform(-2, 2, len(kinds)), strict=True))
    position, rotation = asked(m, q)
    words = {"rotation": rotation} if what == "pose" else {"direction": rotation[:, 2]}
    found = m.inverse_kinematics("tip", position, **words)
    assert found.complete
    assert found.method != "search"
    assert min(apart(one, q) for one in found) < 1e-7
    aim, seen = Aim.of(direct, direct.coordinates, {}, what, target_of(position, **words).pose, 1.0), set[int]()
    for x in aim.searched(np.ones(len(kinds)), np.zeros(len(kinds)), starts=80):
        off = [apart(one, dict(zip(q, x, strict=True))) for one in found]
        assert min(off) < 1e-5
        seen.add(int(np.argmin(off)))
    assert len(seen) == len(found)
    if kinds == "RRRR":
        none = m.inverse_kinematics("tip", position + 0.01, rotation=rotation)
        assert "4 coordinates meet 6 conditions for few targets" in str(none)


@pytest.mark.parametrize("name", ["Puma 560", "three parallel axes", "Stanford"])
def test_formulas_of_the_closed_form_evaluate_to_the_postures(name):
    m = denavit_hartenberg(ARMS[name])
    names = m.direct_kinematics("tip").coordinates
    q = dict(zip(names, (0.3, -0.8, 0.9, 0.7, 0.6, 0.2), strict=True))
    position, rotation = asked(m, q)
    found = m.inverse_kinematics("tip", position, rotation=rotation)
    target = {ex.symbol(x): v for x, v in zip("XYZ", position, strict=True)}
    target |= {ex.symbol(f"R{i + 1}{j + 1}"): rotation[i, j] for i in range(3) for j in range(3)}
    signs = [one.sign for one in found.formulas if one.sign]
    reached = []
    for choice in itertools.product((1.0, -1.0), repeat=len(signs)):
        values = {**target, **{ex.symbol(s): v for s, v in zip(signs, choice, strict=True)}}
        for one in found.formulas:
            with np.errstate(invalid="ignore"):
                values[ex.symbol(one.coordinate)] = ex.evaluate([one.formula], values)[0]
        reached.append({x: float(values[ex.symbol(x)]) for x in names})
    for one in found:
        assert min(apart(one, x) for x in reached if not np.isnan(list(x.values())).any()) < 1e-6


@pytest.mark.parametrize("radius", [0.35, 0.002, 700.0])
def test_a_slide_with_two_values_has_a_formula_for_both(radius):
    """A wheel on a lift carries a slide along its axle at its rim: X = r sin th, Z = lift + r cos th."""
    m = da.Mechanism("lift")
    a, b, c = (m.body(x, mass=1) for x in "abc")
    m.join(da.earth, a, da.prismatic("z"), name="lift")
    m.join(a, b, da.revolute("y"), name="wheel")
    m.join(b.at([0, 0, radius]), c, da.prismatic("y"), name="axle")
    m.frame("tip", c)
    target = np.array([0.6, 0.5, 0.7]) * radius
    found = m.inverse_kinematics("tip", target)
    lifts = [(0.7 - 0.8) * radius, (0.7 + 0.8) * radius]
    np.testing.assert_allclose(sorted(one.coordinates["lift.x"] for one in found), lifts, rtol=1e-9)
    formula = next(one for one in found.formulas if one.coordinate == "lift.x")
    known = dict(zip(ex.symbols("X Y Z axle.x"), (*target, target[1]), strict=True))
    told = [float(ex.evaluate([formula.formula], known | {ex.symbol(formula.sign): s})[0]) for s in (-1.0, 1.0)]
    np.testing.assert_allclose(sorted(told), lifts, rtol=1e-9)


def test_planar_arms_in_letters():
    m = da.loads("""
let upper = body mass = 1, iframe = 0, inertia = 0 end ; let fore = body mass = 1, iframe = 0, inertia = 0 end ;
join earth and upper.frame with link(th) dof = th || [0, 0, 1] end as shoulder ;
join [a, 0, 0] @ upper and fore.frame with link(th) dof = 2*th + 1 || [0, 0, 1] end as elbow ;
let tip = [b, 0, 0] @ fore ; limit elbow.th in [-1.5, 0] ; given a = 2, b = 1 ;
""")
    found = m.inverse_kinematics("tip", [2, 1, 0])
    assert len(found) == 2
    assert len(found.within) == 1
    outside = next(one for one in found if one.outside)
    assert outside.outside == ("elbow_th_high",)
    (first,) = found.within
    values = {ex.symbol(n): v for n, v in {**first.coordinates, **m.given}.items()}
    x, y = ex.evaluate(list(m.direct_kinematics("tip").position[:2]), values)
    assert (x, y) == pytest.approx((2, 1))
    assert {x.name for one in found.formulas for x in ex.free_symbols([one.formula])} >= {"a", "b", "X", "Y"}


def test_singular_arms_say_what_is_free():
    m = da.load("examples/arm_6r.lsd")
    position, rotation = asked(
        m, dict(zip([f"j{i}.th" for i in range(1, 7)], (0.3, 0.4, -0.5, 0.7, 0, 0.2), strict=True))
    )
    found = m.inverse_kinematics("tip", position, rotation=rotation)
    assert not found.complete
    stuck = [one for one in found if one.free]
    assert stuck
    assert all(set(one.idle) == {"j4.th", "j6.th"} for one in stuck)


def test_out_of_reach_redundant_tied_and_curved_arms_are_told():
    m = da.load("examples/scara.lsd")
    assert "out of reach" in str(m.inverse_kinematics("gripper", [3, 0, 0.2], rotation=[1, 0, 0, 0]))
    assert len(m.inverse_kinematics("gripper", [0.3, 0.4, 0.2], rotation=da.turn(0.1, "x"))) == 0  # it cannot tilt
    with pytest.raises(ModelError, match="infinitely many ways: 1 of them"):
        m.inverse_kinematics("gripper", [0.3, 0.4, 0.2])
    held = m.inverse_kinematics("gripper", [0.3, 0.4, 0.2], at={"q4.th": 0.0})
    assert len(held) == 2
    with pytest.raises(ModelError, match="in the loop that"):
        da.load("examples/four_bar.lsd").inverse_kinematics("coupler", [1, 0, 0])
    screw = da.Mechanism("press")
    nut = screw.body("nut", mass=1)
    screw.join(da.earth, nut, da.screw("z", 0.1), name="s")
    found = screw.inverse_kinematics(nut.at([1, 0, 0]), [np.cos(0.5), np.sin(0.5), 0.05])
    assert found.method == "search"
    assert not found.complete
    assert found[0].coordinates["s.th"] == pytest.approx(0.5)


@pytest.mark.parametrize("file", ["arm_6r", "scara", "quadruped", "satellite"])
def test_direct_kinematics_moves_as_the_simulation_does(file):
    m = da.load(f"examples/{file}.lsd")
    body = list(m.bodies)[-1]
    direct = m.direct_kinematics(body)
    layout = m.layout()
    rng = np.random.default_rng(1)
    state = dict(zip([*layout.coordinates, *layout.speeds], rng.uniform(0.2, 1, 60), strict=False))
    told = {k: float(v) for k, v in m.given.items() if isinstance(v, int | float)}
    numbers = dict.fromkeys(m.parameters(), 0.7) | told
    values = {ex.symbol(x): v for x, v in {**numbers, **state, "t": 0.3}.items()}
    flat = [*direct.position, *(x for row in direct.rotation for x in row)]
    from dalembert.kinematics import build_tree

    rates = {x: ex.evaluate([e], values)[0] for x, e in build_tree(layout).rates.items()}
    step = 1e-6

    def moved_by(h):
        there = {**values, **{x: values[x] + h * v for x, v in rates.items()}, ex.TIME: 0.3 + h}
        return np.array([float(x) for x in ex.evaluate(flat, there)])

    moved = (moved_by(step) - moved_by(-step)) / (2 * step)
    linear = [float(x) for x in ex.evaluate(list(direct.linear), values)]
    assert moved[:3] == pytest.approx(linear, abs=1e-6)
    rotation = np.array([float(x) for x in ex.evaluate(flat[3:], values)]).reshape(3, 3)
    spin = moved[3:].reshape(3, 3) @ rotation.T
    angular = [float(x) for x in ex.evaluate(list(direct.angular), values)]
    assert [spin[2, 1], spin[0, 2], spin[1, 0]] == pytest.approx(angular, abs=1e-6)


def test_levels_of_direct_kinematics_and_frames_seen_from_each_other():
    m = da.load("examples/scara.lsd")
    direct = m.direct_kinematics("gripper", base="second")
    assert direct.coordinates == ("q3.x", "q4.th")
    assert "v(gripper/second) = q3.x' n1 + q4.th' n2 x J2P" in direct.show("vector")
    assert "E_1: slide by q3.x along [0, 0, -1]" in direct.show("matrix")
    assert "gripper.X = l2" in direct.show("scalar")
    assert direct.jacobian.shape == (6, 4)
    with pytest.raises(DalembertError, match="there is no level"):
        direct.show("tensor")
    with pytest.raises(ModelError, match="Did you mean 'gripper'"):
        m.direct_kinematics("griper")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"position": [1, 2]}, "3 finite numbers"),
        ({"position": [1, 2, float("nan")]}, "3 finite numbers"),
        ({"position": "abc"}, "finite numbers"),
        ({"position": [0, 0, 0], "rotation": [[1, 0, 0], [0, 2, 0], [0, 0, 1]]}, "is no rotation"),
        ({"position": [0, 0, 0], "rotation": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "is no rotation"),
        ({"position": [0, 0, 0], "rotation": 7}, "three rows"),
        ({"position": [0, 0, 0], "rotation": [0, 0, 0, 0]}, "no rotation"),
        ({"position": [0, 0, 0], "direction": [0, 0, 0]}, "points nowhere"),
        ({"position": [0, 0, 0], "direction": [0, 0, 1], "rotation": [1, 0, 0, 0]}, "not both"),
        ({"position": [0, 0, 0], "at": {"q9": 1}}, "not a coordinate"),
        ({"position": [0, 0, 0], "turn": 1}, "takes no 'turn'"),
    ],
)
def test_wrong_questions_are_told(words, said):
    with pytest.raises(DalembertError, match=said):
        da.load("examples/scara.lsd").inverse_kinematics("gripper", **words)


@pytest.mark.parametrize("seed", range(6))
def test_degenerate_arms_never_say_that_a_posture_they_were_in_is_out_of_reach(seed):
    """Axes that coincide, lengths of zero, 1e-9 and 1e6 in one arm, angles of pi: an answer or a sentence."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        m, last = da.Mechanism("odd"), da.earth
        for i in range(int(rng.integers(1, 7))):
            body, axis = m.body(f"b{i}", mass=1), ["x", "y", "z", "-z", [1, 1, 0]][rng.integers(5)]
            at = (rng.integers(-1, 2, 3) * rng.choice([0, 1, 1e-9, 1e6])).tolist()
            m.join(last.at(at), body, [da.revolute, da.prismatic, da.revolute][rng.integers(3)](axis), name=f"j{i}")
            last = body
        m.frame("tip", last.at([0.3, 0, 0]))
        q = {x: float(rng.choice([0, 0.3, -1.2, np.pi / 2, np.pi])) for x in m.layout().coordinates}
        position, rotation = asked(m, q)
        try:
            found = m.inverse_kinematics("tip", position, rotation=rotation)
        except ModelError:  # more coordinates than it needs
            continue
        assert found.postures or not found.complete
        for one in found:
            assert np.abs(asked(m, one.coordinates)[0] - position).max() < 1e-8 * (1 + np.abs(position).max())


def test_an_arm_of_six_joints_whose_roots_lose_a_posture_does_not_claim_all_of_them(monkeypatch):
    """A root that is near no posture: for six joints something was lost, for fewer it may have moved what fills up."""
    from dataclasses import replace

    from dalembert.arms import inverse as road

    rng = np.random.default_rng(5)
    m = random_arm(rng, "RRRRRR")
    q = dict(zip(m.direct_kinematics("tip").coordinates, rng.uniform(-2, 2, 6), strict=True))
    position, rotation = asked(m, q)

    def off(screws, displacement):
        out = eliminate(screws, displacement)
        return replace(out, amounts=(*out.amounts[1:], out.amounts[0] + 0.1))

    monkeypatch.setattr(road, "eliminate", off)
    found = m.inverse_kinematics("tip", position, rotation=rotation)
    assert not found.complete
    assert "no posture within rounding" in str(found)
