"""Robots out and in again: LSD and JSON read back equal; Pinocchio reads our URDF and MuJoCo our MJCF to the same M.

    python benchmarks/robots_round.py [--only TEXT] [--most 40] [--seconds 60]

Every file of the table in `robots.py` with at most `--most` freedoms; numbers are the greatest relative disagreement on
M, bias, weight and energy at five states between the machine that was read and the one that the peer reads.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from robots import Row, _root, compare, files, tree_of
from robots_peers import MuJoCo, Pinocchio

_MANY = "random_urdfs"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--only", default="")
    asked.add_argument("--most", type=int, default=40)
    asked.add_argument("--seconds", type=int, default=60)
    told = asked.parse_args()
    warnings.simplefilter("ignore")
    count: Counter[str] = Counter()
    for package, path in files(told.only):
        if _MANY in str(path):
            continue
        signal.signal(signal.SIGALRM, _late)
        signal.alarm(told.seconds)
        try:
            line = round_trip(path, package, told.most, count)
        except TimeoutError:
            line = "too long"
        finally:
            signal.alarm(0)
        if line:
            print(f"{package}: {path.parent.name}/{path.name}: {line}", flush=True)
    print(dict(count))


def _late(*_: object) -> None:
    raise TimeoutError


def round_trip(path: Path, package: str, most: int, count: Counter[str]) -> str:
    import dalembert as da
    from dalembert.io import kind_of

    try:
        read = {"robot": da.read_urdf, "mujoco": da.read_mjcf, "sdf": da.read_sdf}[kind_of(path)]
        m = read(path, limits=False, package=_root(path, package))
        layout = m.layout()
    except da.DalembertError:
        return ""
    if not 0 < len(layout.speeds) <= most:
        return ""
    lines = []
    for name, again in (("LSD", da.loads(m.to_lsd())), ("JSON", _json(m, da))):
        count[f"{name} {'equal' if again == m else 'DIFFERENT'}"] += 1
        if again != m:
            lines.append(f"{name} differs")
    for format_, peer, suffix in (("urdf", Pinocchio, "urdf"), ("mjcf", MuJoCo, "xml")):
        tree = tree_of(m, rotors=format_ == "mjcf")  # URDF knows no rotors
        f = tree.compile()
        try:
            text = tree.to_urdf() if format_ == "urdf" else tree.to_mjcf()
        except da.DalembertError as error:
            count[f"{format_} refused"] += 1
            lines.append(f"{format_} refused: {str(error)[:90]}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"robot.{suffix}"
            file.write_text(text)
            row = Row(str(file), format_)
            compare(row, file, tree, f, 5, [peer])
        worst = max(row.worst.values(), default=None)
        kind = "not read" if worst is None else "below 1e-9" if worst < 1e-9 else "above 1e-9"
        count[f"{format_} {peer.__name__} {kind}"] += 1
        lines.append(f"{peer.__name__} {row.said}" if worst is None else f"{peer.__name__} {worst:.0e}")
    return ", ".join(lines)


def _json(m: Any, da: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.json"
        file.write_text(m.to_json())
        return da.load(file)


if __name__ == "__main__":
    main()
