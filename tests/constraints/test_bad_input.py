"""What cannot be meant is told in one sentence with its place and a remedy, by `check`, in small and large units."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app

ARM = """let a = body mass = 1, iframe = 0, inertia = [L^2, L^2, L^2] end ;
let b = body mass = 1, iframe = 0, inertia = [L^2, L^2, L^2] end ;
join earth and a.frame with link(th) dof = th || [0, 0, 1] end as p ;
join [L, 0, 0] @ a and b.frame with link(th) dof = th || [0, 0, 1] end as q ;
let tip = [L, 0, 0] @ b ;
let pin = [L, 0, 0] @ a ;
gravity [0, -9.81, 0] ;
given L = LENGTH ;
"""
HERE = "9:"
CASES = {
    # always true: as numbers show, whatever the formula looks like
    "constrain sin(p.th)^2 + cos(p.th)^2 = 1 as c ;": (0, "'c' holds always"),
    "constrain (p.th + q.th)^2 = p.th^2 + 2*p.th*q.th + q.th^2 as c ;": (0, "'c' holds always"),
    "constrain dist(a, pin) = L as c ;": (0, "'c' holds always"),
    "constrain rate(sin(p.th)^2 + cos(p.th)^2) = 0 as c ;": (0, "'c' holds always"),
    "constrain vel(a, x) = 0 as c ;": (0, "'c' holds always"),
    "constrain pos(tip, z) = 0 as c ;": (0, "'c' holds always"),
    "constrain p.th = p.th as c ;": (1, "both sides are the same"),
    # never true
    "constrain sin(p.th)^2 + cos(p.th)^2 = 2 as c ;": (1, "No coordinate changes it"),
    "constrain pos(tip, z) = 0.3*L as c ;": (1, "No coordinate changes it"),
    "constrain pos(tip, x) = 5*L as c ;": (1, "'c' cannot hold there"),
    "constrain 1 = 2 as c ;": (1, "asks nothing of the motion"),
    "constrain t = 2 as c ;": (1, "asks nothing of the motion"),
    "constrain sqrt(-1 - p.th^2) = q.th as c ;": (1, "has no value where it starts"),
    # contradictory and redundant
    "constrain p.th = 0.1 as c ; constrain p.th = 0.2 as d ;": (1, "cannot hold together"),
    "constrain p.th' = 1 as c ; constrain p.th' = 2 as d ;": (1, "contradict each other"),
    "drive p.th = t as c ; drive p.th = 2*t as d ;": (1, "contradict each other"),
    "constrain p.th = 2*q.th as c ; constrain 3*p.th = 6*q.th as d ;": (0, "'c' and 'd' follow from each other"),
    "drive p.th = t as c ; constrain 2*p.th = 2*t by q.th as d ;": (1, "its reaction is not perfect"),
    # reactions
    "constrain p.th = sin(t) by torque on b about [1, 0, 0] as c ;": (1, "hypothesis H0"),
    "constrain p.th = 0.1*t, q.th = 0.2 by p.th as c ;": (1, "2 conditions and 1 reaction"),
    "constrain p.th = 0.3*t by torque on zz about [0, 0, 1] as c ;": (1, "unbound variable zz"),
    "drive p.th = t by torque on earth about [0, 0, 1] as c ;": (1, "hypothesis H0"),
    "constrain p.th = 0.1 by p.th, coulomb(0.3, q.th') as c ;": (1, "coulomb stands alone after"),
    "constrain p.th = 0.1 by coulomb(-0.3, q.th') as c ;": (1, "is negative"),
    "constrain p.th = 0.1 by coulomb(0.3, q.th) as c ;": (1, "names no speed"),
    # sizes that are none
    "gear p.th and q.th with ratio = 0 as c ;": (1, "a gear of ratio 0"),
    "rope a.frame, b.frame with length = -1 as c ;": (1, "is no size"),
    "roll b on earth with radius = 0 as c ;": (1, "is no size"),
    # what does not exist
    "constrain pos(nix, x) = 0.3 as c ;": (1, "unbound variable nix"),
    "constrain p.om = 0.3 as c ;": (1, "the link p has no coordinate or speed om"),
    "constrain p.x' = 0.3 as c ;": (1, "the link p has no coordinate or speed x"),
    "constrain p.th'' = 2 as c ;": (1, "not its acceleration"),
    "constrain p.th'^2 = q.th'^2 as c ;": (1, "has no rank at rest"),
}


@pytest.mark.parametrize("length", ["1e-6", "1", "1e6"])
@pytest.mark.parametrize("words", CASES)
def test_bad_input_is_told_with_place_and_remedy(tmp_path, words, length):
    code, said = CASES[words]
    path = tmp_path / "arm.lsd"
    path.write_text(ARM.replace("LENGTH", length) + words + "\n")
    result = CliRunner().invoke(app, ["check", str(path)])
    told = " ".join((result.stderr + result.stdout).split())
    assert result.exit_code == code, told
    assert said in told
    assert f"arm.lsd:{HERE}" in told


def test_a_condition_that_holds_always_is_told_in_python_too():
    m = da.loads(ARM.replace("LENGTH", "1") + "constrain sin(q.th)^2 + cos(q.th)^2 = 1 as twin ;")
    with pytest.warns(UserWarning, match="'twin' holds always"):
        m.simulate((0, 0.1))


def test_good_constraints_are_not_warned_of(recwarn):
    """A wheel on a slide needs no condition to touch the road."""
    m = da.Mechanism("cart")
    cart, wheel = m.body("cart", mass=1), m.body("wheel", mass=1, inertia=[0.1] * 3)
    m.join(da.earth.at([0, 0, 0.5]), cart, da.prismatic("x"), name="x")
    m.join(cart, wheel, da.revolute("y"), name="w")
    m.roll(wheel, da.earth, radius=0.5, name="r")
    m.simulate((0, 0.1), start={"x.x'": 1.0})
    assert not [w for w in recwarn if "always" in str(w.message)]


def test_a_drive_whose_motor_nothing_hears_is_told_with_its_place(tmp_path):
    """Two discs that nothing couples: the law is on one, the motor on the other."""
    disc = "body mass = 1, iframe = 0, inertia = [1, 1, 1] end ;"
    words = [f'use "joints.lsd" ;\nlet a = {disc}\nlet b = {disc}']
    words += [f"join earth and {x}.frame with revolute(axis = [0, 0, 1]) as j{x} ;" for x in "ab"]
    for law, said in (("t", "goes on by itself"), ("sin(t)", "never reach the law 'c'")):
        path = tmp_path / "discs.lsd"
        path.write_text("\n".join([*words, f"drive ja.th = {law} by jb.th as c ;"]))
        result = CliRunner().invoke(app, ["check", str(path)])
        told = " ".join((result.stderr + result.stdout).split())
        assert result.exit_code == 1
        assert said in told
        assert "discs.lsd:6:" in told
