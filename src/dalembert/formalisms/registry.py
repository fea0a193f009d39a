"""The formalisms by name. To add one, write its module with `derive(tree)` and name it in FORMALISMS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from dalembert.errors import ModelError
from dalembert.expr import Scalar
from dalembert.formalisms.equations import Equations
from dalembert.mechanism import Layout, did_you_mean

#: name -> (module, whether it takes a tree whose speeds may be chosen); the others build their own from the layout
FORMALISMS: dict[str, tuple[str, bool]] = {
    "newton-euler": ("newton_euler", True),
    "dalembert": ("dalembert", True),
    "lagrange": ("lagrange", True),
    "hamilton": ("hamilton", True),
    "kane": ("kane", True),
    "gibbs-appell": ("gibbs_appell", True),
    "mixed": ("mixed", False),
    "recursive": ("recursive", False),
}


def formalism_names() -> tuple[str, ...]:
    return tuple(FORMALISMS)


def find_formalism(name: str) -> tuple[Callable[..., Equations], bool]:
    """The derivation of a formalism, and whether it takes a tree (else a layout)."""
    if name not in FORMALISMS:
        raise ModelError(
            f"there is no formalism '{name}'.{did_you_mean(name, FORMALISMS)} Known: {', '.join(FORMALISMS)}."
        )
    module, takes_tree = FORMALISMS[name]
    return import_module(f"dalembert.formalisms.{module}").derive, takes_tree


def derive(
    layout: Layout,
    formalism: str = "mixed",
    *,
    speeds: Mapping[str, Scalar | str] | str | None = None,
    **choices: Any,
) -> Equations:
    """Equations of the tree of a layout by one formalism.

    `speeds`: None for the joints' own, "automatic", or a table of formulas (see `with_speeds`); other choices belong
    to the formalism.
    """
    make, takes_tree = find_formalism(formalism)
    if not takes_tree:
        if speeds is not None:
            raise ModelError(
                f"the formalism '{formalism}' works in the joints' own speeds. Choose speeds in kane, gibbs-appell, "
                "lagrange, hamilton, dalembert or newton-euler, or give the joint body speeds."
            )
        return make(layout, **choices)
    from dalembert.formalisms.speeds import chosen_tree

    return make(chosen_tree(layout, speeds), **choices)
