"""Verbs that ask where things are: poses of frames as formulas, postures that reach, the plane of a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.mechanism import Layout
from dalembert.model.described import Described
from dalembert.verbs import Later, verb

if TYPE_CHECKING:
    from dalembert.arms.verbs import direct_kinematics as _direct_kinematics
    from dalembert.arms.verbs import inverse_kinematics as _inverse_kinematics
    from dalembert.kinematics import Plane
else:
    _direct_kinematics = Later("dalembert.arms", "direct_kinematics")
    _inverse_kinematics = Later("dalembert.arms", "inverse_kinematics")


class Placed(Described):
    """A machine that tells where its parts are, and how to bring them elsewhere."""

    direct_kinematics = _direct_kinematics
    inverse_kinematics = _inverse_kinematics

    @verb
    def plane(self) -> Plane:
        """The plane in which the machine moves, its `normal` and two `axes`; false, with `why`, where there is none.

        `equations(parametrisation="planar")` then has three coordinates a body.
        """
        from dalembert.kinematics import plane_of

        return plane_of(Layout.of(self))
