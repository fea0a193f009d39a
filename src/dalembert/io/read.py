"""The doors: the path of a robot file becomes a mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.errors import ModelError, warn
from dalembert.io.folder import Folder
from dalembert.mechanism import Mechanism

if TYPE_CHECKING:  # it brings NumPy, which programs in LSD do not need
    from dalembert.io.assembly import Assembly

#: Names of robot files end so.
SUFFIXES = (".urdf", ".sdf", ".world", ".xml", ".mjcf")


AnyPath = str | Path


class UnmappedWarning(UserWarning):
    """A file says things that the mechanism does not hold; `m.notes` lists them."""


def read_urdf(
    path: AnyPath,
    into: Mechanism,
    *,
    floating: bool = False,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: AnyPath | None = None,
) -> None:
    """A URDF file into an empty mechanism."""
    from dalembert.io import urdf
    from dalembert.io.assembly import Assembly

    folder = Folder.of(path, package)
    a = Assembly(into, folder.file.name)
    with _in_range(a):
        urdf.read(folder, a, floating=floating, meshes=meshes)
        _finish(a, fuse, limits, friction)


def read_mjcf(
    path: AnyPath,
    into: Mechanism,
    *,
    keyframe: str | int | None = None,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: AnyPath | None = None,
) -> None:
    """An MJCF file into an empty mechanism."""
    from dalembert.io import mjcf
    from dalembert.io.assembly import Assembly

    folder = Folder.of(path, package)
    a = Assembly(into, folder.file.name)
    with _in_range(a):
        mjcf.read(folder, a, keyframe=keyframe, meshes=meshes)
        _finish(a, fuse, limits, friction)


def read_sdf(
    path: AnyPath,
    into: Mechanism,
    *,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: AnyPath | None = None,
) -> None:
    """An SDF file into an empty mechanism."""
    from dalembert.io import sdf
    from dalembert.io.assembly import Assembly

    folder = Folder.of(path, package)
    a = Assembly(into, folder.file.name)
    with _in_range(a):
        sdf.read(folder, a, meshes=meshes)
        _finish(a, fuse, limits, friction)


def read_robot(
    path: AnyPath,
    into: Mechanism,
    *,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: AnyPath | None = None,
) -> None:
    """A robot file of any of the three formats, told by its root element."""
    reader = {"robot": read_urdf, "mujoco": read_mjcf, "sdf": read_sdf}[kind_of(path)]
    reader(path, into, fuse=fuse, limits=limits, friction=friction, meshes=meshes, package=package)  # type: ignore[operator]


def kind_of(path: AnyPath) -> str:
    """What a robot file is, by its root element: robot, mujoco or sdf."""
    return Folder.of(path).main("robot", "mujoco", "sdf").tag


@contextmanager
def _in_range(a: Assembly) -> Iterator[None]:
    """Sizes whose squares no double holds are told, wherever a reader multiplies them."""
    try:
        yield
    except OverflowError:
        raise ModelError(f"{a.source}: a size or a mass is so large that its products have no number.") from None


def _finish(a: Assembly, fuse: bool, limits: bool, friction: bool) -> None:
    if not a.masses:
        raise ModelError(f"{a.source}: no body in it.")
    a.build(fuse=fuse, limits=limits, friction=friction)
    a.m.notes[:] = a.notes
    if a.notes:
        more = f" And {len(a.notes) - 1} more, listed in `m.notes`." if len(a.notes) > 1 else ""
        warn(f"{a.source}: {a.notes[0]}{more}", UnmappedWarning)
