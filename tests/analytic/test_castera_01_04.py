"""Every worked example of chapters 1-4 runs: right results proved, printed errors rejected, facts computed."""

import pytest

from analytic.case_runner import load, run_item
from analytic.facts_01_04 import FACTS, PRINTED

ITEMS = load("castera-01-04.toml")["item"]


@pytest.mark.parametrize("item", ITEMS, ids=lambda i: i["id"])
def test_worked_example(item):
    run_item(item, FACTS, PRINTED)
