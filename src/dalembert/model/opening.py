"""Files and texts that become mechanisms: programs in LSD, robots in URDF, MJCF and SDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError
from dalembert.model.mechanism import Mechanism

if TYPE_CHECKING:
    from dalembert.io import Reading


def load(path: str | Path, *, strict: bool = False, lenient: bool = False, meshes: bool = False) -> Mechanism:
    """The mechanism that an LSD file describes; `strict` and `lenient` as in `dalembert.lsd.loads`.

    Robot files (.urdf, .sdf, MJCF's .xml) open too, as `read_urdf`, `read_sdf` and `read_mjcf` open them, with the
    `meshes` that their links look like where pictures want them; and what `to_json` wrote.
    """
    from dalembert import io, lsd

    made = Mechanism(Path(path).stem)
    if Path(path).suffix.lower() == ".json":
        return _from_json(Path(path))
    if Path(path).suffix.lower() in io.SUFFIXES:
        return _robot(path, None, io.Reading(meshes=meshes))
    lsd.load(path, made, strict=strict, lenient=lenient)
    return made


def _from_json(path: Path) -> Mechanism:
    """The mechanism of a file that `to_json` wrote."""
    from dalembert.mechanism.records import from_json, restore

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ModelError(f"cannot read {path}: {error}.") from None
    model = from_json(text, path.name)
    made = Mechanism(model.name)
    restore(model, made)
    return made


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `m.to_json()` writes."""
    from dalembert.mechanism.record_schema import json_schema

    return json_schema()


def loads(text: str, name: str = "mechanism", *, strict: bool = False, lenient: bool = False) -> Mechanism:
    """The mechanism that an LSD program describes; `strict` and `lenient` as in `dalembert.lsd.loads`."""
    from dalembert import lsd

    made = Mechanism(name)
    lsd.loads(text, made, strict=strict, lenient=lenient)
    return made


def read_urdf(
    path: str | Path,
    *,
    floating: bool = False,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: str | Path | None = None,
) -> Mechanism:
    """The robot in a URDF file; `floating` lets its root move freely, `fuse` joins fixed links, `limits` keeps stops.

    `friction` keeps dry friction; `meshes` reads the files that links look like; `package` is the folder that all its
    files lie in, where no `package.xml` tells it. What the file says and a mechanism cannot hold is in `m.notes`, and
    a warning tells of it.
    """
    from dalembert.io import Reading

    return _robot(
        path,
        "robot",
        Reading(fuse=fuse, limits=limits, friction=friction, meshes=meshes, package=package, floating=floating),
    )


def read_mjcf(
    path: str | Path,
    *,
    keyframe: str | int | None = None,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: str | Path | None = None,
) -> Mechanism:
    """The machine in an MJCF file (MuJoCo), from one of its keyframes; the others as in `read_urdf`."""
    from dalembert.io import Reading

    return _robot(
        path,
        "mujoco",
        Reading(fuse=fuse, limits=limits, friction=friction, meshes=meshes, package=package, keyframe=keyframe),
    )


def read_sdf(
    path: str | Path,
    *,
    fuse: bool = False,
    limits: bool = True,
    friction: bool = True,
    meshes: bool = False,
    package: str | Path | None = None,
) -> Mechanism:
    """The models in an SDF file (Gazebo); the arguments as in `read_urdf`."""
    from dalembert.io import Reading

    return _robot(path, "sdf", Reading(fuse=fuse, limits=limits, friction=friction, meshes=meshes, package=package))


def _robot(path: str | Path, root: str | None, how: Reading) -> Mechanism:
    """The mechanism of a robot file, whose root element is known or looked for."""
    from dalembert import io

    made = Mechanism(Path(path).stem)
    io.read_robot(path, made, how, root=root)
    return made
