"""Workers answer every question with data or with a sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dalembert.studio import artefacts
from dalembert.studio.jobs import answer

ROOT = Path(__file__).parents[2]
PENDULUM = (ROOT / "examples/double_pendulum.lsd").read_text()


def ask(job, text=PENDULUM, **words):
    found = answer(job, {"text": text, "name": "machine.lsd", "folder": str(ROOT), **words})
    if "data" not in found:
        json.dumps(found, allow_nan=False)
    return found


def test_a_right_program_tells_its_numbers_and_its_tree():
    found = ask("check")
    assert found["right"]
    assert found["faults"] == []
    machine = found["machine"]
    assert {one["name"]: one["value"] for one in machine["parameters"]} == {"l1": 1.0, "l2": 0.8, "m1": 1.0, "m2": 0.7}
    assert [(one["body"], one["depth"]) for one in machine["tree"]] == [("earth", 0), ("upper", 1), ("lower", 2)]
    assert [one["angle"] for one in machine["start"][:2]] == [True, True]


def test_a_fault_has_its_place_as_browsers_count():
    text = "(* 𝛼𝛽 *) let rod = body mas = 1 end ;"
    (fault,) = ask("check", text)["faults"]
    assert text.encode("utf-16-le")[2 * fault["from"] : 2 * fault["to"]].decode("utf-16-le").startswith("mas")


@pytest.mark.parametrize("text", ["", "let", "join", "(* open", '"', "let a = body end ;", "\0", 'use "../x.lsd" ;'])
def test_broken_programs_are_sentences(text):
    found = ask("check", text)
    assert "error" not in found
    assert found["faults"] or not found.get("machine")
    for job in ("motion", "equations"):
        assert ask(job, text).get("error") or ask(job, text).get("why")


def test_names_in_sight_and_meanings():
    at = PENDULUM.index("upper.frame") + len("upper.")
    labels = {one["label"] for one in ask("complete", at=at)["items"]}
    assert {"frame", "mass"} <= labels
    assert "join FRAME and FRAME" in ask("explain", at=PENDULUM.index("join ") + 1)["text"]


def test_a_motion_has_scene_and_curves_and_bad_formulas_are_told():
    found = ask(
        "motion", until=1.0, curves=["elbow.th", "nonsense.x", "sin("], given={"m2": 2.0}, start={"elbow.th": 0.0}
    )
    assert found["scene"]["name"] == "machine"
    assert found["curves"]["elbow.th"][0] == 0.0
    assert set(found["faults"]) == {"nonsense.x", "sin("}


@pytest.mark.parametrize("until", [-1.0, 0.0, float("nan"), float("inf")])
def test_a_motion_without_end_is_refused_and_the_posture_shown(until):
    found = ask("motion", until=until)
    assert "positive" in found["why"]
    assert found["scene"] is not None


def test_a_machine_without_numbers_is_shown_as_it_stands():
    found = ask("motion", PENDULUM.replace("given", "(* given").replace("0.8 ;", "0.8 ; *)"))
    assert found["still"]
    assert found["scene"] is not None
    assert "m1" in found["why"]


def test_equations_are_set_a_page_at_a_time():
    text = (ROOT / "examples/satellite.lsd").read_text()
    few, all_ = ask("equations", text, lines=10), ask("equations", text, lines=1000)
    assert few["hidden"] > 0
    assert all_["hidden"] == 0
    assert len(few["html"]) < len(all_["html"])


def test_formulas_of_large_machines_are_vectors_until_scalars_are_asked_for():
    text = (ROOT / "benchmarks/humanoid.lsd").read_text()
    found = ask("equations", text, lines=5)
    assert found["operations"] > 6000
    assert "vector level" in found["why"]
    assert "<math" in found["html"]
    assert ask("equations", lines=5)["why"] == ""


def test_no_name_becomes_markup():
    name = "`<script>alert(1)</script><b/onload>`"
    join = f"join earth and {name}.frame with link(x) dof = [x,0,0] end as {name} ;"
    text = f"let {name} = body mass = 1, iframe = 0, inertia = 0 end ;\n{join}"
    if not ask("check", text)["right"]:
        pytest.skip("LSD refuses such names")
    shown = [ask("equations", text, level=level).get("html", "") for level in ("vector", "matrix", "scalar")]
    for html in (*shown, *(ask("section", text, key=key)["html"] for key in ("structure", "names", "code"))):
        assert not re.search(r"<(script|b/|b>)", html)


@pytest.mark.parametrize("job", ["eval", "__class__", "export"])
def test_there_is_nothing_else_to_ask(job):
    assert "error" in ask(job, kind="shell")


def test_unknown_words_are_a_sentence():
    assert "error" in ask("motion", command="x")
    assert "error" in ask("section", key="../x")


def test_a_shared_page_gives_its_program_back():
    text = 'let a = "</template><script>" ; (* & *)'
    page = artefacts.shared("<main></main>", text)
    assert "<script>" not in page
    assert artefacts.program_in(page) == text
    assert artefacts.program_in("<main></main>") is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(set(artefacts.KINDS) - {"report-pdf"}))
def test_every_artefact_can_be_taken_away(kind):
    found = ask("export", kind=kind, until=0.5)
    assert "error" not in found, found
    assert found["name"].startswith("machine.")
    assert len(found["data"]) > 100


@pytest.mark.slow
def test_ten_thousand_bodies_are_read_and_wait_to_be_asked():
    bodies = [f"let b{k} = hanging_rod(m = 1, l = 1) ;" for k in range(10_000)]
    frames = ["earth", *(f"b{k}.frame" for k in range(10_000))]
    joins = [f"join {frames[k]} and b{k}.frame with revolute(axis = [1,0,0]) as j{k} ;" for k in range(10_000)]
    text = "\n".join(['use "joints.lsd" ; use "solids.lsd" ;', *bodies, *joins])
    found = ask("check", text)
    assert found["machine"]["bodies"] == 10_000
    assert not found["machine"]["live"]


def test_numbers_of_a_program_do_not_set_its_formulas_again(monkeypatch):
    """An edit of `given` or `start` keeps the formulas; an edit of the machine makes new ones."""
    from dalembert.studio import jobs

    first = ask("equations")
    derived = []
    derive = jobs.Mechanism.equations
    monkeypatch.setattr(jobs.Mechanism, "equations", lambda self, name: derived.append(name) or derive(self, name))
    assert ask("equations", PENDULUM.replace("elbow.th = 0.4", "elbow.th = 0.7")) == first
    assert derived == []
    other = ask("equations", PENDULUM.replace("-9.81", "-1.62"))
    assert derived == ["kane"]
    assert other["html"] != first["html"]


def test_what_workers_are_forked_from_has_gone_all_the_way():
    from dalembert.studio import warm

    assert [sorted(one)[:1] for one in warm.ANSWERS if "error" in one] == []
    check, motion, equations = warm.ANSWERS
    assert check["right"]
    assert motion["still"] is False
    assert "math" in equations["html"]
