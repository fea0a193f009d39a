"""A model as JSON and back: every record by its fields, formulas as text, nothing left out and nothing run.

How a record is written, read and described in the schema follows from its type hints, so that a new kind of joint,
effort or contact is in the file as soon as it is in the model.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from dalembert import expr as ex
from dalembert.errors import DalembertError, ModelError
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.mechanism.body import EARTH
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.meshes import Mesh
from dalembert.mechanism.model import Model

FORMAT = "dalembert-model-1"
#: The key that tells which record an object is, where a field may hold several kinds.
KIND = "is"
_DEEP = 60


@lru_cache
def hints_of(record: type) -> dict[str, Any]:
    found = get_type_hints(record, localns={"Mesh": Mesh})
    return {one.name: found[one.name] for one in fields(record)}


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the one type."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def to_json(model: Model) -> str:
    """The text of a file; `from_json` reads it back to an equal model."""
    return json.dumps({"format": FORMAT, **_written(model, Model)}, indent=1, ensure_ascii=False)


def _written(value: Any, hint: Any) -> Any:
    if isinstance(value, Expr):
        return ex.text(value) if Expr in kinds_of(hint) else {"formula": ex.text(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        inside = (get_args(hint) or (str, Any))[1]
        return {key: _written(x, inside) for key, x in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        hints = hints_of(type(value))
        kind = {KIND: type(value).__name__} if len([x for x in kinds_of(hint) if is_dataclass(x)]) > 1 else {}
        told = ((one, getattr(value, one.name)) for one in fields(value))
        return kind | {one.name: _written(x, hints[one.name]) for one, x in told if not _usual(one, x)}
    if isinstance(value, tuple | list):
        return [_written(x, _inside(hint, k)) for k, x in enumerate(value)]
    if isinstance(value, str | bool | int) or value is None:
        return value
    return float(value)


def _inside(hint: Any, k: int) -> Any:
    if hint is Vector3:
        return Expr
    for one in kinds_of(hint):
        if get_origin(one) is tuple:
            inner = get_args(one)
            return inner[0] if len(inner) == 2 and inner[1] is Ellipsis else inner[k]
    return Any


def _usual(one: Field[Any], value: Any) -> bool:
    """Whether a field holds what it holds when nothing is said."""
    if one.default is not MISSING:
        return bool(value is one.default or (type(value) is type(one.default) and value == one.default))
    return one.default_factory is not MISSING and not value


# --- reading -------------------------------------------------------------------------------------------------------


def from_json(text: str, source: str = "model") -> Model:
    """The model of a text; a fault is told with its place in the file."""
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{source}: not JSON ({str(error)[:120]}).") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelError(f"{source}: the format is not '{FORMAT}'.")
    found = _read({k: v for k, v in data.items() if k not in ("format", "$schema")}, Model, source, 0)
    assert isinstance(found, Model)
    return found


def restore(model: Model, into: Mechanism) -> None:
    """A model in an empty builder, by the verbs that check what they are told."""
    for body in model.bodies.values():
        if body.name != EARTH:
            into.add_body(body)
    for name, frame in model.frames.items():
        into.frame(name, frame)
    for link in model.links.values():
        into.join(link.first, link.second, link.joint, name=link.name)
    for effort in model.efforts:
        into.apply(effort)
    for one in model.constraints:
        into.add_constraint(one)
    for contact in model.contacts:
        into.add_contact(contact)
    for name, (arguments, formula) in model.functions.items():
        into.define(name, arguments, formula)
    for name, value in model.given.items():
        if isinstance(value, bool):
            raise ModelError(f"given '{name}' is {value}: a number or a formula is expected.")
    for name in model.start:
        if name.partition(".")[0] not in {*into.links, *(one.name for one in into.constraints)}:
            raise ModelError(f"the start of '{name}' is of no link of this machine.")
    into.gravity = model.gravity
    into.given, into.start, into.outputs = dict(model.given), dict(model.start), dict(model.outputs)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _read(data: Any, hint: Any, where: str, depth: int) -> Any:
    if depth > _DEEP:
        raise ModelError(f"{where}: records inside records inside records: more than {_DEEP}.")
    kinds = kinds_of(hint)
    if data is None and type(None) in kinds:
        return None
    for kind, read in _READERS.items():
        if kind in kinds:
            return read(data, where)
    records = [x for x in kinds if is_dataclass(x)]
    if records:
        return _read_record(data, records, where, depth)
    for kind in kinds:
        if get_origin(kind) is tuple:
            if not isinstance(data, list):
                raise ModelError(f"{where}: a list is expected.")
            inner = get_args(kind)
            if inner[-1] is not Ellipsis and len(inner) != len(data):
                raise ModelError(f"{where}: {len(inner)} entries are expected, not {len(data)}.")
            return tuple(_read(x, _inside(kind, k), f"{where}/{k}", depth + 1) for k, x in enumerate(data))
        if get_origin(kind) is Literal:
            if data not in get_args(kind):
                raise ModelError(f"{where}: one of {', '.join(map(str, get_args(kind)))} is expected, not {data!r}.")
            return data
        if _is_mapping(kind):
            if not isinstance(data, dict):
                raise ModelError(f"{where}: an object is expected.")
            inside = get_args(kind)[1]
            return {key: _read(x, inside, f"{where}/{key}", depth + 1) for key, x in data.items()}
    return _plain(data, where)


def _is_mapping(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _read_record(data: Any, records: list[Any], where: str, depth: int) -> Any:
    if not isinstance(data, dict):
        raise ModelError(f"{where}: an object is expected.")
    named = {x.__name__: x for x in records}
    kind = data.get(KIND, records[0].__name__ if len(records) == 1 else None)
    if not isinstance(kind, str) or kind not in named:
        raise ModelError(f"{where}: '{KIND}' is one of {', '.join(named)}, not {kind!r}.")
    record = named[kind]
    hints = hints_of(record)
    unknown = [x for x in data if x not in hints and x != KIND]
    if unknown:
        raise ModelError(f"{where}: a {kind} has no '{unknown[0]}'; it has {', '.join(hints)}.")
    values = []
    for one in fields(record):
        if one.name in data:
            values.append(_read(data[one.name], hints[one.name], f"{where}/{one.name}", depth + 1))
        elif one.default is not MISSING:
            values.append(one.default)
        elif one.default_factory is not MISSING:
            values.append(one.default_factory())
        else:
            raise ModelError(f"{where}: a {kind} needs '{one.name}'.")
    try:
        return record(*values)
    except DalembertError as error:
        raise ModelError(f"{where}: {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{where}: this is no {kind} ({error}).") from None


def _formula(data: Any, where: str) -> Expr:
    if not isinstance(data, str):
        raise ModelError(f"{where}: a formula is a text.")
    try:
        return ex.parse(data)
    except DalembertError as error:
        raise ModelError(f"{where}: {error}") from None


def _vector(data: Any, where: str) -> Vector3:
    if not isinstance(data, list) or len(data) != 3:
        raise ModelError(f"{where}: three formulas are expected.")
    return Vector3([_formula(x, where) for x in data])


def _mesh(data: Any, where: str) -> Mesh:
    try:
        points, faces = np.array(data["points"], dtype=float), np.array(data["faces"], dtype=int)
        scale, file = float(data.get("scale", 1.0)), str(data.get("file", ""))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ModelError(f"{where}: a mesh has points and faces, rows of three numbers.") from None
    good = points.ndim == faces.ndim == 2 and points.shape[1:] == faces.shape[1:] == (3,)
    if not good or not np.isfinite(points).all() or not ((faces >= 0) & (faces < len(points))).all():
        raise ModelError(
            f"{where}: a mesh has points and faces, rows of three numbers, faces by the numbers of points."
        )
    return Mesh(points, faces, file, scale)


def _text(data: Any, where: str) -> str:
    if not isinstance(data, str):
        raise ModelError(f"{where}: a text is expected, not {data!r}.")
    return data


def _plain(data: Any, where: str) -> Any:
    """A number, a text or a formula that stands for one."""
    if isinstance(data, dict) and set(data) == {"formula"}:
        return _formula(data["formula"], where)
    if isinstance(data, str | bool | int) or (isinstance(data, float) and math.isfinite(data)):
        return data
    raise ModelError(f"{where}: a number or a formula is expected, not {str(data)[:40]}.")


_READERS: dict[Any, Callable[[Any, str], Any]] = {Expr: _formula, Vector3: _vector, Mesh: _mesh, str: _text}
