"""The formalisms by name. To add one, write its module with its record FORMALISM and name it in MODULES."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib import import_module

from dalembert.constraints.rows import rows_of
from dalembert.dynamics.extent import refuse_long_formulas
from dalembert.dynamics.servo import with_hidden_conditions
from dalembert.errors import ModelError
from dalembert.expr import Scalar, uncollected
from dalembert.formalisms.charts import recharted, with_body_speeds
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.relative import seen_from
from dalembert.formalisms.released import released, released_in_plane
from dalembert.formalisms.speeds import with_speeds
from dalembert.kinematics import build_tree
from dalembert.mechanism import Layout, did_you_mean
from dalembert.mechanism.contact import say_open

#: name -> module that holds its record FORMALISM
MODULES = {
    "newton-euler": "newton_euler",
    "dalembert": "dalembert",
    "lagrange": "lagrange",
    "hamilton": "hamilton",
    "kane": "kane",
    "gibbs-appell": "gibbs_appell",
    "boltzmann-hamel": "boltzmann_hamel",
    "lie-group": "lie_group",
    "mixed": "mixed",
    "recursive": "recursive",
}


def formalism_names() -> tuple[str, ...]:
    return tuple(MODULES)


def find_formalism(name: str) -> Formalism:
    """The record of a formalism: derivation, title, statements."""
    name = name.lower().replace("_", "-").replace("'", "")
    if name not in MODULES:
        raise ModelError(f"there is no formalism '{name}'.{did_you_mean(name, MODULES)} Known: {', '.join(MODULES)}.")
    found: Formalism = import_module(f"dalembert.formalisms.{MODULES[name]}").FORMALISM
    return found


@uncollected()
def derive(
    layout: Layout,
    formalism: str = "mixed",
    *,
    reference: str | None = None,
    cut: Collection[str] = (),
    chart: str | None = None,
    speeds: Mapping[str, Scalar | str] | str | None = None,
    parametrisation: str = "relative",
    potential: str | None = None,
) -> Equations:
    """Equations of a layout by one formalism, with the rows of its cut links.

    `reference` is the body from which the motion is studied (earth unless said); `cut` names links kept out of the
    spanning tree; `chart` the representation of free rotations ("euler", "bryant", "quaternion", "zyx"...); `speeds`
    None for the joints' own, "automatic" for body components where a joint gives them all, or a table of formulas (see
    `with_speeds`); `parametrisation` "absolute" releases the bodies and keeps every link as rows with multipliers, and
    "planar" the same for a machine that moves in a plane, three coordinates a body and two rows a hinge.
    `potential` ("automatic", "gravity", "none") is what lagrange and hamilton put into V.
    """
    found = find_formalism(formalism)
    say_open(layout.model.contacts, "these equations")
    if potential is not None and not found.has_potential:
        raise ModelError(f"'{found.name}' has no potential to choose: lagrange and hamilton have.")
    layout = chosen_layout(layout, reference, cut, chart, speeds)
    if parametrisation not in ("relative", "absolute", "planar"):
        raise ModelError(
            "a parametrisation is 'relative' or 'absolute' (bodies released), or 'planar' (released in their plane), "
            f"not {parametrisation!r}."
        )
    if parametrisation != "relative":
        layout = released(layout.model) if parametrisation == "absolute" else released_in_plane(layout)
    refuse_long_formulas(layout, f"equations ({found.name})")
    layout = with_hidden_conditions(layout).layout
    tree = build_tree(layout)
    if isinstance(speeds, Mapping):
        if not found.chosen_speeds:
            raise ModelError(
                f"the formalism '{formalism}' works in the joints' own speeds. Choose speeds in kane, gibbs-appell, "
                "boltzmann-hamel, lagrange, hamilton, dalembert or newton-euler."
            )
        tree = with_speeds(tree, speeds)
    eq = found.derive(tree) if potential is None else found.derive(tree, potential)
    if layout.constraints:
        rows = rows_of(tree, layout.constraints)
        eq = found.close(eq, rows.asking() if parametrisation == "planar" else rows)
    return eq.reduced()


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
    return replace(Layout.of(mechanism, [name for name in kept if name in mechanism.links]), further=layout.further)
