"""What a notebook shows: every result of a verb has a rich form that is whole, and a text that is short."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import dalembert as da
from dalembert import analytic
from dalembert.view import scene_of

EXAMPLES = Path(__file__).parents[2] / "examples"
FORMS = ("_repr_html_", "_repr_latex_", "_repr_png_")
#: How each result of a verb of a machine is asked for.
VERBS = {
    "equations": lambda m: m.equations("kane"),
    "show": lambda m: m.equations("kane").show("vector"),
    "lagrangian": lambda m: m.lagrangian(),
    "hamiltonian": lambda m: m.hamiltonian(),
    "mobility": lambda m: m.mobility(),
    "equilibria": lambda m: m.equilibria()[0],
    "mode": lambda m: m.equilibria()[0].modes[0],
    "linearize": lambda m: m.linearize({"shoulder.th": 0, "elbow.th": 0}),
    "simulate": lambda m: m.simulate((0, 0.2)),
    "quality": lambda m: m.simulate((0, 0.2)).quality,
    "compare": lambda m: m.compare(["kane", "recursive"]),
    "reactions": lambda m: m.reactions()["elbow"],
    "inverse_dynamics": lambda m: m.inverse_dynamics({"shoulder.th": "t", "elbow.th": "t"}, (0, 1)),
    "regressor": lambda m: m.regressor(),
    "base_parameters": lambda m: m.base_parameters(),
    "geometry": lambda m: m.geometry(),
    "draw": lambda m: m,
    "certificate": lambda m: m.mobility().certificate,
    "sensitivities": lambda m: m.sensitivities((0, 0.2), ["m1"]),
    "analytic": lambda m: m.analytic().lagrange(),
    "hamilton": lambda m: m.analytic().hamilton(),
    "period": lambda m: analytic.period("m*g*l*(1 - cos(th))", "th", "a", inertia="m*l**2"),
}


class Closed(HTMLParser):
    """Every tag that opens is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("br", "img", "meta", "link", "input", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def machine():
    return da.load(EXAMPLES / "double_pendulum.lsd")


@pytest.mark.parametrize("name", VERBS)
def test_results_are_shown_in_notebooks(machine, name):
    found = VERBS[name](machine)
    forms = {form: getattr(found, form)() for form in FORMS if hasattr(found, form)}
    assert forms, f"a notebook shows {type(found).__name__} as bare text"
    for form, shown in forms.items():
        if form == "_repr_png_":
            assert shown.startswith(b"\x89PNG")
            continue
        assert shown
        assert len(shown) < 400_000
        assert not re.search(r"object at 0x|Traceback", shown)
        if form == "_repr_latex_":
            assert shown.strip().startswith("$")
        else:
            reader = Closed()
            reader.feed(shown)
            assert reader.open == []
    text = str(found)
    assert len(text) < 6000
    assert not re.search(r"^\w+\(\w+=|object at 0x|<function", text), f"a record is printed raw: {text[:80]}"


def test_no_public_record_of_analytical_mechanics_prints_raw():
    """Results are dataclasses; what prints itself as `Lagrange(system=System(...` is read by nobody."""
    kinds = [getattr(analytic, name) for name in analytic.__all__]
    records = [one for one in kinds if isinstance(one, type) and dataclasses.is_dataclass(one)]
    assert len(records) > 60
    for one in records:
        assert one.__str__ is not object.__str__ or not hasattr(one.__repr__, "__wrapped__"), one
        assert any(hasattr(one, form) for form in FORMS), one


def test_no_public_record_of_a_description_prints_raw():
    import dalembert.mechanism as room
    from dalembert.simulate import Arc, Jump
    from dalembert.view import Scene

    kinds = [one for one in vars(room).values() if isinstance(one, type) and dataclasses.is_dataclass(one)]
    assert len(kinds) > 30
    for one in (*kinds, Arc, Jump, Scene):
        assert one.__str__ is not object.__str__ or not hasattr(one.__repr__, "__wrapped__"), one
        assert any(hasattr(one, form) for form in FORMS), one


def test_what_is_described_is_told_in_words():
    m = da.Mechanism("door")
    door = m.body("door", mass="m", centre=[0.4, 0, 1], inertia=[1, 2, 3])
    hinge = m.join(da.earth, door, da.revolute("z").with_efforts(th="-k*th"), name="hinge")
    push = m.force(door.at([0.8, 0, 1]), [0, "F", 0], name="push")
    assert str(hinge.joint) == "revolute (th)\n  move [0, 0, 0], turned th about [0, 0, 1]\n  effort on th: -k*th"
    assert str(door.at([0.8, 0, 1], da.turn("pi/2", "x"))) == "door at [0.8, 0, 1], turned 1/2*pi about [1, 0, 0]"
    assert str(door).splitlines()[:5] == [
        "Body",
        "  name: door",
        "  mass: m",
        "  iframe: [0.4, 0, 1]",
        "  inertia: [1, 2, 3]",
    ]
    assert "at: door at [0.8, 0, 1]" in str(push)
    assert "value: 0, F, 0" in push._repr_html_()
    assert hinge.joint._repr_html_().startswith("<pre>revolute")
    assert repr(scene_of(m)) == "<Scene of 'door': 1 bodies, 1 joints, a posture>"


def test_links_and_layouts_are_told_in_lines(machine):
    layout = machine.layout()
    assert str(layout).splitlines()[1:] == [
        "  shoulder: earth to upper (shoulder.th)",
        "  elbow: upper to lower (elbow.th)",
    ]


def test_names_are_no_markup():
    m = da.Mechanism("<b>bold</b>")
    m.join(da.earth, m.body("rod", mass=1, centre=[0, 0, -1]), da.revolute("x"), name="pin")
    m.gravity = [0, 0, -9.81]
    for found in (m.simulate((0, 0.1)), m.mobility(), m.equilibria()[0]):
        outside = re.sub(r'srcdoc="[^"]*"', "", found._repr_html_())
        assert "<b>bold" not in outside


def test_what_cannot_be_drawn_has_no_picture():
    m = da.Mechanism("apart")
    m.body("lost", mass=1)
    assert m._repr_png_() is None
