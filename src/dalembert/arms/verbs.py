"""The two questions as verbs of a machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dalembert.arms.chain import frame_named
from dalembert.arms.direct import DirectKinematics
from dalembert.arms.direct import direct_kinematics as _direct
from dalembert.arms.inverse import inverse_kinematics as _inverse
from dalembert.arms.postures import InverseKinematics
from dalembert.arms.targets import target_of
from dalembert.mechanism import EARTH, Frame, Layout, Mechanism


def direct_kinematics(
    mechanism: Mechanism, tip: str | Frame, *, base: str | Frame = EARTH, cut: Collection[str] = ()
) -> DirectKinematics:
    """Pose and velocity of a frame (or body) seen from another, as formulas: `.position`, `.rotation`, `.jacobian`.

    >>> import dalembert as da
    >>> m = da.Mechanism("arm")
    >>> rod = m.body("rod", mass=1)
    >>> link = m.join(da.earth, rod, da.revolute("z"), name="hinge")
    >>> m.direct_kinematics(rod.at(["l", 0, 0])).position
    (l*cos(hinge.th), l*sin(hinge.th), 0)
    """
    layout = Layout.of(mechanism, cut)
    return _direct(layout, frame_named(layout, tip), frame_named(layout, base))


def inverse_kinematics(
    mechanism: Mechanism,
    tip: str | Frame,
    position: Any,
    *,
    rotation: Any = None,
    direction: Any = None,
    base: str | Frame = EARTH,
    at: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t: float = 0.0,
    cut: Collection[str] = (),
) -> InverseKinematics:
    """Every posture in which a frame (or body) has this position, seen from `base`, and this rotation or direction.

    `rotation`: rows of a matrix, a quaternion (scalar first), or a turn; `direction`: where the z axis of the frame
    points. `at` holds coordinates. By formulas where they exist, else by a polynomial of degree sixteen, else by
    search: `complete` and `why` tell whether these are all.

    >>> import dalembert as da
    >>> m = da.Mechanism("arm")
    >>> upper, fore = m.body("upper", mass=1), m.body("fore", mass=1)
    >>> first = m.join(da.earth, upper, da.revolute("z"), name="shoulder")
    >>> second = m.join(upper.at([1, 0, 0]), fore, da.revolute("z"), name="elbow")
    >>> found = m.inverse_kinematics(fore.at([1, 0, 0]), [1, 1, 0])
    >>> [round(one.coordinates["elbow.th"], 6) for one in found], found.complete
    ([1.570796, -1.570796], True)
    """
    layout = Layout.of(mechanism, cut)
    frames = (frame_named(layout, tip), frame_named(layout, base))
    return _inverse(layout, *frames, target_of(position, rotation, direction), at=at, given=given, t=t)
