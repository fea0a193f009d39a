"""D and gamma of the cut links at the matrix level: columns in the base of earth, blocks named after their link.

    D_k = n_k^T Y_k + m_k^T Z_k + X_k    gamma_k = -(n_k^T Gamma_k + m_k^T Phi_k + n'_k^T w_k + m'_k^T sigma_k + d'_k)

Y_k and Z_k give w_k and sigma_k for a unit of each speed; Gamma_k and Phi_k are their rates without u'. X_k = dd_k/du
is there where the displacement of the joint uses coordinates of other links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.constraints.rows import Rows
from dalembert.expr import ONE, TIME, ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.kinematics import Pose
from dalembert.mechanism import CutLink
from dalembert.presentation.closing import rest_of, unit_wrenches
from dalembert.presentation.vocabulary import NOTHING, Cut, Vocabulary

Named = Callable[[Vocabulary, str], Term | None]


def name_blocks(words: Vocabulary, named: Named) -> None:
    """Y_k, Z_k, n_k, m_k and their rates; `named` finds the Jacobians U_i, W_i of the bodies."""
    rows = words.rows
    if rows is None:
        return
    moving = {TIME: ONE, **words.tree.rates, **{one.coordinate: one.rate for one in rows.own}}
    for one, cut in zip(words.tree.layout.cuts, words.cuts, strict=True):
        _jacobians(words, cut, named)
        if cut.multipliers:
            _remaining(words, cut)
            _units(words, one, cut, rows, moving)


def _jacobians(words: Vocabulary, cut: Cut, named: Named) -> None:
    k, a, b, n = cut.number, cut.first, cut.second, len(words.tree.speeds)
    near, far = named(words, f"W{a}"), named(words, f"W{b}")
    slides, turns = list[Term](), list[Term]()
    for sign, i, spin, arm in ((1, b, far, f"s{k}"), (-1, a, near, f"l{k}")):
        origin = named(words, f"U{i}")
        slides += [] if origin is None else [sign * origin]
        if spin is not None:
            turns.append(sign * spin)
            slides += [] if words.vector(arm) == NOTHING else [-sign * (al.tilde(words.vector(arm)) * spin)]
    for name, parts in (("Y", slides), ("Z", turns)):
        if parts:
            words.columns.define(al.matrix(f"{name}{k}", 3, n), sum(parts[1:], parts[0]))


def _remaining(words: Vocabulary, cut: Cut) -> None:
    """Gamma_k and Phi_k: d w_k/dt and d sigma_k/dt without u'."""
    v, k = words.vector, cut.number

    def carried(i: int, arm: Term) -> Term:
        spin = v(f"omega{i}")
        return v(f"Xi{i}") + al.tilde(v(f"Phi{i}")) * arm + al.tilde(spin) * (al.tilde(spin) * arm)

    moved = carried(cut.second, v(f"s{k}")) - carried(cut.first, v(f"l{k}"))
    slipping = moved - al.tilde(v(f"omega{cut.first}")) * v(f"w{k}")
    for name, term in (("Gamma", slipping), ("Phi", v(f"Phi{cut.second}") - v(f"Phi{cut.first}"))):
        if term != NOTHING:
            words.columns.define(al.vector(f"{name}{k}"), term)


def _units(words: Vocabulary, one: CutLink, cut: Cut, rows: Rows, moving: dict[Expr, Expr]) -> None:
    """n_k, m_k (a column for each multiplier) and d_k, with their rates, from the joint's wrenches."""
    k, base, pose = cut.number, cut.second, Pose.of(one.link.second.displacement)
    units, n = unit_wrenches(cut, rows), len(words.tree.speeds)
    omega = words.vector(f"omega{base}")
    for name, parts in (("n", [w.force for w in units]), ("m", [w.moment for w in units])):
        whole = _block(words, f"{name}{k}", base, [pose.vector(v) for v in parts])
        if whole is None:
            continue
        flat = ex.tangent([x for v in parts for x in v], moving)
        turned = [pose.vector(Vector3((flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]))) for i in range(len(parts))]
        own = _block(words, f"{name}dot{k}_own", base, turned)
        rate = al.tilde(omega) * whole if omega != NOTHING else None
        total = own if rate is None else rate if own is None else rate + own
        if total is not None:
            words.columns.define(al.matrix(f"{name}dot{k}", 3, len(parts)), total)
    rest = rest_of(words, one)
    driven = [-w.power(rest) for w in units]
    rates, slopes = ex.tangent(driven, moving), ex.jacobian(driven, words.tree.speeds)
    if any(x is not ZERO for x in rates):
        words.values[al.matrix(f"ddot{k}", len(rates), 1)] = [[x] for x in rates]
    if any(x is not ZERO for row in slopes for x in row):
        words.values[al.matrix(f"X{k}", len(rates), n)] = slopes


def _block(words: Vocabulary, name: str, base: int, columns: Sequence[Vector3]) -> Term | None:
    """A block of columns given in the base of a body, in the base of earth."""
    rows = [[v[i] for v in columns] for i in range(3)]
    if all(x is ZERO for row in rows for x in row):
        return None
    symbol = al.matrix(name, 3, len(columns))
    if base == 0:
        words.values[symbol] = rows
        return symbol
    local = al.matrix(f"{name}_{base}", 3, len(columns))
    words.values[local] = rows
    return words.columns.define(symbol, words.rotation(0, base) * local)


def row_blocks(words: Vocabulary) -> tuple[Term, Term] | None:
    """D and gamma of all cut links, one block below the other."""
    found = [pair for pair in (_row_block(words, cut) for cut in words.cuts) if pair is not None]
    if len(found) < 2:
        return found[0] if found else None
    return al.array([[d] for d, _ in found]), al.array([[g] for _, g in found])


def _row_block(words: Vocabulary, cut: Cut) -> tuple[Term, Term] | None:
    k, n, count = cut.number, len(words.tree.speeds), len(cut.multipliers)
    if not count:
        return None
    left: Term = al.zero(al.matrix("none", count, n).sort)
    right: Term = al.zero(al.matrix("none", count, 1).sort)
    for name, field, rest, motion in (("n", "Y", "Gamma", "w"), ("m", "Z", "Phi", "sigma")):
        unit, rate = _known(words, f"{name}{k}", 3, count), _known(words, f"{name}dot{k}", 3, count)
        moved = _known(words, f"{field}{k}", 3, n)
        if unit is not None and moved is not None:
            left = left + unit.T * moved
        if unit is not None and words.vector(f"{rest}{k}") != NOTHING:
            right = right - unit.T * words.vector(f"{rest}{k}")
        if rate is not None and words.vector(f"{motion}{k}") != NOTHING:
            right = right - rate.T * words.vector(f"{motion}{k}")
    shared, drift = _known(words, f"X{k}", count, n), _known(words, f"ddot{k}", count, 1)
    return left if shared is None else left + shared, right if drift is None else right - drift


def _known(words: Vocabulary, name: str, height: int, width: int) -> Term | None:
    symbol = al.matrix(name, height, width)
    return symbol if symbol in words.columns or symbol in words.values else None


def effort_term(words: Vocabulary) -> Term | None:
    """Y_k^T E_k + Z_k^T N_k: springs and motors in the cut links, felt by the speeds."""
    total: Term | None = None
    for cut in words.cuts:
        for field, effort in (("Y", "E"), ("Z", "N")):
            moved = _known(words, f"{field}{cut.number}", 3, len(words.tree.speeds))
            pushed = words.vector(f"{effort}{cut.number}")
            if moved is not None and pushed != NOTHING:
                total = moved.T * pushed if total is None else total + moved.T * pushed
    return total
