"""Quantities by the words in which a user asks for their source code: "jacobian:hand", "bias/speeds"."""

from __future__ import annotations

import re

from dalembert.codegen.function import Function
from dalembert.codegen.mechanism import CompiledMechanism
from dalembert.codegen.quantities import DERIVED, check_kind
from dalembert.errors import ArgumentError

_STATES = ("coordinates", "speeds")


def asked_function(compiled: CompiledMechanism, words: str) -> Function:
    """`quantity[:frame][/by]`: a quantity, of a frame, derived by "coordinates", "speeds" or a parameter."""
    head, _, by = words.partition("/")
    quantity, _, of = head.partition(":")
    kind = "weight" if quantity == "gravity_compensation" else quantity
    check_kind(kind)
    if bool(DERIVED[kind]) != bool(of):
        told = (
            f"is that of a frame: write '{quantity}:FRAME'" if not of else f"is that of the machine: leave out ':{of}'"
        )
        raise ArgumentError(f"the quantity '{quantity}' {told}.")
    if by and by not in _STATES and by not in compiled.parameters:
        known = ", ".join((*_STATES, *compiled.parameters))
        raise ArgumentError(f"'{words}' is derived by '{by}', which is none of {known}.")
    names = [of] if of else []
    made = compiled.function("slope", by, kind, *names) if by else compiled.function(kind, *names)
    outputs = [-x for x in made.outputs] if quantity == "gravity_compensation" else list(made.outputs)
    called = re.sub(r"\W", "_", "_".join(filter(None, (quantity, of, by and f"by_{by}"))), flags=re.ASCII)
    return Function(called, made.inputs, outputs, shape=made.shape)
