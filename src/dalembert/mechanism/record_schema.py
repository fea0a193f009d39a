"""The JSON Schema of model files, made from the same type hints that write and read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin

from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.mechanism.meshes import Mesh
from dalembert.mechanism.model import Model
from dalembert.mechanism.records import FORMAT, KIND, hints_of, kinds_of


def json_schema() -> dict[str, Any]:
    """What `m.to_json()` writes, as a JSON Schema (draft 2020-12).

    >>> json_schema()["$defs"]["Body"]["required"]
    ['name']
    """
    made: dict[str, Any] = {
        "formula": {"type": "string", "description": "a formula of parameters, coordinates and time: 2*m*l**2"},
        "Mesh": {
            "type": "object",
            "properties": {
                "points": {"type": "array", "items": _row("number")},
                "faces": {"type": "array", "items": _row("integer")},
                "file": {"type": "string"},
                "scale": {"type": "number"},
            },
            "required": ["points", "faces"],
        },
    }
    _record(Model, made)
    top = made.pop("Model")
    top["properties"] = {"format": {"const": FORMAT}, "$schema": {"type": "string"}, **top["properties"]}
    top["required"] = ["format", *top["required"]]
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "title": "A mechanism", **top, "$defs": made}


def _row(kind: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": kind}, "minItems": 3, "maxItems": 3}


def _record(record: Any, made: dict[str, Any]) -> dict[str, Any]:
    name = record.__name__
    if name not in made:
        made[name] = {}  # records may hold each other
        hints = hints_of(record)
        made[name] = {
            "type": "object",
            "description": (record.__doc__ or "").split("\n")[0],
            "properties": {KIND: {"const": name}} | {x: _of(hint, made) for x, hint in hints.items()},
            "required": [x.name for x in fields(record) if x.default is MISSING and x.default_factory is MISSING],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def _of(hint: Any, made: dict[str, Any]) -> dict[str, Any]:
    kinds = kinds_of(hint)
    if len(kinds) > 1:
        return {"anyOf": [_of(x, made) for x in kinds]}
    plain = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    if hint in plain:
        return {"type": plain[hint]}
    if hint is Expr:
        return {"$ref": "#/$defs/formula"}
    if hint is Vector3:
        return {"type": "array", "items": {"$ref": "#/$defs/formula"}, "minItems": 3, "maxItems": 3}
    if hint is Mesh:
        return {"$ref": "#/$defs/Mesh"}
    if is_dataclass(hint):
        return _record(hint, made)
    return _container(hint, made)


def _container(hint: Any, made: dict[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple and inner[-1] is Ellipsis:
        return {"type": "array", "items": _of(inner[0], made)}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_of(x, made) for x in inner], "minItems": len(inner)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], made)}
    return {"type": ["number", "string", "boolean", "object"]}  # a number, or a formula that stands for one
