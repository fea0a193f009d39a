"""Every worked example of chapters 5-11 runs: right results proved, printed errors rejected, rules shown."""

import pytest

from analytic.case_runner import load, run_entry
from analytic.recipes_05_07 import RECIPES as FIRST
from analytic.recipes_08_11 import RECIPES as SECOND

ENTRIES = load("castera-05-11.toml")["ex"]
RECIPES = {**FIRST, **SECOND}


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["id"])
def test_worked_example(entry):
    run_entry(entry, RECIPES)
