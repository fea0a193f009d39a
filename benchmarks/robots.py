"""Every robot of installed packages, opened and compared with Pinocchio, MuJoCo and Drake as independent parsers.

    python benchmarks/robots.py [--out table.md] [--only TEXT] [--seconds 120] [--states 20]

Files come from example-robot-data, pybullet_data, dm_control, gymnasium and drake, as far as installed. Each is opened
in a process of its own: robot, format, bodies, freedoms, constraints, what is not mapped, and the greatest relative
disagreement on total mass, mass matrix, bias (with weight), weight and kinetic energy at random states. Efforts of
damping and friction are left out on both sides. Pinocchio and MuJoCo are asked for URDF, MuJoCo for
MJCF, Drake for SDF (without joints that close loops, which it refuses).
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from robots_drake import Drake, mended
from robots_peers import MuJoCo, Pinocchio

PACKAGES = {
    "example-robot-data": ("cmeel", "../cmeel.prefix/share/example-robot-data/robots"),
    "pybullet": ("pybullet_data", "."),
    "dm_control": ("dm_control", "."),
    "gymnasium": ("gymnasium", "envs/mujoco/assets"),
    "drake": ("pydrake", "share/drake"),
}
SUFFIXES = (".urdf", ".sdf", ".world", ".xml")
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


PEERS = {"urdf": (Pinocchio, MuJoCo), "mjcf": (MuJoCo,), "sdf": (Drake,)}


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
        if row.format == "sdf" and (text := mended(path)):
            path = Path(tempfile.mkdtemp()) / path.name
            path.write_text(text)
            row.said = "inertias mended for both. "
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


def tree_of(m: Any, rotors: bool = True) -> Any:
    """The same without what closes it (and without rotors): M, bias and weight of the tree are compared."""
    import dalembert as da

    one = da.Mechanism(m.name)
    cut = closing(m)
    for body in m.bodies.values():
        if body.name != "earth" and (rotors or not body.name.endswith("rotor")):
            one.add_body(body)
    for link in m.links.values():
        if link.name not in cut and link.second.body in one.bodies:
            one.join(link.first, link.second, link.joint, name=link.name)
    one.gravity, one.given = list(m.freeze().gravity), dict(m.given)
    return one


def closing(m: Any) -> set[str]:
    """Links between bodies that earlier links join already: those that a file has beside its tree."""
    joined = {name: name for name in m.bodies}
    found = set()

    def root(name: str) -> str:
        return name if joined[name] == name else root(joined[name])

    for link in m.links.values():
        first, second = root(link.first.body), root(link.second.body)
        if first == second:
            found.add(link.name)
        joined[first] = second
    return found


def compare(row: Row, path: Path, m: Any, f: Any, states: int, peers: Sequence[Any] | None = None) -> None:
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
    for peer in PEERS[row.format] if peers is None else peers:
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
    return kind != "urdf" or all(b.mass.value == 0 for name, b in m.bodies.items() if _fixed(m, name))


def _fixed(m: Any, name: str) -> bool:
    from dalembert.mechanism.welded import rigid_groups

    groups = rigid_groups(m.freeze())
    return groups[name] == groups["earth"]


def _size(ours: dict[str, Any], what: str, k: int) -> float:
    """Weight and bias vanish in places: they are measured beside each other, and beside M, speeds being near one."""
    if what in ("bias", "weight"):
        return max(float(np.abs(ours[x][k]).max()) for x in ("bias", "weight", "M"))
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
    told = [
        f"{len(found)} files, {len(opened)} opened, {sum(x.said.startswith('refused') for x in found)} refused in words"
    ]
    told.append(
        f"{sum(x.said.startswith('CRASH') for x in found)} crashes, {sum('over' in x.said for x in found)} too long"
    )
    for peer in ("Pinocchio", "MuJoCo", "Drake"):
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
    found = run(chosen, asked.seconds, asked.states)
    print(summary(found))
    if asked.out is not None:
        notes = [f"- {x.file}: {note}" for x in found for note in x.notes]
        asked.out.write_text("\n".join([*head, *map(str, found), "", summary(found), "", *notes]) + "\n")


if __name__ == "__main__":
    main()
