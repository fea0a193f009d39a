"""`dalembert check` tells constraints that no motion can obey."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from dalembert.cli import app

DISCS = """
let a = body mass = 1, iframe = 0, inertia = [1, 1, 1] end ;
let b = body mass = 1, iframe = 0, inertia = [1, 1, 1] end ;
join earth and a.frame with link(th) dof = th || [0, 0, 1] end as d1 ;
join earth and b.frame with link(th) dof = th || [0, 0, 1] end as d2 ;
"""


def checked(tmp_path, text):
    path = tmp_path / "discs.lsd"
    path.write_text(DISCS + text)
    return CliRunner().invoke(app, ["check", str(path), "--format", "json"])


def test_contradictory_drives_fail_the_check(tmp_path):
    found = checked(tmp_path, "drive d1.th = t as slow ; drive d1.th = 2*t as fast ;")
    assert found.exit_code == 1
    assert "'slow' and 'fast' contradict each other" in json.loads(found.stdout)["diagnostics"][0]["message"]


def test_a_law_that_nothing_reaches_fails_the_check(tmp_path):
    found = checked(tmp_path, "constrain d1.th = sin(t) by d2.th as servo ;")
    assert found.exit_code == 1
    assert "never reach the law 'servo'" in json.loads(found.stdout)["diagnostics"][0]["message"]


def test_a_servo_with_hold_passes(tmp_path):
    assert checked(tmp_path, "constrain d1.th = d2.th by d2.th as servo ;").exit_code == 0
