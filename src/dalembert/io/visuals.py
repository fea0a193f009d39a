"""What links of URDF and SDF look like: solids, and meshes where they are asked for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.assembly import Assembly
from dalembert.io.folder import Folder
from dalembert.io.parts import Look
from dalembert.io.poses import Pose
from dalembert.mechanism.bodyshape import colour_of
from dalembert.mechanism.meshes import KINDS, Mesh

#: Solids of the two formats, and where their sizes stand.
SOLIDS = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "ellipsoid": ("radii",),
}


@dataclass
class Visuals:
    """Collects the looks of links; meshes are read only if they are asked for, since they are large and weigh nothing.

    A look that cannot be drawn costs nothing but itself: it is noted, and the link stays.
    """

    a: Assembly
    folder: Folder
    meshes: bool = False
    unread: Counter[str] = field(default_factory=Counter)
    read: dict[tuple[Path, float], Mesh] = field(default_factory=dict)

    def solid(self, part: str, pose: Pose, kind: str, sizes: Sequence[float], colour: str) -> None:
        if len(sizes) == {"box": 3, "ellipsoid": 3, "sphere": 1}.get(kind, 2) and min(sizes) > 0:
            self.a.looks.setdefault(part, []).append(Look(pose, kind, tuple(float(x) for x in sizes), colour))
        else:
            self.unread[f"{kind} of no size"] += 1

    def mesh(self, part: str, pose: Pose, name: str, scales: Sequence[float], colour: str, where: str) -> None:
        """A file of triangles, in one scale for all directions, which may be mirrored.

        Signs of scales are a half turn, or one of the mirror image at the origin: diag(1, -1, 1) = -diag(-1, 1, -1).
        """
        kind = Path(name).suffix.lower()
        if not self.meshes:
            self.unread["meshes (`meshes=True` reads them)"] += 1
        elif kind not in KINDS:
            self.unread[f"{kind or 'nameless'} meshes (read are {', '.join(KINDS)})"] += 1
        elif len(scales) != 3 or len({abs(x) for x in scales}) != 1 or not scales[0]:
            self.unread["meshes that are stretched"] += 1
        else:
            try:
                path = self.folder.find(name, where)
                size = math.copysign(abs(scales[0]), math.prod(scales))
                found = self._mesh(path, size)
                pose = pose @ Pose(np.zeros(3), np.diag([x / size for x in scales]))
            except ModelError as error:
                self.a.note(f"{error} The link looks like its inertia.")
                return
            self.a.looks.setdefault(part, []).append(Look(pose, "mesh", (), colour, found))

    def _mesh(self, path: Path, scale: float) -> Mesh:
        if (path, scale) not in self.read:
            here = self.folder.file.parent
            beside = path.relative_to(here) if path.is_relative_to(here) else path
            self.read[path, scale] = Mesh.read(beside, scale, folder=here)
        return self.read[path, scale]

    def noted(self) -> None:
        """Say what was not drawn."""
        for what, count in self.unread.items():
            self.a.note(f"looks: {count} {what} are left out.")


def tint(values: Sequence[float]) -> str:
    """The colour of red, green and blue; none where they are not all said."""
    return colour_of([min(max(float(x), 0.0), 1.0) for x in values[:3]]) if len(values) >= 3 else ""
