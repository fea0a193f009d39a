"""Generalised speeds: their expression in coordinate rates, and other speeds that the user chooses.

A joint's own speeds satisfy q' = P(q) u; here is the inverse u = W(q) q' (Papegay I.3, I.4), and the change to chosen
speeds y = A(q) u + b(q, t), which gives a tree that every formalism reads like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, TIME, ZERO, Expr, Scalar
from dalembert.expr.elimination import solve_linear
from dalembert.expr.space import IDENTITY3, ZERO3, Vector3, add3, apply_transposed3, cross, product3, scale3, sub3
from dalembert.kinematics import Node, Tree, Twist
from dalembert.mechanism import QuaternionTurn, Step, Turn


@dataclass(frozen=True, slots=True)
class ChosenTree(Tree):
    """A tree whose speeds were chosen: `definitions` gives each in the joints' own speeds."""

    definitions: Mapping[Expr, Expr]


def speeds_from_rates(tree: Tree) -> list[Expr]:
    """u = W(q) q' with the rates as symbols q'; the identity for joints whose speeds are rates."""
    own: dict[Expr, Expr] = {}
    for one in tree.layout.tree:
        link = one.link
        names = link.joint.speed_names_by_step()
        for step, fresh in zip(link.placed_steps(), names, strict=True):
            if step.speeds == "body":
                symbols = [ex.symbol(link.coordinate_name(x)) for x in fresh]
                own |= dict(zip(symbols, _body_speeds(step), strict=True))
    if isinstance(tree, ChosenTree):
        return ex.substitute([tree.definitions[y] for y in tree.speeds], own)
    return [own.get(u, u) for u in tree.speeds]


def _body_speeds(step: Step) -> list[Expr]:
    """Components, in the last frame, of the velocity (free translation) and of the angular velocity."""
    turns, translation = step.displacement.turns, step.displacement.translation
    if isinstance(turns[0], QuaternionTurn):
        spin = _quaternion_spin(turns[0])
    else:
        spin, after = ZERO3, IDENTITY3
        for one in reversed(turns):
            if isinstance(one, Turn):
                spin = add3(spin, scale3(ex.prime(one.angle), apply_transposed3(after, one.axis)))
            after = product3(one.matrix, after)
    if all(x is ZERO for x in translation):
        return list(spin)
    x, y, z = (ex.prime(a) for a in translation)
    return [*apply_transposed3(step.displacement.matrix, Vector3((x, y, z))), *spin]


def _quaternion_spin(one: QuaternionTurn) -> Vector3:
    """w = 2 vec(conj(e) e') = 2 (e0 v' - e0' v - v x v')."""
    e0, *v = one.components
    vector, rate = Vector3(v), Vector3(ex.prime(x) for x in v)
    own = sub3(scale3(e0, rate), scale3(ex.prime(e0), vector))
    return scale3(ex.TWO, sub3(own, cross(vector, rate)))


def with_speeds(tree: Tree, chosen: Mapping[str, Scalar | str]) -> Tree:
    """The same tree in other generalised speeds, each given as a formula that is affine in the joints' speeds.

    Formulas may use coordinate rates (`q7'`), the joints' own speeds, coordinates and parameters. Speeds that are not
    mentioned keep their name and meaning, so the number of formulas must match the number of speeds they replace.

    >>> from dalembert.kinematics import build_tree
    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic, revolute
    >>> m = Mechanism()
    >>> a, b = m.body("a", mass=1), m.body("b", mass=1)
    >>> links = m.join(earth, a, prismatic("x"), name="s"), m.join(a, b, prismatic("x"), name="r")
    >>> tree = with_speeds(build_tree(Layout.of(m)), {"va": "s.x'", "vb": "s.x' + r.x'"})
    >>> [tree.rates[q] for q in tree.coordinates]
    [va, vb - va]
    """
    names, formulas = _complete(tree, chosen)
    slopes = ex.jacobian(formulas, tree.speeds)
    still = ex.substitute(formulas, dict.fromkeys(tree.speeds, 0))
    if set(tree.speeds) & ex.free_symbols([x for row in slopes for x in row]):
        raise ModelError("a generalised speed must be affine in the rates: drop products and powers of rates.")
    symbols = [ex.symbol(x) for x in names]
    right = [y - b for y, b in zip(symbols, still, strict=True)]
    columns = [[ONE if i == k else ZERO for i in range(len(names))] for k in range(len(names))]
    solved = solve_linear(slopes, [*columns, right], tree.speeds, what="the choice of generalised speeds")
    inverse, old = solved.columns[:-1], solved.columns[-1]
    return _rebuilt(tree, symbols, formulas, inverse, old, solved.condition)


def _complete(tree: Tree, chosen: Mapping[str, Scalar | str]) -> tuple[list[str], list[Expr]]:
    """Names and formulas of all speeds: those chosen, then the old ones that no formula mentions."""
    rates = {ex.prime(x): rate for x, rate in tree.rates.items() if ex.prime(x) is not rate}
    formulas = ex.substitute([ex.as_expr(f) for f in chosen.values()], rates)  # type: ignore[arg-type]
    used = ex.free_symbols(formulas)
    kept = [u for u in tree.speeds if u not in used]
    names = [*chosen, *(u.name for u in kept)]
    if len(names) != len(tree.speeds):
        mentioned = ", ".join(u.name for u in tree.speeds if u in used)
        raise ModelError(
            f"{len(chosen)} generalised speeds are chosen for {len(tree.speeds) - len(kept)} speeds ({mentioned}). "
            "Give as many formulas as speeds that they use."
        )
    taken = {x.name for x in tree.coordinates} | {TIME.name}
    clash = next((x for x in chosen if x in taken), None)
    if clash:
        raise ModelError(f"'{clash}' is a coordinate: choose another name for the generalised speed.")
    return names, [*formulas, *kept]


def _rebuilt(
    tree: Tree,
    symbols: list[Expr],
    formulas: list[Expr],
    inverse: Sequence[Sequence[Expr]],
    old: Sequence[Expr],
    condition: Expr,
) -> ChosenTree:
    """Columns and drifts of every node, and rates of every coordinate, in the chosen speeds."""
    replacement = dict(zip(tree.speeds, old, strict=True))
    seen = ex.substitute(list(tree.rates.values()), replacement)
    rates = dict(zip(tree.rates, map(ex.tidy, seen), strict=True))
    offset = ex.substitute(list(old), dict.fromkeys(symbols, 0))
    nodes = tuple(_node(node, inverse, offset, symbols, rates) for node in tree.nodes)
    layout = replace(tree.layout, speeds=tuple(x.name for x in symbols))
    conditions = tree.conditions if condition.is_number else (*tree.conditions, ("generalised speeds", condition))
    kept = {f.name: getattr(tree, f.name) for f in fields(Tree)}
    kept |= {"layout": layout, "nodes": nodes, "speeds": tuple(symbols), "rates": rates, "conditions": conditions}
    return ChosenTree(**kept, definitions=dict(zip(symbols, formulas, strict=True)))


def _node(
    node: Node,
    inverse: Sequence[Sequence[Expr]],
    offset: Sequence[Expr],
    symbols: Sequence[Expr],
    rates: Mapping[Expr, Expr],
) -> Node:
    drift = node.drift
    totals = [Twist() for _ in symbols]
    for k, column in node.columns:
        drift = drift + column.scaled(offset[k])
        totals = [t + column.scaled(inverse[r][k]) for r, t in enumerate(totals)]
    columns = tuple((r, t) for r, t in enumerate(totals) if not t.is_zero)
    relative = drift
    for r, t in columns:
        relative = relative + t.scaled(symbols[r])
    rate = Twist.of(ex.tangent(relative.scalars, {TIME: ONE, **rates}))
    return replace(node, columns=columns, drift=drift, rate=rate)
