"""Sliders: every motion of the grid is in the page, in its place, and the page plays the one that is chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from browser import browser, opened
from dalembert.errors import ArgumentError

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def machine():
    return da.load(EXAMPLES / "double_pendulum.lsd")


def test_motions_stand_in_the_order_of_the_grid(machine):
    found = machine.sliders({"m2": [0.5, 1.0], "elbow.th": [0.0, 0.3, 0.6]}, (0, 0.5))
    assert str(found) == "6 motions of double_pendulum: m2 = 0.5 ... 1, elbow.th = 0 ... 0.6"
    again = machine.simulate((0, 0.5), start={"elbow.th": 0.3}, given={"m2": 1.0})
    np.testing.assert_allclose(found.scenes[4].columns[1].values[[0, -1]], again["elbow.th"][[0, -1]], atol=1e-6)
    assert found._repr_html_().startswith("<iframe")


def test_wrong_names_and_too_many_motions_are_sentences(machine):
    with pytest.raises(ArgumentError, match="neither a parameter"):
        machine.sliders({"mass": [1]}, (0, 1))
    with pytest.raises(ArgumentError, match="between 1 and 400"):
        machine.sliders({"m2": np.linspace(1, 2, 30), "m1": np.linspace(1, 2, 30)}, (0, 1))
    with pytest.raises(ArgumentError, match="between 1 and 400"):
        machine.sliders({"m2": []}, (0, 1))


@pytest.mark.slow
def test_the_page_plays_the_motion_that_is_chosen(machine, tmp_path):
    machine.sliders({"elbow.th": [0.0, 1.0, 2.0]}, (0, 0.5), tmp_path / "tune.html")
    with browser() as driver:
        page, faults = opened(driver, tmp_path / "tune.html")
        page.evaluate("() => { const r = document.querySelector('[data-name]'); r.value = 2; r.oninput(); }")
        page.wait_for_function("() => document.querySelector('output').textContent === '2'")
        assert page.evaluate("chosen() === scenes[2]")
        assert faults == []
