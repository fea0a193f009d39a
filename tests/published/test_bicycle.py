"""The bicycle of Whipple: its tree with two rolling contacts has the linear equations of the published benchmark.

Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982:
M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for q = (lean, steer).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import lsd
from dalembert.analysis.compare import compare
from dalembert.expr.space import AXES, add3, apply3, cross, dot3, norm3, scale3, sub3
from dalembert.formalisms import derive
from dalembert.kinematics.bodies import body_motions, body_poses
from dalembert.mechanism import Layout

M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])


@pytest.fixture(scope="module")
def layout():
    return Layout.of(lsd.load(Path(__file__).parents[2] / "examples" / "bicycle.lsd"))


def contacts(tree):
    """For each wheel: height of its lowest point over the road, and the velocity of the point of the wheel there."""
    down, heights, slips = AXES["z"], [], []
    poses, motions = body_poses(tree), body_motions(tree)
    for name, radius in (("rear_wheel", "0.3"), ("front_wheel", "0.35")):
        i = tree.layout.number(name)
        pose, one, r = poses[i], motions[i], ex.as_expr(radius)
        axis = apply3(pose.rotation, AXES["y"])
        across = sub3(down, scale3(dot3(down, axis), axis))
        arm = scale3(r / norm3(across), across)
        heights.append(pose.position[2] + arm[2])
        velocity, spin = (apply3(pose.rotation, x) for x in (one.velocity, one.spin))
        slips += add3(velocity, cross(spin, arm))
    return heights, slips


def test_every_formalism_derives_the_tree(layout):
    found = compare(layout)
    assert layout.dof == 9
    assert found.disagreement < 1e-9


def test_the_upright_bicycle_touches_the_road_and_rolls(layout):
    eq = derive(layout, "kane")
    start = {ex.symbol(k): float(v) for k, v in layout.model.start.items()}
    state = dict.fromkeys([*eq.tree.coordinates, *eq.tree.speeds], 0.0) | start
    heights, slips = contacts(eq.tree)
    assert np.abs(ex.evaluate([*heights, *slips], state)).max() < 1e-12


class Rider:
    """The constrained bicycle in numbers: accelerations of lean and steer at given lean, steer, rates and speed."""

    def __init__(self, layout, formalism):
        self.eq = derive(layout, formalism)
        tree = self.eq.tree
        self.q, self.u = list(tree.coordinates), list(tree.speeds)
        self.heights, slips = contacts(tree)
        self.height_slopes = ex.jacobian(self.heights, self.q)
        self.rows = [x for row in ex.jacobian(slips, self.u) for x in row]
        self.turning = ex.tangent(slips, tree.rates)

    def __call__(self, lean, steer, lean_rate, steer_rate, speed):
        names = [x.name for x in self.q]
        q = np.zeros(len(names))
        q[names.index("ride.lean")], q[names.index("steer.de")] = lean, steer
        q[names.index("ride.z")] = -0.3
        free = [names.index("ride.z"), names.index("ride.pitch")]
        for _ in range(20):
            state = dict(zip(self.q, q, strict=True))
            slopes = np.array([ex.evaluate(row, state) for row in self.height_slopes])
            q[free] -= np.linalg.solve(slopes[:, free], ex.evaluate(self.heights, state))
        state = dict(zip(self.q, q, strict=True))
        rows = np.array(ex.evaluate(self.rows, state)).reshape(6, 9)
        speeds = [x.name for x in self.u]
        chosen = np.zeros((3, 9))
        for k, name in enumerate(("ride.lean'", "steer.de'", "hub.th'")):
            chosen[k, speeds.index(name)] = 1
        wanted = np.array([*np.zeros(6), lean_rate, steer_rate, -speed / 0.3])
        state |= dict(zip(self.u, np.linalg.solve(np.vstack([rows, chosen]), wanted), strict=True))
        mass = np.array(ex.evaluate(self.eq.mass_matrix.entries, state)).reshape(9, 9)
        whole = np.block([[mass, -rows.T], [rows, np.zeros((6, 6))]])
        right = [*ex.evaluate(self.eq.right_side, state), *(-np.array(ex.evaluate(self.turning, state)))]
        found = np.linalg.solve(whole, right)
        return found[[speeds.index("ride.lean'"), speeds.index("steer.de'")]]


@pytest.mark.parametrize("formalism", ["kane", "lagrange", "hamilton", "newton-euler"])
@pytest.mark.parametrize("speed", [0.0, 4.6])
def test_linear_equations_of_the_benchmark(layout, formalism, speed):
    ride, step = Rider(layout, formalism), 1e-5
    columns = []
    for k in range(4):
        e = step * np.eye(4)[k]
        columns.append((ride(*e, speed) - ride(*(-e), speed)) / (2 * step))
    found = np.array(columns).T
    published = -np.linalg.solve(M, np.hstack([9.81 * K0 + speed**2 * K2, speed * C1]))
    assert np.abs(found - published).max() < 1e-5 * (1 + np.abs(published).max())
