"""The table of all formalisms on one mechanism."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da
from dalembert.analysis.compare import compare
from dalembert.errors import ModelError
from dalembert.formalisms.registry import find_formalism
from dalembert.mechanism import Layout, Mechanism, earth, prismatic
from formalisms.satellite import FORMALISMS, satellite
from random_mechanisms import random_tree


def test_the_satellite_is_derived_by_every_formalism_with_one_motion():
    found = compare(Layout.of(satellite()))
    assert [row.name for row in found.formalisms] == FORMALISMS
    assert found.disagreement < 1e-9
    assert all(row.equations == 9 and row.operations > 100 for row in found.formalisms)
    assert found.formalisms[0].unknowns == 15


def test_a_wrong_formalism_shows_as_disagreement(monkeypatch):
    """The measure can fail: without its gyroscopic term Hamilton's motion is another one."""
    from dalembert.formalisms import hamilton

    monkeypatch.setattr(hamilton, "turning_term", lambda tree, symbols: [0 * x for x in symbols])
    found = compare(Layout.of(satellite()), ["kane", "hamilton"])
    assert found.disagreement > 1e-3


def test_a_formalism_that_refuses_does_not_end_the_table():
    m = Mechanism()
    m.join(earth, m.body("ghost"), prismatic("x"), name="rail")
    found = compare(Layout.of(m), ["kane", "hamilton"])
    assert found.formalisms[0].error is None
    assert "moves no mass" in found.formalisms[1].error
    assert "refused" in str(found)


def test_json_has_the_agreed_fields():
    data = compare(Layout.of(random_tree(3, 2)), ["kane", "mixed"], memory=True).as_dict()
    assert {"name", "seconds", "operations", "equations", "disagreement", "memory"} <= set(data["formalisms"][0])
    assert data["formalisms"][0]["memory"] > 0


def test_names_may_be_written_as_people_do():
    for name in ("Newton_Euler", "d'Alembert", "gibbs_appell", "KANE"):
        assert find_formalism(name)


def test_an_unknown_formalism_is_refused_with_the_nearest_name():
    with pytest.raises(ModelError, match="Did you mean 'lagrange'"):
        find_formalism("lagrang")


def test_the_manual_tells_the_operations_of_today():
    """Counts may differ by a few with the order in which names were made."""
    import re

    root = Path(__file__).parents[2]
    m = da.load(str(root / "examples/satellite.lsd"))
    rows = re.findall(r"^([a-z-]+) +9 +\d+ +(\d+) +\d", (root / "docs/formalisms.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 10
    for name, operations in rows:
        assert abs(m.equations(name).operations - int(operations)) <= 0.03 * int(operations), name


def test_machines_are_compared_whose_drives_have_names_of_their_own():
    """A speed that is kept at w: no acceleration holds w, the condition does."""
    cam = da.load(str(Path(__file__).parents[2] / "examples" / "constraints" / "cam.lsd"))
    assert cam.compare().disagreement < 1e-9
