"""A motion as arrays and back: expressions travel as a flat list, records as their fields, never as code or pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from math import prod
from typing import Any, TypeVar
from zipfile import ZipFile

import numpy as np

from dalembert import expr as ex
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.outputs import Outputs
from dalembert.errors import SimulationError
from dalembert.expr import Expr, Matrix
from dalembert.expr.space import Vector3
from dalembert.simulate.contact.log import ContactLog
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.mode import Forces
from dalembert.simulate.contact.moreau_jean import contact_machine
from dalembert.simulate.contact.outputs import WithContacts
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.motion.arcs import Arc, Jump
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.system.compiled import native_projection
from dalembert.simulate.system.on_demand import OnDemand, rates_at
from dalembert.simulate.system.system import System

FORMAT, FAMILY = 5, "dalembert-motion-"
READ = (3, 4, 5)
"""Formats that are read. To be raised with what contacts and records are kept by: 4 has a size for each gap, where some
archives of format 3 have one for all; these are told apart by their keys. Before 5 vectors were kept as tuples."""
M = TypeVar("M", bound=Motion)
LARGEST = 8_000_000_000
"""Bytes of all arrays of an archive; the steps that a motion keeps end at a quarter of it."""
_PLAIN = ("event_names", "status", "message", "method", "nfev", "accepted", "rejected")
_STEPS = ("step_t", "step_h", "step_y", "step_c")


def pack(motion: Motion) -> dict[str, Any]:
    """Named arrays, the arcs one after the other; everything that is not a table of numbers is JSON in `about`."""
    arcs = motion.arcs
    arrays: dict[str, Any] = {"t": motion.t, "y": motion.y, "counts": np.array([len(arc.t) for arc in arcs])}
    pieces = [arc.sol for arc in arcs if arc.sol is not None]
    if len(pieces) == len(arcs):
        arrays["steps"] = np.array([len(piece.t) for piece in pieces])
        arrays["step_t"] = np.concatenate([piece.t for piece in pieces])
        arrays["step_h"] = np.concatenate([piece.h for piece in pieces])
        arrays["step_y"] = np.concatenate([piece.y for piece in pieces])
        blocks = [piece.coefficients for piece in pieces if len(piece.t) > 1]
        degree = max((block.shape[1] for block in blocks), default=1)
        blocks = [np.pad(block, ((0, 0), (0, degree - block.shape[1]), (0, 0))) for block in blocks]
        arrays["step_c"] = np.concatenate([*blocks, np.zeros((0, degree, len(motion.names)))])
    for k, (times, states) in enumerate(zip(motion.t_events or [], motion.y_events or [], strict=True)):
        arrays |= {f"event_{k}_t": times, f"event_{k}_y": states}
    packer = _Packer()
    about = {
        "format": f"{FAMILY}{FORMAT}",
        "version": version(),
        "system": packer.pack(motion.system),
        "parameters": [dict(arc.parameters) for arc in arcs],
        "contacts": None if motion.contacts is None else motion.contacts.as_dict(),
        "closed": [None if arc.contacts is None else arc.contacts.as_dict() for arc in arcs],
        "jumps": [[j.t, dict(j.before), dict(j.after), j.event, dict(j.switched)] for j in motion.jumps],
        **{name: getattr(motion, name) for name in _PLAIN},
    }
    rows, results = ex.flatten(packer.expressions)
    about["rows"] = [[op, _pack_data(data), list(operands)] for op, data, operands in rows]
    about["results"] = results
    arrays["about"] = np.array(json.dumps(about))
    return arrays


def check_sizes(held: bytes) -> None:
    """Refuse arrays that are said to be longer than what is there, and archives that unfold to more than is ever kept.

    NumPy makes room for what a header asks before it reads on.
    """
    with ZipFile(BytesIO(held)) as archive:
        members = archive.infolist()
        if sum(one.file_size for one in members) > LARGEST:
            raise ValueError(f"its arrays take more than {LARGEST / 1e9:g} GB")
        for one in members:
            with archive.open(one) as member:
                newer = np.lib.format.read_magic(member) > (1, 0)  # type: ignore[no-untyped-call]
                read = np.lib.format.read_array_header_2_0 if newer else np.lib.format.read_array_header_1_0
                shape, _, entry = read(member)  # type: ignore[no-untyped-call]
            if prod(shape) * entry.itemsize > one.file_size:
                raise ValueError(f"{one.filename} is shorter than it says")


def unpack(kind: type[M], stored: Mapping[str, Any], path: str) -> M:
    """The motion that was packed; what another version has written otherwise is refused with its name."""
    try:
        about = json.loads(str(stored["about"]))
        family, number = str(about["format"])[: len(FAMILY)], str(about["format"])[len(FAMILY) :]
    except (KeyError, ValueError, TypeError):
        family = ""
    if family != FAMILY:
        raise SimulationError(f"{path} is not a motion saved by dalembert.")
    why = f"which this one, {version()}, does not read (it reads {', '.join(map(str, READ))})"
    if number in map(str, READ):
        try:
            return _made(kind, stored, about)
        except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
            why = f"but not as this one, {version()}, keeps motions ({type(error).__name__}: {error})"
    told = (
        f"dalembert {about['version']}" if "version" in about else "an earlier dalembert, which did not say its version"
    )
    raise SimulationError(
        f"{path} is a motion in format {number}, saved by {told}, {why}. "
        "Read it with the version that has saved it, or simulate again."
    )


def version() -> str:
    """That of the package, which stands in its root alone: rooms below it ask when they need it."""
    return str(import_module("dalembert").__version__)


def _made(kind: type[M], stored: Mapping[str, Any], about: Mapping[str, Any]) -> M:
    rows = [(op, _unpack_data(data), tuple(operands)) for op, data, operands in about["rows"]]
    earlier = int(about["format"].removeprefix(FAMILY)) < 5
    system = _Unpacker(ex.restore_many((rows, about["results"])), earlier).unpack(about["system"])
    names = tuple(about["event_names"])
    return kind(
        system=system,
        arcs=tuple(_touching(system, _arcs(system, stored, about["parameters"]), about["closed"])),
        jumps=tuple(Jump(*jump) for jump in about["jumps"]),
        t_events=[stored[f"event_{k}_t"] for k in range(len(names))] if names else None,
        y_events=[stored[f"event_{k}_y"] for k in range(len(names))] if names else None,
        **{name: about[name] for name in _PLAIN if name != "event_names"},
        event_names=names,
        contacts=None if about["contacts"] is None else ContactLog.from_dict(about["contacts"]),
    )


def _arcs(system: System, stored: Mapping[str, Any], parameters: list[dict[str, float]]) -> list[Arc]:
    edges = np.concatenate([[0], np.cumsum(stored["counts"])])
    t, y = stored["t"], stored["y"]
    arcs = [Arc(t[a:b], y[:, a:b], numbers) for a, b, numbers in zip(edges[:-1], edges[1:], parameters, strict=True)]
    if "steps" not in stored:
        return arcs
    counts = stored["steps"]
    points, steps = np.concatenate([[0], np.cumsum(counts)]), np.concatenate([[0], np.cumsum(counts - 1)])
    times, lengths, states, blocks = (stored[name] for name in _STEPS)
    groups = np.array(system.quaternion_rows, dtype=np.int64).reshape(-1, 4)
    projection = native_projection(system)
    found = []
    for k, arc in enumerate(arcs):
        a, b, c, d = points[k], points[k + 1], steps[k], steps[k + 1]
        numbers = np.array([arc.parameters.get(name, np.nan) for name in system.known_parameters])
        manifold = Manifold(groups, getattr(projection, "address", 0), numbers, projection)
        sol = DenseOutput(times[a:b], lengths[c:d], states[a:b], blocks[c:d], manifold)
        found.append(Arc(arc.t, arc.y, arc.parameters, sol))
    return found


def _touching(system: System, arcs: list[Arc], closed: list[Any]) -> list[Arc]:
    """The arcs with the contacts that were closed on them; the machine that tells their forces is made when asked."""

    @lru_cache(maxsize=1)
    def machine() -> ContactMachine:
        return contact_machine(system)

    told = [None if one is None else Forces.from_dict(one, machine) for one in closed]
    return [replace(arc, contacts=one) for arc, one in zip(arcs, told, strict=True)]


class _Packer:
    """Records of dalembert as their fields; expressions as numbers in one list."""

    def __init__(self) -> None:
        self.expressions: list[Expr] = []

    def pack(self, value: Any) -> Any:
        if isinstance(value, Expr):
            self.expressions.append(value)
            return {"expr": len(self.expressions) - 1}
        if isinstance(value, Matrix):
            return {"matrix": [[self.pack(e) for e in row] for row in value.rows()], "shape": list(value.shape)}
        if is_dataclass(value) and not isinstance(value, type):
            kind = type(value)
            told = {f.name: self.pack(getattr(value, f.name)) for f in fields(value) if f.init}
            return {"record": [kind.__module__, kind.__qualname__], "fields": told}
        if isinstance(value, Outputs):  # made again from the machine, when asked for
            return {"outputs": self.pack(value.tree.layout)}
        if isinstance(value, WithContacts) and isinstance(value.outputs, Outputs):
            return {"with_contacts": self.pack(value.outputs.tree.layout)}
        if isinstance(value, OnDemand):
            return {"rates": self.pack(value.about.layout)}
        if isinstance(value, Mapping):
            return {"map": [[key, self.pack(item)] for key, item in value.items()]}
        if isinstance(value, Vector3):
            return {"vector": [self.pack(item) for item in value]}
        if isinstance(value, tuple | list):
            return {"tuple": [self.pack(item) for item in value]}
        if isinstance(value, Fraction):
            return {"fraction": str(value)}
        return value.item() if isinstance(value, np.generic) else value


class _Unpacker:
    def __init__(self, expressions: Any, vectors_as_tuples: bool) -> None:
        self.expressions, self.vectors_as_tuples = list(expressions), vectors_as_tuples

    def unpack(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "expr" in value:
            return self.expressions[value["expr"]]
        if "matrix" in value:
            rows, columns = value["shape"]
            return Matrix([[self.unpack(e) for e in row] for row in value["matrix"]], (rows, columns))
        if "record" in value:
            kind = _record(*value["record"])
            told = {k: self.unpack(item) for k, item in value["fields"].items()}
            return kind(**told) if kind.__dataclass_params__.init else _filled(kind, told)
        if "outputs" in value:
            return dynamics_of(self.unpack(value["outputs"])).outputs
        if "rates" in value:
            return rates_at(self.unpack(value["rates"]))
        if "with_contacts" in value:
            about = dynamics_of(self.unpack(value["with_contacts"]))
            return WithContacts(about.outputs, contact_rows(about))
        if "map" in value:
            return {key: self.unpack(item) for key, item in value["map"]}
        if "fraction" in value:
            return Fraction(value["fraction"])
        if "vector" in value:
            return Vector3(self.unpack(item) for item in value["vector"])
        found = tuple(self.unpack(item) for item in value["tuple"])
        spatial = self.vectors_as_tuples and len(found) == 3 and all(isinstance(item, Expr) for item in found)
        return Vector3(found) if spatial else found


def _filled(kind: Any, values: Mapping[str, Any]) -> Any:
    """A record that people make with other arguments than its fields."""
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _record(module: str, name: str) -> Any:
    """A record class of dalembert; nothing else is ever made from a file."""
    try:
        kind = getattr(import_module(module), name, None) if module.startswith("dalembert.") else None
    except ImportError:
        kind = None
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise SimulationError(f"the file asks for '{module}.{name}', which is no record of dalembert.")
    return kind


def _pack_data(data: Any) -> Any:
    if isinstance(data, Fraction):
        return {"fraction": str(data)}
    if isinstance(data, tuple):
        return {"tuple": [_pack_data(item) for item in data]}
    return data


def _unpack_data(data: Any) -> Any:
    if isinstance(data, dict):
        if "fraction" in data:
            return Fraction(data["fraction"])
        return tuple(_unpack_data(item) for item in data["tuple"])
    return data
