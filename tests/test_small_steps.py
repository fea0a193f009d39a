"""Small errors that nobody had seen, answered by what each function says of itself."""

from __future__ import annotations

import itertools
import time
from fractions import Fraction
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import algebra as al
from dalembert import analytic as an
from dalembert import expr as ex
from dalembert import limits
from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import as_term
from dalembert.algebra.core.term import postorder
from dalembert.algebra.forms.expand import expand, expansion_size
from dalembert.algebra.values.fields import Residues
from dalembert.analytic.formulas._balls import Program
from dalembert.analytic.formulas._equality import _concrete
from dalembert.analytic.formulas._pieces import _by_factors
from dalembert.analytic.statics._rests import _is_root
from dalembert.codegen._crew import _without_crew
from dalembert.codegen._schedule import _WHOLE, _cut
from dalembert.codegen.series.graph import Graph
from dalembert.constraints.loop import _axial
from dalembert.dynamics import dynamics_of
from dalembert.editor.told import _text
from dalembert.formalisms.released import released_in_plane
from dalembert.geometry.admissible import determinant
from dalembert.geometry.from_mechanism import _straight
from dalembert.identify.fit import _physical
from dalembert.loops import arcs, genericrank
from dalembert.mechanism import QuaternionTurn
from dalembert.mechanism.hulls import hull_solid
from dalembert.mechanism.meshes import _msh
from dalembert.presentation.tokens import _flattened
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.metric import rank
from dalembert.simulate.runs.crowd import KEPT, _marks
from dalembert.simulate.runs.passage import _Way
from dalembert.studio.workers import Crew
from dalembert.verify.elementary import Place, _chain
from dalembert.view.scene import scene_of
from dalembert.view.viewpoint import viewpoint_of


@pytest.mark.parametrize("seed", range(4))
def test_the_axis_of_a_small_turn_is_its_rotation_vector(seed):
    vector = 1e-7 * np.random.default_rng(seed).normal(size=3)
    matrix = Rotation.from_rotvec(vector).as_matrix()
    found = _axial([[ex.const(float(x)) for x in row] for row in matrix])
    np.testing.assert_allclose([float(x.value) for x in found], vector, rtol=1e-6)


def test_a_part_brings_its_gravity():
    part, whole = da.Mechanism("part"), da.Mechanism("whole")
    part.join(da.earth, part.body("b", mass=1), da.prismatic("z"), name="rail")
    part.gravity = [0, 0, -9.81]
    whole.include(part, "one")
    assert [float(x.value) for x in whole.gravity] == [0, 0, -9.81]
    still = da.Mechanism("still")
    still.join(da.earth, still.body("b", mass=1), da.prismatic("z"), name="rail")
    whole.include(still, "two")
    assert [float(x.value) for x in whole.gravity] == [0, 0, -9.81]


@pytest.mark.parametrize("what", ["2*rail.x", "rail.x"])
def test_what_is_driven_is_text_or_a_formula(what):
    made = []
    for told in (what, ex.parse(what)):
        m = da.Mechanism("cart")
        m.join(da.earth, m.body("b", mass=1), da.prismatic("x"), name="rail")
        made.append(m.drive(told, "sin(t)").expressions)
    assert made[0] == made[1] == (ex.parse(f"{what} - sin(t)"),)


def test_power_is_made_of_the_multipliers_of_what_time_moves_alone():
    m = da.Mechanism("plane")
    m.join(da.earth, m.body("b", mass=1), da.planar(), name="p")
    m.drive("p.x", "sin(t)", name="motor")
    m.constrain("p.y = p.th", name="rack")
    rows = dynamics_of(m.layout()).rows
    assert rows.told_by("motor.power") == ["motor.lambda"]
    assert rows.told_by("rack.power") == []


@pytest.mark.parametrize("seed", range(4))
def test_what_lies_between_two_steps_has_both_of_them(seed):
    rng = np.random.default_rng(seed)
    h, begin, count = rng.uniform(0.1, 2), rng.uniform(-5, 5), 12
    for grid in (begin + h * np.sort(rng.uniform(0, count, 3)), begin + h * np.array([1.5])):
        kept = _marks(grid, begin, h, count, 6)
        assert kept == sorted(set(kept))
        assert {0, count, *(int((t - begin) / h) + k for t in grid for k in (0, 1))} == set(kept)


def test_a_machine_that_time_carries_is_moved_by_the_shift_alone():
    """q' = A u + b: no shift, no motion, whatever b is."""
    A, b = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([5.0, -7.0])
    held = SimpleNamespace(coordinates=2, _kinematics=lambda _t, x, _p: A @ x[2:] + b)
    y, shift = np.array([0.3, 0.4, 9.0, 9.0]), np.array([0.1, -0.2])
    np.testing.assert_allclose(ContactMachine.moved(held, 0.0, y, np.zeros(0), shift), y[:2] + A @ shift)


@pytest.mark.parametrize(("close", "loose"), [(")", True), ("]", True), (".", False), ("\\}", False)])
def test_brackets_lose_their_height_in_pairs_only(close, loose):
    words = ["\\left", "(", "a", "+", "b", "\\right", close]
    assert (_flattened(words) == ["(", "a", "+", "b", close]) is loose
    back = ["\\left", close, "a", "\\right", "("]
    assert _flattened(back) == back
    tall = ["\\left", "(", "\\frac", "a", "\\right", ")"]
    assert _flattened(tall) == tall


@pytest.mark.parametrize("second", ["RADAU5", "DOP853"])
def test_motions_that_are_joined_name_each_method_once(second):
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x").with_efforts(x="-rail.x"), name="rail")
    one = m.simulate((0, 1), start={"rail.x": 1.0}, method="DOP853")
    both = one + m.simulate((1, 2), start=one.state(1), method=second)
    assert both.method == ("DOP853" if second == "DOP853" else "DOP853, RADAU5")


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_a_rank_asks_no_unit_of_rows_or_columns(scale):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(5, 2)) @ rng.normal(size=(2, 4))
    rows[:, 3] *= scale
    assert rank(rows) == rank(scale * rows) == 2
    assert rank(np.array([[1.0, scale], [1.0, -scale]])) == 2


@pytest.mark.parametrize("up", [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
@pytest.mark.parametrize("size", [(1, 1, 1), (1, 0, 1), (0, 1, 1), (3, 2, 0)])
def test_a_camera_looks_along_a_direction_of_length_one(up, size):
    rng = np.random.default_rng(2)
    corners = rng.uniform(-1, 1, (30, 8, 3)) * size
    assert np.linalg.norm(viewpoint_of(corners, 1.0, np.array(up, float)).towards) == pytest.approx(1)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kinds", ["symmetric", "symmetric rotation", "rotation", ""])
def test_random_orthogonal_matrices_have_the_properties_that_are_asked(size, kinds):
    p = 2**31 - 1
    for seed in range(6):
        rows = Residues(p, seed)._orthogonal(size, frozenset(kinds.split()))
        matrix = sp.Matrix([[int(x) for x in row] for row in rows])
        assert (matrix * matrix.T - sp.eye(size)).applyfunc(lambda x: x % p) == sp.zeros(size)
        if "symmetric" in kinds:
            assert (matrix - matrix.T).applyfunc(lambda x: x % p) == sp.zeros(size)
        if "rotation" in kinds:
            assert matrix.det() % p == 1


def test_nothing_has_no_rank():
    for rows in ([], [[]]):
        assert genericrank.polynomial_rank(rows, (), "probabilistic") == 0


def test_absolute_values_and_signs_fall_into_those_of_factors():
    x, y = sp.symbols("x y", real=True)
    assert _by_factors(sp.Abs(x * y - x, evaluate=False)) == sp.Abs(x) * sp.Abs(y - 1)
    assert _by_factors(sp.sign(x**3 * y, evaluate=False)) == sp.sign(x) ** 3 * sp.sign(y)
    assert _by_factors(sp.Abs(x + y)) == sp.Abs(x + y)


def test_what_is_no_root_is_not_taken_for_one():
    x, a = sp.symbols("x", real=True), sp.symbols("a", positive=True)
    assert _is_root(3 * sp.sqrt(x))
    assert _is_root(a / sp.sqrt(x + 1))
    for other in (x**3, a / x, -sp.sqrt(x), x * sp.sqrt(x - 1), sp.cbrt(x)):
        assert not _is_root(other)


@pytest.mark.parametrize(
    ("V", "kind"),
    [
        ("x**2 + 3*x*y + y**2", "saddle"),
        ("x**2 + x*y + y**2", "stable"),
        ("-x**2 - x*y - y**2", "unstable"),
        ("x**2 + y**2 + z**2 + 3*y*z", "saddle"),
    ],
)
def test_a_form_that_takes_both_signs_is_a_saddle(V, kind):
    point = dict.fromkeys("xyz" if "z" in V else "xy", 0)
    assert an.nature_of_equilibrium(V, point).kind == kind


@pytest.mark.parametrize(("P", "said"), [("p**2", "P > 0"), ("x*p**2", "P <= 0 somewhere"), ("-p**2", "P <= 0")])
def test_legendres_condition_says_where_it_fails(P, said):
    functional = an.Functional(P.replace("p", "yp"), "y")
    found = an.second_variation(functional, "0", (-1, 1))
    assert found.legendre == said


@pytest.mark.parametrize("height", [0.7, -1.3])
def test_bodies_released_in_a_plane_stay_at_their_height(height):
    m = da.Mechanism("plane")
    b = m.body("b", mass=1)
    m.join(da.earth.at([0, 0, height]), b, da.revolute("z"), name="j")
    m.join(b.at([1, 0, 2 * height]), m.body("c", mass=1), da.revolute("z"), name="k")
    links = released_in_plane(m.layout()).model.links
    for name, told in (("b_abs", height), ("c_abs", 3 * height)):
        (z,) = {step.displacement.translation[2] for step in links[name].joint.steps} - {ex.ZERO}
        assert float(z.value) == pytest.approx(told)


@pytest.mark.parametrize("mass", [1e-5, 2.0, 1e6])
def test_a_hand_presses_a_block_as_little_as_its_friction_needs_in_any_unit(mass):
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=mass), da.composite(["x", "z"], ["x", 0, "z"]), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact("p.x >= 0", friction=0.5, slip="p.z'", name="wall")
    rest = [0.0, 0.0]
    needed = m.needed_efforts(rest, rest, rest, contacts=["wall"])
    assert needed.contacts["wall"][0] == pytest.approx(2 * 9.81 * mass / 5, rel=1e-5)
    with pytest.raises(da.DalembertError, match="beyond its friction"):
        m.needed_efforts(rest, rest, rest, by=[], contacts=["wall"])


@pytest.mark.parametrize("length", [1.0, 0.02, 1e-4])
def test_the_dae_method_makes_many_steps_of_any_span(length):
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x").with_efforts(x="-rail.x"), name="rail")
    motion = m.simulate((0, length), start={"rail.x": 1.0}, method="DAE")
    assert motion.accepted >= 50
    assert motion["rail.x"][-1] == pytest.approx(np.cos(length), abs=1e-4)


@pytest.mark.parametrize(("count", "part", "threads"), [(100, 8, 3), (7, 8, 4), (64, 4, 2), (1, 1, 5)])
def test_threads_without_a_crew_do_every_state_once_in_memory_of_their_own(count, part, threads):
    done = []
    _without_crew(lambda *x: done.append(x), (1, 2, 3), count, part, threads, (1000, 50))
    assert all(one[:3] == (1, 2, 3) for one in done)
    assert sorted(k for *_, begin, end, _memory in done for k in range(begin, end)) == list(range(count))
    share = max(end - begin for *_, begin, end, _memory in done)
    assert sorted(x[-1] for x in done) == [1000 + 400 * k for k in range(len(done))]
    assert all(x[3] == (x[-1] - 1000) // 400 * share for x in done if len(done) > 1)
    assert all(x[3] % part == 0 for x in done)


def test_a_picture_of_a_motion_needs_no_number_for_what_does_not_move_it():
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("b", mass=1, centre=[0, 0, "tall"]), da.prismatic("x"), name="rail")
    scene = scene_of(m, m.simulate((0, 1), start={"rail.x'": 1.0}))
    assert "b" in [body.name for body in scene.bodies]


def test_motion_before_a_singular_posture_goes_on_as_its_rates_do():
    """The states at the nodes ahead are exact where rates are cubic in time, whichever way time runs."""
    slope = np.polynomial.Polynomial([0.3, -0.7, 0.4, 0.2])
    place = slope.integ()
    for sense in (1.0, -1.0):
        t = sense * np.linspace(0, 4, 9)

        def sol(x):
            return np.array([place(x)])

        sol.t, sol.y = t, place(t)[:, None]
        held = SimpleNamespace(sense=sense, _rates=lambda x, _y: np.array([slope(x)]))
        begin, guess = next(_Way._onward(held, sol, 4, float(t[6])))
        np.testing.assert_allclose(guess[:, 0], place(begin.nodes), rtol=1e-9)


def test_sums_and_differences_of_series_keep_their_signs():
    """All ways to write +-a +-b by signs taken out, against numbers."""
    names = ex.symbols("a b")
    graph, at = Graph([names], frozenset()), (1.7, 0.4)
    a, b = graph.add(names)

    def value(node):
        made = [value(x) for x in node.args]
        if node.op == "input":
            return at[node.data[1]]
        return -made[0] if node.op == "neg" else made[0] + made[1] if node.op == "add" else made[0] - made[1]

    for one, x in ((a, 1.7), (graph.neg(a), -1.7)):
        for two, y in ((b, 0.4), (graph.neg(b), -0.4)):
            assert value(graph.plus(one, two)) == pytest.approx(x + y)
            assert value(graph.sub(one, two)) == pytest.approx(x - y)


@pytest.mark.parametrize("kind", ["floating", "fixed", "continuous"])
def test_a_free_body_of_a_robot_file_starts_where_the_file_puts_it(kind, tmp_path):
    axis = '<axis xyz="0 0 1"/>' if kind == "continuous" else ""
    path = tmp_path / "robot.urdf"
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path.write_text(
        f'<robot name="r"><link name="base"/><link name="b">{inertial}</link><joint name="j" type="{kind}">'
        f'<parent link="base"/><child link="b"/><origin xyz="1 2 3"/>{axis}</joint></robot>'
    )
    m = da.load(path)
    if kind == "fixed":
        return
    motion = m.simulate((0, 0), t_eval=[0.0])
    found = [motion[f"b.{x}"][0] for x in "XYZ"]
    assert found == [1, 2, 3]


def test_the_condition_of_a_fit_is_that_of_all_that_was_asked():
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x").with_efforts(x="a + b*t + c*t^2"), name="rail")
    m.given = {"a": 1.0, "b": 2.0, "c": -3.0}
    t = np.linspace(0, 1, 12)
    x = t**2 / 2 + 2 * t**3 / 6 - 3 * t**4 / 12
    found = m.fit({"t": t, "rail.x": x}, ["a", "b", "c"])
    assert [found.values[k] for k in "abc"] == pytest.approx([1, 2, -3], rel=1e-6)
    sizes = np.array([1.0, 2.0, 3.0])
    columns = np.stack([t**2 / 2, t**3 / 6, t**4 / 12], axis=1)
    single = np.linalg.svd(columns * sizes, compute_uv=False)
    assert found.condition == pytest.approx(single[0] / single[-1], rel=1e-3)


@pytest.mark.parametrize("length", [0, 1, 5, 19, 20, 21, 57, 400])
def test_long_code_falls_into_blocks_and_short_code_does_not(length):
    x = ex.symbol("x")
    cells = [SimpleNamespace(op="add", args=(x, k)) for k in range(length)]
    blocks = _cut(cells, 10)
    assert [one for block in blocks for one in block] == cells
    if length <= 10 * _WHOLE:
        assert len(blocks) == (1 if length else 0)
    else:
        assert max(map(len, blocks)) <= 10


@pytest.mark.parametrize("seed", range(3))
def test_a_binary_mesh_is_read_as_it_was_written(seed):
    rng = np.random.default_rng(seed)
    vertices, normals, texture, faces = (int(x) for x in rng.integers(1, 9, 4))
    points = rng.normal(size=(vertices, 3)).astype("<f4")
    corners = rng.integers(0, vertices, (faces, 3)).astype("<i4")
    rest = rng.normal(size=3 * normals + 2 * texture).astype("<f4")
    head = np.array([vertices, normals, texture, faces], "<i4")
    found, index = _msh(b"".join(x.tobytes() for x in (head, points, rest, corners)))
    np.testing.assert_array_equal(found, points)
    np.testing.assert_array_equal(index, corners)


def test_partial_velocities_are_called_after_what_moves():
    m = da.Mechanism("m")
    m.join(da.earth, m.body("b", mass=1, centre=[0, 0, 1], inertia=[1, 1, 1]), da.revolute("x"), name="j")
    told = str(m.equations("kane").partial_velocities())
    assert "W1_x_1 = 1    [partial angular velocity of b" in told
    assert "V1_y_1 = -1    [partial velocity of the centre of b" in told


def test_the_steps_of_a_link_one_by_one_are_the_link():
    """Slides, then turns, whether they move or stand, and the frames at both ends."""
    th, x = ex.symbol("j.th"), ex.symbol("j.x")
    m = da.Mechanism("m")
    fixed = QuaternionTurn((ex.const(0.8), ex.const(0.6), ex.ZERO, ex.ZERO))
    joint = da.composite(["x", "th"], ["x", 0.7, 0.2], da.turn("th", [1, 2, 2]), da.turn(0.4, "y"), fixed)
    m.join(da.earth.at([1, 2, 3], da.turn(0.3, "x")), m.body("b", mass=1).at([0.1, 0.2, 0.3]), joint, name="j")
    tree, state = dynamics_of(m.layout()).tree, {x: 0.25, th: 1.1}
    link = m.freeze().links["j"]
    places, moves = _chain(tree, link, dict(tree.rates), state)
    assert [move.kind for move in moves] == ["slide", "hinge"]
    whole = places[0]
    for move, place in zip(moves, places[1:], strict=True):
        (amount,) = ex.evaluate(list(move.values), state)
        turned = Rotation.from_rotvec(float(amount) * move.axis).as_matrix()
        whole = (
            whole
            @ (Place(amount * move.axis, np.eye(3)) if move.kind == "slide" else Place(np.zeros(3), turned))
            @ place
        )
    motion = m.simulate((0, 0), start={"j.x": 0.25, "j.th": 1.1}, t_eval=[0.0])
    np.testing.assert_allclose(whole.p, [motion[f"b.{c}"][0] for c in "XYZ"], atol=1e-12)
    np.testing.assert_allclose(whole.R, [[motion[f"b.R{i}{k}"][0] for k in (1, 2, 3)] for i in (1, 2, 3)], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_hull_has_the_flat_faces_of_its_box(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.5, 2, 3)
    turned = Rotation.random(random_state=seed).as_matrix()
    corners = [(np.array(x) * sizes) @ turned.T + 5 for x in np.ndindex(2, 2, 2)]
    solid = hull_solid(tuple(tuple(map(float, x)) for x in corners))
    assert sorted(len(face.corners) for face in solid.faces) == [4] * 6


@pytest.mark.parametrize(
    ("law", "told"),
    [("x + y*(sin(x)^2 + cos(x)^2 - 1)", "x"), ("2*y + x", "2*y + x"), ("x^2", "x^2"), ("y - y + 3", "3")],
)
def test_a_law_that_only_seems_to_name_its_own_rate_is_written_without(law, told):
    found = _straight(ex.parse(law), ex.symbol("y"))
    at = {ex.symbol("x"): 0.7, ex.symbol("y"): 1.9}
    assert ex.evaluate([found], at) == pytest.approx(ex.evaluate([ex.parse(told)], at))
    assert (ex.symbol("y") in ex.free_symbols([found])) is ("2*y" in told)


@pytest.mark.parametrize("size", range(6))
def test_determinants_by_rows_are_those_of_lapack(size):
    rows = np.random.default_rng(size).integers(-4, 5, (size, size))
    found = determinant([[ex.const(int(x)) for x in row] for row in rows])
    assert float(found.value) == pytest.approx(np.linalg.det(rows) if size else 1)


def test_every_public_function_of_analysis_is_bounded():
    functions = [thing for name in an.__all__ if isinstance(thing := getattr(an, name), FunctionType)]
    assert functions
    assert [one.__name__ for one in functions if not hasattr(one, "bounded")] == []


def test_a_share_of_no_limit_is_none():
    assert limits.share(0.5) == pytest.approx(limits.SECONDS / 2)


def test_progress_is_told_of_what_runs():
    running, idle = SimpleNamespace(since=time.monotonic() - 5, told="half"), SimpleNamespace(since=None, told="")
    pool = SimpleNamespace(workers={("tab", "a"): running, ("tab", "b"): idle, ("other", "a"): running})
    (one,) = Crew.progress(pool, "tab")
    assert (one["channel"], one["told"]) == ("a", "half")
    assert one["seconds"] == pytest.approx(5, abs=1)


@pytest.mark.parametrize("seed", range(3))
def test_bodies_that_can_be_are_found_as_they_are(seed):
    """Second moments of random points have any products of inertia; nothing is to be moved then."""
    rng = np.random.default_rng(seed)
    theta = []
    for _ in range(2):
        points, weights = rng.normal(size=(9, 3)), rng.uniform(0.1, 1, 9)
        inertia = sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(weights, points, strict=True))
        products = inertia[0, 1], inertia[0, 2], inertia[1, 2]
        theta += [weights.sum(), *(weights @ points), *np.diag(inertia), *products]
    near = np.array(theta) * 0.9
    found = _physical(None, np.eye(20) * 1e6, np.array(theta) * 1e6, near, None)
    np.testing.assert_allclose(found, theta, rtol=1e-4, atol=1e-4)


def test_charts_tell_how_their_axes_lie():
    x, y = "r*cos(a)", "r*sin(a)"
    assert an.Chart("r a", [x, y], positive=["r"]).orientation == 1
    assert an.Chart("a r", [x, y], positive=["r"]).orientation == -1
    assert an.Chart("x y", ["x", "x + y"]).orientation == 1
    assert an.Chart("a", [x.replace("r", "2"), y.replace("r", "2")]).orientation == 0
    assert an.Chart("u v", ["u", "v**2"]).orientation == 0


@pytest.mark.parametrize("at", [4, 12, 40])
def test_steep_functions_hide_no_more_bits_than_are_asked_for(at):
    """1 - erf(x) is about exp(-x^2), 1 - tanh(x) about 2 exp(-2 x)."""
    x = sp.Symbol("x", real=True)
    for f, bits in ((sp.erf(x), at**2 / np.log(2)), (sp.tanh(x), 2 * at / np.log(2)), (sp.exp(-x), at / np.log(2))):
        assert bits <= Program([f]).hidden({x: fmpq(at)}) <= 4 * bits + 10


@pytest.mark.parametrize("seed", range(12))
def test_the_size_of_an_expansion_is_at_least_that_of_what_comes_out(seed):
    rng = np.random.default_rng(seed)
    letters = [al.scalar(x) for x in "abcdefgh"]

    def grown(depth):
        if not depth:
            return letters[rng.integers(len(letters))]
        one, two = grown(depth - 1), grown(depth - 1)
        return one + two if rng.random() < 0.5 else one * two

    for _ in range(4):
        term = as_term(grown(4))
        sizes = {}
        for t in postorder([term]):
            sizes[t] = expansion_size(t, sizes, 10**9)
        whole = expand(term)
        assert sizes[term] >= (len(whole.args) if whole.op is op.SUM else 1)
        assert expansion_size(term, {t: min(n, 3) for t, n in sizes.items()}, 2) <= 3


def test_a_planetary_gear_obeys_willis():
    """With the carrier held, sun and ring turn against each other as their radii; together all turn as one."""
    m = da.Mechanism("gear")
    for x in ("sun", "carrier", "ring"):
        m.join(da.earth, m.body(x, inertia=[1, 1, 1]), da.revolute("z"), name=x)
    (told,) = m.planetary("sun.th", "carrier.th", "ring.th", [0.1, 0.3], name="it").expressions

    def left(*angles):
        names = (ex.symbol(f"{x}.th") for x in ("sun", "carrier", "ring"))
        return float(ex.evaluate([told], dict(zip(names, angles, strict=True)))[0])

    assert left(3.0, 0.0, -1.0) == pytest.approx(0)
    assert left(0.7, 0.7, 0.7) == pytest.approx(0)
    assert abs(left(3.0, 0.0, 1.0)) > 0.1


@pytest.mark.parametrize("kernel", [1.0, 0.01, 250.0])
def test_an_arc_is_begun_one_step_away_whatever_the_length_of_its_direction(kernel, monkeypatch):
    begun = []
    monkeypatch.setattr(arcs, "_on_family", lambda _c, start, _l, _r, size: begun.append((size, start)))
    linear = SimpleNamespace(kernel=kernel * np.array([[1.0, 0.0], [2.0, 1.0]]), rank=0)
    arcs._arc(None, [0.5, 0.25], linear, [1.0, 1.0], np.zeros(2), 0, 1)
    assert begun
    for size, start in begun:
        np.testing.assert_allclose(np.subtract(start, [0.5, 0.25]), np.array([1, 3]) * size / 3)


def test_an_editor_tells_the_three_numbers_of_a_vector():
    row = tuple(ex.const(k) for k in (1, 2, 3))
    assert _text(row, {}) == "= [1, 2, 3]"
    assert _text(row[:2], {}) == ""


def test_declared_outputs_may_use_the_rates_of_links_that_are_cut():
    """A spring in the joint that is cut: its angle is a state of its own."""
    m = da.Mechanism("four-bar")
    bars, ends = [da.earth, *(m.body(x, mass=1, inertia=[1, 1, 1]) for x in "abc")], (0, 1, 3, 2.5)
    for k in range(4):
        joint = da.revolute("z").with_efforts(th="-3*th - th'") if k == 3 else da.revolute("z")
        here = bars[k].at([ends[k], 0, 0]) if k else da.earth
        m.join(here, bars[k + 1] if k < 3 else da.earth.at([3, 0, 0]), joint, name=f"j{k}")
    m.start = {"j0.th": 1.0, "j0.th'": 0.5}
    names = [f"j{k}.th" for k in range(4)]
    for x in names:
        m.outputs[f"own_{x[:2]}"] = ex.parse(f"2*{x}' + {x} + rate(sin({x}))")
    motion = m.simulate((0, 0.5), cut=["j3"])
    for x in names:
        expected = (2 + np.cos(motion[x])) * motion[f"{x}'"] + motion[x]
        np.testing.assert_allclose(motion[f"own_{x[:2]}"], expected, atol=1e-6)
    np.testing.assert_allclose(np.gradient(motion["j3.th"], motion.t)[5:-5], motion["j3.th'"][5:-5], atol=1e-2)


def test_the_first_mode_of_the_first_stable_rest_is_the_slowest():
    m = da.Mechanism("two")
    for name, stiffness in (("quick", 9), ("slow", 1)):
        rail = da.prismatic("x").with_efforts(x=f"-{stiffness}*x")
        m.join(da.earth, m.body(name, mass=1), rail, name=f"rail_{name}")
    for number, moving in ((1, "slow"), (2, "quick")):
        scene = m._mode(number, None, None)
        for body, poses in zip(scene.bodies, scene.poses, strict=True):
            assert bool(np.ptp(poses[:, 0, 3]) > 1e-6) is (body.name == moving)
    for number in (0, 3):
        with pytest.raises(da.ModelError, match=f"no mode {number}"):
            m._mode(number, None, None)


@pytest.mark.parametrize("count", [1, 2, 10, 1000])
def test_all_steps_of_a_short_motion_are_kept_and_of_a_long_one_evenly_many(count):
    assert _marks(None, 0.0, 0.1, count, 6) == list(range(count + 1))
    few = _marks(None, 0.0, 0.1, count, int(KEPT / 8 / count * 4) or 1)
    assert few[0] == 0
    assert few[-1] == count
    assert len({b - a for a, b in itertools.pairwise(few)} - {count - few[-2]}) <= 1


@pytest.mark.parametrize("order", [2, 3, 5])
def test_roots_of_multiples_take_out_the_number_with_its_sign(order):
    """((a/b)^n x)^(m/n) = (a/b)^m x^(m/n), for negative a where n is odd, and for a < b."""
    x = al.scalar("x")
    for a, b, m in itertools.product((-3, -1, 1, 2, 5), (1, 2, 7), (-2, -1, 1, 3)):
        if a > 0 or order % 2:
            c, r = Fraction(a, b), Fraction(m, order)
            assert (c**order * x) ** r == c**m * x**r, (c, r)


def test_a_function_of_two_arguments_is_no_sum_of_two_functions():
    x, y = sp.symbols("x y", real=True)
    f = sp.Function("f")(x, y)
    assert _concrete(sp.diff(f, x, y)) != 0
    assert not an.is_zero(sp.diff(f, x, y))
    assert an.is_zero(sp.diff(f, x, y) - sp.diff(f, y, x))
