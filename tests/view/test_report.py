"""A report can be read from top to bottom: every section answers or says why not, and no text of a model is markup."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app
from dalembert.errors import DalembertError, ModelError
from dalembert.view.report import Film, Note, Picture, Study, make_report, write
from dalembert.view.report.blocks import Formulas, Report, Section, Table
from dalembert.view.report.described import structure
from dalembert.view.report.latex import latex_of, plain
from dalembert.view.report.write import find_browser

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.lsd"))
KEYS = "description structure names mobility constraints equations equilibria motion contacts reactions quality code"
HOSTILE = "<script>alert(1)</script><b/onload>$x_$%#&{}~^"


def pendulum(name: str = "rod", link: str = "pivot") -> da.Mechanism:
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body(name, mass="m", centre=[0, 0, "-l"]), da.revolute("x"), name=link)
    m.gravity = [0, 0, -9.81]
    m.given = {"m": 2.0, "l": 0.5}
    m.start = {f"{link}.th": 1.0}
    return m


def notes(section) -> str:
    return " ".join(one.text for one in section.blocks if isinstance(one, Note))


class Tags(HTMLParser):
    """Every element and attribute that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture(scope="module")
def report():
    return make_report(Study(pendulum(), until=1.0))


def test_every_section_is_there_and_none_is_empty(report):
    assert [one.key for one in report.sections] == KEYS.split()
    assert all(one.blocks for one in report.sections)
    assert "fault of dalembert" not in report.html()


def test_sections_that_do_not_apply_say_why_in_a_sentence(report):
    told = {one.key: notes(one) for one in report.sections}
    assert "no contacts" in told["contacts"]
    assert "no closed loops" in told["constraints"]
    assert "No loop closes" in told["mobility"]


def test_the_numbers_are_those_of_the_machine(report):
    told = {one.key: one for one in report.sections}
    assert told["structure"].gist == "1 body and 1 link."
    assert told["mobility"].gist == "1 degree of freedom (proved)."
    assert "2 equilibria found, 1 of them" in told["equilibria"].gist
    force = re.search(r"largest force in a link is ([\d.]+)", told["reactions"].gist)
    assert force is not None
    exact = 2.0 * 9.81 * (3 - 2 * 0.5403023058681398)  # m g (3 - 2 cos 1) at the lowest point
    assert float(force[1]) == pytest.approx(exact, rel=1e-3)
    assert sum(isinstance(one, Picture | Film) for one in told["motion"].blocks) == 3


def test_the_moving_picture_is_what_a_reader_sees_first(report):
    page, (paper, _) = report.html(), latex_of(report, "figure")
    assert page.count("<iframe") == 1
    assert page.index("<iframe") < page.index("<nav>") < page.index('id="description"')
    assert paper.index("The motion at t = ") < paper.index(r"\section{")


def test_a_machine_without_numbers_is_told_what_is_missing():
    m = pendulum()
    m.given = {}
    found = make_report(Study(m, until=1.0))
    told = {one.key: notes(one) for one in found.sections}
    assert "values for" in told["equilibria"]
    assert "Kane" in found.html()


def test_what_comments_say_of_parts_stands_in_their_tables():
    m = da.loads(
        "let rod = body mass = 1, iframe = 0 end ; (* of <steel> *)\n"
        "(* at the wall *)\njoin earth and rod.frame with link(x) dof = [x, 0, 0] end as slide ;"
    )
    blocks, _ = structure(Study(m))
    bodies, links = (one for one in blocks if isinstance(one, Table))
    assert (bodies.head[-1], bodies.rows[0][-1]) == ("what it is", "of <steel>")
    assert (links.head[-1], links.rows[0][-1]) == ("what it is", "at the wall")
    m.remarks.clear()
    blocks, _ = structure(Study(m))
    assert all("what it is" not in one.head for one in blocks if isinstance(one, Table))


def test_no_name_of_a_model_becomes_markup():
    """Names may hold what HTML, LaTeX and matplotlib would read as commands."""
    page = make_report(Study(pendulum(HOSTILE, HOSTILE + "b"), source=f"(* {HOSTILE} </pre> *)", until=0.2)).html()
    found = Tags()
    found.feed(page)
    assert "b" not in found.tags
    assert not any(one.startswith("on") for one in found.attributes)
    assert found.tags.count("script") == 0  # those of the animation are inside an attribute, in a frame of its own
    assert "fault of dalembert" not in page


@pytest.mark.parametrize("text", ["\\input{x}", "a_b^c~d#e%f&g$h{i}", "Größe <x> αβ → 日本"])
def test_latex_has_no_command_of_the_text(text):
    shown = plain(text)
    assert shown.isascii() or shown.replace("ö", "").replace("ß", "").isascii()
    assert not re.search(r"(?<!\\)[_&#%$]", shown)
    assert "\\input" not in shown


def test_names_of_files_are_refused_before_any_work(tmp_path):
    with pytest.raises(DalembertError, match=r"ends in \.html, \.pdf or \.tex"):
        pendulum().report(tmp_path / "report.docx")


def test_without_a_browser_a_pdf_is_refused_with_a_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "find_browser", lambda: None)
    with pytest.raises(DalembertError, match=r"print it from any browser"):
        pendulum().report(tmp_path / "report.pdf")


@pytest.mark.parametrize(("word", "value"), [("levels", ("exact",)), ("until", -1.0), ("until", float("inf"))])
def test_what_cannot_be_asked_is_refused(tmp_path, word, value):
    with pytest.raises(ModelError, match=r"level|until"):
        pendulum().report(tmp_path / "report.html", **{word: value})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a budget may end in a finaliser
def test_a_section_that_takes_too_long_is_a_sentence():
    m = da.load(ROOT / "examples/bicycle.lsd")
    found = make_report(Study(m, until=0.1), seconds=0.05)
    assert any("would take longer than" in notes(one) for one in found.sections)


@pytest.mark.slow
@pytest.mark.skipif(find_browser() is None, reason="no Chromium or Chrome was found to print a PDF")
def test_pdf_and_page_of_the_command(tmp_path):
    path = tmp_path / "report.pdf"
    done = CliRunner().invoke(app, ["report", str(ROOT / "examples/pendulum.lsd"), "-o", str(path), "--until", "1"])
    assert done.exit_code == 0, done.output
    assert path.read_bytes().startswith(b"%PDF")
    assert [one.name for one in tmp_path.iterdir()] == ["report.pdf"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("hostile", [False, True])
def test_latex_compiles(tmp_path, hostile):
    m = pendulum("<a>$x_$%#&{}~^é", "b_$") if hostile else da.load(ROOT / "examples/four_bar.lsd")
    m.report(tmp_path / "report.tex", until=0.5, levels=("vector", "matrix", "scalar"))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:].decode("latin-1")


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_has_a_report_without_a_fault(path):
    found = make_report(Study(da.load(path), until=0.1), seconds=0.3)
    assert [one.key for one in found.sections] == KEYS.split()
    assert "fault of dalembert" not in " ".join(map(notes, found.sections))


@pytest.mark.slow
def test_paper_has_stills_of_the_motion_and_the_structure(tmp_path):
    """Printed reports show four moments instead of the film, the graph of links, and plane machines flat."""
    m = da.load(ROOT / "examples/four_bar.lsd")
    written = m.report(tmp_path / "bars.tex", until=0.5, levels=["vector"])
    text = (tmp_path / "bars.tex").read_text(encoding="utf-8")
    assert "The motion at t = 0, 0.1" in text
    assert "in the HTML report" not in text
    assert "loops, which are numbered" in text
    assert "distances of its joints" in text
    assert "nan" not in text
    assert sum(path.suffix == ".pdf" for path in written) == 5


def test_long_equations_are_broken_into_rows_on_paper():
    """Text beyond the margin is cut by the page: no row is wider than the page of `Shown.latex`."""
    shown = da.load(ROOT / "examples/four_bar.lsd").equations("lagrange").show("scalar")
    block = Formulas(tuple(shown.lines))
    paper, _ = latex_of(Report("bars", "", (Section("equations", "Equations", (block,)),)), "figure")
    rows = paper.count("\\\\\n")
    assert rows >= shown.latex().count("\\\\\n") > len(shown.lines)
    assert shown.lines[0].latex not in paper
