"""Outputs that a program declares: what motions and tables tell by name, against the states that they come from."""

import numpy as np
import pytest

import dalembert as da

SWING = """
let rod = body mass = 1, iframe = [0, 0, -l], inertia = 0 end ;
join earth and rod.frame with link(th) dof = th || [0, 1, 0] end as hinge ;
let tip = [0, 0, -l] @ rod ;
spring tip and [1, 0, 0] @ earth with stiffness = 2 as band ;
gravity [0, 0, -9.81] ;
output tip_speed = norm(vel(tip)) ;
output energy = total.T + total.V ;
output slack = band.l - a ;
output twice = 2*tip_speed + hinge.th' ;
output turn[2] = dot(omega(rod), [0, 1, 0]) ;
given l = 0.5, a = 0.25 ;
start hinge.th = 0.4 ;
"""


def test_a_motion_tells_the_outputs_of_its_program():
    mo = da.loads(SWING).simulate((0, 1))
    rate = mo["hinge.th'"]
    assert mo["tip_speed"] == pytest.approx(np.abs(0.5 * rate), abs=1e-9)
    assert mo["energy"] == pytest.approx(np.full(len(mo.t), mo["energy"][0]), rel=1e-5)
    x, z = mo["tip.X"], mo["tip.Z"]
    assert mo["slack"] == pytest.approx(np.hypot(x - 1, z) - 0.25, rel=1e-9)
    assert mo["twice"] == pytest.approx(2 * np.abs(0.5 * rate) + rate, abs=1e-9)
    assert mo["turn[2]"] == pytest.approx(rate, abs=1e-12)
    assert mo.columns == ("hinge.th", "hinge.th'", "tip_speed", "energy", "slack", "twice", "turn[2]")


def test_outputs_are_printed_and_read_back(tmp_path):
    m = da.loads(SWING)
    assert da.loads(m.to_lsd()) == m
    assert m.as_dict()["outputs"]["slack"] == "band.l - a"
    mo = m.simulate((0, 0.1))
    mo.to_csv(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().splitlines()[0].endswith("tip_speed,energy,slack,twice,turn[2]")


def test_python_says_the_same():
    m = da.Mechanism("rail")
    cart = m.body("cart", mass=1)
    m.join(da.earth, cart, da.prismatic("x"), name="rail")
    m.outputs["double"] = "2*cart.X"
    assert m.simulate((0, 1), start={"rail.x": 1, "rail.x'": 1})["double"][-1] == pytest.approx(4)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("output l = 1 ;", "'l' is a parameter or moves"),
        ("output y = tap.X ;", "output 'y' asks for 'X' of 'tap', which is not there. Did you mean 'tip'?"),
        ("output y = total.E ;", "output 'y' asks for 'total.E'. Of 'total' a motion tells X, Y, Z, PX"),
        ("output y = y + 1 ;", "output 'y' asks for itself"),
        ("output tip_speed = 1 ;", "the output tip_speed is declared twice"),
        ("output y = vel(tip) ;", "expected a scalar, this is a vector"),
    ],
)
def test_wrong_outputs_are_told(output, message):
    with pytest.raises(da.LsdError) as caught:
        da.loads(SWING + output)
    assert message in str(caught.value)
    assert caught.value.diagnostics[0].line == SWING.count("\n") + 1


def test_a_body_may_say_its_centre():
    text = "let b = body mass = 1, {}, inertia = 0 end ; join earth and b.frame with link end ;"
    assert da.loads(text.format("centre = [0, 0, l]")) == da.loads(text.format("iframe = [0, 0, l]"))
    with pytest.raises(da.LsdError, match="an iframe and a centre"):
        da.loads(text.format("centre = [0, 0, l], iframe = 0"))
