"""Machines made of machines: packages with parameters, loops, lists and conditions, against texts written out."""

import math
import random
import re
import time
from pathlib import Path

import pytest

import dalembert as da
from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd import parse
from dalembert.lsd.format import format_text

EXAMPLES = Path(__file__).parents[2] / "examples"

CHAIN = """use "joints.lsd" ; use "solids.lsd" ;
let tip[0] = earth ;
for i in 1..100 do
  let rod[i] = hanging_rod(m, l) and pin = revolute(axis = [0, 1, 0]) ;
  join tip[i-1] and rod[i].frame with pin ; let tip[i] = [0, 0, -l] @ rod[i] ;
end ;"""

ANTENNA = """use "joints.lsd" ;
let columns = 1 and rows = 2 ;
package arm(near : frame, far : frame, azimuth : scalar) =
  let rod() = body mass = 0.2, centre = [0, 0.5, 0], inertia = [0.02, 0.001, 0.02] end ;
  let hinge = revolute([0, 0, 1]) and p = rod() and q = rod() ;
  join azimuth || [1, 0, 0] @ near.body and p.frame with hinge as a ;
  join [0, 1, 0] @ p and q.frame with hinge as b ;
  join [0, 1, 0] @ q and azimuth || [1, 0, 0] @ far.body with hinge as c ;
  start a.th = 0.9, b.th = -1.8, c.th = 0.9 ;
end ;
let v[0][0] = earth ;
for i in 0..columns do for j in 0..rows do
  if i + j > 0 then
    let upright[i][j] = body mass = 1, iframe = 0, inertia = [0.1, 0.1, 0.1] end ; let v[i][j] = upright[i][j].frame ;
  end ;
  if i > 0 then let across[i][j] = arm(v[i-1][j], v[i][j], 0) ; end ;
  if j > 0 then let along[i][j] = arm(v[i][j-1], v[i][j], pi/3) ; end ;
  if i > 0 and j > 0 then let slant[i][j] = arm(v[i-1][j], v[i][j-1], 0 - pi/3) ; end ;
end ; end ;"""

LEG = """
package leg(hip : frame, side : scalar, reach : scalar = 1/4) =
  let thigh = body mass = 2, iframe = [0, 0, -reach], inertia = 0 end ;
  let shin = body mass = 1, iframe = [0, 0, -reach], inertia = 0 end ;
  join hip and thigh.frame with link(th) dof = th || [side, 0, 0] end as swing ;
  join [0, 0, -2*reach] @ thigh and shin.frame
    with link(th) dof = th || [1, 0, 0], torque = [swing.th, 0, 0] end as knee ;
  let foot = [0, 0, -2*reach] @ shin ;
  start knee.th = side/10 ;
end ;
"""


def error(text):
    with pytest.raises(LsdError) as caught:
        da.loads(text)
    return caught.value.diagnostics[0]


def test_a_chain_of_a_hundred_links_in_six_lines():
    assert CHAIN.count("\n") == 5
    m = da.loads(CHAIN)
    assert len(m.links) == 100
    assert m.links["rod[42]"].coordinates == ("rod[42].th",)
    assert m.links["rod[42]"].first.body == "rod[41]"


def test_an_antenna_of_cells_in_twenty_lines():
    """The grid that Python builds in forty: the same bodies and links, and closed at its start."""
    assert ANTENNA.count("\n") <= 20
    m, grid = da.loads(ANTENNA), da.load(EXAMPLES / "loops" / "antenna_grid.lsd")
    assert (len(m.bodies), len(m.links)) == (len(grid.bodies), len(grid.links))
    places = {(b.mass, b.iframe, b.inertia) for b in m.bodies.values()}
    assert places == {(b.mass, b.iframe, b.inertia) for b in grid.bodies.values()}
    closed = m.layout().constraints
    assert len(closed) == len(grid.layout().constraints)


def test_a_quadruped_is_one_leg_built_four_times_in_fifteen_lines():
    text = re.sub(r"\(\*(?s:.*?)\*\)", "", (EXAMPLES / "quadruped.lsd").read_text())
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 15
    m = da.loads(text)
    assert len(m.layout().coordinates) == 12
    assert [len([x for x in m.links if x.startswith(leg)]) for leg in ("front_left.", "hind_right.")] == [3, 3]


def test_a_machine_is_built_of_machines_with_dotted_names():
    m = da.loads(LEG + "let left = leg(hip = earth, side = 1) ;")
    assert list(m.bodies) == ["earth", "left.thigh", "left.shin"]
    assert m.equations().coordinates == ("left.swing.th", "left.knee.th")
    assert dict(m.start) == {"left.knee.th": 0.1}
    assert list(m.frames) == ["left.foot"]
    assert da.loads(m.to_lsd()) == m


def test_a_leg_says_the_same_as_its_text_written_out():
    short = LEG + "for k in 1..2 do let leg[k] = leg(earth, 3 - 2*k, k) ; end ;"
    flat = "".join(
        f"""let `leg[{k}].thigh` = body mass = 2, iframe = [0, 0, -{k}], inertia = 0 end ;
let `leg[{k}].shin` = body mass = 1, iframe = [0, 0, -{k}], inertia = 0 end ;
join earth and `leg[{k}].thigh`.frame with link(th) dof = th || [{3 - 2 * k}, 0, 0] end as `leg[{k}].swing` ;
join [0, 0, -2*{k}] @ `leg[{k}].thigh` and `leg[{k}].shin`.frame with
  link(th) dof = th || [1, 0, 0], torque = [`leg[{k}].swing`.th, 0, 0] end as `leg[{k}].knee` ;
let `leg[{k}].foot` = [0, 0, -2*{k}] @ `leg[{k}].shin` ;
start `leg[{k}].knee`.th = {3 - 2 * k}/10 ;
"""
        for k in (1, 2)
    )
    assert da.loads(short) == da.loads(flat)


def test_members_of_machines_are_driven_constrained_touched_sprung_and_given():
    m = da.loads(
        LEG.replace("mass = 1,", "").replace("mass = 2,", "")
        + """for k in 1..3 do let leg[k] = leg(earth, 1) ; end ;
contact leg[1].foot.Z >= 0 as floor ;
constrain leg[1].knee.th = 2*leg[2].knee.th as same ;
drive leg[3].swing.th = sin(t) ;
spring leg[1].foot and leg[2].foot with stiffness = 3 as rope ;
apply force value = [leg[2].knee.th', 0, 0] end on leg[1].thigh.frame as push ;
limit leg[2].knee.th in [0, 1] ;
given leg[2].thigh.mass = 7, leg[3].shin.mass = 5 ;"""
    )
    assert {x for one in m.constraints for x in one.expressions} == {
        da.expr.parse("leg[1].knee.th - 2*leg[2].knee.th"),
        da.expr.parse("leg[3].swing.th - sin(t)"),
    }
    assert m.given == {m.bodies["leg[2].thigh"].mass.name: 7, m.bodies["leg[3].shin"].mass.name: 5}
    assert {effort.name for effort in m.efforts} == {"rope", "push"}
    assert m.contacts[0].name == "floor"
    assert da.loads(m.to_lsd()) == m


def test_a_machine_holds_machines_lists_and_loops():
    m = da.loads("""
package pair(at : frame, n : scalar = 2) =
  package ball(root : frame) =
    let b = body mass = 1, iframe = 0, inertia = 0 end ;
    join root and b.frame with link(x) dof = [x, 0, 0], force = [-swing[1].x, 0, 0] end as slide ;
  end ;
  let s[0] = body mass = 1, iframe = 0, inertia = 0 end ;
  for i in 1..n do
    join at and s[i-1].frame with link(x) dof = [x, 0, 0] end as swing[i] ;
    if i < n then let s[i] = body mass = i, iframe = 0, inertia = 0 end ; end ;
    let held[i] = ball(root = s[i-1].frame) ;
  end ;
end ;
let a = pair(earth) and b = pair(earth, 1) ;
start a.held[2].slide.x = 1, b.swing[1].x' = 2 ;
""")
    assert list(m.links) == [
        *("a.swing[1]", "a.held[1].slide", "a.swing[2]", "a.held[2].slide"),
        *("b.swing[1]", "b.held[1].slide"),
    ]
    force = m.links["b.held[1].slide"].placed_steps()[0].force[0]
    assert da.expr.text(force) == "-b.swing[1].x"
    assert dict(m.start) == {"a.held[2].slide.x": 1, "b.swing[1].x'": 2}


def test_packages_nest():
    m = da.loads("""package a = package b =
  let l = 3 ; let rod(m : scalar = l) = body mass = m, iframe = 0, inertia = 0 end ; end ; end ;
let x = a:b:rod() and y = a:b:rod(m = a:b:l + 1) ;
join earth and x.frame with link(q) dof = [q, 0, 0] end ; join earth and y.frame with link(q) dof = [q, 0, 0] end ;""")
    assert [m.bodies[x].mass.value for x in "xy"] == [3, 4]


def test_old_programs_may_call_things_by_the_new_words():
    names = "let do = 1 and then = 2 and else = 3 and for = 4 and if = 5 ;"
    m = da.loads(names + "let b = body mass = do + then + else + for + if end ; join earth and b.frame with link end ;")
    assert m.bodies["b"].mass.value == 15


def program(rng):
    """A random program of nested loops, conditions and machines, and its text written out."""
    n, m, shift = rng.randint(1, 4), rng.randint(1, 3), rng.randint(0, 2)
    least, mass = rng.randint(1, 3), rng.randint(1, 9)
    sign = rng.choice(["<", "<=", ">", ">=", "=", "<>"])
    short = f"""
package cell(at : frame, w : scalar = {mass}) =
  for j in 1..{m} do
    let p[j] = body mass = w*j, iframe = [0, 0, w], inertia = 0 end ;
    if j {sign} {least} then join at and p[j].frame with link(x) dof = [x, 0, 0] end as k[j] ;
    else join [0, 0, j] @ earth and p[j].frame with link(x) dof = [0, x, 0] end as k[j] ; end ;
  end ;
end ;
for i in {shift}..{shift + n - 1} do
  let c[i] = cell({rng.choice(["earth", "at = earth"])}) ;
  start c[i].k[{m}].x = i ;
end ;
let last = cell(at = c[{shift}].p[1].frame, w = 1/2) ;
"""
    test = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "=": int.__eq__, "<>": int.__ne__}[
        sign
    ]
    flat = ""
    cells = [(f"c[{i}]", "earth", str(mass)) for i in range(shift, shift + n)]
    for name, at, w in [*cells, ("last", f"`c[{shift}].p[1]`.frame", "1/2")]:
        for j in range(1, m + 1):
            flat += f"let `{name}.p[{j}]` = body mass = {w}*{j}, iframe = [0, 0, {w}], inertia = 0 end ;\n"
            place, way = (at, "[x, 0, 0]") if test(j, least) else (f"[0, 0, {j}] @ earth", "[0, x, 0]")
            flat += f"join {place} and `{name}.p[{j}]`.frame with link(x) dof = {way} end as `{name}.k[{j}]` ;\n"
    flat += "".join(f"start `c[{i}].k[{m}]`.x = {i} ;\n" for i in range(shift, shift + n))
    return short, flat


@pytest.mark.parametrize("seed", range(25))
def test_random_programs_equal_their_text_written_out_and_survive_printing_and_layout(seed):
    short, flat = program(random.Random(seed))
    m = da.loads(short)
    assert m == da.loads(flat)
    assert da.loads(m.to_lsd()) == m
    tidy = format_text(short)
    assert parse(tidy) == parse(short)
    assert format_text(tidy) == tidy


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("let b[1] = 1 ; let c = b[2] ;", "there is no b[2]", "its only element is b[1]"),
        ("let b[1] = 1 ; let c = b ; let d = c + 1 ;", "no operation list + scalar", None),
        ("let b[1] = 1 ; let c = b[1][2] ;", "a scalar has no elements", "only what is defined as name[i] has"),
        ("let b[1] = 1 ; let b[1][1] = 2 ;", "the elements of b have 1 indices, not 2", None),
        ("let b[1] = 1 ; let b[2] = [0,0,0] ;", "an element of b is a scalar, this is a vector", None),
        ("let b[1] = 1 ; let b[1] = 2 ;", "b[1] is defined twice", None),
        ("for i in 1..0 do let b[i] = 1 ; end ; let c = b[1] ;", "there is no b[1]", "it has no element yet"),
        ("for i in 1..0 do let b[i] = 1 ; end ; let c = b ; let d = c[1] ;", "there is no c[1]", "no element"),
        ("let b[0-1] = 1 ;", "an index is not negative: this is -1", None),
        ("for i in 1..N do let b[i] = 1 ; end ;", "a bound of a loop is a whole number: N has no value", "name it"),
        ("for i in 1..3/2 do let b[i] = 1 ; end ;", "a bound of a loop is a whole number, not 3/2", None),
        ("for i in 1..1000001 do let x = i ; end ;", "is a whole number up to 1000000, not 1000001", None),
        ("for i in 1..2 do given m = 1 ; end ;", "`given` is for the whole program", None),
        ("if n > 1 then let a = 1 ; end ;", "a condition compares constants: n has no value", "name the number"),
        ("package p() = let a = 1 ; end ; let x = [p(), 0, 0] ;", "expected a scalar, this is a machine", None),
        ("package p() = let a = 1 ; end ; let x = p() ; let y = x.b.mass ;", "x has no b with a mass", None),
        ("package p(a : scalar = [0,0,1]) = let b = a ; end ;", "default of a: expected a scalar", None),
        ("package p(a : scalar) = let b = a ; end ; let x = p() ;", "p needs also a", "it is p(a : scalar) : machine"),
        (
            'use "joints.lsd" ; let a = body end ; join earth and a.frame with revolute([0, 0, 0]) ;',
            "the axis of a rotation cannot be zero",
            "inside library/joints.lsd",
        ),
        (
            "package p(n : vector) = let a = body end ; join earth and a.frame with link(x) dof = x || n end ; end ;\n"
            "let one = p(n = [0, 0, 0]) ;",
            "the axis of a rotation cannot be zero",
            "it is built by <text>:2:11",
        ),
        ("let a = body end ; output s = pos(a).x ;", "syntax error at `.`", "`pos(tip, x)`"),
        ("let f(x : scalar) = 2*x ; let y = f(1, 2) ;", "f has only 1 parameters, 2 given", "it is f(x : scalar)"),
        ("package p = join earth and earth with link end ; end ;", "a package holds definitions only", "machine"),
        ("for i in 1..2 do let b = body end ; join earth and b.frame with link end ; end ;", "used twice", "b[i]"),
        ("drive hinge = 1 ;", "expected a coordinate", "hinge.th"),
        ("for i in 1..2 let b = 1 ; end ;", "syntax error at `let`: expected", None),
        ("if 1 then let b = 1 ; end ;", "syntax error at `then`: expected", None),
        ("let a = p:q:r ;", "unbound package p", None),
    ],
)
def test_errors_name_the_place_and_the_remedy(text, message, hint):
    found = error(text)
    assert message in found.message
    assert hint is None or hint in (found.hint or "")


def test_a_fault_in_the_library_is_told_where_it_is_used():
    found = error('use "joints.lsd" ;\nlet a = body end ;\njoin earth and a.frame with revolute([0, 0, 0]) ;')
    assert (found.line, found.column) == (3, 29)


def test_a_fault_in_a_loop_is_told_once():
    with pytest.raises(LsdError) as caught:
        da.loads("for i in 1..1000 do let b[i] = 1/0 ; end ;")
    assert len(caught.value.diagnostics) == 1


def test_work_grows_with_what_is_built():
    """Eight times the bodies, eight times the work: far from the 64 of a loop in a loop."""

    def seconds(n):
        before = time.process_time()
        lsd.loads(CHAIN.replace("100", str(n)))
        return time.process_time() - before

    seconds(10)
    assert seconds(2000) < 30 * min(seconds(250) for _ in range(3))


def test_a_frame_may_be_placed_from_another_frame():
    """Connectors are frames: what a part is given may be moved on, as a body's own place is."""
    text = """
    let arm = body mass = 1, iframe = 0, inertia = 1*[1, 1, 1] end ;
    join earth and arm.frame with link(th) dof = th || [0, 0, 1] end as a ;
    let wrist = [1, 0, 0] ++ pi/2 || [0, 0, 1] @ arm ;
    let nail = PLACE ;
    """
    from_frame = da.loads(text.replace("PLACE", "[0, 2, 0] ++ pi/3 || [1, 0, 0] @ wrist"))
    nail = from_frame.frames["nail"]
    entries = [*nail.displacement.translation, *(x for row in nail.displacement.matrix for x in row)]
    half, r = math.cos(math.pi / 3), math.sin(math.pi / 3)
    expected = [-1, 0, 0, 0, -half, r, 1, 0, 0, 0, r, half]  # turned by 90 degrees, then rolled by 60
    assert nail.body == "arm"
    assert [float(x) for x in da.expr.evaluate(entries, {})] == pytest.approx(expected, abs=1e-15)


def test_arguments_without_a_name_come_first():
    text = """
    package leg(hip : frame, l : scalar = 1, m : scalar = 2) =
      let shin = body mass = m, iframe = [0, 0, -l], inertia = 0 end ;
      join hip and shin.frame with link(th) dof = th || [0, 1, 0] end as knee ;
    end ;
    let a = leg(earth, m = 5) and b = leg(CALL) ;
    """
    m = da.loads(text.replace("CALL", "[1, 0, 0] @ earth, 3, m = 7"))
    assert [float(m.bodies[x].mass) for x in ("a.shin", "b.shin")] == [5, 7]
    assert float(m.bodies["b.shin"].centre[2]) == -3
    for call, told in (
        ("hip = earth, 3", "those without a name come before"),
        ("earth, hip = earth", "parameter hip is given twice"),
        ("earth, 1, 2, 3, m = 4", "leg has only 3 parameters"),
    ):
        with pytest.raises(LsdError) as error:
            da.loads(text.replace("CALL", call))
        assert told in str(error.value)


def test_a_vector_has_components():
    m = da.loads("""
    let v = [1, 2, 4] ; let w[1] = [v.z, 0, 0] ;
    let b = body mass = v.x + v.y*w[1].x, iframe = 0, inertia = 0 end ;
    join earth and b.frame with link(x) dof = [x, 0, 0] end as rail ;
    """)
    assert float(m.bodies["b"].mass) == 9
    with pytest.raises(LsdError) as error:
        da.loads("""
        let rail = [1, 2, 4] ;
        let b = body mass = rail.x, iframe = 0, inertia = 0 end ;
        join earth and b.frame with link(x) dof = [x, 0, 0] end as rail ;
        """)
    assert "rail is a vector and a link" in str(error.value)


def test_lists_are_known_in_all_of_a_loop():
    """An element that an earlier pass has made further down was an unbound variable, or a formula of the library."""
    grid = """use "joints.lsd" ; use "solids.lsd" ;
    package panel(at : frame) =
      let plate = box(m = 1, a = 1, b = 1, c = 0.1) ; let right = [1, 0, 0] @ plate ; let up = [0, 1, 0] @ plate ;
      join at and plate.frame with revolute([1, 0, 0]) as hinge ;
    end ;
    for i in 1..2 do for j in 1..3 do
      if j > 1 then let p[i][j] = panel(p[i][j-1].right) ;
      else if i > 1 then let p[i][j] = panel(p[i-1][j].up) ; else let p[i][j] = panel(earth) ; end ; end ;
    end ; end ;
    package row(n : scalar) = for i in 1..n do
      if i > 1 then spring rod[i-1].frame and earth with stiffness = 1 ; end ;
      let rod[i] = hanging_rod(1, 1) ; join earth and rod[i].frame with revolute([0, 1, 0]) ;
    end ; end ;
    let a = row(2) ; let b = row(3) ;"""
    m = da.loads(grid)
    assert [(one.link.first.body, one.link.second.body) for one in m.layout().tree if "[2][1]" in one.link.name] == [
        ("p[1][1].plate", "p[2][1].plate")
    ]
    assert [len(x) for x in (m.bodies, m.efforts)] == [12, 3]
    for text, told in (
        ("for i in 1..3 do let s[i] = 2*s[i-1] ; end ;", "unbound variable s"),
        ("for i in 1..3 do let x = z[i-1] ; let z[i] = 1 ; end ;", "there is no z[0]"),
        ("for i in 1..3 do let x = z[i-1] ; let z[i] = body masse = 1 end ; end ;", "a body has no field masse"),
    ):
        with pytest.raises(LsdError) as error:
            da.loads(text)
        assert told in str(error.value)
        assert str(error.value).count("error:") == 1
