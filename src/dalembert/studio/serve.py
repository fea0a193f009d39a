"""The server: files, drafts, and questions that are passed on to workers."""

from __future__ import annotations

import json
import socket
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import DalembertError
from dalembert.studio.artefacts import KINDS, program_in
from dalembert.studio.guard import Guard
from dalembert.studio.project import ConflictError, Project, ProjectError, gallery, story
from dalembert.studio.workers import CHANNELS, Crew, Stopped

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PORT = 8731
"""The first port that is tried; the next free one is taken where it is in use."""
_PAGE = Path(str(files("dalembert.studio"))) / "page"
Handler = Callable[["Request"], Awaitable["Response"]]


def application(project: Project, port: Callable[[], int]) -> Any:
    """The ASGI application of a project; `port` is that under which browsers know it."""
    from starlette.applications import Starlette
    from starlette.responses import FileResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    desk = Desk(project)

    @asynccontextmanager
    async def life(app: Any) -> AsyncIterator[None]:
        desk.crew.warm()
        yield
        desk.crew.close()

    async def page(request: Request) -> Response:
        return FileResponse(_PAGE / "studio.html")

    async def viewer(request: Request) -> Response:
        return FileResponse(str(files("dalembert.view").joinpath("viewer.js")), media_type="text/javascript")

    routes = [
        Route("/", page),
        Route("/viewer.js", viewer),
        Mount("/page", StaticFiles(directory=_PAGE)),
        Mount("/codemirror", StaticFiles(directory=codemirror())),
        Route("/api/project", desk.guarded(desk.about)),
        Route("/api/file", desk.guarded(desk.read), methods=["GET"]),
        Route("/api/file", desk.guarded(desk.save), methods=["PUT"]),
        Route("/api/example", desk.guarded(desk.example)),
        Route("/api/draft", desk.guarded(desk.draft), methods=["PUT"]),
        Route("/api/shared", desk.guarded(desk.shared), methods=["POST"]),
        Route("/api/ask", desk.guarded(desk.ask), methods=["POST"]),
        Route("/api/export", desk.guarded(desk.export), methods=["POST"]),
        Route("/api/stop", desk.guarded(desk.stop), methods=["POST"]),
        Route("/api/progress", desk.guarded(desk.progress)),
    ]
    return Guard(Starlette(routes=routes, lifespan=life), port)


def codemirror() -> Path:
    """The editor, out of NiceGUI's wheel; NiceGUI itself need not be imported for it."""
    from importlib.util import find_spec

    found = find_spec("nicegui")
    places = list(found.submodule_search_locations or []) if found else []
    folder = Path(places[0]) / "elements" / "codemirror" / "dist" if places else Path()
    if not (folder / "index.js").is_file():
        raise DalembertError(
            "the studio needs the package nicegui, which brings its editor: pip install 'dalembert[studio]'."
        )
    return folder


class Desk:
    """What the addresses under /api do."""

    def __init__(self, project: Project) -> None:
        self.project, self.crew = project, Crew()

    def guarded(self, handler: Handler) -> Handler:
        """Faults of a question are answers with a sentence."""
        from starlette.responses import JSONResponse

        async def call(request: Request) -> Response:
            try:
                return await handler(request)
            except ConflictError as error:
                return JSONResponse({"error": str(error), "text": error.text, "version": error.version}, 409)
            except (DalembertError, BadRequestError) as error:
                return JSONResponse({"error": str(error)}, 400)

        return call

    # --- files -----------------------------------------------------------------------------------------------------

    async def about(self, request: Request) -> Response:
        examples = [
            {"name": name, "story": story(path.read_text(encoding="utf-8"))} for name, path in gallery().items()
        ]
        return _json(
            {
                "folder": self.project.root.name,
                "first": self.project.first,
                "files": self.project.names(),
                "examples": examples,
                "exports": [{"kind": k, "suffix": v[0], "what": v[1]} for k, v in KINDS.items()],
            }
        )

    async def read(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        text, version = self.project.read(name)
        drafts = [one for one in self.project.drafts(name) if one["text"] != text]
        return _json({"name": name, "text": text, "version": version, "drafts": drafts})

    async def save(self, request: Request) -> Response:
        asked = await _body(request, name=str, text=str, version=str, tab=str)
        version = self.project.save(asked["name"], asked["text"], asked["version"])
        self.project.drop_draft(asked["name"], asked["tab"])
        return _json({"version": version})

    async def draft(self, request: Request) -> Response:
        asked = await _body(request, name=str, text=str, tab=str, settings=dict, drop=bool)
        if asked["drop"]:
            self.project.drop_draft(asked["name"], asked["tab"])
        else:
            self.project.keep_draft(asked["name"], asked["tab"], asked["text"], asked["settings"])
        return _json({})

    async def example(self, request: Request) -> Response:
        path = gallery().get(request.query_params.get("name", ""))
        if path is None:
            raise ProjectError("there is no example of that name.")
        return _json({"text": path.read_text(encoding="utf-8")})

    async def shared(self, request: Request) -> Response:
        asked = await _body(request, page=str)
        text = program_in(asked["page"])
        if text is None:
            raise ProjectError("this page carries no program: it was not shared from the studio.")
        return _json({"text": text})

    # --- work ------------------------------------------------------------------------------------------------------

    async def ask(self, request: Request) -> Response:
        asked = await _body(request, tab=str, channel=str, job=str, arguments=dict)
        if asked["job"] == "export" or asked["channel"] not in CHANNELS:
            raise BadRequestError("there is no such question.")
        return _json(await self._answer(asked["tab"], asked["channel"], asked["job"], asked["arguments"]))

    async def export(self, request: Request) -> Response:
        from starlette.responses import Response

        asked = await _body(request, tab=str, arguments=dict)
        found = await self._answer(asked["tab"], "long", "export", asked["arguments"])
        if "data" not in found:
            return _json(found)
        headers = {"content-disposition": f'attachment; filename="{found["name"]}"', "x-name": found["name"]}
        return Response(found["data"], media_type="application/octet-stream", headers=headers)

    async def _answer(self, tab: str, channel: str, job: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Passed on to the worker of the page, with the folder that its program is in."""
        name = str(arguments.get("name", "machine.lsd"))
        folder = str(self.project.place(name).parent)
        try:
            found: dict[str, Any] = await self.crew.ask(tab, channel, job, {**arguments, "folder": folder})
        except Stopped:
            return {"stopped": True}
        return found

    async def stop(self, request: Request) -> Response:
        asked = await _body(request, tab=str, channel=str)
        return _json({"stopped": self.crew.stop(asked["tab"], asked["channel"] or None)})

    async def progress(self, request: Request) -> Response:
        return _json({"busy": self.crew.progress(request.query_params.get("tab", ""))})


class BadRequestError(Exception):
    """A request that no page of ours makes."""


async def _body(request: Request, **kinds: type) -> dict[str, Any]:
    """The JSON of a request, with values of these kinds; what is left out is empty."""
    from starlette.requests import ClientDisconnect

    try:
        held = json.loads(await request.body() or b"{}")
    except (ValueError, ClientDisconnect) as error:
        raise BadRequestError("the request is not JSON, or too long.") from error
    if not isinstance(held, dict):
        raise BadRequestError("the request is not an object.")
    found = {name: held.get(name, kind()) for name, kind in kinds.items()}
    for name, kind in kinds.items():
        if not isinstance(found[name], kind):
            raise BadRequestError(f"'{name}' is not a {kind.__name__}.")
    return found


def _json(value: Any) -> Response:
    from starlette.responses import Response

    return Response(json.dumps(value, separators=(",", ":")), media_type="application/json")


def serve(project: Project, *, port: int | None = None, browser: bool = True) -> None:
    """Serve a project to browsers on this machine until Ctrl-C."""
    codemirror()
    import uvicorn

    with _bound(port) as listening:
        number = listening.getsockname()[1]
        address = f"http://127.0.0.1:{number}/"
        print(f"dalembert studio: {address}  (Ctrl-C ends it)", flush=True)
        settings = uvicorn.Config(application(project, lambda: number), log_level="warning", ws="none", lifespan="on")
        if browser:
            webbrowser.open(address)
        uvicorn.Server(settings).run(sockets=[listening])


def _bound(port: int | None) -> socket.socket:
    """A socket on this machine only; without a wish the next free port."""
    if port is not None and not 0 <= port <= 65535:
        raise DalembertError(f"there is no port {port}: ports are numbers from 1 to 65535; 0 takes a free one.")
    for number in [port] if port is not None else [*range(PORT, PORT + 20), 0]:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", number))
        except OSError as error:
            found.close()
            if port is not None:
                why = "is not for everyone's use" if isinstance(error, PermissionError) else "is in use"
                raise DalembertError(f"port {port} {why}: choose another, or leave --port out.") from error
            continue
        found.listen(128)
        return found
    raise DalembertError("no port is free on this machine.")
