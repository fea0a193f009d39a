"""Meaning of links (spec 1.7; cases S1-S4)."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.mechanism import Mechanism


def relative(link, **values):
    """Translation and rotation from the first frame to the second, in numbers."""
    m = lsd.loads(f"let b = body mass = 1 end ; join earth and b.frame with {link} as l ;")
    whole = None
    for step in m.links["l"].joint.steps:
        whole = step.displacement if whole is None else whole @ step.displacement
    at = {ex.symbol(k): v for k, v in values.items()}
    t = np.array(ex.evaluate(list(whole.translation), at), dtype=float)
    r = np.array([ex.evaluate(list(row), at) for row in whole.matrix], dtype=float)
    return t, r


def rx(a):
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def rz(a):
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])


def test_one_parameter_slides_along_a_diagonal():
    t, r = relative("link(x) dof = [x,x,0] end", x=0.7)
    np.testing.assert_allclose(t, [0.7, 0.7, 0])
    np.testing.assert_allclose(r, np.eye(3))


def test_translation_then_rotation():
    t, r = relative("link(a,b) dof1=[0,a,0], dof2=b||[1,0,0] end", a=2.0, b=0.4)
    np.testing.assert_allclose(t, [0, 2, 0])
    np.testing.assert_allclose(r, rx(0.4))


def test_rotation_then_translation_goes_along_the_turned_axis():
    t, r = relative("link(a,b) dof1=b||[1,0,0], dof2=[0,a,0] end", a=2.0, b=0.4)
    np.testing.assert_allclose(t, [0, 2 * np.cos(0.4), 2 * np.sin(0.4)])
    np.testing.assert_allclose(r, rx(0.4))


def test_the_six_parameter_link_has_euler_angles():
    link = "link(x,y,z,ps,th,ph) dof1=[x,y,z], dof2=ps||[0,0,1], dof3=th||[1,0,0], dof4=ph||[0,0,1] end"
    t, r = relative(link, x=1, y=2, z=3, ps=0.3, th=0.5, ph=0.9)
    np.testing.assert_allclose(t, [1, 2, 3])
    np.testing.assert_allclose(r, rz(0.3) @ rx(0.5) @ rz(0.9))


def test_the_axis_of_a_rotation_is_normalised():
    _, r = relative("link(a) dof = a || [0,0,3] end", a=0.4)
    np.testing.assert_allclose(r, rz(0.4))
    _, skew = relative("link(a) dof = a || [1,2,2] end", a=0.4)
    np.testing.assert_allclose(skew @ [1, 2, 2], [1, 2, 2])
    np.testing.assert_allclose(np.trace(skew), 1 + 2 * np.cos(0.4))


def test_joint_efforts_act_on_the_second_body_and_belong_to_their_step():
    m = lsd.loads(
        """let b = body mass = 1 end ;
        join earth and b.frame with link(x, a)
          dof1 = [x,0,0], force1 = [-k*x,0,0], dof2 = a || [0,0,1], torque2 = [0,0,-c*a'] end as l ;"""
    )
    first, second = m.links["l"].joint.steps
    assert first.force[0] is ex.parse("-k*x")
    assert second.torque[2] is -(ex.symbol("c") * ex.symbol("a'"))
    assert second.force == (ex.ZERO,) * 3


def test_a_link_without_dof_is_a_weld():
    m = lsd.loads("let b = body mass = 1 end ; join earth and b.frame with link end ;")
    assert m.links["b"].joint.parameters == ()
    assert m.links["b"].joint.dof == 0


def test_a_link_object_serves_several_joins_with_unknowns_of_each():
    m = lsd.loads(
        """let spring = link(x) dof = [x,0,0], force = [?fs(x),0,0] end ;
        let a = body mass = 1 end ; let b = body mass = 1 end ;
        join earth and a.frame with spring ; join a.frame and b.frame with spring ;"""
    )
    assert ex.unknown_functions(m.freeze().scalars()) == {"vFL_10_x", "vFL_21_x"}


def test_the_order_of_a_join_is_kept():
    m = lsd.loads("let b = body mass = 1 end ; join b.frame and earth with link(x) dof = [x,0,0] end ;")
    link = m.links["b"]
    assert (link.first.body, link.second.body) == ("b", "earth")


def test_quaternions_and_body_speeds_extend_links():
    m = lsd.loads(
        """let b = body mass = 1 end ;
        join earth and b.frame with link(x,y,z,p,q,r,s) dof = [x,y,z] ++ quaternion(p,q,r,s) end as f ;"""
    )
    assert m.links["f"].speeds == ("f.vx", "f.vy", "f.vz", "f.wx", "f.wy", "f.wz")


def test_a_constant_is_not_captured_by_a_parameter_of_the_same_name():
    fine = "let b = body mass = x end ; join earth and b.frame with link(x) dof = [x,0,0] end as l ;"
    assert lsd.loads(fine).parameters()[-1] == "x"
    with pytest.raises(LsdError, match="parameter of this link and also a constant"):
        lsd.loads(
            "let a = 2*x ; let b = body mass = 1 end ; join earth and b.frame with link(x) dof = [x + a,0,0] end ;"
        )


def test_frames_of_two_packages_may_have_one_name():
    m = lsd.loads(
        "let b = body mass = 1 end ; join earth and b.frame with link end ;"
        "package P = let f = [1,0,0] @ earth ; end ; package Q = let f = [2,0,0] @ earth ; end ;"
        "apply force value = [1,0,0], body = earth end on Q:f ;"
    )
    assert list(m.frames) == ["f", "f_2"]
    assert m.efforts[0].at == m.frames["f_2"]


def test_forgotten_bodies_are_warned_about():
    checked = lsd.check(
        "let a = body mass = 1 end ; let b = body mass = 1 end ; join earth and a.frame with link end ;"
    )
    lsd.elaborate(checked, Mechanism())
    assert [d.message for d in checked.diagnostics] == ["body b is joined to nothing"]


def test_a_parsed_program_can_be_elaborated_at_once():
    text = "let a = body mass = 1 end ; join earth and a.frame with link end ;"
    assert lsd.elaborate(lsd.parse(text), Mechanism()) == lsd.loads(text)
