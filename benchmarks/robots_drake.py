"""Drake as a parser of SDF and URDF: M, bias, weight and energy in our speeds, for `robots.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from robots_peers import fit

#: What a link is made of, as far as it weighs; Drake refuses a file for tags that no version of SDF has.
_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_WEIGHS = {"pose", "inertial", "gravity"}


def mended(path: Path) -> str:
    """A file whose impossible inertias are those of a ball, since Drake puts one of its own there; empty if none is."""
    top = ElementTree.fromstring(path.read_bytes().strip())
    changed = False
    for one in top.iter("inertial"):
        held = {x: one.find(x) if x == "mass" else one.find(f"inertia/{x}") for x in ("mass", *_ENTRIES)}
        if any(x is None for x in held.values()):
            continue
        mass, xx, yy, zz, xy, xz, yz = (float(x.text or 0) for x in held.values() if x is not None)
        least, middle, most = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if mass <= 0 or least < 0 or least + middle < most * (1 - 1e-9):
            changed = True
            size = most or 1.0
            for name, x in held.items():
                assert x is not None
                x.text = repr(
                    float({"mass": mass if mass > 0 else 1.0, **dict.fromkeys(_ENTRIES[:3], size)}.get(name, 0))
                )
    return ElementTree.tostring(top, encoding="unicode") if changed else ""


def sdf_text(path: Path, links: Collection[str]) -> str:
    """An SDF file without looks and with the joints of these names only, every model called as no other."""
    top = ElementTree.fromstring(path.read_bytes().strip())
    called: Counter[str] = Counter()
    for above in [top, *top.iter("world")]:
        for model in above.findall("model"):
            name = model.get("name", "")
            called[name] += 1
            if called[name] > 1:
                model.set("name", f"{name}_{called[name]}")
    for model in list(top.iter("model")):
        for one in list(model):
            odd = one.tag in ("plugin", "gripper")
            if odd or (one.tag == "joint" and not any(x.endswith(fit(one.get("name", ""))) for x in links)):
                model.remove(one)
        for link in model.findall("link"):
            if link.get("name") == "world":  # joints that name the world mean the world
                link.set("name", "world_link")
            for one in [x for x in link if x.tag not in _WEIGHS]:
                link.remove(one)
    for world in top.iter("world"):
        for one in [x for x in world if x.tag not in ("model", "include", "gravity", "physics")]:
            world.remove(one)
    return ElementTree.tostring(top, encoding="unicode")


class Drake:
    """Numbers of Drake for the states of a machine of ours: joints are matched by their names."""

    def __init__(self, path: Path, kind: str, f: Any, m: Any) -> None:
        from pydrake.common import configure_logging  # type: ignore[import-not-found,unused-ignore]
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        configure_logging()
        self.plant = MultibodyPlant(0.0)
        parser = Parser(self.plant)
        if kind == "sdf":
            parser.AddModelsFromString(sdf_text(path, {fit(name) for name in m.links}), "sdf")
        else:
            parser.AddModels(str(path))
        self.plant.mutable_gravity_field().set_gravity_vector([float(x.value) for x in m.freeze().gravity])
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        if self.plant.num_velocities() != len(f.speeds):
            raise LookupError(f"{len(f.speeds)} freedoms, Drake has {self.plant.num_velocities()}")
        self.joints = [self._matched(j, f, m) for j in self._moving()]

    def _moving(self) -> list[Any]:
        joints = [self.plant.get_joint(k) for k in self.plant.GetJointIndices()]
        return [j for j in joints if j.num_velocities()]

    def _matched(self, joint: Any, f: Any, m: Any) -> tuple[Any, list[int], list[int]]:
        model = self.plant.GetModelInstanceName(joint.model_instance())
        body = joint.child_body().name()
        names = [joint.name(), f"{body}_free", f"{body.removesuffix('_link')}_free"]
        path = model.split("::")
        ends = [(k, j) for j in range(len(path), 0, -1) for k in range(j)]  # a joint may belong to a model further out
        prefixes = ["::".join([*path[k:j], ""]) for k, j in ends]
        for name in (fit(f"{prefix}{x}") for prefix in [*prefixes, ""] for x in names):
            if name in m.links and len(m.links[name].speeds) == joint.num_velocities():
                link = m.links[name]
                return (
                    joint,
                    [f.coordinates.index(x) for x in link.coordinates],
                    [f.speeds.index(x) for x in link.speeds],
                )
        raise LookupError(f"joint '{joint.name()}' ({joint.type_name()}) of Drake has no counterpart")

    def mass(self) -> float:
        return float(self.plant.CalcTotalMass(self.context))

    def numbers(self, q: Any, u: Any) -> dict[str, Any]:
        from pydrake.common.eigen_geometry import Quaternion  # type: ignore[import-not-found,unused-ignore]
        from pydrake.math import RollPitchYaw, RotationMatrix  # type: ignore[import-not-found,unused-ignore]

        plant, n = self.plant, len(u)
        theirs, turned = np.zeros(plant.num_positions()), np.zeros((n, n))  # their speeds from ours
        for joint, place, speeds in self.joints:
            at, dof = joint.position_start(), joint.velocity_start()
            kind = joint.type_name()
            if kind in ("quaternion_floating", "ball_rpy"):  # angular velocity is in the base of the parent there
                four = q[place[-4:]]
                R = RotationMatrix(Quaternion(four / np.linalg.norm(four)))
                own = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation()  # ours turn in the axes of the child
                R = own.inverse() @ R @ own
                turned[dof : dof + 3, speeds[-3:]] = (R @ own.inverse()).matrix()
                if kind == "ball_rpy":
                    theirs[at : at + 3] = RollPitchYaw(R).vector()
                else:
                    theirs[at : at + 7] = [*four, *q[place[:3]]]
                    turned[dof + 3 : dof + 6, speeds[:3]] = np.eye(3)
            else:
                theirs[at : at + len(place)] = q[place]
                turned[range(dof, dof + len(speeds)), speeds] = 1.0
        v = turned @ u
        plant.SetPositions(self.context, theirs)
        plant.SetVelocities(self.context, v)
        M = plant.CalcMassMatrix(self.context)
        weight = -plant.CalcGravityGeneralizedForces(self.context)
        return {
            "M": turned.T @ M @ turned,
            "bias": turned.T @ (plant.CalcBiasTerm(self.context) + weight),
            "weight": turned.T @ weight,
            "energy": float(v @ M @ v / 2),
        }
