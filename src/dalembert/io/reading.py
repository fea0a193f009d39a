"""What of a robot file is wanted, and where its files lie: one record for every format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dalembert.errors import ModelError

AnyPath = str | Path


@dataclass(frozen=True, slots=True)
class Reading:
    """How a robot file is read; `floating` is a question of URDF, `keyframe` one of MJCF.

    >>> from dalembert.io import Reading
    >>> Reading(fuse=True).leaves
    frozenset()
    >>> sorted(Reading(limits=False, friction=False).leaves)
    ['friction', 'limits']
    """

    fuse: bool = False
    limits: bool = True
    friction: bool = True
    meshes: bool = False
    package: AnyPath | None = None
    floating: bool = False
    keyframe: str | int | None = None

    @property
    def leaves(self) -> frozenset[str]:
        """Kinds of laws that are left out."""
        wanted = {"limits": self.limits, "friction": self.friction}
        return frozenset(name for name, is_wanted in wanted.items() if not is_wanted)

    def check(self, root: str) -> None:
        """Refuse what the format with this root element has no answer to."""
        if self.floating and root != "robot":
            raise ModelError("`floating` is for URDF: MJCF and SDF say themselves which bodies are free.")
        if self.keyframe is not None and root != "mujoco":
            raise ModelError("`keyframe` is for MJCF: URDF and SDF have none.")
