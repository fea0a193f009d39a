"""The two sides of a link: all bodies beyond it, or those that it leaves behind, where nothing unknown holds them.

Papegay 2.3: the balance of S1 alone gives the satellite's equation for the arm that S1 carries, and the reaction of the
arm, in fewer terms than the balance of everything that the arm carries.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dalembert.constraints.complement import complement
from dalembert.expr import ZERO
from dalembert.formalisms.newton_euler import Isolated
from dalembert.kinematics import Pose, Wrench
from dalembert.kinematics.links import LinkMotion


def beyond(system: Isolated, j: int) -> tuple[int, ...]:
    """Body j and all that it carries."""
    found = {j}
    for one in system.tree.layout.tree:
        if one.parent in found:
            found.add(one.child)
    return tuple(sorted(found))


def behind(system: Isolated, one: LinkMotion) -> tuple[int, ...] | None:
    """The bodies on the other side of a link, if only a free link holds them to earth and no link closes a loop."""
    layout = system.tree.layout
    root = layout.path(one.link.child)[0]
    if root == one.link.child or layout.cuts or layout.constraints:
        return None
    holding = link_of(system, root)
    if complement(holding.free).free:
        return None
    outer = beyond(system, one.link.child)
    return tuple(i for i in beyond(system, root) if i not in outer)


def shorter_side(system: Isolated, one: LinkMotion) -> tuple[int, ...]:
    """The side with fewer bodies that have mass, then with fewer bodies; the outer one if they are alike."""
    outer, inner = beyond(system, one.link.child), behind(system, one)
    return outer if inner is None or _size(system, outer) <= _size(system, inner) else inner


def _size(system: Isolated, bodies: Sequence[int]) -> tuple[int, int]:
    heavy = [i for i in bodies if system.motions[i].body.mass is not ZERO]
    return len(heavy), len(bodies)


def link_of(system: Isolated, child: int) -> LinkMotion:
    """The link that carries a body."""
    return next(one for one in system.links if one.link.child == child)


def pose_in(system: Isolated, base: int, body: int) -> Pose:
    """Where a body is in another one's frame, by the links between them: what they share is not written."""
    near, far = system.tree.layout.path(base), system.tree.layout.path(body)
    shared = 0
    while shared < min(len(near), len(far)) and near[shared] == far[shared]:
        shared += 1
    return _down(system, near[shared:]).inverse() @ _down(system, far[shared:])


def _down(system: Isolated, bodies: Sequence[int]) -> Pose:
    pose = Pose()
    for i in bodies:
        pose = pose @ link_of(system, i).pose
    return pose


def gathered(system: Isolated, bodies: Collection[int], wrenches: Sequence[Wrench], base: int) -> Wrench:
    """The sum of the wrenches on some bodies, at the origin and in the base of one body."""
    total = Wrench()
    for i in bodies:
        total = total + wrenches[i].seen_from(pose_in(system, base, i))
    return total
