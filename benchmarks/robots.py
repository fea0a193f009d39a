"""Every robot of installed packages, opened and compared with Pinocchio and MuJoCo as independent parsers.

    python benchmarks/robots.py [--out table.md] [--only TEXT] [--seconds 120] [--states 20]

Files come from example-robot-data, pybullet_data, dm_control and gymnasium, as far as they are installed. Each is opened
in a process of its own: robot, format, bodies, freedoms, constraints, what is not mapped, and the greatest relative
disagreement on total mass, mass matrix, bias (with weight), weight and kinetic energy at random states. Efforts of
damping and friction are left out on both sides. MuJoCo reads URDF and MJCF, Pinocchio URDF, MJCF and none else.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import re
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = {
    "example-robot-data": ("cmeel", "../cmeel.prefix/share/example-robot-data/robots"),
    "pybullet": ("pybullet_data", "."),
    "dm_control": ("dm_control", "."),
    "gymnasium": ("gymnasium", "envs/mujoco/assets"),
}
SUFFIXES = (".urdf", ".sdf", ".xml")
_MANY = "random_urdfs"  # a thousand small solids, of which one in fifty is compared


@dataclass
class Row:
    """One line of the table."""

    file: str
    format: str = ""
    bodies: int = 0
    freedoms: int = 0
    constraints: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    worst: dict[str, float] = field(default_factory=dict)  # by peer
    where: dict[str, str] = field(default_factory=dict)  # which quantity
    said: str = ""

    def __str__(self) -> str:
        told = ", ".join(f"{p} {v:.0e} ({self.where[p]})" for p, v in self.worst.items())
        left = f"{len(self.notes)} notes" if self.notes else ""
        return (
            f"| {self.file} | {self.format} | {self.bodies} | {self.freedoms} | {self.constraints} | {left} | "
            f"{' '.join(filter(None, (told, self.said)))} | {self.seconds:.1f} |"
        )


def files(only: str) -> list[tuple[str, Path]]:
    """Package and path of every robot file."""
    found = []
    for package, (module, inside) in PACKAGES.items():
        spec = importlib.util.find_spec(module)
        if spec is None or not spec.submodule_search_locations:
            print(f"{package} is not installed")
            continue
        root = (Path(next(iter(spec.submodule_search_locations))) / inside).resolve()
        found += [(package, path) for path in sorted(root.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    return [one for one in found if only in str(one[1])]


# --- peers ---------------------------------------------------------------------------------------------------------


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
    settings = '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false" strippath="true"/></mujoco>'
    return mujoco.MjModel.from_xml_string(re.sub(r"(<robot\b[^>]*>)", r"\1" + settings, text, count=1))


class Pinocchio:
    """Numbers of Pinocchio for the states of a machine of ours: joints are matched by their names."""

    def __init__(self, path: Path, kind: str, f: Any, m: Any) -> None:
        import pinocchio as pin

        self.pin, self.model = pin, pinocchio_model(path, kind)
        self.data = self.model.createData()
        self.gravity = np.array([float(x.value) for x in m.freeze().gravity])
        self.model.gravity.linear = self.gravity
        armature = np.array(self.model.armature)
        self.model.armature = armature
        self.own: list[tuple[int, Any, str]] = []
        links = {fit(name): name for name in m.links}
        for i in range(1, self.model.njoints):
            name = links.get(fit(self.model.names[i]))
            joint = self.model.joints[i]
            if name is None or joint.nv != 1:
                raise LookupError(f"joint '{self.model.names[i]}' ({joint.shortname()}) has no one counterpart")
            self.own.append((i, joint, m.links[name].coordinates[0]))
        if len(self.own) != len(f.speeds):
            raise LookupError(f"{len(f.speeds)} freedoms, Pinocchio has {self.model.nv}")
        self.order = [f.speeds.index(f"{c}'") for _, _, c in self.own]

    def mass(self) -> float:
        return self.pin.computeTotalMass(self.model)

    def numbers(self, q: Any, u: Any) -> dict[str, Any]:
        pin, n = self.pin, len(u)
        theirs, v = pin.neutral(self.model), np.zeros(n)
        for (_, joint, _), k in zip(self.own, self.order, strict=True):
            theirs[joint.idx_q : joint.idx_q + joint.nq] = q[k] if joint.nq == 1 else (np.cos(q[k]), np.sin(q[k]))
            v[joint.idx_v] = u[k]
        M = pin.crba(self.model, self.data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        place = [joint.idx_v for _, joint, _ in self.own]
        turned = np.zeros((n, n))
        turned[place, self.order] = 1.0
        bias = pin.nonLinearEffects(self.model, self.data, theirs, v)
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
            body = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_BODY, self.model.jnt_bodyid[j]) or ""
            kind_, (nq, nv) = int(self.model.jnt_type[j]), kinds[int(self.model.jnt_type[j])]
            options = [name, f"{body}_free", f"{body}_joint1", body]
            link = next((by_name[fit(x)] for x in options if fit(x) in by_name), None)
            if nq == 1 and fit(name) in inside and (link is None or f"{link}.{'th' if kind_ == 3 else 'x'}" not in f.coordinates):
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
        for kind, at, dof, place, speeds in self.blocks:
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


PEERS = {"urdf": (Pinocchio, MuJoCo), "mjcf": (MuJoCo,), "sdf": ()}


# --- one robot -----------------------------------------------------------------------------------------------------


def examine(path: Path, package: str, states: int) -> Row:
    import dalembert as da
    from dalembert.mechanism.contact import ContactWarning

    warnings.simplefilter("ignore")
    warnings.simplefilter("ignore", ContactWarning)
    row = Row(str(path))
    start = time.process_time()
    try:
        from dalembert.io import kind_of

        row.format = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}[kind_of(path)]
        inside = _root(path, package)
        read = {"urdf": da.read_urdf, "mjcf": da.read_mjcf, "sdf": da.read_sdf}[row.format]
        m = read(path, limits=False, package=inside)
    except da.DalembertError as error:
        row.said = f"refused: {str(error)[:160]}"
        return row
    layout = m.layout()
    real = [b for name, b in m.bodies.items() if name != "earth" and not name.endswith("rotor")]
    row.bodies, row.freedoms, row.constraints = len(real), len(layout.speeds), len(layout.constraints)
    row.notes = tuple(m.notes)
    if not PEERS[row.format] or not layout.speeds:
        row.said = "no freedom to compare" if not layout.speeds else "no peer reads it"
        row.seconds = time.process_time() - start
        return row
    tree = m if not layout.constraints else tree_of(m)
    try:
        f = tree.compile()
        compare(row, path, tree, f, states)
    except da.DalembertError as error:
        row.said = f"refused later: {str(error)[:160]}"
    row.seconds = time.process_time() - start
    return row


def _root(path: Path, package: str) -> Path | None:
    """Robots of one distribution lie in one folder; dm_control's share meshes across theirs."""
    if package != "dm_control":
        return None
    return next(up for up in path.parents if up.name == "dm_control")


def tree_of(m: Any) -> Any:
    """The same without what closes it: M, bias and weight of the tree are compared."""
    import dalembert as da

    one = da.Mechanism(m.name)
    cut = {x.link.name for x in m.layout().cuts}
    for body in m.bodies.values():
        if body.name != "earth":
            one.add_body(body)
    for link in m.links.values():
        if link.name not in cut:
            one.join(link.first, link.second, link.joint, name=link.name)
    one.gravity, one.given = list(m.freeze().gravity), dict(m.given)
    return one


def compare(row: Row, path: Path, m: Any, f: Any, states: int) -> None:
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (states, len(f.coordinates)))
    for group in f.dynamics.state.quaternions:
        index = [f.coordinates.index(x) for x in group]
        q[:, index] /= np.linalg.norm(q[:, index], axis=1, keepdims=True)
    u = rng.standard_normal((states, len(f.speeds)))
    weight = np.asarray(f.gravity_compensation(q))
    ours = {
        "M": np.asarray(f.mass_matrix(q)),
        "bias": weight - np.asarray(f.bias(q, u)),
        "weight": weight,
        "energy": np.asarray(f.energy(q, u).kinetic),
    }
    total = sum(float(b.mass.value) for b in m.bodies.values())
    for peer in PEERS[row.format]:
        name = peer.__name__
        try:
            one = peer(path, row.format, f, m)
            worst = {"mass": abs(one.mass() - total) / max(abs(total), 1e-300)} if _whole(row.format, m) else {}
            for k in range(states):
                theirs = one.numbers(q[k], u[k])
                for what, value in theirs.items():
                    size = max(float(np.abs(ours[what][k]).max()), _size(ours, what, k), 1e-300)
                    off = float(np.abs(np.asarray(value) - ours[what][k]).max()) / size
                    worst[what] = max(worst.get(what, 0.0), off)
            row.where[name] = max(worst, key=lambda x: worst[x])
            row.worst[name] = max(worst.values())
        except Exception as error:  # what a peer cannot read or match is told, not hidden
            row.said += f"{name}: {str(error).splitlines()[0][:90] if str(error) else type(error).__name__}. "


def _whole(kind: str, m: Any) -> bool:
    """Whether the peers count the same bodies: they leave out what a URDF fixes to the world."""
    return kind == "mjcf" or all(b.mass.value == 0 for name, b in m.bodies.items() if _fixed(m, name))


def _fixed(m: Any, name: str) -> bool:
    from dalembert.mechanism.welded import rigid_groups

    groups = rigid_groups(m.freeze())
    return groups[name] == groups["earth"]


def _size(ours: dict[str, Any], what: str, k: int) -> float:
    """Weight and bias vanish in places: they are measured beside each other, and beside M."""
    if what in ("bias", "weight"):
        return max(float(np.abs(ours["bias"][k]).max()), float(np.abs(ours["weight"][k]).max()))
    return 0.0


# --- all of them ---------------------------------------------------------------------------------------------------


def _work(inbox: Any, outbox: Any, states: int) -> None:
    for path, package in iter(inbox.get, None):
        outbox.put(examine(path, package, states))


def run(chosen: list[tuple[str, Path]], seconds: float, states: int) -> list[Row]:
    """Each in a worker that is replaced when it dies or takes too long."""
    context, found = multiprocessing.get_context("spawn"), list[Row]()
    worker: Any = None
    for package, path in chosen:
        if worker is None or not worker.is_alive():
            inbox, outbox = context.Queue(), context.Queue()
            worker = context.Process(target=_work, args=(inbox, outbox, states), daemon=True)
            worker.start()
        inbox.put((path, package))
        begun, row = time.monotonic(), None
        while row is None and worker.is_alive() and time.monotonic() - begun < seconds:
            try:
                row = outbox.get(timeout=1.0)
            except Exception:  # nothing yet
                continue
        if row is None:
            died = not worker.is_alive()
            row = Row(str(path), said=f"CRASH: exit code {worker.exitcode}" if died else f"over {seconds:g} s")
            worker.kill()
            worker = None
        row.file = f"{package}: {Path(row.file).parent.name}/{Path(row.file).name}"
        found.append(row)
        print(row, flush=True)
    return found


def summary(found: list[Row]) -> str:
    opened = [x for x in found if x.bodies]
    told = [f"{len(found)} files, {len(opened)} opened, {sum(x.said.startswith('refused') for x in found)} refused in words"]
    told.append(f"{sum(x.said.startswith('CRASH') for x in found)} crashes, {sum('over' in x.said for x in found)} too long")
    for peer in ("Pinocchio", "MuJoCo"):
        values = sorted(x.worst[peer] for x in found if peer in x.worst)
        if values:
            below = sum(v < 1e-9 for v in values)
            told.append(f"{peer}: {len(values)} compared, {below} below 1e-9, median {values[len(values) // 2]:.0e}")
    return "; ".join(told)


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("--out", type=Path, help="write the table here too")
    wanted.add_argument("--only", default="", help="part of the path of the files to open")
    wanted.add_argument("--seconds", type=float, default=120.0, help="for each file")
    wanted.add_argument("--states", type=int, default=20)
    asked = wanted.parse_args()
    chosen = files(asked.only)
    many = [one for one in chosen if _MANY in str(one[1])]
    chosen = [one for one in chosen if _MANY not in str(one[1])] + many[::50]
    head = ["| robot | format | bodies | freedoms | constraints | not mapped | greatest disagreement | CPU s |"]
    head.append("|---|---|---|---|---|---|---|---|")
    print("\n".join(head))
    with tempfile.TemporaryDirectory():
        found = run(chosen, asked.seconds, asked.states)
    print(summary(found))
    if asked.out is not None:
        notes = [f"- {x.file}: {note}" for x in found for note in x.notes]
        asked.out.write_text("\n".join([*head, *map(str, found), "", summary(found), "", *notes]) + "\n")


if __name__ == "__main__":
    main()
