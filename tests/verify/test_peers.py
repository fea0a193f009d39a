"""Pinocchio and MuJoCo make the same of a description: trees, couplings, loops and efforts; a fault is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.expr.space import vector3
from dalembert.formalisms.registry import derive
from dalembert.mechanism import Layout
from dalembert.mechanism.displacement import Displacement, turn
from dalembert.mechanism.joint import Joint, Step
from dalembert.verify import elsewhere as road
from dalembert.verify.elsewhere import elsewhere
from random_loops import loaded
from random_mechanisms import random_couplings, random_tree


def told(machine, **changes):
    """What each peer finds of a machine, and of equations of it in which something was changed."""
    eq = derive(Layout.of(machine), "recursive")
    return {check.name: check for check in elsewhere(replace(eq, **{k: f(eq) for k, f in changes.items()}), seed=3)}


@pytest.fixture(params=["Pinocchio", "MuJoCo"])
def peer(request):
    pytest.importorskip(request.param.lower())
    return request.param


@pytest.mark.parametrize("make", [lambda k: random_tree(k, 1 + k % 4), lambda k: random_couplings(k, 2)])
@pytest.mark.parametrize("seed", [1, 3, 4])
def test_trees_of_every_joint_agree(peer, make, seed):
    found = told(make(seed))[peer]
    assert found.found == "agrees" or "refuses" in found.told, str(found)
    assert "accelerations" in found.told or "refuses" in found.told


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_loops_are_closed_by_frames_of_pinocchio(seed, driven):
    """Efforts and time inside the closing link too: its far end hangs on a branch of its own."""
    pytest.importorskip("pinocchio")
    found = told(loaded(seed, driven=driven))["Pinocchio"]
    assert found.found == "agrees", str(found)
    assert "accelerations" in found.told
    assert "not compared" not in found.told


def pushed(size=1.0):
    """Two bodies, one on a ball, with an effort of every kind; lengths in parts of `size`."""
    m = da.Mechanism("pushed")
    a = m.body(
        "a", mass=1.5, centre=[0.1 * size, 0, -0.3 * size], inertia=[0.05 * size**2, 0.04 * size**2, 0.03 * size**2]
    )
    b = m.body("b", mass=0.7, centre=[0, 0.2 * size, 0], inertia=[0.02 * size**2, 0.03 * size**2, 0.025 * size**2])
    m.join(da.earth, a, da.spherical(), name="hip")
    loaded_step = Step(
        Displacement.of([0, 0, 0], turn("th", [1, 2, 2])),
        force=vector3([0.3, -0.2, 0.5]),
        torque=vector3([0.1 * size, 0.2 * size, 0]),
    )
    slide = Step(Displacement.of(["x", 0, 0]))
    joint = Joint(("th", "x"), (loaded_step, slide)).with_efforts(x=f"-3*x - 0.4*x' + {size}", th=f"-{size}*sin(th)")
    m.join(b.at([0, 0.1 * size, 0]), a.at([0, 0, -0.6 * size]), joint, name="knee")  # from child to parent
    m.force(a.at([0.2 * size, 0, 0]), [1, 2, 3], base=b, name="jet")
    m.torque(b, [0.3 * size, 0.1 * size, 0], base=a, name="wheel")
    m.spring(
        da.earth.at([size, 0, 0]), b.at([0, 0, 0.1 * size]), stiffness=4, damping=0.3, length=0.5 * size, name="rope"
    )
    m.torsion_spring(da.earth, b, "y", stiffness=0.8 * size**2, damping=0.1 * size**2, angle=0.2, name="coil")
    m.bushing(
        a.at([0, 0.1 * size, 0]),
        b,
        stiffness=[3, 2, 1],
        damping=0.2,
        turning=[0.4 * size**2, 0.5 * size**2, 0.6 * size**2],
        turning_damping=0.1 * size**2,
        name="rubber",
    )
    m.gravity = [0, 0.5, -9.81]
    return m


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
def test_efforts_of_every_kind_agree_in_every_size(peer, size):
    found = told(pushed(size))[peer]
    assert found.found == "agrees", str(found)
    assert "forces" in found.told


@pytest.mark.parametrize("lost", ["jet", "wheel", "rope", "coil", "rubber", "step", "knee.x"])
def test_an_effort_that_is_lost_in_the_equations_is_seen(peer, lost):
    whole = pushed().freeze()
    knee = whole.links["knee"]
    bare = {
        "step": replace(knee.joint, steps=(Step(knee.joint.steps[0].displacement), knee.joint.steps[1])),
        "knee.x": replace(knee.joint, efforts=[pair for pair in knee.joint.efforts if pair[0] != "x"]),
    }
    links = {**whole.links, "knee": replace(knee, joint=bare.get(lost, knee.joint))}
    part = replace(whole, links=links, efforts=tuple(one for one in whole.efforts if one.name != lost))
    without = derive(Layout.of(part), "recursive")
    assert told(whole, forces=lambda _: without.forces)[peer].found == "disagrees"


def test_a_fault_in_masses_is_seen(peer):
    def heavier(eq):
        return ex.Matrix([[x * ex.as_expr(1.00001) for x in row] for row in eq.mass_matrix.rows()])

    assert told(random_tree(1, 2), mass_matrix=heavier)[peer].found == "disagrees"


def test_a_program_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr(road, "find_spec", lambda _: None)
    assert {name: check.found for name, check in told(random_tree(0, 1)).items()} == {
        "Pinocchio": "not checked",
        "MuJoCo": "not checked",
    }
    assert "not installed" in told(random_tree(0, 1))["Pinocchio"].told


def test_what_no_peer_has_is_told(peer):
    m = random_tree(3, 2)
    first = Layout.of(m).coordinates[0]
    m.constrain(f"{first} - 0.1*sin(t)", name="cam")
    assert "the condition 'cam'" in told(m)[peer].told
