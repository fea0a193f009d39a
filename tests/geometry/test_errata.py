"""Formulas of Dazord (1994) and Marle that are wrong in print, each with the computation that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.geometry.test_integrals import skater
from tests.geometry.test_parts import AT_1, first

from dalembert import expr as ex
from dalembert.geometry import Geometry, constrained

E3 = np.array([0, 0, 1.0])


def test_momenta_fall_with_the_slope_of_the_hamiltonian():
    """Dazord (3): p' = -dH/dq + ..., not +."""
    g = Geometry(constrained("q", "q'^2/2 + cos(q)"))
    slope = ex.derivative(g.energy, ex.symbol("q"))
    state = {"q": 0.4, "p_q": 0.2}
    assert g.check(state)
    assert g.at(state, [g.field[1] + slope])[0] == pytest.approx(0)
    assert abs(g.at(state, [g.field[1] - slope])[0]) > 0.1


def test_the_part_of_the_reactions_has_momentum_components_only():
    """Theorem 4.1: Z is in the kernel of the projection on M, not of that on Q, whose kernel has x components too."""
    g = first(by={"s": "0.2*d(x1) - x1/10*d(x2) + d(s)"})
    assert all(x is ex.ZERO for x in g.theorem["-Z"][:3])
    assert max(map(abs, g.at(AT_1, g.theorem["-Z"][3:]))) > 0.01


def test_the_momentum_of_the_horizontal_lift_annihilates_the_fibres():
    """Section 5, before (C): rho is in V^0 and xi - rho in H_0^0; printed the other way round."""
    g = first()
    lift = [-a * g.setting.laws[0] for a in g.connection.entries] + [g.setting.laws[0]]
    rho = [ex.dot_product(row, lift) for row in g.setting.mass.rows()]
    assert g.at(AT_1, rho[:2]) == pytest.approx([0, 0], abs=1e-15)
    assert abs(g.at(AT_1, rho[2:])[0]) > 0.9
    rest = [*g.setting.momenta, g.section[0] - rho[2]]
    assert g.at(AT_1, [ex.dot_product(rest, lift)])[0] == pytest.approx(0, abs=1e-15)


def test_the_energy_at_the_section_has_the_potential_with_plus():
    """Section 5: Hhat = <s0, s0>/2 + K + U; printed twice with -U."""
    g = first()
    potential = g.setting.potential
    kinetic = g.energy_of_the_fibre - potential
    found = g.at(AT_1, [g.energy - kinetic - g.energy_of_the_law, potential])
    assert found[0] == pytest.approx(found[1])
    assert abs(found[1]) > 0.5


def test_the_lagrangian_in_coordinates_needs_its_half():
    """Section 5: with L = a_ij q' q' - U the matrix of p = dL/dq' would be 2 a."""
    g = Geometry(constrained("q", "3*q'^2"))
    assert g.setting.mass[0, 0] is ex.as_expr(6)


def test_the_second_disc_has_its_own_inertia():
    """7.1: H = (p1^2/A1 + p2^2/A2)/2 + ...; printed p2^2/A1."""
    g = Geometry(constrained("th1 th2", "(2*th1'^2 + 3*th2'^2)/2"))
    assert ex.tidy(g.energy - ex.parse("p_th1^2/4 + p_th2^2/6")) is ex.ZERO
    assert ex.tidy(g.energy - ex.parse("p_th1^2/4 + p_th2^2/4")) is not ex.ZERO


def test_equations_of_the_discs_written_as_holonomic():
    """7.1a: th1' = p/(A1+A2), p' = -k th1 (A1+A2)/A1, from its own H0 and Z; printed p/A1 and -k th1."""
    g = Geometry(
        constrained("th s", "(2*th'^2 + 3*(th'-s')^2)/2 - 5*th^2/2", driven={"s": 0}, by={"s": "d(th) - d(s)"})
    )
    state = {"th": 0.3, "s": 0.0, "p_th": 2.0}
    assert g.check(state)
    assert g.at(state, g.field) == pytest.approx([2.0 / 5, 0, -5 * 0.3 * 5 / 2])


def test_the_inertia_of_the_gyroscope_depends_on_its_tilt():
    """7.2: I(al) = I1 + m d^2 + A cos^2 al; printed cos^2 theta."""
    transverse, axial = 1.2, 0.8
    al, th, al_rate, th_rate, ph_rate = 0.5, 0.2, 0.57, 0.3, 20.0
    axis = np.array([np.sin(al), 0, np.cos(al)])
    spin = np.array([th_rate, al_rate, 0]) + ph_rate * axis
    along = spin @ axis
    energy = (transverse * (spin @ spin - along**2) + axial * along**2) / 2

    def printed(angle):
        own = transverse * (al_rate**2 + np.cos(angle) ** 2 * th_rate**2)
        return (own + axial * (ph_rate + th_rate * np.sin(al)) ** 2) / 2

    assert printed(al) == pytest.approx(energy, rel=1e-14)
    assert abs(printed(th) - energy) > 1e-3


def test_the_horizontal_lift_is_added():
    """7.2 and 7.3b: D_Y = X_H0 + Y_V; printed -, though the printed components of 7.2 are those of +."""
    g = Geometry(
        constrained(
            "al th ph",
            "(1.2*al'^2 + (10 + 1.2*cos(al)^2)*th'^2 + 0.8*(ph' + th'*sin(al))^2)/2 + 6*cos(th)",
            driven={"al": "1.5*th' + 0.6*th"},
        )
    )
    state = {"al": 0.1, "th": 0.2, "ph": 0.0, "p_th": 4.956138661, "p_ph": 16.02396002}
    fibre, lift, field = (np.array(g.at(state, v)) for v in (g.proposition["X_H0"], g.proposition["Y_V"], g.field))
    assert fibre + lift == pytest.approx(field)
    assert np.abs(fibre - lift - field).max() > 1


def test_the_period_of_the_ship_is_kept_for_one_gain():
    """7.2, remark: the period is not changed if b = C r0 a^2/(4 I0); printed "if b is not"."""
    spin, inertia, k, a = 0.8 * 20, 11.2, 6.0, 1.5

    def square_of_frequency(b):
        roots = np.roots([inertia, spin * a, spin * b + k])
        return roots[0].imag ** 2

    b = spin * a**2 / (4 * inertia)
    assert square_of_frequency(b) == pytest.approx(k / inertia, rel=1e-12)
    assert abs(square_of_frequency(1.2 * b) - k / inertia) > 1e-2


def sliding_ball():
    m, a, nu = 0.17, 0.0286, 0.2
    inertia, v, w = 0.4 * m * a**2, np.array([2, 0.5, 0]), np.array([10, -5, 30.0])
    slip = v - a * np.cross(w, E3)
    pull = -nu * slip / np.linalg.norm(slip)
    force = m * 9.81 * (E3 + pull)
    return m, a, nu, inertia, pull, force


def test_the_turning_of_a_sliding_ball_changes():
    """7.3a: I w' = m g a u0 ^ e3 (printed Omega_0, and a constant rotation); speed loses nu g, momentum m nu g."""
    m, a, nu, inertia, pull, force = sliding_ball()
    moment = np.cross(-a * E3, force)
    assert moment == pytest.approx(m * 9.81 * a * np.cross(pull, E3), rel=1e-12)
    assert moment / inertia == pytest.approx([-59.05632962, 161.0149038, 0], rel=1e-8)
    decelerated = (force - m * 9.81 * E3) / m
    assert decelerated == pytest.approx([-1.842010499, -0.6756044109, 0], rel=1e-8)
    assert np.linalg.norm(decelerated) == pytest.approx(nu * 9.81)
    assert abs(np.linalg.norm(decelerated) - m * nu * 9.81) > 1


def test_a_rolling_ball_goes_where_its_turning_takes_it():
    """7.3b: q' = +(a/I) pi ^ e3; with the printed minus the slip would be -2 a w ^ e3."""
    a, w = 0.0286, np.array([10, -5, 30.0])

    def slip(v):
        return v - a * np.cross(w, E3)

    assert slip(a * np.cross(w, E3)) == pytest.approx([0, 0, 0])
    assert slip(-a * np.cross(w, E3)) == pytest.approx(-2 * a * np.cross(w, E3))


def test_the_momentum_of_the_skaters_trunk():
    """Marle 3.3: p_s = I2 p/(I1+I2) + I1 I2 Y/(I1+I2); printed with the inverse factor before Y."""
    g = skater()
    (law,), p = g.setting.laws, ex.symbol("p_th")
    right = 2.5 * p / 4 + 1.5 * 2.5 / 4 * law
    printed = 2.5 * p / 4 + 4 / (1.5 * 2.5) * law
    state = {"x": 0, "y": 0, "th": 0.3, "s": 0.1, "p_x": 1, "p_y": 1, "p_th": 3.074875062}
    found = g.at(state, [g.section[0], right, printed])
    assert found[0] == pytest.approx(found[1])
    assert abs(found[0] - found[2]) > 0.05


def test_the_drive_is_needed_for_tangency():
    """Marle 3.2, 3.3: X_H + lambda W leaves chi(V*M) cap D; the drive's force I1 I2/(I1+I2) Y Y' keeps it there."""
    g = skater()
    c, s = np.cos(0.3), np.sin(0.3)
    state = {"x": 0, "y": 0, "th": 0.3, "s": 0.1, "p_x": 120 * c, "p_y": 120 * s, "p_th": 3.074875062}
    law = 0.8 + 0.3 * np.sin(0.1)
    slope = 0.3 * np.cos(0.1)
    drive, ground = g.at(state, g.multipliers)
    assert drive == pytest.approx(1.5 * 2.5 / 4 * law * slope)
    assert drive == pytest.approx(0.2322572996, rel=1e-8)
    # along the motion p_s = s_a changes at this rate, though neither H nor the blade pushes it
    along = dict(zip((*g.setting.coordinates, *g.setting.momenta), g.field, strict=True))
    assert g.at(state, ex.tangent(list(g.section), along))[0] == pytest.approx(drive)
    assert ground == pytest.approx(-30, rel=1e-8)
