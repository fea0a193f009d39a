"""Who may ask: pages of this server, in a browser on this machine. Everyone else is refused before anything is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

NAMES = ("127.0.0.1", "localhost", "[::1]")
"""What a browser on this machine calls this machine; any other name in `Host` is a name that was bent to here."""

MOST_BYTES = 4_000_000
"""Size of a request: a program of ten thousand bodies has one and a half million bytes."""

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        b"font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """ASGI middleware: `Host` names this machine, `Origin` is this server, bodies are not endless."""

    def __init__(self, app: App, port: Callable[[], int]) -> None:
        self.app, self.port = app, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self.refusal({k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]})
        if refusal:
            await _refuse(send, *refusal)
            return
        left = MOST_BYTES

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.disconnect"}

        async def marked(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self.app(scope, bounded, marked)

    def refusal(self, headers: dict[str, str]) -> tuple[int, str] | None:
        """Status and sentence, if a request must not pass."""
        known = {f"{name}:{self.port()}" for name in NAMES}
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in known:
            return 403, f"The studio answers on this machine only, not as {host[:100]!r}."
        if origin is not None and origin not in {f"http://{one}" for one in known}:
            return 403, f"The studio answers its own pages only, not {origin[:100]!r}."
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "The studio answers its own pages only."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return 413, f"A request may have {MOST_BYTES} bytes."
        return None


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = sentence.encode()
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
