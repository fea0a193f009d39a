"""Independent coordinates, Psi, closed forms, continuation and motion on the closure."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import loops
from dalembert.errors import SingularError
from dalembert.mechanism import Layout
from dalembert.simulate import simulate
from dalembert.simulate.motion.quality import closure_of


def linkage_of(m):
    linkage = loops.build_linkage(Layout.of(m))
    return linkage, loops.assemble(linkage)


@pytest.mark.parametrize("name", ["bennett", "sarrus", "delta", "stewart", "homokinetic", "triangle"])
def test_psi_spans_the_motions(families, name):
    linkage, x = linkage_of(families.FAMILIES[name]())
    found = loops.parametrise(linkage, x)
    psi = found.psi()
    assert np.abs(loops.Closing(linkage).jacobian(x) @ psi).max() < 1e-9
    assert np.linalg.matrix_rank(psi) == loops.mobility(linkage.layout).dof


def test_rate_of_psi_is_what_differences_say(families):
    linkage, x = linkage_of(families.four_bar(4, 1, 3.5, 2.5))
    found = loops.parametrise(linkage, x, ["earth_crank.th"])
    h = 1e-4
    i = linkage.variables.index("earth_crank.th")
    moved = [found.psi(found.solve([x[i] + k * h])) for k in (-1, 1)]
    assert np.allclose(found.psi_rate(x, [1.0]), (moved[1] - moved[0]) / (2 * h), atol=1e-6)


@pytest.mark.parametrize(
    ("bars", "driver"),
    [((4, 1, 3.5, 2.5), "earth_crank.th"), ((4, 1, 3.5, 2.5), "crank_coupler.th"), ((4, 2, 3.5, 3), "earth_rocker.th")],
)
def test_four_bar_formulas_close_the_loop(families, bars, driver):
    linkage, x = linkage_of(families.four_bar(*bars))
    check_formulas(linkage, x, driver, 0.1)


def test_slider_crank_formulas_close_the_loop(families):
    linkage, x = linkage_of(families.slider_crank())
    check_formulas(linkage, x, "j01.th", 2.0)
    check_formulas(linkage, x, "j03.x", 0.2)


def check_formulas(linkage, x, driver, width):
    formulas = loops.closed_form(linkage, x, driver)
    closing = loops.Closing(linkage)
    at = x[linkage.variables.index(driver)]
    for value in np.linspace(at - width, at + width, 9):
        found = ex.evaluate([formulas[n] for n in linkage.variables], {ex.symbol(driver): value})
        assert closing.gap(np.array(found)) < 1e-12


@pytest.mark.parametrize(("name", "driver"), [("bennett", "j1.th"), ("homokinetic", "j01.th"), ("watt", "earth_a.th")])
def test_spatial_and_longer_linkages_have_formulas_too(families, name, driver):
    linkage, x = linkage_of(families.FAMILIES[name]())
    check_formulas(linkage, x, driver, 0.05)


def test_no_formula_where_too_much_is_unknown_at_once(families):
    linkage, x = linkage_of(families.bricard())
    assert loops.closed_form(linkage, x, "j1.th") is None


def test_dead_point_is_reported_and_other_coordinates_pass_it(families):
    linkage, x = linkage_of(families.slider_crank())
    slider = loops.parametrise(linkage, x, ["j03.x"])
    with pytest.raises(SingularError, match="turns back"):
        slider.solve([4.5])
    crank = loops.parametrise(linkage, x, ["j01.th"])
    passed = crank.solve([-0.7])
    assert loops.Closing(linkage).gap(passed) < 1e-12
    assert "j03.x" not in slider.switched(crank.solve([0.01])).independent


def test_curve_of_a_crank_rocker_is_closed(families):
    linkage, x = linkage_of(families.four_bar(4, 1, 3.5, 2.5))
    curve = loops.trace_curve(linkage, x)
    assert curve.closed
    crank = curve["earth_crank.th"]
    assert abs(abs(crank[-1] - crank[0]) - 2 * np.pi) < 0.1  # the crank makes a full turn
    assert np.ptp(curve["earth_rocker.th"]) < np.pi  # the rocker does not


def test_assembly_modes_of_a_four_bar(families):
    linkage, _ = linkage_of(families.four_bar(4, 1, 3.5, 2.5))
    modes = loops.assembly_modes(linkage, {"earth_crank.th": 0.3}, starts=40)
    assert len(modes) == 2


def test_bricard_keeps_closure_and_energy(families):
    m = families.bricard()
    m.gravity = [0, 0, -9.81]
    linkage, x = linkage_of(m)
    motion = simulate(m, (0, 0.5), start=linkage.coordinates(x), rtol=1e-9)
    energy = motion.energy()
    assert closure_of(motion) < 1e-10
    assert np.ptp(energy) < 1e-7 * max(1.0, np.abs(energy).max())
    assert np.ptp(motion.y) > 0.01


def test_row_of_parallelograms_runs_through_the_flat_posture(families):
    """Couplers stay parallel, as the relations of the branch say, through the crossing of branches."""
    m = families.n_four_bar(2, upright=True)
    m.gravity = [0, -9.81, 0]
    linkage, x = linkage_of(m)
    assert loops.branch_relations(linkage, x) is not None
    motion = simulate(m, (0, 1.2), start={"earth_c0.th'": -1.0}, rtol=1e-9)
    crank, energy = motion["earth_c0.th"], motion.energy()
    assert crank[-1] < -np.pi / 2  # past the flat posture
    assert np.allclose(crank, motion["earth_c2.th"], atol=1e-10)
    assert np.ptp(energy) < 1e-7 * np.abs(energy).max()
