"""One quantity of a machine as a function of another library."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.codegen import CompiledMechanism, Function
from dalembert.codegen.foreign import foreign
from dalembert.codegen.quantities import check_kind
from dalembert.dynamics.numbers import resolve
from dalembert.errors import ModelError
from dalembert.mechanism import Layout, Mechanism
from dalembert.mechanism.contact import say_open

_EXTRA = {"inverse_dynamics": "udot", "forced_acceleration": "efforts"}


def make_callable(
    mechanism: Mechanism,
    quantity: str,
    to: str,
    *,
    of: str | None = None,
    parameters: Sequence[str] = (),
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> Callable[..., Any]:
    """f(q), f(q, u) or f(q, u, udot or efforts), as the quantity asks, then t if it depends on time, then `parameters`.

    All other parameters are the numbers of the mechanism, `given` over them.
    """
    kind = {"acceleration": "forced_acceleration", "gravity_compensation": "weight"}.get(quantity, quantity)
    if kind != "forced_acceleration":
        check_kind(kind)
    layout = Layout.of(mechanism, cut)
    say_open(layout.model.contacts, "this function")
    compiled = CompiledMechanism(mechanism, layout, given=given)
    made = compiled.function(kind, *(() if of is None else (of,)))
    known = resolve({**mechanism.given, **(given or {})}, "given")
    outputs = [-x for x in made.outputs] if quantity == "gravity_compensation" else list(made.outputs)
    used = {x.name for x in ex.free_symbols(outputs)}
    missing = [x for x in compiled.parameters if x in used and x not in known and x not in parameters]
    if missing:
        raise ModelError(
            f"'{quantity}' needs a number for {', '.join(missing)}: `given`, or leave it open in `parameters`."
        )
    for name in parameters:
        if name not in compiled.parameters:
            raise ModelError(f"'{mechanism.name}' has no parameter '{name}'.")
    fixed = {ex.symbol(x): known[x] for x in compiled.parameters if x in known and x not in parameters}
    outputs = ex.substitute(outputs, fixed)
    time, *states, _ = made.inputs
    names = ["q", "u", _EXTRA.get(kind, "")][: len(states)]
    if ex.TIME in ex.free_symbols(outputs):
        states, names = [*states, time], [*names, "t"]
    if parameters:
        states, names = [*states, tuple(ex.symbol(x) for x in parameters)], [*names, "p"]
    return foreign(Function(quantity, states, outputs, shape=made.shape), names, to)
