"""The server answers its own pages on this machine, and nobody else."""

from __future__ import annotations

import json
import warnings

import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")
pytest.importorskip("httpx", reason="the studio's packages are not installed")

with warnings.catch_warnings():  # which client of HTTP it likes changes with its versions
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from dalembert.errors import DalembertError
from dalembert.studio import Project, application, serve
from dalembert.studio.guard import MOST_BYTES

HERE = "http://127.0.0.1:8731"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("project")
    (found / "a.lsd").write_text("(* one *)")
    return found


@pytest.fixture(scope="module")
def client(folder):
    with TestClient(application(Project.of(folder), lambda: 8731), base_url=HERE) as found:
        yield found


@pytest.mark.parametrize(
    "path", ["/", "/page/studio.js", "/page/studio.css", "/viewer.js", "/codemirror/index.js", "/api/project"]
)
def test_the_page_is_served_with_a_policy_against_foreign_scripts(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:8731"},
        {"host": "127.0.0.1:80"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "https://127.0.0.1:8731"},
        {"sec-fetch-site": "cross-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
def test_foreign_pages_and_bent_names_are_refused(client, folder, headers, method):
    body = json.dumps({"name": "a.lsd", "text": "stolen", "version": "", "tab": "t"})
    answer = client.request(method, "/api/file", headers=headers, content=body)
    assert answer.status_code == 403
    assert (folder / "a.lsd").read_text() == "(* one *)"


def test_own_pages_are_answered(client):
    assert client.get("/api/project", headers={"origin": HERE, "sec-fetch-site": "same-origin"}).status_code == 200


def test_sockets_are_closed(client):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/ask"):
        pass


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"tab": 3}', b"\xff", b'{"job": "check", "channel": "root"}'])
def test_requests_that_no_page_makes_are_sentences(client, body):
    answer = client.post("/api/ask", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_endless_requests_are_refused(client):
    assert client.put("/api/draft", content=b"x" * (MOST_BYTES + 1)).status_code == 413


@pytest.mark.parametrize(
    "path", ["/page/../serve.py", "/page/%2e%2e/serve.py", "/codemirror/../../../../../pyvenv.cfg"]
)
def test_only_files_of_the_page_are_served(client, path):
    assert client.get(path).status_code == 404


def test_files_outside_are_refused_by_every_address(client):
    for name in ("../a.lsd", "/etc/passwd", "a.py"):
        assert client.get("/api/file", params={"name": name}).status_code == 400
        assert client.put("/api/file", json={"name": name, "text": "", "version": "", "tab": "t"}).status_code == 400
        asked = {"tab": "t", "channel": "edit", "job": "check", "arguments": {"name": name, "text": ""}}
        assert client.post("/api/ask", json=asked).status_code == 400


def test_saving_over_a_newer_file_is_told(client, folder):
    (folder / "b.lsd").write_text("theirs")
    answer = client.put("/api/file", json={"name": "b.lsd", "text": "mine", "version": "old", "tab": "t"})
    assert answer.status_code == 409
    assert answer.json()["text"] == "theirs"
    assert (folder / "b.lsd").read_text() == "theirs"


def test_a_port_in_use_is_a_sentence(folder):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DalembertError, match="in use"):
            serve(Project.of(folder), port=taken.getsockname()[1], browser=False)


@pytest.mark.slow
def test_work_of_one_page_is_stopped_and_others_go_on(client):
    """Two pages at once: one computes without end, the other gets its answer, and the first can be stopped."""
    import threading
    import time

    spring = "join earth and b.frame with link(x) dof = [x,0,0], force = [-x,0,0] end as rail ;"
    text = f"let b = body mass = 1, iframe = 0, inertia = 0 end ; {spring} start rail.x = 1 ;"
    endless = {"text": text, "name": "a.lsd", "until": 1e9}
    found = {}

    def run():
        asked = {"tab": "one", "channel": "live", "job": "motion", "arguments": endless}
        found["one"] = client.post("/api/ask", json=asked).json()

    thread = threading.Thread(target=run)
    thread.start()
    asked = {"tab": "two", "channel": "live", "job": "motion", "arguments": {**endless, "until": 1.0}}
    assert client.post("/api/ask", json=asked).json()["scene"]
    for _ in range(100):
        busy = client.get("/api/progress", params={"tab": "one"}).json()["busy"]
        if busy:
            break
        time.sleep(0.1)
    assert busy[0]["channel"] == "live"
    assert client.post("/api/stop", json={"tab": "one", "channel": "live"}).json() == {"stopped": 1}
    thread.join(30)
    assert found["one"] == {"stopped": True}
    assert client.post("/api/ask", json={**asked, "tab": "one"}).json()["scene"]


def test_a_port_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(DalembertError, match="there is no port 99999999: ports are numbers from 1 to 65535"):
        serve(Project.of(tmp_path), port=99999999, browser=False)
