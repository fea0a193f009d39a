"""Pinocchio and MuJoCo make the same of a description: trees, couplings, loops and efforts; a fault is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dalembert import expr as ex
from dalembert.formalisms.registry import derive
from dalembert.mechanism import Layout
from dalembert.mechanism.joint import Step
from dalembert.verify import elsewhere as road
from dalembert.verify.elsewhere import elsewhere
from every_effort import pushed
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


@pytest.mark.parametrize("seed", [73, 121])
def test_axes_that_other_joints_move_agree(peer, seed):
    """[1, cos(j2.th), 0] in the first link: nothing that a hinge of another program can be."""
    found = told(random_couplings(seed, 2))[peer]
    assert found.found == "agrees" or "MuJoCo refuses it" in found.told, str(found)


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_loops_are_closed_by_frames_of_pinocchio(seed, driven):
    """Efforts and time inside the closing link too: its far end hangs on a branch of its own."""
    pytest.importorskip("pinocchio")
    found = told(loaded(seed, driven=driven))["Pinocchio"]
    assert found.found == "agrees", str(found)
    assert "accelerations" in found.told
    assert "not compared" not in found.told


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
