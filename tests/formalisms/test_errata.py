"""Errors of the printed mechanics (Papegay 1992, chapters 1 and 2), each shown by a calculation that can fail.

Each proof is also a row of docs/errata.md; the last test keeps the two in step.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.expr.space import AXES, add3, apply3, cross, dot3, product3, scale3, sub3, transpose3, turn_matrix
from dalembert.formalisms import derive
from dalembert.formalisms.relative import seen_from
from dalembert.mechanism import Layout
from formalisms import printed as P
from formalisms.satellite import ACCELERATIONS, PARAMETERS, STATE, satellite

MANUAL = Path(__file__).parents[2] / "docs" / "errata.md"
HEADING = "## Papegay 1992, chapters 1 and 2: mechanics"
ROWS: list[tuple[str, str, str, str]] = []

ON_THE_MOTION = {ex.symbol(k): float(x) for k, x in STATE.items()}
ON_THE_MOTION |= dict(zip(P.ACCELERATION_SYMBOLS, ACCELERATIONS, strict=True))


def erratum(place: str, wrong: str, right: str):
    def note(test):
        ROWS.append((place, wrong, right, test.__name__))
        return test

    return note


def at(*exprs, values=None):
    return np.array(ex.evaluate([ex.as_expr(e) for e in exprs], values or ON_THE_MOTION), dtype=float)


def vanishes(*exprs):
    return bool(np.abs(at(*exprs)).max() < 1e-10)


def rank(exprs, variables=None):
    slopes = ex.jacobian(list(exprs), variables or P.ACCELERATION_SYMBOLS)
    return np.linalg.matrix_rank(np.array([at(*row) for row in slopes]), tol=1e-9)


# --- Newton-Euler --------------------------------------------------------------------------------------------------


@erratum(
    "L2366-2540",
    "N.8, N.9, N.12, N.13.b, N.17 are nine equations of motion",
    "rank 8: N.13.b - N.17 = c7 N.8.b + s7 N.8.c; C34 is in none; take the moment of S4 at m43",
)
def test_the_final_newton_euler_set_is_dependent():
    final = [*P.N8, *P.N9, P.N12, P.N13b, P.N17]
    assert vanishes(*final)
    assert rank(final) == 8
    rng = np.random.default_rng(0)
    anywhere = {x: rng.uniform(0.5, 1.5) for x in ON_THE_MOTION}
    assert at(P.N13b - P.N17 - P.c7 * P.N8[1] - P.s7 * P.N8[2], values=anywhere) == pytest.approx(0, abs=1e-12)
    assert P.C34 not in ex.free_symbols(final)
    assert rank([*P.N8, *P.N9, P.N12, P.N13b, P.A5b]) == 9


@erratum("L2407-2409, L2430, L2537", "mu1 missing before accelerations in N.10, N.12, N.17", "mu1 gamma(G1)")
def test_mu1_is_missing_in_three_equations():
    printed_12 = P.h[0] + P.z12 * (P.a1[1] - P.F1[1]) - P.C1[0] + P.C12
    printed_17 = -P.c7 * (P.a1[1] - P.F1[1]) - P.s7 * (P.a1[2] - P.F1[2]) - P.F23
    assert vanishes(P.N12, P.N17)
    assert not vanishes(printed_12)
    assert not vanishes(printed_17)


@erratum("L2469-2493, L2743", "mu4 missing in N.13 and A.3", "mu4 gamma(G4) = r34 + F4")
def test_mu4_is_missing_in_the_forces_on_the_reflector():
    assert vanishes(P.N13b)
    assert not vanishes(dot3(P.j2, P.a4) - P.F23 - dot3(P.j2, P.F4))


@erratum(
    "L2382-2392",
    "equations of the whole and of pairs of bodies add information (Rem 2.1)",
    "they are sums of those of single bodies; 6 n - sum of constraint degrees equations of motion remain",
)
def test_equations_of_the_whole_add_nothing_to_those_of_the_bodies():
    rows, unknown = P.isolated()
    variables = [*P.ACCELERATION_SYMBOLS, *unknown]
    assert rank(rows, variables) == rank([*rows, *P.N8, *P.A2], variables) == 18


@erratum(
    "L2542",
    "18 equations, 12 unknowns, an 18 by 13 matrix",
    "9 unknown reactions (r21 x y z, c21 y z, r34 x z, c34 x z): 18 by 10; elimination leaves 9 equations",
)
def test_there_are_nine_unknown_reactions():
    rows, unknown = P.isolated()
    assert len(rows) == 18
    assert rank(rows, unknown) == len(unknown) == 9
    assert rank(rows, [*P.ACCELERATION_SYMBOLS, *unknown]) == 18


@erratum("annex L7543-7561", "external moment d x (F4/mu4 - F1/mu1) without mu", "mu d x (F4/mu4 - F1/mu1)")
def test_the_external_moment_at_the_centre_has_the_reduced_mass():
    bare = cross(P.d, P.push)
    printed = sub3(add3(P.h, scale3(P.mu, cross(P.d, sub3(P.a4, P.a1)))), add3(P.C1, bare))
    assert vanishes(*P.N9)
    assert not vanishes(*printed)


@erratum("annex L7872", "moment of F4 with Rot14 f4", "f4 has its components in R1 already: d x f4")
def test_the_force_on_the_reflector_needs_no_rotation():
    turned = apply3(P.R12, apply3(P.R34, P.F4))
    assert vanishes(*P.A2)
    assert not vanishes(*add3(P.A2, cross(P.d, sub3(P.F4, turned))))


# --- d'Alembert ----------------------------------------------------------------------------------------------------


@erratum("L2739, L2752-2756", "A.5: c34 + M43G4 x F4 = 0, without inertia", "c34 + M43G4 x (F4 - mu4 gamma(G4)) = 0")
def test_moments_of_the_reflector_at_the_joint_need_its_inertia():
    printed = P.z34 * dot3(P.i4, P.F4) + P.C34
    assert vanishes(P.A5b)
    assert not vanishes(printed)
    assert rank([*P.N8, *P.A2, P.N13b, P.A6a, printed]) == 8
    assert rank([*P.N8, *P.A2, P.N13b, P.A6a, P.A5b]) == 9


@erratum("L2769, L2773-2777", "A.6 without M12G1 x (-mu1 gamma(G1))", "-h_x + z12 (F1y - mu1 a1y) - C12 + C1x = 0")
def test_moments_of_the_satellite_at_the_joint_need_its_inertia():
    assert vanishes(P.A6a)
    assert not vanishes(-P.h[0] + P.z12 * P.F1[1] - P.C12 + P.C1[0])


# --- Hamilton ------------------------------------------------------------------------------------------------------


def relative_hamiltonian():
    return derive(Layout.of(seen_from(satellite(), "S1")), "hamilton").detail


@erratum(
    "L3074-3115, L3164, L3185-3192",
    "V with Q = +dV/dq used in L = K - V",
    "the potential is -V: every force term of H and (H.5) changes sign",
)
def test_the_printed_potential_has_the_opposite_sign():
    detail = relative_hamiltonian()
    height = P.q8 * P.s7 + P.z34 * P.c7 * P.c9
    printed = dot3((P.d[0], P.d[1], height), P.F4) + P.C12 * P.q7 + P.F23 * P.q8 + P.C34 * P.q9
    for q in (P.q7, P.q8, P.q9):
        assert at(ex.derivative(detail.potential + printed, q)) == pytest.approx(0, abs=1e-12)
        assert abs(at(ex.derivative(detail.potential - printed, q))[0]) > 1e-2


@erratum("L3168, L3173-3193", "p' = dH/dq, and (H.4), (H.5) labelled p' and q'", "q' = dH/dp (H.4), p' = -dH/dq (H.5)")
def test_the_canonical_equations_have_one_minus_sign():
    """On the motion of the arms alone, d(dK/dq')/dt is -dH/dq and not dH/dq."""
    detail = relative_hamiltonian()
    layout = Layout.of(seen_from(satellite(), "S1"))
    motion = derive(layout, "newton-euler")
    values = {x: y for x, y in ON_THE_MOTION.items() if x not in P.ACCELERATION_SYMBOLS}
    udot = at(*motion.accelerations, values=values)
    moved = ex.tangent(detail.definition, {**P.RATES, **dict(zip((P.p7, P.p8, P.p9), udot, strict=True))})
    values |= dict(zip(detail.momenta, at(*detail.definition, values=values), strict=True))
    slopes = at(*ex.gradient(detail.value, (P.q7, P.q8, P.q9)), values=values)
    assert at(*moved, values=values) == pytest.approx(-slopes)
    assert at(*ex.gradient(detail.value, detail.momenta), values=values) == pytest.approx(at(P.p7, P.p8, P.p9))


@erratum("L3186", "(H.5).b begins with +F4y", "with the printed V it is -F4y cos q7: -dV/dq8")
def test_the_force_term_of_the_second_momentum_equation():
    height = P.q8 * P.s7 + P.z34 * P.c7 * P.c9
    printed = dot3((P.d[0], P.d[1], height), P.F4) + P.F23 * P.q8
    slope = ex.derivative(ex.derivative(-printed, P.q8), P.F4[1])
    assert at(slope) == pytest.approx(at(-P.c7))


@erratum(
    "L3142", "p = dK/dq' with a potential that depends on speeds", "p = dL/dq', then p' = -dH/dq without a further term"
)
def test_momenta_come_from_the_lagrangian_when_the_potential_depends_on_speeds():
    """A charge in a magnetic field turns; with p = dK/dq' Hamilton's equations would let it go straight."""
    x, y, vx, vy, px, py, b = ex.symbols("x y vx vy px py b")
    lagrangian = (vx * vx + vy * vy) / 2 + b * (x * vy - y * vx) / 2
    slopes = ex.gradient(lagrangian, (vx, vy))
    energy = ((px + b * y / 2) ** 2 + (py - b * x / 2) ** 2) / 2  # p.v - L in q, p = dL/dv
    values = {x: 0.3, y: -0.2, vx: 0.7, vy: 1.1, b: 2.0}
    values |= dict(zip((px, py), at(*slopes, values=values), strict=True))
    rates = -at(*ex.gradient(energy, (x, y)), values=values)
    # v' = d/dt (p - dL/dv + v): the Lorentz acceleration b (vy, -vx)
    turned = rates - at(-b * vy / 2, b * vx / 2, values=values)
    assert turned == pytest.approx(at(b * vy, -b * vx, values=values))
    straight = -at(*ex.gradient((vx * vx + vy * vy) / 2, (x, y)), values=values)
    assert straight == pytest.approx([0, 0])


@erratum(
    "L3215", "determinant of the 9 by 9 system with mu1^2 mu4^2", "I1x I1y I1z mu1^3 mu4^3 cos^2 q2 q8^2 cos^2 q9 z34^2"
)
def test_the_determinant_has_cubes_of_the_masses():
    eq = derive(Layout.of(satellite("rates")), "hamilton")
    values = {ex.symbol(k): float(x) for k, x in (PARAMETERS | {q: STATE[q] for q in eq.coordinates}).items()}
    found = np.linalg.det(at(*eq.mass_matrix.entries, values=values).reshape(9, 9))
    q2, rest = STATE["s1.q2"], 3 * 4 * 5 * STATE["s3.q8"] ** 2 * np.cos(STATE["s4.q9"]) ** 2 * 0.5**2
    assert found == pytest.approx(10**3 * 2**3 * np.cos(q2) ** 2 * rest, rel=1e-9)


# --- Kane ----------------------------------------------------------------------------------------------------------


@erratum("L3440-3443", "K*_2 without -s9 u9^2/z34 in its bracket", "the term is in gamma(G4) (L3420) and must be there")
def test_the_second_inertia_force_needs_the_centripetal_term():
    u9 = P.z34 * P.p9
    lost = -P.s9 * u9 * u9 / P.z34
    x_part = P.a4[0]
    assert abs(at(P.mu4 * P.d[2] * lost)[0]) > 1e-2  # what the print loses in K*_2 = -h_y - (d x mu4 a4)_y
    assert at(ex.derivative(x_part, P.p9)) == pytest.approx(
        at(ex.derivative(2 * (P.w[1] * P.dd[2] - P.w[2] * P.dd[1]), P.p9) - 2 * P.z34 * P.s9 * P.p9)
    )
    assert vanishes(P.A2[1])
    assert not vanishes(P.A2[1] - P.mu4 * P.d[2] * lost)


@erratum("L3307", "v(M34) . i1 = (s7 + q8 z12) u2 - c7 u3", "(z12 + s7 q8) u2 - c7 q8 u3 (plus u4)")
def test_velocity_of_the_second_joint_along_the_satellite():
    m34 = (ex.ZERO, P.q8 * P.c7, P.z12 + P.q8 * P.s7)
    velocity = add3(P.v, add3(cross(P.w, m34), tuple(ex.tangent(m34, P.RATES))))
    right = (P.z12 + P.s7 * P.q8) * P.w[1] - P.c7 * P.q8 * P.w[2] + P.v[0]
    assert at(velocity[0]) == pytest.approx(at(right))
    assert at(velocity[0])[0] != pytest.approx(at((P.s7 + P.q8 * P.z12) * P.w[1] - P.c7 * P.w[2] + P.v[0])[0])


@erratum("L3339", "v7 of M34 has -(s7 + c7 c9 z34/q8) j1", "-(s7 - c7 c9 z34/q8) j1 (the annex has it right)")
def test_partial_velocity_of_the_second_joint():
    """u7 = q8 q7' - s9 z34 q9', u8 = q8' - c9 z34 q7', u9 = z34 q9'."""
    u7 = ex.symbol("u7")
    own = {P.p7: u7 / P.q8, P.p8: P.c9 * P.z34 * u7 / P.q8, P.p9: ex.ZERO}
    m34 = (ex.ZERO, P.q8 * P.c7, P.z12 + P.q8 * P.s7)
    velocity = ex.substitute(ex.tangent(m34, P.RATES), own)
    assert at(ex.derivative(velocity[1], u7)) == pytest.approx(at(-(P.s7 - P.c7 * P.c9 * P.z34 / P.q8)))


@erratum("L1950", "joint couple C34 along i4", "along j4, the axis of the joint (its power at L2874 uses j4)")
def test_the_couple_of_the_last_joint_is_along_its_axis():
    eq = derive(Layout.of(satellite()), "kane")
    slopes = ex.jacobian(list(eq.forces), [ex.symbol("C34")])
    assert [bool(row[0] is not ex.ZERO) for row in slopes] == [False] * 8 + [True]
    turned = ex.tangent(P.i4, {P.q9: ex.ONE})  # i4 itself turns with q9, so it cannot be the axis
    assert np.linalg.norm(at(*turned)) == pytest.approx(1.0)


# --- chapter 1 and the count of freedoms ---------------------------------------------------------------------------


@erratum("L2786-2788", "(Is+)^6 and 6 x 6 - 15 = 9", "(Is+)^4 and 6 x 4 - 15 = 9")
def test_degrees_of_freedom_of_the_satellite():
    layout = Layout.of(satellite())
    bodies = len(layout.bodies) - 1
    assert 6 * bodies - sum(6 - len(one.link.speeds) for one in layout.tree) == layout.dof == 9
    assert bodies == 4


@erratum(
    "L862, L881, L2004, L2792",
    "Bryant angles are singular for rotations about Ox",
    "they are singular where cos q2 = 0",
)
def test_bryant_angles_are_singular_when_the_second_is_a_right_angle():
    eq = derive(Layout.of(satellite()), "kane")
    conditions = dict(eq.tree.conditions)
    (volume,) = conditions.values()
    q1, q2 = ex.symbols("s1.q1 s1.q2")
    assert at(volume, values={q2: 0.0, q1: 1.0}) == pytest.approx([1.0])  # a rotation about Ox: regular
    assert at(volume, values={q2: np.pi / 2, q1: 1.0}) == pytest.approx([0.0], abs=1e-15)


@erratum("L1340", "four-bar: -l0 in the sine equation, and Theta2", "l1 s(th1) + l2 s(th1+th2) + l3 s(th1+th2+th3) = 0")
def test_the_sine_equation_of_the_four_bar_has_no_base_length():
    points = np.array([[0.0, 0.0], [3.0, 0.0], [4.0, 1.5], [1.0, 2.0]])  # base l0 = 3 on the x axis, then three rods
    rods = [points[2] - points[1], points[3] - points[2], points[0] - points[3]]
    angles = [np.arctan2(y, x) for x, y in rods]
    sine = sum(np.hypot(*r) * np.sin(a) for r, a in zip(rods, angles, strict=True))
    cosine = 3.0 + sum(np.hypot(*r) * np.cos(a) for r, a in zip(rods, angles, strict=True))
    assert [sine, cosine] == pytest.approx([0, 0], abs=1e-12)
    assert sine - 3.0 != pytest.approx(0)


@erratum(
    "L1161, L1167",
    "the universal joint is a two-parameter subgroup",
    "it is not a group: SO3 has no subgroup of dimension two",
)
def test_turns_of_a_universal_joint_do_not_compose():
    def turns(a, b):
        ca, sa, cb, sb = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
        return np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]]) @ np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])

    assert turns(0.4, 0.7)[0, 1] == 0  # every Rx(a) Ry(b) has a zero there
    assert abs((turns(0.4, 0.7) @ turns(0.3, 0.2))[0, 1]) > 0.1


@erratum("L1414", "the instantaneous rotation vector is along the axis of the rotation", "in general it is not")
def test_the_angular_velocity_is_not_along_the_axis_of_the_rotation():
    t, al, be = ex.TIME, ex.sin(ex.TIME), ex.TIME * ex.TIME

    r = product3(turn_matrix(al, AXES["x"]), turn_matrix(be, AXES["z"]))
    rate = ex.tangent([x for row in r for x in row], {t: ex.ONE})
    rows = tuple((rate[3 * i], rate[3 * i + 1], rate[3 * i + 2]) for i in range(3))
    m = product3(rows, transpose3(r))
    values = {t: 0.6}
    omega = at(m[2][1], m[0][2], m[1][0], values=values)
    axis = at(r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1], values=values)
    assert np.linalg.norm(np.cross(omega, axis)) > 0.1


@erratum("L589", "n^(n-2) + 1 equivalent models of n bodies", "that counts one root; with any root n^(n-1) + 1")
def test_number_of_labelled_trees():
    def trees(n):
        found = 0
        edges = list(itertools.combinations(range(n), 2))
        for chosen in itertools.combinations(edges, n - 1):
            reached = {0}
            for _ in range(n):
                reached |= {b for e in chosen for a, b in (e, e[::-1]) if a in reached}
            found += len(reached) == n
        return found

    assert [trees(n) for n in (3, 4, 5)] == [n ** (n - 2) for n in (3, 4, 5)]
    assert [n * trees(n) for n in (3, 4, 5)] == [n ** (n - 1) for n in (3, 4, 5)]


@erratum(
    "L1449-1459, L1469-1481",
    "velocity of a displacement with the spatial omega beside x', and 1 in the last corner",
    "T' = [omega~ rho, x'; 0 0]; the spatial twist T' T^-1 has the linear part x' - omega x x",
)
def test_the_velocity_of_a_displacement_has_no_mixed_form():
    t = ex.TIME
    r = turn_matrix(ex.sin(t), AXES["z"])
    x = (t * t, ex.cos(t), ex.ONE)
    rows = [[*r[i], x[i]] for i in range(3)] + [[ex.ZERO, ex.ZERO, ex.ZERO, ex.ONE]]
    rate = ex.tangent([e for row in rows for e in row], {t: ex.ONE})
    values = {t: 0.7}
    pose, moved = (at(*flat, values=values).reshape(4, 4) for flat in ([e for row in rows for e in row], rate))
    spatial = moved @ np.linalg.inv(pose)
    assert moved[3] == pytest.approx([0, 0, 0, 0])
    omega = np.array([spatial[2, 1], spatial[0, 2], spatial[1, 0]])
    assert spatial[:3, 3] == pytest.approx(moved[:3, 3] - np.cross(omega, pose[:3, 3]))
    assert np.abs(spatial[:3, 3] - moved[:3, 3]).max() > 0.1


@erratum(
    "L1534-1537",
    "the moment of momentum theorem keeps its simple form at any point linked to the body",
    "only at a fixed point or at G: elsewhere mu v(M) x v(G) remains",
)
def test_the_moment_theorem_has_another_term_at_a_moving_point():
    """A rod that turns about one end, moments at the other end M: d/dt sum MP x v differs from sum MP x gamma."""
    th, rate, acceleration = ex.symbols("th th' th''")
    along = {th: rate, rate: acceleration}

    def place(s):
        return (s * ex.cos(th), s * ex.sin(th), ex.ZERO)

    end = place(ex.const(2))
    kinetic, dynamic = ex.ZERO, ex.ZERO
    for s in (ex.ZERO, ex.ONE, ex.const(2)):  # three unit masses
        arm = sub3(place(s), end)
        velocity = tuple(ex.tangent(place(s), along))
        kinetic += cross(arm, velocity)[2]
        dynamic += cross(arm, tuple(ex.tangent(velocity, along)))[2]
    values = {th: 0.4, rate: 1.3, acceleration: 0.6}
    (moved,) = at(*ex.tangent([kinetic], along), values=values)
    own, centre = (tuple(ex.tangent(x, along)) for x in (end, place(ex.ONE)))
    (extra,) = at(3 * cross(own, centre)[2], values=values)
    (right,) = at(dynamic, values=values)
    assert moved + extra == pytest.approx(right)
    # Along one line v(M) and v(G) are parallel; give the rod's point M a velocity of its own and the term is there.
    sliding = (ex.symbol("x"), ex.ZERO, ex.ZERO)
    along |= {sliding[0]: ex.symbol("v")}
    kinetic = sum(
        (cross(sub3(place(ex.const(s)), sliding), tuple(ex.tangent(place(ex.const(s)), along)))[2] for s in (0, 1, 2)),
        ex.ZERO,
    )
    dynamic = sum(
        (
            cross(sub3(place(ex.const(s)), sliding), tuple(ex.tangent(ex.tangent(place(ex.const(s)), along), along)))[2]
            for s in (0, 1, 2)
        ),
        ex.ZERO,
    )
    values |= {sliding[0]: 0.9, ex.symbol("v"): 2.0}
    gap = at(*ex.tangent([kinetic], along), values=values)[0] - at(dynamic, values=values)[0]
    assert gap == pytest.approx(-at(3 * cross((ex.symbol("v"), ex.ZERO, ex.ZERO), centre)[2], values=values)[0])
    assert abs(gap) > 1


@erratum(
    "L1777",
    "Boltzmann-Hamel needs n^3 + 2 n^2 + n auxiliary quantities",
    "n^3 + 2 n^2 + 3 n: gamma; alpha and beta; u, epsilon and delta",
)
def test_number_of_auxiliary_quantities_of_boltzmann_and_hamel():
    for n in (1, 2, 9):
        quantities = {"gamma": n**3, "alpha": n**2, "beta": n**2, "u": n, "epsilon": n, "delta": n}
        assert sum(quantities.values()) == n**3 + 2 * n**2 + 3 * n != n**3 + 2 * n**2 + n


# --- conditions of joints ------------------------------------------------------------------------------------------


def pose_jacobian(conditions):
    """Jacobian of conditions f(x, y, z, a, b, c) of a relative pose (Bryant) at the identity."""
    variables = ex.symbols("x y z a b c")

    r = product3(
        product3(turn_matrix(variables[3], AXES["x"]), turn_matrix(variables[4], AXES["y"])),
        turn_matrix(variables[5], AXES["z"]),
    )
    rows = ex.jacobian(conditions(variables[:3], r), variables)
    return np.array([at(*row, values=dict.fromkeys(variables, 0.0)) for row in rows])


@erratum(
    "L1119",
    "revolute: components x and z of the equality of axes",
    "components x and y in the joint's frame; the printed pair has rank 4 of 5 at the identity",
)
def test_conditions_of_the_revolute_joint():
    printed = pose_jacobian(lambda t, r: [*t, r[0][2], r[2][2]])
    assert np.linalg.matrix_rank(printed) == 4
    assert np.linalg.matrix_rank(pose_jacobian(lambda t, r: [*t, r[0][2], r[1][2]])) == 5


@erratum(
    "L1133",
    "prismatic: components z and x of v x b",
    "the two components across b; the print has an identity when b = e_z",
)
def test_conditions_of_the_prismatic_joint():
    along = (ex.ZERO, ex.ZERO, ex.ONE)
    angles = lambda r: [r[2][1], r[0][2], r[1][0]]
    printed = pose_jacobian(lambda t, r: [cross(t, along)[2], cross(t, along)[0], *angles(r)])
    assert np.linalg.matrix_rank(printed) == 4
    assert np.linalg.matrix_rank(pose_jacobian(lambda t, r: [*cross(t, along)[:2], *angles(r)])) == 5


@erratum(
    "L1155, L1159",
    "screw: cos(v.e_z/k) = (rho e_x).e_x",
    "no submersion at the identity, and blind to the sign of the turn; use v.e_z - k times the angle",
)
def test_condition_of_the_screw_joint():
    k = ex.symbol("k")
    t, th = ex.symbols("z th")
    printed = ex.cos(t / k) - ex.cos(th)
    assert at(*ex.gradient(printed, (t, th)), values={t: 0.0, th: 0.0, k: 0.3}) == pytest.approx([0, 0])
    assert at(printed, values={t: 0.3 * 0.7, th: -0.7, k: 0.3}) == pytest.approx([0])  # wrong-handed, yet accepted


# --- the mixed formalism -------------------------------------------------------------------------------------------


@erratum("3.3.1, step 1", "first row of the second member without mu", "-mu w~ w~ c")
def test_the_centrifugal_force_has_the_mass():
    from dalembert.formalisms.mixed import free_body
    from dalembert.kinematics import Pose
    from dalembert.mechanism import Body, Displacement, Inertia

    mass = ex.symbol("mu")
    body = Body("b", mass, Displacement.of([1, 0, 0]), Inertia())
    push = free_body(body, Pose(), tuple(ex.symbols("p q r"))).bias[3]  # moments, then forces
    values = {mass: 5.0, **dict(zip(ex.symbols("p q r"), (0.0, 0.0, 3.0), strict=True))}
    assert at(push, values=values) == pytest.approx([5.0 * 9.0])  # mu r w^2, not r w^2


@erratum("3.3.1, step 3", "S = Psi^T (SS - MM Psi')", "S = Psi^T (SS - MM Psi' q)")
def test_the_projected_bias_is_quadratic_in_the_speeds():
    eq = derive(Layout.of(satellite()), "mixed")
    half = {u: ON_THE_MOTION[u] / 2 for u in eq.tree.speeds}
    full, quarter = at(*eq.bias), at(*eq.bias, values=ON_THE_MOTION | half)
    assert quarter == pytest.approx(full / 4)


# --- the manual ----------------------------------------------------------------------------------------------------


def rows() -> str:
    lines = [HEADING, "", "| place | printed | right | proved by |", "|---|---|---|---|"]
    lines += [f"| {a} | {b} | {c} | `{d}` |" for a, b, c, d in ROWS]
    lines += ["", "All proofs: `tests/formalisms/test_errata.py`. Line numbers are those of the text of the thesis."]
    return "\n".join(lines)


def test_the_manual_lists_exactly_what_is_proved():
    text = MANUAL.read_text(encoding="utf-8")
    assert HEADING in text
    section = text[text.index(HEADING) :]
    end = section.find("\n## ", len(HEADING))
    assert (section if end < 0 else section[:end]).rstrip() == rows()
