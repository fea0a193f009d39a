"""The formalisms by name. To add one, write its module with its record FORMALISM and name it in MODULES."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from inspect import signature
from typing import Any

from dalembert.errors import ModelError
from dalembert.expr import Scalar
from dalembert.formalisms.charts import recharted, with_body_speeds
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.relative import seen_from
from dalembert.formalisms.speeds import with_speeds
from dalembert.kinematics import build_tree
from dalembert.mechanism import Layout, did_you_mean

#: name -> module that holds its record FORMALISM
MODULES = {
    "newton-euler": "newton_euler",
    "dalembert": "dalembert",
    "lagrange": "lagrange",
    "hamilton": "hamilton",
    "kane": "kane",
    "gibbs-appell": "gibbs_appell",
    "mixed": "mixed",
    "recursive": "recursive",
}


#: choices that every formalism understands
GENERAL = ("reference", "cut", "chart", "speeds", "parametrisation")


def formalism_names() -> tuple[str, ...]:
    return tuple(MODULES)


def find_formalism(name: str) -> Formalism:
    """The record of a formalism: derivation, title, statements."""
    name = name.lower().replace("_", "-").replace("'", "")
    if name not in MODULES:
        raise ModelError(f"there is no formalism '{name}'.{did_you_mean(name, MODULES)} Known: {', '.join(MODULES)}.")
    found: Formalism = import_module(f"dalembert.formalisms.{MODULES[name]}").FORMALISM
    return found


def derive(
    layout: Layout,
    formalism: str = "mixed",
    *,
    reference: str | None = None,
    cut: Collection[str] = (),
    chart: str | None = None,
    speeds: Mapping[str, Scalar | str] | str | None = None,
    parametrisation: str = "relative",
    **choices: Any,
) -> Equations:
    """Equations of the tree of a layout by one formalism.

    `reference` is the body from which the motion is studied (earth unless said); `cut` names links kept out of the
    spanning tree; `chart` the representation of free rotations ("euler", "bryant", "quaternion", "zyx"...); `speeds`
    None for the joints' own, "automatic" for body components where a joint gives them all, or a table of formulas (see
    `with_speeds`); `parametrisation` "absolute" releases the bodies and keeps the links as multipliers (lagrange).
    Other choices belong to the formalism: `potential` ("automatic", "gravity", "none") in lagrange and hamilton.
    """
    found = find_formalism(formalism)
    known = list(signature(found.derive).parameters)[1:]
    unknown = next((name for name in choices if name not in known), None)
    if unknown is not None:
        raise ModelError(
            f"'{formalism}' has no choice '{unknown}'.{did_you_mean(unknown, [*known, *GENERAL])} "
            f"It knows {', '.join([*GENERAL, *known])}."
        )
    layout = chosen_layout(layout, reference, cut, chart, speeds)
    if parametrisation != "relative":
        return _absolute(layout, formalism, parametrisation)
    tree = build_tree(layout)
    if isinstance(speeds, Mapping):
        if not found.chosen_speeds:
            raise ModelError(
                f"the formalism '{formalism}' works in the joints' own speeds. Choose speeds in kane, gibbs-appell, "
                "lagrange, hamilton, dalembert or newton-euler."
            )
        tree = with_speeds(tree, speeds)
    return found.derive(tree, **choices)


def _absolute(layout: Layout, formalism: str, parametrisation: str) -> Any:
    """Lagrange's equations of the released bodies, with the links as conditions: a `MaximalEquations`."""
    if parametrisation != "absolute" or formalism != "lagrange":
        raise ModelError(
            f"'{formalism}' has no {parametrisation!r} parametrisation: 'relative' is for every formalism, 'absolute' "
            "(bodies released, links as multipliers) for lagrange."
        )
    return import_module("dalembert.formalisms.maximal").derive(layout)


def chosen_layout(
    layout: Layout,
    reference: str | None,
    cut: Collection[str],
    chart: str | None,
    speeds: Mapping[str, Scalar | str] | str | None,
) -> Layout:
    """The layout of the same mechanism under other choices."""
    if isinstance(speeds, str) and speeds not in ("joint", "automatic"):
        raise ModelError(f"speeds are 'joint', 'automatic' or a table of formulas, not {speeds!r}.")
    if reference is None and not cut and chart is None and speeds != "automatic":
        return layout
    mechanism = layout.model
    if chart is not None:
        mechanism = recharted(mechanism, chart)
    if reference is not None:
        mechanism = seen_from(mechanism, reference)
    if speeds == "automatic":
        mechanism = with_body_speeds(mechanism)
    kept = {one.link.name for one in layout.cuts} if not cut else {*cut}
    return Layout.of(mechanism, [name for name in kept if name in mechanism.links])
