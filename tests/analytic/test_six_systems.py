"""Chapter 11: six systems by every mechanics, the same motion from all of them, also as LSD mechanisms."""

import pytest

import dalembert as da
from analytic.case_runner import load
from analytic.six_systems import system
from dalembert import analytic as an

STATED = {s["id"]: s for s in load("castera-05-11.toml")["system"]}
MOMENTA = {"11.A": "p1", "11.B": "p", "11.C": "p1 p2", "11.D": "p", "11.E": "prho ptheta", "11.F": "ptheta pphi"}


@pytest.mark.parametrize("letter", STATED)
def test_every_mechanics_gives_the_same_motion(letter):
    comparison = system(letter, *STATED[letter]["coords"], momenta=MOMENTA[letter]).compare()
    assert comparison.agree
    expected = ["Newton", "d'Alembert", "Lagrange", "Hamilton"]
    assert list(comparison.mechanics)[:4] == expected
    jacobi = comparison.rows[-1]
    if letter == "11.E":
        assert jacobi.verdict is None
        assert "Levi-Civita" in jacobi.remark
    else:
        assert jacobi.verdict.equal
    assert all(name in str(comparison) for name in expected)


@pytest.mark.parametrize("letter", STATED)
def test_stated_energies_are_those_of_the_particles(letter):
    stated = STATED[letter]
    s = system(letter, *stated["coords"], momenta=MOMENTA[letter])
    assert s.lagrange().check(f"L == {stated['L']}")
    assert s.hamilton().check(f"H == {stated['H']}")


LSD = {
    "11.C": """
        let wedge = body mass = M, iframe = 0, inertia = 0 end ;
        let block = body mass = m, iframe = 0, inertia = 0 end ;
        join earth and wedge.frame with link(q1) dof = [q1, 0, 0] end as ground ;
        join wedge.frame and block.frame with link(q2) dof = [q2*cos(alpha), 0, -q2*sin(alpha)] end as slope ;
        gravity [0, 0, -g] ;
    """,
    "11.D": """
        let bob = body mass = m, iframe = [0, 0, -rho], inertia = 0 end ;
        join earth and bob.frame with link(theta) dof = theta || [0, 1, 0] end as pivot ;
        gravity [0, 0, -g] ;
    """,
    "11.E": """
        let arm = body mass = 0, iframe = 0, inertia = 0 end ;
        let bob = body mass = m, iframe = 0, inertia = 0 end ;
        join earth and arm.frame with link(theta) dof = theta || [0, 1, 0] end as pivot ;
        join arm.frame and bob.frame with link(rho) dof = [0, 0, -rho], force = [0, 0, k*(rho - rho0)] end as spring ;
        gravity [0, 0, -g] ;
    """,
    "11.F": """
        let yoke = body mass = 0, iframe = 0, inertia = 0 end ;
        let bob = body mass = m, iframe = [0, 0, -r], inertia = 0 end ;
        join earth and yoke.frame with link(phi) dof = phi || [0, 0, 1] end as azimuth ;
        join yoke.frame and bob.frame with link(theta) dof = theta || [0, -1, 0] end as pivot ;
        gravity [0, 0, -g] ;
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("letter", LSD)
def test_the_lsd_mechanism_moves_as_the_particles_do(letter):
    mechanism = da.loads(LSD[letter], letter)
    twin = an.System.from_mechanism(mechanism)
    book = system(letter, *STATED[letter]["coords"]).lagrange()
    n = book.names
    short = {c: c.split(".")[-1] for c in twin.coordinates}
    assert set(short.values()) == set(book.accelerations)
    rename = {twin.names.symbol(c + mark): n.symbol(s + mark) for c, s in short.items() for mark in ("", "'")}
    for c, acceleration in twin.lagrange().accelerations.items():
        assert an.equal(acceleration.xreplace(rename), book.accelerations[short[c]]), c
    assert twin.compare().agree


def test_numeric_lsd_examples_agree_with_the_formalisms():
    """A mechanism read from LSD: Hamilton's accelerations equal those of the multibody derivation at a point."""
    mechanism = da.loads(LSD["11.C"], "wedge")
    twin = an.System.from_mechanism(mechanism)
    values = {"M": 2.0, "m": 0.7, "alpha": 0.4, "g": 9.81}
    n = twin.names
    ours = [float(a.subs({n.symbol(k): v for k, v in values.items()})) for a in twin.hamilton().accelerations.values()]
    kane = mechanism.equations("kane")
    from dalembert import expr as ex

    theirs = ex.evaluate(list(kane.accelerations), {ex.symbol(k): v for k, v in values.items()})
    assert ours == pytest.approx([float(x) for x in theirs], rel=1e-12)
