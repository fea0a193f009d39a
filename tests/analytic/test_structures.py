"""Statics by Newton: parts, holds, ropes, cuts; checked against virtual work, dual spaces and published values."""

import math
import random

import pytest
import sympy as sp

from dalembert import analytic as an
from dalembert.errors import ModelError


def test_a_ladder_slips_at_the_angle_of_the_books():
    """tan a = 1/(2 mu) for a smooth wall, (1 - mu nu)/(2 mu) for a rough one."""
    weight = an.Load("ladder", ["l*cos(a)/2", "l*sin(a)/2"], [0, "-m*g"])
    foot = an.Contact("ladder", [0, 0], [0, 1], friction="mu", name="foot")
    top = ["l*cos(a)", "l*sin(a)"]
    words = ["l", "m", "g", "mu", "nu"]
    smooth = an.Structure([weight], [foot, an.Contact("ladder", top, [-1, 0], name="wall")], positive=words)
    assert an.equal(sp.tan(smooth.rest("a", slips={"foot": 1}).forces["a"]), smooth.names.read("1/(2*mu)"))
    rough = an.Structure(
        [weight], [foot, an.Contact("ladder", top, [-1, 0], friction="nu", name="wall")], positive=words
    )
    assert rough.rest().degree == 1  # two forces of friction, one balance too few
    found = rough.rest("a", slips={"foot": 1, "wall": 1})
    assert an.equal(sp.tan(found.forces["a"]), rough.names.read("(1 - mu*nu)/(2*mu)"))
    assert "impossible: wall >= 0" in str(smooth.rest("a", slips={"foot": -1}))
    with pytest.raises(ModelError, match="no contact with friction"):
        smooth.rest("a", slips={"wall": 1})


def test_balances_of_parts_agree_with_virtual_work():
    """An A-frame of two rods under a load: the tie's pull by Newton and by a virtual opening of the frame."""
    frame = an.Structure(
        [an.Load("left", ["0", "h"], [0, "-P"])],
        [
            an.Pin("left", ["0", "h"], to="right", name="top"),
            an.Contact("left", ["-b", 0], [0, 1], name="A"),
            an.Contact("right", ["b", 0], [0, 1], name="B"),
            an.Rope([("left", ["-b", 0]), ("right", ["b", 0])], name="T"),
        ],
        positive=["b", "h", "P"],
    )
    newton = frame.rest().forces
    work = an.System(
        "u",
        particles=[
            an.Particle(0, [0, "sqrt(l**2 - u**2)"], [0, "-P"]),
            an.Particle(0, ["u", 0], ["-T", 0]),
            an.Particle(0, ["-u", 0], ["T", 0]),
        ],
    ).virtual_work()
    tension = work.solve("T")["T"].subs(work.names.read_map({"l": "sqrt(u**2 + h**2)", "u": "b"}), simultaneous=True)
    n = frame.names
    assert an.check(n.read(newton["T"]), n.read(tension).subs(n.symbol("u"), n.symbol("b")), positive=["b", "h"])
    assert an.equal(newton["A"], n.read("P/2"))


def test_what_holds_allow_is_dual_to_what_they_carry():
    """Random planar frames: forces + freedoms = balances + self-stresses, and every hold is idle in every freedom."""
    rng = random.Random(4)
    for _ in range(12):
        parts = ["a", "b", "c"][: rng.randint(1, 3)]
        place = lambda: [rng.randint(-3, 3), rng.randint(-3, 3)]
        holds = []
        for k in range(rng.randint(1, 6)):
            part = rng.choice(parts)
            to = rng.choice([p for p in (*parts, "ground") if p != part])
            kind = rng.choice([an.Pin, an.Weld, an.Roller])
            more = {"normal": [rng.randint(1, 3), rng.randint(-2, 2)]} if kind is an.Roller else {}
            holds.append(kind(part, place(), to=to, name=f"h{k}", **more))
        made = an.Structure([an.Load(p, place(), [1, 2]) for p in parts], holds)
        rank = made.matrix.rank()
        assert len(made.self_stresses) == len(made.pulls) - rank
        assert len(made.freedoms) == 3 * len(made.parts) - rank
        for freedom in made.freedoms:
            for pull in made.pulls:
                moving = [a for a in pull.acting if a.part != "ground"]
                power = sum((a.force.T * freedom.at(a.part, a.at))[0] for a in moving)
                power += sum((a.couple.T * freedom.turns[a.part])[0] for a in moving)
                assert power == 0


def test_the_instant_centre_of_a_slider_crank_is_where_the_normals_meet():
    """The rod's centre: on the line of the crank and on the normal of the guide through the slider."""
    crank, slider = ["r*cos(a)", "r*sin(a)"], ["r*cos(a) + sqrt(l**2 - r**2*sin(a)**2)", 0]
    made = an.Structure(
        [an.Load("crank", couple="C"), an.Load("slider", slider, ["-F", 0])],
        [
            an.Pin("crank", [0, 0], name="O"),
            an.Pin("crank", crank, to="rod", name="A"),
            an.Pin("rod", slider, to="slider", name="B"),
            an.Roller("slider", slider, [0, 1], name="N"),
            an.Roller("slider", [slider[0] + " + 1", 0], [0, 1], name="M"),
        ],
    )
    (freedom,) = made.freedoms
    centre = freedom.instant_centre("rod")
    n = made.names
    values = n.numbers({"r": 1.0, "l": 2.5, "a": 0.8})
    x, y = (float(e.subs(values)) for e in centre)
    reach = math.cos(0.8) + math.sqrt(6.25 - math.sin(0.8) ** 2)
    assert x == pytest.approx(reach)
    assert y == pytest.approx(reach * math.tan(0.8))
    by_power = sp.solve(freedom.power, n.symbol("C"))[0]
    assert float((by_power - made.rest("C").forces["C"]).subs(values | n.numbers({"F": 3.0}))) == pytest.approx(
        0, abs=1e-12
    )


@pytest.mark.parametrize("strands", [2, 4, 5])
def test_a_tackle_divides_the_load_by_its_strands(strands):
    """The load hangs on that many strands; the free end is the hand's."""
    ground, block = ("ground", [0, 9]), ("block", [0, 0])
    first = [ground, block] if strands % 2 == 0 else [block, ground]
    path = [first[k % 2] for k in range(strands + 1)] + [("hand", [0, 5])]
    directions = [[0, -1] if a == "ground" else [0, 1] for a, _ in path[:-1]]
    made = an.Structure(
        [an.Load("block", [0, 0], [0, "-W"]), an.Load("hand", [0, 5], [0, "-F"])],
        [an.Rope(path, directions=directions, name="T")],
    )
    assert an.equal(made.rest("F").forces["F"], made.names.read("W") / strands)


def test_a_screw_press_gives_two_pi_over_its_pitch():
    press = an.Structure(
        [an.Load("screw", [0, 0, 0], [0, 0, "F"]), an.Load("screw", ["R", 0, 0], [0, "-f", 0])],
        [an.Screw("screw", [0, 0, 0], [0, 0, 1], "h", name="S")],
    )
    assert an.check("2*pi*R*f/h", press.rest("F").forces["F"], names=press.names)
    with pytest.raises(ModelError, match="three components"):
        an.Structure([an.Load("a", [0, 0], [0, 1])], [an.Screw("a", [0, 0], [0, 1], "h")])


def test_a_table_on_four_legs_cannot_say_what_each_carries():
    legs = [
        an.Contact("top", [x, y, 0], [0, 0, 1], name=f"N{k}")
        for k, (x, y) in enumerate([("a", "a"), ("-a", "a"), ("-a", "-a"), ("a", "-a")], 1)
    ]
    table = an.Structure([an.Load("top", [0, 0, 0], [0, 0, "-P"])], legs, positive=["a", "P"])
    rest = table.rest()
    assert rest.degree == 1
    assert set(rest.undetermined) == {"N1", "N2", "N3", "N4"}
    (state,) = table.self_stresses
    assert state["N1"] == state["N3"] == -state["N2"] == -state["N4"] != 0
    assert "hyperstatic of degree 1" in rest.explanation
    stool = an.Structure([an.Load("top", [0, 0, 0], [0, 0, "-P"])], legs[:3], positive=["a", "P"])
    assert stool.rest().degree == 0


# -- cuts
def test_the_efforts_of_a_beam_are_its_own_derivatives():
    """dV/ds = -load and dM/ds = -V for the efforts of the far side on the near one; free ends carry nothing."""
    beam = an.Structure(
        [
            an.Load("beam", [], [0, "-q"], spread=(["a", 0], ["a + b", 0])),
            an.Load("beam", ["a + b + c", 0], ["H", "-F"]),
        ],
        [an.Pin("beam", [0, 0], name="A"), an.Roller("beam", ["a + b", 0], [0, 1], name="B")],
        positive=["a", "b", "c"],
    )
    efforts = an.internal_efforts(beam.rest(), "beam", [0, 0], ["a + b + c", 0])
    n, s = beam.names, efforts.s
    assert len(efforts.pieces) == 3
    for piece, load in zip(efforts.pieces, ["0", "-q", "0"]):
        assert an.is_zero(sp.diff(piece.shear[0], s) + n.read(load))
        assert an.is_zero(sp.diff(piece.bending[0], s) + piece.shear[0])
        assert an.equal(piece.axial, n.read("H"))
    assert an.is_zero(efforts.pieces[0].bending[0].subs(s, 0))
    assert an.is_zero(efforts.pieces[-1].bending[0].subs(s, n.read("a + b + c")))
    joined = efforts.pieces[0].bending[0] - efforts.pieces[1].bending[0]
    assert an.is_zero(joined.subs(s, n.symbol("a")))
    loose = an.Structure([an.Load("x", ["a", 0], [0, 1])], [an.Weld("x", ["b", 0])], positive=["a", "b", "l"]).rest()
    with pytest.raises(ModelError, match="which comes first"):
        an.internal_efforts(loose, "x", [0, 0], ["l", 0])


def test_a_bracket_in_space_is_twisted_by_its_arm():
    arm = an.Structure(
        [an.Load("bar", ["l", "d", 0], [0, 0, "-F"])], [an.Weld("bar", [0, 0, 0], name="A")], positive=["l", "d", "F"]
    )
    (piece,) = an.internal_efforts(arm.rest(), "bar", [0, 0, 0], ["l", 0, 0]).pieces
    assert an.check("-F*d", piece.torsion, names=arm.names)
    assert piece.axial == 0


# -- bodies, works, charts
@pytest.mark.parametrize(
    ("position", "over", "axis", "moment"),
    [
        (["r*cos(a)", "r*sin(a)", "z"], [("r", 0, "R"), ("a", 0, "2*pi"), ("z", 0, "h")], [0, 0, 1], "m*R**2/2"),
        (["R*cos(a)", "R*sin(a)", "0"], [("a", 0, "2*pi")], [1, 0, 0], "m*R**2/2"),
        (
            ["R*sin(b)*cos(a)", "R*sin(b)*sin(a)", "R*cos(b)"],
            [("b", 0, "pi"), ("a", 0, "2*pi")],
            [0, 0, 1],
            "2*m*R**2/3",
        ),
        (["r*cos(a)", "r*sin(a)", "z"], [("r", 0, "R*z/h"), ("a", 0, "2*pi"), ("z", 0, "h")], [0, 0, 1], "3*m*R**2/10"),
        (["x", "y", "0"], [("x", 0, "h"), ("y", 0, "R")], [0, 0, 1], "m*(R**2 + h**2)/12"),
    ],
)
def test_moments_of_inertia_by_integration(position, over, axis, moment):
    made = an.mass_properties(position, over, mass="m", positive=["R", "h"])
    assert an.check(moment, made.about(axis, through=list(made.center)), positive=["m", "R", "h"])


def test_huygens_moves_the_axis_and_empty_bodies_are_refused():
    rod = an.mass_properties(["x"], [("x", 0, "l")], mass="m", positive=["l"])
    assert an.check("m*l**2/3", rod.about([0, 1, 0]), positive=["l", "m"])
    with pytest.raises(ModelError, match="no extent"):
        an.mass_properties(["x + y"], [("x", 0, 1), ("y", 0, 1)])


def test_a_moving_guide_works_and_does_no_virtual_work():
    wedge = an.System("q", given="X", particles=[an.Particle("m", ["X + q*cos(a)", "-q*sin(a)"])], gravity=["0", "-g"])
    given, reaction = an.works(wedge)
    assert reaction.idle
    assert not given.idle
    assert not an.is_zero(reaction.power)
    still = an.works(an.System("q", particles=[an.Particle("m", ["q*cos(a)", "-q*sin(a)"])], gravity=["0", "-g"]))
    assert an.is_zero(still[1].power)


def test_elimination_and_multipliers_give_one_motion():
    disc = an.System(
        "x th y",
        L="m*(x_d**2 + y_d**2)/2 + J*th_d**2/2 + m*g*x*sin(a) - k*y**2/2",
        Q=["-c*x_d", "0", "0"],
        constraints=["x - r*th"],
        positive="m J r",
    )
    short = an.eliminate(disc, {"x": "r*th"})
    whole = disc.lagrange().accelerations
    n = disc.names
    rolls = {n.velocity("x"): n.read("r*th_d")}
    for c, a in short.lagrange().accelerations.items():
        assert an.equal(n.read(a).subs(rolls), whole[c].subs(rolls))
    with pytest.raises(ModelError, match="coordinates that are kept"):
        an.eliminate(disc, {"x": "r*th", "th": "x/r"})


def test_geodesics_are_free_motions_and_the_lemmas_hold():
    torus = an.Chart("u v", ["(R + r*cos(v))*cos(u)", "(R + r*cos(v))*sin(u)", "r*sin(v)"], positive=["R", "r"])
    free = an.System("u v", T=torus.kinetic_energy(1)).lagrange().accelerations
    for c, a in zip("uv", torus.geodesics()):
        assert an.equal(free[c], a)
    assert torus.lemmas() == {"dv/dq' = dr/dq": True, "d/dt(dr/dq) = dv/dq": True}


def test_angular_momentum_about_another_point():
    """About a fixed point the rate is the torque; about a point that moves with w it is the torque minus w x p."""
    s = an.System("x y", particles=[an.Particle("m", ["x", "y"])], gravity=["0", "-g"])
    fixed = an.angular_momentum(s, ["a", "b"])
    assert an.equal(fixed.rate[2], fixed.torque[2])
    moving = an.angular_momentum(s, ["c*t", "0"])
    extra = -s.names.read("c*m*y_d")
    assert an.equal(moving.rate[2], moving.torque[2] + extra)


def test_powers_of_a_map_brackets_and_envelopes():
    turn = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "q*cos(a) + p*sin(a)", "P": "-q*sin(a) + p*cos(a)"})
    thrice = turn.power(3)
    n = turn.names
    assert an.equal(thrice.new["Q"], n.read("q*cos(3*a) + p*sin(3*a)"))
    assert an.equal(thrice.then(turn.power(-3)).new["P"], n.symbol("p"))
    q, p = sp.symbols("q1 q2", real=True), sp.symbols("p1 p2", real=True)
    crooked = [q[0] * q[1], q[1] + p[0], p[0] * p[1], p[1] - q[0] ** 2]
    assert an.bracket_identity(crooked, q, p)
    for f, family in (("x**4", "u*x - 3*(u/4)**(4/3)"), ("exp(x)", "u*x - u*log(u) + u")):
        assert any(an.check(f, e, positive=["x"]) for e in an.envelope(family, "u", positive=["u", "x"]))


def test_phase_volume_grows_by_the_period():
    swing = an.well(an.System("th", L="th_d**2/2 + cos(th)"), {}, (-3.2, 3.2))
    step = 1e-4
    slope = (swing.phase_volume(0.3 + step) - swing.phase_volume(0.3 - step)) / (2 * step)
    assert slope == pytest.approx(swing.density_of_states(0.3), rel=1e-6)


def test_time_as_a_coordinate_gives_a_momentum_of_minus_the_energy():
    line = an.world_line(an.System("x", L="m*x_d**2/2 - k*x**2/2 + f*t*x", positive="m k"))
    assert line.constraint == 0
    n = line.system.names
    v = [n.velocity("x"), n.velocity("T")]
    assert an.is_zero(sum(w * sp.diff(line.L, w) for w in v) - line.L)


def test_an_extremal_through_two_points_is_the_known_one():
    light = an.Functional("sqrt(1 + yp**2)/sqrt(y)", "y")  # brachistochrone downwards: a cycloid
    theta = (0.6, 2.2)
    x = [t - math.sin(t) for t in theta]
    y = [1 - math.cos(t) for t in theta]
    found = an.extremal(light, {"y": (y[0], y[1])}, (x[0], x[1]))
    assert found.value == pytest.approx(math.sqrt(2) * (theta[1] - theta[0]), rel=1e-6)
    with pytest.raises(ModelError, match="two ends for each"):
        an.extremal(light, {}, (0, 1))


def test_a_motion_without_its_time_is_the_orbit():
    """A parabola from falling, an ellipse from two springs in quadrature; a coordinate at rest is no clock."""
    free = an.System("x y", H="(px**2 + py**2)/(2*m) + m*g*y", momenta="px py", positive="m g")
    parabola = an.path_of(free.hamilton_jacobi().motion(), "x")["y"]
    assert an.equal(sp.diff(parabola, sp.Symbol("x", real=True), 3), 0)
    springs = an.System("x y", L="(x_d**2 + y_d**2)/2 - w**2*(x**2 + y**2)/2", positive="w").lagrange()
    n = springs.names
    motion = an.closed_motion(springs)
    quarter = {n.symbol("x0"): 0, n.symbol("yd0"): 0}
    y = an.path_of({c: e.subs(quarter) for c, e in motion.items()}, "x")["y"]
    assert an.equal(
        y**2 / n.read("y0**2") + n.read("(w*x/xd0)**2"), 1, ranges={"xd0": (1, 2), "x": (0, 0.3), "w": (1, 2)}
    )
    with pytest.raises(ModelError, match="does not move"):
        an.path_of({"x": n.symbol("x0"), "y": n.time}, "x")
