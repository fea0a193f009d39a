"""The machine in other programs: masses, forces and accelerations by Pinocchio and MuJoCo, where they are installed.

Others tell M, bias, places and velocities of bodies in their own joints; efforts and the closing of loops are put on
them here in numbers, from what the description says, so that nothing of the derivation is shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.analysis.compare import accelerations
from dalembert.errors import DalembertError
from dalembert.expr import Expr
from dalembert.expr.magnitude import magnitude
from dalembert.formalisms.equations import Equations
from dalembert.verify.elementary import Carried, by_branches, cut_speeds, far_ends, in_numbers, tree_bodies, velocities
from dalembert.verify.equations import ROUNDED, SINGULAR, sizes_of, states_of
from dalembert.verify.loads import loads
from dalembert.verify.peers import Peer, Seen, by_mujoco, by_pinocchio
from dalembert.verify.verdict import Check

Array = NDArray[np.float64]

#: Name, module and how it is asked; whether it takes the massless far ends of links that close loops.
_PEERS: tuple[tuple[str, str, Peer, bool], ...] = (
    ("Pinocchio", "pinocchio", by_pinocchio, True),
    ("MuJoCo", "mujoco", by_mujoco, False),
)
_STATES = 3
_SMALL = 1e-10
"""Of the largest: singular values below are those of rows that depend on others."""


def elsewhere(eq: Equations, seed: int) -> list[Check]:
    """What each installed program makes of the same description."""
    states = states_of(eq.layout, eq, seed, _STATES)
    found = []
    for name, module, peer, closing in _PEERS:
        if find_spec(module) is None:
            found.append(Check.left_out(name, "it is not installed (pip install 'dalembert[bench]')"))
        elif not states:
            found.append(Check.left_out(name, SINGULAR))
        else:
            try:
                found.append(_compared(name, peer, closing, eq, states))
            except DalembertError as error:
                found.append(Check.left_out(name, str(error).splitlines()[0]))
    return found


@dataclass(frozen=True, eq=False, slots=True)
class _Answer:
    """M u' = right side in our speeds (those of cut links last), and the rows that close loops."""

    mass: Array
    right: Array
    rows: Array
    wanted: Array
    sizes: tuple[Array, Array]  # of M and of the right side, if nothing cancelled


def _compared(name: str, peer: Peer, closing: bool, eq: Equations, states: Sequence[Mapping[Expr, float]]) -> Check:
    layout = eq.layout
    asked = [x.name for x in layout.further]
    cuts = [one.link for one in layout.cuts]
    follow = bool(cuts) and closing and not asked
    pushed = [link.name for link in cuts if link.placed_efforts() or any(s.is_loaded for s in link.placed_steps())]
    fixed = {ex.symbol(x): 1.0 for x in layout.model.parameters()} | {ex.TIME: 0.0}  # those that no equation holds
    worst = 0.0
    for state in states:
        here = {**fixed, **state}
        answer = _answer(peer, eq, here, follow)
        n = len(eq.speeds)
        worst = max(worst, _apart(eq, here, answer, forces=not pushed))
        if follow or not layout.constraints:
            mine, theirs = np.array(accelerations(eq, here)), _solved(answer)[:n]
            scale = max(float(np.abs(mine).max(initial=0.0)), float(sizes_of(eq, here).max(initial=0.0)))
            worst = max(worst, float(np.abs(mine - theirs).max(initial=0.0)) / (scale or 1.0))
    left = [f"the condition '{x}'" for x in asked]
    left += [] if follow else [f"the closing of '{link.name}'" for link in cuts]
    left += [] if follow else [f"the efforts in '{x}'" for x in pushed]
    left += [f"the contact '{x.name}'" for x in layout.model.contacts]
    told = ["mass matrix"] + ([] if pushed else ["forces"])
    told += ["accelerations"] if follow or not layout.constraints else []
    without = f"; not compared: {', '.join(left)}" if left else ""
    return Check.within(name, worst, ROUNDED, f"{', '.join(told)} at {len(states)} random states{without}")


def _apart(eq: Equations, state: Mapping[Expr, float], answer: _Answer, forces: bool) -> float:
    """Masses and forces in parts of what they would be if nothing cancelled, each by the masses of its speeds."""
    n = len(eq.speeds)
    mass = in_numbers(eq.mass_matrix.entries, state).reshape(n, n)
    size = np.sqrt(np.abs(np.diag(answer.sizes[0])[:n])) + 1e-300
    worst = float((np.abs(mass - answer.mass[:n, :n]) / np.outer(size, size)).max(initial=0.0))
    if not forces:
        return worst
    gap = np.abs(in_numbers(eq.right_side, state) - answer.right[:n]) / size
    made_of = (in_numbers(magnitude(list(eq.right_side)), state) + answer.sizes[1][:n]) / size
    return max(worst, float(gap.max(initial=0.0) / max(float(made_of.max(initial=0.0)), 1e-300)))


def _answer(peer: Peer, eq: Equations, state: dict[Expr, float], follow: bool) -> _Answer:
    tree = eq.tree
    bodies = by_branches(tree_bodies(tree, state))
    speeds = list(tree.speeds)
    if follow:
        ends = far_ends(tree, state)
        own = cut_speeds(eq.layout)
        state |= _own_speeds(peer, by_branches([*bodies, *ends]), own, state)
        bodies, speeds = by_branches([*bodies, *ends]), [*speeds, *own]
    gravity = in_numbers(eq.layout.model.gravity, state)
    seen = peer(bodies, gravity, state)
    slopes, drift = _chain_rule(eq, bodies, speeds, state)
    acting = loads(tree, bodies, seen, slopes, speeds, state)
    right = acting - slopes.T @ (seen.bias + seen.mass @ drift)
    moved, turning = velocities(bodies, state)
    made_of = np.abs(seen.bias) + np.abs(seen.mass) @ (np.abs(drift) + np.abs(moved) * turning)
    ways = np.abs(slopes)
    sizes = ways.T @ np.abs(seen.mass) @ ways, np.abs(acting) + ways.T @ made_of
    rows, wanted = _closing(bodies, seen, slopes, drift)
    return _Answer(slopes.T @ seen.mass @ slopes, right, rows, wanted, sizes)


def _chain_rule(
    eq: Equations, bodies: Sequence[Carried], speeds: Sequence[Expr], state: Mapping[Expr, float]
) -> tuple[Array, Array]:
    """v' = slopes u' + drift, for the speeds v of all elementary joints."""
    moves = [x for body in bodies for move in body.moves for x in move.speeds]
    own = {
        ex.symbol(x): rate
        for one in eq.layout.cuts
        for motion in eq.tree.motions[one.link.name]
        for x, rate in motion.rates.items()
    }
    drift = ex.tangent(moves, {**eq.tree.rates, **own, ex.TIME: ex.ONE})
    slopes = [x for move in moves for x in ex.gradient(move, list(speeds))]
    return in_numbers(slopes, state).reshape(len(moves), len(speeds)), in_numbers(drift, state)


def _closing(bodies: Sequence[Carried], seen: Seen, slopes: Array, drift: Array) -> tuple[Array, Array]:
    """The far end of a closing link moves as the body that it is: six rows for each."""
    ends = [body for body in bodies if body.closes]
    still = np.zeros((6, len(drift)))
    rows = [seen.jacobians[x.name] - seen.jacobians.get(x.closes, still) for x in ends]
    own = [seen.drifts[x.name] - seen.drifts.get(x.closes, np.zeros(6)) for x in ends]
    matrix = np.concatenate([np.zeros((0, len(drift))), *rows])
    return matrix @ slopes, -(np.concatenate([np.zeros(0), *own]) + matrix @ drift)


def _own_speeds(
    peer: Peer, bodies: Sequence[Carried], own: Sequence[Expr], state: Mapping[Expr, float]
) -> dict[Expr, float]:
    """Speeds of closing links with which their far ends move as the bodies that they are."""
    resting = {**state, **dict.fromkeys(own, 0.0)}
    seen = peer(bodies, np.zeros(3), resting)
    moves = [x for body in bodies for move in body.moves for x in move.speeds]
    slopes = in_numbers([x for v in moves for x in ex.gradient(v, list(own))], resting).reshape(len(moves), len(own))
    rows, _ = _closing(bodies, seen, np.eye(len(moves)), np.zeros(len(moves)))
    velocity = rows @ in_numbers(moves, resting)
    found = np.linalg.lstsq(rows @ slopes, -velocity, rcond=_SMALL)[0]
    return {x: float(value) for x, value in zip(own, found, strict=True)}


def _solved(answer: _Answer) -> Array:
    """M u' - G^T lambda = right side, G u' = wanted; every speed by its mass and every row by its length."""
    m, size = len(answer.wanted), np.sqrt(np.abs(np.diag(answer.mass)))
    size = np.where(size > 0, size, size.max(initial=0.0) or 1.0)
    rows = answer.rows / size
    lengths = np.linalg.norm(rows, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    rows = rows / lengths[:, None]
    whole = np.block([[answer.mass / np.outer(size, size), -rows.T], [rows, np.zeros((m, m))]])
    known = np.concatenate([answer.right / size, answer.wanted / lengths])
    found: Array = np.linalg.lstsq(whole, known, rcond=_SMALL)[0][: len(size)] / size
    return found
