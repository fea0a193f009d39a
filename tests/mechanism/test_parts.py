"""Machines built into others in Python: the same as the package of LSD that says the same."""

import numpy as np
import pytest

import dalembert as da

LEG = """
let thigh = body mass = m, iframe = [0, 0, -1], inertia = [1, 1, 0] end ;
let foot = [0, 0, -2] @ thigh ;
join {at} and thigh.frame with link(th) dof = th || [0, 1, 0], torque = [0, -k*th, 0] end as hip ;
apply force value = [hip.th, 0, 0], body = thigh end on foot as push ;
constrain pos(foot, x, thigh) + hip.th = sin(t) by hip.th as law ;
contact foot.Z + 9 >= 0 as floor ;
contact sphere(foot, 0.1) and plane({at}) as ball ;
start hip.th = 0.2 ;
output reach = foot.X + hip.th ;
"""
TRUNK = """let trunk = body mass = 10, iframe = 0, inertia = 0 end ;
join earth and trunk.frame with link(x) dof = [x, 0, 0] end as rail ;
"""


def test_a_part_equals_the_package_that_says_the_same():
    whole = da.loads(TRUNK)
    part = da.loads(LEG.format(at="earth"))
    trunk = whole.bodies["trunk"]
    left = whole.include(part, "left", at=trunk.at([0, 1, 0]))
    whole.include(part, "right", at=trunk.at([0, -1, 0]))
    inside = LEG.format(at="at")
    package = f"package leg(at : frame) = {inside} end ;"
    text = package + TRUNK + "let left = leg([0, 1, 0] @ trunk) and right = leg([0, -1, 0] @ trunk) ;"
    assert whole == da.loads(text)
    assert left["foot"] == whole.frames["left.foot"]
    assert left["thigh"].name == "left.thigh"
    assert da.loads(whole.to_lsd()) == whole


def test_a_robot_on_a_cart_weighs_what_both_weigh(tmp_path):
    cart = da.Mechanism("cart")
    base = cart.body("base", mass=3)
    cart.join(da.earth, base, da.prismatic("x"), name="rail")
    arm = da.load("examples/arm_6r.lsd")
    cart.include(arm, "arm", at=base)
    q = np.zeros(7)
    alone, together = arm.compile(), cart.compile()
    m = together.mass_matrix(q)
    assert m[1:, 1:] == pytest.approx(alone.mass_matrix(q[1:]), abs=1e-12)


def test_what_does_not_agree_is_refused():
    whole, part = da.loads(TRUNK + "given a = 1 ;"), da.loads(LEG.format(at="earth") + "given a = 2 ;")
    with pytest.raises(da.ModelError, match="'a' is 1 in 'mechanism' and 2 in the part 'left'"):
        whole.include(part, "left")
    part = da.loads(LEG.format(at="earth"))
    whole.include(part, "left")
    with pytest.raises(da.ModelError, match=r"body name 'left\.thigh' is used twice"):
        whole.include(part, "left")
    with pytest.raises(da.ModelError, match="has no body or frame 'hand'"):
        whole.include(part, "other")["hand"]
