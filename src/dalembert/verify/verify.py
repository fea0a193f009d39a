"""`m.verify()`: one model, every independent road, and a verdict."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dalembert.codegen.languages import LANGUAGES
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import check_names
from dalembert.errors import ArgumentError, DalembertError
from dalembert.formalisms.registry import derive
from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.mechanism.contact import ContactWarning, say_open
from dalembert.mechanism.homogeneity import unlike
from dalembert.simulate.methods.inputs import as_span
from dalembert.verify.backends import backends
from dalembert.verify.elsewhere import elsewhere
from dalembert.verify.equations import derived, exact, formalisms
from dalembert.verify.motion import moving
from dalembert.verify.verdict import AGREES, Check, Verdict


def verify(
    mechanism: Mechanism | Model,
    *,
    span: tuple[float, float] = (0.0, 1.0),
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    seed: int = 0,
    languages: Collection[str] | None = None,
    cut: Collection[str] = (),
) -> Verdict:
    """Check a model by every independent road: formalisms, exact arithmetic, back ends, derivatives, laws of motion.

    `languages` are those whose source is compiled and run, as far as tools for them are installed; None means all.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> link = m.join(earth, m.body("rod", mass=2, centre=[0, 0, -1]), revolute("x"), name="pivot")
    >>> verify(m, start={"pivot.th": 1.0}, languages=["c"]).agrees
    True
    """
    as_span(span)
    for name in languages or ():  # a wrong question is no road that could not be taken
        if name not in LANGUAGES:
            raise ArgumentError(f"there is no language '{name}'. Languages: {', '.join(LANGUAGES)}.")
    layout = Layout.of(mechanism, cut)
    model, state = layout.model, layout.state
    check_names(given or (), {*model.parameters(), *model.given}, "parameter", model.name)
    check_names(
        {*(start or ())} - {"t"}, (*state.coordinates, *dynamics_of(layout).closure.speeds), "state", model.name
    )
    say_open(layout.model.contacts, "the equations that are checked")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # said once, above
        return _verdict(mechanism, layout, span, start, given, seed, languages, cut)


def _verdict(
    mechanism: Mechanism | Model,
    layout: Layout,
    span: tuple[float, float],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    seed: int,
    languages: Collection[str] | None,
    cut: Collection[str],
) -> Verdict:
    equations = derived(layout)
    roads: list[tuple[str, Callable[[], list[Check]]]] = [
        ("dimensions", lambda: [_dimensions(layout)]),
        ("formalisms", lambda: [formalisms(layout, equations, seed)]),
        ("exact arithmetic", lambda: [exact(layout, equations)]),
        ("back ends", lambda: backends(layout, seed, languages)),
        ("other programs", lambda: elsewhere(derive(layout, "recursive"), seed)),
        ("motion", lambda: moving(mechanism, span, start, given, cut)),
    ]
    if not layout.state.speeds:  # no speed, no acceleration to compare
        roads = [roads[0], ("motion", lambda: [Check.left_out("motion", "nothing moves")])]
    found = list[Check]()
    for name, road in roads:
        try:
            found += road()
        except DalembertError as error:
            found.append(Check.left_out(name, str(error).splitlines()[0]))
    return Verdict(layout.model.name, tuple(found))


def _dimensions(layout: Layout) -> Check:
    faults = [problem.message for problem in unlike(layout.model)]
    if faults:
        return Check.left_out(
            "dimensions",
            f"bare numbers stand for quantities ({faults[0]}); with units in LSD `check` compares them",
        )
    return Check("dimensions", AGREES, "like is added to like and compared with like")
