"""The dynamical field in its parts: vectors derived apart from this package, and random systems."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.errors import CouplingError, ModelError
from dalembert.geometry import Geometry, Kept, constrained, phase_bracket

MASS_1 = [["2+cos(x2)", "0.3", "0.4*cos(x1)"], ["0.3", "3", "s/2"], ["0.4*cos(x1)", "s/2", "2+x1^2"]]
POTENTIAL_1 = "cos(x1)+x2^2/2+s*x1"
AT_1 = {"x1": 0.3, "x2": -0.2, "s": 0.4, "p_x1": 0.7, "p_x2": -0.5}
MASS_2 = [
    ["3+cos(x2)", "1/4", "x2/5+b/4", "sin(a)/3"],
    ["1/4", "2+x1^2/3", "cos(b)/5", "x1/4"],
    ["x2/5+b/4", "cos(b)/5", "3+x2^2/2", "a/5"],
    ["sin(a)/3", "x1/4", "a/5", "5/2+x1*x2/4"],
]


def kinetic(mass, names):
    terms = [f"({m})*{a}'*{b}'" for row, a in zip(mass, names) for m, b in zip(row, names)]
    return f"({' + '.join(terms)})/2"


def first(law="0.3 + p_x1/5 - x2/10", **more):
    return Geometry(
        constrained("x1 x2 s", f"{kinetic(MASS_1, ['x1', 'x2', 's'])} - ({POTENTIAL_1})", driven={"s": law}, **more)
    )


def near(g, state, exprs, expected, rel=1e-8):
    assert g.at(state, exprs) == pytest.approx(expected, rel=rel, abs=1e-12)


def test_section_and_energies_of_the_first_system():
    g = first()
    near(g, AT_1, [*g.setting.laws, *g.connection.entries], [0.46, 0.1227547196, 0.0543911947])
    near(g, AT_1, [g.horizontal_metric[0, 0], g.energy_of_the_law], [2.032212936, 0.2150081286])
    near(g, AT_1, [g.energy_of_the_fibre, g.energy, *g.section], [1.232339987, 1.447348116, 0.9935506569])
    # zeta s = id, dH/dp_a = Y^a, Hhat = H0 + K
    momenta = g.at(AT_1, g.setting.momenta_in_rates)
    assert momenta == pytest.approx([0.7, -0.5, 0.9935506569])
    near(g, AT_1, [g.energy - g.energy_of_the_fibre - g.energy_of_the_law], [0.0])


def test_parts_of_the_first_system():
    g = first()
    parts = {**g.theorem, **g.proposition}
    expected = {
        "X_H0": (0.2542315504, -0.1920898217, 0, -0.1044797933, 0.2064203651),
        "-X_K": (-0.1869635901, 0, 0, 0.06655044297, -0.09316506236),
        "Y_V": (-0.05646717103, -0.02501994956, 0.46, -0.0138240231, -0.002852044552),
        "L#eta": (0.1869635901, 0, 0, 0, 0.09348179505),
        "X_Hhat": (0.4411951405, -0.1920898217, 0, -0.1710302363, 0.2995854275),
        "Y_W": (-0.2434307611, -0.02501994956, 0.46, 0.1192768628, -0.09570037422),
        "-Z": (0, 0, 0, 0, 0),
    }
    for name, vector in expected.items():
        near(g, AT_1, parts[name], vector)
    near(g, AT_1, g.field, [0.1977643794, -0.2171097713, 0.46, -0.05175337347, 0.2038850532])
    near(g, AT_1, [*g.multipliers, *g.powers], [0.3743954807, 0.1722219211])
    assert g.coupling(AT_1).kappa == pytest.approx(0.897214611, rel=1e-8)
    assert g.check(AT_1)


def test_a_push_that_is_not_along_the_driven_coordinate_adds_z():
    g = first(by={"s": "0.2*d(x1) - x1/10*d(x2) + d(s)"})
    near(g, AT_1, g.theorem["-Z"], [0, 0, 0, 0.08358979896, -0.01253846984])
    near(g, AT_1, [*g.multipliers, *g.powers], [0.4179489948, 0.2115098466])
    assert g.coupling(AT_1).kappa == pytest.approx(0.8103559112, rel=1e-8)
    # the coordinate form of (C) leaves out the slope of the law: right only where Y does not depend on momenta
    (lift,), push = g.connection.T.rows(), g.setting.pushes[0]
    printed = push[2] - ex.dot_product(lift, push[:2])
    near(g, AT_1, [g.coupling_matrix[0, 0], printed], [0.8957922745, 0.9770807919])
    near(g, AT_1, g.field, [0.1977643794, -0.2171097713, 0.46, 0.03183642549, 0.1913465834])
    assert g.check(AT_1)


def test_active_geometric_constraint_of_marle():
    """Y = Y(s): D_0 - X_K + H(Y), no further part."""
    g = first("0.3 + s^2/5")
    near(g, AT_1, g.proposition["-X_K"], [0, 0, 0, 0.03466661638, 0.0001649883951])
    near(g, AT_1, g.proposition["Y_V"], [-0.04075456692, -0.01805787664, 0.332, -0.009977338411, -0.002058432155])
    assert all(x is ex.ZERO for x in (*g.proposition["L#eta"], *g.proposition["-Z"]))
    near(g, AT_1, g.field, [0.2134769835, -0.2101476984, 0.332, -0.07979051537, 0.2045269213])
    near(g, AT_1, g.multipliers, [0.4455434298])
    assert g.check(AT_1)


def test_the_field_of_a_law_of_driven_coordinates_is_a_poisson_automorphism():
    """Y = Y(s), pushed along s: D{f, h} = {Df, h} + {f, Dh} on coordinate functions; not so where Y knows momenta."""
    for law, holds in (("0.3 + s^2/5", True), ("0.3 + p_x1^2/5", False)):
        g = first(law)
        bracket = phase_bracket(g)
        moved = dict(zip(bracket.variables, g.field, strict=True))
        rules = [bracket.of(moved[f], h) + bracket.of(f, moved[h]) for f in moved for h in moved]
        assert (max(map(abs, g.at(AT_1, rules))) < 1e-12) == holds


def test_two_driven_coordinates():
    g = Geometry(
        constrained(
            "x1 x2 a b",
            f"{kinetic(MASS_2, ['x1', 'x2', 'a', 'b'])} - (sin(x1) + x2*a + b^2*x1/3)",
            driven={"a": "1/5+p_x1/6-x2*a/7", "b": "-1/10+p_x2*x1/5+b/3"},
            by={"a": "0.2*d(x1)-0.1*d(x2)+d(a)+0.3*d(b)", "b": "0.1*d(x1)+0.4*d(x2)-0.2*d(a)+d(b)"},
        )
    )
    state = {"x1": 0.3, "x2": -0.4, "a": 0.5, "b": 0.2, "p_x1": 0.6, "p_x2": -0.7}
    expected = [0.1838788027, -0.3964158009, 0.3285714286, -0.07533333333, -1.103450112, -0.4080866241]
    near(g, state, g.field, expected)
    near(g, state, g.multipliers, [-0.8059257718, 0.03508240538])
    near(g, state, g.curvature[0, 1], [0.01167061107, 0.01943107926])
    assert g.check(state)


def linear_terms():
    """H = <p, p>/2 + <a, p> + U with a = (x2/3, 1/4, x1/5 + 1/2): L = u M u/2 - a u - U + <a, a>/2."""
    names = ["x1", "x2", "s"]
    a = [ex.parse(x) for x in ("x2/3", "1/4", "x1/5 + 1/2")]
    mass = ex.Matrix([[ex.parse(x) for x in row] for row in MASS_1])
    from dalembert.constraints.factor import solve_symmetric

    rates = [ex.symbol(f"{x}'") for x in names]
    lagrangian = ex.parse(f"{kinetic(MASS_1, names)} - ({POTENTIAL_1})") - ex.dot_product(a, rates)
    lagrangian = lagrangian + ex.dot_product(a, solve_symmetric(mass, a)) / 2
    return Geometry(constrained(names, lagrangian, driven={"s": "0.3 + p_x1/5 - x2/10"})), a


def test_linear_terms_shift_the_section_by_their_driven_part():
    """Dazord 6 prints a_1; only a_0, the part that annihilates the fibres, leaves p_i alone."""
    g, a = linear_terms()
    near(g, AT_1, [g.energy, g.energy_of_the_fibre, g.energy_of_the_law], [1.306704342, 1.167368762, 0.03557118652])
    assert g.at(AT_1, g.setting.momenta_in_rates)[:2] == pytest.approx([0.7, -0.5], abs=1e-14)
    (lift,) = g.connection.T.rows()
    a0 = a[2] - ex.dot_product(lift, a[:2])
    rho = g.horizontal_metric[0, 0] * g.setting.laws[0]
    printed = [x + y for x, y in zip(g.setting.momenta, a[:2])]
    near(g, AT_1, [g.energy - g.energy_of_the_fibre - g.energy_of_the_law], [0.1037643935])
    near(g, AT_1, [a0 * (rho - a0) / g.horizontal_metric[0, 0]], [0.1037643935])
    assert max(abs(np.subtract(g.at(AT_1, printed), [0.7, -0.5]))) > 0.06  # p_i moved: zeta s is not the identity
    agreement = g.check(AT_1)
    assert max(agreement.theorem, agreement.proposition) < 1e-13


def test_servo_discs_in_two_writings():
    """f = th1 - th2, Y = 0 is imperfect, f = th2, Y = p/A1 is Dazord-perfect: the same motion."""
    lagrangian = "(2*th1'^2 + 3*th2'^2)/2 - 5*th1^2/2"
    b = Geometry(constrained("th1 th2", lagrangian, driven={"th2": "th1'"}))
    state = {"th1": 0.3, "th2": 0.3, "p_th1": 0.8}
    near(b, state, [b.energy_of_the_law, *b.field, *b.multipliers], [0.24, 0.4, 0.4, -1.5, -2.25])
    assert b.at(state, b.proposition["L#eta"]) == pytest.approx([-x for x in b.at(state, b.proposition["-X_K"])])
    # th2 = th - s
    a = Geometry(
        constrained("th s", "(2*th'^2 + 3*(th'-s')^2)/2 - 5*th^2/2", driven={"s": 0}, by={"s": "d(th) - d(s)"})
    )
    state = {"th": 0.3, "s": 0.0, "p_th": 2.0}
    near(a, state, [a.energy_of_the_fibre, *a.field, *a.multipliers], [0.625, 0.4, 0, -3.75, -2.25])
    near(a, state, a.theorem["-Z"], [0, 0, -2.25])
    assert a.check(state)
    assert b.check({"th1": 0.3, "th2": 0.3, "p_th1": 0.8})


def test_sperry_roll_stabiliser():
    g = Geometry(
        constrained(
            "al th ph",
            "(1.2*al'^2 + (10 + 1.2*cos(al)^2)*th'^2 + 0.8*(ph' + th'*sin(al))^2)/2 + 6*cos(th)",
            driven={"al": "1.5*th' + 0.6*th"},
        )
    )
    state = {"al": 0.1, "th": 0.2, "ph": 0.0, "p_th": 4.956138661, "p_ph": 16.02396002}
    near(g, state, [g.energy_of_the_fibre, g.energy_of_the_law, *g.section], [155.1026215, 0.19494, 0.684], 1e-7)
    near(g, state, g.field, [0.3, 20, 0.57, -1.192015985, 0], 1e-7)
    near(g, state, [*g.multipliers, *g.powers], [-6.203801025, -3.536166584], 1e-6)
    assert g.check(state)


def test_a_skater_who_turns_his_trunk():
    """Marle 3: a blade that is kept, a trunk that is driven; the ground's and the drive's efforts apart."""
    g = Geometry(
        constrained(
            "x y th s",
            "30*(x'^2+y'^2) + 0.75*th'^2 + 1.25*(th'+s')^2",
            driven={"s": "0.8 + 0.3*sin(s)"},
            kept={"blade": "x'*sin(th) - y'*cos(th)"},
        )
    )
    c, s = np.cos(0.3), np.sin(0.3)
    state = {"x": 0, "y": 0, "th": 0.3, "s": 0.1, "p_x": 120 * c, "p_y": 120 * s, "p_th": 3.074875062}
    near(g, state, [*g.section, *g.multipliers, *g.powers], [2.699875062, 0.2322572996, -30, 0.1927619516, 0], 1e-7)
    near(g, state, g.field[-1:], [0])
    assert g.check(state)


def test_a_skater_who_bends_his_blade():
    """Marle 4: the ratio of turning to speed labels the leaves; an active constraint without power."""
    g = Geometry(
        constrained(
            "x y th",
            "30*(x'^2+y'^2) + 0.9*th'^2",
            kept={
                "blade": "x'*sin(th) - y'*cos(th)",
                "turn": Kept(
                    "th'/(x'*cos(th) + y'*sin(th))",
                    "d(th) - th'/(x'*cos(th) + y'*sin(th))*(cos(th)*d(x) + sin(th)*d(y))",
                    "0.2*cos(2*t)",
                ),
            },
        )
    )
    c, s = np.cos(0.3), np.sin(0.3)
    state = {"x": 0, "y": 0, "th": 0.3, "p_x": 180 * c, "p_y": 180 * s, "p_th": 1.8 * 0.6}
    near(g, state, [*g.multipliers, *g.powers], [-108, 1.078705553, 0, 0])
    near(g, state, [v / 60 for v in g.field[3:5]] + [g.field[5] / 1.8], [-0.5353714612, 1.718543083, 0.599280863])
    assert g.check(state)


def test_a_law_that_fixes_its_own_speed_is_refused():
    with pytest.raises(ModelError, match=r"hypothesis \(H\)"):
        constrained("x s", "x'^2/2 + s'^2/2", driven={"s": "s' + x"})


def test_a_push_without_hold_is_refused():
    with pytest.raises(CouplingError, match=r"condition \(C\)"):
        _ = Geometry(constrained("x s", "x'^2/2 + s'^2/2", driven={"s": "1"}, by={"s": "d(x)"})).multipliers


def test_a_law_without_formula_is_solved_at_a_state():
    """s' = Y quadratic in the rates: Newton's method and the implicit function theorem; parts and sums hold there."""
    law = "0.3 + x1'^2/5 - s'^2/10 + sin(x2')/4 + t/7"
    lagrangian = f"{kinetic(MASS_1, ['x1', 'x2', 's'])} - ({POTENTIAL_1})"
    with pytest.raises(ModelError, match="at"):
        constrained("x1 x2 s", lagrangian, driven={"s": law})
    state = AT_1 | {"t": 0.2}
    for by in ("d(s)", "0.2*d(x1) - x1/10*d(x2) + d(s)"):
        setting = constrained("x1 x2 s", lagrangian, driven={"s": law}, by={"s": by}, at=state)
        g = Geometry(setting)
        field, weights = saddle_point(setting, g, state)
        for parts in (g.theorem, g.proposition):
            found = np.sum([g.at(state, part) for part in parts.values()], axis=0)
            assert np.abs(found - field).max() < 1e-12
        assert g.at(state, g.multipliers) == pytest.approx(weights, rel=1e-11)
        assert g.check(state)


def random_system(rng):
    """Driven coordinates, kept affine rows, random reactions; the mass matrix B B^T + 3 depends on the place."""
    n = int(rng.integers(2, 6))
    r = int(rng.integers(1, n))
    k = int(rng.integers(0, n - r + 1)) if r < n else 0
    names = [f"q{i}" for i in range(n)]

    def entry(size=0.3, extra=()):
        a, b = rng.choice([*names, *extra], 2)
        return f"({size * rng.normal():.3f}*sin({a}) + {size * rng.normal():.3f}*{a}*{b} + {size * rng.normal():.3f})"

    symbols = [ex.symbol(x) for x in names]
    b = ex.Matrix([[ex.parse(entry()) for _ in names] for _ in names])
    mass = b @ b.T + 3 * ex.Matrix.identity(n)
    rates = [ex.prime(q) for q in symbols]
    lagrangian = ex.dot_product(rates, [ex.dot_product(row, rates) for row in mass.rows()]) / 2
    lagrangian = lagrangian + ex.dot_product([ex.parse(entry()) for _ in names], rates) - ex.parse(entry())
    free, driven = names[: n - r], names[n - r :]
    momenta = [f"p_{x}" for x in free]
    laws = {s: entry(0.3, [*momenta, "t"]) for s in driven}

    def form(own):
        return (
            f"d({own})" if rng.random() < 0.4 else " + ".join([f"d({own})"] + [f"{entry(0.15)}*d({q})" for q in names])
        )

    kept = {}
    for j in range(k):
        row = [f"({rng.normal():.3f} + {entry(0.2)})*{q}'" for q in free]
        text = f"{' + '.join(row)} + {entry(0.2, ['t'])}"
        kept[f"k{j}"] = Kept(text, None if rng.random() < 0.5 else form(free[j]))
    efforts = {q: f"{rng.normal():.3f}*{rng.choice(names)}' + {entry()}" for q in names}
    setting = constrained(names, lagrangian, driven=laws, by={s: form(s) for s in driven}, kept=kept, efforts=efforts)
    state = {x: float(rng.normal()) for x in [*names, *momenta, "t"]}
    return setting, state


def saddle_point(setting, g, state):
    """u' and lambda by NumPy; derivatives of M, rows and laws by central differences of complex steps."""
    q = np.array([state[x.name] for x in setting.coordinates])
    u = np.array(g.at(state, setting.rates))
    n, m = len(setting.free), len(q)
    h = 1e-30

    def numbers(exprs, place, speed, t):
        values = dict(zip(setting.coordinates, place)) | dict(zip(setting.rates, speed)) | {ex.TIME: t}
        told = ex.substitute(list(exprs), dict(zip(setting.momenta, setting.momenta_in_rates)))
        return np.array([complex(x) for x in ex.evaluate(told, {k: np.complex128(v) for k, v in values.items()})])

    t = state["t"]
    momenta, lagrangian = setting.momenta_in_rates, [setting.lagrangian]
    driven = setting.asked or [a - b for a, b in zip(setting.rates[n:], setting.laws)]
    asked = [*driven, *setting.quantities]
    mass = numbers(setting.mass.entries, q, u, t).real.reshape(m, m)
    slopes = np.array([numbers(lagrangian, q + 1j * h * e, u, t).imag[0] / h for e in np.eye(m)])
    moved = numbers(momenta, q + 1j * h * u, u, t + 1j * h).imag / h
    right = slopes - moved + numbers(setting.efforts, q, u, t).real
    matrix = np.array([numbers(asked, q, u + 1j * h * e, t).imag / h for e in np.eye(m)]).T
    gamma = -numbers(asked, q + 1j * h * u, u, t + 1j * h).imag / h
    gamma[len(setting.driven) :] += numbers(setting.wanted, q, u, t).real
    pushes = numbers([x for row in (*setting.pushes, *setting.rows) for x in row], q, u, t).real.reshape(-1, m)
    saddle = np.block([[mass, -pushes.T], [matrix, np.zeros((len(asked), len(asked)))]])
    solution = np.linalg.solve(saddle, np.concatenate([right, gamma]))
    rates = (mass @ solution[:m] + moved)[:n]
    return np.concatenate([u, rates]), solution[m:]


@pytest.mark.parametrize("seed", range(12))
def test_parts_of_random_systems_sum_to_the_saddle_point(seed):
    setting, state = random_system(np.random.default_rng(seed))
    g = Geometry(setting)
    field, weights = saddle_point(setting, g, state)
    size = max(1, *abs(np.array(g.at(state, [v for part in g.proposition.values() for v in part]))))
    for parts in (g.theorem, g.proposition):
        found = np.sum([g.at(state, part) for part in parts.values()], axis=0)
        assert np.abs(found - field).max() < 1e-9 * size
    assert np.abs(np.subtract(g.at(state, g.multipliers), weights)).max() < 1e-9 * max(1, np.abs(weights).max())
    assert g.check(state)
    # dE/dt is the power of reactions and efforts
    along = {ex.TIME: 1, **dict(zip((*setting.coordinates, *setting.momenta), g.field, strict=True))}
    rate, *powers = g.at(
        state, [*ex.tangent([g.energy], along), *g.powers, ex.dot_product(setting.efforts, setting.rates)]
    )
    assert rate == pytest.approx(sum(powers), abs=1e-9 * max(1, *map(abs, powers)))
