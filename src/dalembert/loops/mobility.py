"""`mobility(mechanism)`: the verdict, by a ladder of methods from cheap to dear."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.numbers import giving, resolve
from dalembert.dynamics.start import StartWarning, closed_start
from dalembert.errors import DalembertError, ModelError
from dalembert.expr import Expr
from dalembert.kinematics import build_tree, in_state
from dalembert.loops.assembly import CLOSED, Closing, assemble
from dalembert.loops.charts import singular_charts, with_regular_charts
from dalembert.loops.cycles import Loop, independent_loops
from dalembert.loops.evidence import evidence_of
from dalembert.loops.genericrank import rank_off
from dalembert.loops.linkage import Linkage, build_linkage, formulas_of, geometry_of
from dalembert.loops.local import LocalDimension, local_dimension
from dalembert.loops.redundancy import redundant_links
from dalembert.loops.units import in_own_units
from dalembert.loops.verdict import Branch, Mobility
from dalembert.mechanism import Constraint, Holonomic, Layout, Mechanism
from dalembert.mechanism.contact import Pressed, say_open

_ROUNDED = 1e-10
"""Conditions weaker than this share of the strongest are told: motions take them for rounding of the description."""


def mobility(
    mechanism: Mechanism | Layout,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    equations: Sequence[Expr | str] = (),
    digits: int = 50,
    seed: int = 0,
) -> Mobility:
    """How many degrees of freedom the mechanism really has near a closed configuration, and why.

    `at` gives coordinates by name (the mechanism's `start` when not said): some of them are kept and the others follow,
    as in a motion; a rough guess of all of them is enough too. `equations` are
    further conditions between coordinates, for links that no chain of turns and slides describes.

    Counted is what the machine can do: drives and laws in time, which use freedoms up, and conditions on speeds, which
    take no posture away, are left out and named in `notes`.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("parallelogram")
    >>> a, b, c = m.body("a"), m.body("b"), m.body("c")
    >>> links = [m.join(earth, a, revolute("z"), name="A"), m.join(a.at([1, 0, 0]), b, revolute("z"), name="B"),
    ...          m.join(earth.at([2, 0, 0]), c, revolute("z"), name="D"),
    ...          m.join(b.at([2, 0, 0]), c.at([1, 0, 0]), revolute("z"), name="C")]
    >>> mobility(m, at={"A.th": 1, "D.th": 1, "B.th": -1, "C.th": 1}).dof
    1
    """
    layout = mechanism if isinstance(mechanism, Layout) else Layout.of(mechanism, cut)
    opening = [one for one in layout.model.contacts if not isinstance(one.place, Pressed)]  # friction takes no freedom
    say_open(opening, "this mobility")
    found = _judged(layout, at, given, equations, digits, seed)
    notes = (*found.notes, *filter(None, map(_left_out, layout.further)))
    return replace(found, notes=notes, contacts=tuple(one.name for one in opening))


def _judged(
    layout: Layout,
    at: Mapping[str, float] | None,
    given: Mapping[str, Any] | None,
    equations: Sequence[Expr | str],
    digits: int,
    seed: int,
) -> Mobility:
    spelled = dict(layout.model.start if at is None else at)
    start = resolve(spelled, "at")
    further, equations = equations, (*equations, *conditions_of(layout))
    linkage = build_linkage(layout, given, start, equations)
    _check_values(linkage)
    gruebler = _gruebler(linkage)
    if not linkage.cuts and not equations:
        return _tree_verdict(linkage, gruebler)
    own = in_own_units(build_linkage(layout, given, start, equations, exactly=True), start)
    follow = followed_start(own, start, given)
    if own.turns:  # turns after the rotation of the posture that is meant
        own = in_own_units(build_linkage(layout, given, follow, equations, exactly=True), follow)
    x = _assembled(own, follow, seed)
    if charts := singular_charts(layout, own.coordinates(x), linkage.given):
        other, posture = with_regular_charts(layout, own.coordinates(x), linkage.given, charts)
        there = posture | {name: value for name, value in spelled.items() if name in posture}
        found = _judged(other, there, given, further, digits, seed)
        told = f"the {', the '.join(charts.values())} is singular here: judged with a quaternion instead"
        return replace(found, notes=(*found.notes, told))
    loops = independent_loops(own)
    local = local_dimension(Closing(own), x, loops, digits, seed=seed, spelled=spelled)
    verdict = _verdict(Closing(own), _with_ideal(local, own), loops, gruebler, linkage)
    written = {**layout.model.given, **(given or {})}
    return replace(verdict, evidence=evidence_of(own, local, verdict.upper, formulas_of(written), equations))


def followed_start(own: Linkage, start: Mapping[str, float], given: Mapping[str, Any] | None) -> Mapping[str, float]:
    """Where a motion from here starts: what is said is kept, the rest follows; if that fails, the start is a guess."""
    said = set(start) & set(own.layout.state.coordinates)
    if said >= set(own.layout.state.coordinates) or Closing(own).gap(own.start(start)) < CLOSED:
        return start
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StartWarning)
            return closed_start(own.layout, {name: start[name] for name in said}, given).values
    except DalembertError:
        return start


def _assembled(own: Linkage, start: Mapping[str, float], seed: int) -> Any:
    """A closed configuration with finite slopes."""
    try:
        x = assemble(own, own.start(start), seed=seed)
        finite = bool(np.isfinite(Closing(own).jacobian(x)).all())
    except np.linalg.LinAlgError:
        finite = False
    if not finite:
        raise ModelError(
            f"a formula of '{own.layout.model.name}' has no finite slope at this posture: mobility needs smooth links. "
            "Start beside it, or write the formula otherwise."
        )
    return x


def conditions_of(layout: Layout) -> list[Expr]:
    """Constraints that are formulas of places and take postures away, whatever drives the machine."""
    counted = [one for one in layout.further if not _left_out(one)]
    for one in counted:
        if one.followed is not None:
            raise ModelError(
                f"the mobility of '{layout.model.name}' knows formulas of coordinates, and the point where the "
                f"surfaces of '{one.name}' touch is none. Ask without it: a contact in one point takes one freedom."
            ).of([one.name])
    tree = build_tree(layout) if counted else None
    told = [x for one in counted if tree for x in in_state(tree, one.expressions)]
    return [x for x in told if ex.tidy(x) is not ex.ZERO]  # a wheel on an axle that a slide keeps at its height


def every_condition_of(layout: Layout) -> list[Expr]:
    """The same, for verbs that have no place to say what they leave out."""
    for one in layout.further:
        if why := _left_out(one):
            raise ModelError(
                f"postures of '{layout.model.name}' are those that its conditions leave, and {why}. Ask without it; "
                "`mobility` leaves it out and says so."
            ).of([one.name])
    return conditions_of(layout)


def _left_out(one: Constraint) -> str:
    """Why a constraint is not among the conditions that are counted; nothing where it is."""
    if one.active:
        return f"'{one.name}' is left out: a device keeps it, which uses freedoms up; counted are those that it finds"
    if not isinstance(one.condition, Holonomic):
        return f"'{one.name}' is left out: it is on speeds, and takes no posture away"
    if ex.TIME in ex.free_symbols(one.expressions):
        return (
            f"'{one.name}' is left out: it changes with time, which uses freedoms up; counted are those that it finds"
        )
    return ""


def _with_ideal(local: LocalDimension, linkage: Linkage, largest: int = 12, seconds: float = 5.0) -> LocalDimension:
    """The last rung: the complex dimension of the closure ideal bounds what nothing cheaper bounds.

    Constants that are not algebraic, as cos(3/10), are variables with their circle there: the bound is only larger.
    """
    if local.lower == local.upper or linkage.size > largest or not local.posture.closed:
        return local
    from dalembert.errors import DalembertError
    from dalembert.loops.groebner import ideal_dimension
    from dalembert.loops.polynomials import polynomial_closure

    try:
        dimension = ideal_dimension(polynomial_closure(linkage).generators, seconds=seconds)
    except DalembertError:
        return local
    if not local.lower <= dimension < local.upper:
        return local
    return replace(local, upper=dimension, upper_by="Groebner basis: complex dimension of the closure ideal")


def _check_values(linkage: Linkage) -> None:
    """Lengths and directions need numbers; masses do not."""
    scalars = [*linkage.equations, *geometry_of(linkage)]
    known = {*linkage.given, *linkage.variables, *linkage.coordinates([0.0] * linkage.size)}
    missing = sorted({x.name for x in ex.free_symbols(scalars)} - known)
    if missing:
        raise ModelError(
            f"the geometry of '{linkage.layout.model.name}' needs a value for {', '.join(missing)}: mobility "
            f"depends on lengths and angles. Write `given {missing[0]} = ...`, pass {giving(missing[0])}, or ask "
            "`loops.mobility_cases`, which leaves letters."
        )


def _gruebler(linkage: Linkage) -> int:
    """6 (bodies - links) + freedoms of the links - further equations."""
    layout = linkage.layout
    links = len(layout.model.links)
    freedoms = sum(link.joint.dof for link in layout.model.links.values())
    extra = len(linkage.equations) - len(linkage.auxiliary)
    return 6 * (len(layout.bodies) - 1 - links) + freedoms - extra


def _tree_verdict(linkage: Linkage, gruebler: int) -> Mobility:
    m = linkage.layout.dof
    by = "no loop: every coordinate of the tree is free"
    at = linkage.coordinates(linkage.start(linkage.layout.model.start))
    return Mobility(
        linkage.layout.model.name,
        m,
        True,
        m,
        gruebler,
        0,
        0,
        0,
        0,
        m,
        m,
        m,
        by,
        by,
        by,
        (),
        0,
        0,
        False,
        (),
        (),
        at,
    )


def _as_moved(closing: Closing, local: LocalDimension) -> list[str]:
    """That motions move on what the numbers, taken as they are written, forbid by their last digits alone."""
    strengths = np.linalg.svd(closing.jacobian(local.x), compute_uv=False)
    felt = int((strengths > _ROUNDED * strengths.max(initial=0.0)).sum())
    if felt >= local.tangent.rank:
        return []
    few, free = local.tangent.rank - felt, closing.linkage.size - felt
    return [
        f"numbers count as they are written: {few} of the conditions that hold it {'is' if few == 1 else 'are'} less "
        f"than {_ROUNDED:g} of the others, which may be their rounding (axes in line but for the last digit). Motions "
        f"take that for nothing: there it has {free} freedom{'s' * (free != 1)}. Write such numbers exactly"
    ]


def _verdict(closing: Closing, local: LocalDimension, loops: list[Loop], gruebler: int, described: Linkage) -> Mobility:
    linkage = closing.linkage
    # the auxiliary variables come with as many equations, the cut links' own variables with as many ranks
    hidden = linkage.size - linkage.tree_variables + sum(1 for i in linkage.auxiliary if i < linkage.tree_variables)
    redundancy = local.tangent.stresses.shape[1]
    generic = max([local.tangent.rank, *(b.rank for b in local.branches)])
    permanent = redundancy - (generic - local.tangent.rank)
    gap = closing.gap(local.x)
    method = local.lower_by if local.lower_by == local.upper_by else f"{local.lower_by}; {local.upper_by}"
    notes = list(local.notes)
    if not local.posture.closed and not notes:
        notes.append(
            f"no posture is known where the loops close exactly, here they do to {gap:.1g}: the verdict holds as far "
            "as rounded numbers allow, a proof needs exact data (sqrt(3), not 1.732)"
        )
    notes += _as_moved(closing, local)
    measured = Closing(described)
    return Mobility(
        linkage.layout.model.name,
        local.lower if local.lower == local.upper else None,
        local.proved,
        linkage.layout.dof,
        gruebler,
        rank_off(described),
        rank_off(described, "closure"),
        local.tangent.rank - hidden,
        generic - hidden,
        local.tangent.mobility,
        local.lower,
        local.upper,
        local.lower_by,
        local.upper_by,
        method,
        redundant_links(measured, np.array(linkage.in_machine_units(local.x)), local.tangent.stresses),
        redundancy,
        permanent,
        local.singular,
        tuple(Branch(b.dimension, True, b.rank - hidden, linkage.coordinates(b.x)) for b in local.branches),
        tuple((loop.links, loop.dimension, loop.name) for loop in loops),
        linkage.coordinates(local.x),
        gap,
        local.radius,
        tuple(notes),
    )
