"""The geometry of a mechanism: its Lagrangian in coordinates and rates, its drives as laws, other rows as kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.extent import refuse_long_formulas
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.elimination import vanish
from dalembert.formalisms import Lagrangian, lagrangian, recharted
from dalembert.geometry.geometry import Geometry
from dalembert.geometry.setting import Kept, natural, settled
from dalembert.mechanism import Layout, Mechanism, Model, did_you_mean
from dalembert.mechanism.quantities import virtual


def geometry_of(
    mechanism: Mechanism | Model,
    driven: Mapping[str, str] | None = None,
    *,
    chart: str | None = None,
    cut: Collection[str] = (),
) -> Geometry:
    """V*M of a mechanism: a row that pushes one coordinate alone drives it, unless `driven` says {name: coordinate}.

    Where a contact drags by dry friction its normal force is taken to push (Dazord 7.3); `check` fails if it pulls.
    """
    model = mechanism.freeze()
    if chart is not None:
        model = recharted(model, chart, "rates")
    layout = Layout.of(model, cut)
    if layout.state.quaternions:
        raise ModelError(
            f"'{model.name}' has quaternions, four coordinates for three freedoms: there are no momenta for each. "
            'Choose another chart of its rotations: geometry(chart="bryant").'
        )
    refuse_long_formulas(layout, "the phase space")
    found = lagrangian(layout)
    _check_own(layout, found)
    pairs = _driving(found) if driven is None else _said(found, driven)
    rows, pushes, n = found.constraint.rows(), _pushing(found).rows(), len(found.coordinates)
    order = [k for k in range(n) if k not in pairs.values()] + list(pairs.values())
    symbols = [found.coordinates[k] for k in order]
    mass, linear, potential = natural(found.value, symbols)
    laws, kept = [], {}
    for row, k in pairs.items():
        own = rows[row][k]
        laws.append((own * found.rates[k] - found.conditions[row]) / own)
    for row, name in enumerate(found.multipliers):
        if row not in pairs and any(x is not ZERO for x in rows[row]):  # what the tree keeps by itself is no condition
            form = sum((x * virtual(q) for x, q in zip(pushes[row], found.coordinates, strict=True)), ZERO)
            kept[name] = Kept(found.conditions[row], None if pushes[row] == rows[row] else form)
    setting = settled(
        symbols,
        mass,
        linear,
        potential,
        [found.efforts[k] for k in order],
        [_straight(law, found.rates[k]) for law, k in zip(laws, pairs.values(), strict=True)],
        [[pushes[row][k] for k in order] for row in pairs],
        kept,
        [found.multipliers[row] for row in pairs],
        model.given,
    )
    about = dynamics_of(layout)
    if tuple(about.speeds) != found.rates:
        return Geometry(setting)
    names = list(found.multipliers)
    return Geometry(
        setting,
        tuple(about.accelerations()[k] for k in order),
        tuple(about.multipliers[names.index(name)] for name in setting.names) if names else (),
    )


def _straight(law: Expr, own: Expr) -> Expr:
    """A law without its own rate, which it only seems to name."""
    slope = ex.derivative(law, own)
    return law if slope is not ZERO and not vanish([slope]) else ex.substitute([law], {own: 0})[0]


def _pushing(found: Lagrangian) -> Matrix:
    """W, with the multipliers of sliding contacts, of which it knows the sign, taken to be positive."""
    return found.reaction.substitute({ex.symbol(name): 1 for name in found.multipliers})


def _driving(found: Lagrangian) -> dict[int, int]:
    """Rows that push one coordinate alone, whose rate is in their condition: each drives it."""
    pairs: dict[int, int] = {}
    for row, (asked, pushed) in enumerate(zip(found.constraint.rows(), _pushing(found).rows(), strict=True)):
        places = [k for k, x in enumerate(pushed) if x is not ZERO]
        if len(places) == 1 and asked[places[0]] is not ZERO and places[0] not in pairs.values():
            pairs[row] = places[0]
    return pairs


def _said(found: Lagrangian, driven: Mapping[str, str]) -> dict[int, int]:
    pairs, names = {}, [q.name for q in found.coordinates]
    for said, coordinate in driven.items():
        row = said if said in found.multipliers else f"{said}.lambda"
        for name, known in ((row, list(found.multipliers)), (coordinate, names)):
            if name not in known:
                hint = did_you_mean(name, known)
                raise ModelError(f"`driven` names '{name}', which is not among {', '.join(known) or 'any'}.{hint}")
        place, k = found.multipliers.index(row), names.index(coordinate)
        if found.constraint.rows()[place][k] is ZERO:
            raise ModelError(
                f"the condition '{row}' does not name the rate of '{coordinate}': it cannot be its law. "
                "Name another coordinate."
            )
        pairs[place] = k
    return pairs


def _check_own(layout: Layout, found: Lagrangian) -> None:
    """Coordinates of cut links follow from the others: no phase space has them."""
    own = set(layout.state.own_coordinates)
    asked = [found.value, *found.efforts, *found.conditions, *found.reaction.entries]
    named = sorted(x.name for x in ex.free_symbols(asked) if x.name in own)
    if named:
        raise ModelError(
            f"conditions of '{layout.model.name}' depend on '{named[0]}', a coordinate of a link that closes a loop: "
            "cut another link of that loop."
        )
