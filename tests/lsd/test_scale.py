"""Large programs: thousands of bodies, long chains of definitions."""

from dalembert import lsd


def chain(n):
    lines = []
    for i in range(n):
        first = f"[0,0,l] ++ 1 @ b{i - 1}" if i else "earth"
        lines.append(f"let b{i} = body mass = 1.5, iframe = [0,0,0.5] ++ 1, inertia = [0.1,0.2,m*l^2/12] end ;")
        lines.append(
            f"join {first} and b{i}.frame with link(x) dof = x || [0,1,0], torque = [0,-k*x-c*x',0] end as j{i} ;"
        )
    return "\n".join(lines)


def test_two_thousand_bodies():
    m = lsd.loads(chain(2000))
    assert len(m.bodies) == 2001
    assert m.links["j1999"].coordinates == ("j1999.x",)


def test_two_thousand_bodies_with_unknowns_are_named_each():
    bodies = "".join(
        f"let b{i} = body end ; join earth and [0,0,?s] @ b{i} with link(x) dof = [x,0,0], force = ?fv(x) end ;"
        for i in range(500)
    )
    names = set(lsd.loads(bodies).parameters())
    assert {"mu_500", "v500T_500_500c0_z"} <= names


def test_long_chains_of_definitions():
    text = "let x0 = 1 ;" + "".join(f"let x{i + 1} = x{i} + y{i} ;" for i in range(5000))
    checked = lsd.check(
        text + "let b = body mass = x5000, iframe = 0, inertia = 0 end ; join earth and b.frame with link end ;"
    )
    assert not checked.report.failed
