"""The door: the path of a robot file becomes a mechanism."""

from __future__ import annotations

from dalembert.errors import ModelError, warn
from dalembert.io.folder import Folder
from dalembert.io.reading import AnyPath, Reading
from dalembert.mechanism import Mechanism

#: Names of robot files end so.
SUFFIXES = (".urdf", ".sdf", ".world", ".xml", ".mjcf")


class UnmappedWarning(UserWarning):
    """A file says things that the mechanism does not hold; `m.notes` lists them."""


def read_robot(path: AnyPath, into: Mechanism, how: Reading | None = None, *, root: str | None = None) -> None:
    """A robot file into an empty mechanism, by its format: that of its root element (robot, mujoco or sdf)."""
    from dalembert.io import mjcf, sdf, urdf  # they bring NumPy, which programs in LSD do not need
    from dalembert.io.assembly import Assembly

    how = how or Reading()
    root = root or kind_of(path)
    how.check(root)
    folder = Folder.of(path, how.package)
    a = Assembly(into, folder.file.name)
    try:
        {"robot": urdf.read, "mujoco": mjcf.read, "sdf": sdf.read}[root](folder, a, how)
        if not a.masses:
            raise ModelError(f"{a.source}: no body in it.")
        a.build(how)
    except OverflowError:  # sizes whose squares no double holds, wherever a reader multiplies them
        raise ModelError(f"{a.source}: a size or a mass is so large that its products have no number.") from None
    into.notes[:] = a.notes
    if a.notes:
        more = f" And {len(a.notes) - 1} more, listed in `m.notes`." if len(a.notes) > 1 else ""
        warn(f"{a.source}: {a.notes[0]}{more}", UnmappedWarning)


def kind_of(path: AnyPath) -> str:
    """What a robot file is, by its root element: robot, mujoco or sdf."""
    return Folder.of(path).main("robot", "mujoco", "sdf").tag
