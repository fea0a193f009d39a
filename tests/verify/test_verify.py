"""A model is checked by independent roads: right ones agree, and a fault seeded in one road is seen."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert import expr as ex
from dalembert.cli import app
from dalembert.dynamics import dynamics_of
from dalembert.formalisms import registry
from dalembert.mechanism import Layout
from dalembert.verify import Verdict, backends, equations, languages, verify
from linkages import four_bar
from random_mechanisms import random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def pendulum() -> da.Mechanism:
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=2, centre=[0, 0, -0.5], inertia=[1, 1, 0]), da.revolute("x"), name="pivot")
    m.gravity = [0, 0, -9.81]
    m.start = {"pivot.th": 1.0}
    return m


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_random_trees_agree_with_themselves(seed: int) -> None:
    tree = random_tree(seed, 2)
    numbers = {x.name: 1.3 for x in dynamics_of(Layout.of(tree)).parameters}
    verdict = verify(tree, span=(0.0, 0.1), given=numbers, languages=["c"])
    assert verdict.agrees, str(verdict)
    assert {"formalisms", "machine code", "derivatives"} <= {c.name for c in verdict.checks if c.found == "agrees"}


def test_a_closed_machine_agrees_and_says_what_was_not_checked() -> None:
    verdict = four_bar((2.0, 3.0, 3.0), 4.0).verify(span=(0.0, 0.5), languages=[])
    assert verdict.agrees, str(verdict)
    assert {"work and energy", "closure of loops", "two methods"} <= {c.name for c in verdict.checks}
    assert "exact arithmetic" in [c.name for c in verdict.unchecked]


def test_postures_where_loops_lose_rows_are_judged_or_left_out() -> None:
    """Flat at the start: no acceleration at all in one, none that exists for random speeds in the other."""
    flat = da.load(EXAMPLES / "loops/parallelogram.lsd").verify(span=(0.0, 0.1), languages=[])
    assert flat.agrees, str(flat)
    row = da.load(EXAMPLES / "loops/n_four_bar.lsd").verify(span=(0.0, 0.1), languages=[])
    assert not row.disagreements, str(row)
    assert {"formalisms", "back ends"} <= {check.name for check in row.unchecked}


def _one_road_wrong(verdict: Verdict, road: str) -> None:
    assert [c.name for c in verdict.disagreements] == [road]
    assert not verdict.agrees
    assert "1 of" in str(verdict)
    assert json.loads(json.dumps(verdict.as_dict()))["agrees"] is False


def test_a_fault_in_the_generated_c_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = languages.source

    def faulty(functions, to, **how):
        text = made(functions, to, **how)
        return text.replace("out[0] = ", "out[0] = 1.001*", 1) if to == "c" else text

    monkeypatch.setattr(languages, "source", faulty)
    verdict = pendulum().verify()
    _one_road_wrong(verdict, "generated c")
    run = {c.name for c in verdict.checks if c.found == "agrees"}
    assert {f"generated {name}" for name, tool in languages._TOOLS.items() if shutil.which(tool.programs[0])} - run == {
        "generated c"
    }


def test_a_fault_in_derivatives_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ex.tangent
    monkeypatch.setattr(backends.ex, "tangent", lambda *a: [2 * e for e in made(*a)])
    verdict = verify(pendulum(), span=(0.0, 0.0), languages=[])
    assert "derivatives" in [c.name for c in verdict.disagreements]


def test_a_fault_of_rounding_size_is_seen_by_exact_arithmetic_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = registry.derive

    def faulty(layout, name):
        eq = made(layout, name)
        return replace(eq, forces=tuple(e + ex.parse("pivot.th/10^12") for e in eq.forces)) if name == "kane" else eq

    monkeypatch.setattr(equations, "derive", faulty)
    _one_road_wrong(pendulum().verify(languages=[]), "exact arithmetic")


def test_what_has_no_numbers_is_checked_as_far_as_it_can() -> None:
    m = da.Mechanism("letters")
    m.join(da.earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), da.revolute("x"), name="pivot")
    m.gravity = [0, 0, "-g"]
    verdict = m.verify(languages=[])
    assert verdict.agrees
    assert "motion" in [c.name for c in verdict.unchecked]


def test_a_machine_that_cannot_move_is_no_traceback() -> None:
    m = da.Mechanism("stone")
    m.join(da.earth, m.body("stone", mass="m"), da.weld(), name="glue")
    verdict = m.verify(languages=[])
    assert not verdict.disagreements
    assert "motion" in [c.name for c in verdict.unchecked]


def test_the_command_tells_and_its_exit_code_judges() -> None:
    runner = CliRunner()
    asked = ["verify", str(EXAMPLES / "pendulum.lsd"), "--language", "python"]
    told = runner.invoke(app, [*asked, "--format", "json", "--until", "0.5"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["agrees"] is True
    told = runner.invoke(app, ["verify", str(EXAMPLES / "four_bar.lsd"), "--language", "c", "--until", "0.2"])
    assert "not checked" in told.stdout  # exact arithmetic is for trees


@pytest.mark.parametrize("wrong", [{"given": {"nope": 1.0}}, {"start": {"pivot.nope": 1.0}}])
def test_a_name_that_nobody_knows_is_no_road_that_could_not_be_taken(wrong: dict[str, dict[str, float]]) -> None:
    with pytest.raises(da.DalembertError, match=r"nope' is not a (parameter|state) of"):
        da.load(EXAMPLES / "pendulum.lsd").verify(**wrong)


def test_the_command_fails_where_a_road_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_apart", lambda *_: 1.0)
    told = CliRunner().invoke(app, ["verify", str(EXAMPLES / "pendulum.lsd"), "--language", "c"])
    assert told.exit_code == 1
    assert "disagrees" in told.stdout


@pytest.mark.parametrize(
    ("asked", "words"), [({"languages": ["Pyton"]}, "no language"), ({"span": (0, float("nan"))}, "finite")]
)
def test_a_wrong_question_is_no_verdict(asked, words):
    """It stood among what could not be checked, below a verdict that all roads agree."""
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=2, centre=[0, 0, -1]), da.revolute("x"), name="pivot")
    with pytest.raises(da.DalembertError, match=words):
        m.verify(**asked)
