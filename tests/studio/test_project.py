"""Nothing leads out of the folder of a project, and nothing that was typed is lost."""

from __future__ import annotations

import pytest

from dalembert.studio.project import ConflictError, Project, ProjectError, gallery, story

OUTSIDE = [
    "../x.lsd", "a/../../x.lsd", "/etc/x.lsd", "C:/x.lsd", "a\\..\\x.lsd", ".hidden.lsd", "a/.git/x.lsd", "x.py", "",
    "x.lsd/", "a//b.lsd", "x.lsd\0.txt", "./x.lsd", "x" * 300 + ".lsd",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    project = Project.of(tmp_path)
    for act in (project.read, lambda n: project.save(n, "x", ""), lambda n: project.keep_draft(n, "t", "x", {})):
        with pytest.raises(ProjectError):
            act(name)
    assert list(tmp_path.rglob("*.lsd")) == []


def test_a_link_that_leads_out_is_refused(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir(), outside.mkdir()
    (inside / "away").symlink_to(outside)
    (inside / "file.lsd").symlink_to(outside / "file.lsd")
    for name in ("away/x.lsd", "file.lsd"):
        with pytest.raises(ProjectError, match="leads out"):
            Project.of(inside).save(name, "x", "")
    assert list(outside.iterdir()) == []


def test_the_second_to_save_is_told_and_loses_nothing(tmp_path):
    project = Project.of(tmp_path)
    first = project.save("a.lsd", "one", "")
    mine = project.save("a.lsd", "two", first)
    with pytest.raises(ConflictError, match="saved by someone else") as told:
        project.save("a.lsd", "three", first)
    assert (told.value.text, told.value.version) == ("two", mine)
    assert project.read("a.lsd") == ("two", mine)
    project.save("a.lsd", "three", told.value.version)
    assert project.read("a.lsd")[0] == "three"


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path):
    (tmp_path / "a.lsd").write_text("there")
    with pytest.raises(ConflictError):
        Project.of(tmp_path).save("a.lsd", "mine", "")


def test_drafts_of_pages_are_kept_apart_and_dropped_after_saving(tmp_path):
    project = Project.of(tmp_path)
    project.keep_draft("a.lsd", "left", "one", {"until": 3})
    project.keep_draft("a.lsd", "right", "two", {})
    project.keep_draft("b.lsd", "left", "other", {})
    assert {one["tab"]: one["text"] for one in project.drafts("a.lsd")} == {"left": "one", "right": "two"}
    project.drop_draft("a.lsd", "left")
    assert [one["tab"] for one in project.drafts("a.lsd")] == ["right"]
    assert project.names() == []


def test_a_damaged_draft_is_passed_over(tmp_path):
    project = Project.of(tmp_path)
    project.keep_draft("a.lsd", "left", "one", {})
    (tmp_path / ".dalembert/drafts/broken.json").write_text("{")
    assert [one["text"] for one in project.drafts("a.lsd")] == ["one"]


def test_a_file_opens_its_folder(tmp_path):
    (tmp_path / "a.lsd").write_text("(* A story.\n goes on *) let")
    project = Project.of(tmp_path / "a.lsd")
    assert (project.root, project.first, project.names()) == (tmp_path.resolve(), "a.lsd", ["a.lsd"])
    with pytest.raises(ProjectError, match="neither a folder"):
        Project.of(tmp_path / "a.txt")


def test_the_gallery_tells_what_each_example_is():
    found = gallery()
    assert {"satellite.lsd", "double_pendulum.lsd"} <= set(found)
    assert "satellite" in story(found["satellite.lsd"].read_text()).lower()
