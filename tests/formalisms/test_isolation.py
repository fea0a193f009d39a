"""Sub-systems isolated by hand and by choice: d'Alembert's principle as the thesis uses it (2.3)."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms import derive
from dalembert.formalisms.equations import Equations
from dalembert.mechanism import Layout, Mechanism, earth, free
from random_mechanisms import random_couplings, random_joint, random_state, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
SATELLITE = da.load(str(EXAMPLES / "satellite.lsd"))


def floating_tree(seed: int) -> Mechanism:
    """A free body that carries a random chain: both sides of every link can be isolated."""
    rng, m = random.Random(seed), Mechanism(f"floating {seed}")
    previous = earth
    for i in range(4):
        mass, inertia = rng.uniform(0.5, 2), [rng.uniform(1, 2) for _ in range(3)]
        body = m.body(f"b{i}", mass=mass, centre=[rng.uniform(-1, 1) for _ in range(3)], inertia=inertia)
        joint = free() if i == 0 else random_joint(rng, moving_time=False)
        m.join(previous.at([rng.uniform(-1, 1) for _ in range(3)]), body, joint, name=f"j{i}")
        previous = body
    m.gravity = [0, 0, -9.81]
    m.force(previous.at([0.3, 0, 0]), [1.0, 2.0, 0.5])
    return m


def at_state(eq: Equations, seed: int) -> tuple[dict[ex.Expr, float], np.ndarray]:
    """A random state with the accelerations that the equations give there."""
    state = random_state(eq.layout.model, eq.coordinates, eq.speeds, seed)
    values = {ex.symbol(k): v for k, v in state.items()}
    udot = np.array(ex.evaluate(list(eq.accelerations), values), float)
    return {**values, **{ex.prime(u): x for u, x in zip(eq.tree.speeds, udot, strict=True)}}, udot


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["tree", "floating", "coupled"])
def test_chosen_balances_give_the_accelerations_of_kane(kind: str, seed: int) -> None:
    made = {"tree": random_tree, "floating": floating_tree, "coupled": random_couplings}[kind](seed)
    eq = derive(Layout.of(made), "kane")
    values, udot = at_state(eq, seed)
    found = eq.isolations()
    n = len(eq.speeds)
    assert len(found) == n
    assert all(one.balance.free for one in found.chosen)
    still = {k: v for k, v in values.items() if k not in {ex.prime(u) for u in eq.tree.speeds}}
    flat = np.array(ex.evaluate([*found.matrix.entries, *found.right_side], still), float)
    np.testing.assert_allclose(np.linalg.solve(flat[: n * n].reshape(n, n), flat[n * n :]), udot, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("closed", [False, True])
def test_every_balance_of_any_bodies_holds_with_the_reactions_of_the_links(seed: int, closed: bool) -> None:
    """Random bodies, points and bases: inertia = known + reactions, the reactions found beyond each link."""
    if closed:
        m = da.load(str(EXAMPLES / ("four_bar.lsd" if seed % 2 else "slider_crank.lsd")))
        eq, rng = m.equations("kane"), random.Random(seed)
        motion = m.simulate((0, 0.3))
        values = {ex.symbol(x): float(motion[x][-1]) for x in (*eq.coordinates, *eq.speeds, *eq.cut_rates)}
        values |= {ex.symbol(x): float(m.given[x]) for x in eq.parameters}
        values[ex.TIME] = 0.3
        for names, column in ((eq.speeds, eq.accelerations), (eq.multiplier_names, eq.multipliers)):
            primes = [ex.symbol(x) if names is eq.multiplier_names else ex.prime(ex.symbol(x)) for x in names]
            values |= dict(zip(primes, ex.evaluate(list(column), values), strict=True))
    else:
        made = floating_tree(seed) if seed % 2 else random_tree(seed, moving_time=False)
        eq, rng = derive(Layout.of(made), "kane"), random.Random(seed)
        values, _ = at_state(eq, seed)
    told = eq.reactions(side="outer", solved=False)
    table = dict(values)
    for name, one in told.items():
        perfect = [a - b for a, b in zip((*one.moment, *one.force), (*one.motor_moment, *one.motor_force), strict=True)]
        for part, x in zip(("Mx", "My", "Mz", "Fx", "Fy", "Fz"), ex.evaluate(perfect, values), strict=True):
            table.setdefault(ex.symbol(f"{name}.{part}"), x)
    bodies = [b.name for b in eq.layout.bodies[1:]]
    links = [one.link.name for one in eq.layout.tree]
    for _ in range(3):
        chosen = rng.sample(bodies, rng.randint(1, len(bodies)))
        found = eq.isolate(chosen, at=rng.choice([None, *links, *bodies]), base=rng.choice([None, *bodies]))
        for one in found.balances:
            left, right = ex.evaluate([one.inertia, one.right_side], table)
            size = max(1.0, abs(left), abs(right), *(abs(float(x)) for x in table.values()))
            assert abs(left - right) < 1e-9 * size, (chosen, found.at, one.name)


@pytest.mark.parametrize("seed", range(5))
def test_the_short_side_tells_the_same_reactions(seed: int) -> None:
    eq = derive(Layout.of(floating_tree(seed)), "kane")
    values, _ = at_state(eq, seed)
    short, outer = eq.reactions(solved=False), eq.reactions(side="outer", solved=False)
    for name, one in short.items():
        mine, other = ([*x.moment, *x.force] for x in (one, outer[name]))
        np.testing.assert_allclose(ex.evaluate(mine, values), ex.evaluate(other, values), rtol=1e-8, atol=1e-8)
    first = "j1"  # the bodies beyond it are three, behind it is one
    counts = [ex.count_operations([*x[first].moment, *x[first].force]) for x in (short, outer)]
    assert counts[0] < counts[1]


def test_the_satellite_alone_gives_the_ninth_equation_of_the_thesis() -> None:
    """A.6, with the inertia that the print forgets (see errata): moments of S1 at m12, free of reactions along x."""
    eq = SATELLITE.equations("newton-euler", speeds="automatic")
    alone = eq.isolate("satellite", at="bras_primaire")
    assert alone.base == "satellite"
    assert alone.held_by == ("bras_primaire",)
    assert [one.name for one in alone.free] == ["Mx"]
    wx, wy, wz, vx, vz = (ex.symbol(f"satellite.{x}") for x in ("wx", "wy", "wz", "vx", "vz"))
    ix, iy, iz, mu, z12 = ex.symbols("mIg_1_x mIg_1_y mIg_1_z mu_1 v1T_1_12_z")
    a1y = ex.prime(ex.symbol("satellite.vy")) + wz * vx - wx * vz
    wanted = ix * ex.prime(wx) + (iz - iy) * wy * wz + z12 * mu * a1y
    assert ex.fingerprints([alone["Mx"].inertia]) == ex.fingerprints([wanted])
    chosen = next(one for one in eq.isolations().chosen if one.what.endswith("joint bras_primaire"))
    assert chosen.bodies == ("satellite",)
    assert chosen.otherwise is not None
    assert chosen.operations < chosen.otherwise / 5


def test_the_reflector_gives_two_equations_at_its_joint_and_one_at_its_centre() -> None:
    """L2729-2765: at m43 the moment along the hinge holds no unknown; at G4 it holds the force of the hinge."""
    eq = SATELLITE.equations("newton-euler")
    assert [one.name for one in eq.isolate("reflecteur", at="reflecteur").free] == ["My"]
    assert not eq.isolate("reflecteur", at="reflecteur.centre").free
    assert eq.isolate("reflecteur").at == "the joint reflecteur"


def test_choices_read_as_equations_and_refuse_what_is_not_there() -> None:
    eq = SATELLITE.equations("newton-euler", speeds="automatic")
    text = str(eq.isolations().show())
    assert "satellite: moment about x at the joint bras_primaire" in text
    assert "omega4_x" in text or "C_c1_x" in text
    with pytest.raises(ModelError, match="Did you mean 'reflecteur'"):
        eq.isolate("reflector")
    with pytest.raises(ModelError, match="the ground is never isolated"):
        eq.isolate(["earth"])
    with pytest.raises(ModelError, match="no point for moments"):
        eq.isolate("reflecteur", at="m43")
    with pytest.raises(ModelError, match="'short' or the 'outer'"):
        eq.reactions(side="inner")
