"""The studio in a real browser: open, edit, see a fault, mend it, drag, stop, reload, export; two users; bad input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dalembert.view.report.write import find_browser

pytest.importorskip("starlette", reason="the studio's packages are not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason="no Chromium or Chrome was found to use the studio with"),
]

ROOT = Path(__file__).parents[2]
PENDULUM = (ROOT / "examples/double_pendulum.lsd").read_text()
SATELLITE = (ROOT / "examples/satellite.lsd").read_text()
WAIT = 60_000
"""Milliseconds: a shared machine may be slow, and nothing here is about speed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("project")
    (found / "pendulum.lsd").write_text(PENDULUM)
    (found / "satellite.lsd").write_text(SATELLITE)
    return found


@pytest.fixture(scope="module")
def address(folder):
    command = [sys.executable, "-m", "dalembert", "studio", str(folder / "pendulum.lsd"), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        line = server.stdout.readline()
        yield re.search(r"http://\S+/", line)[0]
        server.terminate()


@pytest.fixture(scope="module")
def browser():
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=find_browser(), args=[*root, "--enable-unsafe-swiftshader"])
        yield found
        found.close()


@pytest.fixture
def page(browser, address):
    with browser.new_context(viewport={"width": 1300, "height": 800}) as context:
        yield opened(context, address)


def opened(context, address, wait="#equations math"):
    found = context.new_page()
    found.set_default_timeout(WAIT)
    found.faults = []
    found.on("pageerror", lambda error: found.faults.append(str(error)))
    found.goto(address)
    found.wait_for_selector(wait)
    found.wait_for_selector("#view canvas")
    return found


def text_of(page) -> str:
    return page.evaluate("studio.editor.text")


def write(page, text: str) -> None:
    page.evaluate("text => studio.editor.replace(0, studio.editor.text.length, text)", text)


def saved(page) -> None:
    """The word of it passes as the next work begins; that there is nothing left to save stays."""
    page.wait_for_function("() => document.getElementById('save').disabled")


def test_an_edit_is_judged_mended_and_followed(page):
    """Open, edit, see the fault where it is, mend it, see the picture follow."""
    assert page.locator("#faults button").count() == 0
    moves = page.evaluate("studioTiming.slides.length")
    write(page, PENDULUM.replace("gravity [0", "gravty [0"))
    page.wait_for_selector("#faults .error")
    assert page.locator(".cm-fault").count() > 0
    page.locator("#faults .error").first.click()
    write(page, PENDULUM.replace("9.81", "1.62"))
    page.wait_for_function("() => document.querySelectorAll('#faults .error').length === 0")
    page.wait_for_function("n => studioTiming.slides.length > n", arg=moves)
    page.click("#undo")
    page.wait_for_selector("#faults .error")
    assert page.faults == []


def test_formulas_that_stay_are_not_set_again(page):
    edits = "n => studioTiming.edits.length > n"
    page.wait_for_function(edits, arg=0)
    page.evaluate("document.querySelector('#equations math').dataset.kept = 1")
    write(page, PENDULUM.replace("elbow.th = 0.4", "elbow.th = 0.5"))
    page.wait_for_function(edits, arg=1)
    assert page.locator("#equations [data-kept]").count() == 1
    write(page, PENDULUM.replace("9.81", "1.62"))
    page.wait_for_function(edits, arg=2)
    assert page.locator("#equations [data-kept]").count() == 0
    assert page.locator("#equations math").count() > 0


def test_typing_offers_names_and_tells_meanings(page):
    page.click("#editor .cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type("\napply force end on upper.", delay=10)
    page.wait_for_function(  # what was offered for the words before goes when the next offer comes
        "() => document.querySelector('.cm-tooltip-autocomplete')?.innerText.includes('frame')"
    )


def test_a_slider_moves_the_machine_while_it_is_dragged_and_can_be_written_down(page, folder):
    page.click("#tab-tune")
    slider = page.locator('input[type=range][data-name="m2"]')
    before = page.evaluate("studioTiming.slides.length")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    for k in range(8):
        page.mouse.move(box["x"] + box["width"] * (0.25 + 0.07 * k), box["y"] + box["height"] / 2)
        page.wait_for_timeout(60)
    page.mouse.up()
    page.wait_for_function("n => studioTiming.slides.length > n + 1", arg=before)
    page.click("text=Write into the program")
    page.wait_for_function("() => !/m2 = 0.7/.test(studio.editor.text)")
    assert re.search(r"m2 = [\d.]+, l2 = 0.8 ;", text_of(page))


def test_answers_are_given_in_every_panel(page):
    for key in ("curves", "structure", "mobility", "constraints", "contacts", "names"):
        page.click(f"#tab-{key}")
        page.wait_for_function("() => !document.getElementById('panel').textContent.includes('…')")
    page.click("#tab-mobility")
    page.wait_for_function("() => document.getElementById('panel').textContent.includes('2 degrees of freedom')")
    page.click("#tab-curves")
    page.fill("#formula", "sin(elbow.th) + nothing")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel .note")
    page.click("#tab-equations")
    page.select_option("#formalism", "lagrange")
    page.select_option("#level", "vector")
    page.wait_for_selector("#equations mfrac")
    assert page.faults == []


def test_a_draft_comes_back_after_a_reload_and_after_a_crash(browser, address, folder):
    with browser.new_context() as context:
        page = opened(context, address)
        write(page, PENDULUM + "\n(* kept *)")
        page.wait_for_timeout(900)
        page.reload()
        page.wait_for_selector("#equations math")
        assert "(* kept *)" in text_of(page)
    with browser.new_context() as context:  # another session: the first is gone with all that it held
        page = opened(context, address)
        assert "(* kept *)" not in text_of(page)
        page.click("text=Take it")
        assert "(* kept *)" in text_of(page)
    assert "kept" not in (folder / "pendulum.lsd").read_text()


def test_two_users_do_not_disturb_each_other_and_the_second_to_save_is_told(browser, address, folder):
    with browser.new_context() as one, browser.new_context() as two:
        left, right = opened(one, address), opened(two, address)
        write(left, PENDULUM + "\n(* left *)")
        write(right, PENDULUM + "\n(* right *)")
        left.click("#save")
        saved(left)
        right.click("#save")
        right.wait_for_selector("#bar:not([hidden])")
        assert "saved by someone else" in right.inner_text("#bar")
        assert "left" in (folder / "pendulum.lsd").read_text()
        right.click("text=Keep mine")
        saved(right)
        assert "right" in (folder / "pendulum.lsd").read_text()
    (folder / "pendulum.lsd").write_text(PENDULUM)


def test_endless_work_can_be_stopped_and_the_page_stays_alive(page):
    page.click("#tab-tune")
    page.fill("#until", "1e8")
    page.keyboard.press("Enter")
    page.wait_for_selector("#busy:not([hidden])")
    page.click("#tab-structure")
    assert page.locator("#tree button").count() == 3
    page.click("#stop")
    page.wait_for_selector("#busy", state="hidden")
    assert "stopped" in page.inner_text("#why")


def test_files_can_be_taken_away_and_a_shared_page_opens_again(page, tmp_path):
    with page.expect_download() as shared:
        page.click("#share")
    path = tmp_path / "shared.html"
    shared.value.save_as(path)
    page.click("#export")
    with page.expect_download() as code:
        page.click('#dialog [data-kind="c"]')
    assert "Equations of motion of pendulum" in Path(code.value.path()).read_text()
    page.click("#open")
    page.set_input_files("#dialog input[type=file]", path)
    page.wait_for_function("() => document.getElementById('file').textContent.startsWith('shared')")
    assert text_of(page) == PENDULUM


def test_bad_programs_are_sentences_and_nothing_is_lost(page):
    for text in (
        "",
        "(* open",
        "let a = body end ;",
        "join earth and earth with link(x) end ;" * 50,
        "\u0000𝛼 'x' `<b>`",
    ):
        write(page, text)
        page.wait_for_timeout(400)
    write(page, 'let x = "<img src=q onerror=alert(1)>" ;')
    page.wait_for_selector("#faults .error")
    assert page.locator("#faults img").count() == 0
    write(page, PENDULUM)
    page.wait_for_function("() => document.querySelectorAll('#faults .error').length === 0")
    assert page.faults == []


def test_a_foreign_page_gets_nothing(browser, address):
    """A page of another origin may not read, write, or open a socket."""
    with browser.new_context() as context:
        page = context.new_page()
        page.route("http://evil.example/", lambda route: route.fulfill(body="<p>evil</p>", content_type="text/html"))
        page.goto("http://evil.example/")
        tried = page.evaluate(
            """async at => {
                 const ask = (path, how, take) => fetch(at + path, how).then(take, () => "refused");
                 const get = await ask("api/project", {}, r => r.text());
                 const put = await ask("api/file", {method: "PUT", body: "{}"}, r => r.text());
                 const socket = await new Promise(done => {
                   const s = new WebSocket(at.replace("http", "ws"));
                   s.onopen = () => done("open");
                   s.onerror = () => done("refused");
                 });
                 return [get, put, socket];
               }""",
            address,
        )
        assert tried == ["refused", "refused", "refused"]


def test_the_server_that_has_gone_is_a_sentence(page):
    page.context.set_offline(True)
    write(page, PENDULUM + " ")
    page.wait_for_function("() => /does not answer/.test(document.body.textContent)")
    assert text_of(page) == PENDULUM + " "


@pytest.mark.parametrize(("width", "height"), [(1300, 800), (820, 1180), (390, 844)])
def test_every_size_shows_its_faces_without_scrolling_sideways(browser, address, width, height):
    with browser.new_context(viewport={"width": width, "height": height}, has_touch=True) as context:
        page = opened(context, address, wait="#save")
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if width < 760:
            for face in ("edit", "know", "see"):
                page.tap(f'#faces [data-face="{face}"]')
                assert page.locator(f"#{face}").is_visible()
