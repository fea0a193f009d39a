"""Pinocchio and MuJoCo as parsers of robot files: M, bias, weight and energy in our speeds, for `robots.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np


def pinocchio_model(path: Path, kind: str) -> Any:
    import pinocchio as pin

    return pin.buildModelFromUrdf(str(path)) if kind == "urdf" else pin.buildModelFromMJCF(str(path))


def mujoco_model(path: Path, kind: str) -> Any:
    """URDF without its looks, in which MuJoCo would want every mesh, and with nothing fused or bounded."""
    import mujoco

    if kind == "mjcf":
        return mujoco.MjModel.from_xml_path(str(path))
    text = path.read_bytes().strip().rstrip(b"\0").decode(errors="replace")
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"<(visual|collision)\b[^>]*?(/>|>.*?</\1\s*>)", "", text, flags=re.S)
    settings = (
        '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false" strippath="true"/></mujoco>'
    )
    return mujoco.MjModel.from_xml_string(re.sub(r"(<robot\b[^>]*>)", r"\1" + settings, text, count=1))


class Pinocchio:
    """Numbers of Pinocchio for the states of a machine of ours: joints are matched by their names."""

    def __init__(self, path: Path, kind: str, f: Any, m: Any) -> None:
        import pinocchio as pin

        self.pin, self.model = pin, pinocchio_model(path, kind)
        self.data = self.model.createData()
        self.gravity = np.array([float(x.value) for x in m.freeze().gravity])
        self.model.gravity.linear = self.gravity
        self.own: list[tuple[int, Any, int]] = []
        links = {fit(name): (name, 0) for name in m.links}
        for name, link in m.links.items():  # several motions of one link are called as their coordinates
            if len(link.coordinates) > 1:
                links |= {fit(x.rpartition(".")[2]): (name, k) for k, x in enumerate(link.coordinates)}
                links |= {fit(x): (name, k) for k, x in enumerate(link.coordinates)}
        for i in range(1, self.model.njoints):
            name, which = links.get(fit(self.model.names[i])) or (None, 0)
            joint = self.model.joints[i]
            free = joint.shortname() == "JointModelFreeFlyer"
            if name is None or not (free or joint.nv == 1):
                raise LookupError(f"joint '{self.model.names[i]}' ({joint.shortname()}) has no one counterpart")
            link = m.links[name]
            place, speed = f.coordinates.index(link.coordinates[which]), f.speeds.index(link.speeds[which])
            self.own.append((place, joint, speed))
        if self.model.nv != len(f.speeds):
            raise LookupError(f"{len(f.speeds)} freedoms, Pinocchio has {self.model.nv}")

    def mass(self) -> float:
        return self.pin.computeTotalMass(self.model)

    def numbers(self, q: Any, u: Any) -> dict[str, Any]:
        pin, n = self.pin, len(u)
        theirs, turned, drift = pin.neutral(self.model), np.zeros((n, n)), np.zeros(n)  # their speeds from ours
        for place, joint, speed in self.own:
            at, dof = slice(joint.idx_q, joint.idx_q + joint.nq), joint.idx_v
            if joint.nv == 1:
                theirs[at] = q[place] if joint.nq == 1 else (np.cos(q[place]), np.sin(q[place]))
                turned[dof, speed] = 1.0
                continue
            e0, *e = q[place + 3 : place + 7]  # free: their velocity is in the base of the body
            theirs[at] = [*q[place : place + 3], *e, e0]
            R = pin.Quaternion(np.array([*e, e0])).toRotationMatrix()
            turned[dof : dof + 3, speed : speed + 3], turned[dof + 3 : dof + 6, speed + 3 : speed + 6] = R.T, np.eye(3)
            drift[dof : dof + 3] = -np.cross(u[speed + 3 : speed + 6], R.T @ u[speed : speed + 3])
        v = turned @ u
        M = pin.crba(self.model, self.data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        bias = pin.nonLinearEffects(self.model, self.data, theirs, v) + M @ drift
        weight = pin.computeGeneralizedGravity(self.model, self.data, theirs)
        return {
            "M": turned.T @ M @ turned,
            "bias": turned.T @ bias,
            "weight": turned.T @ weight,
            "energy": v @ M @ v / 2,
        }


class MuJoCo:
    """The same of MuJoCo; free and ball joints by their own speeds."""

    def __init__(self, path: Path, kind: str, f: Any, m: Any) -> None:
        import mujoco

        self.mj, self.model = mujoco, mujoco_model(path, kind)
        self.data = mujoco.MjData(self.model)
        self.model.opt.gravity[:] = [float(x.value) for x in m.freeze().gravity]
        self.model.opt.density = self.model.opt.viscosity = 0
        self.model.opt.disableflags |= 1 << 5  # springs, dampers and fluids, whatever this version calls them
        self.f = f
        kinds = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}
        self.blocks: list[tuple[int, int, int, list[int], list[int]]] = []
        by_name = {fit(c.rpartition(".")[0]): c.rpartition(".")[0] for c in f.coordinates}
        inside = {fit(c.rpartition(".")[2]): c for c in f.coordinates}
        used = set()
        for j in range(self.model.njnt):
            name = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, j) or ""
            body = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_BODY, self.model.jnt_bodyid[j])
            body = body or f"body_{self.model.jnt_bodyid[j]}"
            kind_, (nq, nv) = int(self.model.jnt_type[j]), kinds[int(self.model.jnt_type[j])]
            options = [name, f"{body}_free", f"{body}_joint1", body]
            link = next((by_name[fit(x)] for x in options if fit(x) in by_name), None)
            if (
                nq == 1
                and fit(name) in inside
                and (link is None or f"{link}.{'th' if kind_ == 3 else 'x'}" not in f.coordinates)
            ):
                coordinates = [inside[fit(name)]]
            elif link is None:
                raise LookupError(f"joint {j} '{name}' of MuJoCo has no counterpart")
            else:
                coordinates = [c for c in f.coordinates if c.rpartition(".")[0] == link]
            if len(coordinates) != nq or used & set(coordinates):
                raise LookupError(f"joint {j} '{name}' has no one counterpart")
            used |= set(coordinates)
            speeds = self._speeds(coordinates, nv)
            place = [f.coordinates.index(c) for c in coordinates]
            self.blocks.append((kind_, self.model.jnt_qposadr[j], self.model.jnt_dofadr[j], place, speeds))
        if self.model.nv != len(f.speeds):
            raise LookupError(f"{len(f.speeds)} freedoms, MuJoCo has {self.model.nv}")

    def _speeds(self, coordinates: list[str], nv: int) -> list[int]:
        if nv == 1:
            return [self.f.speeds.index(f"{coordinates[0]}'")]
        link = coordinates[0].rpartition(".")[0]
        return [k for k, x in enumerate(self.f.speeds) if x.rpartition(".")[0] == link]

    def mass(self) -> float:
        return float(self.model.body_mass.sum())

    def numbers(self, q: Any, u: Any) -> dict[str, Any]:
        mj, data, n = self.mj, self.data, len(u)
        turned = np.zeros((n, n))  # their speeds from ours
        for _, at, dof, place, speeds in self.blocks:
            data.qpos[at : at + len(place)] = q[place]
            # free and ball: velocity in the base of the world, angular velocity in that of the body, as ours
            turned[range(dof, dof + len(speeds)), speeds] = 1.0
        data.qvel[:] = turned @ u
        mj.mj_forward(self.model, data)
        M = np.zeros((n, n))
        _full(mj, self.model, M, data)
        data_bias = data.qfrc_bias.copy()
        energy = data.qvel @ M @ data.qvel / 2
        data.qvel[:] = 0
        mj.mj_forward(self.model, data)
        weight = data.qfrc_bias.copy()
        return {
            "M": turned.T @ M @ turned,
            "bias": turned.T @ data_bias,
            "weight": turned.T @ weight,
            "energy": energy,
        }


def _full(mj: Any, model: Any, M: Any, data: Any) -> None:
    try:
        mj.mj_fullM(model, M, data.qM)
    except (TypeError, AttributeError):
        mj.mj_fullM(model, data, M)


def fit(name: str) -> str:
    stem = re.sub(r"\W", "_", name, flags=re.ASCII)[:80]
    return f"_{stem}" if stem[:1].isdigit() else stem
