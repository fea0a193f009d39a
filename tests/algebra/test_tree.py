"""The matrix level of a tree of 20 bodies: named intermediates keep equations short, and opening them stays sound."""

import random

from algebra import random_terms as rt
from dalembert import algebra as al


def matrix_level(bodies: int, seed: int) -> tuple[al.Definitions, list[al.Term]]:
    """Newton and Euler for each body of a random tree of revolute joints, by names and definitions."""
    rng = random.Random(seed)
    table = al.Definitions()
    parent = [0, *[rng.randrange(i) for i in range(1, bodies + 1)]]
    rest = al.zero(al.VECTOR)
    turn, spin, rate, gamma = {0: al.identity(3)}, {0: rest}, {0: rest}, {0: rest}
    force = {i: al.vector(f"F_{i}") for i in range(1, bodies + 1)}
    couple = {i: al.vector(f"C_{i}") for i in range(1, bodies + 1)}
    for i in range(1, bodies + 1):
        j = parent[i]
        joint = al.matrix(f"M{j}S_{j}_{i}", rotation=True)
        turn[i] = table.define(f"M0R_0_{i}", turn[j] * joint)
        axis = table.define(f"V0k_{i}", turn[i] * al.vector(f"k_{i}", unit=True, constant=True))
        speed, acceleration = al.scalar(f"qp_{i}"), al.scalar(f"qpp_{i}")
        spin[i] = table.define(f"omega_{i}", spin[j] + speed * axis)
        rate[i] = table.define(f"omegap_{i}", rate[j] + acceleration * axis + al.cross(spin[i], speed * axis))
        arm = table.define(f"V0T_{j}_{i}", turn[j] * al.vector(f"t_{i}", constant=True))
        centripetal = al.cross(spin[j], al.cross(spin[j], arm))
        gamma[i] = table.define(f"gamma_{i}", gamma[j] + al.cross(rate[j], arm) + centripetal)
    equations = []
    for i in range(1, bodies + 1):
        children = [j for j in range(1, bodies + 1) if parent[j] == i]
        centre = table.define(f"V0G_{i}", turn[i] * al.vector(f"V{i}G_{i}", constant=True))
        inertia = table.define(f"M0Ig_{i}", turn[i] * al.matrix(f"MIg_{i}", symmetric=True) * turn[i].T)
        motion = gamma[i] + al.cross(rate[i], centre) + al.cross(spin[i], al.cross(spin[i], centre))
        outward = al.add(rest, *[force[j] for j in children])
        equations.append(al.scalar(f"m_{i}") * motion - force[i] + outward)
        turning = inertia * rate[i] + al.cross(spin[i], inertia * spin[i])
        passed = al.add(rest, *[couple[j] + al.cross(al.vector(f"d_{j}"), force[j]) for j in children])
        equations.append(turning - couple[i] + al.cross(centre, force[i]) + passed)
    return table, equations


def test_matrix_level_of_a_tree_of_twenty_bodies_simplifies_at_every_level():
    table, equations = matrix_level(20, seed=1)
    for level in (equations, [table.expand_once(e) for e in equations]):
        simple = al.simplify_all(level)
        assert all(al.cost(s) <= al.cost(e) for s, e in zip(simple, level))
        for s, e in list(zip(simple, level))[::7]:
            found = rt.values([s, e], seed=3)
            assert found is not None
            assert found[0] == found[1]


def test_opening_all_names_gives_the_same_numbers():
    table, equations = matrix_level(4, seed=2)
    for equation in equations:
        opened = table.expand_all(equation)
        assert not any(s in table for s in al.symbols_of(opened))
        closed = al.simplify(opened)
        found = rt.values([opened, closed], seed=5)
        assert found is not None
        assert found[0] == found[1]
    assert "M0R_0_2" in table.text()
