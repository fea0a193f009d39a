"""One order of coordinates and speeds in every exit."""

from __future__ import annotations

import dalembert as da
from linkages import four_bar


def test_compiled_functions_and_motions_of_a_four_bar_share_one_order():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    state, f = m.layout().state, m.compile()
    mo = m.simulate((0, 0.01), start={"A.th": 1.0})
    assert state.names == ("A.th", "D.th", "B.th", "C.th", "A.th'", "D.th'", "B.th'")
    assert (*f.coordinates, *f.speeds) == state.names == tuple(mo.names[: len(state)])
    assert state.own_coordinates == ("C.th",)


def test_quaternions_of_cut_links_are_known_to_the_state():
    m = da.Mechanism("pair")
    a = m.body("a", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, a, da.spherical("quaternion"), name="s")
    m.join(da.earth, a, da.spherical("quaternion"), name="c")
    names = ("e0", "e1", "e2", "e3")
    assert m.layout().state.quaternions == (tuple(f"s.{x}" for x in names), tuple(f"c.{x}" for x in names))
