"""The server's answers: the page, and JSON."""

import asyncio
import ipaddress
import logging
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from data.command_line import RunError
from data.errors import InputError
from interacting_head.serve import limits
from interacting_head.serve.requests import AttentionRequest, RequestError, TranslationRequest, parse
from interacting_head.serve.worker import OverloadError, Worker

logger = logging.getLogger("uvicorn.error")
PAGE = Path(__file__).parent / "page"
FILES = {
    "/": ("index.html", "text/html"),
    "/style.css": ("style.css", "text/css"),
    "/script.js": ("script.js", "text/javascript"),
    "/heat_map.js": ("heat_map.js", "text/javascript"),
    "/server.js": ("server.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""Request path → file and its type. Request paths are never used as file paths."""

NAME = re.compile(r"[^\s/:*]+")
"""A host name, before its encoding is checked."""

SHOWN = ("CHARACTERS", "SUBWORDS", "LINES", "BEAM_SIZE", "TOKENS")  # limits that GET /model returns
HEADERS = {
    # Only the files above: no script, style or image from elsewhere, and none inline.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def application(service: Callable, worker: Worker, hosts: Iterable[str] = ()) -> "Guard":
    """Return the ASGI application; only the worker calls the service. For hosts see `Guard`."""
    description = {**service.description(), "limits": {name.lower(): getattr(limits, name) for name in SHOWN}}

    def attention(requests):
        return [service.attention(request) for request in requests]

    async def model(request):
        return JSONResponse(description)

    async def health(request):
        return JSONResponse({"status": "ok", "waiting": worker.waiting})

    async def post_translate(request):
        asked = parse(TranslationRequest, await _body(request), beam_size=service.beam_size)
        future = worker.submit(service.translate, asked, key=asked.beam_size, size=len(asked.text))
        return JSONResponse({"lines": await _result(request, future)})

    async def post_attention(request):
        asked = parse(AttentionRequest, await _body(request))
        return JSONResponse(await _result(request, worker.submit(attention, asked)))

    routes = [
        *(Route(path, _file(*file)) for path, file in FILES.items()),
        Route("/model", model),
        Route("/health", health),
        Route("/translate", post_translate, methods=["POST"]),
        Route("/attention", post_attention, methods=["POST"]),
    ]
    answered = [RequestError, InputError, RunError, OverloadError, HTTPException, ClientDisconnect, Exception]
    handlers = dict.fromkeys(answered, _error_response)
    answering = Starlette(routes=routes, exception_handlers=handlers)
    answering.router.redirect_slashes = False
    return Guard(answering, hosts)


class Guard:
    """ASGI middleware that rejects unknown hosts and adds the `HEADERS` to every response.

    Another site can make its name resolve to this machine (DNS rebinding), so that its page has this server's origin;
    the browser still sends that name as the host. So only `localhost`, addresses and the `hosts` are allowed.
    """

    def __init__(self, application: Callable, hosts: Iterable[str] = ()):
        self.application = application
        self.hosts = {"localhost", *map(_allowed_name, hosts)}

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return

        async def send_with_headers(message):
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        answer = self.application
        if len(values) != 1 or not self.is_allowed(values[0]):
            answer = _error(421, "this host name is not allowed; start the server with --allow-host NAME to allow it")
        await answer(scope, receive, send_with_headers)

    def is_allowed(self, host: str) -> bool:
        """Return whether a host is allowed: `NAME`, `NAME:PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`."""
        name, port = _name_and_port(host)
        return port.isdecimal() and (name in self.hosts or _is_address(name))


def _name_and_port(host):
    """Return the name of a host in lower case, without a final dot, and its port as text, "0" if it has none."""
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:
        name, port = host, "0"
    return name.removesuffix(".").lower(), port


def _allowed_name(host):
    """Return the name of a host as browsers send it; raise `InputError` for a URL, a pattern or an impossible name."""
    name, port = _name_and_port(host)
    if _is_address(host) or _is_address(name):
        return name  # allowed in any case
    if not (port.isdecimal() and NAME.fullmatch(name)):
        raise InputError(f"{host!r} is no host name; give the name alone, such as translate.example.org")
    try:
        return name.encode("idna").decode()
    except UnicodeError as error:
        raise InputError(f"{name!r} is no host name ({error}); name a host") from error


def _is_address(name):
    try:
        ipaddress.ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        return False
    return True


async def _body(request):
    """Return the body of a JSON request; a form on another site's page could send any other type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RequestError(415, "the content type must be application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > limits.BODY:
            raise RequestError(413, f"the request body may have at most {limits.BODY:,} bytes; shorten it")
    return bytes(body)


async def _result(request, future):
    """Return the result of a worker's future, which is cancelled if the client leaves."""
    result, left = asyncio.wrap_future(future), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait([result, left], return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            raise ClientDisconnect
        return result.result()
    except asyncio.CancelledError as error:  # by the end of the server
        raise RequestError(503, "the server is shutting down; try again later") from error
    finally:
        left.cancel()
        result.cancel()


async def _disconnected(request):
    """Wait until the client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _file(name, content_type):
    content = (PAGE / name).read_bytes()

    async def answer(request):
        return Response(content, media_type=content_type)

    return answer


async def _error_response(request, error):
    """Return the response to a request that raised an exception."""
    match error:
        case RequestError():
            return _error(error.status, str(error))
        case InputError():  # the engine cannot do it
            return _error(422, str(error))
        case RunError():  # out of memory: the message is for the administrator
            logger.error("%s", error)
            return _error(503, "the server ran out of memory; shorten the text, or lower beam_size")
        case ClientDisconnect():  # nobody reads it
            return _error(400, "the client closed the connection")
        case OverloadError():
            return _error(503, "the request queue is full; try again later", {"Retry-After": "5"})
        case HTTPException():
            return _error(error.status_code, error.detail, error.headers)
    return _error(500, "internal error; see the log of the server")


def _error(status, message, headers=None):
    return JSONResponse({"error": message}, status, headers)
